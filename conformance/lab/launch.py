"""`run`: guests, the links between them and COMMAND, COMMAND, and the end of all of them."""

import argparse
import contextlib
import os
import pathlib
import shlex
import shutil
import signal
import socket
import subprocess
import sys
import tempfile

from conformance.lab import control, image, machine, relay

DEFAULT_FORWARDS = (7174,)  # rping's port
STATUS_OF_TIMEOUT = 124
STATUS_OF_LAB = 125  # the lab itself failed: no image, no boot

HELP = """\
COMMAND finds in its environment:
  LAB_WIRE           the wire, as `rdmawire peer --wire` takes it: fd:N, or dgram:LOCAL,REMOTE with --wire inet.
                     One datagram is one Ethernet frame. Not there with two guests, whose wire goes from one to the other
  LAB_GUEST_IP, _IP6, _MAC      the guest on the wire (two guests: LAB_B_IP, LAB_B_IP6 as well)
  LAB_PEER_IP, _IP6, _MAC       addresses on the wire that are free for COMMAND; the guest learns them by ARP
  LAB_TCP_7174       127.0.0.1:PORT, which leads to the guest's TCP port 7174; one for each --forward
  LAB_TCP_IP         where the guest's servers listen for that
  LAB_HOST_IP, _IP6  the host's loopback, as the guest sees it
  LAB_CONTROL        where `conformance/lab/guest PROGRAM` finds the guest
  LAB_RECORD         the capture files of --record, as far as there are any, with spaces between
RoCEv2 (device rxe) is on the wire, iWARP (siw) on the forwarded TCP; two guests have theirs on the wire.
Exit code: COMMAND's, 124 if its time was up, 125 if the lab failed.
"""


class Lab:
    """Guests with their links, as the options say; use it in a `with`, which ends them whatever happens."""

    def __init__(self, options):
        self.options = options
        self.environment = {}
        self.guests, self.relays, self.sockets = [], [], []
        self.inherited = []  # what COMMAND gets

    def __enter__(self):
        self.folder = tempfile.mkdtemp(prefix="rdmawire-lab.")
        try:
            self._start()
        except BaseException:
            self._stop()
            raise
        return self

    def __exit__(self, *_):
        self._stop()

    def _stop(self):
        for guest in self.guests:
            guest.stop()
        for one in self.relays:
            one.stop()
        for end in self.sockets:
            end.close()
        shutil.rmtree(self.folder, ignore_errors=True)

    def _pair(self):
        pair = machine.datagram_pair()
        self.sockets += pair
        return pair

    def _needs_relay(self):
        return bool(self.options.impair or self.options.record or self.options.relays)

    def _relay(self, ends, name):
        """Made now, started when all guests run: their start does not go well with threads."""
        for end in ends:
            self.sockets.remove(end)
        recording = None
        if self.options.record:
            path = pathlib.Path(f"{self.options.record}.{name}.pcap").absolute()
            recording = relay.Recording(path)
            self.environment["LAB_RECORD"] = f"{self.environment.get('LAB_RECORD', '')} {path}".strip()
        self.relays.append(relay.Relay(ends, self.options.impair, self.options.seed, recording, name))

    def _joined(self, name):
        """Two ends of the wire, straight or with a relay between them."""
        if not self._needs_relay():
            return self._pair()
        (one, near), (far, other) = self._pair(), self._pair()
        self._relay([near, far], name)
        return one, other

    def _inet_wire(self):
        """-netdev of eth0 and what QEMU inherits for it; COMMAND, or the relay for it, uses the other addresses."""
        kind = socket.SOCK_DGRAM
        qemu, command = machine.free_ports(2, kind)
        if not self._needs_relay():
            self.environment["LAB_WIRE"] = f"dgram:127.0.0.1:{command},127.0.0.1:{qemu}"
            return machine.by_address(qemu, command), []
        end, mine = self._pair()
        outer = socket.socket(socket.AF_INET, kind)
        outer.bind(("127.0.0.1", 0))
        outer.connect(("127.0.0.1", command))
        self.sockets.append(outer)
        self.environment["LAB_WIRE"] = f"dgram:127.0.0.1:{command},127.0.0.1:{outer.getsockname()[1]}"
        self._relay([mine, outer], "wire")
        return machine.by_descriptor(end), [end]

    def _wires(self):
        """-netdev of eth0 of each guest, and what QEMU inherits for it."""
        if self.options.guests == 2:
            ends = self._joined("wire")
            return [(machine.by_descriptor(end), [end]) for end in ends]
        if self.options.wire == "inet":
            return [self._inet_wire()]
        end, commands = self._joined("wire")
        self.inherited = [commands]
        self.environment["LAB_WIRE"] = f"fd:{commands.fileno()}"
        return [(machine.by_descriptor(end), [end])]

    def _tcp(self, name):
        """The sides of eth1's network, and what QEMU inherits for it."""
        if not self._needs_relay() or self.options.guests == 2:
            return ("user",), []
        (far, far_mine), (near, near_mine) = self._pair(), self._pair()
        self._relay([far_mine, near_mine], f"tcp-{name}")
        return (machine.by_descriptor(far), machine.by_descriptor(near)), [far, near]

    def _start(self):
        options = self.options
        links = (machine.LINKS_ALONE if options.guests == 1 else machine.LINKS_PAIRED)[options.rdma]
        env = self.environment
        env |= {
            "LAB_CONTROL": self.folder, "LAB_RDMA": options.rdma,
            "LAB_TCP_IP": machine.TCP_IP, "LAB_HOST_IP": machine.HOST_IP, "LAB_HOST_IP6": machine.HOST_IP6,
            "LAB_GUEST_IP": machine.IPS["a"], "LAB_GUEST_IP6": machine.IP6S["a"], "LAB_GUEST_MAC": machine.MACS["a"],
            "LAB_PEER_IP": machine.PEER_IP, "LAB_PEER_IP6": machine.PEER_IP6, "LAB_PEER_MAC": machine.PEER_MAC,
        }  # fmt: skip
        if options.guests == 2:
            env |= {"LAB_B_IP": machine.IPS["b"], "LAB_B_IP6": machine.IP6S["b"]}
        for name, (wire, inherited) in zip("ab", self._wires()):
            tcp, more = self._tcp(name)
            forwards = []
            # The second guest's ports would have the same names.
            for port, free in zip(options.forward, machine.free_ports(len(options.forward)) if name == "a" else ()):
                forwards.append(machine.Forward(free, port))
                env[f"LAB_TCP_{port}"] = f"127.0.0.1:{free}"
            config = machine.Config(
                name, str(image.folder()), self.folder, links, wire, tcp, tuple(forwards), options.mtu, tuple(options.siw)
            )
            self.guests.append(machine.Guest(config, [*inherited, *more]))
            # QEMU has its copies; ours would keep the link open when it ends.
            for end in [*inherited, *more]:
                end.close()
                self.sockets.remove(end)
        for one in self.relays:
            one.start()
        for guest in self.guests:
            guest.wait(options.boot_timeout)

    def run(self, command, timeout_s):
        """COMMAND's exit status; all that it started ends with it, or after timeout_s."""
        # A shell at a terminal must stay in the terminal's group; without one, the group tells what COMMAND started.
        group = None if sys.stdin.isatty() else 0
        process = subprocess.Popen(
            command,
            env=os.environ | self.environment,
            pass_fds=[end.fileno() for end in self.inherited],
            process_group=group,
        )
        for end in self.inherited:
            end.close()
            self.sockets.remove(end)
        try:
            return process.wait(timeout_s)
        except subprocess.TimeoutExpired:
            print(f"lab: {shlex.join(command)}: not done after {timeout_s:g} s", file=sys.stderr)
            return STATUS_OF_TIMEOUT
        finally:
            end = process.send_signal if group is None else lambda number: os.killpg(process.pid, number)
            for number, wait_s in ((signal.SIGTERM, 5), (signal.SIGKILL, None)):
                with contextlib.suppress(ProcessLookupError, subprocess.TimeoutExpired):
                    end(number)
                    process.wait(wait_s)

    def counts(self):
        return [one.counts() for one in self.relays]


def siw_parameter(text):
    name, _, value = text.partition("=")
    if name not in image.SIW_PARAMETERS or not value.isdigit():
        raise argparse.ArgumentTypeError(f"{text!r} is not NAME=NUMBER with one of {', '.join(image.SIW_PARAMETERS)}")
    return text


def impairment(text):
    try:
        return relay.Impairment.parse(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(error) from None


def parser():
    out = argparse.ArgumentParser(
        prog="run",
        usage="conformance/lab/run [options] -- COMMAND...",
        description="Boots one or two guests with the Linux kernel's RDMA and runs COMMAND, which talks to them.",
        epilog=HELP,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    out.add_argument("--guests", type=int, choices=(1, 2), default=1)
    out.add_argument("--rdma", choices=("rxe", "siw", "both"), help="default: both, or rxe between two guests")
    out.add_argument("--wire", choices=("fd", "inet"), default="fd", help="an inherited descriptor or UDP ports")
    out.add_argument("--mtu", type=int, default=1500, metavar="OCTETS", help="of the wire; 1500 means a path MTU of 1024")
    out.add_argument("--siw", action="append", default=[], type=siw_parameter, metavar="NAME=N",
                     help="a parameter of Soft-iWARP: " + ", ".join(image.SIW_PARAMETERS))  # fmt: skip
    out.add_argument("--forward", action="append", type=int, metavar="PORT", help="TCP port of the guest (default: 7174)")
    out.add_argument("--impair", type=impairment, metavar="WHAT",
                     help="what the links do to frames, both ways: loss=5%%,dup=1%%,corrupt=1%%,reorder=5%%,delay=2ms")  # fmt: skip
    out.add_argument("--seed", type=int, default=1, help="of --impair")
    out.add_argument("--record", metavar="PATH", help="records what enters the links: PATH.wire.pcap, PATH.tcp-a.pcap")
    out.add_argument("--timeout", type=float, default=300.0, metavar="S", help="seconds for COMMAND (default: 300)")
    out.add_argument("--boot-timeout", type=float, default=180.0, metavar="S", help="seconds for the boot (default: 180)")
    out.add_argument("--install", action="store_true", help="install what the host lacks")
    out.add_argument("command", nargs="+", metavar="COMMAND")
    return out


def parse(arguments, relays=False):
    """relays: between the links' ends in any case, for a caller that has use for them."""
    options = parser().parse_args(arguments)
    options.relays = relays
    options.rdma = options.rdma or ("both" if options.guests == 1 else "rxe")
    options.forward = options.forward or list(DEFAULT_FORWARDS)
    if options.guests == 2 and options.rdma == "both":
        parser().error("between two guests it is --rdma rxe or --rdma siw")
    if options.guests == 2 and options.wire == "inet":
        parser().error("between two guests there is no --wire inet")
    return options


def end_in_order_when_told():
    """On SIGTERM the `finally`s run, as they do on Ctrl-C."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))


def main(arguments):
    options = parse(arguments)
    if lacks := image.missing(options.install):
        print(lacks, file=sys.stderr)
        return STATUS_OF_LAB
    end_in_order_when_told()
    try:
        image.build()
        with Lab(options) as lab:
            status = lab.run(options.command, options.timeout)
            for one in lab.counts():
                if options.impair:
                    print("lab: " + ", ".join(f"{number} {what}" for what, number in one.items()), file=sys.stderr)
            return status
    except (image.BuildError, control.GuestError, OSError) as error:
        print(f"lab: {error}", file=sys.stderr)
        return STATUS_OF_LAB
    except KeyboardInterrupt:
        return 128 + signal.SIGINT
