// Prints the schemas of tests/vectors/schema-printed.json that JavaScript libraries make. Needs
// zod, valibot, @valibot/to-json-schema, @sinclair/typebox and arktype in the folder it is run in.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const require = createRequire(join(process.cwd(), 'here.js'));
const load = name => import(pathToFileURL(require.resolve(name)).href);
const { z } = await load('zod');
const v = await load('valibot');
const { toJsonSchema } = await load('@valibot/to-json-schema');
const { Type } = await load('@sinclair/typebox');
const { type } = await load('arktype');
const version = name =>
  `${name} ${JSON.parse(readFileSync(join('node_modules', name, 'package.json'), 'utf8')).version}`;

const zod = z
  .object({
    name: z.string().min(1).max(40).regex(/^[A-Z]/).meta({ title: 'Name', description: 'Your name' }),
    mail: z.email(),
    site: z.url(),
    day: z.iso.date(),
    at: z.iso.datetime({ offset: true }),
    uid: z.uuid(),
    ip: z.ipv4(),
    id: z.nanoid(),
    age: z.int().min(0).max(150),
    count: z.number().int().positive(),
    small: z.int32(),
    rate: z.number().positive(),
    part: z.number().gt(1).lt(9),
    step: z.number().multipleOf(0.5),
    size: z.enum(['s', 'm']),
    only: z.literal('x'),
    either: z.union([z.literal('a'), z.literal('b')]),
    level: z.literal([1, 2]),
    terms: z.literal(true),
    nick: z.string().optional(),
    need: z.string().nullable(),
    maybe: z.enum(['a', 'b']).nullish(),
    label: z.string().default('q'),
    news: z.boolean().default(true),
    rights: z.array(z.enum(['r', 'w'])).min(1).max(2),
    word: z.string().startsWith('ab').endsWith('yz'),
    code: z.string().length(3),
  })
  .strict();
const unaskable = z.object({
  tags: z.array(z.string()),
  mixed: z.union([z.string(), z.number()]),
  inner: z.object({ x: z.number() }),
  map: z.record(z.string(), z.string()),
  tuple: z.tuple([z.string(), z.number()]),
  anything: z.any(),
  ahead: z.string().regex(/^(?=a)b/),
  emoji: z.emoji(),
  jwt: z.jwt(),
});
const joined = z.intersection(z.object({ a: z.string() }), z.object({ b: z.boolean().optional() }));

const valibot = v.object({
  name: v.pipe(v.string(), v.minLength(1), v.maxLength(40), v.regex(/^[A-Z]/), v.title('Name')),
  mail: v.pipe(v.string(), v.email()),
  site: v.pipe(v.string(), v.url()),
  day: v.pipe(v.string(), v.isoDate()),
  at: v.pipe(v.string(), v.isoTimestamp()),
  uid: v.pipe(v.string(), v.uuid()),
  age: v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(150)),
  rate: v.pipe(v.number(), v.gtValue(0)),
  step: v.pipe(v.number(), v.multipleOf(5)),
  size: v.picklist(['s', 'm']),
  only: v.literal('x'),
  either: v.union([v.literal('a'), v.literal('b')]),
  color: v.enum({ R: 'red', G: 'green' }),
  nick: v.optional(v.string()),
  need: v.nullable(v.string()),
  label: v.optional(v.string(), 'q'),
  news: v.boolean(),
  rights: v.pipe(v.array(v.picklist(['r', 'w'])), v.minLength(1)),
});

const typebox = Type.Object(
  {
    name: Type.String({ minLength: 1, title: 'Name' }),
    mail: Type.String({ format: 'email' }),
    size: Type.Union([Type.Literal('s'), Type.Literal('m')]),
    color: Type.Enum({ R: 'red', G: 'green' }),
    age: Type.Integer({ minimum: 0, exclusiveMaximum: 150 }),
    rate: Type.Optional(Type.Number({ default: 1 })),
    news: Type.Boolean(),
    need: Type.Union([Type.String(), Type.Null()]),
    rights: Type.Array(Type.Union([Type.Literal('r'), Type.Literal('w')]), { uniqueItems: true }),
  },
  { additionalProperties: false, $id: 'Person' },
);

const ark = type({
  name: '1<=string<=40',
  'nick?': 'string',
  mail: 'string.email',
  age: 'number.integer>=0',
  rate: '0<number<=1',
  size: "'s'|'m'",
  news: 'boolean',
  rights: "('r'|'w')[]",
  label: "string='q'",
  need: 'string|null',
  code: /^[a-z]$/,
});

console.log(
  JSON.stringify([
    { name: `${version('zod')}: an object`, schema: z.toJSONSchema(zod, { io: 'input' }) },
    { name: `${version('zod')}: an object that no form can ask for`, schema: z.toJSONSchema(unaskable, { io: 'input' }) },
    { name: `${version('zod')}: an intersection`, schema: z.toJSONSchema(joined, { io: 'input' }) },
    { name: `${version('valibot')}: an object`, schema: toJsonSchema(valibot) },
    { name: `${version('@sinclair/typebox')}: an object`, schema: typebox },
    { name: `${version('arktype')}: an object`, schema: ark.toJsonSchema() },
  ]),
);
