<?php
declare(strict_types=1);

namespace RedisLock\Symfony\Tests\App;

use RedisLock\Client;
use RedisLock\Symfony\Messenger\MessageLock;
use RuntimeException;
use Symfony\Component\Messenger\Attribute\AsMessageHandler;
use Symfony\Component\Messenger\Exception\UnrecoverableMessageHandlingException;

/** Does what the message says, and writes down what it did. */
#[AsMessageHandler(handles: Message\Job::class)]
#[AsMessageHandler(handles: Message\KeptJob::class)]
#[AsMessageHandler(handles: Message\ShortJob::class)]
#[AsMessageHandler(handles: Message\NamedJob::class)]
#[AsMessageHandler(handles: Message\PlainJob::class)]
#[AsMessageHandler(handles: Message\SyncJob::class)]
#[AsMessageHandler(handles: Message\DirectJob::class)]
final class JobHandler
{
	public function __construct(private readonly Record $record, private readonly Client $client)
	{
	}

	public function __invoke(Message\AnyJob $job, ?MessageLock $lock = null): void
	{
		$this->record->add($job->label, 'begin', $lock?->fence);
		[$what, $argument] = explode(' ', $job->behaviour, 2) + [1 => ''];
		match ($what) {
			'ok' => null,
			// Until the test writes a line into the pipe.
			'pipe' => fgets(fopen($argument, 'r') ?: throw new RuntimeException("no pipe $argument")),
			'pipe-fail-once' => $this->record->has($job->label, 'failed') ?: $this->fail($job->label, new RuntimeException('it fails once' . fgets(fopen($argument, 'r')))),
			'fail' => throw new RuntimeException('it fails'),
			'fail-once' => $this->record->has($job->label, 'failed') ?: $this->fail($job->label, new RuntimeException('it fails once')),
			'reject' => throw new UnrecoverableMessageHandlingException('it will never work'),
			'lose' => $this->client->forceRelease('job:' . $job->account),
			'renew' => $this->record->add($job->label, $lock?->renew(90.0) && $lock->isHeld() && $lock->remaining() > 60.0 ? 'renewed' : 'not renewed'),
			'outlive' => usleep((int) ((($lock?->remaining() ?? 0.0) + 0.1) * 1e6)),
			default => throw new RuntimeException("unknown behaviour $what"),
		};
		$this->record->add($job->label, 'end', $lock?->fence);
	}

	private function fail(string $label, RuntimeException $exception): never
	{
		$this->record->add($label, 'failed');
		throw $exception;
	}
}
