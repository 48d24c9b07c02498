<?php
declare(strict_types=1);

namespace RedisLock\Tool\Doctor;

use RedisLock\Tool\Keys;
use RedisLock\Tool\Node;
use RedisLock\Tool\NoAnswer;
use RedisLock\Tool\RespError;

/**
 * Whether the log-in of the locks may do all that they need: every command, on every kind of key. It is tried on keys of
 * a lock that nobody uses, because ACL DRYRUN is itself a right, and because a proxy or a renamed command is no ACL.
 */
final class RightsCheck implements Check
{
	public function title(): string
	{
		return 'the log-in may do all that locks need';
	}

	public function findings(Patient $patient): iterable
	{
		foreach ($patient->nodes as $node) {
			$rights = new Rights($node, $patient->keys, $patient->name, $patient->quorum);
			try {
				$rights->try();
			} catch (NoAnswer | RespError $problem) {
				yield Finding::problem(
					'unreachable',
					$node->address(),
					$problem->getMessage(),
					'it answered a moment ago: try again',
				);
				continue;
			}
			if ($rights->scriptsForbidden !== null) {
				yield Finding::problem(
					'scripts-forbidden',
					$node->address(),
					"scripts cannot be run: $rights->scriptsForbidden",
					$this->acl($node, $patient),
				);
			}
			foreach ($rights->missing as $command => $why) {
				yield $command === 'blpop'
					? Finding::warning(
						'blpop-forbidden',
						$node->address(),
						"BLPOP cannot be used: $why. Waiting for a lock means polling then",
						$this->acl($node, $patient),
					)
					: Finding::problem(
						'missing-command',
						$node->address(),
						strtoupper($command) . " cannot be used: $why",
						$this->acl($node, $patient),
					);
			}
			foreach ($rights->patterns as $pattern => $why) {
				yield Finding::problem(
					'missing-keys',
					$node->address(),
					"keys like ~$pattern cannot be used: $why",
					$this->acl($node, $patient),
				);
			}
			if ($rights->tagged !== null) {
				yield Finding::hint(
					'missing-tag-keys',
					$node->address(),
					"keys like ~{*}:redislock:*:{$patient->keys->prefix}* cannot be used: $rights->tagged",
					'needed only if names of your locks hold a hash tag, such as user:{42}',
				);
			}
		}
	}

	private function acl(Node $node, Patient $patient): string
	{
		$prefix = Keys::literal($patient->keys->prefix);
		$commands = [
			...Rights::DIRECT,
			...Rights::IN_SCRIPTS,
			...($patient->quorum ? ['info'] : []),
			...($node->dsn->database !== 0 ? ['select'] : []),
		];
		sort($commands);
		return 'ACL SETUSER ' . ($node->dsn->user ?? 'default') . " ~$prefix* ~{{$prefix}*}:redislock:* ~{*}:redislock:*:$prefix*"
			. ($patient->quorum ? " ~{{$prefix}}:redislock:node" : '') . ' ' . implode(
				' ',
				array_map(fn (string $command) => "+$command", $commands),
			)
			. '; if it is no ACL: do not rename these commands (rename-command)';
	}
}
