<?php
declare(strict_types=1);

namespace RedisLock\Tool;

/** What the exit status says. Those from 64 on are the names of sysexits.h, as flock(1) uses them. */
final class ExitCode
{
	public const OK = 0;
	/** The answer is no: not acquired, not held by that token, doctor found a problem. */
	public const NO = 1;
	/** The command line cannot be used. Nothing was sent. */
	public const USAGE = 64;
	/** Redis, or the command to run, is not to be had. */
	public const UNAVAILABLE = 69;
	/** A fault of this program. */
	public const SOFTWARE = 70;
	/** The system refused something: fork, a file. */
	public const OS = 71;
	/** It was sent, and whether it was done stayed unknown. */
	public const UNCERTAIN = 75;
	/** Redis refused for want of rights, or of a log-in. */
	public const RIGHTS = 77;
	/** The extension is missing, or PHP lacks something. */
	public const CONFIG = 78;
	/** `run`: the lease was lost while the command ran. */
	public const LOST = 79;

	/** What every command can end with, in words. @return array<int, string> */
	public static function common(): array
	{
		return [
			self::OK => 'done',
			self::USAGE => 'the command line cannot be used; nothing was sent',
			self::UNAVAILABLE => 'Redis could not be reached, or answered with an error',
			self::OS => 'the system refused something',
			self::UNCERTAIN => 'it was sent, and whether it was done stayed unknown',
			self::RIGHTS => 'Redis refused: a right or the log-in is missing',
			self::CONFIG => 'PHP lacks the extension or something else that is needed',
		];
	}
}
