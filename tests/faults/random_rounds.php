<?php
// For under_valgrind: what the tests random_rounds_*.phpt do, as a program of its own.
require __DIR__ . '/random_rounds.inc';
done();
exit(Checks::$failed === 0 ? 0 : 1);
