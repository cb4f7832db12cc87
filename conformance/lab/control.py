"""Programs in the guest: the client of the ports that guest_init serves.

Each guest has a few ports, so that a server and its client can run in it at once. A port is a pair of FIFOs, NAME.N.in
and NAME.N.out in the lab's folder, and serves one client at a time, which holds a lock on the first.
"""

import base64
import fcntl
import glob
import math
import os
import secrets
import select
import time

# What the program may print after its time is up, and what a busy host may add.
GRACE_S = 20.0
BLOCK_LEN = 1 << 16


class GuestError(Exception):
    """The guest does not answer: it is off, hung, or all of its ports are busy."""


class Port:
    """One port of a guest, locked. Give it back with close(), or use it in a `with`."""

    def __init__(self, folder, name, wait_s=GRACE_S):
        paths = sorted(path.removesuffix(".in") for path in glob.glob(os.path.join(folder, f"{name}.*.in")))
        if not paths:
            raise GuestError(f"no guest {name} in {folder}")
        end = time.monotonic() + wait_s
        while not any(self._take(path) for path in paths):
            if time.monotonic() > end:
                raise GuestError(f"all {len(paths)} ports of guest {name} are busy")
            time.sleep(0.05)
        self.name = name

    def _take(self, path):
        try:
            # QEMU holds the other end open; without it this fails.
            self.to_guest = os.open(path + ".in", os.O_WRONLY | os.O_NONBLOCK)
        except OSError as error:
            raise GuestError(f"{path}.in: no guest listens ({error.strerror})") from None
        try:
            fcntl.flock(self.to_guest, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(self.to_guest)
            return False
        self.from_guest = os.open(path + ".out", os.O_RDONLY | os.O_NONBLOCK)
        return True

    def close(self):
        os.close(self.from_guest)
        os.close(self.to_guest)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def _read(self, end):
        left = end - time.monotonic()
        if left <= 0 or not select.select([self.from_guest], [], [], left)[0]:
            raise GuestError(f"guest {self.name} does not answer")
        octets = os.read(self.from_guest, BLOCK_LEN)
        if not octets:
            raise GuestError(f"guest {self.name} is gone")
        return octets

    def run(self, program, timeout_s=60.0, write=lambda octets: None):
        """Runs a shell program in the guest and gives its exit status: 124 or 137 if timeout_s ended it.

        write is called with what it prints, both streams in one, as it comes. GuestError if the guest does not answer.
        """
        token = secrets.token_hex(8)
        text = base64.b64encode(program.encode()).decode()
        os.set_blocking(self.to_guest, True)
        os.write(self.to_guest, f"{token} {max(1, math.ceil(timeout_s))} {text}\n".encode())
        end = time.monotonic() + timeout_s + GRACE_S
        begin, finish = f"@@BEGIN {token}\n".encode(), f"\n@@END {token} ".encode()
        seen = b""
        while begin not in seen:
            seen = seen[-len(begin) :] + self._read(end)
        seen = seen.split(begin, 1)[1]
        while finish not in seen:
            # What may be the start of the last line is held back.
            write(seen[: -len(finish)])
            seen = seen[-len(finish) :] + self._read(end)
        rest, status = seen.split(finish, 1)
        write(rest)
        while b"\n" not in status:
            status += self._read(end)
        return int(status)


def run(folder, name, program, timeout_s=60.0):
    """(exit status, output as text) of a shell program in the guest, on any free port."""
    output = []
    with Port(folder, name) as port:
        status = port.run(program, timeout_s, output.append)
    return status, b"".join(output).decode(errors="replace")
