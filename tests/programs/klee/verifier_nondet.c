// The functions of the software verification competitions.
// expect: exit-codes 0
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);
extern unsigned char __VERIFIER_nondet_uchar(void);
extern _Bool __VERIFIER_nondet_bool(void);
extern void __VERIFIER_assume(int);
extern void reach_error(void);

int main(void) {
  int n = __VERIFIER_nondet_int();
  __VERIFIER_assume(n > 0 && n < 5);
  int sum = 0;
  for (int i = 0; i < n; i++)
    sum += __VERIFIER_nondet_uchar();
  if (__VERIFIER_nondet_bool() && sum == 1000)
    reach_error(); //~ assertion-failure|abort|user-error main
  return 0;
}
