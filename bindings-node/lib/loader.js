'use strict';
// Loads the addon that this package ships for the platform it runs on. Looks in the package's own
// folder `native` and nowhere else: no variable of the environment can make it load another file.
const path = require('node:path');
const { version } = require('../package.json');

/** Platform, architecture and, on Linux, C library, as in the names of the files. */
function target() {
  const { platform, arch } = process;
  return platform === 'linux' ? `linux-${arch}-${usesGlibc() ? 'gnu' : 'musl'}` : `${platform}-${arch}`;
}

function usesGlibc() {
  const { report } = process;
  const before = report.excludeNetwork;
  report.excludeNetwork = true; // looking up names of sockets could take seconds
  try {
    return report.getReport().header.glibcVersionRuntime !== undefined;
  } finally {
    report.excludeNetwork = before;
  }
}

function load() {
  const name = target();
  const fail = (why, cause) =>
    new Error(`mcp-elicit cannot be used on ${name} with Node ${process.version}: ${why}`, { cause });
  let addon;
  try {
    addon = require(path.join(__dirname, '..', 'native', `mcp_elicit.${name}.node`));
  } catch (cause) {
    const missing = cause.code === 'MODULE_NOT_FOUND';
    throw fail(missing ? 'this package has no addon for it' : cause.message, cause);
  }
  if (addon.addonVersion() !== version) {
    throw fail(`its addon is of version ${addon.addonVersion()}, the package of ${version}`);
  }
  return addon;
}

module.exports = load();
