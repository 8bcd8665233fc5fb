/* The thread pointer is asked from the engine (or from runtime/native), so that
 * no segment register appears in the bitcode. */
void *__forkwise_thread_pointer(void);

static inline uintptr_t __get_tp(void)
{
	return (uintptr_t)__forkwise_thread_pointer();
}

#define MC_PC gregs[REG_RIP]
