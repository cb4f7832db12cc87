#!/bin/bash
# Bazel does not watch /usr/include: after an upgrade of a compiler or library it would reuse what the old one built.
# So, when a package of that kind is another than at the last start, this throws everything built away. Debian only.
set -euo pipefail
cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/.."
command -v dpkg-query >/dev/null || exit 0
mkdir -p .build
# shellcheck disable=SC2016
dpkg-query -W -f '${db:Status-Abbrev} ${Package} ${Version}\n' '*-dev' 'g++*' 'gcc*' 'clang*' 'llvm*' 'lld*' 'binutils*' 'bazel*' \
  2>/dev/null | grep '^ii' | LC_ALL=C sort >.build/system.new || true
# New packages harm nothing; one that went or changed does.
if [ -f .build/system ] && [ -n "$(LC_ALL=C comm -23 .build/system .build/system.new)" ]; then
  echo "Compiler or libraries have changed: building everything anew." >&2
  bazel clean --expunge </dev/null >.build/clean.log 2>&1 || { cat .build/clean.log >&2 && exit 1; }
fi
mv .build/system.new .build/system
