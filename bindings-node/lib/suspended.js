'use strict';

const BRAND = Symbol.for('mcp-elicit.suspended');

/**
 * Ends a handler's run while a question is open: thrown by reading a pending outcome. No `Error`,
 * since nothing went wrong, and none is told apart by its class alone, since a process can hold
 * this package twice.
 */
class Suspended {
  get [BRAND]() {
    return true;
  }

  get message() {
    return 'a question is open: let this pass through to run, which replies for you';
  }

  toString() {
    return `Suspended: ${this.message}`;
  }

  [Symbol.for('nodejs.util.inspect.custom')]() {
    return `[${this}]`;
  }
}

/** Whether something that was caught is the suspension, which must be thrown on. */
function isSuspended(thrown) {
  try {
    return typeof thrown === 'object' && thrown !== null && thrown[BRAND] === true;
  } catch {
    return false; // it throws when it is looked at
  }
}

module.exports = { Suspended, isSuspended };
