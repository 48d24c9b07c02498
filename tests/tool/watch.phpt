--TEST--
redislock watch: a line for every change, an end when it is to end, and a server that goes and comes back
--EXTENSIONS--
redislock
--SKIPIF--
<?php require __DIR__ . '/skipif.inc'; require __DIR__ . '/../include/skipif_slow.inc'; ?>
--FILE--
<?php
require __DIR__ . '/tool.inc';

$server = RedisServer::start();
$environment = ['REDISLOCK_SERVERS' => $server->dsn(), 'REDISLOCK_PREFIX' => 'test:'];
$client = $server->client('test:');
$event = function (Tool $tool, string $wanted, string $what): array {
	$seen = json_decode((string) $tool->line(), true);
	same($wanted, $seen['event'] ?? null, $what);
	return $seen ?? [];
};

$tool = new Tool(['watch', 'job', '--json', '-i', '0.02'], $environment);
$event($tool, 'free', 'free at first');
$lock = $client->lock('job', 60.0);
$fence = $lock->acquire();
$seen = $event($tool, 'acquired', 'taken');
same([$fence, true], [$seen['lock']['fence'], $seen['lock']['held']], 'with its fence');
check(!str_contains(json_encode($seen), $lock->token()), 'without the token');
$lock->renew(120.0);
$event($tool, 'renewed', 'renewed');
$waiter = new Worker('$lock = (new RedisLock\Client($argument, "test:"))->lock("job", 60.0); tell($lock->acquire(30.0)); hear(); $lock->release(); tell(1);', $server->dsn());
$event($tool, 'waiting', 'somebody waits');
$lock->release();
$second = $waiter->hear();
$seen = $event($tool, 'acquired', 'handed over');
same($second, $seen['lock']['fence'], 'with the fence of the waiter');
// The flag that somebody waits ends by itself.
$event($tool, 'nobody-waits', 'nobody waits any more');
$waiter->tell('release');
$waiter->hear();
$event($tool, 'free', 'given back');
$server->kill();
$event($tool, 'no-answer', 'the server is gone: once');
$server->boot();
$event($tool, 'answers', 'it is back');
$tool->signal('TERM');
same(128 + 15, $tool->end()['status'], 'ended by a signal');
$waiter->end();

// To wait in a script.
$lock = $client->lock('other', 60.0);
$lock->acquire();
$tool = new Tool(['watch', 'other', '--until', 'free', '-i', '0.02'], $environment);
$tool->until('held by');
$lock->release();
same(0, $tool->end()['status'], '--until free');
$lock->acquire();
same(1, tool(['watch', 'other', '--until', 'free', '--for', '0.1', '-i', '0.02'], $environment)['status'], '... and in time: no');
same(0, tool(['watch', 'other', '--until', 'held', '--for', '60'], $environment)['status'], '--until held');
same(0, tool(['watch', 'other', '--for', '0.1'], $environment)['status'], '--for');
same(64, tool(['watch', 'other', '--until', 'never'], $environment)['status'], 'a state that is none');
same(64, tool(['watch', str_repeat('x', 1025)], $environment)['status'], 'a name that is too long');
$server->kill();
same(69, tool(['watch', 'other'], $environment)['status'], 'no server at first');
done();
--EXPECT--
20 checks passed
