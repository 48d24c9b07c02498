<?php
declare(strict_types=1);

namespace RedisLock\Tool\Commands;

use RedisLock\Tool\Arguments;
use RedisLock\Tool\Command;
use RedisLock\Tool\Context;
use RedisLock\Tool\ExitCode;
use RedisLock\Tool\Option;
use RedisLock\Tool\Stop;

final class Bench extends Command
{
	public function name(): string
	{
		return 'bench';
	}

	public function summary(): string
	{
		return 'how fast locks are from here: free ones, and one that many want';
	}

	public function usage(): string
	{
		return '[OPTION]…';
	}

	public function description(): string
	{
		return <<<'TEXT'
			Measures from this machine, against the servers that are in use, so mind the load. First one process takes and
			gives back a free lock again and again. Then several processes do the same with one lock, each waiting in the
			queue: how many changes of hands a second, and how long each waited. It checks that no fence comes twice and that
			each is larger than the one before. Its locks are called redislock-bench:… and are gone a minute later.
			TEXT;
	}

	public function options(): array
	{
		return [
			new Option('seconds', 'SECONDS', 'how long each part takes (3)', 't'),
			new Option('workers', 'N', 'how many processes want the one lock (10)', 'w'),
		];
	}

	public function exitCodes(): array
	{
		return [ExitCode::NO => 'fences were out of order: report it'];
	}

	public function run(Arguments $arguments, Context $context): int
	{
		$arguments->take(0, 0, 'bench ' . $this->usage());
		$seconds = $arguments->seconds('seconds', 3, 0.1, 600);
		$workers = $arguments->whole('workers', 10, 1, 200);
		function_exists('pcntl_fork') || throw new Stop('bench needs the PHP extension pcntl', ExitCode::CONFIG);
		// A name that nobody uses again need not be remembered for a week.
		ini_set('redislock.fence_retention', '60');
		$name = 'redislock-bench:' . bin2hex(random_bytes(6));
		$free = $this->free($name, $seconds, $context);
		$queue = $this->queue("$name-queue", $seconds, $workers, $context);
		$out = $context->out;
		$out->json(['free' => $free, 'queue' => $queue]);
		$out->table(['', 'A SECOND>', 'P50 MS>', 'P99 MS>', 'WORST MS>'], [
			['take and give back a free lock', ...$this->row($free)],
			["change hands, $workers processes", ...$this->row($queue)],
		]);
		if ($workers > 1) {
			$out->line(sprintf('each process got the lock %d to %d times', $queue['least'], $queue['most']));
		}
		if (!$queue['fences_in_order']) {
			$out->note('fences were out of order or came twice');
			return ExitCode::NO;
		}
		return ExitCode::OK;
	}

	/** @return array<string, mixed> */
	private function free(string $name, float $seconds, Context $context): array
	{
		$lock = $context->client()->lock($name, 30.0);
		$times = [];
		$lock->acquire() === null && throw new Stop(
			'somebody else holds the lock of this bench',
			ExitCode::UNAVAILABLE,
		);
		$lock->release();
		for ($end = hrtime(true) + (int) ($seconds * 1e9); ($begin = hrtime(true)) < $end;) {
			$lock->acquire();
			$lock->release();
			$times[] = (hrtime(true) - $begin) / 1e6;
		}
		return self::statistics($times, $seconds);
	}

	/** @return array<string, mixed> */
	private function queue(string $name, float $seconds, int $workers, Context $context): array
	{
		$begin = hrtime(true) + 200_000_000;
		$pipes = [];
		for ($i = 0; $i < $workers; $i++) {
			$pair = stream_socket_pair(STREAM_PF_UNIX, STREAM_SOCK_STREAM, 0);
			$pid = pcntl_fork();
			if ($pid === 0) {
				$this->worker($name, $begin, $seconds, $pair[1], $context);
			}
			fclose($pair[1]);
			$pid > 0 || throw new Stop('cannot fork: ' . pcntl_strerror(pcntl_get_last_error()), ExitCode::OS);
			$pipes[$pid] = $pair[0];
		}
		$times = $fences = $counts = [];
		$disordered = false;
		foreach ($pipes as $pid => $pipe) {
			$answer = json_decode((string) stream_get_contents($pipe), true);
			pcntl_waitpid($pid, $status);
			is_array($answer) || throw new Stop(
				"a worker ended before it was done, status $status",
				ExitCode::UNAVAILABLE,
			);
			isset($answer['problem']) && throw new Stop($answer['problem'], ExitCode::UNAVAILABLE);
			array_push($times, ...$answer['times']);
			array_push($fences, ...$answer['fences']);
			$counts[] = count($answer['fences']);
			foreach (array_slice($answer['fences'], 1) as $j => $fence) {
				$disordered = $disordered || $fence <= $answer['fences'][$j];
			}
		}
		return self::statistics($times, $seconds) + [
			'workers' => $workers, 'least' => min($counts), 'most' => max($counts),
			'fences_in_order' => !$disordered && count(array_unique($fences)) === count($fences),
		];
	}

	/** Never returns: a fork ends without what its parent would still do. @param resource $pipe */
	private function worker(string $name, int $begin, float $seconds, $pipe, Context $context): never
	{
		$times = $fences = [];
		$problem = null;
		try {
			$lock = $context->client()->lock($name, 30.0);
			usleep(max(0, intdiv($begin - hrtime(true), 1000)));
			for ($end = $begin + (int) ($seconds * 1e9); ($asked = hrtime(true)) < $end;) {
				$fence = $lock->acquire($seconds + 30);
				if ($fence === null) {
					break;
				}
				$times[] = (hrtime(true) - $asked) / 1e6;
				$fences[] = $fence;
				$lock->release();
			}
		} catch (\Throwable $thrown) {
			$problem = $thrown->getMessage();
		}
		fwrite(
			$pipe,
			json_encode($problem === null ? ['times' => $times, 'fences' => $fences] : ['problem' => $problem]),
		);
		fclose($pipe);
		exit(0);
	}

	/** @param list<float> $times in ms @return array<string, int|float> */
	private static function statistics(array $times, float $seconds): array
	{
		sort($times);
		$at = fn (float $share): float => $times === [] ? 0.0 : round(
			$times[(int) floor($share * (count($times) - 1))],
			3,
		);
		return [
			'count' => count($times),
			'per_second' => round(count($times) / $seconds, 1),
			'p50_ms' => $at(0.5),
			'p99_ms' => $at(0.99),
			'worst_ms' => $at(1.0),
		];
	}

	/** @param array<string, mixed> $part @return list<string> */
	private function row(array $part): array
	{
		return [
			number_format($part['per_second']),
			...array_map(fn (string $key) => sprintf('%.3f', $part[$key]), ['p50_ms', 'p99_ms', 'worst_ms']),
		];
	}
}
