/* Initial values, relocations, constructors, thread-locals, weak symbols, aliases, string tables. */
#include <stddef.h>
void emit(unsigned long);
static int order; __attribute__((constructor(200))) static void second(void) { order = order * 10 + 2; } __attribute__((constructor(101))) static void first(void) { order = order * 10 + 1; } __attribute__((constructor)) static void third(void) { order = order * 10 + 3; }
int arr[5] = {1, 2, 3}; int *mid = &arr[2]; char *str = "text" + 1; const char *names[] = {"zero", "one", "two", 0}; struct s { int k; const char *n; struct s *next; double d; }; struct s b, a = {1, "a", &b, 1.5}; struct s b = {2, "b", &a, -2.5};
static int f1(void) { return 11; } static int f2(void) { return 22; } int (*fns[])(void) = {f1, f2}; _Thread_local int tls = 7; static _Thread_local char tbuf[4] = "xyz"; int common; long big[3000] = {[2999] = 5}; 
extern int aliased __attribute__((alias("arr"))); int real(void) { return 99; } int other(void) __attribute__((alias("real"))); __attribute__((weak)) int weak(void) { return 5; } extern int missing(void) __attribute__((weak)); extern int missing_var __attribute__((weak));
_Bool flags[3] = {1, 0, 1}; long double ld = 3.25L; __int128 wide = (__int128)5 << 70; float fl = 0.1f; unsigned char u8 = 200; short neg = -3; union { int i; char c[4]; } un = {.c = {1, 2, 3, 4}}; struct { unsigned a : 3, b : 7, c : 20; } bits = {5, 100, 12345}; ptrdiff_t diff = sizeof arr; wchar_t wide_text[] = L"hi"; struct { char c; int v[2]; } nested[2] = {{'a', {1, 2}}, {'b', {3}}};
static int *ptrs[] = {&arr[0], &arr[4], &common, NULL}; size_t addr_diff = (size_t)0 + 16; static void *const selfref = (void *)&selfref;
static int (*resolve(void))(void) { return f2; } int dispatched(void) __attribute__((ifunc("resolve")));
int main(void) {
    emit(order); emit(*mid); emit(mid[-1]); for (char *p = str; *p; p++) emit(*p); for (const char **n = names; *n; n++) emit((*n)[0]); emit(a.next->k); emit(a.next->next->n[0]); emit((long)(b.d * 2)); emit(fns[0]() + fns[1]());
    tls += 1; emit(tls); emit(tbuf[1]); emit(common); common = 3; emit(*ptrs[2]); emit(big[2999] + big[0]); emit(aliased); (&aliased)[1] = 50; emit(arr[1]); emit(other()); emit(weak()); emit(missing == 0); emit(&missing_var == 0);
    emit(flags[0] + flags[1] + flags[2]); emit(ld * 4); emit(wide >> 68); emit(fl * 1000); emit(u8); emit((unsigned short)neg); emit(un.i); emit(bits.a + bits.b + bits.c); emit(diff); emit(wide_text[1]); emit(nested[1].v[0] + nested[1].c); emit(*ptrs[1]); emit(ptrs[3] == 0); emit(selfref == (void *)&selfref); emit(dispatched()); int (*dp)(void) = dispatched; emit(dp());
    return 0;
}
