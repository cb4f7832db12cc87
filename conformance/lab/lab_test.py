"""The lab without QEMU: what is told to QEMU, what a relay does, and how a program's output comes back."""

import contextlib
import io
import lzma
import os
import pathlib
import socket
import struct
import tempfile
import threading
import time
import unittest
import unittest.mock

from conformance.lab import bench, captured, control, image, launch, machine, perftest_cases, relay, rping_cases, smoke


def config(**kwargs):
    values = {"name": "a", "image": "/i", "control": "/c", "links": ("rxe:eth0", "siw:eth1"), "wire": "dgram,x=1"}
    return machine.Config(**(values | kwargs))


class CommandLineTest(unittest.TestCase):
    def test_addresses_links_and_parameters_reach_the_guest(self):
        text = machine.kernel_options(config(mtu=9000, siw=("mpa_version=1", "peer_to_peer=1")))
        self.assertIn("lab.net=eth0@10.77.0.1/24@fd00:77::1/64@9000,eth1@10.78.0.1/24@fd00:78::1/64@1500 ", text)
        self.assertIn("lab.rdma=rxe:eth0,siw:eth1 ", text)
        self.assertTrue(text.endswith("lab.siw=mpa_version=1,peer_to_peer=1"))

    def test_it_is_never_kvm(self):
        words = machine.command_line(config())
        self.assertEqual(words[words.index("-accel") + 1], "tcg")

    def test_an_id_stands_behind_the_kind_of_a_netdev(self):
        words = machine.command_line(config())
        self.assertIn("dgram,id=wire,x=1", words)

    def test_forwards_lead_to_the_guest_through_the_loopback_only(self):
        text = machine.user_network((machine.Forward(4000, 7174), machine.Forward(4001, 18515)))
        self.assertIn("hostfwd=tcp:127.0.0.1:4000-10.78.0.1:7174", text)
        self.assertIn("hostfwd=tcp:127.0.0.1:4001-10.78.0.1:18515", text)

    def test_a_relay_on_tcp_stands_between_two_hubs(self):
        words = machine.command_line(config(tcp=("dgram,far=1", "dgram,near=1")))
        for word in ("dgram,id=far,far=1", "hubport,id=far1,hubid=0,netdev=far", "hubport,id=near0,hubid=1,netdev=near"):
            self.assertIn(word, words)
        self.assertIn("virtio-net-pci,netdev=near1,mac=52:54:00:78:00:01,romfile=", words)


class OptionsTest(unittest.TestCase):
    def refused(self, *arguments):
        error = io.StringIO()
        with contextlib.redirect_stderr(error), self.assertRaises(SystemExit) as raised:
            launch.parse(arguments)
        self.assertEqual(raised.exception.code, 2)
        return error.getvalue()

    def test_defaults(self):
        options = launch.parse(["--", "peer", "--help"])
        self.assertEqual((options.rdma, options.forward, options.command), ("both", [7174], ["peer", "--help"]))
        self.assertEqual(launch.parse(["--guests", "2", "true"]).rdma, "rxe")

    def test_what_cannot_be_is_refused(self):
        self.assertIn("between two guests", self.refused("--guests", "2", "--rdma", "both", "true"))
        self.assertIn("mpa_version", self.refused("--siw", "mpa_versoin=1", "true"))
        self.assertIn("loss=N%", self.refused("--impair", "loss=5", "true"))
        self.assertIn("more than 100 %", self.refused("--impair", "loss=101%", "true"))

    def test_impairments(self):
        got = relay.Impairment.parse("loss=5%,dup=0.5%,corrupt=1%,reorder=2%,delay=2ms")
        self.assertEqual(got, relay.Impairment(0.05, 0.005, 0.01, 0.02, 0.002))


class DamageTest(unittest.TestCase):
    def through(self, text, frames, seed=1):
        damage = relay.Damage(relay.Impairment.parse(text), seed)
        out = []
        for frame in frames:
            damage.put(frame, 0.0)
            out += damage.due(0.0)
        return out + list(damage.due(10.0)), damage.counts

    frames = [bytes([number]) * 60 for number in range(200)]

    def test_nothing_changes_nothing(self):
        self.assertEqual(self.through("", self.frames)[0], self.frames)

    def test_loss(self):
        out, counts = self.through("loss=50%", self.frames)
        self.assertEqual(len(out) + counts["lost"], 200)
        self.assertTrue(60 < counts["lost"] < 140, counts)
        self.assertEqual(out, sorted(out))

    def test_duplication(self):
        out, counts = self.through("dup=100%", self.frames[:3])
        self.assertEqual([frame[0] for frame in out], [0, 0, 1, 1, 2, 2])
        self.assertEqual(counts["duplicated"], 3)

    def test_corruption_changes_one_octet_behind_the_link_header(self):
        out, _ = self.through("corrupt=100%", self.frames)
        for frame, changed in zip(self.frames, out):
            self.assertEqual(frame[:14], changed[:14])
            self.assertEqual(sum(a != b for a, b in zip(frame, changed)), 1)

    def test_reordering_lets_the_next_frame_pass(self):
        out, counts = self.through("reorder=100%", self.frames[:4])
        self.assertEqual([frame[0] for frame in out], [1, 0, 3, 2])
        self.assertEqual(counts["reordered"], 2)

    def test_a_held_frame_goes_out_when_no_other_comes(self):
        out, _ = self.through("reorder=100%", self.frames[:1])
        self.assertEqual(out, self.frames[:1])

    def test_delay(self):
        damage = relay.Damage(relay.Impairment.parse("delay=2ms"), 1)
        damage.put(b"x" * 60, 1.0)
        self.assertEqual(list(damage.due(1.0019)), [])
        self.assertEqual(damage.next_time(), 1.002)
        self.assertEqual(list(damage.due(1.002)), [b"x" * 60])

    def test_the_same_seed_does_the_same(self):
        text = "loss=10%,dup=10%,corrupt=10%,reorder=10%"
        self.assertEqual(self.through(text, self.frames, 7), self.through(text, self.frames, 7))
        self.assertNotEqual(self.through(text, self.frames, 7), self.through(text, self.frames, 8))


class RelayTest(unittest.TestCase):
    def test_frames_pass_both_ways_and_are_recorded(self):
        (a, near), (far, b) = machine.datagram_pair(), machine.datagram_pair()
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "x.pcap"
            carrier = relay.Relay([near, far], recording=relay.Recording(path))
            carrier.start()
            with a, b:
                for end in (a, b):
                    end.settimeout(10)
                a.send(b"to b" * 20)
                self.assertEqual(b.recv(2000), b"to b" * 20)
                b.send(b"to a" * 20)
                self.assertEqual(a.recv(2000), b"to a" * 20)
                carrier.stop()
            octets = path.read_bytes()
        self.assertEqual(octets[:4], bytes.fromhex("4d3cb2a1"))
        self.assertEqual(len(octets), 24 + 2 * (16 + 80))
        self.assertEqual(carrier.counts()["passed"], 2)

    def test_an_end_without_a_listener_loses_frames_and_no_more(self):
        (a, near), (far, b) = machine.datagram_pair(), machine.datagram_pair()
        b.close()
        carrier = relay.Relay([near, far])
        carrier.start()
        with a:
            a.send(b"x" * 60)
            carrier.stop()


class FakeGuest(threading.Thread):
    """The far end of the ports, as guest_init serves them, with the answers given."""

    def __init__(self, folder, answers, name="a", number=0):
        super().__init__(daemon=True)
        self.path = pathlib.Path(folder) / f"{name}.{number}"
        for way in ("in", "out"):
            os.mkfifo(f"{self.path}.{way}")
        # As QEMU has them: both ways, so that a client's coming and going is not seen.
        self.input = open(f"{self.path}.in", "r+b", buffering=0)  # noqa: SIM115
        self.output = open(f"{self.path}.out", "r+b", buffering=0)  # noqa: SIM115
        self.answers = answers
        self.asked = []
        self.start()

    def run(self):
        for answer in self.answers:
            line = b""
            while not line.endswith(b"\n"):
                line += self.input.read(1)
            token, _, program = line.decode().split()
            self.asked.append(program)
            for piece in answer(token.encode()):
                self.output.write(piece)
                time.sleep(0.01)

    def close(self):
        self.join(10)
        self.input.close()
        self.output.close()


class ControlTest(unittest.TestCase):
    def answered(self, *answers, programs=("true",)):
        with tempfile.TemporaryDirectory() as folder:
            guest = FakeGuest(folder, answers)
            try:
                return [control.run(folder, "a", program, 5) for program in programs], guest.asked
            finally:
                guest.close()

    def test_output_and_exit_status(self):
        got, asked = self.answered(
            lambda token: [b"@@BEGIN " + token + b"\n", b"one\n", b"two", b"\n@@END " + token + b" 3\n"],
            programs=["echo 'x y'"],
        )
        self.assertEqual(got, [(3, "one\ntwo")])
        self.assertEqual(asked, ["ZWNobyAneCB5Jw=="])

    def test_what_another_client_left_is_skipped(self):
        got, _ = self.answered(
            lambda token: [b"old\n@@END 1234 0\n@@BEGIN " + token + b"\nnew\n@@END " + token + b" 0\n"]
        )
        self.assertEqual(got, [(0, "new")])

    def test_pieces_of_any_size(self):
        def octet_by_octet(token):
            text = b"@@BEGIN " + token + b"\n" + b"\n@@END x" * 3 + b"\n@@END " + token + b" 12\n"
            return [text[n : n + 1] for n in range(len(text))]

        self.assertEqual(self.answered(octet_by_octet)[0], [(12, "\n@@END x" * 3)])

    def test_a_busy_port_is_left_to_its_client(self):
        answer = [lambda token: [b"@@BEGIN " + token + b"\n\n@@END " + token + b" 0\n"]]
        with tempfile.TemporaryDirectory() as folder:
            first, second = FakeGuest(folder, []), FakeGuest(folder, answer, number=1)
            with control.Port(folder, "a"):
                self.assertEqual(control.run(folder, "a", "true", 5), (0, ""))
                with control.Port(folder, "a"), self.assertRaisesRegex(control.GuestError, "all 2 ports"):
                    control.Port(folder, "a", wait_s=0)
            first.close()
            second.close()

    def test_a_guest_that_is_off(self):
        with tempfile.TemporaryDirectory() as folder:
            with self.assertRaisesRegex(control.GuestError, "no guest a"):
                control.Port(folder, "a")
            os.mkfifo(pathlib.Path(folder) / "a.0.in")
            os.mkfifo(pathlib.Path(folder) / "a.0.out")
            with self.assertRaisesRegex(control.GuestError, "no guest listens"):
                control.Port(folder, "a")


class ImageTest(unittest.TestCase):
    def setUp(self):
        self.environment = dict(os.environ)

    def tearDown(self):
        os.environ.clear()
        os.environ.update(self.environment)

    def test_place_of_the_cache(self):
        os.environ["XDG_CACHE_HOME"] = "/x"
        os.environ.pop("RDMAWIRE_LAB", None)
        self.assertEqual(image.cache_folder(), pathlib.Path("/x/rdmawire/lab"))
        os.environ["RDMAWIRE_LAB"] = "/y"
        self.assertEqual(image.cache_folder(), pathlib.Path("/y"))

    def test_an_image_of_other_files_is_not_taken(self):
        with tempfile.TemporaryDirectory() as folder:
            os.environ["RDMAWIRE_LAB"] = folder
            self.assertFalse(image.is_built())
            there = pathlib.Path(folder) / "image"
            there.mkdir()
            (there / "stamp").write_text("other", encoding="utf-8")
            self.assertFalse(image.is_built())
            (there / "stamp").write_text(image.stamp(), encoding="utf-8")
            self.assertTrue(image.is_built())

    def test_a_kernel_packed_with_xz(self):
        packed = b"head" + lzma.compress(b"\x7fELF kernel", lzma.FORMAT_XZ) + b"tail"
        self.assertEqual(image.kernel_elf(packed), b"\x7fELF kernel")


class SmokeTest(unittest.TestCase):
    def test_each_network_is_tried_both_ways(self):
        quick, full = list(rping_cases.quick()), list(rping_cases.full())
        for network in rping_cases.NETWORKS:
            self.assertEqual({case.role for case in quick if case.network == network}, set(rping_cases.ROLES))
        self.assertEqual(len(quick), 16)
        self.assertEqual(len(full), 24)
        self.assertEqual({(case.size, case.count) for case in full}, {(64, 1000), (65535, 100)})
        self.assertEqual([str(case) for case in quick if case.why_not],
                         ["iWARP, MPA revision 1: our client, the kernel's server, 100 x 64 octets"])  # fmt: skip

    def test_perftest_runs_each_operation_in_each_size(self):
        full = list(perftest_cases.full())
        self.assertEqual({case.size for case in full if "atomic" not in case.program}, {1, 1024, 1025, 65536})
        self.assertEqual(len(full), 2 * 3 * 4 + 2)
        # One word of 64 octets for each, all else 0.
        self.assertEqual(perftest_cases.crc32_of(b""), "a738ea1c")
        self.assertEqual(perftest_cases.crc32_of(perftest_cases.ADDED), "601bacbe")

    def test_no_two_cases_have_the_same_name(self):
        for full in (False, True):
            names = [str(case) for case in smoke.cases(full)]
            self.assertEqual(sorted(set(names)), sorted(names))

    def ran(self, *arguments):
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            return smoke.main(arguments), out.getvalue()

    def test_without_qemu_all_is_skipped_and_counted(self):
        with unittest.mock.patch.object(image, "missing", lambda install: "no QEMU"):
            code, text = self.ran()
        self.assertEqual((code, text), (0, f"SKIPPED, all of it: no QEMU\n0 passed, 0 failed, {len(smoke.cases(False))} skipped\n"))

    def test_an_image_that_cannot_be_built_is_a_failure_but_without_packages_it_is_skipped(self):
        patch = unittest.mock.patch.object
        for error, failed in ((image.Unavailable("x"), 0), (image.BuildError("x"), 1)):
            with patch(image, "missing", lambda install: ""), patch(image, "build", side_effect=error):
                code, text = self.ran()
            self.assertEqual(code, failed)
            self.assertEqual(text.splitlines()[-1], f"0 passed, {failed} failed, {len(smoke.cases(False))} skipped")

    def test_failures_are_counted_and_iwarp_is_tried_twice(self):
        class Fake:
            calls = 0

            def fit(self, case, network):
                self.calls += 1
                raise bench.Failure("no")

        wanted = [case for case in rping_cases.quick() if "without CRC" in str(case) or "IPv4" in str(case)]
        fake, out = Fake(), io.StringIO()
        with contextlib.redirect_stdout(out):
            self.assertEqual(smoke.run_all(fake, wanted), (0, 6))
        self.assertEqual(fake.calls, 4 + 2 * 2)
        self.assertEqual(out.getvalue().count("again: "), 2)


def pcapng(*frames):
    """A recording as our peer writes it: (octets, goes out, comment)."""

    def block(kind, body):
        length = (len(body) + 12).to_bytes(4, "little")
        return kind.to_bytes(4, "little") + length + body + length

    def option(code, value):
        return struct.pack("<HH", code, len(value)) + value + bytes(-len(value) % 4)

    out = block(0x0A0D0D0A, struct.pack("<IHHq", 0x1A2B3C4D, 1, 0, -1)) + block(1, struct.pack("<HHI", 1, 0, 0))
    for octets, is_out, comment in frames:
        options = option(2, struct.pack("<I", 2 if is_out else 1)) + (option(1, comment.encode()) if comment else b"")
        size = len(octets)
        out += block(6, struct.pack("<IIIII", 0, 0, 0, size, size) + octets + bytes(-size % 4) + options + bytes(4))
    return out


DAMAGED = "on purpose: 1 bit inverted"


class InGuestTest(unittest.TestCase):
    def in_guest(self, status, output):
        lab = unittest.mock.Mock(guests=[unittest.mock.Mock()])
        lab.guests[0].run.return_value = (status, output)
        table = bench.Bench(lab, "rdmawire", 1)
        table.case_timeout_s = 1
        return table.in_guest("rping -c")

    def test_an_exit_code_is_a_failure(self):
        self.assertEqual(self.in_guest(0, "done\n"), "done\n")
        with self.assertRaisesRegex(bench.Failure, "in the guest: rping -c: exit code 255\ndata mismatch"):
            self.in_guest(255, "data mismatch\nclient DISCONNECT EVENT...\nrdma_get_cm_event: Bad file descriptor\n")

    def test_but_not_that_of_the_thread_that_rping_forgets_at_its_end(self):
        raced = "client DISCONNECT EVENT...\nrdma_get_cm_event: Bad file descriptor\n"
        self.assertEqual(self.in_guest(255, raced), raced)
        with self.assertRaisesRegex(bench.Failure, "exit code 143"):
            self.in_guest(143, raced)


class CapturedTest(unittest.TestCase):
    """The judge, with what `rdmawire dump` and tshark would say; it has two frames before it, the first one goes out."""

    def judged(self, report, dump, tshark=None, comments=("", ""), lab_damages=False, second=bytes(64)):
        """dump and tshark: a line for each thing seen; of tshark for each question that it is asked."""
        answers = iter(tshark or ())

        def said_by(*command):
            return next(answers) if command[0] == "tshark" else dump

        patch = unittest.mock.patch.object
        # Frames of nothing, with an ICRC of nothing.
        right = patch(captured, "icrc", lambda octets: octets[-4:] if octets[-4:] != b"bad!" else b"good")
        with tempfile.TemporaryDirectory() as folder, patch(captured, "said_by", said_by), right:
            path = pathlib.Path(folder) / "x.pcapng"
            path.write_bytes(pcapng((b"abcde", True, comments[0]), (second, False, comments[1])))
            with patch(captured.shutil, "which", lambda name: tshark):
                return captured.check_recording("rdmawire", path, report, lab_damages)

    def refused(self, words, *arguments, **more):
        with self.assertRaisesRegex(bench.Failure, words):
            self.judged(*arguments, **more)

    ROCE = {"wire": "x", "recorded_frames": 2}
    TCP = {
        "wire": "TCP", "recorded_frames": 2,
        "connections": [{"connection": {"crc": True}, "counts": {"segments_sent": 1, "segments_received": 2}}],
    }  # fmt: skip
    PDUS = ["", "", "good", "good", "good"]

    def impaired(self, report, **sent):
        return report | {"on_purpose": {"sent": sent, "received": {}}}

    def test_frames_are_read_with_way_and_comment(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "x.pcapng"
            path.write_bytes(pcapng((b"abcde", True, ""), (b"abcdefgh", False, DAMAGED)))
            frames = captured.frames_of(path)
        self.assertEqual(frames, [captured.Frame(b"abcde", True, ""), captured.Frame(b"abcdefgh", False, DAMAGED)])
        self.assertEqual([frame.is_damaged for frame in frames], [False, True])

    def test_without_tshark_the_rest_is_judged_and_it_is_said(self):
        self.assertEqual(self.judged(self.ROCE, ["1\tgood", "2\t"]),
                         "2 frames, 1 good ICRCs; WITHOUT tshark, which is not installed")  # fmt: skip
        self.assertEqual(self.judged(self.TCP, self.PDUS),
                         "2 frames, 3 FPDUs with CRC, all good; WITHOUT tshark, which is not installed")  # fmt: skip

    def test_rocev2_is_good_but_where_it_was_damaged(self):
        dump, seen = ["1\tgood", "2\tgood"], [["100\t0x1", "100\t0x2"]]
        self.assertEqual(self.judged(self.ROCE, dump, seen), "2 frames, 2 good ICRCs")
        self.refused("frame 2: a wrong ICRC", self.ROCE, ["1\tgood", "2\tbad"], seen)
        self.refused("frame 2: not zlib's ICRC", self.ROCE, dump, seen, second=bytes(60) + b"bad!")
        self.refused("frame 2: not what tshark sees", self.ROCE, dump, [["100\t0x1", "\t"]])
        self.refused("tshark sees other frames", self.ROCE, dump, [["100\t0x1"]])
        self.refused("not as many frames", self.ROCE | {"recorded_frames": 3}, dump, seen)
        self.refused("more is damaged", self.ROCE, dump, seen, comments=("", DAMAGED))
        damaged = self.impaired(self.ROCE, corrupted=1)
        self.assertIn("1 with an inverted bit, 1 of these", self.judged(damaged, ["1\tgood", "2\tbad"], seen, ("", DAMAGED)))
        self.refused("lost: not what", self.impaired(self.ROCE, lost=1), dump, seen)

    def test_what_the_lab_may_have_damaged_is_not_judged(self):
        self.judged(self.ROCE, ["1\tgood", "2\tbad"], lab_damages=True)
        self.refused("frame 1: a wrong ICRC", self.ROCE, ["1\tbad", "2\tgood"], lab_damages=True)

    def test_iwarp_is_good_but_where_it_was_damaged(self):
        sums, fpdus = ["1\t1", "\t1"], ["  ULPDU length: 5 bytes", "CRC check: 0x1 (Good CRC32)", "Transmission"] * 3
        self.assertEqual(self.judged(self.TCP, self.PDUS, [sums, fpdus]), "2 frames, 3 FPDUs with CRC, all good")
        self.refused("bad CRCs that are not on purpose", self.TCP, ["", "", "good", "good", "bad"], [sums, fpdus])
        self.refused("not each FPDU", self.TCP, self.PDUS[:-1], [sums, fpdus])
        self.refused("other frames", self.TCP, ["", *self.PDUS], [sums, fpdus])
        self.refused("tshark finds wrong checksums", self.TCP, self.PDUS, [["1\t1", "1\t0"], fpdus])
        self.refused("tshark sees other FPDUs", self.TCP, self.PDUS, [sums, fpdus[3:]])
        bad = ["CRC check: 0x1 (Bad CRC32, should be 0x2)", *fpdus]
        self.refused("tshark sees other FPDUs", self.TCP, self.PDUS, [sums, bad])
        damaged = self.impaired(self.TCP, corrupted=1)
        self.assertEqual(self.judged(damaged, ["", "", "good", "bad"], [sums, bad], (DAMAGED, "")),
                         "2 frames, 1 FPDUs with CRC, 1 bad CRC, 1 with an inverted bit, 0 late")  # fmt: skip
        self.refused("late: not what", self.impaired(self.TCP, late=1), self.PDUS, [sums, fpdus])


class FreePortsTest(unittest.TestCase):
    def test_they_differ_and_can_be_bound(self):
        ports = machine.free_ports(8)
        self.assertEqual(len(set(ports)), 8)
        with socket.socket() as one:
            one.bind(("127.0.0.1", ports[0]))


if __name__ == "__main__":
    unittest.main()
