// The example server over HTTP, by the example client on the official SDK and by plain requests.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { Host, accept } from 'mcp-elicit/testing';
import { KEY, meta, request } from './support.mjs';

const here = path.dirname(fileURLToPath(import.meta.url));
const example = name => path.join(here, '..', 'examples', name);
const scenario = name => path.join(here, '..', '..', 'tests', 'scenario', name);
const folder = mkdtempSync(path.join(tmpdir(), 'mcp-elicit-examples-'));
after(() => rmSync(folder, { recursive: true, force: true }));

/** Starts the example server; gives its address, what it wrote to stderr, and how to end it. */
function start(env = {}) {
  const child = spawn(process.execPath, [example('billing-server.mjs')], {
    env: { ...process.env, PORT: '0', MCP_ELICIT_KEYS: KEY, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const server = {
    log: [],
    stop: () => new Promise(resolve => { child.once('exit', resolve).kill(); }),
  };
  child.stderr.on('data', chunk => server.log.push(...chunk.toString().trim().split('\n')));
  return new Promise((resolve, reject) => {
    child.once('exit', code => reject(new Error(`the server ended with ${code}: ${server.log.join('\n')}`)));
    child.stdout.once('data', chunk => {
      server.url = /^listening on (\S+)$/m.exec(chunk.toString())[1];
      resolve(server);
    });
  });
}

/** Runs the example client to its end. */
function client(...words) {
  const child = spawn(process.execPath, [example('client.mjs'), ...words], { stdio: ['ignore', 'pipe', 'pipe'] });
  let out = '';
  let errors = '';
  child.stdout.on('data', chunk => { out += chunk; });
  child.stderr.on('data', chunk => { errors += chunk; });
  return new Promise(resolve => { child.once('close', code => resolve({ code, out, errors })); });
}

function script(name, steps) {
  const file = path.join(folder, name);
  writeFileSync(file, JSON.stringify(steps));
  return file;
}

describe('the client', () => {
  let server;
  before(async () => { server = await start(); });
  after(() => server.stop());

  test('plays the scenario against the server', async () => {
    const { code, out, errors } = await client('--script', scenario('scenario.json'), server.url);
    const steps = JSON.parse(readFileSync(scenario('scenario.json'), 'utf8')).length;
    assert.equal(code, 0, out + errors);
    assert.match(out, new RegExp(`\\n${steps} passed, 0 failed\\n$`));
    assert.match(out, /^-> \{.*"method":"tools\/call"/m);
    assert.match(out, /^<- HTTP 200 \{.*"resultType":"input_required"/m);
    assert.match(out, /^<- HTTP 400 \{.*-32021/m);
  });

  test('tells each miss and exits with 1', async () => {
    const answer = { action: 'decline' };
    const steps = [
      { name: 'text', tool: 'deploy', answers: [answer], expect: { text: 'Deployed to the moon.' } },
      { name: 'rounds', tool: 'deploy', answers: [answer], rounds: 3 },
      { name: 'question', tool: 'deploy', answers: [] },
      { name: 'answer', tool: 'deploy', answers: [answer, answer] },
      { name: 'no error', tool: 'deploy', answers: [answer], expect: { error: { code: -32021 } } },
      { name: 'data', tool: 'list_invoices', user: 'x', capabilities: [], expect: { error: { code: -32021, data: {} } } },
      { name: 'browser', tool: 'list_invoices', user: 'x', answers: [{ action: 'accept', signIn: 'mallory' }, answer] },
      { name: 'good', tool: 'deploy', answers: [answer], expect: { text: 'Nothing was deployed.' }, rounds: 2 },
      { name: 'code alone', tool: 'list_invoices', user: 'x', capabilities: [], expect: { error: { code: -32021 } } },
      { name: 'tool', tool: 'nothing', expect: { error: { code: -32602 } } },
    ];
    const { code, out } = await client('--script', script('misses.json', steps), server.url);
    assert.equal(code, 1);
    assert.deepEqual(
      out.match(/^(not )?ok \d+ [^:\n]*/gm),
      steps.map(({ name }, at) => `${at < 7 ? 'not ok' : 'ok'} ${at + 1} ${name}`),
    );
    assert.match(out, /\n3 passed, 7 failed\n$/);
  });

  test('exits with 2 where it cannot run', async () => {
    const good = script('good.json', [{ tool: 'deploy', answers: [{ action: 'decline' }] }]);
    for (const words of [[], ['--nonsense'], ['a', 'b'], ['no url'], [server.url], ['--script', '/nothing', server.url],
      ['--script', good, 'http://127.0.0.1:1/mcp'], ['--script', good, '--', process.execPath, '-e', '0']]) {
      const { code, errors } = await client(...words);
      assert.equal(code, 2, words.join(' '));
      assert.ok(errors.length > 0);
    }
  });

  test('plays over stdio', async () => {
    const { code, out, errors } = await client('--script', script('stdio.json', [
      { tool: 'deploy', answers: [{ action: 'accept', content: { environment: 'prod' } }], expect: { text: 'Deployed to prod.' }, rounds: 2 },
      { tool: 'deploy', answers: [{ action: 'cancel' }], expect: { text: 'Nothing was deployed.' }, rounds: 2 },
    ]), '--', process.execPath, path.join(here, 'stdio-server.mjs'));
    assert.equal(code, 0, out + errors);
    assert.match(out, /^<- \{.*"resultType":"input_required"/m);
    assert.match(out, /\n2 passed, 0 failed\n$/);
  });
});

describe('the server', () => {
  let server;
  before(async () => { server = await start({ STATE_TTL_MS: '60000' }); });
  after(() => server.stop());

  const post = (message, { headers, user = 'ada' } = {}) => {
    const body = typeof message === 'string' ? message : JSON.stringify(message);
    const name = message.params?.name;
    return fetch(server.url, {
      method: 'POST',
      body,
      headers: {
        'content-type': 'application/json',
        authorization: `Bearer demo-${user}`,
        'mcp-protocol-version': '2026-07-28',
        'mcp-method': message.method ?? 'tools/call',
        ...(name && { 'mcp-name': name }),
        ...headers,
      },
    });
  };
  const at = where => new URL(where, server.url);
  const form = (where, fields, headers) =>
    fetch(at(where), { method: 'POST', body: new URLSearchParams(fields), headers, redirect: 'manual' });

  test('deploys, by the test host, and stands its attacks', async () => {
    const host = Host.url(server.url).header('authorization', 'Bearer demo-ada').answer('target', accept({ environment: 'prod' }))
      .otherHeader('authorization', 'Bearer demo-eve').otherTarget('list_invoices');
    const flow = await host.call('deploy');
    assert.equal(flow.text, 'Deployed to prod.');
    assert.deepEqual((await host.attackAll(flow)).filter(({ held }) => !held), []);
  });

  test('answers what is no call', async () => {
    const discover = await post({ jsonrpc: '2.0', id: 'd', method: 'server/discover', params: { _meta: meta() } });
    const { id, result } = await discover.json();
    assert.deepEqual([discover.status, id, result.supportedVersions, result.capabilities], [200, 'd', ['2026-07-28'], { tools: {} }]);
    assert.equal(result._meta['io.modelcontextprotocol/serverInfo'].name, 'billing');
    const list = await (await post({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: { _meta: meta() } })).json();
    assert.deepEqual(list.result.tools.map(({ name }) => name), ['deploy', 'list_invoices']);
    assert.deepEqual([list.result.resultType, typeof list.result.ttlMs, list.result.cacheScope], ['complete', 'number', 'public']);
    const big = JSON.stringify({ jsonrpc: '2.0', id: 0, method: 'tools/list', params: { _meta: meta() } }).replace('"id":0', '"id":9007199254740993');
    assert.match(await (await post(big, { headers: { 'mcp-method': 'tools/list' } })).text(), /^\{"jsonrpc":"2.0","id":9007199254740993,"result"/);
    const unknown = await post({ jsonrpc: '2.0', id: 2, method: 'constructor', params: { _meta: meta() } });
    assert.deepEqual([unknown.status, (await unknown.json()).error.code], [404, -32601]);
    const notification = await post({ jsonrpc: '2.0', method: 'notifications/cancelled' });
    assert.deepEqual([notification.status, await notification.text()], [202, '']);
  });

  test('tells a legacy client which version it speaks', async () => {
    const response = await fetch(server.url, {
      method: 'POST',
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params: { protocolVersion: '2025-11-25', capabilities: {} } }),
      headers: { authorization: 'Bearer demo-ada', 'content-type': 'application/json' },
    });
    assert.equal(response.status, 400);
    assert.match((await response.json()).error.message, /2026-07-28/);
  });

  test('keeps the rules of the transport', async () => {
    for (const method of ['GET', 'DELETE']) assert.equal((await fetch(server.url, { method })).status, 405);
    for (const [origin, status] of [['https://evil.example', 403], ['null', 403], ['http://127.0.0.1.evil.example', 403], ['http://localhost:5173', 200], ['http://127.0.0.1', 200]]) {
      assert.equal((await post(request(), { headers: { origin } })).status, status, origin);
    }
    for (const authorization of ['', 'Bearer x', 'Bearer demo-', 'Bearer demo-Ada', 'Bearer demo-a b']) {
      assert.equal((await post(request(), { headers: { authorization } })).status, 401, authorization);
    }
    const mismatch = await post(request(), { headers: { 'mcp-name': 'list_invoices' } });
    assert.deepEqual([mismatch.status, (await mismatch.json()).error.code], [400, -32020]);
    const large = await post('x'.repeat((4 << 20) + 1)).catch(() => ({ status: 413 })); // the connection may be gone first
    assert.equal(large.status, 413);
    assert.equal((await fetch(at('/nothing'))).status, 404);
    const unknown = await (await post(request({ name: '__proto__' }), { headers: { 'mcp-name': '__proto__' } })).json();
    assert.equal(unknown.error.code, -32602);
  });

  test('connects only the one who asked', async () => {
    const asked = (await (await post(request({ name: 'list_invoices' }))).json()).result;
    const { url } = asked.inputRequests.login.params;
    const flow = new URL(url).searchParams.get('flow');
    assert.ok(url.startsWith(at('/connect').href));
    const page = await fetch(url);
    assert.equal(page.status, 200);
    assert.match(page.headers.get('content-security-policy'), /default-src 'none'/);
    for (const [where, fields, status] of [
      ['/connect', { flow }, 403], ['/connect', { flow: 'x' }, 404], ['/connect', {}, 404],
      ['/login', { user: 'ada', flow: 'x' }, 404], ['/login', { flow }, 400], ['/login', { user: '<b>', flow }, 400],
    ]) {
      assert.equal((await form(where, fields)).status, status, `${where} ${JSON.stringify(fields)}`);
    }
    assert.equal((await fetch(at('/connect?flow=<script>'))).status, 404);
    const signIn = async user => {
      const login = await form('/login', { user, flow });
      assert.equal(login.status, 303);
      const cookie = login.headers.get('set-cookie');
      assert.match(cookie, /^session=[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax$/);
      return cookie.split(';')[0];
    };
    assert.equal((await form('/connect', { flow }, { cookie: await signIn('mallory') })).status, 403);
    assert.equal((await form('/connect', { flow }, { cookie: 'session=x' })).status, 403);
    const cookie = `theme=dark; ${await signIn('ada')}`;
    assert.match(await (await fetch(url, { headers: { cookie } })).text(), /Signed in as ada/);
    const connected = await form('/connect', { flow }, { cookie });
    assert.deepEqual([connected.status, /Connected/.test(await connected.text())], [200, true]);
    const done = request({ name: 'list_invoices', requestState: asked.requestState, inputResponses: { login: { action: 'accept' } } });
    assert.equal((await (await post(done)).json()).result.content[0].text, '2 open invoices.');
  });

  test('says to its log why a state was refused', async () => {
    const { requestState } = (await (await post(request())).json()).result;
    const response = await post(request({ requestState }), { user: 'grace' });
    const { error } = await response.json();
    assert.deepEqual([response.status, error.code, error.message], [200, -32602, 'Invalid or expired requestState']);
    const event = server.log.map(line => JSON.parse(line)).at(-1);
    assert.deepEqual(Object.keys(event), ['level', 'name', 'reason', 'message', 'flowId']);
    assert.deepEqual([event.name, event.reason], ['state_refused', 'other_principal']);
  });
});
