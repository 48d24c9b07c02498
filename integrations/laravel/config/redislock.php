<?php

return [

	/*
	 * The cache store whose locks the middleware Fenced and the commands redislock:inspect and redislock:release use.
	 * Its driver must be "redislock". Null: the default cache store.
	 */
	'store' => env('REDISLOCK_STORE'),

	/*
	 * There is always a lease. This one, in seconds, is what a lock gets that Laravel would hold for ever: seconds = 0.
	 * So it is the longest time for which a job that was killed can block others. A job that is unique must be done
	 * within it, counted from the dispatch, or have a uniqueFor of its own. At most 2678400 (31 days).
	 */
	'forever' => (int) env('REDISLOCK_FOREVER', 86400),

	/*
	 * What the middleware Fenced does if the job does not say otherwise.
	 */
	'fenced' => [
		// The lease in seconds. Longer than a job may run: Laravel's own default for that is 60.
		'lease' => 90,
		// How long the worker waits for the lock, in seconds. It does nothing else meanwhile.
		'wait' => 0,
		// If the lock is not to be had, the job goes back to the queue for about this many seconds: the first time,
		// and at most. It doubles from one attempt to the next.
		'release_after' => [1, 60],
	],

	/*
	 * How the extension talks to Redis, in seconds. Null: the setting of the same name in php.ini. The timeouts of
	 * config/database.php are those of the other connections and are not used here.
	 */
	'connect_timeout' => null,
	'timeout' => null,
	'retry_for' => null,
	'persistent' => null,

];
