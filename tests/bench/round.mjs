// The middle round of core/benches/round.rs through Node.js.
//
//   node round.mjs REQUEST SCHEMA     prints `node_round NANOSECONDS`
import { readFileSync } from 'node:fs';
import { Engine, Form, Principal } from 'mcp-elicit';

const KEY = '000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f';
const BATCH = 200;
const BATCHES = 301;

const read = at => readFileSync(process.argv[at], 'utf8').trim();
const request = read(2);
const targetForm = new Form(read(3));
const confirmForm = new Form('{"type":"object","properties":{"sure":{"type":"boolean","title":"Are you sure?"}},"required":["sure"]}');
const engine = new Engine({ keys: [KEY], audience: 'bench' });
const context = { principal: Principal.singleUser() };

const handler = call => {
  const target = call.elicitForm('target', 'Where shall it go?', targetForm);
  if (target.action !== 'accept') return { content: [] };
  const confirm = call.elicitForm('confirm', 'Deploy now?', confirmForm);
  return { content: [{ type: 'text', text: confirm.action }] };
};

const reply = await engine.run(request, handler, context);
if (Object.keys(JSON.parse(reply.body).result.inputRequests).join() !== 'confirm') {
  throw new Error(`not the middle round: ${reply.body}`);
}

const times = [];
for (let batch = 0; batch < BATCHES; batch += 1) {
  const start = process.hrtime.bigint();
  for (let n = 0; n < BATCH; n += 1) await engine.run(request, handler, context);
  times.push(Number(process.hrtime.bigint() - start) / BATCH);
}
times.sort((a, b) => a - b);
console.log(`node_round ${times[BATCHES >> 1].toFixed(0)}`);
