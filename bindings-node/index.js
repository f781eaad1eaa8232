'use strict';
// Ask the user, from any MCP server. index.d.ts documents what is exported here.
const native = require('./lib/native.js');
const { Principal } = require('./lib/caller.js');
const { Engine } = require('./lib/engine.js');
const { ElicitError } = require('./lib/error.js');
const { Form } = require('./lib/form.js');
const { MemoryStore } = require('./lib/store.js');
const { RedisStore } = require('./lib/store-redis.js');
const { SqliteStore } = require('./lib/store-sqlite.js');
const { Suspended, isSuspended } = require('./lib/suspended.js');

module.exports = {
  ElicitError,
  Engine,
  Form,
  MemoryStore,
  PROTOCOL_VERSION: native.protocolVersion(),
  Principal,
  RedisStore,
  SqliteStore,
  Suspended,
  isSuspended,
  keygen: () => native.keygen(),
};
