/*
 * Lints the workflows: actionlint on each; shellcheck on what its steps run in a shell; and the files of the repository
 * that they name must be there.
 *
 *   node workflows.js ROOT NODE_MODULES
 *
 * The last line is "N passed, N failed".
 */
'use strict';

const { spawnSync } = require('child_process');
const fs = require('fs');
const path = require('path');

const [, , root, modules] = process.argv;
const { createLinter } = require(path.join(modules, 'actionlint'));
const YAML = require(path.join(modules, 'yaml'));

let passed = 0;
let failed = 0;

function expect(condition, what) {
	condition ? passed++ : failed++;
	if (!condition) {
		console.log(`FAIL ${what}`);
	}
}

/* An expression of GitHub's is replaced before the shell sees it; to shellcheck it is a word. */
function problemsOfShell(script, kind) {
	const text = script.replace(/\$\{\{.*?\}\}/g, 'expression');
	const ran = spawnSync('shellcheck', ['-s', kind, '-f', 'gcc', '-e', 'SC2155', '-'], { input: text, encoding: 'utf8' });
	return ran.error ? String(ran.error) : ran.stdout.trim();
}

createLinter().then((lint) => {
	const folder = path.join(root, '.github/workflows');
	const files = fs.readdirSync(folder).filter((name) => name.endsWith('.yml'));
	expect(files.length > 0, 'there are workflows');

	// A linter that finds nothing in this would find nothing in ours.
	const wrong = lint('on: push\njobs:\n  a:\n    runs-on: ubuntu-latest\n    steps:\n      - run: echo ${{ matrix.x }}\n', 'wrong.yml');
	expect(wrong.length > 0, 'actionlint finds a mistake');
	expect(problemsOfShell('cd $1\n', 'bash') !== '', 'shellcheck finds a mistake');

	for (const name of files) {
		const text = fs.readFileSync(path.join(folder, name), 'utf8');
		const found = lint(text, `.github/workflows/${name}`);
		expect(found.length === 0, `${name}: ${found.map((one) => `line ${one.line}: ${one.message}`).join('; ')}`);

		for (const [job, description] of Object.entries(YAML.parse(text).jobs)) {
			if (description.uses !== undefined) {
				expect(fs.existsSync(path.join(root, description.uses)), `${name}: ${job} uses ${description.uses}, which is not there`);
				continue;
			}
			const windows = String(description['runs-on']).startsWith('windows');
			expect(description['timeout-minutes'] > 0 || job === 'release', `${name}: ${job} has no time limit`);
			for (const step of description.steps) {
				if (step.run === undefined) {
					continue;
				}
				const label = `${name}: ${job}: ${step.name}`;
				if (!windows) {
					// In a container without another word it is sh.
					const said = problemsOfShell(step.run, description.container === undefined ? 'bash' : 'sh');
					expect(said === '', `${label}: ${said}`);
				}
				for (const [file] of step.run.matchAll(/(?<![\w/.-])(?:scripts|tests|docs|\.ci)\/[\w/.-]+/g)) {
					expect(fs.existsSync(path.join(root, file)), `${label}: there is no ${file}`);
				}
			}
		}
	}
	console.log(`${passed} passed, ${failed} failed`);
	process.exit(failed === 0 && passed > 0 ? 0 : 1);
});
