"""`smoke`: `rdmawire peer` and the Linux kernel, both ways, over RoCEv2 and iWARP."""

import argparse
import pathlib
import subprocess
import time

from conformance.lab import abuse_cases, bench, control, departure_cases, image, launch, perftest_cases, rping_cases


def cases(full):
    """The quick ones: everything once. The full ones: as many turns, sizes and bad networks as one can wait for."""
    if not full:
        return [*rping_cases.quick(), *perftest_cases.quick(), *departure_cases.quick()]
    return [*rping_cases.full(), *perftest_cases.full(), *rping_cases.impaired(), *abuse_cases.full(),
            *departure_cases.quick()]  # fmt: skip


def run_all(table, wanted):
    """Runs the cases, prints a line for each, and gives (passed, failed)."""
    passed = failed = 0
    for case in wanted:
        if case.why_not:
            print(f"SKIPPED: {case}: {case.why_not}", flush=True)
            continue
        start = time.monotonic()
        for attempt in range(1, case.tries + 1):
            try:
                case.run(table)
            except (bench.Failure, control.GuestError) as error:
                if attempt < case.tries:
                    print(f"again: {case}: {error}", flush=True)
                    continue
                print(f"FAILED: {case}: {error}", flush=True)
                failed += 1
            else:
                note = f"; {case.note}" if case.note else ""
                print(f"ok: {case} ({time.monotonic() - start:.1f} s){note}", flush=True)
                passed += 1
            break
    return passed, failed


def main(arguments):
    parser = argparse.ArgumentParser(
        prog="smoke",
        description="`rdmawire peer` and the Linux kernel's Soft-RoCE and Soft-iWARP, both ways.",
        epilog="Closes with `N passed, N failed, N skipped`. Exit code 1 if one failed.",
    )
    parser.add_argument("--full", action="store_true", help="more turns, all sizes, bad networks")
    parser.add_argument("--install", action="store_true", help="install what the host lacks")
    parser.add_argument("--rdmawire", type=pathlib.Path, default=image.ROOT / "rdmawire", metavar="PATH")
    parser.add_argument("--record", metavar="PATH", help="records the links: PATH.wire.pcap, PATH.tcp-a.pcap")
    parser.add_argument("--impair", metavar="WHAT", default="", help="what the links do to frames, as of `run`")
    parser.add_argument("--seed", default="1", help="of --impair")
    parser.add_argument("--timeout", type=float, default=40.0, metavar="S", help="seconds for one case (default: 40)")
    parser.add_argument("--only", metavar="WORDS", default="", help="cases whose names have these words")
    options = parser.parse_args(arguments)
    wanted = [case for case in cases(options.full) if all(word in str(case) for word in options.only.split())]

    def skip(why):
        print(f"SKIPPED, all of it: {why}\n0 passed, 0 failed, {len(wanted)} skipped")
        return 0

    if lacks := image.missing(options.install):
        return skip(lacks)
    try:
        image.build()
    except image.Unavailable as error:
        return skip(error)
    except image.BuildError as error:
        print(f"FAILED: {error}\n0 passed, 1 failed, {len(wanted)} skipped")
        return 1
    words = ["--record", options.record] if options.record else []
    words += ["--impair", options.impair, "--seed", options.seed] if options.impair else []
    # Built before the guest boots, which would wait for it.
    subprocess.run([options.rdmawire, "--version"], stdout=subprocess.DEVNULL, check=True)
    launch.end_in_order_when_told()
    start = time.monotonic()
    try:
        with launch.Lab(launch.parse([*words, "--", "smoke"], relays=options.full)) as lab:
            print(f"booted in {time.monotonic() - start:.1f} s", flush=True)
            passed, failed = run_all(bench.Bench(lab, options.rdmawire, options.timeout), wanted)
            if options.impair:
                for counts in lab.counts():
                    print("link: " + ", ".join(f"{number} {what}" for what, number in counts.items()))
    except control.GuestError as error:
        print(f"FAILED: the guest does not boot: {error}")
        passed, failed = 0, 1
    print(f"took {time.monotonic() - start:.0f} s")
    print(f"{passed} passed, {failed} failed, {max(0, len(wanted) - passed - failed)} skipped")
    return 1 if failed else 0
