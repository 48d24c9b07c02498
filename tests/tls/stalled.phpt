--TEST--
TLS: a handshake that does not get on ends within the budget
--EXTENSIONS--
redislock
--SKIPIF--
<?php require __DIR__ . '/skipif.inc'; require __DIR__ . '/../include/skipif_slow.inc'; ?>
--FILE--
<?php
require __DIR__ . '/tls.inc';

const TIMEOUT = 0.5;
const WAIT = 1.0;
/* For a busy machine. What has no deadline of its own takes very much longer. */
const SLACK = 5.0;

/** A listener that takes every connection, and says of each in turn what came of it. Returns its port. */
function listener(string $treat): array
{
	$worker = new Worker(<<<PHP
		\$listener = stream_socket_server('tcp://127.0.0.1:0');
		tell((int) substr(strrchr(stream_socket_get_name(\$listener, false), ':'), 1));
		\$connections = [];
		\$sent = [];
		while (true) {
			\$read = [STDIN, \$listener, ...\$connections];
			\$none = null;
			stream_select(\$read, \$none, \$none, 0, 50_000);
			foreach (\$read as \$each) {
				if (\$each === STDIN) {
					exit(0);
				} elseif (\$each === \$listener) {
					\$new = stream_socket_accept(\$listener);
					stream_set_blocking(\$new, false);
					\$connections[(int) \$new] = \$new;
					\$sent[(int) \$new] = 0;
				} elseif ((string) fread(\$each, 65536) === '' && feof(\$each)) {
					unset(\$connections[(int) \$each]);
				}
			}
			foreach (\$connections as \$id => \$each) {
				$treat
			}
		}
		PHP);
	return [$worker, $worker->hear()];
}

$treatments = [
	'nothing at all' => '',
	// The beginning of a handshake record of 16 KB, and then byte after byte.
	'byte after byte' => '@fwrite($each, $sent[$id] < 5 ? "\x16\x03\x03\x40\x00"[$sent[$id]] : ($sent[$id] === 5 ? "\x02" : "\x00")); $sent[$id]++;',
];
foreach ($treatments as $what => $treat) {
	[$worker, $port] = listener($treat);
	foreach (['short connect_timeout' => TIMEOUT, 'long connect_timeout' => 60.0] as $limit => $connect) {
		$client = new RedisLock\Client("rediss://:secret@127.0.0.1:$port", 'test:', connectTimeout: $connect, timeout: TIMEOUT, retryFor: 60.0);
		$calls = [
			'acquire()' => [0.0, fn () => $client->lock('job')->acquire()],
			'acquire($wait)' => [WAIT, fn () => $client->lock('job')->acquire(WAIT)],
			'release()' => [0.0, fn () => $client->release('job', 'token')],
		];
		foreach ($calls as $call => [$wait, $do]) {
			$begin = hrtime(true);
			throws(RedisLock\ConnectionException::class, $do, "$what, $limit: $call", "127.0.0.1:$port", 'no connection within');
			between(0.0, $wait + 2 * TIMEOUT + SLACK, (hrtime(true) - $begin) / 1e9, "$what, $limit: $call within its budget");
		}
	}
	same(['output' => '', 'status' => 0], $worker->end(), "$what: the listener ends");
}

// A server that is stopped in the middle, with a session that stands.
$ca = new Authority();
$server = tls_server($ca->issue('IP:127.0.0.1'), $ca);
$client = new RedisLock\Client(tls_dsn($server, ['cafile' => $ca->file]), 'test:', connectTimeout: 20.0, timeout: 20.0);
$lock = $client->lock('job', 600.0);
$lock->acquire();
$client = new RedisLock\Client(tls_dsn($server, ['cafile' => $ca->file]), 'test:', connectTimeout: 60.0, timeout: TIMEOUT);
$server->signal('STOP');
$begin = hrtime(true);
throws(RedisLock\UncertainException::class, fn () => $client->lock('other')->acquire(), 'stopped: sent on the session, and then a handshake without answer');
between(0.0, 2 * TIMEOUT + SLACK, (hrtime(true) - $begin) / 1e9, 'stopped: within its budget');
$server->signal('CONT');
same(true, $lock->release(), 'continued: all is well');
done();
?>
--EXPECT--
29 checks passed
