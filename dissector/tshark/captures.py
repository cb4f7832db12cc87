"""Captures made for the tests: packets that Wireshark's own dissectors get wrong, built octet by octet, with CRCs that
are not the codec's."""

import struct
import zlib

from tools.octets.sums import checksum, crc32c

# RoCE


def bth(opcode, qp=0x11, psn=100, pad=0, octet4=0):
    return struct.pack(">BBHIBBH", opcode, 0x40 | pad << 4, 0xFFFF, octet4 << 24 | qp, 0, psn >> 16, psn & 0xFFFF)


def rocev2(transport, source_port=49152, port=4791):
    """Ethernet, IPv4, UDP around a BTH and all after it, and the right ICRC."""
    length = 28 + len(transport) + 4
    ip = struct.pack(">BBHHHBBH4s4s", 0x45, 0, length, 1, 0x4000, 64, 17, 0, b"\x0a\0\0\1", b"\x0a\0\0\2")
    ip = ip[:10] + struct.pack(">H", checksum(ip)) + ip[12:]
    udp = struct.pack(">HHHH", source_port, port, length - 20, 0)
    masked = bytearray(b"\xff" * 8 + ip + udp + transport)
    for at in (8 + 1, 8 + 8, 8 + 10, 8 + 11, 8 + 26, 8 + 27, 8 + 28 + 4):
        masked[at] = 0xFF
    icrc = struct.pack("<I", zlib.crc32(bytes(masked)))
    return b"\x02\0\0\0\0\x02\x02\0\0\0\0\x01\x08\0" + ip + udp + transport + icrc


def padded(payload):
    return payload + b"\0" * (-len(payload) % 4)


def send(payload, opcode=0x04, **more):
    return bth(opcode, pad=-len(payload) % 4, **more) + padded(payload)


def mad(management_class, attribute=1, method=1):
    header = struct.pack(">BBBBHHQHHI", 1, management_class, 2, method, 0, 0, 7, attribute, 0, 0)
    deth = struct.pack(">II", 0x80010000, 1)
    return bth(0x64, qp=1) + deth + header + bytes(range(232))


# iWARP


def startup(reply, flags, private=b"", revision=1):
    return (b"MPA ID Rep Frame" if reply else b"MPA ID Req Frame") + struct.pack(">BBH", flags, revision,
                                                                                 len(private)) + private


def untagged(opcode, payload, msn=1, offset=0, queue=0, last=True, invalidate=0):
    return struct.pack(">BBIIII", 0x41 if last else 0x01, 0x40 | opcode, invalidate, queue, msn, offset) + payload


def tagged(opcode, payload, stag=0x1234, offset=0):
    return struct.pack(">BBIQ", 0xC1, 0x40 | opcode, stag, offset) + payload


class Framer:
    """One direction after its start-up frame: ULPDUs to FPDUs."""

    def __init__(self, markers=False):
        self.markers = markers
        self.position = 0

    def frame(self, ulpdu):
        words = struct.pack(">H", len(ulpdu)) + ulpdu
        words += b"\0" * (-len(words) % 4)
        out, begin = b"", 0

        def mark():
            nonlocal out
            if self.markers and (self.position + len(out)) % 512 == 0:
                out += struct.pack(">HH", 0, len(out) - begin if out else 0)

        for at in range(0, len(words), 4):
            mark()
            if at == 0:
                begin = len(out)
            out += words[at:at + 4]
        mark()
        out += struct.pack("<I", crc32c(out))
        self.position += len(out)
        return out


class Talk:
    """A TCP connection, whose frames are collected."""

    def __init__(self, frames, server_port=20049, client_port=40000, opened=True):
        self.frames = frames
        self.ports = (client_port, server_port)
        self.next = [1001, 5001]
        if opened:
            self.segment(False, b"", flags=2, sequence=1000, acknowledged=0)
            self.segment(True, b"", flags=0x12, sequence=5000, acknowledged=1001)

    def segment(self, server, octets, flags=0x18, sequence=None, acknowledged=None):
        side = 1 if server else 0
        if sequence is None:
            sequence = self.next[side]
            self.next[side] += len(octets)
        if acknowledged is None:
            acknowledged = self.next[1 - side]
        tcp = struct.pack(">HHIIBBHHH", self.ports[side], self.ports[1 - side], sequence, acknowledged, 0x50, flags,
                          0xFFFF, 0, 0) + octets
        ends = (b"\x0a\0\0\1", b"\x0a\0\0\2")
        ip = struct.pack(">BBHHHBBH4s4s", 0x45, 0, 20 + len(tcp), 1, 0x4000, 64, 6, 0, ends[side], ends[1 - side])
        ip = ip[:10] + struct.pack(">H", checksum(ip)) + ip[12:]
        self.frames.append(b"\x02\0\0\0\0\x02\x02\0\0\0\0\x01\x08\0" + ip + tcp)
        return len(self.frames)

    def client(self, octets):
        return self.segment(False, octets)

    def server(self, octets):
        return self.segment(True, octets)

    def skip(self, octets):
        """The client's octets that nobody captured."""
        self.next[0] += len(octets)

    def begin(self, request=0x40, reply=0x40):
        self.client(startup(False, request))
        self.server(startup(True, reply))
