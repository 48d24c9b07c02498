<?php
/* Every thread takes the same lock and one of its own, over the client that the request shares and over one of its own. */
declare(strict_types=1);

$own = 'own' . thread_number();
$client = new RedisLock\Client(persistent: request_number() % 2 === 0);
foreach ([new RedisLock('shared', 60.0), $client->lock('shared', 60.0)] as $lock) {
	$mine = $client->lock($own);
	$mine->acquire() > 0 || throw new Exception("$own is held by somebody");
	$fence = $lock->acquire(60.0) ?? throw new Exception('waited in vain');
	section_enter($fence);
	$lock->renew() || throw new Exception('not ours any more');
	$client->lock('shared')->acquire() === null || throw new Exception('held twice');
	section_leave();
	$lock->release() || throw new Exception('not ours at the end');
	$mine->release() || throw new Exception("$own: not ours at the end");
}
// Left to the end of the request.
$left = new RedisLock("left$own");
$left->acquire() > 0 || throw new Exception('the request before did not give it back');
reached();
