<?php
declare(strict_types=1);

namespace RedisLock\Tool\Doctor;

/** One thing that doctor looks at. */
interface Check
{
	/** What is looked at, for the list of what was fine. */
	public function title(): string;

	/** @return iterable<Finding> nothing: all is well */
	public function findings(Patient $patient): iterable;
}
