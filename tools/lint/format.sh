#!/bin/bash
# tools/lint/format.sh [--fix]: checks that all C++ sources known to git are formatted as .clang-format says, or makes them so.
set -euo pipefail
cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/../.."
mode=(--dry-run -Werror)
[ "${1:-}" != --fix ] || mode=(-i)
git ls-files -z --cached --others --exclude-standard '*.cc' '*.h' | xargs -0 clang-format-19 "${mode[@]}"
