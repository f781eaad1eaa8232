'use strict';
// The package from CommonJS.
const assert = require('node:assert/strict');
const { test } = require('node:test');
const elicit = require('mcp-elicit');

test('CommonJS and ES modules have one set of classes', async () => {
  const imported = await import('mcp-elicit');
  const { default: _, ...named } = imported;
  assert.deepEqual(Object.keys(named).sort(), Object.keys(elicit).sort());
  for (const [name, value] of Object.entries(elicit)) assert.equal(named[name], value, name);
});

test('a call from CommonJS', async () => {
  const engine = new elicit.Engine({ ephemeral: true, audience: 'x' });
  const request = {
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: {
      name: 'deploy',
      _meta: {
        'io.modelcontextprotocol/protocolVersion': elicit.PROTOCOL_VERSION,
        'io.modelcontextprotocol/clientCapabilities': {},
      },
    },
  };
  const reply = await engine.run(JSON.stringify(request), () => ({ content: [] }), { principal: elicit.Principal.none() });
  assert.equal(reply.kind, 'complete');
});
