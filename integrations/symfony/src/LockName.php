<?php
declare(strict_types=1);

namespace RedisLock\Symfony;

/**
 * Makes a name that redislock accepts of any that Symfony accepts.
 *
 * @internal
 */
final class LockName
{
	/**
	 * The name itself, wherever that is possible, so that a lock taken by another library or looked at by an operator is
	 * the same one. Otherwise a hash of it.
	 */
	public static function fit(string $name): string
	{
		if ($name === '' || strlen($name) > \RedisLock::MAX_NAME_LENGTH || str_contains($name, '}:redislock:')) {
			return 'sha256:' . hash('sha256', $name);
		}
		return $name;
	}
}
