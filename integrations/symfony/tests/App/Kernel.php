<?php
declare(strict_types=1);

namespace RedisLock\Symfony\Tests\App;

use Doctrine\Bundle\DoctrineBundle\DoctrineBundle;
use RedisLock\Symfony\LockFactory;
use RedisLock\Symfony\RedisLockBundle;
use Symfony\Bundle\FrameworkBundle\FrameworkBundle;
use Symfony\Bundle\FrameworkBundle\Kernel\MicroKernelTrait;
use Symfony\Bundle\MonologBundle\MonologBundle;
use Symfony\Component\DependencyInjection\Loader\Configurator\ContainerConfigurator;
use Symfony\Component\HttpKernel\Kernel as BaseKernel;

/**
 * The application that the tests' workers run: a queue in PostgreSQL, locks in Redis, a log in JSON lines. Its settings
 * come from the environment, because the workers are processes of their own:
 *
 *   APP_FOLDER    a folder for the cache and the log
 *   APP_SETTINGS  JSON: what stands for "redislock" and "lock", the retry_delay in milliseconds, the serializer of messages,
 *                 and false for "messenger"
 */
final class Kernel extends BaseKernel
{
	use MicroKernelTrait;

	public function __construct()
	{
		parent::__construct('test', (bool) getenv('APP_DEBUG'));
	}

	public function registerBundles(): iterable
	{
		yield new FrameworkBundle();
		yield new DoctrineBundle();
		yield new MonologBundle();
		yield new RedisLockBundle();
	}

	public function getProjectDir(): string
	{
		return (string) getenv('APP_FOLDER');
	}

	public function getCacheDir(): string
	{
		return $this->getProjectDir() . '/cache-' . md5((string) getenv('APP_SETTINGS'));
	}

	public function getLogDir(): string
	{
		return $this->getProjectDir();
	}

	private function configureContainer(ContainerConfigurator $container): void
	{
		$settings = json_decode((string) getenv('APP_SETTINGS') ?: '{}', true, 16, JSON_THROW_ON_ERROR);
		$transport = [
			'dsn' => 'doctrine://default?check_delayed_interval=50&get_notify_timeout=50&queue_name=',
			'retry_strategy' => ['max_retries' => 2, 'delay' => $settings['retry_delay'] ?? 200, 'multiplier' => 1],
		];
		$container->extension('framework', [
			'secret' => 'test',
			'http_method_override' => false,
			'handle_all_throwables' => true,
			'php_errors' => ['log' => true],
			'serializer' => true,
			'lock' => $settings['lock'] ?? 'redislock',
			'messenger' => ($settings['messenger'] ?? true) === false ? ['enabled' => false] : [
				'serializer' => ['default_serializer' => $settings['serializer'] ?? 'messenger.transport.native_php_serializer'],
				'failure_transport' => 'failed',
				'default_bus' => 'messenger.bus.default',
				'buses' => ['messenger.bus.default' => ['middleware' => [TransactionLike::class]]],
				'transports' => [
					'async' => ['dsn' => $transport['dsn'] . 'async'] + $transport,
					'failed' => ['dsn' => $transport['dsn'] . 'failed'],
					'sync' => 'sync://',
				],
				'routing' => [
					Message\Job::class => 'async',
					Message\KeptJob::class => 'async',
					Message\ShortJob::class => 'async',
					Message\NamedJob::class => 'async',
					Message\PlainJob::class => 'async',
					Message\BatchJob::class => 'async',
					Message\SyncJob::class => 'sync',
				],
			],
		]);
		$container->extension('doctrine', ['dbal' => [
			'driver' => 'pdo_pgsql',
			'host' => '%env(PGHOST)%',
			'dbname' => 'postgres',
			'user' => 'redislock',
			'server_version' => '15',
		]]);
		$container->extension('monolog', ['handlers' => ['file' => [
			'type' => 'stream',
			'path' => '%kernel.logs_dir%/log',
			'level' => 'debug',
			'formatter' => 'monolog.formatter.json',
			'channels' => ($settings['messenger'] ?? true) === false ? ['redislock', 'lock'] : ['redislock', 'lock', 'messenger'],
		]]]);
		$container->extension('redislock', ($settings['redislock'] ?? []) + [
			'dsn' => '%env(REDISLOCK_DSN)%',
			'messenger' => ['min_delay' => 0.02, 'max_delay' => 0.2],
		]);
		$services = $container->services()->defaults()->autowire()->autoconfigure()->public();
		$services->set(Record::class);
		if (($settings['messenger'] ?? true) === false) {
			$services->alias('public_lock_factory', LockFactory::class);
			return;
		}
		$services->set(JobHandler::class);
		$services->set(JobBatchHandler::class);
		$services->set(TransactionLike::class);
		$services->set(Wired::class);
	}
}
