<?php
declare(strict_types=1);

namespace RedisLock\Tool;

/** What --help prints. */
final class Help
{
	/** @param array<string, Command> $commands */
	public static function all(array $commands): string
	{
		$text = "usage: redislock COMMAND [OPTION]… [WORD]…\n\nLook at the locks of the redislock extension, take them, and find what breaks them.\n\nCommands:\n";
		foreach ($commands as $command) {
			$text .= self::entry($command->name(), $command->summary(), 15);
		}
		return $text . "\nOptions of every command:\n" . self::options(Application::commonOptions())
			. "\nEnvironment: REDISLOCK_SERVERS, REDISLOCK_PREFIX, REDISLOCK_ADMIN_SERVERS, NO_COLOR. Without them the\nsettings redislock.servers and redislock.prefix of php.ini count.\n"
			. "\nExit status:\n" . self::exitCodes(ExitCode::common())
			. "\n`redislock COMMAND --help` says more.\n";
	}

	public static function command(Command $command): string
	{
		$codes = $command->exitCodes() + ExitCode::common();
		ksort($codes);
		return "usage: redislock {$command->name()} {$command->usage()}\n\n" . rtrim($command->description()) . "\n"
			. ($command->options() === [] ? '' : "\nOptions:\n" . self::options($command->options()))
			. "\nOptions of every command:\n" . self::options(Application::commonOptions())
			. "\nExit status:\n" . self::exitCodes($codes);
	}

	/** @param list<Option> $options */
	private static function options(array $options): string
	{
		$text = '';
		foreach ($options as $option) {
			$left = ($option->short === null ? '' : "-$option->short, ") . "--$option->name" . ($option->value === null ? '' : " $option->value");
			$text .= self::entry($left, $option->help, 28);
		}
		return $text;
	}

	/** @param array<int, string> $codes */
	private static function exitCodes(array $codes): string
	{
		return implode(
			'',
			array_map(fn (int $code) => self::entry((string) $code, $codes[$code], 6), array_keys($codes)),
		);
	}

	private static function entry(string $left, string $right, int $column): string
	{
		$lines = explode("\n", wordwrap($right, 98 - $column));
		$first = '  ' . (strlen($left) > $column - 3 ? "$left\n  " . str_repeat(' ', $column - 2) : str_pad($left, $column - 2));
		return $first . implode("\n" . str_repeat(' ', $column), $lines) . "\n";
	}
}
