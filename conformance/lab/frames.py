"""RoCEv2 frames, taken apart and changed (those over IPv4), with a right ICRC."""

from conformance.vectors import wire
from tools.octets import sums

LINK_LEN, IPV4_LEN, IPV6_LEN, UDP_LEN, BTH_LEN, DETH_LEN, ICRC_LEN = 14, 20, 40, 8, 12, 8, 4
BTH_AT = LINK_LEN + IPV4_LEN + UDP_LEN
MAD_AT = BTH_AT + BTH_LEN + DETH_LEN
MAD_HEADER_LEN = 24
ROCEV2_PORT = 4791
UD_SEND_ONLY = 0x64
CM_REQ = 0x0010


def is_rocev2(frame):
    return len(frame) > MAD_AT and frame[12:14] == b"\x08\x00" and frame[23] == 17 and frame[36:38] == b"\x12\xb7"


def is_request(frame):
    """Of a connection."""
    return is_rocev2(frame) and frame[BTH_AT] == UD_SEND_ONLY and frame[MAD_AT + 16 : MAD_AT + 18] == CM_REQ.to_bytes(2, "big")


def icrc(frame):
    """Of what stands before the last 4 octets; by zlib."""
    is_six = frame[12:14] == b"\x86\xdd"
    bth_at = BTH_AT + (IPV6_LEN - IPV4_LEN if is_six else 0)
    return wire.icrc(frame[LINK_LEN:bth_at], "ipv6" if is_six else "ipv4", frame[bth_at:-ICRC_LEN])


def sealed(frame):
    """With the ICRC as it must be."""
    return bytes(frame[:-ICRC_LEN]) + icrc(frame)


def with_payload(frame, payload):
    """The same UD packet with another payload, its lengths, checksum and ICRC right."""
    pad = -len(payload) % 4
    out = bytearray(frame[:MAD_AT] + payload + bytes(pad + ICRC_LEN))
    out[BTH_AT + 1] = out[BTH_AT + 1] & ~0x30 | pad << 4
    out[LINK_LEN + 2 : LINK_LEN + 4] = (len(out) - LINK_LEN).to_bytes(2, "big")
    out[LINK_LEN + IPV4_LEN + 4 : LINK_LEN + IPV4_LEN + 6] = (len(out) - LINK_LEN - IPV4_LEN).to_bytes(2, "big")
    out[LINK_LEN + 10 : LINK_LEN + 12] = bytes(2)
    out[LINK_LEN + 10 : LINK_LEN + 12] = sums.checksum(out[LINK_LEN : LINK_LEN + IPV4_LEN]).to_bytes(2, "big")
    return sealed(out)


def of_the_impatient(mad):
    """The MAD of a connection request whose sender gives up 68 ms after the answer came."""
    message = MAD_HEADER_LEN
    mad[message + 43] = mad[message + 43] & 0x07 | 13 << 3  # CM response timeouts: 34 ms
    mad[message + 47] = mad[message + 47] & 0x07 | 13 << 3
    mad[message + 51] = mad[message + 51] & 0x0F | 1 << 4  # CM retries
    return bytes(mad)


def request_of(frame, number):
    """Another connection request: its own IDs, and a sender that soon gives up waiting."""
    mad = bytearray(frame[MAD_AT:-ICRC_LEN])
    unique = (0x51000000 + number).to_bytes(4, "big")
    mad[8:16] = bytes(4) + unique  # transaction
    message = MAD_HEADER_LEN
    mad[message : message + 4] = unique  # local communication ID
    mad[message + 32 : message + 35] = (0x100 + number).to_bytes(3, "big")  # QPN
    return with_payload(frame, of_the_impatient(mad))
