/* Loops, switches, computed gotos, nested breaks, phis that swap. */
void emit(unsigned long);
static int collatz(unsigned n) { int c = 0; while (n != 1) { n = n & 1 ? 3 * n + 1 : n / 2; c++; } return c; }
static unsigned gcd(unsigned a, unsigned b) { while (b) { unsigned t = a % b; a = b; b = t; } return a; }
static int dense(int k) { switch (k) { case 0: return 5; case 1: return 9; case 2: return -4; case 3: return 8; case 4: return 1; default: return 77; } }
static int sparse(long k) { switch (k) { case -5: return 1; case 1000000: return 2; case 0x123456789aL: return 3; case 7 ... 12: return 4; } return 0; }
static int fall(int k) { int r = 0; switch (k) { case 3: r += 3; case 2: r += 2; case 1: r += 1; break; default: r = -1; } return r; }
static unsigned long fib(int n) { unsigned long a = 0, b = 1; for (int i = 0; i < n; i++) { unsigned long t = a + b; a = b; b = t; } return a; }
static int machine(const unsigned char *p) {
    static void *const table[] = {&&add, &&sub, &&mul, &&end};
    int acc = 1;
    goto *table[*p];
add: acc += *++p; p++; goto *table[*p];
sub: acc -= *++p; p++; goto *table[*p];
mul: acc *= *++p; p++; goto *table[*p];
end: return acc;
}
static int ackermann(int m, int n) { return m == 0 ? n + 1 : n == 0 ? ackermann(m - 1, 1) : ackermann(m - 1, ackermann(m, n - 1)); }
static int is_even(unsigned n); static int is_odd(unsigned n) { return n ? is_even(n - 1) : 0; } static int is_even(unsigned n) { return n ? is_odd(n - 1) : 1; }
int main(void) {
    for (unsigned i = 1; i < 40; i++) emit(collatz(i));
    for (int i = 0; i < 30; i++) { emit(gcd(i * 12, 18 + i)); emit(dense(i - 2)); emit(sparse(i)); emit(fall(i % 5)); emit(fib(i)); }
    emit(sparse(-5)); emit(sparse(1000000)); emit(sparse(0x123456789aL));
    unsigned char prog[] = {0, 5, 2, 7, 1, 3, 2, 2, 3}; emit(machine(prog));
    emit(ackermann(2, 3)); emit(is_even(50)); emit(is_odd(31));
    int n = 0;
    for (int i = 0; i < 10; i++) { for (int j = 0; j < 10; j++) { if (j == i) continue; if (i * j > 30) break; n += i * j; do { n++; } while (n % 3); } if (n > 500) goto out; }
out: emit(n);
    int x = 1, y = 2, z = 3; for (int i = 0; i < 7; i++) { int t = x; x = y; y = z; z = t; emit(x * 100 + y * 10 + z); }
    return n & 63;
}
