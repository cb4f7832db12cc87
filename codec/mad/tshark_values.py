#!/usr/bin/env python3
"""Writes tshark_values.tsv: what tshark shows for MADs that are not in the captures.

One packet for each management class and attribute that Wireshark knows. Octet n of the MAD, outside of the fields that
say what it is, is (37 n + 11) mod 256, so that every field has a value of its own; the test makes the same octets.
A row: class, attribute ID, field, text. Run it with tshark 4.0 in the path.
"""
import os
import struct
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../.."))
from tools.octets import pcap  # noqa: E402

MAD_SIZE = 256
SMP = [0x02, 0x11, 0x12, 0x14, 0x15, 0x16, 0x20]
ATTRIBUTES = {
    0x01: SMP,
    0x81: SMP,
    0x03: [0x01, 0x02, 0x03, 0x11, 0x12, 0x13, 0x14, 0x15, 0x17, 0x18, 0x20, 0x31, 0x33, 0x35, 0x36, 0x38, 0xF3],
    0x04: [0x01, 0x12, 0x1D],
    0x07: [0x10, 0x12, 0x13, 0x14, 0x15, 0x16],
}
# Not fields of one header here, or fields that tshark shows wrongly.
LEFT_OUT = {
    "infiniband.mad": "whole header",
    "infiniband.mad.data": "data of known attributes",
    "infiniband.smplid": "whole header",
    "infiniband.smplid.smpdata": "data of known attributes",
    "infiniband.smpdirected": "whole header",
    "infiniband.rmpp": "whole header",
    "infiniband.sa.drdlid": "whole header",
    "infiniband.classportinfo": "whole attribute",
    "infiniband.classportinfo.reserved": "reserved",
    "infiniband.portcounters": "whole attribute",
    "infiniband.portcounters_ext": "whole attribute",
    "infiniband.cm.req.ip_cm": "whole header",
    "infiniband.reserved": "of many headers",
    "infiniband.nodedescription.nodestring": "text, octets here",
    "infiniband.smpdirected.d": "mask of another width than the field",
    "infiniband.smpdirected.smpstatus": "holds the direction bit too",
    "infiniband.cm.req.prim_flowlabel": "24 bits read through a mask of 32",
    "infiniband.cm.req.prim_reserved0": "the same",
    "infiniband.cm.req.prim_pktrate": "the same",
    "infiniband.cm.req.alt_flowlabel": "the same",
    "infiniband.cm.req.alt_reserved0": "the same",
    "infiniband.cm.req.alt_pktrate": "the same",
    "infiniband.cm.rej.reserved0": "2 of 6 bits",
    "infiniband.cm.req.prim_localgid_ipv4": "last octets of prim_localgid when the packet came over IPv4",
    "infiniband.cm.req.prim_remotegid_ipv4": "the same",
}


def mad(management_class, attribute):
    octets = bytearray((37 * n + 11) % 256 for n in range(MAD_SIZE))
    octets[0:4] = bytes([1, management_class, 2 if management_class in (0x03, 0x07) else 1, 0x81])
    octets[16:18] = struct.pack(">H", attribute)
    if management_class == 0x03:
        octets[24:36] = bytes(12)
    return bytes(octets)


def frame(payload, queue_pair):
    transport = struct.pack(">BBHII", 0x64, 0x40, 0xFFFF, queue_pair, 0) + struct.pack(">II", 0, queue_pair)
    udp_payload = transport + payload + bytes(4)
    udp = struct.pack(">HHHH", 49152, 4791, 8 + len(udp_payload), 0) + udp_payload
    ip = struct.pack(">BBHHHBBHII", 0x45, 0, 20 + len(udp), 0, 0x4000, 64, 17, 0, 0x0A000001, 0x0A000002)
    return bytes(12) + b"\x08\x00" + ip + udp


def fields():
    lines = subprocess.run(["tshark", "-G", "fields"], capture_output=True, text=True, check=True).stdout.split("\n")
    names = (line.split("\t")[2] for line in lines if line.startswith("F\t"))
    layers = ("mad", "rmpp", "smp", "sa", "node", "switch", "port", "p_key", "sm", "notice", "inform", "class", "link",
              "path", "mcmember", "cm")
    wanted = (name for name in names if name.startswith(tuple("infiniband." + layer for layer in layers)))
    return [name for name in dict.fromkeys(wanted) if name not in LEFT_OUT]


def main():
    packets = [(c, a) for c, attributes in ATTRIBUTES.items() for a in attributes]
    names = fields()
    with tempfile.TemporaryDirectory() as folder:
        path = pcap.write(os.path.join(folder, "mads.pcap"), [
            frame(mad(management_class, attribute), 0 if management_class in (0x01, 0x81) else 1)
            for management_class, attribute in packets
        ])
        command = ["tshark", "-r", path, "-T", "fields", "-E", "aggregator=|"]
        for name in names:
            command += ["-e", name]
        shown = subprocess.run(command, capture_output=True, text=True, check=True).stdout.rstrip("\n").split("\n")
    for (management_class, attribute), line in zip(packets, shown):
        for name, text in zip(names, line.split("\t")):
            if text and "|" not in text:
                print(f"{management_class:02x}\t{attribute:04x}\t{name}\t{text}")


if __name__ == "__main__":
    sys.exit(main())
