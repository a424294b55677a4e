"""Nav2 for a boat: the parameters that follow from its model, its world and the pace, and the nodes of Nav2."""

import math
import os
import string

from launch_ros.actions import Node

# programs of Nav2 by their packages, in the order in which the lifecycle manager activates them
SERVERS = {
    "nav2_map_server": "map_server",
    "nav2_controller": "controller_server",
    "nav2_smoother": "smoother_server",
    "nav2_planner": "planner_server",
    "nav2_behaviors": "behavior_server",
    "nav2_velocity_smoother": "velocity_smoother",
    "nav2_bt_navigator": "bt_navigator",
    "nav2_waypoint_follower": "waypoint_follower",
}
# packages without which no server can be started
PACKAGES = [*SERVERS, "nav2_lifecycle_manager", "nav2_navfn_planner", "nav2_smac_planner",
            "nav2_regulated_pure_pursuit_controller", "nav2_mppi_controller"]

# rates of the controller, of the velocity smoother and of the planner in simulated time [Hz]
CONTROLLER_HZ, SMOOTHER_HZ, PLANNER_HZ = 10, 20, 1
# share of the maximum yaw rate and accelerations that Nav2 commands, so that the boat can follow
SHARE = 0.7
# largest accelerations that Nav2 commands [m/s2, rad/s2]
ACCELERATION, YAW_ACCELERATION = 0.5, 0.4
# time for which MPPI predicts the motion, and in which a boat has the speed of a command [s]
HORIZON_S, RESPONSE_S = 6.0, 1.0
# sensors whose beams do not move with the sensor, by the type of their messages; a sensor that is
# inclined by more than MAX_TILT_DEG sees the water
SOURCES = {"sensor_msgs/msg/LaserScan": ("laser", "LaserScan"), "sensor_msgs/msg/PointCloud2": ("lidar", "PointCloud2")}
MAX_TILT_DEG = 5
# height above the water from which echoes are obstacles, above the waves [m]
OBSTACLE_HEIGHT = 0.4
# distances up to which echoes mark cells, and up to which beams clear them [m]
MARKED, CLEARED = 40.0, 45.0
# water below the keel, and air above the mast [m]
UNDER_KEEL, MARGIN = 0.3, 1.0
# width of the inflation about the circle of the boat [m], and its decay [1/m]
INFLATION, COST_SCALING = 3.0, 0.7


def find_boat(world, name):
    """Returns the boat `name`, or the only robot with the model of this name. `world`: what `merrow describe --json`
    prints.
    """
    robots = [robot for robot in world["robots"] if robot["section"] == "robots"]
    found = [robot for robot in robots if robot["name"] == name]
    found = found or [robot for robot in robots if robot["model"] == name or robot["model"].startswith(f"{name}_")]
    if len(found) != 1:
        names = ", ".join(robot["name"] for robot in robots)
        raise RuntimeError(f"nav2: found {len(found)} robots with the name or the model {name}, expected one of {names}")
    boat = found[0]
    navigation = boat["navigation"]
    at_rest = boat["at_rest"] or {}
    if navigation is None:
        raise RuntimeError(f"nav2: {boat['name']} accepts no velocity commands; expected a boat with a firmware")
    limits = navigation["max_velocity"]
    controls = limits["surge_m_s"] > 0 and limits["yaw_rad_s"] > 0
    if not at_rest.get("floats") or limits["heave_m_s"] > 0 or not controls:
        raise RuntimeError(f"nav2: {boat['name']} is not a boat; expected a robot that floats and controls surge and yaw")
    if not navigation["footprint_m"]:
        raise RuntimeError(f"nav2: {boat['name']} has no footprint; expected collision shapes in its body")
    return boat


def pace_factor(pace):
    """Returns the factor of the pace, by which the rates of servers that count wall time are multiplied."""
    if pace == "realtime":
        return 1.0
    try:
        factor = float(pace)
    except ValueError:
        factor = math.nan
    if not 0 < factor < math.inf:
        raise RuntimeError(f"nav2: found pace:={pace}, expected realtime or a factor, because Nav2 counts wall time")
    return factor


def water_level(boat):
    """Returns the height of the water at the boat at the start [m]."""
    return boat["start"]["position_m"][2]


def map_options(boat):
    """Returns the options of the simulator that publish the map with the depth and the height that the boat needs."""
    base = boat["at_rest"]["base_height_m"]
    draught = -(boat["navigation"]["height_m"][0] + base)
    depth, clearance = draught + UNDER_KEEL, base + mast_height(boat) + MARGIN
    return ["--set", f"map.depth_m={depth:.2f}", "--set", f"map.clearance_m={clearance:.2f}"]


def observations(boat, world, scope):
    """Returns the fixed lasers and lidars of the boat: name of the source, topic, type of message, range [m]."""
    fixed = {sensor["name"]: sensor for sensor in boat["sensors"]
             if sensor["link"] == "base_link" and all(abs(angle) < MAX_TILT_DEG for angle in sensor["attitude_deg"][:2])}
    found = []
    for topic in world["published"]:
        kind, data_type = SOURCES.get(topic["type"], (None, None))
        parts = topic["topic"].strip("/").split("/")
        if boat["name"] in parts[:-1]:
            sensor = parts[parts.index(boat["name"]) + 1]
            if kind and sensor in fixed and fixed[sensor]["kind"] == kind:
                own = f"/{scope}/{'/'.join(parts[parts.index(boat['name']) + 1:])}"
                found.append((sensor, own, data_type, fixed[sensor]["max_range_m"]))
    return found


def mast_height(boat):
    """Returns the height of the highest shape or sensor above the base [m]."""
    return max([boat["navigation"]["height_m"][1], *(sensor["position_m"][2] for sensor in boat["sensors"])])


def obstacle_layer(sources, lowest, highest):
    """Returns the obstacle layer of both cost maps, as YAML: echoes between two heights in the frame of the cost map [m]."""
    text = '{plugin: "nav2_costmap_2d::ObstacleLayer", enabled: true, footprint_clearing_enabled: true, '
    text += f'observation_sources: "{" ".join(name for name, _, _, _ in sources)}"'
    for name, topic, data_type, reach in sources:
        inf = "true" if data_type == "LaserScan" else "false"
        # a beam without an echo clears cells up to the range of the laser, and marks none
        marked, cleared = min(MARKED, 0.9 * reach), min(CLEARED, reach)
        text += (f", {name}: {{topic: {topic}, data_type: {data_type}, marking: true, clearing: true, inf_is_valid: {inf}, "
                 f"min_obstacle_height: {lowest:.2f}, max_obstacle_height: {highest:.2f}, "
                 f"obstacle_min_range: 0.3, obstacle_max_range: {marked:.1f}, raytrace_min_range: 0.0, "
                 f"raytrace_max_range: {cleared:.1f}}}")
    return text + "}"


def values(boat, world, scope, pace, has_estimate, map_topic, map_file, servers):
    """Returns the values that replace the words with $ in the files of Nav2."""
    navigation = boat["navigation"]
    limits = navigation["max_velocity"]
    # null: not known, as for a boat that a rudder turns
    surge, yaw = [SHARE * (navigation["max_acceleration"][key] or math.inf) for key in ("surge_m_s2", "yaw_rad_s2")]
    speed = navigation["path_speed_m_s"] or 0.5 * limits["surge_m_s"]
    yaw_rate = SHARE * limits["yaw_rad_s"]
    corners = navigation["footprint_m"]
    xs = [x for x, _ in corners]
    circle = max(math.hypot(x, y) for x, y in corners)
    acceptance = navigation["acceptance_radius_m"] or 2 * circle
    sources = observations(boat, world, scope)
    has_map = bool(map_topic)
    # with an estimator in two dimensions, the boat is at the height zero of the frame odom
    height = 0.0 if has_estimate else water_level(boat)
    # also without sources: a cost map whose only layer is the inflation is never current after it was cleared
    layers = ["obstacle_layer", "inflation_layer"]
    length = max(xs) - min(xs)
    factor = pace_factor(pace)
    slow = max(0.4, 0.25 * speed)
    acceleration, yaw_acceleration = min(ACCELERATION, surge), min(YAW_ACCELERATION, yaw)
    # MPPI refuses a step that is shorter than its period in wall time
    step = max(1 / CONTROLLER_HZ, 1 / (CONTROLLER_HZ * factor))
    lead = RESPONSE_S / (2 * step)
    text = lambda words: "[" + ", ".join(words) + "]"  # noqa: E731
    return {
        "global_frame": "map" if has_estimate else "world",
        "local_frame": "odom" if has_estimate else "world",
        "base_frame": f"{boat['name']}/base_link",
        "odometry": f"/{scope}/odometry" + ("/filtered" if has_estimate else ""),
        "speed": f"{speed:.2f}",
        "slow_speed": f"{slow:.2f}",
        "approach_speed": f"{min(speed, 0.8):.2f}",
        "yaw_rate": f"{yaw_rate:.2f}",
        "acceleration": f"{acceleration:.2f}",
        "yaw_acceleration": f"{yaw_acceleration:.2f}",
        "lead_acceleration": f"{lead * acceleration:.2f}",
        "lead_yaw_acceleration": f"{lead * yaw_acceleration:.2f}",
        "surge_std": f"{0.2 * speed:.3f}",
        "yaw_std": f"{0.3 * yaw_rate:.3f}",
        "horizon": f"{HORIZON_S * speed:.2f}",
        "model_step": f"{step:.6f}",
        "time_steps": f"{HORIZON_S / step:.0f}",
        "look_ahead": f"{navigation['look_ahead_m'] or 4 * speed:.2f}",
        # radius of the circle at full speed, and radius below which the boat slows down
        "circle": f"{speed / yaw_rate:.2f}",
        "turning_radius": f"{2 * speed / yaw_rate:.2f}",
        "goal_tolerance": f"{0.6 * acceptance:.2f}",
        "passing_distance": f"{0.75 * acceptance:.2f}",
        "length": f"{length:.2f}",
        "astern_s": f"{2 * length / slow + 5:.0f}",
        "footprint": text(f"[{x:.3f}, {y:.3f}]" for x, y in corners),
        "inflation_radius": f"{circle + INFLATION:.2f}",
        "cost_scaling": f"{COST_SCALING:.2f}",
        "local_size": f"{max(20, round(12 * circle)):d}",
        "obstacle_layer": obstacle_layer(sources, height + OBSTACLE_HEIGHT, height + mast_height(boat) + MARGIN),
        "local_layers": text(layers),
        "global_layers": text((["static_layer"] if has_map else []) + layers),
        "without_map": "false" if has_map else "true",
        "map_topic": map_topic or "/map",
        "map_file": map_file,
        "controller_hz": f"{CONTROLLER_HZ * factor:.1f}",
        "smoother_hz": f"{SMOOTHER_HZ * factor:.1f}",
        "planner_hz": f"{PLANNER_HZ * factor:.2f}",
        "servers": text(servers),
    }


def fill(path, own, write):
    """Returns the path of a copy of a file in which the values replace the words with $."""
    with open(path, encoding="utf-8") as file:
        template = string.Template(file.read())
    try:
        text = template.substitute(own)
    except KeyError as error:
        raise RuntimeError(f"nav2: {path}: found the word ${error.args[0]}, expected one of {', '.join(sorted(own))}") from None
    except ValueError as error:
        raise RuntimeError(f"nav2: {path}: {error}; expected a word after each dollar sign, or $$ for the sign itself") from None
    return write(text, os.path.splitext(path)[1])


def nodes(share, params, boat, world, scope, namespace, pace, has_estimate, map_topic, map_file, write):
    """Returns the nodes of Nav2 for a boat. `params`: name in config/nav2 or path of a parameter file. `write`: writes a file
    and returns its path.
    """
    folder = os.path.join(share, "config", "nav2")
    path = params if os.path.sep in params else os.path.join(folder, f"{params}.yaml")
    if not os.path.isfile(path):
        names = ", ".join(sorted(os.path.splitext(name)[0] for name in os.listdir(folder) if name.endswith(".yaml")))
        raise RuntimeError(f"nav2_params: found no file {path}, expected the path of a file or one of {names}")
    servers = {package: name for package, name in SERVERS.items() if map_file or name != "map_server"}
    own = values(boat, world, scope, pace, has_estimate, map_topic, map_file, servers.values())
    for tree in "navigate_to_pose", "navigate_through_poses":
        own[tree] = fill(os.path.join(folder, f"{tree}.xml"), own, write)
    parameters = fill(path, own, write)
    # behaviours and the controller command the smoother, which commands the boat
    remappings = {
        "controller_server": [("cmd_vel", "cmd_vel_nav")],
        "behavior_server": [("cmd_vel", "cmd_vel_nav")],
        "velocity_smoother": [("cmd_vel", "cmd_vel_nav"), ("cmd_vel_smoothed", f"/{scope}/cmd_vel")],
    }
    all_servers = servers | {"nav2_lifecycle_manager": "lifecycle_manager"}
    return [
        Node(package=package, executable=name, name=name, namespace=namespace, parameters=[parameters],
             remappings=remappings.get(name, []), output="screen")
        for package, name in all_servers.items()
    ]
