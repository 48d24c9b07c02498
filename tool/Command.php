<?php
declare(strict_types=1);

namespace RedisLock\Tool;

/** One subcommand. */
abstract class Command
{
	abstract public function name(): string;

	/** One line for the list of commands. */
	abstract public function summary(): string;

	/** What follows the name of the command. */
	abstract public function usage(): string;

	/** Some lines for --help. */
	abstract public function description(): string;

	/** @return list<Option> its own, beside those of all commands */
	public function options(): array
	{
		return [];
	}

	/** What its exit status means, where that is not as in ExitCode::common(). @return array<int, string> */
	public function exitCodes(): array
	{
		return [];
	}

	/** Do the options end after the first word, because what follows is another program's command line? */
	public function runsAnother(): bool
	{
		return false;
	}

	/** @return int the exit status */
	abstract public function run(Arguments $arguments, Context $context): int;
}
