"""Small trees: register.read must say what cites what, and find each fault."""

import contextlib
import io
import pathlib
import tempfile
import unittest

from conformance.requirements import register, trace

HEAD = "\t".join(register.COLUMNS)


def row(id="HV-01", status="open", level="-", confidence="C", **cells):
    values = dict.fromkeys(register.COLUMNS, "-")
    values |= {"id": id, "status": status, "level": level, "confidence": confidence, "section": id.split("-")[0], **cells}
    return "\t".join(values[column] for column in register.COLUMNS)


def register_of(*rows):
    return "\n".join([HEAD, *rows, ""])


@contextlib.contextmanager
def tree(files, rows=(), more_rows=()):
    """A root with these files and registers."""
    registers = {"ib.tsv": register_of(*rows), "iwarp.tsv": register_of(*more_rows)}
    with tempfile.TemporaryDirectory() as name:
        root = pathlib.Path(name)
        for path, text in [*files.items(), *((f"{register.FOLDER}/{n}", t) for n, t in registers.items())]:
            (root / path).parent.mkdir(parents=True, exist_ok=True)
            (root / path).write_text(text, encoding="utf-8")
        yield root


class Case(unittest.TestCase):
    def assert_faults(self, want, files, rows=(), more_rows=()):
        with tree(files, rows, more_rows) as root:
            _, faults = register.read(root)
        self.assertEqual(len(faults), len(want), faults)
        for fault, words in zip(faults, want):
            for word in words:
                self.assertIn(word, fault)


class CitationTest(unittest.TestCase):
    def cited(self, path, text):
        with tree({path: text}) as root:
            citations, faults = register.read_citations(root)
        self.assertEqual(faults, [])
        self.assertTrue(all(citation.path == path for citation in citations))
        return [(citation.line, citation.id, citation.test) for citation in citations]

    def test_on_a_line_of_its_own_and_at_the_end_of_one(self):
        text = "//= HV-01\nint a;\n  f(b);  //= MPA-5044-A.5.2-01\n"
        self.assertEqual(self.cited("codec/a.h", text), [(1, "HV-01", False), (3, "MPA-5044-A.5.2-01", False)])

    def test_several_ids(self):
        self.assertEqual(
            self.cited("codec/a_test.cc", "\n//= HV-01, V2-16 test\n"), [(2, "HV-01", True), (2, "V2-16", True)]
        )

    def test_test_outside_of_a_test_file(self):
        self.assertEqual(self.cited("codec/a.h", "static_assert(a);  //= CRC-01 test"), [(1, "CRC-01", True)])

    def test_strings_and_block_comments_of_cxx_are_no_citations(self):
        text = """a = "//= HV-01";
b = "\\"//= HV-01";
c = R"x(
//= HV-01
)" //= HV-01
)x";
/*
//= HV-01 */
d = '"';  //= HV-02
e = '\\'';  //= HV-03
f = 0x4000'0000;  //= HV-04
// as in //= HV-05
"""
        self.assertEqual(
            self.cited("codec/a.cc", text), [(9, "HV-02", False), (10, "HV-03", False), (11, "HV-04", False)]
        )

    def test_python(self):
        text = 'a = "#= HV-01"\nb //= 2\n#= HV-02\nc = 1  #= HV-03 test\n# #= HV-04\n'
        self.assertEqual(self.cited("tools/a.py", text), [(3, "HV-02", False), (4, "HV-03", True)])

    def test_bazel_and_shell(self):
        self.assertEqual(self.cited("codec/BUILD", "#= HV-01\n"), [(1, "HV-01", False)])
        self.assertEqual(self.cited("tools/a.bzl", "#= HV-01\n"), [(1, "HV-01", False)])
        text = "#!/bin/bash\n# no\n#= HV-01\na  #= HV-02 test\necho a#= HV-03\n"
        self.assertEqual(self.cited("tools/a.sh", text), [(3, "HV-01", False), (4, "HV-02", True)])

    def test_other_files_and_what_bazel_puts_there_are_not_read(self):
        for path in ("README.md", "fuzz/corpus/x/a", "bazel-out/a.cc", ".build/a.cc"):
            self.assertEqual(self.cited(path, "//= HV-01\n"), [])


class MalformedTest(Case):
    def test_citations(self):
        for comment in ("= hv-01", "=", "= ", "=HV-01", "= HV-01 HV-01", "= HV-01,HV-01", "= HV-01 tests", "= HV", "==="):
            with self.subTest(comment):
                self.assert_faults([("codec/a.h:2", "not a citation")], {"codec/a.h": f"\n//{comment}\n"})

    def test_code_citation_in_a_test_file(self):
        for path in ("codec/a_test.cc", "codec/a_test.h"):
            self.assert_faults([(f"{path}:1", "ends in `test`")], {path: "//= HV-01"}, [row()])
        self.assert_faults([("tools/a_test.py:1", "ends in `test`")], {"tools/a_test.py": "#= HV-01"}, [row()])

    def test_header_of_a_register(self):
        files = {f"{register.FOLDER}/other.tsv": "id\tstatus\n"}
        self.assert_faults([("other.tsv:1", "the columns are")], files)

    def test_last_line_of_a_register(self):
        files = {f"{register.FOLDER}/other.tsv": HEAD + "\n" + row()}
        self.assert_faults([("other.tsv", "does not end")], files)

    def test_number_of_columns(self):
        self.assert_faults([("ib.tsv:2", "14 columns, not 13")], {}, [row() + "\tmore"])

    def test_id(self):
        self.assert_faults([("ib.tsv:2", "not an id")], {}, [row("hv-01")])

    def test_empty_column(self):
        self.assert_faults([("ib.tsv:2", "HV-01", "statement is empty")], {}, [row(statement="")])
        self.assert_faults([("ib.tsv:2", "HV-01", "test is empty")], {}, [row(test="a ")])

    def test_level(self):
        self.assert_faults([("level or confidence",)], {}, [row(confidence="D")])
        self.assert_faults([("level or confidence",)], {}, [row(level="must")])
        self.assert_faults([], {}, [row(level="MUST NOT", confidence="-")])

    def test_status(self):
        for status in ("done", "exception", "partial", "not observable", "open: later", "covered: yes", "-"):
            with self.subTest(status):
                with tree({}, [row(status=status)]) as root:
                    _, faults = register.read_registers(root)
                self.assertIn("ib.tsv:2: HV-01: status must be one of covered, open, partial: REASON", faults[0])
        for status in ("exception: no machine", "not observable: inside: the device"):
            self.assert_faults([], {}, [row(status=status)])


class TraceTest(Case):
    code = {"codec/a.h": "//= HV-01\n"}
    test = {"codec/a_test.cc": "//= HV-01 test\n"}

    def test_unknown_id(self):
        self.assert_faults([("codec/a.h:1", "HV-01")], self.code, [row("HV-02")])

    def test_duplicate_id(self):
        self.assert_faults([("ib.tsv:3", "HV-01", "ib.tsv:2")], {}, [row(), row()])
        self.assert_faults([("iwarp.tsv:2", "HV-01", "ib.tsv:2")], {}, [row()], [row()])

    def test_covered_needs_code_and_test(self):
        covered = [row(status="covered")]
        self.assert_faults([], self.code | self.test, covered)
        self.assert_faults([("HV-01", "no code")], self.test, covered)
        self.assert_faults([("HV-01", "no test")], self.code, covered)
        self.assert_faults([("no code",), ("no test",)], {}, covered)

    def test_open_with_code_and_test(self):
        self.assert_faults([("HV-01", "open", "codec/a.h:1", "codec/a_test.cc:1")], self.code | self.test, [row()])
        self.assert_faults([], self.code, [row()])
        self.assert_faults([], self.test, [row()])

    def test_partial_says_what_is_missing_and_is_cited(self):
        partial = [row(status="partial: the responder")]
        self.assert_faults([], self.code | self.test, partial)
        self.assert_faults([], self.test, partial)
        self.assert_faults([("HV-01", "nothing cites it")], {}, partial)

    def test_what_is_demanded_is_implemented_and_tested_or_has_a_reason(self):
        must = {"level": "MUST", "confidence": "-", "kind": "wire"}
        for what in ({"confidence": "A"}, {"confidence": "B"}, must, must | {"level": "MUST NOT", "kind": "state"}):
            for status in ("open", "partial: the sender"):
                with self.subTest(what, status=status):
                    source = "IBTA" if "level" not in what else "RFC 5044"
                    demanded = [row(status=status, source=source, **what)]
                    self.assert_faults([("HV-01", "must be implemented and tested")], self.code, demanded)
            self.assert_faults([], self.code | self.test, [row(status="partial: the sender", source=source, **what)])
            self.assert_faults([], {}, [row(status="exception: nobody has it", source=source, **what)])
            self.assert_faults([], {}, [row(status="not observable: inside", source=source, **what)])

    def test_what_is_not_demanded_may_be_open(self):
        self.assert_faults([], {}, [row(confidence="C")])
        for level, kind in (("SHOULD", "wire"), ("MUST", "api"), ("MUST", "policy")):
            self.assert_faults([], {}, [row(source="RFC 5044", confidence="-", level=level, kind=kind)])

    def test_exception_may_be_cited(self):
        self.assert_faults([], self.code | self.test, [row(status="exception: only its header")])


class TableTest(unittest.TestCase):
    def printed(self, root, *arguments):
        out = io.StringIO()
        trace.main(["--root", str(root), "--snapshot"])
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(out):
            code = trace.main(["--root", str(root), *arguments])
        return code, out.getvalue()

    files = {
        "codec/a.h": "//= HV-01\n//= HV-02\n//= MPA-5044-4.1-01\n",
        "codec/a_test.cc": "//= HV-01, MPA-5044-4.1-01 test\n",
    }
    ib = [row("HV-01", "covered", confidence="A"), row("HV-02"), row("PSN-01", "exception: none", confidence="A")]
    iwarp = [
        row(
            "MPA-5044-4.1-01",
            "partial: the sender",
            "MUST NOT",
            "-",
            source="RFC 5044",
            section="4.1",
            statement="One FPDU carries exactly one ULPDU",
        )
    ]

    def test_counts_by_section_and_level(self):
        with tree(self.files, self.ib, self.iwarp) as root:
            code, text = self.printed(root)
        self.assertEqual(code, 0)
        want = """\
Rows, of them cited in code, of them cited in tests

IB               A         B         C        all
HV           1 1 1               1 1 0      2 2 1
PSN          1 0 0                          1 0 0
all          2 1 1               1 1 0      3 2 1

RFC 5044      MUST  MUST NOT    SHOULD SHOULD NOT       MAY      fact        all
4.1                    1 1 1                                               1 1 1
all                    1 1 1                                               1 1 1

              rows  covered     open  partial  exception  not observable
IB               3        1        1        0          1               0
RFC 5044         1        0        0        1          0               0
all              4        1        1        1          1               0
The register and its citations agree.
"""
        self.assertEqual(text, want)

    def test_faults_are_printed_and_fail(self):
        with tree({}, [row(status="covered")]) as root:
            code, text = self.printed(root)
        self.assertEqual(code, 1)
        self.assertIn("ib.tsv:2: HV-01 is covered, but no code cites it\n", text)
        self.assertTrue(text.endswith("2 faults\n"), text)

    def test_rows_are_shown_with_their_places(self):
        with tree(self.files, self.ib, self.iwarp) as root:
            code, text = self.printed(root, "MPA-")
        self.assertEqual(code, 0)
        want = """\
MPA-5044-4.1-01  RFC 5044 4.1  MUST NOT
  statement  One FPDU carries exactly one ULPDU
  status     partial: the sender
  code       codec/a.h:3
  tests      codec/a_test.cc:1
"""
        self.assertEqual(text, want)

    def test_open_rows(self):
        with tree(self.files, self.ib, self.iwarp) as root:
            _, text = self.printed(root, "--open")
        self.assertEqual([line.split()[0] for line in text.splitlines() if line[0] != " "], ["HV-02", "MPA-5044-4.1-01"])

    def test_no_such_row(self):
        with tree({}, self.ib) as root:
            self.assertEqual(self.printed(root, "XX-"), (1, "no such row\n"))


if __name__ == "__main__":
    unittest.main()
