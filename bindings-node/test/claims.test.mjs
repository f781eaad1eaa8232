// Claims: an effect at most once a flow, whichever store keeps them. What a claim means is tested in
// the core; here that it means the same through each store, and what is JavaScript's own.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { ElicitError, MemoryStore, isSuspended } from 'mcp-elicit';
import { Bench, NOW, USER, answered, request, text } from './support.mjs';
import { kinds, own, skip } from './stores.mjs';

const context = { principal: USER };
const kind = name => ({ name: 'ElicitError', kind: name });
const FORM = { type: 'object', properties: { sure: { type: 'boolean', title: 'Yes, pay' } }, required: ['sure'] };

/** A bench whose engine has the store, with bytes that do not repeat themselves: records are many. */
const bench = (store, options) => new Bench({ store, random: undefined, ...options });

/** The second round of a flow: whatever is sent of it is of one flow. */
async function secondRound({ engine }) {
  const reply = await engine.run(request(), call => void call.elicitForm('sure', 'Pay?', FORM).action, context);
  return answered(reply, { sure: { action: 'accept', content: { sure: true } } });
}

/** A handler that claims, and counts its effects. */
function paying(options) {
  const seen = { effects: 0, statuses: [], keys: new Set() };
  const handler = async call => {
    const { content } = call.elicitForm('sure', 'Pay?', FORM);
    assert.equal(content.sure, true);
    const claimed = await call.claim(options);
    seen.statuses.push(claimed.status);
    seen.keys.add(call.idempotencyKey);
    if (claimed.status === 'recorded') return claimed.resultText;
    if (claimed.status !== 'won') return text(claimed.status);
    seen.effects++;
    return { ...text('paid'), structuredContent: { receipt: 'r-1' } };
  };
  return { seen, handler };
}

const said = reply => JSON.parse(reply.body).result.content[0].text;

for (const [name, make] of Object.entries(kinds)) {
  describe(name, { skip: skip(name) }, () => {
    const made = skip(name) ? undefined : make();

    test('the first claim wins, and a later one gets the recorded result', async () => {
      const it = bench(await made);
      const round = await secondRound(it);
      const { seen, handler } = paying({ remember: true });
      const first = await it.engine.run(round, handler, context);
      const again = await it.engine.run(round, handler, context);
      assert.deepEqual(seen.statuses, ['won', 'recorded']);
      assert.equal(again.body, first.body);
      assert.match(first.body, /"receipt":"r-1"/);
      assert.deepEqual([seen.effects, seen.keys.size], [1, 1]);
      const { seen: other, handler: otherHandler } = paying({ remember: true });
      await it.engine.run(await secondRound(it), otherHandler, context);
      assert.deepEqual(other.statuses, ['won']); // another flow
      assert.ok(!seen.keys.has([...other.keys][0]));
    });

    test('where the result is not remembered a later claim finds it done', async () => {
      const it = bench(await made);
      const round = await secondRound(it);
      const { seen, handler } = paying();
      for (let times = 0; times < 3; times++) await it.engine.run(round, handler, context);
      assert.deepEqual(seen.statuses, ['won', 'already', 'already']);
    });

    test('while the winner is at it: in progress, and after the wait unknown', async () => {
      const it = bench(await made);
      const round = await secondRound(it);
      const winner = it.engine.open(round, context);
      assert.deepEqual(await winner.claim(), { status: 'won' });
      const later = it.engine.open(round, context);
      assert.deepEqual(await later.claim(), { status: 'in_progress' });
      it.now += 59_999;
      assert.deepEqual(await later.claim({ waitMs: 70_000 }), { status: 'in_progress' });
      it.now += 1;
      assert.deepEqual(await later.claim(), { status: 'unknown' });
      assert.deepEqual(await it.engine.open(round, context).claim({ waitMs: 70_000 }), { status: 'in_progress' });
      // The winner was only slow.
      assert.equal((await winner.completeAsync(text('paid'), { remember: true })).kind, 'complete');
      const { status, result, resultText } = await it.engine.open(round, context).claim();
      assert.equal(status, 'recorded');
      assert.deepEqual([result, JSON.parse(resultText)], [text('paid'), text('paid')]);
    });

    test('a lease frees the claim of a winner that has not finished', async () => {
      const it = bench(await made);
      const round = await secondRound(it);
      const winner = it.engine.open(round, context);
      assert.equal((await winner.claim({ leaseMs: 1000 })).status, 'won');
      const [second, third] = [it.engine.open(round, context), it.engine.open(round, context)];
      assert.equal((await second.claim({ leaseMs: 1000 })).status, 'in_progress');
      it.now += 1000;
      assert.equal((await second.claim({ leaseMs: 1000 })).status, 'won');
      assert.equal((await third.claim({ leaseMs: 1000 })).status, 'in_progress');
      // The first one has lost it: its result goes out, and the log hears of it.
      assert.equal((await winner.completeAsync(text('late'))).kind, 'complete');
      assert.ok(it.log.some(({ level }) => level === 'warning'));
      assert.equal((await third.claim({ leaseMs: 1000 })).status, 'in_progress');
      await second.completeAsync(text('paid'));
      assert.equal((await third.claim()).status, 'already');
    });

    test('a claim that was given back can be won again', async () => {
      const it = bench(await made);
      const round = await secondRound(it);
      const [first, second] = [it.engine.open(round, context), it.engine.open(round, context)];
      assert.equal(await first.releaseClaim(), undefined); // it has none
      await first.claim();
      assert.equal(first.hasClaim, true);
      await first.releaseClaim();
      assert.equal(first.hasClaim, false);
      assert.equal((await second.claim()).status, 'won');
      assert.equal((await first.claim()).status, 'in_progress');
    });

    test('of 64 of one flow at once one wins', async () => {
      const it = bench(await made);
      const round = await secondRound(it);
      const { seen, handler } = paying({ remember: true });
      const replies = await Promise.all(Array.from({ length: 64 }, () => it.engine.run(round, handler, context)));
      assert.equal(seen.effects, 1);
      assert.equal(seen.statuses.filter(status => status === 'won').length, 1);
      assert.equal(seen.statuses.length, 64);
      for (const reply of replies) assert.ok(['paid', 'in_progress'].includes(said(reply)), reply.body);
    });
  });
}

describe('one call', () => {
  const opened = async (store, options) => {
    const it = bench(store, options);
    return { it, call: it.engine.open(await secondRound(it), context) };
  };
  const slow = () => own(async value => {
    await sleep(2);
    return value;
  });

  test('claims at once and releases in between come one after the other', async () => {
    const { it, call } = await opened(slow());
    const claims = await Promise.all([call.claim(), call.claim(), call.claim(), call.releaseClaim(), call.claim()]);
    assert.deepEqual(claims.map(claimed => claimed?.status), ['won', 'won', 'won', undefined, 'won']);
    const replies = await Promise.allSettled([call.completeAsync(text('paid')), call.completeAsync(text('twice')), call.claim()]);
    assert.equal(said(replies[0].value), 'paid');
    for (const { reason } of replies.slice(1)) assert.equal(reason.kind, 'finished');
    assert.deepEqual(it.logged, []);
  });

  test('cannot be finished behind the back of what is at work with the store', async () => {
    const { call } = await opened(slow());
    const claim = call.claim();
    for (const finish of ['suspend', 'retryLater', 'complete', 'fail']) {
      const given = { complete: [text('x')], fail: [1, 'x'] }[finish] ?? [];
      assert.throws(() => call[finish](...given), kind('invalid_argument'), finish);
    }
    assert.equal((await claim).status, 'won');
    assert.throws(() => call.complete(text('x')), error => {
      assert.ok(error instanceof ElicitError);
      assert.match(error.message, /completeAsync/);
      return error.kind === 'invalid_argument';
    });
    assert.equal(said(await call.completeAsync(text('paid'))), 'paid');
    await assert.rejects(call.claim(), kind('finished'));
  });

  test('completes without a claim as complete does', async () => {
    const { call } = await opened(undefined);
    assert.equal(call.hasClaim, false);
    assert.equal(said(await call.completeAsync(JSON.stringify(text('paid')))), 'paid');
    assert.throws(() => call.complete(text('x')), kind('finished'));
    const { it } = await opened(undefined);
    const asking = it.engine.open(request(), context);
    asking.elicitForm('sure', 'Pay?', FORM);
    await assert.rejects(asking.completeAsync(text('x')), kind('question_open'));
    await assert.rejects(asking.completeAsync(5n), kind('invalid_argument'));
    assert.equal(asking.suspend().kind, 'input_required');
  });

  test('is given options that it cannot claim with', async () => {
    const { call } = await opened(new MemoryStore());
    for (const options of [null, 7, 'x', { wait: 1 }, { waitMs: -1 }, { waitMs: 1.5 }, { waitMs: NaN }, { waitMs: '1' }, { waitMs: 2 ** 53 },
      { waitMs: null }, { leaseMs: -1 }, { leaseMs: Infinity }, { leaseMs: 1n }, { remember: 1 }, { remember: 'yes' }, { waitMs: 3_600_000 }]) {
      await assert.rejects(call.claim(options), kind('invalid_argument'), JSON.stringify(options, (_, value) => String(value)));
    }
    for (const options of [null, { remember: 1 }, { rememberMe: true }]) await assert.rejects(call.completeAsync(text('x'), options), kind('invalid_argument'));
    assert.equal((await call.claim()).status, 'won');
  });

  test('needs a store, and a flow that is not past its deadline', async () => {
    const { call } = await opened(undefined);
    await assert.rejects(call.claim(), kind('config'));
    await assert.rejects(call.releaseClaim(), kind('config'));
    const { it, call: late } = await opened(new MemoryStore());
    it.now = NOW + 3_600_000;
    await assert.rejects(late.claim(), kind('limit'));
    assert.throws(() => bench(new MemoryStore(), { limits: { claimWaitMs: 3_600_000 } }), kind('config'));
    assert.throws(() => bench(new MemoryStore(), { limits: { claimWaitMs: -1 } }), kind('config'));
  });
});

describe('a handler', () => {
  test('that does not wait for its claim: it comes to its end before the reply', async () => {
    const store = own(async value => {
      await sleep(5);
      return value;
    });
    const it = bench(store);
    const round = await secondRound(it);
    let claim;
    const left = await it.engine.run(round, call => {
      claim = call.claim();
      return text('left');
    }, context);
    assert.equal(said(left), 'left');
    assert.equal((await claim).status, 'won');
    assert.equal((await it.engine.open(round, context).claim()).status, 'already'); // what it returned finished it
    const other = await secondRound(it);
    let late;
    await assert.rejects(it.engine.run(other, call => {
      claim = call.claim();
      late = sleep(1).then(() => call.claim());
      late.catch(() => {});
      throw new Error('mine');
    }, context), { message: 'mine' });
    assert.equal((await claim).status, 'won');
    await assert.rejects(late, kind('finished')); // nothing begins any more
    assert.equal((await it.engine.open(other, context).claim()).status, 'in_progress');
  });

  test('that returns the reply of its own completion', async () => {
    const it = bench(new MemoryStore());
    const round = await secondRound(it);
    const reply = await it.engine.run(round, async call => {
      await call.claim();
      return call.completeAsync(text('paid'), { remember: true });
    }, context);
    assert.equal(said(reply), 'paid');
    assert.equal((await it.engine.open(round, context).claim()).status, 'recorded');
  });

  test('that claims and then asks goes on in the next round, where it is at work still', async () => {
    const it = bench(new MemoryStore());
    const reply = await it.engine.run(request(), async call => {
      assert.equal((await call.claim()).status, 'won');
      return text(call.elicitForm('sure', 'Pay?', FORM).action);
    }, context);
    assert.equal(reply.kind, 'input_required');
    const { statuses } = (({ seen, handler }) => (it.engine.run(answered(reply, { sure: { action: 'accept', content: { sure: true } } }), handler, context), seen))(paying());
    await sleep(0);
    assert.deepEqual(statuses, ['in_progress']);
  });

  test('whose claim has no part in the suspension', async () => {
    const it = bench(new MemoryStore());
    let caught;
    await it.engine.run(request(), async call => {
      try {
        void call.elicitForm('sure', 'Pay?', FORM).action;
      } catch (thrown) {
        caught = thrown;
        throw thrown;
      }
      await call.claim();
      return text('paid');
    }, context);
    assert.ok(isSuspended(caught));
  });
});
