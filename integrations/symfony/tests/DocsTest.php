<?php
declare(strict_types=1);

namespace RedisLock\Symfony\Tests;

use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\TestCase;
use RedisLock\Symfony\Tests\App\Message\Job;
use RedisLock\Symfony\Tests\Support\App;
use RedisLock\Symfony\Tests\Support\Folder;
use RedisLock\Symfony\Tests\Support\Redis;
use Symfony\Component\Yaml\Yaml;

/**
 * The code of docs/symfony.md. A block that begins with the name of a file is in the example, which is run as a whole by
 * scripts/test; the others are run here.
 */
final class DocsTest extends TestCase
{
	private const PAGE = __DIR__ . '/../../../docs/symfony.md';
	private const EXAMPLE = __DIR__ . '/../../../examples/symfony-job';

	private ?App $app = null;

	protected function tearDown(): void
	{
		$this->app?->stop();
	}

	/** @return array<string, array{string, string}> line => language and code */
	public static function blocks(): array
	{
		$blocks = [];
		preg_match_all('/^```(\w*)\n(.*?)^```$/ms', (string) file_get_contents(self::PAGE), $found, PREG_SET_ORDER | PREG_OFFSET_CAPTURE);
		foreach ($found as $block) {
			$line = 1 + substr_count((string) file_get_contents(self::PAGE), "\n", 0, $block[0][1]);
			$blocks["line $line"] = [$block[1][0], $block[2][0]];
		}
		return $blocks;
	}

	public function testThePageHasItsCode(): void
	{
		$languages = array_count_values(array_column(self::blocks(), 0));
		$this->assertSame(['sh' => 1, 'php' => 6, 'yaml' => 3, 'text' => 1], $languages);
		$page = (string) file_get_contents(self::PAGE);
		$first = strpos($page, 'composer config');
		$lines = substr_count($page, "\n", (int) $first, (int) strpos($page, 'messenger:consume') - (int) $first);
		$this->assertLessThan(95, $lines, 'two screens');
	}

	#[DataProvider('blocks')]
	public function testBlock(string $language, string $code): void
	{
		Redis::shared()->command('FLUSHALL');
		if (preg_match('~^(?://|#) (\S+/\S+)\n(.*)$~s', $code, $match)) {
			$this->assertStringContainsString($match[2], (string) file_get_contents(self::EXAMPLE . "/$match[1]"));
			return;
		}
		match ($language) {
			'sh' => $this->installs($code),
			'php' => $this->runs($code),
			'yaml' => $this->configures(Yaml::parse($code)),
			'text' => $this->isLogged($code),
			default => $this->fail("a block of $language"),
		};
	}

	/** In an empty application that has a clone of this repository beside it, and a PHP with the extension. */
	private function installs(string $commands): void
	{
		$folder = Folder::make('docs');
		mkdir("$folder/app");
		mkdir("$folder/bin");
		symlink(dirname(__DIR__, 3), "$folder/redislock");
		file_put_contents("$folder/app/composer.json", '{}');
		// With php.ini, because composer has needs of its own.
		preg_match('~^extension=.*/redislock\.so$~m', (string) getenv('REDISLOCK_PHP_OPTIONS'), $extension);
		$php = PHP_BINARY . ' -d ' . escapeshellarg($extension[0]);
		$composer = trim((string) shell_exec('command -v composer'));
		file_put_contents("$folder/bin/composer", "#!/bin/sh\nexec $php $composer --no-interaction \"\$@\"\n");
		chmod("$folder/bin/composer", 0700);
		$environment = ['PATH' => "$folder/bin:" . getenv('PATH'), 'COMPOSER_ALLOW_SUPERUSER' => '1'] + getenv();
		$process = proc_open(['sh', '-e', '-c', $commands], [['file', '/dev/null', 'r'], ['pipe', 'w'], ['redirect', 1]], $pipes, "$folder/app", $environment);
		$output = (string) stream_get_contents($pipes[1]);
		$this->assertSame(0, proc_close($process), $output);
		$this->assertFileExists("$folder/app/vendor/redislock/symfony/src/RedisLockBundle.php");
		$this->assertFileExists("$folder/app/vendor/redislock/pdo/src/FenceGuard.php");
		// They are links into this repository.
		foreach (['symfony', 'pdo'] as $package) {
			is_link("$folder/app/vendor/redislock/$package") && unlink("$folder/app/vendor/redislock/$package");
		}
		unlink("$folder/redislock");
	}

	private function runs(string $code): void
	{
		$this->app = new App(Redis::shared());
		$log = count($this->app->log(' acquired, waited '));
		(static function (string $code, array $names): void {
			extract($names);
			eval($code);
		})($code, ['locks' => $this->app->wired->fencing, 'bus' => $this->app->wired->bus, 'message' => new Job('a', 'A')]);
		if (str_contains($code, 'dispatch')) {
			$this->app->worker();
			$this->app->waitForLog(' ms, held ');
			$this->assertSame('account:7', $this->app->log(' ms, held ')[0]['context']['lock']);
		} else {
			$this->assertGreaterThan($log, count($this->app->log(' acquired, waited ')));
		}
	}

	/** @param array<string, array<string, mixed>> $settings */
	private function configures(array $settings): void
	{
		if (isset($settings['redislock'])) {
			$this->app = new App(Redis::shared(), ['redislock' => $settings['redislock']]);
			$this->assertTrue($this->app->wired->fencing->createLock('a')->acquire());
		} else {
			// Without a server at that address: that it can be made is what counts.
			$this->app = new App(Redis::shared(), ['lock' => $settings['framework']['lock']]);
			$this->assertTrue($this->app->wired->locks->createLock('a')->acquire());
		}
	}

	/** The lines have the form of what is logged. */
	private function isLogged(string $lines): void
	{
		$source = '';
		foreach (['LockStore.php', 'Messenger/LockMiddleware.php'] as $file) {
			$source .= file_get_contents(__DIR__ . "/../src/$file");
		}
		preg_match_all("/'((?:Lock|Message) [^']*)'/", $source, $found);
		$patterns = array_map(static fn (string $message) => '~^' . preg_replace('/\\\\\{\w+\\\\\}/', '[^ ]+', preg_quote($message, '~')) . '$~', $found[1]);
		foreach (explode("\n", trim($lines)) as $line) {
			$this->assertNotEmpty(array_filter($patterns, static fn (string $pattern) => preg_match($pattern, $line) === 1), $line);
		}
	}
}
