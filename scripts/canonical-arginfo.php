<?php
/*
 * Rewrites what gen_stub.php wrote so that it is the same from every version of PHP, and compiles with every version
 * from 8.2: newer generators use functions and macros that PHP 8.2 does not have, for what it can say as well.
 *
 * Usage: php scripts/canonical-arginfo.php < arginfo-of-gen_stub.h > redislock_arginfo.h
 */
declare(strict_types=1);

const EMPTY_TABLE = '~^static const zend_function_entry (class_\w+_methods)\[\] = \{\n\tZEND_FE_END\n\};\n~m';

/** A class without methods needs no table of them; the generator of 8.4 has stopped writing it. */
function without_empty_tables(string $text): string
{
	preg_match_all(EMPTY_TABLE, $text, $empty);
	$text = (string) preg_replace(EMPTY_TABLE, '', $text);
	foreach ($empty[1] as $table) {
		$text = str_replace(", $table);", ', NULL);', $text);
	}
	return $text;
}

/** An abstract method: 8.4 writes the six arguments of its own ZEND_RAW_FENTRY, where 8.2 has four. */
function with_abstract_methods(string $text): string
{
	return (string) preg_replace_callback(
		'~^static const zend_function_entry class_(\w+)_methods\[\] = \{\n.*?^\};\n~ms',
		fn (array $table) => (string) preg_replace(
			'~ZEND_RAW_FENTRY\("(\w+)", NULL, (\w+), ([\w|]*ZEND_ACC_ABSTRACT[\w|]*), NULL, NULL\)~',
			"ZEND_ABSTRACT_ME_WITH_FLAGS($table[1], $1, $2, $3)",
			$table[0],
		),
		$text,
	);
}

/** The flags of a class: 8.4 has a function that takes them. */
function with_flags_set(string $text): string
{
	return (string) preg_replace_callback(
		'~^\tclass_entry = zend_register_internal_class_with_flags\(&ce, (\w+), ([\w|]+)\);\n~m',
		fn (array $call) => "\tclass_entry = zend_register_internal_class_ex(&ce, $call[1]);\n"
			. ($call[2] === '0' ? '' : "\tclass_entry->ce_flags |= $call[2];\n"),
		$text,
	);
}

$text = (string) stream_get_contents(STDIN);
$text = with_flags_set(with_abstract_methods(without_empty_tables($text)));
$text = (string) preg_replace('~(\bZVAL_DOUBLE\(&\w+, -?\d+)\.0\);~', '$1);', $text);
$text = (string) preg_replace('~\n{3,}~', "\n\n", $text);

if (preg_match('~\bZEND_RAW_FENTRY\b|\bzend_register_internal_class_with_flags\b~', $text, $found)) {
	fwrite(STDERR, "scripts/canonical-arginfo.php: $found[0] is not in PHP 8.2, and this one is of an unknown form\n");
	exit(1);
}
echo $text;
