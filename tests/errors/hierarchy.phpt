--TEST--
What is what among the exceptions
--EXTENSIONS--
redislock
--FILE--
<?php
require __DIR__ . '/../include/check.inc';

$parents = [
	'RedisLockException' => 'Exception', 'FailureException' => 'RedisLock\RedisLockException', 'ConnectionException' => 'RedisLock\FailureException',
	'UncertainException' => 'RedisLock\FailureException', 'ServerException' => 'RedisLock\FailureException', 'QuorumException' => 'RedisLock\FailureException',
	'NotAcquiredException' => 'RedisLock\RedisLockException', 'LostException' => 'RedisLock\RedisLockException', 'RedisLockError' => 'Error',
];
foreach ($parents as $name => $parent) {
	$class = new ReflectionClass("RedisLock\\$name");
	same($parent, $class->getParentClass()->getName(), "$name is a $parent");
	same($name === 'FailureException', $class->isAbstract(), "$name: abstract or not");
	same(false, $class->isFinal(), "$name can be extended, for tests and wrappers");
	if ($name !== 'FailureException') {
		$thrown = new ("RedisLock\\$name")('text', 7, $previous = new Exception('before'));
		same(['text', 7, $previous], [$thrown->getMessage(), $thrown->getCode(), $thrown->getPrevious()], "$name can be made as any exception");
	}
}
$server = new RedisLock\ServerException('x');
same('', $server->redisCode, 'redisCode begins empty');
$server->redisCode = 'OOM';
same('OOM', $server->redisCode, 'a test double can set it');
throws(TypeError::class, fn () => $server->redisCode = [], 'it is a string');
same([], (new RedisLock\QuorumException('x'))->errors, 'errors begins empty');
same(null, (new RedisLock\LostException('x'))->result, 'result begins null');
throws(Error::class, fn () => new RedisLock\FailureException('x'), 'FailureException cannot be made', 'abstract');
done();
?>
--EXPECT--
41 checks passed
