// Uses the example of bindings-node/README.md: one request in, one reply out.
import { readFileSync } from 'node:fs';
import { handle } from './npm-example.mjs';

const principal = { issuer: 'https://login.example', subject: 'ada', client: 'desktop' };
const reply = await handle(readFileSync(0, 'utf8'), principal, undefined);
process.stdout.write(JSON.stringify({ status: reply.status, body: JSON.parse(reply.body) }));
