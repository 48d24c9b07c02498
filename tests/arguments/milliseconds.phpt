--TEST--
Durations are rounded up to whole milliseconds
--EXTENSIONS--
redislock
--SKIPIF--
<?php require __DIR__ . '/../include/skipif.inc'; ?>
--FILE--
<?php
require __DIR__ . '/../include/shared.inc';

$server = RedisServer::start();
$client = $server->client();
$client->lock('warm')->acquire();   // now the scripts are known, and each call is one EVALSHA
$client->renew('warm', 'x', 1.0);
$monitor = $server->connect();
$monitor->must('MONITOR');
// What a client sends next, without what scripts run.
$next = function () use ($monitor): string {
	do {
		$line = $monitor->read();
	} while (!preg_match('/^[\d.]+ \[\d+ (?!lua\]).*"evalsha"/i', $line));
	return $line;
};
$cases = [[0.01, 10], [0.010001, 11], [0.0101, 11], [0.011, 11], [0.3, 300], [1.1, 1100], [1000.0001, 1000001], [0.29, 290], [4.35, 4350],
	[1.001, 1001], [2678400.0, 2678400000], [2678399.9991, 2678400000], [33.333, 33333], [8.2, 8200]];
foreach ($cases as [$seconds, $milliseconds]) {
	$client->renew('nobody', 'token', $seconds);
	$line = $next();
	check(str_contains($line, "\"$milliseconds\""), "renew() with $seconds s sends $milliseconds ms", line: $line);
	if ($seconds > 0.02) {
		$lock = $client->lock("lease of $seconds", $seconds);
		$lock->acquire();
		$line = $next();
		check(str_contains($line, "\"$milliseconds\""), "acquire() with $seconds s sends $milliseconds ms", line: $line);
		$lock->detach();
	}
}
done();
?>
--EXPECT--
24 checks passed
