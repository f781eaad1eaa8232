// Stores: one suite for all of them, and what each does besides.
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { ElicitError, Engine, MemoryStore, RedisStore, SqliteStore } from 'mcp-elicit';
import { PATIENT, folder, kinds, skip } from './stores.mjs';

const bytes = words => Buffer.from(words);
const text = value => (value === undefined || value === null ? undefined : Buffer.from(value).toString());
/** A key that no other test has: they share a server. */
const fresh = () => `mcp-elicit:claim:${randomBytes(24).toString('base64url')}`;
const LONG = 60_000;

for (const [kind, make] of Object.entries(kinds)) {
  describe(kind, { skip: skip(kind) }, () => {
    const made = skip(kind) ? undefined : make();
    const with_ = work => async () => work(await made, fresh());

    test('what is put where there is nothing is there', with_(async (store, key) => {
      assert.equal(text(await store.get(key)), undefined);
      assert.equal(text(await store.putIfAbsent(key, bytes('a'), LONG)), undefined);
      assert.equal(text(await store.get(key)), 'a');
    }));

    test('what is there stays and is given, also where it is the same', with_(async (store, key) => {
      await store.putIfAbsent(key, bytes('a'), LONG);
      assert.equal(text(await store.putIfAbsent(key, bytes('b'), LONG)), 'a');
      assert.equal(text(await store.putIfAbsent(key, bytes('a'), LONG)), 'a');
      assert.equal(text(await store.get(key)), 'a');
    }));

    test('what is as expected is replaced, and nothing else', with_(async (store, key) => {
      assert.equal(await store.compareAndSet(key, bytes('a'), bytes('b'), LONG), false);
      assert.equal(text(await store.get(key)), undefined);
      await store.putIfAbsent(key, bytes('a'), LONG);
      for (const other of ['', 'A', 'a ', 'aa']) assert.equal(await store.compareAndSet(key, bytes(other), bytes('b'), LONG), false);
      assert.equal(await store.compareAndSet(key, bytes('a'), bytes('b'), LONG), true);
      assert.equal(await store.compareAndSet(key, bytes('a'), bytes('b'), LONG), false);
      assert.equal(text(await store.get(key)), 'b');
    }));

    test('what is as expected is deleted, and nothing else', with_(async (store, key) => {
      assert.equal(await store.compareAndDelete(key, bytes('a')), false);
      await store.putIfAbsent(key, bytes('a'), LONG);
      assert.equal(await store.compareAndDelete(key, bytes('b')), false);
      assert.equal(await store.compareAndDelete(key, bytes('a')), true);
      assert.equal(await store.compareAndDelete(key, bytes('a')), false);
      assert.equal(text(await store.putIfAbsent(key, bytes('c'), LONG)), undefined);
    }));

    test('what has expired is not there, for any operation', with_(async (store, key) => {
      const other = fresh();
      await store.putIfAbsent(key, bytes('a'), 1);
      await store.putIfAbsent(other, bytes('a'), LONG);
      assert.equal(await store.compareAndSet(other, bytes('a'), bytes('b'), 1), true); // a life from now on
      while (await store.get(key) || await store.get(other)) await sleep(2);
      assert.equal(await store.compareAndSet(key, bytes('a'), bytes('b'), LONG), false);
      assert.equal(await store.compareAndDelete(key, bytes('a')), false);
      assert.equal(text(await store.putIfAbsent(key, bytes('c'), LONG)), undefined);
      assert.equal(text(await store.get(key)), 'c');
    }));

    test('bytes come back as they went, whatever they are, and are not shared', with_(async (store, key) => {
      const value = Uint8Array.from({ length: 70_000 }, (_, index) => (index * 7919) & 255);
      const kept = Uint8Array.from(value);
      await store.putIfAbsent(key, value.subarray(1, 69_999), LONG);
      const found = await store.get(key);
      assert.ok(found instanceof Uint8Array);
      assert.equal(Buffer.compare(found, kept.subarray(1, 69_999)), 0);
      assert.equal(Buffer.compare(await store.putIfAbsent(key, bytes('x'), LONG), found), 0);
      assert.equal(await store.compareAndSet(key, found, new Uint8Array(0), LONG), true);
      assert.equal((await store.get(key)).length, 0);
    }));

    test('of many who put at once one does', with_(async (store, key) => {
      const names = Array.from({ length: 64 }, (_, index) => `n${index}`);
      const found = await Promise.all(names.map(name => store.putIfAbsent(key, bytes(name), LONG)));
      const winners = names.filter((_, index) => found[index] === undefined || found[index] === null);
      assert.equal(winners.length, 1);
      assert.equal(text(await store.get(key)), winners[0]);
      const set = await Promise.all(names.map(name => store.compareAndSet(key, bytes(winners[0]), bytes(`${name}!`), LONG)));
      assert.equal(set.filter(Boolean).length, 1);
    }));

    test('arguments of another type are refused', { skip: kind.startsWith('own') }, with_(async (store, key) => {
      const wrong = [
        ['get', []], ['get', ['']], ['get', [7]], ['get', ['\ud800']], ['get', ['a key']], ['get', ['k'.repeat(129)]],
        ['putIfAbsent', [key]], ['putIfAbsent', [key, 'text', LONG]], ['putIfAbsent', [key, [1], LONG]],
        ['putIfAbsent', [key, bytes('a'), -1]], ['putIfAbsent', [key, bytes('a'), NaN]], ['putIfAbsent', [key, bytes('a'), 1.5]],
        ['putIfAbsent', [key, bytes('a'), '1']], ['putIfAbsent', [key, bytes('a')]], ['putIfAbsent', [key, new DataView(new ArrayBuffer(1)), 1]],
        ['compareAndSet', [key, bytes('a'), bytes('b'), Infinity]], ['compareAndSet', [key, null, bytes('b'), LONG]],
        ['compareAndDelete', [key, undefined]],
      ];
      for (const [method, given] of wrong) {
        await assert.rejects(async () => store[method](...given), { name: 'ElicitError', kind: 'invalid_argument' }, `${method} ${given}`);
      }
    }));
  });
}

test('a store in memory is full at its capacity, and what has expired makes room', async () => {
  const store = new MemoryStore({ capacity: 16 * 1000 });
  const full = { kind: 'store', message: 'the store is full' };
  assert.throws(() => store.putIfAbsent('key', new Uint8Array(1001), LONG), full);
  store.putIfAbsent('key', new Uint8Array(900), 5);
  assert.throws(() => store.compareAndSet('key', new Uint8Array(900), new Uint8Array(1000), LONG), full);
  while (store.get('key')) await sleep(2);
  assert.equal(store.putIfAbsent('key', new Uint8Array(900), LONG), undefined);
  for (const capacity of [0, -1, NaN, Infinity, 1.5, '1', null, {}]) {
    assert.throws(() => new MemoryStore({ capacity }), { kind: 'invalid_argument' }, String(capacity));
  }
  assert.throws(() => new MemoryStore({ size: 1 }), { kind: 'invalid_argument' });
});

test('what a store cannot be made of is refused', () => {
  for (const given of [undefined, null, 7, '', 'a\0b', '\ud800', {}, new URL('https://example.com/')]) {
    assert.throws(() => new SqliteStore(given), { kind: 'invalid_argument' }, String(given));
  }
  for (const timeLimitMs of [0, -1, 1.5, NaN, Infinity, 3_600_001, '5', null, {}]) {
    assert.throws(() => new SqliteStore('x.db', { timeLimitMs }), { kind: 'invalid_argument' });
  }
  for (const options of [null, 7, 'x']) assert.throws(() => new SqliteStore('x.db', options), { kind: 'invalid_argument' });
  assert.throws(() => new SqliteStore('x.db', { timeout: 1 }), { kind: 'invalid_argument' });
  for (const client of [undefined, null, 'redis://127.0.0.1', {}, { eval() {} }, { sendCommand() {} }]) {
    assert.throws(() => new RedisStore(client), { kind: 'config' });
  }
  const whole = { get() {}, putIfAbsent() {}, compareAndSet() {}, compareAndDelete() {} };
  for (const store of [null, 7, 'memory', {}, MemoryStore, { ...whole, get: undefined }, { ...whole, timeLimitMs: 0 }, { ...whole, timeLimitMs: '1' }]) {
    assert.throws(() => new Engine({ ephemeral: true, audience: 'x', store }), { name: 'ElicitError', kind: 'config' });
  }
});

/** Runs code in a process of its own; gives what it printed. */
const run = (code, ...args) => execFileSync(process.execPath, ['--input-type=module', '-e', code, ...args], {
  cwd: path.dirname(new URL(import.meta.url).pathname), encoding: 'utf8',
});

test('a SQLite store opens when the file can be opened', async () => {
  const place = path.join(folder, 'later');
  const store = new SqliteStore(pathToFileURL(path.join(place, 'claims.db')), PATIENT);
  const gone = { name: 'ElicitError', kind: 'store', code: -32603 };
  await assert.rejects(store.get('key'), error => {
    assert.ok(error instanceof ElicitError && !error.message.includes(place), error.message);
    return error.kind === gone.kind && error.code === gone.code;
  });
  mkdirSync(place);
  assert.equal(await store.get('key'), undefined);
  await store.putIfAbsent('key', bytes('a'), LONG);
  await Promise.all([store.close(), store.close()]);
  await assert.rejects(store.get('key'), { kind: 'store' });
  const again = new SqliteStore(path.join(place, 'claims.db'), PATIENT);
  assert.equal(text(await again.get('key')), 'a');
  // What was asked before it is closed is done.
  const asked = again.putIfAbsent('other', bytes('b'), LONG);
  await again.close();
  assert.equal(await asked, undefined);
});

test('an idle SQLite store does not keep the process alive; one that is at work does', () => {
  const file = path.join(folder, 'idle.db');
  const code = `import { SqliteStore } from 'mcp-elicit';
    const store = new SqliteStore(process.argv[1], { timeLimitMs: 60000 });
    store.putIfAbsent('key', Buffer.from('a'), 60000).then(() => { console.log('put'); new SqliteStore(process.argv[1]); });`;
  assert.equal(run(code, file), 'put\n');
});

test('what one process put, another finds, also after kill -9', { timeout: 60_000 }, async () => {
  const file = path.join(folder, 'shared.db');
  const code = `import { SqliteStore } from 'mcp-elicit';
    const store = new SqliteStore(process.argv[1], { timeLimitMs: 60000 });
    for (let index = 0; ; index++) {
      const found = await store.putIfAbsent('key-' + index, Buffer.from(String(process.pid)), 600000);
      if (found === undefined) console.log(index);
    }`;
  const start = () => spawn(process.execPath, ['--input-type=module', '-e', code, file], {
    cwd: path.dirname(new URL(import.meta.url).pathname), stdio: ['ignore', 'pipe', 'inherit'],
  });
  const children = [start(), start()];
  const won = await Promise.all(children.map(async child => {
    let said = '';
    for await (const chunk of child.stdout) {
      said += chunk;
      if (said.split('\n').length > 40) break; // in the midst of it
    }
    child.kill('SIGKILL');
    if (child.signalCode === null && child.exitCode === null) await once(child, 'exit');
    return said.split('\n').slice(0, -1).map(Number);
  }));
  const all = won.flat();
  assert.equal(new Set(all).size, all.length, 'each key was put once');
  const store = new SqliteStore(file, PATIENT);
  for (const [index, child] of children.entries()) {
    for (const number of won[index]) assert.equal(text(await store.get(`key-${number}`)), String(child.pid));
  }
  await store.close();
});
