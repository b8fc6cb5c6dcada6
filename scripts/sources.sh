#!/usr/bin/env bash
# The C++ sources that are ours, one a line: what clang-format keeps in shape.
set -eu
cd "$(dirname "$0")/.."
for folder in src apps python tests bench examples fuzz; do
  [ ! -d "$folder" ] || find "$folder" -name '*.cpp' -o -name '*.hpp'
done | sort
