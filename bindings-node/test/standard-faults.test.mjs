// Types of other libraries at fault: that wait, throw, use the call that they judge for, or say what
// is no judgement. None of them ends the process, finishes a call, or ends in a senseless error.
import assert from 'node:assert/strict';
import { AsyncLocalStorage } from 'node:async_hooks';
import { after, describe, test } from 'node:test';
import { ElicitError, Form, MemoryStore, Principal } from 'mcp-elicit';
import * as v from 'valibot';
import { z } from 'zod';
import * as mini from 'zod/mini';
import { Bench, answered, request, text } from './support.mjs';

const its = { principal: Principal.singleUser() };
const SCHEMA = { type: 'object', properties: { a: { type: 'string', title: 'A' } } };
const ANSWER = { a: { action: 'accept', content: { a: 'x' } } };

/** A type of no library's. */
const own = (validate, more = {}) => ({
  '~standard': { version: 1, vendor: 'own', validate, jsonSchema: { input: () => SCHEMA }, ...more },
});

function refusal(work, kind = 'invalid_argument') {
  try {
    work();
  } catch (error) {
    assert.ok(error instanceof ElicitError, String(error));
    assert.equal(error.kind, kind, error.message);
    return error;
  }
  assert.fail('nothing was thrown');
}

/** Opens the round in which the answer to `a` has come. */
async function answeredRound(bench, of) {
  const handler = call => text(call.elicitForm('a', 'A?', of).action);
  return bench.engine.open(answered(await bench.engine.run(request(), handler, its), ANSWER), its);
}

const turn = () => new Promise(resolve => { setTimeout(resolve, 5); });

describe('a type that waits', () => {
  const unhandled = [];
  const hear = reason => unhandled.push(reason);
  process.on('unhandledRejection', hear);
  after(() => process.off('unhandledRejection', hear));
  const mine = new Error('mine');
  const fails = async () => { throw mine; };

  const types = {
    'an asynchronous refinement': z.object({ a: z.string().refine(fails) }),
    'an asynchronous superRefine': z.object({ a: z.string().superRefine(fails) }),
    'an asynchronous refinement of the whole': z.object({ a: z.string() }).refine(fails),
    'an asynchronous transform of the whole': z.object({ a: z.string() }).transform(fails),
    'a refinement of zod/mini': mini.object({ a: mini.string().check(mini.refine(fails)) }),
    'one that gives a promise': own(it => (it === undefined ? { value: it } : Promise.reject(mine))),
    'one that is asynchronous': own(it => (it === undefined ? { value: it } : fails())),
    'one that gives what has a then': own(it => (it === undefined ? { value: it } : { then() { throw mine; } })),
    'one that begins something and then throws': own(it => {
      if (it === undefined) return { value: it };
      fails();
      throw new Error('Encountered Promise during synchronous parse. Use .parseAsync() instead.');
    }),
  };
  for (const [name, of] of Object.entries(types)) {
    test(`${name} is refused, and rejects nothing that nobody awaits`, async () => {
      const given = name.includes('mini') ? { jsonSchema: it => mini.toJSONSchema(it, { io: 'input' }) } : {};
      const form = Form.of(of, given);
      assert.match(refusal(() => form.validate({ a: 'x' })).message, /asynchronously.*synchronous functions.*call\.step/);
      const call = await answeredRound(new Bench(), form);
      refusal(() => call.elicitForm('a', 'A?', form));
      await turn();
      assert.deepEqual(unhandled, []);
      // Nothing was recorded, and the call goes on.
      assert.equal(call.elicitForm('a', 'A?', Form.normalize(form.source)).action, 'accept');
    });
  }

  test('one that always waits is refused when the form is made', async () => {
    for (const of of [own(fails), z.any().refine(fails)]) refusal(() => Form.of(of, { jsonSchema: SCHEMA }));
    await turn();
    assert.deepEqual(unhandled, []);
  });

  test('what a type begins and does not wait for stays its own', async () => {
    let resolve;
    const later = new Promise(done => { resolve = done; });
    const storage = new AsyncLocalStorage();
    const form = Form.of(own(it => {
      if (it !== undefined) later.then(() => assert.equal(storage.getStore(), 'mine'));
      return { value: it };
    }));
    await storage.run('mine', async () => {
      assert.deepEqual(form.validate({ a: 'x' }).content, { a: 'x' });
      resolve();
      await later;
      assert.equal(storage.getStore(), 'mine');
    });
    await turn();
    assert.deepEqual(unhandled, []);
  });
});

describe('a type that throws', () => {
  const mine = new RangeError('mine');
  const throws = () => { throw mine; };
  const types = {
    'a refinement': z.object({ a: z.string().refine(throws) }),
    'a refinement of the whole': z.object({ a: z.string() }).refine(throws),
    'a superRefine': z.object({ a: z.string().superRefine(throws) }),
    'a transform': z.object({ a: z.string().transform(throws) }),
    'a preprocessing': z.object({ a: z.preprocess(throws, z.string()) }),
    'a message': z.object({ a: z.string().refine(() => false, { error: throws }) }),
    'zod/mini': mini.object({ a: mini.string().check(mini.refine(throws)) }),
    'a check of Valibot': v.object({ a: v.pipe(v.string(), v.check(throws)) }),
    'a getter of the issues': own(it => (it === undefined ? { value: it } : { get issues() { throw mine; } })),
    'a getter of the value': own(it => (it === undefined ? { value: it } : { get value() { throw mine; } })),
    'a getter of a message': own(it => (it === undefined ? { value: it } : { issues: [{ get message() { throw mine; } }] })),
    'a getter of a path': own(it => (it === undefined ? { value: it } : { issues: [{ message: 'no', get path() { throw mine; } }] })),
    'a getter of a key': own(it => (it === undefined ? { value: it } : { issues: [{ message: 'no', path: [{ get key() { throw mine; } }] }] })),
    'a getter of then': own(it => (it === undefined ? { value: it } : { get then() { throw mine; } })),
  };
  for (const [name, of] of Object.entries(types)) {
    test(`${name}: what it threw goes on as it was thrown`, async () => {
      const form = Form.of(of, { jsonSchema: SCHEMA });
      assert.throws(() => form.validate({ a: 'x' }), error => error === mine);
      const call = await answeredRound(new Bench(), form);
      assert.throws(() => call.elicitForm('a', 'A?', form), error => error === mine);
      assert.equal(call.isPending, false);
    });
  }

  test('where it prints: the error says so, and has it as its cause', () => {
    for (const thrown of [mine, null, undefined, 'mine', Symbol('mine'), { get message() { throw mine; } }]) {
      const of = own(it => ({ value: it }), { vendor: Symbol('own'), jsonSchema: { input() { throw thrown; } } });
      assert.equal(refusal(() => Form.of(of), 'schema').cause, thrown);
    }
    assert.throws(() => Form.of(z.object({}), { jsonSchema: throws }), error => error === mine);
    refusal(() => Form.of(own(it => ({ value: it }), { vendor: Symbol('own'), jsonSchema: undefined })));
    const toJSON = { toJSON: throws };
    assert.equal(refusal(() => Form.of(z.object({}), { jsonSchema: toJSON })).cause, mine);
  });
});

describe('a type that says what is no judgement', () => {
  test('is an error that says what it gave', () => {
    const said = no => refusal(() => Form.of(own(() => no)).validate({ a: 'x' })).message;
    for (const no of [undefined, null, 'no', 5, Symbol('x'), () => {}]) assert.match(said(no), /neither a value nor/);
    for (const no of [{ issues: 'no' }, { issues: {} }, { issues: new Map() }, { issues: 1n }]) assert.match(said(no), /no list/);
    for (const no of [{ issues: [] }, { issues: [], value: {} }]) assert.match(said(no), /empty list of issues/);
    for (const issues of [undefined, null, false]) assert.equal(Form.of(own(() => ({ issues, value: 5 }))).validate({}).content, 5);
  });

  test('issues are read as far as they say something', () => {
    const faults = issues => Form.of(own(it => (it === undefined ? { value: it } : { issues }))).validate({ a: 'x' }).faults;
    const one = issue => faults([issue])[0];
    for (const issue of [null, undefined, 5, 'no', {}, { message: 5 }, { message: '' }, { message: Symbol('no') }, { path: 'a' }, { path: { 0: 'a' } }]) {
      assert.deepEqual(one(issue), { path: '', rule: 'check', message: 'not valid' });
    }
    const place = path => one({ message: 'no', path }).path;
    assert.equal(place(['a']), '/a');
    assert.equal(place([{ key: 'a' }, { key: 0 }, 1n]), '/a/0/1');
    assert.equal(place([Symbol('a')]), '/Symbol(a)');
    assert.equal(place([{ key: Symbol.iterator }]), '/Symbol(Symbol.iterator)');
    assert.equal(place(['a', { key: Object.create(null) }, 'b']), '/a');
    assert.equal(place([null, 'a']), '');
    assert.equal(place([{}, 'a']), '');
    assert.equal(place(['\ud800~/']), '/\ufffd~0~1');
    assert.equal(one({ message: 'no \udfff', path: ['a'] }).message, 'A: no \ufffd');
    const long = 'x'.repeat(1 << 20);
    assert.equal([...one({ message: long }).message].length, 501); // the core's limit, and an ellipsis
    assert.equal(faults(Array(100_000).fill({ message: 'no' })).length, 200);
  });

  test('a value may be anything: cyclic, a proxy, one that throws when it is looked at', async () => {
    const cyclic = {};
    cyclic.self = cyclic;
    const closed = new Proxy({}, { get() { throw new Error('mine'); } });
    for (const value of [cyclic, closed, undefined, null, Symbol('x'), 1n]) {
      const form = Form.of(own(() => ({ value })));
      assert.equal(form.validate({ a: 'x' }).content, value);
      const call = await answeredRound(new Bench(), form);
      assert.equal(call.elicitForm('a', 'A?', form).content, value);
    }
  });
});

describe('a type that uses the call that it judges for', () => {
  const uses = {
    complete: call => call.complete(text('early')),
    completeAsync: call => call.completeAsync(text('early')),
    fail: call => call.fail(-1, 'early'),
    suspend: call => call.suspend(),
    retryLater: call => call.retryLater(),
    claim: call => call.claim(),
    releaseClaim: call => call.releaseClaim(),
    step: call => call.step('s', () => 1),
    elicitForm: call => call.elicitForm('b', 'B?', SCHEMA),
    elicitUrl: call => call.elicitUrl('b', 'B?', 'https://example.com/', false),
    elicit: call => call.elicit('b', { message: 'B?', requestedSchema: SCHEMA }),
    createMessage: call => call.createMessage('b', { messages: [{ role: 'user', content: { type: 'text', text: 'x' } }], maxTokens: 1 }),
    listRoots: call => call.listRoots('b'),
    setAppData: call => call.setAppData('early'),
    appData: call => call.appData,
    flowId: call => call.flowId,
    isPending: call => call.isPending,
    hasClaim: call => call.hasClaim,
  };
  // What is a hook to the type: each of them is called while a question is asked, or its answer read.
  const places = {
    'while it judges': (call, use) => call.elicitForm('a', 'A?', own(it => (it === undefined || use(), { value: it }))),
    'while a check of Zod runs': (call, use) => call.elicitForm('a', 'A?', z.object({ a: z.string().refine(() => (use(), true)).meta({ title: 'A' }).optional() })),
    'while it is shown nothing': (call, use) => call.elicitForm('a', 'A?', own(it => (it === undefined && use(), { value: it }))),
    'while it prints': (call, use) => call.elicitForm('a', 'A?', own(it => ({ value: it }), { jsonSchema: { input: () => (use(), SCHEMA) } })),
    'while its schema is written': (call, use) => call.elicitForm('a', 'A?', { toJSON: () => (use(), SCHEMA) }),
    'while it judges again for what is read': (call, use) => {
      let judged = 0;
      const of = own(it => (it === undefined || (judged += 1) < 2 || use(), { value: it }));
      call.elicitForm('a', 'A?', of);
      const second = call.elicitForm('a', 'A?', of);
      assert.equal(judged, 1);
      assert.deepEqual(second.content, { a: 'x' });
      assert.equal(judged, 2);
    },
  };
  for (const [where, ask] of Object.entries(places)) {
    test(`${where}: it is refused at once, and nothing is done`, async () => {
      for (const [name, use] of Object.entries(uses)) {
        const bench = new Bench({ store: new MemoryStore() });
        const call = await answeredRound(bench, SCHEMA);
        const refused = [];
        ask(call, () => {
          try {
            use(call);
            refused.push(`${name} was done`);
          } catch (error) {
            assert.ok(error instanceof ElicitError, error);
            refused.push(error.kind);
          }
        });
        assert.deepEqual(refused, ['invalid_argument'], name);
        await turn();
        // The call is as it was: open, without a claim, without data, and it can be completed.
        assert.deepEqual([call.appData, call.hasClaim, call.isPending], [undefined, false, false], name);
        assert.equal(call.complete(text('done')).kind, 'complete', name);
      }
    });
  }

  test('what it does not catch ends the ask, and the call can still be used', async () => {
    for (const of of [
      call => own(it => (it === undefined || call.complete(text('early')), { value: it })),
      call => z.object({ a: z.string().refine(() => call.complete(text('early'))).meta({ title: 'A' }).optional() }),
    ]) {
      const call = await answeredRound(new Bench(), SCHEMA);
      assert.match(refusal(() => call.elicitForm('a', 'A?', of(call))).message, /hook/);
      assert.equal(call.elicitForm('a', 'A?', SCHEMA).action, 'accept');
      assert.equal(call.complete(text('done')).kind, 'complete');
    }
  });

  test('it can use other calls, and the engine', async () => {
    const bench = new Bench();
    const other = bench.engine.open(request(), its);
    const call = await answeredRound(bench, SCHEMA);
    const of = own(it => ({ value: `${other.round} ${bench.engine.open(request(), its).round} ${it === undefined}` }));
    assert.equal(call.elicitForm('a', 'A?', of).content, '1 1 false');
    assert.equal(other.complete(text('done')).kind, 'complete');
  });
});
