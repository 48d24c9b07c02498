<?php
declare(strict_types=1);

namespace RedisLock\Symfony\Tests\App;

use RedisLock\Client;
use RedisLock\Symfony\Messenger\MessageLock;
use RedisLock\Symfony\Tests\App\Message\BatchJob;
use RuntimeException;
use Symfony\Component\Messenger\Attribute\AsMessageHandler;
use Symfony\Component\Messenger\Handler\Acknowledger;
use Symfony\Component\Messenger\Handler\BatchHandlerInterface;
use Symfony\Component\Messenger\Handler\BatchHandlerTrait;

/** Handles its messages two at a time. */
#[AsMessageHandler]
final class JobBatchHandler implements BatchHandlerInterface
{
	use BatchHandlerTrait;

	/** @var array<string, MessageLock> */
	private array $locks = [];

	public function __construct(private readonly Record $record, private readonly Client $client)
	{
	}

	public function __invoke(BatchJob $message, ?Acknowledger $ack = null, ?MessageLock $lock = null): mixed
	{
		$this->locks[$message->label] = $lock ?? throw new RuntimeException('no lock');
		return $this->handle($message, $ack);
	}

	private function shouldFlush(): bool
	{
		return count($this->jobs) >= 2;
	}

	/** @param list<array{BatchJob, Acknowledger}> $jobs */
	private function process(array $jobs): void
	{
		foreach ($jobs as [$message]) {
			$held = $this->client->inspect('job:' . $message->account)['held'] && $this->locks[$message->label]->isHeld();
			$this->record->add($message->label, $held ? 'processed: held' : 'processed: free', $this->locks[$message->label]->fence);
		}
		foreach ($jobs as [$message, $ack]) {
			$message->behaviour === 'fail' ? $ack->nack(new RuntimeException('it fails')) : $ack->ack($message);
		}
	}
}
