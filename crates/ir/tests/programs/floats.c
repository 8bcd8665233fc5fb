/* float, double, long double, _Float16, conversions, comparisons with NaN, rounding. */
#include <math.h>
#include <string.h>
#include <complex.h>
void emit(unsigned long);
static void d(double v) { unsigned long u; memcpy(&u, &v, 8); emit(u); }
static void f(float v) { unsigned u; memcpy(&u, &v, 4); emit(u); }
static void l(long double v) { unsigned long u[2] = {0, 0}; memcpy(u, &v, 10); emit(u[0]); emit(u[1]); }
volatile double ds[] = {0.0, -0.0, 1.5, -2.25, 1e300, 1e-310, 3.14159, 1e10, -7.5, 0.1};
volatile float fs[] = {0.5f, -3.25f, 1e30f, 7.0f, -0.0f};
static long double poly(long double x) { return ((x * 3 + 2) * x - 1) / (x + 7); }
int main(void) {
    for (int i = 0; i < 10; i++) for (int j = 0; j < 10; j++) {
        double a = ds[i], b = ds[j]; d(a + b); d(a - b); d(a * b); if (b != 0) d(a / b);
        emit(a < b); emit(a <= b); emit(a == b); emit(a != b); emit(a > b); emit(a >= b); emit(__builtin_isunordered(a, b));
        d(-a); d(fabs(a)); d(copysign(a, b)); d(fmin(a, b)); d(fmax(a, b)); l((long double)a * b + 1); d(poly(a));
    }
    for (int i = 0; i < 5; i++) { float a = fs[i]; f(a * 3 + 1); d(a); f((float)ds[i + 2]); if (a < 1e6f) emit((long)a % 1000); f(-a);
        _Float16 h = (_Float16)a; f((float)(h * h)); }
    double nan = __builtin_nan(""); volatile double vn = nan; emit(vn == vn); emit(vn != vn); emit(vn < 1); emit(!(vn < 1)); emit(isnan(vn)); emit(isinf(ds[4] * ds[4]));
    for (int i = 2; i < 10; i++) { double a = ds[i]; if (fabs(a) < 1e6) { emit((int)a); emit((long)a); emit((unsigned char)(int)a); } d(floor(a)); d(ceil(a)); d(trunc(a)); d(round(a)); d(rint(a)); }
    for (long i = -5; i < 5; i++) { d(i); f(i * 1000003); d((unsigned long)i); l(i); l((unsigned long)i); emit((unsigned long)(i + 5.75)); }
    emit(__builtin_isnormal(ds[2])); emit(__builtin_isfinite(ds[5])); emit(__builtin_signbit(ds[1])); d(sqrt(ds[2])); d(sqrt(2.0 + ds[0]));
    double complex z = ds[2] + ds[3] * I; d(creal(z + z)); d(cimag(z - 1)); f((float)(ds[6] * 2)); d((double)(float)ds[9]);
    long double acc = 0; for (int i = 1; i < 20; i++) acc += 1.0L / i; l(acc); emit((long)(acc * 1000)); emit(acc > 3.5L); emit(acc == acc);
    return 0;
}
