--TEST--
redislock: no password and no token is printed by any command, nor in its arguments or a child's environment
--EXTENSIONS--
redislock
--SKIPIF--
<?php require __DIR__ . '/skipif.inc'; require __DIR__ . '/../include/skipif_slow.inc'; ?>
--FILE--
<?php
require __DIR__ . '/tool.inc';

$server = RedisServer::start(['requirepass' => 's3cr3tpassw0rd'], tcp: true);
$down = free_port();
$secret = 's3cr3tpassw0rd';
$places = ['unix://:%s@' . $server->socket, "redis://default:%s@127.0.0.1:$server->port", "redis://:%s@127.0.0.1:$down", "redis://user:%s@127.0.0.1:$server->port", 'http://:%s@x', 'redis://:%s@a,redis://:%s@b', 'unix://:%s@relative', 'redis://:%s#@host'];
$lines = [['ls'], ['inspect', 'job'], ['top', '--count', '1', '-i', '0.1'], ['watch', 'job', '--for', '0.1'], ['release', 'job', '--token', 'x'], ['release', 'job', '--force', '--yes'],
	['run', 'job', 'true'], ['doctor', '-v'], ['quorum-init', '--yes'], ['bench', '-t', '0.1', '-w', '2']];
foreach ($places as $place) {
	$dsn = str_replace('%s', $secret, $place);
	$leaks = [];
	foreach ($lines as $words) {
		foreach ([[], ['--json']] as $more) {
			// Options before the words: what follows the name that `run` gets is its command's.
			$ran = tool([$words[0], ...$more, ...array_slice($words, 1)], ['REDISLOCK_SERVERS' => $dsn]);
			if (str_contains($ran['out'] . $ran['err'], $secret) || str_contains($ran['err'], 'a fault of this program')) {
				$leaks[] = [$words, $ran];
			}
		}
	}
	same([], $leaks, 'nobody prints the password of ' . str_replace('%s', '…', $place));
}

// Given as an argument it is hidden from the list of processes, and that is said.
$dsn = "unix://:$secret@$server->socket";
$tool = new Tool(['watch', 'job', '--servers', $dsn], ['REDISLOCK_SERVERS' => null]);
$tool->line();
check(!str_contains((string) file_get_contents("/proc/$tool->pid/cmdline"), $secret), 'it is not in the list of processes', line: file_get_contents("/proc/$tool->pid/cmdline"));
$tool->signal('TERM');
$end = $tool->end();
check(str_contains($end['err'], 'REDISLOCK_SERVERS') && !str_contains($end['err'], $secret), 'and the user is told', err: $end['err']);

// From a file, and from the environment.
$file = tempnam(sys_get_temp_dir(), 'redislock');
file_put_contents($file, "# servers\n$dsn\n");
same([0, ''], [($ran = tool(['ls', '--servers-file', $file], ['REDISLOCK_SERVERS' => null]))['status'], str_replace('redislock: no lock matches', '', trim($ran['err']))], 'from a file');
unlink($file);

// Tokens.
$client = new RedisLock\Client($dsn, 'test:');
$lock = $client->lock('job', 60.0);
$lock->acquire();
$environment = ['REDISLOCK_SERVERS' => $dsn, 'REDISLOCK_PREFIX' => 'test:'];
foreach ([['ls'], ['inspect', 'job'], ['top', '--count', '1', '-i', '0.1'], ['watch', 'job', '--for', '0.1'], ['doctor']] as $words) {
	$said = implode(array_map(fn (array $more) => implode(tool([...$words, ...$more], $environment)), [[], ['--json']]));
	check(!str_contains($said, (string) $lock->token()), "$words[0] shows no token", said: $said);
}
$wrong = tool(['release', 'job', '--token', 'handoff:secret'], $environment);
check($wrong['status'] === 64 && !str_contains($wrong['err'], 'secret'), 'nor a message a token that cannot be one', ran: $wrong);
done();
--EXPECT--
17 checks passed
