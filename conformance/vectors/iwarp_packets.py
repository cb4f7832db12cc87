"""PDUs of iWARP: MPA start-up frames, DDP segments with RDMAP in them, Terminates, and streams of FPDUs."""

import struct

from conformance.vectors import wire
from conformance.vectors.infiniband_packets import packed, refusal, shown

# Operation: (name, tagged, queue, what follows the DDP header, payload). RFC 5040, figures 4 and 5; RFC 7306.
OPERATIONS = {
    0x0: ("RDMA_WRITE", True, 0, None, True), 0x1: ("RDMA_READ_REQUEST", False, 1, "read", False),
    0x2: ("RDMA_READ_RESPONSE", True, 0, None, True), 0x3: ("SEND", False, 0, None, True),
    0x4: ("SEND_WITH_INVALIDATE", False, 0, None, True), 0x5: ("SEND_WITH_SE", False, 0, None, True),
    0x6: ("SEND_WITH_SE_AND_INVALIDATE", False, 0, None, True), 0x7: ("TERMINATE", False, 2, "terminate", False),
    0x8: ("IMMEDIATE_DATA", False, 0, "immediate", False),
    0x9: ("IMMEDIATE_DATA_WITH_SE", False, 0, "immediate", False),
    0xA: ("ATOMIC_REQUEST", False, 1, "atomic", False), 0xB: ("ATOMIC_RESPONSE", False, 3, "atomic_response", False),
}  # fmt: skip
INVALIDATING = (0x4, 0x6)


def atomic_layout(opcode):
    kind = {0: "add", 2: "swap"}[opcode]
    names = {"data": "iwarp_rdma.atomic.%s_data" % kind, "mask": "iwarp_rdma.atomic.%s_mask" % kind}
    return [(names.get(name, name), width) for name, width in wire.ATOMIC_REQUEST]


USUAL = {
    "iwarp_ddp.last_flag": 1, "iwarp_ddp.dv": 1, "iwarp_rdma.version": 1, "iwarp_ddp.stag": 0xA1B2C3D4,
    "iwarp_ddp.tagged_offset": 0x1122334455667788, "iwarp_ddp.msn": 1, "iwarp_rdma.inval_stag": 0x51525354,
    "iwarp_rdma.sinkstag": 0x01020304, "iwarp_rdma.sinkto": 0x1000, "iwarp_rdma.rdmardsz": 4096,
    "iwarp_rdma.srcstag": 0x0A0B0C0D, "iwarp_rdma.srcto": 0x2000, "rdma.terminate.error": 0x1100,
    "iwarp_rdma.atomic.request_identifier": 7, "iwarp_rdma.atomic.remote_stag": 0x0A0B0C0D,
    "iwarp_rdma.atomic.remote_tagged_offset": 0x3000, "iwarp_rdma.atomic.add_data": 5,
    "iwarp_rdma.atomic.swap_data": 0x0102030405060708, "iwarp_rdma.atomic.swap_mask": (1 << 64) - 1,
    "iwarp_rdma.atomic.compare_mask": (1 << 64) - 1, "iwarp_rdma.atomic.original_request_identifier": 7,
    "iwarp_rdma.atomic.original_remote_data_value": 0x2122232425262728,
    "rdma.immediate_data.data": 0x3132333435363738,
}  # fmt: skip


class Segment:
    """A ULPDU, and its fields."""

    def __init__(self, opcode, fields=None, payload=None, atomic=0, tagged=None, queue=None):
        row = OPERATIONS.get(opcode, ("RESERVED", False, 0, None, True))
        self.tagged = row[1] if tagged is None else tagged
        self.values = {**USUAL, "iwarp_rdma.opcode": opcode, "iwarp_ddp.tagged_flag": int(self.tagged),
                       "iwarp_ddp.qn": row[2] if queue is None else queue,
                       "iwarp_rdma.atomic.opcode": atomic, **(fields or {})}  # fmt: skip
        self.layouts = [wire.DDP_CONTROL, wire.RDMAP_CONTROL]
        if self.tagged:
            self.layouts.append(wire.TAGGED)
        else:
            self.layouts += [wire.INVALIDATE if opcode in INVALIDATING else wire.RESERVED, wire.UNTAGGED]
        follows = {"read": wire.READ_REQUEST, "terminate": wire.TERMINATE, "immediate": wire.IMMEDIATE,
                   "atomic_response": wire.ATOMIC_RESPONSE}  # fmt: skip
        if row[3] == "atomic":
            self.layouts.append(atomic_layout(atomic) if atomic in (0, 2) else wire.ATOMIC_REQUEST)
        elif row[3]:
            self.layouts.append(follows[row[3]])
        self.payload = (b"hello" if row[4] else b"") if payload is None else payload

    def octets(self):
        return b"".join(wire.pack(layout, self.values) for layout in self.layouts) + self.payload

    def fields(self):
        return {name: shown(self.values.get(name, 0), width, name) for layout in self.layouts for name, width in layout}


def vector(name, form, octets, requirements, fields=None, refused=None, **more):
    out = {"name": name, "form": form, "octets": packed(octets), **more}
    if refused:
        out["refused"] = refusal(*refused)
    elif fields is not None:
        out["fields"] = fields
    out["requirements"] = requirements
    return out


def segment(name, made, requirements, refused=None):
    return vector(name, "ddp", made.octets(), requirements, None if refused else made.fields(), refused)


def startup(request, private=b"", **flags):
    values = {"iwarp_mpa.crc_flag": 1, "iwarp_mpa.rev": 1, "iwarp_mpa.pdlength": len(private), **flags}
    fields = {name: shown(values.get(name, 0), width, name) for name, width in wire.MPA}
    key = wire.REQUEST_KEY if request else wire.REPLY_KEY
    fields["iwarp_mpa.key." + ("req" if request else "rep")] = key.hex()
    if values.get("iwarp_mpa.enhanced_flag") and values["iwarp_mpa.rev"] >= 2 and len(private) >= 4:
        block = int.from_bytes(private[:4], "big")
        at = 32
        for name, width in wire.MPA_ENHANCED:
            at -= width
            fields[name] = block >> at & ((1 << width) - 1)
    return key + wire.pack(wire.MPA, values) + private, fields


def startups():
    m, c, r, s = ("iwarp_mpa.%s_flag" % name for name in ("marker", "crc", "rej", "enhanced"))
    for request in (True, False):
        kind = "request" if request else "reply"
        key = "MPA-5044-7.1.1-01" if request else "MPA-5044-7.1.1-02"
        for revision in (0, 1):
            for bits in range(8):
                flags = {m: bits >> 2, c: bits >> 1 & 1, r: bits & 1, "iwarp_mpa.rev": revision}
                octets, fields = startup(request, **flags)
                yield vector("mpa/%s/rev-%d-m%d-c%d-r%d" % (kind, revision, *list(flags.values())[:3]), "mpa", octets,
                             [key, "MPA-5044-7.1.1-05"], fields)  # fmt: skip
        for size in (1, 2, 3, 4, 255, 256, 511, 512):
            octets, fields = startup(request, b"\x61" * size)
            yield vector("mpa/%s/private-data-%d" % (kind, size), "mpa", octets,
                         ["MPA-5044-7.1.1-15", "MPA-5044-7.1.1-17"], fields)  # fmt: skip
        octets, fields = startup(request, **{"rdma.mpa.reserved4": 15, s: 1})
        yield vector("mpa/%s/reserved-bits-of-rev-1" % kind, "mpa", octets, ["MPA-5044-7.1.1-11", "MPA-6581-6-11"], fields)
        octets, fields = startup(request, b"\x80\x10\xc0\x10", **{"rdma.mpa.reserved4": 15, s: 1, "iwarp_mpa.rev": 2})
        yield vector("mpa/%s/reserved-bits-of-rev-2" % kind, "mpa", octets, ["MPA-6581-6-04"], fields)
        octets, fields = startup(request, **{"iwarp_mpa.rev": 2})
        yield vector("mpa/%s/rev-2-without-block" % kind, "mpa", octets, ["MPA-6581-6-02"], fields)
        for name, width in wire.MPA_ENHANCED:
            for label, value in (("min", 0), ("max", (1 << width) - 1)):
                block = wire.pack(wire.MPA_ENHANCED, {"iwarp_mpa.enhanced.ird": 16, "iwarp_mpa.enhanced.ord": 32,
                                                      "iwarp_mpa.enhanced.a": 1, "iwarp_mpa.enhanced.c": 1, name: value})  # fmt: skip
                octets, fields = startup(request, block, **{s: 1, "iwarp_mpa.rev": 2})
                yield vector("mpa/%s/%s/%s" % (kind, name, label), "mpa", octets,
                             ["MPA-6581-9-01", "MPA-6581-9-02", "MPA-6581-9-03"], fields)  # fmt: skip
        octets, fields = startup(request, b"\x80\x10\xc0\x10" + b"\x62" * 508, **{s: 1, "iwarp_mpa.rev": 2})
        yield vector("mpa/%s/enhanced-private-data-508" % kind, "mpa", octets, ["MPA-6581-6-08", "MPA-6581-6-09"], fields)
        too_long = startup(request, **{"iwarp_mpa.pdlength": 513})[0] + bytes(513)
        yield vector("refused/mpa/%s/private-data-513" % kind, "mpa", too_long, ["MPA-5044-7.1.1-16"],
                     refused=("malformed", "bad-length", {"iwarp_mpa.pdlength": 513}))  # fmt: skip
        for size in range(4):
            octets, _ = startup(request, bytes(size), **{s: 1, "iwarp_mpa.rev": 2})
            yield vector("refused/mpa/%s/block-of-%d" % (kind, size), "mpa", octets, ["MPA-6581-6-10"],
                         refused=("malformed", "bad-length", {"iwarp_mpa.rev": 2, "iwarp_mpa.pdlength": size}))  # fmt: skip
    for at in (0, 8, 15):
        key = bytearray(wire.REQUEST_KEY)
        key[at] ^= 0x20
        yield vector("refused/mpa/key-octet-%d" % at, "mpa", bytes(key) + b"\x40\1\0\0", ["MPA-5044-7.1.1-03"],
                     refused=("malformed", "bad-value"))  # fmt: skip
    for revision in (3, 255):
        yield vector("refused/mpa/rev-%d" % revision, "mpa", startup(True, **{"iwarp_mpa.rev": revision})[0],
                     ["MPA-5044-7.1.1-13"], refused=("malformed", "bad-version", {"iwarp_mpa.rev": revision}))  # fmt: skip


FIELD_REQUIREMENTS = {
    "iwarp_ddp.rsvd": ["DDP-5041-4.1-07"], "iwarp_rdma.rsv": ["RDMAP-5040-4.1-08"],
    "iwarp_rdma.reserved": ["RDMAP-5040-4.1-10"], "iwarp_ddp.last_flag": ["DDP-5041-4.1-03"],
    "iwarp_rdma.atomic.reserved": ["RDMAP-7306-5.2.1-02"], "iwarp_rdma.inval_stag": ["RDMAP-5040-4.1-02"],
    "iwarp_rdma.rdmardsz": ["RDMAP-5040-4.4-05"], "iwarp_rdma.term_rsvd": ["RDMAP-5040-4.8-05"],
    "iwarp_ddp.msn": ["DDP-5041-4.3-07"],
}  # fmt: skip
FIXED = {"iwarp_ddp.tagged_flag", "iwarp_ddp.dv", "iwarp_ddp.qn", "iwarp_rdma.version", "iwarp_rdma.opcode",
         "iwarp_rdma.atomic.opcode", "rdma.terminate.error", "iwarp_rdma.term_hdrct_m", "iwarp_rdma.hdrct_d",
         "iwarp_rdma.hdrct_r"}  # fmt: skip
LAYOUT_REQUIREMENTS = {
    0x0: ["DDP-5041-4.2-01", "RDMAP-5040-4.3-01"], 0x1: ["DDP-5041-4.3-01", "RDMAP-5040-4.4-01"],
    0x2: ["DDP-5041-4.2-01", "RDMAP-5040-4.5-01"], 0x3: ["DDP-5041-4.3-01", "RDMAP-5040-4.1-04"],
    0x4: ["RDMAP-5040-4.1-02", "RDMAP-5040-4.1-04"], 0x5: ["RDMAP-5040-4.1-04"], 0x6: ["RDMAP-5040-4.1-02"],
    0x7: ["RDMAP-5040-4.8-01", "RDMAP-5040-4.8-02"], 0x8: ["RDMAP-7306-6.2-01", "RDMAP-7306-4.1-02"],
    0x9: ["RDMAP-7306-6.2-01", "RDMAP-7306-4.1-02"], 0xA: ["RDMAP-7306-5.2.1-01", "RDMAP-7306-4.1-04"],
    0xB: ["RDMAP-7306-5.2.2-01", "RDMAP-7306-4.1-04"],
}  # fmt: skip


def segments():
    kinds = [(opcode, 0) for opcode in OPERATIONS] + [(0xA, 2)]
    for opcode, atomic in kinds:
        name = OPERATIONS[opcode][0] + ("_SWAP" if atomic else "")
        rules = LAYOUT_REQUIREMENTS[opcode]
        yield segment("ddp/" + name, Segment(opcode, atomic=atomic), rules)
        if OPERATIONS[opcode][4]:
            yield segment("ddp/%s/empty" % name, Segment(opcode, payload=b""), ["DDP-5041-4.4-01", *rules])
            for size in (1, 2, 3, 4, 600):
                yield segment("ddp/%s/payload-%d" % (name, size), Segment(opcode, payload=bytes(range(256))[:size] * (1 if size < 256 else 1)
                              if size < 256 else b"\x5a" * size), rules)  # fmt: skip
        for layout in Segment(opcode, atomic=atomic).layouts:
            for field, width in layout:
                if field in FIXED:
                    continue
                for label, value in (("min", 0), ("max", (1 << width) - 1)):
                    # One message a queue that ends a stream, and messages of one segment: others have no choice.
                    if opcode == 0x7 and field == "iwarp_ddp.msn":
                        continue
                    only = opcode in (0x1, 0x7, 0x8, 0x9, 0xA, 0xB)
                    if only and (field, label) in (("iwarp_ddp.mo", "max"), ("iwarp_ddp.last_flag", "min")):
                        continue
                    payload = b"" if field in ("iwarp_ddp.tagged_offset", "iwarp_ddp.mo") else None
                    yield segment("ddp/%s/%s/%s" % (name, field, label),
                                  Segment(opcode, {field: value}, payload=payload, atomic=atomic),
                                  FIELD_REQUIREMENTS.get(field, rules))  # fmt: skip
    yield segment("ddp/RDMA_WRITE/last-octet-of-all", Segment(0, {"iwarp_ddp.tagged_offset": (1 << 64) - 5}),
                  ["DDP-5041-7.1-13", "DDP-5041-7.1-14"])  # fmt: skip
    yield segment("ddp/SEND/last-octet-of-all", Segment(3, {"iwarp_ddp.mo": (1 << 32) - 5}), ["DDP-5041-7.1-07"])


# Errors: layer, type, code, which headers a Terminate must have (RFC 5040, 4.8; RFC 5041, 7.2; RFC 5044, 8; RFC 6581,
# 8; RFC 6580).
ERRORS = [
    *((0, 0, code, "") for code in (0, 0xFF)), *((0, 1, code, "read") for code in (0, 1, 2, 3, 4, 9, 0xFF)),
    *((0, 2, code, "ddp") for code in (5, 6, 7, 8, 9, 0xFF)), (1, 0, 0, "length"),
    *((1, 1, code, "tagged") for code in range(5)), *((1, 2, code, "ddp") for code in range(1, 7)),
    *((2, 0, code, "") for code in range(1, 8)),
]  # fmt: skip


def terminate_of(error, length=None, ddp=b"", read=b"", reserved=0):
    values = {"rdma.terminate.error": error, "iwarp_rdma.term_hdrct_m": int(length is not None),
              "iwarp_rdma.hdrct_d": int(bool(ddp)), "iwarp_rdma.hdrct_r": int(bool(read)),
              "iwarp_rdma.term_rsvd": reserved}  # fmt: skip
    rest = (struct.pack("!H", length) if length is not None else b"") + ddp + read
    made = Segment(0x7, values, payload=rest)
    return made, {name: made.fields()[name] for name, _ in wire.TERMINATE}


def terminates():
    quoted = {
        "tagged": Segment(0x0).octets(), "ddp": Segment(0x3).octets(), "read": Segment(0x1).octets(),
    }  # fmt: skip
    for layer, kind, code, headers in ERRORS:
        error = layer << 12 | kind << 8 | code
        segment_octets = quoted.get(headers, b"")
        length = len(segment_octets) if segment_octets else 100 if headers == "length" else None
        ddp = segment_octets[: 14 if headers == "tagged" else 18]
        made, fields = terminate_of(error, length, ddp, segment_octets[18:46] if headers == "read" else b"")
        if length is not None:
            fields["rdma.terminated_length.octets"] = length
        registry = ["IANA-6580-3.1-01", "IANA-6580-3.2-01", "IANA-6580-3.3-01"][layer]
        yield vector("terminate/%d-%d-0x%02x" % (layer, kind, code), "ddp", made.octets(),
                     [registry, "RDMAP-5040-4.8-02", "RDMAP-5040-4.8-14"], fields)  # fmt: skip
    for label, length, ddp, read in (
        ("nothing", None, b"", b""), ("length", 46, b"", b""), ("tagged-header", 19, quoted["tagged"][:14], b""),
        ("untagged-header", 23, quoted["ddp"][:18], b""), ("read-request", 46, quoted["read"][:18], quoted["read"][18:]),
    ):  # fmt: skip
        made, fields = terminate_of(0x0100, length, ddp, read)
        yield vector("terminate/with-" + label, "ddp", made.octets(), ["RDMAP-5040-4.8-14", "RDMAP-5040-4.8-10"], fields)
    # Read as sent in siw's order unless the bits say otherwise: only those that no order makes a contradiction.
    for error in (0x0105, 0x010A, 0x0204, 0x020A, 0x1001, 0x1105, 0x1200, 0x1207, 0x1400, 0x2000, 0x2008, 0x3000, 0xF100):
        made, _ = terminate_of(error)
        yield vector("refused/terminate/0x%04x" % error, "ddp", made.octets(), ["RDMAP-5040-4.8-03"],
                     refused=("malformed", "bad-value", {"rdma.terminate.error": error}))  # fmt: skip


def refused_segments():
    def one(name, made, rules, error_class, error, *names, **because):
        """names: of the fields that break the rule."""
        because = {**{name: made.fields()[name] for name in names}, **because}
        return segment("refused/ddp/" + name, made, rules, (error_class, error, because))

    opcode_name, last, offset = "iwarp_rdma.opcode", "iwarp_ddp.last_flag", "iwarp_ddp.mo"

    for opcode in (0x0, 0x1, 0x3):
        name = OPERATIONS[opcode][0]
        for version in (0, 2, 3):
            yield one("%s/ddp-version-%d" % (name, version), Segment(opcode, {"iwarp_ddp.dv": version}),
                      ["DDP-5041-4.1-08"], "malformed", "bad-version", "iwarp_ddp.dv")  # fmt: skip
            yield one("%s/rdmap-version-%d" % (name, version), Segment(opcode, {"iwarp_rdma.version": version}),
                      ["RDMAP-5040-4.1-06", "RDMAP-5040-7.2-03"], "malformed", "bad-version", "iwarp_rdma.version")  # fmt: skip
    for opcode in (0xC, 0xD, 0xE, 0xF):
        for tagged in (False, True):
            yield one("opcode-%x-%s" % (opcode, "tagged" if tagged else "untagged"), Segment(opcode, tagged=tagged),
                      ["RDMAP-5040-7.2-02", "IANA-6580-3.4-01"], "unsupported", "reserved-opcode", opcode_name)  # fmt: skip
    for opcode, row in OPERATIONS.items():
        if opcode == 0xA:
            continue
        made = Segment(opcode, tagged=not row[1])
        yield one("%s/other-model" % row[0], made, ["RDMAP-5040-4.1-03"], "semantic", "wrong-model", opcode_name,
                  "iwarp_ddp.tagged_flag")  # fmt: skip
        if row[1]:
            continue
        for queue in {0, 1, 2, 3, 4, 0xFFFFFFFF} - {row[2]}:
            yield one("%s/queue-%d" % (row[0], queue), Segment(opcode, queue=queue), ["DDP-5041-7.1-01"], "semantic",
                      "wrong-queue", opcode_name, "iwarp_ddp.qn")  # fmt: skip
    for opcode in (0x1, 0x8, 0xA, 0xB):
        name = OPERATIONS[opcode][0]
        rule = ["RDMAP-5040-4.4-06"] if opcode == 1 else ["RDMAP-7306-8.2-01"]
        yield one(name + "/not-last", Segment(opcode, {"iwarp_ddp.last_flag": 0}), rule, "malformed", "bad-value",
                  opcode_name, last)  # fmt: skip
        yield one(name + "/offset", Segment(opcode, {"iwarp_ddp.mo": 4}), rule, "malformed", "bad-value", opcode_name,
                  offset)  # fmt: skip
    yield one("TERMINATE/second", Segment(7, {"iwarp_ddp.msn": 2}), ["RDMAP-5040-4.8-15"], "malformed", "bad-value",
              opcode_name, "iwarp_ddp.msn")  # fmt: skip
    yield one("RDMA_WRITE/wraps", Segment(0, {"iwarp_ddp.tagged_offset": (1 << 64) - 4}), ["DDP-5041-7.1-13"],
              "malformed", "bad-value", "iwarp_ddp.tagged_offset", **{"data.len": 5})  # fmt: skip
    yield one("SEND/wraps", Segment(3, {"iwarp_ddp.mo": (1 << 32) - 4}), ["DDP-5041-7.1-07"], "malformed", "bad-value",
              offset, **{"data.len": 5})  # fmt: skip
    yield one("RDMA_READ_REQUEST/with-payload", Segment(1, payload=b"x"), ["RDMAP-5040-4.2-01"], "semantic", "payload-rule",
              opcode_name, **{"data.len": 1})  # fmt: skip
    yield one("IMMEDIATE_DATA/of-9", Segment(8, payload=b"x"), ["RDMAP-7306-6.3-06"], "semantic", "payload-rule",
              opcode_name, **{"data.len": 1})  # fmt: skip
    for code in (1, 3, 15):
        yield one("ATOMIC_REQUEST/opcode-%d" % code, Segment(0xA, atomic=code), ["RDMAP-7306-5.2.1-10"], "malformed",
                  "bad-value", "iwarp_rdma.atomic.opcode")  # fmt: skip
    for opcode in (0x0, 0x1, 0x3, 0x7, 0x8, 0xA, 0xB):
        whole = Segment(opcode, payload=b"").octets()
        for size in sorted({0, 1, 2, len(whole) - 1, 13 if opcode == 0 else 17}):
            because = {opcode_name: opcode, "iwarp_mpa.ulpdulength": size}
            yield vector("refused/ddp/%s/cut-to-%d" % (OPERATIONS[opcode][0], size), "ddp", whole[:size],
                         ["DDP-5041-6.2.2-01"], refused=("truncated_wire", "truncated-wire", because))  # fmt: skip


def write_of(size, first=0):
    """A ULPDU of that many octets."""
    return Segment(0x0, payload=bytes((first + i) & 255 for i in range(size - 14))).octets()


def streams():
    def one(name, octets, ulpdus, rules, markers=False, crc=True, **more):
        expected = {"ulpdus": [packed(ulpdu) for ulpdu in ulpdus]} if ulpdus is not None else {}
        return vector("stream/" + name, "mpa-stream", octets, rules, markers=markers, crc=crc, **expected, **more)

    plain = ["MPA-5044-4.1-01", "MPA-5044-4.1-05", "MPA-5044-4.4-11"]
    for size in [*range(14, 30), 128, 1454, 9000]:
        ulpdu = write_of(size)
        yield one("fpdu-%d" % size, wire.fpdu(ulpdu), [ulpdu], plain)
    for size in (14, 15, 16, 17):
        ulpdu = write_of(size)
        octets = wire.fpdu(ulpdu, crc=False)
        yield one("without-crc-%d" % size, octets, [ulpdu], ["MPA-5044-4.1-06"], crc=False)
        yield one("any-crc-%d" % size, octets[:-4] + b"\xde\xad\xbe\xef", [ulpdu], ["MPA-5044-4.1-08"], crc=False)
    pieces = [write_of(size, size) for size in (14, 100, 21, 18)]
    yield one("several", b"".join(wire.fpdu(one) for one in pieces), pieces, ["MPA-5044-4.3-14"])
    marked = ["MPA-5044-4.3-02", "MPA-5044-4.2-01"]
    for size in (14, 500, 502, 503, 504, 505, 506, 507, 508, 600, 1010, 1442, 2000):
        ulpdu = write_of(size)
        yield one("marked/from-0-%d" % size, wire.marked_stream([ulpdu]), [ulpdu], ["MPA-5044-4.3-03", *marked], True)
    # The second FPDU begins at that octet of the direction: where its header, its pad, its CRC meet the Marker.
    for begin in [44, 100, 300, *range(468, 516, 4), 520, 1000, 1020, 1024]:
        first_len = begin - 4 - 6 - 4 * ((begin - 1) // 512)
        for size in (14, 30, 460):
            ulpdus = [write_of(first_len), write_of(size, 7)]
            if begin % 512 == 0:
                rules = ["MPA-5044-4.3-07", "MPA-5044-4.3-08", "MPA-5044-4.3-09"]
            else:
                rules = ["MPA-5044-4.2-03", "MPA-5044-4.3-11", "MPA-5044-4.3-12"]
            yield one("marked/second-at-%d-of-%d" % (begin, size), wire.marked_stream(ulpdus), ulpdus, rules, True)
    small = [write_of(14, i) for i in range(50)]
    yield one("marked/fifty-small", wire.marked_stream(small), small, ["MPA-5044-4.3-11"], True)
    for size in (30, 600):
        octets = wire.marked_stream([write_of(size)], crc=False)
        yield one("marked/without-crc-%d" % size, octets, [write_of(size)], ["MPA-5044-4.1-06", *marked], True, False)
    whole = wire.fpdu(write_of(40))
    integrity = ("integrity", "bad-mpa-crc")
    for at in (0, 2, 20, len(whole) - 5, len(whole) - 4, len(whole) - 1):
        bad = bytearray(whole)
        bad[at] ^= 0 if at == 0 else 0x80
        if at == 0:
            bad[1] ^= 0x08  # a shorter length: the CRC is looked for elsewhere
        yield one("refused/flipped-at-%d" % at, bytes(bad), None, ["MPA-5044-4.4-14", "MPA-5044-8-04"],
                  refused=integrity)  # fmt: skip
    marked_bad = bytearray(wire.marked_stream([write_of(600)]))
    marked_bad[515] ^= 0x08
    fixed = wire.crc_field(bytes(marked_bad[:-4]))
    yield one("refused/marker-points-elsewhere", bytes(marked_bad[:-4]) + fixed, None, ["MPA-5044-8-05"], True,
              refused=("integrity", "bad-marker"))  # fmt: skip
    low = bytearray(wire.marked_stream([write_of(600)]))
    low[515] |= 3
    low[512] = 0xFF
    yield one("marked/low-bits-and-reserved-bits-set", bytes(low[:-4]) + wire.crc_field(bytes(low[:-4])),
              [write_of(600)], ["MPA-5044-4.2-02", "MPA-5044-4.2-05"], True)  # fmt: skip


def generate():
    yield from startups()
    yield from segments()
    yield from terminates()
    yield from refused_segments()
    yield from streams()
