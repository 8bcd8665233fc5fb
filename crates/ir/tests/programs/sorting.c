/* Algorithms: sorting, hashing, string search, a heap, matrix multiplication, sieve. */
#include <string.h>
#include <stdlib.h>
void emit(unsigned long);
static unsigned long rng = 88172645463325252ul; static unsigned next(void) { rng ^= rng << 13; rng ^= rng >> 7; rng ^= rng << 17; return rng; }
static void quick(int *a, int lo, int hi) { if (lo >= hi) return; int p = a[(lo + hi) / 2], i = lo - 1, j = hi + 1; for (;;) { do i++; while (a[i] < p); do j--; while (a[j] > p); if (i >= j) break; int t = a[i]; a[i] = a[j]; a[j] = t; } quick(a, lo, j); quick(a, j + 1, hi); }
static void merge(int *a, int n, int *tmp) { if (n < 2) return; int m = n / 2; merge(a, m, tmp); merge(a + m, n - m, tmp); int i = 0, j = m, k = 0; while (i < m && j < n) tmp[k++] = a[i] <= a[j] ? a[i++] : a[j++]; while (i < m) tmp[k++] = a[i++]; while (j < n) tmp[k++] = a[j++]; memcpy(a, tmp, n * sizeof *a); }
static void generic(void *base, size_t n, size_t w, int (*cmp)(const void *, const void *)) { char *b = base, *t = malloc(w); for (size_t i = 1; i < n; i++) { memcpy(t, b + i * w, w); size_t j = i; while (j && cmp(b + (j - 1) * w, t) > 0) { memcpy(b + j * w, b + (j - 1) * w, w); j--; } memcpy(b + j * w, t, w); } free(t); }
static int by_len(const void *a, const void *b) { return (int)strlen(*(char **)a) - (int)strlen(*(char **)b); }
static unsigned crc(const unsigned char *p, int n) { unsigned c = ~0u; while (n--) { c ^= *p++; for (int k = 0; k < 8; k++) c = c & 1 ? c >> 1 ^ 0xedb88320u : c >> 1; } return ~c; }
static unsigned long fnv(const char *s) { unsigned long h = 14695981039346656037ul; while (*s) h = (h ^ (unsigned char)*s++) * 1099511628211ul; return h; }
int main(void) {
    int a[300], b[300], tmp[300]; for (int i = 0; i < 300; i++) a[i] = b[i] = (int)next() % 1000; quick(a, 0, 299); merge(b, 300, tmp); unsigned long h = 0; for (int i = 0; i < 300; i++) { h = h * 31 + a[i]; if (a[i] != b[i]) emit(i); } emit(h);
    char *w[] = {"pear", "fig", "banana", "kiwi", "apple", "x"}; generic(w, 6, sizeof *w, by_len); for (int i = 0; i < 6; i++) emit(fnv(w[i])); emit(crc((unsigned char *)"123456789", 9));
    char sieve[500]; memset(sieve, 1, sizeof sieve); int n = 0; for (int i = 2; i < 500; i++) if (sieve[i]) { n++; for (int j = i * i; j < 500; j += i) sieve[j] = 0; } emit(n); double m[8][8], r[8][8]; for (int i = 0; i < 8; i++) for (int j = 0; j < 8; j++) m[i][j] = i - j * 0.5; for (int i = 0; i < 8; i++) for (int j = 0; j < 8; j++) { r[i][j] = 0; for (int k = 0; k < 8; k++) r[i][j] += m[i][k] * m[k][j]; } double tr = 0; for (int i = 0; i < 8; i++) tr += r[i][i]; emit((long)(tr * 16));
    return n & 127;
}
