// A server that pays at most once: it asks twice, claims, and then pays. node:http, no MCP SDK.
//
//   npm install mcp-elicit redis
//   export MCP_ELICIT_KEYS=$(node -p "require('mcp-elicit').keygen()")
//   STORE=redis://127.0.0.1:6379/0 LEDGER=payments.jsonl PORT=8000 node pay-server.mjs
//
// A call of `pay` takes three rounds: how much and to whom, whether to, and then the payment. Any
// process with the same keys and the same store can serve the next round, and a request that is
// sent twice pays once: the second gets the first one's result. STORE is a redis:// or rediss://
// URL, or else the path of a SQLite file that the processes of one machine share. The payment is a
// stand-in: a line in the file LEDGER. The tokens are a demo's: they believe any name.
import { open } from 'node:fs/promises';
import { createServer } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { ElicitError, Engine, Form, Principal, RedisStore, SqliteStore } from 'mcp-elicit';

const SERVER_INFO = { name: 'payments', version: '1.0.0' };
const ISSUER = 'https://login.example'; // whoever vouches for the users
const LEDGER = process.env.LEDGER ?? 'payments.jsonl';
const MAX_BODY = 4 * 1024 * 1024;

// ---- The tool

const ORDER = new Form({
  type: 'object',
  properties: {
    payee: { type: 'string', title: 'To whom', minLength: 1, maxLength: 80 },
    cents: { type: 'integer', title: 'Cents', minimum: 1, maximum: 100_000 },
  },
  required: ['payee', 'cents'],
});
const SURE = new Form({
  type: 'object',
  properties: { sure: { type: 'boolean', title: 'Yes, pay' } },
  required: ['sure'],
});

/** A tool's result that is one text. */
const text = (words, members) => ({ content: [{ type: 'text', text: words }], ...members });

/** Runs again on every round; what was answered returns at once. */
async function pay(call) {
  const order = call.elicitForm('order', 'How much do you want to pay, and to whom?', ORDER);
  if (order.action !== 'accept') return text('Nothing was paid.'); // reading it while nobody has answered ends this run
  const { payee, cents } = order.content;
  const sure = call.elicitForm('sure', `Pay ${cents} cents to ${payee}?`, SURE, { humanOnly: true });
  if (sure.action !== 'accept' || !sure.content.sure) return text('Nothing was paid.');

  // The client may send this round twice, and to two processes. The first claim of the flow wins;
  // `remember` keeps the result for whoever lost it on the way.
  const claimed = await call.claim({ remember: true });
  switch (claimed.status) {
    case 'won':
      await transfer(call.idempotencyKey, payee, cents);
      return text(`Paid ${cents} cents to ${payee}.`);
    case 'recorded':
      return claimed.resultText;
    case 'in_progress':
      await sleep(50);
      return call.retryLater(); // the client comes back by itself
    default: {
      // The process that paid, or was about to, has died. A real server would ask its provider for
      // the payment of this key.
      const key = call.idempotencyKey;
      return text(`Whether this was paid is not known. Its key is ${key}.`, { isError: true });
    }
  }
}

/** A stand-in for the provider: one line in one write, on the disk before it counts. */
async function transfer(key, payee, cents) {
  const ledger = await open(LEDGER, 'a', 0o600);
  try {
    await ledger.write(`${JSON.stringify({ key, payee, cents, pid: process.pid })}\n`);
    await ledger.sync();
  } finally {
    await ledger.close();
  }
}

const toolList = [
  {
    name: 'pay',
    description: 'Pays somebody, when the user has said whom and how much, and confirmed.',
    inputSchema: { type: 'object', properties: {} },
  },
];

/** Runs the tool that the call is for. */
const callTool = call => (call.target === 'pay' ? pay(call) : call.fail(-32602, 'Unknown tool'));

// ---- The engine

/** Where claims are kept: shared by all processes of the service. */
async function storeAt(place, timeLimitMs) {
  if (!/^rediss?:\/\//.test(place)) return new SqliteStore(place, { timeLimitMs });
  const { createClient } = await import('redis');
  const client = createClient({ url: place });
  client.on('error', error => console.error(`redis: ${error.code ?? error.name}`)); // it connects again by itself
  client.connect().catch(() => {});
  return new RedisStore(client, { timeLimitMs });
}

const engine = Engine.fromEnv({
  audience: 'payments',
  serverInfo: SERVER_INFO,
  limits: { claimWaitMs: Number(process.env.CLAIM_WAIT_MS ?? 60_000) },
  // What the operator should know and the client must not, such as a store that failed.
  log: ({ level, name, reason, flowId }) => console.error(JSON.stringify({ level, name, reason, flowId })),
  store: await storeAt(process.env.STORE ?? 'claims.db', Number(process.env.STORE_TIME_LIMIT_MS ?? 2_000)),
});

// ---- The MCP endpoint

const common = {
  resultType: 'complete',
  ttlMs: 300_000,
  cacheScope: 'public',
  _meta: { 'io.modelcontextprotocol/serverInfo': SERVER_INFO },
};
const results = {
  'server/discover': { supportedVersions: ['2026-07-28'], capabilities: { tools: {} }, ...common },
  'tools/list': { tools: toolList, ...common },
};

/** POST /mcp: one JSON-RPC message in, one out. */
async function mcp(request, response) {
  // Who it is comes from verified credentials, never from the message. Here: a demo's token.
  const token = /^Bearer demo-([a-z0-9-]+)$/.exec(request.headers.authorization ?? '');
  if (!token) return send(response, 401, { 'www-authenticate': 'Bearer' });
  const principal = new Principal(ISSUER, token[1], 'demo-client');
  const chunks = [];
  let length = 0;
  for await (const chunk of request) {
    length += chunk.length;
    if (length > MAX_BODY) return send(response, 413, { connection: 'close' });
    chunks.push(chunk);
  }
  const body = Buffer.concat(chunks); // the bytes: JSON.parse would lose digits past 2^53
  const headers = request.rawHeaders; // those that were sent twice are there twice
  try {
    const reply = await engine.run(body, callTool, { principal, headers });
    send(response, reply.status, reply.headers, reply.body);
  } catch (error) {
    if (error.kind !== 'not_a_call') throw error;
    answer(response, body, headers);
  }
}

/** Answers what is no call. The engine checks the message; what it says is up to us. */
function answer(response, body, headers) {
  let message;
  try {
    message = engine.check(body, { headers });
  } catch (error) {
    if (!(error instanceof ElicitError && error.isForPeer)) throw error;
    const { status, headers: its, body: said } = error.reply;
    return send(response, status, its, said);
  }
  if (message.idText === undefined) return send(response, 202); // a notification: nothing to say
  const known = Object.hasOwn(results, message.method);
  const member = known
    ? `"result":${JSON.stringify(results[message.method])}`
    : '"error":{"code":-32601,"message":"Method not found"}';
  // The id goes back as it came, digit for digit.
  const said = `{"jsonrpc":"2.0","id":${message.idText},${member}}`;
  send(response, known ? 200 : 404, { 'content-type': 'application/json' }, said);
}

function send(response, status, headers = {}, body = '') {
  response.writeHead(status, headers).end(body);
}

const server = createServer((request, response) => {
  const { pathname } = new URL(request.url, 'http://127.0.0.1');
  // Pages of other origins are refused (streamable-http, "Security & Endpoint").
  if (request.headers.origin !== undefined) return send(response, 403);
  if (pathname !== '/mcp') return send(response, 404);
  if (request.method !== 'POST') return send(response, 405, { allow: 'POST' });
  mcp(request, response).catch(error => {
    console.error(error.kind ?? error);
    if (response.headersSent) response.destroy();
    else send(response, 500);
  });
});
server.listen(Number(process.env.PORT ?? 0), '127.0.0.1', () => {
  console.log(`listening on http://127.0.0.1:${server.address().port}/mcp`);
});
