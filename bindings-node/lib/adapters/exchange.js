'use strict';
// One request on its way through a server of the official TypeScript SDK, and how it is watched.
//
// The SDK hands a tool its arguments as its schema made them, checks any `requestState` by a
// function of the application's, whose key may be this process's own, and makes a tool result of
// every error. So what a call of ours is opened with is taken off the message before the SDK sees
// it, and an error of ours is put in the place of what the SDK answers. Only what the SDK documents
// is used: `connect` of its server, `onmessage` and `send` of its transports.
const { AsyncLocalStorage } = require('node:async_hooks');

/** How a state of the engine's begins (core/docs/state-token.md); others are the SDK's to open. */
const STATES = ['me1.', 'ms1.'];

const exchanges = new AsyncLocalStorage();
const watched = new WeakSet();

class Exchange {
  /** The error that is the answer, where it is ours. */
  error;
  /** A tool that asks has begun. */
  begun = false;

  constructor(message) {
    this.id = message.id;
    /** The parameters as they came. */
    this.params = message.params;
  }

  /** The exchange that a tool's run belongs to; undefined where there is none. */
  static current() {
    return exchanges.getStore();
  }
}

/** The message as the SDK is shown it: a state of ours is none of its. */
function shown(message) {
  const { requestState, ...rest } = message.params ?? {};
  if (typeof requestState !== 'string' || !STATES.some(start => requestState.startsWith(start))) return message;
  // A tool that is not ours sees a first round, as if the client had sent no state.
  return { ...message, params: rest };
}

const receiver = next => (message, extra) => {
  const isCall = message?.method === 'tools/call' && message.id !== undefined;
  return isCall ? exchanges.run(new Exchange(message), next, shown(message), extra) : next(message, extra);
};

/** What goes out in the place of a message. */
function answered(message) {
  const exchange = exchanges.getStore();
  const isAnswer = exchange?.error !== undefined && message.method === undefined && message.id === exchange.id;
  return isAnswer ? { jsonrpc: '2.0', id: message.id, error: exchange.error } : message;
}

/** The property of an object or of what it inherits from. */
function describe(object, name) {
  for (let at = object; at !== null; at = Object.getPrototypeOf(at)) {
    const found = Object.getOwnPropertyDescriptor(at, name);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Stands between a transport and the server that it is connected to. */
function watchTransport(transport) {
  if (watched.has(transport)) return;
  watched.add(transport);
  const { get, set } = describe(transport, 'onmessage') ?? {};
  let listener = transport.onmessage;
  Object.defineProperty(transport, 'onmessage', {
    configurable: true,
    enumerable: true,
    get: () => (get ? get.call(transport) : listener),
    set: next => {
      const wrapped = typeof next === 'function' ? receiver(next) : next;
      if (set) set.call(transport, wrapped);
      else listener = wrapped;
    },
  });
  const { send } = transport;
  transport.send = (message, ...more) => send.call(transport, answered(message), ...more);
}

/** Watches every transport that a server of the SDK's is connected to. Does nothing twice. */
function watchServer(server) {
  if (watched.has(server)) return;
  watched.add(server);
  const { connect, transport } = server;
  server.connect = next => {
    watchTransport(next);
    return connect.call(server, next);
  };
  if (transport !== undefined) {
    const listener = transport.onmessage;
    watchTransport(transport);
    transport.onmessage = listener;
  }
}

module.exports = { Exchange, watchServer };
