// Substitutes text: a pattern is translated to items, a substitution to parts, and every match in the lines of a text is
// replaced. Pattern, substitution and text are symbolic. It has about 150 branches and allocates nothing: the size of the
// classic small subjects of concolic testing.
//
// A pattern has characters, `.`, classes such as `[a-z_]` and `[^0-9]`, escapes (\n \t \d \w \s), anchors `^` and `$`, `|`
// between alternatives, and `*`, `+`, `?`, `{n}` after an item. A substitution has characters, `&` for the match, `\n`,
// `\t`, `\u` and `\l` for the match in upper and lower case.
#include <forkwise.h>

#define MAX_ITEMS 16
#define MAX_SET 16
#define MAX_PARTS 12
#define MAX_OUT 256

enum kind { END, ANY, CHARACTER, SET, NOT_SET, AT_START, AT_END };
enum often { ONCE, MAYBE, MANY, SOME, COUNTED };

struct item {
	enum kind kind;
	enum often often;
	unsigned char value;
	unsigned char count;
	unsigned char n;
	unsigned char low[MAX_SET], high[MAX_SET];
};

struct pattern {
	struct item items[MAX_ITEMS];
	int n;
	int first[4]; // items with which alternatives begin
	int alternatives;
};

enum part_kind { TEXT, MATCH, UPPER, LOWER };

struct part {
	enum part_kind kind;
	unsigned char value;
};

struct substitution {
	struct part parts[MAX_PARTS];
	int n;
};

struct result {
	unsigned char text[MAX_OUT];
	int n;
	int matches, lines, cut;
};

enum error { FINE, TOO_LONG = 2, OPEN_CLASS, BAD_RANGE, BAD_ESCAPE, NOTHING_TO_REPEAT, BAD_COUNT, EMPTY_ALTERNATIVE };

static int is_digit(unsigned char c) { return c >= '0' && c <= '9'; }

static int is_lower(unsigned char c) { return c >= 'a' && c <= 'z'; }

static int is_upper(unsigned char c) { return c >= 'A' && c <= 'Z'; }

static void add_range(struct item *item, unsigned char low, unsigned char high)
{
	if (item->n < MAX_SET) {
		item->low[item->n] = low;
		item->high[item->n] = high;
		item->n++;
	}
}

// A class that an escape names; 0 if it names none.
static int named_class(struct item *item, unsigned char c)
{
	switch (c) {
	case 'd':
		add_range(item, '0', '9');
		return 1;
	case 'w':
		add_range(item, 'a', 'z');
		add_range(item, 'A', 'Z');
		add_range(item, '0', '9');
		add_range(item, '_', '_');
		return 1;
	case 's':
		add_range(item, ' ', ' ');
		add_range(item, '\t', '\n');
		return 1;
	}
	return 0;
}

static int escaped(unsigned char c, unsigned char *out)
{
	switch (c) {
	case 0:
		return 0;
	case 'n':
		*out = '\n';
		return 1;
	case 't':
		*out = '\t';
		return 1;
	}
	if (is_digit(c) || is_lower(c)) return 0;
	*out = c;
	return 1;
}

static enum error read_class(const unsigned char *p, int *at, struct item *item)
{
	int i = *at;
	item->kind = SET;
	if (p[i] == '^') {
		item->kind = NOT_SET;
		i++;
	}
	int first = 1;
	while (p[i] != ']' || first) {
		unsigned char low = p[i];
		first = 0;
		if (low == 0) return OPEN_CLASS;
		i++;
		if (low == '\\') {
			if (named_class(item, p[i])) {
				i++;
				continue;
			}
			if (!escaped(p[i], &low)) return BAD_ESCAPE;
			i++;
		}
		unsigned char high = low;
		if (p[i] == '-' && p[i + 1] != ']' && p[i + 1] != 0) {
			high = p[i + 1];
			i += 2;
			if (high < low) return BAD_RANGE;
		}
		add_range(item, low, high);
	}
	*at = i + 1;
	return FINE;
}

static enum error read_repeat(const unsigned char *p, int *at, struct item *item)
{
	switch (p[*at]) {
	case '*':
		item->often = MANY;
		break;
	case '+':
		item->often = SOME;
		break;
	case '?':
		item->often = MAYBE;
		break;
	case '{':
		if (!is_digit(p[*at + 1]) || p[*at + 2] != '}') return BAD_COUNT;
		item->often = COUNTED;
		item->count = p[*at + 1] - '0';
		*at += 3;
		return FINE;
	default:
		item->often = ONCE;
		return FINE;
	}
	(*at)++;
	return FINE;
}

static enum error read_pattern(const unsigned char *p, struct pattern *out)
{
	int i = 0;
	out->n = 0;
	out->alternatives = 1;
	out->first[0] = 0;
	while (p[i] != 0) {
		if (out->n + 2 >= MAX_ITEMS) return TOO_LONG;
		struct item *item = &out->items[out->n];
		enum error error = FINE;
		item->n = 0;
		item->often = ONCE;
		unsigned char c = p[i++];
		int repeats = 1;
		switch (c) {
		case '.':
			item->kind = ANY;
			break;
		case '[':
			error = read_class(p, &i, item);
			break;
		case '^':
			item->kind = AT_START;
			repeats = 0;
			break;
		case '$':
			item->kind = AT_END;
			repeats = 0;
			break;
		case '|':
			if (out->first[out->alternatives - 1] == out->n) return EMPTY_ALTERNATIVE;
			if (out->alternatives == 4) return TOO_LONG;
			item->kind = END;
			out->first[out->alternatives++] = out->n + 1;
			repeats = 0;
			break;
		case '*':
		case '+':
		case '?':
		case '{':
			return NOTHING_TO_REPEAT;
		case '\\':
			item->kind = SET;
			if (named_class(item, p[i])) {
				i++;
				break;
			}
			item->kind = CHARACTER;
			if (!escaped(p[i], &item->value)) return BAD_ESCAPE;
			i++;
			break;
		default:
			item->kind = CHARACTER;
			item->value = c;
		}
		if (error) return error;
		if (repeats && (error = read_repeat(p, &i, item))) return error;
		out->n++;
	}
	out->items[out->n].kind = END;
	return FINE;
}

static enum error read_substitution(const unsigned char *p, struct substitution *out)
{
	out->n = 0;
	for (int i = 0; p[i] != 0; i++) {
		if (out->n == MAX_PARTS) return TOO_LONG;
		struct part *part = &out->parts[out->n++];
		part->kind = TEXT;
		part->value = p[i];
		if (p[i] == '&') {
			part->kind = MATCH;
		} else if (p[i] == '\\') {
			i++;
			if (p[i] == 'u') part->kind = UPPER;
			else if (p[i] == 'l') part->kind = LOWER;
			else if (!escaped(p[i], &part->value)) return BAD_ESCAPE;
		}
	}
	return FINE;
}

static int in_set(const struct item *item, unsigned char c)
{
	for (int i = 0; i < item->n; i++)
		if (c >= item->low[i] && c <= item->high[i]) return 1;
	return 0;
}

static int matches_one(const struct item *item, unsigned char c)
{
	switch (item->kind) {
	case ANY:
		return 1;
	case CHARACTER:
		return c == item->value;
	case SET:
		return in_set(item, c);
	case NOT_SET:
		return !in_set(item, c);
	default:
		return 0;
	}
}

// The end of a match of items that begins at `at`, or -1.
static int match_here(const struct item *item, const unsigned char *line, int at, int end)
{
	for (; item->kind != END; item++) {
		if (item->kind == AT_START) {
			if (at != 0) return -1;
			continue;
		}
		if (item->kind == AT_END) {
			if (at != end) return -1;
			continue;
		}
		int least = 1, most = 1;
		if (item->often == MAYBE || item->often == MANY) least = 0;
		if (item->often == MANY || item->often == SOME) most = end - at;
		if (item->often == COUNTED) least = most = item->count;
		int n = 0;
		while (n < most && at + n < end && matches_one(item, line[at + n])) n++;
		if (n < least) return -1;
		if (least != most) {
			// As many as possible, fewer where the rest does not match.
			for (; n > least; n--) {
				int rest = match_here(item + 1, line, at + n, end);
				if (rest >= 0) return rest;
			}
		}
		at += n;
	}
	return at;
}

static int match(const struct pattern *pattern, const unsigned char *line, int at, int end)
{
	for (int i = 0; i < pattern->alternatives; i++) {
		int to = match_here(&pattern->items[pattern->first[i]], line, at, end);
		if (to >= 0) return to;
	}
	return -1;
}

static void put(struct result *out, unsigned char c)
{
	if (out->n == MAX_OUT) out->cut = 1;
	else out->text[out->n++] = c;
}

static void put_match(struct result *out, enum part_kind kind, const unsigned char *line, int from, int to)
{
	for (int i = from; i < to; i++) {
		unsigned char c = line[i];
		if (kind == UPPER && is_lower(c)) c = c - 'a' + 'A';
		else if (kind == LOWER && is_upper(c)) c = c - 'A' + 'a';
		put(out, c);
	}
}

static void substitute(struct result *out, const struct substitution *with, const unsigned char *line, int from, int to)
{
	out->matches++;
	for (int i = 0; i < with->n; i++) {
		const struct part *part = &with->parts[i];
		if (part->kind == TEXT) put(out, part->value);
		else put_match(out, part->kind, line, from, to);
	}
}

static void change_line(struct result *out, const struct pattern *pattern, const struct substitution *with,
			const unsigned char *line, int end)
{
	int last = -1;
	for (int at = 0; at <= end;) {
		int to = match(pattern, line, at, end);
		// An empty match right after another one is none.
		if (to >= 0 && !(to == at && at == last)) {
			substitute(out, with, line, at, to);
			last = to;
		}
		if (to <= at) {
			if (at < end) put(out, line[at]);
			at++;
		} else {
			at = to;
		}
	}
}

int main(void)
{
	unsigned char pattern_text[8], with_text[5], text[13];
	forkwise_symbolic(pattern_text, sizeof pattern_text, "pattern");
	forkwise_symbolic(with_text, sizeof with_text, "substitution");
	forkwise_symbolic(text, sizeof text, "text");
	pattern_text[sizeof pattern_text - 1] = with_text[sizeof with_text - 1] = text[sizeof text - 1] = 0;

	static struct pattern pattern;
	static struct substitution with;
	static struct result result;
	enum error error = read_pattern(pattern_text, &pattern);
	if (error) return error;
	error = read_substitution(with_text, &with);
	if (error) return error;
	for (int from = 0; text[from] != 0;) {
		int end = from;
		while (text[end] != 0 && text[end] != '\n') end++;
		change_line(&result, &pattern, &with, text + from, end - from);
		result.lines++;
		if (text[end] == '\n') put(&result, text[end++]);
		from = end;
	}
	if (result.cut) return 10;
	if (result.matches == 0) return 1;
	return result.matches > 3 ? 11 : 0;
}
