/* Concrete speed: an integer mixing loop, nothing but arithmetic in registers.
 * Reads no input, prints a checksum, and aborts if it is wrong: an engine that
 * computes something else is reported, not measured. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#ifndef ROUNDS
#define ROUNDS 80000000u
#define EXPECTED 0x71b924130f47ceeeu
#endif

static uint64_t mix(uint64_t x)
{
	x ^= x >> 33;
	x *= 0xff51afd7ed558ccdu;
	x ^= x >> 29;
	x *= 0xc4ceb9fe1a85ec53u;
	x ^= x >> 32;
	return x;
}

int main(void)
{
	uint64_t sum = 1;
	for (uint32_t i = 0; i < ROUNDS; i++) {
		sum = mix(sum + i);
		if (sum & 1) sum += 0x9e3779b97f4a7c15u;
	}
	printf("mix %016llx\n", (unsigned long long)sum);
	if (sum != EXPECTED) abort();
	return 0;
}
