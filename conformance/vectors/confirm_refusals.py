"""Has confirmed what packet vectors refuse: what tshark sees that is wrong."""

import collections
import functools
import re
import subprocess

from conformance.vectors import iwarp_packets, infiniband_packets, tshark, wire
from conformance.vectors.text import number, unpack

# What tshark is asked for beside the fields that break the rule.
ALSO = ["_ws.malformed", "ip.checksum.status", "udp.checksum.status", "udp.length", "infiniband.bth.opcode",
        "infiniband.bth.padcnt", "iwarp_mpa.ulpdulength", "iwarp_mpa.rev", "iwarp_mpa.bad_length",
        "iwarp_ddp.dv"]  # fmt: skip
BAD = "0"  # of a checksum's status
# Where tshark lists the codes of an error, by layer and type.
CODE_NAMES = {(0, 0): "rdma", (0, 1): "rdma", (0, 2): "rdma", (1, 1): "ddp_tagged", (1, 2): "ddp_untagged", (2, 0): "llp"}
UDP_TO_PAYLOAD = 8 + 12 + 4  # headers of UDP, BTH, ICRC


@functools.cache
def named_values():
    """Values that tshark has a name for, by field, of the fields that count here: it lists megabytes of others."""
    out = subprocess.run(["tshark", "-G", "values"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True).stdout
    values = collections.defaultdict(set)
    for row in re.findall(rb"^V\t((?:infiniband|iwarp)\S+)\t(\w+)\t", out, re.MULTILINE):
        values[row[0].decode()].add(int(row[1], 0))
    return values


def knows_error(error):
    """tshark has a name for this error of a Terminate."""
    layer, kind, code = error >> 12, error >> 8 & 15, error & 255
    if layer == 1 and kind == 0:
        return code == 0
    return (layer, kind) in CODE_NAMES and code in named_values()["iwarp_rdma.term_errcode_" + CODE_NAMES[layer, kind]]


def payload_len(vector, texts):
    """Octets of payload, out of the lengths that tshark reads."""
    if vector["form"] == "ethernet":
        opcode = int(texts["infiniband.bth.opcode"][0], 0)
        names = infiniband_packets.headers_of("RC", opcode)
        headers = sum(wire.size(infiniband_packets.LAYOUTS[name]) for name in names)
        return int(texts["udp.length"][0]) - UDP_TO_PAYLOAD - headers - int(texts["infiniband.bth.padcnt"][0])
    opcode = unpack(vector["octets"])[1] & 15
    headers = sum(map(wire.size, iwarp_packets.Segment(opcode).layouts))
    return int(texts["iwarp_mpa.ulpdulength"][0]) - headers


def reads(name, value, vector, texts):
    """tshark reads this value of the field."""
    if name == "data.len":
        return payload_len(vector, texts) == value
    return name in texts and tshark.value_of(name, texts[name]) == number(value)


def tshark_confirms(vector, texts):
    """texts: what it reads of ALSO and of the fields that break the rule."""
    refused = vector["refused"]
    error, because = refused["error"], refused.get("because", {})
    if error == "bad-ip-checksum":
        return texts.get("ip.checksum.status") == [BAD]
    if error == "bad-udp-checksum":
        return texts.get("udp.checksum.status") == [BAD]
    if error == "truncated-wire" and ("_ws.malformed" in texts or vector["form"] == "ddp" and "iwarp_ddp.dv" not in texts):
        return True
    if "rdma.terminate.error" in because:
        return not knows_error(because["rdma.terminate.error"])
    if vector["form"] == "mpa" and ("iwarp_mpa.rev" not in texts or "iwarp_mpa.bad_length" in texts):
        return True  # it takes it for no start-up frame, or says what is wrong
    if not because or not all(reads(name, value, vector, texts) for name, value in because.items()):
        return False
    if error == "reserved-opcode":
        name, value = next(iter(because.items()))
        return value not in named_values()[name]
    return True


def by_tshark(vectors):
    """The names of the vectors whose refusal tshark confirms."""
    known = tshark.names_of_fields()
    chosen = [vector for vector in vectors if "refused" in vector]
    names = {name for vector in chosen for name in vector["refused"].get("because", {}) if name in known}
    shown = tshark.read(chosen, sorted(names | set(ALSO)))
    return {vector["name"] for vector in chosen if tshark_confirms(vector, shown[vector["name"]])}
