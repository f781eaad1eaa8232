// What the tests of stores and claims share: a Redis server, the kinds of store, calls that claim.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after } from 'node:test';
import { Redis } from 'ioredis';
import { MemoryStore, RedisStore, SqliteStore } from 'mcp-elicit';
import { createClient } from 'redis';

/** Why there is no Redis here; in CI that is a failure, elsewhere a visible skip. */
export const NO_REDIS = spawnSync('redis-server', ['--version']).status === 0 || process.env.CI ? false : 'redis-server is not installed';

/** Whether a program with SQLite of its own is here, to lock a file from outside. */
export const NO_SQLITE = spawnSync('python3', ['-c', 'import sqlite3']).status === 0 || process.env.CI ? false : 'python3 is not installed';

/** A folder that goes when the tests of this file are over. */
export const folder = mkdtempSync(path.join(tmpdir(), 'mcp-elicit-stores-'));
const closing = [];
after(async () => {
  for (const close of closing.reverse()) await close();
  rmSync(folder, { recursive: true, force: true });
});

/** Does something when the tests of this file are over; what was begun last first. */
export const atEnd = close => closing.push(close);

/** A port of this machine that was free a moment ago. */
export async function freePort() {
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address();
  server.close();
  await once(server, 'close');
  return port;
}

/** A Redis server of our own. */
export class RedisServer {
  static async start(port) {
    const server = new RedisServer();
    server.port = port ?? await freePort();
    await server.start();
    atEnd(() => server.kill());
    return server;
  }

  async start() {
    this.child = spawn('redis-server', [
      '--port', this.port, '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no', '--dir', folder,
    ], { stdio: ['ignore', 'pipe', 'inherit'] });
    let said = '';
    for await (const chunk of this.child.stdout) {
      said += chunk;
      if (said.includes('eady to accept connections')) break;
    }
    this.child.stdout?.resume();
    if (this.child.exitCode !== null) throw new Error(said);
  }

  async kill() {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return;
    this.child.kill('SIGKILL');
    await once(this.child, 'exit');
  }

  /** All that the server holds is gone, and it is there again. */
  async restart() {
    await this.kill();
    await this.start();
  }
}

/** A client of each library, to a port. */
export const clients = {
  'node-redis': async port => {
    const client = createClient({ url: `redis://127.0.0.1:${port}`, socket: { reconnectStrategy: 20 } });
    client.on('error', () => {});
    atEnd(() => client.destroy());
    await client.connect();
    return client;
  },
  ioredis: async port => {
    const client = new Redis({ port, host: '127.0.0.1', retryStrategy: () => 20 });
    client.on('error', () => {});
    atEnd(() => client.disconnect());
    await once(client, 'ready');
    return client;
  },
};

/** A store of the application's own, in a map; `wrap` makes its answers what it likes. */
export function own(wrap = value => value) {
  const held = new Map();
  const found = key => {
    const it = held.get(key);
    return it !== undefined && it.until > Date.now() ? it.value : undefined;
  };
  const same = (key, expected) => found(key) !== undefined && Buffer.compare(found(key), expected) === 0;
  const put = (key, value, ttlMs) => held.set(key, { value, until: Date.now() + ttlMs });
  return {
    held,
    get: key => wrap(found(key)),
    putIfAbsent(key, value, ttlMs) {
      const there = found(key);
      if (there === undefined) put(key, value, ttlMs);
      return wrap(there);
    },
    compareAndSet(key, expected, value, ttlMs) {
      const is = same(key, expected);
      if (is) put(key, value, ttlMs);
      return wrap(is);
    },
    compareAndDelete(key, expected) {
      const is = same(key, expected);
      if (is) held.delete(key);
      return wrap(is);
    },
  };
}

let files = 0;
let server;
/** One server for all tests of a file. */
const shared = () => (server ??= RedisServer.start());

/** A time limit for tests of what comes out, on a machine that may be busy. */
export const PATIENT = { timeLimitMs: 60_000 };

/** Every kind of store: makes one that is empty, or gives the server that they share. */
export const kinds = {
  MemoryStore: () => new MemoryStore(),
  SqliteStore: () => {
    const store = new SqliteStore(path.join(folder, `${++files}.db`), PATIENT);
    atEnd(() => store.close());
    return store;
  },
  'RedisStore, node-redis': async () => new RedisStore(await clients['node-redis']((await shared()).port), PATIENT),
  'RedisStore, ioredis': async () => new RedisStore(await clients.ioredis((await shared()).port), PATIENT),
  'own, sync': () => own(),
  'own, async': () => own(async value => {
    await new Promise(setImmediate);
    return value;
  }),
};

/** Why a kind cannot be tested here. */
export const skip = kind => kind.startsWith('Redis') && NO_REDIS;
