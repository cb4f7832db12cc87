"""Has what state vectors send read by another decoder: decode.py, which shares nothing with the library.

What a machine sends must be whole, of a known opcode, and have right CRCs. What it must do instead of something else is
the specification's, and the vector's requirements say by which rule.
"""

import collections
import json
import pathlib
import sys

from conformance.vectors import decode, iwarp_ref, wire
from conformance.vectors.text import unpack

FOLDER = pathlib.Path(__file__).resolve().parent
CM_MAD_LEN = 256


def check_port(octets, setup):
    native = any(gid.get("carrier") == "infiniband" for gid in setup["config"]["gids"])
    frame = decode.frame("infiniband" if native else "ethernet", octets)
    frame.fields()
    if not frame.icrc_is_right() or native and not frame.vcrc_is_right():
        raise ValueError("wrong CRC")


def check_rc(octets, _):
    fields, _ = decode.transport(octets)
    if len(octets) % 4:
        raise ValueError("not whole words")
    if fields["infiniband.bth.tver"] or fields["rdma.bth.reserved6"] or fields["infiniband.bth.reserved7"]:
        raise ValueError("reserved bits set")


def check_mpa(octets, _):
    whole, _ = decode.startup(octets)
    if whole != octets:
        raise ValueError("more than a start-up frame")


def check_rdmap(octets, _):
    fields = decode.ulpdu(octets)
    if (fields["iwarp_ddp.dv"], fields["iwarp_rdma.version"], fields["iwarp_ddp.rsvd"]) != (1, 1, 0):
        raise ValueError("wrong version or reserved bits")


def check_cm(octets, _):
    mad, data = decode.unpack(wire.MAD, octets)
    if len(octets) != CM_MAD_LEN or (mad["infiniband.mad.baseversion"], mad["infiniband.mad.mgmtclass"]) != (1, 7):
        raise ValueError("not a MAD of the connection manager")
    layout = decode.CM_ATTRIBUTES.get(mad["infiniband.mad.attributeid"])
    if layout:
        decode.unpack(layout, data)


CHECKS = {"port": check_port, "rc": check_rc, "mpa": check_mpa, "rdmap": check_rdmap, "cm": check_cm}


def octets_of(out):
    return unpack(out if isinstance(out, str) else out["mad"])


def check_stream(sent):
    """What a queue pair sends on TCP, its start-up frame first: FPDUs, in one of the ways that a start-up agrees on."""
    if sent.startswith((wire.REQUEST_KEY, wire.REPLY_KEY)):
        sent = sent[len(decode.startup(sent)[0]) :]
    for markers, crc in ((False, True), (True, True), (False, False), (True, False)):
        receiver = iwarp_ref.Receiver(markers, crc)
        receiver.feed(sent)
        if receiver.wrong is None and not receiver.waiting:
            return
    raise ValueError("FPDUs that neither Markers nor CRC make whole")


def check_file(path, counts):
    """The faults of a file of state vectors."""
    file = json.loads(path.read_text(encoding="utf-8"))
    machine = file["machine"]
    check = CHECKS.get(machine)
    faults = []

    def hold(what, checked, *args):
        counts[machine] += 1
        try:
            checked(*args)
        except (ValueError, AttributeError) as error:
            faults.append("%s: %s: %s" % (what, error, args[0].hex()[:120]))

    for vector in file["vectors"]:
        beginning = file["beginnings"].get(vector.get("begins_as"), {"steps": []})
        setup = vector.get("setup") or beginning["setup"]
        steps = [*beginning["steps"], *vector["steps"]]
        if machine == "mpa_queue_pair":
            sent = b"".join(octets_of(out) for step in steps for out in step.get("out", ()))
            hold(vector["name"], check_stream, sent)
        for number, step in enumerate(steps if check else (), 1):
            for out in step.get("out", ()):
                hold("%s step %d" % (vector["name"], number), check, octets_of(out), setup)
    return faults


def main():
    counts = collections.Counter()
    faults = [fault for path in sorted(FOLDER.glob("state_*.json")) for fault in check_file(path, counts)]
    print("\n".join(faults) or "all that is sent is read: " + ", ".join("%s %d" % one for one in sorted(counts.items())))
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
