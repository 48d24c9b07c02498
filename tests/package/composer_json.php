<?php
/*
 * Checks the composer.json of the extension, and those of the PHP packages, against Composer's schema; and the php-ext
 * part of the extension's against config.m4.
 *
 *   php composer_json.php VENDOR ROOT
 */
declare(strict_types=1);

use JsonSchema\Validator;

[, $vendor, $root] = $argv;
require "$vendor/autoload.php";

$schema = json_decode((string) file_get_contents("$vendor/composer/composer/res/composer-schema.json"), flags: JSON_THROW_ON_ERROR);
/** @return list<string> what is wrong */
function problems(object $package, object $schema): array
{
	$validator = new Validator();
	$validator->validate($package, $schema);
	return array_map(fn (array $error) => "$error[property]: $error[message]", $validator->getErrors());
}

$passed = $failed = 0;
function expect(bool $right, string $what, string ...$details): void
{
	global $passed, $failed;
	$right ? $passed++ : $failed++;
	if (!$right) {
		echo "FAIL $what\n", implode('', array_map(fn (string $line) => "    $line\n", $details));
	}
}

function package(string $file): object
{
	return json_decode((string) file_get_contents($file), flags: JSON_THROW_ON_ERROR);
}

$files = ["$root/composer.json", "$root/stubs/composer.json", ...glob("$root/integrations/*/composer.json") ?: []];
foreach ($files as $file) {
	$problems = problems(package($file), $schema);
	expect($problems === [], substr($file, strlen($root) + 1) . ' is not what Composer expects', ...$problems);
}

// A validator that accepts everything would have passed all of these.
foreach ([
	'an operating system that there is not' => ['os-families' => ['amiga']],
	'a priority that is too large' => ['priority' => 100],
	'an option without a name' => ['configure-options' => [['description' => 'x']]],
	'both lists of systems' => ['os-families' => ['linux'], 'os-families-exclude' => ['windows']],
] as $what => $change) {
	$package = package("$root/composer.json");
	foreach ($change as $key => $value) {
		$package->{'php-ext'}->$key = json_decode(json_encode($value));
	}
	expect(problems($package, $schema) !== [], "the schema accepts $what");
}

$extension = package("$root/composer.json");
$known = array_keys((array) $schema->properties->{'php-ext'}->properties);
foreach (array_keys((array) $extension->{'php-ext'}) as $key) {
	expect(in_array($key, $known, true), "php-ext has $key, which PIE does not know");
}
expect($extension->type === 'php-ext', 'the type is not php-ext');

$m4 = (string) file_get_contents("$root/config.m4");
foreach ($extension->{'php-ext'}->{'configure-options'} as $option) {
	preg_match('~^(enable|disable|with|without)-(.*)$~', $option->name, $part);
	$macro = in_array($part[1] ?? '', ['with', 'without'], true) ? 'PHP_ARG_WITH' : 'PHP_ARG_ENABLE';
	expect(isset($part[2]) && str_contains($m4, "{$macro}([$part[2]],"), "config.m4 does not know the option $option->name");
}
expect(str_contains($m4, "PHP_NEW_EXTENSION([{$extension->{'php-ext'}->{'extension-name'}}],"), 'config.m4 builds another extension');

$xml = simplexml_load_file("$root/package.xml");
preg_match('~^>=\s*([\d.]+)$~', $extension->require->php, $php);
expect(
	version_compare($php[1] . '.0', (string) $xml->dependencies->required->php->min, 'eq'),
	"composer.json needs PHP {$extension->require->php}, package.xml {$xml->dependencies->required->php->min}",
);

echo "$passed passed, $failed failed\n";
exit($failed === 0 && $passed > 0 ? 0 : 1);
