"""A receiver of MPA, written from RFC 5044 alone: the second opinion on streams with Markers.

Apart from what makes the vectors (wire.py) it has its own CRC, and finds the FPDUs word by word.
"""

import struct

_TABLE = []
for _i in range(256):
    _value = _i
    for _ in range(8):
        _value = (_value >> 1) ^ (0x82F63B78 if _value & 1 else 0)
    _TABLE.append(_value)


def crc_field(data):
    """The CRC field of an FPDU: CRC-32C, its least significant octet first (RFC 5044, 4.4)."""
    value = 0xFFFFFFFF
    for octet in data:
        value = _TABLE[(value ^ octet) & 0xFF] ^ (value >> 8)
    return struct.pack("<I", value ^ 0xFFFFFFFF)


class Receiver:
    """Takes octets of one direction in any pieces; ulpdus has those that came whole, wrong says what was wrong first."""

    def __init__(self, markers, crc):
        self.markers = markers
        self.crc = crc
        self.position = 0  # of the first octet that is not taken
        self.waiting = b""
        self.ulpdus = []
        self.wrong = None

    def feed(self, octets):
        self.waiting += octets
        while self.wrong != "crc" and self._take():
            pass

    def _take(self):
        at, start, need = 0, None, None
        covered, plain = bytearray(), bytearray()
        while True:
            if self.markers and (self.position + at) % 512 == 0:
                word = self.waiting[at : at + 4]
                if len(word) < 4:
                    return False
                # The two low bits count as 0 (4.2); a Marker between two FPDUs points nowhere (4.3).
                pointer = struct.unpack("!H", word[2:])[0] & ~3
                if pointer != (0 if start is None else self.position + at - start):
                    self.wrong = self.wrong or "marker"
                covered += word
                at += 4
            word = self.waiting[at : at + 4]
            if len(word) < 4:
                return False
            if start is None:
                start = self.position + at
                length = struct.unpack("!H", word[:2])[0]
                need = (2 + length + 3) // 4 * 4
            at += 4
            if len(plain) < need:
                plain += word
                covered += word
                continue
            if self.crc and word != crc_field(covered):
                self.wrong = self.wrong or "crc"
                return False
            break
        self.ulpdus.append(bytes(plain[2 : 2 + length]))
        self.waiting = self.waiting[at:]
        self.position += at
        return True
