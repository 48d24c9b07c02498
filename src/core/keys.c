#include "rl_keys.h"

#include <stdlib.h>

#define MARK "}:redislock:"

/* The hash tag as the cluster specification has it: between the first '{' and the next '}', if not empty. */
static rl_slice find_tag(rl_slice lock)
{
	const char *open = memchr(lock.data, '{', lock.length);
	size_t rest = open == NULL ? 0 : (size_t) (lock.data + lock.length - open - 1);
	const char *close = open == NULL ? NULL : memchr(open + 1, '}', rest);

	if (close == NULL || close == open + 1) {
		return rl_slice_make(NULL, 0);
	}
	return rl_slice_make(open + 1, (size_t) (close - open - 1));
}

static bool holds_mark(rl_slice lock)
{
	const size_t length = sizeof(MARK) - 1;

	for (size_t i = 0; i + length <= lock.length; i++) {
		if (memcmp(lock.data + i, MARK, length) == 0) {
			return true;
		}
	}
	return false;
}

static char *append(char *to, const char *data, size_t length)
{
	memcpy(to, data, length);
	return to + length;
}

/* Writes one helper key and returns where it ends. */
static char *write_key(char *to, rl_slice lock, rl_slice tag, const char *kind, rl_slice *key)
{
	char *begin = to;
	bool tagged = tag.data != NULL;

	to = append(to, "{", 1);
	to = tagged ? append(to, tag.data, tag.length) : append(to, lock.data, lock.length);
	to = append(to, MARK, sizeof(MARK) - 1);
	to = append(to, kind, strlen(kind));
	if (tagged) {
		to = append(to, ":", 1);
		to = append(to, lock.data, lock.length);
	}
	*key = rl_slice_make(begin, (size_t) (to - begin));
	return to;
}

rl_status rl_keys_make(rl_keys *keys, rl_slice prefix, rl_slice name, rl_error *error)
{
	size_t length = prefix.length + name.length;
	rl_slice tag;
	char *to;

	if (name.length == 0 || name.length > RL_KEYS_MAX_NAME) {
		return rl_error_set(error, RL_INVALID, "must have 1 to %d bytes, %zu given", RL_KEYS_MAX_NAME, name.length);
	}
	/* The lock key, and four helper keys of at most twice its length. */
	keys->memory = to = malloc(length + 4 * (2 * length + sizeof("{" MARK "attach:")));
	if (keys->memory == NULL) {
		return rl_error_set(error, RL_SYSTEM, "out of memory");
	}
	to = append(to, prefix.data, prefix.length);
	to = append(to, name.data, name.length);
	keys->lock = rl_slice_make(keys->memory, length);
	if (holds_mark(keys->lock)) {
		rl_keys_free(keys);
		return rl_error_set(error, RL_INVALID, "must not contain \"" MARK "\" after the prefix is put before it");
	}
	tag = find_tag(keys->lock);
	to = write_key(to, keys->lock, tag, "fence", &keys->fence);
	to = write_key(to, keys->lock, tag, "wait", &keys->wait);
	to = write_key(to, keys->lock, tag, "wake", &keys->wake);
	write_key(to, keys->lock, tag, "attach", &keys->attach);
	return RL_OK;
}

void rl_keys_free(rl_keys *keys)
{
	free(keys->memory);
	*keys = (rl_keys) {0};
}
