"""Packet vectors out of captures: one of each kind of frame that real devices have sent.

The kinds: of RoCE, link form, opcode, SE, pad, CE mark, syndrome, message of the connection manager; of iWARP, start-up
frame, and opcode and flags of a segment, in FPDUs with and without CRC. Linux' rxe and siw have sent most of them
(testdata/captures); the host-endpoint captures have a program on one side that tries out their hostile cases.
"""

from conformance.vectors import captures, decode, infiniband_packets, iwarp_packets, wire

# Numbers of frames, as Wireshark counts.
FRAMES = {
    "host-endpoint-fd-flush": [12, 16, 17, 20, 22, 23, 24, 26, 27, 30],
    "host-endpoint-siw": [9, 11, 13, 15, 19, 34, 47, 60, 73, 86, 106, 108, 117, 119],
    "rxe-blackhole.delivered": [1, 2, 3, 4, 5],
    "rxe-cm-no-listener": [2],
    "rxe-cm-reject": [2],
    "rxe-drop-imm-last.delivered": [16],
    "rxe-dup-requests.delivered": [32],
    "rxe-ecn-ce.delivered": [4, 5, 11, 12, 13, 14, 20, 22, 23, 24, 30],
    "rxe-k612-allops": [4, 6, 8, 13, 21, 23, 25, 27, 29, 32, 43, 45, 47, 50, 89],
    "rxe-k612-bad-read": [5],
    "rxe-k612-send-too-long": [6],
    "rxe-k612-sendinv": [4],
    "rxe-mckey": [5],
    "rxe-pmtu1024-read": [24],
    "rxe-pmtu1024-send": [24],
    "rxe-pmtu1024-write": [24],
    "rxe-pmtu256-read": [25, 26],
    "rxe-pmtu256-send": [22, 23],
    "rxe-pmtu256-write": [22, 23],
    "rxe-rc-allops": [13, 23, 25, 43, 51, 53, 71],
    "rxe-rc-pingpong-ipv6": [11, 12, 13, 15],
    "rxe-rc-send-srq": [66],
    "rxe-rnr-nak-slow": [5],
    "rxe-rping-ipv6": [1, 4, 5, 6, 8, 9, 14, 30, 31],
    "rxe-uc-pingpong": [13, 14],
    "rxe-uc-send-4000": [25],
    "rxe-uc-write-4000": [20, 21, 23],
    "rxe-ud-pingpong": [11],
    "rxe-udaddy": [1, 2, 3],
    "rxe-vlan-rping": [3, 4, 5, 6, 7, 8, 9, 14, 42, 43],
    "siw-crc-client-only": [4, 6, 8],
    "siw-crc-rping": [5, 7],
    "siw-crc-server-only": [4, 6, 8, 11],
    "siw-crc-strict-mismatch": [4, 6],
    "siw-crc-term-badstag": [4],
    "siw-k612-bad-write": [6, 8, 11],
    "siw-k612-send-too-long": [8, 12],
    "siw-k612-sendinv": [10],
    "siw-mpa-reject": [6],
    "siw-mpav1-allops": [6, 8, 10, 19],
    "siw-mpav1-rping": [6],
    "siw-read-1": [4, 6, 21, 23, 36],
    "siw-read-mss": [36],
    "siw-rping-ipv6": [4, 6],
    "siw-term-write-oob": [8],
}

# What was not taken: what is wrong with it, requirements, the frame in which its receiver shows that, and octets that lie in
# it: a NAK of PSN errors, a Terminate (siw has layer and type the other way round), a FIN.
REFUSED = {
    ("rxe-corrupt-payload.delivered", 5): (("integrity", "bad-icrc"), ["HV-02", "CRC-01"], 8, b"\x9b\x9a\x57\x60"),
    ("host-endpoint-fd-flush", 15): (("integrity", "bad-icrc"), ["HV-02", "CRC-01"], 17, b"\x00\x10\x01\x60"),
    ("host-endpoint-siw", 59): (("integrity", "bad-mpa-crc"), ["MPA-5044-4.4-14", "MPA-5044-8-04"], 60, b"\x02\x02"),
    ("host-endpoint-siw", 85): (("unsupported", "reserved-opcode", {"iwarp_rdma.opcode": 12}), ["RDMAP-5040-7.2-02"], 86, b"\x20\x06"),
    ("host-endpoint-siw", 127): (("malformed", "bad-version", {"iwarp_mpa.rev": 3}), ["MPA-5044-7.1.1-13"], 129, b"\x50\x11"),
}

TERMINATE = 7
CM_REQUIREMENTS = {0x10: ["CM-01"], 0x12: ["CM-18"], 0x13: ["CM-07"], 0x14: ["CM-08"], 0x15: ["CM-12"],
                   0x16: ["CM-13"], 0x17: ["CM-22"], 0x18: ["CM-22"]}  # fmt: skip
# By the opcode without its service.
LENGTHS = {"FIRST": ["LEN-01"], "MIDDLE": ["LEN-01"], "LAST": ["LEN-02"], "ONLY": ["LEN-03", "LEN-04"]}


def opcode_requirements(fields):
    opcode = fields["infiniband.bth.opcode"]
    if "infiniband.mad.attributeid" in fields:
        return ["CM-21", *CM_REQUIREMENTS[fields["infiniband.mad.attributeid"]]]
    if opcode >> 5 == 3:
        return ["UD-01", *(["UD-10"] if fields["infiniband.bth.destqp"] == 0xFFFFFF else [])]
    if opcode >> 5 == 1:
        return ["UC-05"]
    if opcode == 0x11:
        return [["ACK-10", "RNR-01", "ACK-11", "NAK-01"][fields["infiniband.aeth.syndrome"] >> 5 & 3]]
    if opcode in (0x0C, 0x13, 0x14):
        return ["LEN-11"]
    if opcode in (0x1C, 0x1D):
        return ["MPE-01" if opcode == 0x1C else "MPE-06"]
    if opcode == 0x12:
        return ["ACK-12"]
    if 0x0D <= opcode <= 0x10:
        return ["LEN-09"]
    words = infiniband_packets.OPERATIONS[opcode][0].split("_")
    return next(rules for word, rules in LENGTHS.items() if word in words)


def frame_requirements(frame, fields):
    rules = [*infiniband_packets.FORM_REQUIREMENTS[frame.form.removesuffix("-vlan")], *opcode_requirements(fields)]
    if frame.form.endswith("-vlan"):
        rules.append("V2-23")
    if frame.traffic_class & 3 == 3:
        rules.append("CRC-04")
    return rules


def vectors_of(octets, name, refused):
    """Those of one captured frame. refused: as in REFUSED, or None."""
    rules = refused[1] if refused else []
    why = refused[0] if refused else None
    frame = decode.ethernet(octets)
    if frame:
        fields = None if refused else frame.fields()
        yield iwarp_packets.vector(name, "ethernet", octets, rules or frame_requirements(frame, fields), fields, why)
        return
    payload = decode.tcp_payload(octets)
    if payload.startswith((wire.REQUEST_KEY, wire.REPLY_KEY)):
        startup, fields = decode.startup(payload)
        request = payload.startswith(wire.REQUEST_KEY)
        key = "MPA-5044-7.1.1-01" if request else "MPA-5044-7.1.1-02"
        own = [key, *(["MPA-6581-9-01"] if "iwarp_mpa.enhanced.ird" in fields else ["MPA-5044-7.1.1-05"])]
        yield iwarp_packets.vector(name, "mpa", startup, rules or own, None if refused else fields, why)
        return
    ulpdu, crc, fpdu = decode.fpdu(payload)
    if not refused or why[0] != "integrity":
        fields = decode.ulpdu(ulpdu)
        opcode = fields["iwarp_rdma.opcode"]
        # siw's Terminates have layer and type, and the bits for what follows, in another order than RFC 5040 (4.8).
        if opcode != TERMINATE:
            own = iwarp_packets.LAYOUT_REQUIREMENTS.get(opcode, [])
            yield iwarp_packets.vector(name, "ddp", ulpdu, rules or own, None if refused else fields, why)
    if crc and not refused or why and why[0] == "integrity":
        expected = {} if refused else {"ulpdus": [infiniband_packets.packed(ulpdu)]}
        yield iwarp_packets.vector(name + "/fpdu", "mpa-stream", fpdu, rules or ["MPA-5044-4.4-10", "MPA-5044-4.4-11"],
                                   refused=why, markers=False, crc=True, **expected)  # fmt: skip


def place_of(vector):
    """(capture, frame) of a vector's name; None if it is not of a capture."""
    parts = vector["name"].split("/")
    return (parts[1], int(parts[2].removeprefix("frame-"))) if parts[0] == "captured" else None


def generate():
    for capture, numbers in FRAMES.items():
        for number in sorted({*numbers, *(frame for name, frame in REFUSED if name == capture)}):
            yield from named(capture, number)
    for capture, number in REFUSED:
        if capture not in FRAMES:
            yield from named(capture, number)


def named(capture, number):
    octets = captures.frames(capture + ".pcap")[number - 1]
    return vectors_of(octets, "captured/%s/frame-%d" % (capture, number), REFUSED.get((capture, number)))
