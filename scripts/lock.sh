#!/usr/bin/env bash
# make lock: resolves tests/requirements/*.in for every supported Python and writes versions and
# hashes beside them. Needs uv; no file it writes names an index.
. "$(dirname "$0")/lib.sh"
UV_VERSION=0.13.9
need_python
if ! [ -x "$BUILD/venv-lock/bin/uv" ]; then
    "$PYTHON" -m venv "$BUILD/venv-lock"
    "$BUILD/venv-lock/bin/pip" install --quiet "uv==$UV_VERSION"
fi
for source in tests/requirements/*.in; do
    "$BUILD/venv-lock/bin/uv" pip compile --quiet --universal --python-version 3.10 --generate-hashes \
        --no-emit-index-url --no-header --no-annotate --cache-dir "$BUILD/cache/uv" \
        --output-file "${source%.in}.txt" "$source"
done
say "lock: wrote $(echo tests/requirements/*.txt)"
