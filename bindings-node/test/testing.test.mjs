// mcp-elicit/testing: one script, every kind of server.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import path from 'node:path';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { inspect } from 'node:util';
import { ElicitError, Engine, Principal } from 'mcp-elicit';
import * as testing from 'mcp-elicit/testing';
import { Clock, Flow, FlowError, Host, accept, cancel, decline, never, result } from 'mcp-elicit/testing';
import { KEY, TARGET, text } from './support.mjs';

const here = path.dirname(fileURLToPath(import.meta.url));

const deploy = call => {
  const target = call.elicitForm('target', 'Which environment?', TARGET);
  if (target.action !== 'accept') return text(`Nothing was deployed (${target.action}).`);
  return text(`Deployed to ${target.content.environment}.`);
};

const clock = new Clock();
const engine = new Engine({ keys: [KEY], audience: 'deployer', clock: clock.now });
const dev = accept({ environment: 'dev' });
const host = new Host(engine, deploy);

/** A rejection with a FlowError whose one fault is against this rule. */
const broken = rule => error => {
  assert.ok(error instanceof FlowError && error instanceof ElicitError, inspect(error));
  assert.deepEqual(error.faults.map(fault => fault.rule), [rule]);
  return true;
};

describe('the person', () => {
  for (const [answer, words] of [
    [dev, 'Deployed to dev.'],
    [accept('{"environment":"prod"}'), 'Deployed to prod.'],
    [decline(), 'Nothing was deployed (decline).'],
    [cancel(), 'Nothing was deployed (cancel).'],
    [result({ action: 'decline' }), 'Nothing was deployed (decline).'],
    [question => (question.key === 'target' ? dev : never()), 'Deployed to dev.'],
    [async () => decline(), 'Nothing was deployed (decline).'],
  ]) {
    test(words, async () => {
      assert.equal((await host.answer('target', answer).call('deploy')).text, words);
    });
  }

  test('a function sees the question', async () => {
    let seen;
    await host.answer('target', question => { seen = question; return decline(); }).call('deploy');
    const { key, kind, round, message, schema, request, url } = seen;
    assert.deepEqual({ key, kind, round, message, url }, { key: 'target', kind: 'form', round: 1, message: 'Which environment?', url: undefined });
    assert.deepEqual(schema.required, ['environment']);
    assert.equal(request.method, 'elicitation/create');
  });

  test('what is no answer', async () => {
    for (const wrong of [undefined, {}, 'accept', { action: 'accept' }, Object.create(testing.Answer.prototype)]) {
      assert.throws(() => host.answer('target', wrong), { kind: 'invalid_argument' });
      await assert.rejects(host.answer('target', () => wrong).call('deploy'), { kind: 'invalid_argument' });
    }
    await assert.rejects(host.answer('target', () => { throw new RangeError('mine'); }).call('deploy'), RangeError);
    assert.throws(() => accept({ big: 1n }), { kind: 'invalid_argument' });
  });

  test('a person who never answers', async () => {
    const flow = await host.otherwise(never()).call('deploy');
    assert.deepEqual([flow.end, flow.rounds], ['abandoned', 1]);
    assert.throws(() => flow.text, error => {
      assert.ok(error instanceof FlowError);
      assert.equal(error.flow, flow);
      assert.equal(error.kind, 'invalid_argument');
      assert.match(error.message, /never answered.*\n-> \{"jsonrpc"/);
      return true;
    });
  });

  test('answers under one key are said in turn, and the last one stays', async () => {
    const twice = host.answer('target', accept({ environment: 'moon' })).answer('target', dev);
    for (let time = 0; time < 2; time += 1) {
      const flow = await twice.call('deploy');
      assert.equal(flow.text, 'Deployed to dev.');
      assert.deepEqual(flow.questions.map(({ key, round }) => [key, round]), [['target', 1], ['target', 2]]);
      assert.equal(flow.question('target'), flow.questions[1]);
      assert.equal(flow.question('other'), undefined);
    }
  });

  test('an unexpected question fails the test, in its words', async () => {
    await assert.rejects(host.answer('other', dev).call('deploy'), error => {
      assert.match(error.message, /Which environment\?/);
      assert.equal(error.name, 'FlowError');
      assert.equal(error.flow.rounds, 1);
      return broken('unscripted')(error);
    });
  });

  test('a host is not changed by what is made of it', async () => {
    assert.equal((await host.answer('target', decline()).capabilities({}).call('deploy')).end, 'error');
    await assert.rejects(host.call('deploy'), broken('unscripted'));
  });
});

describe('the client', () => {
  test('what it can is what it says', async () => {
    const flow = await host.capabilities({}).call('deploy');
    assert.equal(flow.error.code, -32021);
    assert.deepEqual(flow.error.data, { requiredCapabilities: { elicitation: { form: {} } } });
    assert.throws(() => flow.result, { kind: 'application', code: -32021, data: flow.error.data });
  });

  test('the first round alone', async () => {
    const flow = await host.firstRoundOnly().call('deploy');
    assert.deepEqual([flow.end, flow.rounds, flow.isComplete], ['first_round', 1, false]);
    assert.equal(JSON.parse(flow.reply).result.resultType, 'input_required');
  });

  test('every message is recorded in order', async () => {
    const over = host.http().answer('target', dev);
    const flows = [await over.call('deploy', { app: 'web' }), await over.call('deploy')];
    const [flow] = flows;
    assert.deepEqual(flow.messages.map(({ sent, status }) => [sent, status]), [[true, undefined], [false, 200], [true, undefined], [false, 200]]);
    assert.deepEqual(flow.messages[0].headers.at(-1), ['Mcp-Name', 'deploy']);
    assert.equal(flow.status, 200);
    const ids = flows.flatMap(each => each.messages.filter(({ sent }) => sent).map(message => JSON.parse(message.text).id));
    assert.equal(new Set(ids).size, 4);
    assert.match(flow.transcript, /^-> \{.*\}\n<- HTTP 200 \{.*\}\n-> \{.*\}\n<- HTTP 200 \{.*\}\n$/);
    assert.equal(inspect(flow) + inspect(dev), 'Flow(complete, 2 rounds)Answer');
  });

  test('flows at once have ids of their own', async () => {
    const flows = await Promise.all(Array.from({ length: 5 }, () => host.answer('target', dev).call('deploy')));
    const ids = flows.flatMap(flow => flow.messages.filter(({ sent }) => sent).map(message => JSON.parse(message.text).id));
    assert.equal(new Set(ids).size, 10);
  });

  test('who it is', async () => {
    const who = new Host(engine, call => text(`${call.clientInfo?.name} for ${call.principal.subject}`));
    assert.equal((await who.call('x')).text, 'mcp-elicit test host for alice');
    const bob = { issuer: 'https://login.example', subject: 'bob', client: 'cli' };
    assert.equal((await who.principal(bob).clientInfo({ name: 'mine', version: '1' }).call('x')).text, 'mine for bob');
    assert.equal((await who.principal(Principal.none()).clientInfo(null).call('x')).text, 'undefined for undefined');
  });

  test('prompts, resources and any request, with every digit', async () => {
    const all = new Host(engine, call => {
      if (call.method === 'prompts/get') return { messages: [{ role: 'user', content: { type: 'text', text: call.arguments.language } }] };
      if (call.method === 'resources/read') return { contents: [{ uri: 'a', text: 'A' }, { uri: 'b', text: 'B' }] };
      return `{"content":[{"type":"text","text":"t"}],"isError":true,"big":${JSON.stringify(call.arguments).length}.10}`;
    });
    assert.equal((await all.prompt('review', { language: 'en' })).text, 'en');
    assert.equal((await all.read('file:///a')).text, 'A\nB');
    const tool = await all.call('x', '{"exact":9007199254740993}');
    assert.match(tool.messages[0].text, /9007199254740993/);
    assert.match(tool.resultText, /"big":\d+\.10/);
    assert.ok(tool.isToolError);
    assert.ok((await all.request('tools/call', { name: 'y' })).isToolError);
  });

  test('parameter headers', async () => {
    const mirrored = new Host(engine, call => text(call.arguments.region)).http()
      .paramHeader('Region', 'region').paramHeader('Zone', ['place', 'zone']);
    const flow = await mirrored.call('x', { region: 'süd', place: { zone: 7 } });
    assert.equal(flow.text, 'süd');
    assert.deepEqual(flow.messages[0].headers.slice(-2), [['Mcp-Param-Region', '=?base64?c8O8ZA==?='], ['Mcp-Param-Zone', '7']]);
  });

  test('what cannot be sent, or made, says so', async () => {
    for (const wrong of ['[]', '{', '{"a":1,"a":2}']) {
      await assert.rejects(host.request('tools/call', wrong), { kind: 'invalid_argument' });
    }
    await assert.rejects(host.call('x', '{'), { kind: 'invalid_argument' });
    await assert.rejects(host.call(7), { kind: 'invalid_argument' });
    for (const make of [
      () => new Host(), () => new Host(engine), () => Host.callable(), () => Host.fetch(1), () => Host.listener({}),
      () => Host.url('/mcp'), () => Host.url('ftp://127.0.0.1/'), () => Host.url('http://127.0.0.1', { timeout: 1 }),
      () => Host.command('node'), () => Host.command([]), () => Host.command(['node'], { environment: {} }),
      () => host.rounds(0), () => host.clock({}), () => host.header('a', 1), () => host.principal({}),
    ]) assert.throws(make, { kind: 'invalid_argument' }, make.toString());
  });

  test('both kinds of modules give the same classes', () => {
    const common = createRequire(import.meta.url)('mcp-elicit/testing');
    assert.deepEqual(Object.keys(testing).sort(), Object.keys(common).sort());
    for (const name of Object.keys(common)) assert.equal(testing[name], common[name]);
    assert.ok(new Flow({}) instanceof common.Flow);
  });
});

const RESULT = { jsonrpc: '2.0', id: 1, result: { content: [{ type: 'text', text: 'é' }] } };
const EVENT = `: hello\n\ndata: ${JSON.stringify(RESULT)}\n\n`;
const web = (body, type, status = 200) => new Response(body, { status, headers: type ? { 'content-type': type } : {} });

describe('servers that are called', () => {
  for (const [name, make] of Object.entries({
    'an object': () => RESULT,
    text: () => JSON.stringify(RESULT),
    bytes: () => Buffer.from(JSON.stringify(RESULT)),
    'a response': () => Response.json(RESULT),
    'a stream of events': () => web(EVENT, 'text/event-stream'),
    'a promise': async () => RESULT,
  })) {
    test(`returning ${name}`, async () => {
      assert.equal((await Host.callable(make).call('x')).text, 'é');
    });
  }

  test('they see the request', async () => {
    const seen = [];
    const called = Host.callable(request => {
      seen.push(request);
      return engine.run(request.body, deploy, request.caller);
    }).answer('target', dev);
    const over = await called.http().header('X-Test', '1').call('deploy');
    assert.deepEqual([over.text, over.status], ['Deployed to dev.', 200]);
    assert.equal(seen[0].message.params.name, 'deploy');
    assert.deepEqual(seen[0].headers.at(-1), ['X-Test', '1']);
    assert.equal(seen[0].principal.subject, 'alice');
    assert.equal((await called.call('deploy')).status, undefined);
  });

  test('what their own code throws goes to the test', async () => {
    const handler = () => { throw new RangeError('mine'); };
    await assert.rejects(new Host(engine, handler).call('x'), RangeError);
    await assert.rejects(Host.callable(handler).call('x'), RangeError);
    await assert.rejects(new Host(engine, call => call.elicitForm('', '', TARGET)).call('x'), { kind: 'invalid_ask' });
  });

  for (const [rule, make] of [
    ['syntax', () => 'nonsense'],
    ['id', () => ({ jsonrpc: '2.0', id: 7, result: {} })],
    ['no_reply', () => ({ jsonrpc: '2.0', method: 'notifications/message' })],
    ['http_status', () => web(null, undefined, 401)],
    ['content_type', () => web('<html>', 'text/html')],
    ['no_reply', () => web('', 'text/event-stream')],
  ]) {
    test(`a reply that breaks the protocol: ${rule}`, async () => {
      await assert.rejects(Host.callable(make).call('x'), broken(rule));
    });
  }

  test('what no server returns', async () => {
    await assert.rejects(Host.callable(() => 7).call('x'), { kind: 'invalid_argument' });
  });

  test('a flow without end has one', async () => {
    const later = ({ message }) => ({ jsonrpc: '2.0', id: message.id, result: { resultType: 'input_required', requestState: 's' } });
    await assert.rejects(Host.callable(later).rounds(3).call('x'), error => {
      assert.equal(error.flow.rounds, 3);
      return broken('rounds')(error);
    });
  });

  test('a fetch handler, whose stream is left when the reply is there', async () => {
    let left = false;
    const stream = new ReadableStream({
      start: controller => controller.enqueue(new TextEncoder().encode(EVENT)),
      cancel: () => { left = true; },
    });
    const served = Host.fetch(async request => {
      assert.deepEqual([request.method, new URL(request.url).pathname, request.headers.get('mcp-name')], ['POST', '/mcp', 'x']);
      assert.equal((await request.json()).method, 'tools/call');
      return web(stream, 'text/event-stream');
    });
    assert.equal((await served.call('x')).text, 'é');
    assert.ok(left);
  });
});

const ALL = [
  'tamper_first', 'tamper_middle', 'tamper_last', 'tamper_cut', 'tamper_appended', 'tamper_padded', 'tamper_spaced',
  'tamper_doubled', 'tamper_emptied', 'unasked', 'other_arguments', 'other_target', 'other_principal', 'expired',
];

describe('attacks', () => {
  test('the engine stands them all', async () => {
    const now = clock.nowMs;
    const armed = host.answer('target', dev).otherTarget('destroy').clock(clock);
    const flow = await armed.call('deploy', { app: 'web' });
    const attacked = await armed.attackAll(flow);
    assert.deepEqual(attacked.map(({ name }) => name), ALL);
    for (const each of attacked) {
      assert.ok(each.held, `${each.name}\n${each.flow.transcript}`);
      if (each.name !== 'unasked') assert.deepEqual(each.flow.error.data, { reason: 'invalid_request_state' });
    }
    assert.equal(clock.nowMs, now);
    assert.equal((await armed.attack(flow, 'replay')).text, 'Deployed to dev.');
  });

  test('a server that trusts its client is found out', async () => {
    const question = { method: 'elicitation/create', params: { message: 'Which?', requestedSchema: { type: 'object', properties: {} } } };
    const trusting = Host.callable(({ message }) => ({
      jsonrpc: '2.0',
      id: message.id,
      result: message.params.inputResponses
        ? text('Done.')
        : { resultType: 'input_required', requestState: 'plain', inputRequests: { target: question } },
    })).answer('target', accept()).otherTarget('destroy').otherHeader('Authorization', 'Bearer mallory');
    const attacked = await trusting.attackAll(await trusting.call('deploy'));
    assert.deepEqual(attacked.map(({ name }) => name), ALL.slice(0, -1));
    assert.ok(attacked.every(({ held }) => !held));
  });

  test('they say what they lack', async () => {
    const flow = await host.answer('target', dev).call('deploy');
    const other = Host.callable(({ body, caller }) => engine.run(body, deploy, caller));
    for (const attack of [
      () => host.attack(flow, 'expired'), () => other.attack(flow, 'other_principal'), () => host.attack(flow, 'other_target'),
      () => host.attack(flow, 'replay', 'x'), () => host.attack(flow, 'nothing'), () => host.attack(flow, 'other_arguments', '{'),
    ]) await assert.rejects(attack(), { kind: 'invalid_argument' }, attack.toString());
    const plain = new Host(engine, () => text('Done.'));
    await assert.rejects(plain.attack(await plain.call('x'), 'replay'), { kind: 'invalid_argument' });
  });
});

describe('over HTTP', () => {
  test('the example server', async () => {
    const child = spawn(process.execPath, [path.join(here, '..', 'examples', 'billing-server.mjs')], {
      env: { ...process.env, PORT: '0', MCP_ELICIT_KEYS: KEY },
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    try {
      const url = await new Promise((resolve, reject) => {
        child.once('exit', code => reject(new Error(`it ended with ${code}`)));
        child.stdout.once('data', chunk => resolve(/^listening on (\S+)$/m.exec(chunk)[1]));
      });
      const billing = Host.url(url).header('Authorization', 'Bearer demo-ada')
        .otherHeader('authorization', 'Bearer demo-mallory').otherTarget('list_invoices');
      const flow = await billing.answer('target', accept({ environment: 'staging', notify: true })).call('deploy', { app: 'web' });
      assert.equal(flow.text, 'Deployed to staging and notified the team.');
      for (const each of await billing.attackAll(flow)) assert.ok(each.held, `${each.name}\n${each.flow.transcript}`);
      assert.equal((await billing.answer('target', decline()).call('deploy')).text, 'Nothing was deployed.');

      const links = [];
      const signIn = async ({ url: link }) => {
        links.push(link);
        if (links.length === 2) {
          const flowId = new URL(link).searchParams.get('flow');
          const post = (to, fields, headers = {}) =>
            fetch(new URL(to, link), { method: 'POST', body: new URLSearchParams({ flow: flowId, ...fields }), redirect: 'manual', headers });
          const cookie = (await post('/login', { user: 'ada' })).headers.get('set-cookie').split(';')[0];
          assert.equal((await post('/connect', {}, { cookie })).status, 200);
        }
        return accept();
      };
      const noInvoices = "The billing account isn't connected, so no invoices were read.";
      assert.equal((await billing.answer('login', cancel()).call('list_invoices')).text, noInvoices);
      const visited = await billing.answer('login', signIn).call('list_invoices');
      assert.deepEqual([visited.text, visited.rounds], ['2 open invoices.', 3]);
      assert.equal(links[0], links[1]);
      const formsOnly = await billing.capabilities({ elicitation: {} }).call('list_invoices');
      assert.equal(formsOnly.text, '2 open invoices.'); // connected: nobody needs to be asked

      await assert.rejects(Host.url(url).call('deploy'), error => error.flow.status === 401 && broken('http_status')(error));
    } finally {
      await new Promise(resolve => { child.once('exit', resolve).kill(); });
    }
  });

  test('a listener, behind a port while the host is in use', async () => {
    const closed = [];
    const served = Host.listener(async (request, response) => {
      closed.push(new Promise(resolve => { response.on('close', resolve); }));
      const chunks = [];
      for await (const chunk of request) chunks.push(chunk);
      const { id, params } = JSON.parse(Buffer.concat(chunks));
      assert.equal(request.url, '/rpc');
      assert.equal(request.headers['mcp-name'], params.name);
      if (params.name === 'moved') return response.writeHead(307, { location: '/' }).end();
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(`data: ${JSON.stringify({ ...RESULT, id })}\n\n`); // and stays open
      return undefined;
    }, { path: '/rpc', timeoutMs: 5000 });
    assert.equal((await served.call('x')).text, 'é');
    await assert.rejects(served.call('moved'), broken('http_status'));
    await served.close();
    await served.close();
    assert.equal((await served.call('x')).text, 'é');
    await served[Symbol.asyncDispose]();
    assert.equal(closed.length, 3);
    await Promise.all(closed); // the streams that stayed open were left
  });

  test('a server that is silent, cuts off, or is not there', async () => {
    const silent = Host.listener(() => {}, { timeoutMs: 20 });
    await assert.rejects(silent.call('x'), error => /silent/.test(error.message) && broken('no_reply')(error));
    await silent.close();
    const cut = Host.listener((_, response) => {
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': 100 });
      response.write('{');
      setImmediate(() => response.destroy());
    });
    await assert.rejects(cut.call('x'), broken('no_reply'));
    await cut.close();
    const server = createServer().listen(0, '127.0.0.1');
    await new Promise(resolve => { server.once('listening', resolve); });
    const { port } = server.address();
    await new Promise(resolve => { server.close(resolve); });
    await assert.rejects(Host.url(`http://127.0.0.1:${port}/mcp`).call('x'), error => /ECONNREFUSED/.test(error.message) && broken('no_reply')(error));
  });
});

describe('a command over stdio', () => {
  const command = options => Host.command([process.execPath, path.join(here, 'testing-stdio.mjs')], { env: { ...process.env, KEY }, ...options });
  let served;
  before(() => { served = command().answer('target', dev); });
  after(() => served.close());

  test('plays flows, one process for all', async () => {
    const flows = await Promise.all([served.call('deploy'), served.call('deploy')]);
    assert.match(flows[0].text, /^Deployed to dev by \d+\.$/);
    assert.equal(flows[0].text, flows[1].text);
    assert.deepEqual(flows[0].messages.map(message => JSON.parse(message.text).method), [
      'tools/call', 'notifications/progress', undefined, 'tools/call', 'notifications/progress', undefined,
    ]);
    for (const each of await served.attackAll(flows[0])) assert.ok(each.held, each.flow.transcript);
  });

  test('is started anew after a failure', async () => {
    const first = (await served.call('deploy')).text;
    await assert.rejects(served.call('exit'), error => /status 3/.test(error.message) && broken('no_reply')(error));
    const second = (await served.call('deploy')).text;
    assert.notEqual(second, first);
    await assert.rejects(served.call('print'), broken('syntax'));
    assert.notEqual((await served.call('deploy')).text, second);
  });

  test('that is silent, or none', async () => {
    const silent = command({ timeoutMs: 10 });
    await assert.rejects(silent.call('silent'), error => /within 10 ms/.test(error.message) && broken('no_reply')(error));
    await silent.close();
    await assert.rejects(Host.command(['/no/such/command']).call('x'), error => /does not run/.test(error.message) && broken('no_reply')(error));
  });

  test('does not keep a process alive that forgot to close it', async () => {
    const program = `
      const { Host, decline } = require('mcp-elicit/testing');
      const host = Host.command([process.execPath, ${JSON.stringify(path.join(here, 'testing-stdio.mjs'))}]).answer('target', decline());
      host.call('deploy').then(flow => console.log(flow.text));`;
    const child = spawn(process.execPath, ['-e', program], { cwd: path.join(here, '..'), env: { ...process.env, KEY }, stdio: ['ignore', 'pipe', 'inherit'] });
    let out = '';
    child.stdout.on('data', chunk => { out += chunk; });
    assert.equal(await new Promise(resolve => { child.once('close', resolve); }), 0);
    assert.equal(out, 'Nothing was deployed.\n');
  });
});
