"""Has the packet vectors confirmed by other programs.

    scapy       reads the BTH (and an AETH), and computes the ICRC, of RoCE; computes CRC-32C
    zlib        computes the ICRC; with it the octets are built
    tshark      reads every field that it has a name for, and the lengths of FPDUs
    iwarp_ref   finds the ULPDUs of a stream, or what is wrong in it: iwarp_ref.py

What is refused is confirmed only where another program says that a CRC or a Marker is wrong. Otherwise its octets are
made by the code whose flawless packets are confirmed, and which rule they break is the specification's: "reasoning".
"""

import functools
import ipaddress
import os
import struct
import subprocess
import tempfile

from conformance.vectors import iwarp_ref, wire

TSHARK_OPTIONS = [
    "--disable-protocol", "tftp", "--disable-protocol", "ntp", "--disable-protocol", "dns",
    "--disable-heuristic", "rpcrdma_infiniband", "--disable-heuristic", "mellanox_eoib",
    "--disable-heuristic", "eth_over_ib", "--disable-protocol", "nvme-rdma",
]  # fmt: skip
LINK_TYPES = {"ethernet": 1, "infiniband": 197, "tcp": 1}  # InfiniBand in ERF: tshark knows no other way
MPA_KEYS = (b"MPA ID Req Frame", b"MPA ID Rep Frame")


def unpack(text):
    """The octets that a vector's text stands for."""
    out = bytearray()
    for word in text.split():
        if word[2:3] in ("*", "+"):
            first, step = int(word[:2], 16), int(word[2] == "+")
            out += bytes((first + step * i) & 255 for i in range(int(word[3:])))
        else:
            out += bytes.fromhex(word)
    return bytes(out)


def number(value):
    """A vector's value as a number."""
    if isinstance(value, int):
        return value
    return int(value, 16)


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


# --- tshark ---


def tshark_version():
    try:
        out = subprocess.run(["tshark", "--version"], stdout=subprocess.PIPE, check=True).stdout.decode()
    except (OSError, subprocess.CalledProcessError):
        return None
    return out.split()[2]


@functools.cache
def tshark_names():
    out = subprocess.run(["tshark", "-G", "fields"], stdout=subprocess.PIPE, check=True).stdout.decode()
    return {row.split("\t")[2] for row in out.splitlines() if row.startswith("F\t")}


def tcp(stream, direction, seq, ack, flags, payload):
    """An Ethernet frame with a segment of TCP connection `stream`."""
    addresses = [bytes([10, 0, stream >> 8 & 255, stream & 255]), bytes([10, 1, stream >> 8 & 255, stream & 255])]
    ports = [40000, 50000]
    if direction:
        addresses.reverse()
        ports.reverse()
    head = struct.pack("!HHIIBBHHH", *ports, seq, ack, 5 << 4, flags, 65535, 0, 0)
    total = 20 + len(head) + len(payload)
    ip = struct.pack("!BBHHHBBH4s4s", 0x45, 0, total, 0, 0x4000, 64, 6, 0, *addresses)
    return bytes(12) + b"\x08\x00" + ip + head + payload


def conversation(stream, vector):
    """The frames of a connection whose last one has the vector's octets."""
    octets = unpack(vector["octets"])
    if vector["form"] == "mpa":
        request, reply = octets, b""
        if octets.startswith(MPA_KEYS[1]):
            request, reply = MPA_KEYS[0] + octets[16:], octets
        frames = [(0, request)] + ([(1, reply)] if reply else [])
    else:
        crc = b"\x40"
        data = octets if vector["form"] == "mpa-stream" else wire.fpdu(octets)
        if not vector.get("crc", True):
            crc = b"\0"
        flags = bytes([crc[0] | (0x80 if vector.get("markers") else 0)])
        frames = [(0, MPA_KEYS[0] + crc + b"\1\0\0"), (1, MPA_KEYS[1] + flags + b"\1\0\0"), (0, data)]
    sent = [1001, 2001]
    out = [tcp(stream, 0, 1000, 0, 0x02, b""), tcp(stream, 1, 2000, 1001, 0x12, b""), tcp(stream, 0, 1001, 2001, 0x10, b"")]
    for direction, data in frames:
        out.append(tcp(stream, direction, sent[direction], sent[1 - direction], 0x18, data))
        sent[direction] += len(data)
    return out


def erf(octets, flow_control):
    """An ERF record of native InfiniBand: IBTA packets are type 21, flow control packets type 25."""
    return struct.pack("<Q", 0) + struct.pack("!BBHHH", 25 if flow_control else 21, 4, 16 + len(octets), 0, len(octets)) + octets


def write_pcap(path, link_type, frames):
    with open(path, "wb") as file:
        file.write(struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 262144, link_type))
        for at, frame in enumerate(frames):
            file.write(struct.pack("<IIII", at, 0, len(frame), len(frame)) + frame)


def tshark_values(link_type, frames, names):
    """By frame number from 1: {name: [text]}."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "vectors.pcap")
        write_pcap(path, link_type, frames)
        command = ["tshark", "-n", "-r", path, "-T", "fields", "-E", "separator=\x1f", "-E", "aggregator=\x1e",
                   "-o", "tcp.check_checksum:FALSE", "-e", "frame.number", *TSHARK_OPTIONS]  # fmt: skip
        for name in names:
            command += ["-e", name]
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
    if done.returncode != 0:
        raise RuntimeError("tshark: " + done.stderr.decode())
    out = {}
    for line in done.stdout.decode("utf-8", "replace").strip("\n").split("\n"):
        cells = line.split("\x1f")
        out[int(cells[0])] = {name: cell.split("\x1e") for name, cell in zip(names, cells[1:]) if cell}
    return out


def tshark_number(name, text):
    """A number as tshark writes it; None if it writes something else."""
    if name in GIDS:
        return int(ipaddress.IPv6Address(text))
    for digits in (text.replace(":", ""), text):
        try:
            return int(digits, 0) if digits[:2] == "0x" or digits.isdigit() else int(digits, 16)
        except ValueError:
            continue
    if text in ("True", "False"):
        return int(text == "True")
    return None


GIDS = ("infiniband.grh.sgid", "infiniband.grh.dgid")
# tshark writes these as hex digits without 0x.
HEX_DIGITS = {"infiniband.immdt", "infiniband.ieth", "iwarp_mpa.key.req", "iwarp_mpa.key.rep", "iwarp_ddp.rsvdulp",
              "iwarp_rdma.reserved", "rdma.cnp.reserved", "iwarp_rdma.term_ddp_seg_len", "infiniband.reth.va",
              "infiniband.reth.r_key"}  # fmt: skip


def value_of_tshark(name, texts):
    """The first value, as a number."""
    text = texts[0]
    return int(text, 16) if name in HEX_DIGITS and ":" not in text else tshark_number(name, text)


def tshark_fields(vectors):
    """By the vectors' names: what tshark reads of them, by the names of the fields; None where it reads nothing."""
    known = tshark_names()
    names = sorted({name for vector in vectors for name in vector.get("fields", {}) if name in known})
    names.append("iwarp_mpa.ulpdulength")
    out = {}
    for link, forms in (("ethernet", ("ethernet",)), ("infiniband", ("infiniband",)),
                        ("tcp", ("mpa", "ddp", "mpa-stream"))):  # fmt: skip
        chosen = [vector for vector in vectors if vector["form"] in forms and "refused" not in vector]
        frames, places = [], []
        for stream, vector in enumerate(chosen):
            octets = unpack(vector["octets"])
            if link == "infiniband":
                octets = erf(octets, vector["name"].startswith("flow-control"))
            frames += conversation(stream, vector) if link == "tcp" else [octets]
            places.append(len(frames))
        if not chosen:
            continue
        read = tshark_values(LINK_TYPES[link], frames, names)
        for vector, place in zip(chosen, places):
            values = read.get(place, {})
            fields = {name: value_of_tshark(name, values[name]) for name in vector.get("fields", {}) if name in values}
            if vector["form"] == "mpa-stream":
                fields = {"lengths": [int(text, 0) for text in values.get("iwarp_mpa.ulpdulength", [])]}
            out[vector["name"]] = fields or None
    return out


def tshark_confirms(vector, read):
    """read: what it reads. Reserved fields that are 0, and CRCs behind what it takes for payload, it may not show."""
    if vector["form"] == "mpa-stream":
        return read["lengths"] == [len(unpack(ulpdu)) for ulpdu in vector["ulpdus"]]
    return all(
        read[name] == number(value) if name in read else "reserved" in name or name.endswith(".crc")
        for name, value in vector["fields"].items()
        if name in tshark_names()
    )


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


def add_confirmations(vectors):
    by_tshark = tshark_fields(vectors)
    for vector in vectors:
        by = []
        refused = "refused" in vector
        form = vector["form"]
        if form == "ethernet" and not refused and scapy_confirms(vector):
            by.append("scapy")
        if "wrong-icrc" in vector["name"] and "rocev2" in vector["name"] and not scapy_icrc_is_right(vector):
            by.append("scapy")
        if form == "mpa-stream" and vector["crc"] and not vector["markers"] and not refused and crc32c_confirmed(vector):
            by.append("scapy")
        # The octets are built with its CRC.
        if form in ("ethernet", "infiniband") and not refused and not vector["name"].startswith("flow-control"):
            by.append("zlib")
        if form == "mpa-stream" and iwarp_ref_confirms(vector):
            by.append("iwarp_ref")
        read = by_tshark.get(vector["name"])
        if read is not None and not refused and tshark_confirms(vector, read):
            by.append("tshark")
        vector["confirmed_by"] = by or ["reasoning"]
