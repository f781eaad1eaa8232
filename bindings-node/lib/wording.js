'use strict';
const { checkNames, invalid, json } = require('./error.js');

/** How faults are worded, from options of which `more` are others, as native code takes it. */
function wordingOf(options = {}, what, more = []) {
  checkNames(options, ['messages', 'showValues', ...more], `${what} has no option`);
  const { messages, showValues = false } = options;
  if (typeof showValues !== 'boolean') throw invalid('showValues must be true or false');
  return { messages: messages === undefined ? undefined : json(messages, 'messages'), showValues };
}

module.exports = { wordingOf };
