'use strict';
const { Suspended } = require('./suspended.js');

const ACTIONS = { a: 'accept', d: 'decline', c: 'cancel', i: 'invalid', u: 'unavailable', r: 'answer' };
const SOURCES = { u: 'user', a: 'argument', d: 'default', g: 'grant' };

/** What became of a question. See index.d.ts. */
class Outcome {
  /** The letter of the action and what belongs to it (src/call.rs says how it reads); null while pending. */
  #frame;
  #round;
  #read;
  #content;
  #hasContent = false;

  /** `read` makes the content of its JSON, where that is more than parsing it. */
  constructor(frame, round, read = JSON.parse) {
    this.#frame = frame;
    this.#round = round;
    this.#read = read;
  }

  /** The frame, unless the question is open: then this run of the handler ends here. */
  #settled() {
    if (this.#frame === null) {
      this.#round.readEarly = true;
      throw new Suspended();
    }
    return this.#frame;
  }

  get isPending() {
    return this.#frame === null;
  }

  get action() {
    return ACTIONS[this.#settled()[0]];
  }

  get source() {
    const frame = this.#settled();
    return frame[0] === 'a' ? SOURCES[frame[1]] : undefined;
  }

  get contentText() {
    const frame = this.#settled();
    if (frame[0] === 'r') return frame.slice(1);
    return frame[0] === 'a' && frame.length > 2 ? frame.slice(2) : undefined;
  }

  get content() {
    const given = this.contentText;
    if (given !== undefined && !this.#hasContent) {
      this.#content = this.#read(given);
      this.#hasContent = true;
    }
    return this.#content;
  }

  get reason() {
    const frame = this.#settled();
    return frame[0] === 'u' ? frame.slice(1) : undefined;
  }

  get faults() {
    const frame = this.#settled();
    return frame[0] === 'i' ? JSON.parse(frame.slice(1)) : [];
  }
}

module.exports = { Outcome };
