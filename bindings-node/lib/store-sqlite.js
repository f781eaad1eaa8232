'use strict';
// The store in a SQLite file, on a worker thread that it owns: neither the event loop nor libuv's
// threads wait for the file. lib/store-sqlite-worker.js is the other end.
const path = require('node:path');
const { fileURLToPath } = require('node:url');
const { Worker } = require('node:worker_threads');
const { invalid, text } = require('./error.js');
const { Failure, awaits, makeOurs, timeLimitOf } = require('./store.js');

/** Milliseconds that never go back, and that all threads of a process count alike. */
const now = () => performance.timeOrigin + performance.now();

/** The worker of one store, and the operations that wait for it. */
class Thread {
  #worker;
  #waiting = new Map();
  #next = 0;
  #ended;

  constructor(file, timeLimitMs) {
    // Needs nothing of the process: not its environment, not the hooks of its loaders.
    this.#worker = new Worker(path.join(__dirname, 'store-sqlite-worker.js'), {
      workerData: { file, timeLimitMs }, execArgv: [], env: {}, name: 'mcp-elicit sqlite',
    });
    this.#worker.on('message', ([id, answer]) => this.#answered(id)?.resolve(answer));
    this.#worker.on('error', () => {}); // 'exit' follows
    this.#ended = new Promise(resolve => {
      this.#worker.once('exit', () => {
        this.over = true;
        for (const id of [...this.#waiting.keys()]) {
          this.#answered(id).reject(new Failure('unavailable', 'SQLite: its thread has ended'));
        }
        resolve();
      });
    });
    this.#worker.unref(); // after its listeners: each of them is a reason to stay
  }

  /** The worker is gone. */
  over = false;

  execute(operation, timeLimitMs) {
    return new Promise((resolve, reject) => {
      const id = this.#next++;
      this.#waiting.set(id, { resolve, reject });
      if (this.#waiting.size === 1) this.#worker.ref(); // the process waits for an answer only
      this.#worker.postMessage([id, operation, now() + timeLimitMs]);
    });
  }

  #answered(id) {
    const waiting = this.#waiting.get(id);
    this.#waiting.delete(id);
    if (this.#waiting.size === 0) this.#worker.unref();
    return waiting;
  }

  /** Ends when all that was asked is answered. */
  close() {
    this.#worker.ref();
    this.#worker.postMessage('close');
    return this.#ended;
  }
}

/** A store in a file. See index.d.ts. */
class SqliteStore {
  #file;
  #thread;
  #closed;

  constructor(file, options = {}) {
    const name = file instanceof URL ? fileOf(file) : text(file, 'the path of a store');
    if (name === '' || name.includes('\0')) throw invalid('the path of a store must name a file');
    this.timeLimitMs = timeLimitOf(options);
    this.#file = path.resolve(name);
    makeOurs(this, operation => this.#execute(operation));
    Object.freeze(this);
    this.#thread = this.#start();
  }

  #start() {
    try {
      return new Thread(this.#file, this.timeLimitMs);
    } catch {
      return undefined; // no thread can be had now; the next operation tries again
    }
  }

  #execute(operation) {
    if (this.#closed) throw new Failure('unavailable', 'SQLite: the store was closed');
    if (this.#thread === undefined || this.#thread.over) this.#thread = this.#start();
    if (this.#thread === undefined) throw new Failure('unavailable', 'SQLite: no thread can be started');
    return this.#thread.execute(operation, this.timeLimitMs);
  }

  close() {
    return (this.#closed ??= Promise.resolve(this.#thread?.over ? undefined : this.#thread?.close()));
  }
}

awaits(SqliteStore);

function fileOf(url) {
  try {
    return fileURLToPath(url);
  } catch {
    throw invalid('the path of a store must be a file: URL');
  }
}

module.exports = { SqliteStore };
