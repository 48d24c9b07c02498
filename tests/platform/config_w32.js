/*
 * Runs config.w32 as PHP's configure.js on Windows would, with stubs for the build functions, on machines that have this
 * and lack that; and compares what it did with what it must do. Never on Windows itself.
 *
 *   node config_w32.js ROOT
 *
 * The last line is "N passed, N failed".
 */
'use strict';

const fs = require('fs');
const path = require('path');
const vm = require('vm');

const root = process.argv[2];
const script = fs.readFileSync(path.join(root, 'config.w32'), 'utf8');

class Stop extends Error {}

/*
 * What a machine has: names of libraries and headers. options: what was given to configure, by the name of its variable
 * (PHP_REDISLOCK_TLS). Returns everything that the script did, in order.
 */
function configure(has, options) {
	const did = { flags: {}, libs: [], extension: null, dependencies: [], warnings: [], error: null, checked: [] };
	const text = (value, what) => {
		if (typeof value !== 'string' || value === '') {
			throw new TypeError(`${what} must be a text, not ${value}`);
		}
		return value;
	};
	const addFlag = (name, flags) => {
		did.flags[text(name, 'the name of a flag')] = ((did.flags[name] ?? '') + ' ' + text(flags, 'a flag').trim()).trim();
	};
	const argument = (kind) => (name, help, value) => {
		text(name, 'an option');
		text(help, 'the help of an option');
		const variable = 'PHP_' + name.toUpperCase().replace(/-/g, '_');
		world[variable] = options[variable] ?? text(value, 'the default of an option');
		// phpize builds shared extensions only.
		world[variable + '_SHARED'] = true;
		did[kind + ' ' + name] = true;
	};
	const world = {
		PHP_PHP_BUILD: 'C:\\deps',
		ARG_ENABLE: argument('enable'),
		ARG_WITH: argument('with'),
		CHECK_HEADER_ADD_INCLUDE(header, flag, folders) {
			did.checked.push(text(header, 'a header'));
			if (!/^CFLAGS_REDISLOCK$/.test(flag)) {
				throw new TypeError(`${flag} is not the flag of this extension`);
			}
			if (folders !== undefined) {
				text(folders, 'folders');
			}
			const found = has.includes(header);
			if (found) {
				addFlag(flag, '/I "C:\\deps\\include"');
			}
			addFlag(flag, `/DHAVE_${header.toUpperCase().replace(/[\\/.-]/g, '_')}=${found ? 1 : 0}`);
			return found ? 'C:\\deps\\include' : false;
		},
		CHECK_LIB(names, target, folders) {
			text(names, 'libraries');
			if (target !== 'redislock') {
				throw new TypeError(`the libraries would go to ${target}`);
			}
			if (folders !== undefined) {
				text(folders, 'folders');
			}
			did.checked.push(names);
			const found = names.split(';').find((name) => has.includes(name));
			if (found === undefined) {
				return false;
			}
			did.libs.push(found);
			return 'C:\\deps\\lib\\' + found;
		},
		SETUP_OPENSSL(target, folders) {
			const found = ['libcrypto.lib', 'libssl.lib', 'crypt32.lib'].every((name) => world.CHECK_LIB(name, target, folders));
			return found && world.CHECK_HEADER_ADD_INCLUDE('openssl/ssl.h', 'CFLAGS_' + target.toUpperCase(), folders) ? 2 : 0;
		},
		ADD_FLAG: addFlag,
		EXTENSION(name, sources, shared, flags) {
			if (did.extension !== null) {
				throw new Error('EXTENSION is called twice');
			}
			did.extension = { name: text(name, 'the extension'), sources: text(sources, 'the sources').split(/\s+/), shared };
			addFlag('CFLAGS_' + name.toUpperCase(), flags ?? '');
		},
		ADD_EXTENSION_DEP(name, needs) {
			did.dependencies.push(`${name} needs ${needs}`);
		},
		WARNING(message) {
			did.warnings.push(text(message, 'a warning'));
		},
		ERROR(message) {
			did.error = text(message, 'an error');
			throw new Stop();
		},
	};
	try {
		vm.runInNewContext(script, world, { filename: 'config.w32' });
	} catch (problem) {
		if (!(problem instanceof Stop)) {
			throw problem;
		}
	}
	return did;
}

let passed = 0;
let failed = 0;

function expect(condition, what, details) {
	condition ? passed++ : failed++;
	if (!condition) {
		console.log(`FAIL ${what}`, details ?? '');
	}
}

function sourcesOf(folder) {
	return fs.readdirSync(path.join(root, folder), { withFileTypes: true }).flatMap((entry) => {
		const name = `${folder}/${entry.name}`;
		return entry.isDirectory() ? sourcesOf(name) : name.endsWith('.c') ? [name] : [];
	});
}

const system = ['ws2_32.lib', 'crypt32.lib'];
const hiredis = ['hiredis/hiredis.h', 'hiredis.lib'];
const openssl = ['openssl/ssl.h', 'libssl.lib', 'libcrypto.lib'];
const tls = openssl;
const on = { PHP_REDISLOCK: 'yes' };
const TLS_FLAG = /\/D REDISLOCK_TLS=1\b/;

{
	const did = configure([...system, ...hiredis, ...tls], on);
	const flags = did.flags.CFLAGS_REDISLOCK;
	expect(did.error === null && did.warnings.length === 0, 'everything is there: no complaint', did);
	expect(did.extension?.name === 'redislock' && did.extension.shared === true, 'everything is there: the extension is built', did);
	const wanted = sourcesOf('src').map((name) => name.replace(/\//g, '\\')).sort();
	expect(JSON.stringify([...did.extension.sources].sort()) === JSON.stringify(wanted), 'every source is built, once', did.extension.sources);
	expect(did.extension.sources.every((name) => !name.includes('/')), 'the sources are written as Windows writes them');
	expect(TLS_FLAG.test(flags), 'everything is there: with TLS', flags);
	expect(/\/std:c11 \/experimental:c11atomics\b/.test(flags) && /\/D ZEND_ENABLE_STATIC_TSRMLS_CACHE=1\b/.test(flags), 'the flags of the sources', flags);
	for (const lib of ['hiredis.lib', 'ws2_32.lib', 'libssl.lib', 'libcrypto.lib', 'crypt32.lib']) {
		expect(did.libs.includes(lib), `everything is there: linked with ${lib}`, did.libs);
	}
	expect(did.dependencies.includes('redislock needs random'), 'it is loaded after random', did.dependencies);
	expect(did['enable redislock'] && did['with redislock-tls'], 'the options are declared', Object.keys(did));
}
{
	const did = configure([...system, 'hiredis/hiredis.h', 'hiredis_static.lib', ...openssl], on);
	expect(did.libs.includes('hiredis_static.lib') && did.extension !== null, 'a static hiredis will do', did);
}
for (const [lacks, has] of [
	['the header of hiredis', [...system, 'hiredis.lib', ...tls]],
	['the library of hiredis', [...system, 'hiredis/hiredis.h', ...tls]],
	['Winsock', ['crypt32.lib', ...hiredis, ...tls]],
	['everything', []],
]) {
	const did = configure(has, on);
	expect(did.extension === null, `lacks ${lacks}: not built`, did);
	expect(did.warnings.some((text) => text.includes('hiredis')), `lacks ${lacks}: says so`, did.warnings);
	expect(did.error === null, `lacks ${lacks}: the rest of PHP is built`, did.error);
}
for (const missing of openssl) {
	const has = [...system, ...hiredis, ...tls].filter((name) => name !== missing);
	const did = configure(has, on);
	expect(did.extension !== null && !TLS_FLAG.test(did.flags.CFLAGS_REDISLOCK), `lacks ${missing}: built without TLS`, did);
	expect(did.warnings.some((text) => text.includes('rediss://')), `lacks ${missing}: says so`, did.warnings);
	const asked = configure(has, { ...on, PHP_REDISLOCK_TLS: 'yes' });
	expect(asked.error !== null && asked.extension === null, `lacks ${missing}, and TLS was asked for: an error`, asked);
}
{
	const did = configure([...system, ...hiredis, ...tls], { ...on, PHP_REDISLOCK_TLS: 'no' });
	expect(did.extension !== null && !TLS_FLAG.test(did.flags.CFLAGS_REDISLOCK), 'TLS was refused: built without', did);
	expect(did.warnings.length === 0 && !did.checked.some((name) => /ssl/.test(name)), 'TLS was refused: nothing is looked for', did);
}
{
	const did = configure([...system, ...hiredis, ...tls], {});
	expect(did.extension === null && did.checked.length === 0, 'not asked for: nothing is done', did);
	expect(did.warnings.length === 0 && did.error === null, 'not asked for: nothing is said', did);
}
{
	// JScript knows neither these words nor a comma before a closing bracket.
	const code = script.replace(/\/\/.*$/gm, '').replace(/"(?:[^"\\]|\\.)*"/g, '""');
	const newer = code.match(/\b(let|const|class|async|await)\b|=>|`|\?\?|\?\.|,\s*[\])}]|\.\.\./);
	expect(newer === null, 'no newer JavaScript than JScript', newer?.[0]);
}

console.log(`${passed} passed, ${failed} failed`);
process.exit(failed === 0 && passed > 0 ? 0 : 1);
