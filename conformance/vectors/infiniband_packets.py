"""Frames of InfiniBand, RoCEv1 and RoCEv2."""

import struct

from conformance.vectors import wire

# Operation: (name, headers after the BTH, what payload it has: none, 8, any, nonempty, full). IBTA vol. 1, table 38,
# A14 (XRC), A19 (FLUSH, ATOMIC WRITE); services in the top three bits of the opcode.
OPERATIONS = {
    0x00: ("SEND_FIRST", "", "full"), 0x01: ("SEND_MIDDLE", "", "full"), 0x02: ("SEND_LAST", "", "nonempty"),
    0x03: ("SEND_LAST_WITH_IMMEDIATE", "immdt", "nonempty"), 0x04: ("SEND_ONLY", "", "any"),
    0x05: ("SEND_ONLY_WITH_IMMEDIATE", "immdt", "any"), 0x06: ("RDMA_WRITE_FIRST", "reth", "full"),
    0x07: ("RDMA_WRITE_MIDDLE", "", "full"), 0x08: ("RDMA_WRITE_LAST", "", "nonempty"),
    0x09: ("RDMA_WRITE_LAST_WITH_IMMEDIATE", "immdt", "nonempty"), 0x0A: ("RDMA_WRITE_ONLY", "reth", "any"),
    0x0B: ("RDMA_WRITE_ONLY_WITH_IMMEDIATE", "reth immdt", "any"), 0x0C: ("RDMA_READ_REQUEST", "reth", "none"),
    0x0D: ("RDMA_READ_RESPONSE_FIRST", "aeth", "full"), 0x0E: ("RDMA_READ_RESPONSE_MIDDLE", "", "full"),
    0x0F: ("RDMA_READ_RESPONSE_LAST", "aeth", "nonempty"), 0x10: ("RDMA_READ_RESPONSE_ONLY", "aeth", "any"),
    0x11: ("ACKNOWLEDGE", "aeth", "none"), 0x12: ("ATOMIC_ACKNOWLEDGE", "aeth atomicacketh", "none"),
    0x13: ("COMPARE_SWAP", "atomiceth", "none"), 0x14: ("FETCH_ADD", "atomiceth", "none"),
    0x15: ("RESYNC", "", "none"), 0x16: ("SEND_LAST_WITH_INVALIDATE", "ieth", "nonempty"),
    0x17: ("SEND_ONLY_WITH_INVALIDATE", "ieth", "any"), 0x1C: ("FLUSH", "feth reth", "none"),
    0x1D: ("ATOMIC_WRITE", "reth", "8"),
}  # fmt: skip
RESPONSES = range(0x0D, 0x13)
SERVICES = {
    "RC": (0x00, [o for o in OPERATIONS if o != 0x15]),
    "UC": (0x20, [o for o in OPERATIONS if o < 0x0C]),
    "RD": (0x40, [o for o in OPERATIONS if o not in (0x16, 0x17)]),
    "UD": (0x60, [0x04, 0x05]),
    "XRC": (0xA0, [o for o in OPERATIONS if o != 0x15]),
}
LAYOUTS = {
    "rdeth": wire.RDETH, "xrceth": wire.XRCETH, "deth": wire.DETH, "feth": wire.FETH, "reth": wire.RETH,
    "atomiceth": wire.ATOMICETH, "aeth": wire.AETH, "atomicacketh": wire.ATOMICACKETH, "immdt": wire.IMMDT,
    "ieth": wire.IETH, "cnp": wire.CNP,
}  # fmt: skip

# A value of each field that is unlike its neighbours.
USUAL = {
    "infiniband.bth.p_key": 0xFFFF, "infiniband.bth.destqp": 0x000117, "infiniband.bth.psn": 0x5A5B5C,
    "infiniband.bth.m": 1, "infiniband.rdeth.eecnxt": 0x010203, "rdma.xrceth.xrcsrq": 0x040506,
    "infiniband.deth.q_key": 0x80010000, "infiniband.deth.srcqp": 0x000001, "infiniband.feth.plt": 1,
    "infiniband.reth.va": 0x00007F00DEADBEE8, "infiniband.reth.r_key": 0x0A0B0C0D, "infiniband.reth.dmalen": 8,
    "infiniband.atomiceth.swapdt": 0x0102030405060708, "infiniband.atomiceth.cmpdt": 0x1112131415161718,
    "infiniband.aeth.syndrome": 0x1F, "infiniband.aeth.msn": 0x000102,
    "infiniband.atomicacketh.origremdt": 0x2122232425262728, "infiniband.immdt": 0x31323334,
    "infiniband.ieth": 0x41424344, "infiniband.lrh.dlid": 0x0017, "infiniband.lrh.slid": 0x0042,
    "infiniband.grh.ipver": 6, "infiniband.grh.tclass": 0x60, "infiniband.grh.flowlabel": 0x12345,
    "infiniband.grh.nxthdr": 0x1B, "infiniband.grh.hoplmt": 64,
    "infiniband.grh.sgid": 0xFE80000000000000020000FFFE000001,
    "infiniband.grh.dgid": 0xFE80000000000000020000FFFE000002,
}  # fmt: skip
ETHERNET_HEAD = bytes.fromhex("020000000002020000000001")

FORMS = ["rocev2-ipv4", "rocev2-ipv6", "rocev1", "ib-local", "ib-global"]
# The requirements that a frame of this form shows.
FORM_REQUIREMENTS = {
    "rocev2-ipv4": ["V2-01", "V2-12", "V2-16"], "rocev2-ipv6": ["V2-01", "V2-11", "V2-16"], "rocev1": ["V1-01"],
    "ib-local": ["CRC-02", "CRC-03"], "ib-global": ["CRC-02", "CRC-03", "HV-08"],
}  # fmt: skip


def opcode_of(service, operation):
    return SERVICES[service][0] | operation


def headers_of(service, operation):
    own = OPERATIONS[operation][1].split()
    if service == "RD":
        return ["rdeth", *([] if operation in RESPONSES else ["deth"]), *own]
    if service == "UD":
        return ["deth", *own]
    if service == "XRC" and operation not in RESPONSES:
        return ["xrceth", *own]
    return own


def payload_for(rule, full=256):
    return bytes(range(256)) * (full // 256) if rule == "full" else {"none": b"", "8": b"\1\2\3\4\5\6\7\x08"}.get(
        rule, b"hello"
    )  # fmt: skip


class Packet:
    """A transport packet, and the frames that it goes in."""

    def __init__(self, opcode, headers, payload=b"", fields=None, pad=None):
        self.values = {**USUAL, "infiniband.bth.opcode": opcode, **(fields or {})}
        self.pad = -len(payload) % 4 if pad is None else pad
        self.values.setdefault("infiniband.bth.padcnt", self.pad & 3)
        self.payload = payload
        self.layouts = [wire.BTH, *(LAYOUTS[name] for name in headers)]

    def transport(self):
        head = b"".join(wire.pack(layout, self.values) for layout in self.layouts)
        return head + self.payload + bytes(self.pad)

    def fields(self):
        out = {}
        for layout in self.layouts:
            for name, width in layout:
                out[name] = shown(self.values.get(name, 0), width, name)
        return out

    def frame(self, form, **change):
        """(octets, fields of the link and network headers). change: icrc, vcrc (xor), tag, tail, udp, ip..."""
        transport = self.transport()
        if form in ("ib-local", "ib-global"):
            return self._native(form, transport, change)
        if form == "rocev1":
            return self._rocev1(transport, change)
        return self._rocev2(form, transport, change)

    def _grh(self, transport):
        values = {**self.values, "infiniband.grh.paylen": len(transport) + 4}
        return wire.pack(wire.GRH, values), {
            name: shown(values.get(name, 0), width, name) for name, width in wire.GRH
        }

    def _native(self, form, transport, change):
        grh, fields = self._grh(transport) if form == "ib-global" else (b"", {})
        words = (8 + len(grh) + len(transport) + 4) // 4
        values = {"infiniband.lrh.lnh": 3 if grh else 2, "infiniband.lrh.pktlen": words, **self.values}
        lrh = wire.pack(wire.LRH, values)
        head = lrh + grh
        crc = flip(wire.icrc(head, "lrh", transport), change.get("icrc", 0))
        body = head + transport + crc
        vcrc = flip(wire.crc16(body), change.get("vcrc", 0))
        lrh_fields = {name: shown(values.get(name, 0), width, name) for name, width in wire.LRH}
        crcs = {**icrc_field(crc), "infiniband.variant.crc": int.from_bytes(vcrc, "big")}
        return body + vcrc, {**lrh_fields, **fields, **crcs}

    def _rocev1(self, transport, change):
        grh, fields = self._grh(transport)
        crc = flip(wire.icrc(grh, "grh", transport), change.get("icrc", 0))
        octets = ETHERNET_HEAD + change.get("tag", b"") + b"\x89\x15" + grh + transport + crc
        return octets + change.get("tail", b""), {**fields, **icrc_field(crc)}

    def _rocev2(self, form, transport, change):
        udp_len = 8 + len(transport) + 4
        udp = struct.pack("!HHHH", change.get("source_port", 0xC000), 4791, change.get("udp_len", udp_len),
                          change.get("udp_checksum", 0))  # fmt: skip
        kind = form[-4:]
        make = wire.ipv4 if kind == "ipv4" else wire.ipv6
        network = make(udp_len, **change.get("ip", {}))
        ether_type = b"\x08\x00" if kind == "ipv4" else b"\x86\xdd"
        crc = flip(wire.icrc(network + udp, kind, transport), change.get("icrc", 0))
        octets = ETHERNET_HEAD + change.get("tag", b"") + ether_type + network + udp + transport + crc
        return octets + change.get("tail", b""), icrc_field(crc)


def icrc_field(crc):
    return {"infiniband.invariant.crc": int.from_bytes(crc, "big")}


def flip(crc, bits):
    return bytes([crc[0] ^ bits]) + crc[1:]


def shown(value, bits, name):
    """As the vectors have values: numbers; hex digits where they are octets, or too long for JSON's numbers."""
    if bits > 64 or name == "infiniband.immdt":
        return value.to_bytes(bits // 8, "big").hex()
    return hex(value) if bits > 32 else value


def refusal(error_class, error, because=None):
    """because: fields whose values break the rule, where single fields do; data.len are octets of payload."""
    return {"class": error_class, "error": error, **({"because": because} if because else {})}


def vector(name, form, made, fields, requirements, refused=None):
    octets, own = made
    out = {"name": name, "form": "infiniband" if form.startswith("ib") else "ethernet", "octets": packed(octets)}
    if refused:
        out["refused"] = refusal(*refused)
    else:
        out["fields"] = {**own, **fields}
    out["requirements"] = requirements
    return out


def packed(octets):
    """Hex digits; runs as XX*COUNT and XX+COUNT, as SCHEMA.md says."""
    words, at = [], 0
    plain = ""
    while at < len(octets):
        same = counting = 1
        while at + same < len(octets) and octets[at + same] == octets[at]:
            same += 1
        while at + counting < len(octets) and octets[at + counting] == (octets[at + counting - 1] + 1) & 255:
            counting += 1
        run = max(same, counting)
        if run < 16:
            plain += "%02x" % octets[at]
            at += 1
            continue
        words += [plain] if plain else []
        plain = ""
        words.append("%02x%s%d" % (octets[at], "*" if same >= counting else "+", run))
        at += run
    return " ".join([*words, plain] if plain else words)


def packet_of(service, operation, fields=None, payload=None, pad=None, full=256):
    if payload is None:
        payload = payload_for(OPERATIONS[operation][2], full)
    return Packet(opcode_of(service, operation), headers_of(service, operation), payload, fields, pad)


def every_opcode():
    for service, (_, operations) in SERVICES.items():
        for operation in operations:
            requirements = {"UD": ["UD-01"], "XRC": ["XRC-01"]}.get(service, [])
            if operation == 0x0E:
                requirements = [*requirements, "OPS-09"]
            if operation in (0x1C, 0x1D):
                requirements = [*requirements, "MPE-01" if operation == 0x1C else "MPE-06"]
            if operation in (0x0C, 0x13, 0x14):
                requirements = [*requirements, "LEN-11"]
            packet = packet_of(service, operation)
            for form in FORMS:
                # RoCE has no reliable datagram (A16.4).
                if service == "RD" and not form.startswith("ib"):
                    continue
                name = "opcode/%s/%s_%s" % (form, service, OPERATIONS[operation][0])
                yield vector(name, form, packet.frame(form), packet.fields(), FORM_REQUIREMENTS[form] + requirements)
    cnp = {"infiniband.bth.psn": 0, "infiniband.bth.m": 0}
    for becn in (0, 1):
        packet = Packet(0x81, ["cnp"], fields={**cnp, "rdma.bth.becn": becn})
        for form in FORMS[:2]:
            yield vector("opcode/%s/CNP_becn_%d" % (form, becn), form, packet.frame(form), packet.fields(),
                         FORM_REQUIREMENTS[form] + ["CN-02", "CN-03"])  # fmt: skip
    packet = Packet(0x80, [], fields={**cnp, "rdma.bth.becn": 1})
    for form in FORMS[3:]:
        yield vector("opcode/%s/CNP" % form, form, packet.frame(form), packet.fields(),
                     FORM_REQUIREMENTS[form] + ["CN-10"])  # fmt: skip


# Where each header is seen.
FIELDS_AT = [
    (wire.BTH, "RC", 0x04, ["rocev2-ipv4"]), (wire.RETH, "RC", 0x0A, ["rocev2-ipv4"]),
    (wire.ATOMICETH, "RC", 0x13, ["rocev2-ipv4"]), (wire.AETH, "RC", 0x11, ["rocev2-ipv4"]),
    (wire.ATOMICACKETH, "RC", 0x12, ["rocev2-ipv4"]), (wire.IMMDT, "RC", 0x05, ["rocev2-ipv4"]),
    (wire.IETH, "RC", 0x17, ["rocev2-ipv4"]), (wire.FETH, "RC", 0x1C, ["rocev2-ipv4"]),
    (wire.DETH, "UD", 0x04, ["rocev2-ipv4"]), (wire.RDETH, "RD", 0x04, ["ib-local"]),
    (wire.XRCETH, "XRC", 0x04, ["rocev2-ipv4"]), (wire.GRH, "RC", 0x04, ["rocev1", "ib-global"]),
    (wire.LRH, "RC", 0x04, ["ib-local"]), (wire.CNP, None, 0x81, ["rocev2-ipv4"]),
]  # fmt: skip
# What the frame around a field decides.
FIXED = {
    "infiniband.bth.opcode", "infiniband.bth.padcnt", "infiniband.bth.tver", "infiniband.lrh.lver",
    "infiniband.lrh.lnh", "infiniband.lrh.pktlen", "infiniband.grh.ipver", "infiniband.grh.paylen",
    "infiniband.grh.nxthdr",
}  # fmt: skip
FIELD_REQUIREMENTS = {
    "rdma.bth.reserved6": ["HV-21"], "infiniband.bth.reserved7": ["HV-21"], "rdma.bth.fecn": ["HV-22"],
    "rdma.bth.becn": ["HV-22"], "infiniband.feth.sel": ["MPE-02"], "infiniband.feth.plt": ["MPE-02"],
    "rdma.feth.reserved26": ["MPE-02"], "infiniband.bth.psn": ["PSN-01"], "infiniband.aeth.msn": ["MSN-08"],
    "infiniband.aeth.syndrome": ["ACK-11"], "rdma.xrceth.xrcsrq": ["XRC-01"], "rdma.cnp.reserved": ["CN-02"],
}  # fmt: skip


def every_field():
    for layout, service, operation, forms in FIELDS_AT:
        for name, width in layout:
            if name in FIXED:
                continue
            for label, value in (("min", 0), ("max", (1 << width) - 1)):
                if service is None:
                    packet = Packet(0x81, ["cnp"], fields={name: value})
                else:
                    packet = packet_of(service, operation, {name: value})
                for form in forms:
                    yield vector("field/%s/%s/%s/%s" % (form, OPERATIONS[operation][0] if service else "CNP", name, label), form, packet.frame(form), packet.fields(),
                                 FIELD_REQUIREMENTS.get(name, []) + FORM_REQUIREMENTS[form])  # fmt: skip


def edges():
    for size in range(9):
        packet = packet_of("RC", 0x04, payload=bytes(range(size)))
        for form in ("rocev2-ipv4", "ib-local"):
            yield vector("payload/%s/SEND_ONLY_%d" % (form, size), form, packet.frame(form), packet.fields(),
                         ["LEN-03", "LEN-04"])  # fmt: skip
    for mtu in (256, 512, 1024, 2048, 4096):
        for operation, rule in ((0x00, "LEN-01"), (0x0D, "LEN-09"), (0x02, "LEN-02"), (0x04, "LEN-03")):
            packet = packet_of("RC", operation, payload=payload_for("full", mtu))
            yield vector("payload/rocev2-ipv4/%s_%d" % (OPERATIONS[operation][0], mtu), "rocev2-ipv4",
                         packet.frame("rocev2-ipv4"), packet.fields(), [rule, "LEN-12"])  # fmt: skip
    for syndrome in sorted({*range(0, 32, 5), 31, *range(0x20, 0x40, 7), 0x3F, 0x40, 0x5F, *range(0x60, 0x66), 0x7F, 0x80}):
        packet = packet_of("RC", 0x11, {"infiniband.aeth.syndrome": syndrome})
        rules = ["ACK-10", "RNR-01", "ACK-11", "NAK-01"][syndrome >> 5 & 3]
        yield vector("syndrome/0x%02x" % syndrome, "rocev2-ipv4", packet.frame("rocev2-ipv4"), packet.fields(), [rules])
    packet = packet_of("RC", 0x04)
    changes = {
        "vlan": ({"tag": b"\x81\x00\xa0\x05"}, ["V2-23", "V2-20"]),
        "priority-tag": ({"tag": b"\x81\x00\xe0\x00"}, ["V2-23", "V2-20"]),
        "qinq": ({"tag": b"\x88\xa8\x00\x07\x81\x00\x00\x05"}, ["V2-23"]),
        "source-port-0": ({"source_port": 0}, ["V2-13"]),
        "source-port-65535": ({"source_port": 0xFFFF}, ["V2-13"]),
        "ce-marked": ({"ip": {"tos": 3}}, ["CRC-04", "V2-04"]),
        "dscp-48": ({"ip": {"tos": 0xC2}}, ["V2-03"]),
        "ttl-1": ({"ip": {"ttl": 1}}, ["CRC-04", "V2-08"]),
        "ethernet-padding": ({"tail": bytes(6)}, ["V2-21"]),
        "padding-not-zero": ({"tail": b"\xa5" * 11}, ["V2-21"]),
    }  # fmt: skip
    for label, (change, rules) in changes.items():
        yield vector("network/rocev2-ipv4/" + label, "rocev2-ipv4", packet.frame("rocev2-ipv4", **change),
                     packet.fields(), rules)  # fmt: skip
    for label, ip in (("ce-marked", {"traffic_class": 3}), ("flow-0", {"flow": 0}), ("hop-limit-0", {"hop_limit": 0})):
        yield vector("network/rocev2-ipv6/" + label, "rocev2-ipv6", packet.frame("rocev2-ipv6", ip=ip), packet.fields(),
                     ["CRC-04", "V2-16"])  # fmt: skip
    yield vector("network/rocev1/ethernet-padding", "rocev1", packet.frame("rocev1", tail=bytes(8)), packet.fields(),
                 ["V1-02"])  # fmt: skip
    yield vector("network/rocev1/vlan", "rocev1", packet.frame("rocev1", tag=b"\x81\x00\x60\x05"), packet.fields(),
                 ["V2-23"])  # fmt: skip
    for op, sent, lane, limit in ((0, 0, 0, 0), (0, 0xFFF, 15, 0xFFF), (1, 0x123, 3, 0x456), (0, 1, 14, 2)):
        values = {"infiniband_link.op": op, "infiniband_link.fctbs": sent, "infiniband_link.vl": lane,
                  "infiniband_link.fccl": limit}  # fmt: skip
        head = wire.pack(wire.FLOW_CONTROL, values)[:4]
        crc = wire.crc16(head)
        fields = {**values, "infiniband_link.lpcrc": int.from_bytes(crc, "big")}
        yield vector("flow-control/%d-%d-%d-%d" % (op, sent, lane, limit), "ib", (head + crc, {}), fields, ["CRC-03"])


RESERVED_OPCODES = [0x15, 0x18, 0x19, 0x1A, 0x1B, 0x1E, 0x1F, 0x2C, 0x3F, 0x56, 0x60, 0x66, 0x82, 0x9F, 0xB5, 0xBF,
                    0xC0, 0xDF, 0xE0, 0xFF]  # fmt: skip


def refused():
    def one(name, form, packet, rules, why, **change):
        return vector("refused/%s/%s" % (form, name), form, packet.frame(form, **change), {}, rules, why)

    send = packet_of("RC", 0x04)
    integrity = ("integrity", "bad-icrc")
    for form in FORMS:
        yield one("wrong-icrc", form, send, ["HV-02", "CRC-01"], ("integrity", "bad-vcrc") if form == "ib" else integrity,
                  icrc=1)  # fmt: skip
        for version in (1, 15):
            yield one("tver-%d" % version, form, packet_of("RC", 0x04, {"infiniband.bth.tver": version}), ["HV-10"],
                      ("malformed", "bad-version", {"infiniband.bth.tver": version}))  # fmt: skip
    for form in FORMS[3:]:
        yield one("wrong-vcrc", form, send, ["HV-01", "CRC-03"], ("integrity", "bad-vcrc"), vcrc=1)
        for version in (1, 15):
            yield one("lver-%d" % version, form, packet_of("RC", 0x04, {"infiniband.lrh.lver": version}), ["HV-03"],
                      ("malformed", "bad-version", {"infiniband.lrh.lver": version}))  # fmt: skip
    v4 = "rocev2-ipv4"
    for form in (v4, "ib-local"):
        for opcode in RESERVED_OPCODES:
            yield one("opcode-0x%02x" % opcode, form, Packet(opcode, []), ["HV-13", "HV-14"],
                      ("unsupported", "reserved-opcode", {"infiniband.bth.opcode": opcode}))  # fmt: skip
    for operation, payload, rule, label in (
        (0x00, b"\1" * 255, "LEN-01", "below-mtu"), (0x00, b"\1" * 260, "LEN-01", "no-mtu"),
        (0x00, b"", "LEN-01", "empty"), (0x01, b"\1" * 8, "LEN-01", "below-mtu"), (0x02, b"", "LEN-02", "empty"),
        (0x03, b"", "LEN-02", "empty"), (0x06, b"\1" * 252, "LEN-01", "below-mtu"), (0x07, b"", "LEN-01", "empty"),
        (0x08, b"", "LEN-02", "empty"), (0x0C, b"\1" * 4, "LEN-11", "with-payload"),
        (0x0D, b"\1" * 128, "LEN-09", "below-mtu"), (0x0E, b"", "LEN-09", "empty"), (0x0F, b"", "LEN-09", "empty"),
        (0x11, b"\1" * 4, "ACK-12", "with-payload"), (0x12, b"\1" * 4, "ACK-12", "with-payload"),
        (0x13, b"\1" * 4, "LEN-11", "with-payload"), (0x14, b"\1" * 4, "LEN-11", "with-payload"),
        (0x16, b"", "LEN-02", "empty"), (0x1C, b"\1" * 4, "MPE-01", "with-payload"),
        (0x1D, b"\1" * 4, "MPE-06", "of-4"), (0x1D, b"\1" * 12, "MPE-06", "of-12"), (0x1D, b"", "MPE-06", "empty"),
        (0x04, b"\1" * 4100, "LEN-03", "above-4096"),
    ):  # fmt: skip
        yield one("%s-%s-%d" % (OPERATIONS[operation][0], label, len(payload)), v4,
                  packet_of("RC", operation, payload=payload), [rule],
                  ("semantic", "payload-rule", {"infiniband.bth.opcode": operation, "data.len": len(payload)}))  # fmt: skip
    for count in (1, 2, 3):
        short = packet_of("RC", 0x04, {"infiniband.bth.padcnt": count}, payload=b"")
        yield one("pad-%d-of-nothing" % count, v4, short, ["LEN-05"],
                  ("semantic", "pad-rule", {"infiniband.bth.padcnt": count, "udp.length": 24}))  # fmt: skip
    for operation in (0x05, 0x0A, 0x0C, 0x11, 0x12, 0x13, 0x17, 0x1C):
        whole = packet_of("RC", operation, payload=b"")
        cut = Packet(whole.values["infiniband.bth.opcode"], [])
        yield one("%s-without-headers" % OPERATIONS[operation][0], v4, cut, ["HV-23"],
                  ("truncated_wire", "truncated-wire", {"infiniband.bth.opcode": operation, "udp.length": 24}))  # fmt: skip
    yield one("udp-length-too-long", v4, send, ["HV-28", "V2-14"],
              ("malformed", "bad-length", {"udp.length": 200}), udp_len=200)  # fmt: skip
    yield one("udp-length-too-short", v4, send, ["HV-28", "V2-14"],
              ("malformed", "bad-length", {"udp.length": 24}), udp_len=24)  # fmt: skip
    yield one("wrong-ip-checksum", v4, send, ["HV-06"], ("integrity", "bad-ip-checksum"), ip={"bad_sum": True})
    yield one("wrong-udp-checksum", v4, send, ["V2-15"], ("integrity", "bad-udp-checksum"), udp_checksum=0x1234)
    yield one("ip-options", v4, send, ["HV-26", "V2-02"],
              ("malformed", "bad-header-length", {"ip.hdr_len": 24}), ip={"ihl": 6})  # fmt: skip
    yield one("first-fragment", v4, send, ["HV-27", "V2-06"],
              ("unsupported", "fragment", {"ip.flags.mf": 1}), ip={"flags": 0x2000})  # fmt: skip
    yield one("later-fragment", v4, send, ["HV-27", "V2-07"],
              ("unsupported", "fragment", {"ip.frag_offset": 16}), ip={"flags": 0x0010})  # fmt: skip
    for form in ("rocev1", "ib-global"):
        yield one("grh-version-4", form, packet_of("RC", 0x04, {"infiniband.grh.ipver": 4}), ["HV-06"],
                  ("malformed", "bad-version", {"infiniband.grh.ipver": 4}))  # fmt: skip


def generate():
    yield from every_opcode()
    yield from every_field()
    yield from edges()
    yield from refused()
