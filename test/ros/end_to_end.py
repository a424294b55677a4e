#!/usr/bin/env python3
"""Checks Merrow as a user runs it: a `merrow run` process and a ROS peer over DDS.

    python3 test/ros/end_to_end.py [--binary target/debug/merrow] [--only NAME]... [--skip NAME]... [--list]
                                    [--complete] [--pace] [--native]

Prints `ok NAME`, `skip NAME: why` or `FAIL NAME: why` per check; the exit code is 1 if one failed. Several checks run
at the same time, each on a separate DDS domain. With `--complete` or `--only`, the checks that take
long are included. With `--pace`, only the checks that compare simulated with wall time run, one
after the other, on a machine without other load. Needs the packages in test/requirements.txt.
"""

import argparse
import collections
import concurrent.futures
import inspect
import multiprocessing
import pathlib
import sys
import time
import traceback

import live
from checks import MODULES

# most of a check is waiting for simulated time
JOBS = 6
# checks that start first, because they wait longest: otherwise only they would run at the end
LONGEST = [
    "topics_of_a_torpedo", "late_autopilot", "topics_of_an_arm", "topics_of_the_pool", "flight_by_cmd_vel",
    "commands_of_the_pages", "fleet", "invalid_input", "vehicles_and_channels", "gamepad_and_modes",
]


def run_check(name, binary, pace, native):
    """Runs the check `name` on the program `binary`; returns the word and the rest of its line."""
    live.BINARY, live.IS_NATIVE = binary, native
    start = time.monotonic()
    try:
        all_checks(complete=True, pace=pace)[name]()
    except live.Skipped as reason:
        return "skip", f"{name}: {reason}"
    except Exception as error:  # run every check
        return "FAIL", f"{name}: {type(error).__name__}: {error}\n{traceback.format_exc()}"
    return "ok", f"{name} ({time.monotonic() - start:.1f} s)"


def all_checks(complete=False, pace=False):
    """Returns the checks by name, also those that take long if `complete`; only those that depend on the pace if
    `pace`.
    """
    listed = {key: [check for module in MODULES for check in getattr(module, key, [])]
              for key in ("SLOW_CHECKS", "CHECKS", "PACE_CHECKS")}
    everything = sum(listed.values(), [])
    twice = [name for name, n in collections.Counter(check.__name__ for check in everything).items() if n > 1]
    assert not twice, f"several checks have the names {twice}"
    for module in MODULES:
        for name, value in vars(module).items():
            own = name.startswith("check_") and getattr(value, "__module__", "") == module.__name__
            # those with arguments are parts of other checks
            assert not own or value in everything or inspect.signature(value).parameters, f"{name} is in no list of checks"
    selected = listed["PACE_CHECKS"] if pace else (listed["SLOW_CHECKS"] if complete else []) + listed["CHECKS"]
    return {check.__name__.removeprefix("check_"): check for check in selected}


def in_order(checks):
    """Returns the names of checks in the order in which they start."""
    return sorted(checks, key=lambda name: LONGEST.index(name) if name in LONGEST else len(LONGEST))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--binary", type=pathlib.Path, help="the program (default: target/debug/merrow)")
    parser.add_argument("--only", action="append", default=[], help="checks whose name holds this")
    parser.add_argument("--skip", action="append", default=[], help="no checks whose name holds this")
    parser.add_argument("--complete", action="store_true", help="also run the checks that take long")
    parser.add_argument("--pace", action="store_true", help="run the checks that depend on the pace")
    parser.add_argument("--native", action="store_true", help="the program uses the native backend, which has no counters")
    parser.add_argument("--list", action="store_true", help="print the names of the checks")
    arguments = parser.parse_args()
    if arguments.binary:
        live.BINARY = arguments.binary.resolve()
    checks = all_checks(arguments.complete or bool(arguments.only), arguments.pace)
    if arguments.only:
        checks = {name: check for name, check in checks.items() if any(part in name for part in arguments.only)}
        if not checks:
            parser.error(f"no check has {' or '.join(arguments.only)} in its name")
    checks = {name: check for name, check in checks.items() if not any(part in name for part in arguments.skip)}
    if arguments.list:
        print("\n".join(checks))
        return 0
    if not live.BINARY.exists():
        parser.error(f"no program {live.BINARY}: build it, or name it with --binary")

    count, begin = collections.Counter(), time.monotonic()
    # a forked process has already imported all modules; this process has no DDS participant
    jobs, context = 1 if arguments.pace else JOBS, multiprocessing.get_context("fork")
    with concurrent.futures.ProcessPoolExecutor(jobs, mp_context=context) as pool:
        running = [pool.submit(run_check, name, live.BINARY, arguments.pace, arguments.native)
                   for name in in_order(checks)]
        for done in concurrent.futures.as_completed(running):
            word, rest = done.result()
            count[word] += 1
            print(word, rest, flush=True)
    print(f"{len(checks)} checks, {count['FAIL']} failed, {count['skip']} skipped, {time.monotonic() - begin:.0f} s")
    return 1 if count["FAIL"] else 0


if __name__ == "__main__":
    sys.exit(main())
