--TEST--
Quorum: a node that is slow to connect delays nobody
--EXTENSIONS--
redislock
--SKIPIF--
<?php require __DIR__ . '/../include/skipif_slow.inc'; ?>
--FILE--
<?php
require __DIR__ . '/../include/fault_proxy.inc';
require __DIR__ . '/quorum.inc';

const SLACK = 3.0;

// In the place of two nodes: somebody who accepts and says nothing; somebody with a full backlog; an address whose name
// cannot be looked up. With a log-in, a database, and without.
$quorum = Quorum::start(5, tcp: true);
$quorum->each(null, fn (RespConnection $node) => $node->must('ACL', 'SETUSER', 'app', 'on', '>x', '~*', '+@all'));
foreach (['accepts and says nothing', 'a full backlog', 'a name that nobody knows'] as $what) {
	foreach (['', 'app:x'] as $login) {
		foreach (['', '/2'] as $path) {
			$dsns = array_map(fn (RedisServer $node) => $node->tcpDsn($login, $path), $quorum->nodes);
			$dead = [];
			foreach ([1, 3] as $i) {
				switch ($what) {
					case 'accepts and says nothing':
						$dead[$i] = stream_socket_server('tcp://127.0.0.1:0');
						$dsns[$i] = 'redis://' . ($login === '' ? '' : "$login@") . stream_socket_get_name($dead[$i], false) . $path;
						break;
					case 'a full backlog':
						$socket = socket_create(AF_INET, SOCK_STREAM, 0);
						socket_bind($socket, '127.0.0.1', 0);
						socket_listen($socket, 0);
						socket_getsockname($socket, $host, $port);
						$dead[$i] = [$socket];
						// Until one more is not taken any more.
						while (@stream_socket_client("tcp://127.0.0.1:$port", $number, $text, 0.2)) {
							$dead[$i][] = stream_socket_client("tcp://127.0.0.1:$port", $number, $text, 0.2, STREAM_CLIENT_ASYNC_CONNECT | STREAM_CLIENT_CONNECT);
						}
						$dsns[$i] = 'redis://' . ($login === '' ? '' : "$login@") . "127.0.0.1:$port$path";
						break;
					default:
						$dsns[$i] = 'redis://' . ($login === '' ? '' : "$login@") . "redislock-test-$i.invalid:6379$path";
				}
			}
			$on = "$what, " . ($login === '' ? 'no log-in' : 'log-in') . ($path === '' ? '' : ', database');
			if ($path !== '') {
				// This database is not in service yet.
				foreach ($quorum->all() as $i) {
					$quorum->look($i)->must('SELECT', 2);
					$quorum->endSitOut($i);
					$quorum->look($i)->must('SELECT', 0);
				}
			}
			$client = new RedisLock\Client($dsns, $quorum->prefix, connectTimeout: 60.0, timeout: 60.0);
			$took = [];
			for ($n = 0; $n < 50; $n++) {
				$took[] = seconds(function () use ($client, $on): void {
					$lock = $client->lock('job', 30.0);
					$lock->acquire() > 0 && $lock->renew() && $lock->release() || check(false, "$on: acquire(), renew(), release()");
				});
			}
			between(0.0, SLACK, $took[0], "$on: not even the first call waits for them");
			between(0.0, SLACK, max($took), "$on: and none of the others");
			sort($took);
			between(0.0, 0.05, $took[25], "$on: typically no time at all");
			unset($dead);
		}
	}
}

// A node whose connection takes a while is used as soon as it is there.
$proxy = FaultProxy::before($quorum->nodes[4]);
$dsns = array_replace($quorum->dsns(), [4 => $proxy->dsn()]);
$proxy->onReply('INFO', 'delay', ms: 300);
$client = new RedisLock\Client($dsns, $quorum->prefix, connectTimeout: 60.0, timeout: 60.0);
$lock = $client->lock('job', 30.0);
$took = seconds(fn () => check($lock->acquire() > 0, 'the log-in of one node takes 300 ms: acquire()'));
between(0.0, SLACK, $took, 'it is not waited for');
$lock->release();
$quorum->waitUsed($client, 'it is used as soon as it is there');
check(true, 'it is used as soon as it is there');
done();
?>
--EXPECT--
39 checks passed
