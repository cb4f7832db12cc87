"""The join of requirements, citations and test results: as JSON, as one self-contained page, and as a snapshot."""

import json
import pathlib

from conformance.requirements import results as test_results

PAGE = pathlib.Path(__file__).resolve().parent / "matrix.html"
SNAPSHOT = "conformance/trace.snapshot.txt"
FORMAT_VERSION = 1

COLUMNS = (
    "id", "source", "section", "level", "role", "layer", "kind", "confidence", "statement", "test", "violation", "note",
    "status", "document", "weight", "state",
)  # fmt: skip


def snapshot(trace):
    """What implements and proves each row, without what changes with every edit: lines and results.

    ID, state, the files that cite it as code, those that cite it as tests, and how many vectors prove it.
    """
    yield "# ID\tstate\tcode\ttests\tvectors: written by `./rdmawire trace --snapshot`"
    for row in trace.rows.values():
        files = [",".join(sorted({c.path for c in cited[row.id]})) or "-" for cited in (trace.code, trace.tests)]
        yield "\t".join([row.id, row.state, *files, str(len(trace.vectors[row.id])) if trace.vectors[row.id] else "-"])


class Joiner:
    """Reads each cited file once, and finds the case and result of a citation."""

    def __init__(self, root, results):
        self.root = pathlib.Path(root)
        self.results = results
        self.sources = {}
        self.cases = {}

    def source(self, path):
        if path not in self.sources:
            self.sources[path] = (self.root / path).read_text(encoding="utf-8")
        return self.sources[path]

    def code(self, citation):
        self.source(citation.path)
        return {"path": citation.path, "line": citation.line}

    def test(self, citation):
        text = self.source(citation.path)
        if citation.path not in self.cases:
            self.cases[citation.path] = test_results.cases_in(text), text.split("\n")
        cases, lines = self.cases[citation.path]
        case = test_results.case_at(cases, lines, citation.line)
        folder = pathlib.PurePosixPath(citation.path).parent.as_posix()
        result = self.results.of_case(folder, case) if case else self.results.of_file(folder, cases)
        return self.code(citation) | {"case": str(case) if case else None, "result": result}

    def vector(self, citation):
        folder = pathlib.PurePosixPath(citation.path).parent.as_posix()
        place = {"path": citation.path, "line": citation.line}
        return place | {"case": citation.vector, "result": self.results.of_file(folder, ())}


def worst(found):
    """failed before not run before passed; None, not run, for nothing."""
    if test_results.FAILED in found:
        return test_results.FAILED
    return test_results.PASSED if found and all(found) else None


def joined(trace, root, results):
    """The whole as a value for JSON; README.md says what is in it."""
    joiner = Joiner(root, results)
    rows = []
    for row in trace.rows.values():
        one = {column: getattr(row, column) for column in COLUMNS}
        one["code"] = [joiner.code(citation) for citation in trace.code[row.id]]
        one["tests"] = [joiner.test(citation) for citation in trace.tests[row.id]]
        one["vectors"] = [joiner.vector(citation) for citation in trace.vectors[row.id]]
        one["result"] = worst([test["result"] for test in one["tests"] + one["vectors"]])
        rows.append(one)
    return {"version": FORMAT_VERSION, "rows": rows}, joiner.sources


def page(value, sources, about):
    """One page without any other file: the rows, and the sources that they lead to."""
    text = json.dumps(value | {"sources": sources, "about": about}, ensure_ascii=False, separators=(",", ":"))
    # Nothing in the data may end the element that holds it.
    return PAGE.read_text(encoding="utf-8").replace("@DATA@", text.replace("<", "\\u003c"))
