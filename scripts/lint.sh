#!/usr/bin/env bash
# clang-format and clang-tidy over our sources; nothing printed means nothing found.
set -eu
cd "$(dirname "$0")/.."
scripts/sources.sh | xargs clang-format --dry-run -Werror
# clang-tidy needs the compile commands, of the tests too.
cmake --preset release -DDAEDALUS_TESTS=ON >/dev/null
scripts/sources.sh | grep -E '^(src|apps)/.*\.cpp$' |
  xargs -P "$(nproc)" -n 4 clang-tidy -p build/release --quiet 2>/dev/null
