'use strict';
// Types of other libraries (Zod, Valibot, ArkType, ...), by the interfaces of Standard Schema and
// Standard JSON Schema: how one is printed, and how it reads an answer. None of the libraries is
// known here but by what they must be told to print a type in part.
const { invalid, json, text } = require('./error.js');

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
  const said = typeof given === 'function' ? given(type) : given;
  if (said !== undefined) return typeof said === 'string' ? text(said, 'jsonSchema') : json(said, 'jsonSchema');
  if (typeof jsonSchema?.input !== 'function') {
    throw invalid(`this type of ${vendor} does not print JSON Schema by itself; make a form of it by `
      + 'Form.of(type, { jsonSchema }), with what a function of its library prints');
  }
  let printed;
  try {
    printed = jsonSchema.input({ target: 'draft-2020-12', libraryOptions: IN_PART[vendor] });
  } catch (thrown) {
    throw invalid(`${vendor} cannot print this type as JSON Schema: ${thrown?.message}`, 'schema', thrown);
  }
  return json(printed, 'what a type prints');
}

/** What a type says of a value, at once. */
function judge(standard, value) {
  const said = standard.validate(value);
  if (typeof said?.then === 'function') {
    // Nobody waits for it; were it rejected, the process would end.
    said.then(undefined, () => {});
    throw invalid('this type gives a promise in place of a judgement, but an ask is answered at once: '
      + 'ask with a type that does not wait, and check the rest in a step (a Zod type also gives a '
      + 'promise where one of its checks throws)');
  }
  if (typeof said !== 'object' || said === null || (said.issues && !Array.isArray(said.issues))) {
    throw invalid('this type gives neither a value nor a list of issues');
  }
  return said;
}

/**
 * Refuses a type that always judges asynchronously. One that does so for some values only is found
 * when it does.
 */
function checkSync(type) {
  const standard = standardOf(type);
  let said;
  try {
    said = standard.validate(undefined);
  } catch {
    return;
  }
  if (typeof said?.then === 'function') judge({ validate: () => said });
}

/** JSON pointer to what an issue is about; the whole where it does not say. */
function place(issue) {
  const path = Array.isArray(issue?.path) ? issue.path : [];
  const key = segment => String(typeof segment === 'object' && segment !== null ? segment.key : segment);
  return path.map(segment => `/${key(segment).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}

/** A type at work on the answers to one question. */
class Reading {
  #standard;
  #made;
  #failure;

  constructor(type) {
    this.#standard = standardOf(type);
  }

  /** For native code: what the type refuses in an answer, places and reasons in turn. Never throws. */
  check = content => {
    try {
      const said = judge(this.#standard, JSON.parse(content));
      if (said.issues) return said.issues.flatMap(issue => [place(issue), String(issue?.message)]);
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
    const said = judge(this.#standard, JSON.parse(content));
    if (said.issues) throw invalid('the type behind the form no longer takes this answer');
    return said.value;
  }
}

module.exports = { Reading, checkSync, isType, print };
