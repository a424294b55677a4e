#!/usr/bin/env python3
"""Runs the test programs of the workspace with the given arguments and prints the 20 slowest tests.

    python3 test/timed.py [FILTER] [ARGUMENTS OF THE TEST PROGRAM...]

The programs are those that `cargo test --no-run` builds. The standard test harness measures times
only with an unstable option, which `RUSTC_BOOTSTRAP` enables; it is set only for the programs, so
that cargo does not build again.
"""

import json
import os
import re
import subprocess
import sys

# with --nocapture, the output of a test is between its name and its result
STARTED = re.compile(r"^test (\S+) \.\.\. ")
TIMED = re.compile(r"^(?:test \S+ \.\.\. )?(?:ok|FAILED) <([0-9.]+)s>")


def programs():
    """Paths of the test programs and the folders of their packages."""
    command = ["cargo", "test", "--locked", "--workspace", "--no-run", "--message-format=json"]
    output = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout
    for line in output.splitlines():
        message = json.loads(line)
        if message.get("reason") == "compiler-artifact" and message["profile"]["test"]:
            if message["executable"]:
                yield message["executable"], os.path.dirname(message["manifest_path"])


def run(program, folder, arguments):
    """Runs one program; its exit status and the times of its tests."""
    command = [program, "-Zunstable-options", "--report-time", *arguments]
    # variables that `cargo test` sets, as far as tests read them
    environment = dict(os.environ, RUSTC_BOOTSTRAP="1", CARGO_MANIFEST_DIR=folder)
    name, times = "", []
    with subprocess.Popen(command, cwd=folder, env=environment, stdout=subprocess.PIPE, text=True) as process:
        for line in process.stdout:
            sys.stdout.write(line)
            sys.stdout.flush()
            started, found = STARTED.match(line), TIMED.match(line)
            if started:
                name = started[1]
            if found:
                times.append((float(found[1]), name))
    return process.returncode, times


def main():
    """Runs all programs; fails if one failed."""
    times, failed = [], []
    for program, folder in programs():
        status, found = run(program, folder, sys.argv[1:])
        times += found
        if status != 0:
            failed.append(program)
    print("\nslowest tests")
    for seconds, name in sorted(times, reverse=True)[:20]:
        print(f"{seconds:7.1f} s  {name}")
    if failed:
        sys.exit(f"failed: {', '.join(failed)}")


main()
