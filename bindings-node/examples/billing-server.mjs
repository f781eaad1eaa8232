// A billing server that asks its user: node:http and mcp-elicit, no MCP SDK.
//
//   npm install mcp-elicit
//   export MCP_ELICIT_KEYS=$(node -p "require('mcp-elicit').keygen()")
//   PORT=8000 node billing-server.mjs
//
// Two tools over Streamable HTTP, revision 2026-07-28. `deploy` asks with a form. `list_invoices`
// sends the user to a page of ours to connect the billing account, and goes on when that is done.
// Any instance with the same key can serve the next round: the rounds of a call live in the sealed
// `requestState`. What this process keeps is what a real one keeps elsewhere: who is signed in,
// and who has connected. The tokens and the sign-in are a demo's: they believe any name.
import { randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import { ElicitError, Engine, Form, Principal } from 'mcp-elicit';

const SERVER_INFO = { name: 'billing', version: '1.0.0' };
const ISSUER = 'https://login.example'; // whoever vouches for the users
const MAX_BODY = 4 * 1024 * 1024;

// ---- The tools

const target = new Form({
  type: 'object',
  properties: {
    environment: { type: 'string', title: 'Environment', enum: ['dev', 'staging', 'prod'] },
    notify: { type: 'boolean', title: 'Notify the team', default: false },
  },
  required: ['environment'],
});

/** A tool's result that is one text. */
const text = words => ({ content: [{ type: 'text', text: words }] });

const tools = {
  /** Asks which environment. Runs again on every round; answered questions return at once. */
  deploy(call) {
    const answer = call.elicitForm('target', 'Which environment?', target);
    // Reading it while nobody has answered ends this run; `engine.run` then sends the question.
    if (answer.action !== 'accept') return text('Nothing was deployed.');
    const { environment, notify } = answer.content;
    return text(`Deployed to ${environment}${notify ? ' and notified the team' : ''}.`);
  },

  /** Sends the user to connect the billing account, then reads the invoices. */
  list_invoices(call) {
    const user = call.principal.subject;
    // The link says which flow it is for. Whoever opens it must prove to be the same user.
    if (!connected.has(user)) remember(flows, call.flowId, user);
    const login = call.elicitUrl(
      'login',
      'Sign in to the billing account to read your invoices.',
      `${base}/connect?flow=${call.flowId}`,
      connected.has(user), // accepted and not yet done asks again, with the same link
    );
    if (login.action !== 'accept') {
      return text("The billing account isn't connected, so no invoices were read.");
    }
    return text('2 open invoices.');
  },
};

const toolList = [
  {
    name: 'deploy',
    description: 'Deploys an app to an environment that the user chooses.',
    inputSchema: { type: 'object', properties: { app: { type: 'string' } } },
  },
  {
    name: 'list_invoices',
    description: "Lists the open invoices of the user's billing account.",
    inputSchema: { type: 'object', properties: { account: { type: 'string' } } },
  },
];

/** Runs the tool that the call is for. */
function callTool(call) {
  if (!Object.hasOwn(tools, call.target)) return call.fail(-32602, `Unknown tool: ${call.target}`);
  return tools[call.target](call);
}

// ---- The MCP endpoint

const engine = Engine.fromEnv({
  audience: 'billing',
  serverInfo: SERVER_INFO,
  limits: { roundTtlMs: Number(process.env.STATE_TTL_MS ?? 600_000) },
  // What the operator should know and the client must not, such as why a state was refused.
  log: event => console.error(JSON.stringify(event)),
});

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
  const body = await read(request); // the bytes: JSON.parse would lose digits past 2^53
  if (!body) return send(response, 413, { connection: 'close' });
  const headers = request.rawHeaders; // those that were sent twice are there twice
  let reply;
  try {
    reply = await engine.run(body, callTool, { principal, headers });
  } catch (error) {
    if (error.kind !== 'not_a_call') throw error;
    return answer(response, body, headers);
  }
  send(response, reply.status, reply.headers, reply.body);
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
    : `"error":{"code":-32601,"message":"Method not found"}`;
  // The id goes back as it came, digit for digit.
  const said = `{"jsonrpc":"2.0","id":${message.idText},${member}}`;
  send(response, known ? 200 : 404, { 'content-type': 'application/json' }, said);
}

/** The body, or nothing where it is larger than any message may be. */
async function read(request) {
  if (Number(request.headers['content-length']) > MAX_BODY) return undefined;
  const chunks = [];
  let length = 0;
  for await (const chunk of request) {
    length += chunk.length;
    if (length > MAX_BODY) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function send(response, status, headers = {}, body = '') {
  response.writeHead(status, headers).end(body);
}

// ---- The page to connect the billing account

const flows = new Map(); // flow id: the user whose call asked
const sessions = new Map(); // cookie: the user who signed in here
const connected = new Map(); // the users who connected their account

/** Keeps the last ten thousand: what a client can fill must have an end. */
function remember(table, key, value) {
  table.delete(key);
  table.set(key, value);
  if (table.size > 10_000) table.delete(table.keys().next().value);
}

const signedIn = request => sessions.get(/(?:^|; )session=([^;]*)/.exec(request.headers.cookie ?? '')?.[1]);
const fields = async request => new URLSearchParams((await read(request))?.toString());

const pages = {
  /** Signs in whoever opened the link, then offers to connect. */
  'GET /connect': (request, response, url) => {
    const flow = url.searchParams.get('flow');
    if (!flows.has(flow)) return page(response, 404, 'This link is not known, or no longer valid.');
    const user = signedIn(request); // flow and user are of harmless characters, or were not kept
    const hidden = `<input type="hidden" name="flow" value="${flow}">`;
    page(response, 200, user
      ? `<p>Signed in as ${user}.</p><form method="post" action="/connect">${hidden}<button>Connect</button></form>`
      : `<form method="post" action="/login">${hidden}<label>User <input name="user" required></label> <button>Sign in</button></form>`);
  },

  /** A stand-in for a real sign-in; it believes any name. */
  'POST /login': async (request, response) => {
    const form = await fields(request);
    if (!flows.has(form.get('flow'))) return page(response, 404, 'This link is not known, or no longer valid.');
    if (!/^[a-z0-9-]+$/.test(form.get('user') ?? '')) {
      return page(response, 400, "A user's name is lower-case letters, digits and hyphens.");
    }
    const session = randomBytes(32).toString('base64url');
    remember(sessions, session, form.get('user'));
    send(response, 303, {
      location: `/connect?flow=${form.get('flow')}`,
      'set-cookie': `session=${session}; Path=/; HttpOnly; SameSite=Lax`,
    });
  },

  /** Connects, if the one who signed in here is the one whose call asked. */
  'POST /connect': async (request, response) => {
    const asked = flows.get((await fields(request)).get('flow'));
    if (asked === undefined) return page(response, 404, 'This link is not known, or no longer valid.');
    // The link may have been sent on to somebody else (elicitation, "Phishing").
    if (signedIn(request) !== asked) return page(response, 403, 'This link was made for somebody else.');
    remember(connected, asked, true);
    page(response, 200, 'Connected. You can close this page.');
  },
};

/** A plain page that nobody can frame and that runs no script. */
function page(response, status, body) {
  send(response, status, {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': "default-src 'none'; form-action 'self'; frame-ancestors 'none'",
    'cache-control': 'no-store',
  }, `<!doctype html><meta charset="utf-8"><title>Billing</title>${body}`);
}

// ---- The process

const LOCAL = /^https?:\/\/(127\.0\.0\.1|localhost|\[::1\])(:\d+)?$/;

async function route(request, response) {
  // Pages of other origins are refused (streamable-http, "Security & Endpoint").
  const { origin } = request.headers;
  if (origin !== undefined && !LOCAL.test(origin)) return send(response, 403);
  const url = new URL(request.url, base);
  if (url.pathname === '/mcp') {
    if (request.method !== 'POST') return send(response, 405, { allow: 'POST' });
    return mcp(request, response);
  }
  const handler = pages[`${request.method} ${url.pathname}`];
  return handler ? handler(request, response, url) : send(response, 404);
}

const server = createServer((request, response) => {
  route(request, response).catch(error => {
    console.error(error);
    if (response.headersSent) response.destroy();
    else send(response, 500);
  });
});
let base; // where the pages are; known when the port is
server.listen(Number(process.env.PORT ?? 0), '127.0.0.1', () => {
  base = `http://127.0.0.1:${server.address().port}`;
  console.log(`listening on ${base}/mcp`);
});
