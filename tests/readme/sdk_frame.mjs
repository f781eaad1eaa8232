// What stands around the example of README.md on the official TypeScript SDK: a server over stdio.
import { readFileSync } from 'node:fs';
import { McpServer } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { Engine, Form, Principal } from 'mcp-elicit';
import { elicits } from 'mcp-elicit/adapters/mcp';
import { z } from 'zod';

const engine = Engine.fromEnv({ audience: 'readme' });
const form = new Form(readFileSync('form.json', 'utf8'));
const text = words => ({ content: [{ type: 'text', text: words }] });

serveStdio(() => {
  // README
  return server;
});
