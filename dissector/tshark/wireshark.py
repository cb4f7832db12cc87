"""Runs tshark and Wireshark with the plugin, as a user's would find it, and without."""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

SEPARATOR = "\x1f"
AGGREGATOR = "\x1e"


def fail(text):
    print("%s: %s" % (os.path.basename(sys.argv[0]), text), file=sys.stderr)
    sys.exit(2)


def version_of(program):
    """'4.0' of the program."""
    try:
        out = subprocess.run([program, "--version"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True).stdout
    except FileNotFoundError:
        fail("no program %s" % program)
    return re.search(rb" (\d+\.\d+)\.", out).group(1).decode()


def as_user():
    """Words before a command that start it as another user than root, who can read what root can.

    Wireshark loads no personal plugin for uid 0. In a user namespace without a map the uid is another; where none can be
    made (in a chroot) it is changed.
    """
    if os.getuid() != 0:
        return []
    if subprocess.run(["unshare", "-U", "true"], stderr=subprocess.DEVNULL, check=False).returncode == 0:
        return ["unshare", "-U"]
    return ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "--inh-caps=+dac_override",
            "--ambient-caps=+dac_override"]


class Wireshark:
    """Two home folders in a temporary one: one that has the plugin, one that has not."""

    def __init__(self, plugin, tshark="tshark"):
        self.tshark = tshark
        self.prefix = as_user()
        self.folder = tempfile.TemporaryDirectory()
        self.version = version_of(tshark)
        self.homes = {}
        for with_plugin in (False, True):
            home = os.path.join(self.folder.name, "with" if with_plugin else "without")
            os.makedirs(home)
            self.homes[with_plugin] = home
            if with_plugin:
                target = os.path.join(home, ".local/lib/wireshark/plugins", self.version, "epan")
                os.makedirs(target)
                shutil.copy(plugin, target)

    def command(self, program, with_plugin=True):
        """How to start the program, and its environment."""
        start = self.prefix + [program]
        environment = dict(os.environ, HOME=self.homes[with_plugin], LC_ALL="C.UTF-8")
        environment.pop("XDG_CONFIG_HOME", None)
        return start, environment

    def run(self, arguments, with_plugin=True, check=True):
        """(exit code, standard output, standard error) of tshark."""
        start, environment = self.command(self.tshark, with_plugin)
        done = subprocess.run(start + arguments, env=environment, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, check=False)
        out, err = done.stdout.decode("utf-8", "replace"), done.stderr.decode("utf-8", "replace")
        if check and done.returncode != 0:
            fail("tshark %s: %s" % (" ".join(arguments), err.strip()))
        return done.returncode, out, err

    def fields(self, capture, names, arguments=(), with_plugin=True):
        """[{name: [values]}] of the frames, in their order."""
        words = ["-n", "-r", capture, "-T", "fields", "-E", "separator=" + SEPARATOR, "-E", "aggregator=" + AGGREGATOR]
        for name in names:
            words += ["-e", name]
        _, out, _ = self.run(words + list(arguments), with_plugin)
        flags = {"True": "1", "False": "0"}  # as tshark 4.2 and later write them

        def values(cell):
            return [flags.get(value, value) for value in cell.split(AGGREGATOR)] if cell else []

        # Not splitlines(): it splits at AGGREGATOR as well.
        return [{name: values(cell) for name, cell in zip(names, line.split(SEPARATOR))}
                for line in out.split("\n")[:-1]]

    def columns(self, capture, arguments=(), with_plugin=True):
        """[{column: text}] of the frames: "Protocol", "Source" and "Info", as the packet list shows them.

        (_ws.col.Info as a field is, from 4.2 on, what the column held before the plugin came.)
        """
        wanted = ("Protocol", "Source", "Info")
        formats = 'gui.column.format:"Protocol","%p","Source","%s","Info","%i"'
        _, out, _ = self.run(["-n", "-r", capture, "-T", "tabs", "-o", formats] + list(arguments), with_plugin)
        return [dict(zip(wanted, (cell.strip() for cell in line.split("\t")))) for line in out.splitlines()]

    def frames(self, capture, display_filter, arguments=(), with_plugin=True):
        """The numbers of the frames that the filter selects."""
        found = self.fields(capture, ["frame.number"], ["-Y", display_filter] + list(arguments), with_plugin)
        return [int(frame["frame.number"][0]) for frame in found]

    def own_fields(self):
        """The names of the plugin's fields."""
        _, out, _ = self.run(["-G", "fields"])
        rows = (line.split("\t") for line in out.splitlines())
        return [row[2] for row in rows if row[0] == "F" and row[2].startswith("rdma.") and row[3] != "FT_NONE"]

    def readable(self, capture):
        """tshark opens zstd only in some builds: unpacked."""
        with open(capture, "rb") as file:
            if file.read(4) != b"\x28\xb5\x2f\xfd":
                return capture
        plain = os.path.join(self.folder.name, os.path.basename(capture))
        if not os.path.exists(plain):
            subprocess.run(["zstd", "-dqf", capture, "-o", plain], check=True)
        return plain


def dump(program, capture):
    """The records of `rdmawire dump --ndjson`."""
    done = subprocess.run([program, "dump", "--ndjson", capture], stdout=subprocess.PIPE, check=False)
    if done.returncode != 0:
        fail("%s dump %s failed" % (program, capture))
    return [json.loads(line) for line in done.stdout.splitlines()]
