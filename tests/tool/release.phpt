--TEST--
redislock release: by token, or from whoever holds it, after a question and only from that holder
--EXTENSIONS--
redislock
--SKIPIF--
<?php require __DIR__ . '/skipif.inc'; require __DIR__ . '/../include/skipif_slow.inc'; ?>
--FILE--
<?php
require __DIR__ . '/tool.inc';

$hold = function (string $name): RedisLock {
	$lock = client()->lock($name, 60.0);
	$lock->acquire();
	return $lock;
};
$held = fn (string $name): bool => client()->inspect($name)['held'];

// By token, from wherever a token may come.
$lock = $hold('a');
same([1, true], [tool(['release', 'a', '--token', str_repeat('0', 32)])['status'], $held('a')], 'another token gives nothing back');
same([0, false], [tool(['release', 'a', '--token', $lock->token()])['status'], $held('a')], '--token');
$lock = $hold('b');
same([0, false], [tool(['release', 'b'], ['REDISLOCK_TOKEN' => $lock->token()])['status'], $held('b')], 'REDISLOCK_TOKEN');
$lock = $hold('c');
same([0, false], [tool(['release', 'c', '--token-file', '-'], [], $lock->token() . "\n")['status'], $held('c')], '--token-file -');
$lock = $hold('d');
same([true], array_column(tool_json(['release', 'd', '--token', $lock->token()]), 'released'), '--json');
same(64, tool(['release', 'd'])['status'], 'no token at all');
same(64, tool(['release', 'd', '--token-file', '/no/such/file'])['status'], 'a file that is not there');
same(64, tool(['release', 'd', '--force', '--token', 'x'])['status'], 'a token and --force');

// By force.
$lock = $hold('e');
$refused = tool(['release', 'e', '--force']);
check($refused['status'] === 64 && $held('e') && str_contains($refused['err'], '--yes'), 'without a terminal it does not guess', ran: $refused);
same([0, false], [tool(['release', 'e', '--force', '--yes'])['status'], $held('e')], '--force --yes');
same(false, $lock->renew(), 'its holder has lost it');
same(1, tool(['release', 'e', '--force', '--yes'])['status'], 'nobody holds it');

$lock = $hold('f');
$tool = new Tool(['release', 'f', '--force'], terminal: true);
$asked = $tool->until('to go on: ');
check(str_contains($asked, (string) $lock->fence()) && str_contains($asked, 'without being told') && !str_contains($asked, $lock->token()), 'it says who holds it and what breaks', asked: $asked);
$tool->type("y\n");
same([1, true], [$tool->end()['status'], $held('f')], 'only the name itself is a yes');
$tool = new Tool(['release', 'f', '--force'], terminal: true);
$tool->until('to go on: ');
$tool->type("f\n");
$tool->until('taken away');
same([0, false], [$tool->end()['status'], $held('f')], 'yes');

// Somebody else gets the lock while it asks: that one keeps it.
$lock = $hold('g');
$tool = new Tool(['release', 'g', '--force'], terminal: true);
$tool->until('to go on: ');
$lock->release();
$other = $hold('g');
$tool->type("g\n");
$said = $tool->until('look again');
same([1, true], [$tool->end()['status'], $other->renew()], 'another holder meanwhile loses nothing');

// A waiter is served.
$lock = $hold('h');
$waiter = new Worker('$lock = client()->lock("h", 30.0); tell("waiting"); tell($lock->acquire(30.0)); hear();');
$waiter->hear();
wait_until(fn () => redis()->must('EXISTS', side_key(lock_key('h'), 'wait')) === 1, 'it waits');
same(0, tool(['release', 'h', '--force', '--yes'])['status'], 'a lock that somebody waits for');
check($waiter->hear() > $lock->fence(), 'the waiter has it, with a larger fence');
$waiter->tell('end');
$waiter->end();

redis()->must('RPUSH', lock_key('list'), 'x');
same([0, 0], [tool(['release', 'list', '--force', '--yes'])['status'], redis()->must('EXISTS', lock_key('list'))], 'what is no lock is deleted, if that is what one wants');
done();
--EXPECT--
20 checks passed
