#!/bin/bash
# fuzz/run.sh TARGET SECONDS [libFuzzer options]: fuzzes //fuzz:TARGET under ASan and UBSan, from its corpus.
# New inputs and findings go to .build/fuzz/TARGET, never into the tree. Exit code: not 0 if there is a finding.
# Replay a run: the same with -seed=N, N being the seed that it printed, and an empty .build/fuzz/TARGET.
set -euo pipefail
cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/.."
[ $# -ge 2 ] || { sed -n '2,4s/^# //p' fuzz/run.sh >&2 && exit 2; }
target=$1
seconds=$2
shift 2
tools/packages.sh build clang
bazel build --config=fuzz --noshow_progress "//fuzz:$target"
program=$(bazel info --config=fuzz bazel-bin 2>/dev/null)/fuzz/$target

out=.build/fuzz/$target
mkdir -p "$out/inputs" "$out/findings"
seed=$RANDOM$RANDOM
for option; do
  case $option in -seed=*) seed=${option#-seed=} ;; esac
done
options=(-max_total_time="$seconds" -seed="$seed" -artifact_prefix="$out/findings/" -print_final_stats=1)
[ ! -f "fuzz/$target.dict" ] || options+=(-dict="fuzz/$target.dict")
echo "fuzz/run.sh: $target for $seconds s, seed $seed"
status=0
# The last of two equal options counts. libFuzzer writes to the first folder only.
"$program" "${options[@]}" "$@" "$out/inputs" "fuzz/corpus/$target" || status=$?
if [ $status != 0 ]; then
  echo "fuzz/run.sh: $target has a finding (seed $seed), see $out/findings; replay: $program FILE" >&2
fi
exit $status
