/* The names of the Test-Comp and SV-COMP rules. A nondet function has no name
 * for its value, so inputs are matched by order and size alone. Everything is
 * weak: many task files bring their own definition of some of these. */
#include "replay.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/types.h>

#define WEAK __attribute__((weak))

#define NONDET(suffix, type) \
	type __VERIFIER_nondet_##suffix(void); \
	WEAK type __VERIFIER_nondet_##suffix(void) \
	{ \
		type value; \
		take_input(&value, sizeof value, 0); \
		return value; \
	}

NONDET(char, char)
NONDET(uchar, unsigned char)
NONDET(unsigned_char, unsigned char)
NONDET(schar, signed char)
NONDET(short, short)
NONDET(ushort, unsigned short)
NONDET(int, int)
NONDET(uint, unsigned)
NONDET(unsigned, unsigned)
NONDET(unsigned_int, unsigned)
NONDET(long, long)
NONDET(ulong, unsigned long)
NONDET(longlong, long long)
NONDET(ulonglong, unsigned long long)
NONDET(int8, int8_t)
NONDET(uint8, uint8_t)
NONDET(int16, int16_t)
NONDET(uint16, uint16_t)
NONDET(int32, int32_t)
NONDET(uint32, uint32_t)
NONDET(int64, int64_t)
NONDET(uint64, uint64_t)
NONDET(int128, __int128)
NONDET(uint128, unsigned __int128)
NONDET(u8, uint8_t)
NONDET(u16, uint16_t)
NONDET(u32, uint32_t)
NONDET(float, float)
NONDET(double, double)
NONDET(size_t, size_t)
NONDET(loff_t, int64_t)
NONDET(sector_t, unsigned long)
NONDET(pthread_t, unsigned long)
NONDET(pointer, void *)
NONDET(pchar, char *)
NONDET(charp, char *)
NONDET(const_char_pointer, const char *)

/* The engine keeps a byte for a truth value and looks at its lowest bit. */
_Bool __VERIFIER_nondet_bool(void);
_Bool __VERIFIER_nondet__Bool(void);
WEAK _Bool __VERIFIER_nondet_bool(void)
{
	unsigned char value;
	take_input(&value, sizeof value, 0);
	return value & 1;
}
WEAK _Bool __VERIFIER_nondet__Bool(void)
{
	return __VERIFIER_nondet_bool();
}

void __VERIFIER_nondet_memory(void *memory, size_t size);
WEAK void __VERIFIER_nondet_memory(void *memory, size_t size)
{
	take_input(memory, size, 0);
}

void __VERIFIER_assume(int condition);
WEAK void __VERIFIER_assume(int condition)
{
	if (!condition) replay_error("invalid __VERIFIER_assume");
}

static void fail(const char *name)
{
	fflush(stdout);
	fprintf(stderr, "%s was reached\n", name);
	abort();
}

void reach_error(void);
WEAK void reach_error(void)
{
	fail("reach_error");
}

void __VERIFIER_error(void);
WEAK void __VERIFIER_error(void)
{
	fail("__VERIFIER_error");
}

void __VERIFIER_assert(int condition);
WEAK void __VERIFIER_assert(int condition)
{
	if (!condition) fail("a failing __VERIFIER_assert");
}
