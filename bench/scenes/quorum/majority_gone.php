<?php
/* Three of five nodes are gone: a QuorumException within the timeout, and nothing stays locked on the other two. */
declare(strict_types=1);

namespace Bench;

return function (Bench $bench): void {
	$timeout = 1.0;
	// For who is told late that the time is over.
	$slack = 0.5;
	$quorum = \Quorum::start(5, tcp: true);
	$client = $quorum->client(timeout: $timeout, connectTimeout: $timeout);
	$ways = [
		'stopped (SIGSTOP)' => [fn () => $quorum->stop(2, 3, 4), fn () => $quorum->cont(2, 3, 4)],
		'killed' => [fn () => $quorum->kill(2, 3, 4), fn () => null],
	];
	foreach ($ways as $way => [$break, $mend]) {
		$quorum->waitUsed($client, 'all nodes take part');
		$quorum->waitHeld(0, 'used again');
		$break();
		$times = [];
		$others = $left = 0;
		for ($i = 0; $i < $bench->runs; $i++) {
			$begin = hrtime(true);
			try {
				$client->lock("job $i", 50.0)->acquire();
				$others++;
			} catch (\RedisLock\QuorumException) {
				$times[] = (hrtime(true) - $begin) / 1e9;
			} catch (\Throwable) {
				$others++;
			}
			$quorum->settle([0, 1]);
			$left += $quorum->held("job $i", [0, 1]);
		}
		$mend();
		$slowest = $times ? max($times) : INF;
		$bench->report->row("5 nodes, 3 of them $way: acquire", 'a QuorumException within 1 s', sprintf('%s; %d other outcomes', ms($slowest), $others), $others === 0 && $slowest <= $timeout + $slack);
		$bench->report->row("5 nodes, 3 of them $way: left locked on the others", 'nothing', (string) $left, $left === 0);
	}
};
