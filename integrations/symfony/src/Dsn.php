<?php
declare(strict_types=1);

namespace RedisLock\Symfony;

use InvalidArgumentException;

/**
 * A DSN as it stands in framework.lock, where redis:// means Symfony's own store: redislock://, redislock+tls:// and
 * redislock+unix://. For a quorum several of them, separated by commas. Besides the options of the extension it can have
 *
 *   prefix       put before every name, instead of redislock.prefix
 *   initial_ttl  the lease of a lock that comes without one
 *   max_wait     how long acquire(true) waits, in seconds
 *
 * @internal
 */
final class Dsn
{
	private const SCHEMES = ['redislock' => 'redis', 'redislock+tls' => 'rediss', 'redislock+unix' => 'unix'];
	private const OPTIONS = ['prefix', 'initial_ttl', 'max_wait'];

	/**
	 * @param list<string> $servers as RedisLock\Client takes them
	 * @param array<string, string> $options ours
	 */
	private function __construct(public readonly array $servers, private readonly array $options)
	{
	}

	/** True if it is for us, and not for another store of Symfony. */
	public static function isOurs(string $dsn): bool
	{
		return preg_match('~^redislock(\+\w+)?:~', $dsn) === 1;
	}

	public static function parse(#[\SensitiveParameter] string $dsn): self
	{
		$servers = $options = [];
		foreach (explode(',', $dsn) as $server) {
			[$address, $query] = explode('?', trim($server), 2) + [1 => ''];
			[$scheme, $rest] = explode(':', $address, 2) + [1 => ''];
			if (str_starts_with($scheme, 'redislock') && !isset(self::SCHEMES[$scheme])) {
				throw new InvalidArgumentException(sprintf(
					'There is no lock on "%s://": use %s.',
					$scheme,
					implode('://, ', array_keys(self::SCHEMES)) . '://',
				));
			}
			$kept = [];
			foreach ($query === '' ? [] : explode('&', $query) as $pair) {
				[$name, $value] = explode('=', $pair, 2) + [1 => ''];
				if (in_array($name, self::OPTIONS, true)) {
					$options[$name] = rawurldecode($value);
				} else {
					$kept[] = $pair;
				}
			}
			$servers[] = (self::SCHEMES[$scheme] ?? $scheme) . ':' . $rest . ($kept === [] ? '' : '?' . implode('&', $kept));
		}
		return new self($servers, $options);
	}

	public function prefix(): ?string
	{
		return $this->options['prefix'] ?? null;
	}

	public function initialTtl(): ?float
	{
		return $this->seconds('initial_ttl');
	}

	public function maxWait(): ?float
	{
		return $this->seconds('max_wait');
	}

	private function seconds(string $option): ?float
	{
		$value = $this->options[$option] ?? null;
		if ($value !== null && !is_numeric($value)) {
			throw new InvalidArgumentException(
				sprintf('The option %s of a lock\'s DSN is a number of seconds. Got "%s".', $option, $value),
			);
		}
		return $value === null ? null : (float) $value;
	}
}
