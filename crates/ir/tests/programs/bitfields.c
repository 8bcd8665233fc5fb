/* Bit-fields, packed and wide, signed and unsigned. */
void emit(unsigned long);
struct b { unsigned a : 3; int b : 5; unsigned long c : 40; _Bool d : 1; signed e : 7; }; struct __attribute__((packed)) pk { unsigned a : 3; unsigned long b : 61; unsigned c : 13; }; struct wide { unsigned __int128 v : 100; unsigned w : 20; }; struct z { int a : 4; int : 0; int b : 4; };
volatile int k = 3;
int main(void) {
    struct b x = {0}; for (int i = 0; i < 20; i++) { x.a += k; x.b -= k; x.c = x.c * 31 + i; x.d ^= 1; x.e = x.e * 3 + i; emit(x.a); emit((unsigned)x.b); emit(x.c); emit(x.d); emit((unsigned)x.e); }
    struct pk p = {1, 2, 3}; p.b = p.b << 40 | 12345; p.c -= 10; p.a++; emit(p.a); emit(p.b); emit(p.c); emit(sizeof p); struct wide w = {0}; w.v = ((unsigned __int128)1 << 99) + k; w.w = 0xfffff; w.w += k; emit(w.v >> 64); emit(w.v); emit(w.w);
    struct z z = {7, -8}; z.a++; emit((unsigned)z.a); emit((unsigned)z.b); emit(sizeof z); struct b c = x; c.c |= 1; emit(c.c); emit(x.a == c.a);
    return 0;
}
