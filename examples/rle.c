// Run-length coding of text: "aaab" becomes "3ab", digits become \0 to \9, and -d turns it back. A program like any other:
// options, a file or standard input, nothing that knows of testing. Build it, and let its arguments and the file be
// symbolic:
//
//   forkwise cc -o rle examples/rle.c
//   forkwise run rle --sym-args 0 2 2 --sym-files 1 3
//
// Two bugs, both of them only with -d and only for certain files: a run may be longer than the line that `put` makes room
// in, and a backslash may be followed by something that `unescape` does not know.

#include <ctype.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WIDTH = 72 };

struct line {
    size_t length;
    char text[WIDTH];
};

static void flush(struct line *line) {
    fwrite(line->text, 1, line->length, stdout);
    line->length = 0;
}

static void put(struct line *line, int c, unsigned count) {
    if (line->length + count > WIDTH)
        flush(line);
    for (unsigned i = 0; i < count; i++)
        line->text[line->length++] = (char)c;
}

static int encode(FILE *in) {
    int c = getc(in);
    while (c != EOF) {
        unsigned count = 1;
        int next;
        while ((next = getc(in)) == c)
            count++;
        if (count > 1)
            printf("%u", count);
        printf(isdigit(c) || c == '\\' ? "\\%c" : "%c", c);
        c = next;
    }
    return 0;
}

static const char *unescape(int c) {
    static const char plain[] = "0123456789\\";
    return strchr(plain, c);
}

static int decode(FILE *in) {
    struct line *line = calloc(1, sizeof *line);
    if (!line)
        return 2;
    unsigned count = 0;
    int c;
    while ((c = getc(in)) != EOF) {
        if (isdigit(c)) {
            count = 10 * count + (unsigned)(c - '0');
            if (count > 999) {
                fprintf(stderr, "rle: a run is too long\n");
                free(line);
                return 1;
            }
            continue;
        }
        if (c == '\\')
            c = *unescape(getc(in));
        put(line, c, count ? count : 1);
        count = 0;
    }
    flush(line);
    free(line);
    return 0;
}

static int usage(void) {
    fprintf(stderr, "usage: rle [-d] [FILE]\n");
    return 2;
}

int main(int argc, char **argv) {
    int decoding = 0;
    int option;
    while ((option = getopt(argc, argv, "dh")) != -1) {
        switch (option) {
        case 'd':
            decoding = 1;
            break;
        default:
            return usage();
        }
    }
    if (argc - optind > 1)
        return usage();
    FILE *in = stdin;
    if (optind < argc && strcmp(argv[optind], "-") != 0)
        in = fopen(argv[optind], "r");
    if (!in) {
        perror(argv[optind]);
        return 2;
    }
    return decoding ? decode(in) : encode(in);
}
