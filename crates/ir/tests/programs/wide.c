/* Integers of more than 64 bits and of odd widths. */
void emit(unsigned long);
typedef unsigned __int128 u128; typedef __int128 i128; typedef unsigned _BitInt(37) u37; typedef _BitInt(100) b100; typedef unsigned _BitInt(128) ub128;
static void e(u128 v) { emit(v); emit(v >> 64); }
volatile unsigned long seeds[] = {0, 1, 0xffffffffffffffff, 0x123456789abcdef0, 7, 1000003};
static u128 mulmod(u128 a, u128 b, u128 m) { u128 r = 0; while (b) { if (b & 1) r = (r + a) % m; a = (a << 1) % m; b >>= 1; } return r; }
int main(void) {
    for (int i = 0; i < 6; i++) for (int j = 0; j < 6; j++) {
        u128 a = (u128)seeds[i] << 40 | seeds[j], b = (u128)seeds[j] << 3 | 5; i128 s = (i128)a * -1, t = (i128)b;
        e(a + b); e(a - b); e(a * b); e(a / b); e(a % b); e(s / t); e(s % t); e(a << (j * 20)); e(a >> (j * 20)); e(s >> 17); e(~a); e(a & b); e(a ^ b); e(a | b);
        emit(a < b); emit(s < t); emit(a == b); emit(s <= t); emit((double)a > (double)b); e((u128)(long)seeds[i]);
        u37 x = seeds[i], y = seeds[j] | 1; emit(x + y); emit((u37)(x * y)); emit((u37)(x / y)); emit((u37)(x << 5)); emit(x > y);
        b100 p = seeds[i], q = (b100)seeds[j] + 3; p = p * 5 - q; emit((unsigned long)p); emit((unsigned long)(p >> 50)); emit(p < q); if (q) emit((unsigned long)(p / q));
        unsigned _BitInt(13) k = seeds[i]; k += 5; emit(k); struct { u128 v; u37 w; } st = {a, x}; volatile u128 mem = st.v; e(mem + st.w);
        unsigned long lo; emit(__builtin_mul_overflow(seeds[i], seeds[j], &lo)); emit(lo); long sl; emit(__builtin_add_overflow((long)seeds[i], (long)seeds[j], &sl)); emit(sl);
    }
    e(mulmod(seeds[3], seeds[5], 1000000007)); emit((unsigned long)(u128)1e20);
    return 1;
}
