/* One bug a function; the argument chooses it. The numbers of the lines are not used by the tests, the functions are. */
#include <assert.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static volatile int four = 4, zero = 0, minus_one = -1, forty = 40;
static volatile int big = 2147483647, small = -2147483647 - 1;
static int global[4];
static volatile int sink;
static char *volatile kept;

static void out_of_bounds_read(void) { int *p = malloc(16); sink = p[four]; }
static void out_of_bounds_write(void) { char a[4]; char *volatile p = a; p[four] = 1; }
static void out_of_bounds_global(void) { int *volatile p = global; sink = p[four]; }
static void out_of_bounds_library(void) { char *p = malloc(4); memset(p, 'x', 4); sink = (int)strlen(p); }
static void use_after_free(void) { int *p = malloc(4); free(p); sink = *(volatile int *)p; }
static char *dangling(void) { char local[8]; kept = local; return kept; }
static void use_after_return(void) { dangling(); sink = *kept; }
static void double_free(void) { char *p = malloc(4); kept = p; free(p); free(kept); }
static void invalid_free(void) { kept = malloc(8); free(kept + 4); }
static void free_of_stack(void) { char a[8]; kept = a; free(kept); }
static void free_of_global(void) { kept = (char *)global; free(kept); }
static void null_dereference(void) { int *volatile p = 0; sink = *p; }
static void write_to_constant(void) { kept = "constant"; kept[0] = 'C'; }
static void leak(void) { kept = malloc(77); kept = 0; }
static void division_by_zero(void) { sink = four / zero; }
static void division_overflow(void) { sink = small / minus_one; }
static void oversized_shift(void) { sink = four << forty; }
static void integer_overflow(void) { sink = big + four; }
static void index_out_of_bounds(void) { sink = global[four + 100]; }
static void nonpositive_length(void) { char a[minus_one]; kept = a; }
static void float_cast_overflow(void) { volatile double d = 1e20; sink = (int)d; }
static void misaligned_pointer(void) { char *p = malloc(16); sink = *(int *)(p + 1); }
static void assertion_failure(void) { assert(four == zero); }
static void aborting(void) { abort(); }
static void trap(void) { __builtin_trap(); }
static void unreachable(void) { __builtin_unreachable(); }
static int recursion(int n) { volatile char block[4096]; block[n % 4096] = 1; return recursion(n + 1) + block[0]; }
static void stack_exhaustion(void) { sink = recursion(0); }
static void bad_call(void) { void (*volatile f)(void) = (void (*)(void))8; f(); }
static void hang(void) { while (four) {} }
static void fine(void) { puts("fine"); }

#define CASE(name) if (!strcmp(argv[1], #name)) name()
int main(int argc, char **argv)
{
  if (argc < 2) return 2;
  CASE(out_of_bounds_read); CASE(out_of_bounds_write); CASE(out_of_bounds_global); CASE(out_of_bounds_library);
  CASE(use_after_free); CASE(use_after_return); CASE(double_free); CASE(invalid_free); CASE(free_of_stack);
  CASE(free_of_global); CASE(null_dereference); CASE(write_to_constant); CASE(leak); CASE(division_by_zero);
  CASE(division_overflow); CASE(oversized_shift); CASE(integer_overflow); CASE(index_out_of_bounds);
  CASE(nonpositive_length); CASE(float_cast_overflow); CASE(misaligned_pointer); CASE(assertion_failure);
  CASE(aborting); CASE(trap); CASE(unreachable); CASE(stack_exhaustion); CASE(bad_call); CASE(hang); CASE(fine);
  return 0;
}
