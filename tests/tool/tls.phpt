--TEST--
tool/Connection: TLS with the options of a DSN; another host name and an unknown authority are refused
--EXTENSIONS--
redislock
--SKIPIF--
<?php
require __DIR__ . '/skipif.inc';
if (!extension_loaded('openssl')) {
	die('skip needs the extension openssl');
}
if (!str_contains((string) shell_exec('ldd ' . escapeshellarg(find_redis_binary()) . ' 2>/dev/null'), 'libssl')) {
	die('skip this Redis has no TLS');
}
if (trim((string) shell_exec('command -v openssl')) === '') {
	die('skip there is no openssl');
}
?>
--FILE--
<?php
require __DIR__ . '/tool.inc';

use RedisLock\Tool\Connection;
use RedisLock\Tool\Dsn;
use RedisLock\Tool\NoAnswer;

foreach (['Dsn', 'Connection', 'NoAnswer', 'RespError'] as $class) {
	require tool_folder() . "/tool/$class.php";
}
$folder = sys_get_temp_dir() . '/redislock-tls-' . bin2hex(random_bytes(6));
mkdir($folder, 0700);
register_shutdown_function(fn () => array_map('unlink', glob("$folder/*")) && rmdir($folder));
$run = function (string $command) use ($folder): void {
	exec("cd $folder && $command 2>&1", $output, $status);
	$status === 0 || throw new RuntimeException("$command: " . implode("\n", $output));
};
$run('openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=authority -keyout ca.key -out ca.pem');
foreach (['server' => 'subjectAltName=DNS:localhost', 'client' => 'subjectAltName=DNS:client'] as $name => $extension) {
	$run("openssl req -newkey rsa:2048 -nodes -subj /CN=$name -keyout $name.key -out $name.csr");
	file_put_contents("$folder/$name.ext", $extension);
	$run("openssl x509 -req -in $name.csr -CA ca.pem -CAkey ca.key -CAcreateserial -days 2 -extfile $name.ext -out $name.pem");
}
$port = free_port();
$server = RedisServer::start(['tls-port' => (string) $port, 'tls-cert-file' => "$folder/server.pem", 'tls-key-file' => "$folder/server.key", 'tls-ca-cert-file' => "$folder/ca.pem", 'requirepass' => 'p@ss']);
$client = "cert=$folder/client.pem&key=$folder/client.key";
$ask = fn (string $dsn): mixed => (new Connection(Dsn::parse($dsn), 10.0, 10.0))->ask('PING');
$refused = function (string $dsn, string $what, string ...$words) use ($ask): void {
	throws(NoAnswer::class, fn () => $ask($dsn), $what, ...$words);
};

same('PONG', $ask("rediss://:p%40ss@localhost:$port/1?cafile=$folder/ca.pem&$client"), 'the right name and authority, a client certificate, a log-in and a database');
$refused("rediss://:p%40ss@127.0.0.1:$port?cafile=$folder/ca.pem&$client", 'another host name', 'did not match');
same('PONG', $ask("rediss://:p%40ss@127.0.0.1:$port?cafile=$folder/ca.pem&$client&peer_name=localhost"), 'peer_name');
$refused("rediss://:p%40ss@localhost:$port?$client", 'an authority that nobody knows', 'verify failed');
same('PONG', $ask("rediss://:p%40ss@127.0.0.1:$port?$client&verify_peer=0"), 'verify_peer=0');
$refused("rediss://:p%40ss@localhost:$port?cafile=$folder/ca.pem", 'no client certificate');
$connection = new Connection(Dsn::parse("rediss://:p%40ss@localhost:$port?cafile=$folder/ca.pem&$client"), 10.0, 10.0);
$big = random_bytes(1_000_000);
same('OK', $connection->ask('SET', 'big', $big), 'much to send');
same([$big, $big], $connection->pipeline([['GET', 'big'], ['GET', 'big']]), 'much to read');
done();
--EXPECT--
8 checks passed
