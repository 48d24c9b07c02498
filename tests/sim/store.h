/*
 * What one Redis server keeps, and the few commands that the scripts of redislock use on it, as Redis 7 runs them.
 * Sources: https://redis.io/docs/latest/commands/ and, for what is not said there, db.c, expire.c and t_string.c of
 * Redis 7.0: a key is there up to and including the millisecond at which it expires.
 */
#ifndef STORE_H
#define STORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	STORE_KEYS = 16,
	STORE_NAME = 64,
	STORE_TEXT = 16 * (32 + 18) + 1,   /* what attach.lua remembers */
	STORE_ITEMS = 8,
	STORE_ITEM = 24,
	STORE_ARGUMENTS = 12
};

typedef struct store_text {
	const char *data;
	size_t length;
} store_text;

typedef struct store_key {
	char name[STORE_NAME];
	size_t name_length;
	bool is_list;
	char text[STORE_TEXT];
	size_t text_length;
	char items[STORE_ITEMS][STORE_ITEM];   /* of a list, each terminated */
	int item_count;
	int64_t expires_ms;                    /* 0: never */
} store_key;

typedef struct store {
	store_key keys[STORE_KEYS];
	int key_count;
	int64_t time_us;    /* the server's clock: set before every command, and standing still during a script */
	bool full;          /* commands that need memory fail */
} store;

typedef enum store_kind {
	STORE_NIL,
	STORE_OK,
	STORE_INTEGER,
	STORE_STRING,
	STORE_TIME,         /* of TIME: `integer` is in microseconds */
	STORE_ERROR         /* `text` says which */
} store_kind;

typedef struct store_result {
	store_kind kind;
	int64_t integer;
	store_text text;    /* valid until the next command */
} store_result;

/* Runs a command; arguments[0] is its name. */
store_result store_run(store *store, const store_text *arguments, int count);

/* The key, NULL: there is none, or it is over. */
store_key *store_find(store *store, store_text name);

/* Takes the first item off a list, into `item`. False: there is none. */
bool store_pop(store *store, store_text name, char item[STORE_ITEM]);

static inline bool store_same(store_text a, store_text b)
{
	return a.length == b.length && __builtin_memcmp(a.data, b.data, a.length) == 0;
}

#endif
