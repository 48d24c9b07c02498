<?php
declare(strict_types=1);

namespace RedisLock\Tool;

/** Where the user sits, if anywhere: colours, size, questions. */
final class Terminal
{
	private const CODES = [
		'bold' => '1',
		'dim' => '2',
		'red' => '31',
		'green' => '32',
		'yellow' => '33',
		'cyan' => '36',
		'inverse' => '7',
	];

	/** @var array{int, int}|null */
	private ?array $size = null;

	/** @param string $when auto, always or never */
	public function __construct(private readonly string $when = 'auto')
	{
	}

	/** Are colours to be written to this stream? NO_COLOR: https://no-color.org. @param resource $stream */
	public function colours($stream): bool
	{
		return match ($this->when) {
			'always' => true,
			'never' => false,
			default => stream_isatty($stream) && (string) getenv('NO_COLOR') === '' && getenv('TERM') !== 'dumb',
		};
	}

	/** @param resource|null $stream where it is going to be written; null: to stdout */
	public function paint(string $text, string $style, $stream = null): string
	{
		return $text !== '' && $this->colours($stream ?? STDOUT) ? "\e[" . self::CODES[$style] . "m$text\e[0m" : $text;
	}

	/** @return array{int, int} columns, lines */
	public function size(): array
	{
		if ($this->size === null) {
			$size = [(int) getenv('COLUMNS'), (int) getenv('LINES')];
			// The environment does not follow a window that changes; the terminal does.
			if (stream_isatty(STDIN) && preg_match('/^(\d+) (\d+)$/', self::stty('size'), $found)) {
				$size = [(int) $found[2] ?: $size[0], (int) $found[1] ?: $size[1]];
			}
			$this->size = [max(40, $size[0] ?: 100), max(8, $size[1] ?: 30)];
		}
		return $this->size;
	}

	/** The window may have another size now. */
	public function forgetSize(): void
	{
		$this->size = null;
	}

	/** What stty says; "" if there is none. */
	public static function stty(string ...$arguments): string
	{
		// Ctrl-Z goes to all that the terminal runs. If it stopped stty, we would wait for it, and nobody could go on.
		// Not through a shell: some clear the mask.
		$blocks = function_exists('pcntl_sigprocmask');
		$blocks && pcntl_sigprocmask(SIG_BLOCK, [SIGTSTP], $before);
		try {
			$process = @proc_open(['stty', ...$arguments], [STDIN, ['pipe', 'w'], ['file', '/dev/null', 'w']], $pipes);
			return $process === false ? '' : trim((string) stream_get_contents($pipes[1]));
		} finally {
			$blocks && pcntl_sigprocmask(SIG_SETMASK, $before);
		}
	}

	/**
	 * Asks before something is done that cannot be undone. Only the word itself is a yes; the end of the input is a no.
	 */
	public function confirm(string $question, string $word): bool
	{
		fwrite(STDERR, "$question\nType \"$word\" to go on: ");
		$line = fgets(STDIN);
		if ($line === false) {
			fwrite(STDERR, "\n");
		}
		return rtrim((string) $line, "\r\n") === $word;
	}

	public function canAsk(): bool
	{
		return stream_isatty(STDIN);
	}
}
