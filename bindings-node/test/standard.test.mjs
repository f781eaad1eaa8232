// Forms of types: real types of Zod, Valibot and ArkType, and what a library could do wrong.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { McpServer, createMcpHandler } from '@modelcontextprotocol/server';
import { toJsonSchema, toStandardJsonSchema } from '@valibot/to-json-schema';
import { type } from 'arktype';
import { ElicitError, Engine, Form, Principal, Suspended, isSuspended } from 'mcp-elicit';
import { elicits } from 'mcp-elicit/adapters/mcp';
import { Host, accept, decline } from 'mcp-elicit/testing';
import * as v from 'valibot';
import { z } from 'zod';
import * as mini from 'zod/mini';
import { Bench, text } from './support.mjs';

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

/** The one property on the wire; answers come out as they must. */
function asked(of, name, { valid = [], faults = [] }) {
  const form = Form.of(of);
  const { properties, required = [] } = JSON.parse(form.wire);
  for (const [content, made = content] of valid) {
    const found = form.validate({ [name]: content });
    assert.deepEqual(found.faults, undefined, JSON.stringify(content));
    assert.deepEqual(found.content[name], made);
  }
  for (const [content, rule, item = ''] of faults) {
    assert.equal(places(form.validate({ [name]: content }).faults ?? [])[0], `/${name}${item} ${rule}`, JSON.stringify(content));
  }
  return { ...properties[name], required: required.includes(name) };
}

const valibot = entries => toStandardJsonSchema(v.object(entries));

describe('rows: each library prints the same question', () => {
  const rows = [
    ['a positive number', { type: 'number', required: true }, { valid: [[0.5], [1.25]], faults: [[0, 'exclusiveMinimum'], ['a', 'type']] }, [
      z.object({ a: z.number().positive() }),
      valibot({ a: v.pipe(v.number(), v.gtValue(0)) }),
      type({ a: 'number > 0' }),
    ]],
    ['an address', { type: 'string', format: 'email', required: true }, { valid: [['a@example.com']], faults: [['a', 'format'], [1, 'type']] }, [
      z.object({ a: z.email() }),
      valibot({ a: v.pipe(v.string(), v.email()) }),
      type({ a: 'string.email' }),
    ]],
    ['bounds of a number', { type: 'number', minimum: 0.5, maximum: 1.5, required: true }, { valid: [[1.25]], faults: [[0.4, 'minimum'], [2, 'maximum']] }, [
      z.object({ a: z.number().min(0.5).max(1.5) }),
      valibot({ a: v.pipe(v.number(), v.minValue(0.5), v.maxValue(1.5)) }),
      type({ a: '0.5 <= number <= 1.5' }),
    ]],
    ['a whole number', { type: 'integer', minimum: 0, maximum: 9, required: true }, { valid: [[5]], faults: [[5.5, 'type'], [-1, 'minimum']] }, [
      z.object({ a: z.int().min(0).max(9) }),
      valibot({ a: v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(9)) }),
      type({ a: '0 <= number.integer <= 9' }),
    ]],
    ['optional', { type: 'string', required: false }, { valid: [['x']] }, [
      z.object({ a: z.string().optional() }),
      valibot({ a: v.optional(v.string()) }),
      type({ 'a?': 'string' }),
    ]],
    ['null, and optional', { type: 'string', required: false }, { valid: [['x']], faults: [[null, 'type']] }, [
      z.object({ a: z.string().nullish() }),
      valibot({ a: v.nullish(v.string()) }),
      type({ 'a?': 'string | null' }),
    ]],
    ['a union of literals', { type: 'string', enum: ['x', 'y'], required: true }, { valid: [['x']], faults: [['z', 'enum']] }, [
      z.object({ a: z.union([z.literal('x'), z.literal('y')]) }),
      valibot({ a: v.union([v.literal('x'), v.literal('y')]) }),
      type({ a: '"x" | "y"' }),
    ]],
    ['an enumeration', { type: 'string', enum: ['x', 'y'], required: true }, { valid: [['y']], faults: [['X', 'enum']] }, [
      z.object({ a: z.enum({ X: 'x', Y: 'y' }) }),
      valibot({ a: v.enum({ X: 'x', Y: 'y' }) }),
      type({ a: type.enumerated('x', 'y') }),
    ]],
    ['several of some', { type: 'array', items: { type: 'string', enum: ['r', 'w'] }, required: true }, { valid: [[['r']]], faults: [[['r', 'r'], 'uniqueItems', '/1']] }, [
      z.object({ a: z.array(z.enum(['r', 'w'])) }),
      valibot({ a: v.array(v.picklist(['r', 'w'])) }),
      type({ a: '("r" | "w")[]' }),
    ]],
    ['yes or no', { type: 'boolean', required: true }, { valid: [[true], [false]], faults: [['true', 'type']] }, [
      z.object({ a: z.boolean() }),
      valibot({ a: v.boolean() }),
      type({ a: 'boolean' }),
    ]],
  ];
  for (const [name, wire, answers, types] of rows) {
    for (const of of types) {
      test(`${name}: ${of['~standard'].vendor}`, () => {
        const { items, ...found } = asked(of, 'a', answers);
        // ArkType gives the options of a list no type; that is the core's to add.
        assert.deepEqual(items === undefined ? found : { ...found, items }, wire);
      });
    }
  }
});

test('null where the type needs the member and the form has none', () => {
  for (const of of [z.object({ a: z.string().nullable() }), valibot({ a: v.nullable(v.string()) }), type({ a: 'string | null' })]) {
    const form = Form.of(of);
    assert.equal(JSON.parse(form.wire).required, undefined);
    const found = form.validate({});
    assert.deepEqual([found.content, found.contentText], [{ a: null }, '{}']);
  }
});

describe('what a form cannot carry is refused by its place', () => {
  const rows = [
    ['zod', z.object({
      inner: z.object({ x: z.number() }), tags: z.array(z.string()), at: z.date(), big: z.bigint(),
      either: z.union([z.string(), z.number()]), ok: z.string(),
    })],
    ['valibot', valibot({
      inner: v.object({ x: v.number() }), tags: v.array(v.string()), at: v.date(), big: v.bigint(),
      either: v.union([v.string(), v.number()]), ok: v.string(),
    })],
    ['arktype', type({ inner: { x: 'number' }, tags: 'string[]', at: 'Date', big: 'bigint', either: 'string | number', ok: 'string' })],
  ];
  for (const [name, of] of rows) {
    test(name, () => {
      const error = refusal(() => Form.of(of));
      assert.equal(error.kind, 'schema');
      const refused = new Set(error.faults.map(fault => fault.path.split('/')[2]));
      assert.deepEqual([...refused].sort(), ['at', 'big', 'either', 'inner', 'tags']);
      assert.ok(error.faults.every(fault => fault.path.startsWith('/properties/') && fault.message));
    });
  }

  test('a type that is no object, and one for a secret', () => {
    assert.equal(refusal(() => Form.of(z.string())).kind, 'schema');
    const secret = z.object({ apiKey: z.string() });
    assert.deepEqual(places(refusal(() => Form.of(secret)).faults), ['/properties/apiKey sensitive_field']);
    assert.ok(Form.of(secret, { allowSensitiveName: 'the name of a key' }).field('apiKey').isSensitive);
  });

  test('limits hold for types', () => {
    const many = z.object({ a: z.string(), b: z.string() });
    assert.deepEqual(places(refusal(() => Form.of(many, { limits: { properties: 1 } })).faults), ['/properties too_many_properties']);
  });
});

describe('the type judges what the form accepts', () => {
  const Stay = z.object({ from: z.iso.date(), to: z.iso.date() })
    .refine(it => it.from < it.to, { path: ['to'], message: 'must be later' })
    .transform(it => ({ ...it, nights: (Date.parse(it.to) - Date.parse(it.from)) / 86_400_000 }));

  test('refinements are faults with their place, and worded by the catalogue', () => {
    const form = Form.of(Stay);
    const [fault] = form.validate({ from: '2026-07-02', to: '2026-07-01' }).faults;
    assert.deepEqual(fault, { path: '/to', rule: 'check', message: 'to: must be later' });
    const said = form.validate({ from: '2026-07-02', to: '2026-07-01' }, { messages: { 'check.field': '«{field}» {limit}' } });
    assert.equal(said.faults[0].message, '«to» must be later');
    assert.deepEqual(places(form.validate({ from: 'x', to: '2026-07-01' }).faults), ['/from format', '/from pattern']);
  });

  test('transforms make the content', () => {
    const { content, contentText } = Form.of(Stay).validate({ from: '2026-07-01', to: '2026-07-04' });
    assert.equal(content.nights, 3);
    assert.equal(contentText, '{"from":"2026-07-01","to":"2026-07-04"}');
    const valid = valibot({ a: v.pipe(v.string(), v.check(it => it !== 'x', 'not x'), v.transform(Number)) });
    assert.deepEqual(Form.of(valid).validate({ a: '12' }).content, { a: 12 });
    assert.deepEqual(places(Form.of(valid).validate({ a: 'x' }).faults), ['/a check']);
    const ark = type({ a: 'string' }).narrow((it, context) => it.a !== 'x' || context.reject({ expected: 'other', path: ['a'] }));
    assert.deepEqual(places(Form.of(ark).validate({ a: 'x' }).faults), ['/a check']);
  });

  test('a type that makes nothing, and one that makes other things than objects', () => {
    assert.deepEqual(Form.of(z.object({}).transform(() => undefined)).validate({}).content, undefined);
    const When = z.object({ day: z.iso.date() }).transform(it => new Date(it.day));
    assert.ok(Form.of(When).validate({ day: '2026-07-28' }).content instanceof Date);
  });

  test('paths of issues: slashes, tildes, segments, none', () => {
    const said = issues => Form.of({
      '~standard': { version: 1, vendor: 'own', validate: it => (it === undefined ? { value: 0 } : { issues }), jsonSchema: { input: () => ({ type: 'object', properties: { 'a/~b': { type: 'string', title: 'A' } } }) } },
    }).validate({}).faults;
    assert.deepEqual(said([{ message: 'no', path: ['a/~b'] }, { message: 'no', path: [{ key: 'x' }, 0] }, { message: 'whole' }]), [
      { path: '/a~1~0b', rule: 'check', message: 'A: no' },
      { path: '/x/0', rule: 'check', message: 'no' },
      { path: '', rule: 'check', message: 'whole' },
    ]);
    // A library that finds very much cannot make a report without end.
    assert.equal(said(Array(10_000).fill({ message: 'no' })).length, 200);
  });
});

describe('what a type must do', () => {
  const own = validate => ({
    '~standard': { version: 1, vendor: 'own', validate, jsonSchema: { input: () => ({ type: 'object', properties: { a: { type: 'string' } } }) } },
  });

  test('a type that does not print is given what its library prints', () => {
    const bare = v.object({ a: v.pipe(v.string(), v.minLength(2)) });
    assert.equal(refusal(() => Form.of(bare)).kind, 'invalid_argument');
    const wire = '{"type":"object","properties":{"a":{"type":"string","minLength":2}},"required":["a"]}';
    for (const jsonSchema of [toJsonSchema, toJsonSchema(bare), JSON.stringify(toJsonSchema(bare))]) {
      assert.equal(Form.of(bare, { jsonSchema }).wire, wire);
    }
    const small = mini.object({ a: mini.string().check(mini.minLength(2)) });
    assert.equal(Form.of(small, { jsonSchema: it => mini.toJSONSchema(it, { io: 'input' }) }).wire, wire);
  });

  test('a type that always waits is refused; one that waits sometimes is refused when it does', () => {
    const waits = toStandardJsonSchema(v.objectAsync({ a: v.pipeAsync(v.string(), v.checkAsync(async () => true)) }));
    assert.equal(refusal(() => Form.of(waits)).kind, 'invalid_argument');
    const form = Form.of(z.object({ a: z.string().refine(async () => false) }));
    assert.deepEqual(places(form.validate({ a: 1 }).faults), ['/a type']);
    assert.equal(refusal(() => form.validate({ a: 'x' })).kind, 'invalid_argument');
  });

  test('what a type throws goes on as it was thrown', () => {
    const mine = new RangeError('mine');
    const form = Form.of(own(() => { throw mine; }));
    assert.throws(() => form.validate({}), error => error === mine);
    assert.throws(() => Form.of(own(() => { throw undefined; })).validate({}), error => error === undefined);
  });

  test('what is half an issue is a fault', () => {
    const half = Form.of(own(() => ({ issues: [null, { path: 'a' }, { path: [Symbol('a'), null], message: Symbol('no') }] })));
    assert.deepEqual(places(half.validate({}).faults), [' check', ' check', '/Symbol(a) check']);
  });

  test('what is no type, or of another version', () => {
    for (const no of [undefined, null, 1, 'x', {}, () => {}, { '~standard': 1 }]) {
      assert.equal(refusal(() => Form.of(no)).kind, 'invalid_argument');
    }
    assert.equal(refusal(() => Form.of({ '~standard': { version: 2, validate() {} } })).kind, 'invalid_argument');
    assert.equal(refusal(() => new Form(z.object({}))).kind, 'invalid_argument');
    assert.equal(refusal(() => Form.of(z.object({}), { jsonSchema: () => 1n })).kind, 'invalid_argument');
    const fails = { '~standard': { version: 1, vendor: 'own', validate() {}, jsonSchema: { input() { throw new Error('no'); } } } };
    const error = refusal(() => Form.of(fails));
    assert.deepEqual([error.kind, error.cause.message], ['schema', 'no']);
  });
});

describe('asked by a call', () => {
  const Target = z.object({
    environment: z.enum(['dev', 'staging', 'prod']).meta({ title: 'Environment' }),
    replicas: z.int().min(1).max(20).default(1),
    contact: z.email().optional(),
  }).refine(it => it.environment !== 'prod' || it.contact, { path: ['contact'], message: 'needed for prod' });

  const deploy = call => {
    const target = call.elicitForm('target', 'Where to?', Target);
    if (target.action !== 'accept') return text(`${target.action} ${target.faults.map(it => it.path)}`);
    const { environment, replicas, contact } = target.content;
    return text(`${environment} ${replicas} ${contact} ${target.contentText}`);
  };
  const engine = new Engine({ ephemeral: true, audience: 'types' });

  test('the answer comes back as the type; its defaults and transforms count', async () => {
    const flow = await new Host(engine, deploy).answer('target', accept({ environment: 'dev' })).call('deploy');
    assert.equal(flow.text, 'dev 1 undefined {"environment":"dev"}');
    const [question] = flow.questions;
    assert.deepEqual(question.schema.required, ['environment']);
    assert.equal(question.schema.properties.replicas.default, 1);
    const declined = await new Host(engine, deploy).answer('target', decline()).call('deploy');
    assert.equal(declined.text, 'decline ');
  });

  test('what the form or a refinement refuses is asked again with its reason', async () => {
    const flow = await new Host(engine, deploy)
      .answer('target', accept({ environment: 'mars' }))
      .answer('target', accept({ environment: 'prod', replicas: 3 }))
      .answer('target', accept({ environment: 'prod', replicas: 3, contact: 'a@example.com' }))
      .call('deploy');
    assert.equal(flow.text, 'prod 3 a@example.com {"environment":"prod","replicas":3,"contact":"a@example.com"}');
    assert.equal(flow.questions.length, 3);
    assert.match(flow.questions[2].message, /contact: needed for prod/);
    // The good values are there for review.
    assert.equal(flow.questions[2].schema.properties.environment.default, 'prod');
  });

  test('what is refused every time ends as invalid', async () => {
    const host = new Host(engine, deploy);
    let asking = host;
    for (let time = 0; time < 4; time += 1) asking = asking.answer('target', accept({ environment: 'prod' }));
    assert.equal((await asking.call('deploy')).text, 'invalid /contact');
  });

  test('Valibot and ArkType, and a form made of a type', async () => {
    const types = [
      toStandardJsonSchema(v.object({ size: v.pipe(v.picklist(['s', 'm']), v.transform(it => it.toUpperCase())) })),
      type({ size: '"s" | "m"' }).pipe(it => ({ size: it.size.toUpperCase() })),
      Form.of(z.object({ size: z.enum(['s', 'm']).transform(it => it.toUpperCase()) })),
    ];
    for (const of of types) {
      const handler = call => text(call.elicitForm('size', 'Which?', of).content.size);
      const flow = await new Host(engine, handler).answer('size', accept({ size: 'm' })).call('order');
      assert.equal(flow.text, 'M');
    }
  });

  test('a type is printed once, and judges each answer once a round', async () => {
    let printed = 0;
    let judged = 0;
    const of = {
      '~standard': {
        version: 1,
        vendor: 'own',
        validate: value => {
          if (value !== undefined) judged += 1;
          return { value };
        },
        jsonSchema: { input: () => (printed += 1, { type: 'object', properties: { a: { type: 'string' } } }) },
      },
    };
    const handler = call => {
      const first = call.elicitForm('a', 'First?', of);
      void first.content;
      void first.content;
      return text(call.elicitForm('b', 'Second?', of).content.a);
    };
    const flow = await new Host(engine, handler).answer('a', accept({ a: 'x' })).answer('b', accept({ a: 'y' })).call('t');
    assert.equal(flow.text, 'y');
    assert.equal(printed, 1);
    // Round 2 judges a; round 3 judges both.
    assert.equal(judged, 3);
  });

  test('asked twice in a round, the second outcome has the value too', async () => {
    const handler = call => {
      const [one, two] = [call.elicitForm('a', 'A?', Target), call.elicitForm('a', 'A?', Target)];
      return text(`${one.content.replicas} ${two.content.replicas}`);
    };
    const flow = await new Host(engine, handler).answer('a', accept({ environment: 'dev', replicas: 2 })).call('t');
    assert.equal(flow.text, '2 2');
  });

  test('arguments and defaults that the type refuses do not count', async () => {
    const handler = call => {
      const outcome = call.elicitForm('target', 'Where to?', Target, { arguments: ['environment', 'contact'] });
      return text(`${outcome.source} ${outcome.content.contact}`);
    };
    const host = new Host(engine, handler);
    const given = await host.call('deploy', { environment: 'prod', contact: 'a@example.com' });
    assert.equal(given.text, 'argument a@example.com');
    const asked = await host.answer('target', accept({ environment: 'prod', contact: 'b@example.com' })).call('deploy', { environment: 'prod' });
    assert.equal(asked.text, 'user b@example.com');
  });

  test('what a type throws, and a type that waits, end the run as what they are', async () => {
    const { engine: own } = new Bench();
    const mine = new Error('mine');
    const thrower = valibot({ a: v.pipe(v.string(), v.check(() => { throw mine; })) });
    const host = of => new Host(own, call => text(call.elicitForm('a', 'A?', of).content.a)).answer('a', accept({ a: 'x' }));
    const check = z.object({ a: z.string().refine(() => { throw mine; }) });
    for (const of of [thrower, check]) await assert.rejects(host(of).call('t'), error => error === mine);
    const waits = z.object({ a: z.string().refine(async () => true) });
    await assert.rejects(host(waits).call('t'), error => error.kind === 'invalid_argument');
  });

  test('a type that uses the call, or reads an open question, does no harm', async () => {
    const handler = call => {
      const open = call.elicitForm('later', 'Later?', z.object({}));
      const uses = z.object({ a: z.string().refine(() => call.round > 0) });
      const reads = z.object({ a: z.string().refine(() => open.content !== undefined) });
      const thrown = [];
      for (const [key, of] of [['uses', uses], ['reads', reads]]) {
        try {
          void call.elicitForm(key, 'A?', of).content;
        } catch (error) {
          thrown.push(error instanceof Suspended || isSuspended(error) ? 'suspended' : error.kind);
        }
      }
      return text(thrown.join());
    };
    const flow = await new Host(engine, handler)
      .answer('later', accept({})).answer('uses', accept({ a: 'x' })).answer('reads', accept({ a: 'x' }))
      .call('t');
    assert.equal(flow.text, 'invalid_argument');
  });

  test('a link in the message of a form is a warning in the log, and blocks nothing', async () => {
    const { engine: own, log } = new Bench();
    const handler = call => text(call.elicitForm('a', 'See https://example.com/', z.object({ a: z.string().meta({ title: 'A' }) })).content.a);
    const flow = await new Host(own, handler).answer('a', accept({ a: 'x' })).call('t');
    assert.equal(flow.text, 'x');
    assert.deepEqual(log.filter(it => it.name === 'form_warning').map(it => it.reason), ['link_in_text']);
  });

  test('schemas on the spot are strict, and read once', () => {
    const { engine: own } = new Bench();
    const request = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 't', _meta: { 'io.modelcontextprotocol/protocolVersion': '2026-07-28', 'io.modelcontextprotocol/clientCapabilities': { elicitation: { form: {} } } } } };
    const call = own.open(request, { principal: { issuer: 'i', subject: 's', client: 'c' } });
    const pattern = { type: 'object', properties: { a: { type: 'string', pattern: 'x' } } };
    assert.equal(refusal(() => call.elicitForm('a', 'A?', pattern)).kind, 'schema');
    assert.equal(refusal(() => call.elicitForm('a', 'A?', JSON.stringify(pattern))).kind, 'schema');
    assert.ok(call.elicitForm('a', 'A?', Form.normalize(pattern)).isPending);
    for (const no of [undefined, null, 1, () => {}]) {
      assert.equal(refusal(() => call.elicitForm('b', 'B?', no)).kind, 'invalid_argument');
    }
  });
});

test('a tool of the official SDK asks with a type, too', async () => {
  const { engine } = new Bench();
  const made = () => {
    const server = new McpServer({ name: 'inn', version: '1' });
    elicits(server, engine, { principal: Principal.singleUser() }).registerTool('book', { inputSchema: z.object({}) }, async (_, ask) => {
      const Stay = z.object({ nights: z.int().min(1).transform(it => `${it} nights`) }).refine(it => it.nights !== '13 nights', { message: 'not thirteen' });
      const stay = await ask.form('stay', 'How long?', Stay);
      return text(stay.action === 'accept' ? stay.content.nights : stay.action);
    });
    return server;
  };
  const handler = createMcpHandler(made);
  const flow = await Host.fetch(request => handler.fetch(request))
    .answer('stay', accept({ nights: 13 }))
    .answer('stay', accept({ nights: 2 }))
    .call('book');
  assert.equal(flow.text, '2 nights', flow.transcript);
  assert.match(flow.questions[1].message, /not thirteen/);
});
