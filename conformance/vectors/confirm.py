"""Has the packet vectors confirmed by others.

    scapy       reads the BTH (and an AETH), and computes the ICRC, of RoCE; computes CRC-32C
    zlib        computes the ICRC
    tshark      reads every field that it has a name for, and the lengths of FPDUs
    iwarp_ref   finds the ULPDUs of a stream, or what is wrong in it: iwarp_ref.py
    capture     a device has sent such a frame: confirm_captures.py

Of what is refused they confirm that a CRC, checksum or Marker is wrong, that the packet is cut, that its opcode or
code has no meaning, or that the fields have the values that break the rule. That it is a rule is the specification's.
"""

from conformance.vectors import confirm_captures, confirm_refusals, decode, iwarp_ref, tshark
from conformance.vectors.text import number, unpack

# --- scapy ---

SCAPY_FIELDS = {
    "infiniband.bth.opcode": "opcode", "infiniband.bth.se": "solicited", "infiniband.bth.m": "migreq",
    "infiniband.bth.padcnt": "padcount", "infiniband.bth.tver": "version", "infiniband.bth.p_key": "pkey",
    "rdma.bth.fecn": "fecn", "rdma.bth.becn": "becn", "rdma.bth.reserved6": "resv6", "infiniband.bth.destqp": "dqpn",
    "infiniband.bth.a": "ackreq", "infiniband.bth.reserved7": "resv7", "infiniband.bth.psn": "psn",
}  # fmt: skip


def _scapy():
    """Loaded where it is needed: it takes its time."""
    from scapy.layers import l2

    return l2


def scapy_version():
    import scapy

    return scapy.__version__


def _scapy_packet(vector):
    return _scapy().Ether(unpack(vector["octets"]))


def scapy_fields(vector):
    """What scapy reads of an Ethernet frame, by the vectors' names, the ICRC that it computes among it; None: nothing."""
    from scapy.contrib.roce import AETH, BTH

    packet = _scapy_packet(vector)
    if BTH not in packet:
        return None
    bth = packet[BTH]
    out = {name: getattr(bth, theirs) for name, theirs in SCAPY_FIELDS.items()}
    if AETH in packet:
        out["infiniband.aeth.syndrome"] = packet[AETH].syndrome
        out["infiniband.aeth.msn"] = packet[AETH].msn
    bth.icrc = None
    out["infiniband.invariant.crc"] = _scapy().Ether(bytes(packet))[BTH].icrc
    return out


def scapy_reads(vector):
    """It is a frame whose ICRC scapy computes: RoCEv2 over IPv4."""
    from scapy.contrib.roce import BTH
    from scapy.layers.inet import IP

    packet = _scapy_packet(vector) if vector["form"] == "ethernet" else None
    return packet is not None and BTH in packet and IP in packet


def scapy_icrc_is_right(vector):
    """The ICRC is the one that scapy computes."""
    from scapy.contrib.roce import BTH

    packet = _scapy_packet(vector)
    packet[BTH].icrc = None
    return bytes(packet) == unpack(vector["octets"])


def scapy_confirms(vector):
    """It reads the vector's fields as the vector says, and computes its ICRC."""
    fields = scapy_fields(vector)
    if fields is None or not scapy_icrc_is_right(vector):
        return False
    return all(fields[name] == number(value) for name, value in vector["fields"].items() if name in fields)


# --- all of them ---


def crc32c_confirmed(vector):
    """scapy's CRC-32C gives the CRCs of a stream of whole FPDUs without Markers."""
    from scapy.layers.sctp import crc32c

    octets = unpack(vector["octets"])
    at = 0
    while at < len(octets):
        length = 2 + int.from_bytes(octets[at : at + 2], "big")
        length += -length % 4
        # SCTP sends it with the octets in the other order.
        if crc32c(octets[at : at + length]) != int.from_bytes(octets[at + length : at + length + 4], "big"):
            return False
        at += length + 4
    return at == len(octets)


def iwarp_ref_confirms(vector):
    octets = unpack(vector["octets"])
    whole = iwarp_ref.Receiver(vector["markers"], vector["crc"])
    whole.feed(octets)
    if "refused" in vector:
        return whole.wrong == {"bad-mpa-crc": "crc", "bad-marker": "marker"}[vector["refused"]["error"]]
    single = iwarp_ref.Receiver(vector["markers"], vector["crc"])
    for octet in octets:
        single.feed(bytes([octet]))
    must = [unpack(ulpdu) for ulpdu in vector["ulpdus"]]
    return all(one.wrong is None and not one.waiting and one.ulpdus == must for one in (whole, single))


def zlib_confirms(vector):
    """Its ICRC is right, or the vector is refused because it is not."""
    if "refused" in vector and vector["refused"]["error"] != "bad-icrc":
        return False
    return decode.frame(vector["form"], unpack(vector["octets"])).icrc_is_right() != ("refused" in vector)


def add_confirmations(vectors):
    by_tshark = tshark.fields_of(vectors)
    refused_by_tshark = confirm_refusals.by_tshark(vectors)
    captured = confirm_captures.Captures(vectors)
    for vector in vectors:
        by = []
        refused = "refused" in vector
        form = vector["form"]
        if form == "ethernet" and not refused and scapy_confirms(vector):
            by.append("scapy")
        if refused and vector["refused"]["error"] == "bad-icrc" and scapy_reads(vector) and not scapy_icrc_is_right(vector):
            by.append("scapy")
        if form == "mpa-stream" and vector["crc"] and not vector["markers"] and not refused and crc32c_confirmed(vector):
            by.append("scapy")
        if form in ("ethernet", "infiniband") and not vector["name"].startswith("flow-control") and zlib_confirms(vector):
            by.append("zlib")
        if form == "mpa-stream" and iwarp_ref_confirms(vector):
            by.append("iwarp_ref")
        read = by_tshark.get(vector["name"])
        if vector["name"] in refused_by_tshark or read is not None and tshark.confirms(vector, read):
            by.append("tshark")
        vector["confirmed_by"] = by + captured.confirming(vector) or ["reasoning"]
