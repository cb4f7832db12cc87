"""The count over events of a made-up run: nothing that failed is lost, nothing is counted twice."""

import pathlib
import tempfile
import unittest

from tools.test import count

BOOST = """<testsuite tests="3"><testcase classname="psn" name="wraps"></testcase>
<testcase classname="psn" name="orders"><failure message="m"/></testcase>
<testcase name="off"><skipped/></testcase></testsuite>"""
GOOD = '<testsuites><testsuite><testcase name="a"/><testcase name="b"/></testsuite></testsuites>'


def configured(label):
    return {"id": {"targetConfigured": {"label": label}}, "configured": {"testSize": "SMALL"}}


def completed(label, **outcome):
    return {"id": {"targetCompleted": {"label": label}}, **outcome}


class CountTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def result(self, label, status, xml=None, shard=1):
        outputs = []
        if xml is not None:
            path = pathlib.Path(self.folder.name) / f"{len(list(pathlib.Path(self.folder.name).iterdir()))} test.xml"
            path.write_text(xml, encoding="utf-8")
            outputs.append({"name": "test.xml", "uri": path.as_uri()})
        event_id = {"testResult": {"label": label, "run": 1, "shard": shard}}
        return {"id": event_id, "testResult": {"status": status, "testActionOutput": outputs}}

    def test_cases_of_a_program(self):
        self.assertEqual(count.count([self.result("//a:t", "FAILED", BOOST)]), (1, ["//a:t: psn/orders"]))

    def test_shards_add_up_and_of_two_attempts_the_last_counts(self):
        events = [self.result("//a:t", "PASSED", GOOD, shard=s) for s in (1, 2)]
        events = [self.result("//a:t", "FAILED", BOOST), *events]
        self.assertEqual(count.count(events), (4, []))

    def test_crash_before_the_xml_was_written(self):
        self.assertEqual(count.count([self.result("//a:t", "FAILED", "")]), (0, ["//a:t: FAILED"]))
        self.assertEqual(count.count([self.result("//a:t", "TIMEOUT")]), (0, ["//a:t: TIMEOUT"]))

    def test_failure_that_no_case_tells(self):
        self.assertEqual(count.count([self.result("//a:t", "FAILED", GOOD)]), (2, ["//a:t: FAILED"]))

    def test_target_that_was_not_built(self):
        events = [configured("//a:t"), completed("//a:t", completed={})]
        self.assertEqual(count.count(events), (0, ["//a:t: not built"]))

    def test_target_that_does_not_fit_the_configuration(self):
        events = [configured("//a:t"), completed("//a:t", aborted={"reason": "SKIPPED"})]
        self.assertEqual(count.count(events), (0, []))

    def test_half_written_events(self):
        path = pathlib.Path(self.folder.name) / "events.json"
        path.write_text('{"id": {"started": {}}}\n{"id": {"test', encoding="utf-8")
        self.assertEqual(count.read_events(path), [{"id": {"started": {}}}])
        self.assertEqual(count.read_events("no such file"), [])


if __name__ == "__main__":
    unittest.main()
