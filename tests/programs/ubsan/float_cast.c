// A double that does not fit an int.
// flags: --ubsan
// expect: exit-codes 0 1
#include <klee/klee.h>

int main(void) {
  short whole;
  unsigned char scale;
  klee_make_symbolic(&whole, sizeof whole, "whole");
  klee_make_symbolic(&scale, sizeof scale, "scale");
  volatile double big = scale == 200 ? 1e10 : 1.0;
  volatile int r = (int)(big * 2.0); //~ float-cast-overflow main
  if (whole == 3 && r == 2)
    return 1;
  return 0;
}
