"""What the plugin shows where Wireshark's own dissectors are wrong or silent, alongside them and taking over.

The numbers are those of the list that docs/wireshark.md gives. All packets lie in one capture for RoCE and one for
iWARP, so that tshark starts few times.
"""

import json
import os
import struct
import tempfile
import unittest

from dissector.tshark import captures
from dissector.tshark.wireshark import Wireshark
from tools.octets import pcap

TAKE_OVER = ["-o", "rdma.take_over:TRUE"]
GOOD, BAD, UNCHECKED = ["1"], ["0"], ["2"]


def vectors():
    with open("testdata/reference/vectors.json", encoding="utf-8") as file:
        return {row["name"]: bytes.fromhex(row["hex"]) for row in json.load(file)}


class Plugin(unittest.TestCase):
    """The frames by name, each read alongside and taking over: self.alongside["cnp"]["rdma.opcode"]."""

    NAMES = ()
    link = pcap.ETHERNET
    arguments = ()

    @classmethod
    def make(cls):
        """{name: frame} in the order of the capture; a name may begin with a space: nobody asks for the frame."""
        raise NotImplementedError

    @classmethod
    def setUpClass(cls):
        if cls is Plugin or not cls.NAMES:
            raise unittest.SkipTest("has no packets")
        cls.wireshark = Wireshark("dissector/rdmawire.so")
        cls.folder = tempfile.TemporaryDirectory()
        made = cls.make()
        path = pcap.write(os.path.join(cls.folder.name, "made.pcap"), list(made.values()), cls.link)
        cls.alongside, cls.taken = (cls.read(path, list(cls.arguments) + more, made) for more in ([], TAKE_OVER))

    @classmethod
    def read(cls, path, arguments, made):
        names = ["_ws.malformed", "frame.protocols"] + list(cls.NAMES)
        frames = cls.wireshark.fields(path, names, arguments)
        for frame, columns in zip(frames, cls.wireshark.columns(path, arguments)):
            frame.update(columns)
        return dict(zip(made, frames))

    def info(self, frame):
        return frame["Info"]


class Roce(Plugin):
    NAMES = (
        "infiniband.bth.opcode", "infiniband.bth.psn", "infiniband.bth.destqp", "infiniband.reth.va",
        "infiniband.reth.r_key", "infiniband.reth.dmalen", "infiniband.rdeth.eecnxt", "infiniband.deth.q_key",
        "infiniband.aeth.msn", "infiniband.mad.mgmtclass", "infiniband.cm.req.prim_flowlabel",
        "infiniband.payload", "rdma.opcode", "rdma.payload_len", "rdma.pad_len", "rdma.trailer_len", "rdma.icrc.status",
        "rdma.icrc.computed", "rdma.icrc.bad", "rdma.bth.fecn", "rdma.bth.becn", "rdma.xrceth.xrcsrq",
        "rdma.cnp.reserved", "rdma.aeth.credits", "rdma.aeth.rnr_wait", "rdma.not_readable", "ip.src",
        "ip.version", "eth.src", "rdma.error",
    )
    PORTS = (53, 69, 123, 500, 514, 520, 3784, 4500, 4789)

    @classmethod
    def make(cls):
        given = vectors()
        request = given["v4 UD CM REQ on QP1 (IP CM private data, TCP port space 18515)"]
        made = {
            "send": captures.rocev2(captures.send(b"hello")),
            "cnp": given["s3 RoCEv2/IPv4 CNP captured on ConnectX-4 Lx"],
            "fecn": captures.rocev2(captures.send(b"", octet4=0x80)),
            "corrupt": captures.rocev2(captures.send(b"hello"))[:-1] + b"\x55",
            "sliced": (captures.rocev2(captures.send(bytes(1000)))[:64], 1058),
            "tiny": captures.rocev2(captures.send(b"tiny")),
            "xrc": captures.rocev2(captures.bth(0xAA) + struct.pack(">I", 0x77) + struct.pack(">QII", 0x1000, 0x568, 0)),
            "rd": captures.rocev2(captures.bth(0x4A) + struct.pack(">IIIQII", 0x21, 0x11111111, 0x31, 0x2000, 0x99, 0)),
            "rd_ack": captures.rocev2(captures.bth(0x51) + struct.pack(">II", 0x21, 0x1F000007)),
            "flush": given["v4 RC FLUSH global visibility, range"],
            "atomic_write": given["v4 RC ATOMIC WRITE"],
            "fcs": given["v1 RC SEND ONLY 16 B AckReq SE"] + b"\xde\xad\xbe\xef",
            "grh_version": None,
            "grh_next_header": None,
            "eight": captures.rocev2(captures.send(b"\x08\0\0\0" + bytes(28))),
            "first_nibble_c": captures.rocev2(captures.bth(0x64) + struct.pack(">II", 1, 5) + b"\xc0" + bytes(63)),
            "ethernet": captures.rocev2(captures.bth(0x64) + struct.pack(">II", 1, 5) + b"\xc0\0\0\0" +
                                        captures.rocev2(captures.send(b"")) + bytes(2)),
            "perf": captures.rocev2(captures.mad(0x04, 0x12)),
            "vendor": captures.rocev2(captures.mad(0x09)),
            "reserved_class": captures.rocev2(captures.mad(0x1F)),
            "cm_req": request,
            "flow_label": None,
            "qp1": captures.rocev2(captures.send(bytes(32), qp=1)),
            "rnr": given["v4 RC RNR NAK timer 12 (0.64 ms)"],
            "credits": given["v4 RC ACK credit code 0x0d (96)"],
        }
        at = 174  # of the primary path's flow label, 20 bits
        changed = bytearray(request)
        changed[at:at + 4] = struct.pack(">I", 0xABCDE << 12 | struct.unpack(">I", changed[at:at + 4])[0] & 0xFFF)
        made["flow_label"] = captures.rocev2(bytes(changed[14 + 28:-4]))
        for name, octet, value in (("grh_version", 14, 0x40), ("grh_next_header", 20, 0x11)):
            changed = bytearray(given["v1 RC SEND ONLY 16 B AckReq SE"])
            changed[octet] = value
            made[name] = bytes(changed)
        for port in cls.PORTS:
            made["port%d" % port] = captures.rocev2(captures.send(bytes(range(40)), psn=port), source_port=port)
        return made

    def test_1_a_cnp_is_known_with_its_congestion_mark_and_icrc(self):
        for frame in (self.alongside["cnp"], self.taken["cnp"]):
            self.assertEqual(frame["rdma.opcode"], ["CNP (RoCEv2, Annex A17)"])
            self.assertEqual(frame["rdma.bth.becn"], ["1"])
            self.assertEqual(frame["rdma.icrc.status"], GOOD)
            self.assertTrue(self.info(frame).startswith("CNP (RoCEv2, Annex A17) QP "), self.info(frame))

    def test_2_fecn_and_becn_have_fields(self):
        for frame in (self.alongside["fecn"], self.taken["fecn"]):
            self.assertEqual((frame["rdma.bth.fecn"], frame["rdma.bth.becn"]), (["1"], ["0"]))

    def test_3_a_corrupted_packet_is_told_from_a_good_one(self):
        for frames in (self.alongside, self.taken):
            self.assertEqual(frames["send"]["rdma.icrc.status"], GOOD)
            self.assertEqual(frames["corrupt"]["rdma.icrc.status"], BAD)
            self.assertEqual(frames["send"]["rdma.icrc.bad"], [])
            self.assertNotEqual(frames["corrupt"]["rdma.icrc.bad"], [])
            self.assertIn("ICRC bad", self.info(frames["corrupt"]))

    def test_4_a_sliced_packet_is_neither_malformed_nor_judged(self):
        self.assertIn("RC_SEND_ONLY QP 0x11 PSN 100 len 1000", self.info(self.alongside["sliced"]))
        for frame in (self.alongside["sliced"], self.taken["sliced"]):
            self.assertEqual(frame["rdma.icrc.status"], UNCHECKED)
            self.assertEqual(frame["rdma.payload_len"], ["1000"])
        self.assertNotIn("Malformed", self.info(self.taken["sliced"]))

    def test_5_a_source_port_that_others_own_changes_nothing(self):
        for port in self.PORTS:
            for frame in (self.alongside["port%d" % port], self.taken["port%d" % port]):
                self.assertEqual(frame["rdma.opcode"], ["RC_SEND_ONLY"])
                self.assertEqual(frame["infiniband.bth.psn"], [str(port)])
                self.assertEqual(frame["rdma.icrc.status"], GOOD)
                self.assertEqual(frame["Protocol"], "RRoCE")

    def test_7_a_tiny_send_is_not_malformed_when_taken_over(self):
        self.assertEqual(self.taken["tiny"]["_ws.malformed"], [])
        for frame in (self.alongside["tiny"], self.taken["tiny"]):
            self.assertEqual(frame["rdma.payload_len"], ["4"])

    def test_8_the_source_of_a_cm_request_is_its_sender(self):
        for frame in (self.alongside["cm_req"], self.taken["cm_req"]):
            self.assertEqual([frame["Source"]], frame["ip.src"])

    def test_9_xrc_has_its_headers_and_icrc(self):
        for frame in (self.alongside["xrc"], self.taken["xrc"]):
            self.assertEqual(frame["rdma.xrceth.xrcsrq"], ["0x000077"])
            self.assertEqual(frame["infiniband.reth.r_key"], ["0x00000568"])
            self.assertEqual(frame["infiniband.bth.psn"], ["100"])
            self.assertEqual(frame["rdma.icrc.status"], GOOD)
            self.assertTrue(self.info(frame).startswith("XRC_RDMA_WRITE_ONLY QP 0x11"), self.info(frame))

    def test_10_reliable_datagram_is_not_dynamically_connected(self):
        for frame in (self.alongside["rd"], self.taken["rd"]):
            self.assertIn("0x11111111", ["0x%08x" % int(value, 0) for value in frame["infiniband.deth.q_key"]])
            self.assertIn("0x00000099", frame["infiniband.reth.r_key"])
            self.assertEqual(frame["rdma.icrc.status"], GOOD)
        self.assertEqual(self.taken["rd"]["infiniband.reth.va"], ["0x0000000000002000"])
        self.assertEqual(self.taken["rd_ack"]["infiniband.aeth.msn"], ["7"])

    def test_12_octets_after_a_rocev1_packet_are_not_its_icrc(self):
        for frame in (self.alongside["fcs"], self.taken["fcs"]):
            self.assertEqual(frame["rdma.trailer_len"], ["4"])
            self.assertEqual(frame["rdma.payload_len"], ["16"])
            self.assertEqual(frame["rdma.icrc.status"], GOOD)

    def test_12_a_grh_of_another_version_or_protocol_is_named(self):
        for frames in (self.alongside, self.taken):
            self.assertEqual(frames["grh_version"]["rdma.error"], ["Global Route Header at offset 14: unknown version"])
            self.assertEqual(frames["grh_next_header"]["rdma.error"],
                             ["Global Route Header at offset 14: unknown next protocol"])

    def test_13_payloads_of_connections_are_not_ethernet(self):
        # The frame's own address, and that of what is no packet.
        self.assertEqual(len(self.alongside["eight"]["ip.version"]), 2)
        self.assertEqual(self.taken["eight"]["ip.version"], ["4"])
        self.assertEqual(self.taken["eight"]["rdma.payload_len"], ["32"])

    def test_14_datagrams_are_ethernet_only_if_they_have_a_type_of_its(self):
        self.assertEqual(len(self.alongside["first_nibble_c"]["eth.src"]), 2)
        self.assertEqual(len(self.taken["first_nibble_c"]["eth.src"]), 1)
        self.assertEqual(self.taken["first_nibble_c"]["rdma.payload_len"], ["64"])
        self.assertEqual(len(self.taken["ethernet"]["eth.src"]), 2)

    def test_15_pad_is_no_payload(self):
        for frame in (self.alongside["send"], self.taken["send"]):
            self.assertEqual((frame["rdma.payload_len"], frame["rdma.pad_len"]), (["5"], ["3"]))
        self.assertEqual(self.taken["send"]["infiniband.payload"], ["68656c6c6f"])

    def test_16_and_17_management_of_every_class_has_an_icrc_and_is_not_malformed(self):
        for name in ("perf", "vendor", "reserved_class"):
            for frame in (self.alongside[name], self.taken[name]):
                self.assertEqual(frame["rdma.icrc.status"], GOOD, name)
            self.assertEqual(self.taken[name]["_ws.malformed"], [], name)
            self.assertEqual(len(self.taken[name]["infiniband.mad.mgmtclass"]), 1, name)

    def test_18_the_flow_label_of_a_cm_request_is_whole_when_taken_over(self):
        self.assertEqual([int(value, 0) for value in self.taken["flow_label"]["infiniband.cm.req.prim_flowlabel"]],
                         [0xABCDE])

    def test_19_only_datagrams_are_management(self):
        self.assertEqual(self.taken["qp1"]["infiniband.mad.mgmtclass"], [])
        self.assertEqual(self.taken["qp1"]["rdma.payload_len"], ["32"])

    def test_flush_and_atomic_write_have_their_reth(self):
        for name in ("flush", "atomic_write"):
            for frame in (self.alongside[name], self.taken[name]):
                self.assertEqual(len(frame["infiniband.reth.r_key"]), 1, name)
                self.assertEqual(frame["rdma.icrc.status"], GOOD)

    def test_credits_and_rnr_timers_are_told_in_words(self):
        for frames in (self.alongside, self.taken):
            self.assertEqual(frames["credits"]["rdma.aeth.credits"], ["96"])
            self.assertEqual(frames["rnr"]["rdma.aeth.rnr_wait"], ["0.000640000"])
            self.assertIn("RNR NAK, wait 0.64 ms", self.info(frames["rnr"]))

    def test_nothing_here_is_malformed_when_taken_over(self):
        for name, frame in self.taken.items():
            if not name.startswith(("port", "grh")):
                self.assertEqual(frame["_ws.malformed"], [], name)
                self.assertEqual(frame["rdma.not_readable"], [], name)


class NativeInfiniband(Plugin):
    """6 and 11: LINKTYPE_INFINIBAND with the preset that the docs give, and the flow control packets in it."""

    NAMES = ("infiniband.lrh.dlid", "rdma.opcode", "rdma.icrc.status", "rdma.vcrc.status", "rdma.lpcrc.status",
             "rdma.lpcrc.bad", "rdma.vcrc.bad")
    link = pcap.USER0
    arguments = ("-o", 'uat:user_dlts:"User 0 (DLT=147)","infiniband","0","","0",""')

    @classmethod
    def make(cls):
        given = vectors()
        flow_control = given["ib flow control packet"]
        local = given["ib-local RC SEND ONLY 16 B AckReq SE"]
        return {"local": local, "global": given["ib-global UD SEND ONLY 4 B"], "flow_control": flow_control,
                "bad_lpcrc": flow_control[:-1] + bytes([flow_control[-1] ^ 1]),
                "bad_vcrc": local[:-1] + bytes([local[-1] ^ 1])}

    def test_crcs_of_the_link_are_checked(self):
        for frames in (self.alongside, self.taken):
            self.assertEqual(frames["local"]["rdma.icrc.status"], GOOD)
            self.assertEqual(frames["local"]["rdma.vcrc.status"], GOOD)
            self.assertEqual(frames["global"]["rdma.vcrc.status"], GOOD)
            self.assertEqual(frames["bad_vcrc"]["rdma.vcrc.status"], BAD)
            self.assertNotEqual(frames["bad_vcrc"]["rdma.vcrc.bad"], [])
            self.assertEqual(frames["flow_control"]["rdma.lpcrc.status"], GOOD)
            self.assertEqual(frames["bad_lpcrc"]["rdma.lpcrc.status"], BAD)

    def test_the_info_column_of_flow_control_does_not_call_it_malformed(self):
        self.assertTrue(self.info(self.alongside["flow_control"]).startswith("InfiniBand link flow control packet: flow control"),
                        self.info(self.alongside["flow_control"]))


class Iwarp(Plugin):
    NAMES = ("rdma.opcode", "rdma.stream", "rdma.stream_offset", "rdma.recognition", "rdma.first_frame",
             "rdma.last_frame", "rdma.mpa.crc.status", "rdma.mpa.crc.bad", "rdma.mpa.markers", "rdma.stream.lost",
             "rdma.stream.missing_len", "rdma.immediate_data.data", "iwarp_mpa.enhanced.ird", "iwarp_ddp.msn",
             "iwarp_ddp.mo", "iwarp_rdma.opcode", "iwarp_rdma.srcstag", "iwarp_rdma.term_layer", "rdma.payload_len")

    @classmethod
    def make(cls):
        frames, names = [], {}

        def named(name, number):
            names[number] = name

        talk = Talk(frames, 20049, 40001)
        talk.begin()
        framer = captures.Framer()
        fpdus = [framer.frame(captures.untagged(3, bytes(60), msn)) for msn in range(1, 12)]
        talk.client(fpdus[0])
        talk.skip(fpdus[1])
        for number, fpdu in enumerate(fpdus[2:], 2):
            named("after_hole%d" % number, talk.client(fpdu))
        # The other end has seen what was not captured, and more frames of the capture pass by.
        talk.server(b"")
        for _ in range(150):
            talk.server(b"")
        named("hole_given_up", len(frames))

        talk = Talk(frames, 20049, 40002)
        request = captures.startup(False, 0x40)
        talk.client(request[:9])
        named("split_request", talk.client(request[9:]))
        talk.server(captures.startup(True, 0x40))
        named("after_split", talk.client(captures.Framer().frame(captures.untagged(3, b"split"))))

        talk = Talk(frames, 20049, 40003, opened=False)
        framer = captures.Framer()
        named("mid_stream_first", len(frames) + 1)
        for msn in range(1, 40):
            talk.client(framer.frame(captures.untagged(3, bytes(range(200)), msn)))
        named("mid_stream", len(frames))

        talk = Talk(frames, 20049, 40004)
        talk.begin(0xC0, 0xC0)
        framer = captures.Framer(markers=True)
        both = framer.frame(captures.untagged(3, bytes(700), 1)) + framer.frame(captures.untagged(3, bytes(10), 2))
        named("two_marked", talk.client(both))
        more = framer.frame(captures.untagged(3, bytes(900), 3))
        talk.client(more[:333])
        named("marked_over_two", talk.client(more[333:]))

        talk = Talk(frames, 20049, 40005)
        talk.begin(0xC0, 0x40)  # only the client wants Markers
        named("unmarked_direction", talk.client(captures.Framer().frame(captures.untagged(3, bytes(600)))))
        named("marked_direction", talk.server(captures.Framer(True).frame(captures.untagged(3, bytes(600)))))

        for port in (80, 445, 443, 5445, 10809):
            talk = Talk(frames, port, 41000 + port)
            talk.begin()
            named("port%d" % port, talk.client(captures.Framer().frame(captures.untagged(3, b"whose port?"))))

        talk = Talk(frames, 20049, 40006)
        talk.begin()
        framer = captures.Framer()
        wrong = bytearray(framer.frame(captures.untagged(3, b"wrong CRC")))
        wrong[-1] ^= 0xFF
        talk.client(bytes(wrong))
        named("bad_crc", talk.client(framer.frame(captures.untagged(3, b"right CRC", 2))))
        named("immediate", talk.client(framer.frame(captures.untagged(8, b"immediat", 3))))
        control = struct.pack(">HBB", 0x0100, 0xE0, 0)  # RDMAP, remote protection, with all headers
        read_request = struct.pack(">IQIIQ", 1, 2, 3, 0xABCD, 5)
        quoted = struct.pack(">H", 46) + captures.untagged(1, b"", queue=1) + read_request
        named("terminate", talk.server(captures.Framer().frame(captures.untagged(7, control + quoted, queue=2))))

        talk = Talk(frames, 20049, 40007)
        talk.client(captures.startup(False, 0x40))
        named("with_reply", talk.server(captures.startup(True, 0x40) +
                                        captures.Framer().frame(captures.untagged(3, b"at once"))))
        talk = Talk(frames, 20049, 40008)
        named("revision2", talk.client(captures.startup(False, 0x50, struct.pack(">HH", 16, 32), 2)))
        return {names.get(number, " %d" % number): frame for number, frame in enumerate(frames, 1)}

    def both(self, name):
        return self.alongside[name], self.taken[name]

    def test_27_after_a_hole_the_stream_is_found_again(self):
        for frames in (self.alongside, self.taken):
            shown = [(pdu, frame) for frame in frames.values() for pdu in zip(
                frame["rdma.stream"], frame["rdma.opcode"]) if pdu == ("0", "SEND")]
            self.assertEqual(len(shown), 10)
            lost = [frame for frame in frames.values() if frame["rdma.stream.lost"]]
            self.assertEqual(len(lost), 1)
            self.assertEqual(lost[0]["rdma.stream.missing_len"], ["84"])

    def test_28_a_split_request_is_recognised(self):
        for frame in self.both("split_request"):
            self.assertEqual(frame["rdma.opcode"], ["MPA_REQUEST"])
        for frame in self.both("after_split"):
            self.assertEqual(frame["rdma.opcode"], ["SEND"])
            self.assertEqual(frame["iwarp_ddp.msn"], ["1"])

    def test_29_a_stream_without_its_beginning_is_recognised(self):
        for frames in (self.alongside, self.taken):
            found = [frame for frame in frames.values() if "mid_stream" in frame["rdma.recognition"]]
            self.assertEqual(sum(len(frame["rdma.opcode"]) for frame in found), 39)
            self.assertEqual(self.last(frames["mid_stream"]["iwarp_ddp.msn"]), "39")

    @staticmethod
    def last(values):
        return values[-1] if values else None

    def test_30_markers_in_any_packing(self):
        for frame in self.both("two_marked"):
            self.assertEqual(frame["rdma.opcode"], ["SEND", "SEND"])
            self.assertEqual(frame["rdma.mpa.crc.status"], ["1", "1"])
            self.assertEqual(frame["iwarp_ddp.msn"][-2:], ["1", "2"])
        for frame in self.both("marked_over_two"):
            self.assertEqual(frame["rdma.opcode"], ["SEND"])
            self.assertEqual(frame["rdma.mpa.crc.status"], GOOD)
            self.assertEqual(frame["rdma.payload_len"], ["900"])

    def test_31_each_direction_has_markers_or_not(self):
        for frame in self.both("unmarked_direction"):
            self.assertEqual((frame["rdma.mpa.crc.status"], frame["rdma.mpa.markers"]), (GOOD, []))
        for frame in self.both("marked_direction"):
            self.assertEqual(frame["rdma.mpa.crc.status"], GOOD)
            self.assertEqual(len(frame["rdma.mpa.markers"]), 2)

    def test_32_ports_of_other_protocols(self):
        for port in (80, 445, 443, 5445, 10809):
            for frame in self.both("port%d" % port):
                self.assertEqual(frame["rdma.opcode"], ["SEND"], port)
                self.assertIn(frame["Protocol"], ("iWARP", "DDP/RDMA"), port)
                self.assertEqual(frame["iwarp_ddp.msn"], ["1"], port)

    def test_33_a_wrong_crc_can_be_filtered(self):
        # The FPDU is held until what follows it shows that its length is right.
        for frame in self.both("bad_crc"):
            self.assertEqual(frame["rdma.mpa.crc.status"], ["0", "1"])
            self.assertEqual(len(frame["rdma.mpa.crc.bad"]), 1)

    def test_34_the_headers_that_a_terminate_quotes_are_fields(self):
        for frame in self.both("terminate"):
            self.assertEqual([int(value, 0) for value in frame["iwarp_rdma.srcstag"]], [0xABCD])
            self.assertIn("by RDMAP: Remote protection error: invalid STag, of RDMA_READ_REQUEST", self.info(frame))

    def test_35_immediate_data_are_shown(self):
        for frame in self.both("immediate"):
            self.assertEqual(frame["rdma.opcode"], ["IMMEDIATE_DATA"])
            self.assertEqual(frame["rdma.immediate_data.data"], [b"immediat".hex()])

    def test_37_an_fpdu_in_the_segment_of_the_reply_is_shown(self):
        for frame in self.both("with_reply"):
            self.assertEqual(frame["rdma.opcode"], ["MPA_REPLY", "SEND"])
            self.assertEqual(frame["iwarp_ddp.msn"], ["1"])
            self.assertIn(" | ", self.info(frame))

    def test_mpa_revision_2_has_its_fields(self):
        for frame in self.both("revision2"):
            self.assertEqual(frame["iwarp_mpa.enhanced.ird"], ["16"])

    def test_nothing_here_is_malformed_when_taken_over(self):
        for name, frame in self.taken.items():
            self.assertEqual(frame["_ws.malformed"], [], name)


Talk = captures.Talk

if __name__ == "__main__":
    unittest.main()
