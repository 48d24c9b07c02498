--TEST--
A stored fence that is no number, or too large a one, is never counted with
--EXTENSIONS--
redislock
--SKIPIF--
<?php require __DIR__ . '/../include/skipif.inc'; ?>
--FILE--
<?php
require __DIR__ . '/../include/shared.inc';

$client = client();
$values = [
	'', ' ', 'abc', '-5', '-1', '0', '00', '01', '007', '+5', '1.5', '1e3', '1e15', '0x10', ' 12', '12 ', "12\n", "1\0002",
	'nan', 'inf', '٣', '12abc', (string) (2 ** 53 - 1), (string) (2 ** 53), (string) (2 ** 53 + 1), '18014398509481984',
	// As long as a fence is.
	'0123456789012345', '1.23456789012345', '1000000000000e03', '123456789012345 ', "12345678\0001234567", '0x00000000000001',
	(string) PHP_INT_MAX, '9223372036854775808', '18446744073709551617', str_repeat('9', 300), '1' . str_repeat('0', 400),
];
foreach ($values as $i => $value) {
	$name = "value $i";
	$shown = json_encode(substr($value, 0, 30));
	redis()->must('SET', fence_key($name), $value, 'PX', 600000);
	$lock = $client->lock($name, 30.0);
	throws(RedisLock\ServerException::class, fn () => $lock->acquire(), "$shown: acquire() is refused");
	same(false, $lock->isHeld(), "$shown: nothing is held");
	same(0, redis()->must('EXISTS', lock_key($name)), "$shown: nothing is left locked");
	same($value, redis()->must('GET', fence_key($name)), "$shown: the stored value is as it was");

	// A lock that is held already can be renewed, inspected and given back all the same, but not taken over.
	redis()->must('SET', lock_key($name), 'somebody', 'PX', 60000);
	$before = lock_state($name);
	throws(RedisLock\ServerException::class, fn () => $lock->attach('somebody'), "$shown: attach() is refused");
	same($before['value'], redis()->must('GET', lock_key($name)), "$shown: the holder is still the holder");
	same(null, $lock->acquire(), "$shown: contention is contention");
	same(true, $client->renew($name, 'somebody', 120.0), "$shown: renew()");
	same(true, $client->inspect($name)['held'], "$shown: inspect()");
	same(true, $client->release($name, 'somebody'), "$shown: release()");
}

redis()->must('RPUSH', fence_key('list'), 'x');
$lock = $client->lock('list', 30.0);
server_error('WRONGTYPE', fn () => $lock->acquire(), 'a fence key of another type');
same(0, redis()->must('EXISTS', lock_key('list')), 'nothing is left locked');
same(['x'], redis()->must('LRANGE', fence_key('list'), 0, -1), 'the list is as it was');
redis()->must('SET', lock_key('list'), 'somebody', 'PX', 60000);
server_error('WRONGTYPE', fn () => $lock->attach('somebody'), 'attach() with a fence key of another type');
same(true, $client->renew('list', 'somebody', 120.0), 'renew() does not need the fence');
same(true, $client->release('list', 'somebody'), 'nor does release()');
redis()->must('DEL', fence_key('list'));
check($lock->acquire() > 0, 'without the list it works again');
$lock->release();
done();
?>
--EXPECT--
379 checks passed
