/* What files look like while a runner replays a test in a sandbox: numbers and
 * times are those of the engine's virtual Linux (crates/posix/src/tree.rs), of
 * which the kernel keeps its own. The sandbox makes its files in the engine's
 * order, which numbers most of them already. The working directory however is
 * a file system of its own, used for one test after another, the devices are
 * the host's, and the time of a change can be told to no file system.
 *
 * Only what the kernel has answered is changed here, never what it does. */
#include "native.h"

#define SYS_stat 4
#define SYS_fstat 5
#define SYS_clock_gettime 228
#define CLOCK_REALTIME 0
#define S_IFMT 0170000
#define S_IFCHR 0020000
#define DT_CHR 2

/* The engine's numbers: devices, /tmp, /tmp/work and the first file in it; its disk. */
#define FIRST_DEVICE 3
#define LAST_DEVICE 8
#define TMP 20
#define WORK 21
#define FIRST_FILE 22
#define DISK 0x801

/* Dates between these are the host's: no test is about the last month or the
 * next day of a world in which it is 2024. */
#define BEFORE (30L * 86400)
#define AFTER 86400L

/* The kernel's struct stat. Each time is seconds and nanoseconds: of the last
 * access, the last change of the contents, the last change of anything. */
struct status {
	unsigned long device, number, links;
	unsigned mode, user, group, padding;
	unsigned long special;
	long size, block_size, blocks;
	long times[3][2];
	long unused[3];
};

/* As in getdents64. */
struct entry {
	unsigned long number;
	long offset;
	unsigned short length;
	unsigned char kind;
	char name[];
};

HIDDEN long __forkwise_first_file;

static struct {
	unsigned long root_device, work_device;
	long now;
	int known;
} host;

static void learn(void)
{
	struct status status;
	long now[2];
	if (host.known) return;
	if (raw_syscall(SYS_stat, (long)"/", (long)&status, 0, 0, 0, 0) == 0)
		host.root_device = status.device;
	if (raw_syscall(SYS_stat, (long)"/tmp/work", (long)&status, 0, 0, 0, 0) == 0)
		host.work_device = status.device;
	if (raw_syscall(SYS_clock_gettime, CLOCK_REALTIME, (long)now, 0, 0, 0, 0) == 0)
		host.now = now[0];
	host.known = 1;
}

/* The engine's number of a file in the working directory's file system. */
static unsigned long work_number(unsigned long number)
{
	unsigned long first = __forkwise_first_file;
	if (number == 1) return WORK;
	return number < first ? number : number - first + FIRST_FILE;
}

static unsigned long device_number(unsigned long special, unsigned long number)
{
	/* null, zero, full, tty, random, urandom */
	static const unsigned short devices[] = {0x103, 0x105, 0x107, 0x500, 0x108, 0x109};
	for (unsigned i = 0; i < sizeof devices / sizeof *devices; i++)
		if (special == devices[i]) return FIRST_DEVICE + i;
	return number;
}

static int of_host(const long *time)
{
	return time[0] > host.now - BEFORE && time[0] < host.now + AFTER;
}

HIDDEN void __forkwise_show_status(void *answer)
{
	struct status *s = answer;
	learn();
	int is_device = (s->mode & S_IFMT) == S_IFCHR;
	/* Files of the test have an old time of contents, so a new one is the
	 * program's: after they were made, and before it looks at a clock. */
	int written = of_host(s->times[1]);
	for (int i = 0; i < 3; i++) {
		if (!is_device && !of_host(s->times[i])) continue;
		s->times[i][0] = EPOCH;
		s->times[i][1] = is_device || (i == 2 && !written) ? 0 : 500;
	}
	if (is_device) {
		s->number = device_number(s->special, s->number);
		s->user = s->group = UID;
		s->device = DISK;
	} else if (s->device == host.work_device) {
		s->number = work_number(s->number);
		s->device = DISK;
	} else if (s->device == host.root_device) {
		s->device = DISK;
	}
}

HIDDEN void __forkwise_show_entries(int fd, char *entries, long length)
{
	struct status status;
	learn();
	if (raw_syscall(SYS_fstat, fd, (long)&status, 0, 0, 0, 0) != 0) return;
	int in_work = status.device == host.work_device;
	if (!in_work && status.device != host.root_device) return;
	for (long at = 0; at < length;) {
		struct entry *entry = (struct entry *)(entries + at);
		const char *name = entry->name;
		int is_parent = name[0] == '.' && name[1] == '.' && name[2] == 0;
		if (in_work)
			entry->number = is_parent && status.number == 1 ? TMP : work_number(entry->number);
		else if (entry->number >= FIRST_DEVICE && entry->number <= LAST_DEVICE)
			/* The entry is the empty file over which the device is mounted. */
			entry->kind = DT_CHR;
		at += entry->length;
	}
}
