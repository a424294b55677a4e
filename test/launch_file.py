"""Checks that the launch file starts the nodes that its arguments request. Without the launch packages of ROS 2,
recorders replace the names that it imports: syntax and node arguments are still tested.

    python3 test/launch_file.py launch/sim.launch.py
"""

import pathlib
import runpy
import sys
import types

try:
    import launch, launch_ros.actions
    kind = "the launch packages of ROS 2"
except ImportError:
    kind = "recorders in place of the launch packages"
    def module(name, **names):
        sys.modules[name] = types.ModuleType(name)
        vars(sys.modules[name]).update(names)

    record = lambda *a, **k: types.SimpleNamespace(positional=a, **k)
    text = lambda value: "".join(str(part) for part in value) if isinstance(value, list) else str(value)
    argument = lambda name, **k: types.SimpleNamespace(name=name, **k)
    value = lambda name: types.SimpleNamespace(perform=lambda context: context.launch_configurations[name])
    module("launch", LaunchDescription=lambda entities: types.SimpleNamespace(entities=entities))
    module("launch.actions", DeclareLaunchArgument=argument, OpaqueFunction=record)
    module("launch.substitutions", LaunchConfiguration=value, Command=text)
    module("launch_ros")
    module("launch_ros.actions", Node=record)
    module("launch_ros.parameter_descriptions", ParameterValue=lambda value, value_type: value)
    module("launch_ros.substitutions", ExecutableInPackage=lambda executable, package: f"<{executable}>",
           FindPackageShare=lambda _: types.SimpleNamespace(perform=lambda _: str(pathlib.Path(sys.argv[1]).parents[1])))

script = runpy.run_path(sys.argv[1])
names = [e.name for e in script["generate_launch_description"]().entities if hasattr(e, "default_value")]
expected = ["world", "pace", "ros_backend", "record", "namespace", "use_sim_time", "options", "robot", "rviz", "state_publisher", "joy", "ekf"]
assert names == expected, f"arguments: found {names}, expected {expected}"

given = dict(world="uvms_pool", pace="max", ros_backend="native", record="a.mcap", namespace="sea", use_sim_time="false", options="", robot="", rviz="false",
             state_publisher="false", joy="false", ekf="")
if "ROS 2" in kind:
    context = launch.LaunchContext()
    context.launch_configurations.update(given)
    (node,) = script["start"](context)
    found = [node.node_package, node.node_executable]
    # the arguments after --ros-args are known only once the process starts
    for part in node.cmd[1:]:
        text = "".join(p.perform(context) for p in part)
        if text == "--ros-args":
            break
        found.append(text)
else:
    (node,) = script["start"](types.SimpleNamespace(launch_configurations=given))
    assert node.namespace == "sea" and node.parameters == [{"use_sim_time": False}], vars(node)
    found = [node.package, node.executable, *node.arguments]
    given |= dict(robot="bluerov2", rviz="true", state_publisher="true", joy="true", ekf="wamv", options="--autopilot")
    nodes = script["start"](types.SimpleNamespace(launch_configurations=given))
    names = [node.executable for node in nodes]
    assert names == ["merrow", "rviz2", "robot_state_publisher", "joy_node", "ekf_node", "navsat_transform_node"], names
    assert nodes[0].arguments[-1] == "--autopilot" and nodes[0].parameters[0]["publish_truth_tf"] is False, vars(nodes[0])
    assert "/bluerov2/robot_description" in pathlib.Path(nodes[1].arguments[1]).read_text()
    given["robot"] = ""
    try:
        script["start"](types.SimpleNamespace(launch_configurations=given))
        raise AssertionError("robot is not required")
    except RuntimeError as error:
        assert "expected robot:=NAME" in str(error), error
expected = ["merrow", "merrow", "run", "uvms_pool", "--pace", "max", "--ros-backend", "native", "--record", "a.mcap"]
assert found == expected, f"node: found {found}, expected {expected}"
print("launch file tested with", kind)
