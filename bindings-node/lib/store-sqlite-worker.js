'use strict';
// The thread of a SQLite store: carries out one operation after another, and waits where it must.
const { parentPort, workerData } = require('node:worker_threads');
const addon = require('./loader.js');

const now = () => performance.timeOrigin + performance.now();
const file = addon.sqliteFile(workerData.file, workerData.timeLimitMs);

parentPort.on('message', asked => {
  if (asked === 'close') {
    addon.sqliteClose(file);
    parentPort.close();
    return;
  }
  const [id, operation, until] = asked;
  // Nobody waits any more for what stood in the queue too long: it is not done behind their back.
  const left = until - now();
  const answer = left < 1 ? { said: 'timed_out' } : addon.sqliteExecute(file, operation, left);
  parentPort.postMessage([id, answer]);
});
