<?php
declare(strict_types=1);

namespace RedisLock\Tool\Top;

use RedisLock\Tool\Output;
use RedisLock\Tool\Terminal;

/** The terminal while `top` has it: another screen, keys without Enter. close() puts everything back. */
final class Screen
{
	private ?string $saved = null;
	private bool $open = false;
	private bool $shouldStop = false;

	public function __construct(private readonly Terminal $terminal)
	{
	}

	public function open(): void
	{
		if (stream_isatty(STDIN)) {
			$saved = Terminal::stty('-g');
			// Only what stty itself has written goes back to the shell.
			if (preg_match('/^[0-9a-fA-F:]+$/', $saved)) {
				$this->saved = $saved;
				Terminal::stty('-icanon', '-echo', 'min', '0', 'time', '0');
			}
		}
		$this->open = true;
		Output::write("\e[?1049h\e[?25l\e[2J");
		$this->terminal->forgetSize();
		pcntl_signal(SIGWINCH, $this->terminal->forgetSize(...));
		// Only noted: PHP forgets a signal that arrives while a handler runs, and to stop takes its time.
		pcntl_signal(SIGTSTP, function (): void {
			$this->shouldStop = true;
		});
	}

	public function close(): void
	{
		if ($this->open) {
			$this->open = false;
			Output::write("\e[?25h\e[?1049l");
			if ($this->saved !== null) {
				Terminal::stty($this->saved);
			}
		}
	}

	/** The next key, "" if none comes in time. */
	public function key(float $seconds): string
	{
		$this->stopIfAsked();
		if ($this->saved === null) {
			usleep((int) ($seconds * 1e6));
			return '';
		}
		$read = [STDIN];
		$none = null;
		// A signal, as of a window that changes its size, ends it early.
		if (!@stream_select($read, $none, $none, (int) $seconds, (int) (fmod($seconds, 1.0) * 1e6))) {
			$this->stopIfAsked();
			return '';
		}
		$key = fread(STDIN, 1);
		// The terminal is gone.
		return $key === false || ($key === '' && feof(STDIN)) ? 'q' : $key;
	}

	/** Ctrl-Z: gives the terminal back, stops, and takes it again when it is continued. */
	private function stopIfAsked(): void
	{
		if ($this->shouldStop) {
			$this->shouldStop = false;
			$this->close();
			posix_kill(posix_getpid(), SIGSTOP);
			$this->open();
		}
	}

	/** @param list<string> $lines */
	public function draw(array $lines, string $help): void
	{
		[$width, $height] = $this->terminal->size();
		$lines = array_pad($lines, $height - 1, '');
		$lines[] = $this->terminal->paint($help, 'dim');
		Output::write("\e[H" . implode("\e[K\r\n", $lines) . "\e[K");
	}
}
