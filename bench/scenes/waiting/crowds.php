<?php
/* As many waiters as there may be at a busy hour, with each library: hand-overs a second, one after another, and how fair they are. */
declare(strict_types=1);

namespace Bench;

return function (Bench $bench): void {
	if (!$bench->peers) {
		return;
	}
	$server = \RedisServer::start(['maxclients' => '2000']);
	// 10 workers that hold for a millisecond and come straight back, for three seconds.
	$fairness = function (string $class) use ($bench, $server): array {
		$arena = new Arena();
		$crew = new Crew(10, static function (Line $boss) use ($class, $server, $arena): void {
			$contender = new $class($server->socket);
			$boss->tell('ready');
			$end = $boss->hear();
			$turns = 0;
			$longest = 0.0;
			while (($began = now()) < $end) {
				$contender->run(static function (int $fence) use ($arena, $began, &$turns, &$longest): void {
					$arena->enter($fence);
					$longest = max($longest, now() - $began);
					$turns++;
					usleep(1000);
					$arena->leave();
				});
			}
			$boss->tell([$turns, $longest]);
		});
		$crew->hear();
		$results = $crew->ask(now() + 3.0);
		$bench->count($arena);
		return [jain_index(array_column($results, 0)), max(array_column($results, 1)), array_sum(array_column($results, 0))];
	};
	$rates = [];
	foreach (contenders() as $name => $class) {
		if ($class === null) {
			continue;
		}
		foreach ([1, 10, 50, 200] as $waiters) {
			$rates[$waiters][$name] = median(Crowd::rates($bench, $class, $server->socket, $waiters, $waiters > 10 ? min(2, $bench->runs) : $bench->runs, 600_000));
			$bench->report->row(sprintf('%s: hand-overs a second, %d waiter%s', $name, $waiters, $waiters === 1 ? '' : 's'), '', number_format($rates[$waiters][$name]), null);
		}
		[$jain, $longest, $turns] = $fairness($class);
		$bench->report->row("$name: 10 workers that come straight back: Jain index, longest wait, turns in 3 s", '', sprintf('%.3f, %s, %s', $jain, ms($longest), number_format($turns)), null);
	}
	foreach ($rates as $waiters => $bars) {
		$bench->plots["waiters-$waiters"] = ['title' => "hand-overs a second, $waiters waiting", 'bars' => $bars];
	}
};
