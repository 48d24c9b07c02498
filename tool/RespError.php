<?php
declare(strict_types=1);

namespace RedisLock\Tool;

/** An error that Redis answered. A value where the answer may well be one, thrown where it may not. */
final class RespError extends \RuntimeException
{
	/** Its first word: NOPERM, OOM, ERR … */
	public readonly string $word;

	public function __construct(string $message)
	{
		parent::__construct($message);
		$this->word = preg_match('/^[A-Z]+(?= |$)/', $message, $found) ? $found[0] : 'ERR';
	}

	/** Redis refused for want of a right or a log-in. */
	public function isAboutRights(): bool
	{
		return in_array($this->word, ['NOPERM', 'NOAUTH', 'WRONGPASS'], true)
			|| (bool) preg_match('/ACL failure|can.t run this command|has no permissions/i', $this->getMessage());
	}

	/** The command does not exist there: renamed, switched off, or not known to a proxy. */
	public function isUnknownCommand(): bool
	{
		return (bool) preg_match('/unknown (redis )?command|unsupported command|unknown subcommand/i', $this->getMessage());
	}
}
