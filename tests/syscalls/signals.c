// Handlers: called with the signal, under their mask, once or always; what is blocked waits, what is ignored is lost.
#include "show.h"
#include <signal.h>
#include <stdlib.h>

static int depth, trace_count;

static void note(int signal)
{
	printf("handler of %d, depth %d\n", signal, ++depth);
	if (signal == SIGUSR1 && trace_count++ == 0) {
		raise(SIGUSR1);
		printf("sent again while blocked\n");
		raise(SIGUSR2);
		printf("the other one came in between\n");
	}
	depth--;
}

static void described(int signal, siginfo_t *info, void *context)
{
	printf("handler of %d: %d, code %d, own %d, context %d\n", signal, info->si_signo, info->si_code,
		info->si_pid == getpid(), context != 0);
	if (info->si_code == SI_QUEUE) printf("value %d\n", info->si_value.sival_int);
}

static void show_mask(const char *when)
{
	sigset_t now;
	sigprocmask(SIG_BLOCK, 0, &now);
	printf("%s:", when);
	for (int i = 1; i < 65; i++) if (sigismember(&now, i) == 1) printf(" %d", i);
	printf("\n");
}

static void nested(int signal)
{
	printf("begin %d\n", signal);
	show_mask("mask in the handler");
	printf("end %d\n", signal);
}

int main(void)
{
	struct sigaction act = { 0 }, old;
	sigset_t set, pending;
	siginfo_t info;
	struct timespec t = { 0, 1000 };
	stack_t stack = { 0 }, before;

	SHOW(sigaction(SIGUSR1, 0, &old));
	SHOW_TRUE(old.sa_handler == SIG_DFL);
	act.sa_handler = note;
	SHOW(sigaction(SIGUSR1, &act, &old));
	SHOW(sigaction(SIGUSR2, &act, &old));
	SHOW(sigaction(SIGUSR1, 0, &old));
	SHOW_TRUE(old.sa_handler == note);
	SHOW(raise(SIGUSR1));
	SHOW(kill(getpid(), SIGUSR2));
	SHOW(kill(0, SIGUSR2));
	SHOW(kill(-getpid(), SIGUSR2));
	SHOW(syscall(SYS_tgkill, getpid(), getpid(), SIGUSR2));

	SHOW(sigaction(SIGKILL, &act, 0));
	SHOW(sigaction(SIGSTOP, &act, 0));
	SHOW(sigaction(SIGKILL, 0, &old));
	SHOW(sigaction(0, &act, 0));
	SHOW(sigaction(65, &act, 0));
	SHOW(syscall(SYS_rt_sigaction, SIGUSR1, NOWHERE, 0, 8));
	SHOW(syscall(SYS_rt_sigaction, SIGUSR1, 0, NOWHERE, 8));
	SHOW(syscall(SYS_rt_sigaction, SIGUSR1, 0, 0, 4));
	SHOW(syscall(SYS_rt_sigprocmask, SIG_BLOCK, NOWHERE, 0, 8));
	SHOW(syscall(SYS_rt_sigprocmask, SIG_BLOCK, 0, NOWHERE, 8));
	SHOW(syscall(SYS_rt_sigprocmask, 7, 0, 0, 8));
	SHOW(syscall(SYS_rt_sigprocmask, 7, &set, 0, 8));
	SHOW(syscall(SYS_rt_sigprocmask, 0, 0, 0, 16));
	SHOW(kill(99999, SIGUSR1));
	SHOW(kill(99999, 99));
	SHOW(kill(getpid(), 99));
	SHOW(kill(getpid(), -1));
	SHOW(kill(getpid(), 0));
	SHOW(syscall(SYS_tkill, 0, SIGUSR1));
	SHOW(syscall(SYS_tkill, -5, SIGUSR1));
	SHOW(syscall(SYS_tkill, 99999, SIGUSR1));
	SHOW(syscall(SYS_tgkill, 99999, getpid(), SIGUSR1));
	SHOW(syscall(SYS_tgkill, 0, getpid(), SIGUSR1));

	act.sa_flags = SA_SIGINFO;
	act.sa_sigaction = described;
	SHOW(sigaction(SIGHUP, &act, 0));
	SHOW(raise(SIGHUP));
	SHOW(kill(getpid(), SIGHUP));
	SHOW(sigqueue(getpid(), SIGHUP, (union sigval){ .sival_int = 42 }));
	SHOW(sigqueue(99999, SIGHUP, (union sigval){ .sival_int = 42 }));
	SHOW(sigqueue(getpid(), 99, (union sigval){ .sival_int = 42 }));

	act.sa_flags = SA_RESETHAND;
	act.sa_handler = note;
	SHOW(sigaction(SIGTERM, &act, 0));
	SHOW(raise(SIGTERM));
	SHOW(sigaction(SIGTERM, 0, &old));
	SHOW_TRUE(old.sa_handler == SIG_DFL);

	show_mask("mask");
	act.sa_flags = 0;
	act.sa_handler = nested;
	sigemptyset(&act.sa_mask);
	sigaddset(&act.sa_mask, SIGALRM);
	SHOW(sigaction(SIGINT, &act, 0));
	SHOW(sigaction(SIGQUIT, &act, 0));
	act.sa_flags = SA_NODEFER;
	SHOW(sigaction(SIGALRM, &act, 0));
	SHOW(raise(SIGINT));
	SHOW(raise(SIGALRM));
	show_mask("mask");

	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGQUIT);
	sigaddset(&set, SIGKILL);
	SHOW(sigprocmask(SIG_BLOCK, &set, 0));
	show_mask("blocked");
	raise(SIGQUIT);
	raise(SIGINT);
	raise(SIGINT);
	SHOW(sigpending(&pending));
	printf("%d %d %d\n", sigismember(&pending, SIGINT), sigismember(&pending, SIGQUIT), sigismember(&pending, SIGHUP));
	SHOW(sigprocmask(SIG_UNBLOCK, &set, 0));
	SHOW(sigpending(&pending));
	printf("%d\n", sigismember(&pending, SIGINT));

	SHOW(sigprocmask(SIG_BLOCK, &set, 0));
	SHOW(sigtimedwait(&set, &info, &t));
	raise(SIGQUIT);
	SHOW(sigtimedwait(&set, &info, &t));
	printf("%d\n", info.si_signo);
	raise(SIGINT);
	SHOW(sigwaitinfo(&set, &info));
	raise(SIGINT);
	sigemptyset(&pending);
	SHOW(sigsuspend(&pending));
	show_mask("after sigsuspend");
	raise(SIGQUIT);
	SHOW(signal(SIGQUIT, SIG_IGN) == nested);
	SHOW(sigpending(&pending));
	printf("%d\n", sigismember(&pending, SIGQUIT));
	SHOW(sigprocmask(SIG_SETMASK, &pending, 0));
	show_mask("mask");

	SHOW(signal(SIGUSR2, SIG_IGN) == note);
	SHOW(raise(SIGUSR2));
	SHOW(signal(SIGUSR2, SIG_DFL) == SIG_IGN);
	SHOW(raise(SIGCHLD));
	SHOW(raise(SIGWINCH));
	SHOW(raise(SIGCONT));
	SHOW(raise(SIGURG));
	SHOW(raise(0));
	SHOW(raise(99));

	for (int i = 0; i < 3; i++) {
		act.sa_flags = SA_SIGINFO;
		act.sa_sigaction = described;
		sigaction(SIGRTMIN, &act, 0);
	}
	sigemptyset(&set);
	sigaddset(&set, SIGRTMIN);
	sigprocmask(SIG_BLOCK, &set, 0);
	sigqueue(getpid(), SIGRTMIN, (union sigval){ .sival_int = 1 });
	sigqueue(getpid(), SIGRTMIN, (union sigval){ .sival_int = 2 });
	sigprocmask(SIG_UNBLOCK, &set, 0);

	SHOW(sigaltstack(0, &before));
	SHOW_TRUE(before.ss_flags == SS_DISABLE);
	stack.ss_sp = malloc(16384);
	stack.ss_size = 16384;
	SHOW(sigaltstack(&stack, 0));
	SHOW(sigaltstack(0, &before));
	SHOW_TRUE(before.ss_sp == stack.ss_sp && before.ss_size == 16384 && before.ss_flags == 0);
	SHOW(syscall(SYS_sigaltstack, NOWHERE, 0));
	stack.ss_size = 8;
	SHOW(syscall(SYS_sigaltstack, &stack, 0));
	stack.ss_flags = 99;
	SHOW(syscall(SYS_sigaltstack, &stack, 0));
	return 0;
}
