#!/bin/bash
# ./rdmawire install-plugin [--system] [--uninstall]: builds the Wireshark plugin and puts it where Wireshark looks.
#   --system     the folder of all users (as root, or with sudo), not your own
#   --uninstall  takes it away again
# It is for the Wireshark whose headers are installed, 4.0 or 4.4, and refuses any other.
set -euo pipefail
usage() { sed -n '2,5s/^# //p' "${BASH_SOURCE[0]}"; }
complain() { echo "rdmawire install-plugin: $*" >&2; }

system=no
uninstall=no
for option; do
  case $option in
    --system) system=yes ;;
    --uninstall) uninstall=yes ;;
    -h | --help) usage && exit 0 ;;
    *) complain "unknown option $option" && usage >&2 && exit 2 ;;
  esac
done
cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/.."

# 4.0, of the text that a program or pkg-config says.
version_in() { [[ $1 =~ (^|[^0-9.])([0-9]+\.[0-9]+)\.[0-9]+ ]] && echo "${BASH_REMATCH[2]}"; }
# Of the Wireshark or tshark that is installed; nothing if none is.
installed_version() {
  local program
  for program in wireshark tshark; do
    if command -v "$program" >/dev/null; then
      version_in "$("$program" --version 2>/dev/null | head -n 1)"
      return
    fi
  done
}
# --system: as pkg-config says, or where Debian has it.
folder_of() {
  if [ $system = yes ]; then
    local found
    found=$(pkg-config --variable=plugindir wireshark 2>/dev/null) || found=
    [ -n "$found" ] || found=/usr/lib/$(uname -m)-linux-gnu/wireshark/plugins/$1
    echo "$found/epan"
  else
    echo "${HOME:?}/.local/lib/wireshark/plugins/$1/epan"
  fi
}
as_root=()
if [ $system = yes ] && [ "$(id -u)" != 0 ]; then
  command -v sudo >/dev/null || { complain "--system: only root may do that, and there is no sudo" && exit 1; }
  as_root=(sudo)
fi

if [ $uninstall = yes ]; then
  version=$(installed_version)
  target=$(folder_of "${version:-4.0}")/rdmawire.so
  if [ ! -e "$target" ]; then
    complain "there is no $target"
    exit 1
  fi
  "${as_root[@]}" rm "$target"
  echo "Removed $target"
  exit 0
fi

tools/packages.sh build plugin </dev/null
tools/stale_system.sh
headers=$(version_in "$(pkg-config --modversion wireshark)")
case $headers in
  4.0 | 4.4) ;;
  *) complain "written for Wireshark 4.0 and 4.4; the headers installed are of $headers" && exit 1 ;;
esac
version=$(installed_version)
if [ -z "$version" ]; then
  complain "no Wireshark here (neither wireshark nor tshark)"
  exit 1
fi
if [ "$version" != "$headers" ]; then
  complain "your Wireshark is $version, but the headers (libwireshark-dev) are of $headers: the plugin would not load"
  exit 1
fi

mkdir -p .build
if ! bazel build --noshow_progress --symlink_prefix=/ -c opt //dissector:rdmawire.so >.build/build.log 2>&1; then
  cat .build/build.log >&2
  exit 3
fi
folder=$(folder_of "$version")
"${as_root[@]}" mkdir -p "$folder"
"${as_root[@]}" install -m 644 "$(bazel info -c opt bazel-bin 2>/dev/null)/dissector/rdmawire.so" "$folder/rdmawire.so"
echo "Installed $folder/rdmawire.so, for Wireshark $version. Wireshark loads it at its next start."
if [ $system = no ] && [ "$(id -u)" = 0 ]; then
  echo "Note: for root Wireshark loads no plugin of a user's own, and does not say so. Use --system, or another user."
fi
