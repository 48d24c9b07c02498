#include "metrics.h"

#include "../php_redislock.h"

#include "ext/standard/info.h"
#include "zend_smart_str.h"

#include <inttypes.h>

/* A counter as people get it. Those of one name are one metric, told apart by their kind. */
typedef struct counter_kind {
	const char *name;
	const char *kind;
	const char *help;
} counter_kind;

/* A histogram as people get it: its unit is the second, or the whole lease. */
typedef struct histogram_kind {
	const char *name;
	uint64_t unit;          /* how many of the histogram's own it has: 1000 or 1000000 */
	const char *help;
} histogram_kind;

static const char error_help[] = "Calls that failed, by the kind of their exception.";

static const counter_kind counters[RL_COUNTERS] = {
	[RL_COUNT_ATTEMPTS] = {"attempts", NULL, "Calls of acquire."},
	[RL_COUNT_ACQUIRED] = {"acquired", NULL, "Calls of acquire that got the lock."},
	[RL_COUNT_REFUSED] = {"refused", NULL, "Calls of acquire without a wait that found the lock held."},
	[RL_COUNT_TIMED_OUT] = {"timed_out", NULL, "Calls of acquire that waited in vain."},
	[RL_COUNT_CONTENDED] = {"contended", NULL, "Calls of acquire that met another holder, whatever came of it."},
	[RL_COUNT_HANDED_OVER] = {"hand_overs", NULL, "Locks acquired by a waiter that was woken for it."},
	[RL_COUNT_ATTACHED] = {"attached", NULL, "Locks taken over by their token."},
	[RL_COUNT_RENEWED] = {"renewed", NULL, "Leases renewed."},
	[RL_COUNT_RENEWALS_REFUSED] = {"renewals_refused", NULL, "Renewals of a lease that was no longer ours."},
	[RL_COUNT_RELEASED] = {"released", NULL, "Locks given back in time."},
	[RL_COUNT_RELEASED_AUTOMATICALLY] = {"released_automatically", NULL,
		"Locks given back at the end of their object or request."},
	[RL_COUNT_RELEASED_LATE] = {"released_late", NULL, "Locks given back when their lease was over."},
	[RL_COUNT_LOST] = {"lost", NULL, "Locks that were gone although their lease was not over."},
	[RL_COUNT_ERRORS_CONNECTION] = {"errors", "connection", error_help},
	[RL_COUNT_ERRORS_UNCERTAIN] = {"errors", "uncertain", error_help},
	[RL_COUNT_ERRORS_SERVER] = {"errors", "server", error_help},
	[RL_COUNT_ERRORS_QUORUM] = {"errors", "quorum", error_help},
	[RL_COUNT_ERRORS_LOST] = {"errors", "lost", error_help},
	[RL_COUNT_ERRORS_SYSTEM] = {"errors", "system", error_help},
};

static const counter_kind wire_counters[RL_WIRE_COUNTERS] = {
	[RL_COUNT_CONNECTIONS] = {"connections", NULL, "Connections opened."},
	[RL_COUNT_RECONNECTS] = {"reconnects", NULL, "Connections opened in the place of one that was of no use any more."},
	[RL_COUNT_PARKED] = {"connections_parked", NULL, "Connections given up with a command under way."},
	[RL_COUNT_REPEATS] = {"repeats", NULL, "Commands sent again because their answer was lost."},
	[RL_COUNT_ORPHANS] = {"orphans", NULL, "Grants that nobody could use, and that were given back."},
	[RL_COUNT_RAISES] = {"raises", NULL, "Attempts on a quorum that needed a second round for the fence."},
	[RL_COUNT_NODE_FAILURES] = {"node_failures", NULL, "Failures of one node of a quorum."},
	[RL_COUNT_FENCES_AHEAD] = {"fences_ahead", NULL, "Fences more than a minute ahead of the clock of the server."},
};

static const histogram_kind histograms[RL_HISTOGRAMS + 1] = {
	[RL_HISTOGRAM_WAIT] = {"wait_seconds", 1000000, "Time from the call of acquire to its grant."},
	[RL_HISTOGRAM_HOLD] = {"hold_seconds", 1000000, "Time from the grant of a lock to its end."},
	[RL_HISTOGRAM_LEASE_USED] = {"lease_used_ratio", 1000,
		"Share of the lease that was over when it was given back; more than 1: too late."},
	[RL_HISTOGRAM_ROUND_TRIP] = {"round_trip_seconds", 1000000, "Time from sending a command to its answer."},
};

/* The numbers are read once, so that what is printed of them agrees with itself. */
typedef struct histogram_values {
	uint64_t buckets[RL_STATS_BUCKETS + 1];   /* running sums: the last one is the count */
	uint64_t sum;
} histogram_values;

typedef struct group_values {
	char name[RL_STATS_GROUP_NAME];           /* "": not in use */
	uint64_t counters[RL_COUNTERS];
	histogram_values histograms[RL_HISTOGRAMS];
} group_values;

typedef struct values {
	group_values total;
	group_values groups[RL_STATS_GROUPS + 1];
	uint64_t wire[RL_WIRE_COUNTERS];
	histogram_values round_trip;
} values;

static uint64_t read_number(const _Atomic uint64_t *number)
{
	return atomic_load_explicit(number, memory_order_relaxed);
}

static void read_histogram(histogram_values *to, const rl_histogram *from)
{
	uint64_t sum = 0;

	for (int i = 0; i <= RL_STATS_BUCKETS; i++) {
		sum += read_number(&from->buckets[i]);
		to->buckets[i] = sum;
	}
	to->sum = read_number(&from->sum);
}

static void add_histogram(histogram_values *to, const histogram_values *from)
{
	for (int i = 0; i <= RL_STATS_BUCKETS; i++) {
		to->buckets[i] += from->buckets[i];
	}
	to->sum += from->sum;
}

/* All 0 where nothing is counted. To be freed with efree(). */
static values *read_values(void)
{
	const rl_stats *stats = php_redislock_stats;
	values *read = ecalloc(1, sizeof(*read));

	if (stats == NULL) {
		return read;
	}
	for (int i = 0; i <= RL_STATS_GROUPS; i++) {
		group_values *group = &read->groups[i];

		if (!rl_stats_group_name(stats, i, group->name)) {
			continue;
		}
		for (int j = 0; j < RL_COUNTERS; j++) {
			group->counters[j] = read_number(&stats->groups[i].counters[j]);
			read->total.counters[j] += group->counters[j];
		}
		for (int j = 0; j < RL_HISTOGRAMS; j++) {
			read_histogram(&group->histograms[j], &stats->groups[i].histograms[j]);
			add_histogram(&read->total.histograms[j], &group->histograms[j]);
		}
	}
	for (int j = 0; j < RL_WIRE_COUNTERS; j++) {
		read->wire[j] = read_number(&stats->wire[j]);
	}
	read_histogram(&read->round_trip, &stats->round_trip);
	return read;
}

enum { NUMBER_SIZE = 64 };

/* value / unit as decimal text, exactly; a double would follow the locale and php.ini's precision. */
static void format_units(char *to, uint64_t value, uint64_t unit)
{
	size_t length = (size_t) snprintf(to, NUMBER_SIZE, "%" PRIu64 ".%0*" PRIu64, value / unit, unit == 1000 ? 3 : 6,
		value % unit);

	while (to[length - 1] == '0') {
		length--;
	}
	if (to[length - 1] == '.') {
		length--;
	}
	to[length] = '\0';
}

static void add_histogram_to_array(zval *array, rl_histogram_id id, const histogram_values *from)
{
	const histogram_kind *kind = &histograms[id];
	zval histogram, buckets;
	char bound[NUMBER_SIZE];

	array_init(&histogram);
	array_init(&buckets);
	for (int i = 0; i < RL_STATS_BUCKETS; i++) {
		format_units(bound, (uint64_t) rl_stats_bound(id, i), kind->unit);
		add_assoc_long(&buckets, bound, (zend_long) from->buckets[i]);
	}
	add_assoc_long(&buckets, "+Inf", (zend_long) from->buckets[RL_STATS_BUCKETS]);
	add_assoc_long(&histogram, "count", (zend_long) from->buckets[RL_STATS_BUCKETS]);
	add_assoc_double(&histogram, "sum", (double) from->sum / (double) kind->unit);
	add_assoc_zval(&histogram, "buckets", &buckets);
	add_assoc_zval(array, kind->name, &histogram);
}

static void add_group_to_array(zval *array, const group_values *from)
{
	zval errors;

	array_init(&errors);
	for (int j = 0; j < RL_COUNTERS; j++) {
		if (counters[j].kind != NULL) {
			add_assoc_long(&errors, counters[j].kind, (zend_long) from->counters[j]);
		} else {
			add_assoc_long(array, counters[j].name, (zend_long) from->counters[j]);
		}
	}
	add_assoc_zval(array, "errors", &errors);
	for (int j = 0; j < RL_HISTOGRAMS; j++) {
		add_histogram_to_array(array, j, &from->histograms[j]);
	}
}

PHP_METHOD(RedisLock, stats)
{
	values *read;
	zval groups;

	ZEND_PARSE_PARAMETERS_NONE();

	array_init(return_value);
	read = read_values();
	add_group_to_array(return_value, &read->total);
	for (int j = 0; j < RL_WIRE_COUNTERS; j++) {
		add_assoc_long(return_value, wire_counters[j].name, (zend_long) read->wire[j]);
	}
	add_histogram_to_array(return_value, RL_HISTOGRAM_ROUND_TRIP, &read->round_trip);
	if (php_redislock_stats != NULL && php_redislock_stats->grouped) {
		array_init(&groups);
		for (int i = 0; i <= RL_STATS_GROUPS; i++) {
			zval group;

			if (read->groups[i].name[0] != '\0') {
				array_init(&group);
				add_group_to_array(&group, &read->groups[i]);
				/* A group whose name is a number is found by that name, as in every array of PHP. */
				add_assoc_zval(&groups, read->groups[i].name, &group);
			}
		}
		add_assoc_zval(return_value, "groups", &groups);
	}
	efree(read);
}

/* A value of a label: valid UTF-8 without control characters already, see rl_stats_group_name(). */
static void append_escaped(smart_str *text, const char *value)
{
	for (; *value != '\0'; value++) {
		if (*value == '"' || *value == '\\') {
			smart_str_appendc(text, '\\');
		}
		smart_str_appendc(text, *value);
	}
}

static void append_label(smart_str *text, bool *first, const char *name, const char *value)
{
	if (value == NULL) {
		return;
	}
	smart_str_appendc(text, *first ? '{' : ',');
	smart_str_appends(text, name);
	smart_str_appends(text, "=\"");
	append_escaped(text, value);
	smart_str_appendc(text, '"');
	*first = false;
}

/* One line. Labels whose value is NULL are left out. */
static void append_sample(smart_str *text, const char *name, const char *suffix, const char *group, const char *label,
	const char *label_value, const char *value)
{
	bool first = true;

	smart_str_appends(text, "redislock_");
	smart_str_appends(text, name);
	smart_str_appends(text, suffix);
	append_label(text, &first, "group", group);
	append_label(text, &first, label, label_value);
	smart_str_appends(text, first ? " " : "} ");
	smart_str_appends(text, value);
	smart_str_appendc(text, '\n');
}

static void append_number(smart_str *text, const char *name, const char *suffix, const char *group, const char *label,
	const char *label_value, uint64_t value)
{
	char number[NUMBER_SIZE];

	snprintf(number, sizeof(number), "%" PRIu64, value);
	append_sample(text, name, suffix, group, label, label_value, number);
}

static void append_head(smart_str *text, const char *name, const char *suffix, const char *help, const char *type)
{
	smart_str_append_printf(text, "# HELP redislock_%s%s %s\n# TYPE redislock_%s%s %s\n", name, suffix, help, name, suffix,
		type);
}

static void append_histogram(smart_str *text, const char *group, rl_histogram_id id, const histogram_values *from)
{
	const histogram_kind *kind = &histograms[id];
	char number[NUMBER_SIZE];

	for (int i = 0; i < RL_STATS_BUCKETS; i++) {
		format_units(number, (uint64_t) rl_stats_bound(id, i), kind->unit);
		append_number(text, kind->name, "_bucket", group, "le", number, from->buckets[i]);
	}
	append_number(text, kind->name, "_bucket", group, "le", "+Inf", from->buckets[RL_STATS_BUCKETS]);
	format_units(number, from->sum, kind->unit);
	append_sample(text, kind->name, "_sum", group, NULL, NULL, number);
	append_number(text, kind->name, "_count", group, NULL, NULL, from->buckets[RL_STATS_BUCKETS]);
}

/* The label of a group: NULL if locks are not counted by group. */
static const char *label_of(const group_values *group)
{
	return php_redislock_stats->grouped ? group->name : NULL;
}

static void append_groups(smart_str *text, const values *read)
{
	for (int j = 0; j < RL_COUNTERS; j++) {
		if (j == 0 || strcmp(counters[j].name, counters[j - 1].name) != 0) {
			append_head(text, counters[j].name, "_total", counters[j].help, "counter");
		}
		for (int i = 0; i <= RL_STATS_GROUPS; i++) {
			const group_values *group = &read->groups[i];

			if (group->name[0] != '\0') {
				append_number(text, counters[j].name, "_total", label_of(group), "kind", counters[j].kind, group->counters[j]);
			}
		}
	}
	for (int j = 0; j < RL_HISTOGRAMS; j++) {
		append_head(text, histograms[j].name, "", histograms[j].help, "histogram");
		for (int i = 0; i <= RL_STATS_GROUPS; i++) {
			const group_values *group = &read->groups[i];

			if (group->name[0] != '\0') {
				append_histogram(text, label_of(group), j, &group->histograms[j]);
			}
		}
	}
}

PHP_METHOD(RedisLock, metrics)
{
	smart_str text = {0};
	values *read;

	ZEND_PARSE_PARAMETERS_NONE();

	if (php_redislock_stats == NULL) {
		RETURN_EMPTY_STRING();
	}
	read = read_values();
	append_head(&text, "build_info", "", "Always 1; the version is its label.", "gauge");
	append_number(&text, "build_info", "", NULL, "version", PHP_REDISLOCK_VERSION, 1);
	append_groups(&text, read);
	for (int j = 0; j < RL_WIRE_COUNTERS; j++) {
		append_head(&text, wire_counters[j].name, "_total", wire_counters[j].help, "counter");
		append_number(&text, wire_counters[j].name, "_total", NULL, NULL, NULL, read->wire[j]);
	}
	append_head(&text, histograms[RL_HISTOGRAM_ROUND_TRIP].name, "", histograms[RL_HISTOGRAM_ROUND_TRIP].help, "histogram");
	append_histogram(&text, NULL, RL_HISTOGRAM_ROUND_TRIP, &read->round_trip);
	efree(read);
	RETURN_STR(smart_str_extract(&text));
}

static void print_number(const char *name, const char *kind, uint64_t value)
{
	char label[NUMBER_SIZE], number[NUMBER_SIZE];

	snprintf(label, sizeof(label), kind != NULL ? "%s (%s)" : "%s", name, kind);
	snprintf(number, sizeof(number), "%" PRIu64, value);
	php_info_print_table_row(2, label, number);
}

static void print_groups(const values *read)
{
	static const rl_counter shown[] = {
		RL_COUNT_ATTEMPTS, RL_COUNT_ACQUIRED, RL_COUNT_CONTENDED, RL_COUNT_TIMED_OUT, RL_COUNT_RELEASED_LATE, RL_COUNT_LOST
	};

	php_info_print_table_start();
	php_info_print_table_header(7, "Group of locks", "attempts", "acquired", "contended", "timed_out", "released_late",
		"lost");
	for (int i = 0; i <= RL_STATS_GROUPS; i++) {
		char numbers[sizeof(shown) / sizeof(shown[0])][NUMBER_SIZE];

		if (read->groups[i].name[0] == '\0') {
			continue;
		}
		for (size_t j = 0; j < sizeof(shown) / sizeof(shown[0]); j++) {
			snprintf(numbers[j], sizeof(numbers[j]), "%" PRIu64, read->groups[i].counters[shown[j]]);
		}
		php_info_print_table_row(7, read->groups[i].name, numbers[0], numbers[1], numbers[2], numbers[3], numbers[4],
			numbers[5]);
	}
	php_info_print_table_end();
}

void php_redislock_print_stats(void)
{
	values *read;

	php_info_print_table_start();
	if (php_redislock_stats == NULL) {
		php_info_print_table_row(2, "Counters", REDISLOCK_G(stats) ? "off since the process started" : "off (redislock.stats)");
		php_info_print_table_end();
		return;
	}
	read = read_values();
	php_info_print_table_header(2, "Counter", "Value since the start, of all processes that share it");
	for (int j = 0; j < RL_COUNTERS; j++) {
		print_number(counters[j].name, counters[j].kind, read->total.counters[j]);
	}
	for (int j = 0; j < RL_WIRE_COUNTERS; j++) {
		print_number(wire_counters[j].name, NULL, read->wire[j]);
	}
	php_info_print_table_end();
	if (php_redislock_stats->grouped) {
		print_groups(read);
	}
	efree(read);
}
