// One input of each of the competitions' types.
// expect: exit-codes 0 1 2 3 4 5
extern char __VERIFIER_nondet_char(void);
extern short __VERIFIER_nondet_short(void);
extern unsigned __VERIFIER_nondet_uint(void);
extern long __VERIFIER_nondet_long(void);
extern float __VERIFIER_nondet_float(void);
extern double __VERIFIER_nondet_double(void);

int main(void) {
  if (__VERIFIER_nondet_char() == 'V')
    return 1;
  if (__VERIFIER_nondet_short() == -300)
    return 2;
  if (__VERIFIER_nondet_uint() == 4000000000u)
    return 3;
  if (__VERIFIER_nondet_long() == -5000000000L)
    return 4;
  if (__VERIFIER_nondet_float() == 0.5f && __VERIFIER_nondet_double() == 0.25)
    return 5;
  return 0;
}
