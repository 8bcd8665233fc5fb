// Leaving a handler by siglongjmp restores the mask; by longjmp it stays.
#include "show.h"
#include <setjmp.h>
#include <signal.h>

static sigjmp_buf with_mask, without_mask;
static jmp_buf plain;
static volatile int round;

static void leave(int signal)
{
	printf("in the handler of %d\n", signal);
	switch (round) {
	case 0: siglongjmp(with_mask, 5);
	case 1: siglongjmp(without_mask, 6);
	default: longjmp(plain, 0);
	}
}

static void blocked(void)
{
	sigset_t now;
	sigprocmask(SIG_BLOCK, 0, &now);
	printf("blocked: %d\n", sigismember(&now, SIGUSR1));
	sigemptyset(&now);
	sigprocmask(SIG_SETMASK, &now, 0);
}

int main(void)
{
	int came;
	signal(SIGUSR1, leave);
	came = sigsetjmp(with_mask, 1);
	if (came == 0) raise(SIGUSR1);
	printf("came back with %d\n", came);
	blocked();
	round = 1;
	came = sigsetjmp(without_mask, 0);
	if (came == 0) raise(SIGUSR1);
	printf("came back with %d\n", came);
	blocked();
	round = 2;
	came = setjmp(plain);
	if (came == 0) raise(SIGUSR1);
	printf("came back with %d\n", came);
	blocked();
	return 0;
}
