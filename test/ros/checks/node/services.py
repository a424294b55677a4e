"""Checks of end_to_end.py: the effects of every service, and its reports of rejected requests."""

import json
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import time

import live
import peer
from live import LOG, Merrow, command, describe, latest, message_type, nanoseconds, take, wait_for, wait_until

ROBOT = "bluerov2"
ODOMETRY = "/bluerov2/odometry"
STEP_NS = 2_000_000


def check_pause_and_resume():
    """Time stops, and continues from the same value."""
    with Merrow("pool") as m:
        clock = m.listen("/clock")
        latest(clock)
        m.do("pause")
        time.sleep(0.2)
        before = nanoseconds(latest(clock).clock)
        time.sleep(0.5)
        still = [nanoseconds(c.clock) for c in take(clock)]
        assert set(still) <= {before}, f"time went on from {before} to {still[-1]}"
        m.do("pause")
        m.do("resume")
        time.sleep(0.5)
        after = nanoseconds(latest(clock).clock)
        assert 0.3e9 < after - before < 0.9e9, f"{(after - before) / 1e9} s in 0.5 s after the resume"


def check_steps_when_paused():
    """A paused world makes exactly the requested steps; a running one rejects the request."""
    with Merrow("pool") as m:
        refused = m.call("step", steps=1)
        assert not refused.success and "running" in refused.message, refused
        m.do("pause")
        start = m.step(1)
        for n in (1, 7, 250, 1000):
            now = m.step(n)
            assert now == start + n * STEP_NS, f"{n} steps from {start} to {now}"
            start = now
        assert m.call("single_step").success
        refused = m.call("step", steps=0)
        assert not refused.success and refused.message, refused
        m.do("resume")
        refused = m.call("step", steps=1)
        assert not refused.success, "a resumed world made a step"


def check_checkpoint():
    """A checkpoint is written on request, and a run that continues from it ends in the state of an
    uninterrupted run; files that cannot be written are reported.
    """
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "dive.cp"
        with Merrow("pool", "--pace", "lockstep") as m:
            m.step(250)
            done = m.call("checkpoint", uri=str(file))
            assert done.success and not done.message, done
            assert [path.name for path in pathlib.Path(folder).iterdir()] == [file.name], "more than the file"
            refused = m.call("checkpoint", uri="")
            assert not refused.success and "expected the name of the file" in refused.message, refused
            refused = m.call("checkpoint", uri=str(pathlib.Path(folder) / "none" / "dive.cp"))
            assert not refused.success and "none/dive.cp: No such file" in refused.message, refused
        with Merrow("pool", "--pace", "lockstep", "--json", "--resume", file) as resumed:
            assert resumed.step(250) == 500 * STEP_NS
            assert resumed.end() == 0
            found = json.loads(resumed.output()[0])
    code, out, err = command("run", "pool", "--no-ros", "--pace", "max", "--for", 500 * STEP_NS * 1e-9, "--json")
    assert code == 0, err
    assert found["state_hash"] == json.loads(out)["state_hash"], "the state differs from an uninterrupted run"


def check_files_of_requests():
    """Requests write only new files of their kind below the output folder, and read only worlds."""
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        out = folder / "out"
        out.mkdir()
        (folder / "victim.cp").write_text("of the user")
        (out / "notes.yaml").write_text("of the user")
        with Merrow("pool", "--output-dir", out, "--pace", "lockstep") as m:
            saver = m.peer.client("/merrow/save_world", "merrow_msgs/srv/SaveWorld")
            assert saver.wait(10)
            call = lambda service, uri: saver.call(uri=uri) if service == "save_world" else m.call(service, uri=uri)
            for service, ending in ("checkpoint", "cp"), ("record", "mcap"), ("save_world", "yaml"):
                hostile = [folder / f"x.{ending}", f"../x.{ending}", f".x.{ending}", "../victim.cp", "notes.yaml", "x.sh"]
                for uri in map(str, hostile):
                    refused = call(service, uri)
                    assert not refused.success and "\n" not in refused.message, (service, uri, refused)
            m.do("checkpoint", uri="a.cp")
            m.do("checkpoint", uri="a.cp")
            assert all(call("save_world", "a.yaml").success for _ in range(2))
            m.do("record", uri="a.mcap")
            m.do("record", uri="")
            assert m.end() == 0
        names = sorted(path.name for path in out.iterdir())
        assert names == ["a.cp", "a.mcap", "a.yaml", "notes.yaml"], names
        assert sorted(path.name for path in folder.iterdir()) == ["out", "victim.cp"]
        assert (folder / "victim.cp").read_text() == (out / "notes.yaml").read_text() == "of the user"


def check_many_requests():
    """Requests without waiting for the answers are answered as done or busy; the run continues and ends on a signal."""
    with tempfile.TemporaryDirectory() as folder, Merrow("pool", "--output-dir", folder) as m:
        client = m.client("checkpoint")
        replies = []
        for _ in range(2000):
            client.send(uri="flood.cp")
            replies += peer.valid(client.reader.take(N=100))
        # a checkpoint is on the disk before it is answered, which can take longer than all requests
        deadline = time.monotonic() + 10
        while not any(reply.success for reply in replies) and time.monotonic() < deadline:
            time.sleep(0.02)
            replies += peer.valid(client.reader.take(N=100))
        busy = [reply for reply in replies if not reply.success]
        assert busy and all("busy" in reply.message for reply in busy), [reply.message for reply in busy][:3]
        assert any(reply.success for reply in replies)
        m.do("pause")
        m.do("resume")
        for _ in range(2000):
            client.send(uri="flood.cp")
        assert m.end(signal.SIGINT) == 0
        assert [path.name for path in pathlib.Path(folder).iterdir()] == ["flood.cp"], "temporary files remain"


def check_steps_in_lock_step():
    """Lock-step: time stops until steps are requested, and every block of steps ends with a clock
    message.
    """
    with Merrow("pool", "--pace", "lockstep") as m:
        clock, truth, imu = m.listen("/clock"), m.listen(ODOMETRY), m.listen("/bluerov2/imu/data")
        m.settle()
        take(clock)
        assert m.step(5) == 5 * STEP_NS
        wait_until(clock, lambda c: nanoseconds(c.clock) == 5 * STEP_NS)
        # steps up to a time publish the readings of that time
        for i in range(6, 56):
            assert m.step(1) == i * STEP_NS
            if i % 10 == 0:
                wait_until(truth, lambda o, end=i * STEP_NS: nanoseconds(o.header.stamp) == end, 2)
        # two seconds of simulated time in one request
        assert m.step(1000) == 1055 * STEP_NS
        wait_until(clock, lambda c: nanoseconds(c.clock) == 1055 * STEP_NS)
        # and in lock-step no message is lost
        for reader, rate in ((truth, 50), (imu, 100)):
            stamps = [nanoseconds(message.header.stamp) for message in take(reader)]
            gaps = [(a, b) for a, b in zip(stamps, stamps[1:]) if b - a != 10**9 // rate]
            assert len(stamps) >= 2 * rate and not gaps, f"{rate} Hz: {len(stamps)} messages, gaps {gaps[:3]}"


def check_pause_ends_a_step():
    """During a request of many steps the node continues to serve; a pause ends it, and the reply
    reports the steps made.
    """
    many = 10**9
    for options, ending in (((), "pause"), (("--pace", "lockstep"), "pause"), (("--pace", "lockstep"), "reset")):
        with Merrow("pool", *options) as m:
            m.do("pause")
            start = m.step(1)
            m.client(ending)
            step = m.client("step")
            number = step.send(steps=many)
            time.sleep(0.3)
            assert step.receive(number, 0.1) is None, "a thousand million steps in 0.4 s"
            assert m.get("publish_truth_tf") is True, "no parameter while steps are made"
            other = m.call("step", steps=1)
            assert not other.success and "in progress" in other.message, other
            m.do(ending)
            reply = step.receive(number)
            assert reply is not None, "the step request is still without an answer"
            printed = {"pause": "paused"}.get(ending, ending)
            made = re.fullmatch(rf"{printed} after (\d+) of {many} steps", reply.message)
            assert not reply.success and made, reply
            made = int(made[1])
            assert 100 < made < many and nanoseconds(reply.time) == start + made * STEP_NS, reply
            assert m.step(1) == (0 if ending == "reset" else start + made * STEP_NS) + STEP_NS, "not where it stopped"


def check_resume_ends_a_step():
    """When a world is resumed during a step request, the request ends and reports the steps made.
    """
    with Merrow("pool") as m:
        m.do("pause")
        number = m.client("step").send(steps=10**9)
        time.sleep(0.2)
        m.do("resume")
        reply = m.client("step").receive(number)
        assert reply is not None and not reply.success and reply.message.startswith("resumed after "), reply


def check_halted_robot():
    """A robot whose state is no longer finite is halted, reported once as an error, and counted at
    the end.
    """
    with Merrow("pool", "--pace", "lockstep", "--json") as m:
        log = m.listen("/rosout", LOG)
        for i in range(2):
            assert m.set_pose(ROBOT, (0, 0, -2)).success
            # the square of the velocity overflows a double
            force = message_type("geometry_msgs/msg/Vector3")(x=1e200, y=0.0, z=0.0)
            zero = message_type("geometry_msgs/msg/Vector3")(x=0.0, y=0.0, z=0.0)
            wrench = message_type("geometry_msgs/msg/Wrench")(force=force, torque=zero)
            origin = message_type("geometry_msgs/msg/Point")(x=0.0, y=0.0, z=0.0)
            pushed = m.call("apply_wrench", body=ROBOT, reference_frame="world", reference_point=origin, wrench=wrench,
                            delay_s=0.0, duration_s=0.002)
            assert pushed.success, pushed
            m.step(200)
            lines = [line for line in take(log) if line.level >= 40]
            assert wait_for(lambda: lines.extend(line for line in take(log) if line.level >= 40) or lines, 3), "not reported"
            m.step(200)
            time.sleep(0.3)
            lines += [line for line in take(log) if line.level >= 40]
            (line,) = lines
            at = 0.002 + 0.8 * i
            assert line.level == 40 and re.fullmatch(
                rf"{ROBOT}: halted at {at:.3f} s: .* no longer finite", line.msg), line
        m.process.send_signal(signal.SIGINT)
        assert m.process.wait(timeout=5) == 1
        assert json.loads(m.output()[0])["halted"] == 1, m.output()[0]


def check_weather():
    """The weather changes by service, also along a ramp, and invalid requests are rejected with a
    reason.
    """
    with Merrow("grasp", "--pace", "lockstep") as m:
        names = ["wind_speed_m_s", "wind_from_deg", "rain_mm_h"]
        assert m.call("weather", names=names, values=[5.0, 90.0, 2.0], duration_s=60.0).success
        m.step(10)
        assert m.call("weather", names=["visibility_m"], values=[500.0], duration_s=0.0).success
        wrong = m.call("weather", names=["cloud_cover"], values=[2.0], duration_s=0.0)
        assert not wrong.success and wrong.message == "cloud_cover: expected 0 to 1, found 2", wrong
        # a wind speed keeps the direction
        m.do("weather", names=["wind_speed_m_s"], values=[2.0], duration_s=0.0)
        assert [m.get(f"weather.{name}") for name in names] == [2.0, 90.0, 2.0]


def check_fault_and_parameter():
    """A fault and the parameter of a thruster's state are two views of one state."""
    with Merrow("pool") as m:
        name, fault = "bluerov2.thrusters.t1", {"name": "x", "robot": "bluerov2", "device": "thrusters/t1", "names": [], "values": [], "duration_s": 0.0}

        def becomes(state, efficiency):
            return wait_for(lambda: (m.get(f"{name}.state"), m.get(f"{name}.efficiency")) == (state, efficiency))
        assert becomes("healthy", 1.0)
        m.do("fault", **fault | {"kind": "dead"})
        assert becomes("dead", 1.0), m.get(f"{name}.state")
        assert m.set(f"{name}.state", "healthy").successful
        status = m.listen("/diagnostics")
        time.sleep(0.5)
        take(status)
        found = wait_until(status, lambda d: any(s.name.endswith("t1") for s in d.status))
        assert not any("fault x" in s.name for s in found.status), found
        assert becomes("healthy", 1.0)
        m.do("fault", **fault | {"kind": "reduced", "names": ["fraction"], "values": [0.5]})
        assert becomes("healthy", 0.5), m.get(f"{name}.efficiency")
        m.do("fault", **fault | {"kind": "none"})
        assert becomes("healthy", 1.0)


def check_couple():
    """A grasp is made and released by service and by topic, is published to late subscribers, and
    is rejected with a reason.
    """
    with Merrow("grasp", "--pace", "lockstep") as m:
        state = m.listen("/couplings/grip/state", transient_local=True, depth=1)
        assert not latest(state).data
        wrong = m.call("couple", coupling="grap", engage=True, partner="")
        assert not wrong.success and wrong.message == 'no coupling "grap"; did you mean `grip`?', wrong
        wrong = m.call("couple", coupling="grip", engage=True, partner="gripper")
        assert not wrong.success and "itself" in wrong.message, wrong
        assert m.call("couple", coupling="grip", engage=True, partner="object").success
        m.step(10)
        wait_until(state, lambda b: b.data)
        load = m.listen("/couplings/grip/wrench")
        m.step(100)
        assert latest(load).header.frame_id == "world"
        m.write("/couplings/grip/command", data=False)
        time.sleep(0.3)
        m.step(10)
        wait_until(state, lambda b: not b.data)
        late = m.listen("/couplings/grip/state", transient_local=True, depth=1)
        assert not latest(late).data


def check_broken_line():
    """A line that is heaved until it parts is reported once, also to late subscribers, and in the
    diagnostics; a reset repairs it.
    """
    with Merrow(str(pathlib.Path(__file__).parents[2] / "worlds" / "line.yaml"), "--pace", "lockstep") as m:
        intact = m.listen("/line/intact", transient_local=True, depth=1)
        assert latest(intact).data
        m.write("/line/winch/command", data=-0.5)
        time.sleep(0.3)
        m.step(2000)
        wait_until(intact, lambda b: not b.data)
        late = m.listen("/line/intact", transient_local=True, depth=1)
        assert not latest(late).data
        diagnostics = m.listen("/diagnostics")
        m.step(1000)
        wait_until(diagnostics, lambda d: any(s.name == "line: line" and s.message.startswith("broken at ") for s in d.status))
        m.do("reset")
        m.step(1)
        wait_until(late, lambda b: b.data)


def check_command_before_step():
    """A command sent before a step request takes effect within those steps, every time.

    So a wait between them makes no difference: the motion is the same, bit for bit.
    """
    patient, hasty = (forth_and_back(pause_s) for pause_s in (0.02, 0.0))
    late = [i for i, (a, b) in enumerate(zip(patient, hasty)) if a != b]
    assert not late, f"from odometry {late[0]} of {len(patient)} on, the motion depends on the pause before a step"


def forth_and_back(pause_s):
    """Returns the motion under a series of commands, with a pause between command and step request.
    """
    n, commands = 10, [(1.0 if i % 3 else -1.0) * i / 40 for i in range(1, 41)]
    with Merrow("pool", "--pace", "lockstep") as m:
        truth = m.listen(ODOMETRY)
        writer, kind = m.writer("/bluerov2/thrusters/command")
        layout = message_type("std_msgs/msg/MultiArrayLayout")(dim=[], data_offset=0)
        m.settle()
        for value in commands:
            writer.write(kind(layout=layout, data=[0.0] * 4 + [value] * 4))
            time.sleep(pause_s)
            m.step(n)
        found, end = [], len(commands) * n * STEP_NS
        assert wait_for(lambda: found.extend(take(truth)) or found and nanoseconds(found[-1].header.stamp) == end), \
            "not all odometry came"
        return [motion(sample) for sample in found]


def motion(sample):
    """Returns stamp, pose and velocity of an odometry message as numbers."""
    p, q = sample.pose.pose.position, sample.pose.pose.orientation
    v, w = sample.twist.twist.linear, sample.twist.twist.angular
    return nanoseconds(sample.header.stamp), p.x, p.y, p.z, q.x, q.y, q.z, q.w, v.x, v.y, v.z, w.x, w.y, w.z


def check_reset():
    """Time and pose return to the start, and the world continues."""
    with Merrow("pool", "--pace", "lockstep") as m:
        truth = m.listen(ODOMETRY)
        m.step(10)
        first = wait_until(truth, lambda o: nanoseconds(o.header.stamp) == 10 * STEP_NS)
        assert m.set_pose(ROBOT, (3, 4, -2)).success
        m.step(500)
        m.do("reset")
        take(truth)
        assert m.step(10) == 10 * STEP_NS
        again = wait_until(truth, lambda o: nanoseconds(o.header.stamp) == 10 * STEP_NS)
        assert again.pose == first.pose and again.twist == first.twist, "not the same start"


def check_set_pose():
    """A robot is at the requested pose; invalid requests are rejected with a reason and cause no
    motion.
    """
    with Merrow("pool", "--pace", "lockstep") as m:
        truth = m.listen(ODOMETRY)
        half = 0.5**0.5
        assert m.set_pose(ROBOT, (1, -2, -3), (0, 0, half, half), (0.5, 0, 0)).success
        m.step(10)
        there = wait_until(truth, lambda o: nanoseconds(o.header.stamp) == 10 * STEP_NS)
        p, q = there.pose.pose.position, there.pose.pose.orientation
        assert max(abs(p.x - 1), abs(p.y + 2), abs(p.z + 3)) < 0.02, p
        assert p.y > -2 + 0.005, f"facing north at 0.5 m/s, but y = {p.y}"
        assert abs(q.z - half) < 1e-3 and abs(q.w - half) < 1e-3, q
        nan, inf = float("nan"), float("inf")
        for why, arguments in (
            ("robot", ("nobody", (0, 0, -1))),
            ("finite", (ROBOT, (nan, 0, -1))),
            ("finite", (ROBOT, (0, inf, -1))),
            ("finite", (ROBOT, (0, 0, -1), (0, 0, 0, 1), (nan, 0, 0))),
            ("quaternion", (ROBOT, (0, 0, -1), (0, 0, 0, 2))),
            ("quaternion", (ROBOT, (0, 0, -1), (0, 0, 0, 0))),
            ("finite", (ROBOT, (0, 0, -1), (0, 0, 0, nan))),
        ):
            reply = m.set_pose(*arguments)
            assert not reply.success and why in reply.message, f"{arguments}: {reply.success}, {reply.message!r}"
        m.step(10)
        after = wait_until(truth, lambda o: nanoseconds(o.header.stamp) == 20 * STEP_NS)
        q = after.pose.pose.position
        assert max(abs(q.x - p.x), abs(q.y - p.y), abs(q.z - p.z)) < 0.03, f"moved from {p} to {q}"


def check_record():
    """A part of the run is recorded in a bag that others can read; an impossible recording is
    rejected.
    """
    with Merrow("pool", "--pace", "lockstep") as m:
        folder = m.path / "bags"
        nothing = m.call("record", uri="")
        assert not nothing.success and nothing.message, nothing
        bad = m.call("record", uri="/proc/nowhere/bag.mcap")
        assert not bad.success and bad.message, bad
        bag = folder / "first.mcap"
        missing = m.call("record", uri=str(bag))
        assert not missing.success and "no folder" in missing.message, missing
        bag.parent.mkdir()
        m.do("record", uri=str(bag))
        twice = m.call("record", uri=str(folder / "second.mcap"))
        assert not twice.success and twice.message, twice
        m.step(1000)
        done = m.do("record", uri="")
        assert re.search(r"\d+ messages", done.message), done.message
        bag = find_bag(m.path)
        check_bag(bag, "--expect=/bluerov2/imu/data=200", "--expect=/bluerov2/odometry=101",
                  "--at-least=/bluerov2/robot_description=1", "--at-least=/tf_static=1", "--at-least=/tf=99")
        m.step(10)
        m.do("record", uri=str(folder / "again.mcap"))
        m.step(100)
        m.do("record", uri="")
        check_bag(bag, "--expect=/bluerov2/imu/data=200")
        # latched messages are logged at the start of the bag, not at the start of the run
        check_bag(find_bag(m.path, "again"), "--expect=/tf_static=1", "--expect=/bluerov2/robot_description=1", "--from=2000000000")


class SmallDisk(Merrow):
    """A process that cannot write files above 1 MB."""

    def restart(self):
        script = 'ulimit -f 1000; trap "" XFSZ; exec "$0" "$@"'
        self.process = subprocess.Popen(["bash", "-c", script, *self._command], stdout=self._out, stderr=self._err,
                                        env=live.environment(self.domain), cwd=self.working_folder())


def check_record_on_a_full_disk():
    """A recording that cannot be continued ends with a reason; the run continues, the bag is readable and
    another recording is possible.
    """
    with SmallDisk("pool", "--pace", "lockstep") as m:
        bag = m.path / "full.mcap"
        m.do("record", uri=str(bag))
        for _ in range(60):
            m.step(1000)
            if "recording stopped" in m.output()[1]:
                break
        stopped = m.call("record", uri="")
        assert not stopped.success and f"cannot write {bag}: File too large" in stopped.message, stopped
        check_bag(bag, "--at-least=/bluerov2/imu/data=100", "--at-least=/tf_static=1")
        nothing = m.call("record", uri="")
        assert not nothing.success and "no recording is active" in nothing.message, nothing
        again = m.path / "again.mcap"
        m.do("record", uri=str(again))
        m.step(1000)
        m.do("record", uri="")
        check_bag(again, "--at-least=/bluerov2/imu/data=199")
        assert m.end() == 0


def find_bag(folder, name=""):
    """Returns the only bag under a folder whose name starts with a prefix."""
    (bag,) = folder.rglob(f"{name}*.mcap")
    return bag


def check_bag(path, *options):
    """Runs bags/bag.py, which reads a bag with independent readers."""
    script = pathlib.Path(__file__).parents[2] / "bags" / "bag.py"
    done = subprocess.run([sys.executable, script, path, *options], capture_output=True, text=True, timeout=120,
                          check=False)
    assert done.returncode == 0, f"{path.name}: {done.stdout[-1500:]}{done.stderr[-500:]}"


def check_all_services_available():
    """Every service of `describe` and every parameter service is available."""
    with Merrow("pool") as m:
        names = {s["service"] for s in describe("pool")["services"]}
        for of_parameters in ("describe_parameters", "get_parameter_types", "get_parameters", "list_parameters",
                              "set_parameters", "set_parameters_atomically"):
            names.add(f"/merrow/{of_parameters}")
        expected = {f"rq{name}Request" for name in names}
        assert wait_for(lambda: expected <= set(m.peer.endpoints("rq/")[1])), m.peer.endpoints("rq/")[1]


CHECKS = [check_all_services_available, check_pause_and_resume, check_steps_when_paused, check_checkpoint, check_files_of_requests, check_many_requests,
          check_steps_in_lock_step, check_pause_ends_a_step, check_resume_ends_a_step, check_halted_robot, check_command_before_step, check_reset, check_set_pose, check_couple, check_broken_line, check_weather, check_fault_and_parameter,
          check_record]
SLOW_CHECKS = [check_record_on_a_full_disk]
