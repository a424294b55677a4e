"""Checks of end_to_end.py: arms and grippers with the actions and topics of ros2_control.

`bench` (worlds/arm.yaml) is an arm of two joints with a gripper, on a post; its joints have servos.
All runs are in lock-step, so that the time of every event is defined.
"""

import math
import pathlib
import time

import arm_types
from action_client import ABORTED, CANCELED, EXECUTING, SUCCEEDED, UNKNOWN, ActionClient
from checks.vehicles.drive import header
from live import LOG, WARN, Merrow, latest, message_type, nanoseconds, take, wait_for

WORLD = str(pathlib.Path(__file__).parents[2] / "worlds" / "arm.yaml")
ARM = "/bench/arm_controller"
GRIPPER = "/bench/gripper_controller"
JOINTS = ["shoulder", "elbow"]
START = [0.1, 0.2]
GOAL = [0.6, -0.3]
STEP_NS = 1_000_000
SUCCESSFUL, INVALID_GOAL, INVALID_JOINTS, OLD_HEADER_TIMESTAMP, PATH_TOLERANCE, GOAL_TOLERANCE = range(0, -6, -1)


def duration(seconds):
    """Returns a duration message."""
    sec, nanosec = divmod(round(seconds * 1e9), 10**9)
    return message_type("builtin_interfaces/msg/Duration")(sec, nanosec)


def point(time_s, positions, velocities=(), accelerations=(), effort=()):
    """Returns a point of a trajectory."""
    lists = (list(map(float, values)) for values in (positions, velocities, accelerations, effort))
    return message_type(arm_types.POINT)(*lists, duration(time_s))


def trajectory(points, joints=None, stamp_ns=0):
    """Returns the fields of a trajectory message."""
    head = header("")
    head.stamp.sec, head.stamp.nanosec = divmod(stamp_ns, 10**9)
    return dict(header=head, joint_names=JOINTS if joints is None else joints, points=points)


def goal(points, joints=None, stamp_ns=0, path=(), at_end=(), time_tolerance_s=0.0, **other):
    """Returns the fields of a goal of FollowJointTrajectory; tolerances are pairs of joint and
    position.
    """
    message = message_type("trajectory_msgs/msg/JointTrajectory")
    multi = message_type("trajectory_msgs/msg/MultiDOFJointTrajectory")
    tolerance = message_type("control_msgs/msg/JointTolerance")
    fields = dict(
        trajectory=message(**trajectory(points, joints, stamp_ns)),
        multi_dof_trajectory=multi(header=header(""), joint_names=[], points=[]),
        path_tolerance=[tolerance(name, position, 0.0, 0.0) for name, position in path],
        component_path_tolerance=[],
        goal_tolerance=[tolerance(name, position, 0.0, 0.0) for name, position in at_end],
        component_goal_tolerance=[],
        goal_time_tolerance=duration(time_tolerance_s),
    )
    return fields | other


def there_in(seconds, positions=None):
    """Returns a goal that is reached at rest."""
    return goal([point(seconds, positions or GOAL, [0.0, 0.0])])


class Bench:
    """Runs the bench in lock-step. A context manager."""

    def __init__(self):
        self.m = Merrow(WORLD, "--pace", "lockstep")

    def __enter__(self):
        try:
            self.follow = ActionClient(self.m.peer, f"{ARM}/follow_joint_trajectory", arm_types.FOLLOW).wait()
            self.states = self.m.listen("/bench/joint_states")
        except BaseException:
            self.m.close()
            raise
        return self

    def __exit__(self, *_):
        self.m.close()

    def run(self, seconds):
        """Steps the world; returns positions by joint name at the end."""
        end = self.m.step(round(seconds * 1e9 / STEP_NS))
        found = []
        assert wait_for(lambda: found.extend(take(self.states)) or found and
                        nanoseconds(found[-1].header.stamp) >= end - 20 * STEP_NS), "no joint_states"
        return dict(zip(found[-1].name, found[-1].position))

    def at(self, positions, tolerance, joints=None):
        """Asserts the positions of joints."""
        found = self.run(0.02)
        for name, target in zip(joints or JOINTS, positions):
            assert abs(found[name] - target) <= tolerance, f"{name} at {found[name]}, expected {target}"


def ended(result, status, code):
    """Asserts how a trajectory goal ended; returns the error text of its result."""
    found = (result.status, result.result.error_code)
    assert found == (status, code), f"status and code {found}, expected {(status, code)}: {result.result.error_string}"
    return result.result.error_string


def check_trajectory_is_followed():
    """A goal is accepted, executed with feedback, reached on time and reported; its joints may have
    any order.
    """
    with Bench() as b:
        points = [point(1.0, [0.0, 0.4], [0.0, 0.3]), point(2.0, [GOAL[1], GOAL[0]], [0.0, 0.0])]
        name = b.follow.accepted(**goal(points, joints=JOINTS[::-1]))
        early = b.follow.ask(name)
        b.follow.wait_status(name, EXECUTING)
        b.run(1.9)
        assert b.follow.asker.receive(early, 0.2) is None, "a result before the end"
        b.run(0.7)
        ended(b.follow.answer(early), SUCCEEDED, SUCCESSFUL)
        b.follow.wait_status(name, SUCCEEDED)
        b.at(GOAL, 0.01)
        feedback = b.follow.feedback(name)
        assert len(feedback) > 80, f"{len(feedback)} feedbacks in 2 s"
        last = [f for f in feedback if f.desired.time_from_start.sec < 2][-1]
        assert last.joint_names == JOINTS, last.joint_names
        for desired, actual, error in zip(last.desired.positions, last.actual.positions, last.error.positions):
            assert abs(desired - actual - error) < 1e-12 and abs(error) < 0.05, (desired, actual, error)
        # through the first point, as planned
        middle = min(feedback, key=lambda f: abs(f.desired.time_from_start.sec - 1 +
                                                 f.desired.time_from_start.nanosec * 1e-9))
        assert abs(middle.desired.positions[0] - 0.4) < 0.02 and abs(middle.desired.positions[1]) < 0.02, middle.desired


def check_trajectory_canceled():
    """A cancel request ends a goal half-way; the arm holds its position."""
    with Bench() as b:
        name = b.follow.accepted(**there_in(2.0))
        early = b.follow.ask(name)
        b.run(1.0)
        assert b.follow.cancel(name) == (0, [name])
        b.run(0.5)
        ended(b.follow.answer(early), CANCELED, SUCCESSFUL)
        b.follow.wait_status(name, CANCELED)
        held = b.run(0.5)
        assert START[0] + 0.1 < held["shoulder"] < GOAL[0] - 0.1, held
        b.run(2.0)
        b.at([held[name] for name in JOINTS], 2e-3)
        assert b.follow.cancel(name)[0] == 3, "it has ended"


def check_trajectory_replaced():
    """A second goal, a trajectory on the topic and a command of a joint each end the previous goal
    and are followed.
    """
    with Bench() as b:
        first = b.follow.accepted(**there_in(4.0))
        b.run(0.5)
        second = b.follow.accepted(**there_in(2.0, [0.0, 0.0]))
        assert "another goal" in ended(b.follow.result(first), ABORTED, INVALID_GOAL)
        b.run(0.5)
        b.m.write(f"{ARM}/joint_trajectory", **trajectory([point(1.5, GOAL, [0.0, 0.0])]))
        b.run(0.1)
        assert "another command" in ended(b.follow.result(second), ABORTED, INVALID_GOAL)
        b.run(2.0)
        b.at(GOAL, 0.01)
        third = b.follow.accepted(**there_in(4.0, START))
        b.run(0.1)
        layout = message_type("std_msgs/msg/MultiArrayLayout")(dim=[], data_offset=0)
        b.m.write("/bench/arm_position_controller/commands", layout=layout, data=[0.3, 0.3])
        b.run(0.1)
        ended(b.follow.result(third), ABORTED, INVALID_GOAL)
        b.run(3.0)
        b.at([0.3, 0.3], 0.01)


def check_tolerances():
    """A goal that leaves its path, or is late, is aborted with the error code and the joint, and
    the arm holds.
    """
    with Bench() as b:
        name = b.follow.accepted(**(there_in(0.5) | goal([point(0.5, GOAL, [0.0, 0.0])], path=[("elbow", 1e-4)])))
        b.run(1.0)
        why = ended(b.follow.result(name), ABORTED, PATH_TOLERANCE)
        assert "elbow" in why and "0.0001" in why, why
        held = b.run(0.5)
        b.run(1.0)
        b.at([held[joint] for joint in JOINTS], 2e-3)
        points = [point(0.5, START, [0.0, 0.0])]
        name = b.follow.accepted(**goal(points, at_end=[("shoulder", 1e-12)], time_tolerance_s=0.2))
        b.run(1.0)
        why = ended(b.follow.result(name), ABORTED, GOAL_TOLERANCE)
        assert "shoulder" in why, why
        name = b.follow.accepted(**goal(points, path=[("elbow", -1.0)], at_end=[("elbow", 0.01)], time_tolerance_s=2.0))
        b.run(3.0)
        ended(b.follow.result(name), SUCCEEDED, SUCCESSFUL)


def senseless():
    """Returns invalid goals: error code, a word of the reason, the goal."""
    nan, inf = math.nan, math.inf
    good = [point(1.0, GOAL, [0.0, 0.0])]
    multi = message_type("trajectory_msgs/msg/MultiDOFJointTrajectory")
    component = message_type("control_msgs/msg/JointComponentTolerance")
    return [
        (INVALID_JOINTS, "nothing", goal(good, joints=["shoulder", "nothing"])),
        (INVALID_JOINTS, "jaw", goal([point(1.0, [0.0, 0.0, 0.0])], joints=[*JOINTS, "jaw"])),
        (INVALID_JOINTS, "twice", goal(good, joints=["elbow", "elbow"])),
        (INVALID_JOINTS, "elbow", goal([point(1.0, [0.1])], joints=["shoulder"])),
        (INVALID_JOINTS, "", goal(good, joints=[])),
        (INVALID_JOINTS, "wrist", goal(good, path=[("wrist", 0.1)])),
        (INVALID_JOINTS, "wrist", goal(good, at_end=[("elbow", 0.1), ("wrist", 0.1)])),
        (INVALID_GOAL, "no points", goal([])),
        (INVALID_GOAL, "positions", goal([point(1.0, [0.1])])),
        (INVALID_GOAL, "positions", goal([point(1.0, [])])),
        (INVALID_GOAL, "velocities", goal([point(1.0, GOAL, [0.0])])),
        (INVALID_GOAL, "accelerations", goal([point(1.0, GOAL, [0.0, 0.0], [0.0, 0.0, 0.0])])),
        (INVALID_GOAL, "finite", goal([point(1.0, [nan, 0.0])])),
        (INVALID_GOAL, "finite", goal([point(1.0, GOAL, [0.0, inf])])),
        (INVALID_GOAL, "point 1", goal([point(1.0, START), point(0.5, GOAL)])),
        (INVALID_GOAL, "point 1", goal([point(1.0, START), point(1.0, GOAL)])),
        (INVALID_GOAL, "negative", goal([point(-1.0, GOAL)])),
        (INVALID_GOAL, "shoulder", goal([point(1.0, [2.5, 0.0])])),
        (INVALID_GOAL, "velocity", goal([point(1.0, GOAL, [0.0, 0.5])])),
        (INVALID_GOAL, "points", goal([point(i, START) for i in range(1, 10_002)])),
        (INVALID_GOAL, "multi_dof", goal(good, multi_dof_trajectory=multi(header(""), ["base"], []))),
        (INVALID_GOAL, "component", goal(good, component_path_tolerance=[component("elbow", 1, 0.1, 0.1, 0.1)])),
        (INVALID_GOAL, "finite", goal(good, path=[("elbow", nan)])),
        (OLD_HEADER_TIMESTAMP, "before the current time", goal(good, stamp_ns=1)),
    ]


def check_invalid_goals():
    """Invalid goals are rejected with the error code and the reason, reported on rosout, and cause
    no motion.
    """
    with Bench() as b:
        log = b.m.listen("/rosout", LOG)
        b.run(2.0)
        before = b.run(0.02)
        for code, word, fields in senseless():
            name, answer = b.follow.send(**fields)
            assert not answer.accepted, f"accepted: {word}"
            why = ended(b.follow.result(name), UNKNOWN, code)
            assert word in why and "\n" not in why, f"{word!r} is not in {why!r}"
            assert bytes(name) not in b.follow.status()
        b.m.write(f"{ARM}/joint_trajectory", **trajectory([point(1.0, GOAL)], joints=["shoulder", "nothing"]))
        b.m.write(f"{ARM}/joint_trajectory", **trajectory([point(1.0, [math.nan, 0.0])]))
        layout = message_type("std_msgs/msg/MultiArrayLayout")(dim=[], data_offset=0)
        for mode in ("position", "velocity", "effort"):
            for data in ([0.1], [0.1, 0.1, 0.1], [math.nan, 0.1], []):
                b.m.write(f"/bench/arm_{mode}_controller/commands", layout=layout, data=data)
        after = b.run(0.5)
        moved = {name: after[name] - before[name] for name in JOINTS if abs(after[name] - before[name]) > 1e-4}
        assert not moved, moved
        lines = []
        assert wait_for(lambda: lines.extend(line.msg for line in take(log) if line.level == WARN) or any(
            line.startswith("bench: request refused") and "follow_joint_trajectory" in line for line in lines)), lines
        ended(b.follow.result(b.follow.send(**goal([]))[0]), UNKNOWN, INVALID_GOAL)


def check_command_topics():
    """Positions, velocities and efforts move the arm; the controller state reports the command
    mode.
    """
    with Bench() as b:
        state = b.m.listen(f"{ARM}/controller_state")
        layout = message_type("std_msgs/msg/MultiArrayLayout")(dim=[], data_offset=0)

        def command(mode, data):
            b.m.write(f"/bench/arm_{mode}_controller/commands", layout=layout, data=data)
            before = b.run(0.3)
            take(state)
            after = b.run(0.3)
            return latest(state), [after[name] - before[name] for name in JOINTS]

        reply, moved = command("position", [0.4, 0.0])
        assert reply.output.positions == [0.4, 0.0] and not reply.output.effort, reply.output
        b.run(1.0)
        b.at([0.4, 0.0], 0.01)
        reply, moved = command("velocity", [-0.2, 0.3])
        assert reply.output.velocities == [-0.2, 0.3], reply.output
        assert abs(moved[0] + 0.06) < 0.01 and abs(moved[1] - 0.09) < 0.01, moved
        reply, moved = command("effort", [0.0, 0.0])
        assert reply.output.effort == [0.0, 0.0], reply.output
        # the arm is negatively buoyant and sinks; positive rotation of these joints is downwards
        assert moved[0] > 0.005, moved
        assert reply.joint_names == JOINTS and len(reply.feedback.positions) == 2, reply
        for i in range(2):
            assert abs(reply.reference.positions[i] - reply.feedback.positions[i] - reply.error.positions[i]) < 1e-12


def check_trajectory_with_stamp():
    """A trajectory with a stamp in the future starts at its stamp."""
    with Bench() as b:
        start = b.run(0.5)
        name = b.follow.accepted(**goal([point(1.0, GOAL, [0.0, 0.0])], stamp_ns=3 * 10**9))
        early = b.follow.ask(name)
        b.run(3.2)
        assert b.follow.asker.receive(early, 0.1) is None, "it ended before its end"
        b.run(0.6)
        ended(b.follow.answer(early), SUCCEEDED, SUCCESSFUL)
        b.at(GOAL, 0.01)
        assert abs(start["shoulder"] - START[0]) < 0.05, start


def check_reset_ends_goals():
    """A reset of the world aborts the active goal, and the next goal is followed from the start."""
    with Bench() as b:
        name = b.follow.accepted(**there_in(2.0))
        b.run(1.0)
        b.m.do("reset")
        assert "reset" in ended(b.follow.result(name), ABORTED, INVALID_GOAL)
        again = b.follow.accepted(**there_in(1.0))
        b.run(2.0)
        ended(b.follow.result(again), SUCCEEDED, SUCCESSFUL)
        b.at(GOAL, 0.01)


def check_gripper():
    """Both gripper actions open and close the gripper; a gripper that cannot move reports that it
    stalled.
    """
    with Bench() as b:
        grip = ActionClient(b.m.peer, f"{GRIPPER}/gripper_cmd", arm_types.GRIPPER).wait()
        kind = message_type("control_msgs/msg/GripperCommand")
        name = grip.accepted(command=kind(position=0.04, max_effort=0.0))
        early = grip.ask(name)
        b.run(3.0)
        result = grip.answer(early)
        assert result.status == SUCCEEDED and result.result.reached_goal and not result.result.stalled, result
        assert abs(result.result.position - 0.04) <= 0.0101, result
        b.at([0.04], 0.003, ["jaw"])
        positions = [feedback.position for feedback in grip.feedback(name)]
        assert len(positions) > 5 and positions[-1] > positions[0], positions
        name = grip.accepted(command=kind(position=0.0, max_effort=0.01))
        b.run(3.0)
        result = grip.result(name)
        assert result.status == ABORTED and result.result.stalled and not result.result.reached_goal, result
        assert result.result.position > 0.03, result
        name, answer = grip.send(command=kind(position=math.nan, max_effort=0.0))
        assert not answer.accepted and grip.result(name).status == UNKNOWN
        name, answer = grip.send(command=kind(position=0.0, max_effort=-1.0))
        assert not answer.accepted, answer
        parallel(b)


def parallel(b):
    """The same with the newer action, including a cancel."""
    client = ActionClient(b.m.peer, "/bench/gripper_parallel_controller/gripper_cmd", arm_types.PARALLEL).wait()
    state = message_type("sensor_msgs/msg/JointState")

    def command(position, name="jaw", velocity=()):
        return state(header=header(""), name=[name], position=[position], velocity=list(velocity), effort=[])

    name = client.accepted(command=command(0.01))
    b.run(3.0)
    result = client.result(name)
    assert result.status == SUCCEEDED and result.result.reached_goal, result
    assert result.result.state.name == ["jaw"] and abs(result.result.state.position[0] - 0.01) <= 0.0101, result
    for bad in (command(0.01, name="elbow"), command(math.inf), command(0.01, velocity=[0.1])):
        assert not client.send(command=bad)[1].accepted, bad
    name = client.accepted(command=command(0.05))
    b.run(0.1)
    assert client.cancel() == (0, [name])
    b.run(0.1)
    assert client.result(name).status == CANCELED


def check_wrench_sensor():
    """The force through a joint is the weight of its subtree minus the buoyancy."""
    with Bench() as b:
        wrench = b.m.listen("/bench/wrist_ft/wrench")
        b.run(3.0)
        force = latest(wrench).wrench.force
        total = math.sqrt(force.x**2 + force.y**2 + force.z**2)
        weight = 9.81 * (1.2 - 1025 * 0.0011)
        assert abs(total - weight) < 0.1, f"{total} N, expected about {weight} N"


def check_vehicle_with_arm():
    """The arm of a free vehicle is moved by the same action in real time, while two clients
    observe.
    """
    with Merrow("uvms_pool") as m:
        name = "/uvms/arm_controller/follow_joint_trajectory"
        client, other = (ActionClient(m.peer, name, arm_types.FOLLOW).wait() for _ in range(2))
        joints, end = ["base", "shoulder", "elbow", "wrist"], [0.2, 0.3, 0.2, -1.0]
        given = client.accepted(**goal([point(2.0, end, [0.0] * 4)], joints=joints))
        early = other.ask(given)
        other.wait_status(given, EXECUTING)
        ended(client.result(given), SUCCEEDED, SUCCESSFUL)
        ended(other.answer(early), SUCCEEDED, SUCCESSFUL)
        other.wait_status(given, SUCCEEDED)
        states = m.listen("/uvms/joint_states")
        found = latest(states)
        for joint, position in zip(joints, end):
            assert abs(found.position[found.name.index(joint)] - position) < 0.01, found
        assert len(client.feedback(given)) > 50, len(client.feedback(given))
        given = client.accepted(**goal([point(10.0, [0.0, 0.1, 0.1, -1.2], [0.0] * 4)], joints=joints))
        time.sleep(0.3)
        assert other.cancel(given) == (0, [given])
        ended(client.result(given), CANCELED, SUCCESSFUL)


def check_vehicle_with_servo_arm():
    """The free vehicle with the torque servos of the trials accepts the same goals as the real one.
    """
    with Merrow("uvms_pool_servo", "--pace", "lockstep") as m:
        client = ActionClient(m.peer, "/uvms/arm_controller/follow_joint_trajectory", arm_types.FOLLOW).wait()
        states = m.listen("/uvms/joint_states")
        joints, end = ["base", "shoulder", "elbow", "wrist"], [0.4, 0.6, 0.5, -0.6]
        given = client.accepted(**goal([point(4.0, end, [0.0] * 4)], joints=joints))
        early = client.ask(given)
        m.step(3900)
        assert client.asker.receive(early, 0.2) is None, "a result before the end"
        m.step(600)
        ended(client.answer(early), SUCCEEDED, SUCCESSFUL)
        found = latest(states)
        for joint, position in zip(joints, end):
            # the encoder noise moves the arm by 3 mrad
            assert abs(found.position[found.name.index(joint)] - position) < 0.01, found
        feedback = client.feedback(given)
        assert len(feedback) > 150, f"{len(feedback)} feedbacks in 4 s"
        # a servo lags behind its command; an ideal drive would not
        worst = max(abs(error) for f in feedback for error in f.error.positions)
        assert 1e-4 < worst < 0.05, worst
        given = client.accepted(**goal([point(4.0, [0.0, 0.1, 0.1, -1.2], [0.0] * 4)], joints=joints))
        m.step(2000)
        assert client.cancel(given) == (0, [given])
        m.step(500)
        ended(client.result(given), CANCELED, SUCCESSFUL)
        held = latest(states)
        assert 0.1 < held.position[held.name.index("base")] < 0.3, held


CHECKS = [check_trajectory_is_followed, check_trajectory_canceled, check_trajectory_replaced, check_tolerances,
          check_invalid_goals, check_command_topics, check_trajectory_with_stamp, check_reset_ends_goals,
          check_gripper, check_wrench_sensor, check_vehicle_with_arm, check_vehicle_with_servo_arm]
