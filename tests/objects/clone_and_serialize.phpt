--TEST--
Locks and clients can be neither cloned nor serialized nor unserialized
--EXTENSIONS--
redislock
--SKIPIF--
<?php require __DIR__ . '/../include/skipif.inc'; ?>
--FILE--
<?php
require __DIR__ . '/../include/shared.inc';

$client = client();
$lock = $client->lock('job', 30.0);
$lock->acquire();
$before = lock_state('job');
foreach (['lock' => $lock, 'client' => $client] as $what => $object) {
	$class = get_class($object);
	throws(Error::class, fn () => clone $object, "$what: clone", $class);
	throws(Exception::class, fn () => serialize($object), "$what: serialize", $class);
	throws(Exception::class, fn () => serialize([[$object]]), "$what: serialize within an array", $class);
	foreach (['O', 'C'] as $kind) {
		foreach (['0:{}', '1:{s:4:"name";s:1:"x";}'] as $rest) {
			$text = $kind . ':' . strlen($class) . ":\"$class\":$rest";
			$made = null;
			try {
				$made = @unserialize($text);
			} catch (Throwable $thrown) {
				check($thrown instanceof Exception, "$what: unserialize $kind throws an exception", thrown: $thrown);
			}
			check(!$made instanceof $class, "$what: unserialize $text makes nothing");
		}
	}
	throws(Exception::class, fn () => var_export(unserialize('O:' . strlen($class) . ":\"$class\":0:{}")), "$what: unserialize", $class);
}
same($before, lock_state('job'), 'the lock did not notice');
same(true, $lock->isHeld(), 'it is held');
same(true, $lock->release(), 'and can be released');
done();
?>
--EXPECT--
27 checks passed
