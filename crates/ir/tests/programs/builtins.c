/* Builtins that become intrinsics. */
#include <stdint.h>
#include <string.h>
#include <stddef.h>
void emit(unsigned long);
volatile uint64_t s[] = {1, 2, 0x80, 0xff00ff00, 0x123456789abcdef0, 0xffffffffffffffff, 77};
static uint32_t rotl(uint32_t x, int r) { return x << r | x >> (32 - r); } static uint64_t rotr(uint64_t x, int r) { return x >> r | x << (64 - r); }
static int sat(int a, int b) { int r; return __builtin_add_overflow(a, b, &r) ? (a < 0 ? -2147483647 - 1 : 2147483647) : r; }
static unsigned char usat(unsigned char a, unsigned char b) { unsigned t = a + b; return t > 255 ? 255 : t; }
int main(void) {
    for (int i = 0; i < 7; i++) for (int j = 0; j < 7; j++) { uint64_t a = s[i], b = s[j];
        emit(__builtin_popcountll(a)); emit(__builtin_clzll(a)); emit(__builtin_ctzll(a)); emit(__builtin_clz((unsigned)a | 1)); emit(__builtin_ctz((unsigned)a | 16)); emit(__builtin_ffsll(a)); emit(__builtin_parityll(a));
        emit(__builtin_bswap16(a)); emit(__builtin_bswap32(a)); emit(__builtin_bswap64(a)); emit(__builtin_bitreverse8(a)); emit(__builtin_bitreverse64(a)); emit(__builtin_bitreverse32(a));
        emit(rotl(a, 1 + (b & 15))); emit(rotr(a, 1 + (b & 31))); emit(__builtin_rotateleft8(a, b)); emit(a < b ? a : b); emit((int)a > (int)b ? (int)a : (int)b); emit((int64_t)a < 0 ? -a : a);
        int r; emit(__builtin_sadd_overflow((int)a, (int)b, &r)); emit((unsigned)r); emit(__builtin_smul_overflow((int)a, (int)b, &r)); emit((unsigned)r); emit(__builtin_ssub_overflow((int)a, (int)b, &r)); unsigned u; emit(__builtin_usub_overflow((unsigned)a, (unsigned)b, &u)); emit(u); emit(__builtin_umul_overflow((unsigned)a, (unsigned)b, &u)); emit(u);
        short h; emit(__builtin_mul_overflow((short)a, (short)b, &h)); emit((unsigned short)h); emit(__builtin_add_overflow((int)a, (unsigned)b, &h)); emit((unsigned)sat(a, b)); emit(usat(a, b));
        emit(__builtin_expect(a > b, 1)); emit(__builtin_constant_p(a)); emit(__builtin_choose_expr(1, 5, 6)); emit(((int)a > (int)b) - ((int)a < (int)b)); emit((a > b) - (a < b)); }
    char buf[16] = "abc"; emit(__builtin_object_size(buf, 0)); emit(strlen(buf)); emit(__builtin_strlen("hello")); emit(offsetof(struct { char c; long l; }, l)); emit(__builtin_memcmp("ab", "ab", 2)); char *al = __builtin_assume_aligned(buf, 1); emit(al[1]); __builtin_prefetch(buf); if (s[0] == 5) __builtin_trap(); if (s[0] == 6) __builtin_unreachable();
    asm volatile("" ::: "memory"); int v = s[6]; asm("" : "+r"(v)); emit(v); int w = 3, x = 4; asm("# swap nothing" : "+r"(w), "+r"(x)); emit(w * 10 + x);
    return 0;
}
