<?php
declare(strict_types=1);

namespace App\Jobs;

use App\Channel;
use RuntimeException;

/** A job that does what the test says: a list of steps for each attempt, the last list for all that follow. */
trait Plays
{
	/** @param list<list<string>> $attempts */
	public function __construct(public string $id, public array $attempts = [[]])
	{
	}

	public function handle(): void
	{
		$attempt = $this->attempts();
		$this->say('begun');
		foreach ($this->attempts[min($attempt, count($this->attempts)) - 1] as $step) {
			[$step, $argument] = explode(' ', $step, 2) + [1 => ''];
			match ($step) {
				'await' => Channel::await($argument),
				'throw' => throw new RuntimeException($argument),
				'release' => $this->release((int) $argument),
				'fail' => $this->fail(new RuntimeException('failed')),
				'exit' => exit((int) $argument),
				'fatal' => str_repeat('x', PHP_INT_MAX >> 8),
				'hang' => self::hang(),
				default => $this->$step($argument),
			};
		}
		$this->say('done');
	}

	/** @param array<string, mixed> $data */
	protected function say(string $what, array $data = []): void
	{
		Channel::say($what, ['job' => $this->id, 'attempt' => $this->attempts()] + $data);
	}

	/** Until somebody ends it. */
	private static function hang(): never
	{
		while (true) {
			usleep(10000);
		}
	}
}
