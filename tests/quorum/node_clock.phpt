--TEST--
Quorum: the clock of a node is set back: it does not sit out for longer than the longest time
--EXTENSIONS--
redislock
--SKIPIF--
<?php require __DIR__ . '/../include/skipif.inc'; ?>
--FILE--
<?php
require __DIR__ . '/quorum.inc';

// What a node with its clock set back finds is a time in its future; that is written here by hand.
$quorum = Quorum::start(3);
$client = $quorum->client();
$run_id = $quorum->look(0)->info('server')['run_id'];
$now = fn (): int => $quorum->look(0)->must('TIME')[0] * 1000;
$until = fn (): int => (int) explode(' ', $quorum->look(0)->must('GET', $quorum->nodeKey()))[1];
foreach ([200, 3600, 365 * 86400, 4_000_000_000] as $seconds) {
	$quorum->look(0)->must('SET', $quorum->nodeKey(), "$run_id " . ($now() + $seconds * 1000));
	$message = $client->inspect('job')['nodes'][$quorum->address(0)];
	check(str_contains((string) $message, SITS_OUT . ' 180 s'), "$seconds s in the future: it sits out for 180 s", message: $message);
	between($now() + 170_000, $now() + 181_000, $until(), "$seconds s in the future: and remembers that");
}
// In between, what is written stands.
$quorum->look(0)->must('SET', $quorum->nodeKey(), "$run_id " . ($now() + 100_000));
$message = $client->inspect('job')['nodes'][$quorum->address(0)];
check(preg_match('/' . SITS_OUT . ' (9\d|100) s/', (string) $message) === 1, '100 s in the future: it sits out for 100 s', message: $message);

// Clients of which one has a smaller cap: the longer time of the other one is cut. They must all have the same.
foreach (['nonsense', '', "$run_id", "$run_id x", "x$run_id 0", str_repeat('9', 100), "$run_id " . str_repeat('9', 100)] as $text) {
	$quorum->look(0)->must('SET', $quorum->nodeKey(), $text);
	$message = $client->inspect('job')['nodes'][$quorum->address(0)];
	check(str_contains((string) $message, SITS_OUT . ' 180 s'), 'its key holds ' . json_encode($text) . ': it sits out', message: $message);
}
$quorum->look(0)->must('DEL', $quorum->nodeKey());
$quorum->look(0)->must('RPUSH', $quorum->nodeKey(), 'x');
$nodes = $client->inspect('job')['nodes'];
check(str_contains((string) $nodes[$quorum->address(0)], 'WRONGTYPE'), 'its key is of another type: an error of this node', nodes: $nodes);
check($client->lock('job', 30.0)->acquire() > 0, 'and the others do the work');
same(null, $quorum->tokens('job')[0], 'without it');
done();
?>
--EXPECT--
19 checks passed
