#!/usr/bin/env python3
"""Drives boats and underwater vehicles with the released Nav2 from goal to goal, and measures how they arrive.

    python3 test/ros/native/nav2_checks.py PROGRAM [page] [mission] [WORLD/BOAT...] [--pace N] [--seeds N]

`page` runs the commands of docs/tutorials/navigation_stack.md, `mission` the river mission of examples/river_mission with
Nav2 and robot_localization, whose program is next to PROGRAM. Drives with ArduSub are left out unless MERROW_ARDUPILOT is the folder
of its sources, with the built program build/sitl/bin/ardusub. Every drive starts sim.launch.py with Nav2, and sends ten goals. Each goal must be reached without a contact and without
a failed recovery. Prints one line per goal and a table row per drive; the exit code is 1 if a drive failed. Started by
nav2.sh.
"""

import argparse
import contextlib
import csv
import json
import math
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field

import rclpy
from action_msgs.msg import GoalStatus
from geometry_msgs.msg import PoseStamped
from nav2_msgs.action import ComputePathToPose, NavigateThroughPoses, NavigateToPose
from nav_msgs.msg import OccupancyGrid, Odometry, Path
from rclpy.action import ActionClient
from rclpy.parameter import Parameter
from rclpy.qos import DurabilityPolicy, QoSProfile
from std_msgs.msg import String
from tf2_msgs.msg import TFMessage

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import tutorial
from domain import Domain

START_S = 60
# simulated time for one goal [s]
GOAL_S = 400
# simulated time for the river mission [s]
MISSION_S = 950
# largest error of the depth at a goal, the tolerance of the depth controller [m]
DEPTH_M = 0.15
LATCHED = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)

# world and boat: further arguments of the launch file, and goals x, y [m] with the headings of the path
MARINA = [(20, 5), (58, 25), (62, -20), (92, -20), (95, 30), (110, 0), (65, 3), (45, -40), (20, -45), (0, 0)]
HARBOUR = [(-20, 0), (20, 20), (100, 30), (160, -20), (100, -45), (40, -40), (60, 30), (20, 0), (-30, -20), (-60, 0)]
INSIDE = [(110, 30), (160, 40), (170, -20), (120, -40), (60, -50), (30, -40), (30, 40), (90, 45), (140, 20), (80, 0)]
LAKE = [(270, 30), (290, -30), (230, -50), (220, 20), (250, 50), (290, 50), (290, -60), (220, -60), (240, 0), (254, 0)]
OPEN = [(30, 10), (60, -10), (60, 40), (20, 50), (-20, 40), (-40, 0), (-20, -40), (20, -30), (40, 0), (0, 10)]
RIVER = [(84, -64), (59, -47), (44, -31), (23, 1), (-2, 32), (-32, 51), (-62, 57), (-94, 50), (-122, 27), (-183, -65)]
# goals x, y, depth [m] and heading [deg] of an underwater vehicle; the first is below the start, outside of the depths of the map
JETTY = [(8, 0, 3.5, 0), (22, 0, 4.5, 0), (20, 9, 4, 90), (2, 18, 3, 180), (-4, 8, 5, -90), (12, -12, 4.5, 0), (37, -6, 3, 45),
         (37, 8, 5, 90), (13, 0, 4, 180), (-6, 0, 3, 0)]
SHALLOW = [(8, 0, 1.5, 0), (22, 0, 4.5, 0), (25, -8, 2, -90), (12, -12, 5, 180), (-4, -8, 1.5, 90), (-4, 8, 5, 90), (2, 18, 2, 0),
           (12, 16, 4, -45), (13, 0, 1.5, -90), (-6, 0, 3, 0)]
POOL = [(5, 0, 1, 0), (10, 5, 3, 90), (20, 9, 4, 0), (20, -9, 1, -90), (0, -9, 2, 180), (-20, -9, 4, 180), (-20, 9, 1.5, 45),
        (0, 9, 3, 0), (5, 0, 4, -90), (0, 0, 1, 0)]
WATERS = [(8, 0, 4, 0), (8, -12, 8, -90), (-8, -12, 8, 180), (-14, 0, 4, 90), (-14, 12, 6, 90), (8, 18, 7, 0), (18, 8, 3, -90),
          (18, -12, 5, -90), (0, -8, 8, 180), (0, 0, 5, 0)]
# boats that nobody drives drift with the wind of the seed into the way, below the plane of the laser of a higher one
ALONE = {boat: "options:=" + " ".join(f"--set robots.{other}=null" for other in ("wamv", "otter", "heron") if other != boat)
         for boat in ("wamv", "otter", "heron")}
DRIVES = {
    "usv/wamv": ([], OPEN),
    "usv/otter": ([], OPEN),
    "usv/heron": ([], OPEN),
    "usv/wamv/ekf": (["ekf:=wamv", ALONE["wamv"]], OPEN),
    "marina/wamv": ([ALONE["wamv"]], MARINA),
    "marina/otter": ([ALONE["otter"]], MARINA),
    "marina/heron": ([ALONE["heron"]], MARINA),
    "marina/wamv/laser": (["map:=false", ALONE["wamv"]], MARINA),
    "harbour/wamv": ([], HARBOUR),
    "harbour/heron": ([], INSIDE),
    "harbour/otter": ([], LAKE),
    "riverwatch/usv": ([], RIVER),
    # on the way to the last goal a bank is lower than what a lidar takes for an obstacle: without a map the boat grounds there
    "riverwatch/usv/lidar": (["map:=false"], RIVER[:-1]),
    "usv/heron/mppi": ([], OPEN),
    "marina/wamv/mppi": ([ALONE["wamv"]], MARINA),
    "riverwatch/usv/mppi": ([], RIVER),
    "jetty/rov": (["nav2_depths:=3,5"], JETTY),
    "jetty/rov/ardusub": (["nav2_depths:=3,5", "nav2_cmd_vel:=/cmd_vel_autopilot", "options:=--autopilot"], JETTY),
    "jetty/rov/sonar": (["nav2_depths:=1.2,5", "map:=false"], SHALLOW),
    "pool/bluerov2": (["nav2_depths:=0.8,4"], POOL),
    "open_water/bluerov2": (["nav2_depths:=2,8"], WATERS),
    "estimation/bluerov2/ekf": (["ekf:=bluerov2", "nav2_depths:=1,4"], POOL),
}


def yaw_of(q):
    """Returns the yaw of a quaternion [rad]."""
    return math.atan2(2 * (q.w * q.z + q.x * q.y), 1 - 2 * (q.y * q.y + q.z * q.z))


def seconds(stamp):
    return stamp.sec + 1e-9 * stamp.nanosec


def distance_to_path(point, path):
    """Returns the distance of a point from a polyline [m]."""
    def to_segment(a, b):
        dx, dy = b[0] - a[0], b[1] - a[1]
        length = dx * dx + dy * dy
        part = 0 if length == 0 else max(0, min(1, ((point[0] - a[0]) * dx + (point[1] - a[1]) * dy) / length))
        return math.dist(point, (a[0] + part * dx, a[1] + part * dy))

    return min((to_segment(a, b) for a, b in zip(path, path[1:])), default=math.nan)


def edge_points(corners, spacing=0.2):
    """Returns points on the edges of a polygon."""
    points = []
    for a, b in zip(corners, corners[1:] + corners[:1]):
        count = max(1, math.ceil(math.dist(a, b) / spacing))
        points += [(a[0] + (b[0] - a[0]) * k / count, a[1] + (b[1] - a[1]) * k / count) for k in range(count)]
    return points


def placed(points, pose):
    """Returns points of a body at a pose x, y, yaw."""
    x, y, yaw = pose
    c, s = math.cos(yaw), math.sin(yaw)
    return [(x + c * px - s * py, y + s * px + c * py) for px, py in points]


def end_group(process):
    """Ends a launch and its programs as Ctrl-C does, and those that remain without asking."""
    if process.poll() is None:
        os.killpg(process.pid, signal.SIGINT)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(timeout=20)
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


@dataclass
class Result:
    """What a drive measured."""

    reached: int = 0
    goals: int = 0
    time_s: float = 0
    driven_m: float = 0
    cross_track: list = field(default_factory=list)
    arrival: list = field(default_factory=list)
    # errors of an underwater vehicle
    depth_error: list = field(default_factory=list)
    heading_error: list = field(default_factory=list)
    closest_m: float = math.inf
    closest: str = ""
    recoveries: int = 0
    contacts: int = 0
    rate: float = math.nan

    def row(self, name):
        rms = math.sqrt(sum(e * e for e in self.cross_track) / max(1, len(self.cross_track)))
        arrival = max(self.arrival, default=math.nan)
        closest = f"{self.closest_m:.1f} ({self.closest})" if self.closest_m < math.inf else "above 12"
        depth = f"{max(self.depth_error):.2f} | {max(self.heading_error):.0f}" if self.depth_error else " | "
        return (f"| {name} | {self.reached} of {self.goals} | {self.driven_m:.0f} | {self.time_s:.0f} | {arrival:.2f} | {depth} | {rms:.2f} | "
                f"{max(self.cross_track, default=math.nan):.2f} | {closest} | {self.recoveries} | "
                f"{self.contacts} | {self.rate:.2f} |")


HEAD = ("| drive | goals | way [m] | time [s] | arrival, worst [m] | depth, worst [m] | heading, worst [deg] | cross-track, rms [m] | worst [m] | closest [m] | recoveries | contacts | "
        "real-time factor |\n|" + " --- |" * 13)


class Drive:
    """A running launch file with Nav2 and a node of rclpy. A context manager that ends both."""

    def __init__(self, program, world, boat, arguments, pace, seed, folder):
        self.world, self.boat, self.pace = world, boat, pace
        self.program, self.folder = program, folder
        self.output = open(folder / "launch.txt", "w+", encoding="utf-8")
        own = dict(argument.split(":=", 1) for argument in arguments)
        options = f"--record-topics ^/contacts$ --seed {seed} {own.pop('options', '')}"
        command = ["ros2", "launch", "merrow", "sim.launch.py", f"world:={world}", f"nav2:={boat}", f"pace:={pace}",
                   f"record:={folder / 'contacts.mcap'}", f"options:={options}", *(f"{name}:={value}" for name, value in own.items())]
        self.process = subprocess.Popen(command, stdout=self.output, stderr=subprocess.STDOUT, start_new_session=True)
        self.node = rclpy.create_node("drive", parameter_overrides=[Parameter("use_sim_time", value=True)])
        self.frame = "map" if "ekf" in own else "world"
        described = subprocess.run([program, "describe", world, "--json"], capture_output=True, text=True, check=True).stdout
        robots = json.loads(described)["robots"]
        (model,) = [robot for robot in robots if robot["name"] == boat]
        self.footprint = edge_points([tuple(corner) for corner in model["navigation"]["footprint_m"]])
        # without the boat itself and what it carries
        begin, reach = model["start"]["position_m"][:2], max(map(math.hypot, *zip(*self.footprint)))
        is_apart = lambda robot: math.dist(robot["start"]["position_m"][:2], begin) > reach  # noqa: E731
        self.others = {robot["name"]: robot for robot in robots if is_apart(robot)}
        self.places, self.occupied, self.resolution = {}, [], 0.0
        self.height, self.pose, self.time, self.track, self.plan, self.feedback = 0.0, None, 0.0, [], [], None
        self.node.create_subscription(Odometry, f"/{boat}/odometry", self.on_odometry, 10)
        self.node.create_subscription(Path, "/plan", self.on_plan, 10)
        self.node.create_subscription(TFMessage, "/tf", self.on_transforms, 100)
        self.node.create_subscription(OccupancyGrid, "/map", self.on_map, LATCHED)
        self.selector = self.node.create_publisher(String, "/controller_selector", LATCHED)
        self.result = Result()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.node.destroy_node()
        end_group(self.process)
        self.output.close()

    def text(self):
        return (self.folder / "launch.txt").read_text(encoding="utf-8", errors="replace")

    def on_odometry(self, message):
        p = message.pose.pose
        self.time = seconds(message.header.stamp)
        self.height = p.position.z
        self.pose = (p.position.x, p.position.y, yaw_of(p.orientation))
        self.track.append((self.time, *self.pose))

    def on_plan(self, message):
        if not self.plan:
            self.plan = [(p.pose.position.x, p.pose.position.y) for p in message.poses]

    def on_transforms(self, message):
        for transform in message.transforms:
            owner, _, link = transform.child_frame_id.partition("/")
            if link == "base_link" and owner in self.others:
                t = transform.transform
                self.places[owner] = (t.translation.x, t.translation.y, yaw_of(t.rotation))

    def on_map(self, message):
        info = message.info
        self.resolution = info.resolution
        cells = [k for k, value in enumerate(message.data) if value > 50]
        self.occupied = [(info.origin.position.x + (k % info.width + 0.5) * info.resolution,
                          info.origin.position.y + (k // info.width + 0.5) * info.resolution) for k in cells]

    def spin(self, condition, timeout_s):
        """Serves the node until the condition holds; returns whether it does. `timeout_s` is wall time."""
        end = time.monotonic() + timeout_s
        while not condition():
            if self.process.poll() is not None:
                raise AssertionError(f"the launch has ended\n{self.text()[-3000:]}")
            if time.monotonic() > end:
                return False
            rclpy.spin_once(self.node, timeout_sec=0.1)
        return True

    def client(self, kind, name):
        """Returns the client of an action, whose server is active."""
        client = ActionClient(self.node, kind, name)
        assert self.spin(client.server_is_ready, START_S), f"no server {name}\n{self.text()[-3000:]}"
        return client

    def start(self):
        """Waits until Nav2 is active and the boat has a position."""
        assert self.spin(lambda: "Managed nodes are active" in self.text() and self.pose, START_S), self.text()[-3000:]

    def stamped(self, x, y, z, yaw):
        pose = PoseStamped()
        pose.header.frame_id = self.frame
        pose.pose.position.x, pose.pose.position.y, pose.pose.position.z = float(x), float(y), float(z)
        pose.pose.orientation.z, pose.pose.orientation.w = math.sin(yaw / 2), math.cos(yaw / 2)
        return pose

    def send(self, client, goal):
        """Sends a goal and waits for its end; returns its status and result."""
        self.plan, self.feedback = [], None
        sent = client.send_goal_async(goal, feedback_callback=lambda message: setattr(self, "feedback", message.feedback))
        assert self.spin(sent.done, START_S) and sent.result().accepted, f"the goal was refused\n{self.text()[-3000:]}"
        ended = sent.result().get_result_async()
        if not self.spin(ended.done, GOAL_S / self.pace):
            self.spin(sent.result().cancel_goal_async().done, 10)
            self.spin(ended.done, 10)
        return ended.result() if ended.done() else None

    def go_to(self, client, x, y, depth=None, heading=None):
        """Drives to a goal, without a heading [deg] with that of the straight line; returns whether it was reached."""
        begin, self.track = self.pose, []
        since, wall = self.time, time.monotonic()
        yaw = math.atan2(y - begin[1], x - begin[0]) if heading is None else math.radians(heading)
        goal = NavigateToPose.Goal(pose=self.stamped(x, y, -(depth or 0), yaw))
        ended = self.send(client, goal)
        is_reached = ended is not None and ended.status == GoalStatus.STATUS_SUCCEEDED
        own, result = self.measure((x, y), since, wall), self.result
        if depth is not None:
            result.depth_error.append(abs(self.height + depth))
            result.heading_error.append(abs(math.degrees(math.remainder(self.pose[2] - yaw, math.tau))))
            own += f", depth {result.depth_error[-1]:.2f} m, heading {result.heading_error[-1]:.0f} deg"
        result.goals += 1
        result.reached += is_reached
        recoveries = self.feedback.number_of_recoveries if self.feedback else 0
        result.recoveries += recoveries
        code = f"error {ended.result.error_code}" if ended and not is_reached else "reached" if is_reached else "timed out"
        at = ", ".join(str(value) for value in (x, y, depth, heading) if value is not None)
        print(f"   ({at}): {code}, {own}, {recoveries} recoveries", flush=True)
        return is_reached

    def check_depths(self, client, goals):
        """A path through poses ends at the depth of the last, and a goal with the height zero keeps the depth. Goals below and
        above the depths of the map end at once, and the depth controller says why.
        """
        through = self.client(NavigateThroughPoses, "navigate_through_poses")
        poses = [self.stamped(x, y, -depth, math.radians(heading)) for x, y, depth, heading in goals[:2]]
        ended = self.send(through, NavigateThroughPoses.Goal(poses=poses))
        error = self.height + goals[1][2]
        assert ended and ended.status == GoalStatus.STATUS_SUCCEEDED and abs(error) < DEPTH_M, f"through poses: {ended}, {error} m"
        (x, y, depth, heading), before = goals[0], self.height
        ended = self.send(client, NavigateToPose.Goal(pose=self.stamped(x, y, 0, math.radians(heading))))
        error = self.height - before
        assert ended and ended.status == GoalStatus.STATUS_SUCCEEDED and abs(error) < DEPTH_M, f"height zero: {ended}, {error} m"
        print("   through poses, and at the same depth back: reached", flush=True)
        x, y, yaw = self.pose
        for z, why in ((-100, "the goal is 100.00 m deep; expected a depth from "), (0.5, "the goal is 0.50 m above mean sea level;")):
            ended = self.send(client, NavigateToPose.Goal(pose=self.stamped(x, y, z, yaw)))
            code = ComputePathToPose.Result.GOAL_OUTSIDE_MAP
            assert ended and (ended.status, ended.result.error_code) == (GoalStatus.STATUS_ABORTED, code), f"{z}: {ended}"
            assert why in self.text(), self.text()[-2000:]

    def measure(self, goal, since, wall):
        """Adds the track since the last goal to the result; returns its text."""
        result = self.result
        way = sum(math.dist(a[1:3], b[1:3]) for a, b in zip(self.track, self.track[1:]))
        arrival = math.dist(self.pose[:2], goal)
        errors = [distance_to_path(point[1:3], self.plan) for point in self.track[::10] if len(self.plan) > 1]
        closest, name = self.closest()
        result.time_s += self.time - since
        result.driven_m += way
        result.arrival.append(arrival)
        result.cross_track += errors
        if closest < result.closest_m:
            result.closest_m, result.closest = closest, name
        result.rate = (self.time - since) / (time.monotonic() - wall)
        rms = math.sqrt(sum(e * e for e in errors) / max(1, len(errors)))
        return (f"{self.time - since:.1f} s, {way:.1f} m, arrival {arrival:.2f} m, cross-track rms {rms:.2f} m, closest {closest:.1f} m "
                f"({name}), real-time factor {result.rate:.2f}")

    def closest(self):
        """Returns the closest approach of the hull to the map and to other objects on the track [m], and its name. Other
        objects are at their last positions, within a second.
        """
        best, name = math.inf, "nothing within 12 m"
        shapes = {other: [corner for shape in self.others[other]["shapes"]["collisions"] for corner in box(shape)] for other in self.places}
        others = {other: placed(edge_points(hull(points)), self.places[other]) for other, points in shapes.items() if points}
        for _, *pose in self.track[::25]:
            reach = 12.0
            near = [cell for cell in self.occupied if abs(cell[0] - pose[0]) < reach and abs(cell[1] - pose[1]) < reach]
            bodies = {"map": near, **{other: [p for p in points if math.dist(p, pose[:2]) < reach] for other, points in others.items()}}
            hull_points = placed(self.footprint, pose)
            for other, points in bodies.items():
                margin = self.resolution / 2 if other == "map" else 0.0
                for point in points:
                    d = min(math.dist(point, own) for own in hull_points) - margin
                    if d < best:
                        best, name = d, other
        return best, name

    def contacts(self):
        """Returns the number of messages with a contact of the boat in the recording."""
        tables = self.folder / "tables"
        subprocess.run([self.program, "export", self.folder / "contacts.mcap", "--csv", tables], check=True, capture_output=True)
        rows = []
        for path in tables.glob("*contacts*.csv"):
            with open(path, newline="", encoding="utf-8") as file:
                rows += list(csv.DictReader(file))
        # the topic is also sent without a contact
        assert rows, f"no message on /contacts in {self.folder}"
        return sum(self.boat in row.values() for row in rows)


def box(shape):
    """Returns the corners of the bounding box of a shape of `merrow describe`, in the plane."""
    (x, y, _), (cx, cy, _) = shape["size_m"], shape["center_m"]
    yaw = math.radians(shape["attitude_deg"][2])
    return placed([(sx * x / 2, sy * y / 2) for sx, sy in ((-1, -1), (1, -1), (1, 1), (-1, 1))], (cx, cy, yaw))


def hull(points):
    """Returns the corners of the box around points."""
    xs, ys = zip(*points)
    return [(min(xs), min(ys)), (max(xs), min(ys)), (max(xs), max(ys)), (min(xs), max(ys))]


@contextlib.contextmanager
def ardusub(folder):
    """Runs ArduSub and the relay to Nav2."""
    root, parameters = pathlib.Path(os.environ["MERROW_ARDUPILOT"]), PAGE.parents[2] / "config" / "ardupilot"
    defaults = [root / "Tools/autotest/default_params/sub-6dof.parm", parameters / "bluerov2.parm", parameters / "bluerov2_odometry.parm"]
    commands = [[root / "build/sitl/bin/ardusub", "--model", "JSON:127.0.0.1", "--home", "43.083,5.905,0,0", "--defaults", ",".join(map(str, defaults))],
                ["ros2", "run", "merrow_bringup", "ardusub_relay", "--guided", "--autopilot", "tcp:127.0.0.1:5760", "--origin", "43.083", "5.905", "0",
                 "--odometry", "/rov/odometry"]]
    with contextlib.ExitStack() as running:
        for command in commands:
            output = running.enter_context(open(folder / f"{pathlib.Path(command[0]).name}.txt", "w", encoding="utf-8"))
            process = subprocess.Popen(command, stdout=output, stderr=subprocess.STDOUT, cwd=folder, start_new_session=True)
            running.callback(end_group, process)
        end = time.monotonic() + START_S
        while "GUIDED True" not in (folder / "ros2.txt").read_text(encoding="utf-8"):
            assert process.poll() is None and time.monotonic() < end, (folder / "ros2.txt").read_text(encoding="utf-8")[-2000:]
            time.sleep(0.5)
        yield


def drive(program, name, pace, seed):
    """Drives one vehicle through its goals; returns the result and whether it is as required."""
    world, boat, *_ = name.split("/")
    arguments, goals = DRIVES[name]
    folder = pathlib.Path(tempfile.mkdtemp(prefix="merrow-nav2-"))
    with Drive(program, world, boat, arguments, pace, seed, folder) as own, contextlib.ExitStack() as running:
        own.start()
        if name.endswith("/ardusub"):
            running.enter_context(ardusub(folder))
        if name.endswith("/mppi"):
            own.selector.publish(String(data="MPPI"))
        client = own.client(NavigateToPose, "navigate_to_pose")
        for goal in goals:
            own.go_to(client, *goal)
        if own.result.depth_error:
            own.check_depths(client, goals)
    result = own.result
    result.contacts = own.contacts()
    is_good = result.reached == result.goals and result.contacts == 0 and max(result.depth_error, default=0) < DEPTH_M
    if is_good:
        shutil.rmtree(folder)
    else:
        print(f"   output: {folder / 'launch.txt'}")
    return result, is_good


PAGE = pathlib.Path(__file__).resolve().parents[3] / "docs" / "tutorials" / "navigation_stack.md"
# seconds of wall time for a goal of the page
PAGE_GOAL_S = 180


class PageLaunch:
    """A launch of the page, without RViz where this is not installed. A context manager that ends it."""

    def __init__(self, command):
        if not shutil.which("rviz2"):
            command = command.replace(" rviz:=true", "")
        self.output = tempfile.NamedTemporaryFile("w+", suffix=".txt", encoding="utf-8")
        self.process = subprocess.Popen(["bash", "-c", f"exec {command}"], stdout=self.output, stderr=subprocess.STDOUT, start_new_session=True)

    def __enter__(self):
        end = time.monotonic() + START_S
        while "Managed nodes are active" not in self.text():
            assert self.process.poll() is None and time.monotonic() < end, self.text()[-3000:]
            time.sleep(0.5)
        return self

    def __exit__(self, *_):
        end_group(self.process)
        self.output.close()

    def text(self):
        return pathlib.Path(self.output.name).read_text(encoding="utf-8", errors="replace")


def check_page():
    """Runs the commands of docs/tutorials/navigation_stack.md in their order: each launch until the next, and the goals in
    between, which must succeed.
    """
    goals = 0
    with contextlib.ExitStack() as running:
        for language, _, text in tutorial.blocks(PAGE.read_text(encoding="utf-8")):
            for command in re.split(r"\n(?=ros2)", text.replace("\\\n", " ")) if language == "sh" else ():
                if command.startswith("ros2 launch"):
                    running.close()
                    print(command.strip(), flush=True)
                    launch = running.enter_context(PageLaunch(command.strip()))
                elif command.startswith("ros2 action send_goal"):
                    # Ctrl-C cancels the goal
                    limited = ["timeout", "--signal=INT", str(PAGE_GOAL_S), "bash", "-c", command]
                    done = subprocess.run(limited, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
                    assert "status: SUCCEEDED" in done.stdout, f"{command}\n{done.stdout[-1000:]}\n{launch.text()[-3000:]}"
                    goals += 1
                    print("   reached:", command.split()[3], flush=True)
    assert goals >= 4, f"{goals} goals in {PAGE}"


MISSION = pathlib.Path(__file__).resolve().parents[3] / "examples" / "river_mission" / "launch" / "river_mission.launch.py"


def check_mission(program, pace):
    """Runs the river mission with Nav2 in place of the nodes that navigate the boat: all way-points, a landing, no contact."""
    mission = pathlib.Path(program).with_name("river_mission")
    assert mission.is_file(), f"found no {mission}; run: cargo build -p river_mission"
    folder = pathlib.Path(tempfile.mkdtemp(prefix="merrow-mission-"))
    command = ["ros2", "launch", MISSION, "navigation:=nav2", f"pace:={pace}", "seed:=3", f"out:={folder}", f"program:={mission}"]
    with open(folder / "launch.txt", "w", encoding="utf-8") as output:
        process = subprocess.Popen(command, stdout=output, stderr=subprocess.STDOUT, start_new_session=True)
    try:
        process.wait(timeout=START_S + MISSION_S / pace)
    finally:
        end_group(process)
    lines = (folder / "launch.txt").read_text(encoding="utf-8", errors="replace").splitlines()
    assert (folder / "score.json").is_file(), "\n".join(lines[-30:])
    score = json.loads((folder / "score.json").read_text(encoding="utf-8"))
    print(json.dumps(score, indent=1), flush=True)
    assert score["success"], f"the mission failed; output: {folder / 'launch.txt'}"
    shutil.rmtree(folder)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program")
    parser.add_argument("drives", nargs="*", metavar="WORLD/BOAT")
    parser.add_argument("--pace", type=float, default=1.0)
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--first-seed", type=int, default=1)
    arguments = parser.parse_args()
    known = ["page", "mission", *DRIVES]
    unknown = set(arguments.drives) - set(known)
    if unknown:
        parser.error(f"found {', '.join(sorted(unknown))}, expected some of {', '.join(known)}")
    failed, rows = 0, []
    # the programs that were started end with this one
    signal.signal(signal.SIGTERM, lambda number, _: sys.exit(128 + number))
    with Domain() as domain:
        os.environ["ROS_DOMAIN_ID"] = str(domain)
        rclpy.init()
        left_out = "" if "MERROW_ARDUPILOT" in os.environ else "/ardusub"
        for name in arguments.drives or [name for name in known if not left_out or not name.endswith(left_out)]:
            if name == "page":
                check_page()
                continue
            if name == "mission":
                check_mission(arguments.program, arguments.pace)
                continue
            for seed in range(arguments.first_seed, arguments.first_seed + arguments.seeds):
                label = name if arguments.seeds == 1 else f"{name}, seed {seed}"
                print(label, flush=True)
                result, is_good = drive(arguments.program, name, arguments.pace, seed)
                rows.append(result.row(label))
                print(rows[-1], flush=True)
                failed += not is_good
        rclpy.shutdown()
    print(HEAD, *rows, sep="\n")
    sys.exit(failed > 0)


if __name__ == "__main__":
    main()
