'use strict';
// Stores: what every store can do, the one in memory, and how a store is driven inside a time limit.
//
// Owns the way from the core's operations to the methods of a store and back. What may be claimed,
// and what a record holds, is the core's.
const { isUint8Array } = require('node:util/types');
const { clearTimeout, setImmediate, setTimeout } = require('node:timers');
const native = require('./native.js');
const { checkNames, invalid, text } = require('./error.js');

const { usual: USUAL_MS, longest: LONGEST_MS } = native.timeLimitsMs();

/** The operations by the core's names, and the methods that carry them out. */
const METHODS = {
  get: 'get',
  put_if_absent: 'putIfAbsent',
  compare_and_set: 'compareAndSet',
  compare_and_delete: 'compareAndDelete',
};

/** Under this name a store of ours carries out an operation; gives an answer, as src/store.rs has it. */
const EXECUTE = Symbol('execute');
/** The stores of ours. What only has the name, as a proxy has every name, is anybody's store. */
const ours = new WeakSet();

/** Makes an object a store of ours. It can do without itself as `this`: it may stand behind a proxy. */
function makeOurs(store, execute) {
  Object.defineProperty(store, EXECUTE, { value: execute });
  ours.add(store);
}

/** Checks a number of milliseconds, bytes or the like. */
function whole(value, what, least, most = Number.MAX_SAFE_INTEGER) {
  if (!Number.isSafeInteger(value) || value < least || value > most) {
    throw invalid(`${what} must be a whole number from ${least} to ${most}`);
  }
  return value;
}

/** The time limit among the options of a store. */
function timeLimitOf(options) {
  checkNames(options, ['timeLimitMs'], 'a store has no option');
  const { timeLimitMs = USUAL_MS } = options;
  return whole(timeLimitMs, 'timeLimitMs', 1, LONGEST_MS);
}

function bytes(value, what) {
  if (!isUint8Array(value)) throw invalid(`${what} must be a Uint8Array`);
  return new Uint8Array(value); // a copy: whoever gave it may go on writing into it
}

/** An operation from the arguments of a method. */
const operations = {
  get: key => ({ name: 'get', key: keyOf(key) }),
  putIfAbsent: (key, value, ttlMs) => ({
    name: 'put_if_absent', key: keyOf(key), value: bytes(value, 'value'), ttlMs: whole(ttlMs, 'ttlMs', 0),
  }),
  compareAndSet: (key, expected, value, ttlMs) => ({
    name: 'compare_and_set', key: keyOf(key), expected: bytes(expected, 'expected'),
    value: bytes(value, 'value'), ttlMs: whole(ttlMs, 'ttlMs', 0),
  }),
  compareAndDelete: (key, expected) => ({
    name: 'compare_and_delete', key: keyOf(key), expected: bytes(expected, 'expected'),
  }),
};

function keyOf(key) {
  if (!native.isStoreKey(text(key, 'key'))) throw invalid('key must be 1 to 128 of a-z A-Z 0-9 : - _');
  return key;
}

/** What a method gives for an answer; throws where the operation failed. */
function given(operation, { said, value, cause }, thrown) {
  switch (said) {
    case 'found':
      return value;
    case 'absent':
    case 'done':
    case 'conflict':
      return operation.name.startsWith('compare') ? said === 'done' : undefined;
    default: {
      const why = {
        timed_out: 'the store did not answer in time',
        full: 'the store is full',
      }[said] ?? `the store is not available: ${cause ?? ''}`;
      throw withCause(invalid(why, 'store'), thrown);
    }
  }
}

/** Tells what led to an error, where something did. */
function withCause(error, cause) {
  if (cause !== undefined) {
    Object.defineProperty(error, 'cause', { value: cause, configurable: true, writable: true });
  }
  return error;
}

/** A store in this process. See index.d.ts. */
class MemoryStore {
  constructor(options = {}) {
    checkNames(options, ['capacity'], 'a store in memory has no option');
    const { capacity = 64 * 1024 * 1024 } = options;
    const handle = native.memoryStore(whole(capacity, 'capacity', 1));
    makeOurs(this, operation => native.memoryExecute(handle, operation));
  }
}

for (const method of Object.values(METHODS)) {
  define(MemoryStore, method, function (...args) {
    const operation = operations[method](...args);
    return given(operation, this[EXECUTE](operation));
  });
}

function define(type, name, value) {
  Object.defineProperty(type.prototype, name, { value, writable: true, configurable: true });
}

/** Gives a class whose operations await the four methods that everybody calls. */
function awaits(type) {
  for (const method of Object.values(METHODS)) {
    define(type, method, async function (...args) {
      const operation = operations[method](...args);
      const { answer, thrown } = await carryOut(signal => this[EXECUTE](operation, signal), this.timeLimitMs);
      return given(operation, answer, thrown);
    });
  }
}

/** Checks what an engine was given as its store. */
function checkStore(store) {
  if (typeof store !== 'object' || store === null) throw invalid('store must be an object', 'config');
  const missing = Object.values(METHODS).find(method => typeof store[method] !== 'function');
  if (missing !== undefined) throw invalid(`a store has the methods ${Object.values(METHODS).join(', ')}; this one has no ${missing}`, 'config');
  limitOf(store);
  return store;
}

/** The time limit of the engine's store. */
function limitOf({ timeLimitMs = USUAL_MS }) {
  if (!Number.isSafeInteger(timeLimitMs) || timeLimitMs < 1 || timeLimitMs > LONGEST_MS) {
    throw invalid(`timeLimitMs of a store must be a whole number from 1 to ${LONGEST_MS}`, 'config');
  }
  return timeLimitMs;
}

/** What the engine's store said of an operation; never throws. `thrown` is what the store threw. */
function execute(store, operation) {
  let timeLimitMs;
  try {
    timeLimitMs = limitOf(store);
  } catch (thrown) {
    return failed(thrown);
  }
  return ours.has(store)
    ? carryOut(signal => store[EXECUTE](operation, signal), timeLimitMs)
    : carryOut(() => call(store, operation), timeLimitMs, gave => answerOf(operation, gave));
}

/** Does `work` inside a time limit; what it gives is an answer, or `read` makes one of it. */
function carryOut(work, limitMs, read = answer => answer) {
  const stop = new AbortController();
  let answered;
  try {
    answered = work(stop.signal);
    if (typeof answered?.then !== 'function') return { answer: read(answered) };
  } catch (thrown) {
    return failed(thrown);
  }
  return new Promise(resolve => {
    const timer = setTimeout(() => {
      // An answer that came while this thread was busy is looked at first.
      setImmediate(() => {
        resolve({ answer: { said: 'timed_out' } });
        stop.abort();
      });
    }, limitMs);
    Promise.resolve(answered).then(
      value => ({ answer: read(value) }),
    ).catch(failed).then(answer => {
      clearTimeout(timer);
      resolve(answer);
    });
  });
}

/** Calls the method for an operation. */
function call(store, { name, key, expected, value, ttlMs }) {
  switch (name) {
    case 'get':
      return store.get(key);
    case 'put_if_absent':
      return store.putIfAbsent(key, value, ttlMs);
    case 'compare_and_set':
      return store.compareAndSet(key, expected, value, ttlMs);
    default:
      return store.compareAndDelete(key, expected);
  }
}

/** What a method gave, as an answer. */
function answerOf({ name }, gave) {
  const compares = name.startsWith('compare');
  if (compares && typeof gave === 'boolean') return { said: gave ? 'done' : 'conflict' };
  if (!compares && (gave === undefined || gave === null)) return { said: name === 'get' ? 'absent' : 'done' };
  if (!compares && isUint8Array(gave)) return { said: 'found', value: Buffer.from(gave) };
  const wanted = compares ? 'a boolean' : 'a Uint8Array or undefined';
  return { said: 'unavailable', cause: `${METHODS[name]} gave ${gave === null ? 'null' : typeof gave}, not ${wanted}` };
}

/**
 * What a store threw, as an answer. Its text stays out of messages: it may name addresses and
 * passwords.
 */
function failed(thrown) {
  let said = 'unavailable';
  let cause = typeof thrown;
  try {
    if (thrown instanceof Failure) return { answer: thrown.answer, thrown: thrown.thrown };
    if (thrown?.code === 'ENOSPC') said = 'full';
    if (thrown?.name === 'TimeoutError') said = 'timed_out';
    for (const name of [thrown?.code, thrown?.name]) {
      if (typeof name === 'string' && /^\w{1,60}$/.test(name)) {
        cause = name;
        break;
      }
    }
  } catch {
    // What was thrown cannot even be looked at.
  }
  return { answer: { said, cause }, thrown };
}

/** How a store of ours says that an operation failed. `thrown` is what led to it. */
class Failure extends Error {
  constructor(said, cause, thrown) {
    super(cause ?? said);
    this.answer = { said, cause };
    this.thrown = thrown;
  }
}

module.exports = { Failure, MemoryStore, awaits, checkStore, execute, makeOurs, timeLimitOf, whole, withCause };
