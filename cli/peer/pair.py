"""Two peers as people start them, for tests."""
import json
import os
import random
import socket
import subprocess

RDMAWIRE = os.path.abspath("cli/rdmawire")
TIMEOUT = 120


def start(*arguments):
    return subprocess.Popen([RDMAWIRE, "peer", *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def finish(process):
    try:
        out, err = process.communicate(timeout=TIMEOUT)
    except subprocess.TimeoutExpired:
        process.kill()
        out, err = process.communicate()
        raise AssertionError("it does not end: " + out + err)
    return process.returncode, out, err


def summary(process):
    code, out, err = finish(process)
    return code, json.loads(out), err


def run(*arguments):
    return finish(start(*arguments))


def free_port(kind):
    with socket.socket(socket.AF_INET, kind) as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Pair:
    """A server and a client of one family; rocev2 over datagrams of frames, udp over those of port 4791."""

    def __init__(self, family):
        self.family = family
        if family == "rocev2":
            a, b = free_port(socket.SOCK_DGRAM), free_port(socket.SOCK_DGRAM)
            self.server_wire = ["--wire", f"dgram:127.0.0.1:{a},127.0.0.1:{b}", "--address", "10.77.0.1/24",
                                "--address", "fd00:77::1/64"]
            self.client_wire = ["--wire", f"dgram:127.0.0.1:{b},127.0.0.1:{a}", "--address", "10.77.0.2/24",
                                "--address", "fd00:77::2/64"]
            self.listen, self.connect = "7174", "10.77.0.1"
        elif family == "udp":
            # All of 127/8 is this machine, and the port is the same for all.
            network = f"127.{random.randint(1, 254)}.{random.randint(0, 255)}."
            self.server_wire, self.client_wire = (["--wire", f"udp:{network}{number}"] for number in (1, 2))
            self.listen, self.connect = "7174", network + "1"
        else:
            port = free_port(socket.SOCK_STREAM)
            self.server_wire = self.client_wire = ["--wire", "tcp"]
            self.listen = self.connect = f"127.0.0.1:{port}"

    def serve(self, service, *arguments):
        server = start(service, "--listen", self.listen, *self.server_wire, "--json", *arguments)
        # It says so when it listens.
        line = server.stderr.readline()
        assert "listening" in line, line + server.stderr.read()
        return server

    def client(self, service, *arguments, connect=None):
        return start(service, "--connect", connect or self.connect, *self.client_wire, "--json", *arguments)

    def both(self, server, server_arguments, client, client_arguments, connect=None):
        listening = self.serve(server, "--connections", "1", *server_arguments)
        result = summary(self.client(client, *client_arguments, connect=connect))
        return result, summary(listening)


def operations(report):
    return {one["operation"]: one for one in report["connections"][0]["operations"]}


def temporary(name):
    return os.path.join(os.environ.get("TEST_TMPDIR", "/tmp"), name)


def dumped(path, *names):
    """Columns of each packet, FPDU or start-up frame of a recording."""
    fields = [word for name in names for word in ("-e", name)]
    dump = subprocess.run([RDMAWIRE, "dump", "-T", "fields", *fields, path], capture_output=True, text=True, check=True)
    return [line.split("\t") for line in dump.stdout.splitlines()]


def num_fpdus(connection):
    return connection["counts"]["segments_sent"] + connection["counts"]["segments_received"]
