// Variable arguments of every class: int, long long, double, long double, pointers, structures small and large.
// expect: paths = 2
// expect: exit-codes 0 1
#include <assert.h>
#include <klee/klee.h>
#include <stdarg.h>

struct pair {
  int a, b;
};
struct mixed {
  double d;
  int i;
};
struct large {
  long values[5];
};

static long collect(const char *format, ...) {
  va_list list, copy;
  va_start(list, format);
  va_copy(copy, list);
  long sum = 0;
  for (const char *f = format; *f; f++) {
    switch (*f) {
    case 'i':
      sum += va_arg(list, int);
      break;
    case 'l':
      sum += va_arg(list, long long);
      break;
    case 'd':
      sum += (long)(va_arg(list, double) * 2);
      break;
    case 'L':
      sum += (long)(va_arg(list, long double) * 4);
      break;
    case 'p':
      sum += va_arg(list, struct pair).b;
      break;
    case 'm':
      sum += va_arg(list, struct mixed).i;
      break;
    case 'g':
      sum += va_arg(list, struct large).values[4];
      break;
    case 's':
      sum += *va_arg(list, char *);
      break;
    }
  }
  va_end(list);
  sum += va_arg(copy, int);
  va_end(copy);
  return sum;
}

int main(void) {
  int x;
  klee_make_symbolic(&x, sizeof x, "x");
  struct pair p = {1, 20};
  struct mixed m = {0.5, 300};
  struct large g = {{0, 0, 0, 0, 4000}};
  long concrete = collect("ildLpmgsiiiiid", 1, 2LL, 1.5, 0.75L, p, m, g, "A", 1, 2, 3, 4, 5, 8.0);
  assert(concrete == 1 + 2 + 3 + 3 + 20 + 300 + 4000 + 'A' + 15 + 16 + 1);
  if (collect("iii", x, 7, 8) == 115)
    return 1;
  return 0;
}
