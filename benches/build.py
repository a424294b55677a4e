"""Builds the programs that benches/run compares: Merrow, its benches and the other programs.

Each program is built as its users would build it.
"""

import dataclasses
import json
import os
import platform
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
FOLDER = ROOT / "target" / "benches"
VENV = FOLDER / "venv"
ROBOT = ("uvms_pool", "uvms", 0.001)
# world and robot with contacts; scenes of the worlds that benches/contact.rs measures
LANDER = (HERE / "worlds" / "uvms_on_floor.yaml", "uvms")
SCENES = FOLDER / "scenes.json"

# definitions required by Pinocchio's CMake target
PINOCCHIO_DEFINITIONS = [
    "-DBOOST_MPL_LIMIT_LIST_SIZE=30",
    "-DBOOST_MPL_LIMIT_VECTOR_SIZE=30",
    "-DBOOST_MPL_CFG_NO_PREPROCESSED_HEADERS",
    "-DBOOST_FUSION_INVOKE_MAX_ARITY=12",
]


class Failed(Exception):
    """An error that stops the benchmark, with a one-line message."""


@dataclasses.dataclass
class Programs:
    """Paths of the built programs."""

    merrow: Path
    kernel: Path
    contact: Path
    python: Path
    mujoco: Path
    mujoco_contact: Path
    # compiler and instruction set -> program
    pinocchio: dict


def run(command, **options):
    """Runs a command and returns its standard output."""
    command = [str(part) for part in command]
    try:
        done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, **options)
    except FileNotFoundError:
        raise Failed(f"{command[0]} is not installed") from None
    except subprocess.CalledProcessError as failed:
        raise Failed(f"exit code {failed.returncode} of: {' '.join(command)}") from None
    return done.stdout


def all_programs():
    """Builds all programs that are not up to date."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    merrow = cargo("merrow", "build", "--release", "--bin", "merrow")
    kernel = cargo("kernel", "bench", "--no-run", "--bench", "kernel")
    contact = cargo("contact", "bench", "--no-run", "--bench", "contact")
    python = environment()
    write_models(merrow, python)
    write_contact_models(merrow, contact, python)
    packages = Path(run([python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"]).strip())
    mujoco, mujoco_contact = (build_mujoco(packages, name) for name in ("mujoco", "mujoco_contact"))
    return Programs(merrow, kernel, contact, python, mujoco, mujoco_contact, build_pinocchio(packages))


def cargo(name, *arguments):
    """Builds the program `name` with cargo and returns its path."""
    lines = run(["cargo", *arguments, "--message-format=json-render-diagnostics"], cwd=ROOT).splitlines()
    for message in (json.loads(line) for line in lines if line.startswith("{")):
        # for a bench, cargo also builds the binary
        if message.get("executable") and message["target"]["name"] == name:
            return Path(message["executable"])
    raise Failed(f"cargo {' '.join(arguments)} built no {name}")


def environment():
    """Creates the Python environment of requirements.txt."""
    requirements = (HERE / "requirements.txt").read_text()
    stamp, python = VENV / "requirements.txt", VENV / "bin" / "python"
    if not stamp.is_file() or stamp.read_text() != requirements:
        run([sys.executable, "-m", "venv", "--clear", VENV])
        run([python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "-r", HERE / "requirements.txt"])
        stamp.write_text(requirements)
    return python


def write_models(merrow, python):
    """Writes the models of the robot for the other programs."""
    world, robot, step_s = ROBOT
    urdf = FOLDER / f"{robot}.urdf"
    urdf.write_text(run([merrow, "describe", world, "--urdf", robot]))
    run([python, HERE / "peers" / "models.py", urdf, FOLDER, step_s])


def write_contact_models(merrow, contact, python):
    """Writes the MuJoCo models of the worlds with contacts."""
    world, robot = LANDER
    SCENES.write_text(run([contact, "--scenes"]))
    urdf = FOLDER / f"{world.stem}.urdf"
    urdf.write_text(run([merrow, "describe", world, "--urdf", robot]))
    run([python, HERE / "peers" / "contact_models.py", SCENES, urdf, FOLDER])


def build_mujoco(packages, name):
    """Compiles a MuJoCo case against the library in its wheel.

    The library selects its instruction set at run time.
    """
    folder = packages / "mujoco"
    libraries = sorted(folder.glob("libmujoco.so.*"))
    if not libraries:
        raise Failed(f"no libmujoco.so in {folder}")
    flags = ["-isystem", folder / "include"]
    return compile_peer("g++", [], name, flags, [libraries[0], f"-Wl,-rpath,{folder}"])


def build_pinocchio(packages):
    """Compiles the Pinocchio case with every available compiler, for generic x86-64 and AVX2."""
    prefix = packages / "cmeel.prefix"
    flags = [*PINOCCHIO_DEFINITIONS, "-isystem", prefix / "include", "-isystem", prefix / "include" / "eigen3"]
    link = [f"-L{prefix / 'lib'}", f"-Wl,-rpath,{prefix / 'lib'}"]
    sets = {"generic": []}
    if has_avx2():
        sets["x86-64-v3"] = ["-march=x86-64-v3"]
    compilers = ["g++"] + (["clang++"] if shutil.which("clang++") else [])
    # each compilation takes over a minute and 3 GB
    with ThreadPoolExecutor(max_workers=2) as pool:
        jobs = {
            f"{compiler} {name}": pool.submit(compile_peer, compiler, march, "pinocchio", flags, link)
            for compiler in compilers
            for name, march in sets.items()
        }
        return {name: job.result() for name, job in jobs.items()}


def compile_peer(compiler, march, name, flags, link):
    """Compiles peers/NAME.cpp unless it is up to date with its sources and command."""
    program = FOLDER / "-".join([name, compiler, *march])
    source = HERE / "peers" / f"{name}.cpp"
    command = [compiler, "-O3", "-DNDEBUG", "-std=c++17", *march, *flags, source, "-o", program, *link]
    sources = [source, HERE / "peers" / "timing.hpp", HERE / "requirements.txt"]
    key = "\n".join([" ".join(map(str, command)), version(compiler), *(path.read_text() for path in sources)])
    stamp = program.with_suffix(".stamp")
    if not (program.is_file() and stamp.is_file() and stamp.read_text() == key):
        run(command)
        stamp.write_text(key)
    return program


def version(program):
    """Returns the first line of `program --version`."""
    return run([program, "--version"]).splitlines()[0]


def cpu_info(key):
    """Returns the value of a line of /proc/cpuinfo for the first CPU."""
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        name, _, value = line.partition(":")
        if name.strip() == key:
            return value.strip()
    return ""


def has_avx2():
    """Returns True if the CPU supports x86-64-v3."""
    return {"avx2", "bmi2", "fma"} <= set(cpu_info("flags").split())


def machine(programs):
    """Returns the machine and program versions, on which the numbers depend."""
    compilers = {name.split()[0] for name in programs.pinocchio}
    memory_gb = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 1e9
    return {
        "processor": cpu_info("model name") or platform.processor(),
        "cores": len(os.sched_getaffinity(0)),
        "memory_gb": round(memory_gb),
        "system": platform.platform(),
        "compilers": [version("rustc"), *(version(name) for name in sorted(compilers))],
        "packages": [
            line for line in (HERE / "requirements.txt").read_text().splitlines() if line and not line.startswith("#")
        ],
        "merrow": version(programs.merrow),
    }
