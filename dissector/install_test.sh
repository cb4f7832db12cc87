#!/bin/bash
# ./rdmawire install-plugin with a Bazel, a pkg-config and a tshark that only say what they are told to.
set -euo pipefail
tree=$TEST_TMPDIR/tree
mkdir -p "$tree/dissector" "$tree/tools" "$tree/path" "$tree/out/dissector" "$TEST_TMPDIR/home" "$TEST_TMPDIR/all"
cp -L rdmawire "$tree/rdmawire"
cp -L dissector/install.sh "$tree/dissector/install.sh"
for script in tools/packages.sh tools/stale_system.sh; do
  printf '#!/bin/bash\n' >"$tree/$script"
done
cat >"$tree/path/bazel" <<END
#!/bin/bash
[ \$1 = build ] || { echo "$tree/out" && exit 0; }
echo "for \$(cat "$tree/headers")" >"$tree/out/dissector/rdmawire.so"
END
cat >"$tree/path/pkg-config" <<END
#!/bin/bash
case \$* in
  *modversion*) cat "$tree/headers" ;;
  *plugindir*) echo "$TEST_TMPDIR/all/4.0" ;;
esac
END
# shellcheck disable=SC2016
for program in tshark wireshark; do
  printf '#!/bin/bash\necho "TShark (Wireshark) $(cat %s) (Git v1)."\n' "$tree/running" >"$tree/path/$program"
done
printf '#!/bin/bash\nexec "$@"\n' >"$tree/path/sudo"
chmod +x "$tree"/path/* "$tree"/tools/*.sh
export PATH=$tree/path:$PATH HOME=$TEST_TMPDIR/home
own=$HOME/.local/lib/wireshark/plugins/4.0/epan/rdmawire.so

# expect CODE WORDS OPTIONS...: its exit code, and words that it says.
expect() {
  local code=0 said
  said=$("$tree/rdmawire" install-plugin "${@:3}" 2>&1) || code=$?
  if [ "$code" != "$1" ] || [[ $said != *"$2"* ]]; then
    echo "line ${BASH_LINENO[0]}: expected $1 and '$2', got $code and '$said'" >&2
    exit 1
  fi
}

echo 4.0.17 >"$tree/headers"
echo 4.0.17 >"$tree/running"
expect 0 "Installed $own, for Wireshark 4.0."
grep -q "for 4.0.17" "$own"
expect 0 "Removed $own" --uninstall
[ ! -e "$own" ]
expect 1 "there is no $own" --uninstall
expect 0 "Installed $TEST_TMPDIR/all/4.0/epan/rdmawire.so" --system
expect 0 "Removed $TEST_TMPDIR/all/4.0/epan/rdmawire.so" --system --uninstall
echo 4.4.19 >"$tree/running"
expect 1 "your Wireshark is 4.4, but the headers (libwireshark-dev) are of 4.0"
echo 4.6.1 >"$tree/headers"
expect 1 "written for Wireshark 4.0 and 4.4; the headers installed are of 4.6"
[ ! -e "$own" ]
expect 2 "unknown option --all" --all
