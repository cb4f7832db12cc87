"""What the dissectors of upper layers are given when the plugin takes over, where the built-in dissectors give them the
wrong thing or they go wrong themselves: whole messages, and nothing of another capture.

The numbers are those of the list that docs/wireshark.md gives.
"""

import collections
import json
import os
import struct
import subprocess
import tempfile
import unittest

from dissector.tshark import captures
from dissector.tshark.wireshark import Wireshark
from tools.octets import pcap

TAKE_OVER = ["-o", "rdma.take_over:TRUE"]
PASSES = ([], ["-2"])


def rpc_call(xid, octets=64):
    """A call over RDMA, in one message: header without chunks, NFS 3, procedure 0, and as many octets."""
    rdma = struct.pack(">7I", xid, 1, 32, 0, 0, 0, 0)
    return rdma + struct.pack(">10I", xid, 0, 2, 100003, 3, 0, 0, 0, 0, 0) + bytes(octets)


class Captures(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.wireshark = Wireshark("dissector/rdmawire.so")
        cls.folder = tempfile.TemporaryDirectory()

    def path(self, name):
        return os.path.join(self.folder.name, name)

    def capture(self, name):
        return self.wireshark.readable("testdata/captures/" + name)

    def fields(self, path, names, arguments=(), with_plugin=True):
        """{frame number: (first value or None of each field)} of the frames that have one of them."""
        rows = self.wireshark.fields(path, names, arguments, with_plugin)
        found = {number: tuple(row[name][0] if row[name] else None for name in names)
                 for number, row in enumerate(rows, 1)}
        return {number: values for number, values in found.items() if any(values)}


class Messages(Captures):
    def test_24_an_incomplete_send_is_no_dissector_bug(self):
        path = self.capture("rxe-drop-send-middle.pcap")

        def bugs(arguments, with_plugin):
            return self.wireshark.run(["-n", "-V", "-r", path] + arguments, with_plugin)[1].count("[Dissector bug, ")

        self.assertEqual(bugs(["-2"], False), 1)
        # The tree of the plugin stands beside what the built-in dissector does.
        # (By that: the bug's own field has another name in each Wireshark.)
        self.assertEqual(bugs(["-2", "-Y", "frame.number == 33 && rdma.icrc.status == 1"], True), 1)
        for passes in PASSES:
            self.assertEqual(bugs(passes + TAKE_OVER, True), 0)

    def test_25_messages_come_through_wrap_loss_and_repetition(self):
        first, second = rpc_call(1), rpc_call(2)
        third, fourth = rpc_call(3), rpc_call(4)
        made = [captures.rocev2(captures.send(octets, opcode, psn=psn), source_port) for octets, opcode, psn, source_port in (
            # The PSN wraps, and the UDP source port changes.
            (first[:40], 0x00, 0xFFFFFF, 50000), (first[40:], 0x02, 0, 50001),
            # The middle one is lost: the sender goes back.
            (second[:24], 0x00, 1, 50000), (second[48:], 0x02, 3, 50000),
            (second[24:48], 0x01, 2, 50000), (second[48:], 0x02, 3, 50000),
            # Again, as an acknowledgment was lost.
            (second[24:48], 0x01, 2, 50000), (second[48:], 0x02, 3, 50000),
            # One of several packets right after one that never ends.
            (third[:24], 0x00, 4, 50000), (fourth[:24], 0x00, 9, 50000), (fourth[24:], 0x02, 10, 50000))]
        path = pcap.write(self.path("sends.pcap"), made)
        names = ["rpcordma.xid", "rpc.xid", "rpc.program"]
        calls = {2: 1, 6: 2, 11: 4}
        expected = {frame: ("0x%08x" % xid, "0x%08x" % xid, "100003") for frame, xid in calls.items()}
        for passes in PASSES:
            self.assertEqual(self.fields(path, names, passes + TAKE_OVER), expected)
        # What the built-in dissectors make of it: not even the passes agree.
        self.assertNotIn(2, self.fields(path, names, with_plugin=False))

    def test_36_iwarp_segments_are_put_where_their_offset_says(self):
        frames = []
        talk = captures.Talk(frames)
        talk.begin()
        framer = captures.Framer()
        message = rpc_call(7, 32)
        for at in (40, 0, 80):
            ulpdu = captures.untagged(3, message[at:at + 40] if at < 80 else message[at:], 1, at, last=at == 80)
            number = talk.client(framer.frame(ulpdu))
        # And in order, in two.
        again = rpc_call(8, 32)
        talk.client(framer.frame(captures.untagged(3, again[:40], 2, 0, last=False)))
        ordered = talk.client(framer.frame(captures.untagged(3, again[40:], 2, 40)))
        path = pcap.write(self.path("segments.pcap"), frames)
        names = ["rpcordma.xid", "rpc.xid", "rpc.program"]
        expected = {number: ("0x00000007", "0x00000007", "100003"), ordered: ("0x00000008", "0x00000008", "100003")}
        for passes in PASSES:
            self.assertEqual(self.fields(path, names, passes + TAKE_OVER), expected)
        self.assertNotIn(number, self.fields(path, names, with_plugin=False))

    def test_pad_is_left_to_what_was_written_and_taken_from_what_was_sent(self):
        odd = captures.rocev2(captures.bth(0x0A, pad=3) + struct.pack(">QII", 0x1000, 7, 5) + b"write\0\0\0")
        path = pcap.write(self.path("pad.pcap"), [odd, captures.rocev2(captures.send(b"send!"))])
        self.assertEqual(self.fields(path, ["rdma.payload_len", "rdma.pad_len", "infiniband.payload"], TAKE_OVER),
                         {1: ("5", "3", b"write".hex()), 2: ("5", "3", b"send!".hex())})


class Connections(Captures):
    """26: NVMe over RDMA, which its dissector knows by the connection's CM messages only; and SMC-R, which it guesses."""

    FIELDS = ["nvme.cmd.cid", "nvme.cmd.opc", "nvme.fabrics.cmd.cid", "nvme.fabrics.cmd.fctype", "nvme.fabrics.cqe.sts"]

    def test_26_nvme_is_decoded_as_without_the_plugin(self):
        path = self.capture("rxe-nvmeof.pcap.zst")
        before = self.fields(path, self.FIELDS, with_plugin=False)
        self.assertGreater(len(before), 30)
        self.assertEqual(self.fields(path, self.FIELDS), before)
        for passes in PASSES:
            taken = self.fields(path, self.FIELDS, passes + TAKE_OVER)
            # Frames 83 and 84 are one Send of two packets, which was decoded only now: a Connect of the Fabrics.
            differing = {number for number in set(taken) | set(before) if taken.get(number) != before.get(number)}
            self.assertEqual(differing, {84})
            self.assertEqual(taken[84], (None, None, "0x0000", "0x01", None))

    def test_26_without_the_cm_messages_all_but_nvme_is_shown(self):
        frames = pcap.read(self.capture("rxe-nvmeof.pcap.zst"))
        cm = (1, 2, 3, 80, 81, 82, 366, 367, 376, 377)
        path = pcap.write(self.path("without_cm.pcap"),
                                   [frame for number, frame in enumerate(frames, 1) if number not in cm])
        for arguments in ([], TAKE_OVER):
            self.assertEqual(self.wireshark.frames(path, "nvme", arguments), [])
            rows = self.wireshark.fields(path, ["rdma.opcode", "rdma.icrc.status"], arguments)
            self.assertEqual({row["rdma.icrc.status"][0] for row in rows}, {"1"})
            self.assertEqual(collections.Counter(row["rdma.opcode"][0] for row in rows), NVME_OPERATIONS)

    def test_26_smc_is_recognised_in_sends_only(self):
        # As long as its messages are, and with their first two octets.
        looks_like_it = b"\x01\x2c" + bytes(42)
        reth = struct.pack(">QII", 0x1000, 7, 44)
        path = pcap.write(self.path("smc.pcap"), [
            captures.rocev2(captures.bth(0x0A) + reth + looks_like_it), captures.rocev2(captures.send(looks_like_it))])
        self.assertEqual(self.wireshark.frames(path, "smc", with_plugin=False), [1, 2])
        self.assertEqual(self.wireshark.frames(path, "smc", TAKE_OVER), [2])

    def open_in_turn(self, paths, with_plugin, settings=()):
        """sharkd opens one capture after the other; the frames of each that a filter selects."""
        start, environment = self.wireshark.command("sharkd", with_plugin)
        calls = [("setconf", {"name": name, "value": value}) for name, value in settings]
        for path, selected in paths:
            calls += [("load", {"file": path}), ("frames", {"filter": selected})]
        lines = [json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": parameters})
                 for number, (method, parameters) in enumerate(calls, 1)]
        done = subprocess.run(start + ["-"], input="\n".join(lines) + "\n", stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL, env=environment, check=True, text=True)
        answers = {answer["id"]: answer["result"] for answer in
                   (json.loads(line) for line in done.stdout.splitlines() if line.startswith("{"))}
        return [[row["num"] for row in answers[number]] for number, (method, _) in enumerate(calls, 1)
                if method == "frames"]

    def test_20_nothing_is_remembered_of_a_capture_that_was_open_before(self):
        frames = pcap.read(self.capture("rxe-nvmeof.pcap.zst"))
        request = pcap.write(self.path("request.pcap"), frames[:1])
        rest = pcap.write(self.path("rest.pcap"), frames[1:40])
        nvme = "nvme && !infiniband.mad"
        self.assertEqual(self.open_in_turn([(rest, nvme)], False), [[]])
        # An answer to a request of another capture makes a connection.
        self.assertNotEqual(self.open_in_turn([(request, "frame"), (rest, nvme)], False)[1], [])
        taking_over = [("rdma.take_over", "TRUE")]
        self.assertEqual(self.open_in_turn([(request, "frame"), (rest, nvme)], True, taking_over)[1], [])
        whole = pcap.write(self.path("whole.pcap"), frames[:40])
        once, again = self.open_in_turn([(whole, nvme), (whole, nvme)], True, taking_over)
        self.assertNotEqual(once, [])
        self.assertEqual(once, again)

    def test_20_streams_begin_anew_with_each_capture(self):
        path = self.capture("siw-rping.pcap")
        for settings in ([], [("rdma.take_over", "TRUE")]):
            once, again = self.open_in_turn([(path, "rdma.stream == 0")] * 2, True, settings)
            self.assertGreater(len(once), 10)
            self.assertEqual(once, again)


# The packets of rxe-nvmeof.pcap but the CM messages, as another program counted them.
NVME_OPERATIONS = {
    "RC_SEND_ONLY": 49, "RC_ACKNOWLEDGE": 95, "RC_RDMA_READ_REQUEST": 5, "RC_RDMA_READ_RESPONSE_ONLY": 1,
    "RC_SEND_ONLY_WITH_INVALIDATE": 25, "RC_RDMA_WRITE_FIRST": 16, "RC_RDMA_WRITE_MIDDLE": 90, "RC_RDMA_WRITE_LAST": 16,
    "RC_RDMA_WRITE_ONLY": 4, "RC_SEND_FIRST": 1, "RC_SEND_LAST": 1, "RC_RDMA_READ_RESPONSE_FIRST": 4,
    "RC_RDMA_READ_RESPONSE_MIDDLE": 56, "RC_RDMA_READ_RESPONSE_LAST": 4}

if __name__ == "__main__":
    unittest.main()
