<?php
declare(strict_types=1);

namespace RedisLock\Tool;

/** From a command line to an exit status. */
final class Application
{
	/** @param list<string> $argv */
	public static function main(array $argv): int
	{
		self::prepare();
		if (!extension_loaded('redislock')) {
			$ini = php_ini_loaded_file() ?: 'none';
			fwrite(
				STDERR,
				'redislock: the extension redislock is not loaded in this PHP (' . PHP_BINARY . ", php.ini: $ini). Put extension=redislock there.\n",
			);
			return ExitCode::CONFIG;
		}
		$commands = self::commands();
		$line = array_slice($argv, 1);
		$first = $line[0] ?? '--help';
		if ($first === '--version') {
			Output::write('redislock ' . phpversion('redislock') . "\n");
			return ExitCode::OK;
		}
		if (in_array($first, ['--help', '-h', 'help'], true)) {
			$asked = $commands[$line[1] ?? ''] ?? null;
			Output::write($asked === null ? Help::all($commands) : Help::command($asked));
			return $line === [] ? ExitCode::USAGE : ExitCode::OK;
		}
		$command = $commands[$first] ?? null;
		if ($command === null) {
			fwrite(
				STDERR,
				'redislock: "' . Text::printable($first) . '" is no command. Commands: ' . implode(', ', array_keys($commands)) . "\n",
			);
			return ExitCode::USAGE;
		}
		return self::run($command, array_slice($line, 1));
	}

	/** @return array<string, Command> */
	public static function commands(): array
	{
		$commands = [
			new Commands\Ls(), new Commands\Inspect(), new Commands\Top(), new Commands\Watch(), new Commands\Release(),
			new Commands\Run(), new Commands\Doctor(), new Commands\QuorumInit(), new Commands\Bench(),
		];
		return array_combine(array_map(fn (Command $command) => $command->name(), $commands), $commands);
	}

	/** @return list<Option> */
	public static function commonOptions(): array
	{
		return [
			new Option('servers', 'DSN[,DSN…]', 'where the locks are: one server, or the nodes of a quorum', 's'),
			new Option(
				'servers-file',
				'FILE',
				'the same from a file, - is stdin: passwords stay out of the list of processes',
			),
			new Option(
				'admin-servers',
				'DSN[,DSN…]',
				'the same servers with a log-in that may look: SCAN, INFO, CONFIG GET',
			),
			new Option('admin-servers-file', 'FILE', 'the same from a file'),
			new Option('prefix', 'TEXT', 'what stands before every name', 'p'),
			new Option('json', null, 'results as JSON, one value a line', 'j'),
			new Option('color', 'WHEN', 'auto (on a terminal, unless NO_COLOR is set), always, never'),
			new Option('help', null, 'this text', 'h'),
		];
	}

	/** @param list<string> $line */
	private static function run(Command $command, array $line): int
	{
		$json = false;
		try {
			$arguments = new Arguments(
				$line,
				[...$command->options(), ...self::commonOptions()],
				$command->runsAnother(),
			);
			if ($arguments->has('help')) {
				Output::write(Help::command($command));
				return ExitCode::OK;
			}
			$json = $arguments->has('json') && !$command->runsAnother();
			return $command->run($arguments, new Context($arguments));
		} catch (Interrupted $interrupted) {
			return self::dieBy($interrupted->signal);
		} catch (UsageError | \ValueError $problem) {
			return self::problem(
				$problem,
				"{$command->name()}: {$problem->getMessage()}\nTry: redislock {$command->name()} --help",
				ExitCode::USAGE,
				$json,
			);
		} catch (Stop $stop) {
			return self::problem($stop, $stop->getMessage(), $stop->getCode(), $json);
		} catch (\RedisLock\RedisLockException | NoAnswer | RespError $problem) {
			return self::problem($problem, self::message($problem), self::exitCode($problem), $json);
		}
	}

	public static function message(\Throwable $problem): string
	{
		$message = $problem->getMessage();
		if ($problem instanceof \RedisLock\QuorumException) {
			foreach ($problem->errors as $address => $error) {
				$message .= "\n  $address: " . $error->getMessage();
			}
		}
		return $message . (self::exitCode($problem) === ExitCode::RIGHTS ? "\n`redislock doctor` says which rights are missing." : '');
	}

	public static function exitCode(\Throwable $problem): int
	{
		return match (true) {
			$problem instanceof \RedisLock\UncertainException => ExitCode::UNCERTAIN,
			$problem instanceof \RedisLock\ServerException => (new RespError("$problem->redisCode {$problem->getMessage()}"))->isAboutRights() ? ExitCode::RIGHTS : ExitCode::UNAVAILABLE,
			$problem instanceof RespError => $problem->isAboutRights() ? ExitCode::RIGHTS : ExitCode::UNAVAILABLE,
			default => ExitCode::UNAVAILABLE,
		};
	}

	private static function problem(\Throwable $problem, string $message, int $status, bool $json): int
	{
		@fwrite(STDERR, "redislock: $message\n");
		if ($json) {
			$class = (new \ReflectionClass($problem))->getShortName();
			Output::write(
				Output::encode(['error' => ['kind' => $class, 'message' => $problem->getMessage()], 'status' => $status]) . "\n",
			);
		}
		return $status;
	}

	/** Ends as if the signal had not been caught, so that whoever started us sees the truth. */
	public static function dieBy(int $signal): int
	{
		pcntl_signal($signal, SIG_DFL);
		pcntl_sigprocmask(SIG_UNBLOCK, [$signal]);
		posix_kill(posix_getpid(), $signal);
		return 128 + $signal;
	}

	/** What goes wrong in PHP itself is said on stderr, and never with the arguments of a call. */
	private static function prepare(): void
	{
		ini_set('zend.exception_ignore_args', '1');
		ini_set('display_errors', 'stderr');
		ini_set('html_errors', '0');
		set_time_limit(0);
		set_error_handler(function (int $level, string $text): bool {
			if (error_reporting() & $level) {
				@fwrite(STDERR, "redislock: warning: $text\n");
			}
			return true;
		});
		set_exception_handler(function (\Throwable $fault): void {
			@fwrite(
				STDERR,
				'redislock: a fault of this program: ' . get_class($fault) . ': ' . $fault->getMessage() . ' at ' . basename($fault->getFile()) . ":{$fault->getLine()}\n",
			);
			exit(ExitCode::SOFTWARE);
		});
	}
}
