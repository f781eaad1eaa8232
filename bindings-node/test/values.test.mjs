// Values that JavaScript has and the core has not: proxies, getters that throw, halves of surrogate
// pairs. What is given ends in an error of ours that names it, or in what its author threw.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ElicitError, Engine, Form, MemoryStore, Principal, RedisStore, SqliteStore } from 'mcp-elicit';
import { Host, accept } from 'mcp-elicit/testing';
import { z } from 'zod';
import { Bench, KEY, TARGET, answered, deploy, request, text } from './support.mjs';

const its = { principal: Principal.singleUser() };
const mine = new Error('mine');
const fail = () => { throw mine; };

const kind = wanted => error => {
  assert.ok(error instanceof ElicitError, String(error));
  assert.equal(error.kind, wanted, error.message);
  return true;
};

/** What `work` ends in. */
async function end(work) {
  try {
    await work();
  } catch (thrown) {
    return { thrown };
  }
  return {};
}

/** Values that are hard to look at. */
const HOSTILE = {
  'a proxy that throws': () => new Proxy({}, { get: fail, has: fail, ownKeys: fail, getPrototypeOf: fail, getOwnPropertyDescriptor: fail }),
  'a proxy of a function': () => new Proxy(fail, {}),
  'a getter that throws': () => Object.defineProperty({}, 'x', { get: fail, enumerable: true }),
  'toJSON that throws': () => ({ toJSON: fail }),
  'no conversion': () => Object.create(null),
  'a conversion that throws': () => ({ [Symbol.toPrimitive]: fail, toString: fail, valueOf: fail }),
  'a symbol': () => Symbol('x'),
  'a bigint': () => 5n,
  'a function': () => () => {},
  null: () => null,
  'a number': () => 5,
  NaN: () => NaN,
  'a list': () => [Symbol('x')],
  'half a pair': () => '\ud800',
};

describe('hostile values in every place', () => {
  const call = () => new Bench({ store: new MemoryStore() }).engine.open(request(), its);
  const engine = options => new Engine({ audience: 'x', keys: [KEY], ...options });
  const form = Form.normalize({ type: 'object', properties: { a: { type: 'string' } } });
  const url = 'https://example.com/';
  const options = names => Object.fromEntries(names.map(name => [name, it => call().elicitForm('k', 'K?', TARGET, { [name]: it })]));
  const places = {
    'options of an engine': it => new Engine(it),
    ...Object.fromEntries(['keys', 'ephemeral', 'audience', 'stateFormat', 'limits', 'serverInfo', 'clock', 'random', 'log', 'store']
      .map(name => [name, it => engine({ [name]: it })])),
    'a key': it => engine({ keys: [it] }),
    'a limit': it => engine({ limits: { depth: it } }),
    'a time limit': it => engine({ store: { get() {}, putIfAbsent() {}, compareAndSet() {}, compareAndDelete() {}, timeLimitMs: it } }),
    'a request': it => new Bench().engine.run(it, deploy, its),
    'a handler': it => new Bench().engine.run(request(), it, its),
    'a result': it => new Bench().engine.run(request(), () => it, its),
    'a result later': it => new Bench().engine.run(request(), async () => it, its),
    'what a handler throws': it => new Bench().engine.run(request(), () => { throw it; }, its),
    'a context': it => new Bench().engine.open(request(), it),
    'a principal': it => new Bench().engine.open(request(), { principal: it }),
    'a subject': it => new Principal('i', it, 'c'),
    'a client': it => new Bench().engine.open(request(), { principal: { issuer: 'i', subject: 's', client: it } }),
    headers: it => new Bench().engine.open(request(), { ...its, headers: it }),
    'a header': it => new Bench().engine.open(request(), { ...its, headers: { 'mcp-name': it } }),
    'a pair of headers': it => new Bench().engine.open(request(), { ...its, headers: [[it, it]] }),
    paramHeaders: it => new Bench().engine.open(request(), { ...its, paramHeaders: it }),
    'a path': it => new Bench().engine.open(request(), { ...its, paramHeaders: { a: it } }),
    'a method': it => new Bench().engine.openParams(it, {}, its),
    parameters: it => new Bench().engine.openParams('tools/call', it, its),
    'an envelope': it => new Bench().engine.check(it, it),
    key: it => call().elicitForm(it, 'K?', TARGET),
    message: it => call().elicitForm('k', it, TARGET),
    'a form': it => call().elicitForm('k', 'K?', it),
    'options of an ask': it => call().elicitForm('k', 'K?', TARGET, it),
    'options of a link': it => call().elicitUrl('k', 'K?', url, false, it),
    'options of a request': it => call().elicit('k', { message: 'K?', url, mode: 'url' }, it),
    ...options(['allowInsecureHttp', 'acceptUnasked', 'humanOnly', 'reaskInvalidOnly', 'unavailable', 'onCancel', 'arguments', 'messages', 'allowSensitiveName']),
    'a name in arguments': it => call().elicitForm('k', 'K?', TARGET, { arguments: [it] }),
    'a text of messages': it => call().elicitForm('k', 'K?', TARGET, { messages: { reask: it } }),
    'a link': it => call().elicitUrl('k', 'K?', it, false),
    'an href': it => call().elicitUrl('k', 'K?', { href: it }, false),
    done: it => call().elicitUrl('k', 'K?', url, it),
    'a written request': it => call().elicit('k', it),
    'parameters of sampling': it => call().createMessage('k', it),
    'options of sampling': it => call().createMessage('k', { messages: [], maxTokens: 1 }, it),
    'options of roots': it => call().listRoots('k', it),
    mode: it => call().canElicit(it),
    'the key of a step': it => call().step(it, () => 1),
    'the work of a step': it => call().step('k', it),
    'the result of a step': it => call().step('k', () => it),
    'options of a step': it => call().step('k', () => 1, it),
    readable: it => call().step('k', () => 1, { readable: it }),
    data: it => call().setAppData(it),
    'options of a claim': it => call().claim(it),
    waitMs: it => call().claim({ waitMs: it }),
    leaseMs: it => call().claim({ leaseMs: it }),
    remember: it => call().claim({ remember: it }),
    'a completion': it => call().complete(it),
    'a completion later': it => call().completeAsync(it),
    'options of a completion': it => call().completeAsync(text('x'), it),
    'the code of a failure': it => call().fail(it, 'x'),
    'the message of a failure': it => call().fail(-1, it),
    'the data of a failure': it => call().fail(-1, 'x', it),
    'an error': it => new ElicitError(it, { code: -1 }),
    'options of an error': it => new ElicitError('x', it),
    'the code of an error': it => new ElicitError('x', { code: it }),
    'the data of an error': it => new ElicitError('x', { code: -1, data: it }),
    'a schema': it => new Form(it),
    'options of a form': it => new Form({}, it),
    'a reason': it => new Form({}, { allowSensitiveName: it }),
    'limits of a form': it => new Form({}, { limits: it }),
    'a limit of a form': it => new Form({}, { limits: { properties: it } }),
    'a type': it => Form.of(it),
    'a printed type': it => Form.of(z.object({}), { jsonSchema: it }),
    'the half of a standard': it => Form.of({ '~standard': it }),
    'a version': it => Form.of({ '~standard': { version: it, validate() {} } }),
    'a vendor': it => Form.of({ '~standard': { version: 1, vendor: it, validate() {} } }),
    explained: it => Form.explain(it),
    content: it => form.validate(it),
    'options of validate': it => form.validate({}, it),
    unknown: it => form.validate({}, { unknown: it }),
    showValues: it => form.validate({}, { showValues: it }),
    texts: it => form.coerce(it),
    'a text': it => form.coerce({ a: it }),
    'a typed text': it => form.field('a').coerce(it),
    'a name': it => form.field(it),
    'a value': it => form.field('a').print(it),
    only: it => form.wireAgain({}, it),
    'one of only': it => form.wireAgain({}, [it]),
    revision: it => form.downgrade(it),
    'the name of a built field': it => Form.builder().string(it),
    'what is said of a built field': it => Form.builder().string('a', it),
    minLength: it => Form.builder().string('a', { minLength: it }),
    minimum: it => Form.builder().number('a', { minimum: it }).build(),
    default: it => Form.builder().choices('a', ['x'], { default: it }).build(),
    choices: it => Form.builder().choice('a', it),
    'a choice': it => Form.builder().choice('a', [it]).build(),
    'options of a builder': it => Form.builder(it),
    'options of a store': it => new MemoryStore(it),
    capacity: it => new MemoryStore({ capacity: it }),
    'a client of Redis': it => new RedisStore(it),
    'a file': it => new SqliteStore(it).close(),
    'a store\'s key': it => new MemoryStore().get(it),
    'a store\'s value': it => new MemoryStore().putIfAbsent('k', it, 1),
    'a store\'s life': it => new MemoryStore().putIfAbsent('k', new Uint8Array(1), it),
  };
  for (const [place, put] of Object.entries(places)) {
    test(place, async () => {
      for (const [name, value] of Object.entries(HOSTILE)) {
        const it = value();
        const { thrown } = await end(() => put(it));
        if (thrown === undefined || thrown === mine || Object.is(thrown, it)) continue;
        assert.ok(thrown instanceof ElicitError, `${name}: ${thrown?.stack ?? String(thrown)}`);
        // Nothing that only native code, or the engine of JavaScript, would say.
        assert.notEqual(thrown.kind, 'internal', `${name}: ${thrown.message}`);
        assert.doesNotMatch(thrown.message, /properties of|not a function|not iterable|\[object|Cannot (read|mix|convert)|private member/, name);
      }
    });
  }

  test('what was thrown while something was written is the cause', async () => {
    assert.equal((await end(() => call().complete({ toJSON: fail }))).thrown.cause, mine);
    assert.equal((await end(() => new Bench().engine.run(request(), () => ({ toJSON: fail }), its))).thrown.cause, mine);
    for (const odd of [null, undefined, Symbol('x'), { get message() { throw mine; } }]) {
      const { thrown } = await end(() => call().complete({ toJSON() { throw odd; } }));
      assert.ok(thrown instanceof ElicitError);
      assert.equal(thrown.cause, odd);
    }
  });

  test('an option is read once', () => {
    let read = 0;
    const options = { audience: 'x', keys: [KEY], get store() { return (read += 1) === 1 ? new MemoryStore() : 'none'; } };
    assert.ok(new Engine(options));
    assert.equal(read, 1);
  });

  test('a question that is open, read while something is written, is asked', async () => {
    const reply = await new Bench().engine.run(request(), async call => {
      const open = call.elicitForm('a', 'A?', TARGET);
      return text(await call.step('s', () => ({ toJSON: () => open.content })));
    }, its);
    assert.equal(reply.kind, 'input_required');
  });
});

describe('stores behind proxies', () => {
  const claim = async store => {
    const { engine } = new Bench({ store });
    return (await engine.open(request(), its).claim()).status;
  };

  test('a store of ours works behind a proxy', async () => {
    const seen = [];
    const watched = new Proxy(new MemoryStore(), { get: (it, name) => (seen.push(String(name)), Reflect.get(it, name)) });
    assert.equal(watched.get('k'), undefined);
    assert.equal(await claim(watched), 'won');
    assert.ok(seen.includes('putIfAbsent'));
    const file = new SqliteStore('unused.db');
    const closed = file.close();
    await assert.rejects(new Proxy(file, { get: (it, name) => Reflect.get(it, name) }).get('k'), /was closed/);
    await closed;
  });

  test('a store that has every member, or throws for each, is refused or fails as a store', async () => {
    for (const every of [() => undefined, () => () => 5, () => 5, fail]) {
      const store = new Proxy({}, { get: (_, name) => (name === 'timeLimitMs' ? undefined : every()) });
      const { thrown } = await end(() => claim(store));
      assert.ok(thrown === mine || ['config', 'store'].includes(thrown.kind), String(thrown));
    }
    const { thrown } = await end(() => new Engine({ audience: 'x', keys: [KEY], store: new Proxy({}, { get: () => () => {} }) }));
    assert.match(thrown.message, /timeLimitMs of a store/);
  });

  test('a store whose time limit goes bad fails as a store', async () => {
    for (const limit of [() => { throw mine; }, () => NaN, () => Symbol('x'), () => 5n]) {
      let read = 0;
      const store = { get() {}, putIfAbsent() {}, compareAndSet() {}, compareAndDelete() {}, get timeLimitMs() { return (read += 1) > 1 ? limit() : 1; } };
      await assert.rejects(claim(store), kind('store'));
    }
  });
});

describe('halves of surrogate pairs', () => {
  const half = 'x\ud800';

  test('change nothing on their way: they are refused where they are given', async () => {
    const open = () => new Bench({ store: new MemoryStore() }).engine.open(request(), its);
    const refused = {
      key: () => open().elicitForm(half, 'K?', TARGET),
      message: () => open().elicitForm('k', half, TARGET),
      'the title of a schema': () => open().elicitForm('k', 'K?', { type: 'object', properties: { a: { type: 'string', title: half } } }),
      'the name of a field': () => open().elicitForm('k', 'K?', { type: 'object', properties: { [half]: { type: 'string', title: 'A' } } }),
      'a schema as JSON': () => open().elicitForm('k', 'K?', `{"title":"${half}"}`),
      'a text of messages': () => open().elicitForm('k', 'K?', TARGET, { messages: { reask: half } }),
      'an argument': () => open().elicitForm('k', 'K?', TARGET, { arguments: [half] }),
      'a link': () => open().elicitUrl('k', 'K?', `https://example.com/${half}`, false),
      'a written request': () => open().elicit('k', { mode: 'url', message: half, url: 'https://example.com/' }),
      sampling: () => open().createMessage('k', { messages: [{ role: 'user', content: { type: 'text', text: half } }], maxTokens: 1 }),
      'the key of a step': () => open().step(half, () => 1),
      'the result of a step': () => open().step('k', () => ({ a: half })),
      'data of the application': () => open().setAppData(half),
      'a result': () => open().complete(text(half)),
      'a result as JSON': () => open().complete(JSON.stringify(text('@')).replace('@', half)),
      'a result later': () => open().completeAsync(text(half)),
      'the message of a failure': () => open().fail(-1, half),
      'the data of a failure': () => open().fail(-1, 'x', { a: half }),
      'an error of the application': () => new ElicitError(half, { code: -1 }),
      'the data of an error': () => new ElicitError('x', { code: -1, data: half }),
      issuer: () => new Principal(half, 's', 'c'),
      subject: () => new Principal('i', half, 'c'),
      client: () => new Principal('i', 's', half),
      audience: () => new Engine({ audience: half, keys: [KEY] }),
      serverInfo: () => new Engine({ audience: 'x', keys: [KEY], serverInfo: { name: half, version: '1' } }),
      content: () => TARGET.validate({ environment: half }),
      'content as JSON': () => TARGET.validate(`{"environment":"${half}"}`),
      'a typed text': () => TARGET.coerce({ environment: half }),
      'a key of a store': () => new MemoryStore().get(half),
    };
    for (const [name, give] of Object.entries(refused)) {
      const { thrown } = await end(give);
      assert.ok(thrown instanceof ElicitError, `${name}: ${thrown}`);
      assert.notEqual(thrown.kind, 'internal', name);
    }
  });

  test('of a handler end its run, and seal nothing', async () => {
    const bench = new Bench();
    for (const handler of [() => text(half), call => call.complete(text(half)), call => { call.setAppData(half); return text('x'); },
      async call => text(await call.step('k', () => half))]) {
      await assert.rejects(bench.engine.run(request(), handler, its), error => error instanceof ElicitError);
    }
  });

  test('in a header are refused to the peer, like any other character that no header holds', async () => {
    const { engine } = new Bench();
    const headers = { 'mcp-method': 'tools/call', 'mcp-name': 'deploy', 'mcp-protocol-version': '2026-07-28' };
    assert.equal((await engine.run(request(), deploy, { ...its, headers })).kind, 'input_required');
    // U+FFFD in the body, and a header that would become it.
    const body = request({ name: 'deploy\ufffd' });
    const reply = await engine.run(body, deploy, { ...its, headers: { ...headers, 'mcp-name': 'deploy\ud800' } });
    assert.equal(reply.errorKind, 'header_mismatch');
  });

  test('that a transform makes are the application\'s alone', async () => {
    const of = z.object({ a: z.string().transform(() => half) });
    const { engine } = new Bench();
    const handler = call => text(String(call.elicitForm('a', 'A?', of).content.a === half));
    const flow = await new Host(engine, handler).answer('a', accept({ a: 'x' })).call('t');
    assert.equal(flow.text, 'true');
    const first = await engine.run(request(), handler, its);
    const next = answered(first, { a: { action: 'accept', content: { a: half } } });
    assert.equal((await engine.run(next, handler, its)).errorKind, 'invalid_request');
  });
});
