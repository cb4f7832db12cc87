#!/bin/bash
# tools/lint/tidy.sh [FILE...]: clang-tidy-19 over the tree, or over these sources, by .clang-tidy; any warning fails.
set -euo pipefail
cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/../.."
tools/packages.sh build test clang lint
bazel build --config=clang --noshow_progress //... 2>&1 | grep -v '^INFO' || [ "${PIPESTATUS[0]}" = 0 ]
tools/lint/compdb.sh
if [ $# = 0 ]; then
  mapfile -t files < <(python3 -c 'import json; print(*(e["file"] for e in json.load(open("compile_commands.json"))), sep="\n")')
  set -- "${files[@]}"
fi
printf '%s\0' "$@" | xargs -0 -n 1 -P "$(nproc)" clang-tidy-19 --quiet -p .
echo "clang-tidy: $# files without a warning."
