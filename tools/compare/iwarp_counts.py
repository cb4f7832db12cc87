#!/usr/bin/env python3
"""Counts the iWARP in captures, without the code that it judges: what testdata/reference/iwarp_counts.tsv is made by.

    tools/compare/iwarp_counts.py testdata/captures/*siw* > testdata/reference/iwarp_counts.tsv

Each octet of a TCP stream counts once, whatever was sent again, came twice or out of order. Streams begin with their
SYN, FPDUs after the MPA start-up frame. After octets that were never captured, nothing in the capture says for certain
where the next FPDU begins: there NAME.in-guest is read by the FPDUs of NAME, where the same streams are whole.
Counted are FPDUs all of whose octets were captured. Markers are not read; a stream that has them is an error.
Reads pcap of Ethernet, and zstd through the command of that name.
"""

import collections
import os
import struct
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../.."))
from tools.octets import pcap  # noqa: E402
from tools.octets.sums import crc32c  # noqa: E402

OPCODES = ("write", "read_request", "read_response", "send", "send_invalidate", "send_se", "send_se_invalidate",
           "terminate", "other")
COLUMNS = (
    "capture",
    "mpa_requests",
    "mpa_replies",
    "fpdus",  # both directions
    "longest_ulpdu",  # octets
    "bad_crcs",  # of FPDUs, where one end asked for CRC
    "missing",  # octets of streams that were never captured
    # Octets captured that belong to no whole FPDU: the stream ends too early, or a hole cut the FPDU.
    "leftover",
) + tuple("from_initiator." + name for name in OPCODES) + tuple("from_responder." + name for name in OPCODES)

KEYS = {b"MPA ID Req Frame": "mpa_requests", b"MPA ID Rep Frame": "mpa_replies"}
MARKERS, CRC, REJECT = 0x80, 0x40, 0x20


def octets_of(path):
    if path.endswith(".zst"):
        return subprocess.run(["zstd", "-dqc", path], stdout=subprocess.PIPE, check=True).stdout
    with open(path, "rb") as file:
        return file.read()


def segment(frame):
    """(source, destination, sequence number, SYN, payload) of a TCP segment; None of any other frame."""
    at = 12
    ether_type = frame[at:at + 2]
    while ether_type in (b"\x81\x00", b"\x88\xa8"):
        at += 4
        ether_type = frame[at:at + 2]
    ip = frame[at + 2:]
    if ether_type == b"\x08\x00":
        total, fragment = struct.unpack(">H2xH", ip[2:8])
        if ip[9] != 6:
            return None
        if fragment & 0x3FFF:
            raise ValueError("fragment")
        ends, tcp = (ip[12:16], ip[16:20]), ip[(ip[0] & 15) * 4:total]
    elif ether_type == b"\x86\xdd":
        if ip[6] != 6:
            return None
        ends, tcp = (ip[8:24], ip[24:40]), ip[40:40 + struct.unpack(">H", ip[4:6])[0]]
    else:
        return None
    source, destination, sequence = struct.unpack(">HHI", tcp[:8])
    return ((ends[0], source), (ends[1], destination), sequence, bool(tcp[13] & 2), tcp[(tcp[12] >> 4) * 4:])


class Stream:
    """One direction: the octets after its SYN, and which of them were captured."""

    def __init__(self, first):
        self.first = first  # sequence number of octet 0
        self.octets = bytearray()
        self.known = bytearray()

    def add(self, sequence, payload):
        at = (sequence - self.first + (1 << 31)) % (1 << 32) - (1 << 31)
        if at < 0 and payload:
            # A keep-alive repeats the octet before.
            payload, at = payload[-at:], 0
        end = at + len(payload)
        if end > len(self.octets):
            self.octets += bytes(end - len(self.octets))
            self.known += bytes(end - len(self.known))
        for i, octet in enumerate(payload, at):
            if self.known[i] and self.octets[i] != octet:
                raise ValueError("sent again with other octets")
            self.octets[i] = octet
            self.known[i] = 1

    def has(self, begin, end):
        return end <= len(self.known) and 0 not in self.known[begin:end]


def streams_of(path):
    """{(source, destination, which): Stream}; which counts the connections that use the same ports one by one."""
    streams, current = collections.OrderedDict(), {}
    for frame in pcap.whole_frames_of(octets_of(path)):
        found = segment(frame)
        if found is None:
            continue
        source, destination, sequence, syn, payload = found
        if syn:
            before = current.get((source, destination))
            if before is None or before[1].first != (sequence + 1) % (1 << 32):
                which = 0 if before is None else before[0] + 1
                stream = Stream((sequence + 1) % (1 << 32))
                current[source, destination] = which, stream
                streams[source, destination, which] = stream
        elif payload:
            current[source, destination][1].add(sequence, payload)  # KeyError: no SYN
    return streams


class StartUp:
    """The MPA Request or Reply at the beginning of a stream."""

    def __init__(self, stream):
        self.kind = KEYS.get(bytes(stream.octets[:16])) if stream.has(0, 20) else None
        self.flags, self.end = 0, 0
        if self.kind:
            self.flags, _, private = struct.unpack(">BBH", stream.octets[16:20])
            self.end = 20 + private
            if not stream.has(0, self.end):
                raise ValueError("private data not whole")


def fpdus_of(stream, begin):
    """[(begin, end)] of the FPDUs; octets that are not known are taken as they are, so the stream must be whole."""
    found = []
    while begin + 2 <= len(stream.octets):
        length = struct.unpack(">H", stream.octets[begin:begin + 2])[0]
        end = begin + (2 + length + 3) // 4 * 4 + 4
        if end > len(stream.octets):
            break
        found.append((begin, end))
        begin = end
    return found


def count(path):
    streams = streams_of(path)
    whole = streams
    twin = path.replace(".in-guest", "")
    if twin != path:
        whole = streams_of(twin)
    row = collections.Counter()
    for key, stream in streams.items():
        start, opposite = StartUp(stream), StartUp(streams.get((key[1], key[0], key[2]), Stream(0)))
        if not start.kind:
            row["leftover"] += sum(stream.known)
            continue
        row[start.kind] += 1
        # An end that sends M wants to receive Markers; but nothing follows a Reply that rejects.
        if opposite.flags & MARKERS and not (start.flags | opposite.flags) & REJECT and len(stream.octets) > start.end:
            raise ValueError("Markers")
        crc_used = (start.flags | opposite.flags) & CRC
        model = whole[key]
        if model.first != stream.first:
            raise ValueError("the twin is another stream")
        # The capture may have lost the stream's end as well.
        row["missing"] += len(model.octets) - sum(stream.known)
        row["leftover"] += sum(stream.known) - start.end
        direction = "from_initiator." if start.kind == "mpa_requests" else "from_responder."
        for begin, end in fpdus_of(model, start.end):
            if not stream.has(begin, end):
                continue
            length = struct.unpack(">H", stream.octets[begin:begin + 2])[0]
            row["fpdus"] += 1
            row["leftover"] -= end - begin
            row["longest_ulpdu"] = max(row["longest_ulpdu"], length)
            row[direction + OPCODES[min(stream.octets[begin + 3] & 15, 8)]] += 1
            crc = struct.unpack("<I", stream.octets[end - 4:end])[0]
            if crc_used and crc != crc32c(stream.octets[begin:end - 4]):
                row["bad_crcs"] += 1
    row["capture"] = os.path.basename(path)
    return row


def main():
    print("\t".join(COLUMNS))
    for path in sorted(sys.argv[1:]):
        if ".in-guest" in path and not os.path.exists(path.replace(".in-guest", "")):
            sys.exit("iwarp_counts.py: %s needs its twin beside it" % path)
        try:
            row = count(path)
        except (KeyError, ValueError) as error:
            sys.exit("iwarp_counts.py: %s: %r" % (path, error))
        print("\t".join(str(row[name]) for name in COLUMNS))


if __name__ == "__main__":
    main()
