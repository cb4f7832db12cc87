#!/bin/bash
# tools/packages.sh GROUP...: makes sure that what tools/packages.txt lists for these groups is there. Silent when it is.
# On Debian 12 and 13 it installs what is missing, as root or with sudo; elsewhere it names it and fails.
# tools/packages.sh --check GROUP...: installs nothing, names what is missing and fails.
set -euo pipefail
cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")"

# True if the thing of that kind and name is there: what counts is the thing, not the package.
present() {
  local kind=$1 name=$2
  case $kind in
    tool) command -v "$name" ;;
    module) pkg-config --exists "$name" ;;
    header) [ -e "/usr/include/$name" ] || "${CXX:-g++}" -E -x c++ -include "$name" - </dev/null ;;
    library) [[ $("${CXX:-g++}" -print-file-name="$name") == /* ]] ;;
    file) [ -e "$name" ] ;;
    # By the Python that tests have: Bazel leaves them no other PATH.
    python) PATH=/bin:/usr/bin:/usr/local/bin python3 -c "import importlib.util as u; exit(u.find_spec('$name') is None)" ;;
    runtime) compgen -G "$(clang-19 -print-resource-dir)/lib/*/libclang_rt.$name*.a" ;;
    *) echo "tools/packages.txt: unknown kind $kind" >&2 && exit 2 ;;
  esac >/dev/null 2>&1
}

check=
if [ "${1:-}" = --check ]; then
  check=1
  shift
fi
packages=()
missing=""
while read -r group package kind name why; do
  [[ " $* " == *" $group "* ]] || continue
  present "$kind" "$name" && continue
  missing+=$(printf '  %-20s %-8s %-28s %s' "$package" "$kind" "$name" "$why")$'\n'
  packages+=("$package")
done < <(grep -v '^#' packages.txt)
[ -n "$missing" ] || exit 0

# shellcheck source=/dev/null
release=$(. /etc/os-release 2>/dev/null && echo "${VERSION_CODENAME:-}") || true
if ! command -v apt-get >/dev/null || [[ $release != bookworm && $release != trixie ]]; then
  printf 'This is neither Debian 12 nor 13, so nothing is installed for you. Missing (Debian package, kind, name, why):\n%s' \
    "$missing" >&2
  echo "A module is something that pkg-config finds. Install these, then start again." >&2
  exit 1
fi

command="apt-get install -y --no-install-recommends ${packages[*]}"
if [ -n "$check" ]; then
  printf 'Missing (Debian package, kind, name, why):\n%sAs root: apt-get update && %s\n' "$missing" "$command" >&2
  exit 1
fi
as_root=()
if [ "$(id -u)" != 0 ]; then
  # With a terminal sudo may ask for the password; without one it must not.
  as_root=(sudo -n)
  if [ -t 0 ]; then as_root=(sudo); fi
  if ! command -v sudo >/dev/null || ! "${as_root[@]}" true; then
    printf 'Missing (Debian package, kind, name, why):\n%sAs root: apt-get update && %s\n' "$missing" "$command" >&2
    exit 1
  fi
fi

printf 'Installing what is missing (Debian package, kind, name, why):\n%s' "$missing" >&2
if [ -t 0 ] && [ -t 2 ]; then
  read -rp "Go on? [Y/n] " answer
  case $answer in [nN]*) exit 1 ;; esac
fi
log=$(mktemp)
trap 'rm -f "$log"' EXIT
apt() { "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -q -o DPkg::Lock::Timeout=500 "$@"; }
# A failed update is no reason to stop: the lists that are there may do.
if ! { apt update || true; apt install -y --no-install-recommends "${packages[@]}"; } </dev/null >"$log" 2>&1; then
  tail -n 25 "$log" >&2
  echo "Could not install. Try as root: apt-get update && $command" >&2
  exit 1
fi
