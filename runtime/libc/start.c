/* The start of a program: argc, argv, envp and the auxiliary vector lie on the
 * stack as the kernel puts them there, and this is called with their address. */
#include "libc.h"

int main();
weak void _init();
weak void _fini();
int __libc_start_main(int (*)(), int, char **, void (*)(), void (*)(), void (*)());

_Noreturn void __forkwise_start(long *stack)
{
	__libc_start_main(main, (int)stack[0], (char **)(stack + 1), _init, _fini, 0);
	for (;;) __builtin_trap();
}
