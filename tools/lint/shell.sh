#!/bin/bash
# tools/lint/shell.sh: shellcheck over all shell scripts known to git.
set -euo pipefail
cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/../.."
git grep -lzE '^#!/(bin/|usr/bin/env )(ba)?sh' | xargs -0 shellcheck
