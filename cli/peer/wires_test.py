"""Two peers over the wires that need a machine's network: TAP with packet sockets, and the machine's own IP addresses.

In a network namespace of its own; skipped where there is none to be had.
"""

import json
import os
import re
import subprocess
import sys
import tempfile
import unittest

from cli.peer.bulk import PATHS, UNSHARE

RDMAWIRE = os.path.abspath("cli/rdmawire")
SECONDS = 60

SERVER_AND_CLIENT = """
"$RDMAWIRE" peer rping --listen {server} --connections 1 --time-limit 40 --json >server.json 2>server.log &
for i in $(seq 100); do grep -q listening server.log && break; sleep 0.1; done
"$RDMAWIRE" peer rping --connect {address} {client} --count 20 --size 3000 --time-limit 40 --json >client.json || failed=yes
wait $!
[ -z "$failed" ]
"""


class Wires(unittest.TestCase):
    def run_both(self, setup, may_fail=False, **words):
        """After setup, in a namespace; the summaries of the server and the client."""
        script = "set -e\n" + setup
        try:
            probe = subprocess.run([*UNSHARE, "sh", "-c", script], capture_output=True, text=True, timeout=SECONDS, check=False)
        except FileNotFoundError as error:
            self.skipTest(f"no network namespaces here: {error}")
        if probe.returncode:
            self.skipTest(f"no network namespace with what this takes: {probe.stderr.strip()}")
        with tempfile.TemporaryDirectory() as folder:
            done = subprocess.run([*UNSHARE, "sh", "-c", script + SERVER_AND_CLIENT.format(**words)], cwd=folder, text=True,
                                  capture_output=True, timeout=SECONDS, env=os.environ | {"RDMAWIRE": RDMAWIRE}, check=False)  # fmt: skip
            if not may_fail:
                self.assertEqual(done.returncode, 0, done.stderr)
            reports = []
            for name in ("server", "client"):
                with open(os.path.join(folder, name + ".json"), encoding="utf-8") as file:
                    reports.append(json.load(file))
            return reports

    def right(self, reports, wires):
        self.assertEqual([report["wire"] for report in reports], wires)
        for report in reports:
            one = report["connections"][0]
            self.assertEqual((one["good"], one["turns"], one["turns_verified"]), (True, 20, 20))

    def test_tap_and_packet_sockets(self):
        self.right(self.run_both(
            "ip tuntap add t0 mode tap\nip link set t0 up",
            server="--wire tap:t0 --address 10.8.0.1/24", client="--wire packet:t0 --address 10.8.0.2/24",
            address="10.8.0.1"), ["TAP device t0", "interface t0"])  # fmt: skip

    def test_addresses_of_the_machine(self):
        for kind, text in (("ip", "IP address "), ("udp", "UDP port 4791 of ")):
            for prefix, length in (("10.9.0.", "/24"), ("fd00:9::", "/64 nodad")):
                with self.subTest(kind=kind, prefix=prefix):
                    own = [f"{prefix}{number}" for number in (1, 2)]
                    self.right(self.run_both(
                        "ip link set lo up\n" + "\n".join(f"ip addr add {one}{length} dev lo" for one in own),
                        server=f"--wire {kind}:{own[0]}", client=f"--wire {kind}:{own[1]}", address=own[0]),
                        [text + one for one in own])  # fmt: skip

    def test_frames_that_the_network_does_not_carry_are_counted(self):
        for kind in ("ip", "udp"):
            with self.subTest(kind=kind):
                _, client = self.run_both(
                    "ip link set lo up mtu 1500\nip addr add 10.9.0.1/24 dev lo\nip addr add 10.9.0.2/24 dev lo",
                    may_fail=True, server=f"--wire {kind}:10.9.0.1", address="10.9.0.1",
                    client=f"--wire {kind}:10.9.0.2 --mtu 4096 --ack-timeout 10 --retry 1")  # fmt: skip
                self.assertFalse(client["connections"][0]["good"])
                self.assertGreater(client["port"]["frames_lost_because_too_long"], 0)

    def test_a_slice_of_the_bulk(self):
        probe = subprocess.run([*UNSHARE, "ip", "link", "add", "va", "type", "veth"], capture_output=True, text=True, check=False)
        if probe.returncode:
            self.skipTest(f"no veth pair can be had: {probe.stderr.strip()}")
        done = subprocess.run([sys.executable, "-m", "cli.peer.bulk", "--total", "1MiB"], capture_output=True, text=True,
                              timeout=SECONDS, check=False)  # fmt: skip
        self.assertEqual(done.returncode, 0, done.stderr)
        lines = done.stdout.splitlines()[1:]
        self.assertEqual([re.sub(r" +\d+ +\d+ +(?=checksums)", ": ", line) for line in lines],
                         [f"{path.name}: checksums are equal" for path in PATHS])  # fmt: skip


if __name__ == "__main__":
    unittest.main()
