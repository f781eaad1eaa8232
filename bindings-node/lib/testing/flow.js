'use strict';
// What became of a flow. See ../../testing.d.ts.
const { inspect } = require('node:util');
const native = require('../native.js');
const { ElicitError, HANDLE, handleIn } = require('../error.js');

let playOf;

/** A flow did not come to what the test wanted of it. */
class FlowError extends ElicitError {
  constructor(why, flow) {
    super('', { [HANDLE]: handleIn(why) });
    this.message += `\n${flow.transcript}`;
    Object.defineProperty(this, 'flow', { value: flow });
  }

  get name() {
    return 'FlowError';
  }
}

/** A flow that was played, whole or in part. */
class Flow {
  #play;
  #record;

  constructor(play) {
    this.#play = play;
  }

  get #recorded() {
    return (this.#record ??= JSON.parse(native.playRecord(this.#play)));
  }

  /** Does what fails where there is no result. */
  #orWhyNot(work) {
    try {
      return work(this.#play);
    } catch (why) {
      throw handleIn(why) ? new FlowError(why, this) : why;
    }
  }

  get end() {
    return this.#recorded.end;
  }

  get isComplete() {
    return this.end === 'complete';
  }

  get result() {
    return JSON.parse(this.resultText);
  }

  get resultText() {
    return this.#orWhyNot(native.playResult);
  }

  get text() {
    return this.#orWhyNot(native.playText);
  }

  get isToolError() {
    return this.#recorded.isToolError;
  }

  get error() {
    return this.#recorded.error;
  }

  get rounds() {
    return this.#recorded.rounds;
  }

  get questions() {
    return this.#recorded.questions;
  }

  question(key) {
    return this.questions.findLast(asked => asked.key === key);
  }

  get messages() {
    return this.#recorded.messages;
  }

  get reply() {
    return this.messages.findLast(message => !message.sent)?.text ?? '';
  }

  get status() {
    return this.messages.findLast(message => message.status !== undefined)?.status;
  }

  get transcript() {
    return this.#recorded.transcript;
  }

  /** Says how it ended, never what was in it. */
  [inspect.custom]() {
    return `Flow(${this.end}, ${this.rounds} rounds)`;
  }

  static {
    playOf = flow => flow.#play;
  }
}

/** The flow, unless it could not go on. */
function checked(flow) {
  if (flow.end === 'failed') flow.resultText; // throws why
  return flow;
}

module.exports = { Flow, FlowError, checked, playOf };
