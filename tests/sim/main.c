/* Runs many schedules, in several processes, and says what happened in them. Called by tests/sim/run. */
#include "schedule.h"
#include "sim.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { JOBS_MOST = 64 };

typedef struct options {
	long schedules;       /* of each mode */
	uint64_t seed;
	bool quorum, single;
	bool trace;
	bool go_on;           /* after a rule was broken: the seed whose schedule is the shortest is the easiest to read */
	int jobs;
} options;

/* What one job has done, in memory that all share. */
typedef struct job {
	long counts[SIM_COUNTS];
	uint64_t digest;
	long done;
	long broken;
	uint64_t broken_seed;
	long broken_events;
	char rule[400];
} job;

static job *jobs;

static void run_one(const options *options, job *job, uint64_t seed, bool quorum)
{
	long before = sim_counts[SIM_EVENTS];
	const char *rule = schedule_run(seed, quorum, false);
	long events = sim_counts[SIM_EVENTS] - before;

	job->done++;
	/* The order in which the jobs come to their schedules does not matter. */
	job->digest += sim_digest();
	if (rule != NULL) {
		if (options->go_on) {
			printf("seed %llu, %ld events: %s\n", (unsigned long long) seed, events, rule);
		}
		if (job->broken++ == 0 || events < job->broken_events) {
			job->broken_seed = seed;
			job->broken_events = events;
			snprintf(job->rule, sizeof(job->rule), "%s", rule);
		}
	}
}

static bool anybody_broke_a_rule(const options *options)
{
	for (int i = 0; i < options->jobs; i++) {
		if (jobs[i].broken > 0) {
			return true;
		}
	}
	return false;
}

static void run_job(const options *options, int number, bool quorum)
{
	job *job = &jobs[number];

	memset(sim_counts, 0, sizeof(sim_counts));
	for (long i = number; i < options->schedules; i += options->jobs) {
		if (!options->go_on && anybody_broke_a_rule(options)) {
			break;
		}
		run_one(options, job, options->seed + (uint64_t) i, quorum);
	}
	memcpy(job->counts, sim_counts, sizeof(job->counts));
}

static double seconds(struct timeval time)
{
	return (double) time.tv_sec + (double) time.tv_usec / 1e6;
}

static double cpu_used(void)
{
	struct rusage own, children;

	getrusage(RUSAGE_SELF, &own);
	getrusage(RUSAGE_CHILDREN, &children);
	return seconds(own.ru_utime) + seconds(own.ru_stime) + seconds(children.ru_utime) + seconds(children.ru_stime);
}

static double wall(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double) now.tv_sec + (double) now.tv_nsec / 1e9;
}

static void print_counts(const long *counts)
{
	int column = 0;

	for (int i = 0; i < SIM_COUNTS; i++) {
		if (counts[i] != 0) {
			printf("%s%s %ld", column == 0 ? "  " : ", ", sim_count_names[i], counts[i]);
			column = column == 5 ? 0 : column + 1;
			if (column == 0) {
				putchar('\n');
			}
		}
	}
	if (column != 0) {
		putchar('\n');
	}
}

/* False: one of them did not end well. */
static bool run_jobs(const options *options, bool quorum)
{
	bool well = true;
	int status;

	if (options->jobs == 1) {
		/* In this process: easier on a debugger. */
		run_job(options, 0, quorum);
		return true;
	}
	for (int i = 0; i < options->jobs; i++) {
		if (fork() == 0) {
			run_job(options, i, quorum);
			exit(0);
		}
	}
	for (int i = 0; i < options->jobs; i++) {
		well = wait(&status) >= 0 && status == 0 && well;
	}
	return well;
}

/* Runs the schedules of one mode. False: a rule was broken. */
static bool run_mode(const options *options, bool quorum)
{
	const char *mode = quorum ? "quorum" : "single";
	double cpu = cpu_used(), begun = wall();
	job sum = {0};
	bool crashed;

	memset(jobs, 0, sizeof(*jobs) * JOBS_MOST);
	/* What several jobs print shall not be mixed within a line. */
	setvbuf(stdout, NULL, _IOLBF, 0);
	crashed = !run_jobs(options, quorum);
	cpu = cpu_used() - cpu;
	for (int i = 0; i < options->jobs; i++) {
		const job *job = &jobs[i];

		for (int j = 0; j < SIM_COUNTS; j++) {
			sum.counts[j] += job->counts[j];
		}
		sum.done += job->done;
		sum.digest += job->digest;
		if (job->broken > 0 && (sum.broken == 0 || job->broken_events < sum.broken_events)) {
			sum.broken_seed = job->broken_seed;
			sum.broken_events = job->broken_events;
			memcpy(sum.rule, job->rule, sizeof(sum.rule));
		}
		sum.broken += job->broken;
	}
	printf("%s: %ld schedules, %.1f s of CPU (%.0f us each), %.1f s; digest %016llx\n", mode, sum.done, cpu,
		sum.done == 0 ? 0.0 : cpu * 1e6 / (double) sum.done, wall() - begun, (unsigned long long) sum.digest);
	print_counts(sum.counts);
	if (sum.broken > 0) {
		printf("BROKEN in %ld schedules of %s; seed %llu (%ld events): %s\n", sum.broken, mode,
			(unsigned long long) sum.broken_seed, sum.broken_events, sum.rule);
		printf("replay: tests/sim/run --mode=%s --schedules=1 --seed=%llu --trace\n", mode,
			(unsigned long long) sum.broken_seed);
	}
	if (crashed) {
		printf("CRASHED: a process of the simulation did not end well\n");
	}
	return sum.broken == 0 && !crashed;
}

static void trace_one(const options *options, bool quorum)
{
	const char *rule;

	rule = schedule_run(options->seed, quorum, true);
	printf("%s seed %llu: %s; digest %016llx\n", quorum ? "quorum" : "single", (unsigned long long) options->seed,
		rule == NULL ? "all rules held" : rule, (unsigned long long) sim_digest());
	exit(rule == NULL ? 0 : 1);
}

static bool read_option(options *options, const char *argument)
{
	if (strncmp(argument, "--schedules=", 12) == 0) {
		options->schedules = atol(argument + 12);
	} else if (strncmp(argument, "--seed=", 7) == 0) {
		options->seed = strtoull(argument + 7, NULL, 10);
	} else if (strcmp(argument, "--mode=quorum") == 0) {
		options->single = false;
	} else if (strcmp(argument, "--mode=single") == 0) {
		options->quorum = false;
	} else if (strcmp(argument, "--mode=both") == 0) {
		options->quorum = options->single = true;
	} else if (strcmp(argument, "--trace") == 0) {
		options->trace = true;
	} else if (strcmp(argument, "--go-on") == 0) {
		options->go_on = true;
	} else if (strncmp(argument, "--jobs=", 7) == 0) {
		options->jobs = atoi(argument + 7);
	} else {
		return false;
	}
	return options->schedules >= 0 && options->jobs >= 1 && options->jobs <= JOBS_MOST;
}

int main(int count, char **arguments)
{
	options options = {.schedules = 1000000, .seed = 1, .quorum = true, .single = true, .jobs = 2};
	bool held = true;

	for (int i = 1; i < count; i++) {
		if (!read_option(&options, arguments[i])) {
			fprintf(stderr, "tests/sim: bad option %s; see tests/sim/run --help\n", arguments[i]);
			return 2;
		}
	}
	schedule_begin();
	if (options.trace) {
		trace_one(&options, options.quorum);
	}
	jobs = mmap(NULL, sizeof(*jobs) * JOBS_MOST, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (jobs == MAP_FAILED) {
		return 2;
	}
	if (options.quorum && options.single) {
		options.schedules = (options.schedules + 1) / 2;
	}
	if (options.quorum) {
		held = run_mode(&options, true);
	}
	if (options.single && (held || options.go_on)) {
		held = run_mode(&options, false) && held;
	}
	return held ? 0 : 1;
}
