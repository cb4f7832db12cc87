#!/usr/bin/env python3
"""Names the system libraries that a target is built of and that no package of these groups (packages.txt) brings.

    tools/sysdeps/needs.py TARGET GROUP...

A machine that has everything never notices: only one that has no more than the groups fails. Exit code 1 if there is one.
"""

import ast
import pathlib
import re
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent


def libraries():
    """{repository: pkg-config modules}"""
    tree = ast.parse((HERE / "system_libraries.bzl").read_text(encoding="utf-8"))
    return next(
        ast.literal_eval(node.value)
        for node in tree.body
        if isinstance(node, ast.Assign) and node.targets[0].id == "_LIBRARIES"
    )


def modules_of(groups):
    rows = (line.split() for line in (HERE.parent / "packages.txt").read_text(encoding="utf-8").splitlines())
    return {row[3] for row in rows if len(row) > 3 and row[0] in groups and row[2] == "module"}


def main(target, *groups):
    query = ["bazel", "query", "--noshow_progress", f"deps({target})", "--output=package"]
    packages = subprocess.run(query, cwd=HERE, stdout=subprocess.PIPE, check=True).stdout.decode()
    known = libraries()
    used = set(re.findall(r"^@(\w+)//$", packages, re.MULTILINE)) & set(known)
    if not used:
        print(f"{target} is built of no system library at all: is it asked rightly?")
        return 1
    there = modules_of(groups)
    lacking = {name: modules for name in sorted(used) if (modules := set(known[name]) - there)}
    for name, modules in lacking.items():
        print(f"{target} needs @{name} ({', '.join(sorted(modules))}), and no package of {' '.join(groups)} brings it")
    return 1 if lacking else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]) if len(sys.argv) > 2 else __doc__)
