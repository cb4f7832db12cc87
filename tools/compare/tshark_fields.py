#!/usr/bin/env python3
"""Compares the values of `rdmawire dump -T fields` with those of tshark on the same captures.

    tools/compare/tshark_fields.py CAPTURE...

Compared are all fields whose names both know, on every frame in which rdmawire finds RDMA. Equal means equal text,
except where tshark writes the same number in another form; those are counted apart and listed. Where the two are meant
to differ, EXCEPTIONS says so and why. Exits with 1 if there is any other difference, with 2 if it can't compare.
Written for tshark 4.0; other versions write some values differently.
"""

import argparse
import collections
import ipaddress
import os
import re
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

# The families of names that are compared.
PREFIXES = ("infiniband.", "infiniband_link.")

# Wireshark takes frames away from its InfiniBand dissector, or stops it halfway; without these it reads more of them.
TSHARK_OPTIONS = [
    # A source port below 4791 that another protocol owns decides (RoCEv2's source port is only entropy).
    "--disable-protocol", "tftp", "--disable-protocol", "ntp", "--disable-protocol", "dns",
    # Its payload dissectors take payloads for what they are not; one that gives up takes the ICRC behind along.
    "--disable-heuristic", "rpcrdma_infiniband", "--disable-heuristic", "mellanox_eoib",
    "--disable-heuristic", "eth_over_ib", "--disable-protocol", "nvme-rdma",
]

SEPARATOR = "\x1f"
AGGREGATOR = "\x1e"


class Case:
    """One value of one frame in both programs, and what the frame is."""

    def __init__(self, field, ours, theirs, frame):
        self.field = field
        self.ours = ours
        self.theirs = theirs
        self.frame = frame  # all our values of the frame


def gid_octets(text):
    """An IPv6 address as hex digits; None if it is none."""
    try:
        return ipaddress.IPv6Address(text).packed.hex()
    except ValueError:
        return None


def misread_flow_label(case):
    """What tshark 4.0, and 4.4, make of the flow label and the bits after it in a CM REQ; nothing for other fields."""
    match = re.fullmatch(r"(infiniband\.cm\.req\.(?:prim|alt)_)(flowlabel|reserved0|pktrate)", case.field)
    if match is None:
        return []
    label = int(case.frame[match.group(1) + "flowlabel"], 0)
    return {
        "flowlabel": [label >> 8],
        "reserved0": [label >> 18, label >> 2 & 3],
        "pktrate": [label >> 12 & 0x3F],
    }[match.group(2)]


def is_mapped(text):
    return text.startswith("::ffff:")


# (name, which cases, why). The first that fits counts.
EXCEPTIONS = [
    (
        "raw octets of a MAD",
        lambda c: c.field in ("infiniband.mad.data", "infiniband.smplid.smpdata") and c.ours == "" and c.theirs != "",
        "tshark shows the octets of the MAD's data as such too, and calls those of every class SMP data; rdmawire shows "
        "them as octets only where no header tells more",
    ),
    (
        "CM GIDs",
        lambda c: re.fullmatch(r"infiniband\.cm\.req\.(prim|alt)_(local|remote)gid", c.field) is not None
        and (gid_octets(c.ours) == c.theirs or (is_mapped(c.ours) and c.theirs == "")),
        "rdmawire shows every GID as the IPv6 address that it is; tshark as hex digits, and one that holds an IPv4 address "
        "under the name ..gid_ipv4",
    ),
    (
        "CM REQ private data",
        lambda c: c.field == "infiniband.cm.req.private" and c.ours != "" and c.theirs == "",
        "tshark leaves the private data out when it shows what the IP CM service put there; rdmawire shows both",
    ),
    (
        "CM REQ flow label, reserved bits and packet rate",
        lambda c: c.theirs != "" and any(numbers(c.theirs) == [misread] for misread in misread_flow_label(c)),
        "tshark reads three octets for a word of four: the flow label loses its last two digits, and others of its bits "
        "appear as reserved bits and packet rate",
    ),
    (
        "CM REQ alternate reserved bits",
        lambda c: c.field == "infiniband.cm.req.alt_reserved1" and numbers(c.theirs) == [int(c.ours or "-1", 0), 0],
        "tshark has registered two fields under this name",
    ),
    (
        "CM SIDR",
        lambda c: c.field.startswith("infiniband.cm.req.ip_cm.") and c.theirs == ""
        and int(c.frame["infiniband.mad.attributeid"] or "0", 0) == 0x17,
        "tshark shows nothing of the content of SIDR messages",
    ),
    (
        "FLUSH and ATOMIC WRITE",
        lambda c: c.theirs == "" and int(c.frame["infiniband.bth.opcode"] or "0", 0) & 0x1F in (0x1C, 0x1D),
        "tshark 4.0 does not know these operations, and stops after the BTH",
    ),
    (
        "immediate data and key to invalidate",
        lambda c: c.field in ("infiniband.immdt", "infiniband.ieth") and c.theirs == c.ours + AGGREGATOR + c.ours,
        "tshark shows the header and its only field under one name, so the value comes twice",
    ),
]


def run(command):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
    return done.returncode, done.stdout.decode("utf-8", "replace"), done.stderr.decode("utf-8", "replace")


def fail(text):
    print("tshark_fields.py: " + text, file=sys.stderr)
    sys.exit(2)


def our_names(program):
    code, out, err = run([program, "dump", "--list-fields"])
    if code != 0:
        fail("%s --list-fields: %s" % (program, err.strip()))
    return [line.split("\t")[0] for line in out.splitlines()]


def tshark_names(program):
    """{name: type} of all fields."""
    code, out, err = run([program, "-G", "fields"])
    if code != 0:
        fail("%s -G fields: %s" % (program, err.strip()))
    return {row[2]: row[3] for row in (line.split("\t") for line in out.splitlines()) if row[0] == "F"}


def read(command, names):
    """The values by frame number: {number: {name: text}}."""
    code, out, err = run(command + [word for name in ["frame.number"] + names for word in ("-e", name)])
    if code != 0:
        fail("%s: %s" % (command[0], err.strip()))
    frames = {}
    # Not splitlines(): it splits at AGGREGATOR as well.
    for line in out.split("\n")[:-1]:
        values = line.split(SEPARATOR)
        frames[int(values[0])] = dict(zip(names, values[1:]))
    return frames


def numbers(text):
    """The values of a cell as numbers, or None if one of them is not a number."""
    flags = {"True": "1", "False": "0"}  # as tshark 4.2 and later write them
    try:
        return [int(flags.get(value, value), 0) for value in text.split(AGGREGATOR)]
    except ValueError:
        return None


def same_number(ours, theirs):
    a = numbers(ours)
    return a is not None and a == numbers(theirs)


class Comparison:
    def __init__(self, exceptions):
        self.exceptions = exceptions
        self.frames = 0  # or PDUs: what was compared
        self.equal = 0
        self.other_form = collections.OrderedDict()  # field: [count, ours, theirs]
        self.excepted = collections.OrderedDict()  # name: [count, reason]
        self.differences = []  # (capture, frame, field, ours, theirs)
        self.fields = set()

    def add(self, capture, number, case):
        if case.ours == "" and case.theirs == "":
            return
        self.fields.add(case.field)
        if case.ours == case.theirs:
            self.equal += 1
            return
        for name, applies, reason in self.exceptions:
            if applies(case):
                self.except_one(name, reason)
                return
        if case.ours and case.theirs and same_number(case.ours, case.theirs):
            self.other_form.setdefault(case.field, [0, case.ours, case.theirs])[0] += 1
            return
        self.differences.append((capture, number, case.field, case.ours, case.theirs))

    def except_one(self, name, reason):
        self.excepted.setdefault(name, [0, reason])[0] += 1

    def report(self, most, unit="frames"):
        if self.other_form:
            print("The same number in another form:")
            for field, (count, ours, theirs) in self.other_form.items():
                print("  %s: %d, e.g. %s here, %s in tshark" % (field, count, show(ours), show(theirs)))
        if self.excepted:
            print("Expected differences:")
            for name, (count, reason) in self.excepted.items():
                print("  %s: %d\n    %s" % (name, count, reason))
        if self.differences:
            print("Differences:")
            for capture, number, field, ours, theirs in self.differences[:most]:
                print("  %s frame %d %s: %s here, %s in tshark" % (
                    os.path.basename(capture), number, field, show(ours), show(theirs)))
            if len(self.differences) > most:
                print("  ... and %d more" % (len(self.differences) - most))
        print("%d %s, %d fields with a value: %d values equal, %d in another form, %d expected differences, "
              "%d unexplained" % (self.frames, unit, len(self.fields), self.equal,
                                  sum(entry[0] for entry in self.other_form.values()),
                                  sum(entry[0] for entry in self.excepted.values()), len(self.differences)))


def show(text):
    return "nothing" if text == "" else "'%s'" % text.replace(AGGREGATOR, ",")[:100]


def readable_by_tshark(capture, folder):
    """tshark opens gzip itself, zstd only in some builds: unpack those."""
    with open(capture, "rb") as file:
        magic = file.read(4)
    if magic != b"\x28\xb5\x2f\xfd":
        return capture
    plain = os.path.join(folder, os.path.basename(capture))
    code, _, err = run(["zstd", "-dqf", capture, "-o", plain])
    if code != 0:
        fail("zstd %s: %s" % (capture, err.strip()))
    return plain


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("captures", metavar="CAPTURE", nargs="+")
    parser.add_argument("--rdmawire", default=os.path.join(ROOT, "rdmawire"), help="the command to compare")
    parser.add_argument("--tshark", default="tshark")
    parser.add_argument("--most", type=int, default=40, help="differences that are printed")
    arguments = parser.parse_args()

    try:
        known = tshark_names(arguments.tshark)
        names = [name for name in our_names(arguments.rdmawire) if name.startswith(PREFIXES) and name in known]
        comparison = Comparison(EXCEPTIONS)
        with tempfile.TemporaryDirectory() as folder:
            for capture in arguments.captures:
                options = ["-T", "fields", "-E", "separator=" + SEPARATOR, "-E", "aggregator=" + AGGREGATOR]
                ours = read([arguments.rdmawire, "dump"] + options + [capture], names)
                theirs = read([arguments.tshark, "-n", "-r", readable_by_tshark(capture, folder)] + TSHARK_OPTIONS +
                              options, names)
                comparison.frames += len(ours)
                for number, frame in ours.items():
                    for name in names:
                        comparison.add(capture, number, Case(name, frame[name], theirs[number][name], frame))
                for number, frame in theirs.items():
                    if number not in ours and any(frame.values()):
                        comparison.differences.append((capture, number, "infiniband", "", "a frame of its own"))
    except FileNotFoundError as error:
        fail("no program %s (tshark is in Debian's package tshark)" % error.filename)
    comparison.report(arguments.most)
    sys.exit(1 if comparison.differences else 0)


if __name__ == "__main__":
    main()
