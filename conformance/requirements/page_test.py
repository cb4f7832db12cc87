"""The page of the matrix in a browser: its filters, and the links from rows to lines and back.

Needs a headless Chromium, and is skipped, with a word, where there is none.
"""

import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

from conformance.requirements import matrix, register, results, trace
from conformance.requirements.matrix_test import example

BROWSERS = ("chromium-headless-shell", "chromium", "google-chrome")
BROWSER = next(filter(None, map(shutil.which, BROWSERS)), None)
TIMEOUT_S = 240

# Drives the page as a user would, and leaves what it saw as JSON in an element of its own.
DRIVER = """<script>
const moved = () => new Promise((done) => addEventListener("hashchange", done, { once: true }));
// The page follows its address, which does not change if it was so already.
async function after(action) {
  const before = location.href;
  action();
  if (location.href !== before) await moved();
}
const shownRows = () => [...document.querySelectorAll("#rows tr.row")].filter((row) => !row.hidden).map((row) => row.dataset.id);
async function choose(name, value) {
  const control = document.querySelector(`#filters [name=${name}]`);
  control.value = value;
  await after(() => control.dispatchEvent(new Event(name === "q" ? "input" : "change", { bubbles: true })));
  return shownRows();
}
async function go(hash) { await after(() => { location.hash = hash; }); return shownRows(); }
async function click(link) { const there = moved(); link.click(); await there; return shownRows(); }
async function lineOf(place) {
  await go("#at=" + encodeURIComponent(place));
  const line = document.querySelector("#source .target");
  return line && line.textContent;
}
(async () => {
  const seen = await (async () => { @STEPS@ })();
  document.body.replaceChildren(Object.assign(document.createElement("pre"), { id: "seen", textContent: JSON.stringify(seen) }));
})();
</script>"""


def browse(page, steps):
    """What the steps, JavaScript that ends in `return`, saw in the page."""
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "page.html"
        path.write_text(page + DRIVER.replace("@STEPS@", steps), encoding="utf-8")
        command = [
            BROWSER, "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
            f"--user-data-dir={folder}/profile", "--virtual-time-budget=100000", "--dump-dom", path.as_uri(),
        ]  # fmt: skip
        done = subprocess.run(command, capture_output=True, text=True, timeout=TIMEOUT_S, check=False)
    match = re.search(r'<pre id="seen">(.*?)</pre>', done.stdout, re.DOTALL)
    if not match:
        raise AssertionError(f"the page did not come to its end\n{done.stderr[-2000:]}")
    text = match[1]
    for name, letter in (("lt", "<"), ("gt", ">"), ("amp", "&")):
        text = text.replace(f"&{name};", letter)
    return json.loads(text)


def example_page():
    with example() as (root, found, ran):
        return matrix.page(*matrix.joined(found, root, ran), "about")


@unittest.skipIf(BROWSER is None, f"no browser: none of {', '.join(BROWSERS)}")
class PageTest(unittest.TestCase):
    def test_filters(self):
        steps = """return {
          all: await go("#"),
          rfc: await choose("rfc", "RFC 5044"),
          both: await choose("status", "exception"),
          none: document.getElementById("nothing").hidden,
          cleared: await click(document.getElementById("clear")),
          status: await choose("status", "exception"),
          level: (await go("#"), await choose("level", "B")),
          role: (await go("#"), await choose("role", "sender")),
          section: (await go("#"), await choose("section", "4.1")),
          run: (await go("#"), await choose("run", "failed")),
          words: (await go("#"), await choose("q", "hv -01")),
          quoted: await go("#level=A&run=passed"),
          control: document.querySelector("#filters [name=level]").value,
          sections: (await choose("level", ""), await choose("run", ""), await choose("rfc", "IB"),
            [...document.querySelectorAll("#filters [name=section] option")].filter((o) => !o.hidden).map((o) => o.value)),
          total: document.querySelector("#totals tr.all").textContent,
        };"""
        self.assertEqual(
            browse(example_page(), steps),
            {
                "all": ["HV-01", "HV-02", "MPA-5044-4.1-01"],
                "rfc": ["MPA-5044-4.1-01"],
                "both": [],
                "none": False,
                "cleared": ["HV-01", "HV-02", "MPA-5044-4.1-01"],
                "status": ["HV-02"],
                "level": ["HV-02"],
                "role": ["MPA-5044-4.1-01"],
                "section": ["MPA-5044-4.1-01"],
                "run": ["HV-02", "MPA-5044-4.1-01"],
                "words": ["HV-01"],
                "quoted": ["HV-01"],
                "control": "A",
                "sections": ["", "HV"],
                "total": "all3200101" + "2",
            },
        )

    def test_from_a_row_to_its_line_and_back(self):
        steps = """
          await go("#");
          document.querySelector('#rows tr[data-id="HV-01"]').click();
          const places = [...document.querySelectorAll("tr.details .place")].map((one) => one.textContent);
          await click(document.querySelector("tr.details .place a"));
          const line = document.querySelector("#source .target").textContent;
          const there = [location.hash, document.getElementById("matrix").hidden, line];
          await click(document.querySelector("#source .target a"));
          const back = [location.hash, shownRows(), document.querySelectorAll("tr.details").length];
          return { places, there, back };"""
        self.assertEqual(
            browse(example_page(), steps),
            {
                "places": [
                    "codec/a.h:1",
                    "codec/a_test.cc:5  first/speaks_for_itself  passed",
                    "conformance/vectors/packets.json:2  plain  passed",
                    "conformance/vectors/packets.json:3  marked  passed",
                ],
                "there": ["#at=codec%2Fa.h%3A1", True, "1//= HV-01\n"],
                "back": ["#id=HV-01", ["HV-01"], 1],
            },
        )

    def test_the_tree_itself(self):
        found, _ = register.read(trace.ROOT)
        value, sources = matrix.joined(found, trace.ROOT, results.Results())
        cited = [(one["id"], place) for one in value["rows"] for place in one["code"] + one["tests"]]
        for id, place in cited:
            self.assertIn(id, sources[place["path"]].split("\n")[place["line"] - 1])
        some = cited[:: max(1, len(cited) // 40)]
        places = json.dumps([f"{place['path']}:{place['line']}" for _, place in some])
        steps = f"const lines = []; for (const place of {places}) lines.push(await lineOf(place));"
        steps += "return [lines, await go('#')];"
        lines, rows = browse(matrix.page(value, sources, "about"), steps)
        self.assertEqual(len(rows), len(found.rows))
        for (id, place), line in zip(some, lines):
            self.assertTrue(line.startswith(str(place["line"])), line)
            self.assertIn(id, line)


def skip():
    """Says so, and writes it where Bazel counts cases: what was skipped has not passed."""
    print(f"SKIPPED: no browser: none of {', '.join(BROWSERS)}; tools/packages.sh browser installs one", file=sys.stderr)
    if path := os.environ.get("XML_OUTPUT_FILE"):
        suite = '<testsuite tests="1" skipped="1" failures="0"><testcase name="page_test"><skipped/></testcase></testsuite>'
        pathlib.Path(path).write_text(suite + "\n", encoding="utf-8")


if __name__ == "__main__":
    if BROWSER is None:
        skip()
    else:
        unittest.main()
