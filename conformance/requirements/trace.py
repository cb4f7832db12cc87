#!/usr/bin/env python3
"""Which requirement is cited where, and whether citations and register agree.

    conformance/requirements/trace.py              how many rows of each section are cited; exit code 1 on a fault
    conformance/requirements/trace.py HV-10 CM-    these rows, or all that begin so, with the places that cite them
    conformance/requirements/trace.py --open       the rows that are open or partial, with what is missing
    conformance/requirements/trace.py --html FILE  a page of all rows, with filters, the code and the results of the last
                                                   tests; --json FILE the same for programs
    conformance/requirements/trace.py --snapshot   writes conformance/trace.snapshot.txt anew

`./rdmawire trace` is the same.
"""

import argparse
import datetime
import json
import pathlib
import subprocess
import sys
import textwrap

# Run by Bazel, this file is a link: behind it lies the tree.
ROOT = pathlib.Path(__file__).resolve().parents[2]
if not __package__:  # run as a program
    sys.path.insert(0, str(ROOT))

from conformance.requirements import matrix, register, results  # noqa: E402

WIDTH = 80
LEVELS_OF_RFCS = ("MUST", "MUST NOT", "SHOULD", "SHOULD NOT", "MAY", "fact")
LEVELS_OF_IB = ("A", "B", "C")
STATES = (*register.BARE_STATES, *register.REASONED_STATES)


def figures(trace, rows):
    """`rows code test`: of these rows, how many are cited in code and how many in tests; nothing if there are none."""
    if not rows:
        return ""
    code = sum(1 for row in rows if trace.code[row.id])
    tests = sum(1 for row in rows if trace.tests[row.id])
    return f"{len(rows)} {code} {tests}"


def grouped(rows, key):
    groups = {}
    for row in rows:
        groups.setdefault(key(row), []).append(row)
    return groups


def table_of(trace, document, rows):
    levels = LEVELS_OF_IB if document == "IB" else LEVELS_OF_RFCS
    line = "{:8}" + "".join(f"{{:>{max(10, len(level) + 1)}}}" for level in levels) + "{:>11}"
    yield line.format(document, *levels, "all").rstrip()
    for section, there in grouped(rows, lambda row: row.section).items():
        by_level = grouped(there, lambda row: row.weight)
        cells = [figures(trace, by_level.get(level, [])) for level in levels]
        yield line.format(section, *cells, figures(trace, there))
    by_level = grouped(rows, lambda row: row.weight)
    cells = [figures(trace, by_level.get(level, [])) for level in levels]
    yield line.format("all", *cells, figures(trace, rows))


def table(trace):
    """The figures by document, section and level, then the states by document; lines of at most WIDTH characters."""
    documents = grouped(trace.rows.values(), lambda row: row.document)
    yield "Rows, of them cited in code, of them cited in tests"
    for document, rows in documents.items():
        yield ""
        yield from table_of(trace, document, rows)
    line = "{:10}{:>8}" + "{:>9}" * 3 + "{:>11}{:>16}"
    yield ""
    yield line.format("", "rows", *STATES).rstrip()
    for document, rows in [*documents.items(), ("all", list(trace.rows.values()))]:
        by_state = grouped(rows, lambda row: row.state)
        yield line.format(document, len(rows), *(len(by_state.get(state, [])) for state in STATES))


def wrapped(label, text):
    return textwrap.fill(text, WIDTH, initial_indent=f"  {label:11}", subsequent_indent=" " * 13, break_long_words=False)


def details(trace, row):
    """All that is known of a row, and where it is cited."""
    traits = [row.level, row.role, row.layer, row.kind, row.confidence]
    yield f"{row.id}  {row.source} {row.section}  {' '.join(t for t in traits if t != '-')}"
    for column in ("statement", "test", "violation", "note", "status"):
        if getattr(row, column) != "-":
            yield wrapped(column, getattr(row, column))
    for label, citations in (("code", trace.code), ("tests", trace.tests)):
        for citation in citations[row.id]:
            yield f"  {label:11}{citation.place}"
    for path, vectors in grouped(trace.vectors[row.id], lambda vector: vector.path).items():
        yield f"  {'vectors':11}{path}: {len(vectors)}"


def about(root, found):
    """Of which tree and of which run a page tells."""
    day = datetime.datetime.now(tz=datetime.timezone.utc).date().isoformat()
    git = ["git", "-C", str(root), "describe", "--always", "--dirty"]
    try:
        commit = subprocess.run(git, capture_output=True, text=True, check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        commit = "unknown"
    ran = f"{len(found.cases)} test cases" if found.cases else "no results: run ./test first"
    return f"rdmawire {commit}, {day}; last run of the tests: {ran}"


def write_reports(options, trace):
    found = results.Results.read(options.results or options.root / "bazel-testlogs")
    value, sources = matrix.joined(trace, options.root, found)
    if options.json:
        options.json.write_text(json.dumps(value, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    if options.html:
        options.html.write_text(matrix.page(value, sources, about(options.root, found)), encoding="utf-8")


def snapshot_faults(root, trace):
    """Says if the snapshot in the tree is not what the tree gives."""
    path = root / matrix.SNAPSHOT
    there = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    changed = sorted({line.split("\t")[0] for line in set(there) ^ set(matrix.snapshot(trace))})
    if changed:
        names = ", ".join(changed[:10]) + (", ..." if len(changed) > 10 else "")
        yield f"{matrix.SNAPSHOT}: not up to date ({names}): run ./rdmawire trace --snapshot and commit it"


def main(arguments):
    parser = argparse.ArgumentParser(
        prog="rdmawire trace",
        description="Which requirement is implemented where, and what proves it. Without options: figures by section, and "
        "whether the register, the citations and the snapshot agree (exit code 1 if not).",
    )
    parser.add_argument("ids", nargs="*", metavar="ID", help="show these rows; a part from the front stands for many")
    parser.add_argument("--open", action="store_true", help="show the rows that are open or partial")
    parser.add_argument("--html", type=pathlib.Path, metavar="FILE", help="write one page of all, with filters and code")
    parser.add_argument("--json", type=pathlib.Path, metavar="FILE", help="write all for programs")
    parser.add_argument("--results", type=pathlib.Path, metavar="FOLDER", help="of the last tests (bazel-testlogs)")
    parser.add_argument("--snapshot", action="store_true", help=f"write {matrix.SNAPSHOT}")
    parser.add_argument("--root", type=pathlib.Path, default=ROOT, help="of the tree to read")
    options = parser.parse_args(arguments)

    trace, faults = register.read(options.root)
    if options.ids or options.open:
        rows = [
            row
            for row in trace.rows.values()
            if (not options.ids or row.id.startswith(tuple(options.ids)))
            and (not options.open or row.state in ("open", "partial"))
        ]
        for row in rows:
            print("\n".join(details(trace, row)))
        if options.ids and not rows:
            print("no such row", file=sys.stderr)
        return 0 if rows else 1
    if options.html or options.json:
        write_reports(options, trace)
        return 0
    if options.snapshot:
        (options.root / matrix.SNAPSHOT).write_text("\n".join(matrix.snapshot(trace)) + "\n", encoding="utf-8")
        return 0
    faults += snapshot_faults(options.root, trace)
    print("\n".join(table(trace)))
    for fault in faults:
        print(fault)
    print(f"{len(faults)} faults" if faults else "The register and its citations agree.")
    return 1 if faults else 0


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except BrokenPipeError:
        sys.exit(1)
