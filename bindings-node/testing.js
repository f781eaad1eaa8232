'use strict';
// A host to test servers with. testing.d.ts documents what is exported here.
const { Answer, accept, cancel, decline, never, result } = require('./lib/testing/answers.js');
const { Clock } = require('./lib/testing/clock.js');
const { Flow, FlowError } = require('./lib/testing/flow.js');
const { Host } = require('./lib/testing/host.js');

module.exports = { Answer, Clock, Flow, FlowError, Host, accept, cancel, decline, never, result };
