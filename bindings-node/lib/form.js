'use strict';
const native = require('./native.js');
const { FormBuilder } = require('./builder.js');
const { checkNames, invalid, json, text } = require('./error.js');
const { Field } = require('./field.js');
const { Reading, checkSync, isType, print } = require('./standard.js');
const { wordingOf } = require('./wording.js');

/** In place of a schema: the form is made from a handle of native code. */
const HANDLE = Symbol('handle');

/** The forms of types and schemas that a call was given, and how each was read; it is read once. */
const known = new WeakMap();

let isForm;
let partsOf;

/** How a schema is read, from options of which `more` are others, as native code takes it. */
function readingOf(options, more = []) {
  checkNames(options, ['allowSensitiveName', 'limits', ...more], 'a form has no option');
  const { allowSensitiveName, limits = {} } = options;
  if (allowSensitiveName !== undefined) text(allowSensitiveName, 'allowSensitiveName, the reason,');
  checkNames(limits, ['properties', 'options'], 'a form has no limit');
  for (const most of Object.values(limits)) {
    if (most !== undefined && !(Number.isInteger(most) && most === most >>> 0)) throw invalid('a limit of a form must be a whole number');
  }
  return { sensitiveReason: allowSensitiveName, properties: limits.properties, options: limits.options };
}

/** JSON of a schema. */
function schemaText(schema) {
  if (typeof schema === 'string') return text(schema, 'a schema');
  if (typeof schema !== 'object' || schema === null) throw invalid('a schema must be an object, or its JSON');
  return json(schema, 'a schema');
}

const contentText = content => (typeof content === 'string' ? text(content, 'content') : json(content, 'content'));

/** What `work` makes of content that is JSON; an object where it was given as one. */
function mapped(content, work) {
  const made = work(contentText(content));
  return typeof content === 'string' ? made : JSON.parse(made);
}

/** A checked `requestedSchema`. See form.d.ts. */
class Form {
  #handle;
  /** The type of another library behind the form. */
  #type;
  #fields;

  constructor(schema, options = {}, type = undefined) {
    if (schema === HANDLE) {
      this.#handle = options;
      this.#type = type;
      return;
    }
    if (isType(schema)) throw invalid('a form of a type is made by Form.of');
    this.#handle = native.formNew(schemaText(schema), readingOf(options));
  }

  static normalize(schema, options = {}) {
    return new Form(HANDLE, native.formNormalize(schemaText(schema), readingOf(options)));
  }

  static explain(schema, options = {}) {
    const { form, faults, notes } = native.formExplain(schemaText(schema), readingOf(options));
    return {
      form: form ? new Form(HANDLE, form) : undefined,
      faults: JSON.parse(faults),
      notes: JSON.parse(notes),
    };
  }

  static of(type, options = {}) {
    if (!isType(type)) throw invalid('Form.of takes a type of a library that speaks Standard Schema');
    const reading = readingOf(options, ['jsonSchema']);
    checkSync(type);
    return new Form(HANDLE, native.formNormalize(print(type, options.jsonSchema), reading), type);
  }

  static builder(options = {}) {
    const reading = readingOf(options);
    return new FormBuilder(fields => new Form(HANDLE, native.formBuild(fields, reading)));
  }

  static messages() {
    return JSON.parse(native.formMessages());
  }

  static messageWarning(message) {
    const fault = native.formMessageWarning(text(message, 'message'));
    return fault === null ? undefined : JSON.parse(fault);
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

  get report() {
    return JSON.parse(native.formReport(this.#handle));
  }

  get fields() {
    return (this.#fields ??= Object.freeze(
      JSON.parse(native.formFields(this.#handle)).map(members => new Field(this.#handle, members))));
  }

  field(name) {
    text(name, 'the name of a field');
    return this.fields.find(field => field.name === name);
  }

  validate(content, options = {}) {
    const wording = wordingOf(options, 'validate', ['unknown']);
    const { unknown = 'drop' } = options;
    if (unknown !== 'drop' && unknown !== 'refuse') throw invalid('unknown must be "drop" or "refuse"');
    const given = contentText(content);
    const reading = this.#type && new Reading(this.#type);
    const validate = () => native.formValidate(this.#handle, given, unknown === 'refuse', wording, reading?.check);
    const frame = reading ? reading.during(validate) : validate();
    if (frame[0] === 'i') return { valid: false, faults: JSON.parse(frame.slice(1)) };
    const [kept, dropped] = frame.slice(1).split('\n');
    return {
      valid: true,
      content: reading ? reading.value(native.formForType(this.#handle, kept)) : JSON.parse(kept),
      contentText: kept,
      dropped: JSON.parse(dropped),
    };
  }

  coerce(texts, options) {
    if (typeof texts !== 'object' || texts === null) throw invalid('texts must be an object, each text under the name of a field');
    const wording = wordingOf(options, 'coerce');
    const given = Object.entries(texts)
      .filter(([, typed]) => typed !== undefined)
      .flatMap(([name, typed]) => [text(name, 'the name of a field'), text(typed, 'what was typed')]);
    const frame = native.formCoerce(this.#handle, given, wording);
    if (frame[0] === 'i') return { valid: false, faults: JSON.parse(frame.slice(1)) };
    const read = frame.slice(1);
    return { valid: true, content: JSON.parse(read), contentText: read, dropped: [] };
  }

  defaults() {
    return JSON.parse(native.formDefaults(this.#handle));
  }

  withDefaults(content) {
    return mapped(content, given => native.formWithDefaults(this.#handle, given));
  }

  forType(content) {
    return mapped(content, given => native.formForType(this.#handle, given));
  }

  wireWithDefaults(answer) {
    return native.formWireAgain(this.#handle, contentText(answer), undefined);
  }

  wireAgain(answer, only) {
    if (!Array.isArray(only)) throw invalid('only must be a list of names of fields');
    return native.formWireAgain(this.#handle, contentText(answer), only.map(name => text(name, 'the name of a field')));
  }

  downgrade(revision) {
    const { form, lost } = native.formDowngrade(this.#handle, text(revision, 'revision'));
    return { form: new Form(HANDLE, form, this.#type), lost: JSON.parse(lost) };
  }

  static {
    // Handle and type of a form, which is made of a type or schema where it is none yet; `reason` is
    // why that may have a sensitive name, `limits` are those of the engine.
    partsOf = (given, reason, limits) => {
      if (isForm(given) && reason !== undefined) {
        throw invalid('allowSensitiveName belongs to a type or a schema: a form has it from where it was made');
      }
      const form = isForm(given) ? given : formOf(given, reason, limits);
      return { handle: form.#handle, type: form.#type };
    };
    isForm = value => typeof value === 'object' && value !== null && #handle in value;
  }
}

/** The form of a type or a schema, made once. */
function formOf(given, reason, limits) {
  const options = { allowSensitiveName: reason, limits };
  if (typeof given === 'string') return new Form(given, options);
  const read = known.get(given);
  if (read !== undefined && read.reason === reason && read.limits === limits) return read.form;
  const form = isType(given) ? Form.of(given, options) : new Form(given, options);
  known.set(given, { form, reason, limits });
  return form;
}

module.exports = { Form, partsOf };
