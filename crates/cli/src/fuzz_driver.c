/* main for a harness that has LLVMFuzzerTestOneInput instead: input of every
 * size up to FUZZ_SIZE, in a block of exactly that size, so that every access
 * beyond it is found. The names of the inputs are those that the replay
 * library looks for. */
typedef unsigned long word;

int LLVMFuzzerTestOneInput(const unsigned char *data, word size);
__attribute__((weak)) int LLVMFuzzerInitialize(int *argc, char ***argv);
void klee_make_symbolic(void *object, word size, const char *name);
void klee_assume(word condition);
void *malloc(word size);
void free(void *block);

int main(int argc, char **argv)
{
	word size, length = 0;
	if (&LLVMFuzzerInitialize) LLVMFuzzerInitialize(&argc, &argv);
	unsigned char *all = malloc(FUZZ_SIZE);
	klee_make_symbolic(all, FUZZ_SIZE, "data");
	klee_make_symbolic(&size, sizeof size, "size");
	klee_assume(size <= FUZZ_SIZE);
	while (length < size) length++;
	unsigned char *data = malloc(length);
	for (word i = 0; i < length; i++) data[i] = all[i];
	free(all);
	LLVMFuzzerTestOneInput(data, length);
	free(data);
	return 0;
}
