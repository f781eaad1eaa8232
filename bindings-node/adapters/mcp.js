'use strict';
// Tools of the official TypeScript SDK that ask. mcp.d.ts documents what is exported here.
const { elicits } = require('../lib/adapters/mcp.js');

module.exports = { elicits };
