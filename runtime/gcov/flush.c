/* Linked into programs that `forkwise cc --gcov` builds: gcov writes its counts
 * when a program ends by exit, and tests end programs in other ways, too. Here
 * they are also written when a signal that ends the program arrives, and on
 * _exit. A program that handles such a signal itself keeps its handler. */
#define _GNU_SOURCE
#include <signal.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <unistd.h>

void __gcov_dump(void);

static void ended(int signal)
{
	__gcov_dump();
	/* The action is the default again (SA_RESETHAND); the program ends as it
	 * would have ended. */
	raise(signal);
}

__attribute__((constructor(101)))
static void watch(void)
{
	static const int signals[] = {
		SIGSEGV, SIGABRT, SIGFPE, SIGBUS, SIGILL, SIGTERM, SIGALRM,
		SIGINT, SIGHUP, SIGPIPE, SIGXCPU, SIGSYS, SIGTRAP, SIGUSR1, SIGUSR2,
	};
	/* A stack that overflowed has no room for a handler. */
	static char room[65536];
	stack_t stack = { .ss_sp = room, .ss_size = sizeof room };
	sigaltstack(&stack, NULL);
	for (size_t i = 0; i < sizeof signals / sizeof *signals; i++) {
		struct sigaction action = {
			.sa_handler = ended,
			.sa_flags = SA_RESETHAND | SA_NODEFER | SA_ONSTACK,
		};
		struct sigaction old;
		if (sigaction(signals[i], NULL, &old) == 0 && old.sa_handler == SIG_DFL)
			sigaction(signals[i], &action, NULL);
	}
}

void _exit(int status)
{
	__gcov_dump();
	for (;;)
		syscall(SYS_exit_group, status);
}

void _Exit(int status)
{
	_exit(status);
}
