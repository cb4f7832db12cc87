"""Reads what wire.py's layouts make: the decoder behind the expectations for captured packets, and what recomputes
CRCs. Like wire.py it shares nothing with the library in C++.
"""

import dataclasses

from conformance.vectors import infiniband_packets, iwarp_packets, wire

IPV4, IPV6, ROCEV1 = 0x0800, 0x86DD, 0x8915
TAGS = (0x8100, 0x88A8)
UDP, TCP = 17, 6
ROCEV2_PORT = 4791
# Attributes of the communication management class, IBTA 16.7.
CM_ATTRIBUTES = {
    0x10: wire.CM_REQ, 0x12: wire.CM_REJ, 0x13: wire.CM_REP, 0x14: wire.CM_RTU, 0x15: wire.CM_DREQ,
    0x16: wire.CM_DREP, 0x17: wire.CM_SIDR_REQ, 0x18: wire.CM_SIDR_REP,
}  # fmt: skip


def unpack(layout, octets):
    """(fields as the vectors have them, the octets behind the header); ValueError if it is cut."""
    size = wire.size(layout)
    if len(octets) < size:
        raise ValueError("cut: %d of %d octets" % (len(octets), size))
    rest, bits = int.from_bytes(octets[:size], "big"), size * 8
    fields = {}
    for name, width in layout:
        bits -= width
        fields.setdefault(name, infiniband_packets.shown(rest >> bits & ((1 << width) - 1), width, name))
    return fields, octets[size:]


def headers(layouts, octets):
    """The fields of headers that follow each other, of equal names the first, and what is behind them."""
    out = {}
    for layout in layouts:
        fields, octets = unpack(layout, octets)
        out = {**fields, **out}
    return out, octets


def transport(octets):
    """(fields, payload) of a packet from the BTH to the pad; ValueError if it is cut or of a reserved opcode."""
    fields, rest = unpack(wire.BTH, octets)
    opcode = fields["infiniband.bth.opcode"]
    names = {0x80: [], 0x81: ["cnp"]}.get(opcode)
    if names is None:
        names = next((infiniband_packets.headers_of(service, opcode - base)
                      for service, (base, operations) in infiniband_packets.SERVICES.items()
                      if opcode - base in operations), None)  # fmt: skip
    if names is None:
        raise ValueError("reserved opcode 0x%02x" % opcode)
    own, rest = headers([infiniband_packets.LAYOUTS[name] for name in names], rest)
    pad = fields["infiniband.bth.padcnt"]
    if pad > len(rest):
        raise ValueError("pad of %d in %d octets" % (pad, len(rest)))
    fields.update(own)
    payload = rest[: len(rest) - pad]
    if opcode == 0x64 and fields["infiniband.bth.destqp"] == 1 and len(payload) == 256:
        mad, data = unpack(wire.MAD, payload)
        fields.update(mad)
        if mad["infiniband.mad.mgmtclass"] == 7 and mad["infiniband.mad.attributeid"] in CM_ATTRIBUTES:
            fields.update(unpack(CM_ATTRIBUTES[mad["infiniband.mad.attributeid"]], data)[0])
    return fields, payload


def untagged(octets):
    """(whether the frame has VLAN tags, EtherType behind them, what follows it)."""
    at = 12
    while (kind := int.from_bytes(octets[at : at + 2], "big")) in TAGS:
        at += 4
    return at > 12, kind, octets[at + 2 :]


def internet(kind, packet):
    """(IP header, IP protocol, what it carries by its own length) behind that EtherType; None of others."""
    if kind == IPV4:
        head, protocol, end = (packet[0] & 15) * 4, packet[9], int.from_bytes(packet[2:4], "big")
    elif kind == IPV6:
        head, protocol, end = 40, packet[6], 40 + int.from_bytes(packet[4:6], "big")
    else:
        return None
    return packet[:head], protocol, packet[head:end]


@dataclasses.dataclass
class Frame:
    form: str  # rocev2-ipv4, ib-global, ...; with -vlan if it is tagged
    network: bytes  # what the ICRC covers before the BTH
    transport: bytes
    icrc: bytes
    vcrc: bytes = b""
    link_fields: dict = dataclasses.field(default_factory=dict)
    traffic_class: int = 0

    def icrc_is_right(self):
        kind = {"rocev2-ipv4": "ipv4", "rocev2-ipv6": "ipv6", "rocev1": "grh"}.get(self.form.removesuffix("-vlan"), "lrh")
        return wire.icrc(self.network, kind, self.transport) == self.icrc

    def vcrc_is_right(self):
        return wire.crc16(self.network + self.transport + self.icrc) == self.vcrc

    def fields(self):
        out = {**self.link_fields, **transport(self.transport)[0]}
        out["infiniband.invariant.crc"] = int.from_bytes(self.icrc, "big")
        if self.vcrc:
            out["infiniband.variant.crc"] = int.from_bytes(self.vcrc, "big")
        return out


def ethernet(octets):
    """A frame of RoCE; None of others."""
    has_tags, kind, packet = untagged(octets)
    tagged = "-vlan" if has_tags else ""
    if kind == ROCEV1:
        fields, rest = unpack(wire.GRH, packet)
        end = fields["infiniband.grh.paylen"]
        return Frame("rocev1" + tagged, packet[: wire.size(wire.GRH)], rest[: end - 4], rest[end - 4 : end],
                     link_fields=fields)  # fmt: skip
    head, protocol, datagram = internet(kind, packet) or (None, None, None)
    if protocol != UDP or int.from_bytes(datagram[2:4], "big") != ROCEV2_PORT:
        return None
    form = "rocev2-ipv4" if kind == IPV4 else "rocev2-ipv6"
    traffic_class = head[1] if kind == IPV4 else (head[0] << 4 | head[1] >> 4) & 0xFF
    return Frame(form + tagged, head + datagram[:8], datagram[8:-4], datagram[-4:], traffic_class=traffic_class)


def infiniband(octets):
    """A packet from its LRH to its VCRC."""
    fields, rest = unpack(wire.LRH, octets)
    form, head = "ib-local", 8
    if fields["infiniband.lrh.lnh"] == 3:
        grh, rest = unpack(wire.GRH, rest)
        fields.update(grh)
        form, head = "ib-global", 48
    return Frame(form, octets[:head], octets[head:-6], octets[-6:-2], octets[-2:], fields)


def frame(form, octets):
    """By the form of its vector."""
    return infiniband(octets) if form == "infiniband" else ethernet(octets)


def tcp_payload(octets):
    """The payload of a TCP segment; None of other frames."""
    _, protocol, segment = internet(*untagged(octets)[1:]) or (None, None, None)
    return segment[(segment[12] >> 4) * 4 :] if protocol == TCP else None


def startup(octets):
    """(the octets of an MPA start-up frame, its fields)."""
    key = octets[:16]
    fields, _ = unpack(wire.MPA, octets[16:])
    octets = octets[: 20 + fields["iwarp_mpa.pdlength"]]
    fields["iwarp_mpa.key." + ("req" if key == wire.REQUEST_KEY else "rep")] = key.hex()
    if fields["iwarp_mpa.enhanced_flag"] and fields["iwarp_mpa.rev"] >= 2:
        fields.update(unpack(wire.MPA_ENHANCED, octets[20:])[0])
    return octets, fields


def fpdu(octets):
    """(ULPDU, whether its CRC is right, octets of the FPDU) of the FPDU without Markers that begins here."""
    length = int.from_bytes(octets[:2], "big")
    end = (2 + length + 3) // 4 * 4
    if length < 14 or end + 4 > len(octets):
        raise ValueError("no whole FPDU")
    return octets[2 : 2 + length], octets[end : end + 4] == wire.crc_field(octets[:end]), octets[: end + 4]


def ulpdu(octets):
    """The fields of a DDP segment and what RDMAP has in it."""
    control, _ = headers([wire.DDP_CONTROL, wire.RDMAP_CONTROL], octets)
    opcode = control["iwarp_rdma.opcode"]
    atomic = octets[21] & 15 if opcode == 0xA and len(octets) > 21 else 0
    made = iwarp_packets.Segment(opcode, atomic=atomic, tagged=bool(control["iwarp_ddp.tagged_flag"]))
    return headers(made.layouts, octets)[0]
