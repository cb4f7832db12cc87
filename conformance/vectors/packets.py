"""The packet vectors: frames of InfiniBand and RoCE, and PDUs and streams of iWARP. SCHEMA.md says what they look like.

    packets.py             compares what stands in packets.json with what is generated
    packets.py --confirm   has them confirmed anew (confirm.py), and compares who confirms what
    packets.py --write     generates, has them confirmed, and writes packets.json
"""

import argparse
import json
import pathlib
import sys

from conformance.vectors import captured_packets, confirm, infiniband_packets, iwarp_packets, tshark

FILE = pathlib.Path(__file__).resolve().parent / "packets.json"
VERSION = 1


def generate():
    vectors = [*infiniband_packets.generate(), *iwarp_packets.generate(), *captured_packets.generate()]
    names = [vector["name"] for vector in vectors]
    doubled = {name for name in names if names.count(name) > 1}
    assert not doubled, doubled
    return vectors


def text(vectors):
    """One vector a line."""
    lines = ",\n".join(json.dumps(vector, separators=(",", ":")) for vector in vectors)
    return '{"schema":"rdmawire-packet-vectors","version":%d,"vectors":[\n%s\n]}\n' % (VERSION, lines)


def read(path=FILE):
    return json.loads(pathlib.Path(path).read_text(encoding="utf-8"))["vectors"]


def without_confirmation(vector):
    return {key: value for key, value in vector.items() if key != "confirmed_by"}


def compare_confirmations(committed):
    """Another version of tshark reads more or less: of it only what scapy and zlib say is compared. Later ones of scapy
    read more, RoCEv2 over IPv6 for one."""
    now = [without_confirmation(vector) for vector in committed]
    confirm.add_confirmations(now)
    others = tshark.version() is None or not tshark.version().startswith("4.0.")
    left_out = {"tshark", "reasoning"} if others else set()
    more = set() if confirm.scapy_version().startswith("2.5.") else {"scapy"}
    wrong = []
    for one, vector in zip(now, committed):
        by, said = (set(each["confirmed_by"]) - left_out for each in (one, vector))
        if said - by or by - said - more:
            wrong.append("%s: %s, in packets.json %s" % (one["name"], one["confirmed_by"], vector["confirmed_by"]))
    print("\n".join(wrong) or "%d vectors confirmed as packets.json says" % len(committed))
    return 1 if wrong else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--write", action="store_true", help="write packets.json anew; needs scapy and tshark")
    parser.add_argument("--confirm", action="store_true", help="needs scapy and tshark")
    options = parser.parse_args()
    vectors = generate()
    if options.write:
        confirm.add_confirmations(vectors)
        FILE.write_text(text(vectors), encoding="utf-8")
        return 0
    committed = read()
    if [without_confirmation(vector) for vector in committed] != vectors:
        print("packets.json is not what packets.py generates: run it with --write", file=sys.stderr)
        return 1
    if options.confirm:
        return compare_confirmations(committed)
    unconfirmed = [vector["name"] for vector in committed if not vector["confirmed_by"]]
    if unconfirmed:
        print("without a word on what confirms them: " + ", ".join(unconfirmed), file=sys.stderr)
        return 1
    print("%d vectors as generated" % len(vectors))
    return 0


if __name__ == "__main__":
    sys.exit(main())
