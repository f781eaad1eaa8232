'use strict';
// The addon's functions, which throw an `ElicitError` where they throw. Only lib/error.js and
// lib/reply.js, which this stands on, use the addon itself.
const addon = require('./loader.js');
const { fromAddon } = require('./error.js');

const guarded = work => (...given) => {
  try {
    return work(...given);
  } catch (thrown) {
    throw fromAddon(thrown);
  }
};

module.exports = Object.fromEntries(Object.entries(addon).map(([name, work]) => [name, guarded(work)]));
