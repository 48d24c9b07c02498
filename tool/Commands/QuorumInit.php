<?php
declare(strict_types=1);

namespace RedisLock\Tool\Commands;

use RedisLock\Tool\Arguments;
use RedisLock\Tool\Command;
use RedisLock\Tool\Context;
use RedisLock\Tool\ExitCode;
use RedisLock\Tool\Option;
use RedisLock\Tool\QuorumNode;
use RedisLock\Tool\UsageError;

final class QuorumInit extends Command
{
	public function name(): string
	{
		return 'quorum-init';
	}

	public function summary(): string
	{
		return 'put the nodes of a new quorum into service';
	}

	public function usage(): string
	{
		return '[OPTION]…';
	}

	public function description(): string
	{
		return <<<'TEXT'
			Once, before the first lock of a new quorum. A node that is new could have granted a lock and forgotten it, so by
			itself it would sit out for redislock.quorum_max_ttl plus two minutes. This makes all nodes ready at once. You
			assert that no lease can be running: nobody has used these servers with this prefix for that long.

			It shows the state of every node, asks, and does it only if all nodes answer, none is in service, and they are
			different servers without replicas. To bring back or replace a node of a quorum that is in use, do NOT use it: a
			node comes back by itself after it has sat out.
			TEXT;
	}

	public function options(): array
	{
		return [new Option('yes', null, 'do not ask', 'y')];
	}

	public function exitCodes(): array
	{
		return [ExitCode::NO => 'nothing was done: a node is in the way, or you said no'];
	}

	public function run(Arguments $arguments, Context $context): int
	{
		$arguments->take(0, 0, 'quorum-init ' . $this->usage());
		$context->isQuorum() || throw new UsageError(
			'a quorum has three or more servers: --servers redis://a,redis://b,redis://c',
		);
		if (!$arguments->has('yes') && !$context->out->terminal->canAsk()) {
			throw new UsageError('it asks first, and there is no terminal to ask on: --yes if you know what you do');
		}
		$nodes = QuorumNode::all($context);
		$problems = QuorumNode::problems($nodes);
		$this->show($nodes, $context);
		if ($problems !== []) {
			array_map($context->out->note(...), $problems);
			return $this->end($nodes, false, 'nothing done', $context);
		}
		$question = "No process may hold a lock on these servers with the prefix \"{$context->prefix}\", and none may have held one in the last minutes.";
		if (!$arguments->has('yes') && !$context->out->terminal->confirm($question, 'initialize')) {
			return $this->end($nodes, false, 'nothing done: you did not say yes', $context);
		}
		$context->client()->initializeQuorum();
		$nodes = QuorumNode::all($context);
		return $this->end($nodes, true, count($nodes) . ' nodes are in service', $context);
	}

	/** @param list<QuorumNode> $nodes */
	private function show(array $nodes, Context $context): void
	{
		$context->out->table(
			['NODE', 'VERSION', 'ROLE', 'LOCKS>', 'STATE'],
			array_map(
				fn (QuorumNode $node) => [
					$node->address,
					$node->version,
					$node->role,
					$node->locks === null ? '-' : "$node->locks",
					$node->words(),
				],
				$nodes,
			),
		);
	}

	/** @param list<QuorumNode> $nodes */
	private function end(array $nodes, bool $done, string $what, Context $context): int
	{
		$context->out->json(
			[
				'initialized' => $done,
				'text' => $what,
				'nodes' => array_map(fn (QuorumNode $node) => $node->forJson(), $nodes),
			],
		);
		$context->out->line($what);
		return $done ? ExitCode::OK : ExitCode::NO;
	}
}
