// Tools of the official TypeScript SDK (`@modelcontextprotocol/server` 2.x, `McpServer`) that ask
// their user.
//
//     import { McpServer } from '@modelcontextprotocol/server';
//     import { Engine, Form } from 'mcp-elicit';
//     import { elicits } from 'mcp-elicit/adapters/mcp';
//
//     const engine = Engine.fromEnv({ audience: 'deployer' }); // MCP_ELICIT_KEYS
//     const server = new McpServer({ name: 'deployer', version: '1.0.0' });
//
//     elicits(server, engine).registerTool(
//       'deploy',
//       { description: 'Deploys an app', inputSchema: z.object({ app: z.string() }) },
//       async ({ app }, ask) => {
//         const target = await ask.form('target', 'Which environment?', TARGET);
//         if (target.action !== 'accept') return text('Nothing was deployed.');
//         return text(`Deployed ${app} to ${target.content.environment}.`);
//       },
//     );
//
// The tool runs again on every round; answered questions return at once. Awaiting a question that
// nobody has answered ends the run by throwing `Suspended`, and the client is asked.
//
// How the state stays ours: the SDK has a `requestState.verify` for its own, whose key may be one
// that each process makes for itself. So states of ours are taken off a request before the SDK
// looks. Every other tool's state is left to it.
import type {
  CallToolResult, Icon, RegisteredTool, ScopeChallengeHandler, ServerContext, StandardSchemaWithJSON, ToolAnnotations,
} from '@modelcontextprotocol/server';
import type {
  AskOptions, ClaimOptions, Claimed, ContentOf, Engine, Form, FormContent, FormSchema, Mode, NoType, Outcome, OutputOf, Principal,
  PrintingType, RequestContext, SchemaAskOptions,
} from '../index.js';

/**
 * Lets tools of an `McpServer` ask. Call it for each server: `createMcpHandler` and `serveStdio` of
 * the SDK make one for each request or connection. The engine is made once.
 *
 * State is bound to the principal: of the SDK's `authInfo`, which your token verifier fills in,
 * `extra.iss`, `extra.sub` and `clientId`. Where there is none, as over stdio, it is `principal`.
 * With neither, the call fails, and `server.server.onerror` hears why.
 *
 * Clients of the revisions before 2026-07-28, which the SDK serves too, cannot be asked: for them
 * every question does what its `unavailable` says.
 *
 * An error of the engine's, such as -32021, goes out as a JSON-RPC error and not as the tool error
 * that the SDK would make of it. What is wrong with the server itself, such as a form that cannot
 * be asked, is "Internal error" to the client and goes to `server.server.onerror`, where there is
 * none to the console.
 * @throws ElicitError `invalid_argument`.
 */
export function elicits(server: McpServerLike, engine: Engine, options?: ElicitsOptions): Elicits;

export interface ElicitsOptions {
  /**
   * Who makes a call that carries no `authInfo`: `Principal.singleUser()` on a server for one
   * person, or `Principal.none()`. Or a function that tells it from the SDK's context, which is
   * then asked for every call: where your verifier fills in other members than those above.
   */
  principal?: RequestContext['principal'] | ((context: ServerContext) => RequestContext['principal'] | PromiseLike<RequestContext['principal']>);
}

/** What of an `McpServer` is used. */
export interface McpServerLike {
  readonly server: { getNegotiatedProtocolVersion(): string | undefined };
  registerTool(name: string, config: any, tool: (...given: any[]) => any): RegisteredTool;
}

/** Registers what asks, on one server. */
export interface Elicits {
  /**
   * As `registerTool` of the SDK, for a tool that is given `ask` after its arguments, and then the
   * SDK's context. The tool's input schema does not show it.
   */
  registerTool<Output extends StandardSchemaWithJSON, Input extends StandardSchemaWithJSON | undefined = undefined>(
    name: string, config: ToolConfig<Input, Output>, tool: Tool<Input>,
  ): RegisteredTool;
}

/** What a tool says of itself: as the SDK has it. */
export interface ToolConfig<Input, Output> {
  title?: string;
  description?: string;
  inputSchema?: Input;
  outputSchema?: Output;
  annotations?: ToolAnnotations;
  icons?: Icon[];
  scopeChallenge?: ScopeChallengeHandler;
  _meta?: Record<string, unknown>;
}

/** A tool that asks; it has arguments where it has an `inputSchema`. */
export type Tool<Input extends StandardSchemaWithJSON | undefined = undefined> = Input extends StandardSchemaWithJSON
  ? (args: StandardSchemaWithJSON.InferOutput<Input>, ask: Ask, context: ServerContext) => CallToolResult | Promise<CallToolResult>
  : (ask: Ask, context: ServerContext) => CallToolResult | Promise<CallToolResult>;

/**
 * A question that was asked; await it for its outcome. It is asked as soon as it is made: questions
 * made before the first is awaited go out in one round. Awaiting it while nobody has answered ends
 * this run of the tool.
 */
export interface Question<T = FormContent> extends PromiseLike<Outcome<T>> {
  /** Whether nobody has answered yet. */
  readonly isPending: boolean;
}

/** What a tool asks its user with; one for each call of the tool. Nothing of it works after that. */
export interface Ask {
  /** Asks with a form, which may be whatever `Call.elicitForm` takes; see there. */
  form<T>(key: string, message: string, form: Form<T>, options?: AskOptions): Question<T>;
  form<S extends PrintingType>(key: string, message: string, form: S, options?: SchemaAskOptions): Question<OutputOf<S>>;
  form<const S extends FormSchema>(key: string, message: string, form: S, options?: SchemaAskOptions): Question<ContentOf<S>>;
  form<T = FormContent>(key: string, message: string, form: string | NoType, options?: SchemaAskOptions): Question<T>;

  /**
   * Asks for a visit to a link; `done` is your word whether it was made. `flowId` is there to build
   * the link with. See `Call.elicitUrl`.
   */
  url(key: string, message: string, url: string | { readonly href: string }, done: boolean, options?: AskOptions): Question<undefined>;

  /** Asks the client's model for a turn. See `Call.createMessage`. */
  message<T = Record<string, any>>(key: string, params: string | object, options?: AskOptions): Question<T>;

  /** Asks for the folders that the client works in. See `Call.listRoots`. */
  roots(key: string, options?: AskOptions): Question<{ roots: { uri: string; name?: string }[] }>;

  /** The outcomes of several questions, asked in one round. */
  gather<const Q extends readonly Question<any>[]>(...questions: Q): Promise<{ -readonly [K in keyof Q]: Awaited<Q[K]> }>;

  /**
   * Runs `work`, which may be async, once a flow; later rounds get its result, as JSON, from the
   * sealed state. No promise that an effect happens at most once: see `Call.step`.
   */
  step<T>(key: string, work: () => T | PromiseLike<T>, options?: { readable?: boolean }): Promise<T>;

  /**
   * Ends this run of the tool: the client gets the sealed state alone and comes back by itself,
   * perhaps at once, and the tool runs again. For work that goes on elsewhere; questions that are
   * open go out with it.
   */
  retryLater(): never;

  /**
   * Claims the effect of this flow, just before the effect: the first claim wins. See `Call.claim`;
   * the engine needs a store. The claim is finished when the tool returns, with `remember` with its
   * result: a later call is `recorded` then, and the tool returns `claimed.result`. A tool that
   * throws leaves the claim, and later calls find the outcome unknown.
   */
  claim(options?: ClaimOptions): Promise<Exclude<Claimed, { status: 'recorded' }> | (Extract<Claimed, { status: 'recorded' }> & { readonly result: CallToolResult })>;
  /** Gives the claim back where the effect certainly did not happen. */
  releaseClaim(): Promise<void>;
  /** A name for the effect of this flow, for the provider behind it. See `Call.idempotencyKey`. */
  readonly idempotencyKey: string;

  /** Data of your own in the state, from an earlier round or this one. */
  readonly appData: Uint8Array | undefined;
  /** Puts data of your own into the state; undefined takes it out. See `Call.setAppData`. */
  setAppData(data: Uint8Array | string | undefined): void;

  /** Whether the client declared that it can show this kind of question. */
  canElicit(mode: Mode): boolean;
  /** The name of the flow: the same in all its rounds, unguessable, no secret. */
  readonly flowId: string;
  /** Which round of the flow this is; the first is 1. */
  readonly round: number;
  /** Who makes the call. */
  readonly principal: Principal;
}
