// A host to test servers with: it plays the client, and the person from a script.
//
// One line tests a tool:
//
//   const host = new Host(engine, deploy).answer('target', accept({ environment: 'dev' }));
//   assert.equal((await host.call('deploy', { app: 'web' })).text, 'Deployed to dev.');
//
// The server may be an engine and its handler, any callable, a fetch handler, a listener of
// node:http, a URL, or a command that speaks stdio; it need not be made with this package. Every
// message is recorded, and `attackAll` does with a recorded flow what a foul client could do.
import type { RequestListener } from 'node:http';
import type { ElicitError, Engine, Handler, Principal, Reply, RequestContext } from './index.js';

// ---- What the person says

/** What the person says to a question. Made by the functions below. */
export class Answer {
  private constructor();
  private readonly response;
}

/** The person agrees; `content` is what they fill in: an object, or JSON. None for a link. */
export function accept(content?: object | string): Answer;
/** The person says no. */
export function decline(): Answer;
/** The person closes the dialog without choosing. */
export function cancel(): Answer;
/**
 * The person never answers: the key is left out of the next request. Where no question of a round
 * gets an answer, there is no next request.
 */
export function never(): Answer;
/**
 * Any object as the response, or its JSON: the CreateMessageResult of a model's turn, a
 * ListRootsResult, or what no honest host sends.
 */
export function result(response: object | string): Answer;

/** Looks at the question and says what the person says. */
export type Decision = (question: Question) => Answer | Promise<Answer>;

/** One question of a round. */
export interface Question {
  /** The key that its answer goes under. */
  readonly key: string;
  /** What kind of question it is. */
  readonly kind: 'form' | 'url' | 'sampling' | 'roots';
  /** The round whose reply asked it; the first is 1. */
  readonly round: number;
  /** Why it is asked; not for a model's turn and for roots. */
  readonly message?: string;
  /** The link, as it came and unchecked. */
  readonly url?: string;
  /** The `requestedSchema` of a form. */
  readonly schema?: any;
  /** The whole question, as it came: method and parameters. */
  readonly request: any;
}

// ---- The host

/** A request on its way to a server that is called. */
export interface SentRequest {
  /** The JSON-RPC message. */
  readonly body: string;
  /** The headers that the protocol wants where the host speaks HTTP, then those of the test. */
  readonly headers: [name: string, value: string][];
  /** Who sends it, as the test says. */
  readonly principal: Principal;
  /** Whether the host speaks HTTP. */
  readonly http: boolean;
  /** Which argument a header mirrors. */
  readonly paramHeaders: Record<string, string[]>;
  /** The message as an object, made anew each time. */
  readonly message: any;
  /** What `Engine.run` wants to know beside the message: `engine.run(request.body, handler, request.caller)`. */
  readonly caller: {
    principal: Principal;
    headers?: [name: string, value: string][];
    paramHeaders: Record<string, string[]>;
  };
}

/** What a callable returns: a message in any form, or an HTTP response. */
export type Returned = Reply | Response | string | Uint8Array | object;

/** What a client can do with a flow that it took part in. */
export type AttackName =
  /** Presents the state, changed, with the same answers. */
  | 'tamper_first' | 'tamper_middle' | 'tamper_last' | 'tamper_cut' | 'tamper_appended'
  | 'tamper_padded' | 'tamper_spaced' | 'tamper_doubled' | 'tamper_emptied'
  /** Presents state and answers once more. */
  | 'replay'
  /** Begins anew and gives the answers at once. */
  | 'unasked'
  /** Presents state and answers on another tool, with other arguments, as somebody else, too late. */
  | 'other_target' | 'other_arguments' | 'other_principal' | 'expired';

/**
 * Plays the client of a server, and the person from a script.
 *
 * `answer`, `capabilities` and their like return a new host that talks to the same server and leave
 * this one as it was, so that a host can be shared by tests. `call` and its like play a flow to its
 * end; they reject with a `FlowError` where it could not go on, and with what the server's own code
 * threw in this process. How else it ended, the flow says.
 */
export class Host {
  /**
   * A host for an engine and the handler that it runs. The principal is a user `alice` unless
   * `principal` says otherwise; requests have no headers unless `http` says so.
   */
  constructor(engine: Engine, handler: Handler);
  /** A host for anything that takes a request and returns what came back. */
  static callable(server: (request: SentRequest) => Returned | Promise<Returned>): Host;
  /** A host for a function from a request of the web's kind to a response, in this process. */
  static fetch(handler: (request: Request) => Response | Promise<Response>, url?: string | URL): Host;
  /**
   * A host for a listener of node:http, such as an express app, behind a port of its own on this
   * machine from the first request to `close`.
   */
  static listener(listener: RequestListener, options?: { path?: string; timeoutMs?: number }): Host;
  /** A host for an MCP endpoint over HTTP. Follows no redirect, uses no proxy. */
  static url(url: string | URL, options?: { timeoutMs?: number }): Host;
  /**
   * A host for a command that speaks stdio, a message a line: program and arguments. It is started
   * for the first request, and anew after a flow that failed; `close` ends it. What it writes to its
   * error stream goes to the test's.
   */
  static command(
    command: readonly string[],
    options?: { env?: NodeJS.ProcessEnv; cwd?: string | URL; timeoutMs?: number },
  ): Host;

  /**
   * What the person says to the question under `key`. Given more than once for a key, the answers
   * are said in turn, and the last one stays. A question without an answer fails the flow.
   */
  answer(key: string, answer: Answer | Decision): Host;
  /** What the person says to every question whose key has no answer of its own. */
  otherwise(answer: Answer | Decision): Host;
  /** What the client declares that it can be asked. Else forms and links; `{}` is nothing. */
  capabilities(capabilities: object | string): Host;
  /** What the client says of itself: an object with name and version, or null for nothing. */
  clientInfo(info: object | string | null): Host;
  /** Whether requests have the headers of HTTP. Else they do but for an engine, a callable, a command. */
  http(on?: boolean): Host;
  /** Adds a header to every request, such as `Authorization`. */
  header(name: string, value: string): Host;
  /** Mirrors the argument at `path` in `Mcp-Param-{name}`, where the tool has `x-mcp-header`. */
  paramHeader(name: string, path: string | readonly string[]): Host;
  /** Who makes the requests, for servers that are called. */
  principal(principal: RequestContext['principal']): Host;
  /** Who somebody else is, for the attack `other_principal`. */
  otherPrincipal(principal: RequestContext['principal']): Host;
  /** A header by which somebody else is known, in place of the one of this name. */
  otherHeader(name: string, value: string): Host;
  /** Another tool, prompt or resource of the server, for `attackAll`. */
  otherTarget(target: string): Host;
  /** The clock that the engine was made with, for the attack `expired`. */
  clock(clock: Clock): Host;
  /** Ends each flow with the first reply, whatever it is. */
  firstRoundOnly(): Host;
  /** How many requests a flow may have. Else 32. */
  rounds(most: number): Host;

  /** Calls a tool, and plays the flow to its end. */
  call(tool: string, args?: object | string): Promise<Flow>;
  /** Gets a prompt, and plays the flow to its end. */
  prompt(prompt: string, args?: object | string): Promise<Flow>;
  /** Reads a resource, and plays the flow to its end. */
  read(uri: string): Promise<Flow>;
  /** Sends any request, and plays the flow to its end. `params`: without what the host adds. */
  request(method: string, params: object | string): Promise<Flow>;

  /**
   * Attacks the server with a flow that this host played: one request, one reply. `what` is the
   * other target, or the other arguments (an object or JSON).
   *
   * Rejects with an `ElicitError` (`invalid_argument`) where the flow does not hold what the attack
   * needs, or the host lacks it: a clock, somebody else.
   */
  attack(flow: Flow, name: AttackName, what?: string | object): Promise<Flow>;
  /**
   * Makes every attack that this host can with a flow that it played: all but `replay`, which
   * nothing but the server's own purpose can judge; those with somebody else, another target and a
   * clock as far as the host knows them.
   */
  attackAll(flow: Flow): Promise<Attacked[]>;

  /** Ends what was started: a listener's port, a command. The next request starts it anew. */
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/** An attack that was made, and what came of it. */
export interface Attacked {
  /** What was done. */
  readonly name: AttackName;
  /** One round: what was sent and what came back. */
  readonly flow: Flow;
  /** Whether the server held; true where the protocol leaves it open (`replay`). */
  readonly held: boolean;
}

// ---- What became of it

/** A flow that was played, whole or in part. */
export class Flow {
  private constructor();
  /**
   * How it ended: with a result, with an error that the server replied, because the person never
   * answered, after the first round where no more was wanted, or because it could not go on.
   */
  readonly end: 'complete' | 'error' | 'abandoned' | 'first_round' | 'failed';
  /** Whether it ended with a result. */
  readonly isComplete: boolean;
  /** The result. @throws FlowError where there is none. */
  readonly result: any;
  /** The same as JSON, digits and all. @throws FlowError where there is none. */
  readonly resultText: string;
  /**
   * The texts of a tool's content, a prompt's messages or a resource's contents, joined by newlines.
   * @throws FlowError where there is no result.
   */
  readonly text: string;
  /** Whether the result is a tool's error (`isError`), which a model is meant to read. */
  readonly isToolError: boolean;
  /** The error that the server replied, where it did. */
  readonly error: { readonly code: number; readonly message: string; readonly data?: any } | undefined;
  /** How many requests were sent. */
  readonly rounds: number;
  /** Everything that was asked, in order; what was asked twice stands there twice. */
  readonly questions: readonly Question[];
  /** The question under `key` as it was asked last. */
  question(key: string): Question | undefined;
  /** Every message, in order. */
  readonly messages: readonly Message[];
  /** The last message that came from the server; empty where none came. */
  readonly reply: string;
  /** The HTTP status of the last reply; undefined where the flow did not go over HTTP. */
  readonly status: number | undefined;
  /** All messages, one a line: `-> {…}` was sent, `<- HTTP 200 {…}` or `<- {…}` came. */
  readonly transcript: string;
}

/** One message that crossed the wire. */
export interface Message {
  /** Whether the host sent it; otherwise it came from the server. */
  readonly sent: boolean;
  /** The message as it was; empty for an HTTP response without one. */
  readonly text: string;
  /** The HTTP status of a reply that came over HTTP. */
  readonly status?: number;
  /** The headers that the protocol wants of a request over HTTP. */
  readonly headers: readonly (readonly [name: string, value: string])[];
}

/**
 * A flow did not come to what the test wanted of it. Its message ends with the whole transcript.
 *
 * `kind` says why: `application` (the server replied an error; `code` and `data` are its own),
 * `invalid_reply` (the server broke the protocol, or did not answer; `faults` says where),
 * `invalid_argument` (the server asked what the test has no answer to, or the person never
 * answered).
 */
export class FlowError extends ElicitError {
  private constructor();
  readonly name: any;
  /** The flow as far as it came. */
  readonly flow: Flow;
}

/**
 * A clock that stands still until a test moves it. Give it to the engine
 * (`new Engine({ clock: clock.now, … })`) and to the host (`host.clock(clock)`).
 */
export class Clock {
  /** @param nowMs Milliseconds since 1970-01-01T00:00:00Z; else 2026-01-01T00:00:00Z. */
  constructor(nowMs?: number);
  /** Where it stands. */
  nowMs: number;
  /** The time, as `new Engine` wants it. */
  readonly now: () => number;
  /** Moves it on. */
  advance(byMs: number): void;
}
