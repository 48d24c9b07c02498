<?php
declare(strict_types=1);

namespace Transfers;

/** An interrupt ends the program like any other exception, so that the workers are ended, too. */
final class Signals
{
	public const ENDING = [SIGINT, SIGTERM, SIGHUP];

	public static function throwOnEnding(): void
	{
		pcntl_async_signals(true);
		foreach (self::ENDING as $signal) {
			pcntl_signal($signal, static function (int $signal): never {
				// A second one must not break off what the first one has begun.
				foreach (self::ENDING as $any) {
					pcntl_signal($any, SIG_IGN);
				}
				throw new Interrupted($signal);
			});
		}
	}

	/** In a worker. A terminal sends its interrupt to parent and child; the parent is the one who deals with it. */
	public static function leaveToParent(): void
	{
		pcntl_async_signals(false);
		pcntl_signal(SIGINT, SIG_IGN);
		pcntl_signal(SIGTERM, SIG_DFL);
		pcntl_signal(SIGHUP, SIG_DFL);
	}
}
