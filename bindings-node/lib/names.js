'use strict';
// The names of options: here in camelCase, in the core in snake_case. This is the one place that
// knows both, so that what goes into the core and what it says of it use the names of each side.

/** The limits of an engine. */
const LIMITS = Object.freeze({
  requestBytes: 'request_bytes',
  tokenBytes: 'token_bytes',
  depth: 'depth',
  schemaProperties: 'schema_properties',
  schemaOptions: 'schema_options',
  questionRounds: 'question_rounds',
  reasks: 'reasks',
  roundTtlMs: 'round_ttl_ms',
  flowTtlMs: 'flow_ttl_ms',
  claimWaitMs: 'claim_wait_ms',
  clockSkewMs: 'clock_skew_ms',
});

/** Other options that the core names when it refuses them. */
const OPTIONS = { serverInfo: 'server_info', onCancel: 'on_cancel', humanOnly: 'human_only' };

const HERE = new Map([...Object.entries(LIMITS), ...Object.entries(OPTIONS)].map(([here, core]) => [core, here]));

/** A sentence of the core about options, with the names that they have here. */
const inNamesOfHere = sentence => sentence.replace(/\b[a-z]+(?:_[a-z]+)+\b/g, word => HERE.get(word) ?? word);

/**
 * What the core says of an error, with the names that options have here. Only sentences about
 * options are touched: others can quote names that somebody else chose.
 */
function withNamesOfHere(said) {
  // A fault of the rule `arguments` quotes the name of a field.
  const isOfOptions = fault => fault?.path === '/options' && fault.rule !== 'arguments';
  const { kind, message, faults, data } = said;
  if (kind !== 'config' && !faults.some(isOfOptions)) return said;
  const named = fault => (isOfOptions(fault) ? { ...fault, message: inNamesOfHere(fault.message) } : fault);
  return { ...said, message: inNamesOfHere(message), faults: faults.map(named), data: named(data) };
}

module.exports = { LIMITS, withNamesOfHere };
