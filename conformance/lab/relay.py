"""What stands between the two ends of a link when it is to be recorded or damaged."""

import contextlib
import dataclasses
import heapq
import random
import re
import select
import threading
import time

from tools.octets import pcap

FRAME_LEN_MAX = 1 << 16
# A frame that is held back for later ones goes out after this time when none come.
REORDER_HOLD_S = 0.2


class Recording:
    """A capture file with stamps in nanoseconds."""

    def __init__(self, path):
        # The life of the lab, not of a block.
        self.file = open(path, "wb")  # noqa: SIM115
        self.file.write(pcap.header(nanoseconds=True))

    def add(self, frame):
        seconds, nanoseconds = divmod(time.time_ns(), 10**9)
        self.file.write(pcap.record(frame, seconds, nanoseconds))
        # COMMAND may want to read what has passed.
        self.file.flush()

    def close(self):
        self.file.close()


@dataclasses.dataclass(frozen=True)
class Impairment:
    """What becomes of each frame, by chance."""

    loss: float = 0.0
    dup: float = 0.0
    corrupt: float = 0.0  # one octet behind the Ethernet header changes
    reorder: float = 0.0  # the frame lets the next one pass
    delay_s: float = 0.0

    @staticmethod
    def parse(text):
        """From loss=1%,dup=0.5%,corrupt=0.1%,reorder=1%,delay=2ms; ValueError if it is anything else."""
        values = {}
        for word in filter(None, text.split(",")):
            match = re.fullmatch(r"(loss|dup|corrupt|reorder)=([0-9.]+)%|(delay)=([0-9.]+)(ms|us|s)", word)
            if not match:
                raise ValueError(f"{word!r} is none of loss=N%, dup=N%, corrupt=N%, reorder=N%, delay=Nms")
            if match[1]:
                values[match[1]] = float(match[2]) / 100
            else:
                values["delay_s"] = float(match[4]) * {"s": 1, "ms": 1e-3, "us": 1e-6}[match[5]]
        if any(value > 1 for name, value in values.items() if name != "delay_s"):
            raise ValueError(f"{text!r}: more than 100 %")
        return Impairment(**values)


class Damage:
    """An impairment at work on one direction: frames in, frames and their times out; the same for the same seed."""

    def __init__(self, impairment, seed):
        self.impairment = impairment
        self.random = random.Random(seed)
        self.counts = {"passed": 0, "lost": 0, "duplicated": 0, "corrupted": 0, "reordered": 0}
        self.queue = []  # (time, number, frame)
        self.number = 0
        self.held = None  # (time it goes at the latest, frame)

    def _corrupted(self, frame):
        changed = bytearray(frame)
        changed[self.random.randrange(14, len(frame))] ^= self.random.randrange(1, 256)
        return bytes(changed)

    def _enqueue(self, at, frame):
        heapq.heappush(self.queue, (at, self.number, frame))
        self.number += 1

    def put(self, frame, now):
        what, chance = self.impairment, self.random.random
        # Each is drawn for each frame, so that one does not shift the others' luck.
        lost, twice, wrong, late = (chance() < p for p in (what.loss, what.dup, what.corrupt, what.reorder))
        if lost:
            self.counts["lost"] += 1
            return
        if wrong and len(frame) > 14:
            self.counts["corrupted"] += 1
            frame = self._corrupted(frame)
        at = now + what.delay_s
        if late and self.held is None:
            self.counts["reordered"] += 1
            self.held = (at + REORDER_HOLD_S, frame)
            return
        self.counts["passed"] += 1
        self._enqueue(at, frame)
        if twice:
            self.counts["duplicated"] += 1
            self._enqueue(at, frame)
        if self.held is not None:
            self._release(at)

    def _release(self, at):
        _, frame = self.held
        self.held = None
        self.counts["passed"] += 1
        self._enqueue(at, frame)

    def due(self, now):
        """The frames that go out now, in order."""
        if self.held is not None and self.held[0] <= now:
            self._release(now)
        while self.queue and self.queue[0][0] <= now:
            yield heapq.heappop(self.queue)[2]

    def next_time(self):
        """When due() will have something, or None."""
        times = [self.queue[0][0]] if self.queue else []
        times += [self.held[0]] if self.held is not None else []
        return min(times, default=None)


class Relay(threading.Thread):
    """Carries frames between two datagram sockets until stop(); records what came in, in the order of arrival."""

    def __init__(self, ends, impairment=None, seed=1, recording=None, name=None):
        super().__init__(daemon=True, name=name)
        self.ends = ends
        self.damages = [Damage(impairment or Impairment(), seed * 2 + way) for way in (0, 1)]
        self.recording = recording
        self.stopping = False
        self.seen = [None, None]

    def run(self):
        while not self.stopping:
            now = time.monotonic()
            times = [t for damage in self.damages if (t := damage.next_time()) is not None]
            wait = min([0.1, *(max(0.0, t - now) for t in times)])
            readable, _, _ = select.select(self.ends, [], [], wait)
            now = time.monotonic()
            for end in readable:
                self._take(self.ends.index(end), now)
            for way, damage in enumerate(self.damages):
                for frame in damage.due(now):
                    self._send(self.ends[1 - way], frame)

    def _take(self, way, now):
        try:
            frame = self.ends[way].recv(FRAME_LEN_MAX)
        except OSError:
            # A UDP port on which nobody listens yet.
            return
        if self.recording is not None:
            self.recording.add(frame)
        if (seen := self.seen[way]) is not None:
            seen.append(frame)
        self.damages[way].put(frame, now)

    @staticmethod
    def _send(end, frame):
        try:
            end.send(frame)
        except OSError:
            # Nobody there (yet): as on a cable, the frame is lost.
            pass

    def impair(self, impairment, seed=1):
        """From now on, as from a new start."""
        for way, damage in enumerate(self.damages):
            damage.random = random.Random(seed * 2 + way)
            damage.impairment = impairment

    @contextlib.contextmanager
    def watched(self, way):
        """The frames that come from the end number way meanwhile."""
        self.seen[way] = frames = []
        try:
            yield frames
        finally:
            self.seen[way] = None

    def inject(self, way, frame):
        """A frame of nobody's, towards the end number way; waits as long as that end's socket is full."""
        if self.recording is not None:
            self.recording.add(frame)
        self.ends[way].send(frame)

    def stop(self):
        self.stopping = True
        self.join()
        for end in self.ends:
            end.close()
        if self.recording is not None:
            self.recording.close()

    def counts(self):
        """What became of the frames, both ways together."""
        return {name: sum(damage.counts[name] for damage in self.damages) for name in self.damages[0].counts}
