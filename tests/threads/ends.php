<?php
/* Requests that end in every way while other threads go on. What they hold is given back, and nobody else's. */
declare(strict_types=1);

ini_set('display_errors', '0');
$number = thread_number();
$lock = new RedisLock("ends$number", 600.0);
$lock->acquire(10.0) > 0 || throw new Exception('the request before did not give it back');
$client = new RedisLock\Client('unix:///nowhere/at/all.sock', connectTimeout: 0.1);
try {
	$client->lock('x')->acquire();
	throw new Exception('nobody listens there');
} catch (RedisLock\ConnectionException) {
}
reached();
switch ((request_number() + $number) % 4) {
	case 0:
		exit;
	case 1:
		$lock->self = $lock;   // an Error: there is no such property
	case 2:
		$cycle = new ArrayObject([$lock, $client]);
		$cycle[] = $cycle;
		break;
	case 3:
		$lock->synchronized(fn () => null);   // an Error as well: it is held
}
