<?php
declare(strict_types=1);

namespace RedisLock\Laravel;

use Illuminate\Cache\CacheManager;
use Illuminate\Cache\Repository;
use Illuminate\Contracts\Events\Dispatcher;
use Illuminate\Contracts\Foundation\Application;
use Illuminate\Queue\Events\JobExceptionOccurred;
use Illuminate\Queue\Events\JobFailed;
use Illuminate\Queue\Events\JobProcessed;
use Illuminate\Queue\Events\JobProcessing;
use Illuminate\Queue\Events\JobTimedOut;
use Illuminate\Queue\Queue;
use Illuminate\Support\ServiceProvider;
use RedisLock\Client;
use RedisLock\MutexFactory;

/** Adds the cache driver "redislock". Laravel finds this class by itself. */
final class RedisLockServiceProvider extends ServiceProvider
{
	public function register(): void
	{
		$this->mergeConfigFrom(__DIR__ . '/../config/redislock.php', 'redislock');
		$this->app->singleton(UniqueJobs::class);
		$this->app->singleton(LiveLocks::class);
		$this->app->singleton(LockStores::class);
		// Those who ask for them get the client of the store that has the locks.
		$this->app->bindIf(Client::class, static fn (Application $app) => $app->make(LockStores::class)->get()->client());
		$this->app->bindIf(MutexFactory::class, Client::class);
		$this->callAfterResolving('cache', static function (CacheManager $cache): void {
			// Laravel binds the closure to its CacheManager, so it must not be static.
			$cache->extend('redislock', function (Application $app, array $config): Repository {
				return $app->make('cache')->repository($app->make(LockStores::class)->make($config), $config);
			});
		});
	}

	public function boot(Dispatcher $events): void
	{
		// Asked for when they are needed, so that an application in tests, which comes and goes, is not kept.
		Queue::createPayloadUsing(static fn ($connection, $queue, array $payload): array =>
			app()->bound(UniqueJobs::class) ? app(UniqueJobs::class)->payload($payload) : []);
		$events->listen(JobProcessing::class, static fn (JobProcessing $event) => app(UniqueJobs::class)->begin($event->job));
		$events->listen(JobProcessed::class, static fn (JobProcessed $event) => app(UniqueJobs::class)->end($event->job));
		$events->listen(JobExceptionOccurred::class, static fn (JobExceptionOccurred $event) => app(UniqueJobs::class)->exception($event->job));
		$events->listen(JobFailed::class, static fn (JobFailed $event) => app(UniqueJobs::class)->failed($event->job));
		$events->listen(JobTimedOut::class, static function (): void {
			// The worker kills itself next, by a signal that leaves no time for anything else.
			Fences::releaseAll();
			app(LiveLocks::class)->releaseAll();
		});
		if ($this->app->runningInConsole()) {
			$this->commands([Console\InspectCommand::class, Console\ReleaseCommand::class]);
			$this->publishes([__DIR__ . '/../config/redislock.php' => $this->app->configPath('redislock.php')], 'redislock-config');
		}
	}
}
