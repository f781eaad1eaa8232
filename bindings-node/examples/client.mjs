#!/usr/bin/env node
// Drives an MCP server with the official TypeScript client and shows what crosses the wire.
//
//   node client.mjs [--user NAME] [--script FILE] URL
//   node client.mjs [--user NAME] [--script FILE] -- COMMAND [ARGUMENT...]
//
// Without a script it asks the person at the terminal which tool to call and what to answer.
// With one it plays the steps of the script (tests/scenario/README.md tells the format), checks
// what each expects, and exits with 1 if one was missed, with 2 if it could not run at all.
import { readFile } from 'node:fs/promises';
import { createInterface } from 'node:readline/promises';
import { isDeepStrictEqual, parseArgs } from 'node:util';
import { Client, ProtocolError, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';

const VERSION = '2026-07-28';

/** What the command line names: the server, the user, the script. */
function readCommandLine() {
  const { values, positionals, tokens } = parseArgs({
    allowPositionals: true,
    tokens: true,
    options: { user: { type: 'string', default: 'ada' }, script: { type: 'string' } },
  });
  const end = tokens.find(token => token.kind === 'option-terminator');
  const [first, ...rest] = positionals;
  if (first === undefined || (!end && rest.length > 0)) {
    throw new Error('usage: client.mjs [--user NAME] [--script FILE] URL | -- COMMAND [ARGUMENT...]');
  }
  const server = end ? { command: first, args: rest } : { url: new URL(first) };
  return { server, user: values.user, script: values.script };
}

// ---- The wire

/** Counts the calls of a step and prints every message, one a line. */
class Wire {
  calls = 0;

  sent(text) {
    if (JSON.parse(text).method === 'tools/call') this.calls += 1;
    console.log(`-> ${text}`);
  }

  received(text, status) {
    const line = text.replace(/\s*\n\s*/g, ' ');
    console.log(status === undefined ? `<- ${line}` : `<- HTTP ${status} ${line}`);
  }
}

/** The transport over HTTP: the client's own, with a `fetch` that prints. */
function overHttp(url, user, wire) {
  return new StreamableHTTPClientTransport(url, {
    requestInit: { headers: { authorization: `Bearer demo-${user}` } },
    fetch: async (target, init) => {
      if (typeof init?.body === 'string') wire.sent(init.body);
      const response = await fetch(target, init);
      wire.received(await response.clone().text(), response.status);
      return response;
    },
  });
}

/** The transport over stdio: the client's own, which prints what it sends and what it is given. */
class PrintingStdioTransport extends StdioClientTransport {
  #wire;

  constructor(server, wire) {
    super({ ...server, env: process.env, stderr: 'inherit' });
    this.#wire = wire;
    let listener;
    Object.defineProperty(this, 'onmessage', {
      get: () => listener,
      set: next => {
        listener = next && (message => {
          wire.received(JSON.stringify(message));
          next(message);
        });
      },
    });
  }

  send(message) {
    this.#wire.sent(JSON.stringify(message));
    return super.send(message);
  }
}

/** What is asked of a client: form and link by `elicitation`, a model's turn, the folders. */
const METHODS = { elicitation: 'elicitation/create', sampling: 'sampling/createMessage', roots: 'roots/list' };

/**
 * A client that declares what it can be asked (form, url, sampling, roots) and hands each question
 * to `answer`.
 */
async function connect(server, user, kinds, wire, answer) {
  const capabilities = {};
  for (const kind of kinds) {
    if (kind in METHODS) capabilities[kind] = {};
    else (capabilities.elicitation ??= {})[kind] = {};
  }
  const client = new Client(
    { name: 'mcp-elicit-example', version: '0.1.0' },
    { capabilities, versionNegotiation: { mode: { pin: VERSION } } },
  );
  for (const name of Object.keys(capabilities)) {
    client.setRequestHandler(METHODS[name], (request, context) => answer(request.params ?? {}, context.mcpReq.id));
  }
  await client.connect(server.url
    ? overHttp(server.url, user, wire)
    : new PrintingStdioTransport(server, wire));
  return client;
}

// ---- The browser

/** Signs in at the link of a question as `user` and presses the button; gives the last status. */
async function signIn(link, user) {
  const at = path => new URL(path, link);
  const flow = at(link).searchParams.get('flow') ?? '';
  const post = (path, fields, headers) =>
    fetch(at(path), { method: 'POST', body: new URLSearchParams(fields), headers, redirect: 'manual' });

  await fetch(link);
  const login = await post('/login', { user, flow });
  const cookie = login.headers.getSetCookie().map(line => line.split(';')[0]).join('; ');
  const next = login.headers.get('location');
  if (next !== null) await fetch(at(next), { headers: { cookie } });
  const { status } = await post('/connect', { flow }, { cookie });
  console.log(`# browser: ${user} signs in, POST /connect gives ${status}`);
  return status;
}

// ---- With a script

class Miss extends Error {}

/** Answers from the step's list, in the order of the questions. */
function scriptedAnswers(step, user) {
  const left = [...(step.answers ?? [])];
  const links = new Map();
  const answer = async (question, key) => {
    if (question.mode === 'url') {
      const first = links.get(key) ?? question.url;
      if (first !== question.url) throw new Miss(`the link of "${key}" changed from one round to the next`);
      links.set(key, first);
    }
    const next = left.shift();
    if (next === undefined) throw new Miss(`a question past the last answer: ${question.message ?? key}`);
    const { signIn: who, browser = 200, result, ...response } = next;
    if (result !== undefined) return result;
    if (who) {
      const status = await signIn(question.url, who === true ? user : who);
      if (status !== browser) throw new Miss(`the browser got ${status}, not ${browser}`);
    }
    return response;
  };
  return { left, answer };
}

/** The one text of a result, or the error, in the form of a step's `expect`. */
async function outcomeOf(call) {
  try {
    const { content, isError } = await call;
    if (content.length !== 1 || content[0].type !== 'text') return { content };
    return isError ? { toolError: content[0].text } : { text: content[0].text };
  } catch (error) {
    if (error instanceof ProtocolError) return { error: { code: error.code, data: error.data } };
    throw error;
  }
}

/** Compares what a step gave with what it says; throws `Miss` where they differ. */
function compare(step, got, rounds, left) {
  const wanted = step.expect;
  if (wanted) {
    if (wanted.error && got.error && !('data' in wanted.error)) delete got.error.data;
    if (!isDeepStrictEqual(got, wanted)) {
      throw new Miss(`expected ${JSON.stringify(wanted)}, got ${JSON.stringify(got)}`);
    }
  }
  if (step.rounds !== undefined && rounds !== step.rounds) {
    throw new Miss(`expected ${step.rounds} rounds, got ${rounds}`);
  }
  if (left.length > 0) throw new Miss(`${left.length} answers that no question asked for`);
}

/** Plays every step with a client of its own; gives the exit status. */
async function playAll(steps, server, defaultUser) {
  let failed = 0;
  for (const [index, step] of steps.entries()) {
    const name = step.name ?? step.tool;
    const user = step.user ?? defaultUser;
    console.log(`# step ${index + 1}: ${name}`);
    const wire = new Wire();
    const { left, answer } = scriptedAnswers(step, user);
    // Not inside the `try`: a server that cannot be reached is no miss, nothing was tried.
    const client = await connect(server, user, step.capabilities ?? ['form', 'url'], wire, answer);
    try {
      const call = { name: step.tool, arguments: step.arguments ?? {} };
      if (step.first) call.inputResponses = step.first;
      const got = await outcomeOf(client.callTool(call));
      compare(step, got, wire.calls, left);
      console.log(`ok ${index + 1} ${name}`);
    } catch (error) {
      failed += 1;
      console.log(`not ok ${index + 1} ${name}: ${error.message}`);
    } finally {
      await client.close();
    }
  }
  console.log(`${steps.length - failed} passed, ${failed} failed`);
  return failed === 0 ? 0 : 1;
}

// ---- At the terminal

/** Asks the person, one question after the other. */
class Terminal {
  #lines = createInterface({ input: process.stdin, output: process.stdout });
  #last = Promise.resolve();
  #gone = new AbortController();

  constructor() {
    this.#lines.once('close', () => this.#gone.abort());
  }

  /** One line from the person; rejects when the terminal is closed. */
  ask(prompt) {
    return this.#lines.question(prompt, { signal: this.#gone.signal });
  }

  /** Answers one elicitation; questions of the same round wait for each other. */
  answer = question => {
    this.#last = this.#last.then(() => (question.mode === 'url' ? this.#visit(question) : this.#fill(question)));
    return this.#last;
  };

  async #visit({ message, url }) {
    // The whole link, and its host by itself: the person decides whether to go there.
    console.log(`\n${message}\n  link: ${url}\n  host: ${new URL(url).host}`);
    console.log('  Open it in a browser yourself, finish there, then answer here.');
    return { action: await this.#decide() };
  }

  async #fill({ message, requestedSchema }) {
    console.log(`\n${message}`);
    const required = new Set(requestedSchema.required);
    const content = {};
    for (const [name, field] of Object.entries(requestedSchema.properties)) {
      const value = await this.#field(name, field, required.has(name));
      if (value !== undefined) content[name] = value;
    }
    console.log(`  to send: ${JSON.stringify(content)}`);
    const action = await this.#decide();
    return action === 'accept' ? { action, content } : { action };
  }

  async #decide() {
    for (;;) {
      const word = (await this.ask('  accept, decline or cancel? ')).trim().toLowerCase();
      const action = ['accept', 'decline', 'cancel'].find(it => word !== '' && it.startsWith(word));
      if (action) return action;
    }
  }

  async #field(name, field, required) {
    const choices = choicesOf(field);
    const kind = choices ? choices.join(' | ') : field.type === 'boolean' ? 'yes | no' : field.type;
    const notes = [
      required ? 'required' : 'may be empty',
      field.default === undefined ? '' : `empty for ${JSON.stringify(field.default)}`,
      field.type === 'array' ? 'several, with commas between' : '',
    ].filter(Boolean);
    if (field.description) console.log(`  ${field.description}`);
    const typed = (await this.ask(`  ${field.title ?? name} (${kind}; ${notes.join(', ')}): `)).trim();
    if (typed === '') return field.default;
    if (field.type === 'array') return typed.split(',').map(item => item.trim());
    if (field.type === 'boolean') return /^(y|yes|true)$/i.test(typed);
    // What is no number goes out as typed: the server says what is wrong with it.
    if (field.type === 'number' || field.type === 'integer') return Number.isFinite(Number(typed)) ? Number(typed) : typed;
    return typed;
  }

  close() {
    this.#lines.close();
  }
}

/** The values that a field can have, where they are listed. */
function choicesOf(field) {
  const from = field.type === 'array' ? field.items : field;
  return from.enum ?? (from.oneOf ?? from.anyOf)?.map(choice => choice.const);
}

async function askPerson(server, user) {
  const terminal = new Terminal();
  const client = await connect(server, user, ['form', 'url'], new Wire(), terminal.answer);
  try {
    const { tools } = await client.listTools();
    for (;;) {
      for (const tool of tools) console.log(`  ${tool.name}: ${tool.description ?? ''}`);
      const name = (await terminal.ask('which tool (empty to leave)? ')).trim();
      if (name === '') return 0;
      const typed = (await terminal.ask('arguments as JSON (empty for none)? ')).trim();
      const call = { name, arguments: typed === '' ? {} : JSON.parse(typed) };
      // A person may take long: the client's own patience of a minute is too short.
      console.log(await outcomeOf(client.callTool(call, { timeout: 3_600_000 })));
    }
  } finally {
    terminal.close();
    await client.close();
  }
}

try {
  const { server, user, script } = readCommandLine();
  if (script !== undefined) {
    process.exitCode = await playAll(JSON.parse(await readFile(script, 'utf8')), server, user);
  } else if (process.stdin.isTTY) {
    process.exitCode = await askPerson(server, user);
  } else {
    throw new Error('no terminal to ask at: give a script with --script FILE');
  }
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 2;
}
