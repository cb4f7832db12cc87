#!/usr/bin/env python3
"""Mutated captures through tshark with the plugin: nothing may crash it.

    dissector/tshark/mutate.py --plugin rdmawire.so --seeds 1..10000 CAPTURE...

Each seed makes one capture out of one of those given: octets changed, frames cut, lengthened, left out, repeated and
exchanged. tshark decodes many of them in one start, all fields visible (-V), alongside the built-in dissectors and
taking over. If a start ends by a signal or with an error, each of its captures is tried alone, and those that fail are
named by their seeds: the same seed makes the same capture. Exits with 1 if there is one.
"""

import argparse
import os
import random
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../.."))
from dissector.tshark.wireshark import Wireshark  # noqa: E402
from tools.octets import pcap  # noqa: E402

MAX_FRAMES = 60  # of a capture: a part of it, if it has more
PER_START = 200
MODES = {"alongside": [], "take-over": ["-o", "rdma.take_over:TRUE"]}


def mutate_frame(random_, octets, length, others):
    octets = bytearray(octets)
    kind = random_.randrange(8)
    if not octets:
        return bytes(octets), length
    # Headers more often than payload.
    at = random_.randrange(len(octets) if random_.random() < 0.3 else min(len(octets), 130))
    if kind == 0:
        octets[at] ^= 1 << random_.randrange(8)
    elif kind == 1:
        octets[at] = random_.choice((0, 1, 0x7F, 0x80, 0xFF, random_.randrange(256)))
    elif kind == 2:
        octets[at:at + 2] = random_.choice((b"\0\0", b"\xff\xff", b"\0\x04", b"\x7f\xff"))
    elif kind == 3:
        return bytes(octets[:at]), length
    elif kind == 4:
        octets = octets[:at]
        length = len(octets)
    elif kind == 5:
        octets += bytes(random_.randrange(256) for _ in range(random_.randrange(1, 40)))
        length = max(length, len(octets))
    elif kind == 6:
        other = random_.choice(others)[0]
        octets[at:at + 40] = other[at:at + 40]
        length = max(length, len(octets))
    else:
        del octets[at:at + random_.randrange(1, 9)]
        length = max(len(octets), length - 8)
    return bytes(octets), max(length, len(octets))


def mutated(seed, bases):
    """The frames of the capture that a seed makes."""
    random_ = random.Random(seed)
    base = random_.choice(bases)
    begin = random_.randrange(max(1, len(base) - MAX_FRAMES + 1)) if random_.random() < 0.3 else 0
    frames = list(base[begin:begin + MAX_FRAMES])
    for _ in range(random_.randrange(1, 9)):
        if not frames:
            break
        at = random_.randrange(len(frames))
        kind = random_.randrange(8)
        if kind == 0:
            del frames[at]
        elif kind == 1:
            frames.insert(random_.randrange(len(frames) + 1), frames[at])
        elif kind == 2:
            other = random_.randrange(len(frames))
            frames[at], frames[other] = frames[other], frames[at]
        else:
            frames[at] = mutate_frame(random_, *frames[at], base)
    return frames


class Run:
    def __init__(self, wireshark, bases):
        self.wireshark = wireshark
        self.bases = bases
        self.frames = 0
        self.failed = []

    def survives(self, seeds, mode):
        path = os.path.join(self.wireshark.folder.name, "mutated.pcap")
        frames = [frame for seed in seeds for frame in mutated(seed, self.bases)]
        pcap.write(path, frames)
        code, _, err = self.wireshark.run(["-n", "-V", "-r", path] + MODES[mode], check=False)
        self.frames += len(frames)
        return code == 0, err

    def run(self, seeds):
        for begin in range(0, len(seeds), PER_START):
            batch = seeds[begin:begin + PER_START]
            for mode in MODES:
                good, err = self.survives(batch, mode)
                if good:
                    continue
                alone = [seed for seed in batch if not self.survives([seed], mode)[0]]
                self.failed.append("%s: seeds %s: %s" % (mode, alone or "%d..%d together" % (batch[0], batch[-1]),
                                                         err.strip().splitlines()[-1:]))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("captures", metavar="CAPTURE", nargs="+")
    parser.add_argument("--plugin", required=True)
    parser.add_argument("--seeds", default="1..10000", help="FIRST..LAST")
    parser.add_argument("--tshark", default="tshark")
    arguments = parser.parse_args()
    first, last = (int(word) for word in arguments.seeds.split(".."))
    wireshark = Wireshark(arguments.plugin, arguments.tshark)
    run = Run(wireshark, [pcap.read(wireshark.readable(path)) for path in arguments.captures])
    run.run(range(first, last + 1))
    for text in run.failed:
        print(text)
    print("%d captures (seeds %s), %d frames decoded, %d failed" % (
        last - first + 1, arguments.seeds, run.frames, len(run.failed)))
    sys.exit(1 if run.failed else 0)


if __name__ == "__main__":
    main()
