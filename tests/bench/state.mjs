// What the codec of the official TypeScript SDK takes for a `requestState` of 1 KB.
// node state.mjs FOLDER    with the SDK in FOLDER/node_modules; prints `state_typescript NANOSECONDS`
import { createRequire } from 'node:module';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

const require = createRequire(resolve(process.argv[2], 'package.json'));
const { createRequestStateCodec } = await import(pathToFileURL(require.resolve('@modelcontextprotocol/server')));
const [BATCH, BATCHES] = [100, 101];

const key = '000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f';
const context = { mcpReq: { method: 'tools/call' } };
const codec = createRequestStateCodec({ key, bind: given => `${given.mcpReq.method}\0alice` });
const payload = { state: '7'.repeat(1024) };
if ((await codec.verify(await codec.mint(payload, context), context)).state !== payload.state) throw new Error('not the state');

const times = [];
for (let batch = 0; batch < BATCHES; batch++) {
  const start = process.hrtime.bigint();
  for (let at = 0; at < BATCH; at++) await codec.verify(await codec.mint(payload, context), context);
  times.push(Number(process.hrtime.bigint() - start) / BATCH);
}
times.sort((a, b) => a - b);
console.log(`state_typescript ${times[times.length >> 1].toFixed(0)}`);
