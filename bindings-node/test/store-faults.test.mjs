// Stores that fail: down, cut off, slow, locked, or of nonsense. Each is a typed error within the time
// limit that may be tried again; the effect is not run, nothing is claimed twice, nothing else waits.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { connect, createServer } from 'node:net';
import path from 'node:path';
import { describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import { MemoryStore, RedisStore, SqliteStore, Suspended } from 'mcp-elicit';
import { Bench, KEY, USER, request, text } from './support.mjs';
import { NO_REDIS, NO_SQLITE, PATIENT, RedisServer, atEnd, clients, folder, own } from './stores.mjs';

const context = { principal: USER };
const kind = name => ({ name: 'ElicitError', kind: name });
const bench = store => new Bench({ store, random: undefined, clock: undefined });

/** Asks until the store answers in time: this machine may be at work with something else. */
async function again(ask) {
  for (;;) {
    try {
      return await ask();
    } catch (error) {
      assert.equal(error.kind, 'store');
    }
  }
}

/** Calls of one flow. */
async function flow(it) {
  const reply = await it.engine.run(request(), call => call.retryLater(), context);
  const round = request({ requestState: JSON.parse(reply.body).result.requestState }, { id: 2 });
  return () => it.engine.open(round, context);
}

/** A relay before a server, which does to the connections what a test wants. */
class Relay {
  #sockets = new Set();
  #held = [];
  #holding = false;
  /** What to do at the next request: `before` it is sent on, or `after`, in place of the answer. */
  cut = undefined;
  /** How many requests came. */
  requests = 0;

  static async start(to) {
    const relay = new Relay();
    const server = createServer(inside => relay.#join(inside, connect(to, '127.0.0.1')));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    relay.port = server.address().port;
    atEnd(() => {
      server.close();
      relay.cutAll();
    });
    return relay;
  }

  #join(inside, outside) {
    for (const [one, other] of [[inside, outside], [outside, inside]]) {
      this.#sockets.add(one);
      one.on('error', () => {});
      one.on('close', () => {
        this.#sockets.delete(one);
        other.destroy();
      });
    }
    let swallow = false;
    inside.on('data', chunk => {
      this.requests++;
      const eval_ = chunk.includes('EVAL'); // not what a client says when it connects
      if (eval_ && this.cut === 'before') {
        this.cut = undefined;
        inside.destroy();
        return;
      }
      if (eval_ && this.cut === 'after') {
        this.cut = undefined;
        swallow = true;
      }
      outside.write(chunk);
    });
    outside.on('data', chunk => {
      if (swallow) inside.destroy();
      else if (this.#holding) this.#held.push(() => inside.write(chunk));
      else inside.write(chunk);
    });
  }

  /** Keeps answers back until `letGo`. */
  hold() {
    this.#holding = true;
  }

  letGo() {
    this.#holding = false;
    for (const send of this.#held.splice(0)) send();
  }

  cutAll() {
    for (const socket of this.#sockets) socket.destroy();
  }
}

for (const [name, client] of Object.entries(clients)) {
  describe(`Redis, ${name}`, { skip: NO_REDIS, timeout: 120_000 }, () => {
    /** A server, a relay before it, and a bench whose store goes through the relay. */
    const setUp = async (timeLimitMs = 10_000) => {
      const server = await RedisServer.start();
      const relay = await Relay.start(server.port);
      const it = bench(new RedisStore(await client(relay.port), { timeLimitMs }));
      return { server, relay, it, open: await flow(it) };
    };

    test('a server that was killed is an error, and is used again when it is back', async () => {
      const { server, it, open } = await setUp(300);
      await server.kill();
      const call = open();
      await assert.rejects(call.claim(), kind('store'));
      let effects = 0;
      const reply = await it.engine.run(request(), async other => {
        if ((await other.claim()).status === 'won') effects++;
        return text('paid');
      }, context);
      assert.equal(reply.errorKind, 'store');
      assert.equal(JSON.parse(reply.body).error.code, -32603);
      assert.ok(!reply.body.includes(String(server.port)) && !reply.body.includes('ECONN'), reply.body);
      assert.equal(effects, 0);
      assert.ok(it.logged.some(([event, reason]) => event === 'store_failed' && ['unavailable', 'timed_out'].includes(reason)));
      await server.start();
      assert.deepEqual(await again(() => call.claim()), { status: 'won' }); // it may take the client a while
      const other = open();
      assert.deepEqual(await again(() => other.claim()), { status: 'in_progress' });
    });

    for (const cut of ['before', 'after']) {
      test(`a connection that is cut ${cut} the operation is carried out costs nothing`, async () => {
        const { relay, it, open } = await setUp();
        const call = open();
        relay.cut = cut;
        assert.deepEqual(await call.claim({ remember: true }), { status: 'won' });
        assert.deepEqual(await open().claim(), { status: 'in_progress' });
        relay.cut = cut;
        assert.equal((await call.completeAsync(text('paid'))).kind, 'complete');
        assert.equal((await open().claim()).status, 'recorded');
        assert.equal(relay.cut, undefined);
        const [another] = [(await flow(it))()];
        await another.claim();
        relay.cut = cut;
        await another.releaseClaim();
        assert.equal((await another.claim()).status, 'won');
      });
    }

    test('a store that is slow is an error in time, and what got through belongs to the call that sent it', async () => {
      const { relay, it, open } = await setUp(200);
      const call = open();
      relay.hold();
      await assert.rejects(call.claim(), { ...kind('store'), message: 'the store did not answer in time' });
      assert.deepEqual(it.logged.at(-1), ['store_failed', 'timed_out']);
      relay.letGo();
      assert.deepEqual(await again(() => call.claim()), { status: 'won' });
      const other = open();
      assert.deepEqual(await again(() => other.claim()), { status: 'in_progress' });
      // The effect has happened: the result goes out although the record cannot be finished.
      relay.hold();
      assert.equal((await call.completeAsync(text('paid'))).kind, 'complete');
      relay.letGo();
      assert.ok(it.logged.some(([event]) => event === 'claim_not_finished'), String(it.logged));
    });

    test('64 slow operations keep neither a timer nor a file waiting', async () => {
      const { relay, it } = await setUp(60_000);
      const opens = await Promise.all(Array.from({ length: 64 }, () => flow(it)));
      relay.hold();
      await promptWith(opens.map(open => open().claim()), () => relay.letGo());
    });

    test('what else lies under a key, and of another type, is an error', async () => {
      const server = await RedisServer.start();
      const theirs = await client(server.port);
      const store = new RedisStore(theirs);
      if (name === 'ioredis') await theirs.lpush('list', 'x');
      else await theirs.lPush('list', 'x');
      await assert.rejects(store.get('list'), { ...kind('store'), message: 'the store is not available: Redis: WRONGTYPE' });
      for (const work of [() => store.putIfAbsent('list', Buffer.from('a'), 1000), () => store.compareAndDelete('list', Buffer.from('a'))]) {
        await assert.rejects(work(), error => error.kind === 'store' && error.cause instanceof Error);
      }
    });

    test('a client that was closed is an error at once', async () => {
      const server = await RedisServer.start();
      const theirs = await client(server.port);
      const store = new RedisStore(theirs, { timeLimitMs: 60_000 });
      if (name === 'ioredis') theirs.disconnect();
      else theirs.destroy();
      await assert.rejects(store.get('key'), kind('store'));
      if (name !== 'ioredis') await theirs.connect();
    });
  });
}

/** Asserts that a timer and a file come through while none of the claims does; then lets them. */
async function promptWith(claims, letGo) {
  let settled = 0;
  for (const claim of claims) claim.catch(() => {}).finally(() => settled++);
  const [words] = await Promise.all([readFile(fileURLToPath(import.meta.url), 'utf8'), sleep(20)]);
  assert.ok(words.length > 0);
  assert.equal(settled, 0);
  letGo();
  assert.deepEqual((await Promise.all(claims)).map(({ status }) => status), claims.map(() => 'won'));
}

describe('SQLite', { skip: NO_SQLITE, timeout: 120_000 }, () => {
  let files = 0;

  /** Another program has the file locked until it is told to let go. */
  async function locked(file) {
    const code = `import sqlite3, sys
c = sqlite3.connect(sys.argv[1], isolation_level=None)
c.execute("BEGIN EXCLUSIVE")
print("locked", flush=True)
sys.stdin.readline()
c.execute("ROLLBACK")`;
    const child = spawn('python3', ['-c', code, file], { stdio: ['pipe', 'pipe', 'inherit'] });
    atEnd(() => child.kill('SIGKILL'));
    await once(child.stdout, 'data');
    return async () => {
      child.stdin.end('\n');
      if (child.exitCode === null) await once(child, 'exit');
    };
  }

  const setUp = async timeLimitMs => {
    const file = path.join(folder, `faults-${++files}.db`);
    const store = new SqliteStore(file, { timeLimitMs });
    atEnd(() => store.close());
    // Its thread starts, and makes the file, however long that takes here.
    while (await store.get('key').then(() => false, () => true));
    const it = bench(store);
    return { file, store, it, open: await flow(it) };
  };

  test('a locked file is an error in time, and is used again when it is free', async () => {
    const { file, it, open } = await setUp(200);
    const letGo = await locked(file);
    const calls = Array.from({ length: 16 }, open);
    const claims = await Promise.allSettled(calls.map(call => call.claim()));
    for (const { reason } of claims) assert.deepEqual([reason?.kind, reason?.message], ['store', 'the store did not answer in time']);
    assert.deepEqual(it.logged.at(-1), ['store_failed', 'timed_out']);
    await letGo();
    // Whether one of them got through at the last moment is not known; then it finds its own claim.
    const statuses = await Promise.all(calls.map(call => again(() => call.claim())));
    assert.deepEqual(statuses.map(({ status }) => status).toSorted(), [...Array(15).fill('in_progress'), 'won']);
  });

  test('64 operations on a locked file keep neither a timer nor a file waiting', async () => {
    const { file, it } = await setUp(60_000);
    const opens = await Promise.all(Array.from({ length: 64 }, () => flow(it)));
    const letGo = await locked(file);
    await promptWith(opens.map(open => open().claim()), letGo);
  });

  test('a file that is no database is an error', async () => {
    const store = new SqliteStore(fileURLToPath(import.meta.url), PATIENT);
    await assert.rejects(store.putIfAbsent('key', Buffer.from('a'), 1000), kind('store'));
    await store.close();
  });
});

describe('a store of the application', () => {
  const secret = 'redis://user:hunter2@10.0.0.1';
  const thrown = [new Error(secret), secret, null, undefined, 7, new Suspended(), Object.create(null), new Proxy({}, {
    get() { throw new Error(secret); },
  })];
  const never = () => new Promise(() => {});
  const garbage = {
    putIfAbsent: ['text', 7, true, false, {}, [], [1, 2], new ArrayBuffer(4), new Uint16Array(4), Symbol('x'), () => {}, NaN],
    compareAndSet: [undefined, null, 0, 1, 'OK', 'true', {}, new Uint8Array(1)],
    compareAndDelete: [undefined, null, 0, 1, 'OK', {}],
  };
  const whole = own();
  const ways = [
    ...thrown.flatMap(it => [() => { throw it; }, () => Promise.reject(it), async () => { throw it; }]),
    never, () => ({ then() {} }), () => ({ then(_, reject) { reject(new Error(secret)); } }), () => ({ then() { throw new Error(secret); } }),
    () => ({ get then() { throw new Error(secret); } }),
    ...garbage.putIfAbsent.flatMap(it => [() => it, async () => it]),
  ];

  test('that fails in any way: no effect, a typed error, and no word of its own on the wire', async () => {
    for (const way of ways) {
      let effects = 0;
      const it = bench({ ...whole, putIfAbsent: way, timeLimitMs: 20 });
      const reply = await it.engine.run(request(), async call => {
        if ((await call.claim()).status === 'won') effects++;
        return text('paid');
      }, context);
      assert.deepEqual([effects, reply.errorKind], [0, 'store'], String(way));
      assert.ok(!JSON.stringify([reply.body, it.log]).includes('hunter2'), reply.body);
      assert.ok(it.logged.some(([name]) => name === 'store_failed'));
    }
  });

  test('tells what it threw as the cause, and how it failed by name', async () => {
    const cases = [
      [new Error(secret), 'unavailable'], [Object.assign(new Error(secret), { code: 'ENOSPC' }), 'full'],
      [Object.assign(new Error(secret), { name: 'TimeoutError' }), 'timed_out'],
    ];
    for (const [error, reason] of cases) {
      const it = bench({ ...whole, putIfAbsent: async () => { throw error; } });
      await assert.rejects((await flow(it))().claim(), caught => {
        assert.deepEqual([caught.kind, caught.cause], ['store', error]);
        return true;
      });
      assert.deepEqual(it.logged.at(-1), ['store_failed', reason]);
    }
  });

  test('that fails when the record is to be finished: the result goes out all the same', async () => {
    for (const way of [() => { throw new Error(secret); }, async () => { throw new Error(secret); }, never, ...garbage.compareAndSet.map(it => () => it)]) {
      const it = bench({ ...own(), compareAndSet: way, timeLimitMs: 20 });
      const open = await flow(it);
      const reply = await it.engine.run(request(), async call => {
        assert.equal((await call.claim()).status, 'won');
        return text('paid');
      }, context);
      assert.equal(reply.kind, 'complete');
      assert.ok(it.logged.some(([name]) => name === 'store_failed'));
      const call = open();
      await call.claim();
      assert.equal((await call.completeAsync(text('paid'))).kind, 'complete');
    }
  });

  test('that fails when a claim is given back: the claim stays', async () => {
    for (const way of [() => { throw new Error(secret); }, never, ...garbage.compareAndDelete.map(it => () => it)]) {
      const store = { ...own(), timeLimitMs: 20 };
      const { compareAndDelete } = store;
      const call = (await flow(bench(store)))();
      await call.claim();
      store.compareAndDelete = way;
      await assert.rejects(call.releaseClaim(), kind('store'));
      assert.equal(call.hasClaim, true);
      store.compareAndDelete = compareAndDelete;
      await call.releaseClaim();
      assert.equal(call.hasClaim, false);
    }
  });

  test('that holds what is no record of ours is an error', async () => {
    for (const value of [new Uint8Array(0), Buffer.from('text'), Buffer.alloc(100, 7), Buffer.alloc(17 << 20)]) {
      const it = bench({ ...own(), putIfAbsent: async () => value });
      await assert.rejects((await flow(it))().claim(), kind('store'));
    }
    // A record of another flow, copied under the key of this one.
    const held = own();
    const it = bench(held);
    await (await flow(it))().claim();
    const [record] = [...held.held.values()];
    const other = bench({ ...held, putIfAbsent: () => record.value });
    await assert.rejects((await flow(other))().claim(), kind('store'));
  });

  test('that answers when it is too late changes nothing', async () => {
    const held = own();
    let answer;
    const store = { ...held, timeLimitMs: 20, putIfAbsent: (...given) => new Promise(resolve => {
      answer = () => resolve(held.putIfAbsent(...given));
    }) };
    const it = bench(store);
    const open = await flow(it);
    const call = open();
    await assert.rejects(call.claim(), kind('store'));
    answer();
    await sleep(1);
    assert.equal(call.hasClaim, false);
    store.timeLimitMs = 60_000;
    const later = call.claim();
    await sleep(0);
    answer();
    assert.deepEqual(await later, { status: 'won' }); // it finds what it had put
  });

  test('whose methods change, or go, is an error of the store', async () => {
    const store = own();
    const call = (await flow(bench(store)))();
    delete store.putIfAbsent;
    await assert.rejects(call.claim(), kind('store'));
  });

  test('of 64 slow answers keeps neither a timer nor a file waiting', async () => {
    let letGo;
    const open = new Promise(resolve => { letGo = resolve; });
    const it = bench({ ...own(async value => {
      await open;
      return value;
    }), timeLimitMs: 60_000 });
    const opens = await Promise.all(Array.from({ length: 64 }, () => flow(it)));
    await promptWith(opens.map(each => each().claim()), letGo);
  });
});

describe('threads', { timeout: 120_000 }, () => {
  const CODE = `
    const { parentPort, workerData } = require('node:worker_threads');
    import(workerData.module).then(async ({ Engine, MemoryStore, Principal, SqliteStore }) => {
      const store = workerData.file ? new SqliteStore(workerData.file, { timeLimitMs: 60000 }) : new MemoryStore();
      const engine = new Engine({ keys: [workerData.key], audience: 'deployer', store });
      parentPort.on('message', async message => {
        const call = engine.open(message, { principal: new Principal('https://login.example', 'alice', 'client-1') });
        parentPort.postMessage((await call.claim()).status);
      });
      parentPort.postMessage('ready');
    });`;
  const start = async file => {
    const worker = new Worker(CODE, { eval: true, workerData: { file, key: KEY, module: new URL('../index.mjs', import.meta.url).href } });
    atEnd(() => worker.terminate());
    await once(worker, 'message');
    return worker;
  };
  const round = async () => {
    const reply = await bench(new MemoryStore()).engine.run(request(), call => call.retryLater(), context);
    return request({ requestState: JSON.parse(reply.body).result.requestState }, { id: 2 });
  };

  test('share a file, and one of them wins', async () => {
    const workers = await Promise.all([1, 2, 3, 4].map(() => start(path.join(folder, 'threads.db'))));
    const message = await round();
    const statuses = await Promise.all(workers.map(async worker => {
      worker.postMessage(message);
      return (await once(worker, 'message'))[0];
    }));
    assert.deepEqual(statuses.toSorted(), ['in_progress', 'in_progress', 'in_progress', 'won']);
    for (const worker of workers) assert.equal(await worker.terminate(), 1);
  });

  test('do not share memory', async () => {
    const workers = await Promise.all([1, 2].map(() => start()));
    const message = await round();
    for (const worker of workers) {
      worker.postMessage(message);
      assert.deepEqual(await once(worker, 'message'), ['won']);
    }
  });

  test('that are ended in the midst of it take nobody with them', async () => {
    const file = path.join(folder, 'ended.db');
    for (let times = 0; times < 8; times++) {
      const worker = await start(file);
      for (let index = 0; index < 8; index++) worker.postMessage(await round());
      await worker.terminate();
    }
    const store = new SqliteStore(file, PATIENT);
    assert.equal(await store.get('key'), undefined);
    await store.close();
  });
});
