// Forms without any other library: what they say of themselves, what they make of answers and
// texts, and the builder.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ElicitError, Form } from 'mcp-elicit';

const places = faults => faults.map(({ path, rule }) => `${path} ${rule}`);

function refusal(work) {
  try {
    work();
  } catch (error) {
    assert.ok(error instanceof ElicitError, error);
    return error;
  }
  assert.fail('nothing was thrown');
}

const PERSON = new Form({
  type: 'object',
  properties: {
    name: { type: 'string', title: 'Name', description: 'As friends say it', minLength: 2, maxLength: 40 },
    age: { type: 'integer', minimum: 0, maximum: 150, default: 0 },
    share: { type: 'number', minimum: 0.5 },
    news: { type: 'boolean', default: false },
    size: { type: 'string', oneOf: [{ const: 's', title: 'Small' }, { const: 'm', title: 'Medium' }] },
    rights: { type: 'array', items: { type: 'string', enum: ['r', 'w'] }, minItems: 1, maxItems: 2, default: ['r'] },
    mail: { type: 'string', format: 'email' },
  },
  required: ['name'],
});

describe('fields', () => {
  const said = ({ ...members }) => Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined));

  test('say what the schema says, in its order', () => {
    const other = { isRequired: false, isSensitive: false, choices: [], patterns: [] };
    assert.deepEqual(PERSON.fields.map(said), [
      { ...other, name: 'name', kind: 'string', title: 'Name', label: 'Name', description: 'As friends say it', isRequired: true, minLength: 2, maxLength: 40 },
      { ...other, name: 'age', kind: 'integer', label: 'age', defaultValue: 0, minimum: 0, maximum: 150 },
      { ...other, name: 'share', kind: 'number', label: 'share', minimum: 0.5 },
      { ...other, name: 'news', kind: 'boolean', label: 'news', defaultValue: false },
      { ...other, name: 'size', kind: 'choice', label: 'size', choices: [{ value: 's', title: 'Small', label: 'Small' }, { value: 'm', title: 'Medium', label: 'Medium' }] },
      { ...other, name: 'rights', kind: 'choices', label: 'rights', defaultValue: ['r'], choices: [{ value: 'r', label: 'r' }, { value: 'w', label: 'w' }], minItems: 1, maxItems: 2 },
      { ...other, name: 'mail', kind: 'string', label: 'mail', format: 'email' },
    ]);
    assert.equal(PERSON.field('age'), PERSON.fields[1]);
    assert.equal(PERSON.field('toString'), undefined);
    const enforced = Form.normalize({ type: 'object', properties: { a: { type: 'string', pattern: '^"\\\\' } } });
    assert.deepEqual(enforced.field('a').patterns, ['^"\\\\']);
  });

  test('cannot be changed', () => {
    'use strict';
    const field = PERSON.field('size');
    assert.throws(() => { field.name = 'x'; }, TypeError);
    assert.throws(() => { field.choices.push('x'); }, TypeError);
    assert.throws(() => { field.choices[0].value = 'x'; }, TypeError);
    assert.throws(() => { PERSON.field('rights').defaultValue.push('w'); }, TypeError);
    assert.throws(() => { PERSON.fields.pop(); }, TypeError);
  });

  test('print what they read', () => {
    for (const [name, value, printed] of [['name', ' x ', ' x '], ['age', 5, '5'], ['news', true, 'true'], ['size', 's', 's'], ['rights', ['r', 'w'], 'r, w']]) {
      const field = PERSON.field(name);
      assert.equal(field.print(value), printed);
      if (name !== 'name') assert.deepEqual(field.coerce(printed).value, value);
    }
    assert.equal(PERSON.field('age').print('5'), undefined);
    assert.equal(PERSON.field('size').coerce('small').value, 's');
    assert.equal(refusal(() => PERSON.field('age').print(5n)).kind, 'invalid_argument');
    assert.equal(refusal(() => PERSON.field('age').coerce(5)).kind, 'invalid_argument');
  });
});

describe('answers', () => {
  test('are three lists of faults for three bad ones', () => {
    const form = new Form({ type: 'object', properties: { age: { type: 'integer', minimum: 0 }, name: { type: 'string' } }, required: ['name'] });
    const faults = content => places(form.validate(content).faults);
    assert.deepEqual(faults({}), ['/name required']);
    assert.deepEqual(faults({ name: 42 }), ['/name type']);
    assert.deepEqual(faults({ name: 'Alice', age: -5 }), ['/age minimum']);
  });

  test('are never completed, though a required field has a default', () => {
    const form = new Form({ type: 'object', properties: { ok: { type: 'boolean', default: true } }, required: ['ok'] });
    assert.deepEqual(form.defaults(), { ok: true });
    assert.deepEqual(form.withDefaults({}), { ok: true });
    assert.deepEqual(places(form.validate({}).faults), ['/ok required']);
    assert.deepEqual(places(form.validate({ ok: 'true' }).faults), ['/ok type']);
  });

  test('are told of in the words that were given, with what was answered where that is wanted', () => {
    const content = { name: 'A', age: -1 };
    const [plain] = PERSON.validate(content).faults;
    assert.ok(!plain.message.includes('"A"'));
    const [shown, own] = PERSON.validate(content, { showValues: true, messages: { minimum: '{field} ab {limit}' } }).faults;
    assert.ok(shown.message.includes('"A"'));
    assert.ok(own.message.startsWith('age ab 0'));
    assert.equal(refusal(() => PERSON.validate({}, { messages: { nothing: '' } })).kind, 'invalid_argument');
    assert.equal(refusal(() => PERSON.validate({}, { messages: { minimum: 1 } })).kind, 'invalid_argument');
    assert.equal(refusal(() => PERSON.validate({}, { showValues: 'yes' })).kind, 'invalid_argument');
    assert.equal(refusal(() => PERSON.validate({}, { show: true })).kind, 'invalid_argument');
    assert.ok(Form.messages()['minLength.one']);
  });

  test('keep every digit where they are texts', () => {
    const form = new Form('{"type":"object","properties":{"n":{"type":"integer","default":9007199254740993}}}');
    assert.equal(form.withDefaults('{}'), '{"n":9007199254740993}');
    assert.equal(form.forType('{"n":9007199254740995}'), '{"n":9007199254740995}');
    assert.equal(form.validate('{"n":9007199254740995}').contentText, '{"n":9007199254740995}');
    assert.equal(form.coerce({ n: '9007199254740997' }).contentText, '{"n":9007199254740997}');
  });
});

test('texts are read all together, with all their faults', () => {
  const read = PERSON.coerce({ name: 'Ann', age: ' 7 ', share: '', news: 'Yes', size: 'Medium', rights: 'w, r', mail: undefined });
  assert.deepEqual(read, {
    valid: true,
    content: { name: 'Ann', age: 7, news: true, size: 'm', rights: ['w', 'r'] },
    contentText: '{"name":"Ann","age":7,"news":true,"size":"m","rights":["w","r"]}',
    dropped: [],
  });
  assert.deepEqual(places(PERSON.coerce({ age: '7x', share: 'Infinity', toString: '' }).faults), ['/age type', '/share type', '/toString additionalProperties', '/name required']);
  for (const no of [null, 1, 'x', { age: 7 }]) assert.equal(refusal(() => PERSON.coerce(no)).kind, 'invalid_argument');
});

test('a form for older hosts takes the same answers, and tells what they are not shown', () => {
  const form = new Form({ type: 'object', properties: { size: { type: 'string', default: 's', oneOf: [{ const: 's', title: 'Small' }] } } });
  const { form: old, lost } = form.downgrade('2025-06-18');
  assert.equal(old.wire, '{"type":"object","properties":{"size":{"type":"string","enum":["s"],"enumNames":["Small"]}}}');
  assert.deepEqual(lost.map(({ path, fate }) => [path, fate]), [['/properties/size/default', 'dropped']]);
  assert.ok(old.validate({ size: 's' }).valid);
  assert.equal(form.downgrade('2025-11-25').form.wire, form.wire);
  assert.deepEqual(places(refusal(() => PERSON.downgrade('2025-06-18')).faults), ['/properties/rights downgrade']);
  assert.equal(refusal(() => form.downgrade('2026-07-28')).kind, 'invalid_argument');
});

test('a schema that is no JSON has faults and no report', () => {
  const { form, faults, notes } = Form.explain('{');
  assert.deepEqual([form, places(faults), notes], [undefined, [' json'], []]);
  assert.equal(refusal(() => Form.explain(undefined)).kind, 'invalid_argument');
});

test('the message of a form should hold no link', () => {
  assert.equal(Form.messageWarning('Which one?'), undefined);
  const { path, rule } = Form.messageWarning('See https://example.com/');
  assert.deepEqual([path, rule], ['/message', 'link_in_text']);
});

describe('the builder', () => {
  test('makes every kind of field', () => {
    const form = Form.builder()
      .string('name', { title: 'Name', description: 'Yours', required: true, minLength: 1, maxLength: 9, default: 'Ann', pattern: '^A' })
      .string('mail', { format: 'email' })
      .integer('age', { minimum: 0, maximum: 150, default: 0 })
      .number('share', { moreThan: 0, lessThan: 1.5, multipleOf: 0.25 })
      .boolean('news', { default: false })
      .choice('size', ['s', 'm'], { default: 'm' })
      .choices('rights', [{ value: 'r', title: 'Read' }, 'w'], { minItems: 1, maxItems: 2, default: ['r'] })
      .build();
    assert.deepEqual(JSON.parse(form.source), {
      type: 'object',
      properties: {
        name: { type: 'string', title: 'Name', description: 'Yours', default: 'Ann', minLength: 1, maxLength: 9, pattern: '^A' },
        mail: { type: 'string', format: 'email' },
        age: { type: 'integer', default: 0, minimum: 0, maximum: 150 },
        share: { type: 'number', exclusiveMinimum: 0, exclusiveMaximum: 1.5, multipleOf: 0.25 },
        news: { type: 'boolean', default: false },
        size: { type: 'string', enum: ['s', 'm'], default: 'm' },
        rights: { type: 'array', items: { anyOf: [{ const: 'r', title: 'Read' }, { const: 'w', title: 'w' }] }, default: ['r'], minItems: 1, maxItems: 2 },
      },
      required: ['name'],
    });
    assert.ok(!form.wire.includes('pattern') && !form.wire.includes('exclusive'));
    assert.deepEqual(places(form.validate({ name: 'Bob', share: 0.3 }).faults), ['/name pattern', '/share multipleOf']);
  });

  test('has every fault at once, and reads as options say', () => {
    const wrong = Form.builder().integer('a', { minimum: 2, maximum: 1 }).number('b', { default: Infinity }).choice('c', []);
    assert.deepEqual(refusal(() => wrong.build()).faults.map(fault => fault.path).sort(), ['/properties/a/minimum', '/properties/b/default', '/properties/c/enum']);
    assert.equal(refusal(() => Form.builder().string('password').build()).kind, 'schema');
    assert.ok(Form.builder({ allowSensitiveName: 'a game' }).string('password').build().field('password').isSensitive);
    assert.equal(refusal(() => Form.builder({ limits: { properties: 1 } }).string('a').string('b').build()).kind, 'schema');
  });

  test('takes nothing of a wrong type', () => {
    const slips = [
      it => it.string(1), it => it.string('a', { titel: 'A' }), it => it.string('a', { minimum: 1 }), it => it.string('a', null),
      it => it.string('a', { maxLength: -1 }), it => it.string('a', { maxLength: 1.5 }), it => it.string('a', { maxLength: 2 ** 60 }),
      it => it.string('a', { required: 'yes' }), it => it.string('a', { default: 1 }), it => it.integer('a', { minimum: '1' }),
      it => it.integer('a', { default: 1n }), it => it.boolean('a', { default: 'no' }), it => it.choice('a'), it => it.choice('a', 'xy'),
      it => it.choice('a', [1]), it => it.choice('a', [{ title: 'X' }]), it => it.choice('a', [{ value: 'x', label: 'X' }]),
      it => it.choices('a', ['x'], { default: 'x' }), it => it.string('\ud800'),
    ];
    for (const slip of slips) assert.equal(refusal(() => slip(Form.builder())).kind, 'invalid_argument', slip);
  });
});
