// The vectors of forms (tests/vectors/schema-*.json), as tests/vectors/README.md says how to run them.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ElicitError, Form } from 'mcp-elicit';
import { vectors } from './support.mjs';

/** One test a case of a file. */
function each(file, play) {
  const { cases } = vectors(file);
  assert.ok(cases.length > 0, file);
  for (const it of cases) test(`${file}: ${it.name}`, () => play(it));
}

/** The text of JSON in a vector, as it is written, or printed; undefined where there is none. */
const textOf = (it, key) => it[`${key}Text`] ?? (key in it ? JSON.stringify(it[key]) : undefined);

/** JSON without white space between its tokens, every digit as it was. */
const compact = json => json.replace(/("(?:[^"\\]|\\.)*")|\s+/gu, (_, string) => string ?? '');

const optionsOf = ({ allowSensitiveName, limits }) => ({
  ...(allowSensitiveName !== undefined && { allowSensitiveName }),
  ...(limits && { limits }),
});

const parse = it => new Form(textOf(it, 'schema'), optionsOf(it));

const places = faults => faults.map(({ path, rule, message }) => {
  assert.ok(message.length > 0);
  return { path, rule };
});

function refusedBy(work) {
  try {
    work();
  } catch (error) {
    assert.ok(error instanceof ElicitError, error);
    assert.equal(error.kind, 'schema');
    return error.faults;
  }
  assert.fail('it was accepted');
}

function checkAnswer(form, answer) {
  const found = form.validate(textOf(answer, 'content'), answer.unknown ? { unknown: answer.unknown } : {});
  assert.equal(found.valid, answer.faults === undefined, JSON.stringify(answer));
  if (answer.faults) return assert.deepEqual(places(found.faults), answer.faults);
  assert.equal(found.contentText, textOf(answer, 'kept') ?? textOf(answer, 'content'));
  assert.deepEqual(found.dropped, answer.dropped ?? []);
}

each('schema-parse.json', it => {
  if (it.faults) return assert.deepEqual(places(refusedBy(() => parse(it))), it.faults);
  const form = parse(it);
  assert.equal(form.wire, it.wire ?? compact(textOf(it, 'schema')));
  assert.equal(form.source, form.wire);
  assert.deepEqual(places(form.warnings), it.warnings ?? []);
  assert.deepEqual(form.report, []);
});

each('schema-validate.json', it => {
  const form = parse(it);
  for (const answer of it.answers) checkAnswer(form, answer);
});

function checkNormalize(it) {
  const schema = textOf(it, 'schema');
  const options = optionsOf(it);
  const { form, faults, notes } = Form.explain(schema, options);
  const of = fate => notes.filter(note => note.fate === fate).map(note => note.path);
  if (it.faults) {
    assert.deepEqual(places(refusedBy(() => Form.normalize(schema, options))), it.faults);
    assert.equal(form, undefined);
    assert.deepEqual(places(faults), it.faults);
    assert.deepEqual(of('refused'), it.faults.map(fault => fault.path));
    return;
  }
  assert.deepEqual(faults, []);
  assert.equal(form.wire, textOf(it, 'wire'));
  assert.deepEqual(form.report, notes);
  const normalized = Form.normalize(schema, options);
  assert.equal(normalized.source, form.source);
  assert.deepEqual(normalized.report, notes);
  for (const fate of ['enforced', 'dropped']) {
    if (it[fate]) assert.deepEqual(of(fate).sort(), [...it[fate]].sort(), fate);
  }
  for (const answer of it.answers ?? []) checkAnswer(form, answer);
  if (it.nulls) assert.equal(form.forType(textOf(it.nulls, 'content')), textOf(it.nulls, 'forType'));
  // Normalize is idempotent, and what it writes is of the grammar.
  assert.equal(Form.normalize(form.source, options).source, form.source);
  assert.equal(new Form(form.wire, options).wire, form.wire);
}

each('schema-normalize.json', checkNormalize);
each('schema-printed.json', checkNormalize);

each('schema-coerce.json', it => {
  const form = new Form({ type: 'object', properties: { f: it.field } });
  const field = form.field('f');
  for (const typed of it.texts) {
    const about = `${JSON.stringify(typed.text)}`;
    const found = field.coerce(typed.text);
    const whole = form.coerce({ f: typed.text });
    if (typed.absent) {
      assert.deepEqual(found, { valid: true, isAbsent: true, value: undefined, valueText: undefined }, about);
      assert.equal(whole.contentText, '{}', about);
    } else if (typed.rule) {
      assert.deepEqual(places([found.fault]), [{ path: typed.path ?? '/f', rule: typed.rule }], about);
      assert.deepEqual(whole, { valid: false, faults: [found.fault] }, about);
    } else {
      assert.equal(found.valueText, textOf(typed, 'value'), about);
      assert.equal(whole.contentText, `{"f":${found.valueText}}`, about);
      // A number beyond 2^53 has lost its digits here.
      if (JSON.stringify(found.value) === found.valueText) {
        assert.equal(field.coerce(field.print(found.value)).valueText, found.valueText, about);
      }
    }
  }
});

each('schema-defaults.json', it => {
  const form = parse(it);
  for (const filled of it.filled ?? []) {
    const content = textOf(filled, 'content');
    assert.equal(form.withDefaults(content), textOf(filled, 'result'));
    if (filled.content && filled.result) assert.deepEqual(form.withDefaults(filled.content), filled.result);
  }
  for (const again of it.again ?? []) {
    const answer = textOf(again, 'answer');
    const wire = again.only ? form.wireAgain(answer, again.only) : form.wireWithDefaults(answer);
    assert.equal(wire, textOf(again, 'wire'));
    assert.equal(new Form(wire, optionsOf(it)).wire, wire);
  }
});

each('schema-downgrade.json', it => {
  const form = it.normalize ? Form.normalize(textOf(it, 'schema')) : parse(it);
  if (it.faults) return assert.deepEqual(places(refusedBy(() => form.downgrade(it.revision))), it.faults);
  const down = form.downgrade(it.revision);
  assert.equal(down.form.wire, textOf(it, 'wire'));
  assert.deepEqual(down.lost.map(note => note.path), it.lost ?? []);
  assert.ok(down.lost.every(note => note.fate === 'dropped' && note.message));
  for (const answer of it.answers ?? []) checkAnswer(down.form, answer);
});
