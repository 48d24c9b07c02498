<?php
declare(strict_types=1);

namespace RedisLock\Symfony\Tests\App;

use RedisLock\Client;
use RedisLock\Symfony\Tests\App\Message\Job;
use Symfony\Component\Messenger\Envelope;
use Symfony\Component\Messenger\Middleware\MiddlewareInterface;
use Symfony\Component\Messenger\Middleware\StackInterface;
use Symfony\Component\Messenger\Stamp\ReceivedStamp;

/** Stands for Doctrine's middleware that commits a transaction: writes down whether the lock is held as it does. */
final class TransactionLike implements MiddlewareInterface
{
	public function __construct(private readonly Client $client, private readonly Record $record)
	{
	}

	public function handle(Envelope $envelope, StackInterface $stack): Envelope
	{
		$envelope = $stack->next()->handle($envelope, $stack);
		$message = $envelope->getMessage();
		if ($message instanceof Job && $envelope->last(ReceivedStamp::class)) {
			$this->record->add($message->label, $this->client->inspect('job:' . $message->account)['held'] ? 'commit: held' : 'commit: free');
		}
		return $envelope;
	}
}
