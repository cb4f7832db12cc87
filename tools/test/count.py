"""Counts test cases in the events of one `bazel test` run: count.py EVENTS.json BAZEL_EXIT_CODE

Prints each failed case and closes with "N passed, N failed". A Boost.Test program counts as its cases, any other test as
one. A program that failed without naming a failed case (a crash, a time-out) counts as one failed case beside those it
named, and so does a test that could not be built. Exit code: Bazel's, or 1 if that is 0 and something failed all the same.
"""

import json
import sys
import urllib.parse
import xml.etree.ElementTree


def read_events(path):
    """The events as dictionaries; none if Bazel did not get as far as writing them."""
    events = []
    try:
        with open(path, encoding="utf-8") as file:
            for line in file:
                events.append(json.loads(line))
    except (FileNotFoundError, json.JSONDecodeError):
        pass  # a killed Bazel leaves half a line: count what is there, the exit code says the rest
    return events


def cases_in(path):
    """(passed, names of failed) in one test.xml; None if it can't be read: the program died before writing it."""
    try:
        root = xml.etree.ElementTree.parse(path).getroot()
    except (OSError, xml.etree.ElementTree.ParseError):
        return None
    passed, failed = 0, []
    for case in root.iter("testcase"):
        if case.find("failure") is not None or case.find("error") is not None:
            failed.append("/".join(n for n in (case.get("classname"), case.get("name")) if n))
        elif case.find("skipped") is None:
            passed += 1
    return passed, failed


def count(events):
    """(number passed, names of failed cases) over the whole run."""
    results = {}  # (label, run, shard) -> last attempt's result
    failed = []
    tests = set()
    for event in events:
        event_id = event.get("id", {})
        if "targetConfigured" in event_id and "testSize" in event.get("configured", {}):
            tests.add(event_id["targetConfigured"]["label"])
        elif "targetCompleted" in event_id:
            label = event_id["targetCompleted"]["label"]
            skipped = event.get("aborted", {}).get("reason") == "SKIPPED"
            if label in tests and not skipped and not event.get("completed", {}).get("success"):
                failed.append(f"{label}: not built")
        elif "testResult" in event_id and "testResult" in event:
            key = event_id["testResult"]
            results[key["label"], key.get("run"), key.get("shard")] = event["testResult"]
    passed = 0
    for (label, _, _), result in sorted(results.items(), key=str):
        uris = [o["uri"] for o in result.get("testActionOutput", []) if o["name"] == "test.xml"]
        cases = cases_in(urllib.parse.unquote(urllib.parse.urlparse(uris[0]).path)) if uris else None
        good = result.get("status") == "PASSED"
        if cases is None:
            cases = (1, []) if good else (0, [])
        passed += cases[0]
        failed += [f"{label}: {name}" for name in cases[1]]
        if not good and not cases[1]:
            failed.append(f"{label}: {result.get('status', 'no result')}")
    return passed, failed


def main():
    events_path, bazel_exit = sys.argv[1], int(sys.argv[2])
    passed, failed = count(read_events(events_path))
    if bazel_exit != 0 and not failed:
        failed.append(f"bazel: exit code {bazel_exit}")
    for name in failed:
        print("FAILED", name)
    print(f"{passed} passed, {len(failed)} failed")
    return bazel_exit or (1 if failed else 0)


if __name__ == "__main__":
    sys.exit(main())
