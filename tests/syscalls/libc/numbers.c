// Numbers to text and back: every conversion of printf, scanf and the strto functions that tends to go wrong.
#include "../show.h"
#include <float.h>
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>

static void parse(const char *text)
{
	char *end;
	double d = strtod(text, &end);
	printf("%s: %a %.17g %La, rest '%s'\n", text, d, d, strtold(text, 0), end);
}

int main(void)
{
	const char *reals[] = { "0", "-0", "1", "0.1", "1e308", "1e309", "4.9406564584124654e-324", "1e-400", "0x1.8p3",
		"0x.8p-2", "inf", "-infinity", "nan", "nan(123)", "1.7976931348623157e308", "3.4028234663852886e38", "12abc",
		".5", "5.", "e5", "+1e+5x", "0x", "0x1p", "123456789012345678901234567890", "2.2250738585072011e-308" };
	double values[] = { 0.0, -0.0, 1.0, -1.5, 0.1, 1e10, 1e-10, 123456.789, 1e100, 5e-324, DBL_MAX, INFINITY, -NAN };
	const char *integers[] = { "0", "42", "-42", "  +7", "0x1F", "077", "0b1", "99999999999999999999", "-99999999999999999999",
		"9223372036854775807", "-9223372036854775808", "18446744073709551615", "zz", "", "-", "0x", "10110" };
	char *end;

	for (size_t i = 0; i < sizeof reals / sizeof *reals; i++) parse(reals[i]);
	for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
		double v = values[i];
		printf("[%f] [%.0f] [%10.3f] [%-10.2e] [%+g] [%#g] [%G] [%a] [%.3a] [% e]\n", v, v, v, v, v, v, v, v, v, v);
		printf("[%Lf] [%.10Lg] [%La]\n", (long double)v, (long double)v / 3, (long double)v);
	}
	for (size_t i = 0; i < sizeof integers / sizeof *integers; i++) {
		const char *t = integers[i];
		errno = 0;
		printf("'%s':", t);
		printf(" %ld", strtol(t, &end, 10));
		printf(" %ld", strtol(t, &end, 0));
		printf(" %lu", strtoul(t, &end, 16));
		printf(" %lld", strtoll(t, &end, 36));
		printf(" %jd %d '%s'\n", strtoimax(t, 0, 2), errno, end);
		printf("%d %ld\n", atoi(t), atol(t));
	}
	errno = 0;
	printf("%ld %d\n", strtol("1", 0, 1), errno);
	printf("[%d] [%5d] [%-5d] [%05d] [%+d] [% d] [%x] [%#X] [%o] [%#o] [%u] [%c] [%s] [%.2s] [%%] [%5s]\n", 42, 42, 42, 42,
		42, 42, 255, 255, 8, 8, -1, 'c', "string", "string", "ab");
	printf("[%hhd] [%hd] [%ld] [%lld] [%jd] [%zd] [%td] [%*d] [%-*d] [%.*f]\n", 300, 70000, LONG_MIN, LLONG_MAX, INTMAX_MIN,
		(size_t)3, (ptrdiff_t)-3, 6, 1, 6, 2, 3, M_PI);
	printf("[%2$s %1$d]\n", 1, "two");
	printf("[%p] [%.0d] [%.5d] [%-8.3d] [%'d]\n", (void *)0, 0, 42, 7, 1000000);
	int n, a, b;
	char word[16], set[16];
	float f;
	double d;
	long double ld;
	printf("abc%n", &n);
	printf(" %d\n", n);
	printf("%d", sscanf("12 0x1a word 3.5 1e3 0x1p4", "%d %i %15s %f %lf %Lf%n", &a, &b, word, &f, &d, &ld, &n));
	printf(" %d %d %s %g %g %Lg %d\n", a, b, word, f, d, ld, n);
	printf("%d", sscanf("abc123:xyz", "%15[a-c]%3d:%*c%15[^w]", word, &a, set));
	printf(" %s %d %s\n", word, a, set);
	printf("%d %d\n", sscanf("", "%d", &a), sscanf("x", "%d", &a));
	printf("%d %hx\n", sscanf("%5", "%%%hx", (unsigned short *)&a), (unsigned short)a);
	printf("%.3f %.3f %.3f %.3f\n", pow(2, 0.5), fmod(-7.5, 2), sin(1), exp(1));
	printf("%.6f %.6f %.6f %.6f %.6f\n", log(10), log2(8), cbrt(27), hypot(3, 4), atan2(1, -1));
	printf("%.6f %.6f %.6f %.6f\n", tgamma(5), erf(0.5), remainder(7, 2), fma(2, 3, 4));
	printf("%d %.3f %ld %ld %.1f %.1f %.1f\n", ilogb(1000), frexp(1000, &n), lround(2.5), lrint(2.5), floor(-1.5), trunc(-1.5),
		nearbyint(0.5));
	printf("%.4f %.4Lf %.10Lf %.6Lf %a\n", nextafter(1, 2), powl(2, 10), expl(1), sqrtl(2), ldexp(1, -1070));
	printf("%d %d %d %d\n", isnan(NAN) != 0, isinf(INFINITY) != 0, signbit(-0.0) != 0, fpclassify(1e-310) == FP_SUBNORMAL);
	printf("%.3f %.3f %.4f\n", j0(1), sinh(1), asin(0.5));
	div_t q = div(-7, 2);
	lldiv_t lq = lldiv(7, -2);
	printf("%d %d %lld %lld %d\n", q.quot, q.rem, lq.quot, lq.rem, abs(-5));
	printf("%s %s\n", ecvt(123.456, 4, &a, &b), fcvt(0.00123, 5, &a, &b));
	return 0;
}
