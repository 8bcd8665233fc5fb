// One thread: scheduling, futexes, and what threads would need.
#include "show.h"
#include <linux/futex.h>
#include <sched.h>
#include <stdint.h>
#include <time.h>

int main(void)
{
	struct sched_param param;
	struct timespec t = { 0, 1000 };
	uint32_t word = 7, other = 1;
	uint64_t mask[16];
	unsigned cpu, node;

	SHOW(sched_yield());
	SHOW(syscall(SYS_sched_getscheduler, 0));
	SHOW(syscall(SYS_sched_getscheduler, -1));
	SHOW(syscall(SYS_sched_getscheduler, 99999));
	SHOW(syscall(SYS_sched_getparam, 0, &param));
	printf("%d\n", param.sched_priority);
	SHOW(syscall(SYS_sched_getparam, 0, 0));
	SHOW(syscall(SYS_sched_setscheduler, 0, SCHED_OTHER, &param));
	SHOW(syscall(SYS_sched_setparam, 0, &param));
	SHOW(sched_get_priority_max(SCHED_OTHER));
	SHOW(sched_get_priority_min(SCHED_OTHER));
	SHOW(sched_get_priority_max(SCHED_FIFO));
	SHOW(sched_get_priority_min(SCHED_RR));
	SHOW(sched_get_priority_max(99));
	SHOW(sched_rr_get_interval(99999, &t));
	SHOW_TRUE(syscall(SYS_sched_getaffinity, 0, sizeof mask, mask) > 0);
	SHOW_TRUE(mask[0] != 0);
	SHOW(syscall(SYS_sched_getaffinity, 0, 4, mask));
	SHOW(syscall(SYS_sched_getaffinity, 99999, sizeof mask, mask));
	SHOW(syscall(SYS_sched_getaffinity, 0, sizeof mask, NOWHERE));
	SHOW(syscall(SYS_sched_setaffinity, 0, sizeof mask, mask));
	SHOW(syscall(SYS_getcpu, &cpu, &node, 0));
	SHOW(syscall(SYS_getcpu, 0, 0, 0));
	SHOW(syscall(SYS_getcpu, NOWHERE, 0, 0));

	SHOW(syscall(SYS_futex, &word, FUTEX_WAIT, 8, 0, 0, 0));
	SHOW(syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 7, &t, 0, 0));
	SHOW(syscall(SYS_futex, &word, FUTEX_WAKE, 1, 0, 0, 0));
	SHOW(syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, 1, 0, 0, 0));
	SHOW(syscall(SYS_futex, &word, FUTEX_REQUEUE, 1, 1, &other, 0));
	SHOW(syscall(SYS_futex, &word, FUTEX_CMP_REQUEUE, 1, 1, &other, 3));
	SHOW(syscall(SYS_futex, NOWHERE, FUTEX_WAIT, 8, 0, 0, 0));
	SHOW(syscall(SYS_futex, (char *)&word + 1, FUTEX_WAIT, 8, 0, 0, 0));
	SHOW(syscall(SYS_futex, FAR, FUTEX_WAIT, 8, 0, 0, 0));
	SHOW(syscall(SYS_futex, &word, 99, 8, 0, 0, 0));
	SHOW(syscall(SYS_futex, &word, FUTEX_WAIT_BITSET, 7, 0, 0, 0));

	SHOW_TRUE(syscall(SYS_set_tid_address, &word) == getpid());
	SHOW(syscall(SYS_set_robust_list, &word, 24));
	SHOW(syscall(SYS_set_robust_list, &word, 23));
	SHOW(syscall(SYS_arch_prctl, 0x9999, 0));
	SHOW(syscall(SYS_arch_prctl, 0x1003, &mask[1]));
	SHOW_TRUE(mask[1] != 0);
	SHOW(syscall(SYS_arch_prctl, 0x1003, NOWHERE));
	SHOW(syscall(SYS_getrandom, &mask, 32, 0));
	SHOW(syscall(SYS_getrandom, &mask, 32, 1));
	SHOW(syscall(SYS_getrandom, &mask, 32, 64));
	SHOW(syscall(SYS_getrandom, NOWHERE, 32, 0));
	SHOW(syscall(SYS_getrandom, NOWHERE, 0, 0));
	return 0;
}
