"""The state vectors, out of the machines' own tests. SCHEMA.md says what they look like.

    record.py PROGRAM...            compares what stands in state_*.json with what the test programs record
    record.py --write PROGRAM...    writes state_*.json anew; in the tree, with bazel run //conformance/vectors:record

A scenario of a test is recorded at the machine's interface while it runs (protocol/vectors/recording.h). The
requirements of a vector are those that the test case cites.
"""

import argparse
import collections
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

from conformance.requirements import register, results

FOLDER = "conformance/vectors"
ROOT = pathlib.Path(__file__).resolve().parents[2]
VERSION = 1
ROW = re.compile(r"^    \{\"(\w+)\",$")  # of a table of scenarios
# Scenarios that one test case runs are rows of tables, each with citations of its own.
TABLES = {"sctp": ["protocol/iwarp/sctp_scenarios_test.cc", "protocol/iwarp/sctp_enhanced_scenarios_test.cc"]}
# Those that repeat the others' scenarios, or are about something else than a machine's behaviour.
SUITES_LEFT_OUT = ("quirks", "rdmap_quirks", "cm_allocations")
MAX_PER_CASE = 40  # of a case that sweeps over more values, as many of its recordings, evenly spread
MAX_LEN = 12000  # characters of a vector; what is longer repeats one thing often


def recorded(programs):
    """What the programs record, a JSON object each."""
    out = []
    with tempfile.TemporaryDirectory() as folder:
        for number, program in enumerate(programs):
            path = os.path.join(folder, str(number))
            filters = "".join("!%s:" % suite for suite in SUITES_LEFT_OUT).rstrip(":")
            done = subprocess.run([os.path.abspath(program), "--run_test=" + filters], stdout=subprocess.PIPE,
                                  stderr=subprocess.STDOUT, env={**os.environ, "RDMAWIRE_RECORD": path}, check=False)  # fmt: skip
            if done.returncode != 0:
                sys.stdout.buffer.write(done.stdout)
                sys.exit("%s failed" % program)
            with open(path, encoding="utf-8") as lines:
                out += [json.loads(line) for line in lines]
    return out


class Citations:
    """Which requirements each test case cites."""

    def __init__(self, root):
        self.root = pathlib.Path(root)
        self.files = {}

    def of(self, path, case):
        if path not in self.files:
            self.files[path] = self._read(path)
        return self.files[path].get(case, [])

    def _read(self, path):
        text = (self.root / path).read_text(encoding="utf-8")
        lines = text.split("\n")
        cases = results.cases_in(text)
        rows = [(number, match[1]) for number, line in enumerate(lines, 1) if (match := ROW.match(line))]
        citations, _ = register.citations_in(pathlib.PurePath(path), text)
        out = collections.defaultdict(list)
        for citation in citations:
            case = results.case_at(cases, lines, citation.line)
            # One in a table stands above the row, or in it.
            row = next((name for first, name in reversed(rows) if above(lines, first) <= citation.line), None)
            name = case.name if case else row
            if name and citation.id not in out[name]:
                out[name].append(citation.id)
        return out


def above(lines, number):
    """The first line of the comment right above a line."""
    while number > 1 and lines[number - 2].lstrip().startswith("//"):
        number -= 1
    return number


def says_something(steps):
    return any(key in step for step in steps for key in ("out", "completions", "events", "mpa_events", "gives"))


def vectors_of(lines, citations):
    """(vectors by machine, [(name, why it is none)])."""
    out, left_out = collections.defaultdict(list), []
    seen = set()
    for line in lines:
        if "abandoned" in line:
            left_out.append((line["name"], line["abandoned"]))
            continue
        case = line["name"].split("#")[0].split("/")
        requirements = citations.of(line["file"], case[1]) or ([line["requirement"]] if "requirement" in line else [])
        if line["machine"] in TABLES and len(case) == 3:
            requirements = [id for path in TABLES[line["machine"]] for id in citations.of(path, case[2])]
        body = json.dumps([line["setup"], line["steps"]])
        why = (
            "it cites no requirement" if not requirements
            else "nothing is seen of the machine" if not says_something(line["steps"])
            else "too long" if len(body) > MAX_LEN
            else "the same as another" if body in seen
            else None
        )  # fmt: skip
        if why:
            left_out.append((line["name"], why))
            continue
        seen.add(body)
        vector = {"name": line["name"], "requirements": requirements, "setup": line["setup"], "steps": line["steps"]}
        if "memory" in line:
            vector["memory"] = line["memory"]
        out[line["machine"]].append(vector)
    return {machine: thinned(vectors, left_out) for machine, vectors in out.items()}, left_out


def thinned(vectors, left_out):
    """Without most recordings of cases that have more than MAX_PER_CASE."""
    totals = collections.Counter(vector["name"].split("#")[0] for vector in vectors)
    seen = collections.Counter()
    out = []
    for vector in vectors:
        case = vector["name"].split("#")[0]
        number, total = seen[case], totals[case]
        seen[case] += 1
        # The first of each of MAX_PER_CASE equal stretches.
        if total <= MAX_PER_CASE or number * MAX_PER_CASE // total != (number - 1) * MAX_PER_CASE // total:
            out.append(vector)
        else:
            left_out.append((vector["name"], "one of many of a sweep"))
    return out


def compact(value):
    return json.dumps(value, separators=(",", ":"))


# Steps that say how a machine comes to where its vectors begin.
PROLOGUE = ("allocate_pd", "register_region", "allocate_region", "fast_register", "allocate_window", "bind_window2",
            "modify", "start", "create_qp", "attach")  # fmt: skip


def text(machine, vectors):
    """The file of a machine: what several vectors begin with stands once, by a name of its own."""

    def beginning(vector):
        steps = []
        for step in vector["steps"]:
            if step["do"] not in PROLOGUE or any(key in step for key in ("out", "completions", "events")):
                break
            steps.append(step)
        return steps

    counts = collections.Counter(compact([vector["setup"], beginning(vector)]) for vector in vectors)
    names = {}
    lines = []
    for vector in vectors:
        begins = beginning(vector)
        key = compact([vector["setup"], begins])
        line = {"name": vector["name"], "requirements": vector["requirements"]}
        if counts[key] > 1:
            names.setdefault(key, "%s-%d" % (machine, len(names) + 1))
            line["begins_as"] = names[key]
            line["steps"] = vector["steps"][len(begins) :]
        else:
            line["setup"] = vector["setup"]
            line["steps"] = vector["steps"]
        if "memory" in vector:
            line["memory"] = vector["memory"]
        lines.append(compact(line))
    beginnings = []
    for key, name in names.items():
        setup, steps = json.loads(key)
        beginnings.append(compact(name) + ":" + compact({"setup": setup, "steps": steps}))
    head = {"schema": "rdmawire-state-vectors", "version": VERSION, "machine": machine}
    return "%s,\n\"beginnings\":{\n%s\n},\n\"vectors\":[\n%s\n]}\n" % (
        compact(head)[:-1], ",\n".join(beginnings), ",\n".join(lines))  # fmt: skip


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--root", default=ROOT, help="of the tree")
    parser.add_argument("--left-out", action="store_true", help="list the recordings that are no vectors, and why")
    parser.add_argument("programs", nargs="+")
    options = parser.parse_args()
    vectors, left_out = vectors_of(recorded(options.programs), Citations(options.root))
    if options.left_out:
        for name, why in left_out:
            print("%s: %s" % (name, why))
    wrong = []
    for machine in sorted(vectors):
        path = pathlib.Path(options.root) / FOLDER / ("state_%s.json" % machine)
        now = text(machine, vectors[machine])
        if options.write:
            path.write_text(now, encoding="utf-8")
        elif not path.exists() or path.read_text(encoding="utf-8") != now:
            wrong.append(path.name)
    total = sum(map(len, vectors.values()))
    print("%d state vectors: %s" % (total, ", ".join("%s %d" % (m, len(v)) for m, v in sorted(vectors.items()))))
    if wrong:
        print("not what the tests record: %s; bazel run //conformance/vectors:record" % ", ".join(wrong), file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
