"""Judges a recording of `rdmawire peer`: by its own comments, by `rdmawire dump` and by tshark."""

import collections
import contextlib
import pathlib
import shutil
import subprocess
import tempfile

from conformance.lab.bench import check
from conformance.lab.frames import IPV4_LEN, LINK_LEN, ROCEV2_PORT, UDP_LEN
from conformance.vectors import wire


@contextlib.contextmanager
def folder():
    """Somewhere for a recording."""
    with tempfile.TemporaryDirectory(prefix="rdmawire-smoke.") as path:
        yield pathlib.Path(path)


def missing():
    """What stands in the way of judging, as text; empty if nothing does."""
    return "" if shutil.which("tshark") else "tshark is not installed, which reads the recording (apt-get install tshark)"


def fields(*command):
    """The lines of a program that prints columns."""
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    check(done.returncode == 0, f"{command[0]}: exit code {done.returncode}", done.stderr[-2000:])
    return [line.split("\t") for line in done.stdout.splitlines()]


def is_marked_elsewhere(frame):
    """Whether a frame of RoCEv2 over IPv4 is wrong, as it left its sender, where no ICRC would tell: in a field that the
    ICRC leaves out, or in one without which it is no RoCEv2 of that length."""
    ip, udp = frame[LINK_LEN : LINK_LEN + IPV4_LEN], frame[LINK_LEN + IPV4_LEN :]
    if wire.checksum(ip) != 0:
        return True
    port, length, checksum = (int.from_bytes(udp[at : at + 2], "big") for at in (2, 4, 6))
    # Of the BTH: FECN, BECN and 6 reserved bits.
    return (port, length, checksum) != (ROCEV2_PORT, int.from_bytes(ip[2:4], "big") - IPV4_LEN, 0) or udp[UDP_LEN + 4] != 0


def check_recording(program, path, report):
    """All ICRCs are good but those of the frames that were corrupted on purpose, and as many were as the report says."""
    dumped = fields(str(program), "dump", "-T", "fields", "-e", "frame.number", "-e", "rdma.icrc.status", str(path))
    status = {int(number): word for number, word in dumped if word}
    seen = fields("tshark", "-r", str(path), "-T", "fields", "-e", "frame.number", "-e", "frame.comment",
                  "-e", "infiniband.bth.opcode", "-e", "infiniband.invariant.crc")  # fmt: skip
    octets = raw_frames(path)
    check(len(seen) == len(octets) == report["recorded_frames"], "tshark sees other frames", len(seen), report)

    counts = collections.Counter()
    for number, comment, opcode, crc in seen:
        inverted, good = "bit inverted" in comment, status.get(int(number)) == "good"
        counts["lost"] += "dropped on purpose" in comment
        counts["copies"] += "a copy" in comment
        counts["inverted"] += inverted
        if inverted:
            counts["bad"] += not good
            check(not good or is_marked_elsewhere(octets[int(number) - 1]), f"frame {number}: a wrong bit, and a good ICRC")
            continue
        # What was left alone: good where there is an ICRC, and the same for tshark.
        check(bool(opcode) == bool(crc) == good == (int(number) in status), f"frame {number}: not good", comment, opcode)
        counts["good"] += good
    done = [report["on_purpose"][way] for way in ("sent", "received")]
    print(f"  recorded: {len(seen)} frames, {counts['good']} good ICRCs, {counts['inverted']} with an inverted bit, "
          f"{counts['bad']} of these with a bad ICRC or none, {counts['lost']} lost, {counts['copies']} copies", flush=True)  # fmt: skip
    for name, kind in (("lost", "lost"), ("duplicated", "copies")):
        check(counts[kind] == sum(one.get(name, 0) for one in done), f"{kind}: not what the report says", counts, report)
    check(0 < counts["inverted"] <= sum(one.get("corrupted", 0) for one in done), "inverted bits", counts, report)
    check(counts["good"] > 0 and counts["bad"] > 0, "there are no good frames, or no bad ones", counts)


def raw_frames(path):
    """The octets of each frame of a pcapng file as our peer writes it: one section, little-endian."""
    octets, at, out = path.read_bytes(), 0, []
    while at < len(octets):
        kind, length = (int.from_bytes(octets[at + shift : at + shift + 4], "little") for shift in (0, 4))
        if kind == 6:
            captured = int.from_bytes(octets[at + 20 : at + 24], "little")
            out.append(octets[at + 28 : at + 28 + captured])
        at += length
    return out
