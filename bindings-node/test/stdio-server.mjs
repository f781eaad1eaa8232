// `deploy` alone over stdio: what the tests run the example client against.
import { createInterface } from 'node:readline';
import { ElicitError, Engine, Principal } from 'mcp-elicit';
import { KEY, deploy } from './support.mjs';

const engine = new Engine({ keys: [KEY], audience: 'stdio' });
const common = { resultType: 'complete', ttlMs: 0, cacheScope: 'private' };
const results = {
  'server/discover': { supportedVersions: ['2026-07-28'], capabilities: { tools: {} }, ...common },
  'tools/list': { tools: [{ name: 'deploy', inputSchema: { type: 'object' } }], ...common },
};

for await (const line of createInterface({ input: process.stdin })) {
  let body;
  try {
    ({ body } = await engine.run(line, deploy, { principal: Principal.singleUser() }));
  } catch (error) {
    if (!(error instanceof ElicitError && error.kind === 'not_a_call')) throw error;
    const { method, idText } = engine.check(line);
    if (idText === undefined) continue;
    body = `{"jsonrpc":"2.0","id":${idText},"result":${JSON.stringify(results[method])}}`;
  }
  process.stdout.write(`${body}\n`);
}
