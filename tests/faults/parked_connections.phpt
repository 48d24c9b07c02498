--TEST--
Abandoned connections are bounded in number and closed in the end
--EXTENSIONS--
redislock
--SKIPIF--
<?php require __DIR__ . '/../include/skipif_slow.inc'; ?>
--FILE--
<?php
require __DIR__ . '/../include/fault_proxy.inc';

$server = RedisServer::start();
$redis = $server->connect();
$proxy = FaultProxy::before($server);
$client = $proxy->client(timeout: 0.1);
$lock = $client->lock('job', 60.0);
$lock->acquire();
$lock->release();
$before = open_descriptors();

// 16 parked ones at the most, and one that is in use.
$abandon = function () use ($client, $before): int {
	$most = 0;
	for ($i = 0; $i < 40; $i++) {
		try {
			$client->lock("name $i")->acquire();
			check(false, 'an acquire was answered');
		} catch (RedisLock\UncertainException) {
		}
		$most = max($most, open_descriptors() - $before);
	}
	return $most;
};
$proxy->onCommand('acquire', 'hold', times: 0);
between(2, 18, $abandon(), 'a bounded number, while 80 were abandoned');
$proxy->clear();
$proxy->release();
$proxy->waitQuiet();
// The next call sees to them.
check($lock->acquire() > 0, 'the next call just works');
between(0, 1, open_descriptors() - $before, 'the replies have come, so they are closed');
$lock->release();
$keys = fn () => array_values(array_filter($redis->must('KEYS', prefix() . '*'), fn (string $key) => !str_contains($key, '}:redislock:')));
$forEver = array_filter($keys(), fn (string $key) => $redis->must('PTTL', $key) === -1);
same([], $forEver, 'what those have taken that were closed to stay within the bound, ends with its lease');

// Nothing ever comes, and then the connection breaks.
$proxy->onReply('acquire', 'swallow', times: 0);
between(2, 18, $abandon(), 'a bounded number again');
$proxy->clear();
$proxy->hangUp();
check($lock->acquire() > 0, 'the next call just works');
between(0, 1, open_descriptors() - $before, 'they are closed');
$lock->release();

// One that is parked is never used for anything else.
$proxy->forget();
$proxy->onCommand('acquire', 'hold');
check($lock->acquire() > 0, 'the repeat won');
$links = array_column($proxy->log(), 'link');
same([$links[0], $links[0], $links[2]], $links, 'acquire, its release, and the repeat elsewhere');
for ($i = 0; $i < 20; $i++) {
	$lock->renew();
}
same([$links[2]], array_values(array_unique(array_slice(array_column($proxy->log(), 'link'), 3))), 'everything else goes over the other one');
$proxy->release();
done();
?>
--EXPECT--
10 checks passed
