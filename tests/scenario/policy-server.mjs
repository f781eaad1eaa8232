// A server over HTTP with a tool for each policy, of policy_tools.json; a test plays policies.json.
//
//     PORT=8000 MCP_ELICIT_KEYS=... node policy-server.mjs
//
// Prints `listening on URL`. The tool of a policy asks one question and says what became of it.
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { ElicitError, Engine, Form, Principal } from '../../bindings-node/index.mjs';

const TOOLS = JSON.parse(readFileSync(new URL('policy_tools.json', import.meta.url), 'utf8'));
const properties = {
  environment: { type: 'string', enum: ['dev', 'staging', 'prod'] },
  replicas: { type: 'integer', minimum: 1, maximum: 9 },
  notify: { type: 'boolean', default: false },
};
const forms = new Map(Object.entries(TOOLS).map(([name, { required = ['environment', 'replicas'] }]) =>
  [name, new Form({ type: 'object', properties, required })]));
const messages = [{ role: 'user', content: { type: 'text', text: 'What is the capital of France?' } }];
const common = { resultType: 'complete', ttlMs: 0, cacheScope: 'private' };
const results = {
  'server/discover': { supportedVersions: ['2026-07-28'], capabilities: { tools: {} }, ...common },
  'tools/list': { tools: Object.keys(TOOLS).map(name => ({ name, inputSchema: { type: 'object' } })), ...common },
};

const engine = Engine.fromEnv({ audience: 'policies' });
const ran = new Map(); // how often the step of a flow did its work

/** Options in this language's spelling. */
const optionsOf = (options = {}) => Object.fromEntries(
  Object.entries(options).map(([name, value]) => [name.replace(/_(\w)/g, (_, letter) => letter.toUpperCase()), value]));

/** The question of the tool that the call is for, under the key `target`. */
function ask(call) {
  const options = optionsOf(TOOLS[call.target].options);
  switch (TOOLS[call.target].ask) {
    case 'form': return call.elicitForm('target', 'Where to?', forms.get(call.target), options);
    case 'url': return call.elicitUrl('target', 'Go there', 'https://a.example', false, options);
    case 'model': return call.createMessage('target', { messages, maxTokens: 10 }, options);
    default: return call.listRoots('target', options);
  }
}

/** What became of a question, in words that are the same in every language. */
function describe(outcome) {
  switch (outcome.action) {
    case 'accept': return `accept ${outcome.source} ${outcome.contentText}`;
    case 'answer': {
      const { roots, content } = outcome.content;
      return ['answer', ...(roots ? roots.map(({ uri }) => uri) : [content.text])].join(' ');
    }
    case 'invalid': return `invalid ${outcome.faults.map(({ path, rule }) => `${path} ${rule}`).join(', ')}`;
    case 'unavailable': return `unavailable ${outcome.reason}`;
    default: return outcome.action;
  }
}

async function callTool(call) {
  if (!Object.hasOwn(TOOLS, call.target)) return call.fail(-32602, `Unknown tool: ${call.target}`);
  const tool = TOOLS[call.target];
  const data = Buffer.from(call.appData ?? '').toString();
  if (call.round < (tool.retry_until_round ?? 0)) {
    call.setAppData(`${data}${call.round}`);
    return call.retryLater();
  }
  let words;
  if (tool.ask === 'nothing') {
    words = `done in round ${call.round} after ${data}`;
  } else if (tool.step) {
    const { flowId, round } = call;
    const first = await call.step('work', () => {
      ran.set(flowId, (ran.get(flowId) ?? 0) + 1);
      return round;
    });
    words = `${describe(ask(call))}, step of round ${first} ran ${ran.get(flowId)} times in ${round} rounds`;
  } else {
    words = describe(ask(call));
  }
  return { content: [{ type: 'text', text: words }] };
}

/** One message in, one out. A test's server: it believes that the user is who they say. */
async function mcp(request, response) {
  const principal = new Principal('https://login.example', request.headers.authorization, 'test');
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  const body = Buffer.concat(chunks);
  const headers = request.rawHeaders;
  let reply;
  try {
    reply = await engine.run(body, callTool, { principal, headers });
  } catch (error) {
    if (error.kind !== 'not_a_call') throw error;
    try {
      const { method, idText } = engine.check(body, { headers });
      const said = `{"jsonrpc":"2.0","id":${idText},"result":${JSON.stringify(results[method])}}`;
      return response.writeHead(200, { 'content-type': 'application/json' }).end(said);
    } catch (wrong) {
      if (!(wrong instanceof ElicitError && wrong.isForPeer)) throw wrong;
      reply = wrong.reply;
    }
  }
  return response.writeHead(reply.status, reply.headers).end(reply.body);
}

const server = createServer((request, response) => {
  mcp(request, response).catch(error => {
    console.error(error);
    response.writeHead(500).end();
  });
});
server.listen(Number(process.env.PORT ?? 0), '127.0.0.1', () => {
  console.log(`listening on http://127.0.0.1:${server.address().port}/mcp`);
});
