'use strict';
// What the person of a test says. See ../../testing.d.ts.
const { inspect } = require('node:util');
const { invalid, json, text } = require('../error.js');

let frameOf;

/** An answer: the JSON of a response, or none where the person never answers. */
class Answer {
  #response;

  /** Made by the functions below. */
  constructor(response) {
    this.#response = response;
    Object.freeze(this);
  }

  /** Never shows what a person says. */
  [inspect.custom]() {
    return this.#response === undefined ? 'Answer(never)' : 'Answer';
  }

  static {
    // As src/testing.rs takes it.
    frameOf = answer => {
      if (typeof answer !== 'object' || answer === null || !(#response in answer)) {
        throw invalid('an answer is made with accept, decline, cancel, never or result');
      }
      return answer.#response === undefined ? 'n' : `j${answer.#response}`;
    };
  }
}

/** JSON that the test gave as such, or a value to be written. */
const written = (given, what) => (typeof given === 'string' ? text(given, what) : json(given, what));

const accept = content =>
  new Answer(content === undefined ? '{"action":"accept"}' : `{"action":"accept","content":${written(content, 'content')}}`);
const decline = () => new Answer('{"action":"decline"}');
const cancel = () => new Answer('{"action":"cancel"}');
const never = () => new Answer(undefined);
const result = response => new Answer(written(response, 'result'));

module.exports = { Answer, accept, cancel, decline, frameOf, never, result, written };
