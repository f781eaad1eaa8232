// The same types from CommonJS.
import elicit = require('mcp-elicit');

const engine: elicit.Engine = new elicit.Engine({ ephemeral: true, audience: 'x' });
const form: elicit.Form<{ a?: string }> = new elicit.Form({ type: 'object', properties: { a: { type: 'string' } } });
const handler: elicit.Handler = call => {
  const answer = call.elicitForm('a', 'Why?', form);
  return { content: [], structuredContent: { a: answer.action === 'accept' ? answer.content.a : null } };
};
engine.run('{}', handler, { principal: elicit.Principal.none() }).then((reply: elicit.Reply) => reply.body);
