#include "rl_account.h"

static int64_t now(const rl_client *client)
{
	return rl_runtime_now(client->runtime);
}

rl_before rl_account_begin(const rl_lock *lock, const rl_client *client)
{
	return (rl_before) {
		.begun = now(client),
		.process = lock->process,
		.owned = lock->token != NULL,
		.valid = lock->token != NULL && lock->valid_until != 0
	};
}

/* Counts a failure by its kind. An interruption is the caller's own doing. */
static void count_failure(rl_stats *stats, int group, rl_status status)
{
	switch (status) {
		case RL_CONNECTION:
			rl_stats_count(stats, group, RL_COUNT_ERRORS_CONNECTION);
			break;
		case RL_UNCERTAIN:
			rl_stats_count(stats, group, RL_COUNT_ERRORS_UNCERTAIN);
			break;
		case RL_SERVER:
			rl_stats_count(stats, group, RL_COUNT_ERRORS_SERVER);
			break;
		case RL_QUORUM:
			rl_stats_count(stats, group, RL_COUNT_ERRORS_QUORUM);
			break;
		case RL_LOST:
			rl_stats_count(stats, group, RL_COUNT_ERRORS_LOST);
			break;
		case RL_SYSTEM:
			rl_stats_count(stats, group, RL_COUNT_ERRORS_SYSTEM);
			break;
		case RL_OK:
		case RL_NO:
		case RL_INTERRUPTED:
		case RL_INVALID:
			break;
	}
}

/*
 * An ownership begins. Its lease is taken to have begun as long before its end as the lock's lease is, for an attach knows
 * only what is left of it; but not after `latest`.
 */
static void begin_ownership(rl_lock *lock, int64_t moment, int64_t latest)
{
	int64_t from = lock->valid_until - rl_lease_end(0, lock->lease_ms);

	lock->account.since = moment;
	lock->account.lease_until = lock->valid_until;
	lock->account.lease_from = from < latest ? from : latest;
}

/* An ownership ends at that moment. */
static void end_ownership(const rl_account *account, rl_stats *stats, int64_t moment, rl_counter counter)
{
	int64_t lease = account->lease_until - account->lease_from;

	rl_stats_count(stats, account->group, counter);
	rl_stats_observe(stats, account->group, RL_HISTOGRAM_HOLD, moment - account->since);
	if (lease > 0) {
		rl_stats_observe(stats, account->group, RL_HISTOGRAM_LEASE_USED, (moment - account->lease_from) * 1000 / lease);
	}
}

void rl_account_acquire(rl_lock *lock, rl_before before, const rl_client *client, int64_t wait_ms, rl_status status)
{
	rl_stats *stats = client->runtime->stats;
	rl_account *account = &lock->account;
	int64_t moment;

	if (stats == NULL) {
		return;
	}
	rl_stats_count(stats, account->group, RL_COUNT_ATTEMPTS);
	if (account->met_holder) {
		rl_stats_count(stats, account->group, RL_COUNT_CONTENDED);
	}
	if (status == RL_OK) {
		moment = now(client);
		begin_ownership(lock, moment, moment);
		rl_stats_count(stats, account->group, RL_COUNT_ACQUIRED);
		if (account->woken) {
			rl_stats_count(stats, account->group, RL_COUNT_HANDED_OVER);
		}
		rl_stats_observe(stats, account->group, RL_HISTOGRAM_WAIT, moment - before.begun);
	} else if (status == RL_NO) {
		rl_stats_count(stats, account->group, wait_ms > 0 ? RL_COUNT_TIMED_OUT : RL_COUNT_REFUSED);
	} else {
		count_failure(stats, account->group, status);
	}
}

void rl_account_attach(rl_lock *lock, rl_before before, const rl_client *client, rl_status status)
{
	rl_stats *stats = client->runtime->stats;

	if (stats == NULL) {
		return;
	}
	if (status == RL_OK) {
		if (before.owned) {
			/* It was over, and nobody gave it back. */
			end_ownership(&lock->account, stats, before.begun, RL_COUNT_RELEASED_LATE);
		}
		begin_ownership(lock, now(client), before.begun);
		rl_stats_count(stats, lock->account.group, RL_COUNT_ATTACHED);
	} else {
		count_failure(stats, lock->account.group, status);
	}
}

void rl_account_renew(rl_lock *lock, rl_before before, const rl_client *client, int64_t lease_ms, rl_status status)
{
	rl_stats *stats = client->runtime->stats;
	rl_account *account = &lock->account;
	int64_t moment;

	/* Without a lease there was nothing to renew; and a child, forked during the call, never had one. */
	if (stats == NULL || !before.valid || lock->process != before.process) {
		return;
	}
	if (status == RL_OK) {
		rl_stats_count(stats, account->group, RL_COUNT_RENEWED);
		/* A lease that is longer than what was asked for stays what it was. */
		if (rl_lease_end(before.begun, lease_ms) > account->lease_until) {
			account->lease_from = before.begun;
		}
		account->lease_until = lock->valid_until;
	} else if (status == RL_NO) {
		rl_stats_count(stats, account->group, RL_COUNT_RENEWALS_REFUSED);
		/* The token is kept where the lease was renewed, and the answer came when that was over. */
		if (lock->token == NULL) {
			moment = now(client);
			end_ownership(account, stats, moment, moment < account->lease_until ? RL_COUNT_LOST : RL_COUNT_RELEASED_LATE);
		}
	} else {
		count_failure(stats, account->group, status);
	}
}

void rl_account_release(const rl_lock *lock, rl_before before, const rl_client *client, rl_status status)
{
	rl_stats *stats = client->runtime->stats;
	const rl_account *account = &lock->account;
	rl_counter counter = RL_COUNT_RELEASED;

	if (stats == NULL || lock->process != before.process) {
		return;
	}
	if (status != RL_OK && status != RL_NO) {
		count_failure(stats, account->group, status);
		return;
	}
	if (!before.owned) {
		if (status == RL_OK) {
			/* An acquire whose answer was lost had taken it. */
			rl_stats_count_wire(stats, RL_COUNT_ORPHANS);
		}
		return;
	}
	if (before.begun >= account->lease_until) {
		counter = RL_COUNT_RELEASED_LATE;
	} else if (status == RL_NO && before.valid) {
		/* If it was given up before, an earlier release whose answer was lost is why it is not ours. */
		counter = now(client) < account->lease_until ? RL_COUNT_LOST : RL_COUNT_RELEASED_LATE;
	}
	end_ownership(account, stats, before.begun, counter);
}

void rl_account_give_up(const rl_lock *lock, const rl_client *client, int64_t moment)
{
	rl_stats *stats = client->runtime->stats;

	if (stats != NULL && lock->token != NULL) {
		end_ownership(&lock->account, stats, moment,
			moment < lock->account.lease_until ? RL_COUNT_RELEASED_AUTOMATICALLY : RL_COUNT_RELEASED_LATE);
	}
}

void rl_account_abandon(const rl_lock *lock, const rl_client *client, int64_t moment, bool written)
{
	rl_stats *stats = client->runtime->stats;

	if (stats == NULL) {
		return;
	}
	if (!written) {
		rl_stats_count(stats, lock->account.group, RL_COUNT_ERRORS_CONNECTION);
		return;
	}
	rl_account_give_up(lock, client, moment);
	for (int i = 0; lock->uncertain && i < lock->unanswered_count; i++) {
		rl_stats_count_wire(stats, RL_COUNT_ORPHANS);
	}
}

void rl_account_token(const rl_client *client, const rl_keys *keys, rl_counter yes, rl_counter no, rl_status status)
{
	rl_stats *stats = client->runtime->stats;
	size_t prefix = client->prefix.length;
	int group;

	if (stats == NULL) {
		return;
	}
	group = rl_stats_find_group(stats, rl_slice_make(keys->lock.data + prefix, keys->lock.length - prefix));
	if (status == RL_OK || status == RL_NO) {
		rl_stats_count(stats, group, status == RL_OK ? yes : no);
	} else {
		count_failure(stats, group, status);
	}
}
