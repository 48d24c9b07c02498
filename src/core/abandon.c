/* The releases of a lock that nobody waits for. */
#include "rl_lock_private.h"

#include "rl_account.h"
#include "rl_operation.h"

/*
 * Sends a release that nobody waits for. By its text, because by its hash it may be unknown; but not if that is on
 * its way on this connection already: the locks of a process that ends would be too much for what a server that hangs
 * can take.
 */
static void send_release(const rl_runtime *runtime, rl_connection *connection, const rl_command *command)
{
	const rl_transport *transport = runtime->transport;
	unsigned *known = transport->known_scripts(connection);
	unsigned bit = 1u << RL_SCRIPT_RELEASE;
	bool under_way = transport->outstanding(connection) > 0 && (*known & bit) != 0;

	transport->send(connection, command, under_way ? RL_BY_HASH : RL_BY_TEXT, rl_runtime_now(runtime));
	*known |= bit;
}

void rl_lock_write_release(const rl_lock *lock, const rl_client *client)
{
	const rl_transport *transport = client->runtime->transport;
	int count = client->nodes != NULL ? client->node_count : 1;
	rl_slice token = rl_slice_make(lock->token, lock->token_length);
	int64_t fence = lock->chosen ? lock->fence : 0;
	rl_command command;

	if (client->nodes != NULL) {
		rl_operation_release_quorum(&command, &lock->keys, token, fence);
	} else {
		rl_operation_release(&command, &lock->keys, token, fence);
	}
	for (int i = 0; i < count; i++) {
		rl_endpoint *endpoint = client->nodes != NULL ? client->nodes[i].endpoint : client->endpoint;
		rl_connection *connection = transport->take(client->runtime->connections, endpoint, false);

		if (connection == NULL) {
			continue;
		}
		if (transport->is_ready(connection)) {
			send_release(client->runtime, connection, &command);
			transport->disown_replies(connection);
		}
		/* A server without a connection is left alone: what it holds, the lease bounds. */
		transport->give(client->runtime->connections, connection);
	}
}

bool rl_lock_owes_release(const rl_lock *lock, const rl_client *client)
{
	return (lock->token != NULL || lock->uncertain) && lock->process == rl_runtime_process(client->runtime);
}

void rl_lock_abandon(rl_lock *lock, const rl_client *client)
{
	rl_command command;
	bool written = true;
	rl_error error;
	rl_call call;

	if (!rl_lock_owes_release(lock, client)) {
		return;
	}
	if (client->nodes != NULL) {
		rl_account_abandon(lock, client, rl_account_begin(lock, client).begun, true);
		rl_lock_write_release(lock, client);
		rl_lock_forget(lock);
		return;
	}
	rl_call_begin(&call, client, rl_runtime_now(client->runtime), 0, &error);
	call.interruptible = false;
	call.end = call.started + client->timeout_us;
	if (lock->token != NULL) {
		rl_operation_release(&command, &lock->keys, rl_slice_make(lock->token, lock->token_length),
			lock->chosen ? lock->fence : 0);
		written = rl_call_write(&call, &command);
	}
	for (int i = 0; lock->uncertain && i < lock->unanswered_count; i++) {
		rl_operation_release(&command, &lock->keys, rl_slice_make(lock->unanswered[i], RL_TOKEN_LENGTH), 0);
		written = rl_call_write(&call, &command) && written;
	}
	rl_account_abandon(lock, client, call.started, written);
	rl_lock_forget(lock);
}
