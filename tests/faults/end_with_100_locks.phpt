--TEST--
A process that holds 100 locks ends in time, whatever has become of Redis
--DESCRIPTION--
A fatal error leaves memory to PHP's allocator. Under the sanitizers, which replace it, PHP has to keep account itself.
--EXTENSIONS--
redislock
--SKIPIF--
<?php require __DIR__ . '/../include/skipif_slow.inc'; ?>
--ENV--
USE_TRACKED_ALLOC=1
--FILE--
<?php
require __DIR__ . '/../include/fault_proxy.inc';

// What PHP itself leaves when it ends like this, LeakSanitizer would report, and not us.
putenv('ASAN_OPTIONS=' . getenv('ASAN_OPTIONS') . ':detect_leaks=0');

const TIMEOUT = 1.0;
const SLACK = 4.0;
$server = RedisServer::start(tcp: true);
$redis = $server->connect();
$proxy = FaultProxy::before($server);
$code = <<<'PHP'
	[$dsn, $end, $persistent] = $argument;
	$locks = [];
	for ($i = 0; $i < 100; $i++) {
		// Different parts of a program have clients of their own.
		if ($i % 10 === 0) {
			$client = new RedisLock\Client(is_array($dsn) ? $dsn[$i / 10] : $dsn, prefix(), connectTimeout: 60.0, timeout: 1.0, retryFor: 60.0, persistent: $persistent);
		}
		$locks[$i] = $client->lock("job $i", 600.0);
		$locks[$i]->acquire() > 0 || throw new Exception('not acquired');
	}
	ini_set('display_errors', '0');
	tell('held');
	hear();
	eval($end);
	PHP;
$ends = [
	'end' => ['', 0],
	'fatal error' => ['ini_set("memory_limit", "8M"); str_repeat("x", 100_000_000);', 255],
	'one after the other' => ['foreach ($locks as $i => $lock) { unset($locks[$i], $lock); }', 0],
];
$fates = [
	'well' => ['dsn', fn () => null, fn () => null],
	'stopped' => ['dsn', fn () => $server->signal('STOP'), fn () => $server->signal('CONT')],
	'stopped, TCP' => ['tcpDsn', fn () => $server->signal('STOP'), fn () => $server->signal('CONT')],
	'gone' => ['dsn', fn () => $server->kill(), fn () => $server->boot()],
	'gone, TCP' => ['tcpDsn', fn () => $server->kill(), fn () => $server->boot()],
];
$left = fn (RespConnection $redis) => count($redis->must('KEYS', prefix() . 'job *'));
foreach ($fates as $fate => [$dsn, $break, $mend]) {
	foreach ($ends as $how => [$end, $status]) {
		foreach ([true, false] as $persistent) {
			$what = "$fate, $how, " . ($persistent ? 'persistent' : 'not persistent');
			$worker = new Worker($code, [$server->$dsn(), $end, $persistent]);
			same('held', $worker->hear(), "$what: it holds them");
			$break();
			$begin = hrtime(true);
			$worker->tell('end');
			same(['output' => '', 'status' => $status], $worker->end(), "$what: it ends as it should");
			between(0.0, TIMEOUT + SLACK, (hrtime(true) - $begin) / 1e9, "$what: in time");
			$mend();
			// Written and not awaited. A server that was stopped until the process was gone reads one buffer full of each
			// connection, finds nobody to answer and forgets the rest: so there must be no rest.
			wait_until(fn () => $left($server->connect()) === 0, "$what: they are given back, or gone with the server");
			$server->connect()->must('FLUSHALL');
		}
	}
}

// The network is gone: old connections lead nowhere, new ones too, or they are refused.
$fates = [
	'black hole' => function () use ($proxy) {
		$proxy->onCommand('*', 'swallow', times: 0);
		$proxy->onConnect('ignore', times: 0);
	},
	'never answers' => function () use ($proxy) {
		$proxy->onConnect('ignore', times: 0);
		$proxy->hangUp();
	},
	'never answers the log-in' => function () use ($proxy) {
		$proxy->onConnect('ignore', times: 0);
		$proxy->hangUp();
	},
	'ten that never answer the log-in' => function () use ($proxy) {
		$proxy->onConnect('ignore', times: 0);
		$proxy->hangUp();
	},
	'refuses' => function () use ($proxy) {
		$proxy->deafen();
		$proxy->hangUp();
	},
	'closes' => function () use ($proxy) {
		$proxy->onConnect('close', times: 0);
		$proxy->hangUp();
	},
];
foreach ($fates as $fate => $break) {
	foreach ($ends as $how => [$end, $status]) {
		$dsn = match ($fate) {
			'never answers the log-in' => $proxy->dsn('db=1'),
			'ten that never answer the log-in' => array_map(fn (int $i) => $proxy->dsn("db=$i"), range(1, 10)),
			default => $proxy->dsn(),
		};
		$worker = new Worker($code, [$dsn, $end, true]);
		same('held', $worker->hear(), "$fate, $how: it holds them");
		$break();
		$begin = hrtime(true);
		$worker->tell('end');
		same(['output' => '', 'status' => $status], $worker->end(), "$fate, $how: it ends as it should");
		between(0.0, TIMEOUT + SLACK, (hrtime(true) - $begin) / 1e9, "$fate, $how: in time");
		$proxy->clear();
		$fate === 'refuses' && $proxy->listen();
		$redis = $server->connect();
		$redis->must('FLUSHALL');
	}
}
done();
?>
--EXPECT--
144 checks passed
