#!/usr/bin/env python3
"""Wireshark itself, with the plugin, on a display of its own; takes the screenshots that docs/wireshark.md shows.

    dissector/tshark/gui.py --plugin rdmawire.so --out docs/images [--captures testdata/captures]

Fails if Wireshark does not come up, dies, or shows nothing. Needs Wireshark, Xvfb, xdotool and ImageMagick (group gui of
tools/packages.txt).
"""

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from wireshark import Wireshark, fail  # noqa: E402

SIZE = (1280, 800)
# Picture, capture, display filter, how many packets down the one is that is selected, and the keys that lead from the
# packet's first protocol to what is to be seen.
SHOTS = [
    ("wireshark-bad-icrc.png", "rxe-corrupt-icrc.delivered.pcap", 'rdma.icrc.status == "Bad"', 0, ["End", "Right"]),
    ("wireshark-iwarp.png", "siw-mpav1-allops.pcap", "rdma.stream == 0", 10, ["End", "Right", "Down", "Down", "Right"]),
]
FIRST_ROW, ROW_HEIGHT = 120, 17  # of the list of packets


def wait_for(what, seconds, found):
    for _ in range(seconds * 4):
        if found():
            return
        time.sleep(0.25)
    fail("no %s after %d s" % (what, seconds))


def colors(picture):
    out = subprocess.run(["identify", "-format", "%k", picture], stdout=subprocess.PIPE, check=True).stdout
    return int(out)


def shoot(wireshark, display, environment, capture, display_filter, down, keys, picture):
    if not wireshark.frames(capture, display_filter):
        fail("%s selects nothing" % display_filter)
    start, own = wireshark.command("wireshark")
    environment = dict(own, **environment)
    log = os.path.join(wireshark.folder.name, "wireshark.log")
    with open(log, "wb") as file:
        program = subprocess.Popen(start + ["-n", "-r", capture, "-Y", display_filter], env=environment, stdout=file,
                                   stderr=file)
    try:
        title = os.path.basename(capture)

        def windows():
            if program.poll() is not None:
                fail("Wireshark ended: %s" % open(log, encoding="utf-8", errors="replace").read()[-500:])
            found = subprocess.run(["xdotool", "search", "--onlyvisible", "--name", title], stdout=subprocess.PIPE,
                                   env=environment, stderr=subprocess.DEVNULL, check=False).stdout.split()
            return found

        wait_for("window of Wireshark", 90, windows)
        window = windows()[0].decode()
        xdotool = ["xdotool"]
        subprocess.run(xdotool + ["windowsize", window, str(SIZE[0]), str(SIZE[1])], env=environment, check=False)
        subprocess.run(xdotool + ["windowmove", window, "0", "0"], env=environment, check=False)
        time.sleep(4)
        subprocess.run(xdotool + ["mousemove", "700", str(FIRST_ROW + down * ROW_HEIGHT), "click", "1"], env=environment,
                       check=False)
        time.sleep(2)
        # On the first row of the packet's tree; what is pressed then goes there.
        subprocess.run(xdotool + ["mousemove", "300", "446", "click", "1"], env=environment, check=False)
        for key in keys:
            time.sleep(1)
            subprocess.run(xdotool + ["key", key], env=environment, check=False)
        time.sleep(3)
        if program.poll() is not None:
            fail("Wireshark ended")
        subprocess.run(["import", "-display", display, "-window", "root", picture], check=True)
        if colors(picture) < 50:
            fail("nothing to be seen in %s" % picture)
        print("%s: %s, %s" % (picture, title, display_filter))
    finally:
        program.kill()
        program.wait()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--plugin", required=True)
    parser.add_argument("--out", required=True)
    parser.add_argument("--captures", default="testdata/captures")
    arguments = parser.parse_args()
    for tool in ("wireshark", "Xvfb", "xdotool", "import", "identify"):
        if shutil.which(tool) is None:
            fail("no %s: tools/packages.sh gui" % tool)
    wireshark = Wireshark(arguments.plugin)
    os.makedirs(arguments.out, exist_ok=True)
    with tempfile.TemporaryDirectory() as runtime:
        reader, writer = os.pipe()
        server = subprocess.Popen(["Xvfb", "-displayfd", str(writer), "-screen", "0", "%dx%dx24" % SIZE, "-nolisten", "tcp"],
                                  pass_fds=[writer], stderr=subprocess.DEVNULL)
        os.close(writer)
        try:
            display = ":" + os.fdopen(reader).readline().strip()
            if display == ":":
                fail("Xvfb did not start")
            environment = {"DISPLAY": display, "XDG_RUNTIME_DIR": runtime}
            for picture, capture, display_filter, down, keys in SHOTS:
                shoot(wireshark, display, environment, os.path.join(arguments.captures, capture), display_filter,
                      down, keys, os.path.join(arguments.out, picture))
        finally:
            server.terminate()
            server.wait()


if __name__ == "__main__":
    main()
