/* Names that newer glibc headers give to the number parsers: a program compiled
 * against those headers asks for them, and musl knows the plain names only. The
 * difference (binary constants with a 0b prefix) is not modelled. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

long __isoc23_strtol(const char *restrict text, char **restrict end, int base)
{
	return strtol(text, end, base);
}

long long __isoc23_strtoll(const char *restrict text, char **restrict end, int base)
{
	return strtoll(text, end, base);
}

unsigned long __isoc23_strtoul(const char *restrict text, char **restrict end, int base)
{
	return strtoul(text, end, base);
}

unsigned long long __isoc23_strtoull(const char *restrict text, char **restrict end, int base)
{
	return strtoull(text, end, base);
}

intmax_t __isoc23_strtoimax(const char *restrict text, char **restrict end, int base)
{
	return strtoimax(text, end, base);
}

uintmax_t __isoc23_strtoumax(const char *restrict text, char **restrict end, int base)
{
	return strtoumax(text, end, base);
}

int __isoc23_vsscanf(const char *restrict text, const char *restrict format, va_list arguments)
{
	return vsscanf(text, format, arguments);
}

int __isoc23_vfscanf(FILE *restrict file, const char *restrict format, va_list arguments)
{
	return vfscanf(file, format, arguments);
}

int __isoc23_sscanf(const char *restrict text, const char *restrict format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	int result = vsscanf(text, format, arguments);
	va_end(arguments);
	return result;
}

int __isoc23_fscanf(FILE *restrict file, const char *restrict format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	int result = vfscanf(file, format, arguments);
	va_end(arguments);
	return result;
}

int __isoc23_scanf(const char *restrict format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	int result = vfscanf(stdin, format, arguments);
	va_end(arguments);
	return result;
}
