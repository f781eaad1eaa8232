// Ask the user, from any MCP server: revision 2026-07-28 of the Model Context Protocol.
//
// A handler runs again on every round of a request. Questions that were answered return at once;
// those that were not are collected and go out together when the handler first reads one of them.
// Names are those of the other languages, in camelCase.
import type {
  ContentOf, Form, FormContent, FormSchema, NoType, OutputOf, PrintingType,
} from './lib/form.js';

export * from './lib/form.js';

/** The revision of the protocol that is spoken, as it stands in `_meta`. */
export const PROTOCOL_VERSION: string;

/** Makes a key for `MCP_ELICIT_KEYS`: 32 random bytes as text. */
export function keygen(): string;

// ---- Engine

/**
 * Configured once, shared by every request. Keeps nothing of a request: what a flow must remember
 * is in its sealed `requestState`, so that any instance with the same keys serves the next round.
 *
 * An engine belongs to the thread that made it; each worker makes its own, with the same options.
 */
export class Engine {
  /** @throws ElicitError `config` where keys or audience are missing or weak, or a limit is out of range. */
  constructor(options: EngineOptions);

  /**
   * An engine with the keys in `MCP_ELICIT_KEYS` (separated by commas: the first seals, all open).
   * @throws ElicitError `config` also where the variable is not set.
   */
  static fromEnv(options: Omit<EngineOptions, 'keys' | 'ephemeral'>): Engine;

  /**
   * Opens the call, runs the handler, and turns whatever happened into a reply. Everything that
   * the peer must be told is a reply: a malformed request, a refused state, a missing capability.
   *
   * A handler cannot finish by accident while a question is open: if it returns a result all the
   * same, or catches the suspension, the reply is `input_required` and the log hook hears of it.
   *
   * @param request The whole JSON-RPC message. Hand over the raw text or its bytes: an object has
   * been through `JSON.parse`, which loses the digits of numbers beyond 2^53 and all but the last
   * of repeated keys, so that the engine no longer sees what was sent.
   * @param handler Gives a result, or the reply of `call.complete`, `call.suspend` or `call.fail`.
   * It may be async; what it leaves running when it returns can no longer use the call.
   * @throws ElicitError `not_a_call` for a method that cannot carry input (use `check` and answer
   * it yourself), and faults of the server's own, such as a question that cannot be asked. What
   * the handler throws of its own goes on to the caller.
   */
  run(request: Message, handler: Handler, context: RequestContext): Promise<Reply>;

  /**
   * Opens a call for a loop of your own: ask, then `suspend` or `complete`.
   * @throws ElicitError whose `reply` is what the peer must be told; `not_a_call` as in `run`.
   */
  open(request: Message, context: RequestContext): Call;

  /**
   * Opens a call from parameters that somebody parsed from the message already. Replies are the
   * result or error object alone, without its envelope.
   * @throws ElicitError as `open`.
   */
  openParams(method: string, params: Message, context: RequestContext): Call;

  /**
   * Checks the envelope of a message of any method: JSON, `_meta`, version, headers. For what a
   * server answers by itself, such as `server/discover` and `tools/list`.
   * @throws ElicitError whose `reply` is what the peer must be told.
   */
  check(request: Message, context?: Omit<RequestContext, 'principal'>): Envelope;
}

/** What an engine is made of. */
export interface EngineOptions {
  /**
   * The keys: the first seals, all open. As text (64 or more hexadecimal digits are hex, anything
   * else is base64url; a single string may hold several, separated by commas) or as bytes; each at
   * least 32 bytes of secret.
   */
  keys?: string | readonly string[] | readonly Uint8Array[];
  /**
   * Runs on a key of its own that is never written down: no state survives a restart or opens in
   * another instance. The log hook is told once.
   */
  ephemeral?: boolean;
  /** Names the service. State sealed for one audience does not open for another. */
  audience: string;
  /** Usually `encrypted`. `signed`: whoever holds a state can read all of it, and change nothing. */
  stateFormat?: 'encrypted' | 'signed';
  limits?: Limits;
  /** Name and version of the server, which every result then carries in its `_meta`. */
  serverInfo?: { readonly name: string; readonly version: string; readonly [member: string]: unknown };
  /** Milliseconds since 1970. For tests; usually the system's clock. */
  clock?: () => number;
  /**
   * Gives `count` unpredictable bytes. For tests: with bytes that can be foreseen nothing sealed is
   * secret. Usually the system's source.
   */
  random?: (count: number) => Uint8Array;
  /**
   * Hears what the operator should know and the peer must not. Called at once, on this thread,
   * while a call is at work: it cannot use that call. What it throws is dropped.
   *
   * An engine with a `clock`, `random` or `log` of yours lives as long as its thread.
   */
  log?: (event: LogEvent) => void;
  /**
   * Where claims are kept: a `MemoryStore`, `SqliteStore` or `RedisStore`, or any object with the
   * methods of a `Store`. Shared by the processes of a service, it makes them one claim a flow.
   */
  store?: Store;
}

/** Bounds on what a peer, or a handler gone wrong, can make the engine do. What is left out is the usual. */
export interface Limits {
  /** Length of a request, in bytes. Usually 4 MiB. */
  requestBytes?: number;
  /** Length of a `requestState`, in bytes. Usually 64 KiB. */
  tokenBytes?: number;
  /** Arrays and objects inside one another in any JSON. Usually 64. */
  depth?: number;
  /** Properties of a form. Usually 64. */
  schemaProperties?: number;
  /** Choices of a form, all its fields together. Usually 1000. */
  schemaOptions?: number;
  /** Rounds of a flow that bring a new question. Usually 16. */
  questionRounds?: number;
  /** Times that a question is asked again after an invalid answer. Usually 3. */
  reasks?: number;
  /** How long a person may take over a round. Usually 10 minutes. */
  roundTtlMs?: number;
  /** How long a flow may take. Usually 1 hour. */
  flowTtlMs?: number;
  /**
   * How long the winner of a claim may be at work before its outcome counts as unknown. Usually 1
   * minute; below `flowTtlMs`.
   */
  claimWaitMs?: number;
  /** How far the clocks of a fleet may stand apart. Usually 1 minute. */
  clockSkewMs?: number;
}

/** Something that the operator should know. Holds no secret and nothing that a person answered. */
export interface LogEvent {
  level: 'info' | 'warning';
  /** Stable name, such as `state_refused` or `suspension_swallowed`. */
  name: string;
  /** Stable name of the cause, such as `forged`; empty where there is one only. */
  reason: string;
  /** A sentence for a person. */
  message: string;
  /** The flow it is about; empty where there is none. */
  flowId: string;
}

/** A JSON-RPC message, or its parameters: the raw text (best), its bytes, or what was parsed from it. */
export type Message = string | Uint8Array | object;

/** What a handler gives: a result, to which `resultType` is added, or its JSON; or a finished reply. */
export type Handler = (call: Call) => object | string | Reply | PromiseLike<object | string | Reply>;

/** Who sends a request and how it came. */
export interface RequestContext {
  /**
   * Who makes the request, from credentials that the server has verified, never from the request.
   * State is bound to it: what one principal began, no other can go on with. There is no default.
   */
  principal: Principal | { readonly issuer: string; readonly subject: string; readonly client: string };
  /**
   * The headers, where the request came over HTTP, even if there are none: they are then checked
   * against the body. Left out or null: a transport without headers, as stdio.
   *
   * Of node:http best `rawHeaders`, in which a header that was sent twice is there twice; also
   * `headers`, a `Headers`, a `Map`, or a list of pairs.
   */
  headers?: HeadersLike | null;
  /**
   * The arguments of the tool that have an `x-mcp-header`: from what follows `Mcp-Param-` to the
   * name of the argument, or the names that lead to it.
   */
  paramHeaders?: Readonly<Record<string, string | readonly string[]>> | ReadonlyMap<string, string | readonly string[]> | null;
}

export type HeadersLike =
  | Readonly<Record<string, string | readonly string[] | undefined>>
  | Iterable<readonly [string, string]>
  | readonly string[];

/** Who makes a request. Immutable. */
export class Principal {
  /**
   * A user at an OAuth client: `issuer` and `subject` say who it is (`iss` and `sub` of a verified
   * token), `client` which client acts (`client_id` or `azp`). Where credentials know no issuer or
   * no client, give a constant of your own. None may be empty.
   */
  constructor(issuer: string, subject: string, client: string);
  /** The one person whom the server is for, as over stdio. */
  static singleUser(): Principal;
  /** Nobody in particular: state is bound to no one, whoever holds it can go on with it. */
  static none(): Principal;
  readonly kind: 'user' | 'single_user' | 'none';
  readonly issuer?: string;
  readonly subject?: string;
  readonly client?: string;
}

// ---- Call

/**
 * One client request passing through the engine: one round of a flow. Finished once: by `suspend`,
 * `complete` or `fail`, or by `run`; what is asked of it after that throws `finished`.
 *
 * What runs for the call cannot use it: hooks of the engine while they are called, and a type that
 * is printed, or judges an answer, for one of its questions. It gets `invalid_argument`, thrown at
 * once by every member, also by those that give a promise.
 */
export interface Call {
  readonly method: 'tools/call' | 'prompts/get' | 'resources/read';
  /** The name of the tool or prompt, or the URI of the resource. */
  readonly target: string;
  /** The arguments as the engine read them; empty where there are none. Use these, not the body's. */
  readonly arguments: Record<string, any>;
  /** The same as JSON, with every digit as it was sent. */
  readonly argumentsText: string;
  /** The name of the flow: the same in all its rounds, unguessable, no secret. 22 characters of base64url. */
  readonly flowId: string;
  /** Which round of the flow this is; the first is 1. */
  readonly round: number;
  readonly principal: Principal;
  readonly protocolVersion: string;
  /** What the client says of itself; nobody has verified it. */
  readonly clientInfo: Record<string, unknown> | undefined;
  /** What the client declared that it can do. */
  readonly clientCapabilities: Record<string, unknown>;
  /** Whether a question of this round is open: the call can then only be suspended. */
  readonly isPending: boolean;

  /** Whether the client declared that it can show this kind of question. */
  canElicit(mode: Mode): boolean;

  /**
   * Asks with a form, or gives the outcome when it was answered.
   * @param key Names the question: the same on every round.
   * @param message Says why it is asked.
   *
   * With a type of Zod, Valibot or ArkType (any that speaks Standard Schema and prints JSON Schema,
   * see `Form.of`) the content is what the type makes of the answer:
   *
   *     const Target = z.object({ environment: z.enum(['dev', 'prod']), replicas: z.int().min(1) });
   *     const target = call.elicitForm('target', 'Where to?', Target);
   *     if (target.action === 'accept') scale(target.content.environment, target.content.replicas);
   *
   * What its refinements refuse is asked again like any invalid answer. They run on every round:
   * once one refuses what was accepted in an earlier round, the question is asked again.
   *
   * @param form A form, a type, or a schema of the protocol's grammar. An object is read once, and
   * must not change after that; JSON is read each time.
   * @throws ElicitError `invalid_ask`, `schema` with everything that a form cannot carry in
   * `faults`, `conflict` where the key stands for another question in this round,
   * `invalid_argument` for a type that judges asynchronously; what the type throws.
   */
  elicitForm<T>(key: string, message: string, form: Form<T>, options?: AskOptions): Outcome<T>;
  elicitForm<S extends PrintingType>(key: string, message: string, form: S, options?: SchemaAskOptions): Outcome<OutputOf<S>>;
  elicitForm<const S extends FormSchema>(key: string, message: string, form: S, options?: SchemaAskOptions): Outcome<ContentOf<S>>;
  elicitForm<T = FormContent>(key: string, message: string, form: string | NoType, options?: SchemaAskOptions): Outcome<T>;

  /**
   * Asks for a visit to a link, or gives the outcome when it was made.
   * @param url An absolute https URL; http for this machine. Counts on the first round alone: the
   * link that was given first is kept.
   * @param done Your word whether the visit is done, from your own records: a client's accept only
   * says that the person agreed to go. Accepted and not done asks again; done without having been
   * asked is accepted with source `grant`.
   * @throws ElicitError as `elicitForm`, and `invalid_ask` for a link that cannot be asked.
   */
  elicitUrl(key: string, message: string, url: string | { readonly href: string }, done: boolean, options?: AskOptions): Outcome<undefined>;

  /**
   * Asks what the JSON of an `elicitation/create` request, or its `params`, says.
   * @throws ElicitError as `elicitForm` and `elicitUrl`.
   */
  elicit<T = FormContent | undefined>(key: string, request: string | object, options?: AskOptions & { done?: boolean }): Outcome<T>;

  /**
   * Asks the client's model for a turn; the outcome's action is `answer`, its content the
   * CreateMessageResult. Deprecated by the revision, which advises to talk to a provider directly.
   * @param params The parameters of `sampling/createMessage`, or their JSON.
   * @throws ElicitError `invalid_ask` with everything that is wrong in `faults`, `conflict`.
   */
  createMessage<T = Record<string, any>>(key: string, params: string | object, options?: AskOptions): Outcome<T>;

  /**
   * Asks for the folders that the client works in; the outcome's action is `answer`, its content
   * the ListRootsResult. Deprecated by the revision, which advises arguments or configuration.
   * @throws ElicitError `invalid_ask`, `conflict`.
   */
  listRoots(key: string, options?: AskOptions): Outcome<{ roots: { uri: string; name?: string }[] }>;

  /**
   * Runs `work` once a flow: its result, as JSON, is kept in the sealed state, and later rounds
   * give it back without running `work` again. What throws is not kept. No promise that an effect
   * happens at most once: a client that presents an older state runs `work` again. `work` can
   * use the call, and cannot finish it.
   * @param options `readable`: the client may read the result; only such results can stand in a
   * signed state.
   * @throws ElicitError `invalid_ask` for a key that cannot be used; what `work` throws.
   */
  step<T>(key: string, work: () => T | PromiseLike<T>, options?: { readable?: boolean }): Promise<T>;

  /** Data of your own in the state, from an earlier round or this one. */
  readonly appData: Uint8Array | undefined;
  /**
   * Puts data of your own into the state, in place of what was there; undefined takes it out.
   * @throws ElicitError `limit` where it alone is over the limit of a state.
   */
  setAppData(data: Uint8Array | string | undefined): void;

  /**
   * Claims the effect of this flow: the first claim wins, across threads, processes and languages
   * that share the store. Call it just before the effect. What the handler of `run` then returns
   * finishes the claim's record before it goes out; a loop of your own ends with `completeAsync`.
   *
   * Asked again in the same call it gives the same answer, also at once: of one handler's claims
   * all have won. After an error of the store it asks again, and finds what this call may have put
   * there. (mrtr, server requirement 5.)
   *
   * @throws ElicitError `store`, which may be tried again, where the store did not answer within
   * its time limit, failed, or holds what is no record of ours: do not do the effect. `config`
   * where the engine has no store, `limit` past the flow's deadline, `invalid_argument`.
   */
  claim(options?: ClaimOptions): Promise<Claimed>;
  /** Whether this call has won a claim that is not finished. */
  readonly hasClaim: boolean;
  /**
   * Gives the claim back where the effect certainly did not happen, so that a later call can win
   * it. Nothing where this call has none.
   * @throws ElicitError `store`; the claim then stays with this call.
   */
  releaseClaim(): Promise<void>;
  /**
   * A name for the effect of this flow, for the provider behind it ("idempotency key"): the same
   * in every call of the flow, whoever wins the claim, and in no other flow. 43 characters of
   * base64url; no secret, and does not tell the flow id.
   */
  readonly idempotencyKey: string;

  /**
   * Replies with the open questions and the sealed state.
   * @throws ElicitError `nothing_asked` where no question is open, `limit` where one is met.
   */
  suspend(): Reply;

  /**
   * Replies with the sealed state alone: the client comes back by itself, perhaps at once, and the
   * handler runs again. For work that goes on elsewhere.
   * @throws ElicitError as `suspend`, without `nothing_asked`.
   */
  retryLater(): Reply;

  /**
   * Replies with a result, an object or its JSON; `resultType` is added.
   * @throws ElicitError `question_open` while a question is open, `invalid_result`;
   * `invalid_argument` where the call holds a claim, which `completeAsync` finishes.
   */
  complete(result: string | object): Reply;

  /**
   * `complete`, which first finishes the record of the claim that the call holds. Where the store
   * fails now, the effect has happened: the result goes out, and the log hook hears that later
   * calls will find the outcome unknown.
   * @param options `remember`: records the result too, as in `claim`.
   * @throws ElicitError as `complete`.
   */
  completeAsync(result: string | object, options?: { remember?: boolean }): Promise<Reply>;

  /**
   * Replies with an error of your own; message and data go to the peer.
   * @throws ElicitError `invalid_result` for a code that the protocol keeps for itself.
   */
  fail(code: number, message: string, data?: unknown): Reply;
}

/** How a claim is taken, where the usual way will not do. */
export interface ClaimOptions {
  /**
   * How long another call may be at work before its outcome counts as unknown, in milliseconds.
   * Usually the limit `claimWaitMs`; below the life of a flow.
   */
  waitMs?: number;
  /**
   * Frees the claim of a winner that has not finished after so many milliseconds, so that the next
   * call wins. The effect can then happen more than once (at least once): only for effects that
   * bear it, or whose provider honours the `idempotencyKey`. At least 1.
   */
  leaseMs?: number;
  /** Records the result when the call is completed, for a client that lost the reply. Up to 16 MiB. */
  remember?: boolean;
}

/** What became of a claim. */
export type Claimed =
  /** This call is the first: do it now. */
  | { readonly status: 'won' }
  /** It was done by an earlier call, which left no result. */
  | { readonly status: 'already' }
  /** It was done by an earlier call: return `resultText`, its result with every digit. */
  | { readonly status: 'recorded'; readonly result: Record<string, any>; readonly resultText: string }
  /** Another call is at it: return `call.retryLater()`, or say so. */
  | { readonly status: 'in_progress' }
  /**
   * Another call was at it and did not come to an end: whether it was done is not known. Find out,
   * for example from the provider by the `idempotencyKey`, or say so.
   */
  | { readonly status: 'unknown' };

// ---- Stores

/**
 * A key-value place with expiry: what a store of your own must be. Each method may give its value
 * or a promise of it, and must be atomic; what is longer than `timeLimitMs` away, thrown or of
 * another type is an error of kind `store`. Values are sealed before they come here. Keys are 1 to
 * 128 characters of `a-z A-Z 0-9 : - _`.
 */
export interface Store {
  /** The value under a key; undefined or null where there is none. */
  get(key: string): MaybePromise<Uint8Array | null | undefined>;
  /** Puts a value for so many milliseconds where there is none; otherwise gives what is there. */
  putIfAbsent(key: string, value: Uint8Array, ttlMs: number): MaybePromise<Uint8Array | null | undefined>;
  /** Puts a value in place of `expected`, compared byte for byte; whether that was there. */
  compareAndSet(key: string, expected: Uint8Array, value: Uint8Array, ttlMs: number): MaybePromise<boolean>;
  /** Deletes a value if it is `expected`; whether it was there. */
  compareAndDelete(key: string, expected: Uint8Array): MaybePromise<boolean>;
  /** How long an operation may take, in milliseconds: 1 to 3600000. Usually 2000. */
  readonly timeLimitMs?: number;
}

export type MaybePromise<T> = T | PromiseLike<T>;

/**
 * A store in this thread, bounded, and gone with it: for one process and for tests. Each worker
 * has its own. Full of what has not expired, it fails with `store`.
 */
export class MemoryStore implements Store {
  /**
   * @param options `capacity`: about how many bytes at most, keys and values counted, a sixteenth
   * of it for the longest value. Usually 64 MiB.
   * @throws ElicitError `invalid_argument`.
   */
  constructor(options?: { capacity?: number });
  get(key: string): Uint8Array | undefined;
  putIfAbsent(key: string, value: Uint8Array, ttlMs: number): Uint8Array | undefined;
  compareAndSet(key: string, expected: Uint8Array, value: Uint8Array, ttlMs: number): boolean;
  compareAndDelete(key: string, expected: Uint8Array): boolean;
}

/**
 * A store in a SQLite file, shared by the processes and threads of one machine, also by those in
 * other languages; every write is on the disk before it is answered. The file must not lie on a
 * network drive.
 *
 * Works on a thread of its own (a worker), so that nothing else waits for the file; an idle one
 * does not keep the process alive. Opens the file when it is first needed: a file that cannot be
 * opened fails the operation with `store`, and the next tries again.
 */
export class SqliteStore implements Store {
  /**
   * @param path The file, made where there is none.
   * @param options `timeLimitMs`: how long an operation may take, waiting for other processes
   * included. Usually 2000.
   * @throws ElicitError `invalid_argument`.
   */
  constructor(path: string | URL, options?: { timeLimitMs?: number });
  readonly timeLimitMs: number;
  get(key: string): Promise<Uint8Array | undefined>;
  putIfAbsent(key: string, value: Uint8Array, ttlMs: number): Promise<Uint8Array | undefined>;
  compareAndSet(key: string, expected: Uint8Array, value: Uint8Array, ttlMs: number): Promise<boolean>;
  compareAndDelete(key: string, expected: Uint8Array): Promise<boolean>;
  /** Ends the thread when what was asked before is done. What is asked later fails with `store`. */
  close(): Promise<void>;
}

/**
 * A store in Redis 2.8 or later, or what speaks its protocol, by the client that you have: of
 * `redis` 5 (a client, pool, cluster or sentinel) or of `ioredis` 5. One round trip and one key an
 * operation; the keys and values are those of the other languages. Connecting, its errors and
 * closing stay yours: give a client of `redis` an `error` listener.
 *
 * The client connects again by itself; an operation whose connection broke is repeated once.
 * Servers that evict (`maxmemory-policy` other than `noeviction`) can lose claims.
 */
export class RedisStore implements Store {
  /**
   * @param options `timeLimitMs`: how long an operation may take, connecting again included.
   * Usually 2000.
   * @throws ElicitError `config` where the client is none of these, `invalid_argument`.
   */
  constructor(client: RedisClient, options?: { timeLimitMs?: number });
  readonly timeLimitMs: number;
  get(key: string): Promise<Uint8Array | undefined>;
  putIfAbsent(key: string, value: Uint8Array, ttlMs: number): Promise<Uint8Array | undefined>;
  compareAndSet(key: string, expected: Uint8Array, value: Uint8Array, ttlMs: number): Promise<boolean>;
  compareAndDelete(key: string, expected: Uint8Array): Promise<boolean>;
}

/** What is used of a client of `redis` 5 or `ioredis` 5. */
export type RedisClient =
  | { withCommandOptions(options: any): any; eval(...given: any[]): any }
  | { callBuffer(...given: any[]): any };

export type Mode = 'form' | 'url';

/** How a question is asked, where the usual way will not do. */
export interface AskOptions {
  /** Lets a link be http to a host other than this machine. For development. */
  allowInsecureHttp?: boolean;
  /** Takes an answer that came with the first request, before the question was ever asked. */
  acceptUnasked?: boolean;
  /** What to do where the client cannot be asked this kind of question. Usually `error`. */
  unavailable?: Policy;
  /**
   * What to do where the answer is cancel, for hosts without a person that cancel everything.
   * Usually a cancel is a cancel.
   */
  onCancel?: Exclude<Policy, 'error'>;
  /**
   * The fields of a form that the model may give as arguments of the call, under the same names.
   * What it gives and the form accepts is not asked again.
   */
  arguments?: readonly string[];
  /** Takes nothing but the user's own answer to this question. The way to guard anything dangerous. */
  humanOnly?: boolean;
  /** After an invalid answer asks for the wrong fields alone. Usually the whole form goes out again. */
  reaskInvalidOnly?: boolean;
  /** The texts that tell a person what was wrong with an answer, by key, in place of those of `Form.messages()`. */
  messages?: Readonly<Record<string, string>>;
}

/** The options of an ask that is given a type or a schema; a form has its own from where it was made. */
export interface SchemaAskOptions extends AskOptions {
  /** Why a field whose name looks like a secret is none. The protocol forbids a form to ask for one. */
  allowSensitiveName?: string;
}

/**
 * error: reply -32021 and name the capability that is missing. tool_error: complete the tool call
 * with `isError` and a text that names the argument to give. defaults: take the schema's, where
 * they make a valid answer. outcome: give the handler the action `unavailable`.
 */
export type Policy = 'error' | 'tool_error' | 'defaults' | 'outcome';

/**
 * What became of a question, told apart by `action`. Reading anything but `isPending` while nobody
 * has answered throws `Suspended`, which ends this run of the handler: let it through. To put
 * several questions into one round, ask them all before reading any.
 */
export type Outcome<T = FormContent> = Accepted<T> | Answered<T> | NotAccepted | Unavailable | Invalid;

interface OutcomeMembers {
  /** Whether nobody has answered yet. Never throws. */
  readonly isPending: boolean;
}

/** The person said yes. */
export interface Accepted<T = FormContent> extends OutcomeMembers {
  readonly action: 'accept';
  /** The answer of a form, checked against it; undefined for a link. */
  readonly content: T;
  /** The same as JSON, with every digit as it was sent. */
  readonly contentText: T extends undefined ? undefined : string;
  readonly source: Source;
  readonly reason: undefined;
  readonly faults: readonly [];
}

/** What came back for a model's turn or for the roots; these know no yes and no. */
export interface Answered<T> extends OutcomeMembers {
  readonly action: 'answer';
  readonly content: T;
  readonly contentText: string;
  readonly source: undefined;
  readonly reason: undefined;
  readonly faults: readonly [];
}

/** decline: the person said no. cancel: the person closed it without choosing. */
export interface NotAccepted extends OutcomeMembers {
  readonly action: 'decline' | 'cancel';
  readonly content: undefined;
  readonly contentText: undefined;
  readonly source: undefined;
  readonly reason: undefined;
  readonly faults: readonly [];
}

/** Nobody can be asked; given where the ask says `unavailable: 'outcome'` or `onCancel: 'outcome'`. */
export interface Unavailable extends OutcomeMembers {
  readonly action: 'unavailable';
  readonly content: undefined;
  readonly contentText: undefined;
  readonly source: undefined;
  /** capability: the client declared none for this. cancelled: the answer was cancel. */
  readonly reason: 'capability' | 'cancelled';
  readonly faults: readonly [];
}

/** What came back was still wrong after the last time of asking. */
export interface Invalid extends OutcomeMembers {
  readonly action: 'invalid';
  readonly content: undefined;
  readonly contentText: undefined;
  readonly source: undefined;
  readonly reason: undefined;
  readonly faults: readonly Fault[];
}

/** Where an accepted answer came from. */
export type Source = 'user' | 'argument' | 'default' | 'grant';

/** A place that is at fault, and the rule against which it is. */
export interface Fault {
  /** JSON pointer to the place; empty for the whole. */
  readonly path: string;
  /** Stable id of the rule, such as `minLength`. */
  readonly rule: string;
  /** A sentence for a person: what is wrong and what to do instead. */
  readonly message: string;
}

/** What goes back to the client. */
export interface Reply {
  /** One line of JSON: a whole message, or the result or error object alone after `openParams`. */
  readonly body: string;
  /** The HTTP status to send it with. */
  readonly status: number;
  /** The HTTP headers to send it with, names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly kind: 'complete' | 'input_required' | 'error';
  /** What kind of error it is, where it is one. */
  readonly errorKind: ErrorKind | undefined;
}

/** A message whose envelope, `_meta` and headers are sound. */
export interface Envelope {
  readonly method: string;
  /** The id; undefined for a notification, which gets no reply. */
  readonly id: string | number | undefined;
  /** The same as JSON, to put into the reply as it came. */
  readonly idText: string | undefined;
  readonly params: Record<string, any> | undefined;
  readonly paramsText: string | undefined;
  /** What the client says of itself; nobody has verified it. */
  readonly clientInfo: Record<string, unknown> | undefined;
  /** Whether the client declared that it can show this kind of question. */
  canElicit(mode: Mode): boolean;
}

// ---- What is thrown

/** Every error of this package. Its message is safe to log: it holds no secret and no answer. */
export class ElicitError extends Error {
  /**
   * An error of your own: thrown from a handler it is the reply, with message and data for the
   * peer. The code lies outside -32768 to -32000, or is one of JSON-RPC's own.
   */
  constructor(message: string, options: { code: number; data?: unknown; cause?: unknown });
  readonly name: 'ElicitError';
  /** What kind of error it is. Compare this, never messages. */
  readonly kind: ErrorKind;
  /** The JSON-RPC code. */
  readonly code: number;
  /** The HTTP status of a reply with it. */
  readonly httpStatus: number;
  /** Whether the peer is told its message and data, or only "Internal error". */
  readonly isForPeer: boolean;
  /** Each place at fault, where it is about places. */
  readonly faults: readonly Fault[];
  /** The `data` member on the wire. */
  readonly data: any;
  /** What to send to the peer; undefined for `not_a_call`, which is yours to answer. */
  readonly reply: Reply | undefined;
}

export type ErrorKind =
  | 'parse_error' | 'invalid_request' | 'not_a_call' | 'invalid_params' | 'invalid_meta'
  | 'invalid_state' | 'header_mismatch' | 'missing_capability' | 'unsupported_version'
  | 'schema' | 'invalid_ask' | 'conflict' | 'question_open' | 'nothing_asked' | 'finished'
  | 'invalid_result' | 'invalid_reply' | 'limit' | 'store' | 'config' | 'invalid_argument' | 'internal' | 'application';

/**
 * Ends a handler's run while a question is open: thrown by reading a pending outcome. No `Error`,
 * since nothing went wrong. Where you catch everything, throw it on: `if (isSuspended(error)) throw error`.
 */
export class Suspended {
  private constructor();
  readonly message: string;
}

/** Whether something that was caught is the suspension. */
export function isSuspended(thrown: unknown): thrown is Suspended;
