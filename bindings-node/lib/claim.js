'use strict';
// Claims: drives the core's sequences, doing what each needs of the store. Holds no rules.
const native = require('./native.js');
const { checkNames, invalid } = require('./error.js');
const { replyOf } = require('./reply.js');
const { execute, whole, withCause } = require('./store.js');

/** The store that a claim needs. */
function storeOf(round) {
  if (round.store === undefined) throw invalid('the engine has no store: give it one, as option store', 'config');
  return round.store;
}

/**
 * Goes on with a sequence until it is over. Uses the slot that the round has then: a call that
 * `run` is done with has another, where the core says that it is finished.
 */
async function drive(round, step, next) {
  while (typeof step === 'object' && step !== null) {
    const { answer, thrown } = await execute(round.store, step);
    try {
      step = next(round.slot, answer);
    } catch (error) {
      throw error.kind === 'store' ? withCause(error, thrown) : error;
    }
  }
  return step;
}

/** Claims; see `Call.claim` in index.d.ts. */
function claim(round, options = {}) {
  checkNames(options, ['waitMs', 'leaseMs', 'remember'], 'a claim has no option');
  const { waitMs, leaseMs, remember = false } = options;
  if (typeof remember !== 'boolean') throw invalid('remember must be true or false');
  if (waitMs !== undefined) whole(waitMs, 'waitMs', 0);
  if (leaseMs !== undefined) whole(leaseMs, 'leaseMs', 0);
  storeOf(round);
  return round.inTurn(async () => {
    const first = native.claimStart(round.slot, waitMs, leaseMs, remember);
    return claimedOf(await drive(round, first, native.claimNext));
  });
}

function claimedOf(frame) {
  const start = frame.indexOf('{');
  if (start < 0) return { status: frame };
  const resultText = frame.slice(start);
  return { status: frame.slice(0, start), result: JSON.parse(resultText), resultText };
}

/** Gives a claim back. */
function release(round) {
  storeOf(round);
  return round.inTurn(async () => {
    await drive(round, native.releaseStart(round.slot), native.releaseNext);
  });
}

/** Completes, and finishes the record of a claim first; gives the reply. */
function complete(round, result, remember) {
  return round.inTurn(async () =>
    replyOf(await drive(round, native.completeStart(round.slot, result, remember), native.completeNext)));
}

/** Ends the sequence that the core began when a handler gave a result. */
async function finish(round, operation) {
  return replyOf(await drive(round, operation, native.completeNext));
}

module.exports = { claim, complete, finish, release };
