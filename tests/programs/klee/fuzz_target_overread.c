// The data of a fuzz target ends exactly at its size.
#include <stddef.h>
#include <stdint.h>

static volatile uint8_t sink;

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (size > 0 && data[0] == 3)
    sink = data[3]; //~ out-of-bounds-read LLVMFuzzerTestOneInput
  return 0;
}
