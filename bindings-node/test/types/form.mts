// Types of forms, checked by `npm run types`: what must compile, and, after `@ts-expect-error`, what
// must not.
import { toJsonSchema, toStandardJsonSchema } from '@valibot/to-json-schema';
import { type } from 'arktype';
import { Form, type Call, type Choice, type Field, type FieldValue, type FormContent, type Note, type OutputOf } from 'mcp-elicit';
import * as v from 'valibot';
import { z } from 'zod';
import * as mini from 'zod/mini';

/** Fails to compile unless both types are the same. */
function same<A, B>(..._: (<T>() => T extends A ? 1 : 2) extends (<T>() => T extends B ? 1 : 2) ? [] : [never]): void {}

declare const call: Call;

// Zod: the output, with its defaults and transforms.
const Target = z.object({
  environment: z.enum(['dev', 'prod']),
  replicas: z.int().default(1),
  contact: z.email().optional(),
  day: z.iso.date().transform(it => new Date(it)),
});
const zod = call.elicitForm('a', 'Where to?', Target, { humanOnly: true });
if (zod.action === 'accept') {
  same<typeof zod.content, z.output<typeof Target>>();
  same<typeof zod.content.environment, 'dev' | 'prod'>();
  same<typeof zod.content.replicas, number>();
  same<typeof zod.content.day, Date>();
  same<typeof zod.contentText, string>();
}
// @ts-expect-error not before looking at action
zod.content.environment;
same<OutputOf<typeof Target>, z.output<typeof Target>>();

// Valibot, by the converter of its own ecosystem; ArkType.
const Size = v.object({ size: v.picklist(['s', 'm']), count: v.optional(v.pipe(v.string(), v.transform(Number))) });
const valibot = call.elicitForm('b', 'Which?', toStandardJsonSchema(Size));
if (valibot.action === 'accept') same<typeof valibot.content, v.InferOutput<typeof Size>>();
const Person = type({ name: 'string', 'age?': 'number > 0' });
const ark = call.elicitForm('c', 'Who?', Person);
if (ark.action === 'accept') same<typeof ark.content, typeof Person.infer>();
// @ts-expect-error it does not print JSON Schema by itself
call.elicitForm('d', 'Which?', Size);
// @ts-expect-error nor is it a schema
new Form(Size);
// @ts-expect-error a form of a type is made by Form.of
new Form(Target);

// Forms of types.
const ofZod = Form.of(Target, { allowSensitiveName: 'none of them is one' });
same<typeof ofZod, Form<z.output<typeof Target>>>();
const formed = call.elicitForm('e', 'Where to?', ofZod);
if (formed.action === 'accept') same<typeof formed.content.day, Date>();
const checked = ofZod.validate({}, { unknown: 'refuse', showValues: true, messages: { required: 'Please' } });
if (checked.valid) same<typeof checked.content, z.output<typeof Target>>();
else same<typeof checked.faults[number]['rule'], string>();
same<ReturnType<typeof ofZod.downgrade>['form'], Form<z.output<typeof Target>>>();
// @ts-expect-error there is no such revision
ofZod.downgrade('2024-11-05');
// @ts-expect-error it needs what its library prints
Form.of(Size);
const given = Form.of(Size, { jsonSchema: toJsonSchema });
same<typeof given, Form<v.InferOutput<typeof Size>>>();
const small = mini.object({ a: mini.string() });
same<ReturnType<typeof miniForm>, Form<{ a: string }>>();
function miniForm() {
  return Form.of(small, { jsonSchema: it => mini.toJSONSchema(it, { io: 'input' }) });
}
// @ts-expect-error no type
Form.of({ type: 'object', properties: {} });

// Normalize, explain.
const loose = Form.normalize({ type: 'object', properties: {}, additionalProperties: false });
same<typeof loose, Form<FormContent>>();
same<typeof loose.report, readonly Note[]>();
same<ReturnType<typeof Form.explain>['form'], Form | undefined>();

// Fields, texts, defaults.
const field: Field | undefined = loose.field('a');
if (field) {
  const read = field.coerce('x', { showValues: true });
  if (!read.valid) read.fault.message satisfies string;
  else if (read.isAbsent) same<typeof read.value, undefined>();
  else same<typeof read.value, FieldValue>();
  same<typeof field.choices, readonly Choice[]>();
  same<ReturnType<typeof field.print>, string | undefined>();
  // @ts-expect-error fields are to look at
  field.name = 'b';
}
same<ReturnType<typeof loose.defaults>, FormContent>();
loose.withDefaults('{}') satisfies string;
loose.withDefaults({}) satisfies FormContent;
const texts = ofZod.coerce({ environment: 'dev', replicas: undefined });
if (texts.valid) same<typeof texts.content, FormContent>();

// The builder's fields make the type.
const built = Form.builder({ limits: { properties: 9 } })
  .string('name', { title: 'Name', required: true, format: 'email' })
  .integer('age', { minimum: 0 })
  .number('share')
  .boolean('news', { required: true, default: false })
  .choice('size', ['s', { value: 'm', title: 'Medium' }], { required: true })
  .choices('rights', ['r', 'w'], { minItems: 1 })
  .build();
const asked = call.elicitForm('f', 'Who?', built);
call.elicitForm('g', 'Which?', z.object({ token: z.string() }), { allowSensitiveName: 'the name of a coin' });
call.elicitForm('g', 'Which?', { type: 'object', properties: { token: { type: 'string' } } }, { allowSensitiveName: 'the name of a coin' });
if (asked.action === 'accept') {
  same<typeof asked.content, {
    name: string; age?: number; share?: number; news: boolean; size: 's' | 'm'; rights?: ('r' | 'w')[];
  }>();
}
// @ts-expect-error a text has no bounds
Form.builder().string('a', { minimum: 1 });
// @ts-expect-error a default is of the field's type
Form.builder().boolean('a', { default: 'no' });
