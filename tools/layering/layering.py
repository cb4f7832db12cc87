"""Finds uses that point up: reads the includes of all sources and the deps of all BUILD files, by the table in layers.bzl.

    python3 tools/layering/layering.py [ROOT]     prints each breach; exit code 1 if there is one

Also: what a folder must not include, and source files that are too long.
"""

import ast
import pathlib
import re
import sys

INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]', re.MULTILINE)
COMMENT_OR_STRING = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"', re.DOTALL)
CXX = {".cc", ".h"}
COUNTED = CXX | {".py", ".sh", ".bzl"}


class Table:
    """The literals of layers.bzl."""

    def __init__(self, path):
        values = {
            node.targets[0].id: ast.literal_eval(node.value)
            for node in ast.parse(path.read_text(encoding="utf-8")).body
            if isinstance(node, ast.Assign)
        }
        self.layers = values["LAYERS"]
        self.forbidden_headers = values["FORBIDDEN_HEADERS"]
        self.forbidden_words = values["FORBIDDEN_WORDS"]
        self.max_lines = values["MAX_LINES"]

    def layer_of(self, folder):
        return max((layer for layer in self.layers if lies_under(folder, layer)), key=len, default=None)

    def may_use(self, user, used):
        """user and used are layers."""
        return user == used or used == "tools" or any(lies_under(used, u) for u in self.layers[user][0])


def lies_under(folder, other):
    return folder == other or folder.startswith(other + "/")


def tree_files(root):
    """Paths below root, relative to it, without what Bazel, git and the launchers put there."""
    for path in sorted(root.iterdir()):
        if path.name in {".git", ".build"} or path.name.startswith("bazel-"):
            continue
        if path.is_dir():
            yield from (p.relative_to(root) for p in sorted(path.rglob("*")) if p.is_file())
        else:
            yield path.relative_to(root)


def check_use(table, where, folder, used_folder, what):
    """The breaches of one use: of what, which lies in used_folder, by the file or target where, which lies in folder."""
    user, used = table.layer_of(folder), table.layer_of(used_folder)
    if user is None:
        return [f"{where}: the folder is in no layer; give it a row in tools/layering/layers.bzl"]
    if used is None:
        return [f"{where}: {what} lies in no layer"]
    if not table.may_use(user, used):
        uses, why = table.layers[user]
        return [f"{where}: {user} must not use {what}; it may use {', '.join(uses) or 'nothing'} ({why})"]
    return []


def check_source(table, root, path):
    """Includes, forbidden headers and words of one C++ file."""
    text = (root / path).read_text(encoding="utf-8")
    folder = path.parent.as_posix()
    tops = {layer.split("/")[0] for layer in table.layers}
    is_test = path.stem.endswith(("_test", "_main"))
    breaches = []

    for bracket, header in INCLUDE.findall(text):
        line = f"{path}: #include {bracket}{header}{'>' if bracket == '<' else bracket}"
        from_root = header.split("/")[0] in tops and (root / header).is_file()
        if from_root and bracket == '"':
            breaches += check_use(table, path, folder, pathlib.PurePosixPath(header).parent.as_posix(), header)
        elif from_root:
            breaches.append(f"{line}: a header of the project stands in quotes")
        elif bracket == '"':
            breaches.append(f"{line}: no such file; a header is included by its path from the root")
        elif not is_test:
            for folders, headers, why in table.forbidden_headers:
                if header in headers and any(lies_under(folder, f) for f in folders):
                    breaches.append(f"{line}: {why}")

    if not is_test:
        code = COMMENT_OR_STRING.sub("", text)
        for folders, words, why in table.forbidden_words:
            if any(lies_under(folder, f) for f in folders):
                found = (word for word in words if re.search(rf"\b{re.escape(word)}\b", code))
                breaches += [f"{path}: {word}: {why}" for word in found]
    return breaches


def check_build_file(table, root, path):
    """The deps of one BUILD file. Labels with @ are system libraries, which the table does not order."""
    folder = path.parent.as_posix()
    breaches = []
    for node in ast.walk(ast.parse((root / path).read_text(encoding="utf-8"))):
        if not (isinstance(node, ast.keyword) and node.arg in {"deps", "implementation_deps"}):
            continue
        for leaf in ast.walk(node.value):
            if isinstance(leaf, ast.Constant) and isinstance(leaf.value, str) and leaf.value.startswith("//"):
                used = leaf.value[2:].split(":")[0]
                # The keys of a select are conditions, not uses.
                if used.split("/")[0] != "conditions":
                    breaches += check_use(table, path, folder, used, leaf.value)
    return breaches


def check(root, table=None):
    """All breaches of the tree at root, one line each."""
    root = pathlib.Path(root)
    table = table or Table(root / "tools/layering/layers.bzl")
    breaches = []
    for path in tree_files(root):
        if path.suffix in CXX:
            breaches += check_source(table, root, path)
        if path.name in {"BUILD", "BUILD.bazel"}:
            breaches += check_build_file(table, root, path)
        if path.suffix in COUNTED:
            lines = (root / path).read_bytes().count(b"\n")
            if lines > table.max_lines:
                breaches.append(f"{path}: {lines} lines, over {table.max_lines}: is there a seam to split at?")
    return breaches


def main():
    # Run by Bazel, this file is a link: behind it lies the tree.
    root = sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).resolve().parents[2]
    breaches = check(root)
    print("\n".join(breaches) or "No use points up.")
    return 1 if breaches else 0


if __name__ == "__main__":
    sys.exit(main())
