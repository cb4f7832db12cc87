"""What tshark reads of packet vectors."""

import functools
import ipaddress
import os
import struct
import subprocess
import tempfile

from conformance.vectors import wire
from conformance.vectors.text import number, unpack
from tools.octets import pcap, sums

TSHARK_OPTIONS = [
    "--disable-protocol", "tftp", "--disable-protocol", "ntp", "--disable-protocol", "dns",
    "--disable-heuristic", "rpcrdma_infiniband", "--disable-heuristic", "mellanox_eoib",
    "--disable-heuristic", "eth_over_ib", "--disable-protocol", "nvme-rdma",
]  # fmt: skip
# InfiniBand in ERF: tshark knows no other way.
LINK_TYPES = {"ethernet": pcap.ETHERNET, "infiniband": pcap.ERF, "tcp": pcap.ETHERNET}


@functools.cache
def version():
    try:
        out = subprocess.run(["tshark", "--version"], stdout=subprocess.PIPE, check=True).stdout.decode()
    except (OSError, subprocess.CalledProcessError):
        return None
    return out.split()[2]


@functools.cache
def names_of_fields():
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
    ip = ip[:10] + struct.pack("!H", sums.checksum(ip)) + ip[12:]
    return bytes(12) + b"\x08\x00" + ip + head + payload


def conversation(stream, vector):
    """The frames of a connection whose last one has the vector's octets."""
    octets = unpack(vector["octets"])
    if vector["form"] == "mpa":
        request, reply = octets, b""
        if octets.startswith(wire.REPLY_KEY):
            request, reply = wire.REQUEST_KEY + octets[16:], octets
        frames = [(0, request)] + ([(1, reply)] if reply else [])
    else:
        crc = b"\x40"
        data = octets if vector["form"] == "mpa-stream" else wire.fpdu(octets)
        if not vector.get("crc", True):
            crc = b"\0"
        flags = bytes([crc[0] | (0x80 if vector.get("markers") else 0)])
        frames = [(0, wire.REQUEST_KEY + crc + b"\1\0\0"), (1, wire.REPLY_KEY + flags + b"\1\0\0"), (0, data)]
    sent = [1001, 2001]
    out = [tcp(stream, 0, 1000, 0, 0x02, b""), tcp(stream, 1, 2000, 1001, 0x12, b""), tcp(stream, 0, 1001, 2001, 0x10, b"")]
    for direction, data in frames:
        out.append(tcp(stream, direction, sent[direction], sent[1 - direction], 0x18, data))
        sent[direction] += len(data)
    return out


def erf(octets, flow_control):
    """An ERF record of native InfiniBand: IBTA packets are type 21, flow control packets type 25."""
    return struct.pack("<Q", 0) + struct.pack("!BBHHH", 25 if flow_control else 21, 4, 16 + len(octets), 0, len(octets)) + octets


def values(link_type, frames, names):
    """By frame number from 1: {name: [text]}."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "vectors.pcap")
        pcap.write(path, frames, link_type)
        command = ["tshark", "-n", "-r", path, "-T", "fields", "-E", "separator=\x1f", "-E", "aggregator=\x1e",
                   "-o", "tcp.check_checksum:FALSE", "-o", "ip.check_checksum:TRUE", "-o", "udp.check_checksum:TRUE",
                   "-e", "frame.number", *TSHARK_OPTIONS]  # fmt: skip
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


def number_of(name, text):
    """A number as tshark writes it; None if it writes something else."""
    if name in GIDS:
        return int(ipaddress.IPv6Address(text)) if ":" in text else int(text, 16)
    for digits in (text.replace(":", ""), text):
        try:
            return int(digits, 0) if digits[:2] == "0x" or digits.isdigit() else int(digits, 16)
        except ValueError:
            continue
    if text in ("True", "False"):
        return int(text == "True")
    return None


GIDS = ("infiniband.grh.sgid", "infiniband.grh.dgid",
        *("infiniband.cm.req.%s_%sgid" % (path, end) for path in ("prim", "alt") for end in ("local", "remote")))  # fmt: skip
# It reads 24 bits of these through a mask of 32.
MISREAD = {"infiniband.cm.req.%s_%s" % (path, name) for path in ("prim", "alt")
           for name in ("flowlabel", "reserved0", "pktrate")} | {"infiniband.cm.rej.reserved0"}
# By IPv4 it shows their last octets, by another name.
MISREAD |= {"infiniband.cm.req.prim_localgid", "infiniband.cm.req.prim_remotegid"}  # fmt: skip
# tshark writes these as hex digits without 0x.
HEX_DIGITS = {"infiniband.immdt", "infiniband.ieth", "iwarp_mpa.key.req", "iwarp_mpa.key.rep", "iwarp_ddp.rsvdulp",
              "iwarp_rdma.reserved", "rdma.cnp.reserved", "iwarp_rdma.term_ddp_seg_len", "infiniband.reth.va",
              "infiniband.reth.r_key"}  # fmt: skip


def value_of(name, texts):
    """The first value, as a number."""
    text = texts[0]
    return int(text, 16) if name in HEX_DIGITS and ":" not in text else number_of(name, text)


def read(vectors, names):
    """By the vectors' names: {name of a field: [text]}, of what tshark reads of their octets."""
    out = {}
    for link, forms in (("ethernet", ("ethernet",)), ("infiniband", ("infiniband",)),
                        ("tcp", ("mpa", "ddp", "mpa-stream"))):  # fmt: skip
        chosen = [vector for vector in vectors if vector["form"] in forms]
        frames, places = [], []
        for stream, vector in enumerate(chosen):
            octets = unpack(vector["octets"])
            if link == "infiniband":
                octets = erf(octets, vector["name"].startswith("flow-control"))
            frames += conversation(stream, vector) if link == "tcp" else [octets]
            places.append(len(frames))
        if not chosen:
            continue
        shown = values(LINK_TYPES[link], frames, names)
        out.update((vector["name"], shown.get(place, {})) for vector, place in zip(chosen, places))
    return out


def fields_of(vectors):
    """By the vectors' names: what tshark reads of them, by the names of the fields; None where it reads nothing."""
    known = names_of_fields()
    names = sorted({name for vector in vectors for name in vector.get("fields", {}) if name in known})
    names.append("iwarp_mpa.ulpdulength")
    chosen = [vector for vector in vectors if "refused" not in vector]
    shown = read(chosen, names)
    out = {}
    for vector in chosen:
        texts = shown[vector["name"]]
        fields = {name: value_of(name, texts[name]) for name in vector.get("fields", {}) if name in texts}
        if vector["form"] == "mpa-stream":
            fields = {"lengths": [int(text, 0) for text in texts.get("iwarp_mpa.ulpdulength", [])]}
        out[vector["name"]] = fields or None
    return out


def confirms(vector, read):
    """read: what it reads. Reserved fields that are 0, and CRCs behind what it takes for payload, it may not show."""
    if vector["form"] == "mpa-stream":
        return read["lengths"] == [len(unpack(ulpdu)) for ulpdu in vector["ulpdus"]]
    return all(
        read[name] == number(value) if name in read else "reserved" in name or name.endswith(".crc")
        for name, value in vector["fields"].items()
        if name in names_of_fields() and name not in MISREAD
    )
