#include "rl_operation.h"

#include "rl_clock.h"

void rl_operation_release(rl_command *command, const rl_keys *keys, rl_slice token, int64_t fence)
{
	rl_command_init_script(command, RL_SCRIPT_RELEASE);
	rl_command_add_key(command, keys->lock);
	rl_command_add_key(command, keys->fence);
	rl_command_add_key(command, keys->wait);
	rl_command_add_key(command, keys->wake);
	rl_command_add(command, token);
	if (fence > 0) {
		rl_command_add_number(command, fence);
	}
}

void rl_operation_release_quorum(rl_command *command, const rl_keys *keys, rl_slice token, int64_t fence)
{
	rl_operation_release(command, keys, token, fence);
	if (fence == 0) {
		rl_command_add(command, rl_slice_make("", 0));
	}
	rl_command_add(command, rl_slice_text("smaller"));
}

void rl_operation_renew(rl_command *command, const rl_keys *keys, rl_slice token, int64_t lease_ms)
{
	rl_command_init_script(command, RL_SCRIPT_RENEW);
	rl_command_add_key(command, keys->lock);
	rl_command_add(command, token);
	rl_command_add_number(command, lease_ms);
}

rl_status rl_operation_uncertain(rl_call *call, const char *name)
{
	rl_error cause = *call->error;

	return rl_error_set(call->error, RL_UNCERTAIN, "%s was sent, and its outcome is unknown: %s", name, cause.message);
}

/* The connection of a command that is under way is not closed, so that what was written still arrives. */
static void park(rl_call *call, rl_exchange *exchange)
{
	if (exchange->connection != NULL) {
		call->runtime->transport->park(call->runtime->connections, exchange->connection);
		exchange->connection = NULL;
	}
}

rl_status rl_operation_run(rl_call *call, const rl_command *command, rl_repeatable repeatable, rl_exchange *exchange,
	int *repeats)
{
	const char *name = command->script->name;
	rl_status status;

	*repeats = 0;
	for (;;) {
		rl_call_exchange(call, command, exchange);
		switch (exchange->outcome) {
			case RL_ANSWERED:
				return RL_OK;
			case RL_STOPPED:
				park(call, exchange);
				return RL_INTERRUPTED;
			case RL_REFUSED:
			case RL_UNSENT:
				if (exchange->maybe_run && *repeats == 0) {
					return call->error->status;
				}
				status = call->error->status;
				/* A forked child has nothing to say about what its parent owns. */
				if (!call->forked && rl_call_retry(call, &status)) {
					break;
				}
				return *repeats > 0 && status != RL_INTERRUPTED ? rl_operation_uncertain(call, name) : status;
			case RL_UNANSWERED:
				park(call, exchange);
				if (repeatable == RL_ONCE || !rl_call_repeat(call, repeats) || call->forked) {
					return call->stopped ? RL_INTERRUPTED : rl_operation_uncertain(call, name);
				}
				break;
		}
	}
}

bool rl_operation_read_verdict(const rl_reply *reply, rl_script_id script, int64_t *verdict)
{
	/* release says yes with a number alone. */
	return rl_reply_number(reply, 0, 0, script == RL_SCRIPT_RELEASE ? 0 : 1, verdict)
		|| (script == RL_SCRIPT_RELEASE && reply->type == RL_REPLY_INTEGER
			&& rl_reply_number(reply, RL_REPLY_ROOT, 1, 1, verdict));
}

rl_status rl_operation_verdict(rl_call *call, rl_script_id script, rl_exchange *exchange)
{
	int64_t verdict;

	if (!rl_operation_read_verdict(exchange->reply, script, &verdict)) {
		return rl_call_reject(call, exchange);
	}
	return verdict == 1 ? RL_OK : RL_NO;
}
