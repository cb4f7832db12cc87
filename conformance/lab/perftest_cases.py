"""perftest's programs in the guest, with -R, against our peer."""

import dataclasses
import re
import struct
import zlib

from conformance.lab import bench
from conformance.lab.bench import check

PORT = 18515
COUNT = 20
SIZES = (1, 1024, 1025, 65536)
REGION_LEN = 1 << 20


def crc32_of(octets):
    """As a report shows it, of a region that begins so and is 0 elsewhere."""
    return f"{zlib.crc32(octets.ljust(REGION_LEN, bytes(1))):08x}"


# ib_atomic_bw adds 1 to words that lie 64 octets apart; what it compares with is not there.
ADDED = b"".join(struct.pack("<Q", 1).ljust(64, b"\0") for _ in range(COUNT))


@dataclasses.dataclass
class Perftest(bench.Case):
    network: bench.Network
    operation: str  # send, write, read, FETCH_AND_ADD or CMP_AND_SWAP
    size: int  # octets

    def __post_init__(self):
        self.tries = 2 if self.network.is_tcp else 1
        is_atomic = self.operation.isupper()
        self.program = f"ib_atomic_bw -A {self.operation}" if is_atomic else f"ib_{self.operation}_bw -s {self.size}"

    @property
    def name(self):
        return f"{self.network.name}: {self.program}, {COUNT} x {self.size} octets"

    def run(self, table):
        table.fit(self, self.network)
        with table.server(self.network, "perftest", "--connections", "2", port=PORT) as server:
            try:
                how = f"-R -F -d {self.network.device} -p {server.port} -n {COUNT}"
                said = table.in_guest(f"{self.program} {how} {self.network.peer}")
                report = table.finish(server)
            finally:
                table.kill_in_guest(self.program.split()[0])
        check(re.search(rf"^ {self.size} +{COUNT} ", said, re.MULTILINE), "no result", said)
        parts = {one["part"]: one for one in report["connections"]}
        check(sorted(parts) == ["exchange", "test"], "not two connections", report)
        self.check_test(parts["test"], report)

    def check_test(self, test, report):
        crc32, untouched = test["memory"]["crc32"], crc32_of(b"")
        if self.operation == "FETCH_AND_ADD":
            check(crc32 == crc32_of(ADDED), "not each word was added to once", report)
        elif self.operation == "write":
            # Its data are chosen by chance: one octet may be 0.
            check(crc32 != untouched or self.size == 1, "nothing was written", report)
        else:
            check(crc32 == untouched, "memory was written", report)
        if self.operation == "send":
            received = {one["operation"]: one for one in test["operations"]}["RECV"]
            check((received["count"], received["octets"]) == (COUNT, COUNT * self.size), "not all arrived", report)


def quick():
    """One over each family, and an atomic operation."""
    yield Perftest(bench.IPV4, "write", 1025)
    yield Perftest(bench.IPV4, "FETCH_AND_ADD", 8)
    yield Perftest(bench.WITH_CRC, "send", 1025)


def full():
    for network in (bench.IPV4, bench.WITH_CRC):
        for operation in ("send", "write", "read"):
            for size in SIZES:
                yield Perftest(network, operation, size)
    # Soft-iWARP has no atomic operations.
    yield Perftest(bench.IPV4, "FETCH_AND_ADD", 8)
    yield Perftest(bench.IPV4, "CMP_AND_SWAP", 8)
