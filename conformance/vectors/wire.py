"""Headers and frames of the RDMA protocols in Python: what the packet vectors are made with.

Written from the specifications, and of its own: nothing here comes from the library in C++. A header is a list of
(name, bits) in the order of the wire; the names are Wireshark's where it has one, and rdma.* otherwise.
"""

import struct
import zlib

from tools.octets import sums

ETHERNET = [("eth.dst", 48), ("eth.src", 48), ("eth.type", 16)]

LRH = [
    ("infiniband.lrh.vl", 4), ("infiniband.lrh.lver", 4), ("infiniband.lrh.sl", 4), ("infiniband.lrh.reserved2", 2),
    ("infiniband.lrh.lnh", 2), ("infiniband.lrh.dlid", 16), ("infiniband.lrh.reserved5", 5),
    ("infiniband.lrh.pktlen", 11), ("infiniband.lrh.slid", 16),
]  # fmt: skip
GRH = [
    ("infiniband.grh.ipver", 4), ("infiniband.grh.tclass", 8), ("infiniband.grh.flowlabel", 20),
    ("infiniband.grh.paylen", 16), ("infiniband.grh.nxthdr", 8), ("infiniband.grh.hoplmt", 8),
    ("infiniband.grh.sgid", 128), ("infiniband.grh.dgid", 128),
]  # fmt: skip
BTH = [
    ("infiniband.bth.opcode", 8), ("infiniband.bth.se", 1), ("infiniband.bth.m", 1), ("infiniband.bth.padcnt", 2),
    ("infiniband.bth.tver", 4), ("infiniband.bth.p_key", 16), ("rdma.bth.fecn", 1), ("rdma.bth.becn", 1),
    ("rdma.bth.reserved6", 6), ("infiniband.bth.destqp", 24), ("infiniband.bth.a", 1),
    ("infiniband.bth.reserved7", 7), ("infiniband.bth.psn", 24),
]  # fmt: skip
RDETH = [("infiniband.rdeth.reserved8", 8), ("infiniband.rdeth.eecnxt", 24)]
XRCETH = [("rdma.xrceth.reserved8", 8), ("rdma.xrceth.xrcsrq", 24)]
DETH = [("infiniband.deth.q_key", 32), ("infiniband.deth.reserved8", 8), ("infiniband.deth.srcqp", 24)]
FETH = [("rdma.feth.reserved26", 26), ("infiniband.feth.sel", 2), ("infiniband.feth.plt", 4)]
RETH = [("infiniband.reth.va", 64), ("infiniband.reth.r_key", 32), ("infiniband.reth.dmalen", 32)]
ATOMICETH = [
    ("infiniband.reth.va", 64), ("infiniband.reth.r_key", 32), ("infiniband.atomiceth.swapdt", 64),
    ("infiniband.atomiceth.cmpdt", 64),
]  # fmt: skip
AETH = [("infiniband.aeth.syndrome", 8), ("infiniband.aeth.msn", 24)]
ATOMICACKETH = [("infiniband.atomicacketh.origremdt", 64)]
IMMDT = [("infiniband.immdt", 32)]
IETH = [("infiniband.ieth", 32)]
CNP = [("rdma.cnp.reserved", 128)]
FLOW_CONTROL = [
    ("infiniband_link.op", 4), ("infiniband_link.fctbs", 12), ("infiniband_link.vl", 4), ("infiniband_link.fccl", 12),
    ("infiniband_link.lpcrc", 16),
]  # fmt: skip

MAD = [
    ("infiniband.mad.baseversion", 8), ("infiniband.mad.mgmtclass", 8), ("infiniband.mad.classversion", 8),
    ("infiniband.mad.method", 8), ("infiniband.mad.status", 16), ("infiniband.mad.classspecific", 16),
    ("infiniband.mad.transactionid", 64), ("infiniband.mad.attributeid", 16), ("rdma.mad.reserved18", 16),
    ("infiniband.mad.attributemodifier", 32),
]  # fmt: skip


def _path(kind):
    name = "infiniband.cm.req.%s_" % kind
    return [(name + last, bits) for last, bits in (
        ("locallid", 16), ("remotelid", 16), ("localgid", 128), ("remotegid", 128), ("flowlabel", 20), ("reserved0", 6),
        ("pktrate", 6), ("tfcclass", 8), ("hoplim", 8), ("sl", 4), ("subnetlocal", 1), ("reserved1", 3),
        ("localacktout", 5))]  # fmt: skip


# Messages of the connection manager, up to their private data. IBTA 12.6, 12.11.
CM_REQ = [
    ("infiniband.cm.req", 32), ("rdma.cm.req.reserved4", 8), ("rdma.cm.req.vendor_id", 24),
    ("infiniband.cm.req.serviceid", 64), ("infiniband.cm.req.localcaguid", 64), ("rdma.cm.req.reserved24", 32),
    ("infiniband.cm.req.localqkey", 32), ("infiniband.cm.req.localqpn", 24), ("infiniband.cm.req.responderres", 8),
    ("infiniband.cm.req.localeecn", 24), ("infiniband.cm.req.initdepth", 8), ("infiniband.cm.req.remoteeecn", 24),
    ("infiniband.cm.req.remoteresptout", 5), ("infiniband.cm.req.transpsvctype", 2),
    ("infiniband.cm.req.e2eflowctrl", 1), ("infiniband.cm.req.startpsn", 24), ("infiniband.cm.req.localresptout", 5),
    ("infiniband.cm.req.retrcount", 3), ("infiniband.cm.req.pkey", 16), ("infiniband.cm.req.pppmtu", 4),
    ("infiniband.cm.req.rdcexist", 1), ("infiniband.cm.req.rnrretrcount", 3), ("infiniband.cm.req.maxcmretr", 4),
    ("infiniband.cm.req.srq", 1), ("infiniband.cm.req.ext_transport", 3), *_path("prim"),
    ("infiniband.cm.req.prim_reserved2", 3), *_path("alt"), ("rdma.cm.req.sap_supported", 1),
    ("rdma.cm.req.reserved139", 2),
]  # fmt: skip
CM_REP = [
    ("infiniband.cm.rep", 32), ("infiniband.cm.rep.remotecommid", 32), ("infiniband.cm.rep.localqkey", 32),
    ("infiniband.cm.rep.localqpn", 24), ("rdma.cm.rep.vendor_id_high", 8), ("infiniband.cm.rep.localeecn", 24),
    ("rdma.cm.rep.vendor_id_middle", 8), ("infiniband.cm.rep.startpsn", 24), ("rdma.cm.rep.vendor_id_low", 8),
    ("infiniband.cm.rep.respres", 8), ("infiniband.cm.rep.initdepth", 8), ("infiniband.cm.rep.tgtackdelay", 5),
    ("infiniband.cm.rep.failoveracc", 2), ("infiniband.cm.rep.e2eflowctrl", 1), ("infiniband.cm.rep.rnrretrcount", 3),
    ("infiniband.cm.rep.srq", 1), ("infiniband.cm.rep.reserved", 4), ("infiniband.cm.rep.localcaguid", 64),
]  # fmt: skip
CM_REJ = [
    ("infiniband.cm.rej.localcommid", 32), ("infiniband.cm.rej.remotecommid", 32), ("infiniband.cm.rej.msgrej", 2),
    ("infiniband.cm.rej.reserved0", 6), ("infiniband.cm.rej.rejinfolen", 7), ("infiniband.cm.rej.reserved1", 1),
    ("infiniband.cm.rej.reason", 16),
]  # fmt: skip
CM_RTU = [("infiniband.cm.rtu.localcommid", 32), ("infiniband.cm.rtu.remotecommid", 32)]
CM_DREQ = [
    ("infiniband.cm.dreq.localcommid", 32), ("infiniband.cm.dreq.remotecommid", 32),
    ("infiniband.cm.req.remoteqpneecn", 24), ("rdma.cm.dreq.reserved11", 8),
]  # fmt: skip
CM_DREP = [("infiniband.cm.drsp.localcommid", 32), ("infiniband.cm.drsp.remotecommid", 32)]
CM_SIDR_REQ = [
    ("rdma.cm.sidr_req.request_id", 32), ("rdma.cm.sidr_req.pkey", 16), ("rdma.cm.sidr_req.reserved6", 16),
    ("rdma.cm.sidr_req.serviceid", 64),
]  # fmt: skip
CM_SIDR_REP = [
    ("rdma.cm.sidr_rep.request_id", 32), ("rdma.cm.sidr_rep.status", 8),
    ("rdma.cm.sidr_rep.additional_info_length", 8), ("rdma.cm.sidr_rep.vendor_id_high", 16),
    ("rdma.cm.sidr_rep.qpn", 24), ("rdma.cm.sidr_rep.vendor_id_low", 8), ("rdma.cm.sidr_rep.serviceid", 64),
    ("rdma.cm.sidr_rep.qkey", 32),
]  # fmt: skip

REQUEST_KEY = b"MPA ID Req Frame"
REPLY_KEY = b"MPA ID Rep Frame"
MPA = [
    ("iwarp_mpa.marker_flag", 1), ("iwarp_mpa.crc_flag", 1), ("iwarp_mpa.rej_flag", 1),
    ("iwarp_mpa.enhanced_flag", 1), ("rdma.mpa.reserved4", 4), ("iwarp_mpa.rev", 8), ("iwarp_mpa.pdlength", 16),
]  # fmt: skip
MPA_ENHANCED = [
    ("iwarp_mpa.enhanced.a", 1), ("iwarp_mpa.enhanced.b", 1), ("iwarp_mpa.enhanced.ird", 14),
    ("iwarp_mpa.enhanced.c", 1), ("iwarp_mpa.enhanced.D", 1), ("iwarp_mpa.enhanced.ord", 14),
]  # fmt: skip
# The RDMAP control octet and what follows it in an untagged header is what DDP keeps for its upper layer.
DDP_CONTROL = [
    ("iwarp_ddp.tagged_flag", 1), ("iwarp_ddp.last_flag", 1), ("iwarp_ddp.rsvd", 4), ("iwarp_ddp.dv", 2),
]  # fmt: skip
RDMAP_CONTROL = [("iwarp_rdma.version", 2), ("iwarp_rdma.rsv", 2), ("iwarp_rdma.opcode", 4)]
TAGGED = [("iwarp_ddp.stag", 32), ("iwarp_ddp.tagged_offset", 64)]
INVALIDATE = [("iwarp_rdma.inval_stag", 32)]
RESERVED = [("iwarp_rdma.reserved", 32)]
UNTAGGED = [("iwarp_ddp.qn", 32), ("iwarp_ddp.msn", 32), ("iwarp_ddp.mo", 32)]
READ_REQUEST = [
    ("iwarp_rdma.sinkstag", 32), ("iwarp_rdma.sinkto", 64), ("iwarp_rdma.rdmardsz", 32), ("iwarp_rdma.srcstag", 32),
    ("iwarp_rdma.srcto", 64),
]  # fmt: skip
TERMINATE = [
    ("rdma.terminate.error", 16), ("iwarp_rdma.term_hdrct_m", 1), ("iwarp_rdma.hdrct_d", 1),
    ("iwarp_rdma.hdrct_r", 1), ("iwarp_rdma.term_rsvd", 13),
]  # fmt: skip
ATOMIC_REQUEST = [
    ("iwarp_rdma.atomic.reserved", 28), ("iwarp_rdma.atomic.opcode", 4),
    ("iwarp_rdma.atomic.request_identifier", 32), ("iwarp_rdma.atomic.remote_stag", 32),
    ("iwarp_rdma.atomic.remote_tagged_offset", 64), ("data", 64), ("mask", 64),
    ("iwarp_rdma.atomic.compare_data", 64), ("iwarp_rdma.atomic.compare_mask", 64),
]  # fmt: skip
ATOMIC_RESPONSE = [
    ("iwarp_rdma.atomic.original_request_identifier", 32), ("iwarp_rdma.atomic.original_remote_data_value", 64),
]  # fmt: skip
IMMEDIATE = [("rdma.immediate_data.data", 64)]


def pack(layout, values):
    """The header's octets; what is not among the values is 0."""
    number = bits = 0
    for name, width in layout:
        value = values.get(name, 0)
        assert 0 <= value < 1 << width, (name, value)
        number = number << width | value
        bits += width
    assert bits % 8 == 0
    return number.to_bytes(bits // 8, "big")


def size(layout):
    return sum(width for _, width in layout) // 8


def _reflected(polynomial, data, width):
    crc = mask = (1 << width) - 1
    for octet in data:
        crc ^= octet
        for _ in range(8):
            crc = crc >> 1 ^ (polynomial if crc & 1 else 0)
    return crc ^ mask


def crc16(data):
    """VCRC and LPCRC: polynomial 0x100B, reflected."""
    return struct.pack("<H", _reflected(0xD008, data, 16))


def crc_field(data):
    """Of an FPDU."""
    return struct.pack("<I", sums.crc32c(data))


def icrc(network, kind, transport):
    """network: LRH, GRH or IP header and UDP, as they go; kind: of its first header. transport: BTH up to the pad."""
    masked = bytearray(network)
    if kind == "ipv4":
        masked[1] = masked[8] = 0xFF
        masked[10:12] = masked[26:28] = b"\xff\xff"
    elif kind == "ipv6":
        masked[0] |= 0x0F
        masked[1:4] = b"\xff\xff\xff"
        masked[7] = 0xFF
        masked[46:48] = b"\xff\xff"
    else:
        at = 0
        if kind == "lrh":
            masked[0] |= 0xF0
            at = 8
            if len(masked) > 8:
                masked[:8] = b"\xff" * 8
        if len(masked) > at:  # a GRH
            masked[at] |= 0x0F
            masked[at + 1 : at + 4] = b"\xff\xff\xff"
            masked[at + 7] = 0xFF
    if kind != "lrh":
        masked = bytearray(b"\xff" * 8) + masked
    body = bytearray(transport)
    body[4] = 0xFF
    return struct.pack("<I", zlib.crc32(bytes(masked + body)))


def ipv4(payload_len, tos=0, ttl=64, flags=0x4000, ihl=5, total=None, bad_sum=False, version=4):
    options = b"\x01" * (4 * (ihl - 5))
    total = 20 + len(options) + payload_len if total is None else total
    head = struct.pack("!BBHHHBBH4s4s", version << 4 | ihl, tos, total, 0x1234, flags, ttl, 17, 0,
                       bytes([10, 0, 0, 1]), bytes([10, 0, 0, 2])) + options  # fmt: skip
    value = sums.checksum(head) ^ (0x0100 if bad_sum else 0)
    return head[:10] + struct.pack("!H", value) + head[12:]


def ipv6(payload_len, traffic_class=0, flow=0x12345, hop_limit=64):
    return struct.pack("!IHBB16s16s", 6 << 28 | traffic_class << 20 | flow, payload_len, 17, hop_limit,
                       bytes.fromhex("20010db8000000000000000000000001"),
                       bytes.fromhex("20010db8000000000000000000000002"))  # fmt: skip


def fpdu(ulpdu, crc=True):
    body = struct.pack("!H", len(ulpdu)) + ulpdu
    body += bytes(-len(body) % 4)
    return body + (crc_field(body) if crc else bytes(4))


def marked_stream(ulpdus, at=0, crc=True):
    """FPDUs with Markers, of which the first begins at that octet of its direction (a multiple of 4)."""
    out = bytearray()
    place = at
    for ulpdu in ulpdus:
        body = struct.pack("!H", len(ulpdu)) + ulpdu
        body += bytes(-len(body) % 4)
        words = [body[i : i + 4] for i in range(0, len(body), 4)] + [None]
        covered = bytearray()
        begins = None
        for word in words:
            if place % 512 == 0:
                marker = struct.pack("!HH", 0, 0 if begins is None else place - begins)
                out += marker
                covered += marker
                place += 4
            if begins is None:
                begins = place
            if word is None:
                word = crc_field(bytes(covered)) if crc else bytes(4)
            covered += word
            out += word
            place += 4
    return bytes(out)
