--TEST--
The password is in no dump, no message and no trace
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

// Told apart from everything else that could be printed; also as it looks in a DSN that has to encode it.
const PASSWORD = 'hush/pass?wo#rd@1%2';
$encoded = rawurlencode(PASSWORD);
$server = RedisServer::start(['requirepass' => PASSWORD], tcp: true);

function leaks(string $text): bool
{
	return stripos($text, 'hush') !== false || str_contains($text, 'wo#rd') || str_contains($text, 'wo%23rd');
}
/** Everything PHP can print of a value. */
function dumps(mixed $value): array
{
	$capture = function (callable $print) use ($value): string {
		ob_start();
		try {
			$print($value);
		} catch (Throwable $thrown) {
			echo $thrown;
		}
		return ob_get_clean();
	};
	return [
		'var_dump' => $capture(var_dump(...)),
		'print_r' => $capture(print_r(...)),
		'var_export' => $capture(var_export(...)),
		'debug_zval_dump' => $capture(debug_zval_dump(...)),
		'(array)' => $capture(fn ($value) => print_r((array) $value)),
		'get_object_vars' => $capture(fn ($value) => print_r(get_object_vars($value))),
		'get_mangled_object_vars' => $capture(fn ($value) => print_r(get_mangled_object_vars($value))),
		'foreach' => $capture(function ($value) {
			foreach ($value as $name => $item) {
				var_dump($name, $item);
			}
		}),
		'json_encode' => $capture(fn ($value) => print(json_encode($value))),
		'serialize' => $capture(fn ($value) => print(serialize($value))),
		'reflection' => $capture(function ($value) {
			foreach ((new ReflectionObject($value))->getProperties() as $property) {
				var_dump($property->getName(), $property->getValue($value));
			}
			echo new ReflectionObject($value);
		}),
	];
}
function look(string $what, mixed $value): void
{
	foreach (dumps($value) as $way => $text) {
		check(!leaks($text), "$what: $way", text: substr($text, 0, 2000));
	}
}
/** The message and the trace, with arguments, also as PHP would print an uncaught one. */
function look_at_thrown(string $what, callable $call): void
{
	try {
		$call();
	} catch (Throwable $thrown) {
		// A closure of this test has the DSN in its own variables, so only the calls of ours are looked at in full.
		$ours = array_filter($thrown->getTrace(), fn (array $frame) => str_starts_with($frame['class'] ?? '', 'RedisLock'));
		check($ours !== [], "$what: the call is in the trace");
		$text = $thrown . "\n" . $thrown->getMessage() . "\n" . print_r($ours, true) . $thrown->getTraceAsString();
		ob_start();
		var_dump($ours);
		var_export($ours);
		debug_zval_dump($ours);
		var_dump(array_diff_key((array) $thrown, ["\0Exception\0trace" => 1, "\0Error\0trace" => 1]));
		$text .= ob_get_clean();
		check(!leaks($text), "$what: " . get_class($thrown), text: $text);
		return;
	}
	check(false, "$what: nothing was thrown");
}

foreach ([$server->dsn(":$encoded"), $server->tcpDsn(":$encoded"), $server->tcpDsn("default:$encoded")] as $dsn) {
	$client = new RedisLock\Client($dsn, 'test:');
	look('client', $client);
	$lock = $client->lock('job', 30.0);
	look('lock', $lock);
	check($lock->acquire() > 0, 'the password is right');
	look('client in use', $client);
	look('lock that is held', $lock);
	look_at_thrown('misuse', fn () => $lock->acquire());
	look_at_thrown('exception of the callback', fn () => $client->lock('other')->synchronized(fn () => throw new Exception('x')));
	$lock->release();
	ini_set('redislock.servers', $dsn);
	$default = new RedisLock('by setting', 30.0);
	look('lock of the default client', $default);
	check($default->acquire() > 0, 'the default client has the right password');
	look('lock of the default client that is held', $default);
	$default->release();
}

// Wrong ones are secrets too: often a typing error away from the right one.
foreach ([$server->dsn(":$encoded-wrong"), $server->tcpDsn(":$encoded-wrong"), $server->tcpDsn("nobody:$encoded")] as $dsn) {
	look_at_thrown('wrong password', fn () => (new RedisLock\Client($dsn))->lock('job')->acquire());
	look_at_thrown('wrong password, inspect()', fn () => (new RedisLock\Client($dsn))->inspect('job'));
}
look_at_thrown('nobody there', fn () => (new RedisLock\Client('redis://:' . $encoded . '@127.0.0.1:' . free_port()))->lock('job')->acquire());
look_at_thrown('no such host', fn () => (new RedisLock\Client("redis://user:$encoded@no-such-host.invalid"))->lock('job')->acquire());
look_at_thrown('no such socket', fn () => (new RedisLock\Client("unix://user:$encoded@/nonexistent.sock"))->lock('job')->acquire());
look_at_thrown('wrong database', fn () => (new RedisLock\Client($server->tcpDsn(":$encoded", '/999')))->lock('job')->acquire());

// DSNs that cannot be used; also those in which the password was not encoded as it should be.
$raw = PASSWORD;
$bad = [
	"redis://:$encoded@127.0.0.1:99999", "redis://:$encoded@127.0.0.1:0", "redis://:$encoded@127.0.0.1:port", "redis://:$encoded@", "redis://:$encoded@:6379",
	"redis://:$encoded@[::1", "redis://:$encoded@127.0.0.1/x", "redis://:$encoded@127.0.0.1?unknown=1", "redis://:$encoded@127.0.0.1?timeout=x",
	"redis:///:$encoded@127.0.0.1", "http://:$encoded@127.0.0.1", "unix://:$encoded@relative.sock", "unix://:$encoded@", "redis://:$encoded%@127.0.0.1",
	"redis://:$encoded%zz@127.0.0.1", "redis://:$raw@127.0.0.1", "redis://user:$raw@127.0.0.1:6379/1", "unix://:$raw@/tmp/redis.sock", "://:$encoded@127.0.0.1",
	":$encoded@127.0.0.1", "redis:/:$encoded@127.0.0.1", "redis://:hush\0@127.0.0.1",
	"redis://:$encoded@127.0.0.1?password=$encoded", "redis://127.0.0.1?password=hush", "redis://hush hush@127.0.0.1",
	"redis://:$encoded@127.0.0.1,redis://:$encoded@127.0.0.2",
];
foreach ($bad as $i => $dsn) {
	look_at_thrown("bad DSN $i", fn () => new RedisLock\Client($dsn));
	look_at_thrown("bad DSN $i in a list", fn () => new RedisLock\Client([$dsn, 'redis://127.0.0.1:1', 'redis://127.0.0.1:2']));
}
look_at_thrown('a list of two', fn () => new RedisLock\Client(["redis://:$encoded@127.0.0.1:1", "redis://:$encoded@127.0.0.1:2"]));
look_at_thrown('one twice', fn () => new RedisLock\Client(["redis://:$encoded@127.0.0.1:1", "redis://:$encoded@127.0.0.1:1", 'redis://127.0.0.1:2']));
look_at_thrown('not a list of strings', fn () => new RedisLock\Client(["redis://:$encoded@127.0.0.1:1", [PASSWORD], 3]));
look_at_thrown('another argument is wrong', fn () => new RedisLock\Client("redis://:$encoded@127.0.0.1", 'p', -1.0));
look_at_thrown('a type error', fn () => new RedisLock\Client("redis://:$encoded@127.0.0.1", []));
done();
?>
--EXPECT--
350 checks passed
