--TEST--
attach() to a lock that an object still holds: one owner to Redis, two fences
--EXTENSIONS--
redislock
--SKIPIF--
<?php require __DIR__ . '/../include/skipif.inc'; ?>
--FILE--
<?php
require __DIR__ . '/../include/shared.inc';

$old = client()->lock('job', 60.0);
$first = $old->acquire();
$new = client()->lock('job', 60.0);
$second = $new->attach($old->token());
check($second > $first, 'the new ownership has a larger fence', first: $first, second: $second);
same(true, $old->isHeld(), 'the old object cannot know');
same(true, $old->renew(), 'both have the token');
same(true, $new->renew(), 'so both can renew');
same(true, $new->release(), 'the first release() gives it back');
same(false, $old->release(), 'the second one is late');
done();
?>
--EXPECT--
6 checks passed
