"""Plants faults in the library's code, one at a time, and says which vectors see them. From the root of the tree:

    python3 -m conformance.vectors.plant            all of plants.tsv
    python3 -m conformance.vectors.plant CM-12 mpa  those whose file or requirement has one of these words

Works in a copy of the tree, with a Bazel of its own. A fault is caught if a vector that names its requirement is red.
"""

import argparse
import collections
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

from conformance.requirements import register
from tools.layering import layering

ROOT = pathlib.Path(__file__).resolve().parents[2]
FOLDER = "conformance/vectors"
TARGET = "//%s:vectors_test" % FOLDER
RED = re.compile(r'error: in "[^"]*": "(?P<name>[^"]+)" \[(?P<ids>[^\]]*)\]')

Plant = collections.namedtuple("Plant", ["path", "right", "wrong", "requirement"])


def read_plants(root):
    """Those of plants.tsv; ValueError if one does not fit the tree."""
    plants = []
    for line in (root / FOLDER / "plants.tsv").read_text(encoding="utf-8").splitlines():
        if line.startswith("#"):
            continue
        plant = Plant(*line.split("\t"))
        count = (root / plant.path).read_text(encoding="utf-8").count(plant.right)
        if count != 1:
            raise ValueError("%s: %r stands there %d times, not once" % (plant.path, plant.right, count))
        plants.append(plant)
    return plants


def copy_tree(root, to):
    for path in layering.tree_files(root):
        target = to / path
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(root / path, target)


class Bazel:
    def __init__(self, root, output):
        self.root = root
        self.command = ["bazel", "--output_base=%s" % output]

    def run(self, *args):
        return subprocess.run([*self.command, *args], cwd=self.root, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              text=True, check=False)  # fmt: skip

    def red_vectors(self, jobs):
        """{name: requirements} of the vectors that fail; RuntimeError if it does not build."""
        built = self.run("build", "--jobs", str(jobs), TARGET)
        if built.returncode != 0:
            raise RuntimeError(built.stdout)
        program = self.root / "bazel-bin" / FOLDER / "vectors_test"
        done = subprocess.run([program, "--run_test=conformance_vectors/every_*"], cwd=self.root, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)  # fmt: skip
        return {match["name"]: re.findall(r'"([^"]+)"', match["ids"]) for match in RED.finditer(done.stdout)}


def try_one(bazel, plant, jobs):
    """The red vectors with the fault, which is taken out again."""
    path = bazel.root / plant.path
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace(plant.right, plant.wrong), encoding="utf-8")
    try:
        return bazel.red_vectors(jobs)
    finally:
        path.write_text(text, encoding="utf-8")


def tell(plant, red):
    naming = [name for name, ids in red.items() if plant.requirement in ids]
    ids = collections.Counter(id for ids in red.values() for id in ids)
    print("%-8s%s: %s -> %s" % ("caught" if naming else "MISSED", plant.path, plant.right, plant.wrong))
    print("        %d red, %d of %s%s" % (len(red), len(naming), plant.requirement, ": " + naming[0] if naming else ""))
    others = ["%s (%d)" % one for one in ids.most_common(8) if one[0] != plant.requirement]
    print("        also: " + (", ".join(others) or "none"), flush=True)
    return bool(naming)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--check", action="store_true", help="only that each fits the tree and the register")
    parser.add_argument("words", nargs="*")
    options = parser.parse_args()
    plants = read_plants(ROOT)
    rows, _ = register.read_registers(ROOT)
    unknown = [plant.requirement for plant in plants if plant.requirement not in rows]
    if unknown:
        sys.exit("not in the register: " + ", ".join(unknown))
    if options.check:
        print("%d faults fit" % len(plants))
        return 0
    if options.words:
        plants = [one for one in plants if any(word in one.path + " " + one.requirement for word in options.words)]
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder) / "tree"
        copy_tree(ROOT, root)
        bazel = Bazel(root, folder + "/bazel")
        try:
            red = bazel.red_vectors(options.jobs)
            if red:
                sys.exit("red without a fault: " + ", ".join(red))
            num_caught = sum(tell(plant, try_one(bazel, plant, options.jobs)) for plant in plants)
        finally:
            bazel.run("shutdown")
            subprocess.run(["chmod", "-R", "u+w", folder], check=False)  # Bazel writes for itself alone
    print("%d planted, %d caught" % (len(plants), num_caught))
    return 0 if num_caught == len(plants) else 1


if __name__ == "__main__":
    sys.exit(main())
