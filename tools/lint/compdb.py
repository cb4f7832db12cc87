"""Turns `bazel aquery --output=jsonproto` (standard input) into a compilation database (standard output).

Arguments: the root of the project and Bazel's output base.
"""

import json
import sys

root, base = sys.argv[1:3]
entries = {}
for action in json.load(sys.stdin).get("actions", []):
    args = action["arguments"]
    source = args[args.index("-c") + 1]
    if source.startswith(("external/", "bazel-out/")):
        continue
    # The sources and bazel-out lie at the root; other repositories do not.
    fixed = [base + "/" + a if a.startswith("external/") else a for a in args]
    entries[source] = {"directory": root, "file": source, "arguments": fixed}
json.dump([entries[s] for s in sorted(entries)], sys.stdout, indent=1)
