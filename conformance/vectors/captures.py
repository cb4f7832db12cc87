"""Frames of the captures in testdata/captures: recordings of real devices, which confirm packet vectors."""

import functools
import pathlib

from tools.octets import pcap

FOLDER = pathlib.Path(__file__).resolve().parents[2] / "testdata/captures"


@functools.cache
def frames(name):
    """The frames of a .pcap file of Ethernet, in order: frame N of Wireshark is frames(name)[N - 1]."""
    return pcap.whole_frames_of((FOLDER / name).read_bytes())
