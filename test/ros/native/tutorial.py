"""Runs the blocks of a tutorial in their order, as a reader does, with the Python that runs this module.

A block with a title is a file of the working folder. The commands of an `sh` block are run by bash; those that need other
programs than Merrow and this Python are left out. A world without an end and the programs in ENDLESS run until the page
starts another world; they end as with Ctrl-C. What the other commands print is compared with the `text` block that follows.
"""

import os
import pathlib
import re
import shlex
import signal
import stat
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[3]
FOLDER = ROOT / "docs" / "tutorials"
REQUIREMENTS = ROOT / "test" / "ros" / "native" / "jazzy.txt"
# blocks with these commands need an installed ROS 2, a compiler or the network
OTHERS = ("ros2 ", "rviz2 ", "sudo ", "apt ", "rosdep ", "colcon ", "cargo ", "git ", "docker ", "export ")
# the tests have made the environment
INSTALLS = ("python3 -m venv ", "pip install ", "source ")
# controllers that run until Ctrl-C
ENDLESS = ("python3 depth_controller.py ",)
# worlds in real time run faster in the test
MERROW = """#!/usr/bin/env bash
if [ "$1" = run ]; then
  shift
  case " $* " in *" --pace "*) ;; *) set -- "$@" --pace 4 ;; esac
  exec {program} run --ros-backend {backend} "$@"
fi
exec {program} "$@"
"""
PYTHON = '#!/usr/bin/env bash\nexec {python} "$@"\n'


def blocks(text):
    """Returns language, title (or an empty text) and content of the blocks of a page."""
    return re.findall(r'^```(\w+)(?: title="([^"]+)")?\n(.*?)^```$', text, re.M | re.S)


def is_like(found, shown, is_exact):
    """Returns whether a page shows an output: `...` stands for any lines, and state hashes are those of another version;
    so are numbers, unless `is_exact`.
    """
    other = r"\b[0-9a-f]{16}\b" if is_exact else r"\d+(\.\d+)?"
    found, shown = (re.sub(other, "OTHER", text) for text in (found, shown))
    lines = [r"(?:.*\n)*" if line == "..." else re.escape(line) + r"\n" for line in shown.splitlines()]
    return re.fullmatch("".join(lines), found) is not None


class Page:
    """A tutorial and the folder of its reader. A context manager that ends the programs and removes the folder."""

    def __init__(self, name, program, backend):
        self.name, self.blocks = name, blocks((FOLDER / name).read_text(encoding="utf-8"))
        self.temporary = tempfile.TemporaryDirectory()
        self.folder = pathlib.Path(self.temporary.name, "reader")
        self.folder.mkdir()
        commands = pathlib.Path(self.temporary.name, "bin")
        commands.mkdir()
        script = MERROW.format(program=shlex.quote(str(pathlib.Path(program).resolve())), backend=backend)
        for name, text in ("merrow", script), ("python3", PYTHON.format(python=shlex.quote(sys.executable))):
            (commands / name).write_text(text, encoding="utf-8")
            (commands / name).chmod(stat.S_IRWXU)
        self.environment = os.environ | {"PATH": f"{commands}:{os.environ['PATH']}"}
        self.running, self.outputs = [], []

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for process in self.running:
            process.kill()
            process.communicate()
        self.temporary.cleanup()

    def run(self, wait=lambda: None, is_exact=True):
        """Runs the page. `wait` is called before programs end that run until Ctrl-C. The numbers of a page about a world in
        real time are not exact.
        """
        listed = REQUIREMENTS.read_text(encoding="utf-8").splitlines()
        commands = 0
        for k, (language, title, text) in enumerate(self.blocks):
            if title:
                (self.folder / title).write_text(text, encoding="utf-8")
                continue
            if language != "sh":
                continue
            lines = text.replace("\\\n", " ").splitlines()
            for line in lines:
                if line.startswith("pip install ") and "ros-" in line:
                    other = [word for word in shlex.split(line)[2:] if word not in listed]
                    assert not other, f"{self.name}: {other}: not tested, because {REQUIREMENTS.name} has other versions"
            lines = [line for line in lines if not line.startswith(INSTALLS)]
            if not lines or any(line.startswith(OTHERS) for line in lines):
                continue
            commands += len(lines)
            is_world = lines[0].startswith("merrow run ") and "--for" not in lines[0]
            if is_world or lines[0].startswith(ENDLESS):
                assert len(lines) == 1, f"{self.name}: {lines}: Ctrl-C ends only one command"
                if is_world:
                    self.end(wait)
                self.start(lines[0])
                continue
            if lines[0].startswith("merrow run ") or any(line.startswith(ENDLESS) for line in self.commands()):
                self.end(wait)
            shown = self.blocks[k + 1][2] if self.blocks[k + 1 :] and self.blocks[k + 1][0] == "text" else "...\n"
            done = subprocess.run(["bash", "-e", "-c", "\n".join(lines)], cwd=self.folder, env=self.environment, text=True,
                                  stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
            assert done.returncode == 0, f"{self.name}: {lines}: {done.stderr}"
            self.outputs.append(done.stdout)
            assert is_like(done.stdout, shown, is_exact), f"{self.name}: {lines} prints\n{done.stdout}the page shows\n{shown}"
        self.end(wait)
        assert commands, f"{self.name} has no commands"

    def commands(self):
        """Returns the commands of the running programs."""
        return [process.args[-1].removeprefix("exec ") for process in self.running]

    def start(self, line):
        """Starts a program that runs until Ctrl-C, and waits until a world runs."""
        output = pathlib.Path(self.temporary.name, "output")
        with output.open("w", encoding="utf-8") as file:
            process = subprocess.Popen(["bash", "-c", f"exec {line}"], cwd=self.folder, env=self.environment, text=True,
                                       stdout=file, stderr=subprocess.PIPE, start_new_session=True)
        self.running.append(process)
        while line.startswith("merrow ") and "reachable:" not in output.read_text(encoding="utf-8"):
            assert process.poll() is None, f"{self.name}: {line}: {process.communicate()[1]}"
            time.sleep(0.05)

    def end(self, wait):
        """Ends the running programs, the last first; they end with 0 and without a message."""
        if self.running:
            wait()
        while self.running:
            process = self.running[-1]
            process.send_signal(signal.SIGINT)
            _, errors = process.communicate(timeout=20)
            self.running.pop()
            errors = [line for line in errors.splitlines() if "ROS package" not in line]
            assert (process.returncode, errors) == (0, []), f"{self.name}: {process.args[-1]}: {process.returncode}, {errors}"
