'use strict';
const native = require('./native.js');
const claims = require('./claim.js');
const { checkCode, checkNames, invalid, json, text } = require('./error.js');
const { partsOf } = require('./form.js');
const { Outcome } = require('./outcome.js');
const { replyOf } = require('./reply.js');
const { Reading } = require('./standard.js');

/** The options of an ask that are on or off, each a bit; src/call.rs has the other end. */
const FLAGS = { allowInsecureHttp: 1, acceptUnasked: 2, humanOnly: 4, reaskInvalidOnly: 8 };
const OPTIONS = [...Object.keys(FLAGS), 'unavailable', 'onCancel', 'arguments', 'messages'];
const FORM_OPTIONS = [...OPTIONS, 'allowSensitiveName'];

const USUAL = Object.freeze([0]);

/** The options of an ask as native code takes them: the bits, and the others where there are any. */
function optionsOf(options) {
  if (options === undefined) return USUAL;
  checkNames(options, OPTIONS, 'an ask has no option');
  let flags = 0;
  let more;
  for (const [name, value] of Object.entries(options)) {
    if (value === undefined) continue;
    if (Object.hasOwn(FLAGS, name)) {
      if (typeof value !== 'boolean') throw invalid(`option ${name} must be true or false`);
      if (value) flags |= FLAGS[name];
    } else if (name === 'arguments') {
      if (!Array.isArray(value)) throw invalid('option arguments must be a list of names');
      more = { ...more, arguments: value.map(field => text(field, 'a name in arguments')) };
    } else {
      more = { ...more, [name]: name === 'messages' ? json(value, 'messages') : text(value, `option ${name}`) };
    }
  }
  return [flags, more];
}

/** The same of an ask with a form, and the option that says how a schema is read. */
function formOptionsOf(options) {
  if (options === undefined) return [USUAL];
  checkNames(options, FORM_OPTIONS, 'an ask has no option');
  const { allowSensitiveName, ...rest } = options;
  return [optionsOf(rest), allowSensitiveName];
}

function checkDone(done) {
  if (typeof done !== 'boolean') throw invalid('done must be true or false: whether the visit is done');
  return done;
}

const inHook = () => invalid('a hook cannot use the call that it is called from');

const resultText = result => (typeof result === 'string' ? text(result, 'a result') : json(result, 'a result'));

/** What a call, its outcomes and `run` share of one round. */
class Round {
  /** A pending outcome was read. */
  readEarly = false;
  /** The reply that the call was finished with by hand. */
  reply = undefined;

  /** How many sequences with the store are under way or wait for their turn. */
  busy = 0;
  #last;
  #ended = false;
  #slot;
  #held = false;
  #atWork = false;

  /** `slot` is where native code holds the call; store and limits of forms are the engine's. */
  constructor(slot, { store, formLimits }) {
    this.#slot = slot;
    this.store = store;
    this.formLimits = formLimits;
  }

  /** Where native code holds the call, unless a hook asks. */
  get slot() {
    if (this.#held) throw inHook();
    return this.#slot;
  }

  set slot(slot) {
    this.#slot = slot;
  }

  /**
   * Runs functions of the application's that belong to a question: they cannot use the call. While
   * native code is at work with the call it sees to that itself.
   */
  hold(work) {
    const outer = this.#held;
    this.#held = true;
    try {
      return work();
    } finally {
      this.#held = outer;
    }
  }

  /** Refuses a hook at once: for what is done later, when the hook is over. */
  refuseHooks() {
    if (this.#held || native.callInUse(this.#slot)) throw inHook();
  }

  /** Begins the work of a step, which can use the call and not finish it. */
  begin(work) {
    const outer = this.#atWork;
    this.#atWork = true;
    try {
      return work();
    } finally {
      this.#atWork = outer;
    }
  }

  /** Refuses to finish the call from the work of a step, which it could not record then. */
  refuseSteps() {
    if (this.#atWork) throw invalid('the work of a step cannot finish the call that it is called from');
  }

  /** Refuses to finish the call in the midst of what it is at. */
  refuseFinish() {
    this.refuseSteps();
    if (this.busy > 0) throw invalid('the call is at work with the store: await that first');
  }

  /** Does `work` when what was begun before it is over: the core has one sequence a call. */
  async inTurn(work) {
    if (this.#ended) throw invalid('the call was finished before', 'finished');
    const before = this.#last;
    let over;
    this.#last = new Promise(resolve => {
      over = resolve;
    });
    this.busy++;
    try {
      await before;
      return await work();
    } finally {
      this.busy--;
      over();
    }
  }

  /** The handler is done: what it left at work with the store comes to its end, and no more begins. */
  end() {
    this.#ended = true;
    return this.#last;
  }
}

let roundOf;

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

  get protocolVersion() {
    return this.#text('protocolVersion');
  }

  get clientCapabilities() {
    return JSON.parse(this.#text('clientCapabilities'));
  }

  get flowId() {
    return this.#text('flowId');
  }

  get idempotencyKey() {
    return this.#text('idempotencyKey');
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
    const round = this.#round;
    const [[flags, more], allowSensitiveName] = formOptionsOf(options);
    const { handle, type } = round.hold(() => partsOf(form, allowSensitiveName, round.formLimits));
    const given = [round.slot, text(key, 'key'), text(message, 'message'), handle];
    if (type === undefined) return new Outcome(native.elicitForm(...given, flags, more), round);
    const reading = round.hold(() => new Reading(type));
    const frame = reading.during(() => native.elicitForm(...given, flags, more, reading.check));
    const read = content => round.hold(() => reading.value(native.formForType(handle, content)));
    return new Outcome(frame, round, read);
  }

  elicitUrl(key, message, url, done, options) {
    const link = text(typeof url === 'object' ? url?.href : url, 'url');
    const frame = native.elicitUrl(
      this.#round.slot, text(key, 'key'), text(message, 'message'), link, checkDone(done), ...optionsOf(options));
    return new Outcome(frame, this.#round);
  }

  elicit(key, request, options = {}) {
    if (typeof options !== 'object' || options === null) throw invalid('options must be an object');
    const { done = false, ...rest } = options;
    const written = typeof request === 'string' ? text(request, 'request') : json(request, 'request');
    const frame = native.elicit(
      this.#round.slot, text(key, 'key'), written, checkDone(done), ...optionsOf(rest));
    return new Outcome(frame, this.#round);
  }

  createMessage(key, params, options) {
    const written = typeof params === 'string' ? text(params, 'params') : json(params, 'params');
    const frame = native.createMessage(this.#round.slot, text(key, 'key'), written, ...optionsOf(options));
    return new Outcome(frame, this.#round);
  }

  listRoots(key, options) {
    return new Outcome(native.listRoots(this.#round.slot, text(key, 'key'), ...optionsOf(options)), this.#round);
  }

  step(key, work, options) {
    this.#round.refuseHooks();
    return this.#step(key, work, options);
  }

  async #step(key, work, options = {}) {
    if (typeof work !== 'function') throw invalid('the work of a step must be a function');
    checkNames(options, ['readable'], 'a step has no option');
    const { readable = false } = options;
    if (typeof readable !== 'boolean') throw invalid('readable must be true or false');
    const known = native.stepResult(this.#round.slot, text(key, 'key'));
    if (known !== null) return JSON.parse(known);
    const result = await this.#round.begin(work);
    // What comes back is read from what was recorded: the same as on every later round.
    const written = json(result ?? null, 'the result of a step');
    return JSON.parse(native.recordStep(this.#round.slot, key, written, readable));
  }

  get appData() {
    return native.appData(this.#round.slot) ?? undefined;
  }

  setAppData(data) {
    const bytes = typeof data === 'string' ? Buffer.from(text(data, 'data')) : data;
    if (bytes !== undefined && !(bytes instanceof Uint8Array)) throw invalid('data must be bytes, a string or undefined');
    native.setAppData(this.#round.slot, bytes);
  }

  claim(options) {
    this.#round.refuseHooks();
    return this.#claim(options);
  }

  async #claim(options) {
    return claims.claim(this.#round, options);
  }

  get hasClaim() {
    return native.callHasClaim(this.#round.slot);
  }

  releaseClaim() {
    this.#round.refuseHooks();
    return this.#releaseClaim();
  }

  async #releaseClaim() {
    return claims.release(this.#round);
  }

  /** The reply of native code's `finish`, which cannot come between a sequence and its answer. */
  #finished(finish, ...given) {
    this.#round.refuseFinish();
    return (this.#round.reply = replyOf(finish(this.#round.slot, ...given)));
  }

  suspend() {
    return this.#finished(native.callSuspend);
  }

  retryLater() {
    return this.#finished(native.callRetryLater);
  }

  complete(result) {
    return this.#finished(native.callComplete, resultText(result));
  }

  completeAsync(result, options) {
    this.#round.refuseHooks();
    this.#round.refuseSteps();
    return this.#completeAsync(result, options);
  }

  async #completeAsync(result, options = {}) {
    checkNames(options, ['remember'], 'a completion has no option');
    const { remember = false } = options;
    if (typeof remember !== 'boolean') throw invalid('remember must be true or false');
    return (this.#round.reply = await claims.complete(this.#round, resultText(result), remember));
  }

  fail(code, message, data) {
    const written = data === undefined ? undefined : json(data, 'data');
    return this.#finished(native.callFail, checkCode(code), text(message, 'message'), written);
  }

  static {
    // The round of a call, for adapters.
    roundOf = call => call.#round;
  }
}

module.exports = { Call, Round, roundOf };
