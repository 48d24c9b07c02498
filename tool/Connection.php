<?php
declare(strict_types=1);

namespace RedisLock\Tool;

/**
 * One connection that can send any command, for looking: SCAN, INFO, CONFIG GET, TIME. Locks are taken and given back
 * by the extension only.
 *
 * It is our own because the tool is installed by `pecl`, without Composer, and RESP2 is this small. Every exchange has
 * a deadline; after an exception the connection is of no use any more.
 */
final class Connection
{
	private const MAX_BULK = 64 << 20;

	/** @var resource */
	private $stream;
	private string $buffer = '';
	private float $deadline = 0.0;

	/** @throws NoAnswer|RespError if it cannot be made, or the log-in is refused */
	public function __construct(private readonly Dsn $dsn, float $connectTimeout, private readonly float $timeout)
	{
		$context = stream_context_create($dsn->context());
		$problem = '';
		// What is wrong with a certificate is said in warnings only.
		set_error_handler(function (int $level, string $text) use (&$problem): bool {
			$problem .= ($problem === '' ? '' : '; ') . preg_replace('/^stream_socket_client\(\): /', '', $text);
			return true;
		});
		try {
			$stream = stream_socket_client(
				$dsn->stream(),
				$number,
				$text,
				$connectTimeout,
				STREAM_CLIENT_CONNECT,
				$context,
			);
		} finally {
			restore_error_handler();
		}
		if ($stream === false) {
			throw new NoAnswer(
				'cannot connect to ' . $dsn->address() . ': ' . ($dsn->scheme === 'rediss' && $problem !== '' ? $problem : ($text ?: 'no answer in time')),
			);
		}
		stream_set_blocking($stream, false);
		$this->stream = $stream;
		if ($dsn->password !== null) {
			$this->must('AUTH', ...($dsn->user === null ? [] : [$dsn->user]), ...[$dsn->password]);
		}
		if ($dsn->database !== 0) {
			$this->must('SELECT', (string) $dsn->database);
		}
	}

	/** The answer to one command: string, int, list, null, or RespError as a value. */
	public function ask(#[\SensitiveParameter] string ...$words): mixed
	{
		return $this->pipeline([$words])[0];
	}

	/** @param float $extra seconds that a blocking command may take beyond a timeout */
	public function askBlocking(float $extra, string ...$words): mixed
	{
		return $this->pipeline([$words], $extra)[0];
	}

	/** As ask(), for an answer that must not be an error. */
	public function must(#[\SensitiveParameter] string ...$words): mixed
	{
		$answer = $this->ask(...$words);
		return $answer instanceof RespError ? throw $answer : $answer;
	}

	/**
	 * Sends all commands at once and reads all answers.
	 *
	 * @param list<list<string>> $commands
	 * @return list<mixed>
	 */
	public function pipeline(#[\SensitiveParameter] array $commands, float $extra = 0.0): array
	{
		$this->deadline = hrtime(true) / 1e9 + $this->timeout + $extra;
		$text = '';
		foreach ($commands as $words) {
			$text .= '*' . count($words) . "\r\n";
			foreach ($words as $word) {
				$text .= '$' . strlen($word) . "\r\n$word\r\n";
			}
		}
		$this->send($text);
		$answers = [];
		foreach ($commands as $_) {
			$answers[] = $this->read(0);
		}
		return $answers;
	}

	private function send(#[\SensitiveParameter] string $text): void
	{
		while ($text !== '') {
			$count = @fwrite($this->stream, $text);
			if ($count === false) {
				throw new NoAnswer($this->dsn->address() . ' closed the connection', true);
			}
			$text = substr($text, $count);
			// Answers that nobody reads could keep the server from reading what we send.
			$text === '' || ($this->wait($text !== '') && $this->take());
		}
	}

	private function read(int $depth): mixed
	{
		$line = $this->line();
		$rest = substr($line, 1);
		switch ($line[0] ?? '') {
			case '+':
				return $rest;
			case '-':
				return new RespError($rest);
			case ':':
				return (int) $rest;
			case '$':
				$length = $this->length($rest, self::MAX_BULK);
				return $length < 0 ? null : substr($this->bytes($length + 2), 0, -2);
			case '*':
				$length = $this->length($rest, 1 << 20);
				if ($length < 0) {
					return null;
				}
				$depth < 8 || throw $this->nonsense();
				$list = [];
				for ($i = 0; $i < $length; $i++) {
					$list[] = $this->read($depth + 1);
				}
				return $list;
		}
		throw $this->nonsense();
	}

	private function length(string $text, int $most): int
	{
		return preg_match('/^(-1|\d{1,9})$/', $text) && (int) $text <= $most ? (int) $text : throw $this->nonsense();
	}

	private function line(): string
	{
		while (($end = strpos($this->buffer, "\r\n")) === false) {
			strlen($this->buffer) < 65536 || throw $this->nonsense();
			$this->more();
		}
		$line = substr($this->buffer, 0, $end);
		$this->buffer = substr($this->buffer, $end + 2);
		return $line;
	}

	private function bytes(int $count): string
	{
		while (strlen($this->buffer) < $count) {
			$this->more();
		}
		$bytes = substr($this->buffer, 0, $count);
		$this->buffer = substr($this->buffer, $count);
		return $bytes;
	}

	private function more(): void
	{
		// First read: TLS may have decoded what select() knows nothing of.
		while (!$this->take()) {
			$this->wait(false);
		}
	}

	/** Reads what is there. False: nothing. */
	private function take(): bool
	{
		$part = @fread($this->stream, 65536);
		if ($part === false || ($part === '' && feof($this->stream))) {
			throw new NoAnswer($this->dsn->address() . ' closed the connection', true);
		}
		$this->buffer .= $part;
		return $part !== '';
	}

	private function wait(bool $toWrite): bool
	{
		do {
			$left = $this->deadline - hrtime(true) / 1e9;
			$left > 0 || throw new NoAnswer($this->dsn->address() . ' did not answer in time');
			$read = [$this->stream];
			$write = $toWrite ? [$this->stream] : null;
			$except = null;
			// A signal ends it early, which is no harm.
			$ready = @stream_select($read, $write, $except, (int) $left, (int) (fmod($left, 1.0) * 1e6));
		} while (!$ready);
		return $read !== [];
	}

	private function nonsense(): NoAnswer
	{
		return new NoAnswer($this->dsn->address() . ' answered what is not Redis\'s protocol');
	}

	public function __debugInfo(): array
	{
		return ['dsn' => $this->dsn];
	}
}
