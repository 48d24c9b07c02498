<?php
declare(strict_types=1);

namespace RedisLock\Laravel;

use Illuminate\Support\ConfigurationUrlParser;
use InvalidArgumentException;

/** Reads a connection of `redis` in config/database.php as Laravel's connectors do. */
final class ConnectionSettings
{
	/** PHP's name of an option of TLS => that of a DSN. */
	private const TLS_OPTIONS = [
		'cafile' => 'cafile',
		'capath' => 'capath',
		'local_cert' => 'cert',
		'local_pk' => 'key',
		'peer_name' => 'peer_name',
		'verify_peer' => 'verify_peer',
	];

	/**
	 * @param array<string, mixed> $connection
	 * @param array<string, mixed> $options those of all connections
	 */
	private function __construct(
		private readonly string $name,
		private readonly array $connection,
		private readonly array $options,
	) {
	}

	/**
	 * @param array<string, mixed> $redis database.redis
	 * @throws InvalidArgumentException if there is no such connection, or the extension cannot use it
	 */
	public static function of(array $redis, string $name): self
	{
		$options = (array) ($redis['options'] ?? []);
		if (!isset($redis[$name])) {
			throw new InvalidArgumentException(isset($redis['clusters'][$name])
				? "The Redis connection \"$name\" is a cluster, which redislock does not support: set lock_connection in config/cache.php to a connection with one server"
				: "There is no Redis connection \"$name\" in config/database.php");
		}
		$connection = (new ConfigurationUrlParser())->parseConfiguration($redis[$name]);
		if (isset($options['replication']) || isset($connection['options']['replication']) || array_is_list($connection)) {
			throw new InvalidArgumentException("The Redis connection \"$name\" asks Sentinel or has several servers, which redislock does not support: set lock_connection in config/cache.php to a connection with one server");
		}
		return new self($name, $connection, $options);
	}

	public function dsn(): string
	{
		[$user, $password] = $this->login();
		$login = $password === '' ? '' : ($user === '' ? '' : rawurlencode($user)) . ':' . rawurlencode($password) . '@';
		$database = (int) ($this->connection['database'] ?? 0);
		[$scheme, $host] = $this->address();
		if ($scheme === 'unix') {
			return 'unix://' . $login . implode('/', array_map(rawurlencode(...), explode('/', $host))) . "?db=$database";
		}
		$host = str_contains($host, ':') ? '[' . trim($host, '[]') . ']' : $host;
		$port = (int) ($this->connection['port'] ?? 6379);
		if ($scheme !== 'tls') {
			return "redis://$login$host:$port/$database";
		}
		$query = http_build_query($this->tlsOptions(), '', '&', PHP_QUERY_RFC3986);
		return "rediss://$login$host:$port/$database" . ($query === '' ? '' : "?$query");
	}

	public function prefix(): string
	{
		return (string) ($this->connection['prefix'] ?? $this->connection['options']['prefix'] ?? $this->options['prefix'] ?? '');
	}

	/** Whether phpredis is told to serialize or compress what it writes. */
	public function packs(): bool
	{
		$settings = (array) ($this->connection['options'] ?? []) + $this->options + $this->connection;
		return ($settings['serializer'] ?? 0) !== 0 || ($settings['compression'] ?? 0) !== 0;
	}

	/** @return array{string, string} user and password, empty if there is none */
	private function login(): array
	{
		$password = $this->connection['password'] ?? '';
		if (is_array($password)) {
			return count($password) > 1 ? [(string) $password[0], (string) $password[1]] : ['', (string) ($password[0] ?? '')];
		}
		return [(string) ($this->connection['username'] ?? ''), (string) $password];
	}

	/** @return array{string, string} tcp, tls or unix, and the host or the path */
	private function address(): array
	{
		$scheme = strtolower((string) ($this->connection['scheme'] ?? $this->connection['driver'] ?? ''));
		$host = (string) ($this->connection['host'] ?? '');
		if (preg_match('~^(\w+)://(.*)$~s', $host, $match)) {
			[, $scheme, $host] = $match;
		}
		if ($scheme === 'unix' || str_starts_with($host, '/')) {
			$path = str_starts_with($host, '/') ? $host : (string) ($this->connection['path'] ?? '');
			return ['unix', $path !== '' ? $path : throw $this->problem('has no path of a socket')];
		}
		$host !== '' || throw $this->problem('has no host');
		return match ($scheme) {
			'', 'tcp', 'redis' => ['tcp', $host],
			'tls', 'ssl', 'rediss' => ['tls', $host],
			default => throw $this->problem("has the scheme \"$scheme\", which redislock does not know (there are tcp, tls and unix)"),
		};
	}

	/** @return array<string, string|int> */
	private function tlsOptions(): array
	{
		$context = (array) ($this->connection['context'] ?? []);
		$given = (array) ($this->connection['ssl'] ?? $context['stream'] ?? $context['ssl'] ?? $context);
		$options = [];
		foreach ($given as $option => $value) {
			// Both are what they are here anyway.
			if ($option === 'verify_peer_name' && ($value || !($given['verify_peer'] ?? true)) || $option === 'allow_self_signed' && !$value) {
				continue;
			}
			$name = self::TLS_OPTIONS[$option]
				?? throw $this->problem("has the option \"$option\" for TLS, which redislock does not have: give the address as `servers` in config/cache.php");
			$options[$name] = is_bool($value) ? (int) $value : (string) $value;
		}
		return $options;
	}

	private function problem(string $text): InvalidArgumentException
	{
		return new InvalidArgumentException("The Redis connection \"$this->name\" in config/database.php $text");
	}
}
