/* Printing what calls return: the call as written, its result, and errno where it failed. */
#ifndef SHOW_H
#define SHOW_H
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static inline long show(const char *call, long result, int error)
{
	if (result == -1) printf("%s: -1 %s\n", call, strerror(error));
	else printf("%s: %ld\n", call, result);
	return result;
}

/* Success without a number, where the number is an address, an identity or otherwise not the same everywhere. */
static inline long show_ok(const char *call, long result, int error)
{
	if (result == -1) printf("%s: -1 %s\n", call, strerror(error));
	else printf("%s: ok\n", call);
	return result;
}

#define SHOW(call) ({ errno = 0; long r_ = (long)(call); show(#call, r_, errno); })
#define SHOW_OK(call) ({ errno = 0; long r_ = (long)(call); show_ok(#call, r_, errno); })
#define SHOW_TRUE(condition) printf("%s: %s\n", #condition, (condition) ? "yes" : "no")

/* Addresses no process has anything at. */
#define NOWHERE ((void *)8)
#define FAR ((void *)0x7000deadb000)
#endif
