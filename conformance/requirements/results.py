"""The results of the last tests, and which test case a citation stands in.

Bazel leaves a test.xml for each test target; a Boost.Test program names each of its cases in it.
"""

import dataclasses
import pathlib
import re
import xml.etree.ElementTree

CASE = re.compile(
    r"^BOOST_AUTO_TEST_(?P<suite>SUITE)\((?P<suite_name>\w+)"
    r"|^(?:BOOST_(?:AUTO|FIXTURE)_TEST_CASE|RDMAWIRE_SCENARIO)\(\s*(?P<case>\w+)"
    r"|^(?P<end>\})",
    re.MULTILINE,
)
COMMENT_OR_BLANK = re.compile(r"\s*(//.*)?")

PASSED, FAILED = "passed", "failed"


@dataclasses.dataclass(frozen=True)
class Case:
    """A test case of a source file, from its macro to its closing brace; lines count from 1."""

    suite: str
    name: str
    first_line: int
    last_line: int

    def __str__(self):
        return f"{self.suite}/{self.name}"


def cases_in(text):
    """The Boost.Test cases of a source, in its order."""
    suite, begun, cases = "", None, []
    for match in CASE.finditer(text):
        line = text.count("\n", 0, match.start()) + 1
        if match["suite"]:
            suite = match["suite_name"]
        elif match["case"]:
            begun = match["case"], line
        elif match["end"] and begun:
            cases.append(Case(suite, *begun, line))
            begun = None
    return cases


def case_at(cases, lines, line):
    """The case that a citation at this line stands in or right above; None if it stands elsewhere, as at an assertion
    of the compiler or in a table. lines are those of the source."""
    for case in cases:
        if case.first_line <= line <= case.last_line:
            return case
        if case.first_line > line:
            between = lines[line : case.first_line - 1]
            # A citation at the end of a line belongs to that line.
            alone = COMMENT_OR_BLANK.fullmatch(lines[line - 1])
            return case if alone and all(COMMENT_OR_BLANK.fullmatch(text) for text in between) else None
    return None


def package_of(path):
    """The folder of the target whose test.xml this is: FOLDER/TARGET/test.xml, or one level deeper for a shard or run."""
    parts = path.parts[:-1]
    while parts and parts[-1].startswith(("shard_", "run_")):
        parts = parts[:-1]
    return "/".join(parts[:-1])


class Results:
    """passed or failed, of each case by the folder of its target."""

    def __init__(self):
        self.cases = {}  # (folder, suite, name) -> result
        self.targets = {}  # folder -> results of its targets that name no cases

    def _add(self, folder, case):
        bad = any(case.find(kind) is not None for kind in ("failure", "error"))
        if bad or case.find("skipped") is None:
            key = (folder, case.get("classname") or "", case.get("name") or "")
            # Two targets of a folder may have a case each of that name.
            self.cases[key] = FAILED if bad or self.cases.get(key) == FAILED else PASSED

    @staticmethod
    def read(folder):
        """Of all test.xml below a folder, as bazel-testlogs; nothing if there is none."""
        results = Results()
        folder = pathlib.Path(folder)
        for path in sorted(folder.resolve().rglob("test.xml")) if folder.exists() else ():
            package = package_of(path.relative_to(folder.resolve()))
            try:
                root = xml.etree.ElementTree.parse(path).getroot()
            except xml.etree.ElementTree.ParseError:
                continue  # a program that crashed while it wrote
            cases = list(root.iter("testcase"))
            for case in cases:
                results._add(package, case)
            suite = next(root.iter("testsuite"), root)
            bad = any(int(suite.get(kind) or 0) for kind in ("failures", "errors"))
            results.targets.setdefault(package, []).append(FAILED if bad else PASSED)
        return results

    def of_case(self, folder, case):
        """passed, failed, or None if it has not run."""
        return self.cases.get((folder, case.suite, case.name))

    def of_file(self, folder, cases):
        """The worst of a file's cases; of the folder's targets for a file without cases; None if none has run."""
        found = [self.of_case(folder, case) for case in cases] if cases else self.targets.get(folder, [])
        found = [one for one in found if one]
        return FAILED if FAILED in found else PASSED if found else None
