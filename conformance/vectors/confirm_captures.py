"""Has packet vectors confirmed by captures: real devices have sent, or not taken, such frames."""

from conformance.vectors import captured_packets, captures, decode
from conformance.vectors.text import number, unpack

# What a frame's addresses and payload decide, and so may be another in a frame that confirms a vector.
OWN = {
    "infiniband.bth.destqp", "infiniband.bth.psn", "infiniband.bth.padcnt", "infiniband.deth.q_key",
    "infiniband.deth.srcqp", "infiniband.reth.va", "infiniband.reth.r_key", "infiniband.reth.dmalen",
    "infiniband.atomiceth.swapdt", "infiniband.atomiceth.cmpdt", "infiniband.aeth.msn",
    "infiniband.atomicacketh.origremdt", "infiniband.immdt", "infiniband.ieth", "infiniband.invariant.crc",
    "iwarp_ddp.stag", "iwarp_ddp.tagged_offset", "iwarp_ddp.msn", "iwarp_ddp.mo", "iwarp_rdma.inval_stag",
    "iwarp_rdma.sinkstag", "iwarp_rdma.sinkto", "iwarp_rdma.rdmardsz", "iwarp_rdma.srcstag", "iwarp_rdma.srcto",
    "iwarp_mpa.pdlength", "iwarp_mpa.enhanced.ird", "iwarp_mpa.enhanced.ord",
}  # fmt: skip


def kind_of(vector):
    """What must be alike: the form, and the fields that are not its own."""
    form = vector["form"]
    if form == "ethernet":
        frame = decode.ethernet(unpack(vector["octets"]))
        form = "%s ce %d" % (frame.form, frame.traffic_class & 3 == 3)
    return form, frozenset((name, number(value)) for name, value in vector["fields"].items() if name not in OWN)


def text(capture, frame):
    return "capture %s.pcap frame %d" % (capture, frame)


class Captures:
    """Which frames confirm a vector."""

    def __init__(self, vectors):
        self.by_kind = {}
        for vector in vectors:
            place = captured_packets.place_of(vector)
            if place and "fields" in vector:
                self.by_kind.setdefault(kind_of(vector), place)

    def confirming(self, vector):
        """As `confirmed_by` has them."""
        place = captured_packets.place_of(vector)
        if place is None:
            alike = self.by_kind.get(kind_of(vector)) if "fields" in vector else None
            return [text(*alike)] if alike else []
        capture, number_of_frame = place
        frames = captures.frames(capture + ".pcap")
        if unpack(vector["octets"]) not in frames[number_of_frame - 1]:
            return []
        if "refused" not in vector:
            return [text(*place)]
        _, _, answer, octets = captured_packets.REFUSED[place]
        return [text(*place), text(capture, answer)] if octets in frames[answer - 1] else []
