--TEST--
redislock on a quorum: quorum-init, ls, inspect, release, watch and doctor, with nodes that are gone, new, or one server
--EXTENSIONS--
redislock
--SKIPIF--
<?php require __DIR__ . '/skipif.inc'; require __DIR__ . '/../include/skipif_slow.inc'; ?>
--FILE--
<?php
require __DIR__ . '/tool.inc';

require __DIR__ . '/../quorum/quorum.inc';

foreach ([3, 5] as $count) {
	$quorum = Quorum::start($count, tcp: true, ready: false);
	$environment = ['REDISLOCK_SERVERS' => implode(',', $quorum->dsns())];
	$said = doctor([], $environment);
	found($said, 'node-new', 'problem', "$count new nodes", 'quorum-init');
	found($said, 'one-machine', 'warning', "$count nodes on one machine");

	// It shows, asks, and does nothing without a yes.
	same(64, tool(['quorum-init'], $environment)['status'], 'without a terminal it does not guess');
	$tool = new Tool(['quorum-init'], $environment, terminal: true);
	$seen = $tool->until('to go on: ');
	same($count, preg_match_all('/127\.0\.0\.1:\d+ .*master.*new/', $seen), 'it shows every node');
	$tool->type("yes\n");
	same(1, $tool->end()['status'], 'only the word itself is a yes');
	same(array_fill(0, $count, null), $quorum->each(null, fn (RespConnection $node) => $node->must('GET', $quorum->nodeKey())), 'looking has changed nothing');
	$tool = new Tool(['quorum-init'], $environment, terminal: true);
	$tool->until('to go on: ');
	$tool->type("initialize\n");
	$tool->until("$count nodes are in service");
	same(0, $tool->end()['status'], 'yes');
	$again = tool(['quorum-init', '--yes', '--json'], $environment);
	same([1, false], [$again['status'], json_decode($again['out'], true)['initialized']], 'not a second time');
	check(!array_intersect(['node-new', 'node-sits-out', 'lock-fails'], array_column(doctor([], $environment)['all'], 'id')), 'doctor finds them in service');

	$quorum->warmUp();
	$lock = $quorum->client()->lock('job', 60.0);
	$fence = $lock->acquire();
	$quorum->waitHeld($count, 'job');
	$listed = array_column(tool_json(['ls'], $environment), null, 'name')['job'] ?? [];
	same([true, $fence, $count], [$listed['held'], $listed['fence'], $listed['nodes']], 'ls');
	between(50.0, 60.0, $listed['remaining'], 'what is left');
	same([true, $fence], [($one = tool_json(['inspect', 'job'], $environment)[0])['held'], $one['fence']], 'inspect');

	// A minority is gone.
	$quorum->kill(...range(1, intdiv($count, 2)));
	$ran = tool(['ls', '--json'], $environment);
	same([0, true, intdiv($count, 2) + 1], [$ran['status'], ($one = array_column(array_map(fn (string $line) => json_decode($line, true), explode("\n", trim($ran['out']))), null, 'name')['job'])['held'], $one['nodes']], 'ls without a minority');
	check(str_contains($ran['err'], $quorum->address(1)), 'it says who is missing', err: $ran['err']);
	check(str_contains(json_encode(tool_json(['inspect', 'job'], $environment)[0]['nodes'], JSON_UNESCAPED_SLASHES), $quorum->address(1)), 'inspect says it, too');
	found(doctor([], $environment), 'unreachable', 'problem', 'doctor', $quorum->address(1));
	$quorum->boot(...range(1, intdiv($count, 2)));
	found(doctor([], $environment), 'node-new', 'problem', 'one that lost its memory');
	tool(['run', 'other', 'true'], $environment);
	found(doctor([], $environment), 'node-sits-out', 'warning', 'and was asked for a lock since', $quorum->address(1));

	same(0, tool(['release', 'job', '--force', '--yes'], $environment)['status'], 'release --force');
	same(false, $lock->renew(), 'the holder has lost it');
	same(3, tool(['run', '--ttl', '5', 'run', 'sh', '-c', 'test -n "$REDISLOCK_FENCE" && exit 3'], $environment)['status'], 'run');

	// A majority is gone.
	$quorum->kill(0, 1, ...($count === 5 ? [2] : []));
	foreach ([['ls'], ['inspect', 'job'], ['watch', 'job', '--for', '1'], ['run', 'job', 'true'], ['release', 'job', '--force', '--yes']] as $words) {
		same(69, tool($words, $environment)['status'], "$words[0] without a majority");
	}
	unset($quorum);
}

// Nodes that are none.
$server = RedisServer::start([], tcp: true);
$other = RedisServer::start([], tcp: true);
$dsns = [$server->tcpDsn(), "redis://localhost:$server->port", $other->tcpDsn()];
$environment = ['REDISLOCK_SERVERS' => implode(',', $dsns)];
found(doctor([], $environment), 'one-server', 'problem', 'two names of one server');
$ran = tool(['quorum-init', '--yes'], $environment);
check($ran['status'] === 1 && str_contains($ran['err'], 'one server'), 'quorum-init refuses them', ran: $ran);
$third = RedisServer::start([], tcp: true);
$replica = RedisServer::start(['replicaof' => "127.0.0.1 $third->port", 'repl-diskless-sync-delay' => '0'], tcp: true);
$look = $third->connect();
wait_until(fn () => ($look->info('replication')['connected_slaves'] ?? '0') === '1', 'the replica is there');
$environment = ['REDISLOCK_SERVERS' => implode(',', [$server->tcpDsn(), $other->tcpDsn(), $third->tcpDsn()])];
found(doctor([], $environment), 'quorum-replica', 'problem', 'a node with a replica');
$ran = tool(['quorum-init', '--yes'], $environment);
check($ran['status'] === 1 && str_contains($ran['err'], 'replica'), 'quorum-init refuses it', ran: $ran);
$replica->kill();
wait_until(fn () => $look->info('replication')['connected_slaves'] === '0', 'the replica is gone');
$other->connect()->must('SET', lock_key('leftover'), 'token', 'PX', 60000);
$ran = tool(['quorum-init', '--yes'], $environment);
check($ran['status'] === 1 && str_contains($ran['err'], 'leases are running'), 'quorum-init refuses running leases', ran: $ran);
$other->connect()->must('DEL', lock_key('leftover'));
$fourth = RedisServer::start([], tcp: true);
$environment = ['REDISLOCK_SERVERS' => implode(',', [$server->tcpDsn(), $other->tcpDsn(), $third->tcpDsn(), $fourth->tcpDsn()])];
same(0, tool(['quorum-init', '--yes'], $environment)['status'], 'four new ones');
found(doctor([], $environment), 'even-quorum', 'hint', 'four nodes');
done();
--EXPECT--
91 checks passed
