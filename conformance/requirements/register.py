"""The register of requirements and what cites it: README.md says what a row and a citation look like.

read_registers, read_citations and read_vectors give what is there and the faults of its form; Trace holds them against
each other.
"""

import bisect
import dataclasses
import io
import json
import pathlib
import re
import tokenize

from tools.layering.layering import tree_files

FOLDER = "conformance/requirements"
VECTORS = "conformance/vectors"
COLUMNS = (
    "id", "source", "section", "level", "role", "layer", "kind", "confidence", "statement", "test", "violation", "note",
    "status",
)  # fmt: skip
LEVELS = ("MUST", "MUST NOT", "SHOULD", "SHOULD NOT", "MAY", "fact", "A", "B", "C")

# Alone or with the reason that must follow.
BARE_STATES = ("covered", "open")
REASONED_STATES = ("partial", "exception", "not observable")

ID = re.compile(r"[A-Z][A-Z0-9]*(-[A-Z0-9]+(\.[A-Z0-9]+)*)+")
CITATION = re.compile(r"=\s+(?P<ids>\S+(, \S+)*?)(?P<test> test)?")

# The lexical elements of C++ in which two slashes may stand; the rest is never a comment.
CXX_TOKEN = re.compile(
    r'R"(?P<raw>[^(\s]*)\(.*?\)(?P=raw)"'
    r'|"(?:\\.|[^"\\\n])*"'
    r"|'(?:\\.[^'\n]*|[^'\\\n])'"
    r"|/\*.*?\*/"
    r"|//(?P<comment>[^\n]*)",
    re.DOTALL,
)
SHELL_COMMENT = re.compile(r"(?:^|\s)#(?P<comment>=[^\n]*)", re.MULTILINE)


@dataclasses.dataclass(frozen=True)
class Row:
    """One requirement; the fields are the columns."""

    id: str
    source: str
    section: str
    level: str
    role: str
    layer: str
    kind: str
    confidence: str
    statement: str
    test: str
    violation: str
    note: str
    status: str
    place: str  # FILE:LINE

    @property
    def state(self):
        """The status without its reason."""
        return self.status.split(":")[0]

    @property
    def document(self):
        return self.source if self.source.startswith("RFC ") else "IB"

    @property
    def weight(self):
        """How much depends on it: the RFC's word, or how sure we are of a rule of InfiniBand."""
        return self.confidence if self.level == "-" else self.level

    @property
    def is_demanded(self):
        """Whether it must be implemented and tested, or say why not: what a peer can see and an endpoint must do, and
        of InfiniBand what we are sure of."""
        if self.document == "IB":
            return self.confidence in ("A", "B")
        return self.level in ("MUST", "MUST NOT") and self.kind in ("wire", "state")


@dataclasses.dataclass(frozen=True)
class Citation:
    id: str
    path: str  # from the root
    line: int
    test: bool
    vector: str = ""  # its name, in a file of vectors

    @property
    def place(self):
        return f"{self.path}:{self.line}"


def read_registers(root):
    """(rows by id, faults) of all registers."""
    rows, faults = {}, []
    for path in sorted((pathlib.Path(root) / FOLDER).glob("*.tsv")):
        name = path.relative_to(root).as_posix()
        head, *lines = path.read_text(encoding="utf-8").split("\n")
        if tuple(head.split("\t")) != COLUMNS:
            faults.append(f"{name}:1: the columns are {' '.join(COLUMNS)}")
            continue
        if not lines or lines.pop():
            faults.append(f"{name}: the last line does not end")
        for number, line in enumerate(lines, 2):
            place = f"{name}:{number}"
            cells = line.split("\t")
            if len(cells) != len(COLUMNS):
                faults.append(f"{place}: {len(cells)} columns, not {len(COLUMNS)}")
                continue
            row = Row(*cells, place)
            faults += [f"{place}: {row.id}: {fault}" for fault in row_faults(row)]
            if row.id in rows:
                faults.append(f"{place}: {row.id} stands in {rows[row.id].place} too")
            else:
                rows[row.id] = row
    return rows, faults


def row_faults(row):
    if not ID.fullmatch(row.id):
        yield "not an id"
    for column in COLUMNS:
        value = getattr(row, column)
        if not value or value != value.strip():
            yield f"{column} is empty or has space around it; a column with nothing to say has -"
    if row.weight not in LEVELS:
        yield f"level or confidence must be one of {', '.join(LEVELS)}"
    reason = row.status.partition(": ")[2].strip()
    if row.status not in BARE_STATES and not (row.state in REASONED_STATES and reason):
        known = [*BARE_STATES, *(f"{state}: REASON" for state in REASONED_STATES)]
        yield f"status must be one of {', '.join(known)}"


def cxx_comments(text):
    """(offset, what follows the slashes) of each // comment."""
    for token in CXX_TOKEN.finditer(text):
        if token["comment"] is not None:
            yield token.start(), token["comment"]


def python_comments(text):
    starts = [0, *(m.end() for m in re.finditer("\n", text))]
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT:
            yield starts[token.start[0] - 1] + token.start[1], token.string[1:]


def shell_comments(text):
    for match in SHELL_COMMENT.finditer(text):
        yield match.start("comment"), match["comment"]


# How comments are found, by the end of a file's name.
COMMENTS = {
    ".cc": cxx_comments,
    ".h": cxx_comments,
    ".inc": cxx_comments,
    ".c": cxx_comments,
    ".py": python_comments,
    ".bzl": python_comments,
    "BUILD": python_comments,
    ".sh": shell_comments,
}


def comments_of(path):
    return COMMENTS.get(path.suffix or path.name)


def is_test_file(path):
    return path.stem.endswith("_test")


def citations_in(path, text):
    """(citations, faults) of one file; path is from the root."""
    citations, faults = [], []
    ends = [m.start() for m in re.finditer("\n", text)]
    for offset, comment in comments_of(path)(text):
        if not comment.startswith("="):
            continue
        line = bisect.bisect_left(ends, offset) + 1
        match = CITATION.fullmatch(comment)
        ids = match["ids"].split(", ") if match else []
        if not ids or not all(ID.fullmatch(cited) for cited in ids):
            faults.append(f"{path}:{line}: not a citation: {comment!r}; it is `= ID, ID` or `= ID, ID test`")
            continue
        if is_test_file(path) and not match["test"]:
            faults.append(f"{path}:{line}: a citation in a test ends in `test`")
        citations += [Citation(cited, path.as_posix(), line, bool(match["test"])) for cited in ids]
    return citations, faults


def read_citations(root):
    """(citations in the order of the files, faults) of the tree at root."""
    root = pathlib.Path(root)
    citations, faults = [], []
    for path in tree_files(root):
        if comments_of(path) is not None:
            found, wrong = citations_in(path, (root / path).read_text(encoding="utf-8"))
            citations += found
            faults += wrong
    return citations, faults


def vectors_in(value):
    """(name, requirements) of each vector in a JSON value, whatever it is packed in."""
    if isinstance(value, dict):
        if isinstance(value.get("requirements"), list):
            yield value.get("name", ""), value["requirements"]
        else:
            value = list(value.values())
    if isinstance(value, list):
        for one in value:
            yield from vectors_in(one)


def read_vectors(root):
    """(citations, faults) of the vectors: each proves what its list `requirements` names."""
    citations, faults = [], []
    for path in sorted((pathlib.Path(root) / VECTORS).glob("*.json")):
        name = path.relative_to(root).as_posix()
        text = path.read_text(encoding="utf-8")
        try:
            vectors = list(vectors_in(json.loads(text)))
        except json.JSONDecodeError as error:
            faults.append(f"{name}:{error.lineno}: {error.msg}")
            continue
        at, line = 0, 1
        for vector, ids in vectors:
            # In the order of the file.
            found = max(at, text.find(json.dumps(vector, ensure_ascii=False), at))
            line += text.count("\n", at, found)
            at = found
            citations += [Citation(id, name, line, True, vector) for id in ids]
    return citations, faults


class Trace:
    """Rows and the citations of each: in code, in tests, and by vectors, which are tests too."""

    def __init__(self, rows, citations):
        self.rows = rows
        self.code = {id: [] for id in rows}
        self.tests = {id: [] for id in rows}
        self.vectors = {id: [] for id in rows}
        self.unknown = []
        for citation in citations:
            if citation.id in rows:
                kind = self.vectors if citation.vector else self.tests if citation.test else self.code
                kind[citation.id].append(citation)
            else:
                self.unknown.append(citation)

    def faults(self):
        """Where rows and citations contradict each other."""
        for citation in self.unknown:
            yield f"{citation.place}: no register has {citation.id}"
        for row in self.rows.values():
            code, tests = self.code[row.id], self.tests[row.id] + self.vectors[row.id]
            if row.state == "covered" and not code:
                yield f"{row.place}: {row.id} is covered, but no code cites it"
            if row.state == "covered" and not tests:
                yield f"{row.place}: {row.id} is covered, but no test cites it"
            if row.state == "open" and code and tests:
                yield f"{row.place}: {row.id} is open, but {code[0].place} and {tests[0].place} cite it: is it covered?"
            if row.state == "partial" and not (code or tests):
                yield f"{row.place}: {row.id} is partial, but nothing cites it"
            reasoned = row.state in ("exception", "not observable")
            if row.is_demanded and row.state != "covered" and not (code and tests) and not reasoned:
                yield f"{row.place}: {row.id} must be implemented and tested, or say why not (exception: REASON)"


def read(root):
    """(the Trace of the tree at root, all faults)."""
    rows, row_problems = read_registers(root)
    citations, citation_problems = read_citations(root)
    vectors, vector_problems = read_vectors(root)
    trace = Trace(rows, [*citations, *vectors])
    return trace, [*row_problems, *citation_problems, *vector_problems, *trace.faults()]
