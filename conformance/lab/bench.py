"""What the cases of `smoke` work with: the guest, our peer, and how the two reach each other."""

import concurrent.futures
import contextlib
import dataclasses
import json
import pathlib
import re
import select
import signal
import subprocess
import time

from conformance.lab import machine, relay

PORT = 7174
LINE_LEN_MAX = 1 << 16
# What ends a program may take beyond its own time limit.
GRACE_S = 10

# 0 when a program listens, 1 if none does after a second or two.
LISTENS = "n=0; until rdma resource show cm_id | grep -q LISTEN; do n=$((n+1)); [ $n -lt 20 ] || exit 1; usleep 50000; done"

SIW_DEFAULTS = ("mpa_crc_required=0", "mpa_version=2", "peer_to_peer=0", "try_gso=0")

# The last words of an rping that had done its work: one of its threads has closed what the other still reads, and which
# of the two ends the program is chance.
RPING_RACED_STATUS = 255
RPING_RACED = re.compile(r"(client|server) DISCONNECT EVENT\.\.\.\s+rdma_get_cm_event: Bad file descriptor\s*")


class Failure(Exception):
    """What did not go as it must, with what the programs printed."""


def check(condition, what, *shown):
    if not condition:
        raise Failure("\n".join([what, *(json.dumps(one) if isinstance(one, dict) else str(one) for one in shown)]))


@dataclasses.dataclass(frozen=True)
class Network:
    """How the two reach each other, and what they are told about it."""

    name: str
    wire: tuple  # of our peer; WIRE stands for the lab's
    device: str  # the kernel's
    kernel: str  # address of the kernel as our client sees it; TCP stands for the forwarded port
    kernel_listens: str
    peer: str  # our peer's, as the kernel sees it
    peer_listens: str  # without the port
    siw: tuple = ()  # parameters of the module
    peer_options: tuple = ()

    @property
    def is_tcp(self):
        return self.wire[1] == "tcp"


ROCE = (
    "--wire", "WIRE", "--mac", machine.PEER_MAC,
    "--address", machine.PEER_IP + "/24", "--address", machine.PEER_IP6 + "/64",
)  # fmt: skip


def roce(name, kernel, peer):
    return Network(name, ROCE, "rxe", kernel, kernel.strip("[]"), peer, "")


def iwarp(name, siw=(), peer_options=()):
    return Network(
        name, ("--wire", "tcp"), "siw", "TCP", machine.TCP_IP, machine.HOST_IP, "127.0.0.1:", siw, peer_options
    )


IPV4 = roce("RoCEv2 over IPv4", machine.IPS["a"], machine.PEER_IP)
IPV6 = roce("RoCEv2 over IPv6", f"[{machine.IP6S['a']}]", machine.PEER_IP6)
WITHOUT_CRC = iwarp("iWARP without CRC", ("mpa_crc_required=0",), ("--crc", "off"))
WITH_CRC = iwarp("iWARP with CRC", ("mpa_crc_required=1",))
REVISION_1 = iwarp("iWARP, MPA revision 1", ("mpa_version=1",), ("--mpa-revision", "1"))
PEER_TO_PEER = iwarp("iWARP, peer to peer", ("peer_to_peer=1",), ("--rtr", "write"))


class Case:
    """One thing to prove. name says it; run(bench) raises Failure if it is not so."""

    why_not = ""  # why it cannot be run, if so
    tries = 1
    timeout_s = None  # where it needs more than others
    note = ""  # what its line says besides, once it has run

    def __str__(self):
        return self.name


@dataclasses.dataclass
class Peer:
    """Our peer at work, and what it has said so far."""

    process: subprocess.Popen
    said: str = ""
    port: int = 0  # where it listens, if it does

    def peak_kib(self):
        """The most memory that it has had."""
        text = pathlib.Path(f"/proc/{self.process.pid}/status").read_text(encoding="ascii")
        return int(re.search(r"VmHWM:\s+(\d+) kB", text)[1])


class Bench:
    def __init__(self, lab, program, timeout_s):
        self.lab = lab
        self.program = program
        self.timeout_s = timeout_s

    @property
    def guest(self):
        return self.lab.guests[0]

    def fit(self, case, network):
        """What the case gets: the time it needs, and the guest as its network wants it."""
        self.case_timeout_s = max(self.timeout_s, case.timeout_s or 0)
        if network.is_tcp:
            settings = (value.partition("=") for value in (*SIW_DEFAULTS, *network.siw))
            self.in_guest("; ".join(f"echo {value} >/sys/module/siw/parameters/{name}" for name, _, value in settings))

    def in_guest(self, program, status_wanted=0):
        status, output = self.guest.run(program, self.case_timeout_s)
        raced = status == RPING_RACED_STATUS and RPING_RACED.fullmatch(output)
        if status_wanted is not None and not raced:
            check(status == status_wanted, f"in the guest: {program}: exit code {status}", output[-2000:])
        return output

    # --- Our peer ---

    def start(self, network, *words, port=PORT):
        values = {"WIRE": self.lab.environment.get("LAB_WIRE"), "TCP": self.lab.environment.get(f"LAB_TCP_{port}")}
        words = [*words, *network.wire, *network.peer_options, "--json", "--time-limit", str(int(self.case_timeout_s))]
        return Peer(
            subprocess.Popen(
                [str(self.program), "peer", *(values.get(word, word) for word in words)],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                pass_fds=[end.fileno() for end in self.lab.inherited],
            )
        )

    def wait_for(self, peer, words):
        """Until it says words on standard error."""
        end = time.monotonic() + self.case_timeout_s
        while words not in peer.said:
            left = end - time.monotonic()
            ready = left > 0 and select.select([peer.process.stderr], [], [], left)[0]
            line = peer.process.stderr.raw.read(LINE_LEN_MAX) if ready else b""
            if not line:
                raise Failure(f"our peer does not say {words!r}: {peer.said}{self.end(peer)}")
            peer.said += line.decode(errors="replace")

    def end(self, peer):
        """At once; gives what it still had to say."""
        peer.process.kill()
        out, err = peer.process.communicate()
        return (err + out).decode(errors="replace")

    def finish(self, peer, code=0):
        """Its summary, with its other lines as "said"; Failure if it does not end with that exit code (None: 0 or 1)."""
        try:
            out, err = peer.process.communicate(timeout=self.case_timeout_s + GRACE_S)
        except subprocess.TimeoutExpired:
            peer.process.kill()
            out, err = peer.process.communicate()
            raise Failure(f"our peer did not end\n{peer.said}{err.decode()}{out.decode()}") from None
        peer.said += err.decode(errors="replace")
        codes = (0, 1) if code is None else (code,)
        check(peer.process.returncode in codes, f"our peer: exit code {peer.process.returncode}", peer.said, out.decode())
        try:
            return json.loads(out) | {"said": peer.said}
        except json.JSONDecodeError:
            raise Failure(f"our peer's summary is no JSON\n{peer.said}{out.decode()}") from None

    def interrupt(self, peer, code=0):
        peer.process.send_signal(signal.SIGINT)
        return self.finish(peer, code)

    @contextlib.contextmanager
    def server(self, network, service, *words, port=PORT):
        """Our peer, listening on that port, or on TCP, where this machine's others listen too, on a free one; it is gone
        at the end in any case."""
        (port,) = machine.free_ports(1) if network.is_tcp else (port,)
        peer = self.start(network, service, "--listen", f"{network.peer_listens}{port}", *words)
        peer.port = port
        try:
            self.wait_for(peer, "listening")
            yield peer
        finally:
            self.end(peer)

    # --- The kernel's side ---

    @contextlib.contextmanager
    def kernel_server(self, program, must_end=True):
        """A program in the guest that listens; what comes at the end is its failure, unless it need not end well."""
        name = program.split()[0]
        with concurrent.futures.ThreadPoolExecutor(1) as pool:
            running = pool.submit(self.in_guest, program, 0 if must_end else None)
            try:
                while self.guest.run(LISTENS, self.case_timeout_s)[0]:
                    if running.done():
                        running.result()
                        raise Failure(f"{program} ended before it listened")
                yield
                if must_end:
                    running.result()
            finally:
                # Also where it has ended: the next case must find the port free.
                self.kill_in_guest(name)

    def kill_in_guest(self, name):
        self.guest.run(f"killall -q -9 {name}; true", self.case_timeout_s)

    # --- The links ---

    def link(self, name):
        """The relay on that link: "wire" or "tcp-a"."""
        return next(one for one in self.lab.relays if one.name == name)

    @contextlib.contextmanager
    def impaired(self, name, what, seed=1):
        """The link loses and changes frames meanwhile; gives what became of them."""
        link = self.link(name)
        before = link.counts()
        link.impair(relay.Impairment.parse(what), seed)
        counts = {}
        try:
            yield counts
        finally:
            link.impair(relay.Impairment(), seed)
            counts |= {key: value - before[key] for key, value in link.counts().items()}
