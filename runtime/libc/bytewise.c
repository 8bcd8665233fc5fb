/* Searching memory a byte at a time, in place of gnulib's functions that read whole
 * words beyond the end of what they search: harmless on hardware, an error in a world
 * of exact bounds. The loader puts these where a program brings its own. */
#include <stddef.h>

void *__forkwise_rawmemchr(const void *memory, int wanted)
{
	const unsigned char *at = memory;
	while (*at != (unsigned char)wanted) at++;
	return (void *)at;
}

void *__forkwise_memchr2(const void *memory, int one, int other, size_t size)
{
	const unsigned char *at = memory;
	for (; size > 0; at++, size--)
		if (*at == (unsigned char)one || *at == (unsigned char)other)
			return (void *)at;
	return NULL;
}
