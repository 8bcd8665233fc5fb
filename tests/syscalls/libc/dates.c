// Dates: calendars, formats, time zones from TZ.
#include "../show.h"
#include <stdlib.h>
#include <time.h>

static void show_time(time_t t)
{
	char text[200];
	struct tm tm;
	gmtime_r(&t, &tm);
	strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S %a %A %b %B %j %U %W %V %G %u %w %y %C %p %I %e %D %F %T %R %n%t%%", &tm);
	puts(text);
	localtime_r(&t, &tm);
	strftime(text, sizeof text, "%c | %x | %X | %r | %z %Z | %s", &tm);
	puts(text);
	printf("%d %ld %s\n", tm.tm_isdst, (long)mktime(&tm), asctime(&tm));
}

int main(void)
{
	const char *zones[] = { "UTC", "CET-1CEST,M3.5.0,M10.5.0/3", "EST5EDT,M3.2.0,M11.1.0", "<+0545>-5:45", "" };
	time_t times[] = { 0, 1, -1, 951782400, 1078012800, 1700000000, 1720000000, 4102444799, -2208988800 };
	struct tm tm = { 0 };

	for (size_t z = 0; z < sizeof zones / sizeof *zones; z++) {
		setenv("TZ", zones[z], 1);
		tzset();
		printf("TZ=%s: %s %s %ld %d\n", zones[z], tzname[0], tzname[1], timezone, daylight);
		for (size_t i = 0; i < sizeof times / sizeof *times; i++) show_time(times[i]);
	}
	setenv("TZ", "UTC", 1);
	printf("%s\n", strptime("2024-02-29 12:34:56", "%Y-%m-%d %H:%M:%S", &tm) ? "parsed" : "not parsed");
	printf("%ld\n", (long)mktime(&tm));
	printf("%s\n", strptime("Mon, 5 Jan 98", "%a, %d %b %y", &tm) ? "parsed" : "not parsed");
	printf("%d %d %d\n", tm.tm_year, tm.tm_mon, tm.tm_wday);
	tm = (struct tm){ .tm_year = 124, .tm_mon = 14, .tm_mday = 35, .tm_hour = -5 };
	printf("%ld %s", (long)mktime(&tm), asctime(&tm));
	printf("%ld %.1f\n", (long)timegm(&tm), difftime(10, 3));
	return 0;
}
