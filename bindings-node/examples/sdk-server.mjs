// A server on the official TypeScript SDK whose tools ask their user.
//
//     npm install mcp-elicit @modelcontextprotocol/server @modelcontextprotocol/node zod
//     export MCP_ELICIT_KEYS=$(node -e 'console.log(require("mcp-elicit").keygen())')
//     PORT=8000 node sdk-server.mjs       over HTTP, for whoever has a token
//     node sdk-server.mjs --stdio         for the one person who started it
//
// A tool is given `ask` and awaits it. The SDK runs it again for every round of a call; what was
// asked and answered travels in the sealed `requestState`, so that any worker with the same key can
// serve the next round. client.mjs is a client for it. The tokens are a demo's: they believe any
// name.
import { createServer } from 'node:http';
import { pathToFileURL } from 'node:url';
import { toNodeHandler } from '@modelcontextprotocol/node';
import {
  McpServer, OAuthError, OAuthErrorCode, createMcpHandler, hostHeaderValidationResponse, localhostAllowedHostnames,
  localhostAllowedOrigins, originValidationResponse, requireBearerAuth,
} from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { Engine, Form, Principal } from 'mcp-elicit';
import { elicits } from 'mcp-elicit/adapters/mcp';
import { z } from 'zod';

const ISSUER = 'https://login.example'; // whoever vouches for the users

const TARGET = new Form({
  type: 'object',
  properties: {
    environment: { type: 'string', title: 'Environment', enum: ['dev', 'staging', 'prod'] },
    notify: { type: 'boolean', title: 'Notify the team', default: false },
  },
  required: ['environment'],
});
const SURE = new Form({
  type: 'object',
  properties: { sure: { type: 'boolean', title: 'Yes, drop it' } },
  required: ['sure'],
});
const REASON = new Form({
  type: 'object',
  properties: { reason: { type: 'string', title: 'Reason', minLength: 3 } },
  required: ['reason'],
});

const text = words => ({ content: [{ type: 'text', text: words }] });

/** What the operator should know and the client must not, such as why a state was refused. */
export const log = ({ level, name, reason, flowId }) => console.error(JSON.stringify({ level, name, reason, flowId }));

/** A server for one connection or request; the principal is needed where requests have no token. */
export function serve(engine, principal) {
  const server = new McpServer({ name: 'deployer', version: '1.0.0' });
  server.server.onerror = error => console.error(error.message);
  const asking = elicits(server, engine, { principal });

  asking.registerTool(
    'deploy',
    { description: 'Deploys an app to an environment that the user chooses.', inputSchema: z.object({ app: z.string() }) },
    async ({ app }, ask) => {
      const target = await ask.form('target', 'Which environment?', TARGET);
      if (target.action !== 'accept') return text('Nothing was deployed.'); // decline and cancel are normal
      const notified = target.content.notify ? ' and notified the team' : '';
      return text(`Deployed ${app} to ${target.content.environment}${notified}.`);
    },
  );

  asking.registerTool(
    'drop_database',
    { description: 'Drops a database, if the user is sure and says why.', inputSchema: z.object({ name: z.string() }) },
    async ({ name }, ask) => {
      const [sure, why] = await ask.gather(
        ask.form('sure', `Drop the database ${name} for good?`, SURE, { humanOnly: true }),
        ask.form('why', 'Why? It goes into the log.', REASON),
      );
      if (sure.action !== 'accept' || !sure.content.sure || why.action !== 'accept') return text('Nothing was dropped.');
      return text(`Dropped ${name}: ${why.content.reason}`);
    },
  );

  return server;
}

/** A stand-in for checking real tokens: `demo-NAME` is NAME's. */
const verifier = {
  async verifyAccessToken(token) {
    const name = /^demo-([a-z0-9-]+)$/.exec(token);
    if (name === null) throw new OAuthError(OAuthErrorCode.InvalidToken, 'no such token');
    const expiresAt = Math.floor(Date.now() / 1000) + 3600;
    return { token, clientId: 'demo-client', scopes: [], expiresAt, extra: { iss: ISSUER, sub: name[1] } };
  },
};

/** A server over HTTP: the tokens tell who asks. */
export function listener(engine) {
  const handler = createMcpHandler(() => serve(engine));
  const authorize = requireBearerAuth({ verifier });
  return toNodeHandler({
    ...handler,
    fetch: async request => {
      const refused = hostHeaderValidationResponse(request, localhostAllowedHostnames())
        ?? originValidationResponse(request, localhostAllowedOrigins());
      if (refused) return refused;
      const authInfo = await authorize(request);
      return authInfo instanceof Response ? authInfo : handler.fetch(request, { authInfo });
    },
  });
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  const engine = Engine.fromEnv({ audience: 'deployer', log });
  if (process.argv.includes('--stdio')) {
    serveStdio(() => serve(engine, Principal.singleUser()));
  } else {
    const server = createServer(listener(engine)).listen(Number(process.env.PORT ?? 0), '127.0.0.1', () => {
      console.log(`listening on http://127.0.0.1:${server.address().port}/mcp`);
    });
  }
}
