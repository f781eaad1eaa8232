// The shared vectors, as tests/vectors/README.md says how to run them.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ElicitError, Engine, Principal, isSuspended } from 'mcp-elicit';
import { Bench, bytes, vectors } from './support.mjs';

const engine = new Engine({ ephemeral: true, audience: 'vectors' });
const nobody = Principal.none();

/** One test a case, under the name of its list. */
function each(list, cases, play) {
  describe(list, () => {
    for (const it of cases) test(it.name, () => play(it));
  });
}

const contextOf = it => ({
  principal: nobody,
  // As node:http gives them: a byte is a character.
  headers: it.headers?.map(([name, value]) => [name, bytes(value).toString('latin1')]) ?? null,
  paramHeaders: it.param_headers,
});

/** JSON without white space between its tokens, every digit as it was. */
const compact = json => json?.replace(/("(?:[^"\\]|\\.)*")|\s+/gu, (_, string) => string ?? '');

const printed = value => (value === undefined ? null : JSON.stringify(value));

function ofCall(call) {
  return {
    method: call.method,
    target: call.target,
    arguments: compact(call.argumentsText),
    clientInfo: printed(call.clientInfo),
    canElicitForm: call.canElicit('form'),
    canElicitUrl: call.canElicit('url'),
  };
}

function ofEnvelope(envelope) {
  return {
    method: envelope.method,
    id: envelope.idText ?? null,
    clientInfo: printed(envelope.clientInfo),
    canElicitForm: envelope.canElicit('form'),
    canElicitUrl: envelope.canElicit('url'),
  };
}

/** It is seen as the vector says, or refused as it says. */
function check(it, open, { bare = false } = {}) {
  if (it.seen) {
    const seen = open();
    assert.deepEqual(seen, it.seen);
    return;
  }
  const error = thrownBy(open);
  const { kind, code, http_status: status, id, data, ...rest } = it.error;
  assert.deepEqual(rest, {}, 'a member that this runner does not know');
  assert.deepEqual([error.kind, error.code, error.httpStatus], [kind, code, status]);
  if (error.data?.path !== undefined) assert.ok(error.data.message.length > 0);
  const { message, ...place } = error.data ?? {};
  assert.deepEqual(error.data === undefined ? null : place, data);
  if (kind === 'not_a_call') return assert.equal(error.reply, undefined);
  const { body, status: sent, kind: its, errorKind } = error.reply;
  assert.deepEqual([sent, its, errorKind], [status, 'error', kind]);
  if (bare) return assert.equal(JSON.parse(body).code, code);
  if (id === null) return assert.ok(!('id' in JSON.parse(body)));
  assert.ok(body.startsWith(`{"jsonrpc":"2.0","id":${bytes(id)},"error":`), body);
}

function thrownBy(work) {
  try {
    work();
  } catch (error) {
    assert.ok(error instanceof ElicitError, error);
    return error;
  }
  assert.fail('nothing was thrown');
}

const requests = vectors('requests.json');
each('requests: open, bytes', requests.open, it =>
  check(it, () => ofCall(engine.open(bytes(it.request), contextOf(it)))));
each('requests: open, string', requests.open.filter(it => isText(it.request)), it =>
  check(it, () => ofCall(engine.open(bytes(it.request).toString(), contextOf(it)))));
each('requests: open_params', requests.open_params, it =>
  check(it, () => ofCall(engine.openParams(it.method, bytes(it.params), contextOf(it))), { bare: true }));
each('requests: check', requests.check, it =>
  check(it, () => ofEnvelope(engine.check(bytes(it.request), contextOf(it)))));

/** Whether the bytes of a vector are UTF-8, so that a string can hold them. */
function isText(value) {
  const raw = bytes(value);
  return Buffer.from(raw.toString()).equals(raw);
}

const capabilities = vectors('capabilities.json');
each('capabilities', capabilities.cases, it => {
  const open = () => engine.open(capabilities.request.replace('@', () => it.capabilities), { principal: nobody });
  if (!it.seen) return check(it, open);
  const call = open();
  assert.deepEqual([call.canElicit('form'), call.canElicit('url')], [it.seen.form, it.seen.url]);
});

// ---- Flows

const { engine: settings, flows } = vectors('flows.json');
const camel = names => Object.fromEntries(Object.entries(names).map(
  ([name, value]) => [name.replace(/_(.)/g, (_, letter) => letter.toUpperCase()), value]));

/** A handler that plays the operations of a flow. */
const player = operations => async call => {
  const asked = {};
  const steps = {};
  const ofRound = json => json.replaceAll('"$ROUND"', call.round).replaceAll('$ROUND', call.round);
  for (const operation of operations) {
    const [[name, what]] = Object.entries(operation);
    if (name === 'form') {
      const { key, message, schema, options } = what;
      asked[key] = call.elicitForm(key, message, schema, options && camel(options));
    } else if (name === 'url') {
      const { key, message, url, done, options } = what;
      asked[key] = call.elicitUrl(key, message, url.replace('{flow_id}', call.flowId), done, options && camel(options));
    } else if (name === 'sampling') {
      const { key, params, options } = what;
      asked[key] = call.createMessage(key, params, options && camel(options));
    } else if (name === 'roots') {
      asked[what.key] = call.listRoots(what.key, what.options && camel(what.options));
    } else if (name === 'step') {
      steps[what.key] = await call.step(what.key, () => JSON.parse(ofRound(JSON.stringify(what.result))));
    } else if (name === 'data') {
      call.setAppData(ofRound(what));
    } else if (name === 'later_until') {
      if (call.round < what) return call.retryLater();
    } else if (name === 'read') {
      assert.ok(asked[what].action);
    } else if (name === 'swallow') {
      try {
        assert.fail(asked[what].action);
      } catch (error) {
        if (!isSuspended(error)) throw error;
      }
    } else if (name === 'report') {
      const said = key => {
        if (key === '$DATA') return JSON.stringify(call.appData?.toString() ?? null);
        return key in steps ? JSON.stringify(steps[key]) : report(asked[key]);
      };
      return `{"content":[],"structuredContent":{${what.map(key => `${JSON.stringify(key)}:${said(key)}`)}}}`;
    } else if (name === 'complete') {
      return what;
    } else if (name === 'fail') {
      throw new ElicitError(what.message, { code: what.code, data: what.data });
    } else {
      assert.fail(`an operation that is not known: ${name}`);
    }
  }
  assert.fail('the handler has no end');
};

/** An outcome as JSON, every digit as it was sent. */
function report({ action, source, contentText, reason, faults }) {
  const members = [`"action":"${action}"`];
  if (source) members.push(`"source":"${source}"`);
  if (contentText) members.push(`"content":${contentText}`);
  if (reason) members.push(`"reason":"${reason}"`);
  if (faults.length > 0) members.push(`"faults":${JSON.stringify(faults.map(({ path, rule }) => [path, rule]))}`);
  return `{${members}}`;
}

function principalOf(given) {
  if (Array.isArray(given)) return new Principal(...given);
  return { single_user: Principal.singleUser(), none: Principal.none() }[given];
}

function withState(message, state) {
  const middle = state.length >> 1;
  const flipped = state[middle] === 'A' ? 'B' : 'A';
  return message
    .replaceAll('$STATE_FLIPPED', () => state.slice(0, middle) + flipped + state.slice(middle + 1))
    .replaceAll('$STATE_APPENDED', () => `${state}A`)
    .replaceAll('$STATE_CUT', () => state.slice(0, -1))
    .replaceAll('$STATE', () => state);
}

each('flows', flows, async flow => {
  const bench = (audience, now) => new Bench({
    keys: settings.keys,
    audience,
    now,
    ...(flow.limits && { limits: camel(flow.limits) }),
    ...(flow.server_info && { serverInfo: flow.server_info }),
  });
  const own = bench(settings.audience, settings.now_ms);
  let state = '';
  for (const round of flow.rounds) {
    own.now += round.advance_ms ?? 0;
    const serving = round.audience ? bench(round.audience, own.now) : own;
    serving.log.length = 0;
    const given = typeof round.request === 'string' ? round.request : JSON.stringify(round.request);
    const handler = player(round.handler ?? flow.handler);
    const run = () => play(serving.engine, withState(given, state), handler, principalOf(round.principal), flow);
    const { raises, status, body, log = [], ...rest } = round.expect;
    assert.deepEqual(rest, {}, 'a member that this runner does not know');
    if (raises) {
      await assert.rejects(run, error => error instanceof ElicitError && error.kind === raises);
    } else {
      const reply = await run();
      assert.equal(reply.status, status);
      const came = JSON.parse(reply.body);
      assert.deepEqual(came, body);
      state = (flow.params_only ? came : came.result)?.requestState ?? state;
    }
    assert.deepEqual(serving.logged, log);
  }
});

/** `run`, or what it does, for a call that is opened from its parameters. */
async function play(serving, message, handler, principal, flow) {
  if (!flow.params_only) return serving.run(message, handler, { principal });
  const { method, params } = JSON.parse(message);
  let call;
  try {
    call = serving.openParams(method, params, { principal });
  } catch (error) {
    return error.reply;
  }
  try {
    return call.complete(await handler(call));
  } catch (error) {
    if (!isSuspended(error)) throw error;
    return call.suspend();
  }
}

// ---- Tokens

const tokens = vectors('tokens.json');

/** Presents a token where the vector says. */
function present(it) {
  const context = { ...tokens.context, ...it.with };
  const bench = new Bench({
    keys: context.keys.map(name => tokens.keys[name]),
    audience: context.audience,
    now: context.now_ms,
    limits: { requestBytes: 16 << 20, tokenBytes: context.max_len, clockSkewMs: context.clock_skew_ms, questionRounds: context.question_rounds },
  });
  const { method, target, arguments: given } = context.request;
  const params = {
    [method === 'resources/read' ? 'uri' : 'name']: target,
    ...(given !== null && { arguments: '@' }),
    requestState: bytes(it.token).toString(),
    _meta: {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientCapabilities': {},
    },
  };
  const message = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }).replace('"@"', () => given);
  return { bench, open: () => bench.engine.open(message, { principal: principalOf(context.principal) }) };
}

each('tokens: opens', tokens.opens, it => {
  const call = present(it).open();
  const { flow_id: id, round } = it.claims;
  assert.equal(call.flowId, Buffer.from(id, 'hex').toString('base64url'));
  if (round < 2 ** 32 - 1) assert.equal(call.round, round + 1);
});

each('tokens: refused', tokens.refused, it => {
  const { bench, open } = present(it);
  const error = thrownBy(open);
  assert.deepEqual([error.kind, error.code, error.data], ['invalid_state', -32602, { reason: 'invalid_request_state' }]);
  assert.deepEqual(bench.logged, [['state_refused', it.refusal]]);
});

// ---- Digests, as far as they show: a state is good for all requests of one digest, and for no other

const digests = vectors('digest.json');

function message({ method, target }, given, state) {
  const params = {
    [method === 'resources/read' ? 'uri' : 'name']: target,
    requestState: state,
    _meta: {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientCapabilities': { elicitation: {} },
    },
  };
  const text = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
  return given === null ? text : text.replace('"params":{', () => `"params":{"arguments":${given},`);
}

// The others show that the digest keeps method and target apart; no such request opens a call.
const groups = digests.requests.filter(({ method }) => ['tools/call', 'prompts/get', 'resources/read'].includes(method));

each('digest: requests', groups.map((group, at) => ({ ...group, at, name: `group ${at}` })), group => {
  const { engine: digesting } = new Bench();
  const its = { principal: nobody };
  const call = digesting.open(message(group, group.arguments[0]), its);
  call.elicitForm('a', 'Why?', { type: 'object', properties: {} });
  const state = JSON.parse(call.suspend().body).result.requestState;
  for (const given of group.arguments) assert.equal(digesting.open(message(group, given, state), its).round, 2);
  const other = groups[(group.at + 1) % groups.length];
  assert.equal(thrownBy(() => digesting.open(message(other, other.arguments[0], state), its)).kind, 'invalid_state');
});

const roomy = new Engine({ ephemeral: true, audience: 'vectors', limits: { requestBytes: 16 << 20 } });

each('digest: faults', digests.faults.map((it, at) => ({ ...it, name: `${it.rule} ${at}` })), it => {
  const open = () => {
    const given = message({ method: 'tools/call', target: 'deploy' }, '@').split('@');
    return roomy.open(Buffer.concat([Buffer.from(given[0]), bytes(it.arguments), Buffer.from(given[1])]), { principal: nobody });
  };
  const { data } = thrownBy(open);
  assert.equal(data.rule, it.rule);
  if (it.path !== null) assert.equal(data.path, it.path);
});
