/* The checked string and memory functions that glibc's headers call under
 * _FORTIFY_SOURCE. The last argument is the size of the destination as the
 * compiler knew it. */
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

_Noreturn void __chk_fail(void)
{
	fputs("*** buffer overflow detected ***: terminated\n", stderr);
	abort();
}

#define CHECK(needed, room) do { if ((needed) > (room)) __chk_fail(); } while (0)

void *__memcpy_chk(void *restrict to, const void *restrict from, size_t size, size_t room)
{
	CHECK(size, room);
	return memcpy(to, from, size);
}

void *__mempcpy_chk(void *restrict to, const void *restrict from, size_t size, size_t room)
{
	CHECK(size, room);
	return (char *)memcpy(to, from, size) + size;
}

void *__memmove_chk(void *to, const void *from, size_t size, size_t room)
{
	CHECK(size, room);
	return memmove(to, from, size);
}

void *__memset_chk(void *to, int byte, size_t size, size_t room)
{
	CHECK(size, room);
	return memset(to, byte, size);
}

char *__strcpy_chk(char *restrict to, const char *restrict from, size_t room)
{
	size_t size = strlen(from) + 1;
	CHECK(size, room);
	return memcpy(to, from, size);
}

char *__stpcpy_chk(char *restrict to, const char *restrict from, size_t room)
{
	size_t length = strlen(from);
	CHECK(length + 1, room);
	return (char *)memcpy(to, from, length + 1) + length;
}

char *__strncpy_chk(char *restrict to, const char *restrict from, size_t size, size_t room)
{
	CHECK(size, room);
	return strncpy(to, from, size);
}

char *__stpncpy_chk(char *restrict to, const char *restrict from, size_t size, size_t room)
{
	CHECK(size, room);
	return stpncpy(to, from, size);
}

char *__strcat_chk(char *restrict to, const char *restrict from, size_t room)
{
	CHECK(strlen(to) + strlen(from) + 1, room);
	return strcat(to, from);
}

char *__strncat_chk(char *restrict to, const char *restrict from, size_t size, size_t room)
{
	CHECK(strlen(to) + strnlen(from, size) + 1, room);
	return strncat(to, from, size);
}

ssize_t __read_chk(int file, void *to, size_t size, size_t room)
{
	CHECK(size, room);
	return read(file, to, size);
}

char *__getcwd_chk(char *to, size_t size, size_t room)
{
	CHECK(size, room);
	return getcwd(to, size);
}

long __fdelt_chk(long number)
{
	if (number < 0 || number >= 1024) __chk_fail();
	return number / (8 * (long)sizeof(long));
}

_Noreturn void __longjmp_chk(jmp_buf place, int value)
{
	longjmp(place, value);
}
