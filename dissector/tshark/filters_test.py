"""The filters of users in filters.txt select the same frames with the plugin as without it."""

import os
import tempfile
import unittest

from dissector.tshark.wireshark import Wireshark
from tools.octets import pcap

CAPTURES = ["testdata/captures/%s.pcap" % name for name in (
    "rxe-k612-allops", "rxe-rping", "rxe-cm-reject", "rxe-nak-write-badkey", "rxe-rnr-nak", "rxe-udaddy",
    "rxe-rc-cmp-swap", "rxe-rc-fetch-add", "rxe-rc-sendinv", "rxe-ecn-ce", "rxe-k612-atomic-write", "siw-crc-rping",
    "siw-mpav1-allops", "siw-sendinv", "siw-term-read-badstag", "siw-pipelined", "siw-rping", "siw-k612-send-too-long",
    "rxe-k612-drop-send-middle")]

# Frames that the built-in dissectors get wrong, by filters without the plugin, and why. In others nothing may differ.
WRONG = [
    ("infiniband.bth.opcode in {0x1c, 0x1d}", "4.0 does not know FLUSH and ATOMIC WRITE, and shows nothing after the BTH"),
    ("infiniband && _ws.malformed", "a heuristic of RPC over RDMA leaves by an exception on Sends of less than 16 octets, "
                                    "and what should come after them is not shown"),
    ("iwarp_rdma.opcode == 7", "the headers that a Terminate quotes are shown as octets"),
]
# And the rest of a TCP stream after a frame with this filter: likewise, and the stream is lost to the built-in one.
LOST_AFTER = "iwarp_mpa && (_ws.malformed || _ws.unreassembled)"


def filters():
    with open("dissector/tshark/filters.txt", encoding="utf-8") as file:
        return [line.rstrip("\n") for line in file if not line.startswith("#")]


class Filters(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.wireshark = Wireshark("dissector/rdmawire.so")
        cls.folder = tempfile.TemporaryDirectory()
        frames = [frame for capture in CAPTURES for frame in pcap.read(capture)]
        cls.capture = pcap.write(os.path.join(cls.folder.name, "all.pcap"), frames)
        cls.filters = filters()
        cls.before = cls.selected(False, [])
        cls.wrong = cls.wrong_frames()

    @classmethod
    def selected(cls, with_plugin, arguments):
        """{filter: the numbers of the frames that it selects}: frame N has time N, so each is an interval of its own."""
        words = ["-n", "-q", "-r", cls.capture, "-z", "io,stat,1," + ",".join(cls.filters)]
        _, out, _ = cls.wireshark.run(words + arguments, with_plugin)
        found = {text: set() for text in cls.filters}
        for line in out.splitlines():
            if "<>" not in line or not line.startswith("|"):
                continue
            cells = [cell.strip() for cell in line.strip("|").split("|")]
            number = int(float(cells[0].split("<>")[0])) + 1
            for text, count in zip(cls.filters, cells[1::2]):
                if int(count):
                    found[text].add(number)
        return found

    @classmethod
    def wrong_frames(cls):
        found = set()
        for text, _ in WRONG:
            found.update(cls.wireshark.frames(cls.capture, text, with_plugin=False))
        streams = cls.wireshark.fields(cls.capture, ["frame.number", "tcp.stream"], ["-Y", LOST_AFTER], False)
        for row in streams:
            found.update(cls.wireshark.frames(
                cls.capture, "tcp.stream == %s && frame.number >= %s" % (row["tcp.stream"][0], row["frame.number"][0]),
                with_plugin=False))
        return found

    def compare(self, mode, arguments):
        after = self.selected(True, arguments)
        for text in self.filters:
            differing = after[text] ^ self.before[text]
            self.assertEqual(differing - self.wrong, set(), "%s, %s" % (text, mode))
        same = [text for text in self.filters if after[text] == self.before[text]]
        # What is compared is not nothing, and what is wrong is not everything.
        self.assertGreaterEqual(len([text for text in self.filters if self.before[text]]), 70)
        self.assertGreaterEqual(len(same), 52, mode)

    def test_alongside(self):
        self.compare("alongside", [])

    def test_taking_over(self):
        self.compare("take-over", ["-o", "rdma.take_over:TRUE"])


if __name__ == "__main__":
    unittest.main()
