"""Two processes over loopback TCP, one of which may be killed, stopped, or no iWARP at all."""

import random
import re
import signal
import socket
import struct
import subprocess
import unittest

PROGRAM = "pcap/wire/transfer_main"
TIME_LIMIT = "100"  # seconds, of each process: no test takes as long
KEY_OF_REQUEST = b"MPA ID Req Frame"


def start(*arguments):
    return subprocess.Popen([PROGRAM, *arguments, "--time-limit", TIME_LIMIT], stdout=subprocess.PIPE, text=True)


def start_server(*arguments, at="127.0.0.1"):
    """The process, and the address it listens on."""
    server = start("--listen", at + ":0", *arguments)
    line = server.stdout.readline()
    return server, line.removeprefix("listening on ").strip()


def end(process):
    """Its exit code and the rest of what it said. A sanitizer's finding is an exit code of its own."""
    out, _ = process.communicate(timeout=150)
    return process.returncode, out.strip()


def listen():
    listener = socket.create_server(("127.0.0.1", 0))
    return listener, "127.0.0.1:%d" % listener.getsockname()[1]


def reset(connection):
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    connection.close()


def request(private_data):
    return KEY_OF_REQUEST + struct.pack(">BBH", 0x40, 1, len(private_data)) + private_data


class Transfers(unittest.TestCase):
    def transfer(self, num_bytes, of_client=(), of_server=(), at="127.0.0.1"):
        server, address = start_server(*of_server, at=at)
        client = start("--connect", address, "--bytes", str(num_bytes), *of_client)
        results = [end(client), end(server)]
        checksums = set()
        for code, text in results:
            self.assertEqual(code, 0, text)
            found = re.search(r"good, (\d+) octets, crc32 (\w+) here, (\w+) there", text)
            self.assertEqual(int(found[1]), num_bytes)
            checksums |= {found[2], found[3]}
        self.assertEqual(len(checksums), 1)
        return checksums.pop()

    def test_each_operation_with_markers_and_crc_off_and_on(self):
        checksums = set()
        for by in "write", "send", "read":
            for markers in "off", "on":
                for crc in "off", "on":
                    options = ["--markers", markers, "--crc", crc]
                    with self.subTest(by=by, markers=markers, crc=crc):
                        checksums.add(self.transfer(1 << 20, ["--by", by, *options], options))
        # The same data, whichever way they went.
        self.assertEqual(len(checksums), 1)

    def test_markers_in_one_direction(self):
        self.transfer(1 << 20, ["--markers", "on", "--by", "read"])
        self.transfer(1 << 20, [], ["--markers", "on"])

    def test_messages_and_segments_of_other_sizes(self):
        for by in "write", "send", "read":
            with self.subTest(by=by):
                self.transfer(1_000_003, ["--by", by, "--message", "999", "--emss", "700"], ["--region", "100001"])
                self.transfer(1_500_000, ["--by", by, "--message", "1MiB", "--segments", "packed", "--depth", "3"])
        self.transfer(1, ["--by", "send"])

    def test_ipv6(self):
        try:
            socket.create_server(("::1", 0), family=socket.AF_INET6).close()
        except OSError as error:
            self.skipTest("no IPv6: %s" % error)
        self.transfer(1 << 20, at="[::1]")


class Faults(unittest.TestCase):
    def fails(self, process, words):
        code, text = end(process)
        self.assertEqual(code, 1, text)
        self.assertRegex(text, words)

    def in_full_swing(self, by):
        """A server, its client, and more between them than they can do in the time of a test."""
        server, address = start_server("--stall-timeout", "2")
        client = start("--connect", address, "--bytes", "1024GiB", "--by", by, "--stall-timeout", "2",
                       "--region", "1MiB", "--progress", "on")
        self.assertEqual(client.stdout.readline(), "in full swing\n")
        return server, client

    def test_killed_peer(self):
        for by in "write", "send", "read":
            for victim in "server", "client":
                with self.subTest(by=by, victim=victim):
                    server, client = self.in_full_swing(by)
                    killed, left = (server, client) if victim == "server" else (client, server)
                    killed.send_signal(signal.SIGKILL)
                    killed.communicate()
                    self.fails(left, r"FAILED.*(reset by peer|Broken pipe|RDMAP: lost|closes too early)")

    def test_peer_that_stands_still(self):
        for by in "write", "send", "read":
            with self.subTest(by=by):
                server, client = self.in_full_swing(by)
                server.send_signal(signal.SIGSTOP)
                try:
                    self.fails(client, r"FAILED.*(the peer neither takes nor answers|timed out|the peer is silent)")
                finally:
                    server.send_signal(signal.SIGCONT)
                self.fails(server, r"FAILED.*(reset by peer|Broken pipe|RDMAP: |closes too early|the peer is silent)")

    def test_connection_refused(self):
        listener, address = listen()
        listener.close()
        self.fails(start("--connect", address), r"FAILED.*connect: Connection refused")

    def test_silence_in_the_start_up(self):
        listener, address = listen()
        with listener:
            client = start("--connect", address, "--startup-timeout", "1")
            with listener.accept()[0]:
                self.fails(client, "MPA: the peer's start-up frame was not there whole in time")
        server, address = start_server("--startup-timeout", "1")
        host, port = address.rsplit(":", 1)
        with socket.create_connection((host, int(port))) as peer:
            peer.sendall(KEY_OF_REQUEST[:10])
            self.fails(server, "MPA: the peer's start-up frame was not there whole in time")

    def test_garbage_in_the_start_up(self):
        for seed in range(1, 21):
            with self.subTest(seed=seed):
                server, address = start_server()
                host, port = address.rsplit(":", 1)
                chance = random.Random(seed)
                octets = chance.randbytes(chance.randrange(1, 2000))
                # Some of it begins well.
                octets = (KEY_OF_REQUEST + octets) if seed % 3 == 0 else octets
                with socket.create_connection((host, int(port))) as peer:
                    try:
                        peer.sendall(octets)
                        peer.shutdown(socket.SHUT_WR)
                    except OSError:
                        pass  # it was closed already
                    self.fails(server, r"FAILED.*(MPA: |private data are not those|RDMAP: )")

    def full_operation(self):
        """A server in Full Operation, and the socket of its peer."""
        server, address = start_server("--linger", "1")
        host, port = address.rsplit(":", 1)
        peer = socket.create_connection((host, int(port)))
        plan = struct.pack(">IBQIII", 0x52575458, 0, 1 << 20, 65536, 1, 1 << 20)
        peer.sendall(request(plan))
        reply = b""
        while len(reply) < 28:
            reply += peer.recv(28 - len(reply))
        self.assertEqual(reply[:16], b"MPA ID Rep Frame")
        return server, peer

    def test_garbage_in_full_operation(self):
        for seed in range(1, 21):
            with self.subTest(seed=seed):
                server, peer = self.full_operation()
                chance = random.Random(seed)
                with peer:
                    try:
                        peer.sendall(chance.randbytes(100_000))
                    except OSError:
                        pass
                    self.fails(server, r"FAILED.*ended by this side, LLP: MPA error")

    def test_reset(self):
        server, peer = self.full_operation()
        reset(peer)
        self.fails(server, r"FAILED.*Connection reset by peer")

    def test_end_within_an_fpdu(self):
        server, peer = self.full_operation()
        with peer:
            peer.sendall(bytes.fromhex("0012814000000001"))
            peer.shutdown(socket.SHUT_WR)
            self.fails(server, r"FAILED.*RDMAP: lost")

    def test_peer_that_neither_speaks_nor_closes_after_a_terminate(self):
        server, peer = self.full_operation()
        with peer:
            peer.sendall(bytes(2048))
            self.fails(server, r"FAILED.*ended by this side")
            octets = b""
            while received := peer.recv(4096):
                octets += received
            # Layer, error type and code of the Terminate, after MPA's and DDP's headers.
            self.assertEqual(octets[-28:][20:24], bytes.fromhex("20020000"))
            # Its own direction had ended in good order; then it was reset.
            with self.assertRaises((BrokenPipeError, ConnectionResetError)):
                for _ in range(3):
                    peer.sendall(b"0")


if __name__ == "__main__":
    unittest.main()
