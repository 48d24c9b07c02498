--TEST--
The token is in no dump of a lock and in no trace
--EXTENSIONS--
redislock
--SKIPIF--
<?php require __DIR__ . '/../include/skipif.inc'; ?>
--INI--
zend.exception_ignore_args=0
zend.exception_string_param_max_len=1000000
--FILE--
<?php
require __DIR__ . '/../include/shared.inc';

function leaks_token(mixed $value, string $token): bool
{
	ob_start();
	var_dump($value);
	print_r($value);
	var_export($value);
	debug_zval_dump($value);
	print_r((array) $value);
	if (is_object($value)) {
		print_r(get_object_vars($value));
		foreach ((new ReflectionObject($value))->getProperties() as $property) {
			var_dump($property->getValue($value));
		}
	}
	echo json_encode($value);
	return str_contains(ob_get_clean(), $token);
}
$client = client();
$lock = $client->lock('job', 30.0);
$lock->acquire();
$token = $lock->token();
same(false, leaks_token($lock, $token), 'a random token');
same(false, leaks_token($client, $token), 'nor in the client');
same(true, leaks_token([$token], $token), 'the check itself works');
$lock->release();
$lock->acquire(0.0, 'my-secret-owner');
same(false, leaks_token($lock, 'my-secret-owner'), 'a chosen one');
redis()->must('DEL', lock_key('job'));

$calls = [
	'acquire()' => fn ($token) => $lock->acquire(0.0, $token),
	'acquire() out of range' => fn ($token) => $client->lock('x')->acquire(-1.0, $token),
	'acquire() too long' => fn ($token) => $client->lock('x')->acquire(0.0, str_repeat($token, 100)),
	'attach()' => fn ($token) => $lock->attach($token),
	'attach() of a reservation' => fn ($token) => $client->lock('x')->attach("handoff:$token"),
	'Client::release()' => fn ($token) => $client->release('', $token),
	'Client::renew()' => fn ($token) => $client->renew('job', $token, -1.0),
	'a type error' => fn ($token) => $client->renew('job', $token, 'x'),
	'a server error' => function ($token) use ($client) {
		redis()->must('RPUSH', lock_key('list'), 'x');
		$client->lock('list')->attach($token);
	},
	'nobody there' => fn ($token) => (new RedisLock\Client('unix:///nonexistent.sock'))->lock('x')->attach($token),
];
foreach ($calls as $what => $call) {
	try {
		$call('my-secret-token');
		check(false, "$what: nothing was thrown");
	} catch (Throwable $thrown) {
		// What this test itself calls has the token among its arguments; what it calls has not.
		$ours = array_filter($thrown->getTrace(), fn (array $frame) => isset($frame['class']) && str_starts_with($frame['class'], 'RedisLock'));
		check($ours !== [], "$what: the call is in the trace");
		check(!str_contains(print_r($ours, true) . $thrown->getMessage(), 'my-secret'), "$what: without the token", thrown: $thrown);
	}
}
done();
?>
--EXPECT--
24 checks passed
