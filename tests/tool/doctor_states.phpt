--TEST--
redislock doctor: a Sentinel, a node of a cluster, a server that is busy, cannot save, is too old, or has another time
--EXTENSIONS--
redislock
--SKIPIF--
<?php
require __DIR__ . '/skipif.inc';
require __DIR__ . '/../include/skipif_slow.inc';
require __DIR__ . '/../faults/clock.inc';
if (c_compiler() === null) {
	die('skip there is no C compiler');
}
if (getenv('SKIP_ASAN')) {
	die('skip it replaces what the sanitizers replace as well');
}
?>
--FILE--
<?php
require __DIR__ . '/tool.inc';

require __DIR__ . '/../faults/clock.inc';
require __DIR__ . '/../quorum/quorum.inc';

$at = fn (string $dsn): array => ['REDISLOCK_SERVERS' => $dsn, 'REDISLOCK_PREFIX' => 'test:'];

// A node of a cluster that has no slots yet.
$cluster = RedisServer::start(['cluster-enabled' => 'yes', 'cluster-port' => (string) free_port()], tcp: true);
$said = doctor([], $at($cluster->dsn()));
found($said, 'cluster', 'warning', 'a node of a cluster', 'redirections');
found($said, 'lock-fails', 'problem', 'it has no slots', 'CLUSTERDOWN');

// A Sentinel. It writes to its configuration.
$master = RedisServer::start(['appendonly' => 'yes'], tcp: true);
$port = free_port();
file_put_contents("$master->dir/sentinel.conf", "port $port\nbind 127.0.0.1\ndir $master->dir\nsentinel monitor main 127.0.0.1 $master->port 1\n");
$sentinel = proc_open(
	['sh', '-c', '"$1" "$2/sentinel.conf" --sentinel & read line; kill $!; wait', 'sh', redis_binary(), $master->dir],
	[['pipe', 'r'], ['file', '/dev/null', 'w'], ['file', '/dev/null', 'w']],
	$pipes,
);
wait_until(fn () => @stream_socket_client("tcp://127.0.0.1:$port", $number, $text, 1.0), 'the Sentinel listens');
$said = doctor([], $at("redis://127.0.0.1:$port"));
found($said, 'sentinel', 'problem', 'a Sentinel', 'address of the master');
same(1, $said['status'], 'exit status');
fclose($pipes[0]);
proc_close($sentinel);

// A script that does not end.
$look = $master->connect();
$look->must('CONFIG', 'SET', 'busy-reply-threshold', '50');
$busy = $master->connect();
$busy->send('EVAL', 'while true do end', 0);
wait_until(fn () => ($answer = $look->command('PING')) instanceof RespError && str_starts_with($answer->message, 'BUSY'), 'the server is busy');
found(doctor([], $at($master->dsn())), 'not-ready', 'problem', 'a busy server', 'BUSY');
$look->must('SCRIPT', 'KILL');
$busy->read();
same([], doctor([], $at($master->dsn()))['all'], 'and then nothing is wrong');

// A snapshot that fails: its folder is gone.
$gone = RedisServer::start(['save' => '3600 1', 'enable-protected-configs' => 'yes']);
$look = $gone->connect();
mkdir("$gone->dir/data");
$look->must('CONFIG', 'SET', 'dir', "$gone->dir/data");
rmdir("$gone->dir/data");
$look->must('SET', 'x', '1');
$look->command('BGSAVE');
wait_until(fn () => $look->info('persistence')['rdb_last_bgsave_status'] === 'err', 'the snapshot has failed');
$said = doctor([], $at($gone->dsn()));
found($said, 'persistence-fails', 'problem', 'a snapshot that failed', 'MISCONF');
found($said, 'lock-fails', 'problem', 'and so no lock can be had', 'MISCONF');

// Nodes whose clocks differ.
$ahead = new ServerWithClock();
$nodes = [RedisServer::start(), $ahead->server, RedisServer::start()];
$dsns = implode(',', array_map(fn (RedisServer $node) => $node->dsn(), $nodes));
(new RedisLock\Client(array_map(fn (RedisServer $node) => $node->dsn(), $nodes), 'test:'))->initializeQuorum();
$ahead->set(3600.0);
$said = doctor([], $at($dsns));
found($said, 'clock-nodes', 'warning', 'two clocks', $nodes[1]->socket);
found($said, 'clock', 'problem', 'an hour ahead of this machine', 'ahead of');

// One whose time was set back: its fences are ahead of it.
$single = $ahead->server->client('test:')->lock('job', 30.0);
$single->acquire();
$ahead->set(0.0);
found(doctor([], $at($ahead->server->dsn())), 'fence-ahead', 'problem', 'a clock that was set back', '"job"', '60 min');
$single->release();

// What is too old cannot be had any more; a program says that it is.
$serve = function (string $info) use ($at): array {
	$socket = stream_socket_server('tcp://127.0.0.1:0');
	$name = stream_socket_get_name($socket, false);
	$parent = getmypid();
	$pid = pcntl_fork();
	if ($pid === 0) {
		while (posix_getppid() === $parent) {
			$peer = @stream_socket_accept($socket, 1.0);
			// A process for each connection: doctor has more than one.
			if (!$peer || pcntl_fork() !== 0) {
				continue;
			}
			while (($line = fgets($peer)) !== false) {
				$words = [];
				for ($i = 0; $i < (int) substr($line, 1); $i++) {
					$words[] = substr((string) stream_get_contents($peer, (int) substr((string) fgets($peer), 1) + 2), 0, -2);
				}
				@fwrite($peer, match (strtoupper($words[0])) {
					'PING' => "+PONG\r\n",
					'INFO' => '$' . strlen($info) . "\r\n$info\r\n",
					default => "-ERR unknown command\r\n",
				});
			}
			break;
		}
		posix_kill(posix_getpid(), SIGKILL);
	}
	$said = doctor([], $at("redis://$name"));
	posix_kill($pid, SIGKILL);
	pcntl_waitpid($pid, $status);
	return $said;
};
found($serve("run_id:abc\r\nredis_version:6.2.14\r\n"), 'server-version', 'problem', 'Redis 6.2', '6.2.14');
found($serve("run_id:abc\r\nredis_version:7.2.4\r\nvalkey_version:7.1.0\r\n"), 'server-version', 'problem', 'Valkey 7.1', 'Valkey 7.1.0');
check(!isset($serve("run_id:abc\r\nredis_version:7.2.4\r\nvalkey_version:8.0.0\r\n")['ids']['server-version']), 'Valkey 8 is new enough');
found($serve("run_id:abc\r\nredis_version:7.4.0\r\ndragonfly_version:df-1\r\n"), 'other-server', 'warning', 'Dragonfly', 'Dragonfly');
done();
--EXPECT--
39 checks passed
