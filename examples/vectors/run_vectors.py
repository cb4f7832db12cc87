#!/usr/bin/env python3
"""Runs the packet vectors against a decoder, and prints what it gets wrong, with the requirements.

    examples/vectors/run_vectors.py scapy|tshark [FILE]

A decoder is a function that takes a list of vectors, of which it looks at `form` and `octets` only, and gives for each
a dictionary of the fields that it reads, by the vectors' names, or None where it reads nothing. To try your own, write
one and put it into DECODERS. What it does not read (another form, a name it does not have) counts as unknown.
"""

import json
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2]))
from conformance.vectors import confirm, tshark as wireshark, text  # noqa: E402


def scapy(vectors):
    for vector in vectors:
        yield confirm.scapy_fields(vector) if vector["form"] == "ethernet" else None


def tshark(vectors):
    read = wireshark.fields_of(vectors)
    for vector in vectors:
        yield read.get(vector["name"])


DECODERS = {"scapy": scapy, "tshark": tshark}


def main():
    if len(sys.argv) < 2 or sys.argv[1] not in DECODERS:
        sys.exit(__doc__.strip())
    default = pathlib.Path(__file__).resolve().parents[2] / "conformance/vectors/packets.json"
    path = pathlib.Path(sys.argv[2]) if len(sys.argv) > 2 else default
    vectors = [one for one in json.loads(path.read_text(encoding="utf-8"))["vectors"] if "fields" in one]
    right = wrong = unknown = 0
    for vector, fields in zip(vectors, DECODERS[sys.argv[1]](vectors)):
        faults = []
        for name, value in vector["fields"].items():
            if fields is None or name not in fields:
                unknown += 1
            elif fields[name] == text.number(value):
                right += 1
            else:
                faults.append("%s is %s, must be %s" % (name, fields[name], value))
        wrong += len(faults)
        if faults:
            print("%s (%s): %s" % (vector["name"], ", ".join(vector["requirements"]) or "-", "; ".join(faults)))
    print("%d fields right, %d wrong, %d not read" % (right, wrong, unknown))


if __name__ == "__main__":
    main()
