"""Peers that do not behave: garbage, cut messages, half-open connections, floods, a guest that dies. Our peer must say what
was wrong, serve the next one, and keep within its memory."""

import contextlib
import dataclasses
import random
import socket
import struct
import threading
import time

from conformance.lab import bench, frames, launch, machine
from conformance.lab.bench import check
from conformance.vectors.wire import REPLY_KEY, REQUEST_KEY

MAX_CONNECTIONS = 4
HALF_OPEN = 3
FLOOD = 3000
# What a flood may cost of memory.
GROWTH_MAX_KIB = 16 << 10
RPING = "rping -c -V -C 10 -S 1024 -p {} -a {}"
# Half-open connections take all places until they are given up.
AGAIN = "n=0; until {}; do n=$((n+1)); [ $n -lt 20 ] || exit 1; sleep 1; done"


def spoilt(rng, samples):
    """Frames for our peer's MAC: no frames at all, frames of the guest's that are cut, changed, or changed with a right ICRC."""
    link = bytes.fromhex((machine.PEER_MAC + machine.MACS["a"]).replace(":", ""))
    for _ in range(1000):
        yield link + rng.randbytes(rng.randrange(0, 300))
        kind = rng.choice((b"\x08\x00\x45", b"\x86\xdd\x60", b"\x08\x06\x00\x01", b"\x81\x00\x00\x05\x08\x00\x45"))
        yield link + kind + rng.randbytes(rng.randrange(0, 120))
        frame = bytearray(rng.choice(samples))
        yield bytes(frame[: rng.randrange(len(frame))])
        for _ in range(rng.randrange(1, 5)):
            frame[rng.randrange(12, len(frame))] = rng.randrange(256)
        yield bytes(frame)
    for request in (one for one in samples if frames.is_request(one)):
        payload = request[frames.MAD_AT : -frames.ICRC_LEN]
        for length in range(0, len(payload), 3):
            yield frames.with_payload(request, payload[:length])
        for _ in range(300):
            changed = bytearray(payload)
            # The header of the MAD says that it is CM's: the message itself is what is wrong.
            for _ in range(rng.randrange(1, 9)):
                changed[rng.randrange(frames.MAD_HEADER_LEN, len(changed))] = rng.randrange(256)
            # What is accepted all the same must not stay half-open for long.
            yield frames.with_payload(request, frames.of_the_impatient(changed))


class RoceServer(bench.Case):
    name = "RoCEv2 over IPv4: our server survives garbage, cut CM messages, half-open connections and a flood of requests"
    timeout_s = 120

    def run(self, table):
        network, wire = bench.IPV4, table.link("wire")
        table.fit(self, network)
        with table.server(network, "rping", "--max-connections", str(MAX_CONNECTIONS)) as server:
            with wire.watched(0) as samples:
                table.in_guest(RPING.format(server.port, network.peer))
            samples = [one for one in samples if frames.is_rocev2(one)]
            requests = [one for one in samples if frames.is_request(one)]
            check(requests, "no connection request was seen")
            for one in samples:
                check(frames.sealed(one) == one, "an ICRC of the kernel's is not what it must be", one.hex())
            before = server.peak_kib()
            for frame in spoilt(random.Random(1), samples):
                wire.inject(1, frame)
            table.in_guest(AGAIN.format(RPING.format(server.port, network.peer)))
            # Never answered by an RTU: some take all places until they are given up, the others find none.
            for number in range(FLOOD):
                wire.inject(1, frames.request_of(requests[0], number))
            table.in_guest(AGAIN.format(RPING.format(server.port, network.peer)))
            growth = server.peak_kib() - before
            report = table.interrupt(server, code=1)
        check(growth < GROWTH_MAX_KIB, f"{growth} KiB more memory")
        faults = [one.get("fault") for one in report["connections"]]
        check(faults.count("CM: the peer does not answer") >= HALF_OPEN, "half-open connections are not told", report)
        check(report["port"]["requests_rejected"] > 100, "the flood was not rejected", report)
        check(report["frames_dropped"]["wrong invariant CRC"] > 100, "wrong ICRCs are not counted", report)
        good = [one for one in report["connections"] if one["good"] and one["turns"] == one["turns_verified"] == 10]
        check(len(good) == 3, "not all of the kernel's connections were served", report)


class RoceClient(bench.Case):
    name = "RoCEv2 over IPv4: our client survives garbage among the kernel's packets"
    timeout_s = 120

    def run(self, table):
        network, wire = bench.IPV4, table.link("wire")
        table.fit(self, network)
        count = 300
        with table.kernel_server(f"rping -s -a {network.kernel_listens} -C {count} -S 1024"):
            peer = table.start(network, "rping", "--connect", network.kernel, "--count", str(count), "--size", "1024")
            table.wait_for(peer, "connected with")
            with wire.watched(0) as samples:
                while not any(frames.is_rocev2(one) for one in samples):
                    time.sleep(0.01)
            samples = [one for one in samples if frames.is_rocev2(one)]
            rng = random.Random(2)
            sent = 0
            while peer.process.poll() is None and sent < 20000:
                frame = bytearray(rng.choice(samples))
                # Anything but the addresses of the link, with an ICRC that is wrong by one bit at least.
                for _ in range(rng.randrange(0, 4)):
                    frame[rng.randrange(12, len(frame))] = rng.randrange(256)
                frame[-1] = frames.icrc(frame)[-1] ^ 1
                wire.inject(1, bytes(frame))
                sent += 1
            report = table.finish(peer)
        check(report["connections"][0]["turns_verified"] == count, "not all turns were right", report)
        check(report["frames_dropped"]["wrong invariant CRC"] > 50, "garbage is not counted", report)


class IwarpServer(bench.Case):
    name = "iWARP with CRC: our server survives garbage, cut MPA Requests, stalled start-ups and a flood of connections"
    timeout_s = 120
    tries = 2

    def run(self, table):
        network = bench.WITH_CRC
        table.fit(self, network)
        rng = random.Random(3)
        request = REQUEST_KEY + struct.pack(">BBH", 0x40, 1, 20) + bytes(20)
        with table.server(network, "rping", "--max-connections", str(MAX_CONNECTIONS)) as server, contextlib.ExitStack() as open_ones:
            table.in_guest(RPING.format(server.port, network.peer))
            before = server.peak_kib()
            stalled = [open_ones.enter_context(socket.create_connection(("127.0.0.1", server.port))) for _ in range(HALF_OPEN)]
            for number, one in enumerate(stalled):
                one.sendall(request[: 10 * number])
            # One place is left for the others.
            table.in_guest(RPING.format(server.port, network.peer))
            num_bad = 0
            for length in range(len(request)):
                num_bad += self.abuse(server, request[:length])
            for _ in range(100):
                num_bad += self.abuse(server, rng.randbytes(rng.randrange(1, 3000)))
                # A good start-up, and no FPDU behind it.
                num_bad += self.abuse(server, request + rng.randbytes(rng.randrange(1, 3000)))
            table.in_guest(RPING.format(server.port, network.peer))
            # The stalled ones are given up in time.
            for one in stalled:
                one.settimeout(30)
                with contextlib.suppress(OSError):
                    while one.recv(4096):
                        pass
            growth = server.peak_kib() - before
            report = table.interrupt(server, code=1)
        check(growth < GROWTH_MAX_KIB, f"{growth} KiB more memory")
        check(report["connections_ended"] == num_bad + HALF_OPEN + 3, "not all connections are counted", num_bad, report)
        check(report["connections_failed"] == num_bad + HALF_OPEN, "not all failed", num_bad, report)
        check("MPA: the peer's start-up frame was not there whole in time" in report["said"], "stalled ones are not told", report)

    @staticmethod
    def abuse(server, octets):
        """Sends that and waits until our peer closes."""
        with socket.create_connection(("127.0.0.1", server.port)) as stream:
            stream.settimeout(30)
            with contextlib.suppress(ConnectionError):
                stream.sendall(octets)
                stream.shutdown(socket.SHUT_WR)
            with contextlib.suppress(ConnectionError):
                while stream.recv(4096):
                    pass
        return 1


class IwarpClient(bench.Case):
    name = "iWARP with CRC: our client says what is wrong with servers that send garbage, cut or no MPA Replies"
    timeout_s = 60

    # What the server does after the Request, and what is said.
    ANSWERS = (
        (b"", True, "the peer"),
        (REPLY_KEY[:9], True, "MPA"),
        (b"HTTP/1.0 400 Bad Request\r\n\r\n", True, "MPA"),
        (REPLY_KEY + struct.pack(">BBH", 0x40, 9, 0), True, "MPA"),
        (REPLY_KEY + struct.pack(">BBH", 0x60, 1, 0), True, "reject"),
        (REPLY_KEY + struct.pack(">BBH", 0x40, 1, 0) + b"Z" * 64, True, "MPA: octets before the peer may send them"),
        (b"", False, "MPA: the peer's start-up frame was not there whole in time"),
    )

    def run(self, table):
        table.fit(self, bench.WITH_CRC)
        for octets, closes, words in self.ANSWERS:
            with socket.create_server(("127.0.0.1", 0)) as listener:
                done = threading.Event()
                server = threading.Thread(target=self.answer, args=(listener, octets, closes, done), daemon=True)
                server.start()
                host, port = listener.getsockname()
                try:
                    peer = table.start(bench.WITH_CRC, "rping", "--connect", f"{host}:{port}", "--mpa-revision", "1")
                    report = table.finish(peer, code=1)
                finally:
                    done.set()
                    server.join()
            check(words in report["connections"][0].get("fault", ""), f"after {octets[:30]} not {words!r}", report)

    @staticmethod
    def answer(listener, octets, closes, done):
        with listener.accept()[0] as stream, contextlib.suppress(OSError):
            stream.recv(4096)
            stream.sendall(octets)
            if closes:
                stream.shutdown(socket.SHUT_WR)
            done.wait(60)


@dataclasses.dataclass
class DeadGuest(bench.Case):
    """Boots a guest of its own, and pulls its plug while both families are at work."""

    roce_is_client: bool
    timeout_s = 60
    tries = 2

    @property
    def wire(self):
        """One by the descriptor, one by UDP ports."""
        return "fd" if self.roce_is_client else "inet"

    @property
    def name(self):
        roles = ("client", "server") if self.roce_is_client else ("server", "client")
        return "the guest dies in mid-transfer: RoCEv2 as {}, iWARP as {}".format(*roles)

    def run(self, table):
        # With a relay a dead guest is silence, and not an error of the socket.
        with launch.Lab(launch.parse(["--wire", self.wire, "--", "smoke"], relays=True)) as lab:
            own = bench.Bench(lab, table.program, table.timeout_s)
            roce, iwarp = bench.IPV4, bench.WITH_CRC
            own.fit(self, roce)
            client, server = (roce, iwarp) if self.roce_is_client else (iwarp, roce)
            options = ["--count", "0", "--size", "65535"]
            # Whoever waits for a message asks for a sign of life.
            alive = {roce: ("--keep-alive", "1", "--ack-timeout", "14"), iwarp: ()}
            with contextlib.ExitStack() as stack:
                serving = stack.enter_context(own.server(server, "rping", "--connections", "1", *alive[server]))
                own.in_guest(f"rping -c -a {server.peer} -p {serving.port} -C 100000 -S 65535 >/dev/null 2>&1 &")
                own.wait_for(serving, "connected with")
                own.in_guest(f"rping -s -a {client.kernel_listens} -C 100000 -S 65535 >/dev/null 2>&1 &")
                while own.guest.run(bench.LISTENS, own.case_timeout_s)[0]:
                    pass
                asking = own.start(client, "rping", "--connect", client.kernel, *options, *alive[client])
                stack.callback(own.end, asking)
                own.wait_for(asking, "connected with")
                time.sleep(2)
                lab.guests[0].process.kill()
                report = own.finish(asking, code=1)
                one = report["connections"][0]
                self.judge(one, client == roce)
                served = own.finish(serving, code=None)
                self.judge(served["connections"][0], server == roce)

    @staticmethod
    def judge(one, is_roce):
        # Of a dead guest's connection QEMU's network makes a reset, or an end in order.
        words = ("RETRY_EXC_ERR: the peer does not acknowledge it",) if is_roce else ("TCP: ", "the peer closed", "the peer ended the connection")
        said = one.get("fault", one["end"])
        check(any(word in said for word in words) and one["turns_verified"] > 0, "not what ended it", one)


def full():
    yield RoceServer()
    yield RoceClient()
    yield IwarpServer()
    yield IwarpClient()
    yield DeadGuest(True)
    yield DeadGuest(False)
