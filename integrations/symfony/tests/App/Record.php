<?php
declare(strict_types=1);

namespace RedisLock\Symfony\Tests\App;

use Doctrine\DBAL\Connection;

/** What the handlers did, in the order in which they did it, on a connection that sees no rollback. */
final class Record
{
	public function __construct(private readonly Connection $connection)
	{
	}

	public function add(string $label, string $what, ?int $fence = null): void
	{
		$this->connection->insert('record', ['pid' => getmypid(), 'label' => $label, 'what' => $what, 'fence' => $fence]);
	}

	public function has(string $label, string $what): bool
	{
		return (int) $this->connection->fetchOne('SELECT count(*) FROM record WHERE label = ? AND what = ?', [$label, $what]) > 0;
	}
}
