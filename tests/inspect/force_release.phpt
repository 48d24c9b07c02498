--TEST--
forceRelease() takes a lock away from whoever holds it
--EXTENSIONS--
redislock
--SKIPIF--
<?php require __DIR__ . '/../include/skipif.inc'; ?>
--FILE--
<?php
require __DIR__ . '/../include/shared.inc';

$client = client();
same(false, $client->forceRelease('job'), 'nothing is there');
same(0, redis()->must('EXISTS', lock_key('job'), fence_key('job')), 'and nothing was made');

$lock = $client->lock('job', 60.0);
$first = $lock->acquire();
same(true, $client->forceRelease('job'), 'somebody had it');
same(0, redis()->must('EXISTS', lock_key('job')), 'the lock is free');
same(false, $client->forceRelease('job'), 'a second time there is nothing');
same(true, $lock->isHeld(), 'the holder cannot know');
$other = $client->lock('job', 60.0);
$second = $other->acquire();
check($second > $first, 'another one gets it, with a larger fence', first: $first, second: $second);
same(false, $lock->renew(), 'the old holder finds out when it renews');
same(false, $lock->isHeld(), 'and knows then');
same(false, $lock->release(), 'it has nothing to release');
same(true, $other->release(), 'the new holder has');

foreach (['a key without time to live' => ['SET', 'x'], 'a key of another type' => ['RPUSH', 'x']] as $what => [$command, $value]) {
	redis()->must($command, lock_key('job'), $value);
	same(true, $client->forceRelease('job'), $what);
	same(0, redis()->must('EXISTS', lock_key('job')), "$what is gone");
}
done();
?>
--EXPECT--
15 checks passed
