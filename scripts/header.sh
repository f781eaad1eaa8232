#!/usr/bin/env bash
# The C header alone: what an includer's compiler must accept without a word, as C11 and as C++17.
. "$(dirname "$0")/lib.sh"
need_system cc=gcc c++=g++
header="$ROOT/include/mcp_elicit.h"
flags=(-Wall -Wextra -Wpedantic -Werror -fsyntax-only)
cc -std=c11 "${flags[@]}" -x c "$header"
c++ -std=c++17 "${flags[@]}" -x c++ "$header"
say "header: clean alone as C11 and C++17"
