"""Nav2 for a boat or an underwater vehicle: the parameters that follow from its model, its world and the pace, and the nodes of
Nav2.
"""

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
# time for which MPPI predicts the motion, and in which a vehicle has the speed of a command [s]
HORIZON_S, RESPONSE_S = 6.0, 1.0
# sensors whose beams do not move with the sensor, by the type of their messages; a sensor that is
# inclined by more than MAX_TILT_DEG sees the water
SOURCES = {"sensor_msgs/msg/LaserScan": ("laser", "LaserScan", (0, 0), None),
           "sensor_msgs/msg/PointCloud2": ("lidar", "PointCloud2", (0, 0), None)}
MAX_TILT_DEG = 5
# height above the water from which echoes are obstacles, above the waves [m]
OBSTACLE_HEIGHT = 0.4
# distances up to which echoes mark cells, and up to which beams clear them [m]
MARKED, CLEARED = 40.0, 45.0
# water below the keel, and air above the mast [m]
UNDER_KEEL, MARGIN = 0.3, 1.0
# width of the inflation about the circle of the boat [m], and its decay [1/m]
INFLATION, COST_SCALING = 3.0, 0.7
# the same for an underwater vehicle, which stops within decimetres
INFLATION_BELOW, COST_SCALING_BELOW = 1.5, 1.5

# sonars of an underwater vehicle by the type of their messages, with the attitude in which they see the plane of the vehicle, and
# the last part of the topic. The scanning sonar must give ranges.
SONARS = {"sensor_msgs/msg/PointCloud2": ("multibeam", "PointCloud2", (0, -90), "points"),
          "sensor_msgs/msg/LaserScan": ("scanning_sonar", "LaserScan", (0, 0), "bearing")}
# room above and below the hull in the map [m], and edge length of its cells [m]
ROOM, CELL = 0.3, 0.2
# depths above and below the start without an argument [m]
DEPTHS_ABOUT_START = 1.0
# room between the hull and the bed that the depth controller keeps [m]
ABOVE_BED = 0.4
# tolerance of the depth [m], gain of its control [1/s], and largest rise of a path
DEPTH_TOLERANCE, DEPTH_GAIN, MAX_SLOPE = 0.15, 0.5, 0.8
# what the behaviour trees do at the end of a path: the depth controller ends this action at the depth of the goal
ARRIVAL = '<DriveOnHeading name="ReachDepth" server_name="depth/reach" error_code_id="{depth_error_code}"/>'
# time for which a vehicle may dive or climb at its goal [s]
REACH_S = 60.0
# smallest weight of the displaced water, over the weight, of a vehicle that moves under water
BUOYANCY = 0.9


def find_robot(world, name):
    """Returns the robot `name`, or the only robot with the model of this name, and the name of the parameter file of its kind:
    `boat` or `rov`. `world`: what `merrow describe --json` prints.
    """
    robots = [robot for robot in world["robots"] if robot["section"] == "robots"]
    found = [robot for robot in robots if robot["name"] == name]
    found = found or [robot for robot in robots if robot["model"] == name or robot["model"].startswith(f"{name}_")]
    if len(found) != 1:
        names = ", ".join(robot["name"] for robot in robots)
        raise RuntimeError(f"nav2: found {len(found)} robots with the name or the model {name}, expected one of {names}")
    robot = found[0]
    kind = vehicle_kind(robot)
    if not robot["navigation"]["footprint_m"]:
        raise RuntimeError(f"nav2: {robot['name']} has no footprint; expected collision shapes in its body")
    return robot, kind


def vehicle_kind(robot):
    """Returns `boat` for a robot that floats and controls surge and yaw, and `rov` for one that controls sway and heave, too, and
    is about as heavy as water.
    """
    name, navigation = robot["name"], robot["navigation"]
    if navigation is None:
        raise RuntimeError(f"nav2: {name} accepts no velocity commands; expected a robot with a firmware")
    units = {"surge": "m_s", "sway": "m_s", "heave": "m_s", "yaw": "rad_s"}
    is_controlled = {axis: navigation["max_velocity"][f"{axis}_{unit}"] > 0 for axis, unit in units.items()}
    if is_controlled["heave"]:
        expected = "an underwater vehicle that controls surge, sway, heave and yaw"
        if 1000 * robot["displaced_volume_m3"] < BUOYANCY * robot["mass_kg"]:
            raise RuntimeError(f"nav2: {name} is heavier than water; expected a boat, or {expected}")
    else:
        is_controlled["sway"] = True
        is_controlled["heave"] = True
        expected = "a boat that floats and controls surge and yaw"
        if not (robot["at_rest"] or {}).get("floats"):
            raise RuntimeError(f"nav2: {name} does not float; expected {expected}")
    missing = [axis for axis, is_axis in is_controlled.items() if not is_axis]
    if missing:
        raise RuntimeError(f"nav2: {name} does not control {' and '.join(missing)}; expected {expected}")
    return "rov" if navigation["max_velocity"]["heave_m_s"] > 0 else "boat"


def depth_range(text, robot):
    """Returns the shallowest and the deepest depth of the base [m] from the argument `nav2_depths`."""
    top = robot["navigation"]["height_m"][1]
    least = top + ROOM
    if not text:
        depth = -float(robot["start"]["position_m"][2])
        return max(least, depth - DEPTHS_ABOUT_START), max(least, depth + DEPTHS_ABOUT_START)
    try:
        shallowest, deepest = map(float, text.split(","))
        is_valid = least <= shallowest <= deepest < math.inf
    except ValueError:
        is_valid = False
    if not is_valid:
        raise RuntimeError(f"nav2_depths: found {text}, expected the shallowest and the deepest depth of {robot['name']} in m, such as "
                           f"1,4, of at least {least:.2f} m")
    return shallowest, deepest


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


def slab(robot, depths):
    """Returns the lowest and the highest height that the hull and the room about it have between two depths of the base [m, W]."""
    low, high = robot["navigation"]["height_m"]
    return low - ROOM - depths[1], high + ROOM - depths[0]


def map_options(boat, depths):
    """Returns the options of the simulator that publish the map with the room that the vehicle needs. `depths`: shallowest and
    deepest depth of an underwater vehicle [m], or None.
    """
    if depths:
        bottom, top = slab(boat, depths)
        keys = {"clearance_m": "null", "water_level_m": "0", "depth_m": f"{-bottom:.2f}", "top_depth_m": f"{max(0, -top):.2f}",
                "resolution_m": f"{CELL}"}
        return [word for key, value in keys.items() for word in ("--set", f"map.{key}={value}")]
    base = boat["at_rest"]["base_height_m"]
    draught = -(boat["navigation"]["height_m"][0] + base)
    depth, clearance = draught + UNDER_KEEL, base + mast_height(boat) + MARGIN
    return ["--set", f"map.depth_m={depth:.2f}", "--set", f"map.clearance_m={clearance:.2f}"]


def observations(boat, world, scope, sources):
    """Returns the fixed lasers and lidars of the boat, or sonars: name of the source, topic, type of message, range [m]."""
    fixed = {sensor["name"]: sensor for sensor in boat["sensors"] if sensor["link"] == "base_link"}
    found = []
    for topic in world["published"]:
        kind, data_type, attitude, last = sources.get(topic["type"], (None, None, (0, 0), None))
        parts = topic["topic"].strip("/").split("/")
        if boat["name"] in parts[:-1] and last in (None, parts[-1]):
            sensor = parts[parts.index(boat["name"]) + 1]
            is_level = sensor in fixed and all(
                abs(angle - level) < MAX_TILT_DEG for angle, level in zip(fixed[sensor]["attitude_deg"], attitude))
            if kind and is_level and fixed[sensor]["kind"] == kind:
                own = f"/{scope}/{'/'.join(parts[parts.index(boat['name']) + 1:])}"
                found.append((sensor, own, data_type, fixed[sensor]["max_range_m"]))
    return found


def mast_height(boat):
    """Returns the height of the highest shape or sensor above the base [m]."""
    return max([boat["navigation"]["height_m"][1], *(sensor["position_m"][2] for sensor in boat["sensors"])])


def obstacle_layer(sources, lowest, highest):
    """Returns the obstacle layer of both cost maps, as YAML: echoes between two heights in the frame of the cost map [m]."""
    text = '{plugin: "nav2_costmap_2d::ObstacleLayer", enabled: true, footprint_clearing_enabled: true, '
    # the limits of the layer hold for all sources; by default it takes no echoes below 0
    text += f"min_obstacle_height: {lowest:.2f}, max_obstacle_height: {highest:.2f}, "
    text += f'observation_sources: "{" ".join(name for name, _, _, _ in sources)}"'
    for name, topic, data_type, reach in sources:
        inf = "true" if data_type == "LaserScan" else "false"
        # a message with one beam: all of them between two updates of the cost map
        persistence = 0.5 if topic.endswith("/bearing") else 0.0
        # a beam without an echo clears cells up to the range of the laser, and marks none
        marked, cleared = min(MARKED, 0.9 * reach), min(CLEARED, reach)
        text += (f", {name}: {{topic: {topic}, data_type: {data_type}, marking: true, clearing: true, inf_is_valid: {inf}, "
                 f"min_obstacle_height: {lowest:.2f}, max_obstacle_height: {highest:.2f}, "
                 f"obstacle_min_range: 0.3, obstacle_max_range: {marked:.1f}, raytrace_min_range: 0.0, "
                 f"raytrace_max_range: {cleared:.1f}, observation_persistence: {persistence}}}")
    return text + "}"


def values(boat, world, scope, pace, has_estimate, map_topic, map_file, servers, depths):
    """Returns the values that replace the words with $ in the files of Nav2. `depths`: shallowest and deepest depth of an
    underwater vehicle [m], or None for a boat.
    """
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
    sources = observations(boat, world, scope, SONARS if depths else SOURCES)
    has_map = bool(map_topic)
    # with an estimator in two dimensions, the boat is at the height zero of the frame odom
    height = 0.0 if has_estimate else water_level(boat)
    band = slab(boat, depths) if depths else (height + OBSTACLE_HEIGHT, height + mast_height(boat) + MARGIN)
    inflation, scaling = (INFLATION_BELOW, COST_SCALING_BELOW) if depths else (INFLATION, COST_SCALING)
    # also without sources: a cost map whose only layer is the inflation is never current after it was cleared
    layers = ["obstacle_layer", "inflation_layer"]
    length = max(xs) - min(xs)
    factor = pace_factor(pace)
    slow = 0.5 * speed if depths else max(0.4, 0.25 * speed)
    acceleration, yaw_acceleration = min(ACCELERATION, surge), min(YAW_ACCELERATION, yaw)
    sway = min(speed, SHARE * limits["sway_m_s"])
    # MPPI refuses a step that is shorter than its period in wall time
    step = max(1 / CONTROLLER_HZ, 1 / (CONTROLLER_HZ * factor))
    lead = RESPONSE_S / (2 * step)
    spread, yaw_spread = (0.4, 0.6) if depths else (0.2, 0.3)
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
        "sway_speed": f"{sway:.2f}",
        "lead_acceleration": f"{lead * acceleration:.2f}",
        "lead_yaw_acceleration": f"{lead * yaw_acceleration:.2f}",
        "surge_std": f"{spread * speed:.3f}",
        "sway_std": f"{spread * sway:.3f}",
        "yaw_std": f"{yaw_spread * yaw_rate:.3f}",
        "horizon": f"{HORIZON_S * speed:.2f}",
        "model_step": f"{step:.6f}",
        "time_steps": f"{HORIZON_S / step:.0f}",
        "look_ahead": f"{navigation['look_ahead_m'] or 4 * speed:.2f}",
        # radius of the circle at full speed, and radius below which the boat slows down
        "circle": f"{speed / yaw_rate:.2f}",
        "turning_radius": f"{2 * speed / yaw_rate:.2f}",
        "goal_tolerance": f"{(0.4 if depths else 0.6) * acceptance:.2f}",
        "passing_distance": f"{0.75 * acceptance:.2f}",
        "length": f"{length:.2f}",
        "astern_s": f"{2 * length / slow + 5:.0f}",
        "footprint": text(f"[{x:.3f}, {y:.3f}]" for x, y in corners),
        "inflation_radius": f"{circle + inflation:.2f}",
        "cost_scaling": f"{scaling:.2f}",
        "local_size": f"{max(12 if depths else 20, round(12 * circle)):d}",
        "obstacle_layer": obstacle_layer(sources, *band),
        "local_layers": text(layers),
        "global_layers": text((["static_layer"] if has_map else []) + layers),
        "without_map": "false" if has_map else "true",
        "map_topic": map_topic or "/map",
        "map_file": map_file,
        "controller_hz": f"{CONTROLLER_HZ * factor:.1f}",
        "smoother_hz": f"{SMOOTHER_HZ * factor:.1f}",
        "planner_hz": f"{PLANNER_HZ * factor:.2f}",
        "servers": text(servers),
        "planner_prefix": "depth/" if depths else "",
        "arrival": ARRIVAL if depths else "",
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


def depth_controller(robot, world, scope, namespace, has_estimate, depths, commanded):
    """Returns the node that adds the depth to the plans and commands of Nav2. `commanded`: topic of the commands to the vehicle."""
    low, _ = robot["navigation"]["height_m"]
    sensors = {sensor["name"]: sensor for sensor in robot["sensors"] if sensor["kind"] == "altimeter" and sensor["link"] == "base_link"}
    topics = [topic["topic"].strip("/").split("/") for topic in world["published"] if topic["type"] == "sensor_msgs/msg/Range"]
    # a downward altimeter; without one, the vehicle relies on the map
    found = [(sensors[parts[-2]], "/".join(parts[-2:])) for parts in topics if parts[-3:-2] == [robot["name"]] and parts[-2] in sensors
             and abs(sensors[parts[-2]]["attitude_deg"][1] - 90) < MAX_TILT_DEG]
    below, topic = (-found[0][0]["position_m"][2], found[0][1]) if found else (0.0, "altimeter/range")
    parameters = {
        "use_sim_time": True, "shallowest_m": depths[0], "deepest_m": depths[1], "tolerance_m": DEPTH_TOLERANCE, "gain": DEPTH_GAIN,
        "max_heave_m_s": SHARE * robot["navigation"]["max_velocity"]["heave_m_s"], "max_slope": MAX_SLOPE,
        "min_altitude_m": ABOVE_BED - low, "altimeter_below_m": below,
        "reach_s": REACH_S,
    }
    remappings = [("cmd_vel", commanded), ("altimeter", f"/{scope}/{topic}"),
                  ("odometry", f"/{scope}/odometry" + ("/filtered" if has_estimate else ""))]
    return Node(package="merrow_bringup", executable="depth_controller", name="depth_controller", namespace=namespace,
                parameters=[parameters], remappings=remappings, output="screen")


def nodes(share, params, boat, world, scope, namespace, pace, has_estimate, map_topic, map_file, write, depths, commanded):
    """Returns the nodes of Nav2 for a vehicle. `params`: name in config/nav2 or path of a parameter file. `write`: writes a file
    and returns its path. `depths`: shallowest and deepest depth of an underwater vehicle [m], or None for a boat. `commanded`: topic
    of the velocity commands, or an empty text for that of the firmware.
    """
    folder = os.path.join(share, "config", "nav2")
    path = params if os.path.sep in params else os.path.join(folder, f"{params}.yaml")
    if not os.path.isfile(path):
        names = ", ".join(sorted(os.path.splitext(name)[0] for name in os.listdir(folder) if name.endswith(".yaml")))
        raise RuntimeError(f"nav2_params: found no file {path}, expected the path of a file or one of {names}")
    servers = {package: name for package, name in SERVERS.items() if map_file or name != "map_server"}
    own = values(boat, world, scope, pace, has_estimate, map_topic, map_file, servers.values(), depths)
    for tree in "navigate_to_pose", "navigate_through_poses":
        own[tree] = fill(os.path.join(folder, f"{tree}.xml"), own, write)
    parameters = fill(path, own, write)
    # behaviours and the controller command the smoother, which commands the boat or the depth controller
    commanded = commanded or f"/{scope}/cmd_vel"
    smoothed = "cmd_vel_plane" if depths else commanded
    remappings = {
        "controller_server": [("cmd_vel", "cmd_vel_nav")],
        "behavior_server": [("cmd_vel", "cmd_vel_nav")],
        "velocity_smoother": [("cmd_vel", "cmd_vel_nav"), ("cmd_vel_smoothed", smoothed)],
    }
    all_servers = servers | {"nav2_lifecycle_manager": "lifecycle_manager"}
    above = [depth_controller(boat, world, scope, namespace, has_estimate, depths, commanded)] if depths else []
    return above + [
        Node(package=package, executable=name, name=name, namespace=namespace, parameters=[parameters],
             remappings=remappings.get(name, []), output="screen")
        for package, name in all_servers.items()
    ]
