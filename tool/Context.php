<?php
declare(strict_types=1);

namespace RedisLock\Tool;

use RedisLock\Client;

/** Where the locks are, and how to speak to the user: from the options, the environment and php.ini. */
final class Context
{
	public readonly Output $out;
	public readonly string $prefix;
	public readonly Keys $keys;
	/** @var list<string> */
	private array $servers;
	/** @var list<string>|null */
	private ?array $admins;

	public function __construct(private readonly Arguments $arguments)
	{
		$when = $arguments->value('color') ?? 'auto';
		in_array($when, ['auto', 'always', 'never'], true) || throw new UsageError(
			'--color must be auto, always or never',
		);
		$this->out = new Output($arguments->has('json'), new Terminal($when));
		$this->prefix = $arguments->value('prefix') ?? self::environment('REDISLOCK_PREFIX') ?? (string) ini_get('redislock.prefix');
		$this->keys = new Keys($this->prefix);
	}

	/** @return list<string> the DSNs, checked by the extension */
	public function servers(): array
	{
		if (!isset($this->servers)) {
			$servers = $this->read('servers', 'REDISLOCK_SERVERS') ?? self::split((string) ini_get('redislock.servers'));
			$this->servers = self::checked($servers);
		}
		return $this->servers;
	}

	public function isQuorum(): bool
	{
		return count($this->servers()) > 1;
	}

	/** @param float|null $timeout the longest time for one command, whatever the DSNs say; null: as they and php.ini say */
	public function client(?float $timeout = null): Client
	{
		$servers = $this->servers();
		if ($timeout !== null) {
			$servers = array_map(fn (string $dsn): string => self::capped($dsn, $timeout), $servers);
			$timeout = min($timeout, (float) ini_get('redislock.timeout'));
		}
		return new Client(count($servers) === 1 ? $servers[0] : $servers, $this->prefix, timeout: $timeout);
	}

	/** The DSN with a timeout that is not longer than that. */
	private static function capped(#[\SensitiveParameter] string $dsn, float $timeout): string
	{
		return Dsn::parse($dsn)->seconds('timeout', 0) > $timeout
			? preg_replace('/([?&]timeout=)[^&]*/', '${1}' . sprintf('%.3F', $timeout), $dsn)
			: $dsn;
	}

	/** The servers with the log-in of the locks. @return list<Node> */
	public function nodes(): array
	{
		return array_map($this->node(...), $this->servers());
	}

	/** The same servers with the log-in of who looks: --admin-servers, if given. @return list<Node> */
	public function adminNodes(): array
	{
		$servers = $this->servers();
		$this->admins ??= ($given = $this->read('admin-servers', 'REDISLOCK_ADMIN_SERVERS')) === null ? $servers : self::checked($given);
		if (count($this->admins) !== count($servers)) {
			throw new UsageError('--admin-servers must be as many as --servers, in the same order');
		}
		return array_map($this->node(...), $this->admins);
	}

	public function reader(): LockReader
	{
		return new LockReader($this->adminNodes(), $this->keys);
	}

	private function node(#[\SensitiveParameter] string $dsn): Node
	{
		$parsed = Dsn::parse($dsn);
		return new Node(
			$parsed,
			$parsed->seconds('connect_timeout', (float) ini_get('redislock.connect_timeout')),
			$parsed->seconds('timeout', (float) ini_get('redislock.timeout')),
		);
	}

	/** @return list<string>|null */
	private function read(string $option, string $variable): ?array
	{
		$file = $this->arguments->value("$option-file");
		$given = $this->arguments->value($option);
		if ($file !== null && $given !== null) {
			throw new UsageError("--$option and --$option-file cannot go together");
		}
		if ($file !== null) {
			$text = @file_get_contents($file === '-' ? 'php://stdin' : $file);
			if ($text === false) {
				throw new UsageError("--$option-file: cannot read " . Text::printable($file));
			}
			$given = preg_replace('/^\s*#.*$/m', '', $text);
		} elseif ($given !== null && preg_match('~://[^/?,]*:[^/?,]*@~', $given)) {
			$this->out->note(
				"a password on the command line can be seen in the list of processes: use $variable or --$option-file",
			);
			// Puts another text in that list, where the system can do it.
			@cli_set_process_title('redislock');
		}
		$given ??= self::environment($variable);
		return $given === null ? null : self::split($given);
	}

	/** @return list<string> */
	private static function split(#[\SensitiveParameter] string $text): array
	{
		// Not at a space: the path of a socket may hold one.
		return preg_split('/\s*[,\r\n]\s*/', trim($text), -1, PREG_SPLIT_NO_EMPTY);
	}

	/** @param list<string> $servers @return list<string> */
	private static function checked(#[\SensitiveParameter] array $servers): array
	{
		$servers !== [] || throw new UsageError('no server is given');
		// Its messages say what is wrong and never hold a password.
		new Client(count($servers) === 1 ? $servers[0] : $servers, 'check:');
		return $servers;
	}

	private static function environment(string $name): ?string
	{
		$value = getenv($name);
		return is_string($value) && $value !== '' ? $value : null;
	}

	public function __debugInfo(): array
	{
		return ['prefix' => $this->prefix];
	}
}
