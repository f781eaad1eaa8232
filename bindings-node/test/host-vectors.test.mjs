// The client side: tests/vectors/host.json, through the native part of the test host.
import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { describe, test } from 'node:test';
import { bytes, vectors } from './support.mjs';

const require = createRequire(import.meta.url);
const native = require('../lib/native.js');
const { Flow } = require('../lib/testing/flow.js');
const { drivers, refused, http } = vectors('host.json');

/** A play that decides on every answer when it is asked for. */
const playOf = ({ method, params, first_id: firstId = 1, client_info: clientInfo = 'null', capabilities = '{}', http: over = false, param_headers: headers = [], rounds }) =>
  native.playNew({
    method, params, firstId, clientInfo, capabilities, http: over, rounds, firstRoundOnly: false, answers: [], otherwise: 'f0',
    paramHeaders: headers.map(([name, path]) => [name, ...path]),
  });

function fault(flow) {
  try {
    flow.resultText;
  } catch (error) {
    assert.equal(error.kind, 'invalid_reply');
    const [{ path, rule, message }, ...more] = error.faults;
    assert.ok(message.length > 0 && more.length === 0);
    return { path, rule };
  }
  return assert.fail('the reply was taken');
}

/** What the play needs or how it ended, in the words of the vectors. */
function turn(play) {
  const step = JSON.parse(native.playStep(play));
  const flow = new Flow(play);
  if (step?.send) {
    const { id, body, headers } = step.send;
    return { send: { id, body, ...(headers.length > 0 && { headers }) } };
  }
  if (step) {
    // Questions are decided on one by one, so those of the round are looked up.
    const asked = flow.questions.filter(({ round }) => round === step.decide.question.round);
    assert.deepEqual(asked[0], step.decide.question);
    return {
      ask: asked.map(({ request, schema, ...question }) => ({
        ...question, request: JSON.stringify(request), ...(schema && { schema: JSON.stringify(schema) }),
      })),
    };
  }
  switch (flow.end) {
    case 'complete': return { done: flow.resultText };
    case 'error': return { failed: JSON.stringify(flow.error) };
    case 'abandoned': return { abandoned: true };
    default: return { broken: fault(flow) };
  }
}

describe('the driver does as written', () => {
  for (const vector of drivers) {
    test(vector.name, () => {
      const play = playOf(vector);
      assert.deepEqual(turn(play), vector.start);
      for (const step of vector.steps) {
        if ('receive' in step) {
          assert.equal(native.playReceive(play, bytes(step.receive)), (step.heard ?? 'reply') === 'reply');
        } else {
          const given = new Map(Object.entries(step.answer ?? step.answerText));
          // Read as JSON, `__proto__` is a key like any other.
          for (let next; (next = JSON.parse(native.playStep(play)))?.decide;) {
            const response = given.get(next.decide.question.key) ?? 'never';
            native.playDecide(play, response === 'never' ? 'n' : `j${typeof response === 'string' ? response : JSON.stringify(response)}`);
          }
        }
        assert.deepEqual(turn(play), step.turn);
      }
    });
  }
});

describe('parts that no driver can be made of', () => {
  for (const vector of refused) {
    test(vector.name, () => assert.throws(() => playOf(vector), { kind: 'invalid_argument' }));
  }
});

describe('responses without a message', () => {
  for (const vector of http.filter(({ messages, limit }) => messages.length === 0 && limit === undefined)) {
    test(vector.name, () => {
      const play = playOf({ method: 'tools/list', params: '{}' });
      native.playBeginResponse(play, vector.status, vector.content_type ?? undefined);
      for (const piece of vector.pieces) assert.equal(native.playPush(play, bytes(piece)), false);
      native.playFinish(play);
      const flow = new Flow(play);
      if (vector.end.broken) assert.deepEqual(fault(flow), vector.end.broken);
      else assert.equal(flow.reply, vector.end.message);
    });
  }
});
