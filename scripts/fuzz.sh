#!/usr/bin/env bash
# Builds the fuzzers (fuzz/CMakeLists.txt says what they try) and runs each for some seconds:
#   scripts/fuzz.sh [SECONDS]
# New inputs go to build/fuzz/found; one that fails is named and left in build/fuzz.
set -euo pipefail
cd "$(dirname "$0")/.."
seconds=${1:-60}
cmake --preset release -B build/fuzz -DDAEDALUS_FUZZ=ON -DDAEDALUS_TESTS=OFF \
  -DDAEDALUS_APPS=OFF >/dev/null
cmake --build build/fuzz -j "$(nproc)" --target parse_fuzzer load_fuzzer mechanism_fuzzer csv_fuzzer
for fuzzer in parse_fuzzer load_fuzzer mechanism_fuzzer csv_fuzzer; do
  mkdir -p "build/fuzz/found/$fuzzer"
  words=fuzz/modelica.dict seeds=fuzz/corpus
  [ $fuzzer != mechanism_fuzzer ] || { words=fuzz/mjcf.dict; seeds=problems/mechanisms; }
  echo "$fuzzer, $seconds s"
  "build/fuzz/fuzz/$fuzzer" -dict=$words -max_total_time="$seconds" -artifact_prefix=build/fuzz/ \
    -print_final_stats=1 -verbosity=0 "build/fuzz/found/$fuzzer" $seeds 2>&1 |
    { grep -E 'stat::|ERROR|SUMMARY|Test unit' || true; }
done
