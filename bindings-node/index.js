'use strict';
// Ask the user, from any MCP server. index.d.ts documents what is exported here.
const native = require('./lib/native.js');
const { Principal } = require('./lib/caller.js');
const { Engine } = require('./lib/engine.js');
const { ElicitError } = require('./lib/error.js');
const { Form } = require('./lib/form.js');
const { Suspended, isSuspended } = require('./lib/suspended.js');

module.exports = {
  ElicitError,
  Engine,
  Form,
  PROTOCOL_VERSION: native.protocolVersion(),
  Principal,
  Suspended,
  isSuspended,
  keygen: () => native.keygen(),
};
