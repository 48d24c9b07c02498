/* The keys of a lock: no bytes of a name are special, no two locks share a key, and all four are in one hash slot. */
#include "support.h"

#include "rl_keys.h"

static rl_keys make(const char *prefix, rl_slice name)
{
	rl_keys keys;
	rl_error error;

	if (rl_keys_make(&keys, rl_slice_text(prefix), name, &error) != RL_OK) {
		fail_msg("%.*s: %s", (int) name.length, name.data, error.message);
	}
	return keys;
}

static rl_error refuse(const char *prefix, rl_slice name)
{
	rl_keys keys;
	rl_error error;

	assert_int_equal(rl_keys_make(&keys, rl_slice_text(prefix), name, &error), RL_INVALID);
	assert_int_equal(error.status, RL_INVALID);
	assert_printable(&error);
	return error;
}

static void assert_keys(const char *prefix, const char *name, const char *lock, const char *fence, const char *wait,
	const char *wake)
{
	rl_keys keys = make(prefix, rl_slice_text(name));

	assert_slice_equal(keys.lock, lock);
	assert_slice_equal(keys.fence, fence);
	assert_slice_equal(keys.wait, wait);
	assert_slice_equal(keys.wake, wake);
	rl_keys_free(&keys);
}

/* The slot of a key as the cluster specification has it: CRC-16/XMODEM of the hash tag, or of the whole key. */
static unsigned hash_slot(rl_slice key)
{
	size_t begin = 0, end = key.length;
	unsigned crc = 0;

	for (size_t i = 0; i < key.length; i++) {
		if (key.data[i] == '{') {
			size_t close = i + 1;

			while (close < key.length && key.data[close] != '}') {
				close++;
			}
			if (close < key.length && close > i + 1) {
				begin = i + 1;
				end = close;
			}
			break;
		}
	}
	for (size_t i = begin; i < end; i++) {
		crc ^= (unsigned) (unsigned char) key.data[i] << 8;
		for (int bit = 0; bit < 8; bit++) {
			crc = (crc & 0x8000) != 0 ? (crc << 1) ^ 0x1021 : crc << 1;
		}
		crc &= 0xffff;
	}
	return crc % 16384;
}

static void the_hash_slots_of_this_test_are_those_of_redis(void **state)
{
	(void) state;
	/* As CLUSTER KEYSLOT answers. */
	assert_int_equal(hash_slot(rl_slice_text("123456789")), 12739);
	assert_int_equal(hash_slot(rl_slice_text("foo")), 12182);
	assert_int_equal(hash_slot(rl_slice_text("{foo}.bar")), 12182);
	assert_int_equal(hash_slot(rl_slice_text("x{foo}{bar}")), 12182);
	assert_int_equal(hash_slot(rl_slice_text("{}foo")), hash_slot(rl_slice_text("{}foo")));
	assert_int_not_equal(hash_slot(rl_slice_text("{}foo")), hash_slot(rl_slice_text("foo")));
}

static void a_plain_name(void **state)
{
	(void) state;
	assert_keys("redislock:", "order:7", "redislock:order:7", "{redislock:order:7}:redislock:fence",
		"{redislock:order:7}:redislock:wait", "{redislock:order:7}:redislock:wake");
	assert_keys("", "a", "a", "{a}:redislock:fence", "{a}:redislock:wait", "{a}:redislock:wake");
}

static void a_name_with_a_hash_tag(void **state)
{
	(void) state;
	assert_keys("p:", "{user}:7", "p:{user}:7", "{user}:redislock:fence:p:{user}:7", "{user}:redislock:wait:p:{user}:7",
		"{user}:redislock:wake:p:{user}:7");
	assert_keys("p:", "a{t}{u}", "p:a{t}{u}", "{t}:redislock:fence:p:a{t}{u}", "{t}:redislock:wait:p:a{t}{u}",
		"{t}:redislock:wake:p:a{t}{u}");
	assert_keys("p:", "{{t}", "p:{{t}", "{{t}:redislock:fence:p:{{t}", "{{t}:redislock:wait:p:{{t}",
		"{{t}:redislock:wake:p:{{t}");
	/* The tag may come from the prefix. */
	assert_keys("{app}:", "x", "{app}:x", "{app}:redislock:fence:{app}:x", "{app}:redislock:wait:{app}:x",
		"{app}:redislock:wake:{app}:x");
}

static void braces_that_are_no_hash_tag(void **state)
{
	(void) state;
	assert_keys("", "{}a", "{}a", "{{}a}:redislock:fence", "{{}a}:redislock:wait", "{{}a}:redislock:wake");
	assert_keys("", "{", "{", "{{}:redislock:fence", "{{}:redislock:wait", "{{}:redislock:wake");
	assert_keys("", "}", "}", "{}}:redislock:fence", "{}}:redislock:wait", "{}}:redislock:wake");
	assert_keys("", "}{", "}{", "{}{}:redislock:fence", "{}{}:redislock:wait", "{}{}:redislock:wake");
	assert_keys("", "a}b", "a}b", "{a}b}:redislock:fence", "{a}b}:redislock:wait", "{a}b}:redislock:wake");
	assert_keys("", "a{", "a{", "{a{}:redislock:fence", "{a{}:redislock:wait", "{a{}:redislock:wake");
}

static void a_name_has_1_to_1024_bytes(void **state)
{
	char *long_name = malloc(1025);
	rl_error error = refuse("redislock:", rl_slice_make(long_name, 0));
	rl_keys keys;

	(void) state;
	assert_contains(error.message, "1 to 1024");
	memset(long_name, 'n', 1025);
	error = refuse("", rl_slice_make(long_name, 1025));
	assert_contains(error.message, "1025 given");
	/* The prefix does not count. */
	keys = make("redislock:", rl_slice_make(long_name, 1024));
	assert_int_equal(keys.lock.length, 1034);
	assert_int_equal(keys.fence.length, 1034 + strlen("{}:redislock:fence"));
	rl_keys_free(&keys);
	long_name[0] = '{';
	long_name[1023] = '}';
	keys = make("redislock:", rl_slice_make(long_name, 1024));
	assert_int_equal(keys.wake.length, 1022 + strlen("{}:redislock:wake:") + 1034);
	rl_keys_free(&keys);
	free(long_name);
}

static void any_bytes_make_a_name(void **state)
{
	rl_keys keys = make("p:", rl_slice_make("a\0b", 3));

	(void) state;
	assert_int_equal(keys.lock.length, 5);
	assert_memory_equal(keys.lock.data, "p:a\0b", 5);
	assert_memory_equal(keys.fence.data, "{p:a\0b}:redislock:fence", 23);
	assert_int_equal(keys.fence.length, 23);
	rl_keys_free(&keys);
	for (int byte = 0; byte < 256; byte++) {
		char name[3] = {(char) byte, 'x', (char) byte};

		keys = make("", rl_slice_make(name, 3));
		assert_memory_equal(keys.lock.data, name, 3);
		rl_keys_free(&keys);
	}
}

static void a_name_that_could_be_a_helper_key_is_refused(void **state)
{
	rl_error error = refuse("", rl_slice_text("{a}:redislock:fence"));
	rl_keys keys;

	(void) state;
	assert_contains(error.message, "}:redislock:");
	refuse("", rl_slice_text("}:redislock:"));
	refuse("", rl_slice_text("x}:redislock:x"));
	refuse("{x", rl_slice_text("}:redislock:wait"));
	refuse("{x}:redislock:", rl_slice_text("fence"));
	refuse("{x}:redislo", rl_slice_text("ck:fence"));
	refuse("", rl_slice_make("\0}:redislock:", 13));
	keys = make("", rl_slice_text("}:redislock"));
	rl_keys_free(&keys);
	keys = make("", rl_slice_text("}:redisloc:k:"));
	rl_keys_free(&keys);
	keys = make("}:redislock", rl_slice_text("}:redislock"));
	rl_keys_free(&keys);
}

/* Names made of the pieces that could go wrong. */
static size_t generate(unsigned *dice, char *name, size_t size)
{
	static const char *const pieces[] = {
		"{", "}", "a", "b", ":", "redislock", ":redislock:", "fence", "wait", "wake", "{a}", "{}", "}:", "}:redislock",
		"redislock:fence", "{a", "a}", "\n", "fence:", "e"
	};
	size_t length = 0;

	do {
		*dice = *dice * 1103515245u + 12345u;
		for (const char *c = pieces[(*dice >> 16) % COUNT(pieces)]; *c != '\0' && length < size; c++) {
			name[length++] = *c;
		}
		*dice = *dice * 1103515245u + 12345u;
	} while ((*dice >> 16) % 4 != 0);
	return length;
}

static rl_slice key_of(const rl_keys *keys, int i)
{
	const rl_slice all[] = {keys->lock, keys->fence, keys->wait, keys->wake, keys->attach};

	return all[i];
}

static void no_two_locks_share_a_key(void **state)
{
	unsigned dice = 1;
	int compared = 0;

	(void) state;
	for (int i = 0; i < 300000; i++) {
		char names[2][64];
		rl_keys keys[2];
		rl_error error;
		size_t length = generate(&dice, names[0], sizeof(names[0]));
		size_t other = generate(&dice, names[1], sizeof(names[1]));

		if (rl_keys_make(&keys[0], rl_slice_text(""), rl_slice_make(names[0], length), &error) != RL_OK) {
			continue;
		}
		for (int k = 0; k < 5; k++) {
			for (int l = 0; l < k; l++) {
				assert_false(rl_slice_equal(key_of(&keys[0], k), key_of(&keys[0], l)));
			}
		}
		if (rl_keys_make(&keys[1], rl_slice_text(""), rl_slice_make(names[1], other), &error) == RL_OK) {
			if (!rl_slice_equal(keys[0].lock, keys[1].lock)) {
				compared++;
				for (int k = 0; k < 25; k++) {
					if (rl_slice_equal(key_of(&keys[0], k / 5), key_of(&keys[1], k % 5))) {
						fail_msg("\"%.*s\" and \"%.*s\" share a key", (int) length, names[0], (int) other, names[1]);
					}
				}
			}
			rl_keys_free(&keys[1]);
		}
		/* A helper key must not be possible as the key of a lock. */
		for (int k = 1; k < 5; k++) {
			refuse("", key_of(&keys[0], k));
		}
		rl_keys_free(&keys[0]);
	}
	assert_true(compared > 100000);
}

/* All but a name with a '}' and no valid tag: DESIGN, section 4. */
static bool can_be_in_one_slot(rl_slice lock)
{
	const char *open = memchr(lock.data, '{', lock.length);
	const char *close = memchr(lock.data, '}', lock.length);

	if (close == NULL) {
		return true;
	}
	if (open == NULL) {
		return false;
	}
	close = memchr(open, '}', lock.length - (size_t) (open - lock.data));
	return close != NULL && close != open + 1;
}

static void all_keys_of_a_lock_are_in_one_slot(void **state)
{
	unsigned dice = 2;
	int promised = 0;

	(void) state;
	for (int i = 0; i < 300000; i++) {
		char name[64];
		size_t length = generate(&dice, name, sizeof(name));
		rl_keys keys;
		rl_error error;

		if (rl_keys_make(&keys, rl_slice_text("r:"), rl_slice_make(name, length), &error) != RL_OK) {
			continue;
		}
		if (can_be_in_one_slot(keys.lock)) {
			promised++;
			for (int k = 1; k < 5; k++) {
				if (hash_slot(key_of(&keys, k)) != hash_slot(keys.lock)) {
					fail_msg("the keys of \"%.*s\" are in different slots", (int) length, name);
				}
			}
		}
		rl_keys_free(&keys);
	}
	assert_true(promised > 100000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_hash_slots_of_this_test_are_those_of_redis),
		cmocka_unit_test(a_plain_name),
		cmocka_unit_test(a_name_with_a_hash_tag),
		cmocka_unit_test(braces_that_are_no_hash_tag),
		cmocka_unit_test(a_name_has_1_to_1024_bytes),
		cmocka_unit_test(any_bytes_make_a_name),
		cmocka_unit_test(a_name_that_could_be_a_helper_key_is_refused),
		cmocka_unit_test(no_two_locks_share_a_key),
		cmocka_unit_test(all_keys_of_a_lock_are_in_one_slot),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
