--TEST--
Locks and clients cannot be extended
--DESCRIPTION--
A fatal error leaves memory to PHP's allocator. Under the sanitizers, which replace it, PHP has to keep account itself.
--EXTENSIONS--
redislock
--ENV--
USE_TRACKED_ALLOC=1
--FILE--
<?php
foreach (['RedisLock', 'RedisLock\Client'] as $class) {
	$reflection = new ReflectionClass($class);
	echo $class, ': ', $reflection->isFinal() ? 'final' : 'not final', ', ', $reflection->isInstantiable() ? 'can be made' : 'cannot be made', "\n";
}
eval('class Mine extends RedisLock {}');
?>
--EXPECTF--
RedisLock: final, can be made
RedisLock\Client: final, can be made

Fatal error: Class Mine %s final class%SRedisLock%S in %s(%d) : eval()'d code on line %d
