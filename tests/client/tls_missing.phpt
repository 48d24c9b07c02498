--TEST--
rediss:// without TLS support says what is missing
--EXTENSIONS--
redislock
--FILE--
<?php
require __DIR__ . '/../include/check.inc';

ob_start();
phpinfo(INFO_MODULES);
preg_match('/^redislock\n(.*?)\n\n\w+\n/ms', ob_get_clean(), $section);
preg_match('/^TLS[^=]*=> (.*)$/mi', $section[1] ?? '', $tls);
check(isset($tls[1]), 'phpinfo() says whether there is TLS', section: $section);
$connect = fn () => (new RedisLock\Client('rediss://127.0.0.1:1'))->lock('job')->acquire();
try {
	$connect();
	check(false, 'nobody listens there');
} catch (Throwable $thrown) {
	if (stripos($tls[1], 'no') === 0 || stripos($tls[1], 'dis') === 0) {
		check(stripos($thrown->getMessage(), 'OpenSSL') !== false, 'without TLS it says what is missing', thrown: $thrown);
	} else {
		check($thrown instanceof RedisLock\ConnectionException, 'with TLS it tries to connect', thrown: $thrown);
	}
}
done();
?>
--EXPECT--
2 checks passed
