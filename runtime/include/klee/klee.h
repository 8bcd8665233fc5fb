/* klee/klee.h: the interface of KLEE harnesses, as Forkwise implements it.
 *
 * The names, the types and the meanings are KLEE's, so that a harness written
 * for KLEE compiles and runs unchanged: in the engine each function is an
 * intrinsic, in a natively built harness it comes from libkleeRuntest, which
 * takes its values from the test named by the environment variable KTEST_FILE. */
#ifndef KLEE_H
#define KLEE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Inputs. */

/* Makes the nbytes bytes at addr an input called name. addr must be the start
 * of an object of exactly that size. */
void klee_make_symbolic(void *addr, size_t nbytes, const char *name);

/* A new input value v with begin <= v < end. */
int klee_range(int begin, int end, const char *name);

/* A new unconstrained int. */
int klee_int(const char *name);

/* A new value below n. */
uintptr_t klee_choose(uintptr_t n);

/* Restricts the current path to inputs for which condition is not zero. */
void klee_assume(uintptr_t condition);

/* Asks for tests in which condition holds, if there are any on the path. */
void klee_prefer_cex(void *object, uintptr_t condition);
void klee_posix_prefer_cex(void *object, uintptr_t condition);

/* Ending a path. */

/* Ends the path without a test. */
__attribute__((noreturn)) void klee_silent_exit(int status);

/* Ends the path as an abort. */
__attribute__((noreturn)) void klee_abort(void);

/* Ends the path with an error of kind suffix at the given place. */
__attribute__((noreturn)) void klee_report_error(const char *file, int line, const char *message,
	const char *suffix);

/* Memory. */

/* Declares nbytes bytes at the fixed address addr to be valid memory. */
void klee_define_fixed_object(void *addr, size_t nbytes);

/* The size of the object that ptr points into. */
size_t klee_get_obj_size(void *ptr);

/* Ends the path with a memory error unless all the bytes are accessible. */
void klee_check_memory_access(const void *address, size_t size);

/* Marks an object as shared; leak checking leaves it alone. */
void klee_mark_global(void *object);

/* Asking about and printing values. */

/* Whether n depends on an input. */
unsigned klee_is_symbolic(uintptr_t n);

/* Whether this is a native replay of a test (1) or the engine (0). */
unsigned klee_is_replay(void);

/* Some value that expr can have on the current path; constrains nothing. */
float klee_get_valuef(float expr);
double klee_get_valued(double expr);
long klee_get_valuel(long expr);
long long klee_get_valuell(long long expr);
int32_t klee_get_value_i32(int32_t expr);
int64_t klee_get_value_i64(int64_t expr);

/* errno as the last external call left it. */
int klee_get_errno(void);

void klee_print_expr(const char *msg, ...);
void klee_print_range(const char *name, int arg);
void klee_stack_trace(void);
void klee_warning(const char *message);
void klee_warning_once(const char *message);

/* Steering. */

/* Switches forking of the current path off (0) and on. */
void klee_set_forking(unsigned enable);

/* Merging of paths between the two calls, where the engine supports it. */
void klee_open_merge(void);
void klee_close_merge(void);

/* Lets calls of fn_name go to new_fn_name; an empty new name undoes it. */
void klee_alias_function(const char *fn_name, const char *new_fn_name);

/* The C library's, declared here because <assert.h> hides it under NDEBUG; the
 * two libraries disagree about the type of the line. */
#ifndef __cplusplus
#ifdef __GLIBC__
__attribute__((noreturn)) void __assert_fail(const char *, const char *, unsigned, const char *);
#else
__attribute__((noreturn)) void __assert_fail(const char *, const char *, int, const char *);
#endif
#endif

/* assert that NDEBUG does not switch off. */
#define klee_assert(expr) \
	((expr) ? (void)0 : __assert_fail(#expr, __FILE__, __LINE__, __func__))

#ifdef __cplusplus
}
#endif

#endif
