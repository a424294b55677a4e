#!/usr/bin/env python3
"""Checks Merrow from outside, as a user runs it: a `merrow run` process and a ROS peer over DDS.

    python3 test/ros/end_to_end.py [--binary target/debug/merrow] [--only NAME]... [--list]

Prints `ok NAME` or `FAIL NAME: why` per check; the exit code is 1 if one failed. Takes less than
four minutes on two cores. Needs the packages in test/requirements.txt.
"""

import argparse
import pathlib
import sys
import time
import traceback

import live
import checks_arguments
import checks_arms
import checks_drive
import checks_flight
import checks_garbage
import checks_instruments
import checks_looks
import checks_parameters
import checks_positions
import checks_process
import checks_sea
import checks_services
import checks_topics

MODULES = [checks_process, checks_arguments, checks_topics, checks_services, checks_parameters, checks_garbage,
           checks_drive, checks_flight, checks_arms, checks_sea, checks_looks, checks_instruments,
           checks_positions]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--binary", type=pathlib.Path, help="the program (default: target/debug/merrow)")
    parser.add_argument("--only", action="append", default=[], help="checks whose name holds this")
    parser.add_argument("--list", action="store_true", help="print the names of the checks")
    arguments = parser.parse_args()
    if arguments.binary:
        live.BINARY = arguments.binary.resolve()
    checks = [(check.__name__.removeprefix("check_"), check) for module in MODULES for check in module.CHECKS]
    if arguments.only:
        checks = [(name, check) for name, check in checks if any(part in name for part in arguments.only)]
        if not checks:
            parser.error(f"no check has {' or '.join(arguments.only)} in its name")
    if arguments.list:
        print("\n".join(name for name, _ in checks))
        return 0
    if not live.BINARY.exists():
        parser.error(f"no program {live.BINARY}: build it, or name it with --binary")

    failed, begin = 0, time.monotonic()
    for name, check in checks:
        start = time.monotonic()
        try:
            check()
            print(f"ok {name} ({time.monotonic() - start:.1f} s)", flush=True)
        except Exception as error:  # run every check
            failed += 1
            print(f"FAIL {name}: {type(error).__name__}: {error}", flush=True)
            traceback.print_exc()
    print(f"{len(checks)} checks, {failed} failed, {time.monotonic() - begin:.0f} s")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
