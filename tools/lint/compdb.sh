#!/bin/bash
# Writes compile_commands.json at the root, for clang-tidy and for editors. Build once before, for the headers of
# system libraries. With clang's command lines: those of g++ have options that clang's tools reject.
set -euo pipefail
cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/../.."
bazel aquery --config=clang --output=jsonproto --include_artifacts=false \
  'mnemonic("CppCompile", deps(//... - attr(tags, "manual", //...)))' 2>/dev/null |
  python3 tools/lint/compdb.py "$PWD" "$(bazel info output_base 2>/dev/null)" >compile_commands.json
