/* main for a harness that has LLVMFuzzerTestOneInput instead. Being alone in its
 * member of the static library, it is linked only when the program has no main.
 *
 * With KTEST_FILE the input is the test's object "data", shortened to the value
 * of its object "size" if there is one; without, every argument names a file
 * with an input. */
#include "replay.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
__attribute__((weak)) int LLVMFuzzerInitialize(int *argc, char ***argv);

/* The input gets a block of exactly its size, so that a sanitizer sees every
 * access beyond it. */
static void run(const unsigned char *bytes, size_t size)
{
	uint8_t *data = malloc(size);
	if (!data && size) {
		fprintf(stderr, "not enough memory for an input of %zu bytes\n", size);
		exit(1);
	}
	if (size) memcpy(data, bytes, size);
	LLVMFuzzerTestOneInput(data, size);
	free(data);
}

static void run_test(void)
{
	const struct test_object *data = find_input("data");
	const struct test_object *length = find_input("size");
	if (!data) {
		replay_error("the test has no object \"data\" for LLVMFuzzerTestOneInput");
		return;
	}
	size_t size = data->size;
	if (length && length->size <= sizeof(uint64_t)) {
		uint64_t value = 0;
		memcpy(&value, length->bytes, length->size);
		if (value < size) size = (size_t)value;
	}
	run(data->bytes, size);
}

static void run_file(const char *path)
{
	FILE *file = fopen(path, "rb");
	if (!file) {
		perror(path);
		exit(1);
	}
	unsigned char *bytes = 0;
	size_t size = 0, got;
	unsigned char block[4096];
	while ((got = fread(block, 1, sizeof block, file)) > 0) {
		unsigned char *grown = realloc(bytes, size + got);
		if (!grown) {
			fprintf(stderr, "%s: not enough memory\n", path);
			exit(1);
		}
		bytes = grown;
		memcpy(bytes + size, block, got);
		size += got;
	}
	fclose(file);
	run(bytes, size);
	free(bytes);
}

int main(int argc, char **argv)
{
	if (&LLVMFuzzerInitialize) LLVMFuzzerInitialize(&argc, &argv);
	if (getenv("KTEST_FILE") || argc < 2) run_test();
	else for (int i = 1; i < argc; i++) run_file(argv[i]);
	return 0;
}
