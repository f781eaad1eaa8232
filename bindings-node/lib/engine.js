'use strict';
const native = require('./native.js');
const { Call, Round, roundOf } = require('./call.js');
const claims = require('./claim.js');
const { Packed, Principal, checkContext, principalOf } = require('./caller.js');
const { checkNames, handleIn, invalid, json, messageOf, text } = require('./error.js');
const { wrapClock, wrapLog, wrapRandom } = require('./hooks.js');
const { LIMITS } = require('./names.js');
const { Reply, replyOf } = require('./reply.js');
const { checkStore } = require('./store.js');
const { isSuspended } = require('./suspended.js');

/** Slots whose call is over, for the calls to come. */
const free = [];
const MOST_FREE = 128;
/** What a call has in its place when `run` is done with it: the core then says it is finished. */
const EMPTY = native.callSlot();

const OPTIONS = ['keys', 'ephemeral', 'audience', 'stateFormat', 'limits', 'serverInfo', 'clock', 'random', 'log', 'store'];

/** The options of an engine, checked for their types, as native code takes them. */
function parts(options, store) {
  const { keys, ephemeral = false, audience = '', stateFormat = 'encrypted', limits = {}, serverInfo } = options;
  if (typeof ephemeral !== 'boolean') throw invalid('ephemeral must be true or false');
  if (!['encrypted', 'signed'].includes(stateFormat)) throw invalid('stateFormat must be "encrypted" or "signed"');
  if (typeof limits !== 'object' || limits === null || Array.isArray(limits)) throw invalid('limits must be an object');
  const hook = (name, wrap) => {
    const given = options[name];
    if (given !== undefined && typeof given !== 'function') throw invalid(`${name} must be a function`);
    return given && wrap(given);
  };
  const given = Object.entries(limits).filter(([, value]) => value !== undefined);
  for (const [name, value] of given) {
    if (!Object.hasOwn(LIMITS, name)) throw invalid(`an engine has no limit ${name}`, 'config');
    if (typeof value !== 'number') throw invalid(`limit ${name} must be a number`);
  }
  return {
    ...keyParts(keys),
    ephemeral,
    signed: stateFormat === 'signed',
    audience: text(audience, 'audience'),
    limits: given.map(([name, value]) => [LIMITS[name], value]),
    serverInfo: serverInfo === undefined ? undefined : json(serverInfo, 'serverInfo'),
    clock: hook('clock', wrapClock),
    random: hook('random', wrapRandom),
    log: hook('log', wrapLog),
    hasStore: store !== undefined,
  };
}

function keyParts(keys) {
  if (keys === undefined) return {};
  if (typeof keys === 'string') return { keyText: text(keys, 'keys') };
  if (Array.isArray(keys) && keys.length > 0) {
    if (keys.every(key => typeof key === 'string')) return { keyText: text(keys.join(','), 'keys') };
    if (keys.every(key => key instanceof Uint8Array)) return { keyBytes: keys };
  }
  throw invalid('keys must be strings or a list of Uint8Array');
}

/** A message or parameters as native code takes them: a string that has a UTF-8 form, or bytes. */
function wireText(given, what) {
  if (typeof given === 'string') {
    if (given.isWellFormed()) return given;
    // Half of a surrogate pair has no UTF-8 form. What stands before it, and a byte that is none
    // either: the core then refuses it as it refuses every body that is not UTF-8.
    const at = given.search(/\p{Surrogate}/u);
    return Buffer.concat([Buffer.from(given.slice(0, at)), Buffer.of(0xff)]);
  }
  if (given instanceof Uint8Array) return given;
  if (typeof given === 'object' && given !== null) return json(given, what);
  throw invalid(`${what} must be a string, bytes or an object`);
}

/** Configured once, shared by every request. See index.d.ts. */
class Engine {
  #handle;
  /** What its rounds need of it. */
  #own;

  constructor(options) {
    checkNames(options, OPTIONS, 'an engine has no option');
    const { store } = options;
    const given = parts(options, store);
    const limits = Object.fromEntries(given.limits);
    this.#own = {
      store: store === undefined ? undefined : checkStore(store),
      formLimits: { properties: limits.schema_properties, options: limits.schema_options },
    };
    this.#handle = native.engineNew(given);
  }

  static fromEnv(options) {
    for (const name of ['keys', 'ephemeral']) {
      if (options?.[name] !== undefined) throw invalid(`fromEnv takes its keys from MCP_ELICIT_KEYS: give no ${name}`, 'config');
    }
    // Read here and not in native code: a worker has an environment of its own.
    return new Engine({ ...options, keys: process.env.MCP_ELICIT_KEYS });
  }

  #open(slot, request, principal, context) {
    const { packed, fields, mirrored } = new Packed(principal, context);
    const given = wireText(request, 'a request');
    const open = typeof given === 'string' ? native.openText : native.openBytes;
    open(slot, this.#handle, given, packed, fields, mirrored);
  }

  async run(request, handler, context) {
    if (typeof handler !== 'function') throw invalid('a handler must be a function');
    const principal = principalOf(context);
    const slot = free.pop() ?? native.callSlot();
    try {
      this.#open(slot, request, principal, context);
    } catch (error) {
      free.push(slot);
      const ours = handleIn(error);
      const frame = ours ? native.errorIntoReply(ours) : null;
      if (frame === null) throw error;
      return replyOf(frame);
    }
    const round = new Round(slot, this.#own);
    try {
      let result;
      try {
        result = handler(new Call(round, principal));
        if (typeof result?.then === 'function') result = await result;
        if (!(result instanceof Reply)) result = resultText(result, round);
      } catch (thrown) {
        if (round.end()) await round.end();
        return settleThrown(round, thrown);
      }
      if (round.end()) await round.end();
      const reply = settle(round, result);
      return reply instanceof Reply ? reply : await reply;
    } finally {
      round.slot = EMPTY;
      if (free.length < MOST_FREE) free.push(slot);
    }
  }

  open(request, context) {
    const principal = principalOf(context);
    const slot = native.callSlot();
    this.#open(slot, request, principal, context);
    return new Call(new Round(slot, this.#own), principal);
  }

  openParams(method, params, context) {
    const principal = principalOf(context);
    const { packed, fields, mirrored } = new Packed(principal, context);
    const slot = native.callSlot();
    native.openParams(
      slot, this.#handle, text(method, 'method'), wireText(params, 'params'), packed, fields, mirrored);
    return new Call(new Round(slot, this.#own), principal);
  }

  check(request, context = {}) {
    checkContext(context);
    const { packed, fields, mirrored } = new Packed(Principal.none(), context);
    return new Envelope(native.check(this.#handle, wireText(request, 'a request'), packed, fields, mirrored));
  }
}

/** JSON of what a handler returned. */
function resultText(result, { slot }) {
  try {
    return typeof result === 'string' ? text(result, 'a result') : JSON.stringify(result) ?? 'null';
  } catch (thrown) {
    // While a question is open no value is a result: the core says what that means.
    if (native.callIsPending(slot)) return 'null';
    throw invalid(`a result cannot be written as JSON: ${messageOf(thrown)}`, 'invalid_result', thrown);
  }
}

// Both tell the core how the handler ended, and do as it says. The rules are the core's: what
// counts as swallowed, what the peer is told, what goes on to the caller of `run`.

/** The handler gave a result, or the reply that the call was finished with. */
function settle(round, result) {
  const { slot, readEarly, reply } = round;
  if (typeof result === 'string') {
    const settled = native.settleResult(slot, result, readEarly);
    return typeof settled === 'string' ? replyOf(settled) : finish(round, settled);
  }
  native.callClose(slot);
  if (result !== reply) throw invalid('the handler returned the reply of another call', 'invalid_result');
  return reply;
}

/** The handler gave the result of an effect that it had claimed: its record is finished first. */
async function finish(round, operation) {
  try {
    return await claims.finish(round, operation);
  } finally {
    native.callClose(round.slot);
  }
}

/** The handler threw. */
function settleThrown({ slot, readEarly }, thrown) {
  if (isSuspended(thrown)) return replyOf(native.settleSuspended(slot));
  const ours = handleIn(thrown);
  let frame;
  try {
    frame = ours ? native.settleFailed(slot, ours, readEarly) : native.settleRaised(slot, readEarly);
  } catch (error) {
    // Where it is the same error, the caller gets it as the handler threw it.
    throw error.kind === thrown?.kind && error.message === thrown.message ? thrown : error;
  }
  if (frame === null) throw thrown;
  return replyOf(frame);
}

/** As `run`, for adapters, which opened the call. Throws what `run` throws. */
async function play(call, handler) {
  const round = roundOf(call);
  let result;
  try {
    result = await handler(call);
    if (!(result instanceof Reply)) result = resultText(result, round);
  } catch (thrown) {
    if (round.end()) await round.end();
    return settleThrown(round, thrown);
  }
  if (round.end()) await round.end();
  return settle(round, result);
}

/** A message whose envelope is sound. See index.d.ts. */
class Envelope {
  #modes;

  constructor({ method, id, params, clientInfo, modes }) {
    this.#modes = modes;
    this.method = method;
    this.idText = id;
    this.paramsText = params;
    this.clientInfo = clientInfo === undefined ? undefined : JSON.parse(clientInfo);
  }

  get id() {
    return this.idText === undefined ? undefined : JSON.parse(this.idText);
  }

  canElicit(mode) {
    if (mode !== 'form' && mode !== 'url') throw invalid('mode must be "form" or "url"');
    return this.#modes.includes(mode);
  }

  get params() {
    return this.paramsText === undefined ? undefined : JSON.parse(this.paramsText);
  }
}

module.exports = { Engine, Envelope, play };
