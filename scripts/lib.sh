# Shared by the scripts beside it: where things are, how they are set up, how they are reported.
# Sourced, never run. Every cache and every product lies in build/ and target/.
# shellcheck shell=bash

set -euo pipefail

ROOT="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"
cd "$ROOT"

BUILD="$ROOT/build"
VENV="$BUILD/venv"
NODE_DIR="$ROOT/bindings-node"
mkdir -p "$BUILD/stamps" "$BUILD/log"

export CARGO_TARGET_DIR="${CARGO_TARGET_DIR:-$ROOT/target}"
export PIP_CACHE_DIR="$BUILD/cache/pip" PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_NO_INPUT=1
export npm_config_cache="$BUILD/cache/npm" npm_config_update_notifier=false npm_config_fund=false npm_config_audit=false
export PYTHONDONTWRITEBYTECODE=1

# The status with which a part says that this machine lacks something it needs.
SKIPPED=77

say() { printf '%s\n' "$*"; }
warn() { printf '%s\n' "$*" >&2; }
die() {
    warn "error: $*"
    exit 1
}

# On a user's machine a missing tool is a visible skip, in CI a failure.
skip() {
    if [ -n "${CI:-}" ]; then
        warn "error: $* (in CI nothing may be skipped)"
        return 1
    fi
    say "SKIPPED: $*"
    return "$SKIPPED"
}

# quietly LOG COMMAND...: what the command says goes to build/log, and is shown if it fails.
quietly() {
    local log="$BUILD/log/$1.log"
    shift
    "$@" >"$log" 2>&1 || {
        local status=$?
        cat "$log" >&2
        return "$status"
    }
}

have() { command -v "$1" >/dev/null 2>&1; }

# fresh STAMP PATH...: whether the stamp is younger than everything under the paths.
# Directories count too, so that a removed file is seen.
fresh() {
    local stamp="$BUILD/stamps/$1"
    shift
    [ -e "$stamp" ] || return 1
    local path
    for path in "$@"; do
        [ -e "$path" ] || continue
        [ -z "$(find "$path" \( -name node_modules -o -name '*.node' -o -name '__pycache__' \) -prune -o -newer "$stamp" -print -quit)" ] || return 1
    done
}

# A stamp is made before the work and put in place after it: what changes meanwhile is built again.
begin() { touch "$BUILD/stamps/$1.begun"; }
finish() { mv "$BUILD/stamps/$1.begun" "$BUILD/stamps/$1"; }

# at_least WANTED FOUND: whether a dotted version is not below another.
at_least() { [ "$(printf '%s\n%s\n' "$1" "$2" | sort -V | head -n 1)" = "$1" ]; }

need_cargo() {
    have cargo || die "cargo was not found: install Rust 1.95 or later"
    local found
    found="$(rustc --version | cut -d' ' -f2)"
    at_least 1.95 "$found" || die "Rust $found is too old: 1.95 or later is needed"
}

# Sets PYTHON to an interpreter that is young enough.
need_python() {
    local candidate
    for candidate in "${PYTHON:-}" python3 python3.14 python3.13 python3.12 python3.11 python3.10 python; do
        if [ -n "$candidate" ] && "$candidate" -c 'import sys; sys.exit(sys.version_info < (3, 10))' 2>/dev/null; then
            PYTHON="$candidate"
            return
        fi
    done
    die "Python 3.10 or later was not found"
}

need_node() {
    if ! have node || ! have npm; then
        die "node and npm were not found: install Node.js 20 or later"
    fi
    local found
    found="$(node --version)"
    at_least 20 "${found#v}" || die "Node.js $found is too old: 20 or later is needed"
}

# Installs Debian packages where that is possible (root, apt), otherwise says what to install.
# need_system COMMAND-OR-LIBRARY=PACKAGE...; a library is written pc:NAME.
need_system() {
    local pair what package missing=()
    for pair in "$@"; do
        what="${pair%%=*}" package="${pair#*=}"
        case "$what" in
            pc:*) have pkg-config && pkg-config --exists "${what#pc:}" || missing+=("$package") ;;
            *) have "$what" || missing+=("$package") ;;
        esac
    done
    [ "${#missing[@]}" -gt 0 ] || return 0
    if [ "$(id -u)" = 0 ] && have apt-get; then
        say "installing from the system's packages: ${missing[*]}"
        if { apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}"; } \
            >"$BUILD/log/apt.log" 2>&1; then
            return 0
        fi
        tail -n 5 "$BUILD/log/apt.log" >&2
    fi
    skip "install these system packages: ${missing[*]} (Debian and Ubuntu: apt-get install ${missing[*]})"
}

# Starts a Redis of this script's own on a free port of the loopback, in an empty folder, and stops it
# when the script ends. Sets REDIS to its URL, without a database.
start_redis() {
    local folder port pid
    folder="$BUILD/redis/$$"
    mkdir -p "$folder"
    need_python
    port="$("$PYTHON" -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')"
    redis-server --port "$port" --bind 127.0.0.1 --databases 64 --save '' --appendonly no --dir "$folder" >"$folder/log" 2>&1 &
    pid=$!
    # shellcheck disable=SC2064 # these values, not those of then
    trap "kill $pid 2>/dev/null; wait $pid 2>/dev/null; rm -rf '$folder'" EXIT
    for _ in $(seq 200); do
        kill -0 "$pid" 2>/dev/null || break
        if (exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null; then
            REDIS="redis://127.0.0.1:$port"
            return
        fi
        sleep 0.1
    done
    cat "$folder/log" >&2
    die "redis-server did not start"
}

# with_redis COMMAND...: runs it with an empty database of that Redis, of which there are 64.
databases=0
with_redis() {
    MCP_ELICIT_TEST_REDIS="$REDIS/$databases" "$@"
    databases=$((databases + 1))
}

# make_venv DIRECTORY LOCK: a virtual environment that holds what the lock file names, and no other version.
make_venv() {
    local venv="$1" lock="$2" stamp
    stamp="venv-$(basename "$venv")"
    need_python
    if [ -x "$venv/bin/python" ] && fresh "$stamp" "$lock"; then
        return
    fi
    say "setting up ${venv#"$ROOT"/}"
    begin "$stamp"
    rm -rf "$venv"
    if ! "$PYTHON" -m venv "$venv" >"$BUILD/log/venv.log" 2>&1; then
        need_system "ensurepip-of-$PYTHON=python3-venv" || die "$PYTHON cannot make a virtual environment"
        "$PYTHON" -m venv "$venv"
    fi
    "$venv/bin/pip" install --quiet --require-hashes --only-binary :all: -r "$lock"
    finish "$stamp"
}

# The features of the core that tests, linters and documentation cover: all of them.
# shellcheck disable=SC2034 # for those who source this
FEATURES=mcp-elicit/sqlite,mcp-elicit/redis,mcp-elicit/schemars

# What the binding is made of.
CORE_SOURCES=(Cargo.toml Cargo.lock core/Cargo.toml core/src)

# The virtual environment of tests and demo, with the binding of this tree built in.
setup_python() {
    need_cargo
    make_venv "$VENV" tests/requirements/test.txt
    if fresh python-binding "${CORE_SOURCES[@]}" bindings-python/Cargo.toml bindings-python/pyproject.toml \
        bindings-python/src bindings-python/python "$BUILD/stamps/venv-venv"; then
        return
    fi
    say "building the Python binding"
    begin python-binding
    rm -rf "$BUILD/wheels"
    quietly maturin "$VENV/bin/maturin" build --locked --compatibility linux \
        --manifest-path bindings-python/Cargo.toml --interpreter "$VENV/bin/python" --out "$BUILD/wheels"
    "$VENV/bin/pip" install --quiet --no-deps --no-index --force-reinstall "$BUILD"/wheels/*.whl
    finish python-binding
}

# node_modules of the Node package, and its addon.
setup_node() {
    need_cargo
    need_node
    if ! [ -d "$NODE_DIR/node_modules" ] || ! fresh node-modules "$NODE_DIR/package-lock.json"; then
        say "setting up bindings-node/node_modules"
        begin node-modules
        npm --prefix "$NODE_DIR" ci --silent --ignore-scripts
        finish node-modules
    fi
    if fresh node-binding "${CORE_SOURCES[@]}" bindings-node/Cargo.toml bindings-node/src bindings-node/package.json \
        && ls "$NODE_DIR"/native/*.node >/dev/null 2>&1; then
        return
    fi
    say "building the Node addon"
    begin node-binding
    quietly addon npm --prefix "$NODE_DIR" run build:debug
    finish node-binding
}
