<?php
/*
 * Dispatches 200 messages for 5 accounts, lets 4 workers handle them, kills one in the middle of its work, and compares
 * the balances with what they must be. The script "run" starts it:
 *
 *   php run.php FOLDER PHP-OPTION...      with REDISLOCK_PGSQL_DSN in the environment
 */
declare(strict_types=1);

const ACCOUNTS = 5, MESSAGES = 40, WORKERS = 4, SECONDS = 120;

[, $folder] = $argv;
$php = [PHP_BINARY, ...array_slice($argv, 2)];
$processes = [];
$log = ['file', "$folder/output", 'a'];

/** Ends with this process, whatever happens to it. */
$start = static function (array $command) use ($log, &$processes) {
	return $processes[] = proc_open(['setpriv', '--pdeathsig', 'KILL', ...$command], [['file', '/dev/null', 'r'], $log, $log], $pipes)
		?: throw new RuntimeException("cannot start $command[0]");
};
$console = static fn (string ...$arguments) => $start([...$php, __DIR__ . '/bin/console', ...$arguments]);
$toItsEnd = static function ($process) use ($folder): void {
	proc_close($process) === 0 || throw new RuntimeException("failed:\n" . file_get_contents("$folder/output"));
};
$wait = static function (string $what, callable $condition): void {
	for ($end = microtime(true) + SECONDS; !$condition(); usleep(20_000)) {
		microtime(true) < $end || throw new RuntimeException("after " . SECONDS . " seconds still not: $what");
	}
};

$dsn = (string) getenv('REDISLOCK_PGSQL_DSN');
putenv('DATABASE_HOST=' . preg_replace('/^pgsql:host=([^;]+);.*$/', '$1', $dsn));
putenv("REDISLOCK_DSN=redislock+unix://$folder/redis.sock");
putenv("APP_VAR=$folder");
$db = new PDO($dsn);
$one = static fn (string $sql) => (int) $db->query($sql)->fetchColumn();

$start(['redis-server', '--port', '0', '--unixsocket', "$folder/redis.sock", '--dir', $folder, '--save', '', '--appendonly', 'no']);
$locks = new RedisLock\Client("unix://$folder/redis.sock");
$wait('Redis answers', static function () use ($locks) {
	try {
		return !$locks->inspect('account:1')['held'];
	} catch (RedisLock\FailureException) {
		return false;
	}
});
$toItsEnd($console('app:create-tables'));
$toItsEnd($console('messenger:setup-transports'));
$toItsEnd($console('app:dispatch', (string) ACCOUNTS, (string) MESSAGES));
printf("%d messages for %d accounts, %d workers\n", ACCOUNTS * MESSAGES, ACCOUNTS, WORKERS);

$workers = [];
for ($number = 0; $number < WORKERS; $number++) {
	$workers[] = $console('messenger:consume', 'async', '--sleep=0.05');
}
// We lock the row of account 1, so that its handler stops in the middle of a transaction, with the lock.
$wait('some messages are handled', static fn () => $one('SELECT count(*) FROM charge') >= 20);
$db->beginTransaction();
$db->exec('SELECT * FROM account WHERE id = 1 FOR UPDATE');
$wait('a worker is at account 1', static fn () => $one("SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'") > 0);
foreach ($workers as $worker) {
	posix_kill(proc_get_status($worker)['pid'], SIGKILL);
}
$db->rollBack();
$left = $locks->inspect('account:1')['remaining'] ?? 0.0;
printf("%d workers were killed, one of them in a transaction; the lease of its lock has %.1f seconds left\n", count($workers), $left);
for ($number = 0; $number < WORKERS; $number++) {
	$console('messenger:consume', 'async', '--sleep=0.05');
}
$wait('all messages are handled', static fn () => $one("SELECT count(*) FROM messenger_messages WHERE queue_name = 'async'") === 0);

$right = 10000 - array_sum(range(1, MESSAGES));
$wrong = abs($one('SELECT count(*) FROM charge') - ACCOUNTS * MESSAGES);
foreach ($db->query('SELECT id, cents FROM account ORDER BY id') as [$id, $cents]) {
	printf("account %d: %d cents, %d expected\n", $id, $cents, $right);
	$wrong += (int) ($cents !== $right);
}
$lines = (string) file_get_contents("$folder/app.log");
printf("%d times a lock was given back, %d times a message was sent back because its lock was held\n", substr_count($lines, ' ms, held '), substr_count($lines, 'sent back for'));
if ($wrong) {
	echo "WRONG\n$lines";
	exit(1);
}
echo "every cent is right\n";
