<?php
declare(strict_types=1);

namespace Chaos;

/**
 * Writes what a worker does, a line of JSON each, before or after it does it. A line is written by one system call: a
 * worker that is killed leaves whole lines, and at most one broken one at the end.
 */
final class Recorder
{
	/** @var resource */
	private $file;

	public function __construct(string $file)
	{
		$this->file = fopen($file, 'a');
		stream_set_write_buffer($this->file, 0);
	}

	/** @param array<string, mixed> $what */
	public function record(string $event, array $what): void
	{
		fwrite($this->file, json_encode(['event' => $event] + $what, JSON_THROW_ON_ERROR) . "\n");
	}

	/** A time that all processes of this machine share and that nobody sets, in nanoseconds. */
	public static function now(): int
	{
		return hrtime(true);
	}
}
