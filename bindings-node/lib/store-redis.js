'use strict';
// The store in Redis, or what speaks its protocol, by the client that the user has.
//
// Owns the same commands as core/src/store/redis.rs, so that all languages share one server: one
// round trip and one key an operation; what must be atomic is a script of a few lines.
const { isUint8Array } = require('node:util/types');
const { invalid } = require('./error.js');
const { Failure, awaits, makeOurs, timeLimitOf } = require('./store.js');

/** Puts a value where there is none. Where it is there already, an earlier try put it. */
const PUT_IF_ABSENT = `local found = redis.call('GET', KEYS[1])
if found and not (ARGV[3] == '1' and found == ARGV[1]) then return found end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
return 1`;

/** Puts a value in place of another. Where it is there already, an earlier try put it. */
const COMPARE_AND_SET = `local found = redis.call('GET', KEYS[1])
if found ~= ARGV[1] and not (ARGV[4] == '1' and found == ARGV[2]) then return 0 end
redis.call('SET', KEYS[1], ARGV[2], 'PX', ARGV[3])
return 1`;

const COMPARE_AND_DELETE = `if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
redis.call('DEL', KEYS[1])
return 1`;

/** Longest expiry that is sent: ten years. */
const LONGEST_MS = 3650 * 24 * 3_600_000;

/** The script for an operation and its arguments; none for `get`. */
function scriptFor({ name, expected, value, ttlMs }, repeated) {
  const life = String(Math.min(Math.max(Math.trunc(ttlMs), 1), LONGEST_MS));
  const again = repeated ? '1' : '0';
  switch (name) {
    case 'put_if_absent':
      return [PUT_IF_ABSENT, [buffer(value), life, again]];
    case 'compare_and_set':
      return [COMPARE_AND_SET, [buffer(expected), buffer(value), life, again]];
    case 'compare_and_delete':
      return [COMPARE_AND_DELETE, [buffer(expected)]];
    default:
      return undefined;
  }
}

const buffer = bytes => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);

/** A client of node-redis: one connection, a pool, a cluster or sentinels. */
class NodeRedis {
  #client;

  constructor(client) {
    this.#client = client;
  }

  send(operation, repeated, signal) {
    // 36 is '$', the type of a string in RESP: values are bytes. What was given up and not sent
    // yet is not sent later.
    const client = this.#client.withCommandOptions({ typeMapping: { 36: Buffer }, abortSignal: signal });
    const script = scriptFor(operation, repeated);
    return script === undefined
      ? client.get(operation.key)
      : client.eval(script[0], { keys: [operation.key], arguments: script[1] });
  }
}

/** A client of ioredis: one connection or a cluster. */
class IoRedis {
  #client;
  #connecting;

  constructor(client) {
    this.#client = client;
  }

  async send(operation, repeated, signal) {
    // A command that is given to a client without a connection is sent whenever it has one, also
    // when nobody waits any more: not given before there is one.
    if (['connecting', 'connect', 'reconnecting', 'close'].includes(this.#client.status)) {
      await (this.#connecting ??= this.#connected());
      if (signal.aborted) throw new Failure('timed_out');
    }
    const script = scriptFor(operation, repeated);
    return script === undefined
      ? this.#client.callBuffer('GET', operation.key)
      : this.#client.callBuffer('EVAL', script[0], '1', operation.key, ...script[1]);
  }

  #connected() {
    return new Promise(resolve => {
      const events = ['ready', 'end'];
      const over = () => {
        for (const event of events) this.#client.off(event, over);
        this.#connecting = undefined;
        resolve();
      };
      for (const event of events) this.#client.on(event, over);
    });
  }
}

function driverOf(client) {
  if (typeof client === 'object' && client !== null) {
    if (typeof client.callBuffer === 'function') return new IoRedis(client);
    if (typeof client.withCommandOptions === 'function' && typeof client.eval === 'function') return new NodeRedis(client);
  }
  throw invalid('a client of redis 5 or of ioredis 5 is needed', 'config');
}

/** What the server said, as an answer. */
function answerOf({ name }, said) {
  const looks = name === 'get' || name === 'put_if_absent';
  if (looks && isUint8Array(said)) return { said: 'found', value: buffer(said) };
  if (name === 'get' && (said === null || said === undefined)) return { said: 'absent' };
  if (name !== 'get') {
    const count = Number(said);
    if (count === 1) return { said: 'done' };
    if (count === 0 && !looks && said !== null) return { said: 'conflict' };
  }
  throw new Failure('unavailable', 'Redis: an answer of another type than was asked for');
}

/** The code that an error of the server begins with; undefined for errors of the connection. */
const codeOf = thrown => /^([A-Z][A-Z0-9]{2,30})(?: |$)/.exec(thrown?.message)?.[1];

/** A store in Redis. See index.d.ts. */
class RedisStore {
  #driver;

  constructor(client, options = {}) {
    this.timeLimitMs = timeLimitOf(options);
    this.#driver = driverOf(client);
    makeOurs(this, (operation, signal) => this.#execute(operation, signal));
    Object.freeze(this);
  }

  async #execute(operation, signal) {
    try {
      return answerOf(operation, await this.#send(operation, signal));
    } catch (thrown) {
      if (thrown instanceof Failure) throw thrown;
      const code = codeOf(thrown);
      if (code === 'OOM') throw new Failure('full', undefined, thrown);
      const cause = code ?? thrown?.constructor?.name ?? typeof thrown;
      throw new Failure('unavailable', `Redis: ${cause}`, thrown);
    }
  }

  /** A connection that broke is the client's to make again; the operation is repeated once. */
  async #send(operation, signal) {
    try {
      return await this.#driver.send(operation, false, signal);
    } catch (thrown) {
      if (thrown instanceof Failure || codeOf(thrown) !== undefined || signal.aborted) throw thrown;
      return this.#driver.send(operation, true, signal);
    }
  }
}

awaits(RedisStore);

module.exports = { RedisStore };
