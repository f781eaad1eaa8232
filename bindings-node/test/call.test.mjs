// Calls: what a handler can do, how it can end, and what becomes of a question.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { inspect } from 'node:util';
import { ElicitError, Form, Principal, Suspended, isSuspended } from 'mcp-elicit';
import { z } from 'zod';
import { Bench, TARGET, USER, answered, deploy, request, text } from './support.mjs';

const kind = wanted => error => {
  assert.ok(error instanceof ElicitError, String(error));
  assert.equal(error.kind, wanted, error.message);
  return true;
};
const its = { principal: USER };
const accept = content => ({ action: 'accept', content });
const resultOf = reply => JSON.parse(reply.body).result;
const said = reply => resultOf(reply).content[0].text;

/** The round after this one: the questions answered. */
const next = (bench, reply, answers, handler = deploy) => bench.engine.run(answered(reply, answers), handler, its);

describe('how a handler reads', () => {
  test('asked, answered, done; sync and async', async () => {
    const bench = new Bench();
    for (const handler of [deploy, async call => deploy(call), call => Promise.resolve().then(() => deploy(call))]) {
      const first = await bench.engine.run(request(), handler, its);
      assert.deepEqual([first.kind, first.status, first.errorKind], ['input_required', 200, undefined]);
      assert.deepEqual(first.headers, { 'content-type': 'application/json', 'cache-control': 'no-store' });
      assert.deepEqual(Object.keys(resultOf(first).inputRequests), ['target']);
      const second = await next(bench, first, { target: accept({ environment: 'staging' }) }, handler);
      assert.equal(said(second), 'Deployed to staging.');
      assert.equal(resultOf(second).resultType, 'complete');
    }
    assert.deepEqual(bench.log, []);
  });

  test('questions that are asked before any is read go out together', async () => {
    const bench = new Bench();
    const handler = async call => {
      const one = call.elicitForm('one', 'First?', TARGET);
      const two = call.elicitForm('two', 'Second?', TARGET);
      const actions = await Promise.all([one, two].map(async it => it.action));
      return text(actions.join());
    };
    const first = await bench.engine.run(request(), handler, its);
    assert.deepEqual(Object.keys(resultOf(first).inputRequests), ['one', 'two']);
    const half = await next(bench, first, { one: accept({ environment: 'dev' }) }, handler);
    assert.deepEqual(Object.keys(resultOf(half).inputRequests), ['two']);
    assert.equal(said(await next(bench, half, { two: { action: 'cancel' } }, handler)), 'accept,cancel');
  });

  test('what the call says of itself', async () => {
    const { engine } = new Bench();
    const info = { name: 'a client', version: '1' };
    const given = request({ arguments: { app: 'billing' } });
    given.params._meta['io.modelcontextprotocol/clientInfo'] = info;
    const call = engine.open(given, its);
    assert.deepEqual(
      [call.method, call.target, call.arguments, call.argumentsText, call.round, call.principal, call.clientInfo, call.protocolVersion],
      ['tools/call', 'deploy', { app: 'billing' }, '{"app":"billing"}', 1, USER, info, '2026-07-28'],
    );
    assert.match(call.flowId, /^[\w-]{22}$/);
    assert.deepEqual(call.clientCapabilities, { elicitation: { form: {}, url: {} } });
    assert.deepEqual([call.canElicit('form'), call.canElicit('url')], [true, true]);
    assert.throws(() => call.canElicit('voice'), kind('invalid_argument'));
    assert.throws(() => call.canElicit(), kind('invalid_argument'));
    assert.equal(engine.open(request(), its).clientInfo, undefined);
    assert.deepEqual(engine.open(request(), its).arguments, {});
    assert.equal(call.arguments, call.arguments, 'read once');
  });

  test('a link that is accepted and not done asks again, a done one does not ask', async () => {
    const bench = new Bench();
    const visit = (done, url) => call => {
      const it = call.elicitUrl('login', 'Sign in', url ?? new URL(`https://example.com/?flow=${call.flowId}`), done);
      return text(`${it.action} ${it.source} ${it.content} ${it.contentText}`);
    };
    const first = await bench.engine.run(request(), visit(false), its);
    const again = await next(bench, first, { login: { action: 'accept' } }, visit(false, 'https://other.example/'));
    assert.equal(resultOf(again).inputRequests.login.params.url, resultOf(first).inputRequests.login.params.url);
    assert.equal(said(await next(bench, again, { login: { action: 'accept' } }, visit(true))), 'accept user undefined undefined');
    assert.equal(said(await bench.engine.run(request(), visit(true), its)), 'accept grant undefined undefined');
  });

  test('a question from JSON', async () => {
    const bench = new Bench();
    const handler = call => {
      const form = call.elicit('a', { method: 'elicitation/create', params: { message: 'Which?', requestedSchema: JSON.parse(TARGET.wire) } });
      const link = call.elicit('b', '{"mode":"url","message":"Go","url":"https://example.com/"}', { done: true });
      return text(`${form.action} ${link.source}`);
    };
    const first = await bench.engine.run(request(), handler, its);
    assert.equal(said(await next(bench, first, { a: { action: 'decline' } }, handler)), 'decline grant');
    const { engine } = bench;
    for (const [wanted, given, options] of [
      ['invalid_ask', {}], ['invalid_ask', '[]'], ['invalid_argument', 'nonsense'], ['invalid_argument', undefined],
      ['invalid_argument', { message: 'x', requestedSchema: JSON.parse(TARGET.wire) }, { done: 1 }],
      ['invalid_argument', { message: 'x', requestedSchema: JSON.parse(TARGET.wire) }, { finished: true }],
    ]) {
      assert.throws(() => engine.open(request(), its).elicit('a', given, options), kind(wanted), JSON.stringify(given));
    }
  });
});

describe('outcomes', () => {
  test('isPending does not throw, everything else does', () => {
    const call = new Bench().engine.open(request(), its);
    const asked = call.elicitForm('target', 'Which environment?', TARGET);
    assert.equal(asked.isPending, true);
    assert.equal(call.isPending, true);
    for (const member of ['action', 'content', 'contentText', 'source', 'faults', 'reason']) {
      assert.throws(() => asked[member], error => isSuspended(error) && !(error instanceof Error), member);
    }
    assert.equal(inspect(asked), 'Outcome {}');
  });

  test('every member of every outcome', async () => {
    const bench = new Bench({ limits: { reasks: 1 } });
    let seen;
    const handler = call => {
      const it = call.elicitForm('target', 'Which environment?', TARGET, { unavailable: 'outcome' });
      const { action, content, contentText, source, reason, isPending } = it;
      seen = { action, content, contentText, source, reason, isPending, faults: it.faults.map(({ path, rule }) => [path, rule]) };
      return text('');
    };
    const none = { content: undefined, contentText: undefined, source: undefined, reason: undefined, isPending: false, faults: [] };
    const first = await bench.engine.run(request(), handler, its);
    await next(bench, first, { target: accept({ environment: 'dev', extra: 1 }) }, handler);
    assert.deepEqual(seen, { ...none, action: 'accept', content: { environment: 'dev' }, contentText: '{"environment":"dev"}', source: 'user' });
    for (const action of ['decline', 'cancel']) {
      await next(bench, first, { target: { action, content: null } }, handler);
      assert.deepEqual(seen, { ...none, action });
    }
    const again = await next(bench, first, { target: accept({ environment: 'moon' }) }, handler);
    assert.match(resultOf(again).inputRequests.target.params.message, /environment/i);
    await next(bench, again, { target: accept({}) }, handler);
    assert.deepEqual(seen, { ...none, action: 'invalid', faults: [['/environment', 'required']] });
    await bench.engine.run(request({}, { capabilities: {} }), handler, its);
    assert.deepEqual(seen, { ...none, action: 'unavailable', reason: 'capability' });
  });

  test('content is exact as text, made once as an object, and has no prototype of the peer', async () => {
    const bench = new Bench();
    const form = new Form('{"type":"object","properties":{"n":{"type":"number","title":"N"},"__proto__":{"type":"string","title":"P"}}}');
    let seen;
    const handler = call => {
      seen = call.elicitForm('a', 'Why?', form);
      return text(seen.action);
    };
    const first = await bench.engine.run(request(), handler, its);
    const exact = '{"n":9007199254740993.10,"__proto__":"x"}';
    const message = JSON.stringify(answered(first, { a: accept('@') })).replace('"@"', () => exact);
    await bench.engine.run(message, handler, its);
    assert.equal(seen.contentText, exact);
    assert.equal(seen.content, seen.content);
    assert.deepEqual(Object.keys(seen.content), ['n', '__proto__']);
    assert.equal(Object.getPrototypeOf(seen.content), Object.prototype);
  });

  test('answers under __proto__ and the like are ignored', async () => {
    const bench = new Bench();
    const first = await bench.engine.run(request(), deploy, its);
    const message = JSON.stringify(answered(first, { target: { action: 'decline' } }))
      .replace('"target":', '"__proto__":{"action":"accept"},"constructor":{"action":"accept"},"target":');
    assert.equal(said(await bench.engine.run(message, deploy, its)), 'Nothing was deployed.');
    const call = bench.engine.open(request(), its);
    assert.throws(() => call.elicitForm('__proto__', 'Why?', TARGET), kind('invalid_ask'));
  });
});

describe('how a run can end', () => {
  const run = (handler, bench = new Bench()) => bench.engine.run(request(), handler, its);
  const ask = call => call.elicitForm('target', 'Which environment?', TARGET);

  test('a result that is none', async () => {
    for (const result of [undefined, null, 5, true, [], () => {}, Symbol('x'), '"text"', '{}]', { resultType: 'other' }]) {
      await assert.rejects(run(() => result), error => ['invalid_result', 'invalid_argument'].includes(error.kind), String(inspect(result)));
    }
    await assert.rejects(run(() => ({ content: 5n })), kind('invalid_result'));
    const cyclic = { content: [] };
    cyclic.self = cyclic;
    await assert.rejects(run(() => cyclic), kind('invalid_result'));
    await assert.rejects(run(() => ({ content: ['\ud800'] })), kind('invalid_argument'));
    await assert.rejects(run(() => '{"content":["\ud800"]}'), kind('invalid_result'));
  });

  test('a result as JSON keeps its digits', async () => {
    const reply = await run(() => '{"content": [], "structuredContent": {"n": 9007199254740993.0}}');
    assert.match(reply.body, /"n":9007199254740993\.0/);
  });

  test('an own exception goes on to the caller, whatever it is', async () => {
    for (const thrown of [new TypeError('mine'), 'text', 5, null, undefined, Symbol('x'), { then() {} }]) {
      for (const handler of [() => { throw thrown; }, async () => { throw thrown; }]) {
        let caught;
        await run(handler).catch(error => { caught = [error]; });
        assert.deepEqual(caught, [thrown]);
      }
    }
  });

  test('an error of the application is the reply', async () => {
    const cause = new Error('inner');
    const mine = new ElicitError('no such app', { code: -5, data: { app: 'x' }, cause });
    assert.deepEqual([mine.kind, mine.code, mine.isForPeer, mine.cause], ['application', -5, true, cause]);
    for (const end of [() => { throw mine; }, call => call.fail(-5, 'no such app', { app: 'x' })]) {
      const reply = await run(end);
      assert.deepEqual([reply.kind, reply.errorKind, reply.status], ['error', 'application', 200]);
      assert.deepEqual(JSON.parse(reply.body).error, { code: -5, message: 'no such app', data: { app: 'x' } });
    }
    for (const code of [undefined, '5', 0.5, NaN, 2 ** 31]) {
      assert.throws(() => new ElicitError('x', { code }), kind('invalid_argument'));
      await assert.rejects(run(call => call.fail(code, 'x')), kind('invalid_argument'));
    }
    assert.throws(() => new ElicitError('x'), kind('invalid_argument'));
    assert.throws(() => new ElicitError(5, { code: 1 }), kind('invalid_argument'));
    assert.throws(() => new ElicitError('x', { code: 1, data: 5n }), kind('invalid_argument'));
    await assert.rejects(run(call => call.fail(-32021, 'x')), kind('invalid_result'));
    await assert.rejects(run(() => { throw new ElicitError('x', { code: -32002 }); }), kind('invalid_result'));
  });

  test('a fault of the server is thrown as the handler threw it, and said to nobody', async () => {
    let thrown;
    const bad = call => {
      try {
        return call.elicitForm('target', '', TARGET);
      } catch (error) {
        thrown = error;
        throw error;
      }
    };
    await assert.rejects(run(bad), error => error === thrown && kind('invalid_ask')(error));
    assert.deepEqual(JSON.parse(thrown.reply.body).error, { code: -32603, message: 'Internal error' });
  });

  test('a suspension that is caught still suspends, and the operator hears of it', async () => {
    const quiet = call => { try { return text(ask(call).action); } catch { return text('done'); } };
    const other = call => { try { return text(ask(call).action); } catch { throw new Error('mine'); } };
    const rejected = call => (async () => ask(call).action)().then(() => {}, () => text('done'));
    const ours = call => { try { return text(ask(call).action); } catch { return call.elicitForm('', 'x', TARGET); } };
    for (const [handler, reason] of [[quiet, 'result'], [rejected, 'result'], [other, 'exception'], [ours, 'exception']]) {
      const bench = new Bench();
      assert.equal((await run(handler, bench)).kind, 'input_required');
      assert.deepEqual(bench.logged, [['suspension_swallowed', reason]]);
      assert.equal(bench.log[0].flowId.length, 22);
    }
    const bench = new Bench();
    assert.equal((await run(call => { ask(call); return text('done'); }, bench)).kind, 'input_required');
    assert.deepEqual(bench.logged, [['question_left_open', 'result']]);
  });

  test('an own exception before a pending outcome was read is no suspension', async () => {
    const mine = new Error('mine');
    await assert.rejects(run(call => { ask(call); throw mine; }), error => error === mine);
  });

  test('the suspension is told by its brand', () => {
    const thrown = (() => { try { return ask(new Bench().engine.open(request(), its)).action; } catch (error) { return error; } })();
    assert.ok(thrown instanceof Suspended);
    assert.ok(isSuspended({ [Symbol.for('mcp-elicit.suspended')]: true }), 'of another copy of the package');
    for (const other of [undefined, null, 5, {}, new Error('x'), { [Symbol.for('mcp-elicit.suspended')]: 1 }]) assert.equal(isSuspended(other), false);
    assert.match(String(thrown), /^Suspended: /);
    assert.match(inspect(thrown), /^\[Suspended: /);
  });

  test('a suspension with nothing open cannot be sent', async () => {
    await assert.rejects(run(() => { throw new Suspended(); }), kind('nothing_asked'));
  });

  test('finished by hand: the reply of this call, and no other', async () => {
    const bench = new Bench();
    assert.equal((await run(call => call.complete({ content: [] }), bench)).kind, 'complete');
    assert.equal((await run(async call => { ask(call); return call.suspend(); }, bench)).kind, 'input_required');
    assert.equal((await run(call => call.retryLater(), bench)).kind, 'input_required');
    const stray = bench.engine.open(request(), its).complete({ content: [] });
    await assert.rejects(run(() => stray, bench), kind('invalid_result'));
    await assert.rejects(run(call => { call.complete({ content: [] }); return stray; }, bench), kind('invalid_result'));
    await assert.rejects(run(call => { call.complete({ content: [] }); return text('x'); }, bench), kind('finished'));
    await assert.rejects(run(call => { call.complete({ content: [] }); return call.suspend(); }, bench), kind('finished'));
    await assert.rejects(run(call => { ask(call); return call.complete({ content: [] }); }, bench), kind('question_open'));
    await assert.rejects(run(call => call.suspend(), bench), kind('nothing_asked'));
    for (const result of [undefined, 5n, () => {}]) await assert.rejects(run(call => call.complete(result), bench), kind('invalid_argument'));
  });

  test('a call is over when its run is', async () => {
    const bench = new Bench();
    let kept;
    let late;
    const reply = await run(call => {
      kept = call;
      late = new Promise(resolve => { setTimeout(resolve, 5); }).then(() => ask(call)); // nobody waits for it
      return text('x');
    }, bench);
    assert.equal(reply.kind, 'complete');
    await assert.rejects(late, kind('finished'));
    for (const use of [
      () => kept.flowId, () => kept.method, () => kept.round, () => kept.isPending, () => kept.canElicit('form'), () => ask(kept),
      () => kept.elicitUrl('a', 'b', 'https://example.com/', false), () => kept.elicit('a', { message: 'Why?', requestedSchema: JSON.parse(TARGET.wire) }), () => kept.suspend(), () => kept.complete({ content: [] }),
      () => kept.fail(-1, 'x'), () => kept.retryLater(), () => kept.setAppData('x'), () => kept.appData, 
      () => kept.createMessage('a', { messages: [{ role: 'user', content: { type: 'text', text: 'x' } }], maxTokens: 1 }), () => kept.listRoots('a'),
    ]) {
      assert.throws(use, kind('finished'), String(use));
    }
    await assert.rejects(kept.step('a', () => 1), kind('finished'));
  });

  test('a handler is a function', async () => {
    for (const handler of [undefined, null, 5, {}, 'deploy']) await assert.rejects(run(handler), kind('invalid_argument'));
  });

  test('the principal of a call is the one that was given, whatever happens to the object', async () => {
    const mutable = { issuer: 'https://login.example', subject: 'alice', client: 'client-1' };
    const reply = await new Bench().engine.run(request(), async call => {
      mutable.subject = 'bob';
      await null;
      return text(call.principal.subject);
    }, { principal: mutable });
    assert.equal(said(reply), 'alice');
  });
});

describe('many calls at once', () => {
  test('calls that overlap do not mix', async () => {
    const bench = new Bench();
    const handler = async call => {
      const { n } = call.arguments;
      await new Promise(resolve => { setTimeout(resolve, (n * 7) % 13); });
      const it = call.elicitForm(`question-${n}`, `Number ${n}?`, TARGET);
      await null;
      return text(`${n}: ${it.content.environment} ${call.arguments.n} ${call.principal.subject}`);
    };
    const play = async n => {
      const context = { principal: new Principal('https://login.example', `user-${n}`, 'c') };
      const first = await bench.engine.run(request({ arguments: { n } }), handler, context);
      assert.deepEqual(Object.keys(resultOf(first).inputRequests), [`question-${n}`]);
      const second = answered(first, { [`question-${n}`]: accept({ environment: 'dev' }) }, { arguments: { n } });
      assert.equal(said(await bench.engine.run(second, handler, context)), `${n}: dev ${n} user-${n}`);
    };
    await Promise.all(Array.from({ length: 400 }, (_, n) => play(n)));
  });

  test('a run inside a run', async () => {
    const bench = new Bench();
    const reply = await bench.engine.run(request(), async outer => {
      const inner = await bench.engine.run(request(), deploy, its);
      return text(`${inner.kind} ${outer.isPending}`);
    }, its);
    assert.equal(said(reply), 'input_required false');
  });

  test('handlers that never end can be dropped', async () => {
    const bench = new Bench();
    for (let n = 0; n < 300; n += 1) bench.engine.run(request(), () => new Promise(() => {}), its);
    globalThis.gc?.();
    assert.equal((await bench.engine.run(request(), deploy, its)).kind, 'input_required');
  });
});

describe('arguments of the wrong kind', () => {
  const open = () => new Bench().engine.open(request(), its);

  test('of an ask for a schema with a name like that of a secret', () => {
    const secret = { type: 'object', properties: { token: { type: 'string', title: 'Token' } } };
    const options = { allowSensitiveName: 'the name of a coin' };
    for (const schema of [secret, JSON.stringify(secret), z.object({ token: z.string().meta({ title: 'Token' }) })]) {
      assert.throws(() => open().elicitForm('a', 'Why?', schema), kind('schema'));
      assert.ok(open().elicitForm('a', 'Why?', schema, { ...options, humanOnly: true }).isPending);
      assert.throws(() => open().elicitForm('a', 'Why?', schema), kind('schema'));
    }
    assert.throws(() => open().elicitForm('a', 'Why?', TARGET, options), kind('invalid_argument'));
    assert.throws(() => open().elicitUrl('a', 'Why?', 'https://example.com/', false, options), kind('invalid_argument'));
  });

  test('of asks', () => {
    for (const key of [undefined, null, 5, {}, '\ud800']) assert.throws(() => open().elicitForm(key, 'Why?', TARGET), kind('invalid_argument'));
    for (const message of [undefined, null, 5, {}, 'x\udfff']) assert.throws(() => open().elicitForm('a', message, TARGET), kind('invalid_argument'));
    for (const form of [undefined, null, 5, true, Symbol('x'), 'nonsense\ud800', { toJSON() {} }]) {
      assert.throws(() => open().elicitForm('a', 'Why?', form), kind('invalid_argument'));
    }
    for (const form of ['nonsense', '{}', {}, [], { type: 'object', properties: { a: { type: 'object' } } }]) {
      assert.throws(() => open().elicitForm('a', 'Why?', form), error => ['schema', 'invalid_argument'].includes(error.kind), inspect(form));
    }
    for (const url of [undefined, null, 5, {}, { href: 5 }]) assert.throws(() => open().elicitUrl('a', 'Go', url, false), kind('invalid_argument'));
    for (const done of [undefined, null, 0, 'yes']) assert.throws(() => open().elicitUrl('a', 'Go', 'https://example.com/', done), kind('invalid_argument'));
    for (const url of ['', '/x', 'http://example.com/', 'javascript:alert(1)', 'https://user@example.com/']) {
      assert.throws(() => open().elicitUrl('a', 'Go', url, false), kind('invalid_ask'), url);
    }
    assert.equal(open().elicitUrl('a', 'Go', 'http://example.com/', false, { allowInsecureHttp: true }).isPending, true);
  });

  test('of options', () => {
    for (const options of [null, 5, 'x', { allowInsecureHttp: 1 }, { alowInsecureHttp: true }, { unavailable: 5 }, { unavailable: 'maybe' },
      { onCancel: 'x' }, { arguments: 'environment' }, { arguments: [5] }, { messages: { a: 5n } }, JSON.parse('{"__proto__":true}')]) {
      assert.throws(() => open().elicitForm('a', 'Why?', TARGET, options), kind('invalid_argument'), inspect(options));
    }
    for (const options of [{ onCancel: 'error' }, { arguments: ['nothing'] }, { humanOnly: true, acceptUnasked: true }]) {
      assert.throws(() => open().elicitForm('a', 'Why?', TARGET, options), kind('invalid_ask'), inspect(options));
    }
    assert.equal(open().elicitForm('a', 'Why?', TARGET, { acceptUnasked: undefined, messages: undefined }).isPending, true);
  });

  test('one key, two questions', () => {
    const call = open();
    call.elicitForm('a', 'Why?', TARGET);
    assert.equal(call.elicitForm('a', 'Why?', TARGET).isPending, true);
    assert.throws(() => call.elicitForm('a', 'Why not?', TARGET), kind('conflict'));
  });

  test('unicode and length of keys and messages', async () => {
    const bench = new Bench();
    const handler = call => text(call.elicitForm('clé 🔑', 'Où? \u202e ✓ \0 \n', TARGET).action);
    const first = await bench.engine.run(request(), handler, its);
    assert.equal(resultOf(first).inputRequests['clé 🔑'].params.message, 'Où? \u202e ✓ \0 \n');
    assert.ok(!first.body.includes('\n'));
    assert.equal(said(await next(bench, first, { 'clé 🔑': { action: 'cancel' } }, handler)), 'cancel');
    assert.throws(() => open().elicitForm('k'.repeat(257), 'Why?', TARGET), kind('invalid_ask'));
    assert.throws(() => open().elicitForm('a', 'x'.repeat(20_000), TARGET), kind('invalid_ask'));
  });
});

describe('forms', () => {
  test('are refused with everything that is wrong', () => {
    assert.throws(
      () => new Form({ type: 'object', properties: { a: { type: 'object' }, b: { type: 'string', minLength: -1 } } }),
      error => kind('schema')(error) && error.faults.length === 2 && error.faults.every(({ path, rule, message }) => path && rule && message),
    );
    for (const given of [undefined, null, 5, '\ud800', { a: 5n }]) assert.throws(() => new Form(given), kind('invalid_argument'));
    for (const options of [null, 5, { allowSensitiveName: true }, { limits: 5 }, { limits: { properties: -1 } }, { limits: { properties: 1.5 } }, { limits: { fields: 1 } }, { strict: true }]) {
      assert.throws(() => new Form({ type: 'object', properties: {} }, options), kind('invalid_argument'), inspect(options));
    }
    const two = { type: 'object', properties: { a: { type: 'string' }, b: { type: 'string' } } };
    assert.throws(() => new Form(two, { limits: { properties: 1 } }), kind('schema'));
    const secret = { type: 'object', properties: { password: { type: 'string', title: 'P' } } };
    assert.throws(() => new Form(secret), kind('schema'));
    assert.equal(new Form(secret, { allowSensitiveName: 'a rule, not a secret' }).warnings.length, 1);
  });

  test('check answers', () => {
    assert.deepEqual(TARGET.validate({ environment: 'dev', x: 1 }), {
      valid: true, content: { environment: 'dev' }, contentText: '{"environment":"dev"}', dropped: ['x'],
    });
    assert.deepEqual(TARGET.validate('{"environment": "moon"}').faults.map(({ path, rule }) => [path, rule]), [['/environment', 'enum']]);
    assert.equal(TARGET.validate({ environment: 'dev', x: 1 }, { unknown: 'refuse' }).valid, false);
    assert.equal(TARGET.validate([]).valid, false);
    for (const [content, options] of [[undefined], [5n], ['nonsense'], [{}, { unknown: 'keep' }], [{}, { strict: true }], [{}, null]]) {
      assert.throws(() => TARGET.validate(content, options), kind('invalid_argument'));
    }
    assert.equal(TARGET.source, TARGET.wire);
  });
});

describe('steps and data of the application', () => {
  test('a step runs once a flow and gives the same each time', async () => {
    const bench = new Bench();
    let runs = 0;
    const handler = async call => {
      const made = await call.step('made', async () => { runs += 1; return { at: new Date(0), n: runs, none: undefined }; });
      const empty = await call.step('empty', () => {});
      deploy(call);
      return text(JSON.stringify([made, empty]));
    };
    const first = await bench.engine.run(request(), handler, its);
    const second = await next(bench, first, { target: { action: 'decline' } }, handler);
    assert.equal(said(second), '[{"at":"1970-01-01T00:00:00.000Z","n":1},null]');
    assert.equal(runs, 1);
  });

  test('a step that fails is not kept', async () => {
    const { engine } = new Bench();
    const call = engine.open(request(), its);
    await assert.rejects(call.step('a', () => { throw new RangeError('mine'); }), RangeError);
    await assert.rejects(call.step('a', () => 5n), kind('invalid_argument'));
    assert.equal(await call.step('a', () => 1), 1);
    assert.equal(await call.step('a', () => 2), 1);
    assert.deepEqual(await Promise.all([call.step('b', async () => 1), call.step('b', async () => 2)]), [1, 1]);
    for (const [key, work, options] of [[5, () => 1], ['c', 5], ['c'], ['c', () => 1, { readable: 1 }], ['c', () => 1, { secret: true }]]) {
      await assert.rejects(call.step(key, work, options), kind('invalid_argument'));
    }
    await assert.rejects(call.step('', () => 1), kind('invalid_ask'));
  });

  test('only what may be read stands in a signed state', async () => {
    const { engine } = new Bench({ stateFormat: 'signed' });
    const handler = readable => async call => {
      await call.step('made', () => 'plain to see', { readable });
      return deploy(call);
    };
    const { requestState } = resultOf(await engine.run(request(), handler(true), its));
    assert.match(Buffer.from(requestState.slice(4), 'base64url').toString('latin1'), /plain to see/);
    await assert.rejects(engine.run(request(), handler(false), its), ElicitError);
  });

  test('data goes through the state', async () => {
    const bench = new Bench();
    const handler = call => {
      if (call.round === 1) call.setAppData(Uint8Array.of(0, 255, 10));
      else if (call.round === 2) call.setAppData('é');
      const before = call.appData;
      if (call.round < 3) return call.retryLater();
      call.setAppData(undefined);
      return text(`${[...before]} ${call.appData}`);
    };
    const first = await bench.engine.run(request(), handler, its);
    assert.equal(said(await next(bench, await next(bench, first, {}, handler), {}, handler)), '195,169 undefined');
    const call = bench.engine.open(request(), its);
    assert.equal(call.appData, undefined);
    for (const data of [null, 5, {}, '\ud800']) assert.throws(() => call.setAppData(data), kind('invalid_argument'));
    assert.throws(() => call.setAppData('x'.repeat(70_000)), kind('limit'));
  });
});

test('a schema that is given with a question is read under the limits of the engine', () => {
  const schema = { type: 'object', properties: { a: { type: 'boolean' }, b: { type: 'boolean' } } };
  const type = z.object({ a: z.boolean(), b: z.boolean() });
  const call = new Bench({ limits: { schemaProperties: 1 } }).engine.open(request(), its);
  const tooMany = ({ kind, faults }) => kind === 'schema' && faults[0].rule === 'too_many_properties';
  for (const given of [schema, JSON.stringify(schema), type]) {
    new Bench().engine.open(request(), its).elicitForm('k', 'Which?', given); // an engine of another limit, first
    assert.throws(() => call.elicitForm('k', 'Which?', given), tooMany);
  }
  assert.throws(() => call.elicit('k', { message: 'Which?', requestedSchema: schema }), tooMany);
  assert.equal(call.elicitForm('k', 'Which?', new Form(schema)).isPending, true); // made under limits of its own
});

describe('errors', () => {
  test('say what they are, and show no secret', () => {
    const { engine } = new Bench();
    const { params } = request({ requestState: 'me1.secret' });
    assert.throws(() => engine.openParams('tools/call', params, its), error => {
      assert.equal(error.name, 'ElicitError');
      assert.match(error.stack, /^ElicitError: /);
      assert.deepEqual([error.kind, error.code, error.httpStatus, error.isForPeer], ['invalid_state', -32602, 200, true]);
      assert.deepEqual(error.data, { reason: 'invalid_request_state' });
      assert.deepEqual(error.faults, []);
      assert.ok(!inspect(error).includes('me1.secret'));
      assert.deepEqual(JSON.parse(error.reply.body), { code: -32602, message: 'Invalid or expired requestState', data: error.data });
      return true;
    });
  });

  test('replies are not shown whole', async () => {
    const reply = await new Bench().engine.run(request(), () => text('a secret'), its);
    assert.match(inspect(reply), /^Reply\(complete, HTTP 200, \d+ characters\)$/);
    assert.throws(() => { reply.headers['content-type'] = 'x'; }, TypeError);
  });
});
