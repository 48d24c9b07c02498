<?php
/*
 * What the benchmarks share. Their servers and the client that looks at them are those of the tests.
 */
declare(strict_types=1);

namespace Bench;

require_once __DIR__ . '/../../tests/include/server.inc';
require_once __DIR__ . '/statistics.php';
require_once __DIR__ . '/crew.php';
require_once __DIR__ . '/arena.php';
require_once __DIR__ . '/report.php';
require_once __DIR__ . '/contenders.php';
require_once __DIR__ . '/crowd.php';

/** What a scene gets: how often to run, and where to put what it has measured. */
final class Bench
{
	public readonly Report $report;
	public int $violations = 0;
	public int $turns = 0;
	/** @var array<string, array{title: string, bars: array<string|int, float>}> what is worth a picture, by the name of its file */
	public array $plots = [];

	public function __construct(public readonly int $runs, public readonly int $soak, public readonly bool $peers)
	{
		$this->report = new Report();
	}

	/** @template T @param \Closure(): T $run @return list<T> */
	public function repeat(\Closure $run, ?int $times = null): array
	{
		$results = [];
		for ($i = 0; $i < ($times ?? $this->runs); $i++) {
			$results[] = $run();
		}
		return $results;
	}

	/** Every use of the lock in a scene was checked. */
	public function count(Arena $arena): void
	{
		$this->turns += $arena->count();
		$this->violations += $arena->violations();
	}
}

/** Commands that clients have sent since CONFIG RESETSTAT. What only scripts call is not counted. */
function client_commands(\RespConnection $redis): int
{
	return array_sum(array_intersect_key($redis->calls(), array_flip(['evalsha', 'eval', 'blpop', 'script|load', 'client|id', 'client|unblock'])));
}

function wait_for_blocked(\RespConnection $redis, int $count): void
{
	wait_until(fn () => (int) $redis->info('clients')['blocked_clients'] === $count, "$count waiters are blocked", 60.0);
}

/** Compiles a C file, with the options behind it that the linker may need. */
function build(string $source, string $target, string ...$options): void
{
	$command = implode(' ', array_map('escapeshellarg', [getenv('CC') ?: 'cc', '-O2', '-Wall', '-Wextra', '-std=gnu11', '-o', $target, $source, ...$options])) . ' 2>&1';
	exec($command, $output, $status);
	$status === 0 || throw new \RuntimeException("cannot build: $command\n" . implode("\n", $output));
}

/** Lets a process run on these processors only, as "0" or "0-3". */
function pin(int $pid, string $cpus): void
{
	exec('taskset --all-tasks --cpu-list --pid ' . escapeshellarg($cpus) . " $pid 2>&1", $output, $status);
	$status === 0 || throw new \RuntimeException("cannot pin a process to a processor with taskset (util-linux): " . implode(' ', $output));
}

/** The processors that this process may use, as pin() takes them. */
function allowed_cpus(): string
{
	preg_match('/^Cpus_allowed_list:\s*(\S+)$/m', (string) file_get_contents('/proc/self/status'), $found);
	return $found[1] ?? throw new \RuntimeException('this system does not say which processors there are');
}

/** Now, in seconds, the same in all processes. */
function now(): float
{
	return hrtime(true) / 1e9;
}

/** Sleeps until that moment. */
function sleep_until(float $moment): void
{
	while (($left = $moment - now()) > 0) {
		usleep((int) ceil($left * 1e6));
	}
}

function ms(float $seconds): string
{
	return sprintf($seconds < 0.01 ? '%.3f ms' : '%.1f ms', $seconds * 1000);
}

/**
 * Runs scenes, each a file that returns a function, and prints the table. Returns the exit status.
 *
 * @param list<string> $names
 */
function run_scenes(string $folder, array $names, array $arguments): int
{
	$options = ['check' => false, 'only' => '', 'runs' => 5, 'soak' => 60, 'peers' => true];
	while (($argument = array_shift($arguments)) !== null) {
		switch ($argument) {
			case '--check':
				$options['check'] = true;
				break;
			case '--no-peers':
				$options['peers'] = false;
				break;
			case '--list':
				echo implode("\n", $names), "\n";
				return 0;
			case '--only':
			case '--runs':
			case '--soak':
				$value = array_shift($arguments) ?? '';
				$options[substr($argument, 2)] = $argument === '--only' ? $value : max(1, (int) $value);
				break;
			default:
				fwrite(STDERR, "unknown option $argument; see --help\n");
				return 2;
		}
	}
	$bench = new Bench($options['runs'], $options['soak'], $options['peers']);
	measure($bench, $folder, $names, $options['only']);
	$bench->report->print();
	return $options['check'] && $bench->report->isMissed() ? 1 : 0;
}

/** Runs the scenes whose name holds $only. @param list<string> $names */
function measure(Bench $bench, string $folder, array $names, string $only = ''): void
{
	$load = fn () => implode(' ', array_map(fn (float $load) => sprintf('%.2f', $load), sys_getloadavg()));
	fprintf(STDERR, "%s, PHP %s, load %s\n", trim((string) shell_exec(escapeshellarg(redis_binary()) . ' --version')), PHP_VERSION, $load());
	foreach ($names as $name) {
		if ($only === '' || str_contains($name, $only)) {
			fprintf(STDERR, "%s %s\n", date('H:i:s'), $name);
			(require "$folder/$name.php")($bench);
		}
	}
	if ($bench->turns > 0) {
		$bench->report->row('locks held twice, or with a fence that did not grow', '0', sprintf('%d in %s turns', $bench->violations, number_format($bench->turns)), $bench->violations === 0);
	}
	fprintf(STDERR, "%s load %s\n\n", date('H:i:s'), $load());
}
