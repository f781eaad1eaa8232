// A server over HTTP with a tool for each policy, of policy_tools.json; a test plays policies.json.
//
//     PORT=8000 MCP_ELICIT_KEYS=... node policy-server.mjs [--sdk]
//
// Prints `listening on URL`. The tool of a policy asks one question and says what became of it. With
// `--sdk` it is a server of the official TypeScript SDK, with our adapter.
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
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

/** The question of a tool, under the key `target`, by the functions that ask. */
function ask(name, { form, url, model, roots }) {
  const options = optionsOf(TOOLS[name].options);
  switch (TOOLS[name].ask) {
    case 'form': return form('target', 'Where to?', forms.get(name), options);
    case 'url': return url('target', 'Go there', 'https://a.example', false, options);
    case 'model': return model('target', { messages, maxTokens: 10 }, options);
    default: return roots('target', options);
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

/** What a tool says; `of` is a call, or what an adapter gives in its place. */
async function run(name, of, asker) {
  const tool = TOOLS[name];
  const data = Buffer.from(of.appData ?? '').toString();
  if (of.round < (tool.retry_until_round ?? 0)) {
    of.setAppData(`${data}${of.round}`);
    return of.retryLater();
  }
  let words;
  if (tool.ask === 'nothing') {
    words = `done in round ${of.round} after ${data}`;
  } else if (tool.step) {
    const { flowId, round } = of;
    const first = await of.step('work', () => {
      ran.set(flowId, (ran.get(flowId) ?? 0) + 1);
      return round;
    });
    words = `${describe(await ask(name, asker))}, step of round ${first} ran ${ran.get(flowId)} times in ${round} rounds`;
  } else {
    words = describe(await ask(name, asker));
  }
  return { content: [{ type: 'text', text: words }] };
}

function callTool(call) {
  if (!Object.hasOwn(TOOLS, call.target)) return call.fail(-32602, `Unknown tool: ${call.target}`);
  return run(call.target, call, {
    form: call.elicitForm.bind(call), url: call.elicitUrl.bind(call),
    model: call.createMessage.bind(call), roots: call.listRoots.bind(call),
  });
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

/** The same tools on the official SDK, by its adapter. */
async function onSdk() {
  const home = new URL('../../bindings-node/', import.meta.url);
  const resolve = createRequire(new URL('package.json', home)).resolve;
  const load = async name => (await import(pathToFileURL(resolve(name)).href)).default;
  const { McpServer, createMcpHandler } = await load('@modelcontextprotocol/server');
  const { toNodeHandler } = await load('@modelcontextprotocol/node');
  const { z } = await load('zod');
  const { elicits } = await import(new URL('adapters/mcp.mjs', home));
  const inputSchema = z.object({ environment: z.unknown(), replicas: z.unknown() }).partial();
  return toNodeHandler(createMcpHandler(() => {
    const server = new McpServer({ name: 'policies', version: '1.0.0' });
    const asking = elicits(server, engine, { principal: Principal.singleUser() });
    for (const name of Object.keys(TOOLS)) {
      asking.registerTool(name, { inputSchema }, (_, asker) => run(name, asker, {
        form: asker.form.bind(asker), url: asker.url.bind(asker),
        model: asker.message.bind(asker), roots: asker.roots.bind(asker),
      }));
    }
    return server;
  }));
}

const listener = process.argv.includes('--sdk') ? await onSdk() : mcp;
const server = createServer((request, response) => {
  Promise.resolve(listener(request, response)).catch(error => {
    console.error(error);
    response.writeHead(500).end();
  });
});
server.listen(Number(process.env.PORT ?? 0), '127.0.0.1', () => {
  console.log(`listening on http://127.0.0.1:${server.address().port}/mcp`);
});
