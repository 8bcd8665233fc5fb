// Floating-point inputs are solved exactly, rounding included: which starting value makes this iteration land on 1.0
// after three rounds? And which number is so large that adding one changes nothing?
//
//     forkwise run examples/orbit.c
#include <forkwise.h>
#include <stdio.h>

int main(void) {
  float x;
  forkwise_symbolic(&x, sizeof x, "x");

  float y = x;
  for (int i = 0; i < 3; i++)
    y = y * 0.5f + 3.0f;
  if (y == 1.0f) {
    printf("%a lands on 1\n", x);
    return 1;
  }
  if (x > 0 && x < 1e10f && x + 1.0f == x) {
    puts("absorbs one");
    return 2;
  }
  return 0;
}
