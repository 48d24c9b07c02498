<?php
declare(strict_types=1);

namespace RedisLock\Symfony;

use RedisLock\Client;

/**
 * Makes the Client of the bundle's settings.
 *
 * @internal
 */
final class ClientFactory
{
	/**
	 * @param string|list<string>|null $dsn redislock://… or redis://…; several for a quorum; null: redislock.servers
	 * @throws \ValueError if the extension cannot use it
	 */
	public static function create(
		#[\SensitiveParameter] string|array|null $dsn = null,
		?string $prefix = null,
		?float $connectTimeout = null,
		?float $timeout = null,
		?float $retryFor = null,
		?bool $persistent = null,
	): Client {
		$servers = null;
		if ($dsn !== null && $dsn !== '' && $dsn !== []) {
			$parsed = Dsn::parse(implode(',', (array) $dsn));
			$servers = count($parsed->servers) === 1 ? $parsed->servers[0] : $parsed->servers;
			$prefix ??= $parsed->prefix();
		}
		return new Client($servers, $prefix, $connectTimeout, $timeout, $retryFor, $persistent);
	}
}
