// Measures ajv and zod on a form of five fields: compiling, and judging the answer from its text.
// Prints `name median_ns`, a line each. Run by scripts/bench_forms.sh in a folder with ajv,
// ajv-formats and zod.
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const require = createRequire(join(process.cwd(), 'here.js'));
const Ajv = require('ajv/dist/2020').default;
const addFormats = require('ajv-formats');
const { z } = await import(pathToFileURL(require.resolve('zod')).href);

const schema = {
  type: 'object',
  properties: {
    name: { type: 'string', title: 'Name', minLength: 1, maxLength: 50 },
    email: { type: 'string', title: 'Mail', format: 'email' },
    age: { type: 'integer', title: 'Age', minimum: 0, maximum: 150 },
    environment: { type: 'string', title: 'Environment', enum: ['dev', 'staging', 'prod'] },
    notify: { type: 'boolean', title: 'Notify' },
  },
  required: ['name', 'email', 'environment'],
};
const answer =
  '{"name":"Alice Example","email":"alice@example.com","age":34,"environment":"staging","notify":true}';

function median(batch, runs, work) {
  const times = [];
  for (let run = 0; run < runs; run += 1) {
    const start = process.hrtime.bigint();
    for (let at = 0; at < batch; at += 1) work();
    times.push(Number(process.hrtime.bigint() - start) / batch);
  }
  times.sort((a, b) => a - b);
  return Math.round(times[times.length >> 1]);
}

const ajv = addFormats(new Ajv());
// A schema is cached by identity: each compile gets its own.
const compile = () => ajv.compile(structuredClone(schema));
const validate = compile();
const form = z.object({
  name: z.string().min(1).max(50),
  email: z.email(),
  age: z.int().min(0).max(150).optional(),
  environment: z.enum(['dev', 'staging', 'prod']),
  notify: z.boolean().optional(),
});
if (!validate(JSON.parse(answer)) || !form.safeParse(JSON.parse(answer)).success) process.exit(1);

console.log(`ajv_compile ${median(5, 51, compile)}`);
console.log(`ajv_validate_bytes ${median(500, 201, () => validate(JSON.parse(answer)))}`);
console.log(`zod_validate_bytes ${median(500, 201, () => form.safeParse(JSON.parse(answer)))}`);
