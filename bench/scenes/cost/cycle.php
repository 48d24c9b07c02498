<?php
/* Acquire and release of a free lock over a connection that is there, all on one core. */
declare(strict_types=1);

namespace Bench;

return function (Bench $bench): void {
	$bars = [
		'C on hiredis' => ['TCP' => 1.10, 'unix socket' => 1.18],
		'phpredis SET NX + evalSha' => 1.03,
		'phpredis, the same fence in Lua' => 0.95,
		'Laravel lock' => 1.0,
		'php-lock' => 0.98,
		'Symfony Lock' => 0.42,
	];
	$ours = 'redislock, with fence';
	$server = \RedisServer::start(tcp: true);
	pin_together($server->pid);
	foreach (['TCP' => Address::tcp($server), 'unix socket' => Address::unix($server)] as $way => $address) {
		$runners = ['C on hiredis' => ProgramRunner::limit($address), 'C on hiredis, the same fence in Lua' => ProgramRunner::limit($address, fence: true)];
		foreach (cycles() as $name => $class) {
			if ($class !== null && ($bench->peers || str_starts_with($name, 'redislock'))) {
				$runners[$name] = new CycleRunner($class, $address);
			}
		}
		pin_together(...array_map(fn (Runner $runner) => $runner->pid(), array_values($runners)));
		$results = race($runners, 6 * $bench->runs + 1, 1000);
		$runners = null;
		$bench->plots['cycle-' . strtr(strtolower($way), ' ', '-')] = [
			'title' => "acquire + release of a free lock, $way, one core (µs)",
			'bars' => array_map(fn (string $name) => median(array_column($results, $name)) * 1e6, array_combine($names = array_keys($results[0]), $names)),
		];
		foreach (array_keys($results[0]) as $name) {
			$bench->report->row("$name, $way", '', us(median(array_column($results, $name))), null);
			if (str_starts_with($name, 'redislock')) {
				continue;
			}
			$ratio = ratio($results, $ours, $name);
			$bar = is_array($bars[$name] ?? null) ? $bars[$name][$way] : $bars[$name] ?? null;
			$bench->report->row("redislock against $name, $way", $bar === null ? '' : "≤ $bar ×", sprintf('%.2f ×', $ratio), $bar === null ? null : round($ratio, 2) <= $bar);
		}
	}
};
