// Worker threads: each with engines of its own, all with the same keys.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Worker, isMainThread, parentPort, workerData } from 'node:worker_threads';
import { Engine } from 'mcp-elicit';
import { KEY, USER, answered, deploy, request } from './support.mjs';

const engine = new Engine({ keys: [KEY], audience: 'deployer', log: () => {} });

/** Runs calls until the thread is ended. Not at the top level: V8 breaks where that is ended early. */
async function forever() {
  parentPort.postMessage('running');
  for (;;) await engine.run(request(), deploy, { principal: USER });
}

if (!isMainThread) {
  if (workerData === 'forever') forever();
  else parentPort.on('message', async message => {
    const reply = await engine.run(message, deploy, { principal: USER });
    parentPort.postMessage({ ...reply });
  });
} else {
  const start = data => new Worker(new URL(import.meta.url), { workerData: data });
  const reply = worker => new Promise((resolve, reject) => {
    worker.once('message', resolve);
    worker.once('error', reject);
  });

  test('a flow goes from one thread to another', async () => {
    const workers = [start(), start()];
    const first = await engine.run(request(), deploy, { principal: USER });
    for (const worker of workers) {
      const came = reply(worker);
      worker.postMessage(JSON.stringify(answered(first, { target: { action: 'accept', content: { environment: 'prod' } } })));
      const { body, status } = await came;
      assert.deepEqual([JSON.parse(body).result.content[0].text, status], ['Deployed to prod.', 200]);
    }
    await Promise.all(workers.map(worker => worker.terminate()));
  });

  test('threads that are ended in the midst of it take nobody with them', async () => {
    for (let round = 0; round < 12; round += 1) {
      const workers = Array.from({ length: 3 }, () => start('forever'));
      await Promise.all(workers.map(reply));
      await new Promise(resolve => { setTimeout(resolve, round * 3); });
      await Promise.all(workers.map(worker => worker.terminate()));
    }
    assert.equal((await engine.run(request(), deploy, { principal: USER })).kind, 'input_required');
  });

  test('handles stay in their thread', () => {
    const call = engine.open(request(), { principal: USER });
    for (const value of [engine, call]) assert.deepEqual(Object.keys(structuredClone(value)).filter(name => name !== 'principal'), []);
  });
}
