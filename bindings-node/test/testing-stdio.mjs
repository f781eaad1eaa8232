// A server over stdio for the tests of the test host: `deploy`, and tools that misbehave.
import { createInterface } from 'node:readline';
import { Engine, Principal } from 'mcp-elicit';
import { TARGET, text } from './support.mjs';

const engine = new Engine({ keys: [process.env.KEY], audience: 'stdio' });

const deploy = call => {
  const target = call.elicitForm('target', 'Which environment?', TARGET);
  return text(target.action === 'accept' ? `Deployed to ${target.content.environment} by ${process.pid}.` : 'Nothing was deployed.');
};

for await (const line of createInterface({ input: process.stdin })) {
  const { params: { name } } = JSON.parse(line);
  if (name === 'exit') process.exit(3);
  if (name === 'silent') continue;
  if (name === 'print') process.stdout.write('Now I deploy.\n');
  process.stdout.write('{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":1,"progress":1}}\n');
  const { body } = await engine.run(line, deploy, { principal: Principal.singleUser() });
  process.stdout.write(`${body}\n`);
}
