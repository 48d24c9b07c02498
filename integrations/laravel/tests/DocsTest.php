<?php
declare(strict_types=1);

namespace RedisLock\Laravel\Tests;

use App\Jobs\Withdraw;
use Illuminate\Support\Facades\Cache;
use Illuminate\Support\Facades\DB;
use RedisLock\Laravel\Tests\Support\QueueTestCase;

/** Every block of code of docs/laravel.md, one after another, as a reader would do it. */
final class DocsTest extends QueueTestCase
{
	/** @var list<string> what a block has written into the application */
	private array $files = [];

	private string $store = 'redislock';

	protected function environment(): array
	{
		return parent::environment() + ['CACHE_STORE' => $this->store];
	}

	protected function tearDown(): void
	{
		array_map(unlink(...), $this->files);
		parent::tearDown();
	}

	/** @return list<array{string, string}> language and code */
	private static function blocks(): array
	{
		$text = (string) file_get_contents(__DIR__ . '/../../../docs/laravel.md');
		preg_match_all('/^```(\w*)\n(.*?)^```$/ms', $text, $found, PREG_SET_ORDER);
		return array_map(static fn (array $block) => [$block[1], $block[2]], $found);
	}

	public function testEveryBlock(): void
	{
		$done = [];
		foreach (self::blocks() as [$language, $code]) {
			$done[] = $kind = match (true) {
				$language === 'sh' => $this->shell($code),
				$language !== 'php' => $this->fail("what is a block of $language?"),
				(bool) preg_match('~^// config/cache\.php, in .stores.\n(.*)$~s', $code, $match) => $this->configureStore($match[1]),
				(bool) preg_match('~^// (\S+\.php)\n(.*)$~s', $code, $match) => $this->write($match[1], $match[2]),
				default => $this->evaluate($code),
			};
		}
		$this->assertSame(['composer', 'store', 'file', 'file', 'artisan', 'code', 'code', 'artisan', 'artisan'], $done);

		// The job has been done, and its fence is in the database.
		$this->assertSame(900, $this->cents());
		$fence = (int) DB::table('redislock_fences')->where('resource', DB::raw("'account:7'::bytea"))->value('fence');
		$this->assertSame($this->redisLockClient()->inspect('account:7')['fence'], $fence);
		$this->assertSame(0, DB::table('failed_jobs')->count());

		// Somebody has come after it: a larger fence is there, and its write is refused.
		DB::table('redislock_fences')->where('resource', DB::raw("'account:7'::bytea"))->update(['fence' => $fence + 10 ** 12]);
		Withdraw::dispatch(7, 100);
		$this->workOnce('--tries=1');
		$this->assertSame(900, $this->cents());
		$this->assertStringContainsString('StaleFenceException', (string) file_get_contents($this->environment()['TEST_LOG']));
	}

	private function cents(): int
	{
		return (int) DB::table('accounts')->where('id', 7)->value('cents');
	}

	private function redisLockClient(): \RedisLock\Client
	{
		return Cache::store('redis')->getStore()->client();
	}

	/** The commands of the block, with `php` and `composer` as this machine has them for the tests. */
	private function shell(string $code): string
	{
		if (str_starts_with($code, 'composer ')) {
			// It has been done: application.sh has made this application so.
			$made = json_decode((string) file_get_contents(base_path('composer.json')), true);
			$this->assertSame(1, preg_match("~^composer config repositories\.redislock path '\.\./redislock(/integrations/\*)'\ncomposer require (.+)\n$~D", $code, $match), $code);
			$this->assertStringEndsWith($match[1], $made['repositories']['redislock']['url'] ?? $made['repositories'][0]['url']);
			foreach (explode(' ', $match[2]) as $package) {
				[$name, $version] = explode(':', $package);
				$this->assertSame($version, $made['require'][$name]);
			}
			return 'composer';
		}
		foreach (explode("\n", trim($code)) as $line) {
			$this->assertSame(1, preg_match('/^php artisan (\S+) ?(.*)$/', $line, $match), $line);
			if ($match[1] === 'tinker') {
				// Not a part of the framework. What it would execute is.
				$this->assertSame(1, preg_match("/^--execute='(.+)'$/", $match[2], $statement));
				DB::table('accounts')->insert(['id' => 7, 'cents' => 1000]);
				$this->evaluate($statement[1] . ';');
				continue;
			}
			$arguments = $match[2] === '' ? [] : explode(' ', $match[2]);
			$process = $this->artisanProcess($match[1], ...$arguments);
			$this->assertSame($match[1] === 'redislock:release' ? 1 : 0, $process->wait(), $process->output());
		}
		return 'artisan';
	}

	/** As an installed application has it: one store of that name, the default. */
	private function configureStore(string $code): string
	{
		$this->write('config/stores/docs.php', "return [\n$code];\n");
		$this->store = 'redis';
		$this->refreshApplication();
		$this->assertSame('redislock', config('cache.stores.redis.driver'));
		return 'store';
	}

	private function write(string $file, string $code): string
	{
		$path = base_path($file);
		$this->assertFileDoesNotExist($path);
		@mkdir(dirname($path), 0777, true);
		file_put_contents($path, "<?php\n$code");
		$this->files[] = $path;
		return 'file';
	}

	private function evaluate(string $code): string
	{
		(static function (string $code): void {
			eval($code);
		})($code);
		return 'code';
	}
}
