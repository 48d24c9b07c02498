<?php
declare(strict_types=1);

namespace RedisLock\Tool\Doctor;

use RedisLock\Tool\Context;
use RedisLock\Tool\Keys;
use RedisLock\Tool\Node;

/** What doctor examines: the servers, seen with the log-in of the locks and with that of who looks. */
final class Patient
{
	/** @var list<Node> with the log-in of the locks; those that do not answer are left out after ReachCheck */
	public array $nodes;
	/** @var list<Node> the same ones with the log-in of who looks */
	public array $admins;
	public readonly Keys $keys;
	public readonly bool $quorum;
	/** What a lock of the examination is called. */
	public readonly string $name;
	/** @var array<string, true> servers that are proxies, by address */
	public array $proxies = [];

	/** Fewer than a majority of the nodes of a quorum are in service: no lock can be had, and to ask for one would change them. */
	public bool $outOfService = false;

	/** @param float $ttl the shortest lease that the application uses @param list<string> $paths where PHP code is */
	public function __construct(
		public readonly Context $context,
		public readonly float $ttl,
		public readonly array $paths,
	)
	{
		$this->nodes = $context->nodes();
		$this->admins = $context->adminNodes();
		$this->keys = $context->keys;
		$this->quorum = $context->isQuorum();
		$this->name = 'redislock-doctor:' . bin2hex(random_bytes(6));
	}

	public function dropNode(int $i): void
	{
		unset($this->nodes[$i], $this->admins[$i]);
	}
}
