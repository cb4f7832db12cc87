"""`smoke`: rping between `rdmawire peer` and the Linux kernel, both ways, over RoCEv2 and iWARP, in one boot."""

import argparse
import concurrent.futures
import dataclasses
import json
import pathlib
import select
import subprocess
import sys
import time

from conformance.lab import control, image, launch, machine

PORT = 7174
LINE_LEN_MAX = 1 << 16

# The most that rping takes.
LARGE = 65535
# 0 when a program listens, 1 if none does after a second or two.
LISTENS = "n=0; until rdma resource show cm_id | grep -q LISTEN; do n=$((n+1)); [ $n -lt 20 ] || exit 1; usleep 50000; done"


@dataclasses.dataclass(frozen=True)
class Network:
    """How the two reach each other, and what they are told about it."""

    name: str
    wire: tuple  # of our peer; WIRE stands for the lab's
    kernel: str  # address of the kernel as our client sees it; TCP stands for the forwarded port
    kernel_listens: str
    peer: str  # our peer's, as the kernel sees it
    peer_listens: str
    siw: tuple = ()  # parameters of the module
    peer_options: tuple = ()
    no_server: str = ""  # why rping's server of the kernel cannot work here, if so


ROCE = (
    "--wire", "WIRE", "--mac", machine.PEER_MAC,
    "--address", machine.PEER_IP + "/24", "--address", machine.PEER_IP6 + "/64",
)  # fmt: skip


def roce(name, kernel, peer):
    return Network(name, ROCE, kernel, kernel, peer, str(PORT))


def iwarp(name, siw=(), peer_options=(), no_server=""):
    peer_listens = f"127.0.0.1:{PORT}"
    wire = ("--wire", "tcp")
    return Network(name, wire, "TCP", machine.TCP_IP, machine.HOST_IP, peer_listens, siw, peer_options, no_server)


NETWORKS = (
    roce("RoCEv2 over IPv4", machine.IPS["a"], machine.PEER_IP),
    roce("RoCEv2 over IPv6", f"[{machine.IP6S['a']}]", machine.PEER_IP6),
    iwarp("iWARP without CRC", ("mpa_crc_required=0",), ("--crc", "off")),
    iwarp("iWARP with CRC", ("mpa_crc_required=1",)),
    iwarp("iWARP, MPA revision 1", ("mpa_version=1",), ("--mpa-revision", "1"),
          "in revision 1 Soft-iWARP has no READs, with which this server begins; the kernel's client fares no better"),
    iwarp("iWARP, peer to peer", ("peer_to_peer=1",), ("--rtr", "write")),
)  # fmt: skip
SIW_DEFAULTS = ("mpa_crc_required=0", "mpa_version=2", "peer_to_peer=0")
ROLES = ("our client, the kernel's server", "the kernel's client, our server")


@dataclasses.dataclass(frozen=True)
class Case:
    network: Network
    role: str
    size: int  # octets
    count: int

    @property
    def why_not(self):
        return self.network.no_server if self.role == ROLES[0] else ""

    def __str__(self):
        return f"{self.network.name}: {self.role}, {self.count} x {self.size} octets"


def cases(full):
    """The quick ones: each network and role once with small data, and large data over one network of each family."""
    for network in NETWORKS:
        for role in ROLES:
            if full:
                yield Case(network, role, 64, 1000)
                yield Case(network, role, LARGE, 100)
            else:
                yield Case(network, role, 64, 100)
    if not full:
        for network in (NETWORKS[0], NETWORKS[3]):
            for role in ROLES:
                yield Case(network, role, LARGE, 10)


class Failure(Exception):
    """What did not go as it must, with what the programs printed."""


class Smoke:
    def __init__(self, lab, program, timeout_s):
        self.lab = lab
        self.guest = lab.guests[0]
        self.program = program
        self.timeout_s = timeout_s

    def peer(self, case, *arguments):
        """Our peer, started."""
        values = {"WIRE": self.lab.environment.get("LAB_WIRE"), "TCP": self.lab.environment[f"LAB_TCP_{PORT}"]}
        words = ["rping", *arguments, *case.network.wire, *case.network.peer_options]
        words += ["--size", str(case.size), "--count", str(case.count), "--json"]
        words += ["--time-limit", str(int(self.timeout_s))]
        return subprocess.Popen(
            [str(self.program), "peer", *(values.get(word, word) for word in words)],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            pass_fds=[end.fileno() for end in self.lab.inherited],
            text=True,
        )

    def finish(self, process):
        """Its summary; Failure if it does not end well."""
        try:
            out, err = process.communicate(timeout=self.timeout_s + 10)
        except subprocess.TimeoutExpired:
            process.kill()
            out, err = process.communicate()
            raise Failure(f"our peer did not end\n{err}{out}") from None
        if process.returncode:
            raise Failure(f"our peer: exit code {process.returncode}\n{err}{out}")
        try:
            return json.loads(out)
        except json.JSONDecodeError:
            raise Failure(f"our peer's summary is no JSON\n{err}{out}") from None

    def in_guest(self, program):
        status, output = self.guest.run(program, self.timeout_s)
        if status:
            raise Failure(f"in the guest: {program}: exit code {status}\n{output[-2000:]}")
        return output

    def our_client(self, case):
        listens = case.network.kernel_listens.strip("[]")
        with concurrent.futures.ThreadPoolExecutor(1) as pool:
            server = pool.submit(self.in_guest, f"rping -s -a {listens} -C {case.count} -S {case.size}")
            try:
                while self.guest.run(LISTENS, self.timeout_s)[0]:
                    if server.done():
                        server.result()
                        raise Failure("the kernel's server ended before it listened")
                self.finish(self.peer(case, "--connect", case.network.kernel))
                server.result()
            finally:
                # Also where it has ended: the next case must find the port free.
                self.guest.run("killall -q -9 rping; true", self.timeout_s)

    def our_server(self, case):
        process = self.peer(case, "--listen", case.network.peer_listens, "--connections", "1")
        try:
            said = b""
            end = time.monotonic() + self.timeout_s
            while b"listening" not in said:
                left = end - time.monotonic()
                if left <= 0 or process.poll() is not None or not select.select([process.stderr], [], [], left)[0]:
                    raise Failure("our peer does not listen: " + said.decode(errors="replace"))
                said += process.stderr.buffer.readline(LINE_LEN_MAX)
            self.in_guest(f"rping -c -V -a {case.network.peer} -p {PORT} -C {case.count} -S {case.size}")
            self.finish(process)
        finally:
            process.kill()
            process.wait()
            self.guest.run("killall -q -9 rping; true", self.timeout_s)

    def run(self, case):
        settings = [f"echo {value.partition('=')[2]} >/sys/module/siw/parameters/{value.partition('=')[0]}"
                    for value in (*SIW_DEFAULTS, *case.network.siw)]  # fmt: skip
        self.in_guest("; ".join(settings))
        (self.our_client if case.role == ROLES[0] else self.our_server)(case)


def run_all(smoke, wanted):
    """Runs the cases, prints a line for each, and gives (passed, failed)."""
    passed = failed = 0
    for case in wanted:
        if case.why_not:
            print(f"SKIPPED: {case}: {case.why_not}", flush=True)
            continue
        start = time.monotonic()
        # On a busy machine siw now and then never reads what follows its MPA Reply: such a connection gets one more try.
        tries = 2 if case.network.wire[1] == "tcp" else 1
        for attempt in range(1, tries + 1):
            try:
                smoke.run(case)
            except (Failure, control.GuestError) as error:
                if attempt < tries:
                    print(f"again: {case}: {error}", flush=True)
                    continue
                print(f"FAILED: {case}: {error}", flush=True)
                failed += 1
            else:
                print(f"ok: {case} ({time.monotonic() - start:.1f} s)", flush=True)
                passed += 1
            break
    return passed, failed


def main(arguments):
    parser = argparse.ArgumentParser(
        prog="smoke",
        description="rping between `rdmawire peer` and the Linux kernel's Soft-RoCE and Soft-iWARP, both ways.",
        epilog="Closes with `N passed, N failed, N skipped`. Exit code 1 if one failed.",
    )
    parser.add_argument("--full", action="store_true", help="1,000 turns of 64 octets and 100 of 65,535, of all")
    parser.add_argument("--install", action="store_true", help="install what the host lacks")
    parser.add_argument("--rdmawire", type=pathlib.Path, default=image.ROOT / "rdmawire", metavar="PATH")
    parser.add_argument("--record", metavar="PATH", help="records the links: PATH.wire.pcap, PATH.tcp-a.pcap")
    parser.add_argument("--impair", metavar="WHAT", default="", help="what the links do to frames, as of `run`")
    parser.add_argument("--seed", default="1", help="of --impair")
    parser.add_argument("--timeout", type=float, default=40.0, metavar="S", help="seconds for one case (default: 40)")
    parser.add_argument("--only", metavar="WORDS", default="", help="cases whose names have these words")
    options = parser.parse_args(arguments)
    wanted = [case for case in cases(options.full) if all(word in str(case) for word in options.only.split())]

    def skip(why):
        print(f"SKIPPED, all of it: {why}\n0 passed, 0 failed, {len(wanted)} skipped")
        return 0

    if lacks := image.missing(options.install):
        return skip(lacks)
    try:
        image.build()
    except image.Unavailable as error:
        return skip(error)
    except image.BuildError as error:
        print(f"FAILED: {error}\n0 passed, 1 failed, {len(wanted)} skipped")
        return 1
    words = ["--record", options.record] if options.record else []
    words += ["--impair", options.impair, "--seed", options.seed] if options.impair else []
    # Built before the guest boots, which would wait for it.
    subprocess.run([options.rdmawire, "--version"], stdout=subprocess.DEVNULL, check=True)
    launch.end_in_order_when_told()
    start = time.monotonic()
    try:
        with launch.Lab(launch.parse([*words, "--", "smoke"])) as lab:
            print(f"booted in {time.monotonic() - start:.1f} s", flush=True)
            passed, failed = run_all(Smoke(lab, options.rdmawire, options.timeout), wanted)
            if options.impair:
                for counts in lab.counts():
                    print("link: " + ", ".join(f"{number} {what}" for what, number in counts.items()))
    except control.GuestError as error:
        print(f"FAILED: the guest does not boot: {error}")
        passed, failed = 0, 1
    print(f"took {time.monotonic() - start:.0f} s")
    print(f"{passed} passed, {failed} failed, {max(0, len(wanted) - passed - failed)} skipped")
    return 1 if failed else 0
