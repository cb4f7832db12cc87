#!/bin/bash
# ./rdmawire in a small tree with a Bazel that only counts: when it builds, when it does not, and what it passes on.
set -euo pipefail

tree=$TEST_TMPDIR/tree
mkdir -p "$tree/codec" "$tree/tools" "$tree/path" "$tree/out/cli" "$TEST_TMPDIR/elsewhere"
cp -L rdmawire "$tree/rdmawire"
for script in tools/packages.sh tools/stale_system.sh; do
  printf '#!/bin/bash\n' >"$tree/$script"
done
# The "program" built from source.cc is a script: it names the source's text, its arguments and its input.
cat >"$tree/path/bazel" <<END
#!/bin/bash
[ \$1 = build ] || { echo "$TEST_TMPDIR/out" && exit 0; }
echo build >>"$TEST_TMPDIR/calls"
if grep -q broken "$tree/codec/source.cc"; then echo "source.cc:1: error: broken" >&2 && exit 1; fi
mkdir -p "$TEST_TMPDIR/out/cli"
{ echo '#!/bin/bash'; echo "echo \$(cat "$tree"/codec/*.cc | xargs): \"\\\$*\""; echo '[ \$# = 0 ] || cat; exit 7'; } >"$TEST_TMPDIR/out/cli/rdmawire"
chmod +x "$TEST_TMPDIR/out/cli/rdmawire"
END
echo one >"$tree/codec/source.cc"
chmod +x "$tree"/tools/*.sh "$tree/path/bazel"
export PATH=$tree/path:$PATH

# expect BUILDS CODE OUTPUT: starts it and compares the number of builds until now, the exit code and standard output.
expect() {
  local code=0 output builds
  output=$(cd "$TEST_TMPDIR/elsewhere" && echo input | "$tree/rdmawire" dump 'a  b' 2>"$TEST_TMPDIR/stderr") || code=$?
  builds=$(wc -l <"$TEST_TMPDIR/calls")
  if [ "$builds $code $output" != "$1 $2 $3" ]; then
    echo "line ${BASH_LINENO[0]}: expected '$1 $2 $3', got '$builds $code $output'; standard error:" >&2
    cat "$TEST_TMPDIR/stderr" >&2
    exit 1
  fi
}

expect 1 7 "one: dump a  b"$'\ninput' # the first start builds
[ ! -s "$TEST_TMPDIR/stderr" ]    # and is silent when that is quick
expect 1 7 "one: dump a  b"$'\ninput' # nothing has changed
echo two >"$tree/codec/source.cc"
expect 2 7 "two: dump a  b"$'\ninput' # edited
touch -r "$tree/codec/source.cc" "$TEST_TMPDIR/time"
echo six >"$tree/codec/source.cc"
touch -r "$TEST_TMPDIR/time" "$tree/codec/source.cc"
expect 3 7 "six: dump a  b"$'\ninput' # edited, with size and time of the old one
echo three >"$tree/codec/another.cc"
expect 4 7 "three six: dump a  b"$'\ninput' # added
rm "$tree/codec/another.cc"
expect 5 7 "six: dump a  b"$'\ninput' # deleted
echo broken >"$tree/codec/source.cc"
expect 6 3 "" # the old program does not run
grep -q "error: broken" "$TEST_TMPDIR/stderr"
expect 7 3 "" # not even the second time
echo six >"$tree/codec/source.cc"
expect 8 7 "six: dump a  b"$'\ninput'
rm "$tree/.build/bin/rdmawire"
expect 9 7 "six: dump a  b"$'\ninput' # the program was deleted
"$tree/rdmawire" <&- >"$TEST_TMPDIR/closed" || [ $? = 7 ]
grep -q '^six' "$TEST_TMPDIR/closed" # standard input is closed
ln -s "$tree/rdmawire" "$TEST_TMPDIR/link"
"$TEST_TMPDIR/link" </dev/null >/dev/null || [ $? = 7 ]
expect 9 7 "six: dump a  b"$'\ninput' # through a symbolic link
[ "$(find "$tree/.build" -name 'built_from.*')" = "" ]
