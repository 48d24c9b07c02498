<?php
declare(strict_types=1);

namespace RedisLock\Tool\Doctor;

use RedisLock\Tool\Node;
use RedisLock\Tool\NoAnswer;
use RedisLock\Tool\RespError;

/** Looks at each server for itself, with the log-in of who looks. What that log-in may not see is said, not guessed. */
abstract class NodeCheck implements Check
{
	/** What could not be checked where it cannot. */
	abstract protected function subject(): string;

	/** The rights that looking needs. */
	abstract protected function rights(): string;

	/** @return iterable<Finding> @throws NoAnswer|RespError */
	abstract protected function node(Node $node, Patient $patient): iterable;

	final public function findings(Patient $patient): iterable
	{
		foreach ($patient->admins as $node) {
			// A proxy knows none of these commands.
			if (isset($patient->proxies[$node->address()])) {
				continue;
			}
			try {
				yield from $this->node($node, $patient);
			} catch (NoAnswer | RespError $problem) {
				yield Finding::unknown($node->address(), $this->subject(), $problem, $this->rights());
			}
		}
	}
}
