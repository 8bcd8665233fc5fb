/* musl reaches its allocator by these internal names in a few places (atexit,
 * locales, time zones). Under Forkwise there is one allocator, the engine's, and
 * they lead to it. */
#include <stdlib.h>

void *__libc_malloc(size_t size)
{
	return malloc(size);
}

void *__libc_calloc(size_t count, size_t size)
{
	return calloc(count, size);
}

void *__libc_realloc(void *p, size_t size)
{
	return realloc(p, size);
}

void __libc_free(void *p)
{
	free(p);
}
