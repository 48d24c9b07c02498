--TEST--
tool/Connection: every shape of answer, in whatever pieces; nonsense, silence and an end are told apart
--EXTENSIONS--
redislock
--SKIPIF--
<?php require __DIR__ . '/skipif.inc'; ?>
--FILE--
<?php
require __DIR__ . '/tool.inc';

use RedisLock\Tool\Connection;
use RedisLock\Tool\Dsn;
use RedisLock\Tool\NoAnswer;
use RedisLock\Tool\RespError;

spl_autoload_register(fn (string $class) => is_file($file = tool_classes() . '/' . strtr(substr($class, strlen('RedisLock\\Tool\\')), '\\', '/') . '.php') && require $file);

// A server that says what it is told to, piece by piece, and then stays silent or ends.
$serve = function (array $pieces, bool $ends): array {
	$socket = stream_socket_server('tcp://127.0.0.1:0');
	$port = (int) substr(strrchr(stream_socket_get_name($socket, false), ':'), 1);
	$pid = pcntl_fork();
	if ($pid === 0) {
		$peer = stream_socket_accept($socket);
		fread($peer, 65536);
		foreach ($pieces as $piece) {
			fwrite($peer, $piece);
			usleep(2000);
		}
		if (!$ends) {
			fread($peer, 1);
		}
		posix_kill(posix_getpid(), SIGKILL);
	}
	fclose($socket);
	return [$pid, $port];
};
$ask = function (array $pieces, bool $ends = false, float $timeout = 5.0) use ($serve): mixed {
	[$pid, $port] = $serve($pieces, $ends);
	try {
		$connection = new Connection(Dsn::parse("redis://127.0.0.1:$port"), 5.0, $timeout);
		return $connection->ask('X');
	} catch (NoAnswer $problem) {
		return $problem;
	} finally {
		unset($connection);
		posix_kill($pid, SIGKILL);
		pcntl_waitpid($pid, $status);
	}
};

same('OK', $ask(["+OK\r\n"]), 'a status');
same(-12, $ask([":-12\r\n"]), 'a number');
same(null, $ask(["$-1\r\n"]), 'nothing');
same(null, $ask(["*-1\r\n"]), 'no list');
same("a\r\nb\x00", $ask(["\$5\r\na\r\nb\x00\r\n"]), 'any bytes');
same(['a', ['b', null, 7], ''], $ask(str_split("*3\r\n\$1\r\na\r\n*3\r\n+b\r\n$-1\r\n:7\r\n\$0\r\n\r\n")), 'a list in lists, byte by byte');
$error = $ask(["-NOPERM User app has no permissions\r\n"]);
check($error instanceof RespError && $error->word === 'NOPERM' && $error->isAboutRights(), 'an error is a value');
foreach (['HTTP/1.1 400 Bad Request' => "HTTP/1.1 400 Bad Request\r\n\r\n", 'a length' => "\$x\r\n", 'a huge length' => "\$999999999\r\n", 'a negative one' => "*-2\r\n", 'depth' => str_repeat("*1\r\n", 20), 'a line without end' => str_repeat('x', 70000)] as $what => $nonsense) {
	$problem = $ask([$nonsense]);
	check($problem instanceof NoAnswer && str_contains($problem->getMessage(), 'protocol') && !$problem->closed, "nonsense: $what", problem: $problem instanceof Throwable ? $problem->getMessage() : $problem);
}
foreach (['at once' => [], 'in an answer' => ["\$5\r\nab"]] as $what => $pieces) {
	$problem = $ask($pieces, true);
	check($problem instanceof NoAnswer && $problem->closed, "it ends $what");
}
$begin = hrtime(true);
$problem = $ask(["\$5\r\nab"], false, 0.3);
check($problem instanceof NoAnswer && str_contains($problem->getMessage(), 'in time'), 'it stays silent');
// Bytes that trickle in do not prolong it.
$problem = $ask(array_fill(0, 5000, 'x'), false, 0.3);
check($problem instanceof NoAnswer && str_contains($problem->getMessage(), 'in time'), 'it trickles');
between(0.5, 15.0, (hrtime(true) - $begin) / 1e9, 'both end by the deadline');

// More than fits into the buffers of a socket, both ways.
$server = RedisServer::start();
$connection = new Connection(Dsn::parse($server->dsn()), 5.0, 30.0);
$big = random_bytes(3_000_000);
same('OK', $connection->ask('SET', 'big', $big), 'a big command');
same([$big, $big, $big], $connection->pipeline([['GET', 'big'], ['GET', 'big'], ['GET', 'big']]), 'big answers');
same(20000, count($connection->pipeline(array_fill(0, 20000, ['ECHO', str_repeat('x', 200)]))), 'many at once');
done();
--EXPECT--
21 checks passed
