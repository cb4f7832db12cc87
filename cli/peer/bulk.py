"""Moves octets between two peers and prints how fast: RoCEv2 over a veth pair between two network namespaces, iWARP over
loopback TCP. What was written is read back, and the checksums of both must be equal.

    bazel run -c opt //cli/peer:bulk                     1 GiB each way
    bazel run -c opt //cli/peer:bulk -- --total 64MiB
"""

import argparse
import contextlib
import dataclasses
import json
import os
import subprocess
import sys

MESSAGE_LEN = 64 << 10
REGION_LEN = 64 << 20
UNITS = {"KiB": 10, "MiB": 20, "GiB": 30}
# Without rights a user namespace gives them.
UNSHARE = ["unshare", "--net"] if os.geteuid() == 0 else ["unshare", "--user", "--map-root-user", "--net"]
VETH = "ip link add va type veth peer name vb && ip link set va up mtu 9000"
OTHER_END = "ip link set vb up mtu 9000"


@dataclasses.dataclass
class Path:
    name: str
    listen: list  # the server's words
    connect: list  # the client's
    apart: bool  # the client is in a network namespace of its own


PATHS = (
    Path("RoCEv2, veth pair, path MTU 4096",
         ["--listen", "--wire", "packet:va", "--address", "10.9.1.1/24"],
         ["--connect", "10.9.1.1", "--wire", "packet:vb", "--address", "10.9.1.2/24", "--mtu", "4096"], True),
    Path("iWARP with CRC, loopback TCP",
         ["--listen", "127.0.0.1:7174", "--wire", "tcp"], ["--connect", "127.0.0.1:7174", "--wire", "tcp"], False),
)  # fmt: skip


class Unequal(Exception):
    """The two ends do not agree."""


@contextlib.contextmanager
def ended(process):
    """It is gone at the end in any case."""
    try:
        yield process
    finally:
        if process.poll() is None:
            process.kill()
        process.communicate()


def summary(process):
    out, err = process.communicate()
    if process.returncode:
        raise Unequal(f"exit code {process.returncode}: {err}{out}")
    return json.loads(out)


def move(rdmawire, path, total):
    """In Mbit/s, of WRITEs and of READs."""
    common = ["--region-size", str(min(REGION_LEN, total)), "--json"]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    with contextlib.ExitStack() as stack:
        enter = []
        if path.apart:
            subprocess.run(VETH, shell=True, check=True)
            other = stack.enter_context(ended(subprocess.Popen(["unshare", "--net", "sleep", "infinity"])))
            enter = ["nsenter", f"--net=/proc/{other.pid}/ns/net"]
            own = os.stat("/proc/self/ns/net").st_ino
            while os.stat(f"/proc/{other.pid}/ns/net").st_ino == own:
                pass
            subprocess.run(f"ip link set vb netns {other.pid} && {' '.join(enter)} sh -c '{OTHER_END}'", shell=True, check=True)
        server = stack.enter_context(ended(subprocess.Popen(
            [rdmawire, "peer", "responder", *path.listen, *common, "--connections", "1"], **pipes)))  # fmt: skip
        if "listening" not in server.stderr.readline():
            raise Unequal("the server does not listen: " + server.stderr.read())
        words = ["--op", "write", "--size", str(MESSAGE_LEN), "--count", str(total // MESSAGE_LEN), "--verify"]
        client = stack.enter_context(ended(subprocess.Popen(
            [*enter, rdmawire, "peer", "perf", *path.connect, *common, *words], **pipes)))  # fmt: skip
        report = summary(client)["connections"][0]
        summary(server)
        done = {one["operation"]: one for one in report["operations"]}
        octets = [done[name]["octets"] for name in ("RDMA_WRITE", "RDMA_READ")]
        if octets != [total, total] or report["sent_crc32"] != report["read_back_crc32"]:
            raise Unequal(f"not what was written: {report}")
        return [done[name]["mbit_per_second"] for name in ("RDMA_WRITE", "RDMA_READ")]


def octets_of(text):
    unit = UNITS.get(text[-3:])
    return int(text[:-3]) << unit if unit else int(text)


def main(arguments):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--total", default="1GiB", help="octets each way (1GiB)")
    parser.add_argument("--rdmawire", default="cli/rdmawire")
    options = parser.parse_args(arguments)
    total = octets_of(options.total)
    if total % MESSAGE_LEN:
        parser.error("--total: a multiple of 64KiB")
    print(f"{'':<36}{'WRITE':>8}  {'READ':>8}   Mbit/s, {options.total} each way, messages of 64KiB", flush=True)
    for path in PATHS:
        write, read = move(os.path.abspath(options.rdmawire), path, total)
        print(f"{path.name:<36}{write:>8.0f}  {read:>8.0f}   checksums are equal", flush=True)


if __name__ == "__main__":
    if os.environ.get("RDMAWIRE_IN_NAMESPACE"):
        main(sys.argv[1:])
    else:
        os.environ["RDMAWIRE_IN_NAMESPACE"] = "1"
        command = ["sh", "-c", 'ip link set lo up && exec "$@"', "sh", sys.executable, "-m", "cli.peer.bulk", *sys.argv[1:]]
        os.execvp(UNSHARE[0], [*UNSHARE, *command])
