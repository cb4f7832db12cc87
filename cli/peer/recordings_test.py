"""What peers record, and what they do to their wires on purpose: TCP's octets, and both ends in one process."""
import json
import unittest

from cli.peer.pair import Pair, dumped, num_fpdus, operations, run, summary, temporary


class RecordedTcp(unittest.TestCase):
    """Frames that are made up of the octets of a TCP connection."""

    def test_both_sides_record_each_fpdu(self):
        for host, markers in (("127.0.0.1", "off"), ("127.0.0.1", "on"), ("[::1]", "off")):
            with self.subTest(host=host, markers=markers):
                paths = [temporary(f"recorded-{side}.pcapng") for side in ("server", "client")]
                pair = Pair("iwarp")
                pair.listen = pair.connect = pair.listen.replace("127.0.0.1", host)
                terms = ["--size", "40000", "--markers", markers]
                (code, client, err), (server_code, server, _) = pair.both(
                    "rping", ["--record", paths[0], *terms], "rping", ["--count", "10", "--record", paths[1], *terms])
                if code != 0 and "Cannot assign requested address" in str(client):
                    self.skipTest("no IPv6 here")
                self.assertEqual((code, server_code), (0, 0), err)
                for path, report in zip(paths, (server, client)):
                    status = [line[0] for line in dumped(path, "rdma.mpa.crc.status")]
                    self.assertEqual(status.count("good"), num_fpdus(report["connections"][0]))
                    # The start-up frames have none.
                    self.assertEqual(len(status), status.count("good") + 2, status)
                    with open(path, "rb") as file:
                        self.assertNotIn(b"on purpose", file.read())

    def test_connections_of_a_listener_are_told_apart_by_their_ports(self):
        pair = Pair("iwarp")
        path = temporary("two.pcapng")
        server = pair.serve("responder", "--connections", "2", "--record", path)
        clients = [pair.client("perf", "--op", "write", "--size", "100", "--count", "20") for _ in range(2)]
        for client in clients:
            code, _, err = summary(client)
            self.assertEqual(code, 0, err)
        code, report, err = summary(server)
        self.assertEqual(code, 0, err)
        lines = dumped(path, "rdma.mpa.crc.status", "tcp.srcport", "tcp.dstport")
        port = pair.listen.split(":")[1]
        for one in report["connections"]:
            theirs = one["peer"].split(":")[1]
            mine = [line[0] for line in lines if sorted(line[1:]) == sorted((port, theirs))]
            self.assertEqual(mine.count("good"), num_fpdus(one))
            self.assertEqual(len(mine), mine.count("good") + 2)
        self.assertEqual(len(lines), sum(num_fpdus(one) + 2 for one in report["connections"]))


class ImpairedTcp(unittest.TestCase):
    def test_what_is_late_arrives_all_the_same(self):
        path = temporary("late.pcapng")
        impair = ["--impair", "delay=1ms,jitter=1ms,loss=2%", "--seed", "5", "--record", path]
        (code, client, err), (server_code, server, _) = Pair("iwarp").both(
            "rping", [], "rping", ["--count", "30", "--size", "4096", *impair])
        self.assertEqual((code, server_code), (0, 0), err)
        self.assertEqual(client["connections"][0]["turns_verified"], 30)
        done = [client["on_purpose"][way] for way in ("sent", "received")]
        # Segments of what goes are those of the session: the Request, and its FPDUs.
        self.assertEqual(done[0]["segments"], client["connections"][0]["counts"]["segments_sent"] + 1)
        late = sum(one.get("late", 0) for one in done)
        self.assertGreater(late, 0)
        self.assertFalse(any("corrupted" in one for one in done))
        status = [line[0] for line in dumped(path, "rdma.mpa.crc.status")]
        self.assertEqual(status.count("good"), num_fpdus(client["connections"][0]))
        self.assertEqual(len(status), status.count("good") + 2)
        with open(path, "rb") as file:
            self.assertEqual(file.read().count(b"on purpose: 200 ms late"), late)

    def test_a_damaged_octet_is_found_by_the_crc_and_said(self):
        # Of this seed the first damage is that of an FPDU of the client's.
        path = temporary("damaged.pcapng")
        (code, client, err), (server_code, server, _) = Pair("iwarp").both(
            "rping", [], "rping", ["--count", "100", "--size", "4096", "--impair", "corrupt=2%", "--seed", "6",
                                   "--record", path])
        self.assertEqual((code, server_code), (1, 1), err)
        words = "LLP: MPA error: received MPA CRC does not match the calculated value"
        self.assertIn("ended by the peer's Terminate, " + words, client["connections"][0]["fault"])
        self.assertIn("ended by this side, " + words, server["connections"][0]["fault"])
        self.assertEqual(client["on_purpose"]["sent"]["corrupted"], 1)
        status = [line[0] for line in dumped(path, "rdma.mpa.crc.status")]
        self.assertEqual(status.count("bad"), 1)
        with open(path, "rb") as file:
            self.assertEqual(file.read().count(b"on purpose: 1 bit inverted"), 1)

    def test_a_server_impairs_each_of_its_connections(self):
        pair = Pair("iwarp")
        server = pair.serve("rping", "--connections", "3", "--impair", "delay=2ms,loss=1%", "--seed", "1")
        for _ in range(3):
            code, _, err = summary(pair.client("rping", "--count", "10"))
            self.assertEqual(code, 0, err)
        code, report, err = summary(server)
        self.assertEqual(code, 0, err)
        sent = sum(one["counts"]["segments_sent"] for one in report["connections"])
        self.assertEqual(report["on_purpose"]["sent"]["segments"], sent + 3)


class Simulated(unittest.TestCase):
    """Both ends in one process, on a clock of their own."""

    def recorded(self, name, *arguments, code=0):
        path = temporary(name + ".pcapng")
        wanted, out, err = run(*arguments, "--wire", "sim", "--record", path, "--json", "--quiet")
        self.assertEqual(wanted, code, err + out)
        with open(path, "rb") as file:
            return json.loads(out), file.read()

    def test_the_same_seed_gives_the_same_recording(self):
        words = ("rping", "--connect", "10.0.0.1", "--count", "20", "--size", "3000", "--impair", "loss=5%,dup=5%,corrupt=1%")
        first, octets = self.recorded("first", *words, "--seed", "7")
        again, same = self.recorded("again", *words, "--seed", "7")
        self.assertEqual(octets, same)
        self.assertEqual(first, again)
        _, other = self.recorded("other", *words, "--seed", "8")
        self.assertNotEqual(octets, other)
        for end in (first, first["other_end"]):
            self.assertEqual((end["connections"][0]["turns_verified"], end["connections_failed"]), (20, 0))
        self.assertGreater(first["on_purpose"]["sent"]["lost"], 0)

    def test_either_side_may_be_the_one_that_is_told_what_to_do(self):
        for role in (("perf", "--connect", "fd00::1"), ("responder", "--listen", "--address", "fd00::1")):
            with self.subTest(role=role):
                report, octets = self.recorded("roles", *role, "--count", "8", "--size", "1000", "--verify")
                ends = {report["service"]: report, report["other_end"]["service"]: report["other_end"]}
                self.assertEqual(sorted(ends), ["perf", "responder"])
                self.assertEqual(operations(ends["perf"])["RDMA_WRITE"]["count"], 8)
                self.assertEqual(ends["perf"]["connections"][0]["peer"], "[fd00::1]:7174")
                self.assertNotIn(b"on purpose", octets)

    def test_only_this_end_has_the_quirk(self):
        report, octets = self.recorded("quirk", "responder", "--listen", "--quirk", "never-acknowledge", code=1)
        self.assertIn("does not acknowledge", report["other_end"]["connections"][0]["fault"])
        self.assertIn(b"wrong on purpose: never_acknowledge", octets)

    def test_what_comes_before_the_rtu_is_of_a_connection_that_stands(self):
        # The first SEND leaves before the RTU, and is one that ends the connection.
        report, _ = self.recorded("early", "perf", "--connect", "10.0.0.1", "--op", "send-invalidate", "--count", "0", code=1)
        self.assertIn("the peer ended the connection (DREQ)", report["connections"][0]["fault"])
        lines = [line[0] for line in dumped(temporary("early.pcapng"), "infiniband.mad.attributeid")]
        # REQ, REP, RTU, DREQ and DREP, and no REJ.
        self.assertEqual([line for line in lines if line], ["0x0010", "0x0013", "0x0014", "0x0015", "0x0016"])

    def test_times_are_those_of_the_link(self):
        self.recorded("times", "perf", "--connect", "10.0.0.1", "--op", "write", "--size", "1024", "--count", "1")
        path = temporary("times.pcapng")
        lines = dumped(path, "frame.time_epoch", "infiniband.bth.opcode")
        times = {opcode: float(at) for at, opcode in lines}
        # 1,098 octets and 24 around them at 10 Gbit/s, 62 and 24 for the answer, and a microsecond each way.
        self.assertAlmostEqual(times["17"] - times["10"], (1098 + 24 + 62 + 24) * 0.8e-9 + 2e-6, delta=1.1e-9)

    def test_what_cannot_be(self):
        for words, why in ((("perftest", "--listen"), "there is no client of perftest here"),
                           (("rping", "--connect", "10.0.0.1", "--address", "10.0.1.2"), "addresses of one network"),
                           (("rping", "--connect", "localhost"), "is not an IP address")):
            with self.subTest(words=words):
                code, _, err = run(*words, "--wire", "sim")
                self.assertEqual(code, 2)
                self.assertIn(why, err)


if __name__ == "__main__":
    unittest.main()
