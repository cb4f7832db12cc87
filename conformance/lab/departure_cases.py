"""What Linux does that the standards do not have so: our peer must get on with it, and say it."""

import dataclasses

from conformance.lab import bench
from conformance.lab.bench import check

TRY_GSO = dataclasses.replace(bench.WITH_CRC, siw=("mpa_crc_required=1", "try_gso=1"))


@dataclasses.dataclass
class Told(bench.Case):
    """Our client meets a server of the kernel's, and says the words."""

    what: str
    network: bench.Network
    server: str  # the kernel's; {} is where it listens
    words: tuple  # of our peer; {} is where it connects
    said: tuple  # all of these, somewhere in the summary
    code: int = 1

    def __post_init__(self):
        self.tries = 2 if self.network.is_tcp else 1

    @property
    def name(self):
        return f"{self.network.name}: {self.what}"

    def run(self, table):
        table.fit(self, self.network)
        with table.kernel_server(self.server.format(self.network.kernel_listens), must_end=False):
            peer = table.start(self.network, *(self.network.kernel if word == "{}" else word for word in self.words))
            report = table.finish(peer, self.code)
        for words in self.said:
            check(words in str(report), f"our peer does not say {words!r}", report)


class TryGso(bench.Case):
    """siw that would send segments of 64 KiB sets a reserved bit in its Request."""

    name = f"{TRY_GSO.name}: a reserved bit in the Request, for segments of 64 KiB"
    tries = 2

    def run(self, table):
        table.fit(self, TRY_GSO)
        with table.server(TRY_GSO, "rping", "--connections", "1") as server:
            table.in_guest(f"rping -c -V -a {TRY_GSO.peer} -p {server.port} -C 5")
            report = table.finish(server)
        check("flag_gso" in str(report), "our peer does not say it", report)


RPING = f"rping -s -a {{}} -p {bench.PORT} -C 100"
RPING_CLIENT = ("rping", "--connect", "{}", "--count", "5")
# Five receives, which nobody posts anew.
FIVE_RECEIVES = f"ucmatose -b {{}} -p {bench.PORT} -C 5 -S 100"
MANY_SENDS = ("perf", "--op", "send", "--size", "100", "--count", "0", "--connect", "{}")
BAD_INVALIDATES = ("perf", "--op", "send-invalidate", "--size", "100", "--count", "5", "--depth", "1", "--connect", "{}")
# rping sends 16 octets.
TOO_SHORT = f"ucmatose -b {{}} -p {bench.PORT} -C 1 -S 8"


def quick():
    yield Told("no credits, and the M bit clear", bench.IPV4, RPING, RPING_CLIENT,
               ("ACKs carry no credits (code 31", "m_bit_clear"), code=0)  # fmt: skip
    yield Told("packets marked as congested draw no CNP", bench.IPV4, RPING, (*RPING_CLIENT, "--ecn", "ce"),
               ("never_send_cnp",), code=0)  # fmt: skip
    yield Told("a SEND that is too long", bench.IPV4, TOO_SHORT, RPING_CLIENT,
               ("REM_OP_ERR", "where the standard has invalid request"))  # fmt: skip
    yield Told("no receive is posted", bench.IPV4, FIVE_RECEIVES, MANY_SENDS,
               ("the longest wait, 655.36 ms", "sequence_nak_after_rnr"))  # fmt: skip
    yield Told("a SEND that invalidates what it may not", bench.IPV4, FIVE_RECEIVES, BAD_INVALIDATES,
               ("acknowledge_bad_invalidate", "the peer ended the connection (DREQ)"))  # fmt: skip
    yield TryGso()
    yield Told("Markers are refused", bench.WITH_CRC, RPING, (*RPING_CLIENT, "--markers", "on"),
               ("MPA: the responder rejects the Request",))  # fmt: skip
    yield Told("no READs in revision 1", bench.REVISION_1, RPING, RPING_CLIENT, ("the peer",))
    # The same Terminate as where no receive is posted. The last one: siw may not start another connection soon after it.
    yield Told("a SEND that is too long", bench.WITH_CRC, TOO_SHORT, RPING_CLIENT,
               ("no buffer available (its bits in the order of Linux siw)", "terminate_bits_reversed"))  # fmt: skip
