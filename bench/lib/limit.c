/*
 * The limit: what a lock costs at least on hiredis. SET NX PX, or the script in ACQUIRE, which hands out a fence; then
 * compare-and-delete in Lua.
 *
 *   limit unix PATH [ACQUIRE] | limit tcp HOST PORT [ACQUIRE]
 *
 * Reads lines with a number of cycles, and answers each with the nanoseconds that they took.
 */
#include <hiredis/hiredis.h>

#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const char compare_and_delete[] =
	"if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) else return 0 end";

static void die(const char *text)
{
	fprintf(stderr, "limit: %s\n", text);
	exit(1);
}

static int64_t now(void)
{
	struct timespec moment;

	clock_gettime(CLOCK_MONOTONIC, &moment);
	return (int64_t) moment.tv_sec * 1000000000 + moment.tv_nsec;
}

static redisReply *ask(redisContext *context, int count, const char **words)
{
	redisReply *reply = redisCommandArgv(context, count, words, NULL);

	if (reply == NULL || reply->type == REDIS_REPLY_ERROR) {
		die(reply == NULL ? context->errstr : reply->str);
	}
	return reply;
}

/* The hash of a script. */
static char *load(redisContext *context, const char *script)
{
	const char *words[] = {"SCRIPT", "LOAD", script};
	redisReply *reply = ask(context, 3, words);
	char *hash = strdup(reply->str);

	freeReplyObject(reply);
	return hash;
}

static const char *read_file(const char *path)
{
	static char text[8192];
	FILE *file = fopen(path, "r");
	size_t length = file == NULL ? 0 : fread(text, 1, sizeof(text) - 1, file);

	if (length == 0) {
		die("cannot read the script");
	}
	fclose(file);
	text[length] = '\0';
	return text;
}

/* acquire: the hash of the script that hands out a fence, or NULL. */
static void cycle(redisContext *context, const char *acquire, const char *hash, uint64_t number)
{
	char token[33];
	const char *set[] = {"SET", "{limit:job}", token, "NX", "PX", "30000"};
	const char *script[] = {"EVALSHA", acquire, "2", "{limit:job}", "{limit:job}:fence", token, "30000", "604800000"};
	const char *release[] = {"EVALSHA", hash, "1", "{limit:job}", token};
	redisReply *reply;

	snprintf(token, sizeof(token), "%032" PRIx64, number);
	reply = acquire == NULL ? ask(context, 6, set) : ask(context, 8, script);
	if (reply->type != (acquire == NULL ? REDIS_REPLY_STATUS : REDIS_REPLY_STRING)) {
		die("the lock was not free");
	}
	freeReplyObject(reply);
	reply = ask(context, 5, release);
	if (reply->type != REDIS_REPLY_INTEGER || reply->integer != 1) {
		die("the lock was not ours");
	}
	freeReplyObject(reply);
}

int main(int argc, char **argv)
{
	redisContext *context = NULL;
	const char *script = NULL;
	char *acquire = NULL;
	char *release;
	uint64_t number = 0;
	char line[64];

	if (argc >= 3 && argc <= 4 && strcmp(argv[1], "unix") == 0) {
		context = redisConnectUnix(argv[2]);
		script = argc == 4 ? argv[3] : NULL;
	} else if (argc >= 4 && argc <= 5 && strcmp(argv[1], "tcp") == 0) {
		context = redisConnect(argv[2], atoi(argv[3]));
		script = argc == 5 ? argv[4] : NULL;
	} else {
		die("use: limit unix PATH [ACQUIRE] | limit tcp HOST PORT [ACQUIRE]");
	}
	if (context == NULL || context->err != 0) {
		die("cannot connect");
	}
	if (script != NULL) {
		acquire = load(context, read_file(script));
	}
	release = load(context, compare_and_delete);
	while (fgets(line, sizeof(line), stdin) != NULL) {
		long cycles = atol(line);
		int64_t begin = now();

		for (long i = 0; i < cycles; i++) {
			cycle(context, acquire, release, number++);
		}
		printf("%" PRId64 "\n", now() - begin);
		fflush(stdout);
	}
	free(acquire);
	free(release);
	redisFree(context);
	return 0;
}
