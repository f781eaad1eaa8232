// Claims in tools of the official SDK: paid once, and the first result for whoever lost it.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { McpServer, createMcpHandler } from '@modelcontextprotocol/server';
import { Engine, MemoryStore, Principal } from 'mcp-elicit';
import { elicits } from 'mcp-elicit/adapters/mcp';
import { Host, accept } from 'mcp-elicit/testing';
import { z } from 'zod';
import { KEY, TARGET } from './support.mjs';

const ACCEPT = accept({ environment: 'dev' });

/** Workers of a service whose tools pay, with one store between them. */
class Shop {
  paid = [];
  log = [];
  errors = [];

  constructor({ store } = { store: new MemoryStore() }) {
    this.workers = [1, 2].map(() => this.#worker(store));
  }

  #worker(store) {
    const engine = new Engine({ keys: [KEY], audience: 'shop', store, log: ({ name }) => this.log.push(name) });
    const inputSchema = z.object({ cents: z.number() });
    const outputSchema = z.object({ cents: z.number(), payments: z.number() });
    return createMcpHandler(() => {
      const server = new McpServer({ name: 'shop', version: '1' });
      server.server.onerror = error => this.errors.push(error);
      const asking = elicits(server, engine, { principal: Principal.singleUser() });
      asking.registerTool('pay', { inputSchema, outputSchema }, async ({ cents }, ask) => {
        if ((await ask.form('sure', 'Pay?', TARGET)).action !== 'accept') throw new Error('not sure');
        const claimed = await ask.claim({ remember: true });
        if (claimed.status === 'recorded') return claimed.result;
        if (claimed.status === 'in_progress') ask.retryLater();
        assert.equal(claimed.status, 'won');
        this.paid.push(ask.idempotencyKey);
        return { structuredContent: { cents, payments: this.paid.length } };
      });
      asking.registerTool('fail', { inputSchema }, async ({ cents }, ask) => {
        await ask.form('sure', 'Pay?', TARGET);
        const { status } = await ask.claim();
        if (cents === 0) await ask.releaseClaim();
        if (status === 'won') throw new Error('before the effect');
        return { content: [{ type: 'text', text: status }] };
      });
      asking.registerTool('swallow', { inputSchema }, async (_, ask) => {
        await ask.form('sure', 'Pay?', TARGET);
        await ask.claim();
        ask.form('more', 'More?', TARGET);
        return { content: [{ type: 'text', text: 'done' }] };
      });
      return server;
    });
  }

  /** A host whose requests go to every worker at once; `answerOf` says which one's response counts. */
  host(answerOf = () => 0) {
    let turn = 0;
    return Host.fetch(async request => {
      const body = await request.text();
      const all = this.workers.map(({ fetch }) => fetch(new Request(request.url, { method: 'POST', headers: request.headers, body })));
      return (await Promise.all(all))[answerOf(turn++)];
    }).answer('sure', ACCEPT).rounds(64);
  }

  /** A host of one worker. */
  one(at) {
    return Host.fetch(request => this.workers[at].fetch(request)).answer('sure', ACCEPT);
  }
}

test('what is sent to two workers at once is paid once, and both say the same', async () => {
  const shop = new Shop();
  const flows = await Promise.all(Array.from({ length: 16 }, (_, cents) => shop.host(turn => (turn + cents) % 2).call('pay', { cents })));
  assert.equal(shop.paid.length, 16);
  assert.equal(new Set(shop.paid).size, 16);
  flows.forEach((flow, cents) => assert.equal(flow.result.structuredContent.cents, cents, flow.transcript));
  assert.deepEqual([shop.log, shop.errors], [[], []]);
});

test('a tool that fails before its effect gives the claim back, or leaves it', async () => {
  const shop = new Shop();
  for (const cents of [0, 1]) {
    const flow = await shop.one(0).call('fail', { cents });
    assert.equal(flow.isToolError, true);
    assert.equal(flow.text, 'before the effect');
  }
});

test('a question that is open goes before a claim', async () => {
  const shop = new Shop();
  const flow = await shop.one(0).answer('more', ACCEPT).firstRoundOnly().call('swallow', { cents: 1 });
  assert.ok(flow.question('sure'));
  const whole = await shop.one(0).answer('more', ACCEPT).call('swallow', { cents: 1 });
  assert.ok(whole.question('more'), whole.transcript);
  assert.ok(shop.log.includes('question_left_open'));
});

test('without a store the server\'s hook hears why, and where it fails nothing is paid', async () => {
  const refused = async shop => {
    const { error } = await shop.one(0).call('pay', { cents: 1 });
    assert.deepEqual([error.code, shop.paid], [-32603, []]);
    return shop.errors.map(({ kind }) => kind);
  };
  assert.deepEqual(await refused(new Shop({})), ['config']);
  const broken = async () => { throw new Error('down'); };
  const store = { timeLimitMs: 1000, get: broken, putIfAbsent: broken, compareAndSet: broken, compareAndDelete: broken };
  assert.deepEqual(await refused(new Shop({ store })), []); // which the client may try again, and is told
});
