// Types of mcp-elicit/adapters/mcp: what must compile, and, after `@ts-expect-error`, what must not.
import { McpServer, type ServerContext } from '@modelcontextprotocol/server';
import { Engine, Form, Principal, type Outcome } from 'mcp-elicit';
import { elicits, type Ask, type Question } from 'mcp-elicit/adapters/mcp';
import { z } from 'zod';

/** Fails to compile unless both types are the same. */
function same<A, B>(..._: (<T>() => T extends A ? 1 : 2) extends (<T>() => T extends B ? 1 : 2) ? [] : [never]): void {}

const engine = new Engine({ ephemeral: true, audience: 'x' });
const server = new McpServer({ name: 'x', version: '1' });
const form = new Form({ type: 'object', properties: { city: { type: 'string' } }, required: ['city'] });

const asking = elicits(server, engine, { principal: Principal.singleUser() });
asking.registerTool('a', { inputSchema: z.object({ app: z.string() }), outputSchema: z.object({}) }, async ({ app }, ask, context) => {
  same<typeof app, string>();
  same<typeof ask, Ask>();
  same<typeof context, ServerContext>();
  const where = await ask.form('where', 'Where?', form);
  if (where.action === 'accept') same<typeof where.content, { city: string }>();
  const direct = await ask.form('direct', 'Sure?', { type: 'object', properties: { sure: { type: 'boolean' } } });
  if (direct.action === 'accept') same<typeof direct.content, { sure?: boolean }>();
  const typed = await ask.form('typed', 'Where?', z.object({ city: z.string(), count: z.number().optional() }));
  if (typed.action === 'accept') same<typeof typed.content, { city: string; count?: number | undefined }>();
  const question: Question<{ city: string }> = ask.form('q', 'Where?', form, { unavailable: 'outcome', humanOnly: true });
  const [one, two, three] = await ask.gather(question, ask.url('u', 'Go', new URL('https://a.example'), false), ask.roots('r'));
  same<typeof one, Outcome<{ city: string }>>();
  same<typeof two, Outcome<undefined>>();
  if (three.action === 'answer') three.content.roots[0]?.uri satisfies string | undefined;
  same<number, Awaited<ReturnType<typeof ask.step<number>>>>();
  if (ask.round === 1) ask.retryLater();
  ask.setAppData('x');
  const claimed = await ask.claim({ remember: true });
  if (claimed.status === 'recorded') return claimed.result;
  same<typeof claimed.status, 'won' | 'already' | 'in_progress' | 'unknown'>();
  return { content: [] };
});
asking.registerTool('b', {}, (ask, context) => ({ content: [{ type: 'text', text: `${ask.flowId} ${context.mcpReq.id}` }] })).remove();
elicits(server, engine, { principal: async context => new Principal('i', String(context.http?.authInfo?.extra?.['user']), 'c') });
elicits(server, engine);

// @ts-expect-error a tool asks with ask, and gives a result
asking.registerTool('c', {}, async () => ({ resultType: 'input_required', requestState: 'x' }));
// @ts-expect-error there is no such option
asking.registerTool('d', {}, async ask => { await ask.form('k', 'm', form, { unavailabel: 'outcome' }); return { content: [] }; });
// @ts-expect-error the content is there only after a look at the action
asking.registerTool('e', {}, async ask => ({ content: [{ type: 'text', text: (await ask.form('k', 'm', form)).content.city }] }));
// @ts-expect-error a server is needed
elicits({}, engine);
