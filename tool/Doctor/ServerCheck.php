<?php
declare(strict_types=1);

namespace RedisLock\Tool\Doctor;

use RedisLock\Tool\Node;

/** What kind of server it is, how old, and whether it can take more clients. */
final class ServerCheck extends NodeCheck
{
	public function title(): string
	{
		return 'version and mode of the servers';
	}

	protected function subject(): string
	{
		return 'version and mode';
	}

	protected function rights(): string
	{
		return '+info';
	}

	protected function node(Node $node, Patient $patient): iterable
	{
		yield from $this->server($node, $node->info('server'));
		yield from $this->clients($node);
	}

	/** @param array<string, string> $server @return iterable<Finding> */
	private function server(Node $node, array $server): iterable
	{
		$valkey = $server['valkey_version'] ?? null;
		$version = $valkey ?? $server['redis_version'] ?? '';
		$name = $valkey === null ? 'Redis' : 'Valkey';
		$least = $valkey === null ? '7.0' : '7.2';
		if ($version === '' || version_compare($version, $least, '<')) {
			yield Finding::problem(
				'server-version',
				$node->address(),
				"$name " . ($version === '' ? 'of unknown version' : $version) . " is older than $least",
				'the scripts need Redis 7.0 or Valkey 7.2: update the server',
			);
		}
		foreach (['dragonfly_version' => 'Dragonfly', 'garnet_version' => 'Garnet'] as $field => $other) {
			if (isset($server[$field])) {
				yield Finding::warning(
					'other-server',
					$node->address(),
					"$other is neither Redis nor Valkey",
					'nothing has been tested with it: what a script does in one step, and what a key forgets when, may differ',
				);
			}
		}
		$mode = $server['redis_mode'] ?? $server['server_mode'] ?? '';
		if ($mode === 'sentinel') {
			yield Finding::problem(
				'sentinel',
				$node->address(),
				'this is a Sentinel: it holds no keys',
				'give the address of the master, or a name that follows it',
			);
		} elseif ($mode === 'cluster') {
			yield Finding::warning(
				'cluster',
				$node->address(),
				'this is a node of a Redis Cluster, and redislock does not follow its redirections',
				'locks whose slot is elsewhere fail with MOVED: use one server, or a quorum of servers without cluster',
			);
		}
	}

	/** @return iterable<Finding> */
	private function clients(Node $node): iterable
	{
		$clients = $node->info('clients');
		$most = (int) ($clients['maxclients'] ?? 0);
		$now = (int) ($clients['connected_clients'] ?? 0);
		if ($most > 0 && $now > 0.8 * $most) {
			yield Finding::warning(
				'max-clients',
				$node->address(),
				"$now of at most $most clients are connected",
				'each worker needs up to two connections while it waits: raise maxclients, or lower the number of workers',
			);
		}
	}
}
