/*
 * The limit: what a lock without fence costs at least on hiredis. SET NX PX, then compare-and-delete in Lua.
 *
 *   limit unix PATH | limit tcp HOST PORT
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

static void cycle(redisContext *context, const char *hash, uint64_t number)
{
	char token[33];
	const char *set[] = {"SET", "limit:job", token, "NX", "PX", "30000"};
	const char *release[] = {"EVALSHA", hash, "1", "limit:job", token};
	redisReply *reply;

	snprintf(token, sizeof(token), "%032" PRIx64, number);
	reply = ask(context, 6, set);
	if (reply->type != REDIS_REPLY_STATUS) {
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
	const char *load[] = {"SCRIPT", "LOAD", compare_and_delete};
	redisContext *context = NULL;
	redisReply *hash;
	uint64_t number = 0;
	char line[64];

	if (argc == 3 && strcmp(argv[1], "unix") == 0) {
		context = redisConnectUnix(argv[2]);
	} else if (argc == 4 && strcmp(argv[1], "tcp") == 0) {
		context = redisConnect(argv[2], atoi(argv[3]));
	} else {
		die("use: limit unix PATH | limit tcp HOST PORT");
	}
	if (context == NULL || context->err != 0) {
		die("cannot connect");
	}
	hash = ask(context, 3, load);
	while (fgets(line, sizeof(line), stdin) != NULL) {
		long cycles = atol(line);
		int64_t begin = now();

		for (long i = 0; i < cycles; i++) {
			cycle(context, hash->str, number++);
		}
		printf("%" PRId64 "\n", now() - begin);
		fflush(stdout);
	}
	freeReplyObject(hash);
	redisFree(context);
	return 0;
}
