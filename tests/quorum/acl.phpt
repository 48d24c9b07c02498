--TEST--
Quorum: the rights that a Redis user needs on a node
--EXTENSIONS--
redislock
--SKIPIF--
<?php require __DIR__ . '/../include/skipif.inc'; ?>
--FILE--
<?php
require __DIR__ . '/quorum.inc';

// What docs/operations.md says, with this test's prefix.
$quorum = Quorum::start(3);
$p = $quorum->prefix;
$rights = ['+eval', '+evalsha', '+del', '+exists', '+get', '+info', '+pexpire', '+pttl', '+set', '+time'];
$keys = ["~$p*", '~{' . $p . '*}:redislock:*'];
/* The user of this name has all of it but one thing. Returns a client of it. */
$client = function (string $user, ?string $without = null) use ($quorum, $rights, $keys): RedisLock\Client {
	$quorum->each(null, fn (RespConnection $node) => $node->must('ACL', 'SETUSER', $user, 'reset', 'on', '>x', ...array_diff([...$keys, 'nocommands', ...$rights], [$without])));
	return new RedisLock\Client($quorum->dsns("$user:x"), $quorum->prefix, timeout: 2.0);
};
/* Everything that a client can do. @return list<string> what went wrong */
$use = function (RedisLock\Client $client, string $name) use ($quorum): array {
	$problems = [];
	$GLOBALS['token'] = 'none';
	$GLOBALS['held'] = $client->lock($name);
	$steps = [
		// Waits for all nodes, so that all of them have a connection then.
		'inspect before' => fn () => !$client->inspect($name)['held'],
		'acquire' => fn () => ($first = $client->lock($name, 30.0, false))->acquire() > 0 && ($GLOBALS['token'] = $first->detach()) !== '',
		'contention' => fn () => $client->lock($name)->acquire() === null,
		'renew' => fn () => $client->renew($name, $GLOBALS['token'], 40.0),
		'attach' => fn () => ($GLOBALS['held'] = $client->lock($name, 30.0, false))->attach($GLOBALS['token']) > 0,
		'inspect' => fn () => ($seen = $client->inspect($name))['held'] && array_filter($seen['nodes']) === [],
		'release' => fn () => $GLOBALS['held']->release(),
		'release of another' => fn () => $client->release($name, 'nobody') === false,
		'forceRelease' => fn () => $client->forceRelease($name) === false,
		'renew of another' => fn () => $client->renew($name, 'nobody', 1.0) === false,
		// Nodes whose fences differ: the raise.
		'raise' => function () use ($client, $quorum, $name): bool {
			foreach ($quorum->all() as $i) {
				$quorum->look($i)->must('SET', side_key("$quorum->prefix$name raise", 'fence'), (string) ((int) (microtime(true) * 1e6) + 3_600_000_000 + $i), 'PX', 60_000);
			}
			$lock = $client->lock("$name raise", 30.0, false);
			return $lock->acquire() > 0 && $lock->release();
		},
	];
	foreach ($steps as $step => $call) {
		try {
			$call() || $problems[] = $step;
		} catch (Throwable $thrown) {
			$problems[] = "$step: {$thrown->getMessage()}";
		}
	}
	// A new quorum of the same user: its state is in a key of ours, too.
	try {
		$quorum->each(null, fn (RespConnection $node) => $node->must('DEL', $quorum->nodeKey()));
		$client->initializeQuorum();
	} catch (Throwable $thrown) {
		$problems[] = "initializeQuorum: {$thrown->getMessage()}";
		$quorum->client()->initializeQuorum();
	}
	return $problems;
};
$use($quorum->client(), 'once, so that the nodes know the scripts');
same([], $use($client('complete'), 'complete'), 'with all of these rights everything works');
foreach ([...$rights, ...$keys] as $k => $right) {
	$user = "without$k";
	if ($right === '+eval') {
		// It is what teaches a node the scripts.
		$quorum->each(null, fn (RespConnection $node) => $node->must('SCRIPT', 'FLUSH'));
	}
	$problems = $use($client($user, $right), "without $k");
	check($problems !== [], "without $right something does not", right: $right);
	foreach ($quorum->all() as $i) {
		$quorum->look($i)->must('DEL', "{$p}without $k", "{$p}without $k raise");
	}
}
// A user that may not ask who the server is: nothing is granted, and it is said why.
$thrown = quorum_error(array_map($quorum->address(...), $quorum->all()), fn () => $client('noinfo', '+info')->lock('job')->acquire(), 'without +info', [RedisLock\ServerException::class]);
same(['NOPERM'], array_values(array_unique(array_column($thrown->errors, 'redisCode'))), 'without +info: NOPERM');
check(str_contains(current($thrown->errors)->getMessage(), 'docs/operations.md'), 'and where to read on');
done();
?>
--EXPECT--
18 checks passed
