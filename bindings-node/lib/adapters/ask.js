'use strict';
// What a tool asks its user with, whichever server it runs on. adapters/mcp.d.ts documents it.
const native = require('../native.js');
const { roundOf } = require('../call.js');
const { invalid } = require('../error.js');
const { Suspended } = require('../suspended.js');

/**
 * A question that was asked. Awaiting it gives its outcome, or ends the run of the tool.
 *
 * No promise: one that is rejected and that nobody awaits would end the process.
 */
class Question {
  #outcome;

  constructor(outcome) {
    this.#outcome = outcome;
  }

  get isPending() {
    return this.#outcome.isPending;
  }

  then(fulfilled, rejected) {
    const outcome = this.#outcome;
    return new Promise(resolve => {
      void outcome.action; // throws the suspension while it is pending
      resolve(outcome);
    }).then(fulfilled, rejected);
  }
}

/** What a tool asks with; one for each call of the tool. */
class Ask {
  #call;

  constructor(call) {
    this.#call = call;
  }

  form(key, message, form, options) {
    return new Question(this.#call.elicitForm(key, message, form, options));
  }

  url(key, message, url, done, options) {
    return new Question(this.#call.elicitUrl(key, message, url, done, options));
  }

  message(key, params, options) {
    return new Question(this.#call.createMessage(key, params, options));
  }

  roots(key, options) {
    return new Question(this.#call.listRoots(key, options));
  }

  gather(...questions) {
    for (const question of questions) {
      if (!(question instanceof Question)) throw invalid('gather takes questions, as form and url give them');
    }
    return Promise.all(questions);
  }

  step(key, work, options) {
    return this.#call.step(key, work, options);
  }

  retryLater() {
    native.callEndToRetry(roundOf(this.#call).slot);
    throw new Suspended();
  }

  claim(options) {
    return this.#call.claim(options);
  }

  releaseClaim() {
    return this.#call.releaseClaim();
  }

  get idempotencyKey() {
    return this.#call.idempotencyKey;
  }

  get appData() {
    return this.#call.appData;
  }

  setAppData(data) {
    this.#call.setAppData(data);
  }

  canElicit(mode) {
    return this.#call.canElicit(mode);
  }

  get flowId() {
    return this.#call.flowId;
  }

  get round() {
    return this.#call.round;
  }

  get principal() {
    return this.#call.principal;
  }
}

module.exports = { Ask, Question };
