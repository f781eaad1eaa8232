'use strict';
// Tools of the official TypeScript SDK that ask their user. adapters/mcp.d.ts documents it.
//
// Owns how a tool of the SDK becomes a call of the engine, and how the reply goes back. What a
// round is, and what may be asked, is the core's. The SDK keeps its part: it reads and checks
// arguments, checks HTTP headers, and shapes results. Nothing of it is imported here: a process may
// hold it twice, as ES modules and as CommonJS.
//
// Protocol: basic/patterns/mrtr; client/elicitation.
const native = require('../native.js');
const { Principal, principalOf } = require('../caller.js');
const { Engine, play } = require('../engine.js');
const { ElicitError, checkNames, invalid } = require('../error.js');
const { Ask } = require('./ask.js');
const { Exchange, watchServer } = require('./exchange.js');

const VERSION = native.protocolVersion();
const META = 'io.modelcontextprotocol/';
const MISSING_CAPABILITY = -32021;

/** What the core judges in the place of a tool's own result, which is the SDK's to shape. */
const SOME_RESULT = '{"content":[]}';

/** Registers tools that ask on a server of the SDK's. */
class Elicits {
  #server;
  #engine;
  #principal;

  constructor(server, engine, principal) {
    this.#server = server;
    this.#engine = engine;
    this.#principal = principal;
  }

  registerTool(name, config, tool) {
    if (typeof tool !== 'function') throw invalid('a tool must be a function');
    // The SDK gives the arguments only where the tool has a schema for them.
    return this.#server.registerTool(name, config, (...given) => this.#call(name, tool, given.slice(0, -1), given.at(-1)));
  }

  /** One call of a tool: what the SDK makes a reply of. */
  async #call(name, tool, args, context) {
    const exchange = begin();
    let returned = false;
    let result;
    let reply;
    try {
      const call = await this.#open(exchange, context);
      reply = await play(call, async () => {
        result = await tool(...args, new Ask(call), context);
        if (result?.resultType === 'input_required') {
          throw invalid(`the tool ${name} asks with ask, and returns its own result`, 'invalid_result');
        }
        // What a tool returns while a question is open does not go out.
        returned = !call.isPending;
        // Where it may be recorded the core must have it; the SDK fills in `content` as here.
        return call.hasClaim ? { content: [], ...result } : SOME_RESULT;
      });
    } catch (thrown) {
      if (thrown instanceof ElicitError) return this.#fail(thrown, exchange, context);
      throw thrown; // the tool's own: the SDK makes a tool error of it
    }
    if (reply.kind === 'complete' && returned) return result;
    const body = JSON.parse(reply.body);
    return reply.kind === 'error' ? this.#refuse(body, exchange, context) : body;
  }

  /** Opens the call from the parameters as they came. */
  async #open(exchange, context) {
    const principal = await whoCalls(context, this.#principal);
    if (this.#version === VERSION) {
      const headers = context.http?.req?.headers;
      return this.#engine.openParams('tools/call', exchange.params, { principal, headers });
    }
    // Nobody can be asked: the client is one that declares nothing. What it might send of rounds,
    // which it does not know, is nothing of ours.
    const { name, arguments: given } = exchange.params;
    const _meta = { [`${META}protocolVersion`]: VERSION, [`${META}clientCapabilities`]: {} };
    return this.#engine.openParams('tools/call', { name, arguments: given, _meta }, { principal });
  }

  /** The revision that the client speaks. */
  get #version() {
    return this.#server.server.getNegotiatedProtocolVersion();
  }

  /** The error goes out in the place of what the SDK is given here. */
  #refuse(error, exchange, context) {
    if (error.code === MISSING_CAPABILITY && this.#version !== VERSION) {
      // Over HTTP the SDK may serve a request of 2025 by a server that saw no handshake.
      const told = context.http?.req?.headers.get('mcp-protocol-version');
      const client = this.#version ?? (/^\d{4}-\d\d-\d\d$/.test(told) ? told : 'an earlier revision');
      error.message = `This tool must ask the user, which this server does by MCP ${VERSION}; `
        + `the client speaks ${client}. ${error.message}`;
    }
    exchange.error = error;
    return { content: [{ type: 'text', text: error.message }], isError: true };
  }

  /** The peer is told what is for it, and the server's own hook of the rest. */
  #fail(error, exchange, context) {
    if (error.isForPeer) {
      const body = JSON.parse(error.reply.body);
      return this.#refuse(body.error ?? body, exchange, context);
    }
    const { onerror } = this.#server.server;
    if (typeof onerror === 'function') onerror(error);
    else console.error(error);
    return this.#refuse({ code: error.code, message: 'Internal error' }, exchange, context);
  }
}

/** The exchange that a tool's run belongs to. */
function begin() {
  const exchange = Exchange.current();
  if (exchange === undefined) {
    throw invalid('a tool that asks runs for a client\'s tools/call, on the server that it was registered on', 'config');
  }
  if (exchange.begun) throw invalid('one tools/call runs one tool that asks: tools of ours do not nest', 'config');
  exchange.begun = true;
  return exchange;
}

/** Who makes the call: never what the message says, only what was verified. */
async function whoCalls(context, given) {
  if (typeof given === 'function') {
    try {
      return await given(context);
    } catch (thrown) {
      if (thrown instanceof ElicitError) throw thrown;
      throw invalid('the function that tells the principal threw', 'config', thrown);
    }
  }
  const token = context.http?.authInfo;
  if (token === undefined) {
    if (given !== undefined) return given;
    throw invalid('the request has no authInfo to tell the principal from: say { principal: Principal.singleUser() } '
      + 'on a server for one person, as over stdio, or { principal: Principal.none() } to bind state to nobody', 'config');
  }
  const { iss, sub } = token.extra ?? {};
  if (![iss, sub, token.clientId].every(part => typeof part === 'string' && part !== '')) {
    throw invalid('authInfo does not say whose the token is: have the token verifier fill in clientId, extra.iss and '
      + 'extra.sub, or give elicits a function that tells the principal', 'config');
  }
  return new Principal(iss, sub, token.clientId);
}

function elicits(server, engine, options = {}) {
  if (typeof server?.registerTool !== 'function' || typeof server.server?.connect !== 'function') {
    throw invalid('a server must be an McpServer of @modelcontextprotocol/server');
  }
  if (!(engine instanceof Engine)) throw invalid('an engine is needed');
  checkNames(options, ['principal'], 'elicits has no option');
  const { principal: given } = options;
  const isTold = given === undefined || typeof given === 'function';
  const principal = isTold ? given : principalOf({ principal: given });
  watchServer(server.server);
  return new Elicits(server, engine, principal);
}

module.exports = { elicits };
