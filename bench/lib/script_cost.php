<?php
declare(strict_types=1);

namespace Bench;

/** Measures scripts inside the server. */
final class ScriptCost
{
	/** @var array<string, list<string>> name => the EVALSHA of it */
	private array $sent = [];

	public function __construct(private readonly \RespConnection $redis, \RedisServer $server)
	{
		$monitor = $server->connect();
		$monitor->must('MONITOR');
		$crew = new Crew(1, static function (Line $boss) use ($server): void {
			$lock = (new \RedisLock\Client($server->dsn()))->lock('script', 30.0);
			for ($i = 0; $i < 3; $i++) {
				$lock->acquire();
				$lock->release();
			}
			$boss->tell('done');
		});
		$crew->hear();
		$this->redis->must('PING');
		$evals = [];
		while (!str_contains($line = (string) $monitor->read(), '"PING"')) {
			preg_match_all('/"((?:[^"\\\\]|\\\\.)*)"/', $line, $words);
			if (($words[1][0] ?? '') === 'EVALSHA') {
				$evals[] = $words[1];
			}
		}
		[$this->sent['acquire'], $this->sent['release']] = array_slice($evals, -2);
	}

	/** The command that the extension sends for it, as it was written. @return list<string> */
	public function sent(string $name): array
	{
		return $this->sent[$name];
	}

	/**
	 * @param array<string, array{list<string>, ?list<string>, ?list<string>}> $candidates the script, and what is done before and after it
	 * @return list<array<string, float>> seconds per call in the server, of each round
	 */
	public function race(array $candidates, int $rounds, int $calls): array
	{
		foreach ($candidates as &$candidate) {
			if ($candidate[0][0] === 'EVAL') {
				$candidate[0][1] = $this->redis->must('SCRIPT', 'LOAD', $candidate[0][1]);
				$candidate[0][0] = 'EVALSHA';
			}
		}
		unset($candidate);
		$results = [];
		for ($round = 0; $round < $rounds; $round++) {
			$names = array_keys($candidates);
			shuffle($names);
			$seconds = [];
			foreach ($names as $name) {
				[$script, $before, $after] = $candidates[$name];
				$this->redis->must('CONFIG', 'RESETSTAT');
				for ($i = 0; $i < $calls; $i++) {
					$before === null || $this->redis->must(...$before);
					$this->redis->must(...$script);
					$after === null || $this->redis->must(...$after);
				}
				preg_match('/cmdstat_evalsha:.*?usec_per_call=([\d.]+)/', (string) $this->redis->must('INFO', 'commandstats'), $found);
				$seconds[$name] = (float) $found[1] / 1e6;
			}
			$results[] = $seconds;
		}
		return $results;
	}
}
