#include "store.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char full[] = "OOM command not allowed when used memory > 'maxmemory'.";
static const char wrong_type[] = "WRONGTYPE Operation against a key holding the wrong kind of value";

static store_result nil(void)
{
	return (store_result) {.kind = STORE_NIL};
}

static store_result integer(int64_t number)
{
	return (store_result) {.kind = STORE_INTEGER, .integer = number};
}

static store_result error(const char *text)
{
	return (store_result) {.kind = STORE_ERROR, .text = {text, strlen(text)}};
}

/* The scripts were changed, and the model has to learn something new. */
static void stop(const char *what, store_text about)
{
	fprintf(stderr, "tests/sim: the model of Redis does not know %s %.*s\n", what, (int) about.length, about.data);
	abort();
}

static bool is(store_text text, const char *word)
{
	return text.length == strlen(word) && memcmp(text.data, word, text.length) == 0;
}

static int64_t number(store_text text)
{
	int64_t sum = 0;
	bool negative = text.length > 0 && text.data[0] == '-';

	for (size_t i = negative; i < text.length; i++) {
		if (text.data[i] < '0' || text.data[i] > '9') {
			stop("the number", text);
		}
		sum = sum * 10 + (text.data[i] - '0');
	}
	return negative ? -sum : sum;
}

static int64_t time_ms(const store *store)
{
	return store->time_us / 1000;
}

static void remove_key(store *store, store_key *key)
{
	*key = store->keys[--store->key_count];
}

store_key *store_find(store *store, store_text name)
{
	for (int i = 0; i < store->key_count; i++) {
		store_key *key = &store->keys[i];

		if (key->name_length != name.length || memcmp(key->name, name.data, name.length) != 0) {
			continue;
		}
		if (key->expires_ms != 0 && time_ms(store) > key->expires_ms) {
			remove_key(store, key);
			return NULL;
		}
		return key;
	}
	return NULL;
}

static store_key *add(store *store, store_text name)
{
	store_key *key = &store->keys[store->key_count];

	if (store->key_count == STORE_KEYS || name.length > STORE_NAME) {
		stop("a place for the key", name);
	}
	store->key_count++;
	memcpy(key->name, name.data, name.length);
	key->name_length = name.length;
	key->text_length = 0;
	key->item_count = 0;
	key->is_list = false;
	key->expires_ms = 0;
	return key;
}

static store_result set(store *store, const store_text *arguments, int count)
{
	static char old[STORE_TEXT];
	store_key *key;
	bool only_new = false, get = false;
	int64_t expires = 0;
	store_result result = {.kind = STORE_OK};

	for (int i = 3; i < count; i++) {
		if (is(arguments[i], "NX")) {
			only_new = true;
		} else if (is(arguments[i], "GET")) {
			get = true;
		} else if (is(arguments[i], "PX") && i + 1 < count) {
			int64_t px = number(arguments[++i]);

			if (px <= 0) {
				return error("ERR invalid expire time in 'set' command");
			}
			expires = time_ms(store) + px;
		} else {
			stop("the option of SET", arguments[i]);
		}
	}
	if (store->full) {
		return error(full);
	}
	key = store_find(store, arguments[1]);
	if (get) {
		if (key != NULL && key->is_list) {
			return error(wrong_type);
		}
		result = nil();
		if (key != NULL) {
			memcpy(old, key->text, key->text_length);
			result = (store_result) {.kind = STORE_STRING, .text = {old, key->text_length}};
		}
	}
	if (only_new && key != NULL) {
		return get ? result : nil();
	}
	if (key == NULL) {
		key = add(store, arguments[1]);
	}
	if (arguments[2].length > STORE_TEXT) {
		stop("a value this long:", arguments[2]);
	}
	key->is_list = false;
	memcpy(key->text, arguments[2].data, arguments[2].length);
	key->text_length = arguments[2].length;
	key->expires_ms = expires;
	return result;
}

static store_result get(store *store, store_text name)
{
	const store_key *key = store_find(store, name);

	if (key == NULL) {
		return nil();
	}
	if (key->is_list) {
		return error(wrong_type);
	}
	return (store_result) {.kind = STORE_STRING, .text = {key->text, key->text_length}};
}

static store_result delete(store *store, store_text name)
{
	store_key *key = store_find(store, name);

	if (key == NULL) {
		return integer(0);
	}
	remove_key(store, key);
	return integer(1);
}

static store_result left(store *store, store_text name)
{
	const store_key *key = store_find(store, name);

	if (key == NULL) {
		return integer(-2);
	}
	return integer(key->expires_ms == 0 ? -1 : key->expires_ms - time_ms(store));
}

static store_result expire(store *store, const store_text *arguments, int count)
{
	store_key *key = store_find(store, arguments[1]);
	int64_t expires = time_ms(store) + number(arguments[2]);

	if (key == NULL) {
		return integer(0);
	}
	if (count == 4) {
		if (!is(arguments[3], "GT")) {
			stop("the option of PEXPIRE", arguments[3]);
		}
		/* Never is later than any time. */
		if (key->expires_ms == 0 || expires <= key->expires_ms) {
			return integer(0);
		}
	}
	if (expires <= time_ms(store)) {
		remove_key(store, key);
	} else {
		key->expires_ms = expires;
	}
	return integer(1);
}

static store_result push(store *store, store_text name, store_text item)
{
	store_key *key = store_find(store, name);

	if (store->full) {
		return error(full);
	}
	if (key == NULL) {
		key = add(store, name);
		key->is_list = true;
	}
	if (!key->is_list) {
		return error(wrong_type);
	}
	if (key->item_count == STORE_ITEMS || item.length >= STORE_ITEM) {
		stop("a place for the item", item);
	}
	memcpy(key->items[key->item_count], item.data, item.length);
	key->items[key->item_count][item.length] = '\0';
	return integer(++key->item_count);
}

/* LTRIM list -1 -1 */
static store_result keep_last(store *store, store_text name)
{
	store_key *key = store_find(store, name);

	if (key != NULL && key->item_count > 1) {
		memcpy(key->items[0], key->items[key->item_count - 1], STORE_ITEM);
		key->item_count = 1;
	}
	return (store_result) {.kind = STORE_OK};
}

bool store_pop(store *store, store_text name, char item[STORE_ITEM])
{
	store_key *key = store_find(store, name);

	if (key == NULL || !key->is_list) {
		return false;
	}
	memcpy(item, key->items[0], STORE_ITEM);
	key->item_count--;
	memmove(key->items[0], key->items[1], sizeof(key->items[0]) * (size_t) key->item_count);
	if (key->item_count == 0) {
		remove_key(store, key);
	}
	return true;
}

store_result store_run(store *store, const store_text *arguments, int count)
{
	store_text name = arguments[0];

	if (is(name, "SET") && count >= 3) {
		return set(store, arguments, count);
	}
	if (is(name, "GET") && count == 2) {
		return get(store, arguments[1]);
	}
	if (is(name, "TIME") && count == 1) {
		return (store_result) {.kind = STORE_TIME, .integer = store->time_us};
	}
	if (is(name, "PTTL") && count == 2) {
		return left(store, arguments[1]);
	}
	if (is(name, "EXISTS") && count == 2) {
		return integer(store_find(store, arguments[1]) != NULL);
	}
	if (is(name, "DEL") && count == 2) {
		return delete(store, arguments[1]);
	}
	if (is(name, "PEXPIRE") && (count == 3 || count == 4)) {
		return expire(store, arguments, count);
	}
	if (is(name, "RPUSH") && count == 3) {
		return push(store, arguments[1], arguments[2]);
	}
	if (is(name, "LLEN") && count == 2) {
		const store_key *key = store_find(store, arguments[1]);

		return key != NULL && !key->is_list ? error(wrong_type) : integer(key == NULL ? 0 : key->item_count);
	}
	if (is(name, "LTRIM") && count == 4 && is(arguments[2], "-1") && is(arguments[3], "-1")) {
		return keep_last(store, arguments[1]);
	}
	stop("the command", name);
	return nil();
}
