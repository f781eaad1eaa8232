// Builds the addon and puts it where lib/loader.js looks for it.
//
//   node scripts/build.mjs [--debug] [--features FEATURES] [--target TRIPLE] [--zig] [--out FOLDER]
//
// A cdylib copied under another name is a whole addon. `--zig` links with cargo-zigbuild, against
// the C library that TRIPLE names (x86_64-unknown-linux-gnu.2.17).
import { spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const here = path.join(path.dirname(fileURLToPath(import.meta.url)), '..');
const sources = path.join(here, 'rust'); // where a published package has them
const { values } = parseArgs({
  options: {
    debug: { type: 'boolean', default: false },
    features: { type: 'string' },
    target: { type: 'string' },
    zig: { type: 'boolean', default: false },
    out: { type: 'string', default: path.join(here, 'native') },
  },
});

/** The name that lib/loader.js gives to a Rust target; without one, to this machine. */
function nameOf(target) {
  if (target === undefined) {
    const { platform, arch } = process;
    if (platform !== 'linux') return `${platform}-${arch}`;
    process.report.excludeNetwork = true;
    return `linux-${arch}-${process.report.getReport().header.glibcVersionRuntime ? 'gnu' : 'musl'}`;
  }
  const arch = { x86_64: 'x64', aarch64: 'arm64' }[target.split('-')[0]];
  const system = [
    [/linux-gnu/, 'linux', '-gnu'], [/linux-musl/, 'linux', '-musl'],
    [/apple-darwin/, 'darwin', ''], [/windows/, 'win32', ''],
  ].find(([pattern]) => pattern.test(target));
  if (!arch || !system) throw new Error(`no name is known for ${target}`);
  return `${system[1]}-${arch}${system[2]}`;
}

const cargo = [values.zig ? 'zigbuild' : 'build', '--package', 'mcp-elicit-node', '--lib', '--message-format', 'json-render-diagnostics'];
if (!values.debug) cargo.push('--release');
if (values.features) cargo.push('--features', values.features);
if (values.target) cargo.push('--target', values.target);
const { status, stdout, error } = spawnSync('cargo', cargo, {
  cwd: existsSync(sources) ? sources : here,
  stdio: ['ignore', 'pipe', 'inherit'],
  encoding: 'utf8',
  maxBuffer: 1 << 28,
});
if (error) throw error;
if (status !== 0) process.exit(status ?? 1);

// Cargo says where it put the library, whatever CARGO_TARGET_DIR is.
const library = stdout
  .split('\n')
  .filter(Boolean)
  .map(line => JSON.parse(line))
  .filter(it => it.reason === 'compiler-artifact' && it.target.name === 'mcp_elicit_node')
  .flatMap(it => it.filenames)
  .find(file => /\.(so|dylib|dll)$/.test(file));
mkdirSync(values.out, { recursive: true });
const addon = path.join(values.out, `mcp_elicit.${nameOf(values.target)}.node`);
rmSync(addon, { force: true }); // a new file: a process may have the old one mapped
copyFileSync(library, addon);
console.log(addon);
