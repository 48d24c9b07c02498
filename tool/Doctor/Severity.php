<?php
declare(strict_types=1);

namespace RedisLock\Tool\Doctor;

/** How bad a finding is. */
enum Severity: string
{
	/** Breaks locks, now or at the next fault. */
	case Problem = 'problem';
	/** Weakens them, or will be a problem one day. */
	case Warning = 'warning';
	/** Worth knowing. */
	case Hint = 'hint';
	/** Could not be checked. */
	case Unknown = 'unknown';
}
