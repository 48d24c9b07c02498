--TEST--
TLS: a server without TLS behind rediss://, and one with TLS behind redis://
--EXTENSIONS--
redislock
--SKIPIF--
<?php require __DIR__ . '/skipif.inc'; ?>
--FILE--
<?php
require __DIR__ . '/tls.inc';

$secret = 'pass-word-of-the-test';
$ca = new Authority();
$tls = tls_server($ca->issue('IP:127.0.0.1'), $ca);
$plain = RedisServer::start(tcp: true);

// Redis takes the handshake for the beginning of a long line, and waits for the rest of it.
$client = new RedisLock\Client("rediss://:$secret@127.0.0.1:$plain->port?cafile=" . rawurlencode($ca->file) . '&connect_timeout=0.5', 'test:');
$thrown = throws(RedisLock\ConnectionException::class, fn () => $client->lock('job')->acquire(), 'no TLS behind rediss://', "127.0.0.1:$plain->port", 'redis://');
check(!str_contains((string) $thrown, $secret), 'the password is not told');

// Somebody who speaks first and not TLS, as a server that is full does.
$talker = new Worker(<<<'PHP'
	$listener = stream_socket_server('tcp://127.0.0.1:0');
	tell((int) substr(strrchr(stream_socket_get_name($listener, false), ':'), 1));
	for ($i = 0; $i < 2; $i++) {
		$connection = stream_socket_accept($listener, 60);
		fwrite($connection, "-ERR max number of clients reached\r\n");
		// The end of it only after the client's: closing first could take the words back.
		stream_get_contents($connection);
		fclose($connection);
	}
	PHP);
$port = $talker->hear();
$client = new RedisLock\Client("rediss://:$secret@127.0.0.1:$port?connect_timeout=30", 'test:');
$thrown = throws(RedisLock\ConnectionException::class, fn () => $client->lock('job')->acquire(), 'an answer that is not TLS', 'without TLS', 'redis://');
check(!str_contains((string) $thrown, $secret), 'the password is not told');
throws(RedisLock\ConnectionException::class, fn () => $client->inspect('job'), 'again', 'without TLS');
same(['output' => '', 'status' => 0], $talker->end(), 'the talker ends');

// And the other way round. What was sent went somewhere, so its outcome is unknown; with a log-in nothing was sent.
$thrown = throws(RedisLock\FailureException::class, fn () => (new RedisLock\Client("redis://127.0.0.1:$tls->port", 'test:'))->lock('job')->acquire(), 'TLS behind redis://', "127.0.0.1:$tls->port", 'rediss://');
$thrown = throws(RedisLock\ConnectionException::class, fn () => (new RedisLock\Client("redis://:$secret@127.0.0.1:$tls->port", 'test:'))->lock('job')->acquire(), 'TLS behind redis://, with a password', "127.0.0.1:$tls->port", 'rediss://');
check(!str_contains((string) $thrown, $secret), 'the password is not told');
done();
?>
--EXPECT--
9 checks passed
