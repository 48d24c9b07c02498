<?php
/*
 * Turns src/lua/*.lua into a C header: text, length and SHA-1 of every script.
 *
 * "--include FILE" on a line of its own is replaced by that file. Comments, blank lines and indentation are left out
 * of the text, because a script that the server does not know yet is sent whole.
 *
 * Usage: php scripts/generate-scripts.php > src/core/rl_scripts_data.h
 */
declare(strict_types=1);

const LUA = __DIR__ . '/../src/lua/';

function script_lines(string $file): array
{
	$lines = [];
	foreach (file(LUA . $file, FILE_IGNORE_NEW_LINES) ?: throw new RuntimeException("cannot read $file") as $line) {
		$line = trim($line);
		if (preg_match('/^--include (\S+)$/', $line, $match)) {
			array_push($lines, ...script_lines($match[1]));
		} elseif ($line !== '' && !str_starts_with($line, '--')) {
			$lines[] = $line;
		}
	}
	return $lines;
}

$files = glob(LUA . '*.lua');
sort($files);
$names = $texts = '';
foreach ($files as $file) {
	$name = basename($file, '.lua');
	$lines = script_lines("$name.lua");
	$text = implode("\n", $lines);
	$names .= sprintf("\tRL_SCRIPT_%s,\n", strtoupper($name));
	$c = '';
	foreach ($lines as $i => $line) {
		$c .= "\n\t\t\"" . addcslashes($line, '"\\') . ($i < count($lines) - 1 ? '\n' : '') . '"';
	}
	$texts .= sprintf(
		"\t[RL_SCRIPT_%s] = {\n\t\t\"%s\",\n\t\t\"%s\",\n\t\t%d,%s\n\t},\n",
		strtoupper($name), $name, sha1($text), strlen($text), $c
	);
}
echo <<<HEADER
/* Made by scripts/generate from src/lua: do not edit. */
#ifndef RL_SCRIPTS_DATA_H
#define RL_SCRIPTS_DATA_H

typedef enum rl_script_id {
{$names}	RL_SCRIPT_COUNT
} rl_script_id;

#endif

#ifdef RL_SCRIPTS_DATA_TEXTS
static const rl_script scripts[RL_SCRIPT_COUNT] = {
{$texts}};
#endif

HEADER;
