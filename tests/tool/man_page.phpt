--TEST--
man/redislock.1: mandoc and man have nothing to complain of
--EXTENSIONS--
redislock
--SKIPIF--
<?php
require __DIR__ . '/skipif.inc';
foreach (['mandoc', 'man'] as $program) {
	if (trim((string) shell_exec("command -v $program")) === '') {
		die("skip there is no $program");
	}
}
?>
--FILE--
<?php
require __DIR__ . '/tool.inc';

$page = escapeshellarg(tool_man_page());
same('', trim((string) shell_exec("mandoc -T lint -W warning $page 2>&1")), 'mandoc');
same('', trim((string) shell_exec("LC_ALL=C.UTF-8 MANPAGER=cat MANWIDTH=80 man --warnings -l $page 2>&1 >/dev/null")), 'man');
$text = (string) shell_exec("mandoc -T utf8 $page | col -b");
check(str_contains($text, 'quorum-init') && str_contains($text, '\xNN') && str_contains($text, 'EXIT STATUS'), 'it can be read', text: $text);
done();
--EXPECT--
3 checks passed
