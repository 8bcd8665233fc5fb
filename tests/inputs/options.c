// Ranges of arguments: each number of them is tried.
// args: --sym-args 0 2 2 --sym-args 1 2 1
// expect: exit-codes 1 2 3 4
int main(int argc, char **argv)
{
	return argc - 1;
}
