<?php
declare(strict_types=1);

namespace App;

/** What the example does to two of its workers, each once, in the middle of a job. */
final class Fault
{
	public static function perhaps(string $resource, int $fence): void
	{
		$signal = match (getenv('EXAMPLE_FAULT')) {
			'stop' => SIGSTOP,
			'kill' => SIGKILL,
			default => null,
		};
		if ($signal === null) {
			return;
		}
		putenv('EXAMPLE_FAULT');
		// So that the conductor knows where it is.
		file_put_contents(self::note($signal), json_encode(['pid' => getmypid(), 'resource' => $resource, 'fence' => $fence]), LOCK_EX);
		posix_kill(getmypid(), $signal);
	}

	/** The file in which a worker says that it is about to get that signal. */
	public static function note(int $signal): string
	{
		return getenv('EXAMPLE_FOLDER') . "/signal-$signal.json";
	}
}
