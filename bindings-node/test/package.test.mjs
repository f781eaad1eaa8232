// The package as it is shipped: its loader, its files, its types beside its code.
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import * as elicit from 'mcp-elicit';

const home = path.join(path.dirname(fileURLToPath(import.meta.url)), '..');
const folder = mkdtempSync(path.join(tmpdir(), 'mcp-elicit-package-'));
after(() => rmSync(folder, { recursive: true, force: true }));
const [addon] = readdirSync(path.join(home, 'native'));
const read = name => readFileSync(path.join(home, name), 'utf8');

/** Loads a copy of the package that `change` was made to; gives what it said. */
function load(name, change, env = {}) {
  const copy = path.join(folder, name);
  mkdirSync(copy);
  for (const part of ['package.json', 'index.js', 'lib', 'native']) cpSync(path.join(home, part), path.join(copy, part), { recursive: true });
  change(copy);
  const code = "try { require('./index.js'); console.log('loaded'); } catch (error) { console.log(error.message); console.log(error.cause?.code); }";
  return spawnSync(process.execPath, ['-e', code], { cwd: copy, encoding: 'utf8', env: { ...process.env, ...env } }).stdout;
}

test('the loader says platform, architecture and cause', () => {
  const where = `${process.platform}-${process.arch}`;
  const missing = load('missing', copy => rmSync(path.join(copy, 'native'), { recursive: true }));
  assert.match(missing, /has no addon for it/);
  assert.ok(missing.includes(where) && missing.includes(process.version) && missing.includes('MODULE_NOT_FOUND'), missing);
  const broken = load('broken', copy => writeFileSync(path.join(copy, 'native', addon), 'not an addon'));
  assert.ok(broken.includes(where) && /ERR_DLOPEN_FAILED/.test(broken), broken);
  const older = load('older', copy => {
    const file = path.join(copy, 'package.json');
    writeFileSync(file, JSON.stringify({ ...JSON.parse(readFileSync(file, 'utf8')), version: '99.0.0' }));
  });
  assert.match(older, /of version .*99\.0\.0/);
  assert.equal(load('whole', () => {}), 'loaded\n');
});

test('the loader loads nothing that the environment names', () => {
  const file = path.join(home, 'native', addon);
  const said = load('named', copy => rmSync(path.join(copy, 'native'), { recursive: true }), {
    NAPI_RS_NATIVE_LIBRARY_PATH: file, MCP_ELICIT_NATIVE: file, NODE_PATH: path.dirname(file),
  });
  assert.match(said, /has no addon for it/);
});

test('what is exported is declared, and every kind of error is', () => {
  const types = read('index.d.ts');
  const all = types + read('lib/form.d.ts');
  for (const name of Object.keys(elicit)) assert.match(all, new RegExp(`^export (class|const|function) ${name}\\b`, 'm'), name);
  const declared = /export type ErrorKind =([^;]+);/.exec(types)[1].match(/'\w+'/g).map(name => name.slice(1, -1));
  const table = readFileSync(path.join(home, '..', 'core', 'src', 'error.rs'), 'utf8');
  const known = [...table.matchAll(/^ +\w+ = \d+, "(\w+)", -?\d+, \d+, (?:true|false);$/gm)].map(match => match[1]);
  assert.ok(known.length > 20);
  assert.deepEqual(declared.toSorted(), known.toSorted());
});

test('what is packed is what is needed', () => {
  const [{ files }] = JSON.parse(execFileSync('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], { cwd: home, encoding: 'utf8' }));
  const names = files.map(file => file.path);
  for (const name of ['index.js', 'index.mjs', 'index.d.ts', 'index.d.mts', 'testing.js', 'testing.mjs', 'testing.d.ts', 'testing.d.mts', 'adapters/mcp.js', 'adapters/mcp.mjs', 'adapters/mcp.d.ts', 'adapters/mcp.d.mts', 'lib/adapters/mcp.js', 'lib/testing/host.js', 'lib/loader.js', 'lib/form.d.ts', `native/${addon}`, 'scripts/build.mjs', 'lib/store-sqlite-worker.js', 'lib/names.js', 'README.md', 'examples/billing-server.mjs', 'examples/pay-server.mjs']) {
    assert.ok(names.includes(name), name);
  }
  assert.deepEqual(names.filter(name => /^(src|test|node_modules)\//.test(name)), []);
});

test('versions are pinned, and the lock names no registry', () => {
  const { devDependencies, dependencies } = JSON.parse(read('package.json'));
  assert.equal(dependencies, undefined);
  for (const [name, version] of Object.entries(devDependencies)) assert.match(version, /^\d+\.\d+\.\d+$/, name);
  assert.ok(!read('package-lock.json').includes('"resolved"'));
});
