#!/usr/bin/env python3
"""Writes tshark_values.tsv: what tshark shows for one PDU of each kind, its fields filled so that each has a value of
its own. A row: the PDU (start-up frame or ULPDU) in hex, field, text. Run it with tshark 4.0 in the path.
"""
import os
import struct
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../.."))
from tools.octets import pcap  # noqa: E402
from tools.octets.sums import crc32c  # noqa: E402

# Not fields of a header here.
LEFT_OUT = {
    "iwarp_mpa.fpdu": "whole PDU",
    "iwarp_mpa.req": "whole frame",
    "iwarp_mpa.rep": "whole frame",
    "iwarp_mpa.privatedata": "payload",
    "iwarp_mpa.pad": "what is between headers",
    "iwarp_mpa.crc_check": "computed",
    "iwarp_mpa.crc": "not of the PDU",
    "iwarp_mpa.ulpdulength": "not of the ULPDU",
    "iwarp_rdma.term_ddp_h": "a header here, which tshark cuts by the wrong length",
    "iwarp_rdma.term_rdma_h": "the same",
    "iwarp_rdma.term_hdrct": "the bits one by one here",
    "iwarp_rdma.atomic.reserved": "shown by tshark under a mask that the value is not shifted by",
}


def pattern(size, first):
    return bytes((37 * n + first) % 256 for n in range(size))


def startup(key, flags, revision, data):
    return b"MPA ID " + key + b" Frame" + bytes([flags, revision]) + struct.pack(">H", len(data)) + data


def tagged(opcode, ctrl=0xC1):
    return bytes([ctrl, 0x40 | opcode]) + pattern(12, 11) + b"data"


def untagged(opcode, queue, body, ctrl=0x41):
    return bytes([ctrl, 0x40 | opcode]) + pattern(4, 5) + struct.pack(">I", queue) + pattern(8, 23) + body


def atomic(aopcode):
    return struct.pack(">I", aopcode) + pattern(48, 77)


def terminate(control, body=b""):
    return untagged(7, 2, bytes.fromhex(control) + body)


def pdus():
    out = [
        startup(b"Req", 0xC0, 1, b"private"),
        startup(b"Rep", 0x40, 1, b""),
        startup(b"Req", 0x5F, 2, bytes.fromhex("8010c020") + b"more"),
        startup(b"Rep", 0x80, 1, b"no"),
        tagged(0), tagged(2), tagged(0, 0x81 | 0x3C),
        untagged(1, 1, pattern(28, 99)),
        untagged(8, 0, pattern(8, 1)), untagged(9, 0, pattern(8, 1)),
        untagged(0xA, 1, atomic(0)), untagged(0xA, 1, atomic(2)),
        untagged(0xB, 3, pattern(12, 200)),
    ]
    out += [untagged(opcode, 0, b"payload") for opcode in (3, 4, 5, 6)]
    segment = bytes.fromhex("c140") + pattern(12, 61)
    receive = bytes.fromhex("4143") + pattern(16, 61)
    read = bytes.fromhex("4141") + pattern(16, 61)
    out += [
        terminate("00990000"),
        terminate("0100e000", b"\x00\x2e" + read + pattern(28, 3)),
        terminate("0206c000", b"\x00\x13" + receive),
        terminate("10000000"),
        terminate("1103c000", b"\x00\x12" + segment),
        terminate("1205c000", b"\x00\x1c" + receive),
        terminate("20020000"), terminate("23020000"),
    ]
    return out


def fpdu(ulpdu):
    body = struct.pack(">H", len(ulpdu)) + ulpdu
    body += bytes(-len(body) % 4)
    return body + struct.pack("<I", crc32c(body))


def frame(connection, from_initiator, sequence, payload):
    ports = (40000 + connection, 20049) if from_initiator else (20049, 40000 + connection)
    tcp = struct.pack(">HHIIBBHHH", *ports, sequence, 1, 0x50, 0x18, 1024, 0, 0) + payload
    addresses = (0x0A000001, 0x0A000002) if from_initiator else (0x0A000002, 0x0A000001)
    ip = struct.pack(">BBHHHBBHII", 0x45, 0, 20 + len(tcp), 0, 0x4000, 64, 6, 0, *addresses)
    return bytes(12) + b"\x08\x00" + ip + tcp


def conversation(connection, pdu):
    """Frames of a connection of its own, with the PDU last."""
    request, reply = startup(b"Req", 0x40, 1, b""), startup(b"Rep", 0x40, 1, b"")
    if pdu.startswith(b"MPA ID Req"):
        return [frame(connection, True, 1, pdu)]
    if pdu.startswith(b"MPA ID Rep"):
        return [frame(connection, True, 1, request), frame(connection, False, 1, pdu)]
    return [frame(connection, True, 1, request), frame(connection, False, 1, reply),
            frame(connection, True, 1 + len(request), fpdu(pdu))]


def fields():
    lines = subprocess.run(["tshark", "-G", "fields"], capture_output=True, text=True, check=True).stdout.split("\n")
    rows = [line.split("\t") for line in lines if line.startswith("F\t")]
    names = [row[2] for row in rows if row[2].startswith("iwarp_") and row[3] not in ("FT_NONE", "FT_FRAMENUM")]
    return [n for n in dict.fromkeys(names) if n not in LEFT_OUT and ".send." not in n]


def main():
    packets, ends = [], []
    for connection, pdu in enumerate(pdus()):
        packets += conversation(connection, pdu)
        ends.append((len(packets), pdu))
    names = fields()
    with tempfile.TemporaryDirectory() as folder:
        path = pcap.write(os.path.join(folder, "pdus.pcap"), packets)
        command = ["tshark", "-n", "-r", path, "-T", "fields", "-E", "separator=/t", "-E", "occurrence=a"]
        for name in names:
            command += ["-e", name]
        shown = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split("\n")
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "tshark_values.tsv"), "w") as out:
        for number, pdu in ends:
            for name, text in zip(names, shown[number - 1].split("\t")):
                if text:
                    out.write("%s\t%s\t%s\n" % (pdu.hex(), name, text))


if __name__ == "__main__":
    sys.exit(main())
