<?php
/*
 * Uses that are wrong. Behind each stand the findings that each analyser must report on that line; on other lines it
 * must report none.
 * It is analysed and never run.
 */
declare(strict_types=1);

use RedisLock\Client;
use RedisLock\Mutex;
use RedisLock\MutexFactory;
use RedisLock\QuorumException;

/** @param int<1, max> $fence */
function put(int $fence): void
{
	echo $fence;
}

function wrong(RedisLock $lock, Mutex $mutex, Client $client, MutexFactory $factory): void
{
	put($lock->acquire());  // phpstan: argument.type; psalm: PossiblyNullArgument
	put($mutex->attach('token'));  // phpstan: argument.type; psalm: PossiblyNullArgument
	put($lock->fence());  // phpstan: argument.type; psalm: PossiblyNullArgument
	$lock->acquire('2');  // phpstan: argument.type; psalm: InvalidArgument
	$mutex->renew('1');  // phpstan: argument.type; psalm: InvalidArgument
	strlen($lock->synchronized(fn (int $fence): int => $fence));  // phpstan: argument.type; psalm: InvalidArgument
	strlen($mutex->synchronized(fn (int $fence): int => $fence));  // phpstan: argument.type; psalm: InvalidArgument
	$lock->synchronized(fn (string $fence): string => $fence);  // phpstan: argument.type; psalm: InvalidArgument
	$lock->synchronized(fn (int $fence, Client $lock): int => $fence);  // phpstan: argument.type; psalm: InvalidArgument
	echo $client->inspect('x')['owner'];  // phpstan: offsetAccess.notFound echo.nonString; psalm: InvalidArrayOffset MixedArgument
	echo $factory->inspect('x')['owner'];  // phpstan: offsetAccess.notFound echo.nonString; psalm: InvalidArrayOffset MixedArgument
	$lock->name = 'other';  // phpstan: property.readOnlyAssignOutOfClass; psalm: InaccessibleProperty
	$lock->aquire();  // phpstan: method.notFound; psalm: UndefinedMethod
	$factory->initializeQuorum();  // phpstan: method.notFound; psalm: UndefinedInterfaceMethod
	new Client([1, 2, 3]);  // phpstan: argument.type; psalm: InvalidArgument
	new RedisLock(17);  // phpstan: argument.type; psalm: InvalidArgument
}

final class Child extends RedisLock  // phpstan: class.extendsFinal; psalm: InvalidExtendClass
{
}

function causes(QuorumException $problem): void
{
	foreach ($problem->errors as $error) {
		echo $error->redisCode;  // phpstan: property.notFound echo.nonString; psalm: UndefinedPropertyFetch MixedArgument
	}
}
