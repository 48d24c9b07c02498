<?php
declare(strict_types=1);

namespace Chaos;

/** The command line, see `run`. */
final class Options
{
	public string $database = 'pgsql';
	public float $seconds = 60.0;
	public int $seed;
	public bool $guard = true;
	public int $workers = 6;
	public int $resources = 3;
	/** The lease in seconds. Short, so that much happens in a minute. */
	public float $ttl = 0.4;
	public ?string $keep = null;

	/** @param list<string> $arguments */
	public function __construct(array $arguments)
	{
		$this->seed = random_int(1, 999_999);
		foreach ($arguments as $argument) {
			[$name, $value] = explode('=', $argument, 2) + [1 => ''];
			match (true) {
				$name === '--database' && in_array($value, ['pgsql', 'mysql', 'sqlite'], true) => $this->database = $value,
				$name === '--seconds' && is_numeric($value) && $value > 0 => $this->seconds = (float) $value,
				$name === '--seed' && preg_match('/^[0-9]{1,9}$/D', $value) === 1 => $this->seed = (int) $value,
				$name === '--workers' && preg_match('/^[0-9]{1,9}$/D', $value) === 1 && $value >= 3 => $this->workers = (int) $value,
				$name === '--resources' && preg_match('/^[0-9]{1,9}$/D', $value) === 1 && $value >= 1 => $this->resources = (int) $value,
				$name === '--without-guard' => $this->guard = false,
				$name === '--keep' && $value !== '' => $this->keep = $value,
				default => throw new \InvalidArgumentException("unknown option $argument"),
			};
		}
	}

	public function dsn(string $folder): string
	{
		return $this->database === 'sqlite'
			? "sqlite:$folder/chaos.sqlite"
			: (string) getenv('REDISLOCK_' . strtoupper($this->database) . '_DSN');
	}
}
