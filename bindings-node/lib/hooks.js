'use strict';
// Wraps the callbacks of an engine so that none of them throws into native code. What one threw is
// kept, for the error that the call then ends in.

let failure;

/** What a hook threw since this was last asked. */
function takeFailure() {
  const taken = failure;
  failure = undefined;
  return taken;
}

/** Milliseconds since 1970 as a number; NaN where there are none. */
const wrapClock = clock => () => {
  try {
    const now = clock();
    // Nothing else: null would be 1970.
    return typeof now === 'number' || typeof now === 'bigint' ? Number(now) : NaN;
  } catch (thrown) {
    failure = thrown;
    return NaN;
  }
};

/** As many bytes as are wanted; none where that fails. */
const wrapRandom = random => count => {
  try {
    const bytes = random(count);
    return bytes instanceof Uint8Array ? bytes : new Uint8Array(0);
  } catch (thrown) {
    failure = thrown;
    return new Uint8Array(0);
  }
};

/** A log never breaks the call that it hears of, at once or later. */
const wrapLog = log => (level, name, reason, message, flowId) => {
  try {
    const result = log({ level, name, reason, message, flowId });
    if (typeof result?.then === 'function') result.then(undefined, () => {});
  } catch {
    // Nobody to tell.
  }
};

module.exports = { takeFailure, wrapClock, wrapLog, wrapRandom };
