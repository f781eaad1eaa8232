'use strict';
// The servers that a host can talk to: how a request gets there and the reply back. Each feeds what
// comes into the play, which knows what it means.
const { spawn } = require('node:child_process');
const http = require('node:http');
const https = require('node:https');
const native = require('../native.js');
const { invalid, json, text } = require('../error.js');
const { Reply } = require('../reply.js');

/** What a server returned, given to the play. */
async function deliver(returned, request, play) {
  if (returned instanceof Reply && request.http) {
    native.playBeginResponse(play, returned.status, returned.headers['content-type']);
    if (!native.playPush(play, Buffer.from(returned.body))) native.playFinish(play);
  } else if (returned instanceof Response) {
    await readWeb(returned, play);
  } else if (!native.playReceive(play, wire(returned))) {
    native.playGiveUp(play, 'the server returned a notification and no reply');
  }
}

function wire(returned) {
  if (returned instanceof Reply) return returned.body;
  if (typeof returned === 'string') return text(returned, 'what a server returns');
  if (returned instanceof Uint8Array) return returned;
  if (typeof returned === 'object' && returned !== null) return json(returned, 'what a server returns');
  throw invalid('a server returns a Reply, a Response, a string, bytes or an object');
}

/** Reads a response of the web's kind as it comes, and no further than the reply. */
async function readWeb(response, play) {
  native.playBeginResponse(play, response.status, response.headers.get('content-type') ?? undefined);
  if (response.body) {
    for await (const piece of response.body) {
      if (native.playPush(play, piece)) return; // which cancels the rest
    }
  }
  native.playFinish(play);
}

/** A function of the test's. */
class CallableServer {
  http = false;
  #work;

  constructor(work) {
    this.#work = work;
  }

  async exchange(request, play) {
    await deliver(await this.#work(request), request, play);
  }

  reset() {}

  close() {}
}

/** An engine and the handler that it runs. */
const engineServer = (engine, handler) =>
  new CallableServer(({ body, caller }) => engine.run(body, handler, caller));

/** A function from a request of the web's kind to a response, in this process. */
class FetchServer extends CallableServer {
  http = true;

  constructor(handler, url) {
    super(({ body, headers }) => handler(new Request(url, { method: 'POST', headers, body })));
  }
}

/** An MCP endpoint over HTTP. Follows no redirect, uses no proxy. */
class UrlServer {
  http = true;
  #url;
  #timeoutMs;

  constructor(url, timeoutMs) {
    this.#url = URL.canParse(url) ? new URL(url) : undefined;
    if (!['http:', 'https:'].includes(this.#url?.protocol)) {
      throw invalid('the URL of an MCP endpoint is absolute, http or https');
    }
    this.#timeoutMs = timeoutMs;
  }

  exchange({ body, headers }, play) {
    const { request } = this.#url.protocol === 'https:' ? https : http;
    return new Promise((resolve, reject) => {
      let over = false;
      const end = work => {
        if (over) return;
        over = true;
        try {
          work?.();
          resolve();
        } catch (thrown) {
          reject(thrown);
        }
        sent.destroy();
      };
      const options = {
        method: 'POST',
        agent: false,
        timeout: this.#timeoutMs,
        headers: [...headers.flat(), 'Host', this.#url.host, 'Content-Length', String(Buffer.byteLength(body)), 'Connection', 'close'],
      };
      const sent = request(this.#url, options, response => {
        native.playBeginResponse(play, response.statusCode, response.headers['content-type']);
        response.on('data', piece => {
          if (!over && native.playPush(play, piece)) end();
        });
        response.on('end', () => end(() => native.playFinish(play)));
        response.on('error', error => end(() => native.playGiveUp(play, String(error.message))));
      });
      sent.on('timeout', () => end(() => native.playGiveUp(play, `the server was silent for ${this.#timeoutMs} ms`)));
      sent.on('error', error => end(() => native.playGiveUp(play, `${error.code ?? error.name}: ${error.message}`)));
      sent.end(body);
    });
  }

  reset() {}

  close() {}
}

/** A listener of node:http, behind a port of its own on this machine while the host is in use. */
class ListenerServer {
  http = true;
  #listener;
  #path;
  #timeoutMs;
  #running;

  constructor(listener, path, timeoutMs) {
    this.#listener = listener;
    this.#path = path;
    this.#timeoutMs = timeoutMs;
  }

  /** The endpoint, once it listens. Does not keep the process alive. */
  #start() {
    return (this.#running ??= new Promise((resolve, reject) => {
      const server = http.createServer(this.#listener).unref();
      server.once('error', reject);
      server.listen(0, '127.0.0.1', () => {
        const url = new URL(this.#path, `http://127.0.0.1:${server.address().port}`);
        resolve({ server, endpoint: new UrlServer(url.href, this.#timeoutMs) });
      });
    }));
  }

  async exchange(request, play) {
    const { endpoint } = await this.#start();
    await endpoint.exchange(request, play);
  }

  reset() {}

  async close() {
    const running = this.#running;
    this.#running = undefined;
    if (!running) return;
    const { server } = await running;
    server.closeAllConnections();
    await new Promise(resolve => server.close(resolve));
  }
}

/** A command that speaks stdio: started for the first request, and anew after a failure. */
class CommandServer {
  http = false;
  #command;
  #options;
  #timeoutMs;
  #running;
  #before = Promise.resolve();

  constructor(command, { env, cwd, timeoutMs }) {
    this.#command = command;
    this.#options = { env, cwd, stdio: ['pipe', 'pipe', 'inherit'] };
    this.#timeoutMs = timeoutMs;
  }

  /** One request at a time: a channel is read by one. */
  exchange(request, play) {
    const done = this.#before.then(() => this.#exchange(request, play));
    this.#before = done.catch(() => {});
    return done;
  }

  async #exchange({ body }, play) {
    this.#running ??= new Running(this.#command, this.#options);
    const running = this.#running;
    running.send(body);
    const deadline = Date.now() + this.#timeoutMs;
    for (;;) {
      const line = await running.line(deadline - Date.now());
      if (line === undefined) return native.playGiveUp(play, `the command did not reply within ${this.#timeoutMs} ms`);
      if (typeof line === 'string') return native.playGiveUp(play, line);
      if (native.playReceive(play, line)) return undefined;
    }
  }

  reset() {
    return this.close();
  }

  async close() {
    const running = this.#running;
    this.#running = undefined;
    await running?.stop();
  }
}

/** A child process and the lines that it writes. */
class Running {
  #child;
  #rest = [];
  #lines = [];
  /** Why there are no more lines. */
  #over;
  #wake = () => {};

  constructor([program, ...words], options) {
    const child = spawn(program, words, options);
    this.#child = child;
    const end = why => {
      this.#over ??= why;
      this.#wake();
    };
    child.on('error', error => end(`the command does not run: ${error.message}`));
    child.on('close', (code, signal) => end(`the command ended (status ${code ?? signal}) before it replied`));
    child.stdin.on('error', () => {}); // it ended: 'close' says so
    child.stdout.on('data', piece => this.#take(piece));
    // A host that nobody closes does not keep the process alive; the end of its input ends the child.
    child.unref();
    child.stdin.unref();
    child.stdout.unref();
  }

  #take(piece) {
    let from = 0;
    for (let at = piece.indexOf(10); at !== -1; at = piece.indexOf(10, from)) {
      this.#lines.push(Buffer.concat([...this.#rest, piece.subarray(from, at)]));
      this.#rest = [];
      from = at + 1;
    }
    if (from < piece.length) this.#rest.push(piece.subarray(from));
    this.#wake();
  }

  send(body) {
    this.#child.stdin.write(`${body}\n`);
  }

  /** The next line; nothing after so many milliseconds; a string why none will come. */
  async line(withinMs) {
    if (this.#lines.length === 0 && this.#over === undefined) {
      await new Promise(resolve => {
        const timer = setTimeout(resolve, Math.max(0, withinMs));
        this.#wake = () => {
          if (this.#lines.length === 0 && this.#over === undefined) return;
          clearTimeout(timer);
          resolve();
        };
      });
      this.#wake = () => {};
    }
    return this.#lines.shift() ?? this.#over;
  }

  /** Closes its input, waits, and insists (stdio, "Shutdown"). */
  async stop() {
    const child = this.#child;
    if (this.#over !== undefined) return;
    const closed = new Promise(resolve => { child.once('close', resolve).once('error', resolve); });
    child.stdin.end();
    const timers = ['SIGTERM', 'SIGKILL'].map((signal, at) => setTimeout(() => child.kill(signal), 5000 * (at + 1)));
    child.ref();
    await closed;
    timers.forEach(clearTimeout);
  }
}

module.exports = { CallableServer, CommandServer, FetchServer, ListenerServer, UrlServer, engineServer };
