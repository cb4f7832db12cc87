"""The join with test results, and the page and the snapshot that come of it."""

import contextlib
import io
import json
import pathlib
import tempfile
import unittest

from conformance.requirements import matrix, register, results, trace
from conformance.requirements.register_test import row, tree

CODE = """//= HV-01
int a;
int b;  //= MPA-5044-4.1-01
"""
TESTS = """#include "codec/a.h"

BOOST_AUTO_TEST_SUITE(first)

//= HV-01 test
// Why it is so.
BOOST_AUTO_TEST_CASE(speaks_for_itself) {
  if (a) {
  }
}
RDMAWIRE_SCENARIO(
    with_a_long_name) {
  b();  //= MPA-5044-4.1-01 test
}

BOOST_AUTO_TEST_SUITE_END()
BOOST_AUTO_TEST_SUITE(second)

//= HV-02 test
static_assert(a == 1);

BOOST_FIXTURE_TEST_CASE(last, Fixture) {
}
//= HV-02 test
BOOST_AUTO_TEST_SUITE_END()
"""
XML = """<?xml version="1.0" encoding="UTF-8"?>
<testsuite tests="3" skipped="0" errors="0" failures="1" id="0" name="rdmawire" time="3.7">
<testcase assertions="4" classname="first" name="speaks_for_itself" time="0.1"></testcase>
<testcase assertions="4" classname="first" name="with_a_long_name" time="0.1"><failure type="x">no</failure></testcase>
<testcase assertions="4" classname="second" name="last" time="0.1"></testcase>
</testsuite>
"""
VECTORS = """{"format": 1, "vectors": [
{"name": "plain", "requirements": ["HV-01"]},
{"name": "marked", "requirements": ["HV-01", "MPA-5044-4.1-01"]}
]}
"""
FILES = {"codec/a.h": CODE, "codec/a_test.cc": TESTS, f"{register.VECTORS}/packets.json": VECTORS}
IB = [row("HV-01", "covered", confidence="A"), row("HV-02", "exception: </script>", confidence="B")]
IWARP = [
    row("MPA-5044-4.1-01", "covered", "MUST", "-", source="RFC 5044", section="4.1", role="sender", kind="wire"),
]


@contextlib.contextmanager
def example(xml=XML):
    """(root, trace, results) of a small tree whose tests have run."""
    with tree(FILES, IB, IWARP) as root:
        for target in ("codec/a_test", "conformance/vectors/packets_test"):
            folder = root / "testlogs" / target
            folder.mkdir(parents=True)
            (folder / "test.xml").write_text(xml if "codec" in target else '<testsuite failures="0"/>', encoding="utf-8")
        found, faults = register.read(root)
        if faults:
            raise AssertionError(faults)
        yield root, found, results.Results.read(root / "testlogs")


class CasesTest(unittest.TestCase):
    cases = results.cases_in(TESTS)

    def test_cases_have_suites_and_ends(self):
        self.assertEqual(
            [(str(case), case.first_line, case.last_line) for case in self.cases],
            [("first/speaks_for_itself", 7, 10), ("first/with_a_long_name", 11, 14), ("second/last", 22, 23)],
        )

    def test_a_citation_belongs_to_the_case_around_it_or_right_below(self):
        lines = TESTS.split("\n")
        at = {line: results.case_at(self.cases, lines, line) for line in (5, 13, 19, 24)}
        names = {line: case and case.name for line, case in at.items()}
        self.assertEqual(names, {5: "speaks_for_itself", 13: "with_a_long_name", 19: None, 24: None})


class ResultsTest(unittest.TestCase):
    def test_results_by_case_and_file(self):
        with example() as (_, _, found):
            cases = CasesTest.cases
            self.assertEqual([found.of_case("codec", case) for case in cases], ["passed", "failed", "passed"])
            self.assertEqual(found.of_file("codec", cases), "failed")
            self.assertEqual(found.of_file("conformance/vectors", ()), "passed")
            self.assertIsNone(found.of_case("protocol", cases[0]))

    def test_shards_and_runs_belong_to_their_target(self):
        for path in ("a/b/t/test.xml", "a/b/t/shard_1_of_2/test.xml", "a/b/t/run_2_of_9/test.xml"):
            self.assertEqual(results.package_of(pathlib.PurePosixPath(path)), "a/b")

    def test_no_results(self):
        self.assertEqual(results.Results.read("/nowhere").cases, {})

    def test_a_cut_file_counts_for_nothing(self):
        with example(XML[:200]) as (_, _, found):
            self.assertEqual(found.cases, {})


class JoinTest(unittest.TestCase):
    def joined(self):
        with example() as (root, found, ran):
            value, sources = matrix.joined(found, root, ran)
        return {one["id"]: one for one in value["rows"]}, sources

    def test_places_cases_and_results(self):
        rows, sources = self.joined()
        self.assertEqual(rows["HV-01"]["code"], [{"path": "codec/a.h", "line": 1}])
        self.assertEqual(
            rows["HV-01"]["tests"],
            [{"path": "codec/a_test.cc", "line": 5, "case": "first/speaks_for_itself", "result": "passed"}],
        )
        self.assertEqual(
            rows["MPA-5044-4.1-01"]["vectors"],
            [{"path": "conformance/vectors/packets.json", "line": 3, "case": "marked", "result": "passed"}],
        )
        self.assertEqual([one["line"] for one in rows["HV-01"]["vectors"]], [2, 3])
        results_of_rows = {id: one["result"] for id, one in rows.items()}
        self.assertEqual(results_of_rows, {"HV-01": "passed", "HV-02": "failed", "MPA-5044-4.1-01": "failed"})
        self.assertEqual(set(sources), {"codec/a.h", "codec/a_test.cc"})

    def test_a_row_has_passed_when_all_has_run_and_passed(self):
        self.assertEqual(matrix.worst(["passed", "passed"]), "passed")
        self.assertEqual(matrix.worst(["passed", None, "failed"]), "failed")
        self.assertIsNone(matrix.worst(["passed", None]))
        self.assertIsNone(matrix.worst([]))

    def test_the_page_holds_its_data_and_no_other_end_of_it(self):
        with example() as (root, found, ran):
            text = matrix.page(*matrix.joined(found, root, ran), "<about>")
        data = text.split('id="data">')[1].split("</script>")[0]
        value = json.loads(data)
        self.assertEqual(value["about"], "<about>")
        self.assertEqual(value["rows"][1]["status"], "exception: </script>")
        self.assertEqual(value["sources"]["codec/a.h"], CODE)

    def test_snapshot(self):
        with example() as (_, found, _):
            lines = list(matrix.snapshot(found))
        self.assertEqual(
            lines[1:],
            [
                "HV-01\tcovered\tcodec/a.h\tcodec/a_test.cc\t2",
                "HV-02\texception\t-\tcodec/a_test.cc\t-",
                "MPA-5044-4.1-01\tcovered\tcodec/a.h\tcodec/a_test.cc\t1",
            ],
        )


class CommandTest(unittest.TestCase):
    def printed(self, root, *arguments):
        out = io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(out):
            code = trace.main(["--root", str(root), *arguments])
        return code, out.getvalue()

    def test_a_snapshot_that_is_not_up_to_date_is_a_fault(self):
        with example() as (root, _, _):
            code, text = self.printed(root)
            self.assertEqual(code, 1)
            self.assertIn("trace.snapshot.txt: not up to date (", text)
            self.assertEqual(self.printed(root, "--snapshot"), (0, ""))
            self.assertEqual(self.printed(root)[0], 0)
            (root / "codec/a.h").write_text(CODE + "int c;  //= HV-02\n", encoding="utf-8")
            self.assertIn("not up to date (HV-02)", self.printed(root)[1])

    def test_files_are_written(self):
        with example() as (root, _, _), tempfile.TemporaryDirectory() as name:
            page, value = pathlib.Path(name) / "x.html", pathlib.Path(name) / "x.json"
            logs = str(root / "testlogs")
            self.assertEqual(self.printed(root, "--html", str(page), "--json", str(value), "--results", logs), (0, ""))
            self.assertTrue(page.read_text(encoding="utf-8").startswith("<!DOCTYPE html>"))
            rows = json.loads(value.read_text(encoding="utf-8"))["rows"]
            self.assertEqual([one["id"] for one in rows], ["HV-01", "HV-02", "MPA-5044-4.1-01"])


class VectorsTest(unittest.TestCase):
    def test_an_unknown_id_in_a_vector_is_a_fault(self):
        with tree(FILES, IB) as root:
            _, faults = register.read(root)
        self.assertIn("conformance/vectors/packets.json:3: no register has MPA-5044-4.1-01", faults)

    def test_a_file_that_is_no_json_is_a_fault(self):
        with tree({f"{register.VECTORS}/a.json": "[\n{]"}) as root:
            _, faults = register.read_vectors(root)
        self.assertIn("conformance/vectors/a.json:2", faults[0])

    def test_a_vector_counts_as_a_test(self):
        files = {"codec/a.h": "//= HV-01\n", f"{register.VECTORS}/a.json": '[{"name": "x", "requirements": ["HV-01"]}]'}
        with tree(files, [row(status="covered")]) as root:
            _, faults = register.read(root)
        self.assertEqual(faults, [])


if __name__ == "__main__":
    unittest.main()
