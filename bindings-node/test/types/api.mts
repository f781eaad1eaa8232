// Types, checked by `npm run types`: what must compile, and, after `@ts-expect-error`, what must not.
import type { IncomingHttpHeaders } from 'node:http';
import { Redis } from 'ioredis';
import { createClient, createClientPool, createCluster } from 'redis';
import {
  ElicitError, Engine, Form, MemoryStore, PROTOCOL_VERSION, Principal, RedisStore, SqliteStore, isSuspended, keygen,
  type Call, type Claimed, type Store, type ErrorKind, type FieldValue, type Handler, type Outcome, type Reply, type Source,
} from 'mcp-elicit';

/** Fails to compile unless both types are the same. */
function same<A, B>(..._: (<T>() => T extends A ? 1 : 2) extends (<T>() => T extends B ? 1 : 2) ? [] : [never]): void {}

declare const call: Call;
declare const incoming: IncomingHttpHeaders;
declare const rawHeaders: string[];

// The type of the content follows from the schema.
const target = new Form({
  type: 'object',
  properties: {
    environment: { type: 'string', title: 'Environment', enum: ['dev', 'staging', 'prod'] },
    notify: { type: 'boolean', default: false },
    replicas: { type: 'integer', minimum: 1 },
    region: { type: 'string', oneOf: [{ const: 'eu', title: 'Europe' }, { const: 'us', title: 'America' }] },
    labels: { type: 'array', items: { type: 'string', enum: ['a', 'b'] } },
    colours: { type: 'array', items: { anyOf: [{ const: '#f00', title: 'Red' }] } },
    mail: { type: 'string', format: 'email' },
  },
  required: ['environment', 'replicas'],
});
const outcome = call.elicitForm('target', 'Which environment?', target);
if (outcome.action === 'accept') {
  same<typeof outcome.content, {
    environment: 'dev' | 'staging' | 'prod';
    replicas: number;
    notify?: boolean;
    region?: 'eu' | 'us';
    labels?: ('a' | 'b')[];
    colours?: '#f00'[];
    mail?: string;
  }>();
  same<typeof outcome.source, Source>();
  same<typeof outcome.contentText, string>();
} else if (outcome.action === 'invalid') {
  outcome.faults[0]?.rule satisfies string | undefined;
} else {
  same<typeof outcome.action, 'decline' | 'cancel' | 'unavailable' | 'answer'>();
  if (outcome.action === 'unavailable') same<typeof outcome.reason, 'capability' | 'cancelled'>();
}
// @ts-expect-error not before looking at action
outcome.content.environment;

// A schema on the spot, a schema as text, a type of one's own.
const direct = call.elicitForm('a', 'Why?', { type: 'object', properties: { ok: { type: 'boolean' } }, required: ['ok'] });
if (direct.action === 'accept') same<typeof direct.content, { ok: boolean }>();
const text = new Form('{"type":"object","properties":{}}');
const loose = call.elicitForm('b', 'Why?', text);
if (loose.action === 'accept') same<(typeof loose.content)[string], FieldValue>();
const named = new Form<{ city: string }>('{}');
const city: Outcome<{ city: string }> = call.elicitForm('c', 'Why?', named);
if (city.action === 'accept') city.content.city satisfies string;
// @ts-expect-error a form is flat
new Form<never>({ type: 'object', properties: { a: { type: 'object' } } } satisfies import('mcp-elicit').FormSchema);

const visit = call.elicitUrl('d', 'Go there', new URL('https://example.com/'), false, { allowInsecureHttp: true });
if (visit.action === 'accept') same<typeof visit.contentText, undefined>();
// @ts-expect-error the server's word is needed
call.elicitUrl('d', 'Go there', 'https://example.com/');
// @ts-expect-error there is no such option
call.elicitForm('e', 'Why?', target, { alowInsecureHttp: true });

const checked = target.validate({});
if (checked.valid) checked.content.environment satisfies string;
else checked.faults satisfies readonly { path: string }[];

// The engine.
const engine = new Engine({ keys: [keygen()], audience: 'x', limits: { roundTtlMs: 1 }, clock: Date.now, random: n => new Uint8Array(n), log: event => event.flowId });
Engine.fromEnv({ audience: 'x', serverInfo: { name: 'a', version: '1', icons: [] } });
// @ts-expect-error an audience is needed
new Engine({ ephemeral: true });
// @ts-expect-error the keys come from the environment
Engine.fromEnv({ audience: 'x', keys: [] });

const sync: Handler = it => ({ content: [{ type: 'text', text: it.target }] });
const waits: Handler = async it => it.complete('{}');
const reply: Promise<Reply> = engine.run('{}', sync, { principal: Principal.singleUser(), headers: incoming });
await engine.run(new Uint8Array(), waits, { principal: { issuer: 'a', subject: 'b', client: 'c' }, headers: rawHeaders });
await engine.run({}, sync, { principal: Principal.none(), headers: new Headers(), paramHeaders: { Region: ['placement', 'region'], Zone: 'zone' } });
await engine.run('{}', sync, { principal: Principal.none(), headers: new Map([['mcp-method', 'x']]) });
await engine.run('{}', sync, { principal: Principal.none(), headers: [['mcp-method', 'x']] });
// @ts-expect-error there is no default principal
await engine.run('{}', sync, {});
// @ts-expect-error a handler gives something
await engine.run('{}', () => undefined, { principal: Principal.none() });

const { body, status, headers } = await reply;
body satisfies string;
status satisfies number;
headers['content-type'] satisfies string | undefined;
engine.check('{}', { headers: [] }).idText satisfies string | undefined;
engine.openParams('tools/call', {}, { principal: Principal.none() }).fail(-1, 'x', { a: 1 }) satisfies Reply;
PROTOCOL_VERSION satisfies string;

try {
  throw new ElicitError('no', { code: -1, data: {} });
} catch (error) {
  if (isSuspended(error)) throw error;
  if (error instanceof ElicitError) error.kind satisfies ErrorKind;
}

// Stores and claims.
const memory = new MemoryStore({ capacity: 1 << 20 });
memory.get('key') satisfies Uint8Array | undefined;
const sqlite = new SqliteStore(new URL('file:///tmp/claims.db'), { timeLimitMs: 500 });
sqlite.compareAndDelete('key', new Uint8Array()) satisfies Promise<boolean>;
sqlite.close() satisfies Promise<void>;
new RedisStore(createClient());
new RedisStore(createClientPool(), { timeLimitMs: 500 });
new RedisStore(createCluster({ rootNodes: [] }));
new RedisStore(new Redis());
new RedisStore(new Redis.Cluster([]));
// @ts-expect-error not an address
new RedisStore('redis://127.0.0.1');
new Engine({ audience: 'x', store: sqlite });
Engine.fromEnv({ audience: 'x', store: memory, limits: { claimWaitMs: 1000 } });
const own: Store = {
  get: async () => null,
  putIfAbsent: (key, value, ttlMs) => (ttlMs > 0 && key ? value : undefined),
  compareAndSet: async (_key, expected, value) => expected.length === value.length,
  compareAndDelete: () => true,
};
new Engine({ audience: 'x', store: own });
// @ts-expect-error a store has four methods
new Engine({ audience: 'x', store: { get: () => null } });
const claimed: Claimed = await call.claim({ waitMs: 1, leaseMs: 1, remember: true });
switch (claimed.status) {
  case 'recorded':
    same<typeof claimed.resultText, string>();
    break;
  case 'won':
  case 'already':
  case 'in_progress':
  case 'unknown':
    // @ts-expect-error there is none
    claimed.result;
    break;
  default:
    same<typeof claimed, never>();
}
call.idempotencyKey satisfies string;
call.hasClaim satisfies boolean;
call.releaseClaim() satisfies Promise<void>;
call.completeAsync({ content: [] }, { remember: true }) satisfies Promise<Reply>;
// @ts-expect-error there is no such option
call.claim({ wait: 1 });
