// A libFuzzer target is a harness too: symbolic data, symbolic size.
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (size < 4)
    return 0;
  if (data[0] == 'F' && data[1] == 'U' && data[2] == 'Z')
    if (data[3] == 'Z')
      abort(); //~ abort LLVMFuzzerTestOneInput
  return 0;
}
