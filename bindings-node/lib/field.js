'use strict';
const native = require('./native.js');
const { json, text } = require('./error.js');
const { wordingOf } = require('./wording.js');

/** One field of a form. See form.d.ts. */
class Field {
  #form;

  /** `form` is the form's handle, `members` what native code says of the field. */
  constructor(form, members) {
    this.#form = form;
    this.name = members.name;
    this.kind = members.kind;
    this.title = members.title;
    this.label = members.label;
    this.description = members.description;
    this.isRequired = members.isRequired;
    this.isSensitive = members.isSensitive;
    this.defaultValue = members.defaultValue;
    this.choices = members.choices;
    this.minLength = members.minLength;
    this.maxLength = members.maxLength;
    this.format = members.format;
    this.patterns = members.patterns;
    this.minimum = members.minimum;
    this.maximum = members.maximum;
    this.minItems = members.minItems;
    this.maxItems = members.maxItems;
    for (const list of [this.choices, this.patterns, this.defaultValue]) Object.freeze(list);
    for (const choice of this.choices) Object.freeze(choice);
    Object.freeze(this);
  }

  coerce(typed, options) {
    const frame = native.fieldCoerce(this.#form, this.name, text(typed, 'what was typed'), wordingOf(options, 'coerce'));
    if (frame === '') return { valid: true, isAbsent: true, value: undefined, valueText: undefined };
    const said = frame.slice(1);
    if (frame[0] === 'i') return { valid: false, isAbsent: false, fault: JSON.parse(said) };
    return { valid: true, isAbsent: false, value: JSON.parse(said), valueText: said };
  }

  print(value) {
    return native.fieldPrint(this.#form, this.name, json(value, 'a value')) ?? undefined;
  }
}

module.exports = { Field };
