"""Converts the measurements of benches/run to docs/explanation/benchmarks.md: quantities, other programs and targets.

Targets and notes are defined only in this file; all numbers come from the measurements.
"""

import textwrap

# rows of benches/kernel.rs
DRY = "10-DOF forward dynamics (q, v, tau to accelerations, no water)"
UVMS_RK4 = "10-DOF RK4 step"
ROV_RK4 = "6-DOF RK4 step"
ROV_LANES = "6-DOF RK4 step, per robot of 4 lanes"
HULL = "hull of 2048 triangles in 80 waves, one evaluation"
ELEVATION = "waves: elevation of many points, per component and point"
WATER = "waves: surface and water at one point, per component"
ROV_WHOLE = "BlueROV2 Heavy whole step (8 thrusters, battery)"

# rows of benches/contact.rs: world, description, key of the time
CONTACTS = [
    ("uvms_on_floor", "10-DOF UVMS on the seabed, 8 contact points, 1 ms step", "moving"),
    ("uvms_on_floor", "10-DOF UVMS on the seabed at rest, 1 ms step", "at rest"),
    ("pile_50", "pile of 50 boxes, falling and settling, 2 ms step", "moving"),
    ("pile_50", "pile of 50 boxes at rest, 2 ms step", "at rest"),
]

ABA_TARGET = 2.0
CONTACT_TARGET = 1.0
UVMS_REAL_TIME_TARGET = 400.0
ROV_STEPS_TARGET = 2.5e6
ROV_LANES_TARGET = 6e6
FLEET_TARGET = 60.0
MIXED_TARGET = 10.0
MEMORY_TARGET_MB = 200.0
HULL_TARGET_US = 20.0
ELEVATION_TARGET_NS = 0.8
QUERIES_TARGET = 1e6
# number of wave components in the row of single points
WATER_WAVES = 80
PROCESSOR_TARGET_PERCENT = 20
# real time is held if the achieved factor rounds to 1.00
REAL_TIME_HELD = 0.995

# UUVSim, settled part of its 100-vehicle run: total simulated time / total wall time
LOTUSIM_STUDY_FACTOR = 1.6

NOTES = """\
Other pages have further measurements:

| page | measured |
| --- | --- |
| [benchmarks-sensors.md](benchmarks-sensors.md) | rays, camera images, sonar pings, worlds with exteroceptive sensors |
| [cameras.md](cameras.md#render-quality) | images with `quality: fast` |
| [benchmarks-threads.md](benchmarks-threads.md) | one thread and two in every world, fleets |
| [benchmarks-ros.md](benchmarks-ros.md) | DDS node, bags, pace of `every_sensor` |
| [communication.md](communication.md#cost) | networks of modems |
| [view.md](view.md#cost) | server and page of the live view |
| [autopilots.md](autopilots.md) | round trip of the connections to autopilots |

## Images, scans and live view

Images and `riverwatch` were measured on an AMD EPYC, the others on an Intel Xeon at 2.5 GHz, each
with two cores.
The linked pages give the commands and further values.

| quantity | measured | target | met |
| --- | --- | --- | --- |
| [image](cameras.md#render-quality) of 640 x 480, `fast`, above and under water | 57 ms, 38 ms | 45 ms, 33 ms | **no** |
| image of 640 x 480, `full`, above and under water | 211 ms, 130 ms | 150 ms, 100 ms | **no** |
| [lidar](benchmarks-sensors.md#images-scans-and-pings) frame of 64 x 1024 over a million triangles | 17.2 ms | 10 ms | **no** |
| rays at [terrain](benchmarks-sensors.md#rays), time relative to the same ground as triangles | 0.87 to 1.36 | at most 1.5 | yes |
| `riverwatch` with `fast`, all sensors: [rates](benchmarks-sensors.md#all-sensors-of-riverwatch) | laser and sonar declared, lidar and cameras 0.8 of it | declared | **no** |
| [live view](view.md#cost), page | 228 kB | under 1 MB | yes |
| first image of `fleet_100` in a browser | 1.9 s | under 2 s | yes |
| images of `fleet_100` with software rendering, 960 x 540 | 13 per second | at least 10 | yes |
| images with a graphics card | not measured | at least 60 | |
| server, one client of `fleet_100` at 30 Hz | 3.7 % of a core, 0.30 MB/s | under 5 %, 1 MB/s | yes |
| real-time factor with 0, 1 and 5 clients | 1.000 | 1.000 | yes |

## Differences between the programs

**Pinocchio.**

* Pinocchio computes a rigid tree in a vacuum, with the 10 parameters of a rigid body per link.
* The row of Merrow is the same task: q, v and tau to accelerations, free joints, no water.
  Merrow uses a full symmetric 6x6 inertia per link, because added mass needs it.
* Both programs merge links that are fixed to others.
* The row of Merrow includes the evaluation of the sea and of the thrust.
* The faster of the two conventions of Pinocchio counts.
* The compilers of Pinocchio may use AVX2 and fused multiply-add in the x86-64-v3 rows.
  Merrow uses AVX2 where it is available and never fuses: its results are bit-identical on every
  processor.

**MuJoCo, fluid.**

* The ellipsoid fluid of MuJoCo is simpler: drag, lift and Magnus terms by shape, no buoyancy, added
  mass without its acceleration term.
* The MuJoCo model is the same tree with the hulls as ellipsoids, through the C API, without
  contacts and limits.
* The step of Merrow has full hydrodynamics: 6x6 added mass, Munk moment and Coriolis terms relative
  to the current, damping matrices, weight and buoyancy.

**MuJoCo, contacts.**

* Contacts of Merrow are rigid.
  The solver iterates the impulses of a step until they satisfy Coulomb's law without penetration,
  on the inertia with added mass.
* Contacts of MuJoCo are soft, with its default stiffness: surfaces penetrate by the compression of
  the spring, and friction creeps.
* Both programs use the same boxes, masses, inertias, friction, floor, joint springs, limits and
  step.
* In MuJoCo the weight in water is set through `gravcomp`, at the centres of mass, and the drag is
  the drag of ellipsoids.
  MuJoCo has no inertia of the water, so bodies fall faster.
* Both programs ran with several integrators.
  MuJoCo ran with both friction cones, the Newton solver and otherwise default settings (sleep is
  off).
  The fastest setting of each program counts.
  For the UVMS the table also has a row with RK4 of both programs.
  For the pile RK4 takes MuJoCo more than three times as long as Euler.
* The pile falls and comes to rest within one second; the details of the heap differ between the
  programs.
* Penetration, speed and angular speed in the second table are maxima over 1 s (UVMS, after 41 s)
  and 0.2 s (pile, after 6.6 s).
  Contacts are counted in the last step.
  The penetration of Merrow is measured before the impulses of the step are applied.
* Steps that did not converge are counted over the first second, and at rest.

**LOTUSim.**

* The authors of LOTUSim measured their table on another machine (laptop, i7-11800H or 12650H, GUI
  on).
  The other programs had the same conditions: 100 vehicles, step 0.03 s, IMU only.
* The number refers to UUVSim, the fastest of these programs at 100 vehicles.
  It is the total simulated time divided by the total wall time over the settled last quarter of the
  run, recomputed from the raw files.
* It shows the order of magnitude; it is not an exact speed ratio between the programs.

**Measurement.**

* Kernel rows are CPU time of one thread, repeated on data in the cache.
* Fleet rows are wall time of the whole program, with sensors, without building the world.
* Peak memory is the largest resident set of the process.
* The CPU time of the runs in real time is the sum over all threads of the process.
  It covers {window:.0f} s, after {settle:.0f} s of start-up.
  Pace and late blocks refer to the whole run.
"""


def page(results):
    """Returns the page."""
    parts = [
        "# Benchmarks\n",
        "This page compares the speed of Merrow with the speed of alternative programs.",
        "All programs were measured in one run, alternating.",
        f"The page is written by `{results['run']['command']}`; do not edit it.\n",
        machine_lines(results),
        table(rows(results)),
        residual_table(results["contacts"]),
        spread_table(results),
        notes(),
    ]
    return "\n".join(parts)


def notes():
    """Returns the notes with their settings filled in."""
    from measure import ROS_SETTLE_S, ROS_WINDOW_S

    return NOTES.format(window=ROS_WINDOW_S, settle=ROS_SETTLE_S)


def machine_lines(results):
    """Returns the list of machine, compilers, programs and measurement conditions."""
    machine, run = results["machine"], results["run"]
    busy = ""
    if run["load_before"] > 0.5:
        busy = " **The machine was busy with other work: the wall times below are too long; measure again.**"
    lines = [
        f"- Machine: {machine['processor']}, {machine['cores']} cores, {machine['memory_gb']} GB, {machine['system']}",
        f"- Compilers: {'; '.join(machine['compilers'])}",
        f"- Programs: {machine['merrow']}; {', '.join(machine['packages'])}",
        f"- Medians; rounds: {run['rounds']}; {run['minutes']:.1f} minutes; processors busy with other work before: "
        f"{run['load_before']:.2f}.{busy}",
    ]
    fold = textwrap.TextWrapper(width=100, subsequent_indent="  ", break_on_hyphens=False)
    return "".join(fold.fill(line) + "\n" for line in lines)


def rows(results):
    """Returns all rows of the first table: quantity, Merrow, other program, ratio, target, met."""
    found = [*kernel_rows(results["kernels"]), *contact_rows(results["contacts"]), *fleet_rows(results["fleets"])]
    if results["ros"]:
        found += ros_rows(results["ros"])
    return found


def kernel_rows(kernels):
    """Returns the rows of one robot on one thread."""
    ours = {row: value["median"] for row, value in kernels["merrow"].items()}
    found = []
    for name, values in kernels.items():
        if name.startswith("pinocchio "):
            # the LOCAL convention is the default, WORLD the alternative: use the faster one
            peer = min(value["median"] for value in values.values())
            ratio = peer / ours[DRY]
            target_text = ABA_TARGET if " g++ " in name else None
            cells = f"{ours[DRY]:.0f} ns", f"{peer:.0f} ns, {name}"
            found.append(row("10-DOF forward dynamics", *cells, ratio, target_text, "x", ratio))
    factor = 1e6 / ours[UVMS_RK4]
    peer = kernels["mujoco"]["mj_step RK4"]["median"]
    cells = f"{ours[UVMS_RK4]:.0f} ns", f"{peer:.0f} ns, MuJoCo RK4"
    found.append(row("10-DOF RK4 step, full hydrodynamics", *cells, peer / ours[UVMS_RK4]))
    cells = f"{factor:.0f} x real time"
    found.append(row("10-DOF RK4 step at 1 kHz, one core", cells, "", None, UVMS_REAL_TIME_TARGET, "x", factor))
    steps = 1e9 / ours[ROV_RK4]
    found.append(row("6-DOF RK4 steps per second and core", millions(steps), "", None, ROV_STEPS_TARGET, "/s", steps))
    if ROV_LANES in ours:
        lanes = 1e9 / ours[ROV_LANES]
        found.append(row("6-DOF RK4 steps per second and core, robots in SIMD lanes", millions(lanes), "", None, ROV_LANES_TARGET, "/s", lanes))
    found.append(row("BlueROV2 Heavy steps, 8 thrusters and battery", millions(1e9 / ours[ROV_WHOLE]), ""))
    return found + sea_rows(ours)


def sea_rows(ours):
    """Returns the rows of waves and floating hulls on one thread."""
    hull, elevation = ours[HULL] / 1000, ours[ELEVATION]
    queries = 1e9 / (WATER_WAVES * ours[WATER])
    cells = f"{elevation:.2f} ns"
    return [
        row("hull of 2048 triangles in 80 waves, one evaluation", f"{hull:.1f} us", "", None, HULL_TARGET_US, "us", hull, below=True),
        row("wave elevation, per component and point", cells, "", None, ELEVATION_TARGET_NS, "ns", elevation, below=True),
        row(
            f"surface, velocity, acceleration and pressure in {WATER_WAVES} waves, one point per call",
            f"{millions(queries)}",
            "",
            None,
            QUERIES_TARGET,
            "/s",
            queries,
        ),
    ]


def contact_rows(contacts):
    """Returns the rows of full steps with contacts: the fastest setting of each program, then RK4 of both."""
    found = []
    for world, what, key in CONTACTS:
        times = {name: case[key]["median"] for name, case in contacts[world].items()}
        ours = [name for name in times if name.startswith("Merrow ")]
        peers = [name for name in times if name not in ours]
        fastest, own = (min(names, key=times.get) for names in (peers, ours))
        found.append(contact_row(what, times, own, fastest, CONTACT_TARGET))
        same = [name for name in peers if name.endswith(" RK4")]
        if same:
            found.append(contact_row("10-DOF UVMS on the seabed, both programs with RK4", times, "Merrow RK4", min(same, key=times.get), None))
    return found


def contact_row(what, times, own, peer, target):
    """Returns a row with the step times [ns] of two programs."""
    ratio = times[peer] / times[own]
    cells = f"{micros(times[own])}, {own.removeprefix('Merrow ')}", f"{micros(times[peer])}, {peer}"
    return row(what, *cells, ratio, target, "x", ratio) if target else row(what, *cells, ratio)


def fleet_rows(fleets):
    """Returns the rows of full runs at maximum speed."""
    factor = {name: value["real_time_factor"]["median"] for name, value in fleets.items()}
    busy = fleets["one thread"]["per_processor_s"]["median"]
    memory = fleets["two threads"]["peak_mb"]["median"]
    two, one, study = factor["two threads"], factor["one thread"], factor["lotusim"]
    mixed = factor["mixed, two threads"]
    published = f"{LOTUSIM_STUDY_FACTOR} x, UUVSim as published, on another machine"
    return [
        row("fleet_100, two threads", f"{two:.1f} x real time", "", None, FLEET_TARGET, "x", two),
        row("fleet_100, one thread", f"{one:.1f} x real time", ""),
        row("fleet_100, one thread, per second of CPU time", f"{busy:.1f} simulated s", ""),
        row("fleet_100, peak memory", f"{memory:.0f} MB", "", None, MEMORY_TARGET_MB, "MB", memory, below=True),
        row("fleet_mixed, two threads", f"{mixed:.1f} x real time", "", None, MIXED_TARGET, "x", mixed),
        row("fleet_mixed, one thread", f"{factor['mixed, one thread']:.1f} x real time", ""),
        row("conditions of LOTUSim, 100 vehicles, two threads", f"{study:.0f} x real time", published),
    ]


def ros_rows(ros):
    """Returns the rows of the fleet as a ROS node in real time."""
    found = []
    for name, what in (("alone", "no subscriber"), ("subscribed", "one Cyclone DDS subscriber of all IMUs")):
        result = ros[name]
        used, factor = result["processor_percent"], result["real_time_factor"]
        label = f"fleet_100 in real time, ROS on, {what}"
        peak = f"{result['peak_mb']:.0f} MB peak"
        cells = f"{factor:.3f} x, {result['overruns']} late blocks, {result['dropped']} messages dropped, {peak}"
        found.append(row(f"{label}: pace", cells, "", None, REAL_TIME_HELD, "x", factor))
        cells, limit = f"{used:.0f} % of a core", PROCESSOR_TARGET_PERCENT
        found.append(row(f"{label}: CPU load", cells, "", None, limit, "%", used, below=True))
        if result.get("subscriber"):
            seen = result["subscriber"]
            cells = f"{seen['messages_per_s']:.0f} messages/s of {seen['topics']} topics, {seen['silent']} without messages"
            found.append(row("received by that subscriber", cells, ""))
    return found


def row(what, merrow, peer, ratio=None, target=None, unit="", value=None, below=False):
    """Returns one row; `value` is compared with the target."""
    met = target_text = ""
    if target is not None:
        number = millions(target) if unit == "/s" else f"{target:g} {unit}"
        target_text = f"{'under' if below else 'at least'} {number}"
        met = "yes" if (value < target if below else value >= target) else "**no**"
    return [what, merrow, peer, "" if ratio is None else f"{ratio:.2f}", target_text, met]


def millions(per_second):
    """Formats a rate in millions per second."""
    return f"{per_second / 1e6:.2f} M/s"


def micros(ns):
    """Formats a time in microseconds."""
    return f"{ns / 1000:.1f} us"


def table(lines):
    """Formats the first table."""
    return markdown(["quantity", "Merrow", "other program", "factor by which Merrow is faster", "target", "met"], lines)


def residual_table(contacts):
    """Formats the table of step times and of residuals at rest, for every setting."""
    head = ["world", "program", "moving, us", "at rest, us", "contacts", "penetration, m", "speed, m/s", "angular speed, rad/s"]
    lines = []
    for world, cases in contacts.items():
        for name, case in cases.items():
            times = [f"{case[key]['median'] / 1000:.1f}" for key in ("moving", "at rest")]
            left = [f"{case[key]:.1e}" for key in ("overlap_m", "speed_m_s", "turning_rad_s")]
            unsolved = f"{case['unsolved_moving']}, {case['unsolved_at_rest']}"
            lines.append([world, name, *times, str(case["contacts"]), *left, unsolved])
    return "## Contact benchmarks: step time and residuals at rest\n\n" + markdown([*head, "steps not converged"], lines)


def spread_table(results):
    """Formats the median of every kernel and its range over the rounds."""
    lines = []
    for name, values in results["kernels"].items():
        for what, value in values.items():
            lines.append([name, what, f"{value['median']:.0f}", f"{value['min']:.0f} to {value['max']:.0f}"])
    return "## All kernels, ns per call\n\n" + markdown(["program", "kernel", "median", "range over the rounds"], lines)


def markdown(head, lines):
    """Formats a Markdown table."""
    return "\n".join("| " + " | ".join(line) + " |" for line in [head, ["---"] * len(head), *lines]) + "\n"
