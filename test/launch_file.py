"""Checks that the launch files start the nodes that their arguments request. Without the launch packages of ROS 2,
recorders replace the names that they import: syntax and node arguments are still tested.

    python3 test/launch_file.py ros/merrow_bringup/launch/sim.launch.py
"""

import importlib
import json
import os
import pathlib
import re
import runpy
import sys
import tempfile
import types

try:
    from ruamel.yaml import YAML
    load_yaml = YAML(typ="safe").load
except ImportError:
    # the package of ROS 2
    from yaml import safe_load as load_yaml

# Package merrow_bringup with the files next to the launch file, and package merrow with a program that prints a URDF and
# writes layouts.
share = pathlib.Path(sys.argv[1]).resolve().parents[1]
folder = tempfile.TemporaryDirectory(prefix="merrow-launch-")
prefix = pathlib.Path(folder.name)
index, program = prefix / "share/ament_index/resource_index/packages", prefix / "lib/merrow/merrow"
index.mkdir(parents=True)
program.parent.mkdir(parents=True)
INSTALLED = ["merrow", "merrow_bringup", "rviz2", "robot_state_publisher", "joy", "robot_localization", "controller_manager",
             "joint_state_broadcaster", "joint_trajectory_controller", "joint_state_topic_hardware_interface", "topic_based_ros2_control",
             "nav2_map_server", "nav2_controller", "nav2_smoother", "nav2_planner", "nav2_behaviors", "nav2_velocity_smoother", "nav2_bt_navigator",
             "nav2_waypoint_follower", "nav2_lifecycle_manager", "nav2_navfn_planner",
             "nav2_smac_planner", "nav2_regulated_pure_pursuit_controller", "nav2_mppi_controller"]
for package in INSTALLED:
    (index / package).touch()
(prefix / "share/merrow_bringup").symlink_to(share)
program.write_text("""#!/bin/sh
if [ "$3" = --json ]; then
  cat "$0.json"; exit
fi
if [ "$1" != layout ]; then echo '<robot name="uvms"></robot>'; exit; fi
[ "$2 $3 $5" = "uvms_pool --robot -o" ] || { echo "found $*" >&2; exit 1; }
printf 'Value: /%s/odometry\\nTarget Frame: %s/base_link\\n' "$4" "$4" >"$6"
""")
program.chmod(0o755)
BOAT = {
    "name": "usv", "section": "robots", "model": "wamv_laser", "mass_kg": 180, "displaced_volume_m3": 0.5, "start": {"position_m": [4, -2, 6], "attitude_deg": [0, 0, 90]},
    "at_rest": {"floats": True, "base_height_m": -0.1},
    "navigation": {
        "max_velocity": {"surge_m_s": 3, "sway_m_s": 1, "heave_m_s": 0, "yaw_rad_s": 0.5},
        "max_acceleration": {"surge_m_s2": 0.5, "yaw_rad_s2": 0.4},
        "path_speed_m_s": 2, "look_ahead_m": 8, "acceptance_radius_m": 4,
        "footprint_m": [[-3, -1], [2, -1], [2, 1], [-3, 1]], "height_m": [-0.2, 1.3],
    },
    "sensors": [{"name": name, "kind": kind, "link": "base_link", "position_m": [1, 0, 1.5], "attitude_deg": [0, tilt, 0], "max_range_m": 30 if kind == "laser" else 100}
                for name, kind, tilt in (("laser", "laser", 0), ("lidar", "lidar", 0), ("low", "laser", 20), ("sweep", "tilting_laser", 0))],
}
ROV = {
    "name": "rov", "section": "robots", "model": "bluerov2_heavy", "mass_kg": 13.5, "displaced_volume_m3": 0.0134,
    "start": {"position_m": [1, 2, -3], "attitude_deg": [0, 0, 0]}, "at_rest": {"floats": False},
    "navigation": {
        "max_velocity": {"surge_m_s": 0.8, "sway_m_s": 0.6, "heave_m_s": 0.5, "yaw_rad_s": 0.8},
        "max_acceleration": {"surge_m_s2": 0.4, "yaw_rad_s2": 1},
        "path_speed_m_s": 0.5, "look_ahead_m": 1.5, "acceptance_radius_m": 0.5,
        "footprint_m": [[-0.3, -0.2], [0.3, -0.2], [0.3, 0.2], [-0.3, 0.2]], "height_m": [-0.1, 0.2],
    },
    "sensors": [{"name": name, "kind": kind, "link": "base_link", "position_m": [0.1, 0, -0.1], "attitude_deg": [0, pitch, 0], "max_range_m": reach}
                for name, kind, pitch, reach in (("altimeter", "altimeter", 90, None), ("sonar", "multibeam", -90, 20), ("down", "multibeam", 0, 20),
                                                 ("scanner", "scanning_sonar", 0, 30), ("laser", "laser", 0, 30))],
}
DESCRIBED = {
    "origin": {"latitude_deg": 12.5, "longitude_deg": -3}, "robots": [BOAT, ROV],
    "published": [{"topic": topic, "type": kind} for topic, kind in (
        ("/usv/imu/data", "sensor_msgs/msg/Imu"), ("/usv/laser/scan", "sensor_msgs/msg/LaserScan"),
        ("/usv/lidar/points", "sensor_msgs/msg/PointCloud2"), ("/usv/low/scan", "sensor_msgs/msg/LaserScan"),
        ("/usv/sweep/points", "sensor_msgs/msg/PointCloud2"), ("/rov/altimeter/range", "sensor_msgs/msg/Range"),
        ("/rov/sonar/points", "sensor_msgs/msg/PointCloud2"), ("/rov/down/points", "sensor_msgs/msg/PointCloud2"),
        ("/rov/scanner/bearing", "sensor_msgs/msg/LaserScan"), ("/rov/scanner/scan", "sensor_msgs/msg/LaserScan"),
        ("/rov/laser/scan", "sensor_msgs/msg/LaserScan"), ("/map", "nav_msgs/msg/OccupancyGrid"))],
}
program.with_name("merrow.json").write_text(json.dumps(DESCRIBED))
os.environ["AMENT_PREFIX_PATH"] = f"{prefix}:{os.environ.get('AMENT_PREFIX_PATH', '')}".rstrip(":")


class Text(str):
    def perform(self, _):
        return str(self)


try:
    import launch, launch_ros.actions
    kind = "the launch packages of ROS 2"
except ImportError:
    kind = "recorders in place of the launch packages"
    def module(name, **names):
        sys.modules[name] = types.ModuleType(name)
        vars(sys.modules[name]).update(names)

    record = lambda *a, **k: types.SimpleNamespace(positional=a, **k)
    argument = lambda name, **k: types.SimpleNamespace(name=name, **k)
    value = lambda name: types.SimpleNamespace(perform=lambda context: context.launch_configurations[name])
    module("launch", LaunchDescription=lambda entities: types.SimpleNamespace(entities=entities))
    module("launch.actions", DeclareLaunchArgument=argument, OpaqueFunction=record, Shutdown=record, ExecuteProcess=record,
           IncludeLaunchDescription=record)
    module("launch.launch_description_sources", PythonLaunchDescriptionSource=Text)
    module("launch.substitutions", LaunchConfiguration=value)
    module("launch_ros")
    module("launch_ros.actions", Node=record)
    module("launch_ros.parameter_descriptions", ParameterValue=lambda value, value_type: value)
    module("launch_ros.substitutions", ExecutableInPackage=lambda executable, package: Text(program),
           FindPackageShare=lambda _: Text(share))

try:
    import ament_index_python.packages
except ImportError:
    class PackageNotFoundError(KeyError):
        """No package has this name."""

    def find(package):
        if not (index / package).exists():
            raise PackageNotFoundError(package)

    sys.modules["ament_index_python"] = types.ModuleType("ament_index_python")
    sys.modules["ament_index_python.packages"] = types.ModuleType("ament_index_python.packages")
    vars(sys.modules["ament_index_python.packages"]).update(PackageNotFoundError=PackageNotFoundError, get_package_prefix=find)

HAS_LAUNCH = "ROS 2" in kind


def start(script, **given):
    """Returns the nodes that a launch file starts with these arguments."""
    if not HAS_LAUNCH:
        return script["start"](types.SimpleNamespace(launch_configurations=given))
    context = launch.LaunchContext()
    context.launch_configurations.update(given)
    return script["start"](context)


def plain(value):
    """Returns a value of a node without the substitutions of the launch packages."""
    if isinstance(value, (list, tuple)):
        parts = [plain(part) for part in value]
        is_text = HAS_LAUNCH and value and all(hasattr(part, "perform") for part in value)
        return "".join(parts) if is_text else parts
    return value.perform(launch.LaunchContext()) if HAS_LAUNCH and hasattr(value, "perform") else value


def field(node, name):
    """Returns a field of a node: of the launch packages, or of a recorder."""
    names = {"executable": "node_executable", "package": "package", "namespace": "node_namespace"}
    found = vars(node).get(f"_Node__{names.get(name, name)}" if HAS_LAUNCH else name)
    return plain(found)


def executables(nodes):
    return [field(node, "executable") for node in nodes]


def check_arguments(script):
    names = [e.name for e in script["generate_launch_description"]().entities if hasattr(e, "default_value")]
    expected = ["world", "pace", "ros_backend", "view", "record", "namespace", "use_sim_time", "options", "robot", "rviz", "state_publisher", "joy", "ekf",
                "nav2", "nav2_params", "nav2_depths", "nav2_cmd_vel", "map"]
    assert names == expected, f"arguments: found {names}, expected {expected}"


GIVEN = dict(world="uvms_pool", pace="max", ros_backend="native", view="false", record="a.mcap", namespace="sea", use_sim_time="false", options="", robot="",
             rviz="false", state_publisher="false", joy="false", ekf="", nav2="", nav2_params="", nav2_depths="", nav2_cmd_vel="", map="")


def check_simulator(script):
    """The arguments of the launch file are options of the simulator."""
    (node,) = start(script, **GIVEN)
    found = [field(node, name) for name in ("package", "executable", "namespace")] + field(node, "arguments")
    expected = ["merrow", "merrow", "sea", "run", "uvms_pool", "--pace", "max", "--ros-backend", "native", "--record", "a.mcap"]
    assert found == expected, f"node: found {found}, expected {expected}"
    (node,) = start(script, **GIVEN | dict(view="true", options="--checkpoint 'my folder/a.bin' --autopilot"))
    found = field(node, "arguments")[6:]
    assert found == ["--view", "--record", "a.mcap", "--checkpoint", "my folder/a.bin", "--autopilot"], found


def check_programs(script, namespace, scope):
    """The programs around the simulator use the topics of the robot, also in a namespace and for a robot with another
    name than in the parameter file.
    """
    given = GIVEN | dict(robot="usv", rviz="true", state_publisher="true", joy="true", ekf="wamv", options="--autopilot", namespace=namespace)
    nodes = start(script, **given)
    names = executables(nodes)
    assert names == ["rviz2", "robot_state_publisher", "joy_node", "ekf_node", "navsat_transform_node", "merrow"], names
    rviz, publisher, joy, ekf, navsat, simulator = nodes
    assert field(simulator, "arguments")[-1] == "--autopilot", vars(simulator)
    if not HAS_LAUNCH:
        assert simulator.parameters == [{"use_sim_time": False, "usv.publish_truth_tf": False}], vars(simulator)
    shown = pathlib.Path(field(rviz, "arguments")[1]).read_text()
    assert shown == f"Value: /{scope}/odometry/filtered\nTarget Frame: usv/base_link\n", shown
    assert [field(node, "namespace") for node in (publisher, joy)] == [scope, scope], names
    remapped = dict(field(navsat, "remappings"))
    assert remapped == {"imu": f"/{scope}/imu/data", "gps/fix": f"/{scope}/gps/fix", "odometry/filtered": f"/{scope}/odometry/filtered",
                        "odometry/gps": f"/{scope}/odometry/gps"}, remapped
    assert dict(field(ekf, "remappings")) == {"odometry/filtered": f"/{scope}/odometry/filtered"}, vars(ekf)
    assert [field(node, "namespace") for node in (ekf, navsat)] == [namespace, namespace], names
    if not HAS_LAUNCH:
        state = ekf.parameters[1]["initial_state"]
        assert state[:5] == [4, -2, 6, 0, 0] and abs(state[5] - 1.5708) < 1e-4 and state[6:] == [0.0] * 9, state
        assert "initial_state" not in navsat.parameters[1], vars(navsat)
    for has_odom, frame in ((False, "world"), (True, "odom")):
        path = script["estimator_file"](str(share), "wamv", scope, "usv", DESCRIBED, has_odom)[0]
        text = pathlib.Path(path).read_text()
        assert "datum: [12.500000000, -3.000000000, 0.0]" in text, text
        found = [re.search(rf"\b{key}: (\S+)", text)[1] for key in ("imu0", "odom0", "base_link_frame", "odom_frame", "world_frame")]
        assert found == [f"/{scope}/imu/data", f"/{scope}/odometry/gps", "usv/base_link", frame, frame], found


NAV2 = ["controller_server", "smoother_server", "planner_server", "behavior_server", "velocity_smoother", "bt_navigator", "waypoint_follower",
        "lifecycle_manager"]


def nav2_parameters(node):
    """Returns the parameters in the file of a node of Nav2, by node."""
    (path,) = [plain(file) for file in node.parameters] if not HAS_LAUNCH else [str(node._Node__parameters[0].evaluate(launch.LaunchContext()))]
    text = pathlib.Path(path).read_text()
    # the parser of rcl knows no aliases, and a word with $ is text
    assert "$" not in re.sub("#.*", "", text) and not re.search("[&*]\\w", re.sub("#.*", "", text)), text
    return {name.removeprefix("/**/"): own["ros__parameters"] for name, own in load_yaml(text).items()}


def check_nav2(script):
    """The parameters of Nav2 follow from the boat, its sensors, the map, the frames and the pace."""
    nodes = start(script, **GIVEN | dict(nav2="wamv", pace="2", namespace=""))
    assert executables(nodes) == [*NAV2, "merrow"], executables(nodes)
    assert [dict(field(node, "remappings")).get("cmd_vel") for node in nodes[:5]] == ["cmd_vel_nav", None, None, "cmd_vel_nav", "cmd_vel_nav"]
    assert dict(field(nodes[4], "remappings"))["cmd_vel_smoothed"] == "/usv/cmd_vel"
    own = nav2_parameters(nodes[0])
    controller, costmap, smoother = own["controller_server"], own["global_costmap"], own["velocity_smoother"]
    # MPPI commands seconds ahead of the measured speed; at a slower pace, a step is a period of the controller
    mppi = controller["MPPI"]
    found = [mppi[key] for key in ("model_dt", "time_steps", "vx_max", "wz_max", "ax_max", "az_max", "prune_distance")]
    assert found == [0.1, 60, 2.0, 0.35, 1.75, 1.4, 12.0], mppi
    assert mppi["model_dt"] * mppi["time_steps"] * mppi["vx_max"] < own["local_costmap"]["width"] / 2, own
    slow = nav2_parameters(start(script, **GIVEN | dict(nav2="usv", pace="0.5"))[0])["controller_server"]
    assert (slow["controller_frequency"], slow["MPPI"]["model_dt"], slow["MPPI"]["time_steps"]) == (5.0, 0.2, 30), slow
    # the WAM-V at two times the pace; lake level 6 m; the inclined and the tilting laser are not used
    assert (controller["controller_frequency"], smoother["smoothing_frequency"]) == (20.0, 40.0), own
    assert smoother["max_velocity"] == [2.0, 0.0, 0.35] and smoother["max_accel"] == [0.35, 0.0, 0.28], smoother
    assert costmap["footprint"] == "[[-3.000, -1.000], [2.000, -1.000], [2.000, 1.000], [-3.000, 1.000]]", costmap
    layer = costmap["obstacle_layer"]
    assert layer["observation_sources"] == "laser lidar" and layer["lidar"]["topic"] == "/usv/lidar/points", layer
    assert (layer["laser"]["data_type"], layer["laser"]["min_obstacle_height"], layer["lidar"]["max_obstacle_height"]) == ("LaserScan", 6.4, 8.5), layer
    found = [layer[name][key] for name in ("laser", "lidar") for key in ("obstacle_max_range", "raytrace_max_range")]
    assert found == [27.0, 30.0, 40.0, 45.0], layer
    assert costmap["plugins"] == ["static_layer", "obstacle_layer", "inflation_layer"] and not costmap["rolling_window"], costmap
    assert costmap["static_layer"]["map_topic"] == "/map" and own["local_costmap"]["plugins"] == ["obstacle_layer", "inflation_layer"], own
    assert (costmap["global_frame"], own["bt_navigator"]["odom_topic"]) == ("world", "/usv/odometry"), own
    for tree in "pose", "through_poses":
        text = pathlib.Path(own["bt_navigator"][f"default_nav_{'to_' if tree == 'pose' else ''}{tree}_bt_xml"]).read_text()
        assert "$" not in text and "<root" in text, text
    nodes = start(script, **GIVEN | dict(nav2="usv", pace="realtime", map="true", ekf="wamv", namespace="sea"))
    names = executables(nodes)
    assert names == ["ekf_node", "navsat_transform_node", *["static_transform_publisher"] * 2, *NAV2, "merrow"], names
    assert field(nodes[-1], "arguments")[-4:] == ["--set", "map.depth_m=0.60", "--set", "map.clearance_m=2.40"], field(nodes[-1], "arguments")
    own = nav2_parameters(nodes[4])
    assert own["controller_server"]["odom_topic"] == "/sea/usv/odometry/filtered", own
    assert own["global_costmap"]["static_layer"]["map_topic"] == "/sea/map", own
    assert [own[name]["global_frame"] for name in ("local_costmap", "global_costmap", "bt_navigator")] == ["odom", "map", "map"], own
    assert own["local_costmap"]["obstacle_layer"]["laser"]["min_obstacle_height"] == 0.4, own
    own = nav2_parameters(start(script, **GIVEN | dict(nav2="usv", pace="1", map="false"))[0])
    assert own["global_costmap"]["plugins"] == ["obstacle_layer", "inflation_layer"] and own["global_costmap"]["rolling_window"], own
    nodes = start(script, **GIVEN | dict(nav2="usv", pace="1", map=__file__))
    assert executables(nodes)[0] == "map_server" and nav2_parameters(nodes[0])["map_server"]["yaml_filename"] == __file__
    # a boat without sensors, whose accelerations are not known; the page explains every word
    page = (pathlib.Path(__file__).parents[1] / "docs/tutorials/navigation_stack.md").read_text()
    bare = BOAT | {"sensors": [], "navigation": BOAT["navigation"] | {"max_acceleration": {"surge_m_s2": None, "yaw_rad_s2": None}}}
    values = sys.modules["merrow_nav2"].values(bare, DESCRIBED, "usv", "1", False, "", "", [], None)
    assert (values["acceleration"], values["yaw_acceleration"]) == ("0.50", "0.40") and "sources: \"\"" in values["obstacle_layer"], values
    missing = [word for word in values if f"`${word}`" not in page]
    assert not missing, f"words that {page[:20]!r} does not explain: {missing}"
    own_file = prefix / "own.yaml"
    for text, expected in (("a: $nope", "found the word $nope, expected one of acceleration, "), ("a: $", "expected a word after each dollar sign")):
        own_file.write_text(text)
        try:
            start(script, **GIVEN | dict(nav2="usv", pace="1", nav2_params=str(own_file)))
        except RuntimeError as error:
            assert expected in str(error), error
        else:
            raise AssertionError(f"{text} is accepted")
    for wrong, expected in (
        (dict(nav2="otter"), "nav2: found 0 robots with the name or the model otter, expected one of usv, rov"),
        (dict(nav2="usv", robot="uav"), "found usv and robot:=uav"),
        (dict(nav2="usv", pace="max"), "found pace:=max, expected realtime or a factor"),
        (dict(nav2="usv", pace="0"), "found pace:=0, expected realtime or a factor"),
        (dict(nav2="usv", map="none.yaml"), "map: found no file none.yaml, expected true, false or the path"),
        (dict(nav2="usv", nav2_params="none"), "expected the path of a file or one of boat, rov"),
        (dict(nav2="usv", nav2_depths="1,4"), "nav2_depths: found 1,4 for the boat usv, expected an underwater vehicle"),
        (dict(nav2="rov", nav2_depths="4,1"), "nav2_depths: found 4,1, expected the shallowest and the deepest depth of rov in m, such as 1,4, of"),
        (dict(nav2="rov", nav2_depths="0.4,1"), "of at least 0.50 m"),
        (dict(nav2="rov", nav2_depths="deep"), "nav2_depths: found deep, expected"),
        (dict(nav2="rov", nav2_depths="1,inf"), "nav2_depths: found 1,inf, expected"),
    ):
        try:
            start(script, **GIVEN | dict(pace="1") | wrong)
        except RuntimeError as error:
            assert expected in str(error), error
        else:
            raise AssertionError(f"{wrong} is accepted")


def check_underwater(script):
    """The parameters of Nav2 for an underwater vehicle: its sonars, the slab of its depths, and the node that adds the depth."""
    nodes = start(script, **GIVEN | dict(nav2="rov", nav2_depths="1,4", pace="1", namespace=""))
    assert executables(nodes) == ["depth_controller", *NAV2, "merrow"], executables(nodes)
    depth = nodes[0]
    assert dict(field(depth, "remappings")) == {"cmd_vel": "/rov/cmd_vel", "altimeter": "/rov/altimeter/range", "odometry": "/rov/odometry"}
    if not HAS_LAUNCH:
        (given,) = depth.parameters
        assert (given["shallowest_m"], given["deepest_m"], given["min_altitude_m"], given["altimeter_below_m"]) == (1, 4, 0.5, 0.1), given
        assert abs(given["max_heave_m_s"] - 0.35) < 1e-9, given
    assert dict(field(nodes[5], "remappings"))["cmd_vel_smoothed"] == "cmd_vel_plane"
    # the hull reaches from 0.2 m above the base to 0.1 m below it, with 0.3 m of room
    expected = ["clearance_m=null", "water_level_m=0", "depth_m=4.40", "top_depth_m=0.50", "resolution_m=0.2"]
    assert field(nodes[-1], "arguments")[-10:] == [word for key in expected for word in ("--set", f"map.{key}")], field(nodes[-1], "arguments")
    own = nav2_parameters(nodes[1])
    controller, layer = own["controller_server"]["FollowPath"], own["global_costmap"]["obstacle_layer"]
    assert (controller["motion_model"], controller["vx_max"], controller["vy_max"], controller["wz_max"]) == ("Omni", 0.5, 0.42, 0.56), controller
    assert layer["observation_sources"] == "sonar scanner" and layer["scanner"]["topic"] == "/rov/scanner/bearing", layer
    for heights in layer, layer["sonar"]:
        assert (heights["min_obstacle_height"], heights["max_obstacle_height"]) == (-4.4, -0.5), layer
    assert own["velocity_smoother"]["max_velocity"] == [0.5, 0.42, 0.56] and "static_layer" in own["global_costmap"]["plugins"], own
    for tree in "to_pose", "through_poses":
        text = pathlib.Path(own["bt_navigator"][f"default_nav_{tree}_bt_xml"]).read_text()
        assert f'server_name="depth/compute_path_{tree}"' in text and 'server_name="depth/reach"' in text, text
    # one metre about the start, no map, and an autopilot
    nodes = start(script, **GIVEN | dict(nav2="bluerov2", pace="1", map="false", nav2_cmd_vel="/mavros/cmd_vel"))
    assert dict(field(nodes[0], "remappings"))["cmd_vel"] == "/mavros/cmd_vel", vars(nodes[0])
    assert "map.depth_m" not in str(field(nodes[-1], "arguments")), field(nodes[-1], "arguments")
    if not HAS_LAUNCH:
        assert (nodes[0].parameters[0]["shallowest_m"], nodes[0].parameters[0]["deepest_m"]) == (2, 4), nodes[0].parameters
    kind = sys.modules["merrow_nav2"].vehicle_kind
    limits = ROV["navigation"]["max_velocity"]
    moved = lambda **velocity: {"navigation": ROV["navigation"] | {"max_velocity": limits | velocity}}  # noqa: E731
    for wrong, expected in (
        ({"navigation": None}, "nav2: rov accepts no velocity commands; expected a robot with a firmware"),
        (moved(sway_m_s=0), "nav2: rov does not control sway; expected an underwater vehicle that controls surge, sway, heave and yaw"),
        ({"displaced_volume_m3": 0.001}, "nav2: rov is heavier than water; expected a boat, or an underwater vehicle"),
        (moved(heave_m_s=0), "nav2: rov does not float; expected a boat that floats and controls surge and yaw"),
        (moved(heave_m_s=0, yaw_rad_s=0) | {"at_rest": {"floats": True}}, "nav2: rov does not control yaw; expected a boat"),
    ):
        try:
            kind(ROV | wrong)
        except RuntimeError as error:
            assert str(error).startswith(expected), error
        else:
            raise AssertionError(f"{wrong} is accepted")


def with_recorders(names, needed, **others):
    """Replaces the modules `names`, each with its classes, by recorders where the module `needed` cannot be imported."""
    try:
        importlib.import_module(needed)
    except ImportError:
        for name, content in names.items():
            sys.modules[name] = types.ModuleType(name)
            vars(sys.modules[name]).update({own: type(own, (), {}) for own in content.split()} | others)


def check_depth_controller():
    """The laws of the depth controller, with recorders in place of rclpy where this is not installed."""
    names = {"rclpy": "", "rclpy.action": "ActionClient ActionServer CancelResponse", "rclpy.exceptions": "ParameterException", "rclpy.executors": "ExternalShutdownException",
             "rclpy.node": "Node", "rclpy.qos": "qos_profile_sensor_data", "rclpy.task": "Future", "action_msgs": "", "action_msgs.msg": "GoalStatus",
             "geometry_msgs": "", "geometry_msgs.msg": "Twist", "nav_msgs": "", "nav_msgs.msg": "Odometry Path", "sensor_msgs": "",
             "sensor_msgs.msg": "Range", "nav2_msgs": "", "nav2_msgs.action": "ComputePathThroughPoses ComputePathToPose DriveOnHeading"}
    with_recorders(names, "nav2_msgs.action")
    own = types.SimpleNamespace(**runpy.run_path(str(share / "scripts" / "depth_controller")))
    assert [own.vertical_speed(e, 0.5, 0.35) for e in (0.2, -0.2, 3, -3)] == [0.1, -0.1, 0.35, -0.35]
    # the goal, the bed, and the depths of the map
    found = [own.reference_height(goal, bed, -4, -1) for goal, bed in ((-3, None), (-3, -3.5), (-3, -2.5), (-3, -0.5), (-5, None), (0, None))]
    assert found == [-3, -3, -2.5, -1, -4, -1], found
    assert [own.refusal(height, -4, -1) for height in (-4, -1)] == [None, None]
    for height, expected in ((-5, "the goal is 5.00 m deep; expected a depth from 1.00 m to 4.00 m"), (0.5, "the goal is 0.50 m above mean sea level;"),
                             (float("nan"), "the depth of the goal is not finite")):
        assert own.refusal(height, -4, -1).startswith(expected), height
    # a descent of 0.8 m per metre to the first goal at x = 2, then a climb to the second
    points = [(x, 0) for x in range(6)]
    found = own.add_heights(points, -1, [(2, 0, -3), (5, 0, -2.5)], 0.8)
    assert all(abs(a - b) < 1e-9 for a, b in zip(found, [-1, -1.8, -2.6, -2.5, -2.5, -2.5])) and len(found) == 6, found
    assert own.add_heights([], -1, [(2, 0, -3)], 0.8) == [] and own.add_heights(points, -1, [], 0.8) == []


def check_ardusub_relay():
    """The attitude that ArduSub receives, with recorders in place of rclpy and pymavlink where these are not installed."""
    names = {"rclpy": "", "rclpy.executors": "ExternalShutdownException", "rclpy.node": "Node", "rclpy.qos": "qos_profile_sensor_data",
             "rclpy.utilities": "remove_ros_args", "geometry_msgs": "", "geometry_msgs.msg": "Twist", "nav_msgs": "", "nav_msgs.msg": "Odometry"}
    with_recorders(names, "rclpy.utilities")
    mavlink = types.SimpleNamespace(**{f"POSITION_TARGET_TYPEMASK_{axis}_IGNORE": 0 for axis in ("X", "Y", "Z", "AX", "AY", "AZ", "YAW")})
    with_recorders({"pymavlink": ""}, "pymavlink.mavutil", mavutil=types.SimpleNamespace(mavlink=mavlink))
    own = types.SimpleNamespace(**runpy.run_path(str(share / "scripts" / "ardusub_relay")))
    half = 0.5**0.5
    # bow to the east, to the north, and to the east with the bow down by 90 degrees
    for (x, y, z, w), expected in (((0, 0, 0, 1), (half, 0, 0, half)), ((0, 0, half, half), (1, 0, 0, 0)), ((0, half, 0, half), (0.5, 0.5, -0.5, 0.5))):
        found = own.in_ned(types.SimpleNamespace(x=x, y=y, z=z, w=w))
        sign = 1 if sum(a * b for a, b in zip(found, expected)) > 0 else -1
        assert all(abs(sign * a - b) < 1e-12 for a, b in zip(found, expected)), (found, expected)


def check_errors(script):
    """A missing robot and a missing parameter file are one line each."""
    for wrong, expected in (
        (dict(robot="", joy="true"), "joy: found no robot, expected robot:=NAME"),
        (dict(robot="", ekf="wamv"), "ekf: found no robot, expected robot:=NAME"),
        (dict(options="--record 'a"), "options: No closing quotation; expected closed quotes"),
        (dict(robot="r", ekf="boat"), "expected the path of a file or one of bluerov2, wamv"),
        (dict(robot="r", ekf="wamv"), "wamv.yaml needs /r/imu/data, which r does not publish in this world"),
        (dict(robot="r", rviz="true", world="none"), "merrow layout none --robot r"),
    ):
        try:
            start(script, **GIVEN | wrong)
        except RuntimeError as error:
            assert expected in str(error), error
        else:
            raise AssertionError(f"{wrong} is accepted")


def check_missing_packages(script, package, **given):
    """A missing package is one line that names the package to install, and no program starts."""
    path, distro = os.environ["AMENT_PREFIX_PATH"], os.environ.get("ROS_DISTRO")
    os.environ.update(AMENT_PREFIX_PATH=str(prefix), ROS_DISTRO="jazzy")
    (index / package).unlink()
    try:
        start(script, **given)
    except RuntimeError as error:
        apt = f"ros-jazzy-{package.replace('_', '-')}"
        assert str(error) == f"package {package} is not installed; run: sudo apt install {apt}", error
    else:
        raise AssertionError(f"{package}: a missing package is accepted")
    finally:
        (index / package).touch()
        os.environ["AMENT_PREFIX_PATH"] = path
        if distro is None:
            del os.environ["ROS_DISTRO"]
        else:
            os.environ["ROS_DISTRO"] = distro


CONTROL = dict(pace="max", ros_backend="native", plugin="topic_based_ros2_control/TopicBasedSystem")


def check_controllers(script):
    """The controller manager has the description of the robot with its hardware."""
    nodes = start(script, **CONTROL)
    expected = ["robot_state_publisher", "ros2_control_node", "spawner", "spawner", "merrow"]
    assert executables(nodes) == expected, executables(nodes)
    assert field(nodes[-1], "arguments") == ["run", "uvms_pool_servo", "--pace", "max", "--ros-backend", "native"], vars(nodes[-1])
    broadcaster, (*controller, file) = [field(node, "arguments") for node in nodes[2:4]]
    assert [broadcaster, controller] == [["joint_state_broadcaster"], ["joint_trajectory_controller", "--param-file"]], nodes
    assert pathlib.Path(file).resolve() == share / "config/ros2_control/osu_uvms_controllers.yaml", file
    if not HAS_LAUNCH:
        description, controllers = nodes[1].parameters
        assert "<plugin>topic_based_ros2_control/TopicBasedSystem</plugin>" in description["robot_description"], description
        assert pathlib.Path(controllers).is_file(), controllers
    hardware = (share / "config/ros2_control/osu_uvms.xml").read_text()
    joints = re.findall(r'joint name="(\w+)">(.*?)</joint>', hardware, re.DOTALL)
    values = {name: re.findall(r'initial_value">([-\d.]+)<', text) for name, text in joints}
    assert all(len(pair) == 2 and pair[0] == pair[1] for pair in values.values()), values
    assert all('state_interface name="effort"' in text for _, text in joints), joints
    initial = {name: pair[0] for name, pair in values.items()}
    world = re.search(r"joint_positions: {(.*)}", (pathlib.Path(__file__).parents[1] / "worlds/uvms_pool.yaml").read_text())[1]
    assert initial == dict(re.findall(r"(\w+): ([-\d.]+)", world)), (initial, world)


PLAN = {"boat": "usv", "boat_nodes": ["estimator", "mapper", "planner", "pilot", "runner", "water_sampler"], "drone": "uav",
        "drone_nodes": ["pad_finder"], "way_points_m": [[57.0, -45.0], [9.0, 20.0]]}
MISSION = dict(navigation="own", pace="realtime", seed="", way_points="", scout_time="60", drones="true", time_limit="900", out="out", options="", program="")


def check_mission(script):
    """The mission starts the simulator, its nodes or Nav2 in place of some of them, and the score, whose end ends the launch."""
    own = prefix / "river_mission"
    own.write_text(f"""#!/bin/sh
[ "$1" = describe ] || exit 1
case "$*" in *"--way-points none"*) echo "error: invalid value" >&2; exit 2;; esac
echo '{json.dumps(dict(pairs=[PLAN]))}'
""")
    own.chmod(0o755)
    given = MISSION | dict(program=str(own))
    # the program, or the Python of the runner, is the first word
    processes = lambda started: [process.cmd[1:] for process in started[1:]]  # noqa: E731
    simulator, *_ = started = start(script, **given)
    assert simulator.positional == (str(share / "launch/sim.launch.py"),), vars(simulator)
    found = dict(simulator.launch_arguments)
    assert found == {"world": found["world"], "pace": "realtime", "options": ""} and pathlib.Path(found["world"]).is_file(), found
    names = [words[1:4:2] if words[0] == "node" else words[:1] for words in processes(started)]
    expected = [[name, "usv"] for name in PLAN["boat_nodes"]] + [["pad_finder", "uav"], ["score"]]
    assert names == expected, names
    assert hasattr(started[-1], "on_exit"), vars(started[-1])
    simulator, *_ = started = start(script, **given | dict(navigation="nav2", pace="0.5", seed="3", options="--set 'a b=1'", way_points="2", drones="false"))
    found = dict(simulator.launch_arguments)
    expected = {"nav2": "usv", "ekf": "wamv", "world": found["world"], "pace": "0.5", "options": "--seed 3 --set 'a b=1'"}
    assert found == expected, found
    sampler, finder, runner, score = processes(started)
    plan = ["--scout-time", "60", "--way-points", "2", "--no-drones"]
    ros = ["--ros-args", "-p", "use_sim_time:=true", "-r", "/usv/mission/odometry:=/usv/odometry/filtered"]
    assert sampler == ["node", "water_sampler", "--robot", "usv", *plan, *ros], sampler
    assert finder[1:4] == ["pad_finder", "--robot", "uav"] and runner[1:] == ["usv", "57.0", "-45.0", "9.0", "20.0", *ros], runner
    assert pathlib.Path(runner[0]).is_file(), runner
    assert score == ["score", *plan, "--time-limit", "900", "--out", "out", "--merrow", str(program), *ros], score
    for wrong, expected in (
        (dict(navigation="nav"), "navigation: found nav, expected own or nav2"),
        (dict(pace="lockstep"), "pace: found lockstep, expected realtime or a factor"),
        (dict(program="/none"), "program: found no /none; run: cargo build -p river_mission"),
        (dict(way_points="none"), "river_mission describe: error: invalid value"),
    ):
        try:
            start(script, **given | wrong)
        except RuntimeError as error:
            assert expected in str(error), error
        else:
            raise AssertionError(f"{wrong} is accepted")


simulation = runpy.run_path(sys.argv[1])
check_arguments(simulation)
check_simulator(simulation)
for namespace, scope in (("", "usv"), ("sea", "sea/usv"), ("/sea/", "sea/usv")):
    check_programs(simulation, namespace, scope)
check_nav2(simulation)
check_underwater(simulation)
if (share / "scripts").is_dir():
    check_depth_controller()
    check_ardusub_relay()
check_errors(simulation)
robot = GIVEN | dict(robot="usv")
for package, given in (("rviz2", dict(rviz="true")), ("robot_state_publisher", dict(state_publisher="true")), ("joy", dict(joy="true")),
                       ("robot_localization", dict(ekf="wamv")), ("nav2_planner", dict(nav2="usv", pace="1"))):
    check_missing_packages(simulation, package, **robot | given)
if not HAS_LAUNCH:
    check_mission(runpy.run_path(str(pathlib.Path(__file__).parents[1] / "examples/river_mission/launch/river_mission.launch.py")))
control = runpy.run_path(str(share / "launch/uvms_control.launch.py"))
check_controllers(control)
for package in ("controller_manager", "joint_state_broadcaster", "joint_trajectory_controller", "topic_based_ros2_control"):
    check_missing_packages(control, package, **CONTROL)
print("launch files tested with", kind)
