/* Varargs, function pointers, structs by value, callbacks, K&R calls, tail calls. */
#include <stdarg.h>
void emit(unsigned long);
struct small { int a, b; }; struct mixed { double d; long l; }; struct big { long v[6]; char tag; }; struct floats { float x, y, z; };
static struct small mk(int a, int b) { struct small s = {a, b}; return s; }
static struct big grow(struct big b, int k) { for (int i = 0; i < 6; i++) b.v[i] += k; b.tag++; return b; }
static struct mixed mix(struct mixed m, struct small s) { m.d += s.a; m.l -= s.b; return m; }
static struct floats scale(struct floats f, float k) { f.x *= k; f.y *= k; f.z *= k; return f; }
static long total(int n, ...) { va_list ap, copy; va_start(ap, n); va_copy(copy, ap); long t = 0; for (int i = 0; i < n; i++) t += va_arg(ap, long); t *= va_arg(copy, long); va_end(ap); va_end(copy); return t; }
static double mixed_args(const char *f, ...) {
    va_list ap; va_start(ap, f); double t = 0;
    for (; *f; f++) switch (*f) {
        case 'i': t += va_arg(ap, int); break; case 'd': t += va_arg(ap, double); break;
        case 'l': t += (double)va_arg(ap, long double); break; case 'p': t += *va_arg(ap, int *); break;
        case 'b': { struct big b = va_arg(ap, struct big); t += b.v[5] + b.tag; break; }
        case 's': { struct small s = va_arg(ap, struct small); t += s.a * s.b; break; } }
    va_end(ap); return t;
}
static int twice(int (*f)(int), int x) { return f(f(x)); }
static int inc(int x) { return x + 1; } static int sq(int x) { return x * x; }
static int (*const table[])(int) = {inc, sq, inc};
typedef int (*fn)(int); static fn choose(int k) { return k ? sq : inc; }
static int knr(a, b) int a; char b; { return a - b; }
static int many(int a, int b, int c, int d, int e, int f, int g, int h, long i, char j) { return a + 2*b + 3*c + 4*d + 5*e + 6*f + 7*g + 8*h + 9*i + 10*j; }
static int apply(int n, int (*f)(int, void *), void *ctx) { int r = 0; for (int i = 0; i < n; i++) r += f(i, ctx); return r; }
static int add_ctx(int i, void *c) { return i + *(int *)c; }
int main(void) {
    struct small s = mk(3, 4); emit(s.a * 10 + s.b);
    struct big b = {{1, 2, 3, 4, 5, 6}, 7}; struct big c = grow(b, 10); emit(c.v[5] + c.tag); emit(b.v[5] + b.tag);
    struct mixed m = mix((struct mixed){1.5, 100}, s); emit(m.d * 2); emit(m.l);
    struct floats f = scale((struct floats){1, 2, 3}, 2.5f); emit(f.x + f.y + f.z);
    emit(total(4, 10L, 20L, 30L, 40L)); int five = 5;
    emit(mixed_args("idlpbs", 3, 2.5, 4.0L, &five, b, s) * 4);
    emit(mixed_args("iiiiiiiiidddddddddd", 1,2,3,4,5,6,7,8,9, 1.,2.,3.,4.,5.,6.,7.,8.,9.,10.));
    emit(twice(inc, 5)); emit(twice(sq, 3)); for (int i = 0; i < 3; i++) emit(table[i](i + 5)); emit(choose(0)(9) + choose(1)(9));
    emit(knr(50, 8)); emit(many(1, 2, 3, 4, 5, 6, 7, 8, 9, 10)); int base = 100; emit(apply(5, add_ctx, &base));
    return 3;
}
