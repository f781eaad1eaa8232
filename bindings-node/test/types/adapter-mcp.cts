// The same types from CommonJS.
import sdk = require('@modelcontextprotocol/server');
import elicit = require('mcp-elicit');
import mcp = require('mcp-elicit/adapters/mcp');

const server = new sdk.McpServer({ name: 'x', version: '1' });
mcp.elicits(server, new elicit.Engine({ ephemeral: true, audience: 'x' })).registerTool('a', {}, async ask => {
  const said = await ask.message('k', { messages: [], maxTokens: 1 });
  return { content: [{ type: 'text', text: said.action }] };
});
