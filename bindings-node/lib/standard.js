'use strict';
// Types of other libraries (Zod, Valibot, ArkType, ...), by the interfaces of Standard Schema and
// Standard JSON Schema: how one is printed, and how it reads an answer. Of the libraries nothing is
// known here but what they must be told to print a type in part, and how Zod lets errors through.
const { promiseHooks } = require('node:v8');
const { ElicitError, invalid, json, messageOf, text } = require('./error.js');
const { isSuspended } = require('./suspended.js');

/** What a library must be told to leave out what it cannot print, where it would rather fail. */
const IN_PART = {
  zod: { unrepresentable: 'any' },
  valibot: { errorMode: 'ignore' },
};

/** Whether a value is a type of Standard Schema; such types are objects or functions. */
function isType(value) {
  return (typeof value === 'object' || typeof value === 'function') && value !== null
    && typeof value['~standard'] === 'object' && value['~standard'] !== null;
}

/** The type's own half of what the standard says. */
function standardOf(type) {
  const standard = type['~standard'];
  if (standard.version !== 1 || typeof standard.validate !== 'function') {
    throw invalid('this type is of another version of Standard Schema than 1');
  }
  return standard;
}

/**
 * JSON Schema of what the type takes, as JSON.
 *
 * What a library cannot print is left out, since nothing is lost by it: a check is made by the
 * library itself when an answer comes, and a field without a type is refused by its place.
 */
function print(type, given) {
  const { jsonSchema, vendor } = standardOf(type);
  const library = typeof vendor === 'string' ? vendor : undefined;
  const said = typeof given === 'function' ? given(type) : given;
  if (said !== undefined) return typeof said === 'string' ? text(said, 'jsonSchema') : json(said, 'jsonSchema');
  if (typeof jsonSchema?.input !== 'function') {
    throw invalid(`this type${library === undefined ? '' : ` of ${library}`} does not print JSON Schema by itself; make a form of it by `
      + 'Form.of(type, { jsonSchema }), with what a function of its library prints');
  }
  let printed;
  try {
    printed = jsonSchema.input({ target: 'draft-2020-12', libraryOptions: IN_PART[vendor] });
  } catch (thrown) {
    throw invalid(`${library ?? 'its library'} cannot print this type as JSON Schema: ${messageOf(thrown)}`, 'schema', thrown);
  }
  return json(printed, 'what a type prints');
}

/**
 * How a type is asked. Zod's `validate` hides what one of its checks throws in a promise, its
 * `safeParse` lets it through.
 */
function validateOf(type) {
  const standard = standardOf(type);
  if (standard.vendor !== 'zod' || typeof type.safeParse !== 'function') return value => standard.validate(value);
  return value => {
    const said = type.safeParse(value);
    switch (said?.success) {
      case true:
        return { value: said.data };
      case false:
        return { issues: said.error.issues };
      default:
        return said;
    }
  };
}

const nothing = () => {};

/**
 * Asks a type: what it `said`, or the `failure` in which it ended, and whether it `waits`. Promises
 * that it began in vain are nobody's to await any more: were one rejected, the process would end.
 */
function ask(validate, value) {
  const begun = [];
  const stop = promiseHooks?.onInit(promise => { begun.push(promise); });
  let asked;
  try {
    const said = validate(value);
    asked = { said, waits: typeof said?.then === 'function' };
  } catch (thrown) {
    // Libraries throw where they find in the midst of it that they would have to wait.
    asked = { failure: { thrown }, waits: begun.length > 0 && !isSuspended(thrown) && !(thrown instanceof ElicitError) };
  } finally {
    stop?.();
  }
  if (asked.waits) Promise.resolve(asked.said).then(nothing, nothing);
  if (asked.waits || asked.failure) for (const promise of begun) Promise.prototype.then.call(promise, nothing, nothing);
  return asked;
}

const asynchronous = cause => invalid('this type judges asynchronously (it gave or began a promise), but an ask is '
  + 'answered at once: give its checks and transforms as synchronous functions, and check the rest in call.step '
  + 'once the answer is there', undefined, cause);

/** What a type says of a value, at once: a value, or one issue or more. */
function judge(validate, value) {
  const { said, failure, waits } = ask(validate, value);
  if (waits) throw asynchronous(failure?.thrown);
  if (failure) throw failure.thrown;
  if (typeof said !== 'object' || said === null) throw invalid('this type gives neither a value nor a list of issues');
  const { issues } = said;
  if (!issues) return { value: said.value };
  if (!Array.isArray(issues)) throw invalid('this type gives issues that are no list');
  if (issues.length === 0) throw invalid('this type gives an empty list of issues: where it takes a value, issues must be undefined');
  return { issues };
}

/**
 * Refuses a type that always judges asynchronously. One that does so for some values only is found
 * when it does.
 */
function checkSync(type) {
  const { failure, waits } = ask(validateOf(type), undefined);
  if (waits) throw asynchronous(failure?.thrown);
}

/** JSON pointer to what an issue is about, as far as it says; the whole where it does not. */
function placeOf(issue) {
  const path = issue?.path;
  let place = '';
  for (const segment of Array.isArray(path) ? path : []) {
    const key = typeof segment === 'object' && segment !== null ? segment.key : segment;
    if (!['string', 'number', 'bigint', 'symbol'].includes(typeof key)) break;
    place += `/${String(key).replaceAll('~', '~0').replaceAll('/', '~1')}`;
  }
  return place.toWellFormed();
}

/** Why a type refuses an answer, in words for a person. Half a surrogate pair becomes U+FFFD. */
function reasonOf(issue) {
  const message = issue?.message;
  return typeof message === 'string' && message !== '' ? message.toWellFormed() : 'not valid';
}

/** A type at work on the answers to one question. */
class Reading {
  #validate;
  #made;
  #failure;

  constructor(type) {
    this.#validate = validateOf(type);
  }

  /** For native code: what the type refuses in an answer, places and reasons in turn. Never throws. */
  check = content => {
    try {
      const said = judge(this.#validate, JSON.parse(content));
      if (said.issues) return said.issues.flatMap(issue => [placeOf(issue), reasonOf(issue)]);
      this.#made = { content, value: said.value };
      return [];
    } catch (thrown) {
      this.#failure = { thrown };
      return null;
    }
  };

  /** Does work that calls `check`. What the type threw goes on as it was thrown. */
  during(work) {
    try {
      return work();
    } catch (thrown) {
      throw this.#failure ? this.#failure.thrown : thrown;
    }
  }

  /** The value of an answer that was accepted, given as the type reads it. */
  value(content) {
    if (this.#made?.content === content) return this.#made.value;
    // The question was asked twice in this round: the answer was judged the first time.
    const said = judge(this.#validate, JSON.parse(content));
    if (said.issues) throw invalid('the type behind the form no longer takes this answer');
    return said.value;
  }
}

module.exports = { Reading, checkSync, isType, print };
