/* Vector types and loops the vectoriser takes. */
#include <string.h>
void emit(unsigned long);
typedef int v4 __attribute__((vector_size(16))); typedef unsigned char v16 __attribute__((vector_size(16))); typedef float f4 __attribute__((vector_size(16)));
typedef double d2 __attribute__((vector_size(16))); typedef long l2 __attribute__((vector_size(16))); typedef short s8 __attribute__((vector_size(16)));
static void ev(v4 v) { for (int i = 0; i < 4; i++) emit((unsigned)v[i]); }
int a[100], b[100], c[100]; unsigned char bytes[257], out[257]; float x[64], y[64]; double z[33]; short sh[64]; long lg[50];
static int dot(const int *p, const int *q, int n) { int s = 0; for (int i = 0; i < n; i++) s += p[i] * q[i]; return s; }
static unsigned sum8(const unsigned char *p, int n) { unsigned s = 0; for (int i = 0; i < n; i++) s += p[i]; return s; }
static int maxi(const int *p, int n) { int m = p[0]; for (int i = 1; i < n; i++) m = p[i] > m ? p[i] : m; return m; }
static int any(const int *p, int n, int k) { int r = 0; for (int i = 0; i < n; i++) r |= p[i] == k; return r; }
static void cond(int n) { for (int i = 0; i < n; i++) if (a[i] & 1) c[i] = a[i] - b[i]; else c[i] = b[i] * 2; }
static void masked(int n) { for (int i = 0; i < n; i++) if (a[i] > 10) c[i] = a[i]; }
static float fsum(const float *p, int n) { float s = 0; for (int i = 0; i < n; i++) s += p[i]; return s; }
int main(void) {
    v4 p = {1, -2, 3, 4}, q = {10, 20, 30, 0}; ev(p + q); ev(p * q); ev(q - p); ev(p < q); ev(p ^ q); ev(p << 2); ev(-p >> 1); ev(p == (v4){1, 2, 3, 4});
    ev(__builtin_shufflevector(p, q, 0, 4, 1, 5)); ev(__builtin_shufflevector(p, p, 3, 2, 1, 0)); ev(((p < q) & p) | (~(p < q) & q)); p[2] = 99; ev(p);
    volatile int k = 1; ev((v4){p[k], q[k + 1], p[k + 2], q[k - 1]}); p[k] = 7; q[k + 1] = p[k]; ev(p + q);
    f4 f = {1.5f, 2, -3, 0.25f}; f = f * f + 1; for (int i = 0; i < 4; i++) emit((long)(f[i] * 100)); d2 d = {2.5, -1}; d /= (d2){2, 4}; emit((long)(d[0] * 1000)); emit((long)(d[1] * 1000));
    v16 u; for (int i = 0; i < 16; i++) u[i] = i * 17; u = u + u; v16 w = u > 100; unsigned t = 0; for (int i = 0; i < 16; i++) t = t * 3 + w[i] + u[i]; emit(t);
    l2 cast = (l2)p; emit(cast[0]); emit(cast[1]); s8 hs = (s8)p; emit((unsigned short)hs[3]); emit(__builtin_reduce_add(p)); emit(__builtin_reduce_max(p)); emit(__builtin_reduce_xor(q));
    ev(__builtin_convertvector(__builtin_convertvector(p, f4), v4)); ev(__builtin_elementwise_abs(p - 50)); ev(__builtin_elementwise_max(p, q));
    for (int i = 0; i < 100; i++) { a[i] = i * 7 % 31; b[i] = 50 - i; } for (int i = 0; i < 257; i++) bytes[i] = i * 3; for (int i = 0; i < 64; i++) { x[i] = i; sh[i] = i * 1000; } for (int i = 0; i < 50; i++) lg[i] = i * 0x100000001L;
    emit(dot(a, b, 100)); emit(dot(a, b, 37)); emit(sum8(bytes, 257)); emit(maxi(a, 99)); emit(any(a, 100, 30)); emit(any(a, 100, 31)); cond(97); masked(90);
    for (int i = 0; i < 100; i++) emit((unsigned)c[i]);
    for (int i = 0; i < 64; i++) y[i] = x[i] * 2 + 1; emit((long)fsum(y, 64)); for (int i = 0; i < 33; i++) z[i] = x[i] * 0.5; double zs = 0; for (int i = 0; i < 33; i++) zs += z[i]; emit((long)zs);
    for (int i = 0; i < 257; i++) out[i] = bytes[256 - i] ^ 0x55; for (int i = 0; i < 257; i += 16) emit(out[i]); long ls = 0; for (int i = 0; i < 50; i++) ls += lg[i] >> 3; emit(ls);
    int ss = 0; for (int i = 0; i < 64; i++) ss += sh[i] * sh[63 - i]; emit(ss); unsigned pc = 0; for (int i = 0; i < 100; i++) pc += __builtin_popcount(a[i]); emit(pc);
    for (int i = 0; i < 50; i++) lg[i] = (unsigned)a[i] * (unsigned long)b[i]; for (int i = 0; i < 50; i += 7) emit(lg[i]); for (int i = 0; i < 100; i++) a[i] = a[i] > b[i]; emit(dot(a, a, 100));
    return memcmp(a, b, sizeof a) != 0;
}
