"""Checks of end_to_end.py: launch file, and configurations of state estimators, RViz and controllers."""

import pathlib
import re
import subprocess
import sys
import time
from xml.etree import ElementTree

import numpy as np
from ruamel.yaml import YAML

from checks.vehicles.drive import header
from live import Merrow, command, describe, take, wait_until

ROOT = pathlib.Path(__file__).resolve().parents[4]
BRINGUP = ROOT / "ros/merrow_bringup"
TYPES = {"imu": "sensor_msgs/msg/Imu", "odom": "nav_msgs/msg/Odometry", "pose": "geometry_msgs/msg/PoseWithCovarianceStamped",
         "twist": "geometry_msgs/msg/TwistWithCovarianceStamped"}


def load(path):
    return YAML(typ="safe").load(path.read_text(encoding="utf-8"))


def check_launch_file():
    """The launch file starts the nodes that its arguments request."""
    subprocess.run([sys.executable, ROOT / "test" / "launch_file.py", BRINGUP / "launch" / "sim.launch.py"], check=True, timeout=60)


def check_estimator_configurations():
    """The topics of each configuration of robot_localization exist in the world that it names, with the
    type of their key, and the frames exist.
    """
    paths = sorted((BRINGUP / "config" / "robot_localization").glob("*.yaml"))
    assert len(paths) == 2, paths
    for path in paths:
        world = re.search(r"of the world (\w+)", path.read_text(encoding="utf-8"))[1]
        content = describe(world)
        topics = {topic["topic"]: topic["type"] for topic in content["published"]}
        filter_ = load(path)["/**/ekf_filter_node"]["ros__parameters"]
        inputs = {key: value for key, value in filter_.items() if re.fullmatch(r"[a-z]+\d", key)}
        assert len(inputs) >= 2, inputs
        for key, topic in inputs.items():
            kind = key.rstrip("0123456789")
            assert len(filter_[f"{key}_config"]) == 15, (path, key)
            if not topic.endswith("/odometry/gps"):  # of navsat_transform_node
                assert topics.get(topic) == TYPES[kind], (path, key, topic, topics.get(topic))
        robot = filter_["base_link_frame"].split("/")[0]
        assert f"/{robot}/odometry" in topics, (path, robot)
        navsat = load(path).get("/**/navsat_transform_node")
        if navsat:
            origin = content["origin"]
            assert navsat["ros__parameters"]["datum"] == [round(origin["latitude_deg"], 7), round(origin["longitude_deg"], 7), 0.0], origin


def check_estimator_inputs():
    """The AHRS has an attitude, the depth agrees with the robot, and the node stops publishing the true
    pose.
    """
    with Merrow("estimation", ros=("-p", "bluerov2.publish_truth_tf:=false")) as m:
        imu = wait_until(m.listen("/bluerov2/ahrs/data"), lambda _: True)
        assert imu.orientation_covariance[0] >= 0, imu
        depth = wait_until(m.listen("/bluerov2/pressure/pose"), lambda _: True)
        truth = wait_until(m.listen("/bluerov2/odometry"), lambda _: True)
        assert depth.header.frame_id == "world" and abs(depth.pose.pose.position.z - truth.pose.pose.position.z) < 0.2, depth
        assert 0 < depth.pose.covariance[14] < 0.01 and depth.pose.covariance[0] > 100, depth
        frames = wait_until(m.listen("/tf"), lambda _: True)
        assert all(t.child_frame_id != "bluerov2/base_link" for t in frames.transforms), frames


def hardware():
    """Returns the description of the hardware of the arm for ros2_control."""
    return ElementTree.parse(BRINGUP / "config" / "ros2_control" / "osu_uvms.xml").getroot()


def check_arm_descriptions():
    """Joints, links and topics of the descriptions of the arm exist in the world, and the URDF with
    the hardware is valid.
    """
    content = describe("uvms_pool_servo")
    urdf = command("describe", "uvms_pool_servo", "--urdf", "uvms")[1]
    robot = ElementTree.fromstring("\n".join(urdf) if isinstance(urdf, list) else urdf)
    joints = [joint.get("name") for joint in robot.findall("joint") if joint.get("type") == "revolute"]
    links = {link.get("name") for link in robot.findall("link")}
    arm = ["base", "shoulder", "elbow", "wrist"]
    assert joints == arm, joints
    assert [joint.get("name") for joint in hardware().findall("joint")] == arm
    parameters = {p.get("name"): p.text for p in hardware().find("hardware").findall("param")}
    assert parameters["joint_commands_topic"] in {t["topic"] for t in content["subscribed"]}, parameters
    assert parameters["joint_states_topic"] in {t["topic"] for t in content["published"]}, parameters
    controllers = load(BRINGUP / "config" / "ros2_control" / "osu_uvms_controllers.yaml")
    assert controllers["joint_trajectory_controller"]["ros__parameters"]["joints"] == arm
    check_moveit_groups(robot, arm)
    moveit = load(BRINGUP / "config" / "moveit" / "osu_uvms_controllers.yaml")["moveit_simple_controller_manager"]
    name = moveit["controller_names"][0]
    action = f"{name}/{moveit[name]['action_ns']}"
    assert action in {a["action"] for a in content["actions"]}, (action, content["actions"])


def pose(element):
    """Returns the 4x4 transform of the `origin` of an element of a URDF."""
    roll, pitch, yaw = (float(x) for x in element.find("origin").get("rpy").split())
    c, s = np.cos([roll, pitch, yaw]), np.sin([roll, pitch, yaw])
    out = np.eye(4)
    out[:3, :3] = (np.array([[c[2], -s[2], 0], [s[2], c[2], 0], [0, 0, 1]]) @ np.array([[c[1], 0, s[1]], [0, 1, 0], [-s[1], 0, c[1]]])
                   @ np.array([[1, 0, 0], [0, c[0], -s[0]], [0, s[0], c[0]]]))
    out[:3, 3] = [float(x) for x in element.find("origin").get("xyz").split()]
    return out


def link_poses(robot, angles):
    """Returns the transform of each link of a URDF at these angles of the joints [rad]."""
    joints, poses = robot.findall("joint"), {}
    children = {joint.find("child").get("link") for joint in joints}
    poses |= {link.get("name"): np.eye(4) for link in robot.findall("link") if link.get("name") not in children}
    while len(poses) < len(robot.findall("link")):
        for joint in joints:
            parent = joint.find("parent").get("link")
            if parent in poses:
                turn = np.eye(4)
                if joint.get("name") in angles:
                    axis = np.array([float(x) for x in joint.find("axis").get("xyz").split()])
                    cross = np.cross(np.eye(3), axis)
                    q = angles[joint.get("name")]
                    turn[:3, :3] += np.sin(q) * cross + (1 - np.cos(q)) * cross @ cross
                poses[joint.find("child").get("link")] = poses[parent] @ pose(joint) @ turn
    return poses


def is_inside(geometry, points):
    """Returns which points, in the axes of a box or cylinder, are inside it."""
    box, cylinder = geometry.find("box"), geometry.find("cylinder")
    if box is not None:
        return (abs(points) <= 0.5 * np.array([float(x) for x in box.get("size").split()])).all(axis=1)
    radius, length = float(cylinder.get("radius")), float(cylinder.get("length"))
    return (np.hypot(points[:, 0], points[:, 1]) <= radius) & (abs(points[:, 2]) <= 0.5 * length)


def colliding_links(robot, angles):
    """Returns the pairs of links whose collision shapes overlap at these angles [rad], found with points 4 mm apart."""
    grid = np.arange(-0.3, 0.3, 0.004)
    grid = np.stack(np.meshgrid(grid, grid, grid), axis=-1).reshape(-1, 3)
    shapes, pairs = [], set()
    for link, at in link_poses(robot, angles).items():
        for shape in robot.findall(f"link[@name='{link}']/collision"):
            to_world, geometry = at @ pose(shape), shape.find("geometry")
            inside = grid[is_inside(geometry, grid)]
            shapes.append((link, to_world, geometry, inside @ to_world[:3, :3].T + to_world[:3, 3]))
    for link, _, _, points in shapes:
        for other, to_world, geometry, _ in shapes:
            local = (points - to_world[:3, 3]) @ to_world[:3, :3]
            if link < other and is_inside(geometry, local).any():
                pairs.add((link, other))
    return pairs


def check_moveit_groups(robot, arm):
    """The semantic description fits the URDF: names, groups, end effector, virtual joint and the joints of the other files."""
    folder = BRINGUP / "config" / "moveit"
    srdf = ElementTree.parse(folder / "osu_uvms.srdf").getroot()
    assert srdf.get("name") == robot.get("name"), (srdf.attrib, robot.attrib)
    links = {link.get("name") for link in robot.findall("link")}
    named = {e.get(key) for e in srdf.iter() for key in ("base_link", "tip_link", "parent_link", "child_link", "link1", "link2")}
    named |= {e.get("name") for e in srdf.iter("link")}
    assert named - {None} <= links, named - links
    parents = {j.find("child").get("link"): (j.find("parent").get("link"), j.get("name")) for j in robot.findall("joint")}
    chain = srdf.find("group[@name='arm']/chain")
    link, joints, arm_links = chain.get("tip_link"), [], set()
    while link != chain.get("base_link"):
        arm_links.add(link)
        link, joint = parents[link]
        joints.insert(0, joint)
    assert joints == arm, joints
    groups = {group.get("name") for group in srdf.findall("group")}
    end = srdf.find("end_effector")
    hand = {e.get("name") for e in srdf.findall(f"group[@name='{end.get('group')}']/link")}
    assert groups == {"arm", "hand"} and (end.get("parent_group"), end.get("group")) == ("arm", "hand"), (groups, end.attrib)
    assert hand and not hand & arm_links and end.get("parent_link") in arm_links, (hand, arm_links)
    assert {s.get("group") for s in srdf.findall("group_state")} == {"arm"}
    assert [joint.get("name") for joint in srdf.find("group_state")] == arm
    start = {joint.get("name"): float(joint.get("value")) for joint in srdf.find("group_state")}
    disabled = {tuple(sorted((e.get("link1"), e.get("link2")))) for e in srdf.findall("disable_collisions")}
    overlapping = colliding_links(robot, start)
    assert ("uvms/upperarm", "uvms/wrist") in overlapping and overlapping <= disabled, overlapping - disabled
    virtual = srdf.find("virtual_joint")
    assert virtual.get("parent_frame") == "world" and virtual.get("child_link") not in parents, virtual.attrib
    assert list(load(folder / "kinematics.yaml")) == ["arm"]
    limits = load(folder / "joint_limits.yaml")["joint_limits"]
    assert list(limits) == arm and all(0 < joint["max_velocity"] < joint["max_acceleration"] for joint in limits.values()), limits
    speeds = {j.get("name"): float(j.find("limit").get("velocity")) for j in robot.findall("joint") if j.get("name") in arm}
    assert all(limits[name]["max_velocity"] <= speeds[name] + 1e-9 for name in arm), (limits, speeds)


def check_hardware_contract():
    """As joint_state_topic_hardware_interface does: positions on the topic of commands move the joints, and their
    states have all joints with position and velocity.
    """
    parameters = {p.get("name"): p.text for p in hardware().find("hardware").findall("param")}
    with Merrow("uvms_pool_servo") as m:
        states = m.listen(parameters["joint_states_topic"])
        first = wait_until(states, lambda _: True)
        start = dict(zip(first.name, first.position))
        assert len(first.velocity) == len(first.name), first
        target = {name: start[name] + 0.1 for name in ("base", "shoulder", "elbow", "wrist")}
        end = time.monotonic() + 8

        def reached(state):
            found = dict(zip(state.name, state.position))
            return all(abs(found[name] - goal) < 0.03 for name, goal in target.items())
        found = None
        while time.monotonic() < end and not (found and reached(found)):
            m.write(parameters["joint_commands_topic"], "sensor_msgs/msg/JointState", header=header(""), name=list(target),
                    position=list(target.values()), velocity=[], effort=[])
            time.sleep(0.02)
            found = (take(states) or [found])[-1]
        assert reached(found), (target, found)


CHECKS = [check_arm_descriptions, check_hardware_contract, check_launch_file, check_estimator_configurations, check_estimator_inputs]
