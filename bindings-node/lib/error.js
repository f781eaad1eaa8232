'use strict';
const addon = require('./loader.js');
const { takeFailure } = require('./hooks.js');
const { withNamesOfHere } = require('./names.js');
const { replyOf } = require('./reply.js');
const { isSuspended } = require('./suspended.js');

/** The option under which an error is made from the core's own. */
const HANDLE = Symbol('handle');
/** Whether the sentences of that error are the core's. */
const IS_CORES = Symbol('is the core\'s');

let handleIn;

/** Every error of this package. See index.d.ts. */
class ElicitError extends Error {
  /** The core's error, to hand back to it. */
  #handle;

  constructor(message, options = {}) {
    if (typeof options !== 'object' || options === null) throw invalid('an error of your own needs { code }');
    const handle = options[HANDLE] ?? application(message, options);
    const written = JSON.parse(addon.errorJson(handle));
    const said = options[IS_CORES] ? withNamesOfHere(written) : written;
    super(said.message, options.cause === undefined ? undefined : { cause: options.cause });
    this.#handle = handle;
    this.kind = said.kind;
    this.code = said.code;
    this.httpStatus = said.httpStatus;
    this.isForPeer = said.isForPeer;
    this.faults = said.faults;
    this.data = said.data;
  }

  get name() {
    return 'ElicitError';
  }

  get reply() {
    const frame = addon.errorReply(this.#handle);
    return frame === null ? undefined : replyOf(frame);
  }

  static {
    // The core's error in what was thrown; undefined where it is none of ours.
    handleIn = thrown => (typeof thrown === 'object' && thrown !== null && #handle in thrown ? thrown.#handle : undefined);
  }
}

/** An error of the application's own, which it throws from a handler. */
function application(message, { code, data }) {
  checkCode(code);
  try {
    return addon.errorApplication(code, text(message, 'message'), data === undefined ? undefined : json(data, 'data'));
  } catch (thrown) {
    throw fromAddon(thrown);
  }
}

/** What the addon threw, as an `ElicitError`. */
function fromAddon(thrown) {
  if (handleIn(thrown)) return thrown;
  // An `Error` is no handle: the addon was given what it cannot take, or gave way.
  if (thrown instanceof Error) {
    return new ElicitError('', { [HANDLE]: addon.errorNew('internal', thrown.message), cause: thrown });
  }
  return new ElicitError('', { [HANDLE]: thrown, [IS_CORES]: true, cause: takeFailure() });
}

/** An error that is found on this side: an argument of the wrong type, mostly. */
function invalid(message, kind = 'invalid_argument', cause = undefined) {
  return new ElicitError('', { [HANDLE]: addon.errorNew(kind, message), cause });
}

/** Checks that an argument is a text that has a UTF-8 form: others would change on their way. */
function text(value, what) {
  if (typeof value !== 'string') throw invalid(`${what} must be a string`);
  if (!value.isWellFormed()) throw invalid(`${what} holds half of a surrogate pair`);
  return value;
}

/** What something that was thrown says of itself: it can be anything, also what throws when it is asked. */
function messageOf(thrown) {
  try {
    const { message } = thrown;
    if (typeof message === 'string' && message !== '') return message;
  } catch {
    // The cause tells more, to whoever can look at it.
  }
  return `${typeof thrown} was thrown`;
}

/** JSON of a value that the application gave. */
function json(value, what) {
  let written;
  try {
    written = JSON.stringify(value);
  } catch (thrown) {
    // An outcome that is open was read on the way: that is no fault of the value.
    if (isSuspended(thrown)) throw thrown;
    throw invalid(`${what} cannot be written as JSON: ${messageOf(thrown)}`, undefined, thrown);
  }
  if (written === undefined) throw invalid(`${what} cannot be written as JSON`);
  return written;
}

/** Checks that an argument is a JSON-RPC error code. */
function checkCode(code) {
  if (!Number.isInteger(code) || code !== (code | 0)) throw invalid('code must be an integer of 32 bits');
  return code;
}

/** Checks that an argument is an object with these members only: others are slips of the pen. */
function checkNames(options, known, otherwise) {
  if (typeof options !== 'object' || options === null) throw invalid('options must be an object');
  for (const name of Object.keys(options)) {
    if (!known.includes(name)) throw invalid(`${otherwise} ${name}`);
  }
}

module.exports = { ElicitError, HANDLE, checkCode, checkNames, fromAddon, handleIn, invalid, json, messageOf, text };
