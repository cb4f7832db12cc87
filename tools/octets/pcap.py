"""Captures in the pcap format, for tests and scripts that judge the C++ without its help."""

import struct

ETHERNET = 1
USER0 = 147
ERF = 197

SNAP_LEN = 262144
_MICROSECONDS, _NANOSECONDS = 0xA1B2C3D4, 0xA1B23C4D
_HEADER_LEN, _RECORD_LEN = 24, 16


def header(link=ETHERNET, nanoseconds=False):
    """What a file begins with."""
    return struct.pack("<IHHiIII", _NANOSECONDS if nanoseconds else _MICROSECONDS, 2, 4, 0, 0, SNAP_LEN, link)


def record(octets, seconds, fraction=0, length=None):
    """A frame in the file. length: on the wire, if the capture has cut it."""
    return struct.pack("<IIII", seconds, fraction, len(octets), len(octets) if length is None else length) + octets


def write(path, frames, link=ETHERNET):
    """frames: octets, or (octets, length on the wire). Frame N has time N. Gives the path."""
    with open(path, "wb") as file:
        file.write(header(link))
        for number, frame in enumerate(frames, 1):
            octets, length = frame if isinstance(frame, tuple) else (frame, None)
            file.write(record(octets, number, length=length))
    return path


def frames_of(data, link=ETHERNET):
    """The frames of a file's octets, in any octet order: [(octets, length on the wire)]. ValueError if it is no such file,
    or of another link."""
    if len(data) < _HEADER_LEN:
        raise ValueError("not pcap")
    for order in "<>":
        if struct.unpack_from(order + "I", data)[0] in (_MICROSECONDS, _NANOSECONDS):
            break
    else:
        raise ValueError("not pcap")
    if struct.unpack_from(order + "I", data, 20)[0] != link:
        raise ValueError("of another link")
    frames, at = [], _HEADER_LEN
    while at < len(data):
        end = at + _RECORD_LEN
        if end <= len(data):
            captured, length = struct.unpack_from(order + "II", data, at + 8)
            end += captured
        if end > len(data):
            raise ValueError("cut off")
        frames.append((data[end - captured : end], length))
        at = end
    return frames


def read(path):
    with open(path, "rb") as file:
        return frames_of(file.read())


def whole_frames_of(data):
    """The octets of each frame; ValueError also if the capture has cut one."""
    frames = frames_of(data)
    if any(len(octets) != length for octets, length in frames):
        raise ValueError("frame cut by the snap length")
    return [octets for octets, _ in frames]
