/* DSNs: what they mean, what is wrong with them, and what of them may be shown. */
#include "support.h"

#include "rl_endpoint.h"
#include "rl_tls.h"

/* No password or user of these tests may ever show in a message. */
#define PASSWORD "s3cr3t-Zx9"
#define USER "hidden-user-Qy7"

static rl_endpoint *parse(const char *dsn)
{
	rl_error error;
	rl_endpoint *endpoint = rl_endpoint_parse(dsn, strlen(dsn), &error);

	if (endpoint == NULL) {
		fail_msg("%s: %s", dsn, error.message);
	}
	return endpoint;
}

static rl_error refuse_bytes(const char *dsn, size_t length)
{
	rl_error error;
	char *exact = malloc(length == 0 ? 1 : length);
	rl_endpoint *endpoint;

	/* The sanitizer sees every byte beyond the block. */
	memcpy(exact, dsn, length);
	endpoint = rl_endpoint_parse(exact, length, &error);
	if (endpoint != NULL) {
		fail_msg("%.*s: should be refused", (int) length, dsn);
	}
	free(exact);
	assert_int_equal(error.status, RL_INVALID);
	assert_printable(&error);
	assert_memory_equal(error.message, "DSN: ", 5);
	assert_contains_not(error.message, PASSWORD);
	assert_contains_not(error.message, USER);
	return error;
}

static rl_error refuse(const char *dsn)
{
	return refuse_bytes(dsn, strlen(dsn));
}

static void refuse_with(const char *dsn, const char *part)
{
	rl_error error = refuse(dsn);

	assert_contains(error.message, part);
}

static void assert_display(const char *dsn, const char *display)
{
	rl_endpoint *endpoint = parse(dsn);

	assert_string_equal(endpoint->display, display);
	rl_endpoint_release(endpoint);
}

static void assert_host(const char *dsn, const char *host, int port)
{
	rl_endpoint *endpoint = parse(dsn);

	assert_int_equal(endpoint->kind, RL_ENDPOINT_TCP);
	assert_string_equal(endpoint->host, host);
	assert_int_equal(endpoint->port, port);
	rl_endpoint_release(endpoint);
}

static void what_is_not_given_has_its_default(void **state)
{
	rl_endpoint *endpoint = parse("redis://localhost");

	(void) state;
	assert_int_equal(endpoint->kind, RL_ENDPOINT_TCP);
	assert_string_equal(endpoint->host, "localhost");
	assert_int_equal(endpoint->port, 6379);
	assert_int_equal(endpoint->database, 0);
	assert_null(endpoint->user);
	assert_null(endpoint->password);
	assert_int_equal(endpoint->password_length, 0);
	assert_int_equal(endpoint->connect_timeout_us, -1);
	assert_int_equal(endpoint->timeout_us, -1);
	assert_null(endpoint->cafile);
	assert_null(endpoint->capath);
	assert_null(endpoint->cert);
	assert_null(endpoint->key);
	assert_null(endpoint->peer_name);
	assert_true(endpoint->verify_peer);
	assert_false(endpoint->persistent);
	assert_int_equal(endpoint->unreachable_until, 0);
	assert_string_equal(endpoint->display, "redis://localhost:6379/0");
	assert_string_equal(endpoint->address, "localhost:6379");
	rl_endpoint_release(endpoint);
}

static void host_and_port(void **state)
{
	(void) state;
	assert_host("redis://a", "a", 6379);
	assert_host("redis://a/", "a", 6379);
	assert_host("redis://a:1", "a", 1);
	assert_host("redis://a:65535/3", "a", 65535);
	assert_host("redis://a:06380", "a", 6380);
	assert_host("redis://10.0.0.1:7000", "10.0.0.1", 7000);
	assert_host("redis://my-redis_1.example.", "my-redis_1.example.", 6379);
	assert_host("redis://h%6Fst:7", "host", 7);
	assert_host("redis://B\xc3\xbc" "cher.example", "B\xc3\xbc" "cher.example", 6379);
}

static void an_ipv6_address_is_in_brackets(void **state)
{
	rl_endpoint *endpoint;

	(void) state;
	assert_host("redis://[::1]", "::1", 6379);
	assert_host("redis://[::1]:6380", "::1", 6380);
	assert_host("redis://:p@[2001:db8::7]:6380/2", "2001:db8::7", 6380);
	assert_host("redis://[fe80::1%25eth0]:6380", "fe80::1%eth0", 6380);
	endpoint = parse("redis://[::1]:6380/4");
	assert_string_equal(endpoint->display, "redis://[::1]:6380/4");
	assert_string_equal(endpoint->address, "[::1]:6380");
	rl_endpoint_release(endpoint);
	refuse_with("redis://::1", "brackets");
	refuse_with("redis://::1:6379", "brackets");
	refuse_with("redis://2001:db8::7", "brackets");
	refuse_with("redis://[::1", "brackets");
	refuse_with("redis://[::1]x", "brackets");
	refuse_with("redis://[::1]6379", "brackets");
	refuse_with("redis://[localhost]", "IPv6");
	refuse_with("redis://[]", "IPv6");
	refuse_with("redis://[::1]:", "port");
}

static void user_and_password(void **state)
{
	rl_endpoint *endpoint = parse("redis://" USER ":" PASSWORD "@h:1/2");

	(void) state;
	assert_string_equal(endpoint->user, USER);
	assert_string_equal(endpoint->password, PASSWORD);
	assert_int_equal(endpoint->password_length, strlen(PASSWORD));
	assert_string_equal(endpoint->host, "h");
	assert_int_equal(endpoint->port, 1);
	assert_int_equal(endpoint->database, 2);
	rl_endpoint_release(endpoint);
	endpoint = parse("redis://:" PASSWORD "@h");
	assert_null(endpoint->user);
	assert_string_equal(endpoint->password, PASSWORD);
	rl_endpoint_release(endpoint);
}

/* Passwords are pasted into settings as they are. */
static void a_password_may_hold_colons_and_at_signs(void **state)
{
	rl_endpoint *endpoint = parse("redis://u:a:b@c:d@h:1");

	(void) state;
	assert_string_equal(endpoint->user, "u");
	assert_string_equal(endpoint->password, "a:b@c:d");
	assert_string_equal(endpoint->host, "h");
	rl_endpoint_release(endpoint);
}

static void user_and_password_are_percent_decoded(void **state)
{
	rl_endpoint *endpoint = parse("redis://us%3Aer:p%40ss%2F%3f%25%00x@h");

	(void) state;
	assert_string_equal(endpoint->user, "us:er");
	assert_int_equal(endpoint->password_length, 9);
	assert_memory_equal(endpoint->password, "p@ss/?%\0x", 9);
	rl_endpoint_release(endpoint);
}

static void a_user_needs_a_password(void **state)
{
	(void) state;
	refuse_with("redis://" USER "@h", "user:password");
	refuse_with("redis://" USER ":@h", "user:password");
	refuse_with("redis://:@h", "user:password");
	refuse_with("redis://@h", "user:password");
	refuse_with("unix://" USER "@/a", "user:password");
}

static void a_database(void **state)
{
	static const char *const forms[] = {
		"redis://h/5", "redis://h?db=5", "redis://h/?db=5", "redis://h/05", "unix:///s?db=5", "redis://h?timeout=1&db=5"
	};
	rl_endpoint *endpoint;

	(void) state;
	for (int i = 0; i < COUNT(forms); i++) {
		endpoint = parse(forms[i]);
		assert_int_equal(endpoint->database, 5);
		rl_endpoint_release(endpoint);
	}
	endpoint = parse("redis://h/2147483647");
	assert_int_equal(endpoint->database, 2147483647);
	rl_endpoint_release(endpoint);
	refuse_with("redis://h/2147483648", "database");
	refuse_with("redis://h/99999999999999999999", "database");
	refuse_with("redis://h/-1", "database");
	refuse_with("redis://h/x", "database");
	refuse_with("redis://h/1x", "database");
	refuse_with("redis://h/ 1", "database");
	refuse_with("redis://h/1/2", "database");
	refuse_with("redis://h//", "database");
	refuse_with("redis://h?db=", "database");
	refuse_with("redis://h?db=x", "database");
	refuse_with("redis://h/1?db=1", "twice");
	refuse_with("redis://h?db=1&db=1", "twice");
}

static void a_unix_socket(void **state)
{
	rl_endpoint *endpoint = parse("unix://" USER ":" PASSWORD "@/run/redis/redis%20a.sock?db=2&timeout=0.5");

	(void) state;
	assert_int_equal(endpoint->kind, RL_ENDPOINT_UNIX);
	assert_string_equal(endpoint->host, "/run/redis/redis a.sock");
	assert_string_equal(endpoint->user, USER);
	assert_string_equal(endpoint->password, PASSWORD);
	assert_int_equal(endpoint->database, 2);
	assert_int_equal(endpoint->timeout_us, 500000);
	assert_string_equal(endpoint->address, "/run/redis/redis a.sock");
	rl_endpoint_release(endpoint);
	refuse_with("unix://", "begins with '/'");
	refuse_with("unix:///", "begins with '/'");
	refuse_with("unix://redis.sock", "begins with '/'");
	refuse_with("unix://host/redis.sock", "begins with '/'");
	refuse_with("unix://:p@redis.sock", "begins with '/'");
	refuse_with("unix://?db=1", "begins with '/'");
	refuse_with("unix:///a%00b", "NUL");
}

static void the_path_of_a_socket_fits_the_system(void **state)
{
	char dsn[200] = "unix:///";
	rl_endpoint *endpoint;

	(void) state;
	/* sun_path has 108 bytes, one of them for the end. */
	memset(dsn + 8, 'a', 106);
	dsn[8 + 106] = '\0';
	endpoint = parse(dsn);
	assert_int_equal(strlen(endpoint->host), 107);
	rl_endpoint_release(endpoint);
	memset(dsn + 8, 'a', 107);
	dsn[8 + 107] = '\0';
	refuse_with(dsn, "at most 107 bytes");
}

static void timeouts_in_seconds(void **state)
{
	static const struct {
		const char *text;
		int64_t microseconds;
	} fine[] = {
		{"1", 1000000}, {"0.5", 500000}, {"0.001", 1000}, {"2.25", 2250000}, {"3600", INT64_C(3600000000)},
		{"3600.000000", INT64_C(3600000000)}, {"1.000001", 1000001}, {"007", 7000000}, {"0.0010000", 1000},
		{"1.0000009", 1000000}, {"1%2E5", 1500000}
	};
	static const char *const wrong[] = {
		"", "0", "0.0", "0.0009", "-1", "+1", "1.", ".5", "1e3", "1,5", "x", "1x", " 1", "1 ", "3600.000001", "3601",
		"99999", "100000", "1000000", "99999999999999999999999", "0x1", "nan", "inf", "1.2.3"
	};
	char dsn[100];

	(void) state;
	for (int i = 0; i < COUNT(fine); i++) {
		rl_endpoint *endpoint;

		snprintf(dsn, sizeof(dsn), "redis://h?timeout=%s", fine[i].text);
		endpoint = parse(dsn);
		assert_int_equal(endpoint->timeout_us, fine[i].microseconds);
		assert_int_equal(endpoint->connect_timeout_us, -1);
		rl_endpoint_release(endpoint);
		snprintf(dsn, sizeof(dsn), "redis://h?connect_timeout=%s", fine[i].text);
		endpoint = parse(dsn);
		assert_int_equal(endpoint->connect_timeout_us, fine[i].microseconds);
		assert_int_equal(endpoint->timeout_us, -1);
		rl_endpoint_release(endpoint);
	}
	for (int i = 0; i < COUNT(wrong); i++) {
		snprintf(dsn, sizeof(dsn), "redis://h?timeout=%s", wrong[i]);
		refuse_with(dsn, "timeout must be a number of seconds");
		snprintf(dsn, sizeof(dsn), "redis://h?connect_timeout=%s", wrong[i]);
		refuse_with(dsn, "connect_timeout must be a number of seconds");
	}
	refuse_with("redis://h?timeout=1&timeout=1", "twice");
	refuse_with("redis://h?connect_timeout=1&timeout=1&connect_timeout=2", "twice");
}

static void the_form_of_the_options(void **state)
{
	rl_endpoint *endpoint;

	(void) state;
	endpoint = parse("redis://h?");
	rl_endpoint_release(endpoint);
	endpoint = parse("redis://h?db=1&");
	rl_endpoint_release(endpoint);
	refuse_with("redis://h?db", "name=value");
	refuse_with("redis://h?db=1&&timeout=1", "name=value");
	refuse_with("redis://h?&db=1", "name=value");
	refuse_with("redis://h?=1", "unknown option");
	refuse_with("redis://h?DB=1", "unknown option \"DB\"");
	refuse_with("redis://h?persistent=1", "unknown option \"persistent\"");
	refuse_with("redis://h?db=1;timeout=2", "database");
	refuse_with("redis://h?timeout=%zz", "percent-encoded");
	refuse_with("redis://h?db=1?db=2", "database");
	refuse_with("redis://h?cafile=/ca.pem", "rediss://");
	refuse_with("unix:///s?verify_peer=0", "rediss://");
}

static void an_unknown_option_is_named_but_not_at_any_length(void **state)
{
	char dsn[1000] = "redis://h?";
	rl_error error;

	(void) state;
	memset(dsn + 10, 'n', 900);
	strcpy(dsn + 910, "=1");
	error = refuse(dsn);
	assert_contains(error.message, "nnnn");
	assert_contains(error.message, "allowed are db");
	assert_true(strlen(error.message) < 250);
}

static void percent_signs(void **state)
{
	static const char *const wrong[] = {
		"redis://%", "redis://h%", "redis://h%4", "redis://h%4g", "redis://h%g4", "redis://:%@h", "redis://:%4@h",
		"redis://:p%xy@h", "redis://%zz:p@h", "unix:///%", "unix:///a%2", "redis://h?timeout=%4", "redis://h%00",
		"redis://%00:p@h", "redis://h?db=%00"
	};

	(void) state;
	for (int i = 0; i < COUNT(wrong); i++) {
		refuse_with(wrong[i], "percent-encoded");
	}
	assert_host("redis://%61%2e%62", "a.b", 6379);
}

static void the_scheme(void **state)
{
	static const char *const wrong[] = {
		"", "r", "redis", "redis:", "redis:/", "redis:h", "localhost", "127.0.0.1:6379", "/run/redis.sock", "tcp://h",
		"REDIS://h", "Redis://h", " redis://h", "tls://h", "http://h", "unix:/s", "redisss://h"
	};

	(void) state;
	for (int i = 0; i < COUNT(wrong); i++) {
		refuse_with(wrong[i], "must begin with redis://");
	}
}

static void the_host_and_the_port_are_checked(void **state)
{
	char dsn[400] = "redis://";
	rl_endpoint *endpoint;

	(void) state;
	refuse_with("redis://", "host");
	refuse_with("redis:///", "host");
	refuse_with("redis:///5", "host");
	refuse_with("redis://:6379", "host");
	refuse_with("redis://:p@", "host");
	refuse_with("redis://:p@:6379", "host");
	refuse_with("redis://a b", "spaces");
	refuse_with("redis://a\tb", "control");
	refuse_with("redis://a\x7f", "control");
	refuse_with("redis://a%20b", "spaces");
	refuse_with("redis://a%0ab", "control");
	refuse_with("redis://a:0", "port");
	refuse_with("redis://a:65536", "port");
	refuse_with("redis://a:", "port");
	refuse_with("redis://a:/1", "port");
	refuse_with("redis://a:6379x", "port");
	refuse_with("redis://a:-1", "port");
	refuse_with("redis://a: 1", "port");
	refuse_with("redis://a:99999999999", "port");
	memset(dsn + 8, 'h', 255);
	endpoint = parse(dsn);
	rl_endpoint_release(endpoint);
	memset(dsn + 8, 'h', 256);
	refuse_with(dsn, "255");
}

static void bytes_that_are_never_allowed(void **state)
{
	rl_error error = refuse_bytes("redis://a\0b", 11);

	(void) state;
	assert_contains(error.message, "NUL");
	refuse_with("redis://a#b", "%23");
	refuse_with("redis://:p#q@a", "%23");
	refuse_with("redis://a/1#x", "%23");
}

/* The message is built before anybody knows whether a part was meant to be a password. */
static void no_message_shows_any_of_the_user_info(void **state)
{
	static const char *const wrong[] = {"redis://" USER ":" PASSWORD "@h:port", "redis://" USER ":" PASSWORD "@",
		"redis://" USER ":" PASSWORD, "redis://" PASSWORD "%@h", "redis://" USER ":" PASSWORD "%zz@h",
		"redis://" USER "%zz:" PASSWORD "@h", "redis://" USER ":" PASSWORD "@h/x",
		"redis://" USER ":" PASSWORD "@h?x=1", "redis://" USER ":" PASSWORD "@h h", "redis://" USER ":" PASSWORD "@[h",
		"rediss://" USER ":" PASSWORD "@h?cert=x", "unix://" USER ":" PASSWORD "@x", "unix://" USER ":" PASSWORD "@/",
		USER ":" PASSWORD "@h", "http://" USER ":" PASSWORD "@h",
		/* Not encoded, so that the parser takes it for a path, a host, a port or a query. */
		"redis://:" PASSWORD "/x@h", "redis://:1/" PASSWORD "@h", "redis://" USER ":1/" PASSWORD "@h",
		"redis://:" PASSWORD "#x@h", "redis://:1#" PASSWORD "@h", "redis://:x?" PASSWORD "@h",
		"redis://" USER ":1?" PASSWORD "@h", "redis://" USER ":1?" PASSWORD "=x@h",
		"redis://" USER ":1?x=" PASSWORD "@h", "redis://" USER ":1?db=1&" PASSWORD "=x@h",
		"redis://" USER ":1?db=" PASSWORD "@h", "unix://" USER ":/" PASSWORD "?" PASSWORD "=@/s"};

	(void) state;
	for (int i = 0; i < COUNT(wrong); i++) {
		refuse(wrong[i]);
	}
}

static void the_display_masks_the_password(void **state)
{
	(void) state;
	assert_display("redis://h", "redis://h:6379/0");
	assert_display("redis://:" PASSWORD "@h:1/2", "redis://:***@h:1/2");
	assert_display("redis://user:" PASSWORD "@h", "redis://user:***@h:6379/0");
	assert_display("redis://user:p@[::1]:5?db=3", "redis://user:***@[::1]:5/3");
	assert_display("unix:///a/b", "unix:///a/b?db=0");
	assert_display("unix://user:" PASSWORD "@/a/b?db=7", "unix://user:***@/a/b?db=7");
	/* The mask says nothing of the length. */
	assert_display("redis://:x@h", "redis://:***@h:6379/0");
	/* A password that occurs elsewhere as well is not searched and replaced, it is never put in. */
	assert_display("redis://h:h@h", "redis://h:***@h:6379/0");
}

static void endpoints_that_can_share_connections_are_equal(void **state)
{
	static const char *const same[][2] = {
		{"redis://h", "redis://h:6379/0"},
		{"redis://h/3", "redis://h?db=3"},
		{"redis://h", "redis://%68"},
		{"redis://:p@h", "redis://:%70@h"},
		{"redis://h", "redis://h?timeout=1&connect_timeout=2"},
		{"unix:///s", "unix:///%73?db=0"}
	};

	(void) state;
	for (int i = 0; i < COUNT(same); i++) {
		rl_endpoint *a = parse(same[i][0]);
		rl_endpoint *b = parse(same[i][1]);

		assert_string_equal(a->identity, b->identity);
		rl_endpoint_release(a);
		rl_endpoint_release(b);
	}
}

static void endpoints_whose_connections_differ_are_different(void **state)
{
	static const char *const dsns[] = {
		"redis://h", "redis://g", "redis://h:1", "redis://h/1", "redis://:p@h", "redis://:q@h", "redis://u:p@h",
		"redis://v:p@h", "redis://up:p@h", "redis://u:pp@h", "redis://:%00@h", "redis://:%00%00@h", "redis://:p%00@h",
		"redis://:p%00x@h", "redis://:70@h", "unix:///h", "unix:///h?db=1", "unix://:p@/h", "unix://u:p@/h",
		"redis://[::1]", "redis://[::2]", "redis://h1:6379", "redis://h:16379", "redis://1:h@h", "redis://h:1@h",
		"redis://2:1@h", "redis://%20:1@h", "redis://a%201%3Ab:p@h", "redis://a:p@1%3Ab"
	};
	rl_endpoint *endpoints[COUNT(dsns)];

	(void) state;
	for (int i = 0; i < COUNT(dsns); i++) {
		endpoints[i] = parse(dsns[i]);
	}
	for (int i = 0; i < COUNT(dsns); i++) {
		for (int j = 0; j < i; j++) {
			if (strcmp(endpoints[i]->identity, endpoints[j]->identity) == 0) {
				fail_msg("%s and %s have the same identity", dsns[i], dsns[j]);
			}
		}
	}
	for (int i = 0; i < COUNT(dsns); i++) {
		rl_endpoint_release(endpoints[i]);
	}
}

static void tls_needs_a_build_that_has_it(void **state)
{
	(void) state;
	if (rl_tls_available()) {
		rl_endpoint *endpoint = parse("rediss://h");

		assert_int_equal(endpoint->kind, RL_ENDPOINT_TLS);
		assert_string_equal(endpoint->display, "rediss://h:6379/0");
		rl_endpoint_release(endpoint);
	} else {
		refuse_with("rediss://h", "OpenSSL");
		refuse_with("rediss://h?cafile=/ca&capath=/d&cert=/c&key=/k&peer_name=p&verify_peer=0", "OpenSSL");
	}
}

static void tls_options(void **state)
{
	(void) state;
	refuse_with("rediss://h?cafile=", "cafile is empty");
	refuse_with("rediss://h?capath=", "capath is empty");
	refuse_with("rediss://h?peer_name=", "peer_name is empty");
	refuse_with("rediss://h?cafile=a&cafile=b", "twice");
	refuse_with("rediss://h?key=a&key=b", "twice");
	refuse_with("rediss://h?verify_peer=1&verify_peer=1", "twice");
	refuse_with("rediss://h?verify_peer=", "0 or 1");
	refuse_with("rediss://h?verify_peer=2", "0 or 1");
	refuse_with("rediss://h?verify_peer=no", "0 or 1");
	refuse_with("rediss://h?verify_peer=TRUE", "0 or 1");
	refuse_with("rediss://h?cert=/c", "cert and key belong together");
	refuse_with("rediss://h?key=/k", "cert and key belong together");
	refuse_with("rediss://h?nonsense=1", "verify_peer");
	refuse_with("rediss://h?cafile=%00", "percent-encoded");
	refuse_with("rediss://", "host");
}

static void tls_options_make_a_difference(void **state)
{
	static const char *const dsns[] = {
		"redis://h", "rediss://h", "rediss://h?cafile=/a", "rediss://h?capath=/a", "rediss://h?cert=/a&key=/a",
		"rediss://h?cert=/a&key=/b", "rediss://h?cert=/b&key=/a", "rediss://h?peer_name=/a", "rediss://h?verify_peer=0",
		"rediss://h?cafile=/a&capath=/a"
	};
	rl_endpoint *endpoints[COUNT(dsns)];

	(void) state;
	if (!rl_tls_available()) {
		return;   /* then there is none of them at all, see above */
	}
	for (int i = 0; i < COUNT(dsns); i++) {
		endpoints[i] = parse(dsns[i]);
		for (int j = 0; j < i; j++) {
			assert_string_not_equal(endpoints[i]->identity, endpoints[j]->identity);
		}
	}
	assert_true(endpoints[1]->verify_peer);
	assert_false(endpoints[8]->verify_peer);
	for (int i = 0; i < COUNT(dsns); i++) {
		rl_endpoint_release(endpoints[i]);
	}
}

static void long_input(void **state)
{
	size_t length = 1000000;
	char *dsn = malloc(length + 1);
	rl_endpoint *endpoint;
	rl_error error;

	(void) state;
	memset(dsn, 'a', length);
	dsn[length] = '\0';
	refuse_bytes(dsn, length);
	memcpy(dsn, "redis://", 8);
	refuse_bytes(dsn, length);
	memcpy(dsn + length - 2, "@h", 2);
	refuse_bytes(dsn, length);
	dsn[8] = ':';
	endpoint = rl_endpoint_parse(dsn, length, &error);
	assert_non_null(endpoint);
	assert_int_equal(endpoint->password_length, length - 11);
	assert_string_equal(endpoint->display, "redis://:***@h:6379/0");
	rl_endpoint_release(endpoint);
	memset(dsn + 8, '@', length - 8);
	refuse_bytes(dsn, length);
	memset(dsn + 8, ':', length - 8);
	refuse_bytes(dsn, length);
	memset(dsn + 8, '&', length - 8);
	memcpy(dsn + 8, "h?", 2);
	refuse_bytes(dsn, length);
	free(dsn);
}

/* A prefix is either refused, or a DSN of its own; nothing is read beyond its end. */
static void every_prefix_of_a_dsn(void **state)
{
	static const char *const dsns[] = {
		"redis://us%41er:p%40ss@[2001:db8::7]:6380/12?connect_timeout=0.25&timeout=1.5",
		"unix://user:pass@/run/redis/redis-server.sock?db=12&timeout=0.5",
		"rediss://:pass@redis.example:6380/1?cafile=/a%20b&cert=/c&key=/d&peer_name=x&verify_peer=0"
	};

	(void) state;
	for (int i = 0; i < COUNT(dsns); i++) {
		for (size_t length = 0; length <= strlen(dsns[i]); length++) {
			char *exact = malloc(length == 0 ? 1 : length);
			rl_endpoint *endpoint;
			rl_error error = {0};

			memcpy(exact, dsns[i], length);
			endpoint = rl_endpoint_parse(exact, length, &error);
			if (endpoint == NULL) {
				assert_int_equal(error.status, RL_INVALID);
				assert_printable(&error);
				assert_contains_not(error.message, "ser:p");
			} else {
				assert_non_null(endpoint->identity);
				assert_non_null(endpoint->address);
				assert_contains_not(endpoint->display, "p@ss");
			}
			rl_endpoint_release(endpoint);
			free(exact);
		}
	}
}

static void the_last_user_frees_it(void **state)
{
	rl_endpoint *endpoint = parse("redis://:" PASSWORD "@h");

	(void) state;
	assert_ptr_equal(rl_endpoint_retain(endpoint), endpoint);
	rl_endpoint_release(endpoint);
	assert_string_equal(endpoint->host, "h");
	rl_endpoint_release(endpoint);
	rl_endpoint_release(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_not_given_has_its_default),
		cmocka_unit_test(host_and_port),
		cmocka_unit_test(an_ipv6_address_is_in_brackets),
		cmocka_unit_test(user_and_password),
		cmocka_unit_test(a_password_may_hold_colons_and_at_signs),
		cmocka_unit_test(user_and_password_are_percent_decoded),
		cmocka_unit_test(a_user_needs_a_password),
		cmocka_unit_test(a_database),
		cmocka_unit_test(a_unix_socket),
		cmocka_unit_test(the_path_of_a_socket_fits_the_system),
		cmocka_unit_test(timeouts_in_seconds),
		cmocka_unit_test(the_form_of_the_options),
		cmocka_unit_test(an_unknown_option_is_named_but_not_at_any_length),
		cmocka_unit_test(percent_signs),
		cmocka_unit_test(the_scheme),
		cmocka_unit_test(the_host_and_the_port_are_checked),
		cmocka_unit_test(bytes_that_are_never_allowed),
		cmocka_unit_test(no_message_shows_any_of_the_user_info),
		cmocka_unit_test(the_display_masks_the_password),
		cmocka_unit_test(endpoints_that_can_share_connections_are_equal),
		cmocka_unit_test(endpoints_whose_connections_differ_are_different),
		cmocka_unit_test(tls_needs_a_build_that_has_it),
		cmocka_unit_test(tls_options),
		cmocka_unit_test(tls_options_make_a_difference),
		cmocka_unit_test(long_input),
		cmocka_unit_test(every_prefix_of_a_dsn),
		cmocka_unit_test(the_last_user_frees_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
