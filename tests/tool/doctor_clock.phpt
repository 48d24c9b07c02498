--TEST--
redislock doctor: a clock that is ahead or behind, for one server and for a quorum
--EXTENSIONS--
redislock
--SKIPIF--
<?php
require __DIR__ . '/skipif.inc';
require __DIR__ . '/../include/skipif_slow.inc';
require __DIR__ . '/../quorum/faketime.inc';
if (faketime() === null) {
	die('skip there is no libfaketime');
}
if (getenv('SKIP_ASAN')) {
	die('skip libfaketime does not go with the sanitizers');
}
?>
--FILE--
<?php
require __DIR__ . '/tool.inc';
require __DIR__ . '/../quorum/faketime.inc';
require __DIR__ . '/../quorum/quorum.inc';

$single = RedisServer::start(['appendonly' => 'yes']);
$quorum = Quorum::start(3);
// The tool's clock is wrong, the servers' are right.
$at = function (int $offset, array $servers): array {
	faketime($offset);
	try {
		return doctor([], ['REDISLOCK_SERVERS' => implode(',', $servers)]);
	} finally {
		faketime();
	}
};
found($at(-30, [$single->dsn()]), 'clock', 'hint', 'one server ahead', 'ahead of');
found($said = $at(3600, [$single->dsn()]), 'clock', 'hint', 'one server far behind', 'behind');
same(0, $said['status'], 'on one server it matters for nothing');
found($at(30, $quorum->dsns()), 'clock', 'hint', 'a quorum somewhat behind');
found($said = $at(3600, $quorum->dsns()), 'clock', 'problem', 'a quorum far behind', 'beyond a minute');
same(1, $said['status'], 'that is a problem');
check(!isset(doctor([], ['REDISLOCK_SERVERS' => implode(',', $quorum->dsns())])['ids']['clock']), 'no difference, nothing to say');
done();
--EXPECT--
15 checks passed
