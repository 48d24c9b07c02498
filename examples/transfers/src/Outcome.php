<?php
declare(strict_types=1);

namespace Transfers;

/** What became of one delivery of a transfer. */
enum Outcome: string
{
	/** The money has moved. */
	case Done = 'done';

	/** Decided, too: there was not enough money, and there never will be an answer to this transfer but that one. */
	case Refused = 'refused';

	/** Decided before: the queue delivered the same transfer again. */
	case Duplicate = 'duplicate';

	/** Nothing decided: another worker had one of the accounts for too long. Try again later. */
	case Contended = 'contended';

	/** Nothing decided: our lock was over, and the database has refused our claim or our write. Try again. */
	case Late = 'late';

	/** Is this delivery over, or does it go back to the queue? */
	public function isFinal(): bool
	{
		return match ($this) {
			self::Done, self::Refused, self::Duplicate => true,
			self::Contended, self::Late => false,
		};
	}
}
