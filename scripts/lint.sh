#!/usr/bin/env bash
# clang-format and clang-tidy over our sources; nothing printed means nothing found.
#   scripts/lint.sh [FILE…]     the given sources instead of all
set -eu
cd "$(dirname "$0")/.."
build=${BUILD:-build/release}
if [ $# -gt 0 ]; then sources=$(printf '%s\n' "$@"); else sources=$(scripts/sources.sh); fi

format=$(command -v clang-format-14 || command -v clang-format)
echo "$sources" | xargs "$format" --dry-run -Werror

[ -f "$build/compile_commands.json" ] || cmake --preset release -B "$build" >/dev/null
# The notes on stderr only count warnings from system headers.
echo "$sources" | grep -E '^(src|apps)/.*\.cpp$' |
  xargs -P "$(nproc)" -n 4 clang-tidy-19 -p "$build" --quiet 2>/dev/null
