'use strict';
const { inspect } = require('node:util');
const addon = require('./loader.js');

const KINDS = { c: 'complete', i: 'input_required', e: 'error' };
const HEADERS = Object.freeze(Object.fromEntries(addon.replyHeaders()));

/** What goes back to the client. See index.d.ts. */
class Reply {
  constructor(body, status, kind, errorKind) {
    this.body = body;
    this.status = status;
    this.kind = kind;
    this.errorKind = errorKind;
  }

  get headers() {
    return HEADERS;
  }

  /** Says the kind and the length, never the body: it may hold what a person answered. */
  [inspect.custom]() {
    return `Reply(${this.kind}, HTTP ${this.status}, ${this.body.length} characters)`;
  }
}

/** Reads the frame of a reply; src/error.rs says how. */
function replyOf(frame) {
  const start = frame.indexOf('{');
  const errorKind = start > 4 ? frame.slice(4, start) : undefined;
  return new Reply(frame.slice(start), Number(frame.slice(0, 3)), KINDS[frame[3]], errorKind);
}

module.exports = { Reply, replyOf };
