/* Multiplication and division of complex numbers, which clang calls by these
 * names and which otherwise live in the compiler's support library. A result
 * that came out as NaN + iNaN is recomputed when an operand was infinite, as
 * Annex G of the C standard asks. */
#define IS_NAN(x) __builtin_isnan(x)
#define IS_INF(x) __builtin_isinf(x)
#define IS_FINITE(x) __builtin_isfinite(x)

/* A complex value as its two parts, without the arithmetic that would call us. */
#define PARTS(type) union { type _Complex z; type part[2]; }

#define MULTIPLY(name, type, copysign) \
type _Complex name(type a, type b, type c, type d) \
{ \
	type ac = a * c, bd = b * d, ad = a * d, bc = b * c; \
	PARTS(type) r = { .part = { ac - bd, ad + bc } }; \
	if (!IS_NAN(r.part[0]) || !IS_NAN(r.part[1])) return r.z; \
	int recompute = 0; \
	if (IS_INF(a) || IS_INF(b)) { \
		a = copysign(IS_INF(a) ? 1 : 0, a); \
		b = copysign(IS_INF(b) ? 1 : 0, b); \
		if (IS_NAN(c)) c = copysign(0, c); \
		if (IS_NAN(d)) d = copysign(0, d); \
		recompute = 1; \
	} \
	if (IS_INF(c) || IS_INF(d)) { \
		c = copysign(IS_INF(c) ? 1 : 0, c); \
		d = copysign(IS_INF(d) ? 1 : 0, d); \
		if (IS_NAN(a)) a = copysign(0, a); \
		if (IS_NAN(b)) b = copysign(0, b); \
		recompute = 1; \
	} \
	if (!recompute && (IS_INF(ac) || IS_INF(bd) || IS_INF(ad) || IS_INF(bc))) { \
		if (IS_NAN(a)) a = copysign(0, a); \
		if (IS_NAN(b)) b = copysign(0, b); \
		if (IS_NAN(c)) c = copysign(0, c); \
		if (IS_NAN(d)) d = copysign(0, d); \
		recompute = 1; \
	} \
	if (recompute) { \
		type inf = __builtin_inff(); \
		r.part[0] = inf * (a * c - b * d); \
		r.part[1] = inf * (a * d + b * c); \
	} \
	return r.z; \
}

#define DIVIDE(name, type, copysign, fabs, fmax, logb, scalbn) \
type _Complex name(type a, type b, type c, type d) \
{ \
	int shift = 0; \
	type scale = logb(fmax(fabs(c), fabs(d))); \
	if (IS_FINITE(scale)) { \
		shift = (int)scale; \
		c = scalbn(c, -shift); \
		d = scalbn(d, -shift); \
	} \
	type norm = c * c + d * d; \
	PARTS(type) r = { .part = { \
		scalbn((a * c + b * d) / norm, -shift), \
		scalbn((b * c - a * d) / norm, -shift) } }; \
	if (!IS_NAN(r.part[0]) || !IS_NAN(r.part[1])) return r.z; \
	type inf = __builtin_inff(); \
	if (norm == 0 && (!IS_NAN(a) || !IS_NAN(b))) { \
		r.part[0] = copysign(inf, c) * a; \
		r.part[1] = copysign(inf, c) * b; \
	} else if ((IS_INF(a) || IS_INF(b)) && IS_FINITE(c) && IS_FINITE(d)) { \
		a = copysign(IS_INF(a) ? 1 : 0, a); \
		b = copysign(IS_INF(b) ? 1 : 0, b); \
		r.part[0] = inf * (a * c + b * d); \
		r.part[1] = inf * (b * c - a * d); \
	} else if (IS_INF(scale) && scale > 0 && IS_FINITE(a) && IS_FINITE(b)) { \
		c = copysign(IS_INF(c) ? 1 : 0, c); \
		d = copysign(IS_INF(d) ? 1 : 0, d); \
		r.part[0] = 0 * (a * c + b * d); \
		r.part[1] = 0 * (b * c - a * d); \
	} \
	return r.z; \
}

#include <math.h>

MULTIPLY(__mulsc3, float, copysignf)
MULTIPLY(__muldc3, double, copysign)
MULTIPLY(__mulxc3, long double, copysignl)
DIVIDE(__divsc3, float, copysignf, fabsf, fmaxf, logbf, scalbnf)
DIVIDE(__divdc3, double, copysign, fabs, fmax, logb, scalbn)
DIVIDE(__divxc3, long double, copysignl, fabsl, fmaxl, logbl, scalbnl)
