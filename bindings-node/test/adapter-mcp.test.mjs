// The adapter for the official SDK: its server, its client, in process, over HTTP and over stdio.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import { PassThrough } from 'node:stream';
import { describe, test } from 'node:test';
import { Client, ProtocolError, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import {
  InMemoryTransport, McpServer, createMcpHandler, createRequestStateCodec, inputRequired,
} from '@modelcontextprotocol/server';
import { NodeStreamableHTTPServerTransport } from '@modelcontextprotocol/node';
import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio';
import { ElicitError, Principal, isSuspended } from 'mcp-elicit';
import { elicits } from 'mcp-elicit/adapters/mcp';
import { Host, accept } from 'mcp-elicit/testing';
import { z } from 'zod';
import { listener, serve } from '../examples/sdk-server.mjs';
import { Bench, KEY, TARGET, meta, text } from './support.mjs';

const ONE = { principal: Principal.singleUser() };
const ACCEPT = { action: 'accept', content: { environment: 'staging' } };
const REFUSED = { code: -32602, message: 'Invalid or expired requestState', data: { reason: 'invalid_request_state' } };
const NOTHING = z.object({});
const EVERYTHING = { elicitation: { form: {}, url: {} }, sampling: {}, roots: {} };
const URL_OF_SERVER = 'http://127.0.0.1/mcp';

// ---- The tools

/** Deploys an app. */
async function deploy({ app }, ask) {
  const target = await ask.form('target', 'Which environment?', TARGET);
  return text(target.action === 'accept' ? `Deployed ${app} to ${target.content.environment}.` : 'Nothing was deployed.');
}

const APP = { deploy: [{ inputSchema: z.object({ app: z.string() }) }, deploy] };

/** A server of the SDK's with these tools; a list is a configuration and a tool. */
function server(bench, tools = APP, options = ONE, settings = {}) {
  const made = new McpServer({ name: 'deployer', version: '1' }, settings);
  made.server.onerror = error => bench.errors.push(error);
  const asking = elicits(made, bench.engine, options);
  for (const [name, tool] of Object.entries(tools)) {
    asking.registerTool(name, ...(Array.isArray(tool) ? tool : [{ inputSchema: NOTHING }, tool]));
  }
  return made;
}

/** A worker: an endpoint over HTTP whose servers are made for each request. */
class Worker {
  constructor(tools, { bench = new Bench(), options = ONE, settings, authInfo } = {}) {
    bench.errors ??= [];
    this.bench = bench;
    const handler = createMcpHandler(() => server(bench, tools, options, settings?.()));
    this.fetch = (target, init) => handler.fetch(new Request(target, init), { authInfo });
  }

  /** One round, by a client that leaves the rest to the test: the body of the response. */
  async post(name, params = {}, { capabilities = EVERYTHING, headers, method = 'tools/call' } = {}) {
    const response = await this.fetch(URL_OF_SERVER, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'mcp-protocol-version': '2026-07-28',
        'mcp-method': method,
        'mcp-name': name,
        ...headers,
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { name, arguments: {}, ...params, _meta: { ...meta(capabilities), 'io.modelcontextprotocol/clientInfo': { name: 't', version: '1' } } } }),
    });
    this.status = response.status;
    return response.json();
  }

  async result(name, params, more) {
    const { result, error } = await this.post(name, params, more);
    assert.equal(error, undefined, JSON.stringify(error));
    return result;
  }
}

/** The state of a round that is not the last. */
function stateOf(result) {
  assert.equal(result.resultType, 'input_required', JSON.stringify(result));
  return result.requestState;
}

const says = result => result.content[0].text;

/** An official client that answers by key, and what it was asked. */
async function connect(where, answers = {}, { version = { pin: '2026-07-28' }, capabilities = EVERYTHING } = {}) {
  const client = new Client({ name: 'test', version: '1' }, { capabilities, versionNegotiation: { mode: version } });
  client.asked = [];
  if (capabilities.elicitation) {
    client.setRequestHandler('elicitation/create', ({ params }, { mcpReq }) => {
      client.asked.push(params.message);
      return answers[mcpReq.id];
    });
  }
  if (capabilities.sampling) {
    client.setRequestHandler('sampling/createMessage', ({ params }) => {
      client.asked.push(params.messages[0].content.text);
      return { role: 'assistant', content: { type: 'text', text: 'Paris' }, model: 'm' };
    });
  }
  if (capabilities.roots) {
    client.setRequestHandler('roots/list', () => {
      client.asked.push('roots');
      return { roots: [{ uri: 'file:///home/ada' }] };
    });
  }
  const transport = where instanceof Worker
    ? new StreamableHTTPClientTransport(new URL(URL_OF_SERVER), { fetch: (target, init) => where.fetch(target, init) })
    : where;
  await client.connect(transport);
  return client;
}

/** What a call of the official client gives; the error where it fails. */
async function call(where, name, args = {}, answers = {}, more = {}) {
  const client = await connect(where, answers, more);
  try {
    return await client.callTool({ name, arguments: args });
  } catch (error) {
    return error;
  } finally {
    await client.close();
  }
}

// ---- The schema that a client sees

test('ask is no argument, and the rest of the tool stays', async () => {
  const worker = new Worker({
    count: [{
      title: 'Count',
      description: 'What it does.',
      inputSchema: z.object({ app: z.string().describe('Which app'), count: z.number().default(1) }),
      outputSchema: z.object({ counted: z.number() }),
    }, async ({ count }, ask, context) => {
      assert.equal(ask.round, 1);
      assert.equal(context.mcpReq.method, 'tools/call');
      return { content: [], structuredContent: { counted: count } };
    }],
    bare: [{}, async (ask, context) => text(`${ask.round} ${context.mcpReq.method}`)],
  });
  const client = await connect(worker);
  const [count, bare] = (await client.listTools()).tools;
  assert.deepEqual([count.title, count.description, Object.keys(count.inputSchema.properties)], ['Count', 'What it does.', ['app', 'count']]);
  assert.ok(count.outputSchema);
  assert.deepEqual(bare.inputSchema.properties, {});
  assert.deepEqual((await client.callTool({ name: 'count', arguments: { app: 'web' } })).structuredContent, { counted: 1 });
  assert.equal(says(await client.callTool({ name: 'bare' })), '1 tools/call');
  assert.equal((await client.callTool({ name: 'count', arguments: {} })).isError, true); // the SDK's check
  await client.close();
});

test('what cannot be registered is refused at once', () => {
  const { engine } = new Bench();
  const made = new McpServer({ name: 'x', version: '1' });
  for (const given of [[undefined, engine], [{}, engine], [made, {}], [made, engine, { principals: 1 }], [made, engine, { principal: {} }]]) {
    assert.throws(() => elicits(...given), { kind: 'invalid_argument' });
  }
  assert.throws(() => elicits(made, engine, ONE).registerTool('a', {}), { kind: 'invalid_argument' });
});

test('neither the package alone nor the adapter imports the SDK', () => {
  const code = `require('mcp-elicit'); require('mcp-elicit/adapters/mcp');
    process.exit(Object.keys(require.cache).some(name => name.includes('@modelcontextprotocol')) ? 1 : 0)`;
  assert.equal(spawnSync(process.execPath, ['-e', code], { cwd: import.meta.dirname }).status, 0);
});

test('CommonJS gets the same as ES modules', () => {
  const code = `import { createRequire } from 'node:module';
    import { elicits } from 'mcp-elicit/adapters/mcp';
import { Host, accept } from 'mcp-elicit/testing';
    process.exit(createRequire(import.meta.url)('mcp-elicit/adapters/mcp').elicits === elicits ? 0 : 1)`;
  assert.equal(spawnSync(process.execPath, ['--input-type=module', '-e', code], { cwd: import.meta.dirname }).status, 0);
});

// ---- Rounds

test('the official client runs the rounds', async () => {
  const client = await connect(new Worker(APP), { target: ACCEPT });
  assert.equal(says(await client.callTool({ name: 'deploy', arguments: { app: 'web' } })), 'Deployed web to staging.');
  assert.deepEqual(client.asked, ['Which environment?']);
  await client.close();
});

for (const action of ['decline', 'cancel']) {
  test(`to ${action} is normal`, async () => {
    assert.equal(says(await call(new Worker(APP), 'deploy', { app: 'web' }, { target: { action } })), 'Nothing was deployed.');
  });
}

test('gather asks in one round', async () => {
  const tool = async (_, ask) => {
    const [first, second, third] = await ask.gather(
      ask.form('first', 'First?', TARGET),
      ask.url('second', 'Second?', 'https://a.example', true),
      ask.form('third', 'Third?', TARGET),
    );
    return text([first, second, third].map(({ action }) => action).join(' '));
  };
  const worker = new Worker({ tool });
  const first = await worker.result('tool');
  // What is done without having been asked needs no question.
  assert.deepEqual(Object.keys(first.inputRequests), ['first', 'third']);
  const again = await worker.result('tool', { requestState: stateOf(first), inputResponses: { first: ACCEPT, third: { action: 'decline' } } });
  assert.equal(says(again), 'accept accept decline');
});

test('questions made before the first is awaited share a round, also by Promise.all', async () => {
  const ahead = async (_, ask) => {
    const first = ask.form('first', 'First?', TARGET);
    const second = ask.form('second', 'Second?', TARGET);
    assert.equal(first.isPending, ask.round === 1);
    return text((await second).action + (await first).action);
  };
  const all = async (_, ask) => text((await Promise.all(['first', 'second'].map(key => ask.form(key, `${key}?`, TARGET)))).length.toString());
  const worker = new Worker({ ahead, all });
  for (const name of ['ahead', 'all']) {
    assert.deepEqual(Object.keys((await worker.result(name)).inputRequests), ['first', 'second']);
  }
});

test('a model and roots are asked, and steps run once a flow', async () => {
  const ran = [];
  const tool = async (_, ask) => {
    const one = await ask.step('one', async () => ran.push('slow') && { n: 1 });
    const two = await ask.step('two', () => ran.push('quick') && ['a'], { readable: true });
    const messages = [{ role: 'user', content: { type: 'text', text: 'Capital of France?' } }];
    const [said, where] = await ask.gather(ask.message('capital', { messages, maxTokens: 10 }), ask.roots('roots'));
    return text(`${one.n} ${two} ${said.content.content.text} ${where.content.roots[0].uri} ${ask.round}`);
  };
  const client = await connect(new Worker({ tool }));
  assert.equal(says(await client.callTool({ name: 'tool' })), '1 a Paris file:///home/ada 2');
  assert.deepEqual(client.asked.sort(), ['Capital of France?', 'roots']);
  assert.deepEqual(ran, ['slow', 'quick']);
  await client.close();
});

test('an invalid answer is asked again', async () => {
  const worker = new Worker(APP);
  const first = await worker.result('deploy', { arguments: { app: 'web' } });
  const inputResponses = { target: { action: 'accept', content: { environment: 'moon' } } };
  const again = await worker.result('deploy', { arguments: { app: 'web' }, requestState: stateOf(first), inputResponses });
  assert.deepEqual(Object.keys(again.inputRequests), ['target']);
});

test('a Zod type is asked for as it is, and its refinements ask again', async () => {
  const Target = z.object({ replicas: z.int().refine(value => value % 2 === 0, 'an even number is needed') }).transform(({ replicas }) => replicas * 10);
  const tool = async (_, ask) => text(`${(await ask.form('target', 'How many?', Target)).content}`);
  const worker = new Worker({ tool });
  const first = await worker.result('tool');
  assert.equal(first.inputRequests.target.params.requestedSchema.properties.replicas.type, 'integer');
  const say = (before, replicas) => worker.result('tool', { requestState: stateOf(before), inputResponses: { target: { action: 'accept', content: { replicas } } } });
  const again = await say(first, 3);
  assert.deepEqual(Object.keys(again.inputRequests), ['target']);
  assert.equal(says(await say(again, 4)), '40');
});

test('the client sees the schema as the core wrote it', async () => {
  const { inputRequests } = await new Worker(APP).result('deploy', { arguments: { app: 'web' } });
  assert.deepEqual(inputRequests.target.params.requestedSchema, JSON.parse(TARGET.wire));
});

test('retryLater sends the state alone, with data of the application', async () => {
  const tool = async (_, ask) => {
    if (ask.round < 3) {
      ask.setAppData(`${ask.appData ?? ''}${ask.round}`);
      ask.retryLater();
    }
    return text(`${Buffer.from(ask.appData)} ${ask.flowId.length}`);
  };
  const worker = new Worker({ tool });
  const first = await worker.result('tool');
  assert.deepEqual([first.resultType, first.inputRequests], ['input_required', undefined]);
  assert.equal(says(await call(worker, 'tool')), '12 22');
});

test('what of a call is over does nothing any more', async () => {
  let kept;
  await new Worker({ tool: async (_, ask) => { kept = ask; return text(''); } }).result('tool');
  assert.throws(() => kept.form('k', 'm', TARGET), { kind: 'finished' });
  assert.throws(() => kept.retryLater(), { kind: 'finished' });
});

// ---- The state

test('any worker with the keys serves the next round', async () => {
  const first = await new Worker(APP).result('deploy', { arguments: { app: 'web' } });
  const next = await new Worker(APP).result('deploy', { arguments: { app: 'web' }, requestState: stateOf(first), inputResponses: { target: ACCEPT } });
  assert.equal(says(next), 'Deployed web to staging.');
});

test('the state is sealed once, and is the engine\'s', async () => {
  const worker = new Worker(APP);
  const requestState = stateOf(await worker.result('deploy', { arguments: { app: 'web' } }));
  assert.ok(requestState.startsWith('me1.'));
  const params = { name: 'deploy', arguments: { app: 'web' }, requestState, _meta: meta() };
  assert.equal(worker.bench.engine.openParams('tools/call', params, ONE).round, 2);
});

describe('where the SDK checks states by a key of this process', () => {
  // As the SDK's documentation shows it, with a key that each process makes for itself.
  const theirs = () => createRequestStateCodec({ key: randomBytes(32) });
  const workers = tools => Array.from({ length: 2 }, () => {
    const codec = theirs();
    return new Worker(tools, { settings: () => ({ requestState: { verify: codec.verify } }) });
  });

  test('the official client still gets through, worker by worker', async () => {
    const both = workers(APP);
    const client = new Client({ name: 'test', version: '1' }, { capabilities: EVERYTHING, versionNegotiation: { mode: { pin: '2026-07-28' } } });
    client.setRequestHandler('elicitation/create', () => ACCEPT);
    let turn = 0;
    await client.connect(new StreamableHTTPClientTransport(new URL(URL_OF_SERVER), { fetch: (...given) => both[turn++ % 2].fetch(...given) }));
    for (let flow = 0; flow < 4; flow++) {
      assert.equal(says(await client.callTool({ name: 'deploy', arguments: { app: 'web' } })), 'Deployed web to staging.');
    }
    await client.close();
  });

  test('other tools keep the SDK\'s states', async () => {
    const codec = theirs();
    const bench = Object.assign(new Bench(), { errors: [] });
    const make = () => {
      const made = server(bench, APP, ONE, { requestState: { verify: codec.verify } });
      made.registerTool('plain', { inputSchema: NOTHING }, async (_, { mcpReq }) => {
        const state = mcpReq.requestState();
        if (state !== undefined) return text(`kept ${state.kept}`);
        return inputRequired({ requestState: await codec.mint({ kept: 7 }), inputRequests: { a: inputRequired.elicit({ message: 'm', requestedSchema: JSON.parse(TARGET.wire) }) } });
      });
      return made;
    };
    const handler = createMcpHandler(make);
    const worker = new Worker(APP);
    worker.fetch = (...given) => handler.fetch(new Request(...given));
    const first = await worker.result('plain');
    assert.ok(stateOf(first).startsWith('v1.'));
    assert.equal(says(await worker.result('plain', { requestState: first.requestState })), 'kept 7');
    // A state of ours on a tool that is not ours: a first round.
    const ours = stateOf(await worker.result('deploy', { arguments: { app: 'web' } }));
    assert.equal((await worker.result('plain', { requestState: ours })).resultType, 'input_required');
    // A state of the SDK's, and what is none at all, on a tool of ours.
    for (const requestState of [`${first.requestState}x`, 'v1.x', 'me2.x']) {
      assert.deepEqual((await worker.post('deploy', { arguments: { app: 'web' }, requestState })).error, REFUSED);
    }
  });
});

test('a state that is not good is refused by one error, and the log says why', async () => {
  const worker = new Worker(APP);
  const requestState = stateOf(await worker.result('deploy', { arguments: { app: 'web' } }));
  for (const [params, reason] of [
    [{ arguments: { app: 'db' }, requestState }, 'other_request'],
    [{ arguments: { app: 'web' }, requestState: `${requestState}A` }, 'forged'],
    [{ arguments: { app: 'web' }, requestState: 'v1.theirs' }, 'malformed'],
  ]) {
    worker.bench.log = [];
    assert.deepEqual((await worker.post('deploy', params)).error, REFUSED);
    assert.deepEqual(worker.bench.logged, [['state_refused', reason]]);
  }
  const other = new Worker(APP, { bench: new Bench({ audience: 'another' }) });
  assert.deepEqual((await other.post('deploy', { arguments: { app: 'web' }, requestState })).error, REFUSED);
});

test('state is bound to the arguments as they came, not as the schema made them', async () => {
  const shouted = { deploy: [{ inputSchema: z.object({ app: z.string().transform(app => app.toUpperCase()), at: z.date().default(() => new Date()) }) }, deploy] };
  assert.equal(says(await call(new Worker(shouted), 'deploy', { app: 'web' }, { target: ACCEPT })), 'Deployed WEB to staging.');
});

// ---- How a run ends

test('a signal that is let through is heard by nobody', async () => {
  const tool = async (_, ask) => {
    try {
      return text((await ask.form('target', 'Which?', TARGET)).action);
    } catch (error) {
      if (isSuspended(error)) throw error;
      return text('swallowed');
    }
  };
  const worker = new Worker({ tool });
  stateOf(await worker.result('tool'));
  assert.deepEqual(worker.bench.logged, []);
});

test('a swallowed signal is found out and reported', async () => {
  const swallow = async work => {
    try {
      return text((await work()).action);
    } catch {
      return text('swallowed');
    }
  };
  const worker = new Worker({
    returns: (_, ask) => swallow(() => ask.form('target', 'Which?', TARGET)),
    throws: async (_, ask) => {
      try {
        return text((await ask.form('target', 'Which?', TARGET)).action);
      } catch {
        throw new Error('no');
      }
    },
    forgets: async (_, ask) => {
      ask.form('target', 'Which?', TARGET);
      return text('done');
    },
    waits: (_, ask) => swallow(() => ask.retryLater()),
  });
  for (const name of ['returns', 'throws', 'forgets', 'waits']) stateOf(await worker.result(name));
  assert.deepEqual(worker.bench.logged, [
    ['suspension_swallowed', 'result'],
    ['suspension_swallowed', 'exception'],
    ['question_left_open', 'result'],
    ['suspension_swallowed', 'result'],
  ]);
});

test('what a tool returns while a question is open does not go out, also where nobody can be asked', async () => {
  const tool = async (_, ask) => {
    ask.form('target', 'Which?', TARGET, { unavailable: 'tool_error', arguments: ['environment'] });
    return text('done');
  };
  const result = await new Worker({ tool }).result('tool', {}, { capabilities: {} });
  assert.equal(result.isError, true);
  assert.match(says(result), /environment/);
});

test('the tool\'s own exceptions are the SDK\'s, and the server\'s faults reach its hook alone', async () => {
  const worker = new Worker({
    tool: [{ inputSchema: z.object({ how: z.string() }) }, async ({ how }, ask) => {
      if (how === 'own') throw new Error('on purpose');
      if (how === 'elicit') throw new ElicitError('ours', { code: 4004, data: { b: 2 } });
      if (how === 'schema') await ask.form('k', 'm', { type: 'array' });
      return inputRequired({ requestState: 'mine' });
    }],
  });
  const own = await worker.result('tool', { arguments: { how: 'own' } });
  assert.deepEqual([own.isError, says(own)], [true, 'on purpose']);
  assert.deepEqual((await worker.post('tool', { arguments: { how: 'elicit' } })).error, { code: 4004, message: 'ours', data: { b: 2 } });
  assert.deepEqual(worker.bench.errors, []);
  for (const [how, kind] of [['schema', 'schema'], ['itself', 'invalid_result']]) {
    assert.deepEqual((await worker.post('tool', { arguments: { how } })).error, { code: -32603, message: 'Internal error' });
    assert.equal(worker.bench.errors.pop().kind, kind);
  }
});

test('a tool of ours runs for a tools/call alone, and once', async () => {
  const bench = Object.assign(new Bench(), { errors: [] });
  const made = server(bench);
  const asking = elicits(made, bench.engine, ONE);
  const inner = asking.registerTool('inner', { inputSchema: NOTHING }, async () => text('inner'));
  await assert.rejects(inner.handler({}, { mcpReq: {} }), { kind: 'config' });
  const outer = async (args, ask, context) => inner.handler(args, context);
  const worker = new Worker({ outer });
  assert.equal((await worker.post('outer')).error.code, -32603);
  assert.equal(worker.bench.errors[0].kind, 'config');
});

// ---- With no one there

/** Asks with the policy that the test names. */
const byPolicy = {
  ask: [{ inputSchema: z.object({ policy: z.string(), environment: z.string().optional() }) }, async ({ policy }, ask) => {
    const schema = { ...JSON.parse(TARGET.wire), ...(policy === 'defaults' && { required: ['notify'] }) };
    const target = await ask.form('target', 'Which environment?', schema, { unavailable: policy, arguments: ['environment'] });
    return text(`${target.action} ${target.source} ${JSON.stringify(target.content)}`);
  }],
};

for (const [title, more] of [
  ['of 2026-07-28 without elicitation', { capabilities: {} }],
  ['of 2025 over HTTP', { version: 'legacy' }],
  ['of 2025 over a connection, which declares elicitation', { version: 'legacy', connected: true }],
]) {
  test(`a client ${title} gets what unavailable says`, async () => {
    let where = new Worker(byPolicy);
    const ask = async args => {
      if (more.connected) {
        const [ours, theirs] = InMemoryTransport.createLinkedPair();
        await server(where.bench, byPolicy).connect(theirs);
        return call(ours, 'ask', args, { target: ACCEPT }, more);
      }
      return call(where, 'ask', args, { target: ACCEPT }, more);
    };
    const missing = await ask({ policy: 'error' });
    assert.ok(missing instanceof ProtocolError, missing);
    assert.equal(missing.code, -32021);
    assert.deepEqual(missing.data, { requiredCapabilities: { elicitation: { form: {} } } });
    assert.equal(/2026-07-28; the client speaks 2025-11-25/.test(missing.message), more.version === 'legacy', missing.message);
    const told = await ask({ policy: 'tool_error' });
    assert.deepEqual([told.isError, /environment/.test(says(told))], [true, true]);
    assert.match(says(await ask({ policy: 'tool_error', environment: 'prod' })), /^accept argument .*prod/);
    assert.equal(says(await ask({ policy: 'defaults' })), 'accept default {"notify":false}');
    assert.equal(says(await ask({ policy: 'outcome' })), 'unavailable undefined undefined');
  });
}

test('-32021 is HTTP 400, as the protocol says', async () => {
  const worker = new Worker(APP);
  assert.equal((await worker.post('deploy', { arguments: { app: 'web' } }, { capabilities: {} })).error.code, -32021);
  assert.equal(worker.status, 400);
});

// ---- Who asks

const who = async (_, { principal: { kind, issuer, subject, client } }) => text(`${kind} ${issuer} ${subject} ${client}`);
const token = (sub, clientId = 'app', iss = 'https://login.example') => ({ token: 't', clientId, scopes: [], expiresAt: 9e9, extra: { iss, sub } });

test('the principal is that of the verified token, before the one that is given', async () => {
  const worker = new Worker({ who }, { authInfo: token('ada') });
  assert.equal(says(await worker.result('who')), 'user https://login.example ada app');
  assert.equal(says(await new Worker({ who }).result('who')), 'single_user undefined undefined undefined');
  assert.equal(says(await new Worker({ who }, { options: { principal: { issuer: 'i', subject: 's', client: 'c' } } }).result('who')), 'user i s c');
});

for (const [given, passes] of [[token('ada'), true], [token('eve'), false], [token('ada', 'other'), false], [token('ada', 'app', 'https://evil.example'), false]]) {
  test(`nobody goes on with what another began: ${given.extra.iss} ${given.extra.sub} ${given.clientId}`, async () => {
    const requestState = stateOf(await new Worker(APP, { authInfo: token('ada') }).result('deploy', { arguments: { app: 'web' } }));
    const worker = new Worker(APP, { authInfo: given });
    const { result, error } = await worker.post('deploy', { arguments: { app: 'web' }, requestState, inputResponses: { target: ACCEPT } });
    if (passes) return assert.equal(says(result), 'Deployed web to staging.');
    assert.deepEqual(error, REFUSED);
    assert.deepEqual(worker.bench.logged, [['state_refused', 'other_principal']]);
  });
}

test('a function tells the principal where tokens do not', async () => {
  const principal = async ({ http }) => {
    assert.equal(http.authInfo.clientId, 'app');
    return new Principal('https://login.example', http.req.headers.get('x-user'), http.authInfo.clientId);
  };
  const worker = new Worker({ who }, { options: { principal }, authInfo: { token: 't', clientId: 'app', scopes: [] } });
  assert.equal(says(await worker.result('who', {}, { headers: { 'x-user': 'ada' } })), 'user https://login.example ada app');
});

test('no principal is an error, and the server\'s hook hears why', async () => {
  for (const [given, cause] of [
    [{ options: {} }, /has no authInfo/],
    [{ authInfo: { token: 't', clientId: 'app', scopes: [] } }, /does not say whose/],
    [{ authInfo: token('') }, /does not say whose/],
    [{ options: { principal: () => { throw new Error('secret'); } } }, /threw/],
    [{ options: { principal: () => 'ada' } }, /principal is needed/],
  ]) {
    const worker = new Worker({ who }, given);
    assert.deepEqual((await worker.post('who')).error, { code: -32603, message: 'Internal error' });
    assert.match(worker.bench.errors[0].message, cause);
  }
  const refuses = () => { throw new ElicitError('not you', { code: 4003 }); };
  assert.deepEqual((await new Worker({ who }, { options: { principal: refuses } }).post('who')).error, { code: 4003, message: 'not you' });
});

// ---- Transports

test('over stdio, also where transports have accessors and are there before the tool', async t => {
  const bench = Object.assign(new Bench(), { errors: [] });
  const lines = [new PassThrough(), new PassThrough()];
  class Kept extends StdioServerTransport {
    get onmessage() { return this.kept; }
    set onmessage(next) { this.kept = next; }
  }
  const served = serveStdio(() => server(bench), { transport: new StdioServerTransport(...lines) });
  t.after(() => served.close());
  const send = (params, id) => lines[0].write(`${JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params: { name: 'deploy', arguments: { app: 'web' }, ...params, _meta: { ...meta(EVERYTHING), 'io.modelcontextprotocol/clientInfo': { name: 't', version: '1' } } } })}\n`);
  const received = async () => JSON.parse((await lines[1].iterator({ destroyOnReturn: false }).next()).value);
  send({}, 1);
  const { result } = await received();
  send({ requestState: stateOf(result), inputResponses: { target: ACCEPT } }, 'two');
  const last = await received();
  assert.deepEqual([last.id, says(last.result)], ['two', 'Deployed web to staging.']);

  // A connection of 2025: the tool comes when it stands.
  const more = [new PassThrough(), new PassThrough()];
  const late = new McpServer({ name: 'late', version: '1' }, { capabilities: { tools: {} } });
  await late.connect(new Kept(...more));
  t.after(() => late.close());
  elicits(late, bench.engine, ONE).registerTool('deploy', ...APP.deploy);
  more[0].write(`${JSON.stringify({ jsonrpc: '2.0', id: 3, method: 'tools/call', params: { name: 'deploy', arguments: { app: 'web' } } })}\n`);
  for await (const line of more[1]) {
    const message = JSON.parse(line);
    if (message.id !== 3) continue;
    assert.equal(message.error.code, -32021);
    break;
  }
});

test('calls that overlap on one connection do not mix', async t => {
  const bench = Object.assign(new Bench(), { errors: [] });
  const lines = [new PassThrough(), new PassThrough()];
  const served = serveStdio(() => server(bench), { transport: new StdioServerTransport(...lines) });
  t.after(() => served.close());
  const apps = Array.from({ length: 20 }, (_, n) => `app-${n}`);
  const send = (app, id, more) => lines[0].write(`${JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params: { name: 'deploy', arguments: { app }, ...more, _meta: { ...meta(EVERYTHING), 'io.modelcontextprotocol/clientInfo': { name: 't', version: '1' } } } })}\n`);
  for (const [id, app] of apps.entries()) send(app, id);
  const done = new Map();
  for await (const chunk of lines[1]) {
    for (const line of chunk.toString().trim().split('\n')) {
      const { id, result } = JSON.parse(line);
      if (result.resultType === 'input_required') send(apps[id], id, { requestState: result.requestState, inputResponses: { target: ACCEPT } });
      else done.set(id, says(result));
    }
    if (done.size === apps.length) break;
  }
  assert.deepEqual(apps.map((_, id) => done.get(id)), apps.map(app => `Deployed ${app} to staging.`));
});

/** A listener on a free port, until the test ends; its URL. */
async function listening(t, handler) {
  const http = createServer(handler);
  await new Promise(resolve => { http.listen(0, '127.0.0.1', resolve); });
  t.after(() => {
    http.closeAllConnections();
    return new Promise(resolve => { http.close(resolve); });
  });
  return new URL(`http://127.0.0.1:${http.address().port}/mcp`);
}

test('a session of 2025 over HTTP, as Node servers hold it', async t => {
  const bench = Object.assign(new Bench(), { errors: [] });
  const transport = new NodeStreamableHTTPServerTransport({ sessionIdGenerator: () => 'one' });
  await server(bench, byPolicy).connect(transport);
  const url = await listening(t, (request, response) => transport.handleRequest(request, response));
  const client = await connect(new StreamableHTTPClientTransport(url), { target: ACCEPT }, { version: 'legacy' });
  t.after(async () => {
    await client.close();
    await transport.close();
  });
  await assert.rejects(client.callTool({ name: 'ask', arguments: { policy: 'error' } }), { code: -32021 });
  assert.equal(says(await client.callTool({ name: 'ask', arguments: { policy: 'defaults' } })), 'accept default {"notify":false}');
  assert.deepEqual(client.asked, []);
});

// ---- The example

describe('the example server', () => {
  const example = new URL('../examples/sdk-server.mjs', import.meta.url).pathname;
  const { engine } = new Bench();
  const overHttp = (user = 'ada') => Host.listener(listener(engine), { path: '/mcp' }).header('authorization', `Bearer demo-${user}`);

  test('deploys, by the test host, and stands its attacks', async t => {
    const host = overHttp().answer('target', accept({ environment: 'prod', notify: true })).otherHeader('authorization', 'Bearer demo-eve');
    t.after(() => host.close());
    const flow = await host.call('deploy', { app: 'web' });
    assert.equal(flow.text, 'Deployed web to prod and notified the team.');
    const attacked = await host.attackAll(flow);
    assert.ok(attacked.some(({ name }) => name === 'other_principal'));
    assert.deepEqual(attacked.filter(({ held }) => !held), []);
  });

  test('drops what the user is sure of', async t => {
    for (const [sure, words] of [[true, 'Dropped old: moved'], [false, 'Nothing was dropped.']]) {
      const host = overHttp().answer('why', accept({ reason: 'moved' })).answer('sure', accept({ sure }));
      t.after(() => host.close());
      assert.equal((await host.call('drop_database', { name: 'old' })).text, words);
    }
  });

  test('wants a token, and no page of another site', async t => {
    const url = await listening(t, listener(engine));
    const post = headers => fetch(url, { method: 'POST', body: '{}', headers });
    assert.equal((await post({})).status, 401);
    assert.equal((await post({ authorization: 'Bearer demo-ada', origin: 'https://evil.example' })).status, 403);
  });

  test('over stdio, for one person', async () => {
    const command = { command: process.execPath, args: [example, '--stdio'], env: { ...process.env, MCP_ELICIT_KEYS: KEY } };
    assert.equal(says(await call(new StdioClientTransport(command), 'deploy', { app: 'web' }, { target: ACCEPT })), 'Deployed web to staging.');
    assert.equal(serve(engine, Principal.singleUser()).isConnected(), false);
  });
});
