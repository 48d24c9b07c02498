<?php
declare(strict_types=1);

namespace RedisLock\Tool;

/**
 * A DSN in its parts. For one that RedisLock\Client has accepted: the extension is the one place that says what is
 * wrong with a DSN, and this only has to understand a right one in the same way.
 */
final class Dsn
{
	/** @param array<string, string> $options decoded */
	private function __construct(
		public readonly string $scheme,
		public readonly string $host,
		public readonly int $port,
		public readonly ?string $user,
		#[\SensitiveParameter] public readonly ?string $password,
		public readonly int $database,
		public readonly array $options,
	) {
	}

	public static function parse(#[\SensitiveParameter] string $dsn): self
	{
		[$scheme, $rest] = explode('://', $dsn, 2);
		[$rest, $query] = explode('?', $rest, 2) + [1 => ''];
		$options = [];
		foreach ($query === '' ? [] : explode('&', $query) as $option) {
			[$name, $value] = explode('=', $option, 2);
			$options[$name] = rawurldecode($value);
		}
		[$authority, $path] = explode('/', $rest, 2) + [1 => ''];
		$user = $password = null;
		// The last '@': one in a password that was not encoded still means what its owner meant.
		$at = strrpos($authority, '@');
		if ($at !== false) {
			[$user, $password] = array_map(rawurldecode(...), explode(':', substr($authority, 0, $at), 2));
			$user = $user === '' ? null : $user;
			$authority = substr($authority, $at + 1);
		}
		if ($scheme === 'unix') {
			return new self(
				$scheme,
				'/' . rawurldecode($path),
				0,
				$user,
				$password,
				(int) ($options['db'] ?? 0),
				$options,
			);
		}
		preg_match('/^(?:\[([^]]*)\]|([^:]*))(?::(\d+))?$/', $authority, $found, PREG_UNMATCHED_AS_NULL);
		return new self(
			$scheme,
			rawurldecode((string) ($found[1] ?? $found[2] ?? '')),
			(int) ($found[3] ?? 6379),
			$user,
			$password,
			(int) ($path !== '' ? $path : $options['db'] ?? 0),
			$options,
		);
	}

	/** As the extension calls this server in QuorumException::$errors. */
	public function address(): string
	{
		return $this->scheme === 'unix' ? $this->host : $this->bracketed() . ":$this->port";
	}

	/** For stream_socket_client(). */
	public function stream(): string
	{
		return match ($this->scheme) {
			'unix' => "unix://$this->host",
			'rediss' => 'ssl://' . $this->address(),
			default => 'tcp://' . $this->address(),
		};
	}

	/** What PHP must know of TLS: the same options as the extension has, and the host name is verified. */
	public function context(): array
	{
		if ($this->scheme !== 'rediss') {
			return [];
		}
		$verify = !in_array($this->options['verify_peer'] ?? '1', ['0', 'false'], true);
		return ['ssl' => [
			'verify_peer' => $verify,
			'verify_peer_name' => $verify,
			'peer_name' => $this->options['peer_name'] ?? $this->host,
			'SNI_enabled' => @inet_pton($this->host) === false || isset($this->options['peer_name']),
		] + array_filter([
			'cafile' => $this->options['cafile'] ?? null,
			'capath' => $this->options['capath'] ?? null,
			'local_cert' => $this->options['cert'] ?? null,
			'local_pk' => $this->options['key'] ?? null,
		])];
	}

	public function seconds(string $option, float $default): float
	{
		return (float) ($this->options[$option] ?? $default);
	}

	/** A private property would be shown by var_dump() all the same. */
	public function __debugInfo(): array
	{
		return ['address' => $this->address(), 'user' => $this->user, 'database' => $this->database];
	}

	private function bracketed(): string
	{
		return str_contains($this->host, ':') ? "[$this->host]" : $this->host;
	}
}
