# The first instruction of a program that is built natively from the engine's
# libc: the counters are set up (coverage.c), then the kernel's stack is handed
# to __forkwise_start (runtime/libc/start.c).
	.text
	.globl _start
	.type _start, @function
_start:
	xor %ebp, %ebp
	mov %rsp, %rbx
	and $-16, %rsp
	call __forkwise_native_start
	mov %rbx, %rdi
	call __forkwise_start
	hlt
	.size _start, . - _start
	.section .note.GNU-stack, "", @progbits
