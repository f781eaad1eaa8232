'use strict';
// Plays the client of a server, and the person from a script. See ../../testing.d.ts.
const native = require('../native.js');
const { Principal, principalOf } = require('../caller.js');
const { Engine } = require('../engine.js');
const { checkNames, invalid, text } = require('../error.js');
const { frameOf, written } = require('./answers.js');
const { Flow, checked, playOf } = require('./flow.js');
const servers = require('./servers.js');

const ISSUER = 'https://login.test';
const ALICE = new Principal(ISSUER, 'alice', 'test-host');
const MALLORY = new Principal(ISSUER, 'mallory', 'test-host');
/** Past every life that a state can have. */
const LONG_AFTER_MS = 400 * 24 * 3_600_000;
const ROUNDS = 32;
const TIMEOUT_MS = 30_000;

/** A request on its way to a server that is called. */
class SentRequest {
  constructor(body, headers, { principal, http, paramHeaders }) {
    this.body = body;
    this.headers = headers;
    this.principal = principal;
    this.http = http;
    this.paramHeaders = Object.fromEntries(paramHeaders);
  }

  get message() {
    return JSON.parse(this.body);
  }

  get caller() {
    const { principal, paramHeaders } = this;
    return this.http ? { principal, headers: this.headers, paramHeaders } : { principal, paramHeaders };
  }
}

/** What hosts of one server have in common. */
class Shared {
  #next = 1;

  constructor(server) {
    this.server = server;
  }

  /** Sets ids aside, so that flows that are played at once have their own; the first one. */
  ids(count) {
    this.#next += count;
    return this.#next - count;
  }
}

const USUAL = {
  http: false,
  answers: [],
  otherwise: undefined,
  capabilities: undefined,
  clientInfo: undefined,
  headers: [],
  paramHeaders: [],
  principal: ALICE,
  other: undefined,
  otherHeaders: [],
  otherTarget: undefined,
  clock: undefined,
  firstRoundOnly: false,
  rounds: undefined,
};

/** Under which a host is made from parts. */
const PARTS = Symbol('parts');

class Host {
  #shared;
  #settings;

  constructor(engine, handler) {
    if (engine?.[PARTS]) {
      ({ shared: this.#shared, settings: this.#settings } = engine[PARTS]);
      return;
    }
    if (!(engine instanceof Engine)) throw invalid('a host is made for an engine and its handler, or by Host.url and its like');
    if (typeof handler !== 'function') throw invalid('a handler is a function');
    this.#shared = new Shared(servers.engineServer(engine, handler));
    this.#settings = { ...USUAL, other: MALLORY };
  }

  static #over(server) {
    return new Host({ [PARTS]: { shared: new Shared(server), settings: { ...USUAL, http: server.http } } });
  }

  #with(changes) {
    return new Host({ [PARTS]: { shared: this.#shared, settings: { ...this.#settings, ...changes } } });
  }

  static callable(server) {
    if (typeof server !== 'function') throw invalid('a server that is called is a function');
    return Host.#over(new servers.CallableServer(server));
  }

  static fetch(handler, url = 'http://127.0.0.1:8000/mcp') {
    if (typeof handler !== 'function') throw invalid('a fetch handler is a function');
    return Host.#over(new servers.FetchServer(handler, String(url)));
  }

  static listener(listener, options = {}) {
    if (typeof listener !== 'function') throw invalid('a listener is a function');
    checkNames(options, ['path', 'timeoutMs'], 'a listener has no option');
    const { path = '/mcp', timeoutMs = TIMEOUT_MS } = options;
    return Host.#over(new servers.ListenerServer(listener, text(path, 'path'), timeoutMs));
  }

  static url(url, options = {}) {
    checkNames(options, ['timeoutMs'], 'a URL has no option');
    return Host.#over(new servers.UrlServer(String(url), options.timeoutMs ?? TIMEOUT_MS));
  }

  static command(command, options = {}) {
    if (!Array.isArray(command) || command.length === 0) throw invalid('a command is a list: program and arguments');
    checkNames(options, ['env', 'cwd', 'timeoutMs'], 'a command has no option');
    const words = command.map(word => text(word, 'a word of the command'));
    return Host.#over(new servers.CommandServer(words, { timeoutMs: TIMEOUT_MS, ...options }));
  }

  answer(key, answer) {
    return this.#with({ answers: [...this.#settings.answers, [text(key, 'key'), decidable(answer)]] });
  }

  otherwise(answer) {
    return this.#with({ otherwise: decidable(answer) });
  }

  capabilities(capabilities) {
    return this.#with({ capabilities: written(capabilities, 'capabilities') });
  }

  clientInfo(info) {
    return this.#with({ clientInfo: written(info, 'clientInfo') });
  }

  http(on = true) {
    return this.#with({ http: Boolean(on) });
  }

  header(name, value) {
    return this.#with({ headers: [...this.#settings.headers, [text(name, 'name'), text(value, 'value')]] });
  }

  paramHeader(name, path) {
    const keys = (Array.isArray(path) ? path : [path]).map(key => text(key, 'path'));
    return this.#with({ paramHeaders: [...this.#settings.paramHeaders, [text(name, 'name'), keys]] });
  }

  principal(principal) {
    return this.#with({ principal: principalOf({ principal }) });
  }

  otherPrincipal(principal) {
    return this.#with({ other: principalOf({ principal }) });
  }

  otherHeader(name, value) {
    const { other = MALLORY, otherHeaders } = this.#settings;
    return this.#with({ other, otherHeaders: [...otherHeaders, [text(name, 'name'), text(value, 'value')]] });
  }

  otherTarget(target) {
    return this.#with({ otherTarget: text(target, 'target') });
  }

  clock(clock) {
    if (typeof clock?.advance !== 'function') throw invalid('a clock is a Clock of mcp-elicit/testing');
    return this.#with({ clock });
  }

  firstRoundOnly() {
    return this.#with({ firstRoundOnly: true });
  }

  rounds(most) {
    if (!(Number.isInteger(most) && most > 0 && most < 2 ** 31)) throw invalid('rounds: a whole number from 1');
    return this.#with({ rounds: most });
  }

  // ---- Flows

  async call(tool, args) {
    return this.request('tools/call', params('name', tool, args));
  }

  async prompt(prompt, args) {
    return this.request('prompts/get', params('name', prompt, args));
  }

  async read(uri) {
    return this.request('resources/read', params('uri', uri));
  }

  async request(method, given) {
    const { answers, otherwise, ...settings } = this.#settings;
    const functions = [];
    const frame = answer => (typeof answer === 'function' ? `f${functions.push(answer) - 1}` : frameOf(answer));
    const play = native.playNew({
      method: text(method, 'method'),
      params: written(given, 'params'),
      firstId: this.#shared.ids(settings.rounds ?? ROUNDS),
      clientInfo: settings.clientInfo,
      capabilities: settings.capabilities,
      http: settings.http,
      paramHeaders: settings.paramHeaders.map(([name, path]) => [name, ...path]),
      firstRoundOnly: settings.firstRoundOnly,
      rounds: settings.rounds,
      answers: answers.flatMap(([key, answer]) => [key, frame(answer)]),
      otherwise: otherwise && frame(otherwise),
    });
    return checked(await this.#play(play, functions, settings.headers, settings.principal));
  }

  async #play(play, functions, own, principal) {
    const { server } = this.#shared;
    for (let step; (step = JSON.parse(native.playStep(play))) !== null;) {
      if (step.send) {
        const { body, headers } = step.send;
        const settings = { ...this.#settings, principal };
        await server.exchange(new SentRequest(body, [...headers, ...own], settings), play);
      } else {
        const { place, question } = step.decide;
        native.playDecide(play, frameOf(await functions[place](question)));
      }
    }
    const flow = new Flow(play);
    if (flow.end === 'failed') await server.reset();
    return flow;
  }

  // ---- Attacks

  async attack(flow, name, what) {
    const { headers, principal, other, otherHeaders, clock } = this.#settings;
    const play = native.playAttack(playOf(flow), text(name, 'name'), what === undefined ? undefined : written(what, 'what'), this.#shared.ids(1));
    if (name === 'other_principal') {
      if (!other) throw invalid('the host knows of nobody else: give it otherPrincipal');
      const replaced = otherHeaders.map(([header]) => header.toLowerCase());
      const kept = headers.filter(([header]) => !replaced.includes(header.toLowerCase()));
      return this.#play(play, [], [...kept, ...otherHeaders], other);
    }
    if (name !== 'expired') return this.#play(play, [], headers, principal);
    if (!clock) throw invalid("the host has no clock to move: give it the engine's");
    clock.advance(LONG_AFTER_MS);
    try {
      return await this.#play(play, [], headers, principal);
    } finally {
      clock.advance(-LONG_AFTER_MS);
    }
  }

  async attackAll(flow) {
    const { other, otherTarget, clock } = this.#settings;
    const attacks = [];
    const usual = native.playUsualAttacks(playOf(flow));
    for (let at = 0; at < usual.length; at += 2) attacks.push([usual[at], usual[at + 1] || undefined]);
    if (otherTarget !== undefined) attacks.push(['other_target', otherTarget]);
    if (other) attacks.push(['other_principal']);
    if (clock) attacks.push(['expired']);
    const attacked = [];
    for (const [name, what] of attacks) {
      const its = await this.attack(flow, name, what);
      attacked.push(Object.freeze({ name, flow: its, held: native.playHeld(playOf(its), name, what) !== false }));
    }
    return attacked;
  }

  // ---- The server's life

  async close() {
    await this.#shared.server.close();
  }

  [Symbol.asyncDispose ?? Symbol.for('nodejs.asyncDispose')]() {
    return this.close();
  }
}

/** An answer of the script, or a function that gives one. */
function decidable(answer) {
  if (typeof answer !== 'function') frameOf(answer);
  return answer;
}

/** Parameters of a request; arguments that are JSON stay as they are. */
function params(member, name, args) {
  const named = `{"${member}":${JSON.stringify(text(name, member))}`;
  return args === undefined ? `${named}}` : `${named},"arguments":${written(args, 'arguments')}}`;
}

module.exports = { Host };
