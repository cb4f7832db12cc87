"""Judges a recording of `rdmawire peer`: by its own comments, by `rdmawire dump`, by tshark and by zlib's CRC-32."""

import collections
import contextlib
import dataclasses
import pathlib
import re
import shutil
import subprocess
import tempfile

from conformance.lab.bench import check
from conformance.lab.frames import ICRC_LEN, IPV4_LEN, LINK_LEN, ROCEV2_PORT, UDP_LEN, icrc
from tools.octets import sums

OUTBOUND = 2
COMMENT, FLAGS = 1, 2  # options of a packet


@contextlib.contextmanager
def folder():
    """Somewhere for a recording."""
    with tempfile.TemporaryDirectory(prefix="rdmawire-smoke.") as path:
        yield pathlib.Path(path)


@dataclasses.dataclass
class Frame:
    octets: bytes
    is_out: bool
    comment: str

    @property
    def is_damaged(self):
        """On purpose."""
        return "bit inverted" in self.comment


def frames_of(path):
    """The frames of a pcapng file as our peer writes it: one section, little-endian."""
    octets, at, out = path.read_bytes(), 0, []

    def number(where, size):
        return int.from_bytes(octets[where : where + size], "little")

    while at < len(octets):
        if number(at, 4) == 6:
            length = number(at + 20, 4)
            options, option = {}, at + 28 + length + -length % 4
            while code := number(option, 2):
                size = number(option + 2, 2)
                options[code] = octets[option + 4 : option + 4 + size]
                option += 4 + size + -size % 4
            flags = int.from_bytes(options[FLAGS], "little")
            out.append(
                Frame(octets[at + 28 : at + 28 + length], flags & 3 == OUTBOUND, options.get(COMMENT, b"").decode())
            )
        at += number(at + 4, 4)
    return out


def said_by(*command):
    """What a program prints, as lines."""
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    check(done.returncode == 0, f"{command[0]}: exit code {done.returncode}", done.stderr[-2000:])
    return done.stdout.splitlines()


def fields(command, *names):
    """Columns, of `rdmawire dump` or of tshark."""
    words = [word for name in names for word in ("-e", name)]
    return [line.split("\t") for line in said_by(*command, "-T", "fields", *words)]


def tshark(path):
    return ["tshark", "-r", str(path), "-o", "ip.check_checksum:TRUE", "-o", "tcp.check_checksum:TRUE"]


def is_marked_elsewhere(frame):
    """Whether a frame of RoCEv2 over IPv4 is wrong, as it left its sender, where no ICRC would tell: in a field that the
    ICRC leaves out, or in one without which it is no RoCEv2 of that length."""
    ip, udp = frame[LINK_LEN : LINK_LEN + IPV4_LEN], frame[LINK_LEN + IPV4_LEN :]
    if sums.checksum(ip) != 0:
        return True
    port, length, checksum = (int.from_bytes(udp[at : at + 2], "big") for at in (2, 4, 6))
    # Of the BTH: FECN, BECN and 6 reserved bits.
    return (port, length, checksum) != (ROCEV2_PORT, int.from_bytes(ip[2:4], "big") - IPV4_LEN, 0) or udp[UDP_LEN + 4] != 0


def check_recording(program, path, report, lab_damages=False):
    """All CRCs are good but those of what was damaged on purpose, and as much was as the report says. Raises Failure, or
    gives what was seen, as text. lab_damages: what comes in may be damaged by the lab's links, and is not judged."""
    frames = frames_of(path)
    check(len(frames) == report["recorded_frames"], "not as many frames as the report says", len(frames), report)
    done = [report["on_purpose"][way] for way in ("sent", "received")] if "on_purpose" in report else []
    damaged = sum(frame.is_damaged for frame in frames)
    check(damaged <= sum(one.get("corrupted", 0) for one in done), "more is damaged than the report says", report)
    judge = check_iwarp if report["wire"] == "TCP" else check_roce
    seen = judge([str(program), "dump", str(path)], path, frames, report, done, lab_damages)
    return f"{len(frames)} frames, {seen}" + ("" if shutil.which("tshark") else "; WITHOUT tshark, which is not installed")


def check_roce(dump, path, frames, report, done, lab_damages):
    status = {int(number): word for number, word in fields(dump, "frame.number", "rdma.icrc.status") if word}
    of_tshark = None
    if shutil.which("tshark"):
        of_tshark = fields(tshark(path), "infiniband.bth.opcode", "infiniband.invariant.crc")
        check(len(of_tshark) == len(frames), "tshark sees other frames", len(of_tshark), report)
    counts = collections.Counter()
    for number, frame in enumerate(frames, 1):
        good = status.get(number) == "good"
        counts["lost"] += "dropped on purpose" in frame.comment
        counts["duplicated"] += "a copy" in frame.comment
        if frame.is_damaged:
            counts["inverted"] += 1
            counts["bad"] += not good
            check(not good or is_marked_elsewhere(frame.octets), f"frame {number}: a wrong bit, and a good ICRC")
        elif frame.is_out or not lab_damages:
            # What was left alone: good where there is an ICRC, and the same for tshark.
            check(good == (number in status), f"frame {number}: a wrong ICRC", frame.comment)
            check(not good or icrc(frame.octets) == frame.octets[-ICRC_LEN:], f"frame {number}: not zlib's ICRC")
            if of_tshark:
                opcode, crc = of_tshark[number - 1]
                check(bool(opcode) == bool(crc) == good, f"frame {number}: not what tshark sees", opcode)
            counts["good"] += good
    for kind in ("lost", "duplicated"):
        check(counts[kind] == sum(one.get(kind, 0) for one in done), f"{kind}: not what the report says", counts, report)
    check(counts["good"] > 0, "there are no good frames", counts)
    out = f"{counts['good']} good ICRCs"
    if done:
        out += (f", {counts['inverted']} with an inverted bit, {counts['bad']} of these with a bad ICRC or none, "
                f"{counts['lost']} lost, {counts['duplicated']} copies")  # fmt: skip
    return out


def check_iwarp(dump, path, frames, report, done, _):
    rows = fields(dump, "rdma.mpa.crc.status")
    counts = collections.Counter(word for (word,) in rows)
    crc = report["connections"][0]["connection"]["crc"]
    good = "good" if crc else "disabled"
    damaged = sum(frame.is_damaged for frame in frames)
    # What is behind a damaged length may not be told apart, and a damaged start-up frame has no CRC.
    check(counts["bad"] <= damaged, "bad CRCs that are not on purpose", counts, report)
    if not damaged:
        fpdus = sum(one["counts"][f"segments_{way}"] for one in report["connections"] for way in ("sent", "received"))
        check(counts[good] == fpdus, "not each FPDU, with a good CRC", counts, report)
        # Else there are but the start-up frames.
        check(len(rows) == fpdus + 2 * len(report["connections"]), "other frames", counts, report)
    late = sum(one.get("late", 0) for one in done)
    check(sum("ms late" in frame.comment for frame in frames) == late, "late: not what the report says", report)
    if shutil.which("tshark"):
        checksums = fields(tshark(path), "ip.checksum.status", "tcp.checksum.status")
        check(len(checksums) == len(frames), "tshark sees other frames", len(checksums), report)
        # "1" is good; IPv6 has none.
        wrong = [one for one in checksums if one not in (["1", "1"], ["", "1"])]
        check(not wrong, "tshark finds wrong checksums", wrong[:5])
        verdicts = collections.Counter(
            match[1] if match[1] else "FPDU"
            for line in said_by(*tshark(path), "-O", "iwarp_mpa")
            if (match := re.search(r"ULPDU length:|\((Good|Bad) CRC32", line))
        )
        if not damaged:
            of_dump = {"FPDU": counts[good]} | ({"Good": counts["good"]} if crc else {})
            check(verdicts == of_dump, "tshark sees other FPDUs", verdicts, of_dump)
    out = f"{counts[good]} FPDUs with{'' if crc else 'out'} CRC" + (", all good" if crc and not damaged else "")
    if done:
        out += f", {counts['bad']} bad CRC, {damaged} with an inverted bit, {late} late"
    return out
