--TEST--
redislock doctor: a real Twemproxy in between, and what answers as Envoy does
--EXTENSIONS--
redislock
--SKIPIF--
<?php
require __DIR__ . '/skipif.inc';
require __DIR__ . '/../include/skipif_slow.inc';
if (trim((string) shell_exec('PATH=$PATH:/usr/sbin command -v nutcracker')) === '') {
	die('skip there is no nutcracker (Twemproxy)');
}
?>
--FILE--
<?php
require __DIR__ . '/tool.inc';

$server = RedisServer::start(['appendonly' => 'yes'], tcp: true);
$port = free_port();
$stats = free_port();
file_put_contents("$server->dir/nutcracker.yml", <<<YAML
	pool:
	  listen: 127.0.0.1:$port
	  redis: true
	  hash: fnv1a_64
	  timeout: 2000
	  servers:
	   - 127.0.0.1:$server->port:1
	YAML);
// It ends with the pipe of ours that it reads from, also if we are killed.
$command = 'PATH=$PATH:/usr/sbin; nutcracker -c "$1/nutcracker.yml" -s "$2" -a 127.0.0.1 -o "$1/nutcracker.log" & read line; kill $!; wait';
$proxy = proc_open(['sh', '-c', $command, 'sh', $server->dir, (string) $stats], [['pipe', 'r'], ['file', '/dev/null', 'w'], ['file', '/dev/null', 'w']], $pipes);
wait_until(fn () => @stream_socket_client("tcp://127.0.0.1:$port", $number, $text, 1.0), 'nutcracker listens');

$environment = ['REDISLOCK_SERVERS' => "redis://127.0.0.1:$port", 'REDISLOCK_PREFIX' => 'test:'];
$said = doctor([], $environment);
found($said, 'proxy', 'problem', 'Twemproxy', 'Twemproxy', 'straight to the server');
found($said, 'blpop-forbidden', 'warning', 'BLPOP', 'closed');
check(!isset($said['ids']['missing-command']) && !isset($said['ids']['not-checked']), 'what scripts do works behind it, and nothing that it does not know is asked again', said: $said['all']);
same(1, $said['status'], 'exit status');
same([], doctor([], ['REDISLOCK_SERVERS' => $server->tcpDsn(), 'REDISLOCK_PREFIX' => 'test:'])['all'], 'straight to the server all is well');
same(0, tool(['run', 'job', 'true'], $environment)['status'], 'a lock without a wait can be had even so');
fclose($pipes[0]);
proc_close($proxy);

// Envoy cannot be had as a Debian package, so a program answers what Envoy is documented to answer: PING itself, and an
// error to what it does not support.
$socket = stream_socket_server('tcp://127.0.0.1:0');
$name = stream_socket_get_name($socket, false);
$pid = pcntl_fork();
if ($pid === 0) {
	$parent = posix_getppid();
	while (posix_getppid() === $parent) {
		$peer = @stream_socket_accept($socket, 1.0);
		while ($peer && ($line = fgets($peer)) !== false) {
			preg_match('/^\*(\d+)/', $line, $found);
			$words = [];
			for ($i = 0; $i < (int) $found[1]; $i++) {
				$length = (int) substr(fgets($peer), 1);
				$words[] = $length > 0 ? fread($peer, $length) : '';
				fgets($peer);
			}
			@fwrite($peer, strtoupper($words[0]) === 'PING' ? "+PONG\r\n" : "-unsupported command\r\n");
		}
	}
	posix_kill(posix_getpid(), SIGKILL);
}
$said = doctor([], ['REDISLOCK_SERVERS' => "redis://$name", 'REDISLOCK_PREFIX' => 'test:']);
posix_kill($pid, SIGKILL);
pcntl_waitpid($pid, $status);
found($said, 'proxy', 'problem', 'what Envoy answers', 'unsupported command', 'Envoy');
found($said, 'scripts-forbidden', 'problem', 'no scripts');
found($said, 'blpop-forbidden', 'warning', 'no BLPOP');
done();
--EXPECT--
19 checks passed
