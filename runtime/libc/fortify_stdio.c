/* The checked input and output functions that glibc's headers call under
 * _FORTIFY_SOURCE. The flag asks glibc to refuse %n in writable formats; that
 * is not modelled. */
#define _GNU_SOURCE
#include <stdarg.h>
#include <stdio.h>

_Noreturn void __chk_fail(void);

int __vfprintf_chk(FILE *restrict file, int flag, const char *restrict format, va_list arguments)
{
	return vfprintf(file, format, arguments);
}

int __vprintf_chk(int flag, const char *restrict format, va_list arguments)
{
	return vfprintf(stdout, format, arguments);
}

int __vsnprintf_chk(char *restrict to, size_t size, int flag, size_t room,
	const char *restrict format, va_list arguments)
{
	if (size > room) __chk_fail();
	return vsnprintf(to, size, format, arguments);
}

int __vsprintf_chk(char *restrict to, int flag, size_t room, const char *restrict format,
	va_list arguments)
{
	/* An unknown room is the largest size_t, which vsnprintf refuses. */
	if (room > 0x7fffffff) return vsprintf(to, format, arguments);
	int length = vsnprintf(to, room, format, arguments);
	if (length >= 0 && (size_t)length >= room) __chk_fail();
	return length;
}

int __vasprintf_chk(char **to, int flag, const char *restrict format, va_list arguments)
{
	return vasprintf(to, format, arguments);
}

int __printf_chk(int flag, const char *restrict format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	int result = vfprintf(stdout, format, arguments);
	va_end(arguments);
	return result;
}

int __fprintf_chk(FILE *restrict file, int flag, const char *restrict format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	int result = vfprintf(file, format, arguments);
	va_end(arguments);
	return result;
}

int __snprintf_chk(char *restrict to, size_t size, int flag, size_t room,
	const char *restrict format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	int result = __vsnprintf_chk(to, size, flag, room, format, arguments);
	va_end(arguments);
	return result;
}

int __sprintf_chk(char *restrict to, int flag, size_t room, const char *restrict format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	int result = __vsprintf_chk(to, flag, room, format, arguments);
	va_end(arguments);
	return result;
}

int __asprintf_chk(char **to, int flag, const char *restrict format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	int result = vasprintf(to, format, arguments);
	va_end(arguments);
	return result;
}

char *__fgets_chk(char *restrict to, size_t room, int size, FILE *restrict file)
{
	if (size > 0 && (size_t)size > room) __chk_fail();
	return fgets(to, size, file);
}

size_t __fread_chk(void *restrict to, size_t room, size_t size, size_t count, FILE *restrict file)
{
	if (size && count > room / size) __chk_fail();
	return fread(to, size, count, file);
}
