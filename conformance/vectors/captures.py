"""Frames of the captures in testdata/captures: recordings of real devices, which confirm packet vectors."""

import functools
import pathlib
import struct

FOLDER = pathlib.Path(__file__).resolve().parents[2] / "testdata/captures"


@functools.cache
def frames(name):
    """The frames of a .pcap file of Ethernet, in order: frame N of Wireshark is frames(name)[N - 1]."""
    octets = (FOLDER / name).read_bytes()
    order = "<" if octets[:4] in (b"\xd4\xc3\xb2\xa1", b"\x4d\x3c\xb2\xa1") else ">"
    assert struct.unpack(order + "I", octets[20:24])[0] == 1, name
    out, at = [], 24
    while at < len(octets):
        length, whole = struct.unpack(order + "II", octets[at + 8 : at + 16])
        assert length == whole, (name, len(out) + 1)
        out.append(octets[at + 16 : at + 16 + length])
        at += 16 + length
    return out
