#!/usr/bin/env bash
# make fuzz: runs each fuzz target for FUZZ_SECONDS (60 if not set), or those that are named.
# What it learns is kept in build/fuzz/corpus, what it finds in build/fuzz/artifacts.
. "$(dirname "$0")/lib.sh"
need_cargo
VERSION=0.13.2
seconds="${FUZZ_SECONDS:-60}"
tool="$BUILD/tools/bin/cargo-fuzz"
if [ "$("$tool" --version 2>/dev/null || true)" != "cargo-fuzz $VERSION" ]; then
    say "installing cargo-fuzz $VERSION into build/tools"
    quietly cargo-fuzz cargo install --quiet --locked --version "$VERSION" --root "$BUILD/tools" cargo-fuzz
fi
PATH="$BUILD/tools/bin:$PATH"

# The sanitizers that libFuzzer needs are behind a flag of the stable compiler.
export RUSTC_BOOTSTRAP=1
target_dir="$CARGO_TARGET_DIR/fuzz"
if [ "$#" -eq 0 ]; then
    mapfile -t targets < <(cargo fuzz list --fuzz-dir fuzz)
else
    targets=("$@")
fi

failed=0
for target in "${targets[@]}"; do
    corpus="$BUILD/fuzz/corpus/$target"
    mkdir -p "$corpus" "$BUILD/fuzz/artifacts"
    seeds=()
    [ ! -d "fuzz/seeds/$target" ] || seeds+=("fuzz/seeds/$target")
    say "building $target"
    quietly "fuzz-build-$target" cargo fuzz build --fuzz-dir fuzz --target-dir "$target_dir" "$target"
    if quietly "fuzz-$target" cargo fuzz run --fuzz-dir fuzz --target-dir "$target_dir" "$target" "$corpus" \
        ${seeds[@]+"${seeds[@]}"} -- -max_total_time="$seconds" -artifact_prefix="$BUILD/fuzz/artifacts/$target-" \
        -print_final_stats=1; then
        say "  $target: $(sed -n 's/^stat::number_of_executed_units: *//p' "$BUILD/log/fuzz-$target.log") inputs, nothing found"
    else
        failed=$((failed + 1))
        say "  $target: FOUND something, see build/fuzz/artifacts"
    fi
done
say "fuzz: ${#targets[@]} targets, $seconds s each, $failed with findings"
[ "$failed" -eq 0 ]
