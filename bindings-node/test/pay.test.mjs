// The example that pays: two processes of it, one store, every request sent to both at once.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { Host, accept, decline } from 'mcp-elicit/testing';
import { KEY } from './support.mjs';
import { NO_REDIS, RedisServer, atEnd, folder } from './stores.mjs';

const example = fileURLToPath(new URL('../examples/pay-server.mjs', import.meta.url));
let runs = 0;

/** Starts a server process; gives it with its address and its log. */
async function start(env) {
  const child = spawn(process.execPath, [example], {
    env: { ...process.env, PORT: '0', MCP_ELICIT_KEYS: KEY, ...env }, stdio: ['ignore', 'pipe', 'pipe'],
  });
  atEnd(() => child.kill('SIGKILL'));
  const server = { child, log: [] };
  child.stderr.on('data', chunk => server.log.push(...chunk.toString().trim().split('\n')));
  const [chunk] = await once(child.stdout, 'data');
  server.url = /^listening on (\S+)$/m.exec(chunk.toString())[1];
  return server;
}

/** Two processes that share a store and a ledger. */
async function two(store, env = {}) {
  const ledger = path.join(folder, `ledger-${++runs}`);
  writeFileSync(ledger, '');
  const servers = await Promise.all([1, 2].map(() => start({ STORE: store, LEDGER: ledger, ...env })));
  const paid = () => readFileSync(ledger, 'utf8').split('\n').filter(Boolean).map(line => JSON.parse(line));
  return { servers, paid };
}

/** A host whose requests go to every server at once; `answerOf` says which one's response counts. */
function everywhere(servers, answerOf) {
  let turn = 0;
  return Host.fetch(async request => {
    const { headers } = request;
    const body = await request.text();
    const all = servers.map(({ url }) => fetch(url, { method: 'POST', headers, body }));
    const responses = await Promise.all(all);
    return responses[answerOf(turn++)];
  }).header('authorization', 'Bearer demo-ada').rounds(64);
}

const stores = {
  SQLite: { skip: false, place: async () => path.join(folder, `pay-${++runs}.db`) },
  Redis: { skip: NO_REDIS, place: async () => `redis://127.0.0.1:${(await RedisServer.start()).port}` },
};

for (const [name, { skip, place }] of Object.entries(stores)) {
  test(`pays once a flow, whatever is sent twice: ${name}`, { skip, timeout: 120_000 }, async () => {
    const { servers, paid } = await two(await place());
    const flows = await Promise.all(Array.from({ length: 24 }, (_, index) => everywhere(servers, turn => (turn + index) % 2)
      .answer('order', accept({ payee: `payee ${index}`, cents: index + 1 }))
      .answer('sure', accept({ sure: true }))
      .call('pay')));
    for (const [index, flow] of flows.entries()) {
      assert.equal(flow.text, `Paid ${index + 1} cents to payee ${index}.`, flow.transcript);
      assert.ok(flow.rounds >= 3);
      assert.deepEqual(flow.questions.map(({ key }) => key), ['order', 'sure']);
    }
    assert.deepEqual(paid().map(({ payee, cents }) => `${cents} ${payee}`).toSorted(), flows.map((_, index) => `${index + 1} payee ${index}`).toSorted());
    assert.equal(new Set(paid().map(({ key }) => key)).size, flows.length);

    // The reply was lost: the same request again gets the recorded result, from either process.
    const last = flows[0].messages.findLast(({ sent }) => sent);
    for (const { url } of servers) {
      const again = await fetch(url, {
        method: 'POST', body: last.text, headers: [...last.headers, ['authorization', 'Bearer demo-ada'], ['content-type', 'application/json']],
      });
      assert.equal((await again.json()).result.content[0].text, flows[0].text);
    }
    assert.equal(paid().length, flows.length);
  });
}

test('pays nothing that was not confirmed', async () => {
  const { servers, paid } = await two(path.join(folder, `pay-${++runs}.db`));
  const host = () => everywhere(servers, () => 0).answer('order', accept({ payee: 'Bob', cents: 5 }));
  assert.equal((await host().answer('sure', decline()).call('pay')).text, 'Nothing was paid.');
  assert.equal((await host().answer('sure', accept({ sure: false })).call('pay')).text, 'Nothing was paid.');
  assert.equal((await everywhere(servers, () => 0).answer('order', decline()).call('pay')).text, 'Nothing was paid.');
  assert.deepEqual(paid(), []);
});

test('pays nothing while the store is down', { skip: NO_REDIS, timeout: 60_000 }, async () => {
  const redis = await RedisServer.start();
  const { servers, paid } = await two(`redis://127.0.0.1:${redis.port}`);
  const host = () => everywhere(servers, () => 0).answer('order', accept({ payee: 'Bob', cents: 5 })).answer('sure', accept({ sure: true }));
  await redis.kill();
  const failed = await host().call('pay');
  assert.equal(failed.end, 'error', failed.transcript);
  assert.equal(failed.error.code, -32603);
  assert.deepEqual(paid(), []);
  assert.ok(servers[0].log.some(line => line.includes('"store_failed"')), servers[0].log.join('\n'));
  await redis.start();
  assert.equal((await host().call('pay')).text, 'Paid 5 cents to Bob.'); // it has connected again by itself
  assert.equal(paid().length, 1);
});
