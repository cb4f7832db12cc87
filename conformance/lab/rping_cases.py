"""rping between our peer and the kernel, each as client and as server, and over bad networks. Our peer records each
run, and the recording is judged."""

import dataclasses

from conformance.lab import bench, captured
from conformance.lab.bench import check

# The most that rping takes.
LARGE = 65535

NETWORKS = (bench.IPV4, bench.IPV6, bench.WITHOUT_CRC, bench.WITH_CRC, bench.REVISION_1, bench.PEER_TO_PEER)
CLIENT, SERVER = "our client, the kernel's server", "the kernel's client, our server"
ROLES = (CLIENT, SERVER)


@dataclasses.dataclass
class Rping(bench.Case):
    network: bench.Network
    role: str
    size: int  # octets
    count: int
    options: tuple = ()  # more of our peer's
    how: str = ""
    in_order: bool = True  # the run ends well
    hears_farewell: bool = True  # of the kernel's client, for sure

    def __post_init__(self):
        # On a busy machine siw now and then never reads what follows its MPA Reply: such a connection gets one more try.
        self.tries = 2 if self.network.is_tcp else 1
        if self.network == bench.REVISION_1 and self.role == CLIENT:
            self.why_not = (
                "in revision 1 Soft-iWARP has no READs, with which this server begins; the kernel's client fares no better"
            )

    @property
    def name(self):
        return f"{self.network.name}{self.how}: {self.role}, {self.count} x {self.size} octets"

    def run(self, table):
        with captured.folder() as folder:
            path = folder / "rping.pcapng"
            report = self.ping(table, "--record", str(path))
            self.note = captured.check_recording(table.program, path, report, bool(table.lab.options.impair))

    def ping(self, table, *more):
        table.fit(self, self.network)
        options = ["--size", str(self.size), "--count", str(self.count), *self.options, *more]
        where = f"-C {self.count} -S {self.size}"
        if self.role == CLIENT:
            with table.kernel_server(f"rping -s -a {self.network.kernel_listens} {where}", self.in_order):
                peer = table.start(self.network, "rping", "--connect", self.network.kernel, *options)
                report = table.finish(peer, 0 if self.in_order else 1)
        else:
            with table.server(self.network, "rping", "--connections", "1", *options) as server:
                try:
                    client = f"rping -c -V -a {self.network.peer} -p {server.port} {where}"
                    table.in_guest(client, 0 if self.in_order else None)
                    code = 0 if self.in_order else 1
                    report = table.finish(server, code if self.hears_farewell else None)
                finally:
                    table.kill_in_guest("rping")
        self.judge(report)
        return report

    def judge(self, report):
        one = report["connections"][0]
        check((one["turns"], one["turns_verified"]) == (self.count, self.count), "not all turns were right", report)


# What each frame may meet, in each direction.
BAD = "5%"
# rping's server READs. What our peer sees of the kernel that has lost responses, or is asked for them again.
DEPARTURES = {CLIENT: "gap_waits_for_timeout", SERVER: "repeat_read_as_before"}


class ImpairedRoce(Rping):
    """Our peer impairs its own wire: the recording must show just what was done on purpose."""

    timeout_s = 900

    def __init__(self, role, size, count):
        how = f", {BAD} each of loss, duplication, reordering and corruption"
        super().__init__(bench.IPV4, role, size, count, how=how)
        what = f"loss={BAD},dup={BAD},reorder={BAD}:3,corrupt={BAD}"
        # The kernel does not repeat its DREQ once its program has ended. Who has not got it asks for a sign of life.
        self.hears_farewell = role == CLIENT
        # The code of 67 ms. A client's is the kernel's as well.
        self.options = ("--impair", what, "--seed", "3", "--ack-timeout", "14")

    def ping(self, table, *more):
        report = super().ping(table, *more)
        for way in ("sent", "received"):
            for kind in ("lost", "duplicated", "corrupted"):
                check(report["on_purpose"][way].get(kind, 0) > 0, f"no frame was {kind}", report)
        fault = report["connections"][0].get("fault")
        check(not fault or fault.startswith("RDMA_WRITE ended with RETRY_EXC_ERR"), "no farewell, and no sign of life", report)
        if self.size == LARGE:
            told = [one.get("quirk") for one in report["departures"]]
            check(DEPARTURES[self.role] in told, "what the kernel does with a gap is not told", report)
        return report


class ImpairedTcp(Rping):
    """Our peer holds its octets back, as if TCP had lost segments."""

    timeout_s = 900

    def __init__(self, role, size, count):
        super().__init__(bench.WITH_CRC, role, size, count, how=", 1% of the segments late, all of them by a little")
        self.options = ("--impair", "loss=1%,delay=1ms,jitter=2ms", "--seed", "3")

    def ping(self, table, *more):
        report = super().ping(table, *more)
        check(any(one.get("late", 0) > 0 for one in report["on_purpose"].values()), "no segment was late", report)
        return report


class DamagedTcp(Rping):
    """A bit of an FPDU is wrong: who receives it ends the connection, and the recording has it. siw reads headers before
    it has seen the CRC, and may blame them."""

    def __init__(self, role):
        super().__init__(bench.WITH_CRC, role, 64, 1000, how=", a bit of an FPDU inverted")
        self.options = ("--impair", "corrupt=1%", "--seed", "6")
        self.in_order = False

    def run(self, table):
        super().run(table)
        check(", 1 bad CRC," in self.note, "the recording has not one bad CRC", self.note)

    def judge(self, report):
        fault = report["connections"][0]["fault"]
        told = "received MPA CRC does not match" in fault or "ended by the peer's Terminate" in fault
        check(told, "the fault is another one", report)


class ImpairedIwarp(Rping):
    """The lab impairs the path of TCP."""

    timeout_s = 900

    def __init__(self, role, size, count, what):
        super().__init__(bench.WITH_CRC, role, size, count, how=f" over TCP with {what}")
        self.what = what

    def ping(self, table, *more):
        # The guest's part of TCP can be told to repeat soon; the other end, QEMU's user-mode network, waits a second.
        # By its path: what runs a program in the guest would take its own `ip` first.
        route = "/usr/bin/ip route change 10.78.0.0/24 dev eth1 proto kernel scope link src 10.78.0.1"
        table.fit(self, self.network)
        table.in_guest(f"{route} rto_min 20ms")
        try:
            with table.impaired("tcp-a", self.what) as counts:
                report = super().ping(table, *more)
            for kind in ("lost", "duplicated", "corrupted", "reordered"):
                check(counts[kind] > 0, f"no frame was {kind}", counts)
            return report
        finally:
            table.in_guest(route)


def quick():
    """Each network and role once with small data, and large data over one network of each family."""
    for network in NETWORKS:
        for role in ROLES:
            yield Rping(network, role, 64, 100)
    for network in (bench.IPV4, bench.WITH_CRC):
        for role in ROLES:
            yield Rping(network, role, LARGE, 10)


def full():
    for network in NETWORKS:
        for role in ROLES:
            yield Rping(network, role, 64, 1000)
            yield Rping(network, role, LARGE, 100)


def impaired():
    for role in ROLES:
        yield ImpairedRoce(role, 64, 1000)
        yield ImpairedRoce(role, LARGE, 100)
    for role in ROLES:
        yield ImpairedTcp(role, 64, 100)
        yield ImpairedTcp(role, LARGE, 10)
        yield DamagedTcp(role)
        yield ImpairedIwarp(role, 64, 1000, "loss=1%,dup=5%,corrupt=1%,reorder=1%")
        yield ImpairedIwarp(role, LARGE, 100, "loss=1%,dup=5%,corrupt=1%,reorder=1%")
