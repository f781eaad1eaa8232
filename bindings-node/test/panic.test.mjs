// No panic of the native code ends the process: each function is made to panic on purpose, in a
// child process, by a build that only this test makes.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const here = path.dirname(fileURLToPath(import.meta.url));
const home = path.join(here, '..');

/** Runs in the child: every function of the addon panics once, and all goes on. */
const CHILD = `
  const assert = require('node:assert/strict');
  const addon = require('./lib/loader.js');
  const native = require('./lib/native.js');
  const { ElicitError, Engine, Form, Principal } = require('./index.js');
  const { handleIn } = require('./lib/error.js');

  const KEY = '000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f';
  const request = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'deploy', _meta: {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28', 'io.modelcontextprotocol/clientCapabilities': { elicitation: {} } } } });
  const schema = '{"type":"object","properties":{"a":{"type":"string","title":"A"}}}';
  const parts = { keyText: KEY, ephemeral: false, signed: false, audience: 'x', limits: [], hasStore: true };
  const engine = native.engineNew(parts);
  const form = native.formNew(schema, {});
  const wording = { showValues: false };
  const error = native.errorNew('limit', 'x');
  const slot = native.callSlot();
  const params = JSON.stringify(JSON.parse(request).params);
  const playParts = { method: 'tools/call', params: '{"name":"x"}', firstId: 1, http: true, paramHeaders: [], firstRoundOnly: false, answers: [] };
  const play = native.playNew(playParts);
  const calls = {
    engineNew: [parts], keygen: [], formNew: [schema, {}], formNormalize: [schema, {}], formExplain: [schema, {}],
    formBuild: [[], {}], formReport: [form], formFields: [form], formDefaults: [form], formWithDefaults: [form, '{}'],
    formForType: [form, '{}'], formWireAgain: [form, '{}'], formDowngrade: [form, '2025-11-25'], formMessages: [],
    formMessageWarning: ['x'], formCoerce: [form, [], wording], fieldCoerce: [form, 'a', 'x', wording], fieldPrint: [form, 'a', '"x"'],
    formWire: [form], formSource: [form], formWarnings: [form],
    formValidate: [form, '{}', false, wording], errorNew: ['limit', 'x'], errorApplication: [1, 'x', undefined], errorJson: [error],
    errorReply: [error], errorIntoReply: [error], replyHeaders: [], callSlot: [],
    openText: [slot, engine, request, 's-', 1], openBytes: [slot, engine, Buffer.from(request), 's-', 1],
    openParams: [slot, engine, 'tools/call', params, 's-', 1], check: [engine, request, 's-', 1],
    callText: [slot, 'flowId'], callRound: [slot], callCanElicit: [slot, 'form'], callIsPending: [slot],
    elicitForm: [slot, 'a', 'Why?', form, 0], elicitUrl: [slot, 'b', 'Go', 'https://example.com/', true, 0],
    elicit: [slot, 'a', JSON.stringify({ message: 'Why?', requestedSchema: JSON.parse(schema) }), false, 0],
    createMessage: [slot, 'c', '{"messages":[{"role":"user","content":{"type":"text","text":"x"}}],"maxTokens":1}', 0],
    listRoots: [slot, 'd', 0], stepResult: [slot, 'e'], recordStep: [slot, 'e', '1', false], appData: [slot], setAppData: [slot, undefined],
    callSuspend: [slot], callRetryLater: [slot], callEndToRetry: [slot], callComplete: [slot, '{"content":[]}'], callFail: [slot, -1, 'x'],
    settleResult: [slot, '{"content":[]}', false], settleSuspended: [slot], settleFailed: [slot, error, false],
    settleRaised: [slot, false], callClose: [slot], callInUse: [slot],
    claimStart: [slot, undefined, undefined, false], claimNext: [slot, { said: 'done' }], completeStart: [slot, '{"content":[]}', false],
    completeNext: [slot, { said: 'done' }], releaseStart: [slot], releaseNext: [slot, { said: 'done' }], callHasClaim: [slot],
    memoryStore: [1024], memoryExecute: [native.memoryStore(1024), { name: 'get', key: 'x' }], sqliteFile: ['x.db', 1],
    sqliteExecute: [native.sqliteFile('/nowhere/x.db', 1), { name: 'get', key: 'x' }, 1], sqliteClose: [native.sqliteFile('x.db', 1)],
    playNew: [playParts], playStep: [play], playReceive: [play, '{}'], playBeginResponse: [play, 200, undefined],
    playPush: [play, Buffer.alloc(0)], playFinish: [play], playGiveUp: [play, 'why'], playDecide: [play, 'n'], playRecord: [play],
    playResult: [play], playText: [play], playUsualAttacks: [play], playAttack: [play, 'replay', undefined, 2], playHeld: [play, 'replay', undefined],
  };
  // Those that do nothing that could fail.
  const idle = ['addonVersion', 'protocolVersion', 'timeLimitsMs', 'isStoreKey', 'panicNext'];
  assert.deepEqual(Object.keys(calls).sort(), Object.keys(addon).filter(name => !idle.includes(name)).sort());

  for (const [name, given] of Object.entries(calls)) {
    native.openText(slot, engine, request, 's-', 1);
    addon.panicNext(false);
    assert.throws(() => addon[name](...given), thrown => {
      assert.equal(JSON.parse(addon.errorJson(thrown)).kind, 'internal', name);
      return true;
    }, name);
    try {
      native[name](...given); // and all is as before
    } catch (thrown) {
      assert.notEqual(thrown.kind, 'internal', name);
    }
    console.log('survived', name);
  }

  // In the midst of a call: it is given up, and the engine goes on.
  const whole = new Engine({ keys: [KEY], audience: 'x' });
  const context = { principal: Principal.singleUser() };
  const panics = async handler => assert.rejects(whole.run(request, handler, context), thrown => {
    assert.ok(thrown instanceof ElicitError && handleIn(thrown));
    assert.equal(thrown.kind, 'internal');
    return true;
  });
  (async () => {
    addon.panicNext(false);
    await panics(() => ({ content: [] }));
    await panics(call => { addon.panicNext(false); return call.elicitForm('a', 'Why?', schema); });
    await panics(() => { addon.panicNext(false); return { content: [] }; });
    await panics(call => { addon.panicNext(false); return { content: [call.flowId] }; });
    addon.panicNext(false);
    assert.throws(() => new Form(schema), { kind: 'internal' });

    const timed = new Engine({ keys: [KEY], audience: 'x', clock: () => 1_800_000_000_000 });
    const call = timed.open(request, context);
    call.elicitForm('a', 'Why?', schema);
    addon.panicNext(true);
    assert.throws(() => call.suspend(), { kind: 'internal' });
    assert.throws(() => call.flowId, { kind: 'finished' });
    addon.panicNext(true);
    assert.throws(() => timed.open(request, context), { kind: 'internal' });
    assert.equal(timed.open(request, context).round, 1);

    const reply = await whole.run(request, call => ({ content: [], structuredContent: { round: call.round } }), context);
    assert.equal(reply.kind, 'complete');
    console.log('the end');
  })();
`;

test('a panic becomes an error', { timeout: 1_200_000 }, async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'mcp-elicit-panic-'));
  try {
    for (const name of ['package.json', 'index.js', 'lib']) cpSync(path.join(home, name), path.join(folder, name), { recursive: true });
    mkdirSync(path.join(folder, 'native'));
    writeFileSync(path.join(folder, 'child.js'), CHILD);
    const run = promisify(execFile);
    await run(process.execPath, [path.join(home, 'scripts', 'build.mjs'), '--debug', '--features', 'panic-on-purpose', '--out', path.join(folder, 'native')]);
    const { stdout } = await run(process.execPath, ['child.js'], { cwd: folder, env: { ...process.env, RUST_BACKTRACE: '0' } });
    assert.match(stdout, /survived settleSuspended\n/);
    assert.match(stdout, /the end\n$/);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
