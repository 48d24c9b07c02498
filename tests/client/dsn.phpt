--TEST--
Ways to a server: TCP, unix socket, user, password, database
--EXTENSIONS--
redislock
--SKIPIF--
<?php require __DIR__ . '/../include/skipif.inc'; ?>
--FILE--
<?php
require __DIR__ . '/../include/shared.inc';

$odd = 'p@ss/w:o?r#d% +&=é,[]';
$server = RedisServer::start([], tcp: true);
$redis = $server->connect();
$redis->must('ACL', 'SETUSER', 'us:er@1', 'on', ">$odd", '~*', '+@all');
$redis->must('ACL', 'SETUSER', 'plain', 'on', '>secret', '~*', '+@all');
$port = $server->port;
$socket = $server->socket;
$user = rawurlencode('us:er@1') . ':' . rawurlencode($odd);
$ways = [
	"redis://127.0.0.1:$port" => 0, "redis://127.0.0.1:$port/" => 0, "redis://127.0.0.1:$port/0" => 0, "redis://127.0.0.1:$port/7" => 7,
	"redis://127.0.0.1:$port/15" => 15, "redis://127.0.0.1:$port?db=4" => 4, "redis://127.0.0.1:$port/?db=4" => 4,
	"redis://plain:secret@127.0.0.1:$port" => 0, "redis://plain:secret@127.0.0.1:$port/3" => 3, "redis://$user@127.0.0.1:$port/2" => 2,
	"redis://127.0.0.1:$port?connect_timeout=0.5" => 0, "redis://127.0.0.1:$port?timeout=2" => 0, "redis://127.0.0.1:$port/1?connect_timeout=1&timeout=1.5" => 1,
	"unix://$socket" => 0, "unix://$socket?db=5" => 5, "unix://plain:secret@$socket" => 0, "unix://plain:secret@$socket?db=6" => 6, "unix://$user@$socket?db=1" => 1,
	'unix://' . str_replace('redislock', '%72edislock', $socket) => 0, "unix://$socket?timeout=1&db=8&connect_timeout=2" => 8,
	"redis://%3127.0.0.1:$port" => 0,
];
foreach ($ways as $dsn => $db) {
	$shown = strtr($dsn, [$socket => 'SOCKET', (string) $port => 'PORT']);
	$redis->must('FLUSHALL');
	$lock = (new RedisLock\Client($dsn, 'test:'))->lock('job', 60.0);
	check($lock->acquire() > 0, "$shown: acquired");
	$redis->must('SELECT', $db);
	same($lock->token(), $redis->must('GET', 'test:job'), "$shown: in database $db");
	same(true, $lock->release(), "$shown: released");
	same(true, (new RedisLock\Client([$dsn], 'test:'))->inspect('job')['fence'] > 0, "$shown: as a list of one");
}
// In a string there may be blanks around it, as in a list that is written with commas.
check((new RedisLock\Client(" redis://127.0.0.1:$port ", 'test:'))->inspect('job')['fence'] > 0, 'with blanks around it');
// A password without a user.
$redis->must('CONFIG', 'SET', 'requirepass', $odd);
foreach (["redis://:" . rawurlencode($odd) . "@127.0.0.1:$port", 'unix://:' . rawurlencode($odd) . "@$socket"] as $dsn) {
	check((new RedisLock\Client($dsn, 'test:'))->lock('job', 60.0)->acquire() > 0, 'a password without a user');
}
throws(RedisLock\ServerException::class, fn () => (new RedisLock\Client("redis://127.0.0.1:$port/99"))->lock('job')->acquire(), 'a database that does not exist');
done();
?>
--EXPECT--
88 checks passed
