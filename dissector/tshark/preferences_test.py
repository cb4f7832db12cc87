"""The plugin's preferences, with other values than those that they have."""

import os
import struct
import tempfile
import unittest

from dissector.tshark import captures
from dissector.tshark.wireshark import Wireshark
from tools.octets import pcap

GOOD, BAD, UNCHECKED = "1", "0", "2"
MODES = ("take_over:FALSE", "take_over:TRUE")


def rpc_call(xid):
    """NFS 3, procedure 0, over RDMA without chunks."""
    return struct.pack(">17I", xid, 1, 32, 0, 0, 0, 0, xid, 0, 2, 100003, 3, 0, 0, 0, 0, 0)


class PreferencesTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.wireshark = Wireshark("dissector/rdmawire.so")
        cls.folder = tempfile.TemporaryDirectory()
        frames = [captures.rocev2(captures.send(b"port"), port=port) for port in cls.PORTS]
        cls.ports = pcap.write(os.path.join(cls.folder.name, "ports.pcap"), frames)
        right = captures.rocev2(captures.send(rpc_call(1)))
        frames = [right, right[:-1] + bytes([right[-1] ^ 0xFF])]
        talk = captures.Talk(frames)
        talk.begin()
        framer = captures.Framer()
        talk.client(framer.frame(captures.untagged(3, rpc_call(2), 1)))
        wrong = bytearray(framer.frame(captures.untagged(3, bytes(20), 2)))
        wrong[-1] ^= 0xFF
        talk.client(bytes(wrong))
        talk.client(framer.frame(captures.untagged(3, bytes(20), 3)))
        cls.both = pcap.write(os.path.join(cls.folder.name, "both.pcap"), frames)

    PORTS = [4791] + list(range(5000, 5010))

    NAMES = ("frame.protocols", "rdma.icrc.status", "rdma.icrc.computed", "rdma.icrc.bad", "rdma.mpa.crc.status",
             "rdma.mpa.crc.computed", "rdma.mpa.crc.bad", "rpc.program")

    def read(self, path, *preferences):
        """{field: {frame number: values}} of the frames that have the field."""
        words = [word for text in preferences for word in ("-o", "rdma." + text)]
        rows = self.wireshark.fields(path, self.NAMES, words)
        return {name: {number: row[name] for number, row in enumerate(rows, 1) if row[name]} for name in self.NAMES}

    def ports_taken(self, *preferences):
        return [self.PORTS[number - 1] for number in self.read(self.ports, *preferences)["rdma.icrc.status"]]

    def test_udp_ports(self):
        for mode in MODES:
            self.assertEqual(self.ports_taken(mode, "udp_ports:4791,5001,5003-5004"), [4791, 5001, 5003, 5004])
            self.assertEqual(self.ports_taken(mode, "udp_ports:"), [])

    def test_udp_ports_are_eight_at_most(self):
        self.assertEqual(self.ports_taken("udp_ports:5000-5009"), list(range(5000, 5008)))

    def test_the_built_in_dissector_keeps_the_ports_that_are_not_taken(self):
        found = self.read(self.ports, "take_over:TRUE", "udp_ports:5002")
        self.assertEqual(list(found["rdma.icrc.status"]), [1 + self.PORTS.index(5002)])
        protocols = {self.PORTS[number - 1]: value[0].split(":") for number, value in found["frame.protocols"].items()}
        self.assertIn("infiniband", protocols[4791])
        self.assertEqual(protocols[5002][-1], "udp")
        self.assertEqual(protocols[5003][-2:], ["udp", "data"])

    def test_verify_crcs(self):
        for mode in MODES:
            on = self.read(self.both, mode)
            self.assertEqual(on["rdma.icrc.status"], {1: [GOOD], 2: [BAD]})
            self.assertEqual(on["rdma.mpa.crc.status"], {7: [GOOD], 9: [BAD, GOOD]})
            off = self.read(self.both, mode, "verify_crcs:FALSE")
            self.assertEqual(off["rdma.icrc.status"], {1: [UNCHECKED], 2: [UNCHECKED]})
            self.assertEqual(off["rdma.mpa.crc.status"], {7: [UNCHECKED], 8: [UNCHECKED], 9: [UNCHECKED]})
            for name in ("rdma.icrc.computed", "rdma.icrc.bad", "rdma.mpa.crc.computed", "rdma.mpa.crc.bad"):
                self.assertNotEqual(on[name], {}, name)
                self.assertEqual(off[name], {}, name)

    def test_decode_payload_is_about_what_the_plugin_decodes(self):
        programs = {1: ["100003"], 2: ["100003"], 7: ["100003"]}
        self.assertEqual(self.read(self.both, "take_over:TRUE")["rpc.program"], programs)
        self.assertEqual(self.read(self.both, "take_over:TRUE", "decode_payload:FALSE")["rpc.program"], {})
        self.assertEqual(self.read(self.both, "decode_payload:FALSE")["rpc.program"], programs)

    def test_take_over(self):
        def built_in(value):
            found = self.read(self.both, "take_over:" + value)
            self.assertEqual(list(found["rdma.icrc.status"]), [1, 2])
            self.assertEqual(list(found["rdma.mpa.crc.status"]), [7, 9])
            return [[name for name in found["frame.protocols"][number][0].split(":") if name in (
                "infiniband", "iwarp_mpa", "iwarp_ddp_rdmap")] for number in (1, 3, 5, 7)]

        self.assertEqual(built_in("FALSE"), [["infiniband"], [], ["iwarp_mpa"], ["iwarp_mpa", "iwarp_ddp_rdmap"]])
        self.assertEqual(built_in("TRUE"), [[], [], [], []])


if __name__ == "__main__":
    unittest.main()
