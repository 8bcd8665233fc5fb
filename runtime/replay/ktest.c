/* The .ktest format, versions 1 to 3: big-endian 32-bit numbers, strings and
 * byte blocks with their length in front. Every length is checked against what
 * is left of the file before it is used. */
#include "replay.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NEWEST_VERSION 3

struct reader {
	const unsigned char *next;
	size_t left;
	int truncated;
};

static const unsigned char *take(struct reader *reader, size_t size)
{
	if (reader->truncated || size > reader->left) {
		reader->truncated = 1;
		return 0;
	}
	const unsigned char *bytes = reader->next;
	reader->next += size;
	reader->left -= size;
	return bytes;
}

static uint32_t number(struct reader *reader)
{
	const unsigned char *b = take(reader, 4);
	if (!b) return 0;
	return (uint32_t)b[0] << 24 | (uint32_t)b[1] << 16 | (uint32_t)b[2] << 8 | b[3];
}

static const char *string(struct reader *reader)
{
	uint32_t size = number(reader);
	const unsigned char *bytes = take(reader, size);
	if (!bytes) return 0;
	char *text = malloc((size_t)size + 1);
	if (!text) return 0;
	memcpy(text, bytes, size);
	text[size] = 0;
	return text;
}

static const char *parse(struct reader *reader, struct test *test)
{
	const unsigned char *magic = take(reader, 5);
	if (!magic || (memcmp(magic, "KTEST", 5) && memcmp(magic, "BOUT\n", 5)))
		return "it does not start with KTEST";
	uint32_t version = number(reader);
	if (reader->truncated) return "it is truncated";
	if (version < 1 || version > NEWEST_VERSION) return "its version is not supported";
	for (uint32_t arguments = number(reader); arguments && !reader->truncated; arguments--)
		take(reader, number(reader));
	if (version >= 2) take(reader, 8);
	uint32_t count = number(reader);
	/* An object takes at least its two lengths: a larger count is a lie that
	 * must not decide how much memory is allocated. */
	if (reader->truncated || count > reader->left / 8) return "it is truncated";
	test->objects = calloc((size_t)count + 1, sizeof *test->objects);
	if (!test->objects) return "there is not enough memory for it";
	for (test->count = 0; test->count < count; test->count++) {
		struct test_object *object = &test->objects[test->count];
		object->name = string(reader);
		object->size = number(reader);
		object->bytes = take(reader, object->size);
		if (reader->truncated) return "it is truncated";
		if (!object->name) return "there is not enough memory for it";
	}
	return 0;
}

const char *read_ktest(const char *path, struct test *test)
{
	FILE *file = fopen(path, "rb");
	if (!file) return strerror(errno);
	unsigned char *bytes = 0;
	size_t size = 0, capacity = 0;
	const char *error = 0;
	for (;;) {
		if (size == capacity) {
			capacity = capacity ? 2 * capacity : 4096;
			unsigned char *grown = realloc(bytes, capacity);
			if (!grown) {
				error = "there is not enough memory for it";
				break;
			}
			bytes = grown;
		}
		size_t got = fread(bytes + size, 1, capacity - size, file);
		size += got;
		if (!got) {
			if (ferror(file)) error = strerror(errno);
			break;
		}
	}
	fclose(file);
	struct reader reader = { bytes, size, 0 };
	if (!error) error = parse(&reader, test);
	/* On success the objects point into the bytes. */
	if (error) free(bytes);
	return error;
}
