/* What the harness calls. Inputs are handed out in order; everything is weak, so that a definition in the harness
   itself wins. */
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WEAK __attribute__((weak))

static size_t next_input;

static void stop(const char *message)
{
  fflush(stdout);
  fprintf(stderr, "reproducer: %s\n", message);
  exit(3);
}

static void take_input(void *object, size_t size)
{
  if (next_input == input_count) stop("the program asks for more inputs than the test has");
  if (inputs[next_input].size != size) stop("the program asks for an input of another size than the test has");
  memcpy(object, inputs[next_input++].bytes, size);
}

WEAK void klee_make_symbolic(void *object, size_t size, const char *name) { (void)name; take_input(object, size); }
WEAK void forkwise_symbolic(void *object, size_t size, const char *name) { (void)name; take_input(object, size); }
WEAK void klee_assume(uintptr_t condition) { if (!condition) stop("an assumption does not hold"); }
WEAK void forkwise_assume(uintptr_t condition) { if (!condition) stop("an assumption does not hold"); }
WEAK int klee_int(const char *name) { int value; (void)name; take_input(&value, sizeof value); return value; }
WEAK int klee_range(int begin, int end, const char *name)
{
  int value = klee_int(name);
  if (value < begin || value >= end) stop("an input is outside of its range");
  return value;
}
WEAK uintptr_t klee_choose(uintptr_t n)
{
  uintptr_t value;
  take_input(&value, sizeof value);
  if (value >= n) stop("an input is outside of its range");
  return value;
}
WEAK void klee_silent_exit(int status) { exit(status); }
WEAK void klee_abort(void) { abort(); }
WEAK void klee_report_error(const char *file, int line, const char *message, const char *suffix)
{
  fflush(stdout);
  fprintf(stderr, "%s:%d: %s (%s)\n", file, line, message, suffix);
  abort();
}
WEAK void klee_check_memory_access(const void *address, size_t size)
{
  size_t i;
  for (i = 0; i < size; i++) (void)((const volatile char *)address)[i];
}
WEAK unsigned klee_is_symbolic(uintptr_t value) { (void)value; return 0; }
WEAK int forkwise_is_symbolic(uintptr_t value) { (void)value; return 0; }
WEAK unsigned klee_is_replay(void) { return 1; }
WEAK int forkwise_is_replay(void) { return 1; }
WEAK size_t forkwise_size(void)
{
  const char *text = getenv("FORKWISE_SIZE");
  return text ? strtoull(text, 0, 10) : 0;
}
WEAK float klee_get_valuef(float value) { return value; }
WEAK double klee_get_valued(double value) { return value; }
WEAK long klee_get_valuel(long value) { return value; }
WEAK long long klee_get_valuell(long long value) { return value; }
WEAK int32_t klee_get_value_i32(int32_t value) { return value; }
WEAK int64_t klee_get_value_i64(int64_t value) { return value; }
WEAK int klee_get_errno(void) { return errno; }
WEAK void klee_prefer_cex(void *object, uintptr_t condition) { (void)object; (void)condition; }
WEAK void klee_posix_prefer_cex(void *object, uintptr_t condition) { (void)object; (void)condition; }
WEAK void klee_mark_global(void *object) { (void)object; }
WEAK void klee_print_expr(const char *message, ...) { (void)message; }
WEAK void klee_print_range(const char *name, int value) { (void)name; (void)value; }
WEAK void klee_stack_trace(void) {}
WEAK void klee_warning(const char *message) { (void)message; }
WEAK void klee_warning_once(const char *message) { (void)message; }
WEAK void klee_set_forking(unsigned enable) { (void)enable; }
WEAK void klee_open_merge(void) {}
WEAK void klee_close_merge(void) {}
WEAK void klee_alias_function(const char *from, const char *to) { (void)from; (void)to; }

/* The names of the Test-Comp rules. */
#define NONDET(name, type) \
  WEAK type __VERIFIER_nondet_##name(void) { type value; take_input(&value, sizeof value); return value; }
NONDET(char, char)
NONDET(schar, signed char)
NONDET(uchar, unsigned char)
NONDET(unsigned_char, unsigned char)
NONDET(short, short)
NONDET(ushort, unsigned short)
NONDET(int, int)
NONDET(uint, unsigned)
NONDET(unsigned, unsigned)
NONDET(unsigned_int, unsigned)
NONDET(long, long)
NONDET(ulong, unsigned long)
NONDET(longlong, long long)
NONDET(ulonglong, unsigned long long)
NONDET(int8, int8_t)
NONDET(uint8, uint8_t)
NONDET(int16, int16_t)
NONDET(uint16, uint16_t)
NONDET(int32, int32_t)
NONDET(uint32, uint32_t)
NONDET(int64, int64_t)
NONDET(uint64, uint64_t)
NONDET(u8, uint8_t)
NONDET(u16, uint16_t)
NONDET(u32, uint32_t)
NONDET(size_t, size_t)
NONDET(float, float)
NONDET(double, double)
NONDET(pointer, void *)
WEAK _Bool __VERIFIER_nondet_bool(void) { unsigned char value; take_input(&value, 1); return value & 1; }
WEAK void __VERIFIER_nondet_memory(void *memory, size_t size) { take_input(memory, size); }
WEAK void __VERIFIER_assume(int condition) { if (!condition) stop("an assumption does not hold"); }
static void reached(const char *name)
{
  fflush(stdout);
  fprintf(stderr, "%s was reached\n", name);
  abort();
}
WEAK void reach_error(void) { reached("reach_error"); }
WEAK void __VERIFIER_error(void) { reached("__VERIFIER_error"); }

/* A fuzz target has no main: its input is the object "data", shortened to the value of the object "size". */
WEAK int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
WEAK int main(void)
{
  const unsigned char *data = 0;
  uint64_t size = 0, shorter = UINT64_MAX;
  uint8_t *copy;
  size_t i;
  if (!LLVMFuzzerTestOneInput) stop("link this file with a harness that has main or LLVMFuzzerTestOneInput");
  for (i = 0; i < input_count; i++) {
    if (!strcmp(inputs[i].name, "data")) { data = inputs[i].bytes; size = inputs[i].size; }
    if (!strcmp(inputs[i].name, "size") && inputs[i].size <= 8) {
      shorter = 0;
      memcpy(&shorter, inputs[i].bytes, inputs[i].size);
    }
  }
  if (shorter < size) size = shorter;
  /* A block of exactly its size, so that a sanitizer sees every access beyond it. */
  copy = calloc(1, size);
  if (size) memcpy(copy, data, size);
  LLVMFuzzerTestOneInput(copy, size);
  free(copy);
  return 0;
}
