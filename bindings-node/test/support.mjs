// What the tests share: engines that repeat themselves, requests, the vectors.
import { readFileSync } from 'node:fs';
import { Engine, Form, Principal } from 'mcp-elicit';

export const KEY = '000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f';
export const USER = new Principal('https://login.example', 'alice', 'client-1');
export const NOW = 1_800_000_000_000;
export const BOTH = { elicitation: { form: {}, url: {} } };

/** A file of the shared vectors. */
export const vectors = name => JSON.parse(readFileSync(new URL(`../../tests/vectors/${name}`, import.meta.url), 'utf8'));

/** Bytes of a vector: a string, or parts. */
export function bytes(value) {
  if (typeof value === 'string') return Buffer.from(value);
  if (Array.isArray(value)) return Buffer.concat(value.map(bytes));
  if ('hex' in value) return Buffer.from(value.hex, 'hex');
  return Buffer.concat(Array(value.times).fill(bytes(value.repeat)));
}

/** An engine whose clock stands and whose bytes are 0, 1, 2, … 255, 0, …, and what it logged. */
export class Bench {
  #next = 0;
  log = [];

  constructor({ now = NOW, ...options } = {}) {
    this.now = now;
    this.engine = new Engine({
      keys: [KEY],
      audience: 'deployer',
      clock: () => this.now,
      random: count => Uint8Array.from({ length: count }, () => this.#next++ & 255),
      log: event => this.log.push(event),
      ...options,
    });
  }

  /** Name and reason of what was logged. */
  get logged() {
    return this.log.map(({ name, reason }) => [name, reason]);
  }
}

export const TARGET = new Form({
  type: 'object',
  properties: {
    environment: { type: 'string', title: 'Environment', enum: ['dev', 'staging', 'prod'] },
    notify: { type: 'boolean', title: 'Notify the team', default: false },
  },
  required: ['environment'],
});

export const meta = (capabilities = BOTH) => ({
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': capabilities,
});

/** A tools/call of a client that can show forms and links. */
export function request(params = {}, { id = 1, method = 'tools/call', capabilities = BOTH } = {}) {
  return { jsonrpc: '2.0', id, method, params: { name: 'deploy', ...params, _meta: meta(capabilities) } };
}

/** The request that comes back with answers to a reply. */
export function answered(reply, inputResponses, params = {}) {
  const { requestState } = JSON.parse(reply.body).result;
  return request({ ...params, inputResponses, requestState }, { id: 2 });
}

export const text = words => ({ content: [{ type: 'text', text: words }] });

/** Asks for the target and says what came. */
export function deploy(call) {
  const target = call.elicitForm('target', 'Which environment?', TARGET);
  return text(target.action === 'accept' ? `Deployed to ${target.content.environment}.` : 'Nothing was deployed.');
}
