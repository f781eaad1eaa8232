// Plays flows with the official TypeScript client. See clients.py, which it matches line by line.
//
//     node clients.mjs URL
//
// It lies outside the package, whose node_modules it uses.
import { createRequire } from 'node:module';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';

const home = new URL('../../bindings-node/', import.meta.url);
const resolve = createRequire(new URL('package.json', home)).resolve;
const { Client, StreamableHTTPClientTransport } = (
  await import(pathToFileURL(resolve('@modelcontextprotocol/client')).href)
).default;

const url = new URL(process.argv[2]);
const ROUNDS = 400; // a claim whose winner died is waited for by rounds without a question
const SENDINGS = 50;
const TIMEOUT = 120_000;

/** What a text of the server means for a flow. */
function told(flow, words) {
  if (words === `Paid 100 cents to ${flow}.`) return 'paid';
  return words.startsWith('Whether this was paid is not known.') ? 'unknown' : words;
}

/** One request, sent again while connections break, until it is answered whole. */
async function insist(target, init) {
  for (let sending = 1; ; sending += 1) {
    try {
      const response = await fetch(target, init);
      const body = await response.arrayBuffer();
      const { status, headers } = response;
      return new Response(body.byteLength === 0 ? null : body, { status, headers });
    } catch (error) {
      if (sending === SENDINGS || init?.signal?.aborted) throw error;
      await sleep(50);
    }
  }
}

/** The last round by plain HTTP, and the rounds that it is sent into. */
async function playBeside(flow, { method, headers, body }) {
  const message = JSON.parse(body);
  for (let number = 0; number < ROUNDS; number += 1) {
    message.id = `beside-${number}`;
    const response = await insist(url, { method, headers, body: JSON.stringify(message) });
    const said = await response.json();
    const { result } = said;
    if (result === undefined || Object.keys(result.inputRequests ?? {}).length > 0) {
      return `HTTP ${response.status} ${JSON.stringify(said)}`;
    }
    if (result.resultType !== 'input_required') return told(flow, result.content[0].text);
    await sleep(100);
    message.params.requestState = result.requestState;
    delete message.params.inputResponses;
  }
  return 'no end';
}

/** One user with one official client, who plays one flow at a time. */
async function makeWorker(name) {
  let flow;
  let beside;
  const client = new Client(
    { name: 'fleet', version: '1.0.0' },
    {
      capabilities: { elicitation: { form: {} } },
      versionNegotiation: { mode: { pin: '2026-07-28' } },
      inputRequired: { maxRounds: ROUNDS },
    },
  );
  client.setRequestHandler('elicitation/create', ({ params }) => ({
    action: 'accept',
    content: 'payee' in params.requestedSchema.properties ? { payee: flow, cents: 100 } : { sure: true },
  }));
  await client.connect(new StreamableHTTPClientTransport(url, {
    requestInit: { headers: { authorization: `Bearer demo-${name}` } },
    fetch: (target, init) => {
      if (typeof init?.body === 'string' && init.body.includes('"sure":')) beside = playBeside(flow, init);
      return insist(target, init);
    },
  }));
  return async wanted => {
    flow = wanted;
    beside = Promise.resolve('the last round was not reached');
    const started = performance.now();
    let end;
    try {
      const { content } = await client.callTool({ name: 'pay', arguments: {} }, { timeout: TIMEOUT });
      end = told(flow, content[0].text);
    } catch (error) {
      end = `${error.name}: ${error.message}`;
    }
    const ms = performance.now() - started;
    const again = await beside.catch(error => `${error.name}: ${error.message}`);
    console.log(JSON.stringify({ flow, end, again, ms }));
  };
}

const workers = new Map();
for await (const line of createInterface({ input: process.stdin })) {
  const { worker, flow } = JSON.parse(line);
  if (!workers.has(worker)) workers.set(worker, makeWorker(`ts-${worker}`));
  workers.get(worker).then(play => play(flow)).catch(error => {
    console.log(JSON.stringify({ flow, end: `${error.name}: ${error.message}`, again: '', ms: 0 }));
  });
}
process.exit(0);
