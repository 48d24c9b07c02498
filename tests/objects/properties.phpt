--TEST--
No dynamic properties, and the declared ones are read-only
--EXTENSIONS--
redislock
--SKIPIF--
<?php require __DIR__ . '/../include/skipif.inc'; ?>
--FILE--
<?php
require __DIR__ . '/../include/shared.inc';

$client = client();
$lock = $client->lock('job', 30.0);
throws(Error::class, function () use ($lock) { $lock->other = 1; }, 'lock: a new property', 'dynamic property');
throws(Error::class, function () use ($client) { $client->other = 1; }, 'client: a new property', 'dynamic property');
throws(Error::class, function () use ($lock) { $lock->name = 'x'; }, 'name is read-only', 'readonly');
throws(Error::class, function () use ($lock) { $lock->ttl = 1.0; }, 'ttl is read-only', 'readonly');
throws(Error::class, function () use ($lock) { unset($lock->name); }, 'name cannot be unset', 'readonly');
throws(Error::class, function () use ($lock) { $reference = &$lock->ttl; }, 'no reference to ttl', 'readonly');
throws(Error::class, function () use ($lock) { $lock->ttl += 1; }, 'ttl cannot be changed', 'readonly');
throws(Error::class, fn () => (new ReflectionProperty($lock, 'name'))->setValue($lock, 'x'), 'nor by reflection', 'readonly');
throws(Error::class, function () use ($lock) { foreach ($lock as $key => &$value) { $value = 'x'; } }, 'nor by a loop', 'readonly');
same(['name' => 'job', 'ttl' => 30.0], get_object_vars($lock), 'they are all there is');
same([], get_object_vars($client), 'the client has none');
same(true, isset($lock->name), 'isset()');
same(false, isset($lock->token), 'isset() of what is none');
check(@$lock->token === null, 'the token is no property');
same('job', $lock->name, 'after all that the name is what it was');
same(30.0, $lock->ttl, 'and so is the lease');
done();
?>
--EXPECT--
16 checks passed
