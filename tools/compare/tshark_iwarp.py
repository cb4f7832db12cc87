#!/usr/bin/env python3
"""Compares the iWARP that `rdmawire dump` finds in captures with what tshark finds, PDU by PDU and field by field.

    tools/compare/tshark_iwarp.py CAPTURE...

In each frame the PDUs of both are brought into line by their lengths and header values; then all fields are compared
whose names both know. PDUs that only one of them shows are counted apart. Where the two are meant to differ,
PDU_EXCEPTIONS and EXCEPTIONS say so and why. Exits with 1 if there is any other difference, with 2 if it can't compare.
Written for tshark 4.0; other versions show some fields differently.
"""

import argparse
import collections
import difflib
import os
import re
import sys
import tempfile
import xml.etree.ElementTree as ElementTree

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import tshark_fields  # noqa: E402
from tshark_fields import AGGREGATOR, ROOT, SEPARATOR, Comparison, fail, numbers, run, same_number  # noqa: E402

PREFIXES = ("iwarp_mpa.", "iwarp_ddp.", "iwarp_rdma.")

# Wireshark takes streams away from its MPA dissector, or gives up halfway; without these it reads more of them.
TSHARK_OPTIONS = [
    # Owns port 4420, which is NVMe over Fabrics' on RDMA as well.
    "--disable-protocol", "nvme-tcp",
    # Throws while it guesses at payloads; the FPDUs after in the same segment are lost with it.
    "--disable-heuristic", "rpcrdma_iwarp",
]

# What tells one PDU from another.
IDENTITY = ("iwarp_mpa.key.req", "iwarp_mpa.key.rep", "iwarp_mpa.ulpdulength", "iwarp_ddp.stag",
            "iwarp_ddp.tagged_offset", "iwarp_ddp.qn", "iwarp_ddp.msn", "iwarp_ddp.mo", "iwarp_rdma.opcode")

# Marks that tshark puts on frames, and that explain what it makes of their PDUs.
MARKS = ("tcp.analysis.retransmission", "tcp.analysis.out_of_order", "tcp.analysis.lost_segment")
AFTER_A_HOLE = "a segment before it was lost"


# A Terminate has these of its own before those of the segment that it quotes.
TERMINATES_OWN = {"iwarp_ddp." + name for name in ("tagged_flag", "last_flag", "rsvd", "dv", "rsvdulp", "qn", "msn", "mo")}
TERMINATES_OWN |= {"iwarp_rdma." + name for name in ("version", "rsv", "opcode", "reserved")}


class Case(tshark_fields.Case):
    """One value of one PDU in both programs, and what else the PDU has."""

    def __init__(self, field, ours, theirs):
        super().__init__(field, ours[field], theirs.get(field, ""), ours)
        self.their_pdu = theirs


def first(text):
    return text.split(AGGREGATOR)[0]


def terminate_control(pdu, in_order_of_siw):
    """The 32 bits from which a program read these values of a Terminate, if it read them in that order."""
    value = {name: 0 for name in ("layer", "etype", "errcode", "m", "d", "r", "rsvd")}
    for name, text in pdu.items():
        match = re.match(r"iwarp_rdma\.(?:term_)?(?:hdrct_)?(layer|etype|errcode|[mdr]$|rsvd)", name)
        if match is not None and text != "":
            value[match.group(1)] = numbers(first(text))[0]
    layer, etype = value["layer"], value["etype"]
    if in_order_of_siw:
        return etype << 28 | layer << 24 | value["errcode"] << 16 | value["r"] << 10 | value["d"] << 9 | value["m"] << 8
    flags = value["m"] << 15 | value["d"] << 14 | value["r"] << 13
    return layer << 28 | etype << 24 | value["errcode"] << 16 | flags | value["rsvd"]


def is_siw_terminate(case):
    return (re.match(r"iwarp_rdma\.(term_|hdrct_)", case.field) is not None
            and terminate_control(case.frame, True) == terminate_control(case.their_pdu, False))


# (name, in which program only, which marks of the frame and how many PDUs of the capture with this identity, why)
PDU_EXCEPTIONS = [
    (
        "FPDUs of segments sent again",
        "tshark",
        lambda marks, num_alike: "tcp.analysis.retransmission" in marks,
        "tshark shows the FPDUs of a segment again each time that it was sent again; rdmawire shows those of the stream, "
        "each once",
    ),
    (
        "FPDUs of segments that came late",
        "rdmawire",
        lambda marks, num_alike: "tcp.analysis.out_of_order" in marks,
        "tshark shows no FPDU in a segment that fills a gap, as that stays plain TCP to it",
    ),
    (
        "FPDUs that are alike, after a hole",
        "tshark",
        lambda marks, num_alike: AFTER_A_HOLE in marks and num_alike >= 24,
        "without CRCs, rdmawire does not take the repetition of the same octets for FPDUs; tshark takes all that begins a "
        "segment for one",
    ),
]

# (name, which cases, why). The first that fits counts.
EXCEPTIONS = [
    (
        "CRC that both ends use",
        lambda c: c.field == "iwarp_mpa.crc" and c.theirs == "" and c.ours == c.their_pdu.get("iwarp_mpa.crc_check"),
        "tshark calls a CRC that it checks iwarp_mpa.crc_check; rdmawire has one name for it, and rdma.mpa.crc.status",
    ),
    (
        "RsvdULP of tagged segments",
        lambda c: c.field == "iwarp_ddp.rsvdulp" and c.theirs == "" and c.ours == "4" + c.frame["iwarp_rdma.opcode"][-1],
        "tshark shows the octet that a tagged segment leaves to RDMAP as RDMAP's only; rdmawire as DDP's too, as both do "
        "with those of an untagged one",
    ),
    (
        "reserved operation codes",
        lambda c: c.field == "iwarp_rdma.reserved" and c.theirs == "" and int(c.frame["iwarp_rdma.opcode"], 0) > 0xB,
        "tshark shows nothing after one; rdmawire the rest of an untagged segment's header, which has the same form for all",
    ),
    (
        "headers that a Terminate quotes",
        lambda c: first(c.frame["iwarp_rdma.opcode"]) == "0x07" and (
            c.theirs == first(c.ours) or same_number(first(c.ours), c.theirs) if c.field in TERMINATES_OWN
            else c.theirs == ""),
        "tshark shows them as octets; rdmawire field by field, after those of the Terminate itself",
    ),
    (
        "Terminates of siw",
        is_siw_terminate,
        "Linux siw writes the bits of the Terminate Control in another order, in which rdmawire reads them when they have "
        "no meaning in the standard's",
    ),
]


def our_pdus(program, capture, names):
    """{frame: [PDU]}; a PDU is {field: text}, "" for what it has not."""
    columns = ["frame.number"] + names
    code, out, err = run([program, "dump", "-T", "fields", "-E", "separator=" + SEPARATOR, "-E",
                          "aggregator=" + AGGREGATOR] + [word for name in columns for word in ("-e", name)] + [capture])
    if code != 0:
        fail("%s: %s" % (program, err.strip()))
    frames = collections.defaultdict(list)
    # Not splitlines(): it splits at AGGREGATOR as well.
    for line in out.split("\n")[:-1]:
        values = dict(zip(columns, line.split(SEPARATOR)))
        if any(values[name] for name in names):
            frames[int(values["frame.number"])].append(values)
    return frames


def text_of(field, field_type):
    """What `-T fields` would show."""
    text = field.get("show")
    return text.replace(":", "") if field_type == "FT_BYTES" else text


def tshark_pdus(program, capture, known):
    """The same of tshark, and {frame: marks}."""
    code, out, err = run([program, "-n", "-r", capture, "-T", "pdml", "-J", "frame tcp iwarp_mpa iwarp_ddp_rdmap"] +
                         TSHARK_OPTIONS)
    if code != 0:
        fail("%s: %s" % (program, err.strip()))
    frames, marks = collections.defaultdict(list), {}
    after_a_hole = False
    for packet in ElementTree.fromstring(out):
        fields = collections.defaultdict(list)
        for field in packet.iter("field"):
            fields[field.get("name")].append(field)
        frame = int(fields["num"][0].get("show"))
        marks[frame] = {mark for mark in MARKS if mark in fields}
        after_a_hole = after_a_hole or "tcp.analysis.lost_segment" in fields
        if after_a_hole:
            marks[frame].add(AFTER_A_HOLE)
        for protocol in packet.findall("proto"):
            if protocol.get("name") == "iwarp_mpa":
                frames[frame].append({})
            elif protocol.get("name") != "iwarp_ddp_rdmap":
                continue
            pdu = frames[frame][-1]
            for field in protocol.iter("field"):
                name = field.get("name")
                if name.startswith(PREFIXES) and known.get(name, "FT_NONE") != "FT_NONE":
                    text = text_of(field, known[name])
                    pdu[name] = pdu[name] + AGGREGATOR + text if name in pdu else text
    return frames, marks


def identity(pdu):
    """Comparable across the two: numbers as numbers, and those of a segment that a Terminate quotes left out."""
    terminate = first(pdu.get("iwarp_rdma.opcode", "")) == "0x07"
    quoted = ("iwarp_ddp.stag", "iwarp_ddp.tagged_offset")
    texts = ["" if terminate and name in quoted else first(pdu.get(name, "")) for name in IDENTITY]
    return tuple(text if numbers(text) is None else tuple(numbers(text)) for text in texts)


def compare_frame(comparison, capture, frame, ours, theirs, marks, alike, names):
    matcher = difflib.SequenceMatcher(None, [identity(pdu) for pdu in ours], [identity(pdu) for pdu in theirs], False)
    for kind, our_begin, our_end, their_begin, their_end in matcher.get_opcodes():
        if kind == "equal":
            for a, b in zip(ours[our_begin:our_end], theirs[their_begin:their_end]):
                comparison.frames += 1
                for name in names:
                    comparison.add(capture, frame, Case(name, a, b))
            continue
        for program, pdus in (("rdmawire", ours[our_begin:our_end]), ("tshark", theirs[their_begin:their_end])):
            for pdu in pdus:
                for name, only_in, applies, reason in PDU_EXCEPTIONS:
                    if program == only_in and applies(marks, alike[identity(pdu)]):
                        comparison.except_one(name, reason)
                        break
                else:
                    text = " ".join(pdu.get(name) or "-" for name in IDENTITY)
                    comparison.differences.append(
                        (capture, frame, "a PDU", text if program == "rdmawire" else "",
                         text if program == "tshark" else ""))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("captures", metavar="CAPTURE", nargs="+")
    parser.add_argument("--rdmawire", default=os.path.join(ROOT, "rdmawire"), help="the command to compare")
    parser.add_argument("--tshark", default="tshark")
    parser.add_argument("--most", type=int, default=40, help="differences that are printed")
    arguments = parser.parse_args()

    try:
        known = tshark_fields.tshark_names(arguments.tshark)
        names = [name for name in tshark_fields.our_names(arguments.rdmawire)
                 if name.startswith(PREFIXES) and name in known]
        comparison = Comparison(EXCEPTIONS)
        with tempfile.TemporaryDirectory() as folder:
            for capture in arguments.captures:
                ours = our_pdus(arguments.rdmawire, capture, names)
                theirs, marks = tshark_pdus(arguments.tshark, tshark_fields.readable_by_tshark(capture, folder), known)
                alike = collections.Counter(identity(pdu) for pdus in theirs.values() for pdu in pdus)
                for frame in sorted(set(ours) | set(theirs)):
                    compare_frame(comparison, capture, frame, ours[frame], theirs[frame], marks[frame], alike, names)
    except FileNotFoundError as error:
        fail("no program %s (tshark is in Debian's package tshark)" % error.filename)
    comparison.report(arguments.most, "PDUs")
    sys.exit(1 if comparison.differences else 0)


if __name__ == "__main__":
    main()
