// Who the process is: numbers of processes, sessions, users and groups.
#include "show.h"
#include <grp.h>
#include <limits.h>
#include <sys/fsuid.h>
#include <sys/wait.h>

int main(void)
{
	uid_t r, e, s;
	gid_t rg, eg, sg;
	gid_t groups[8];

	SHOW_TRUE(getpid() > 0);
	SHOW_TRUE(getpid() == syscall(SYS_gettid));
	SHOW_TRUE(getppid() != getpid());
	SHOW_TRUE(getpgrp() == getpid());
	SHOW_TRUE(getpgid(0) == getpid());
	SHOW_TRUE(getpgid(getpid()) == getpid());
	SHOW_TRUE(getsid(0) == getpid());
	SHOW(getpgid(99999));
	SHOW(getpgid(-1));
	SHOW(getsid(99999));
	SHOW(setsid());
	SHOW(setpgid(0, 0));
	SHOW(setpgid(0, -1));
	SHOW(setpgid(99999, 0));
	SHOW(setpgid(0, 99999));

	SHOW(getresuid(&r, &e, &s));
	SHOW_TRUE(r == e && e == s && r == getuid() && e == geteuid());
	SHOW(getresgid(&rg, &eg, &sg));
	SHOW_TRUE(rg == eg && eg == sg && rg == getgid() && eg == getegid());
	SHOW(syscall(SYS_getresuid, NOWHERE, &e, &s));
	SHOW(syscall(SYS_getresgid, &r, FAR, &s));
	SHOW(setuid(getuid()));
	SHOW(setgid(getgid()));
	SHOW(seteuid(getuid()));
	SHOW(setreuid(-1, getuid()));
	SHOW(setregid(getgid(), -1));
	SHOW(setresuid(-1, -1, -1));
	SHOW(setresgid(getgid(), getgid(), getgid()));
	SHOW(syscall(SYS_setuid, -1));
	SHOW(syscall(SYS_setgid, -1));
	SHOW_TRUE(setfsuid(-1) == (int)getuid());
	SHOW_TRUE(setfsgid(-1) == (int)getgid());

	SHOW_TRUE(getgroups(0, 0) >= 0);
	SHOW(getgroups(-1, groups));
	SHOW_TRUE(getgroups(8, groups) == getgroups(0, 0));
	SHOW(setgroups(1, groups));
	SHOW(setgroups(0, 0));

	SHOW(wait(0));
	SHOW(waitpid(-1, 0, WNOHANG));
	SHOW(waitpid(99999, 0, 0));
	SHOW(waitpid(-1, 0, 0x40));
	SHOW(waitid(P_ALL, 0, 0, WEXITED));
	SHOW(waitid(P_ALL, 0, 0, 0));
	SHOW(waitid(7, 0, 0, WEXITED));
	SHOW(waitid(P_PID, 0, 0, WEXITED));
	return 0;
}
