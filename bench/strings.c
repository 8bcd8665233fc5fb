/* Concrete speed: string handling. Builds a text, splits it into words, counts
 * them in a hash table with allocated entries, formats numbers, reverses and
 * compares. Reads no input, prints a checksum, and aborts if it is wrong: an
 * engine that computes something else is reported, not measured. */
#include <ctype.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef ROUNDS
#define ROUNDS 300
#define EXPECTED 0xf8c44e3451e48c73u
#endif

#define TEXT 60000
#define BUCKETS 1024

struct entry {
	struct entry *next;
	char *word;
	unsigned count;
};

static char text[TEXT + 1];
static struct entry *table[BUCKETS];

static void build(uint32_t seed)
{
	static const char letters[] = "etaoinshrdlu ETAO  \t";
	for (int i = 0; i < TEXT; i++) {
		seed = seed * 1103515245u + 12345u;
		text[i] = letters[(seed >> 16) % (sizeof letters - 1)];
	}
	text[TEXT] = 0;
}

static uint32_t hash(const char *word)
{
	uint32_t h = 2166136261u;
	while (*word) h = (h ^ (unsigned char)*word++) * 16777619u;
	return h;
}

static struct entry *find(const char *word)
{
	struct entry **place = &table[hash(word) % BUCKETS];
	for (; *place; place = &(*place)->next)
		if (!strcmp((*place)->word, word)) return *place;
	struct entry *entry = malloc(sizeof *entry);
	size_t size = strlen(word) + 1;
	if (!entry || !(entry->word = malloc(size))) abort();
	memcpy(entry->word, word, size);
	entry->next = 0;
	entry->count = 0;
	return *place = entry;
}

static void reverse(char *word)
{
	for (size_t i = 0, j = strlen(word); i + 1 < j; i++) {
		char c = word[i];
		word[i] = word[--j];
		word[j] = c;
	}
}

static char *decimal(unsigned n, char *end)
{
	*end = 0;
	do *--end = (char)('0' + n % 10); while (n /= 10);
	return end;
}

static uint64_t round_of(uint32_t seed)
{
	uint64_t sum = 0;
	char word[64], digits[16];
	build(seed);
	for (const char *p = text; *p;) {
		size_t n = 0;
		while (isspace((unsigned char)*p)) p++;
		while (*p && !isspace((unsigned char)*p) && n + 1 < sizeof word)
			word[n++] = (char)tolower((unsigned char)*p++);
		word[n] = 0;
		if (!n) continue;
		if (n & 1) reverse(word);
		find(word)->count++;
	}
	for (int i = 0; i < BUCKETS; i++) {
		while (table[i]) {
			struct entry *entry = table[i];
			table[i] = entry->next;
			const char *number = decimal(entry->count, digits + sizeof digits - 1);
			sum = sum * 33 + hash(entry->word) + hash(number);
			free(entry->word);
			free(entry);
		}
	}
	return sum;
}

int main(void)
{
	uint64_t sum = 0;
	for (uint32_t i = 0; i < ROUNDS; i++) sum = sum * 7 + round_of(i);
	printf("strings %016llx\n", (unsigned long long)sum);
	if (sum != EXPECTED) abort();
	return 0;
}
