'use strict';
const { checkNames, invalid, text } = require('./error.js');

const WORDS = ['title', 'description', 'required', 'default'];
const NUMBERS = ['minimum', 'maximum', 'moreThan', 'lessThan', 'multipleOf'];
/** What a field of each kind takes. */
const TAKES = {
  string: [...WORDS, 'minLength', 'maxLength', 'format', 'pattern'],
  integer: [...WORDS, ...NUMBERS],
  number: [...WORDS, ...NUMBERS],
  boolean: WORDS,
  choice: WORDS,
  choices: [...WORDS, 'minItems', 'maxItems'],
};

function number(value, what) {
  if (typeof value !== 'number') throw invalid(`${what} must be a number`);
  return value;
}

function count(value, what) {
  if (!Number.isSafeInteger(value) || value < 0) throw invalid(`${what} must be a whole number, 0 or more`);
  return value;
}

function truth(value, what) {
  if (typeof value !== 'boolean') throw invalid(`${what} must be true or false`);
  return value;
}

function texts(value, what) {
  if (!Array.isArray(value)) throw invalid(`${what} must be a list of texts`);
  return value.map(item => text(item, `each text of ${what}`));
}

const CHECKS = {
  title: text, description: text, required: truth,
  minLength: count, maxLength: count, format: text, pattern: text,
  minimum: number, maximum: number, moreThan: number, lessThan: number, multipleOf: number,
  minItems: count, maxItems: count,
};
/** The default of each kind: where it goes, and what it must be. */
const DEFAULTS = {
  string: ['defaultText', text], choice: ['defaultText', text], choices: ['defaultList', texts],
  integer: ['defaultNumber', number], number: ['defaultNumber', number], boolean: ['defaultTruth', truth],
};

/** The options of a choice: texts, or values with titles. */
function optionsOf(options) {
  if (!Array.isArray(options)) throw invalid('the options of a choice must be a list');
  return options.map(option => {
    if (typeof option === 'string') return { value: text(option, 'an option') };
    checkNames(option, ['value', 'title'], 'the option of a choice has no member');
    const { value, title } = option;
    return { value: text(value, 'the value of an option'), title: title === undefined ? undefined : text(title, 'the title of an option') };
  });
}

/** Builds a form field by field. See form.d.ts. */
class FormBuilder {
  #fields = [];
  #build;

  /** `build` makes a form of fields as native code takes them. */
  constructor(build) {
    this.#build = build;
  }

  #add(kind, name, describe = {}, options = undefined) {
    checkNames(describe, TAKES[kind], `a field of the kind ${kind} has no member`);
    const field = { name: text(name, 'the name of a field'), kind, required: false };
    if (options !== undefined) field.options = optionsOf(options);
    for (const [key, value] of Object.entries(describe)) {
      if (value === undefined) continue;
      const [place, check] = key === 'default' ? DEFAULTS[kind] : [key, CHECKS[key]];
      field[place] = check(value, key);
    }
    this.#fields.push(field);
    return this;
  }

  string(name, describe) {
    return this.#add('string', name, describe);
  }

  integer(name, describe) {
    return this.#add('integer', name, describe);
  }

  number(name, describe) {
    return this.#add('number', name, describe);
  }

  boolean(name, describe) {
    return this.#add('boolean', name, describe);
  }

  choice(name, options, describe) {
    return this.#add('choice', name, describe, options ?? null);
  }

  choices(name, options, describe) {
    return this.#add('choices', name, describe, options ?? null);
  }

  build() {
    return this.#build(this.#fields);
  }
}

module.exports = { FormBuilder };
