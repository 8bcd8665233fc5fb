/* Atomics as one thread sees them. */
#include <stdatomic.h>
void emit(unsigned long);
atomic_int a = 5; atomic_uchar c = 250; _Atomic long l = 1; _Atomic(int *) p; atomic_flag fl = ATOMIC_FLAG_INIT; _Atomic double d = 1.5; int arr[4] = {1, 2, 3, 4}; _Atomic unsigned __int128 w;
int main(void) {
    emit(atomic_fetch_add(&a, 3)); emit(atomic_fetch_sub(&a, 1)); emit(atomic_fetch_or(&a, 8)); emit(atomic_fetch_and(&a, 12)); emit(atomic_fetch_xor(&a, 5)); emit(a); emit(atomic_exchange(&a, 77)); emit(a++); emit(--a); a += 10; emit(a);
    int e = 87; emit(atomic_compare_exchange_strong(&a, &e, 1)); emit(e); emit(atomic_compare_exchange_strong(&a, &e, 2)); emit(e); emit(a); while (!atomic_compare_exchange_weak(&a, &e, e * 3)) ; emit(a); emit(c += 10); emit(atomic_fetch_add(&c, 250)); emit(c);
    atomic_store_explicit(&l, 100, memory_order_release); emit(atomic_load_explicit(&l, memory_order_acquire)); l *= 7; emit(l); p = arr; emit(*p); p = &arr[2]; emit(*p); emit(atomic_flag_test_and_set(&fl)); emit(atomic_flag_test_and_set(&fl)); atomic_flag_clear(&fl); d += 2.25; emit(d * 4);
    emit(__atomic_fetch_nand(&arr[0], 3, __ATOMIC_SEQ_CST)); emit((unsigned)arr[0]); emit(__sync_fetch_and_add(&arr[1], 5)); emit(__sync_val_compare_and_swap(&arr[1], 7, 9)); emit(__sync_bool_compare_and_swap(&arr[1], 9, 10)); emit(arr[1]); __sync_synchronize(); atomic_thread_fence(memory_order_seq_cst); emit(__atomic_fetch_max(&arr[2], 10, 0)); emit(__atomic_fetch_min(&arr[2], -1, 0)); emit((unsigned)arr[2]);
    return 0;
}
