<?php
declare(strict_types=1);

namespace RedisLock\Tool\Commands;

use RedisLock\Tool\Arguments;
use RedisLock\Tool\Command;
use RedisLock\Tool\Context;
use RedisLock\Tool\Doctor\Check;
use RedisLock\Tool\Doctor\ClassCheck;
use RedisLock\Tool\Doctor\ClockCheck;
use RedisLock\Tool\Doctor\FenceCheck;
use RedisLock\Tool\Doctor\Finding;
use RedisLock\Tool\Doctor\LockCheck;
use RedisLock\Tool\Doctor\MemoryCheck;
use RedisLock\Tool\Doctor\Patient;
use RedisLock\Tool\Doctor\PersistenceCheck;
use RedisLock\Tool\Doctor\ProxyCheck;
use RedisLock\Tool\Doctor\QuorumCheck;
use RedisLock\Tool\Doctor\ReachCheck;
use RedisLock\Tool\Doctor\ReplicationCheck;
use RedisLock\Tool\Doctor\RightsCheck;
use RedisLock\Tool\Doctor\ServerCheck;
use RedisLock\Tool\Doctor\Severity;
use RedisLock\Tool\Doctor\TimeoutCheck;
use RedisLock\Tool\ExitCode;
use RedisLock\Tool\Option;
use RedisLock\Tool\Text;
use RedisLock\Tool\UsageError;

final class Doctor extends Command
{
	public function name(): string
	{
		return 'doctor';
	}

	public function summary(): string
	{
		return 'find what silently breaks locks, and say how to mend it';
	}

	public function usage(): string
	{
		return '[OPTION]…';
	}

	public function description(): string
	{
		return <<<'TEXT'
			Run it with the servers, the user and the prefix that the application has: it tries what that user may do, takes a
			lock named redislock-doctor:… and gives it back. What the application's user may not see (INFO, CONFIG GET, SCAN)
			is asked with --admin-servers. It reads the settings of this PHP, not those of PHP-FPM.

			A problem breaks locks; a warning weakens them; a hint is worth knowing; unknown could not be checked. Each finding
			has an id, which docs/operations.md explains.
			TEXT;
	}

	public function options(): array
	{
		return [
			new Option('ttl', 'SECONDS', 'the shortest lease that the application uses (30)', 't'),
			new Option(
				'path',
				'FOLDER',
				'where to look for PHP classes that are in the way; may be repeated (this folder, if it has a composer.json)',
				null,
				true,
			),
			new Option('strict', null, 'warnings count as problems'),
			new Option('verbose', null, 'also say what was fine', 'v'),
		];
	}

	public function exitCodes(): array
	{
		return [
			ExitCode::OK => 'no problem was found',
			ExitCode::NO => 'a problem was found; with --strict also a warning, or what could not be checked',
		];
	}

	public function run(Arguments $arguments, Context $context): int
	{
		$arguments->take(0, 0, 'doctor ' . $this->usage());
		$paths = $arguments->all('path') ?: (is_file('composer.json') ? ['.'] : []);
		foreach ($paths as $path) {
			is_dir($path) || throw new UsageError('--path: ' . Text::printable($path) . ' is no folder');
		}
		$patient = new Patient(
			$context,
			$arguments->seconds('ttl', 30.0, \RedisLock::MIN_TTL, \RedisLock::MAX_TTL),
			$paths,
		);
		$findings = $fine = [];
		foreach ($this->checks() as $check) {
			$own = [...$check->findings($patient)];
			array_push($findings, ...$own);
			if ($own === []) {
				$fine[] = $check->title();
			}
		}
		$bad = array_filter($findings, fn (Finding $finding) => $finding->severity === Severity::Problem
			|| ($arguments->has('strict') && $finding->severity !== Severity::Hint));
		$context->out->json(
			[
				'ok' => $bad === [],
				'findings' => array_map(fn (Finding $finding) => $finding->forJson(), $findings),
				'fine' => $fine,
			],
		);
		$this->show($findings, $arguments->has('verbose') ? $fine : [], $context);
		return $bad === [] ? ExitCode::OK : ExitCode::NO;
	}

	/** @return list<Check> in this order: who does not answer, and what is a proxy, is not asked again */
	private function checks(): array
	{
		return [
			new ClassCheck(), new ReachCheck(), new ProxyCheck(), new ServerCheck(), new MemoryCheck(), new PersistenceCheck(),
			new ReplicationCheck(), new ClockCheck(), new FenceCheck(), new TimeoutCheck(), new RightsCheck(), new QuorumCheck(), new LockCheck(),
		];
	}

	/** @param list<Finding> $findings @param list<string> $fine */
	private function show(array $findings, array $fine, Context $context): void
	{
		$out = $context->out;
		$styles = ['problem' => 'red', 'warning' => 'yellow', 'hint' => 'cyan', 'unknown' => 'dim'];
		foreach ($fine as $title) {
			$out->line($out->terminal->paint('fine     ', 'green') . $title);
		}
		foreach (Severity::cases() as $severity) {
			foreach ($findings as $finding) {
				if ($finding->severity === $severity) {
					$where = $finding->node === null ? '' : Text::printable($finding->node) . ': ';
					$out->line(
						$out->terminal->paint(str_pad($severity->value, 9), $styles[$severity->value]) . $out->terminal->paint($finding->id, 'bold') . "  $where" . self::plain($finding->what),
					);
					$out->line('         → ' . self::plain($finding->remedy));
				}
			}
		}
		$count = fn (Severity $severity): int => count(
			array_filter($findings, fn (Finding $finding) => $finding->severity === $severity),
		);
		$out->line(
			sprintf('%d problems, %d warnings, %d hints, %d not checked', ...array_map($count, Severity::cases())),
		);
	}

	/** What a server said may hold anything; lines of a message stay lines. */
	private static function plain(string $text): string
	{
		return implode("\n           ", array_map(Text::printable(...), explode("\n", $text)));
	}
}
