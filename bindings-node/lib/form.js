'use strict';
const native = require('./native.js');
const { checkNames, invalid, json, text } = require('./error.js');

let handleOf;

/** A checked `requestedSchema`. See index.d.ts. */
class Form {
  #handle;

  constructor(schema, options = {}) {
    if (typeof schema !== 'string' && (typeof schema !== 'object' || schema === null)) {
      throw invalid('a schema must be an object, or its JSON');
    }
    checkNames(options, ['allowSensitiveName', 'limits'], 'a form has no option');
    const { allowSensitiveName, limits = {} } = options;
    if (allowSensitiveName !== undefined) text(allowSensitiveName, 'allowSensitiveName, the reason,');
    checkNames(limits, ['properties', 'options'], 'a form has no limit');
    for (const most of Object.values(limits)) {
      if (most !== undefined && most !== most >>> 0) throw invalid('a limit of a form must be a whole number');
    }
    const written = typeof schema === 'string' ? text(schema, 'a schema') : json(schema, 'a schema');
    this.#handle = native.formNew(written, allowSensitiveName, limits.properties, limits.options);
  }

  get wire() {
    return native.formWire(this.#handle);
  }

  get source() {
    return native.formSource(this.#handle);
  }

  get warnings() {
    return JSON.parse(native.formWarnings(this.#handle));
  }

  validate(content, options = {}) {
    checkNames(options, ['unknown'], 'validate has no option');
    const { unknown = 'drop' } = options;
    if (unknown !== 'drop' && unknown !== 'refuse') throw invalid('unknown must be "drop" or "refuse"');
    const given = typeof content === 'string' ? text(content, 'content') : json(content, 'content');
    const frame = native.formValidate(this.#handle, given, unknown === 'refuse');
    if (frame[0] === 'i') return { valid: false, faults: JSON.parse(frame.slice(1)) };
    const [contentText, dropped] = frame.slice(1).split('\n');
    return { valid: true, content: JSON.parse(contentText), contentText, dropped: JSON.parse(dropped) };
  }

  static {
    // The handle of a form, made from a schema where it is none yet.
    handleOf = form => (typeof form === 'object' && form !== null && #handle in form ? form : new Form(form)).#handle;
  }
}

module.exports = { Form, handleOf };
