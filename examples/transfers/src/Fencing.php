<?php
declare(strict_types=1);

namespace Transfers;

/** What the database does with the fences. Only the first is right; the demo shows what comes of the other two. */
enum Fencing
{
	/**
	 * The fence is put on the rows before they are read, and every write compares it. From the moment it is there the
	 * database refuses whoever had the lock before, so nobody can change behind our back what we have read.
	 */
	case ClaimedBeforeReading;

	/**
	 * Every write compares the fence, but it gets on the rows only with the first write. Until then a late write is
	 * accepted: also just after we have read, and then we overwrite it.
	 */
	case OnlyWhenWriting;

	/** For people who rely on the lock alone. */
	case Ignored;
}
