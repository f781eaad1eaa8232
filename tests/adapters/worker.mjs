// One worker: the example server on the official TypeScript SDK, with or without us, on a free port.
//
//     node worker.mjs adapter    a tool that asks through mcp-elicit; keys from MCP_ELICIT_KEYS
//     node worker.mjs sdk        the same tool with what the SDK brings
//
// Prints `listening on PORT`. It lies outside the package, whose node_modules it uses.
import { randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';

const home = new URL('../../bindings-node/', import.meta.url);
const resolve = createRequire(new URL('package.json', home)).resolve;
const load = name => import(pathToFileURL(resolve(name)).href);
const { McpServer, acceptedContent, createMcpHandler, createRequestStateCodec, inputRequired } = (await load('@modelcontextprotocol/server')).default;
const { toNodeHandler } = (await load('@modelcontextprotocol/node')).default;
const { z } = (await load('zod')).default;

/** The SDK's own way to ask and to keep state: its codec, with a key that each process makes. */
function withoutUs() {
  const codec = createRequestStateCodec({ key: randomBytes(32) });
  const requestedSchema = { type: 'object', properties: { environment: { type: 'string' } }, required: ['environment'] };
  const make = () => {
    const server = new McpServer({ name: 'deployer', version: '1.0.0' }, { requestState: { verify: codec.verify } });
    server.registerTool('deploy', { inputSchema: z.object({ app: z.string() }) }, async ({ app }, { mcpReq }) => {
      const target = acceptedContent(mcpReq.inputResponses, 'target');
      if (target !== undefined) {
        return { content: [{ type: 'text', text: `Deployed ${mcpReq.requestState().app} to ${target.environment}.` }] };
      }
      const question = inputRequired.elicit({ message: 'Which environment?', requestedSchema });
      return inputRequired({ inputRequests: { target: question }, requestState: await codec.mint({ app }) });
    });
    return server;
  };
  return toNodeHandler(createMcpHandler(make));
}

async function withUs() {
  const { listener, log } = await import(new URL('examples/sdk-server.mjs', home));
  const { Engine } = await import(new URL('index.mjs', home));
  return listener(Engine.fromEnv({ audience: 'deployer', log }));
}

const server = createServer(process.argv[2] === 'adapter' ? await withUs() : withoutUs());
server.listen(0, '127.0.0.1', () => console.log(`listening on ${server.address().port}`));
