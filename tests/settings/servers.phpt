--TEST--
redislock.servers names the servers of locks without a client
--EXTENSIONS--
redislock
--SKIPIF--
<?php require __DIR__ . '/../include/skipif.inc'; ?>
--FILE--
<?php
require __DIR__ . '/../include/process.inc';

$server = RedisServer::start([], tcp: true);
$redis = $server->connect();
$code = '$lock = new RedisLock("job", 60.0); echo $lock->acquire() > 0 ? "acquired " : "not acquired ", $lock->detach();';
foreach (['unix socket' => $server->dsn(), 'TCP' => $server->tcpDsn()] as $way => $dsn) {
	$ran = run_php($code, ['redislock.servers' => $dsn]);
	same('acquired ' . $redis->must('GET', 'redislock:job'), $ran['output'], "$way: from the INI");
	$redis->must('FLUSHALL');
}
$ran = run_php($code, ['redislock.servers' => $server->dsn('', 'db=9'), 'redislock.prefix' => 'mine:']);
$redis->must('SELECT', 9);
same('acquired ' . $redis->must('GET', 'mine:job'), $ran['output'], 'with a database and a prefix');
$redis->must('SELECT', 0);

// Set while the script runs: for clients made afterwards.
ini_set('redislock.servers', 'unix:///nonexistent/redis.sock');
throws(RedisLock\ConnectionException::class, fn () => (new RedisLock('job', 60.0))->acquire(), 'nobody there');
ini_set('redislock.servers', $server->dsn());
$lock = (new RedisLock\Client())->lock('job', 60.0);
check($lock->acquire() > 0, 'a client without arguments takes the INI');
same($lock->token(), $redis->must('GET', 'redislock:job'), 'and the prefix of it');
$lock->release();

// A value that is not usable is the business of whoever uses it, and says so without the password.
foreach (['nonsense', 'redis://:hush@', 'redis://:hush@127.0.0.1:99999', 'redis://127.0.0.1:1,redis://127.0.0.1:2'] as $bad) {
	$ran = run_php('echo "started "; try { new RedisLock("job"); echo "made"; } catch (ValueError $error) { echo get_class($error), ": ", $error->getMessage(); }', ['redislock.servers' => $bad]);
	check(str_contains($ran['output'], 'started ') && (str_contains($ran['output'], 'ValueError') || str_contains($ran['output'], 'redislock.servers')), "$bad: it is said", output: $ran['output']);
	check(!str_contains($ran['output'], 'hush'), "$bad: without the password", output: $ran['output']);
}
done();
?>
--EXPECT--
14 checks passed
