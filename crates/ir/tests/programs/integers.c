/* Arithmetic, comparisons and conversions at every width C has. */
void emit(unsigned long);
#define OPS(T, a, b) do { T x = (a), y = (b); \
    emit((unsigned long)(T)(x + y)); emit((unsigned long)(T)(x - y)); emit((unsigned long)(T)(x * y)); \
    if (y) { emit((unsigned long)(T)(x / y)); emit((unsigned long)(T)(x % y)); } \
    emit((unsigned long)(T)(x & y)); emit((unsigned long)(T)(x | y)); emit((unsigned long)(T)(x ^ y)); \
    emit((unsigned long)(T)~x); emit((unsigned long)(T)-x); \
    emit(x < y); emit(x <= y); emit(x > y); emit(x >= y); emit(x == y); emit(x != y); \
    emit((unsigned long)(T)(x << (y & 7))); emit((unsigned long)(T)(x >> (y & 7))); } while (0)
volatile long seeds[] = {0, 1, -1, 7, -13, 100, 127, -128, 32767, -40000, 123456789, -2147483647, 0x123456789abcdefL};
int main(void) {
    for (unsigned i = 0; i < sizeof seeds / sizeof *seeds; i++)
        for (unsigned j = 0; j < sizeof seeds / sizeof *seeds; j++) {
            long a = seeds[i], b = seeds[j];
            OPS(unsigned char, a, b); OPS(unsigned short, a, b); OPS(unsigned, a, b); OPS(unsigned long, a, b);
            OPS(signed char, a % 11, b % 11); OPS(short, a % 101, b % 101); OPS(int, a % 10007, b % 10007);
            OPS(long, a % 1000000007, b % 1000000007);
            _Bool t = a; emit(t); emit(t + 1); emit((signed char)a); emit((unsigned long)(long)(short)a);
            emit((a > b) ? a : b); emit(!a); emit(a && b); emit(a || b);
        }
    return 42;
}
