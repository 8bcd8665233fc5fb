// Text: locales, wide characters, conversion between encodings, patterns.
#include "../show.h"
#include <fnmatch.h>
#include <iconv.h>
#include <langinfo.h>
#include <locale.h>
#include <regex.h>
#include <stdlib.h>
#include <wchar.h>
#include <wctype.h>

static void match(const char *pattern, int flags, const char *text)
{
	regex_t regex;
	regmatch_t m[4];
	char message[64];
	int e = regcomp(&regex, pattern, flags);
	if (e) {
		regerror(e, &regex, message, sizeof message);
		printf("/%s/: %s\n", pattern, message);
		return;
	}
	e = regexec(&regex, text, 4, m, 0);
	printf("/%s/ on '%s': %d, %zu groups", pattern, text, e, regex.re_nsub);
	for (int i = 0; !e && i < 4; i++) printf(" %d-%d", (int)m[i].rm_so, (int)m[i].rm_eo);
	puts("");
	regfree(&regex);
}

static void convert(const char *to, const char *from, const char *text, size_t n)
{
	char out[64], *at = out;
	char *in = (char *)text;
	size_t left = sizeof out;
	iconv_t c = iconv_open(to, from);
	if (c == (iconv_t)-1) {
		printf("%s from %s: %s\n", to, from, strerror(errno));
		return;
	}
	errno = 0;
	size_t r = iconv(c, &in, &n, &at, &left);
	printf("%s from %s: %zd, %d, %zu left:", to, from, (ssize_t)r, errno, n);
	for (char *p = out; p < at; p++) printf(" %02x", (unsigned char)*p);
	puts("");
	iconv_close(c);
}

int main(void)
{
	wchar_t wide[32], *end;
	char narrow[64];
	mbstate_t state = { 0 };
	const char *text = "gr\303\274n \342\202\254 \360\237\230\200";
	const wchar_t *source;

	printf("%s\n", setlocale(LC_ALL, 0));
	printf("%d %zd\n", (int)MB_CUR_MAX, (ssize_t)mbstowcs(wide, text, 32));
	printf("%s\n", setlocale(LC_ALL, "C.UTF-8"));
	printf("%s %s %s %s\n", nl_langinfo(CODESET), nl_langinfo(DAY_1), nl_langinfo(RADIXCHAR), nl_langinfo(YESEXPR));
	printf("%d %zd\n", (int)MB_CUR_MAX, (ssize_t)mbstowcs(wide, text, 32));
	for (wchar_t *w = wide; *w; w++)
		printf("%x:%d%d%d ", (unsigned)*w, !!iswalpha(*w), !!iswspace(*w), wcwidth(*w));
	puts("");
	source = wide;
	printf("%zd %s\n", (ssize_t)wcsrtombs(narrow, &source, sizeof narrow, &state), narrow);
	printf("%d %d %d\n", mblen("\303", 1), mblen("\303\274", 2), mblen("\377", 1));
	printf("%x %x %d\n", towupper(0xfc), towlower(0xc4), iswctype(L'x', wctype("xdigit")));
	printf("%ls %lc %5.2ls|\n", L"w\u00efde", L'\u20ac', L"abcdef");
	printf("%d %ls\n", swprintf(wide, 32, L"%d %s %ls", 7, "narrow", L"wide"), wide);
	printf("%ld %ls\n", wcstol(L"  42rest", &end, 10), end);
	printf("%f\n", wcstod(L"2.5e1", 0));
	printf("%d %zu %d %d\n", wcscmp(L"a", L"b"), wcslen(L"four"), wcschr(L"abc", L'c') != 0, wcsstr(L"hay needle", L"needle") != 0);
	printf("%s\n", setlocale(LC_ALL, "xx_XX") ? "there" : "not there");
	printf("%s\n", localeconv()->decimal_point);
	printf("%d\n", strcoll("a", "b"));
	printf("%zu\n", strxfrm(narrow, "hello", sizeof narrow));

	match("a\\(b*\\)c", 0, "xxabbbcyy");
	match("^(a|b)+([0-9]{2,3})$", REG_EXTENDED, "abab123");
	match("[[:alpha:]]+", REG_EXTENDED, "123 word 456");
	match("HELLO", REG_ICASE, "say hello");
	match("x*", REG_EXTENDED, "");
	match("(unclosed", REG_EXTENDED, "");
	match("[z-a]", 0, "");
	match("*", REG_EXTENDED, "");
	match("a.c", REG_EXTENDED, "a\nc");
	match("a.c", REG_EXTENDED | REG_NEWLINE, "a\nc");
	match("\\(a\\)\\1", 0, "baab");
	match("\xc3\xbc+", REG_EXTENDED, "f\303\274\303\274r");

	printf("%d %d %d %d %d %d\n", fnmatch("*.c", "file.c", 0), fnmatch("*.c", "dir/file.c", FNM_PATHNAME),
		fnmatch("[!a-c]?", "dx", 0), fnmatch("*", ".hidden", FNM_PERIOD), fnmatch("\\*", "*", 0),
		fnmatch("A*", "abc", FNM_CASEFOLD));

	convert("UTF-16LE", "UTF-8", text, strlen(text));
	convert("LATIN1", "UTF-8", "gr\303\274n", 5);
	convert("UTF-8", "ISO-8859-15", "\244", 1);
	convert("ASCII", "UTF-8", "\303\274", 2);
	convert("UTF-8", "UTF-8", "\303", 1);
	convert("UTF-8", "UTF-8", "\377", 1);
	convert("UTF-8", "SHIFT_JIS", "\202\240", 2);
	convert("nothing", "UTF-8", "", 0);
	return 0;
}
