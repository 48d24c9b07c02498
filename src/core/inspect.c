/* What an operator asks for: what is known of a lock, and taking it away from its holder. */
#include "rl_lock.h"
#include "rl_operation.h"
#include "rl_quorum.h"

rl_status rl_force_release(const rl_client *client, const rl_keys *keys, rl_error *error)
{
	rl_command command;
	rl_exchange exchange;
	rl_call call;
	rl_status status;
	int repeats;

	if (client->nodes != NULL) {
		return rl_quorum_force_release(client, keys, error);
	}
	rl_call_begin(&call, client, rl_runtime_now(client->runtime), 0, error);
	rl_command_init_script(&command, RL_SCRIPT_FORCE_RELEASE);
	rl_command_add_key(&command, keys->lock);
	rl_command_add_key(&command, keys->fence);
	rl_command_add_key(&command, keys->wait);
	rl_command_add_key(&command, keys->wake);
	status = rl_operation_run(&call, &command, RL_ONCE, &exchange, &repeats);
	if (status != RL_OK) {
		return status;
	}
	status = rl_operation_verdict(&call, RL_SCRIPT_FORCE_RELEASE, &exchange);
	if (status == RL_OK || status == RL_NO) {
		rl_call_finish(&call, &exchange);
	}
	return status;
}

bool rl_inspection_read(rl_inspection *inspection, const rl_reply *reply)
{
	int64_t held, waiters;

	if (!rl_reply_number(reply, 0, 0, 1, &held) || !rl_reply_number(reply, 2, -1, INT64_MAX, &inspection->remaining_ms)
			|| !rl_reply_number(reply, 4, 0, 1, &waiters) || reply->elements[1].type != RL_REPLY_STRING) {
		return false;
	}
	inspection->held = held == 1;
	inspection->waiters = waiters == 1;
	/* What is stored may be anything that another program put there. */
	if (!rl_reply_number(reply, 3, 1, RL_FENCE_MAX, &inspection->fence)) {
		inspection->fence = 0;
	}
	return true;
}

rl_status rl_inspect(const rl_client *client, const rl_keys *keys, rl_inspection *inspection, rl_error *error)
{
	rl_command command;
	rl_exchange exchange;
	rl_call call;
	rl_status status;
	rl_slice token;
	int repeats;

	*inspection = (rl_inspection) {0};
	if (client->nodes != NULL) {
		return rl_quorum_inspect(client, keys, inspection, error);
	}
	rl_call_begin(&call, client, rl_runtime_now(client->runtime), 0, error);
	rl_command_init_script(&command, RL_SCRIPT_INSPECT);
	rl_command_add_key(&command, keys->lock);
	rl_command_add_key(&command, keys->fence);
	rl_command_add_key(&command, keys->wait);
	status = rl_operation_run(&call, &command, RL_REPEATABLE, &exchange, &repeats);
	if (status != RL_OK) {
		return status;
	}
	if (!rl_inspection_read(inspection, exchange.reply)) {
		return rl_call_reject(&call, &exchange);
	}
	token = rl_reply_text(exchange.reply, &exchange.reply->elements[1]);
	if (!rl_buffer_append(&inspection->token, token.data, token.length)) {
		status = rl_error_set(error, RL_SYSTEM, "out of memory");
	}
	rl_call_finish(&call, &exchange);
	return status;
}
