/* Pointers, arrays, negative indices, alloca, pointers copied byte by byte, flexible members. */
#include <stdlib.h>
#include <string.h>
#include <stdint.h>
void emit(unsigned long);
struct node { struct node *next; int v; };
struct flex { int n; short data[]; };
struct __attribute__((packed)) packed { char a; int b; short c; long d; };
static int sum(const int *p, int n) { int s = 0; while (n--) s += *p++; return s; }
static void reverse(char *s) { for (char *e = s + strlen(s) - 1; s < e; s++, e--) { char t = *s; *s = *e; *e = t; } }
static int matrix[4][5], cube[2][3][4];
static int vla(int n) { int a[n]; for (int i = 0; i < n; i++) a[i] = i * i; int s = 0; for (int i = n; i-- > 0;) s = s * 3 + a[i]; return s; }
int main(void) {
    int a[10]; for (int i = 0; i < 10; i++) a[i] = i * 3 - 7;
    emit(sum(a, 10)); int *mid = a + 5; emit(mid[-3]); emit(mid[2]); emit(&a[9] - &a[2]);
    for (int i = 0; i < 4; i++) for (int j = 0; j < 5; j++) matrix[i][j] = i * 10 + j;
    unsigned t = 0; for (int j = 0; j < 5; j++) for (int i = 0; i < 4; i++) t = t * 7 + matrix[i][j]; emit(t);
    for (int i = 0; i < 24; i++) ((int *)cube)[i] = i; emit(cube[1][2][3] + cube[0][1][2]);
    struct node *list = 0; for (int i = 0; i < 8; i++) { struct node *n = malloc(sizeof *n); n->next = list; n->v = i; list = n; }
    for (struct node *n = list; n; n = n->next) emit(n->v);
    char text[] = "hello, world"; reverse(text); for (char *p = text; *p; p++) emit(*p);
    struct flex *f = malloc(sizeof *f + 6 * sizeof(short)); f->n = 6; for (int i = 0; i < f->n; i++) f->data[i] = i * -5;
    for (int i = 0; i < f->n; i++) emit((unsigned short)f->data[i]);
    struct packed p = {1, 2, 3, 4}; p.d += p.b; emit(p.a + p.b + p.c + p.d); emit(sizeof p);
    int *q = &a[4], *r; unsigned char raw[sizeof q]; for (size_t i = 0; i < sizeof q; i++) raw[i] = ((unsigned char *)&q)[i];
    for (size_t i = 0; i < sizeof q; i++) ((unsigned char *)&r)[i] = raw[i]; emit(*r);
    uintptr_t u = (uintptr_t)a; u += 3 * sizeof(int); emit(*(int *)u); emit((uintptr_t)&a[3] == u);
    emit(vla(6)); emit(vla(11));
    char *d = __builtin_alloca(32); memset(d, 'x', 31); d[31] = 0; emit(strlen(d));
    memcpy(d + 4, "abcdef", 6); memmove(d + 6, d + 4, 8); for (int i = 0; i < 20; i++) emit(d[i]);
    union { float f; unsigned u; unsigned char b[4]; } w = {.f = 1.5f}; emit(w.u); w.b[3] ^= 0x80; emit(w.u);
    long *big = calloc(100, sizeof *big); big[99] = 5; big = realloc(big, 200 * sizeof *big); emit(big[99] + big[98]);
    int *end = a + 10; emit(end > a); emit(end - a); emit(a == &a[0]);
    return 0;
}
