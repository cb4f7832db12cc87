"""Two peers against each other, as people start them: RoCEv2 over datagrams, iWARP over loopback TCP."""
import json
import os
import re
import signal
import socket
import struct
import subprocess
import time
import unittest
import zlib

from cli.peer.pair import RDMAWIRE, TIMEOUT, Pair, dumped, finish, operations, run, start, summary, temporary


class Both(unittest.TestCase):
    """What both families do alike."""

    def test_rping(self):
        for family in ("rocev2", "iwarp"):
            for size, count in (("64", 100), ("64KiB", 5)):
                with self.subTest(family=family, size=size):
                    (code, client, err), (server_code, server, server_err) = Pair(family).both(
                        "rping", [], "rping", ["--size", size, "--count", str(count)])
                    self.assertEqual((code, server_code), (0, 0), err + server_err)
                    for report in (client["connections"][0], server["connections"][0]):
                        self.assertEqual((report["turns"], report["turns_verified"]), (count, count))
                    self.assertEqual(operations(server)["RDMA_READ"]["count"], count)
                    self.assertEqual(operations(server)["RDMA_WRITE"]["count"], count)

    def test_perf_operations(self):
        for family in ("rocev2", "iwarp"):
            for operation, shown in (("send", "SEND"), ("write", "RDMA_WRITE"), ("read", "RDMA_READ"),
                                     ("fetch-add", "FETCH_ADD"), ("cmp-swap", "COMP_SWAP")):
                with self.subTest(family=family, operation=operation):
                    (code, client, err), (server_code, _, server_err) = Pair(family).both(
                        "responder", ["--size", "4096"], "perf",
                        ["--op", operation, "--size", "1025", "--count", "50"])
                    self.assertEqual((code, server_code), (0, 0), err + server_err)
                    done = operations(client)[shown]
                    self.assertEqual(done["count"], 50)
                    atomic = operation in ("fetch-add", "cmp-swap")
                    self.assertEqual(done["octets"], 50 * (8 if atomic else 1025))
                    self.assertGreater(done["latency_us"]["p50"], 0)

    def test_what_is_written_is_read_back_and_lies_there(self):
        for family in ("rocev2", "iwarp"):
            with self.subTest(family=family):
                (code, client, err), (_, server, _) = Pair(family).both(
                    "responder", ["--region-size", "1MiB"], "perf",
                    ["--op", "write", "--size", "64KiB", "--count", "16", "--verify"])
                self.assertEqual(code, 0, err)
                report = client["connections"][0]
                self.assertEqual(report["sent_crc32"], report["read_back_crc32"])
                # One round fills the region.
                self.assertEqual(report["sent_crc32"], server["connections"][0]["regions"][0]["crc32"])

    def test_messages_arrive_as_they_were_sent(self):
        for family in ("rocev2", "iwarp"):
            with self.subTest(family=family):
                (code, client, err), (_, server, _) = Pair(family).both(
                    "responder", ["--size", "4096"], "perf", ["--op", "send", "--size", "4096", "--count", "64", "--verify"])
                self.assertEqual(code, 0, err)
                self.assertEqual(client["connections"][0]["sent_crc32"], server["connections"][0]["received_crc32"])

    def test_memory_that_is_too_small_is_told(self):
        for family in ("rocev2", "iwarp"):
            with self.subTest(family=family):
                (code, client, _), _ = Pair(family).both(
                    "responder", ["--region-size", "4096"], "perf", ["--op", "write", "--size", "8192", "--count", "2"])
                self.assertEqual(code, 1)
                self.assertIn("the peer has memory of 4096 octets", client["connections"][0]["fault"])

    def test_what_may_not_be_invalidated_is_not_and_counts_as_nothing_done(self):
        words = {"rocev2": ("the peer ended the connection (DREQ)", "the key that it shall invalidate cannot be"),
                 "iwarp": ("ended by the peer's Terminate, RDMAP: ", "ended by this side, RDMAP: ")}
        for family in ("rocev2", "iwarp"):
            with self.subTest(family=family):
                (code, client, err), (_, server, _) = Pair(family).both(
                    "responder", [], "perf", ["--op", "send-invalidate", "--size", "64", "--count", "0", "--time-limit", "20"])
                self.assertEqual(code, 1, err)
                for report, said in zip((client, server), words[family]):
                    self.assertIn(said, report["connections"][0]["fault"])
                if family == "rocev2":
                    self.assertEqual(client["connections"][0]["operations"], [])

    def test_ctrl_c_ends_in_order(self):
        for family in ("rocev2", "iwarp"):
            with self.subTest(family=family):
                pair = Pair(family)
                server = pair.serve("rping", "--connections", "1")
                client = pair.client("rping", "--count", "0")
                while "connected with" not in client.stderr.readline():
                    pass
                time.sleep(0.5)
                client.send_signal(signal.SIGINT)
                code, report, err = summary(client)
                self.assertEqual(code, 0, err)
                self.assertTrue(report["interrupted"])
                self.assertGreater(report["connections"][0]["turns"], 0)
                code, report, err = summary(server)
                self.assertEqual(code, 0, err)


class Rocev2(unittest.TestCase):
    def test_ipv6(self):
        (code, client, err), _ = Pair("rocev2").both("rping", [], "rping", ["--count", "20"], connect="fd00:77::1")
        self.assertEqual(code, 0, err)
        self.assertEqual(client["connections"][0]["turns_verified"], 20)

    def test_udp_sockets(self):
        record = temporary("udp.pcapng")
        (code, client, err), (server_code, server, _) = Pair("udp").both(
            "rping", [], "rping", ["--count", "20", "--size", "3000", "--dscp", "26", "--hop-limit", "7", "--record", record])
        self.assertEqual((code, server_code), (0, 0), err)
        one = client["connections"][0]
        self.assertEqual((one["turns_verified"], one["connection"]["udp_source_port"]), (20, 4791))
        self.assertEqual((client.get("dropped"), server.get("dropped")), (None, None))
        dump = [tuple(line) for line in dumped(record, "ip.dsfield.dscp", "ip.ttl", "rdma.icrc.status")]
        # Of the connection manager, of the client, and of the server, which takes the class from the request.
        self.assertEqual(set(dump), {("0", "64", "good"), ("26", "7", "good"), ("26", "64", "good")})
        self.assertEqual(len(dump), client["recorded_frames"])

    def test_a_udp_socket_has_one_port(self):
        code, _, err = run("rping", "--connect", "127.0.0.1", "--wire", "udp:127.0.0.2", "--udp-source-port", "50000")
        self.assertEqual(code, 2)
        self.assertIn("--udp-source-port: on this wire all packets leave from port 4791", err)

    def test_the_last_answer_is_sent_before_the_server_ends(self):
        record = temporary("farewell.pcapng")
        (code, _, err), _ = Pair("rocev2").both("rping", [], "rping", ["--count", "5", "--record", record])
        self.assertEqual(code, 0, err)
        dump = subprocess.run([RDMAWIRE, "dump", record], capture_output=True, text=True, check=True).stdout
        self.assertEqual((dump.count("(DREQ)"), dump.count("(DREP)")), (1, 1))

    def test_nobody_listens(self):
        pair = Pair("rocev2")
        server = pair.serve("rping")
        code, client, err = summary(pair.client("rping", connect="10.77.0.1:9"))
        self.assertEqual(code, 1)
        self.assertIn("CM: the peer rejects: Invalid service ID (reason 8)", client["connections"][0]["fault"])
        server.send_signal(signal.SIGINT)
        self.assertEqual(finish(server)[0], 0)

    def test_nobody_is_there(self):
        pair = Pair("rocev2")
        code, client, _ = summary(pair.client("rping", "--connect-timeout", "1"))
        self.assertEqual(code, 1)
        self.assertIn("nobody answers for 10.77.0.1", client["fault"])

    def test_a_bad_network_is_survived_and_told(self):
        pair = Pair("rocev2")
        impair = ["--impair", "loss=5%,dup=5%,reorder=5%:3,corrupt=5%", "--seed", "3", "--ack-timeout", "14"]
        server = pair.serve("rping", "--connections", "1", "--ack-timeout", "14")
        record = temporary("impaired.pcapng")
        code, client, err = summary(pair.client("rping", "--count", "100", "--size", "4096", "--record", record, *impair))
        self.assertEqual(code, 0, err)
        self.assertEqual(client["connections"][0]["turns_verified"], 100)
        self.assertGreater(client["on_purpose"]["sent"]["lost"], 0)
        self.assertGreater(client["on_purpose"]["received"]["corrupted"], 0)
        self.assertGreater(client["frames_dropped"]["wrong invariant CRC"], 0)
        self.assertEqual(finish(server)[0], 0)
        dump = [status for (status,) in dumped(record, "rdma.icrc.status")]
        self.assertGreater(dump.count("good"), 500)
        self.assertGreater(dump.count("bad"), 0)
        with open(record, "rb") as file:
            octets = file.read()
        self.assertIn(b"dropped on purpose: lost", octets)
        self.assertIn(b"1 bit inverted", octets)

    def test_a_peer_that_is_silent_is_asked_and_one_that_is_gone_is_told(self):
        pair = Pair("rocev2")
        server = pair.serve("responder", "--connections", "1", "--keep-alive", "1", "--ack-timeout", "14")
        client = pair.client("rping", "--keep-alive", "0")
        # rping's client waits for an answer that a responder does not give.
        while "connected with" not in client.stderr.readline():
            pass
        time.sleep(3.5)
        client.kill()
        client.communicate()
        code, report, err = summary(server)
        self.assertEqual(code, 1, err)
        one = report["connections"][0]
        self.assertIn("RDMA_WRITE ended with RETRY_EXC_ERR: the peer does not acknowledge it", one["fault"])
        self.assertGreaterEqual(one["counts"]["empty_writes_to_see_if_the_peer_lives"], 3)

    def test_a_quirk_breaks_the_connection_where_it_must(self):
        # Requests are never acknowledged: the peer gives up after its retries.
        pair = Pair("rocev2")
        server = pair.serve("responder", "--connections", "1", "--quirk", "never-acknowledge")
        code, client, _ = summary(pair.client("perf", "--op", "write", "--count", "1", "--retry", "1", "--ack-timeout", "8"))
        self.assertEqual(code, 1)
        self.assertIn("RETRY_EXC_ERR: the peer does not acknowledge it", client["connections"][0]["fault"])
        code, server, _ = summary(server)
        self.assertEqual(server["quirks"], "never_acknowledge")

    def test_garbage_does_no_harm(self):
        pair = Pair("rocev2")
        server = pair.serve("rping", "--connections", "1")
        own, other = (re.findall(r"127\.0\.0\.1:(\d+)", pair.client_wire[1]))
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender:
            sender.bind(("127.0.0.1", int(own)))
            for size in range(0, 400, 3):
                sender.sendto(b"\xff" * 6 + bytes(range(256))[:6] + b"\x08\x00" + os.urandom(size), ("127.0.0.1", int(other)))
                sender.sendto(bytes.fromhex("02000000000a") + b"\2" * 6 + b"\x86\xdd" + os.urandom(size),
                              ("127.0.0.1", int(other)))
        code, client, err = summary(pair.client("rping", "--count", "3"))
        self.assertEqual(code, 0, err)
        self.assertEqual(finish(server)[0], 0)


class Iwarp(unittest.TestCase):
    def test_terms(self):
        for arguments, terms in ((["--crc", "off"], {"crc": False, "mpa_revision": 2}),
                                 (["--markers", "on"], {"markers_received": True}),
                                 (["--mpa-revision", "1"], {"mpa_revision": 1, "peer_to_peer": False}),
                                 (["--rtr", "none"], {"peer_to_peer": False}),
                                 (["--rtr", "read"], {"ready_to_receive": "read"}),
                                 (["--rtr", "send"], {"ready_to_receive": "send"})):
            with self.subTest(arguments=arguments):
                (code, client, err), _ = Pair("iwarp").both("rping", arguments, "rping", ["--count", "5", *arguments])
                self.assertEqual(code, 0, err)
                connection = client["connections"][0]["connection"]
                self.assertEqual({name: connection.get(name) for name in terms}, terms)

    def test_nobody_listens(self):
        pair = Pair("iwarp")
        code, client, _ = summary(pair.client("rping"))
        self.assertEqual(code, 1)
        self.assertIn("Connection refused", client["connections"][0]["fault"])

    def test_octets_behind_the_reply_that_may_not_be_there_are_told(self):
        with socket.create_server(("127.0.0.1", 0)) as listener:
            client = start("rping", "--wire", "tcp", "--json", "--mpa-revision", "1",
                           "--connect", "127.0.0.1:%d" % listener.getsockname()[1])
            with listener.accept()[0] as stream:
                stream.recv(4096)
                stream.sendall(b"MPA ID Rep Frame" + struct.pack(">BBH", 0x40, 1, 0) + bytes(64))
                code, report, _ = summary(client)
        self.assertEqual(code, 1)
        self.assertIn("MPA: octets before the peer may send them", report["connections"][0]["fault"])

    def test_garbage_does_no_harm(self):
        pair = Pair("iwarp")
        server = pair.serve("rping", "--connections", "4", "--max-connections", "8")
        host, port = pair.listen.split(":")
        request = b"MPA ID Req Frame" + struct.pack(">BBH", 0x40, 1, 0)
        for octets in (b"", b"GET / HTTP/1.0\r\n\r\n" + b"x" * 64, request + b"\x00\x14" + os.urandom(60)):
            with socket.create_connection((host, int(port))) as stream:
                stream.sendall(octets)
                stream.shutdown(socket.SHUT_WR)
                stream.settimeout(10)
                try:
                    while stream.recv(4096):
                        pass
                except OSError:
                    pass
        code, client, err = summary(pair.client("rping", "--count", "3"))
        self.assertEqual(code, 0, err)
        code, report, _ = summary(server)
        self.assertEqual((code, report["connections_ended"], report["connections_failed"]), (1, 4, 3))


class IwarpClient:
    """The least of an iWARP initiator: MPA without CRC, RDMAP messages of one segment."""

    def __init__(self, address):
        host, port = address.split(":")
        self.stream = socket.create_connection((host, int(port)), timeout=TIMEOUT)
        self.stream.sendall(b"MPA ID Req Frame" + struct.pack(">BBH", 0, 1, 0))
        reply = self.exactly(20)
        assert reply[:18] == b"MPA ID Rep Frame\x00\x01", reply
        self.exactly(int.from_bytes(reply[18:], "big"))
        self.number = 0

    def exactly(self, num):
        octets = b""
        while len(octets) < num:
            some = self.stream.recv(num - len(octets))
            assert some, "the peer closed"
            octets += some
        return octets

    def put(self, ulpdu):
        self.stream.sendall(struct.pack(">H", len(ulpdu)) + ulpdu + bytes(-(2 + len(ulpdu)) % 4) + bytes(4))

    def take(self):
        length = int.from_bytes(self.exactly(2), "big")
        ulpdu = self.exactly(length)
        self.exactly(-(2 + length) % 4 + 4)
        return ulpdu

    def send(self, message):
        self.number += 1
        self.put(struct.pack(">BBIIII", 0x41, 0x43, 0, 0, self.number, 0) + message)

    def write(self, stag, offset, octets):
        self.put(struct.pack(">BBIQ", 0xC1, 0x40, stag, offset) + octets)

    def ask(self, message):
        self.send(message)
        answer = self.take()
        assert answer[:2] == b"\x41\x43", answer
        return answer[18:]

    def close(self):
        self.stream.shutdown(socket.SHUT_WR)
        while self.stream.recv(4096):
            pass
        self.stream.close()


class Perftest(unittest.TestCase):
    """The exchange of perftest's programs with -R, by octets as ib_send_bw 6.06 sends them."""

    NOTHING = bytes(56)

    def destination(self, qpn):
        # LID, reads, QPN, PSN, key, nothing, address, GID, SRQ, index of the GID
        return struct.pack(">IIIIIIQ16xII", 0, 1, qpn, 0x8EF4E6, 0x77, 0, 0x560C59E9A388, 0, 1)

    def test_a_run_of_two_queue_pairs(self):
        pair = Pair("iwarp")
        server = pair.serve("perftest", "--crc", "off", "--connections", "3", "--region-size", "4096")
        exchange = IwarpClient(pair.listen)
        self.assertEqual(exchange.ask(b"6.06".ljust(16, b"\0")), b"6.06".ljust(16, b"\0"))
        for word in (b"\0\0\x10\0", b"\0\0\0\x40", b"3\0", self.NOTHING):
            self.assertEqual(exchange.ask(word), word)
        test = [IwarpClient(pair.listen) for _ in range(2)]
        self.assertEqual(exchange.ask(self.NOTHING), self.NOTHING)
        places = []
        for qpn in (0x40, 0x41, 0x40):
            _, reads, _, _, key, _, address, _, _ = struct.unpack(">IIIIIIQ16xII", exchange.ask(self.destination(qpn)))
            self.assertEqual(reads, 1)
            places.append((key, address))
        self.assertEqual(places[0], places[2])
        self.assertNotEqual(places[0], places[1])
        test[0].write(*places[0], b"perftest")
        # How many SENDs came is written to where the client says, little-endian.
        for number in (1, 2):
            test[0].send(b"abc")
            self.assertEqual(test[0].take(), struct.pack(">BBIQI", 0xC1, 0x40, 0x77, 0x560C59E9A388, number << 24))
        self.assertEqual(exchange.ask(bytes(7) + b"\5"), bytes(7) + b"\5")
        for connection in (*test, exchange):
            connection.close()
        code, report, err = summary(server)
        self.assertEqual(code, 0, err)
        parts = {one["part"] + one.get("received_crc32", ""): one for one in report["connections"]}
        # CRC-32 of "abcabc".
        self.assertEqual(sorted(parts), ["exchange", "test", "test726e994c"])
        memory = parts["test726e994c"]["memory"]
        self.assertEqual(memory["crc32"], f"{zlib.crc32(b'perftest'.ljust(4096, bytes(1))):08x}")
        self.assertEqual(parts["exchange"]["version_of_client"], "6.06")

    def test_queue_pairs_without_rdma_cm_are_refused_in_words(self):
        pair = Pair("iwarp")
        server = pair.serve("perftest", "--crc", "off", "--connections", "1")
        exchange = IwarpClient(pair.listen)
        exchange.send(self.destination(0x40))
        exchange.take()
        exchange.close()
        code, report, _ = summary(server)
        self.assertEqual(code, 1)
        self.assertIn("only -R, where RDMA-CM makes the connections", report["connections"][0]["fault"])


class Usage(unittest.TestCase):
    def test_what_is_wrong_is_said(self):
        tcp = ["--wire", "tcp"]
        for arguments, words in (
                ([], "SERVICE is missing"),
                (["rping", *tcp], "choose one of --listen and --connect"),
                (["rping", "--listen"], "--wire is missing"),
                (["pong", "--listen", *tcp], "'pong' is no service"),
                (["perf", "--listen", *tcp], "perf needs --connect"),
                (["responder", "--connect", "127.0.0.1", *tcp], "responder needs --listen"),
                (["rping", "--listen", *tcp, "--quirk", "never-ask-for-cr"], "did you mean never_ask_for_crc"),
                (["rping", "--listen", "--wire", "fd:0"], "--address: an IP address"),
                (["rping", "--connect", "host", "--wire", "fd:0", "--address", "10.0.0.1"], "names are for --wire tcp"),
                (["rping", "--listen", "--wire", "fd:0", "--address", "10.0.0.1", "--mtu", "1500"], "256, 512, 1024"),
                (["rping", "--listen", "--wire", "fd:0", "--address", "10.0.0.1", "--impair", "loss=5"], "'loss=5' is none of"),
                (["rping", "--listen", *tcp, "--impair", "loss=5%,reorder=3"], "TCP hides what becomes of them"),
                (["rping", "--listen", *tcp, "--impair", "dup=1%"], "TCP hides what becomes of them"),
                (["rping", "--listen", *tcp, "--impair", "loss=5"], "'loss=5' is none of"),
                (["rping", "--listen", *tcp, "--record", "/none/such.pcapng"], "/none/such.pcapng: No such file"),
                (["rping", "--listen", "--wire", "packet:none0", "--address", "10.0.0.1"], "No such device"),
        ):
            with self.subTest(arguments=arguments):
                code, out, err = run(*arguments)
                self.assertEqual((code, out), (2, ""))
                self.assertIn(words, err)

    def test_quirks_are_listed(self):
        code, out, _ = run("--list-quirks")
        self.assertEqual(code, 0)
        rows = [line.split("\t") for line in out.splitlines()]
        self.assertTrue(all(len(row) == 4 for row in rows))
        self.assertIn(["never-acknowledge", "RoCEv2", "invented", "requests that ask for an ACK get none"], rows)

    def test_help_names_the_services_and_wires(self):
        code, out, _ = run("--help")
        self.assertEqual(code, 0)
        for word in ("rping", "responder", "perf", "perftest", "packet:eth0", "udp:ADDRESS", "sim ", "--impair", "--quirk"):
            self.assertIn(word, out)


if __name__ == "__main__":
    unittest.main()
