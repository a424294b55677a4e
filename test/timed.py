#!/usr/bin/env python3
"""Runs the test programs of the workspace with the given arguments and prints the 20 slowest tests.

    python3 test/timed.py [FILTER] [ARGUMENTS OF THE TEST PROGRAM...]

The programs are those that `cargo test --no-run` builds. Four of them run at a time and share the
processors, because most programs end with one long test and some tests wait. With `--nocapture`
they run one after the other. The standard test harness measures times only with an unstable
option, which `RUSTC_BOOTSTRAP` enables; it is set only for the programs, so that cargo does not
build again.
"""

import json
import os
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

# with --nocapture, the output of a test is between its name and its result
STARTED = re.compile(r"^test (\S+) \.\.\. ")
TIMED = re.compile(r"^(?:test \S+ \.\.\. )?(?:ok|FAILED) <([0-9.]+)s>")
# the programs that take most time start first
LONGEST = ["input", "consistency", "analytic", "sensors", "witness", "view", "merrow_ros2", "merrow", "hostile"]
AT_A_TIME = 4


def programs():
    """Paths of the test programs and the folders of their packages, the longest first."""
    command = ["cargo", "test", "--locked", "--workspace", "--no-run", "--message-format=json"]
    output = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout
    found = []
    for line in output.splitlines():
        message = json.loads(line)
        if message.get("reason") == "compiler-artifact" and message["profile"]["test"]:
            if message["executable"]:
                name, folder = message["target"]["name"], os.path.dirname(message["manifest_path"])
                order = LONGEST.index(name) if name in LONGEST else len(LONGEST)
                found.append((order, message["executable"], folder))
    return [(program, folder) for _, program, folder in sorted(found)]


class Run:
    """One program that runs, with the times of its tests."""

    def __init__(self, program, folder, arguments, is_alone):
        self.program, self.folder = program, folder
        self.arguments, self.is_alone = arguments, is_alone
        self.times, self.kept = [], []

    def command(self):
        """The command of the program."""
        command = [self.program, "-Zunstable-options", "--report-time", *self.arguments]
        if not self.is_alone:
            threads = max(1, (os.cpu_count() or 1) // AT_A_TIME)
            command.append(f"--test-threads={threads}")
        return command

    def read(self, line, name):
        """Prints a line, or keeps it until the program ends; returns the name of the test."""
        started, timed = STARTED.match(line), TIMED.match(line)
        if started:
            name = started[1]
        if timed:
            self.times.append((float(timed[1]), name))
        if self.is_alone or started:
            print(line, end="", flush=True)
        else:
            self.kept.append(line)
        return name

    def finish(self):
        """Runs the program and returns whether its tests passed."""
        # variables that `cargo test` sets, as far as tests read them
        environment = dict(os.environ, RUSTC_BOOTSTRAP="1", CARGO_MANIFEST_DIR=self.folder)
        name = ""
        with subprocess.Popen(
            self.command(), cwd=self.folder, env=environment, stdout=subprocess.PIPE, text=True
        ) as process:
            for line in process.stdout:
                name = self.read(line, name)
        # in one piece, since the lines of another program are printed meanwhile
        print(f"{Path(self.program).name}:\n{''.join(self.kept).strip()}\n", flush=True)
        return process.returncode == 0


def main():
    """Runs all programs; fails if one failed."""
    arguments = sys.argv[1:]
    is_alone = "--nocapture" in arguments
    runs = [Run(program, folder, arguments, is_alone) for program, folder in programs()]
    with ThreadPoolExecutor(1 if is_alone else AT_A_TIME) as pool:
        passed = list(pool.map(Run.finish, runs))
    times = sorted((time for run in runs for time in run.times), reverse=True)
    print("\nslowest tests")
    for seconds, name in times[:20]:
        print(f"{seconds:7.1f} s  {name}")
    failed = [run.program for run, ok in zip(runs, passed) if not ok]
    if failed:
        sys.exit(f"failed: {', '.join(failed)}")


main()
