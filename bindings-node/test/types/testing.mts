// Types of mcp-elicit/testing: what must compile, and, after `@ts-expect-error`, what must not.
import type { RequestListener } from 'node:http';
import { Engine, Principal, type Handler } from 'mcp-elicit';
import {
  Clock, FlowError, Host, accept, cancel, decline, never, result,
  type Answer, type AttackName, type Attacked, type Decision, type Flow, type Question,
} from 'mcp-elicit/testing';

declare const handler: Handler;
declare const listener: RequestListener;

const clock = new Clock();
const engine = new Engine({ ephemeral: true, audience: 'x', clock: clock.now });
const decide: Decision = async (question: Question) => (question.kind === 'url' ? accept() : decline());
const host: Host = new Host(engine, handler)
  .answer('target', accept({ environment: 'dev' }))
  .answer('login', decide)
  .otherwise(never())
  .capabilities({}).clientInfo(null).http().header('a', 'b').paramHeader('Region', ['a', 'b'])
  .principal(Principal.none()).principal({ issuer: 'a', subject: 'b', client: 'c' })
  .otherPrincipal(Principal.singleUser()).otherHeader('a', 'b').otherTarget('x').clock(clock).firstRoundOnly().rounds(3);

const flow: Flow = await host.call('deploy', { app: 'web' });
flow.text satisfies string;
flow.error?.code satisfies number | undefined;
flow.question('target')?.schema.required satisfies unknown;
const attacked: Attacked[] = await host.attackAll(flow);
attacked.every(each => each.held) satisfies boolean;
const name: AttackName = 'tamper_last';
await host.attack(flow, name);
await host.attack(flow, 'other_arguments', { app: 'db' });
try {
  await host.prompt('p', '{}');
} catch (error) {
  if (error instanceof FlowError) error.flow.transcript satisfies string;
}

Host.callable(({ body, caller }) => engine.run(body, handler, caller));
Host.callable(async () => new Response('{}'));
Host.fetch(async request => Response.json(await request.json()), new URL('http://127.0.0.1/mcp'));
Host.listener(listener, { path: '/mcp' });
Host.url('http://127.0.0.1:8000/mcp', { timeoutMs: 1 });
Host.command(['node', 'server.mjs'], { env: { A: 'b' } });
const answers: Answer[] = [accept('{}'), cancel(), result({ roots: [] })];
answers satisfies unknown[];

// @ts-expect-error an answer is made by a function
host.answer('target', { action: 'accept' });
// @ts-expect-error there is no such attack
await host.attack(flow, 'tamper');
// @ts-expect-error a clock of one's own does not move
host.clock({ now: () => 1 });
// @ts-expect-error a URL has no such option
Host.url('http://127.0.0.1/', { timeout: 1 });
