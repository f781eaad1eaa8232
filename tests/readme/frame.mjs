// What stands around the JavaScript example of README.md: one request in, one reply out.
import { readFileSync } from 'node:fs';
import { Engine, Form } from 'mcp-elicit';

const FORM = readFileSync('form.json', 'utf8');
const request = readFileSync(0, 'utf8');
const headers = undefined;
const principal = { issuer: 'https://login.example', subject: 'ada', client: 'desktop' };
const text = words => ({ content: [{ type: 'text', text: words }] });

// README
process.stdout.write(JSON.stringify({ status: reply.status, body: JSON.parse(reply.body) }));
