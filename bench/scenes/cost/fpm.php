<?php
/* A request of PHP-FPM that takes a lock and gives it back. One worker; it, the server and this process on one core. */
declare(strict_types=1);

namespace Bench;

require_once __DIR__ . '/../../../tests/include/process.inc';
require_once __DIR__ . '/../../../tests/faults/fpm.inc';

return function (Bench $bench): void {
	if (fpm_binary() === null) {
		$bench->report->row('a request of PHP-FPM', '', 'not measured: php-fpm of this PHP is not installed', null);
		return;
	}
	$server = \RedisServer::start(tcp: true);
	$phpredis = <<<'PHP'
		$token = bin2hex(random_bytes(16));
		$redis->set('fpm:job', $token, ['nx', 'px' => 30000]) || throw new LogicException('not free');
		$script = "if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) else return 0 end";
		$redis->evalSha(sha1($script), ['fpm:job', $token], 1) === 1 || $redis->eval($script, ['fpm:job', $token], 1) === 1 || throw new LogicException('not ours');
		PHP;
	$redislock = '$lock->acquire() ?? throw new LogicException("not free"); $lock->release() || throw new LogicException("not ours");';
	$codes = [
		'nothing' => '',
		'redislock, persistent' => "\$lock = (new RedisLock\\Client('redis://127.0.0.1:$server->port'))->lock('job'); $redislock",
		'redislock, connection per request' => "\$lock = (new RedisLock\\Client('redis://127.0.0.1:$server->port', persistent: false))->lock('job'); $redislock",
	];
	if ($bench->peers && class_exists(\Redis::class)) {
		$codes['phpredis pconnect, SET NX + evalSha'] = "\$redis = new Redis; \$redis->pconnect('127.0.0.1', $server->port); $phpredis";
		$codes['phpredis connect, SET NX + evalSha'] = "\$redis = new Redis; \$redis->connect('127.0.0.1', $server->port); $phpredis";
	}
	$workers = array_map(fn (string $code) => new \Fpm("$code echo getmypid();"), $codes);
	foreach ($workers as $name => $worker) {
		$pid = (string) $worker->get([]);
		ctype_digit($pid) || throw new \RuntimeException("$name: $pid");
		pin_together((int) $pid);
	}
	$cpus = allowed_cpus();
	pin_together($server->pid, getmypid());
	$results = [];
	for ($round = 0; $round < 4 * $bench->runs + 1; $round++) {
		$names = array_keys($workers);
		shuffle($names);
		$seconds = [];
		foreach ($names as $name) {
			$begin = hrtime(true);
			for ($i = 0; $i < 200; $i++) {
				$workers[$name]->get([]);
			}
			$seconds[$name] = (hrtime(true) - $begin) / 1e9 / 200;
		}
		$results[] = $seconds;
	}
	pin(getmypid(), $cpus);
	$bars = [];
	foreach (array_keys($codes) as $name) {
		$bars[$name] = median(array_column($results, $name)) * 1e6;
		$bench->report->row("a request of PHP-FPM: $name", '', us($bars[$name] / 1e6), null);
	}
	$bench->plots['fpm'] = ['title' => 'a request of PHP-FPM with a lock over TCP (µs)', 'bars' => $bars];
	if (isset($codes['phpredis pconnect, SET NX + evalSha'])) {
		$ratio = ratio($results, 'redislock, persistent', 'phpredis pconnect, SET NX + evalSha');
		$bench->report->row('a request, persistent, against phpredis pconnect', '≤ 1 ×', sprintf('%.2f ×', $ratio), round($ratio, 2) <= 1.0);
		$ratio = ratio($results, 'redislock, connection per request', 'phpredis connect, SET NX + evalSha');
		$bench->report->row('a request, connection per request, against phpredis connect', '', sprintf('%.2f ×', $ratio), null);
	}
};
