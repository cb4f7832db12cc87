#!/usr/bin/env python3
"""Holds the plugin's answers for whole captures against `rdmawire dump` and against tshark without it.

    dissector/tshark/compare.py --plugin rdmawire.so --rdmawire PROGRAM CAPTURE...

For each capture, alongside the built-in dissectors and taking over:
- one pass and two (-2) show the same of the plugin's fields in each frame, and the same Info column, where tshark's own
  is the same;
- no frame is malformed with the plugin that is not without it;
- the status of each CRC, and each PDU of iWARP with the place where it lies, is that of `rdmawire dump`. What only the
  end of a capture decides has no frame to be shown in: it is counted, and the frame that it lies in must say that octets
  of it wait (rdma.stream.held).
Exits with 1 if any of that is not so.
"""

import argparse
import collections
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from wireshark import Wireshark, dump  # noqa: E402

STATUS = {"0": "bad", "1": "good", "2": "unchecked", "3": "absent", "4": "disabled"}
INFO = "_ws.col.Info"
MALFORMED = "_ws.malformed"
TAKE_OVER = ["-o", "rdma.take_over:TRUE"]


class Comparison:
    def __init__(self, wireshark, rdmawire):
        self.wireshark = wireshark
        self.rdmawire = rdmawire
        self.names = wireshark.own_fields()
        self.faults = []
        self.counts = collections.Counter()

    def fault(self, capture, text):
        self.faults.append("%s: %s" % (os.path.basename(capture), text))

    def read(self, capture, arguments, with_plugin):
        names = ["frame.number", MALFORMED, INFO] + (self.names if with_plugin else [])
        return self.wireshark.fields(capture, names, arguments, with_plugin)

    def add(self, capture):
        plain = self.wireshark.readable(capture)
        bare = [self.read(plain, passes, False) for passes in ([], ["-2"])]
        records = dump(self.rdmawire, capture)
        self.counts["captures"] += 1
        self.counts["frames"] += len(bare[0])
        for mode, arguments in (("alongside", []), ("take-over", TAKE_OVER)):
            passes = [self.read(plain, arguments + more, True) for more in ([], ["-2"])]
            self.compare_passes(capture, mode, bare, passes)
            self.compare_malformed(capture, mode, bare, passes)
            self.compare_packets(capture, mode, records, passes[0])
            self.compare_pdus(capture, mode, records, passes[0])

    def compare_passes(self, capture, mode, bare, passes):
        for number, (first, second) in enumerate(zip(*passes), 1):
            for name in self.names:
                if first[name] != second[name]:
                    self.fault(capture, "%s: frame %d: %s is %s in one pass, %s in two" % (
                        mode, number, name, first[name], second[name]))
            if first[INFO] != second[INFO] and bare[0][number - 1][INFO] == bare[1][number - 1][INFO]:
                self.fault(capture, "%s: frame %d: Info is %s in one pass, %s in two" % (
                    mode, number, first[INFO], second[INFO]))

    def compare_malformed(self, capture, mode, bare, passes):
        for name, without, with_plugin in zip(("one pass", "two passes"), bare, passes):
            for number, (before, after) in enumerate(zip(without, with_plugin), 1):
                if after[MALFORMED] and not before[MALFORMED]:
                    self.fault(capture, "%s: frame %d: malformed with the plugin only" % (mode, number))
                if before[MALFORMED] and not after[MALFORMED]:
                    self.counts["%s: malformed frames less, %s" % (mode, name)] += 1

    def compare_packets(self, capture, mode, records, frames):
        ours = {record["frame"]: record for record in records if record["rdma.family"] != "iwarp"}
        for number, frame in enumerate(frames, 1):
            record = ours.get(number, {})
            if record and frame["rdma.family"] != [record["rdma.family"]]:
                self.fault(capture, "%s: frame %d: family %s, not %s" % (
                    mode, number, frame["rdma.family"], record["rdma.family"]))
            for name in ("rdma.icrc.status", "rdma.vcrc.status"):
                theirs = STATUS[frame[name][0]] if frame[name] else "absent"
                if theirs != record.get(name, "absent"):
                    self.fault(capture, "%s: frame %d: %s is %s, in dump %s" % (
                        mode, number, name, theirs, record.get(name)))
            if record:
                self.counts["%s: packets like dump's" % mode] += 1

    def compare_pdus(self, capture, mode, records, frames):
        # Where an operation has no name, -T fields does not tell which value is whose.
        nameless = {record["frame"] for record in records if "rdma.stream" in record and "rdma.opcode" not in record}
        ours = collections.Counter()
        for record in records:
            if "rdma.stream" not in record:
                continue
            verdict = (record.get("rdma.mpa.crc.status"), record.get("rdma.opcode"))
            ours[(record["frame"], record["rdma.stream"], record["rdma.stream.sender"], record["rdma.stream_offset"]) + (
                (None, None) if record["frame"] in nameless else verdict)] += 1
        theirs = collections.Counter(
            pdu for number, frame in enumerate(frames, 1) if frame["rdma.stream"] for pdu in self.pdus(frame, nameless))
        for pdu in theirs - ours:
            self.fault(capture, "%s: a PDU that dump does not have: %s" % (mode, pdu))
        missing = ours - theirs
        self.counts["%s: PDUs like dump's" % mode] += sum((ours & theirs).values())
        self.counts["%s: PDUs decided by the capture's end" % mode] += sum(missing.values())
        # They come after all that their direction has, and their frames say that they wait.
        shown = {}
        for _, stream, sender, offset, _, _ in theirs:
            shown[stream, sender] = max(offset, shown.get((stream, sender), 0))
        for frame, stream, sender, offset, _, _ in missing:
            if offset <= shown.get((stream, sender), -1):
                self.fault(capture, "%s: no PDU of stream %d at %d, frame %d" % (mode, stream, offset, frame))
            if (stream, sender) in shown and not frames[frame - 1]["rdma.stream.held"]:
                self.fault(capture, "%s: frame %d does not say that it waits" % (mode, frame))

    @staticmethod
    def pdus(frame, nameless):
        """(frame, stream, sender, offset, CRC status, operation) of the PDUs that a frame shows."""
        # -T fields gives the values of each field together. All PDUs have those of STREAM, but start-up frames no CRC.
        statuses = iter(frame["rdma.mpa.crc.status"])
        operations = iter(frame["rdma.opcode"])
        places = (frame[name] for name in ("rdma.stream", "rdma.stream.sender", "rdma.stream_offset", "rdma.last_frame"))
        for stream, sender, offset, last in zip(*places):
            status = operation = None
            if int(last) not in nameless:
                operation = next(operations)
                status = None if operation in ("MPA_REQUEST", "MPA_REPLY") else STATUS[next(statuses)]
            yield int(last), int(stream), sender, int(offset), status, operation


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("captures", metavar="CAPTURE", nargs="+")
    parser.add_argument("--plugin", required=True)
    parser.add_argument("--rdmawire", required=True)
    parser.add_argument("--tshark", default="tshark")
    arguments = parser.parse_args()
    comparison = Comparison(Wireshark(arguments.plugin, arguments.tshark), arguments.rdmawire)
    for capture in arguments.captures:
        comparison.add(capture)
    for name, count in comparison.counts.items():
        print("%s: %d" % (name, count))
    for text in comparison.faults[:60]:
        print(text)
    print("%d faults" % len(comparison.faults))
    sys.exit(1 if comparison.faults else 0)


if __name__ == "__main__":
    main()
