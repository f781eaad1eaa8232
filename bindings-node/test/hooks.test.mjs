// The hooks of an engine: clock, random source, log.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ElicitError, Engine, MemoryStore, Principal } from 'mcp-elicit';
import { Bench, KEY, NOW, TARGET, answered, deploy, request, text } from './support.mjs';

const its = { principal: Principal.singleUser() };
const failed = cause => error => {
  assert.ok(error instanceof ElicitError, String(error));
  assert.equal(error.kind, 'internal');
  assert.equal(error.cause, cause);
  return true;
};

test('the clock tells when a state is too old, and from the future', async () => {
  const bench = new Bench();
  const first = await bench.engine.run(request(), deploy, its);
  const second = answered(first, { target: { action: 'decline' } });
  bench.now = NOW + 600_000;
  assert.equal((await bench.engine.run(second, deploy, its)).errorKind, 'invalid_state');
  bench.now = NOW - 60_001;
  assert.equal((await bench.engine.run(second, deploy, its)).errorKind, 'invalid_state');
  assert.deepEqual(bench.logged, [['state_refused', 'expired'], ['state_refused', 'not_yet_valid']]);
  bench.now = NOW + 599_999.9;
  assert.equal((await bench.engine.run(second, deploy, its)).kind, 'complete');
});

test('the same bytes and time give the same state', async () => {
  const play = async () => (await new Bench().engine.run(request(), deploy, its)).body;
  assert.equal(await play(), await play());
});

test('a clock that fails fails the call', async () => {
  for (const clock of [() => NaN, () => undefined, () => -1, () => Infinity, () => 'soon', () => ({}), async () => 5, () => null, () => true, () => [], () => new Date(), () => Symbol('x')]) {
    const { engine } = new Bench({ clock });
    await assert.rejects(engine.run(request(), deploy, its), failed(undefined));
  }
  const mine = new RangeError('no time');
  const { engine } = new Bench({ clock: () => { throw mine; } });
  await assert.rejects(engine.run(request(), deploy, its), failed(mine));
  assert.throws(() => engine.open(request(), its), failed(mine));
  assert.equal((await new Bench({ clock: () => BigInt(NOW) }).engine.run(request(), deploy, its)).kind, 'input_required');
});

test('a hook may use its engine, and is not called for that', async () => {
  const counts = { clock: 0, random: 0, log: 0 };
  let bench;
  const use = name => {
    counts[name] += 1;
    assert.ok(counts[name] < 10, `${name} is called for what it does itself`);
    bench?.engine.open(request(), its);
  };
  bench = new Bench({
    clock: () => (use('clock'), NOW),
    random: count => (use('random'), new Uint8Array(count)),
    log: () => use('log'),
  });
  assert.equal((await bench.engine.run(request(), deploy, its)).kind, 'input_required');
  const forged = request({ requestState: 'me1.none' });
  assert.equal((await bench.engine.run(forged, deploy, its)).errorKind, 'invalid_state');
  assert.equal(counts.log, 1);
});

test('a random source that fails fails the call', async () => {
  for (const random of [() => undefined, n => new Uint8Array(n - 1), n => new Uint8Array(n + 1), n => Array(n).fill(0), () => 'x', async n => new Uint8Array(n)]) {
    const { engine } = new Bench({ random });
    await assert.rejects(engine.run(request(), deploy, its), failed(undefined));
  }
  const mine = new RangeError('no bytes');
  await assert.rejects(new Bench({ random: () => { throw mine; } }).engine.run(request(), deploy, its), failed(mine));
  assert.throws(() => new Engine({ audience: 'x', ephemeral: true, random: () => { throw mine; } }), failed(mine));
  const counts = [];
  await new Bench({ random: n => { counts.push(n); return Buffer.alloc(n); } }).engine.run(request(), deploy, its);
  assert.deepEqual(counts, [16, 24]);
});

test('a failure of one call is not told of the next', async () => {
  let broken = true;
  const mine = new Error('mine');
  const { engine } = new Bench({ clock: () => { if (broken) throw mine; return NOW; } });
  await assert.rejects(engine.run(request(), deploy, its), failed(mine));
  broken = false;
  const reply = await engine.run(request(), deploy, its);
  assert.equal(reply.kind, 'input_required');
  assert.throws(() => new Engine({}), error => error.kind === 'config' && error.cause === undefined);
});

test('a log that fails breaks nothing, at once or later', async () => {
  const heard = [];
  const unhandled = [];
  process.on('unhandledRejection', reason => unhandled.push(reason));
  for (const log of [
    () => { throw new Error('mine'); },
    async () => { throw new Error('mine'); },
    () => ({ then() { throw new Error('mine'); } }),
    () => Object.defineProperty({}, 'then', { get() { throw new Error('mine'); } }),
    event => { heard.push(event); return 5n; },
  ]) {
    const { engine } = new Bench({ log });
    const first = await engine.run(request({ requestState: 'me1.x' }), deploy, its);
    assert.equal(first.errorKind, 'invalid_state');
  }
  await new Promise(resolve => { setTimeout(resolve, 5); });
  assert.deepEqual(unhandled, []);
  assert.deepEqual(heard.map(({ name, reason, level }) => [name, reason, level]), [['state_refused', 'malformed', 'warning']]);
});

test('a hook can use the engine, and not the call that it is called from', async () => {
  let current;
  const seen = [];
  const bench = new Bench({
    log: () => {
      try {
        seen.push(current.elicitForm('other', 'Other?', TARGET).isPending);
      } catch (error) {
        seen.push(error.kind);
      }
      seen.push(bench.engine.open(request(), its).round);
    },
  });
  const handler = call => {
    current = call;
    const it = call.elicitForm('target', 'Which environment?', TARGET);
    try { return text(it.action); } catch { return text('swallowed'); }
  };
  assert.equal((await bench.engine.run(request(), handler, its)).kind, 'input_required');
  assert.deepEqual(seen, ['invalid_argument', 1]);
});

test('a clock, a random source and a log cannot begin what the call would do later', async () => {
  const unhandled = [];
  const hear = reason => unhandled.push(reason);
  process.on('unhandledRejection', hear);
  const uses = {
    claim: call => call.claim(), releaseClaim: call => call.releaseClaim(), complete: call => call.complete(text('early')),
    completeAsync: call => call.completeAsync(text('early')), step: call => call.step('s', () => 1),
  };
  for (const hook of ['clock', 'random', 'log']) {
    for (const [name, use] of Object.entries(uses)) {
      let current;
      const seen = [];
      const asHook = given => (...args) => {
        try {
          if (current) use(current);
          if (current) seen.push('done');
        } catch (error) {
          seen.push(error.kind);
        }
        return given(...args);
      };
      const usual = { clock: () => NOW, random: count => new Uint8Array(count), log: () => {} };
      const bench = new Bench({ [hook]: asHook(usual[hook]), store: new MemoryStore() });
      const handler = call => {
        current = call;
        const it = call.elicitForm('target', 'Which environment?', TARGET);
        try { return text(it.action); } catch { return text('swallowed'); }
      };
      const reply = await bench.engine.run(request(), handler, its);
      current = undefined;
      assert.equal(reply.kind, 'input_required');
      assert.ok(seen.length > 0, hook);
      assert.deepEqual(new Set(seen), new Set(['invalid_argument']), `${hook} ${name}`);
    }
  }
  await new Promise(resolve => { setTimeout(resolve, 5); });
  process.off('unhandledRejection', hear);
  assert.deepEqual(unhandled, []);
});

test('the work of a step can use its call, and cannot finish it', async () => {
  const bench = new Bench({ store: new MemoryStore() });
  const ends = {
    complete: call => call.complete(text('early')), completeAsync: call => call.completeAsync(text('early')),
    fail: call => call.fail(-1, 'early'), suspend: call => call.suspend(), retryLater: call => call.retryLater(),
  };
  for (const [name, end] of Object.entries(ends)) {
    const reply = await bench.engine.run(request(), async call => {
      await assert.rejects(call.step('s', () => end(call)), error => error.kind === 'invalid_argument', name);
      await assert.rejects(call.step('s', async () => end(call)), error => error.kind === 'invalid_argument', name);
      return text(await call.step('s', async () => `${call.round} ${await call.step('inner', () => call.method)}`));
    }, its);
    assert.equal(JSON.parse(reply.body).result.content[0].text, '1 tools/call');
  }
});

test('an engine without hooks takes its time and bytes from the system', async () => {
  const engine = new Engine({ audience: 'deployer', keys: [KEY] });
  const states = new Set();
  for (let n = 0; n < 50; n += 1) {
    states.add(JSON.parse((await engine.run(request(), deploy, its)).body).result.requestState);
  }
  assert.equal(states.size, 50);
});
