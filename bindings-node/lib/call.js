'use strict';
const native = require('./native.js');
const { checkCode, checkNames, invalid, json, text } = require('./error.js');
const { handleOf } = require('./form.js');
const { Outcome } = require('./outcome.js');
const { replyOf } = require('./reply.js');

/** The options of an ask that are on or off, each a bit. */
const FLAGS = { allowInsecureHttp: 1, acceptUnasked: 2 };

function flagsOf(options) {
  if (options === undefined) return 0;
  checkNames(options, Object.keys(FLAGS), 'an ask has no option');
  let flags = 0;
  for (const name of Object.keys(options)) {
    if (typeof options[name] !== 'boolean') throw invalid(`option ${name} must be true or false`);
    if (options[name]) flags |= FLAGS[name];
  }
  return flags;
}

function checkDone(done) {
  if (typeof done !== 'boolean') throw invalid('done must be true or false: whether the visit is done');
  return done;
}

/** What a call, its outcomes and `run` share of one round. */
class Round {
  /** A pending outcome was read. */
  readEarly = false;
  /** The reply that the call was finished with by hand. */
  reply = undefined;

  /** `slot` is where native code holds the call. */
  constructor(slot) {
    this.slot = slot;
  }
}

/** One client request passing through the engine. See index.d.ts. */
class Call {
  #round;
  #arguments;

  constructor(round, principal) {
    this.#round = round;
    this.principal = principal;
  }

  #text(member) {
    return native.callText(this.#round.slot, member) ?? undefined;
  }

  get method() {
    return this.#text('method');
  }

  get target() {
    return this.#text('target');
  }

  get argumentsText() {
    return this.#text('arguments');
  }

  get arguments() {
    return (this.#arguments ??= JSON.parse(this.argumentsText));
  }

  get flowId() {
    return this.#text('flowId');
  }

  get clientInfo() {
    const info = this.#text('clientInfo');
    return info === undefined ? undefined : JSON.parse(info);
  }

  get round() {
    return native.callRound(this.#round.slot);
  }

  get isPending() {
    return native.callIsPending(this.#round.slot);
  }

  canElicit(mode) {
    const can = native.callCanElicit(this.#round.slot, text(mode, 'mode'));
    if (can === null) throw invalid('mode must be "form" or "url"');
    return can;
  }

  elicitForm(key, message, form, options) {
    const frame = native.elicitForm(
      this.#round.slot, text(key, 'key'), text(message, 'message'), handleOf(form), flagsOf(options));
    return new Outcome(frame, this.#round);
  }

  elicitUrl(key, message, url, done, options) {
    const link = text(typeof url === 'object' ? url?.href : url, 'url');
    const frame = native.elicitUrl(
      this.#round.slot, text(key, 'key'), text(message, 'message'), link, checkDone(done), flagsOf(options));
    return new Outcome(frame, this.#round);
  }

  elicit(key, request, options = {}) {
    const { done = false, ...rest } = options;
    const written = typeof request === 'string' ? text(request, 'request') : json(request, 'request');
    const frame = native.elicit(
      this.#round.slot, text(key, 'key'), written, checkDone(done), flagsOf(rest));
    return new Outcome(frame, this.#round);
  }

  #finished(frame) {
    return (this.#round.reply = replyOf(frame));
  }

  suspend() {
    return this.#finished(native.callSuspend(this.#round.slot));
  }

  complete(result) {
    const written = typeof result === 'string' ? text(result, 'a result') : json(result, 'a result');
    return this.#finished(native.callComplete(this.#round.slot, written));
  }

  fail(code, message, data) {
    const written = data === undefined ? undefined : json(data, 'data');
    return this.#finished(native.callFail(this.#round.slot, checkCode(code), text(message, 'message'), written));
  }
}

module.exports = { Call, Round };
