--TEST--
A lock in a reference cycle is collected and given back
--EXTENSIONS--
redislock
--SKIPIF--
<?php require __DIR__ . '/../include/skipif.inc'; ?>
--FILE--
<?php
require __DIR__ . '/../include/shared.inc';

final class Job
{
	public ?RedisLock $lock = null;
	public ?Closure $callback = null;
}
$job = new Job();
$job->lock = client()->lock('job', 60.0);
$job->lock->acquire();
$job->callback = fn () => $job->lock;
$self = $job;
unset($job);
$self->callback = Closure::bind(function () { return $this->lock; }, $self);
unset($self);
same(1, redis()->must('EXISTS', lock_key('job')), 'the cycle keeps it');
gc_collect_cycles();
wait_until_free('job');
check(client()->lock('job')->acquire() > 0, 'collected, and given back');

// A callback that knows the lock it runs under.
$lock = client()->lock('inner', 60.0);
$weak = WeakReference::create($lock);
same('x', $lock->synchronized(function (int $fence, RedisLock $given) use (&$lock) {
	same($given, $lock, 'the callback gets the lock itself');
	$lock = null;
	gc_collect_cycles();
	return $given->isHeld() ? 'x' : 'y';
}), 'the last reference is dropped within the callback');
same(null, $weak->get(), 'then it is gone');
wait_until_free('inner');
same(0, redis()->must('EXISTS', lock_key('inner')), 'and given back');
done();
?>
--EXPECT--
6 checks passed
