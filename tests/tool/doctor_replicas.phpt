--TEST--
redislock doctor: replicas, and a master that has too few
--EXTENSIONS--
redislock
--SKIPIF--
<?php require __DIR__ . '/skipif.inc'; require __DIR__ . '/../include/skipif_slow.inc'; ?>
--FILE--
<?php
require __DIR__ . '/tool.inc';

$master = RedisServer::start(['appendonly' => 'yes', 'repl-diskless-sync-delay' => '0'], tcp: true);
$at = fn (RedisServer $server): array => ['REDISLOCK_SERVERS' => $server->tcpDsn(), 'REDISLOCK_PREFIX' => 'test:'];
$look = $master->connect();
$look->must('CONFIG', 'SET', 'min-replicas-to-write', '1');
found($said = doctor([], $at($master)), 'min-replicas-unmet', 'problem', 'a replica is asked for, and there is none', 'NOREPLICAS');
found($said, 'lock-fails', 'problem', 'and so no lock can be had', 'NOREPLICAS');
$look->must('CONFIG', 'SET', 'min-replicas-to-write', '0');
check(!isset(doctor([], $at($master))['ids']['min-replicas']), 'who has no replica needs none');

$replica = RedisServer::start(['replicaof' => "127.0.0.1 $master->port", 'repl-diskless-sync-delay' => '0'], tcp: true);
$other = $replica->connect();
wait_until(fn () => ($other->info('replication')['master_link_status'] ?? '') === 'up' && str_contains($look->info('replication')['slave0'] ?? '', 'online'), 'the replica is there');
found(doctor([], $at($master)), 'min-replicas', 'warning', 'min-replicas-to-write is 0', 'min-replicas-to-write 1');
found($said = doctor([], $at($replica)), 'replica', 'problem', 'the address of a replica', (string) $master->port);
same(1, $said['status'], 'exit status');
$look->must('CONFIG', 'SET', 'min-replicas-to-write', '1');
same([], array_column(doctor([], $at($master))['all'], 'id'), 'as it should be');

// It falls behind while it is stopped.
$replica->signal('STOP');
$look->must('SET', 'big', str_repeat('x', 3_000_000));
found(doctor([], $at($master)), 'replica-behind', 'warning', 'a replica that is stopped', 'behind');
$replica->signal('CONT');
done();
--EXPECT--
18 checks passed
