--TEST--
Quorum: persistent connections to the nodes outlive a request, others do not
--EXTENSIONS--
redislock
--SKIPIF--
<?php require __DIR__ . '/../include/skipif.inc'; ?>
--FILE--
<?php
require __DIR__ . '/../faults/web.inc';
require __DIR__ . '/quorum.inc';

$quorum = Quorum::start(5);
$web = new WebServer(<<<'PHP'
	parse_str($_SERVER['QUERY_STRING'], $query);
	$client = new RedisLock\Client($query['dsns'], prefix(), persistent: (bool) $query['persistent']);
	$lock = $client->lock($query['name'], 50.0, (bool) ($query['auto'] ?? true));
	echo json_encode($lock->acquire() > 0);
	static $kept;
	$kept = $lock;
	PHP);
$get = fn (string $name, array $more) => $web->get(http_build_query(['dsns' => implode(',', $quorum->dsns()), 'name' => $name] + $more));
$quorum->accepted();
/* The connections of others, on all nodes. */
$ids = fn (): array => $quorum->each(null, function (RespConnection $node): array {
	preg_match_all('/^id=(\d+) /m', $node->must('CLIENT', 'LIST'), $found);
	return array_values(array_diff($found[1], [(string) $node->must('CLIENT', 'ID')]));
});
$settled = function () use ($ids): array {
	wait_until(fn () => array_map(count(...), $ids()) === [1, 1, 1, 1, 1], 'there is one connection to each node');
	return $ids();
};
// The one of this test, from initializeQuorum().
$ours = $settled();
$without = fn () => array_map(fn (array $all, array $one) => array_values(array_diff($all, $one)), $ids(), $ours);

for ($i = 0; $i < 3; $i++) {
	same('true', $get('persistent', ['persistent' => 1]), "persistent, $i: a request");
	$quorum->waitHeld(0, 'persistent');
}
wait_until(fn () => array_map(count(...), $without()) === [1, 1, 1, 1, 1], 'its connections stay');
$first = $without();
$quorum->forgetCalls();
for ($i = 0; $i < 20; $i++) {
	same('true', $get('persistent', ['persistent' => 1]), "persistent, $i: the next request gets the lock");
	$quorum->waitHeld(0, 'persistent');
}
same($first, $without(), 'persistent: over the same connections');
same([[], [], [], [], []], array_map(fn (array $calls) => array_diff_key($calls, ['eval' => 0, 'evalsha' => 0]), $quorum->calls(['eval', 'evalsha', 'info', 'auth', 'select'])), 'persistent: and nobody is asked again who he is');

for ($i = 0; $i < 3; $i++) {
	same('true', $get('not persistent', ['persistent' => 0]), "not persistent, $i: a request");
	$quorum->waitHeld(0, 'not persistent');
	wait_until(fn () => $without() === $first, 'its connections are closed');
}
// A lock without autoRelease outlives the request.
same('true', $get('by hand', ['persistent' => 1, 'auto' => 0]), 'without autoRelease');
same('false', $get('by hand', ['persistent' => 1, 'auto' => 0]), 'the lock outlives the request');
between(3, 5, $quorum->held('by hand'), 'on the nodes');

// With a node that hangs, requests are served as quickly as before.
$quorum->stop(2);
for ($i = 0; $i < 10; $i++) {
	$took = seconds(fn () => same('true', $get("hung $i", ['persistent' => 1]), "a node hangs, $i: a request"));
	between(0.0, 3.0, $took, "a node hangs, $i: is served");
	$quorum->waitHeld(0, "hung $i", [0, 1, 3, 4]);
}
$quorum->cont(2);
for ($i = 0; $i < 10; $i++) {
	$quorum->waitHeld(0, "hung $i");
}
done();
?>
--EXPECT--
51 checks passed
