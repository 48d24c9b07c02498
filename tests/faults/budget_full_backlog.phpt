--TEST--
Time budget: a connect that hangs, because nobody accepts and the backlog is full
--EXTENSIONS--
redislock
--SKIPIF--
<?php require __DIR__ . '/../include/skipif_slow.inc'; ?>
--FILE--
<?php
require __DIR__ . '/budget.inc';

$context = stream_context_create(['socket' => ['backlog' => 1]]);
$fill = function (string $address): array {
	$filling = [];
	for ($i = 0; $i < 8; $i++) {
		$filling[] = @stream_socket_client($address, $number, $text, 0.1, STREAM_CLIENT_CONNECT | STREAM_CLIENT_ASYNC_CONNECT);
	}
	return $filling;
};
$tcp = stream_socket_server('tcp://127.0.0.1:0', $number, $text, STREAM_SERVER_BIND | STREAM_SERVER_LISTEN, $context);
$address = stream_socket_get_name($tcp, false);
$filling = $fill("tcp://$address");
check(@stream_socket_client("tcp://$address", $number, $text, 0.5) === false && $text !== 'Connection refused', 'a connect hangs', text: $text);
all_within_budget('TCP', "redis://$address", null, null, RedisLock\ConnectionException::class);

// A unix socket says at once that it is full.
$path = sys_get_temp_dir() . '/redislock-' . bin2hex(random_bytes(4)) . '.sock';
register_shutdown_function(fn () => @unlink($path));
$unix = stream_socket_server("unix://$path", $number, $text, STREAM_SERVER_BIND | STREAM_SERVER_LISTEN, $context);
$fillingUnix = $fill("unix://$path");
all_within_budget('unix socket', "unix://$path", null, null, RedisLock\ConnectionException::class);
done();
?>
--EXPECT--
111 checks passed
