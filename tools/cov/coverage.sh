#!/bin/bash
# tools/cov/coverage.sh [TARGET...]: runs the tests under --config=coverage and prints how much of each source they reach.
# Which lines are not reached: .build/coverage/lines.txt; for other tools: .build/coverage/lcov.info.
set -euo pipefail
cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/../.."
tools/packages.sh build test clang
[ $# != 0 ] || set -- //...
out=$PWD/.build/coverage
rm -rf "$out" && mkdir -p "$out"

# A failed test is no reason to say nothing about the others. tools/test/junit.sh gives each test's profile a name of its own in that folder.
status=0
bazel test --config=coverage --keep_going --noshow_progress --nocache_test_results \
  --sandbox_writable_path="$out" --test_env=PROFILE_FOLDER="$out" "$@" || status=$?

bin=$(bazel info --config=coverage bazel-bin 2>/dev/null)
objects=()
while IFS=: read -r package name; do
  [ ! -f "$bin${package#/}/$name" ] || objects+=(-object "$bin${package#/}/$name")
done < <(bazel query "kind('cc_(test|binary) rule', set($*)) except attr(tags, '\bmanual\b|\bplugin\b', set($*))" 2>/dev/null)

llvm-profdata-19 merge -sparse "$out"/*.profraw -o "$out/all.profdata"
# The first program stands without -object.
arguments=("${objects[@]:1}" -instr-profile "$out/all.profdata" -ignore-filename-regex '_test\.cc$|^/usr/|^tools/test/|external/')
llvm-cov-19 show "${arguments[@]}" >"$out/lines.txt"
llvm-cov-19 export "${arguments[@]}" -format=lcov >"$out/lcov.info"
llvm-cov-19 report "${arguments[@]}"
exit $status
