<?php
declare(strict_types=1);

namespace RedisLock\Tool\Doctor;

use RedisLock\Tool\NoAnswer;
use RedisLock\Tool\RespError;

/**
 * Whether something stands between us and the server that does not let everything through. A Redis answers INFO, or
 * says that we may not; Twemproxy closes the connection instead, and Envoy says that it does not know the command.
 */
final class ProxyCheck implements Check
{
	public function title(): string
	{
		return 'no proxy stands in between';
	}

	public function findings(Patient $patient): iterable
	{
		foreach ($patient->nodes as $node) {
			$sign = null;
			try {
				$answer = $node->ask('INFO', 'server');
				if ($answer instanceof RespError && !$answer->isAboutRights()) {
					$sign = "it answers INFO with \"{$answer->getMessage()}\"";
				} elseif (is_string($answer) && !str_contains($answer, 'run_id:')) {
					$sign = 'its INFO is that of no Redis';
				}
			} catch (NoAnswer $problem) {
				$sign = $problem->closed ? 'it closes the connection at INFO, as Twemproxy does' : $problem->getMessage();
			}
			if ($sign !== null) {
				$patient->proxies[$node->address()] = true;
				yield Finding::problem(
					'proxy',
					$node->address(),
					"this seems to be a proxy, not a Redis: $sign",
					'lead redislock past Twemproxy or Envoy, straight to the server: they forbid commands, and may send the keys of one lock to several servers. If INFO was renamed or switched off, give it back',
				);
			}
		}
	}
}
