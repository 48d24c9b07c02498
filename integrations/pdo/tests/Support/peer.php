<?php
/*
 * A second process with a connection of its own, for tests in which one transaction waits for another. It does what
 * Peer tells it, line by line, and answers every line.
 */
declare(strict_types=1);

namespace RedisLock\Pdo\Tests\Support;

use PDO;
use RedisLock\Pdo\CleanUp;
use RedisLock\Pdo\FenceGuard;
use Throwable;

require __DIR__ . '/../../vendor/autoload.php';

$pdo = new PDO($argv[1], null, null, [PDO::ATTR_ERRMODE => PDO::ERRMODE_EXCEPTION]);
$guard = new FenceGuard($pdo);
while (($line = fgets(STDIN)) !== false) {
	[$do, $arguments] = unserialize(base64_decode($line));
	try {
		$answer = match ($do) {
			'exec' => $pdo->exec(...$arguments),
			'value' => $pdo->query(...$arguments)->fetchAll(PDO::FETCH_COLUMN)[0] ?? null,
			'check' => $guard->check(...$arguments),
			'checkAll' => $guard->checkAll(...$arguments),
			'claim' => $guard->claim(...$arguments),
			'cleanUp' => (new CleanUp($pdo))->run(...$arguments),
		};
		$said = ['answer' => $answer];
	} catch (Throwable $exception) {
		$said = ['exception' => Problem::of($exception)];
	}
	fwrite(STDOUT, base64_encode(serialize($said)) . "\n");
}
