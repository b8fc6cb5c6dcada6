#!/usr/bin/env bash
# Runs the benchmarks of a build folder one after the other, says how long each took, and how long all did:
#   scripts/bench.sh build/bench [part ...]
# A part that fails does not stop the others.
set -u

build=$1
shift
parts=${*:-codegen linear_solver events ensemble scale rivals}
failed=
for part in $parts; do
  began=$SECONDS
  cmake --build "$build" --target "run_bench_$part" || failed="$failed $part"
  echo "bench: $part took $((SECONDS - began)) s"
done
echo "bench: $(echo "$parts" | wc -w) parts took $((SECONDS / 60)) min $((SECONDS % 60)) s${failed:+; these failed:$failed}"
[ -z "$failed" ]
