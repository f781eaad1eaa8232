// Engines, principals, requests and headers: what is taken, and what is refused.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { ElicitError, Engine, MemoryStore, Principal, keygen } from 'mcp-elicit';
import { Bench, KEY, TARGET, USER, answered, deploy, meta, request, text } from './support.mjs';

const kind = wanted => error => {
  assert.ok(error instanceof ElicitError, String(error));
  assert.equal(error.kind, wanted, error.message);
  return true;
};
const { engine } = new Bench();
const alone = { principal: Principal.singleUser() };

test('what cannot be written as a result is said so', async () => {
  const circle = {};
  circle.self = circle;
  const broken = { toJSON: () => { throw new Error('no'); } };
  for (const result of [circle, { n: 1n }, broken]) {
    await assert.rejects(engine.run(request(), () => result, alone), kind('invalid_result'));
    // A question that is open goes out all the same.
    const reply = await engine.run(request(), call => {
      call.elicitForm('target', 'Where?', TARGET);
      return result;
    }, alone);
    assert.equal(reply.kind, 'input_required');
  }
});

test('what is null, or only looks right, is a typed error', async () => {
  const fake = Object.create(Principal.prototype);
  await assert.rejects(engine.run(request(), () => ({}), { principal: fake }), kind('invalid_argument'));
  assert.throws(() => new ElicitError('x', null), kind('invalid_argument'));
  assert.throws(() => new ElicitError('x'), kind('invalid_argument'));
  assert.throws(() => new Bench({ limits: [] }), kind('invalid_argument'));
  const call = engine.open(request(), { principal: Principal.none() });
  for (const options of [null, 1, 'done']) {
    assert.throws(() => call.elicit('k', '{}', options), kind('invalid_argument'));
    assert.throws(() => call.elicitForm('k', 'K?', TARGET, options), kind('invalid_argument'));
    await assert.rejects(call.step('k', () => 1, options), kind('invalid_argument'));
  }
});

test('an engine is refused options that it cannot be made of', () => {
  for (const options of [undefined, null, 'x', 5]) assert.throws(() => new Engine(options), kind('invalid_argument'));
  for (const [wanted, options] of [
    ['config', {}],
    ['config', { audience: 'x' }],
    ['config', { audience: '', keys: [KEY] }],
    ['config', { audience: 'x', keys: [KEY], ephemeral: true }],
    ['config', { audience: 'x', keys: ['short'] }],
    ['config', { audience: 'x', keys: '' }],
    ['config', { audience: 'x', keys: [new Uint8Array(31)] }],
    ['config', { audience: 'x', keys: [KEY], limits: { roundTtl: 1 } }],
    ['config', { audience: 'x', keys: [KEY], limits: { reasks: 0.5 } }],
    ['config', { audience: 'x', keys: [KEY], limits: { reasks: -1 } }],
    ['config', { audience: 'x', keys: [KEY], limits: { reasks: 65536 } }],
    ['config', { audience: 'x', keys: [KEY], limits: { requestBytes: NaN } }],
    ['config', { audience: 'x', keys: [KEY], limits: { requestBytes: Infinity } }],
    ['config', { audience: 'x', keys: [KEY], limits: { requestBytes: 0 } }],
    ...['roundTtlMs', 'flowTtlMs'].flatMap(name => [0, -1, NaN, Infinity, -Infinity, 0.5, 366 * 24 * 3_600_000 + 1]
      .map(life => ['config', { audience: 'x', keys: [KEY], limits: { [name]: life } }])),
    ['config', { audience: 'x', keys: [KEY], limits: JSON.parse('{"__proto__":1}') }],
    ['config', { audience: 'x', keys: [KEY], serverInfo: { name: 'a' } }],
    ['invalid_argument', { audience: 5, keys: [KEY] }],
    ['invalid_argument', { audience: '\ud800', keys: [KEY] }],
    ['invalid_argument', { audience: 'x', keys: [] }],
    ['invalid_argument', { audience: 'x', keys: 5 }],
    ['invalid_argument', { audience: 'x', keys: [KEY, new Uint8Array(32)] }],
    ['invalid_argument', { audience: 'x', ephemeral: 'yes' }],
    ['invalid_argument', { audience: 'x', ephemeral: true, limits: 5 }],
    ['invalid_argument', { audience: 'x', ephemeral: true, limits: { reasks: '3' } }],
    ['invalid_argument', { audience: 'x', ephemeral: true, limits: { reasks: 3n } }],
    ['invalid_argument', { audience: 'x', ephemeral: true, log: 'stderr' }],
    ['invalid_argument', { audience: 'x', ephemeral: true, clock: 5 }],
    ['invalid_argument', { audience: 'x', ephemeral: true, stateFormat: 'plain' }],
    ['invalid_argument', { audience: 'x', ephemeral: true, logger() {} }],
  ]) {
    assert.throws(() => new Engine(options), kind(wanted), JSON.stringify(options, (_, v) => (typeof v === 'bigint' ? `${v}` : v)));
  }
});

test('what is refused is named as it was given, and nothing by the name that the core has for it', async () => {
  const refusal = work => {
    try {
      work();
    } catch (error) {
      return error;
    }
    assert.fail('nothing was thrown');
  };
  const make = options => new Engine({ audience: 'x', keys: [KEY], ...options });
  const core = /[a-z]_[a-z]/;
  const store = new MemoryStore();
  const declared = /export interface Limits \{([^]*?)\n\}/.exec(readFileSync(new URL('../index.d.ts', import.meta.url), 'utf8'))[1];
  const limits = [...declared.matchAll(/^ {2}(\w+)\?: number;$/gm)].map(match => match[1]);
  assert.equal(limits.length, 11);
  for (const name of limits) {
    for (const value of [-1, 0.5, NaN, 2 ** 53 - 1, '5']) {
      const { message } = refusal(() => make({ store, limits: { [name]: value } }));
      assert.match(message, new RegExp(`\\b${name}\\b`));
      assert.doesNotMatch(message, core);
    }
  }
  for (const [words, options] of [
    [/claimWaitMs .*flowTtlMs/, { store, limits: { claimWaitMs: 5000, flowTtlMs: 1000 } }],
    [/serverInfo/, { serverInfo: { name: 'x' } }],
    [/flow_ttl_ms/, { limits: { flow_ttl_ms: 5 } }],
  ]) {
    const { message } = refusal(() => make(options));
    assert.match(message, words);
  }
  const call = make({}).open(request(), alone);
  const ask = options => refusal(() => call.elicitForm('k', 'K?', TARGET, options));
  for (const [words, options] of [[/onCancel/, { onCancel: 'error' }], [/humanOnly/, { humanOnly: true, acceptUnasked: true }]]) {
    const error = ask(options);
    assert.equal(error.kind, 'invalid_ask');
    assert.match(error.message, words);
    assert.match(error.faults[0].message, words);
    assert.doesNotMatch(JSON.stringify([error.message, error.faults, error.data]), /on_cancel cannot|human_only takes/);
  }
  // A name that somebody else chose stays what it is.
  assert.match(ask({ arguments: ['human_only'] }).message, /human_only/);
});

test('an ephemeral key is said once', () => {
  const log = [];
  new Engine({ audience: 'x', ephemeral: true, log: event => log.push(event) });
  assert.deepEqual(log.map(({ level, name, reason, flowId }) => ({ level, name, reason, flowId })), [
    { level: 'warning', name: 'ephemeral_keys', reason: '', flowId: '' },
  ]);
  assert.ok(log[0].message.length > 0);
});

test('the keys of the environment: the first seals, all open', async () => {
  const before = process.env.MCP_ELICIT_KEYS;
  try {
    delete process.env.MCP_ELICIT_KEYS;
    assert.throws(() => Engine.fromEnv({ audience: 'deployer' }), kind('config'));
    process.env.MCP_ELICIT_KEYS = 'short';
    assert.throws(() => Engine.fromEnv({ audience: 'deployer' }), kind('config'));
    const fresh = keygen();
    process.env.MCP_ELICIT_KEYS = `${KEY},${fresh}`;
    for (const more of [{ ephemeral: true }, { keys: ['x'] }]) assert.throws(() => Engine.fromEnv({ audience: 'deployer', ...more }), kind('config'));
    const both = Engine.fromEnv({ audience: 'deployer' });
    const only = new Engine({ audience: 'deployer', keys: [Buffer.from(KEY, 'hex')] });
    const other = new Engine({ audience: 'deployer', keys: [fresh] });
    const first = await both.run(request(), deploy, alone);
    const second = answered(first, { target: { action: 'decline' } });
    assert.equal((await only.run(second, deploy, alone)).kind, 'complete');
    assert.equal((await other.run(second, deploy, alone)).errorKind, 'invalid_state');
    const back = answered(await other.run(request(), deploy, alone), { target: { action: 'decline' } });
    assert.equal((await both.run(back, deploy, alone)).kind, 'complete');
  } finally {
    if (before === undefined) delete process.env.MCP_ELICIT_KEYS;
    else process.env.MCP_ELICIT_KEYS = before;
  }
});

test('a key is 32 bytes as text, never the same', () => {
  assert.match(keygen(), /^[0-9a-f]{64}$/);
  assert.notEqual(keygen(), keygen());
});

test('signed state can be read, and opens', async () => {
  const signed = new Engine({ audience: 'deployer', keys: [KEY], stateFormat: 'signed' });
  const first = await signed.run(request(), deploy, alone);
  const second = answered(first, { target: { action: 'accept', content: { environment: 'dev' } } });
  assert.ok(second.params.requestState.startsWith('ms1.'));
  assert.match(Buffer.from(second.params.requestState.slice(4), 'base64url').toString('latin1'), /target/);
  assert.equal((await signed.run(second, deploy, alone)).kind, 'complete');
});

test('there is no call without a principal, and none without its parts', async () => {
  for (const principal of [undefined, null, 'alice', 5, {}, { issuer: 'a', subject: 'b' }, { issuer: 'a', subject: 5, client: 'c' },
    { issuer: '', subject: 'b', client: 'c' }, { issuer: 'a', subject: '\udc00', client: 'c' }, { issuer: 'a', subject: 'b\0x', client: 'c' },
    { issuer: 'a\0b', subject: 'c', client: 'd' }]) {
    await assert.rejects(engine.run(request(), deploy, { principal }), kind('invalid_argument'), JSON.stringify(principal));
    assert.throws(() => engine.open(request(), { principal }), kind('invalid_argument'));
  }
  for (const context of [undefined, null, 5, 'alice', { ...alone, header: {} }]) {
    await assert.rejects(engine.run(request(), deploy, context), kind('invalid_argument'));
    assert.throws(() => engine.openParams('tools/call', {}, context), kind('invalid_argument'));
  }
  assert.throws(() => engine.check(request(), null), kind('invalid_argument'));
  assert.throws(() => engine.check(request(), { header: {} }), kind('invalid_argument'));
  assert.throws(() => new Principal('a', 'b'), kind('invalid_argument'));
});

test('principals are frozen, and one of parts is one of the class', async () => {
  assert.throws(() => { USER.subject = 'bob'; }, TypeError);
  assert.equal(Principal.singleUser(), Principal.singleUser());
  assert.deepEqual([USER.kind, Principal.none().kind, Principal.singleUser().kind], ['user', 'none', 'single_user']);
  const first = await engine.run(request(), deploy, { principal: USER });
  const second = answered(first, { target: { action: 'cancel' } });
  const { issuer, subject, client } = USER;
  assert.equal((await engine.run(second, deploy, { principal: { issuer, subject, client } })).kind, 'complete');
  for (const principal of [new Principal(issuer, 'bob', client), new Principal(issuer, subject, 'other'), Principal.none(), Principal.singleUser()]) {
    assert.equal((await engine.run(second, deploy, { principal })).errorKind, 'invalid_state');
  }
  const call = engine.open(request(), { principal: { issuer, subject, client } });
  assert.ok(call.principal instanceof Principal);
  assert.equal(call.principal.subject, 'alice');
});

test('a request is a string, bytes or an object', async () => {
  const written = JSON.stringify(request());
  const framed = Buffer.concat([Buffer.from('xx'), Buffer.from(written), Buffer.from('yy')]);
  const shared = new Uint8Array(new SharedArrayBuffer(written.length));
  shared.set(Buffer.from(written));
  for (const given of [written, Buffer.from(written), new TextEncoder().encode(written), request(), framed.subarray(2, -2), shared]) {
    assert.equal((await engine.run(given, deploy, alone)).kind, 'input_required');
  }
  const cyclic = {};
  cyclic.self = cyclic;
  for (const given of [undefined, null, 5, true, Symbol('x'), 5n, () => {}, cyclic, { id: 5n }, { toJSON: () => undefined }]) {
    await assert.rejects(engine.run(given, deploy, alone), kind('invalid_argument'));
  }
  for (const given of [new Date(0), [], new DataView(new ArrayBuffer(4)), new ArrayBuffer(4)]) {
    assert.equal((await engine.run(given, deploy, alone)).errorKind, 'invalid_request');
  }
});

test('what is no UTF-8, or half of a pair, is refused to the peer', async () => {
  const written = JSON.stringify(request({ name: 'dé✓😀' }));
  const ofOutcome = async given => (await engine.run(given, call => text(call.target), alone));
  assert.equal(JSON.parse((await ofOutcome(written)).body).result.content[0].text, 'dé✓😀');
  assert.equal(JSON.parse((await ofOutcome(Buffer.from(written))).body).result.content[0].text, 'dé✓😀');
  assert.equal((await ofOutcome(written.replace('✓', '\ud83d'))).errorKind, 'parse_error');
  assert.equal((await ofOutcome(written.replace('✓', '\udc00\ud83d'))).errorKind, 'parse_error');
  assert.equal((await ofOutcome(Buffer.from(written, 'latin1'))).errorKind, 'parse_error');
  assert.equal((await ofOutcome(`\ufeff${written}`)).errorKind, 'parse_error');
  assert.equal((await ofOutcome('')).errorKind, 'parse_error');
  // JSON.stringify escapes what is not well formed: JSON of it, but no text that two readers agree on.
  assert.equal((await ofOutcome(request({ name: '\ud800' }))).errorKind, 'invalid_request');
});

test('requests up to the limit are taken, and no longer ones', async () => {
  const small = new Engine({ audience: 'x', keys: [KEY], limits: { requestBytes: 100_000 } });
  const fill = length => {
    const empty = JSON.stringify(request({ arguments: { a: '' } }));
    return empty.replace('"a":""', () => `"a":"${'x'.repeat(length - empty.length)}"`);
  };
  assert.equal((await small.run(fill(100_000), deploy, alone)).kind, 'input_required');
  assert.equal((await small.run(fill(100_001), deploy, alone)).errorKind, 'invalid_request');
  const call = engine.open(fill(4 << 20), alone);
  assert.equal(call.arguments.a.length > 4_000_000, true);
});

test('numbers keep their digits where text was handed over', () => {
  const given = '{"n":9007199254740993,"f":1.0,"e":1E400}';
  const whole = JSON.stringify(request({ arguments: {} })).replace('"arguments":{}', () => `"arguments":${given}`);
  assert.equal(engine.open(whole, alone).argumentsText, given);
  assert.equal(engine.open(JSON.parse(whole), alone).argumentsText.includes('9007199254740992'), true);
});

test('repeated keys are refused, also __proto__; __proto__ once is a name as any other', () => {
  const twice = JSON.stringify(request()).replace('"name":"deploy"', '"name":"deploy","name":"drop"');
  assert.throws(() => engine.open(twice, alone), kind('invalid_request'));
  const proto = JSON.stringify(request({ arguments: {} })).replace('"arguments":{}', '"arguments":{"__proto__":{"admin":true}}');
  const call = engine.open(proto, alone);
  assert.equal(call.arguments.admin, undefined);
  assert.deepEqual(Object.keys(call.arguments), ['__proto__']);
  assert.equal({}.admin, undefined);
});

const HEADERS = { 'MCP-Protocol-Version': '2026-07-28', 'mcp-method': 'tools/call', 'Mcp-Name': 'deploy' };

test('headers in each of their forms are checked against the body', () => {
  const open = headers => engine.open(request(), { ...alone, headers });
  const pairs = Object.entries(HEADERS);
  const generator = function* generator() { yield* pairs; };
  for (const headers of [HEADERS, pairs, pairs.flat(), new Headers(HEADERS), new Map(pairs), generator(),
    { ...HEADERS, 'set-cookie': ['a', 'b'], host: undefined }, Object.assign(Object.create(null), HEADERS)]) {
    assert.equal(open(headers).target, 'deploy');
  }
  assert.equal(open(undefined).target, 'deploy');
  assert.equal(open(null).target, 'deploy');
  for (const headers of [{}, [], new Map(), { ...HEADERS, 'Mcp-Name': 'drop' }, { ...HEADERS, 'Mcp-Name': 'de\0ploy' }, { ...HEADERS, 'Mcp-Name': '' }]) {
    assert.throws(() => open(headers), kind('header_mismatch'), JSON.stringify(headers));
  }
});

test('a header that was sent twice is seen in each form that can say so', () => {
  const open = headers => engine.open(request(), { ...alone, headers });
  const pairs = Object.entries(HEADERS);
  for (const headers of [
    [...pairs, ['MCP-NAME', 'deploy']],
    [...pairs.flat(), 'mcp-name', 'deploy'],
    { ...HEADERS, 'Mcp-Name': ['deploy', 'deploy'] },
    { ...HEADERS, 'mcp-name': 'deploy' },
    { ...HEADERS, 'mcp-name': 'deploy, deploy', 'Mcp-Name': undefined }, // as node:http joins them
  ]) {
    assert.throws(() => open(headers), kind('header_mismatch'), JSON.stringify(headers));
  }
});

test('what an iterator of headers throws goes on to the caller', async () => {
  const mine = new Error('mine');
  const headers = function* headers() { throw mine; };
  await assert.rejects(engine.run(request(), deploy, { ...alone, headers: headers() }), error => error === mine);
  assert.equal((await engine.run(request(), deploy, alone)).kind, 'input_required');
});

test('headers of no form are errors of the caller', () => {
  const open = headers => () => engine.open(request(), { ...alone, headers });
  for (const headers of ['Mcp-Name: deploy', 5, ['Mcp-Name'], [['Mcp-Name']], [['Mcp-Name', 5]], [5], { 'Mcp-Name': 5 }, { 'Mcp-Name': [5] }, { 'Mcp-Name': null }]) {
    assert.throws(open(headers), kind('invalid_argument'), JSON.stringify(headers));
  }
  // A U+0000 in a name cannot shift what follows.
  assert.throws(open([['Mcp-Name\0deploy\0x', 'deploy'], ...Object.entries(HEADERS)]), kind('invalid_argument'));
});

test('arguments that headers mirror', () => {
  const open = (paramHeaders, more, given = { place: { region: 'eu' }, zone: 'a' }) =>
    engine.open(request({ arguments: given }), { ...alone, headers: { ...HEADERS, ...more }, paramHeaders });
  for (const paramHeaders of [{ Region: ['place', 'region'], Zone: 'zone' }, new Map([['Region', ['place', 'region']], ['Zone', ['zone']]])]) {
    assert.equal(open(paramHeaders, { 'mcp-param-region': 'eu', 'Mcp-Param-Zone': 'a' }).target, 'deploy');
    assert.throws(() => open(paramHeaders, { 'mcp-param-region': 'us', 'Mcp-Param-Zone': 'a' }), kind('header_mismatch'));
    assert.throws(() => open(paramHeaders, { 'mcp-param-region': 'eu' }), kind('header_mismatch'));
  }
  assert.equal(open({ Region: ['place', 'region'] }, { 'mcp-param-region': '=?base64?ZXU=?=' }).target, 'deploy');
  assert.equal(open(undefined, { 'mcp-param-region': 'us' }).target, 'deploy');
  for (const paramHeaders of ['Region', 5, { Region: 5 }, { Region: [5] }, { Region: null }, { Region: '\ud800' }, { 'Re gion': 'zone' }, { Region: [] }]) {
    assert.throws(() => open(paramHeaders, {}), kind('invalid_argument'), JSON.stringify(paramHeaders));
  }
});

test('an envelope of any method', () => {
  const message = (method, more = {}) => JSON.stringify({ jsonrpc: '2.0', id: 9007199254740993n.toString(), method, params: { _meta: meta() }, ...more });
  const found = engine.check(message('server/discover').replace('"9007199254740993"', '9007199254740993'));
  assert.deepEqual([found.method, found.idText, typeof found.id], ['server/discover', '9007199254740993', 'number']);
  assert.deepEqual([found.canElicit('form'), found.canElicit('url')], [true, true]);
  assert.deepEqual(found.params, { _meta: meta() });
  assert.throws(() => found.canElicit('voice'), kind('invalid_argument'));
  const note = engine.check('{"jsonrpc":"2.0","method":"notifications/cancelled"}', { headers: { 'mcp-method': 'notifications/cancelled' } });
  assert.deepEqual([note.id, note.idText, note.params, note.paramsText, note.clientInfo], Array(5).fill(undefined));
  assert.throws(() => engine.check(message('tools/list'), { headers: {} }), kind('header_mismatch'));
  assert.throws(() => engine.check(5), kind('invalid_argument'));
});

test('a method that is no call is told to the caller, not to the peer', async () => {
  const listing = request({}, { method: 'tools/list' });
  await assert.rejects(engine.run(listing, deploy, alone), error => kind('not_a_call')(error) && error.reply === undefined);
});

test('parameters alone', () => {
  const { params } = request();
  for (const given of [params, JSON.stringify(params), Buffer.from(JSON.stringify(params))]) {
    const call = engine.openParams('tools/call', given, alone);
    call.elicitForm('target', 'Which environment?', TARGET);
    assert.equal(JSON.parse(call.suspend().body).resultType, 'input_required');
  }
  assert.throws(() => engine.openParams(5, params, alone), kind('invalid_argument'));
  assert.throws(() => engine.openParams('tools/call', undefined, alone), kind('invalid_argument'));
  assert.throws(() => engine.openParams('tools/list', params, alone), kind('not_a_call'));
  assert.throws(() => engine.openParams('tools/call', '[]', alone), error => {
    assert.equal(JSON.parse(error.reply.body).code, -32602);
    return kind('invalid_meta')(error);
  });
});
