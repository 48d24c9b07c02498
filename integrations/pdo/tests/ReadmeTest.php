<?php
declare(strict_types=1);

namespace RedisLock\Pdo\Tests;

use Doctrine\DBAL\DriverManager;
use Illuminate\Container\Container;
use Illuminate\Database\Capsule\Manager;
use Illuminate\Database\Eloquent\Model;
use Illuminate\Support\Facades\Facade;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\TestCase;
use RedisLock\Pdo\StaleFenceException;
use RedisLock\Pdo\Tests\Support\Server;

/** Runs the PHP of README.md: with a good fence it writes, with a stale one it does not. */
final class ReadmeTest extends TestCase
{
	/** @return array<string, array{string}> heading => the first block of PHP below it */
	public static function blocks(): array
	{
		preg_match_all('/^## (\w+)$(?:(?!^## ).)*?^```php\n(.*?)^```$/ms', (string) file_get_contents(__DIR__ . '/../README.md'), $found, PREG_SET_ORDER);
		return array_combine(array_column($found, 1), array_map(static fn (array $block) => [$block[2]], $found));
	}

	public function testTheBlocksAreFound(): void
	{
		$this->assertSame(['Use', 'Doctrine', 'Laravel'], array_keys(self::blocks()));
	}

	#[DataProvider('blocks')]
	public function testBlock(string $code): void
	{
		$server = Server::fresh('sqlite');
		$pdo = $server->connect();
		$pdo->exec('CREATE TABLE account (id INTEGER PRIMARY KEY, cents BIGINT NOT NULL)');
		$pdo->exec('INSERT INTO account (id, cents) VALUES (7, 1000)');
		$names = ['pdo' => $pdo];
		if (str_contains($code, 'Doctrine')) {
			$names['connection'] = DriverManager::getConnection(['driver' => 'pdo_sqlite', 'path' => substr($server->dsn, 7)]);
		}
		if (str_contains($code, 'Illuminate')) {
			$this->startLaravel(substr($server->dsn, 7));
			class_alias(ReadmeAccount::class, 'Account');
		}
		// Without the extension: what the block takes from a lock is the fence.
		$code = str_replace('new RedisLock(', 'new ' . ReadmeLock::class . '(', $code);
		$run = function (int $fence) use ($code, $names): void {
			ReadmeLock::$fence = $fence;
			(static function (string $code, array $names, int $fence): void {
				extract($names);
				eval($code);
			})($code, $names, $fence);
		};
		$run(10);
		$run(20);
		try {
			$run(15);
			$this->fail('the stale fence was let through');
		} catch (StaleFenceException $exception) {
			$this->assertSame(20, $exception->largest);
		}
		$this->assertSame(800, (int) $pdo->query('SELECT cents FROM account')->fetchColumn());
	}

	private function startLaravel(string $file): void
	{
		$container = new Container();
		$manager = new Manager($container);
		$manager->addConnection(['driver' => 'sqlite', 'database' => $file]);
		$manager->bootEloquent();
		$container->instance('db', $manager->getDatabaseManager());
		Facade::setFacadeApplication($container);
	}
}

final class ReadmeAccount extends Model
{
	public $timestamps = false;
	protected $table = 'account';
	protected $guarded = [];
}

/** Has the fence that the test wants. */
final class ReadmeLock
{
	public static int $fence = 0;

	public function __construct(string $name)
	{
	}

	public function synchronized(callable $callback, float $wait): void
	{
		$callback(self::$fence);
	}
}
