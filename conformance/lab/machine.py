"""Guests under QEMU: the command line, start, readiness, and the certain end.

Addresses are fixed. A guest has two network cards: eth0 is on the wire, and eth1 is on a user-mode network of its own,
through which the host reaches the guest's TCP ports and the guest the host's loopback (at HOST_IP).
"""

import ctypes
import dataclasses
import os
import signal
import socket
import subprocess
import time

from conformance.lab import control

NUM_PORTS = 4
MEMORY_MIB = 384

MACS = {"a": "52:54:00:77:00:01", "b": "52:54:00:77:00:02"}
IPS = {"a": "10.77.0.1", "b": "10.77.0.2"}
IP6S = {"a": "fd00:77::1", "b": "fd00:77::2"}
# For who sits at the other end of the wire of one guest.
PEER_MAC, PEER_IP, PEER_IP6 = "02:00:00:00:00:99", "10.77.0.9", "fd00:77::9"

TCP_MAC = "52:54:00:78:00:01"
TCP_IP, TCP_IP6 = "10.78.0.1", "fd00:78::1"
HOST_IP, HOST_IP6 = "10.78.0.254", "fd00:78::fe"
# The user-mode network takes no larger frames.
TCP_MTU_MAX = 1500

# For RDMA over the wire or over TCP: which kind of link on which card.
LINKS_ALONE = {"rxe": ("rxe:eth0",), "siw": ("siw:eth1",), "both": ("rxe:eth0", "siw:eth1")}
LINKS_PAIRED = {"rxe": ("rxe:eth0",), "siw": ("siw:eth0",)}

SOCKET_BUFFER_LEN = 1 << 22
PR_SET_PDEATHSIG = 1


@dataclasses.dataclass(frozen=True)
class Forward:
    """A TCP port of the host's loopback that leads to one of the guest."""

    host_port: int
    guest_port: int


@dataclasses.dataclass(frozen=True)
class Config:
    """What a guest is started with. wire and tcp are QEMU's -netdev, without the id, for eth0 and eth1."""

    name: str
    image: str  # folder
    control: str  # folder of the ports
    links: tuple
    wire: str
    tcp: tuple = ("user",)
    forwards: tuple = ()
    mtu: int = 1500
    siw: tuple = ()  # NAME=VALUE


def kernel_options(config):
    nets = [
        f"eth0@{IPS[config.name]}/24@{IP6S[config.name]}/64@{config.mtu}",
        f"eth1@{TCP_IP}/24@{TCP_IP6}/64@{min(config.mtu, TCP_MTU_MAX)}",
    ]
    # On a busy host the emulated timer may be too late for the kernel's check of it, which then panics.
    return (
        "console=ttyS0 quiet panic=-1 mitigations=off no_timer_check "
        f"lab.net={','.join(nets)} lab.rdma={','.join(config.links)} lab.siw={','.join(config.siw)}"
    )


def user_network(forwards):
    """-netdev user, without its id."""
    text = f"user,net=10.78.0.0/24,host={HOST_IP},ipv6-net=fd00:78::/64,ipv6-host={HOST_IP6}"
    for forward in forwards:
        text += f",hostfwd=tcp:127.0.0.1:{forward.host_port}-{TCP_IP}:{forward.guest_port}"
    return text


def netdev(kind, name):
    """-netdev of a network card's other end: a user-mode network or datagrams."""
    head, _, rest = kind.partition(",")
    return ["-netdev", f"{head},id={name}" + (f",{rest}" if rest else "")]


def tcp_network(config):
    """eth1's side of the machine: straight to the user-mode network, or through two hubs whose uplinks are datagrams.

    Between those uplinks stands a relay, which so sees and can damage all that passes.
    """
    user = netdev(user_network(config.forwards), "user")
    if len(config.tcp) == 1:
        return [*user, "-device", f"virtio-net-pci,netdev=user,mac={TCP_MAC},romfile="]
    far, near = config.tcp
    return [
        *user, "-netdev", "hubport,id=far0,hubid=0,netdev=user",
        *netdev(far, "far"), "-netdev", "hubport,id=far1,hubid=0,netdev=far",
        *netdev(near, "near"), "-netdev", "hubport,id=near0,hubid=1,netdev=near",
        "-netdev", "hubport,id=near1,hubid=1",
        "-device", f"virtio-net-pci,netdev=near1,mac={TCP_MAC},romfile=",
    ]  # fmt: skip


def command_line(config):
    ports = []
    for number in range(NUM_PORTS):
        path = os.path.join(config.control, f"{config.name}.{number}")
        ports += ["-chardev", f"pipe,id=port{number},path={path}"]
        ports += ["-device", f"virtserialport,chardev=port{number},name=lab.{number}"]
    # KVM is never asked for: where it opens it may still be unable to run this kernel.
    return [
        "qemu-system-x86_64", "-M", "q35", "-accel", "tcg", "-cpu", "max", "-m", str(MEMORY_MIB), "-smp", "1",
        "-no-reboot", "-nographic", "-nodefaults", "-serial", "stdio",
        "-kernel", os.path.join(config.image, "vmlinux"), "-initrd", os.path.join(config.image, "initrd"),
        "-append", kernel_options(config),
        *netdev(config.wire, "wire"), "-device", f"virtio-net-pci,netdev=wire,mac={MACS[config.name]},romfile=",
        *tcp_network(config),
        "-device", "virtio-serial-pci", *ports,
    ]  # fmt: skip


def end_with_parent():
    """In a child before it starts its program: the kernel ends it when the lab ends, even by SIGKILL."""
    ctypes.CDLL(None, use_errno=True).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


def datagram_pair():
    """Two ends of a lossless link; one datagram is one Ethernet frame."""
    pair = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
    for end in pair:
        end.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, SOCKET_BUFFER_LEN)
        end.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, SOCKET_BUFFER_LEN)
    return pair


def by_descriptor(end):
    """-netdev of a link that QEMU inherits."""
    return f"dgram,local.type=fd,local.str={end.fileno()}"


def by_address(local_port, remote_port):
    """-netdev of a link between two UDP ports of the loopback."""
    local = f"local.type=inet,local.host=127.0.0.1,local.port={local_port}"
    return f"dgram,{local},remote.type=inet,remote.host=127.0.0.1,remote.port={remote_port}"


def free_ports(number, kind=socket.SOCK_STREAM):
    """Ports of the loopback that nobody has now."""
    sockets = [socket.socket(socket.AF_INET, kind) for _ in range(number)]
    try:
        for one in sockets:
            one.bind(("127.0.0.1", 0))
        return [one.getsockname()[1] for one in sockets]
    finally:
        for one in sockets:
            one.close()


class Guest:
    """A running guest. Ends with stop(), and with this process in any case."""

    def __init__(self, config, inherited=()):
        """inherited: the sockets whose descriptors the -netdevs name."""
        self.config = config
        self.console_path = os.path.join(config.control, f"{config.name}.console")
        for number in range(NUM_PORTS):
            for way in ("in", "out"):
                os.mkfifo(os.path.join(config.control, f"{config.name}.{number}.{way}"))
        with open(self.console_path, "wb") as console:
            self.process = subprocess.Popen(
                command_line(config),
                stdin=subprocess.DEVNULL,
                stdout=console,
                stderr=console,
                pass_fds=[end.fileno() for end in inherited],
                preexec_fn=end_with_parent,
                # Ctrl-C is the lab's to handle: COMMAND may still want the guest.
                start_new_session=True,
            )

    def wait(self, timeout_s):
        """Until programs can be run in it and its RDMA links are there; control.GuestError if that does not come."""
        end = time.monotonic() + timeout_s
        while True:
            if self.process.poll() is not None:
                raise control.GuestError(f"QEMU ended with {self.process.returncode}:\n{self.console()}")
            try:
                with control.Port(self.config.control, self.config.name) as port:
                    left = max(1, end - time.monotonic())
                    links = []
                    port.run("rdma link", left, links.append)
                break
            except control.GuestError as error:
                if time.monotonic() > end:
                    raise control.GuestError(f"not up after {timeout_s:g} s: {error}\n{self.console()}") from None
                time.sleep(0.02)
        if missing := [link for link in self.config.links if f"{link.split(':')[0]}/" not in b"".join(links).decode()]:
            raise control.GuestError(f"no RDMA link {', '.join(missing)}:\n{self.console()}")

    def console(self):
        """The last lines of the guest's console."""
        with open(self.console_path, encoding="utf-8", errors="replace") as file:
            return "".join(file.readlines()[-30:]).strip()

    def run(self, program, timeout_s=60.0):
        return control.run(self.config.control, self.config.name, program, timeout_s)

    def stop(self):
        """Off, as by pulling the plug: it has nothing to save."""
        self.process.kill()
        self.process.wait()
