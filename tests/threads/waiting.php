<?php
/* One thread holds the lock, all others wait in the queue at once, each in its own thread's connections. */
declare(strict_types=1);

$lock = new RedisLock('queue', 60.0);
if (thread_number() === request_number() % 2) {
	section_enter($lock->acquire(60.0) ?? throw new Exception('waited in vain'));
	meet();
	section_leave();
} else {
	meet();
	section_enter($lock->acquire(60.0) ?? throw new Exception('waited in vain'));
	section_leave();
}
$lock->release() || throw new Exception('not ours at the end');
meet();
reached();
