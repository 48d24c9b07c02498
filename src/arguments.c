#include "arguments.h"

#include "exceptions.h"

#include "core/rl_clock.h"
#include "core/rl_lock.h"

bool php_redislock_read_ttl(uint32_t argument, double ttl, const rl_client *client, int64_t *lease_ms)
{
	if (!rl_clock_to_ms(ttl, RL_LEASE_MIN_SECONDS, RL_LEASE_MAX_SECONDS, lease_ms)) {
		zend_argument_value_error(argument, "must be from %g to %.1f seconds (10 ms to 31 days)", RL_LEASE_MIN_SECONDS,
			RL_LEASE_MAX_SECONDS);
		return false;
	}
	if (client->nodes != NULL && *lease_ms > client->quorum_max_ttl_ms) {
		zend_argument_value_error(argument, "must be at most %g seconds on a quorum (redislock.quorum_max_ttl): renew longer "
			"leases", (double) client->quorum_max_ttl_ms / 1000);
		return false;
	}
	return true;
}

bool php_redislock_read_wait(uint32_t argument, double wait, int64_t *wait_ms)
{
	if (!rl_clock_to_ms(wait, 0, RL_WAIT_MAX_SECONDS, wait_ms)) {
		zend_argument_value_error(argument, "must be from 0 to %.1f seconds (one day)", RL_WAIT_MAX_SECONDS);
		return false;
	}
	return true;
}

bool php_redislock_read_token(uint32_t argument, zend_string *token, size_t longest, rl_slice *slice)
{
	const char *problem;

	*slice = rl_slice_make(ZSTR_VAL(token), ZSTR_LEN(token));
	problem = rl_token_problem(*slice, longest);
	if (problem != NULL) {
		zend_argument_value_error(argument, "%s", problem);
		return false;
	}
	return true;
}

void php_redislock_refuse_argument(uint32_t argument, const rl_error *error)
{
	if (error->status == RL_INVALID) {
		zend_argument_value_error(argument, "%s", error->message);
	} else {
		php_redislock_throw(NULL, error);
	}
}
