#!/bin/bash
# tools/bare/try.sh bookworm|trixie [COMMAND...]: does what the README says on a machine that has nothing, and prints the
# times; or runs the command there, such as ./test //dissector/... in trixie, which has Wireshark 4.4.
# Makes a bare Debian in a folder, clones this checkout's HEAD into it, and runs both commands there with standard input
# closed. As root; needs debootstrap and git. Packages come from where this machine's apt takes them.
set -euo pipefail
suite=${1:-}
case $suite in
  bookworm | trixie) ;;
  *) sed -n '2,5s/^# //p' "$0" >&2 && exit 2 ;;
esac
[ "$(id -u)" = 0 ] || { echo "tools/bare/try.sh: only root can make a root folder and enter it" >&2 && exit 2; }
for tool in debootstrap git; do
  command -v $tool >/dev/null || { echo "tools/bare/try.sh: no $tool; apt-get install $tool" >&2 && exit 2; }
done

if [ -z "${BARE_WORK:-}" ]; then
  BARE_WORK=$(mktemp -d /var/tmp/bare-XXXXXX)
  trap 'rm -rf --one-file-system "$BARE_WORK"' EXIT
  export BARE_WORK
  # Name spaces of its own: whatever happens, its mounts and processes (Bazel's server) end with it.
  status=0
  unshare --mount --pid --fork --kill-child --propagation private "$0" "$@" || status=$?
  exit $status
fi

root=$BARE_WORK/root
checkout=$(git -C "$(dirname "$(readlink -f "$0")")" rev-parse --show-toplevel)
now() { date +%s.%N; }
since() { awk -v a="$1" -v b="$(now)" 'BEGIN { printf "%.2f s", b - a }'; }
inside() { chroot "$root" /usr/bin/env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root bash -c "cd /root/rdmawire && $1" <&-; }
# The shortest of five runs.
best() {
  local start
  for _ in 1 2 3 4 5; do
    start=$(now)
    inside "$1" >/dev/null
    since "$start" && echo
  done | sort -n | head -n 1
}

# shellcheck disable=SC2016
mirror=$(apt-get indextargets --format '$(ORIGIN) $(LABEL) $(REPO_URI)' 'Identifier: Packages' 2>/dev/null |
  awk '$1 == "Debian" && $2 == "Debian" { print $3; exit }')
start=$(now)
# Without one, debootstrap takes its own default.
debootstrap --variant=minbase "$suite" "$root" ${mirror:+"$mirror"} >"$BARE_WORK/log" 2>&1 ||
  { tail -n 20 "$BARE_WORK/log" >&2 && exit 1; }
echo "debootstrap $suite: $(since "$start")"

mount -t proc proc "$root/proc"
mount -t sysfs sysfs "$root/sys"
mount --rbind /dev "$root/dev"
apt-config dump | grep -i '^Acquire::.*Proxy' >"$root/etc/apt/apt.conf.d/90proxy" || true
git clone --quiet --no-checkout "file://$checkout" "$root/root/rdmawire"
git -C "$root/root/rdmawire" checkout --quiet --detach "$(git -C "$checkout" rev-parse HEAD)"

if [ $# -gt 1 ]; then
  start=$(now)
  status=0
  inside "${*:2}" || status=$?
  echo "${*:2}: $(since "$start")"
  exit $status
fi

dump="dump testdata/captures/rxe-rping.pcap"
start=$(now)
inside "./rdmawire $dump" | {
  IFS= read -r line && echo "from nothing to the first decoded packet: $(since "$start")" && echo "  $line"
  echo "  and $(wc -l) more lines"
}
echo "second start: $(best "./rdmawire $dump") (best of 5)"
echo "the bare program: $(best ".build/bin/rdmawire $dump") (best of 5)"
start=$(now)
status=0
inside ./test >"$BARE_WORK/test.log" 2>&1 || status=$?
[ $status = 0 ] || tail -n 100 "$BARE_WORK/test.log"
echo "tests: $(since "$start"): $(tail -n 1 "$BARE_WORK/test.log")"
exit $status
