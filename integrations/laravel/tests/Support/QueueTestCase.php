<?php
declare(strict_types=1);

namespace RedisLock\Laravel\Tests\Support;

use Illuminate\Bus\UniqueLock;
use Illuminate\Database\Schema\Blueprint;
use Illuminate\Support\Facades\DB;
use Illuminate\Support\Facades\Queue;
use Illuminate\Support\Facades\Schema;

/** Real workers on a real queue. */
abstract class QueueTestCase extends ApplicationTestCase
{
	protected string $queue = 'redis';

	/** Seconds after which a job that was not finished is tried again. */
	protected int $retryAfter = 90;

	/** @return array<string, array{string}> */
	public static function queues(): array
	{
		return ['redis' => ['redis'], 'database' => ['database']];
	}

	protected function setUp(): void
	{
		parent::setUp();
		DB::statement("CREATE SCHEMA $this->id");
		Schema::create('jobs', static function (Blueprint $table): void {
			$table->id();
			$table->string('queue')->index();
			$table->longText('payload');
			$table->unsignedTinyInteger('attempts');
			$table->unsignedInteger('reserved_at')->nullable();
			$table->unsignedInteger('available_at');
			$table->unsignedInteger('created_at');
		});
		Schema::create('failed_jobs', static function (Blueprint $table): void {
			$table->id();
			$table->string('uuid')->unique();
			$table->text('connection');
			$table->text('queue');
			$table->longText('payload');
			$table->longText('exception');
			$table->timestamp('failed_at')->useCurrent();
		});
	}

	protected function tearDown(): void
	{
		DB::statement("DROP SCHEMA $this->id CASCADE");
		parent::tearDown();
	}

	protected function environment(): array
	{
		return parent::environment() + ['QUEUE_CONNECTION' => $this->queue, 'TEST_RETRY_AFTER' => (string) $this->retryAfter];
	}

	protected function useQueue(string $queue): void
	{
		$this->queue = $queue;
		config(['queue.default' => $queue]);
	}

	/** Starts a worker. */
	protected function worker(string ...$options): Process
	{
		return $this->artisanProcess('queue:work', $this->queue, '--sleep=0.02', ...$options);
	}

	/** Lets a worker do one job (or find none), and waits for its end. */
	protected function workOnce(string ...$options): void
	{
		$worker = $this->worker('--once', ...$options);
		$this->assertSame(0, $worker->wait(), $worker->output());
	}

	protected function workUntilEmpty(string ...$options): void
	{
		$worker = $this->worker('--stop-when-empty', ...$options);
		$this->assertSame(0, $worker->wait(), $worker->output());
	}

	/** Waiting, delayed and being done. */
	protected function jobsInQueue(): int
	{
		return Queue::connection()->size();
	}

	protected function assertHeard(string $what, string $job, ?int $attempt = null): array
	{
		$said = $this->hear();
		$this->assertSame([$what, $job, $attempt ?? $said['attempt']], [$said['what'], $said['job'], $said['attempt']], json_encode($said));
		return $said;
	}

	protected function assertLocked(string $name): string
	{
		$token = $this->redis()->get($this->key($name));
		$this->assertIsString($token, "$name is free");
		$this->assertGreaterThan(0, $this->redis()->pttl($this->key($name)), "$name has no lease");
		return $token;
	}

	protected function assertFree(string $name): void
	{
		$this->assertSame(0, $this->redis()->exists($this->key($name)), "$name is held");
	}

	protected static function uniqueName(object $job): string
	{
		return UniqueLock::getKey($job);
	}
}
