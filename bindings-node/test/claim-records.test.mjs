// Records of claims: those of tests/vectors/records.json, which every language runs, and those that a
// process left which was killed.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { Engine, MemoryStore, Principal, RedisStore, SqliteStore } from 'mcp-elicit';
import { Bench, KEY, USER, request, text, vectors } from './support.mjs';
import { NO_REDIS, PATIENT, RedisServer, atEnd, clients, folder } from './stores.mjs';

const records = vectors('records.json');
const HOUR = 3_600_000;
const bytes = hex => Buffer.from(hex, 'hex');

/** The call that the vectors are about, with its keys, time and bytes. */
function opened(store, { keys } = {}) {
  const { audience, now_ms: now, claim_wait_ms: claimWaitMs, principal, keys: usual } = records.engine;
  const { engine } = new Bench({
    now, audience, store, limits: { claimWaitMs }, keys: (keys ?? usual).map(name => bytes(records.keys[name])),
  });
  return engine.open(JSON.stringify(records.request), { principal: new Principal(...principal) });
}

describe('records that are found', () => {
  for (const { name, value, outcome, result, keys } of records.found) {
    test(name, async () => {
      const store = new MemoryStore();
      assert.equal(store.putIfAbsent(records.store_key, bytes(value), HOUR), undefined);
      const call = opened(store, { keys });
      assert.equal(call.idempotencyKey, records.idempotency_key);
      const claimed = await call.claim().catch(error => ({ status: error.kind }));
      assert.equal(claimed.status, outcome);
      assert.equal(claimed.resultText, result);
      if (result !== undefined) assert.deepEqual(claimed.result, JSON.parse(result));
      assert.deepEqual(Buffer.from(store.get(records.store_key)), bytes(value)); // it stays as it is
    });
  }
});

describe('records that are put', () => {
  for (const { name, remember, claimed, after, keys } of records.taken) {
    test(name, async () => {
      const store = new MemoryStore();
      const lives = [];
      const call = opened({
        get: key => store.get(key),
        putIfAbsent: (key, value, ttlMs) => (lives.push(ttlMs), store.putIfAbsent(key, value, ttlMs)),
        compareAndSet: (key, expected, value, ttlMs) => (lives.push(ttlMs), store.compareAndSet(key, expected, value, ttlMs)),
        compareAndDelete: (key, expected) => store.compareAndDelete(key, expected),
      }, { keys });
      assert.equal((await call.claim()).status, 'won');
      assert.equal(Buffer.from(store.get(records.store_key)).toString('hex'), claimed);
      await call.completeAsync(records.result, { remember });
      assert.equal(Buffer.from(store.get(records.store_key)).toString('hex'), after);
      assert.deepEqual(lives, [records.ttl_ms, records.ttl_ms]);
    });
  }
});

/** Runs in a process of its own: claims, finishes where it should, and waits for its end. */
const CHILD = `
  import { createClient } from 'redis';
  import { Engine, Principal, RedisStore, SqliteStore } from 'mcp-elicit';
  const [place, message, key, finishes] = process.argv.slice(1);
  let store;
  if (place.startsWith('redis:')) {
    const client = createClient({ url: place });
    client.on('error', () => {});
    store = new RedisStore(await client.connect(), { timeLimitMs: 60000 });
  } else {
    store = new SqliteStore(place, { timeLimitMs: 60000 });
  }
  const engine = new Engine({ keys: [key], audience: 'deployer', store });
  const call = engine.open(message, { principal: new Principal('https://login.example', 'alice', 'client-1') });
  const { status } = await call.claim();
  if (finishes) await call.completeAsync({ content: [{ type: 'text', text: 'paid' }] }, { remember: true });
  console.log(status);
  setInterval(() => {}, 1000);`;

const places = {
  SQLite: { skip: false, place: async () => path.join(folder, 'killed.db'), open: async file => new SqliteStore(file, PATIENT) },
  Redis: {
    skip: NO_REDIS,
    place: async () => `redis://127.0.0.1:${(await RedisServer.start()).port}`,
    open: async url => new RedisStore(await clients.ioredis(Number(new URL(url).port)), PATIENT),
  },
};

for (const [name, { skip, place, open }] of Object.entries(places)) {
  test(`a process that is killed with kill -9 leaves what it claimed and finished: ${name}`, { skip, timeout: 120_000 }, async () => {
    const where = await place();
    const store = await open(where);
    const engine = new Engine({ keys: [KEY], audience: 'deployer', store });
    if (store instanceof SqliteStore) atEnd(() => store.close());
    for (const finishes of [false, true]) {
      const first = await engine.run(request(), call => call.retryLater(), { principal: USER });
      const round = request({ requestState: JSON.parse(first.body).result.requestState }, { id: 2 });
      const child = spawn(process.execPath, ['--input-type=module', '-e', CHILD, where, JSON.stringify(round), KEY, ...finishes ? ['yes'] : []], {
        cwd: path.dirname(fileURLToPath(import.meta.url)), stdio: ['ignore', 'pipe', 'inherit'],
      });
      atEnd(() => child.kill('SIGKILL'));
      const [said] = await once(child.stdout, 'data');
      assert.equal(said.toString(), 'won\n');
      child.kill('SIGKILL');
      await once(child, 'exit');
      const claim = options => engine.open(round, { principal: USER }).claim(options);
      if (finishes) {
        assert.deepEqual((await claim()).result, text('paid'));
      } else {
        // Nobody else wins: it is in progress, and then unknown, unless a lease frees it.
        assert.deepEqual(await claim(), { status: 'in_progress' });
        assert.deepEqual(await claim({ waitMs: 0 }), { status: 'unknown' });
        assert.deepEqual(await claim({ leaseMs: 1 }), { status: 'won' });
      }
    }
  });
}
