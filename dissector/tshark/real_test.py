"""What the plugin shows on captures of real stacks where Wireshark's own dissectors are wrong: the numbers are those of
the list that docs/wireshark.md gives, the counts were made by other programs when the captures were recorded."""

import os
import tempfile
import unittest

from dissector.tshark.wireshark import Wireshark
from tools.octets import pcap

MODES = ([], ["-o", "rdma.take_over:TRUE"])
TAKE_OVER = MODES[1]


class RealCaptures(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.wireshark = Wireshark("dissector/rdmawire.so")
        cls.folder = tempfile.TemporaryDirectory()

    def frames(self, capture, selected, arguments=(), with_plugin=True):
        return self.wireshark.frames("testdata/captures/%s.pcap" % capture, selected, arguments, with_plugin)

    def test_3_the_corrupted_packets_are_found(self):
        for mode in MODES:
            self.assertEqual(self.frames("rxe-corrupt-icrc", "rdma.icrc.status == 0", mode), [])
            self.assertEqual(self.frames("rxe-corrupt-icrc.delivered", "rdma.icrc.status == 0", mode), [4])

    def test_7_and_23_sends_of_less_than_16_octets_are_not_malformed(self):
        names = ("rxe-rc-write-cm", "rxe-rc-read-cm", "rxe-rc-pipelined", "rxe-rc-send-cm-tos", "rxe-rc-send-1",
                 "rxe-rc-send-2", "rxe-rc-allops", "rxe-drop-send-middle")
        # As the counts of the defect: 16, 16, 8, 6, 5, 5, 3 and 1.
        together = pcap.write(os.path.join(self.folder.name, "sends.pcap"), [
            frame for name in names for frame in pcap.read("testdata/captures/%s.pcap" % name)])
        self.assertEqual(len(self.wireshark.frames(together, "_ws.malformed", with_plugin=False)), 60)
        self.assertEqual(len(self.wireshark.frames(together, "_ws.malformed && rdma.icrc.status == 1")), 60)
        self.assertEqual(self.wireshark.frames(together, "_ws.malformed", TAKE_OVER), [])

    def test_8_the_source_of_cm_messages_is_their_sender(self):
        path = "testdata/captures/rxe-rping.pcap"
        self.assertEqual(self.wireshark.columns(path, with_plugin=False)[0]["Source"], "LID: 65535")
        for mode in MODES:
            self.assertEqual([row["Source"] for row in self.wireshark.columns(path, mode)[:3]],
                             ["10.77.0.1", "10.77.0.2", "10.77.0.1"])

    def test_flush_and_atomic_write_have_their_reth(self):
        for mode in MODES:
            for capture, expected in (("rxe-k612-atomic-write", {4: ("RC_ATOMIC_WRITE", "8"), 6: ("RC_ATOMIC_WRITE", "8")}),
                                      ("host-endpoint-fd-flush", {24: ("RC_FLUSH", "64"), 25: ("RC_FLUSH", "64"),
                                                                  27: ("RC_ATOMIC_WRITE", "8")})):
                found = self.wireshark.fields("testdata/captures/%s.pcap" % capture,
                                              ["rdma.opcode", "infiniband.reth.dmalen"], mode)
                shown = {number: tuple(value for values in row.values() for value in values)
                         for number, row in enumerate(found, 1)}
                self.assertEqual({number: shown[number] for number in expected}, expected)

    def test_statistics_count_by_service_and_operation(self):
        def counts(capture, *more):
            _, out, _ = self.wireshark.run(["-n", "-q", "-r", "testdata/captures/%s.pcap" % capture, "-z",
                                            "rdma_ops,tree"] + list(more))
            rows = (line.split() for line in out.splitlines())
            return {row[0]: int(row[1]) for row in rows if len(row) > 2 and row[1].isdigit() and row[0] != "Packets"}

        for mode in MODES:
            self.assertEqual(counts("rxe-rping", *mode), {
                "RC": 36, "RC_SEND_ONLY": 12, "RC_ACKNOWLEDGE": 15, "RC_RDMA_READ_REQUEST": 3, "RC_RDMA_WRITE_ONLY": 3,
                "RC_RDMA_READ_RESPONSE_ONLY": 3, "UD": 5, "UD_SEND_ONLY": 5})
            self.assertEqual(counts("siw-loss-write.delivered", *mode),
                             {"iWARP": 25, "RDMA_WRITE": 23, "MPA_REQUEST": 1, "MPA_REPLY": 1})

    def test_27_the_stream_goes_on_after_a_lost_segment(self):
        for mode in MODES:
            found = self.wireshark.fields("testdata/captures/siw-loss-write.delivered.pcap", ["rdma.opcode"], mode)
            # Two lost segments were sent again later.
            self.assertEqual(sum(row["rdma.opcode"].count("RDMA_WRITE") for row in found), 23)
            self.assertEqual([found[number - 1]["rdma.opcode"].count("RDMA_WRITE") for number in (33, 34)], [5, 10])

    def test_34_what_a_terminate_quotes(self):
        for mode in MODES:
            found = self.wireshark.fields("testdata/captures/siw-term-read-badstag.pcap",
                                          ["rdma.opcode", "iwarp_rdma.srcstag"], mode)
            quoted = [row["iwarp_rdma.srcstag"] for row in found if "TERMINATE" in row["rdma.opcode"]]
            self.assertEqual(quoted, [["0x202481a5"]])


if __name__ == "__main__":
    unittest.main()
