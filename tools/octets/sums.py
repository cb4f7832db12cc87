"""CRC-32C and the Internet checksum, for tests and scripts that judge the C++ without its help."""

_CRC32C = []
for _value in range(256):
    for _ in range(8):
        _value = _value >> 1 ^ (0x82F63B78 if _value & 1 else 0)
    _CRC32C.append(_value)


def crc32c(octets):
    crc = 0xFFFFFFFF
    for octet in octets:
        crc = crc >> 8 ^ _CRC32C[(crc ^ octet) & 0xFF]
    return crc ^ 0xFFFFFFFF


def checksum(octets):
    """Of IPv4, UDP and TCP. 0 if the octets hold their own, right."""
    octets = bytes(octets) + bytes(len(octets) % 2)
    total = sum(int.from_bytes(octets[at : at + 2], "big") for at in range(0, len(octets), 2))
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return total ^ 0xFFFF
