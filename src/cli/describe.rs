//! `merrow describe`: prints the content of a world and its ROS interfaces.

use super::failure::Failure;
use super::navigation::navigation_json;
use super::shapes;
use merrow::arm;
use merrow::input::mailbox::find_robot;
use merrow::input::services;
use merrow::node::parameters::list;
use merrow::simulation_interfaces;
use merrow::topics::{Plan, absolute};
use merrow_control::modes;
use merrow_math::Vec3;
use merrow_messages::{frames, urdf};
use merrow_model::scene::autopilot::{Autopilot, AutopilotKind, ServoDevice};
use merrow_model::scene::computer::TaskIndex;
use merrow_model::scene::fault::Device;
use merrow_model::scene::fault_devices;
use merrow_model::scene::{Robot, Scene, Tether, TetherEnd, Winch};
use merrow_model::sensor::acoustic::Beacon;
use merrow_model::sensor::ais::Transponder;
use merrow_model::sensor::obstacle::Obstacle;
use merrow_ros2::msg::geometry_msgs::TransformStamped;
use merrow_ros2::parameters::range::Range;
use merrow_ros2::parameters::value::ParameterValue;
use merrow_sim::Pace;
use merrow_sim::report::cost;
use merrow_sim::report::hydrostatic_equilibrium;
use merrow_sim::report::hydrostatic_equilibrium::Equilibrium;
use merrow_world::{ModelInfo, Source, World};
use merrow_yaml::parameters::Parameter;
use serde_json::{Value, json};

/// Mark of statements in the sources of components that have not been confirmed.
const UNVERIFIED: &str = "unverified";

/// Prints the URDF of a robot.
pub(super) fn print_urdf(world: &World, robot: &str) -> Result<(), Failure> {
    let robot = find_robot(&world.scene, robot).map_err(Failure::Invalid)?;
    print!("{}", urdf::urdf(&world.scene.robots[robot]));
    Ok(())
}

/// Prints the description: of the robot `only` if given, and only its topics, actions and services
/// with `only_topics`.
pub(super) fn describe(
    world: &World,
    as_json: bool,
    only: Option<&str>,
    only_topics: bool,
) -> Result<(), Failure> {
    let mut all = rounded_json(describe_world(world));
    if let Some(name) = only {
        find_robot(&world.scene, name).map_err(Failure::Invalid)?;
        keep_robot(&mut all, name);
    }
    if let (true, Value::Object(map)) = (only_topics, &mut all) {
        map.retain(|key, _| TOPICS.contains(&key.as_str()));
    }
    if as_json {
        println!(
            "{}",
            serde_json::to_string_pretty(&all).map_err(|e| e.to_string())?
        );
    } else {
        print_text(&all);
    }
    Ok(())
}

/// Parts of the description that are printed with `--topics`.
const TOPICS: [&str; 4] = ["published", "subscribed", "actions", "services"];

/// Removes the other robots and what does not belong to a robot.
fn keep_robot(all: &mut Value, name: &str) {
    let keys = [
        ("robots", "name"),
        ("published", "topic"),
        ("subscribed", "topic"),
        ("actions", "action"),
        ("services", "service"),
        ("parameters", "name"),
        ("frames", "child"),
    ];
    let Value::Object(map) = all else {
        return;
    };
    let is_kept = |key: &str| key == "warnings" || keys.iter().any(|(known, _)| *known == key);
    map.retain(|key, value| !value.is_array() || is_kept(key));
    for (list, key) in keys {
        let Some(Value::Array(rows)) = map.get_mut(list) else {
            continue;
        };
        // a namespace can precede the name
        rows.retain(|row| {
            let owner = row[key].as_str().unwrap_or_default();
            owner.split(['/', '.']).any(|part| part == name)
        });
    }
}

/// Rounds to 12 significant digits, which hides the rounding errors of unit conversions.
fn rounded(x: f64) -> f64 {
    format!("{x:.11e}").parse().unwrap_or(x)
}

/// Rounds all floating-point numbers in `value`.
fn rounded_json(value: Value) -> Value {
    match value {
        Value::Number(n) if n.is_f64() => {
            n.as_f64().map_or(Value::Number(n), |x| json!(rounded(x)))
        }
        Value::Array(items) => items.into_iter().map(rounded_json).collect(),
        Value::Object(map) => {
            let entries = map
                .into_iter()
                .map(|(key, value)| (key, rounded_json(value)));
            Value::Object(entries.collect())
        }
        other => other,
    }
}

fn rounded_value(value: ParameterValue) -> ParameterValue {
    match value {
        ParameterValue::Double(x) => ParameterValue::Double(rounded(x)),
        other => other,
    }
}

fn rounded_range(range: Range) -> Range {
    match range {
        Range::Double(from, to) => Range::Double(rounded(from), rounded(to)),
        integers => integers,
    }
}

/// Returns the text for the position `p` [m], W.
fn world_point(p: Vec3) -> String {
    format!(
        "world [{}, {}, {}]",
        rounded(p.x),
        rounded(p.y),
        rounded(p.z)
    )
}

/// Describes a world with its robots and ROS interfaces.
fn describe_world(world: &World) -> Value {
    let scene = &world.scene;
    let plan = Plan::new(scene);
    let tethers: Vec<Value> = scene.tethers.iter().map(|t| tether(t, scene)).collect();
    let beacons: Vec<Value> = scene.beacons.iter().map(|b| beacon(b, scene)).collect();
    let costs = cost::sensor_costs(scene);
    let robots = scene.robots.iter().zip(&world.models).zip(&costs);
    let robots: Vec<Value> = robots
        .map(|((r, a), cost)| robot(r, a, cost, scene))
        .collect();
    json!({
        "world": scene.name,
        "world_parameters": world.parameters.iter().map(world_parameter).collect::<Vec<_>>(),
        "step_s": scene.dt(),
        "seed": scene.seed,
        "origin": {
            "latitude_deg": scene.origin.latitude.to_degrees(),
            "longitude_deg": scene.origin.longitude.to_degrees(),
            "altitude_m": scene.origin.altitude,
        },
        "robots": robots,
        "tethers": tethers,
        "beacons": beacons,
        "task": scene.task.as_ref().map(|task| task.describe()),
        "obstacles": scene.obstacles.iter().map(obstacle).collect::<Vec<Value>>(),
        "ais": scene.ais.iter().map(|t| transponder(t, scene)).collect::<Vec<Value>>(),
        "published": published_topics(&plan),
        "subscribed": subscribed_topics(&plan),
        "warnings": world.warnings.iter().map(ToString::to_string).collect::<Vec<_>>(),
        "sensor_cores": total(costs.iter().flatten().copied()),
        "actions": actions(&plan),
        "services": services_of(scene),
        "parameters": parameters(scene),
        "frames": frame_tree(scene),
    })
}

/// Lists the published topics with type, rate [Hz] and quality of service.
fn published_topics(plan: &Plan) -> Vec<Value> {
    plan
        .outputs
        .iter()
        .map(|o| {
            json!({
                "topic": absolute(&o.topic), "type": o.info.name, "rate_hz": o.rate_hz, "qos": o.qos.to_string(),
            })
        })
        .collect()
}

/// Lists the subscribed topics with type, unit and quality of service.
fn subscribed_topics(plan: &Plan) -> Vec<Value> {
    plan.inputs
        .iter()
        .map(|i| {
            let qos = i.qos.to_string();
            json!({ "topic": absolute(&i.topic), "type": i.info.name, "unit": i.unit, "qos": qos })
        })
        .collect()
}

/// Lists the actions with their services.
fn actions(plan: &Plan) -> Vec<Value> {
    let of_robots = plan.actions.iter().map(|a| (a.name.as_str(), a.kind));
    of_robots
        .chain([simulation_interfaces::ACTION])
        .map(|(name, kind)| {
            let part = |(part, kind): (&str, String)| {
                json!({ "service": format!("{}/_action/{part}", absolute(name)), "type": kind })
            };
            let parts: Vec<Value> = arm::action_services(kind).into_iter().map(part).collect();
            json!({ "action": absolute(name), "type": kind, "services": parts })
        })
        .collect()
}

/// Lists the services of the world with their types.
fn services_of(scene: &Scene) -> Vec<Value> {
    let all = services::names(scene).into_iter();
    all.map(|(name, kind)| json!({ "service": name, "type": kind }))
        .collect()
}

/// Describes a parameter of the world file.
fn world_parameter(parameter: &Parameter) -> Value {
    json!({
        "name": parameter.name,
        "value": parameter.json(),
        "description": parameter.description,
    })
}

/// Lists the parameters of the node with type, default and range.
fn parameters(scene: &Scene) -> Vec<Value> {
    list::declarations(scene, Pace::Factor(1.0))
        .into_iter()
        .map(|d| {
            json!({
                "name": d.name,
                "type": d.default.type_name(),
                "default": rounded_value(d.default).to_string(),
                "range": d.range.map(|r| rounded_range(r).to_string()),
                "constraints": d.constraints,
                "description": d.description,
            })
        })
        .collect()
}

/// Describes the sources of components. `unverified` is true if a statement has this mark.
fn sources_json(sources: &[Source]) -> Vec<Value> {
    let one = |(part, source, estimated): &Source| source_json(part, source, estimated);
    sources.iter().map(one).collect()
}

/// Describes the source of the values of a component.
fn source_json(part: &str, source: &str, estimated: &str) -> Value {
    let is_unverified = source.contains(UNVERIFIED) || estimated.contains(UNVERIFIED);
    json!({ "part": part, "source": source, "estimated": estimated, "unverified": is_unverified })
}

fn tether(tether: &Tether, scene: &Scene) -> Value {
    let end = |end: &TetherEnd| match *end {
        TetherEnd::World(p) => world_point(p),
        TetherEnd::Free(_) => "free".to_string(),
        TetherEnd::Link { robot, link, .. } => frames::link_frame(&scene.robots[robot], link),
    };
    let line = &tether.line;
    json!({
        "name": tether.name,
        "from": end(&tether.ends[0]),
        "to": end(&tether.ends[1]),
        "length_m": tether.length_m,
        "segments": tether.n_segments(),
        "diameter_m": line.diameter_m,
        "mass_kg_per_m": line.mass_kg_per_m,
        "axial_stiffness_n": line.axial_stiffness_n,
        "bending_stiffness_nm2": line.bending_stiffness_nm2,
        "breaking_load_n": line.breaking_load_n,
        "weight_in_water_n_per_m": line.weight_in_water(scene.sea.density, scene.gravity),
        "winch": tether.winch.as_ref().map(|winch| winch_json(tether, winch, scene)),
        "sources": [source_json("line", &line.source, &line.estimated)],
    })
}

/// Returns the frame or the world position to which a device is fixed.
fn mount_name(on: Option<(usize, usize)>, p: Vec3, scene: &Scene) -> String {
    on.map_or_else(
        || world_point(p),
        |(robot, link)| frames::link_frame(&scene.robots[robot], link),
    )
}

fn beacon(beacon: &Beacon, scene: &Scene) -> Value {
    json!({
        "name": beacon.name,
        "kind": beacon.keys.sends.kind(),
        "faults": fault_devices::allowed_kinds(Device::Beacon(0)),
        "at": mount_name(beacon.on, beacon.p, scene),
        "frequency_khz": 1e-3 * beacon.frequency(),
        "source_level_db": beacon.keys.source_level_db,
        "sources": [source_json("beacon", &beacon.keys.source, &beacon.keys.estimated)],
    })
}

fn obstacle(obstacle: &Obstacle) -> Value {
    json!({
        "name": obstacle.name,
        "position_m": obstacle.p.to_array(),
        "size_m": obstacle.size.to_array(),
        "yaw_deg": obstacle.yaw.to_degrees(),
    })
}

fn transponder(transponder: &Transponder, scene: &Scene) -> Value {
    json!({
        "name": transponder.name,
        "class": transponder.ais.class.keyword(),
        "mmsi": transponder.ais.mmsi,
        "ship_name": transponder.ship_name(),
        "at": mount_name(transponder.on, transponder.p, scene),
    })
}

fn winch_json(tether: &Tether, winch: &Winch, scene: &Scene) -> Value {
    json!({
        "max_speed_m_s": winch.max_speed_m_s,
        "powered_by": tether.winch_robot().map(|r| &scene.robots[r]).filter(|r| r.battery.is_some()).map(|r| &r.name),
        "efficiency": winch.efficiency,
        "standby_w": winch.standby_w,
    })
}

fn robot(robot: &Robot, about: &ModelInfo, costs: &[f64], scene: &Scene) -> Value {
    let base = &robot.links[0];
    let index = scene.robots.iter().position(|r| r.name == robot.name);
    let devices = index.map_or_else(Vec::new, |k| {
        fault_devices::devices_with_kinds(scene, Some(k))
    });
    let thrusters: Vec<Value> = robot
        .thrusters
        .iter()
        .map(|t| {
            let azimuth = t.azimuth.map(|k| robot.fins[k].range);
            json!({ "name": t.name, "unit": t.motor.command.symbol(), "range": t.motor.range, "azimuth_range": azimuth })
        })
        .collect();
    let fins: Vec<Value> = robot
        .fins
        .iter()
        .filter(|f| !f.is_azimuth())
        .map(|f| json!({ "name": f.name, "range": f.range, "area_m2": f.area_m2, "moves": f.is_movable() }))
        .collect();
    let sensors: Vec<Value> = robot
        .sensors
        .iter()
        .zip(costs)
        .map(|(s, cost)| {
            let lazy = s.kind.exteroceptive().map(|_| s.lazy);
            let max_range = s
                .kind
                .exteroceptive()
                .and_then(|e| e.properties().max_range_m);
            json!({
                "name": s.name,
                "kind": s.kind.name(),
                "link": robot.links[s.link].name,
                "position_m": s.p_UoS_U.to_array(),
                "attitude_deg": s.R_US.to_rpy().map(f64::to_degrees),
                "max_range_m": max_range,
                "rate_hz": s.rate,
                "min_rate_hz": s.min_rate(),
                "cores": cost,
                "lazy": lazy,
            })
        })
        .collect();
    json!({
        "name": robot.name,
        "section": about.section,
        "model": about.model,
        "description": about.description,
        "start": {
            "position_m": robot.start.p_WB.to_array(),
            "attitude_deg": robot.start.rpy.map(f64::to_degrees),
        },
        "mass_kg": robot.mass(),
        "displaced_volume_m3": robot.links.iter().map(|l| l.volume_m3).sum::<f64>(),
        "at_rest": at_rest(robot, scene),
        "goal_distance_m": modes::goal_distance(robot),
        "navigation": navigation_json(robot, scene),
        "shapes": shapes::shapes_json(robot),
        "base_added_mass_kg": base.added.D.full().r.map(|r| r.to_array()),
        "joints": arm::joint_state_names(robot),
        "thrusters": thrusters,
        "fins": fins,
        "sensors": sensors,
        "faults": devices.into_iter().collect::<std::collections::BTreeMap<_, _>>(),
        "battery_ah": robot.battery.as_ref().map(|b| b.capacity_ah),
        "computers": computers_json(robot),
        "autopilot": robot.autopilot.as_deref().map(|autopilot| autopilot_json(robot, autopilot)),
        "mavlink": robot.mavlink.map(|m| json!({ "udp": m.address.to_string(), "system_id": m.system_id })),
        "sources": sources_json(&about.sources),
    })
}

/// Describes the computers of a robot: what passes through each task.
fn computers_json(robot: &Robot) -> Vec<Value> {
    let Some(onboard) = &robot.onboard else {
        return Vec::new();
    };
    let task_json = |computer: usize, task: usize| {
        let is_own = |index: Option<TaskIndex>| index == Some(TaskIndex { computer, task });
        let sensors = robot.sensors.iter().zip(&onboard.sensors);
        let sensors = sensors.filter(|(_, index)| is_own(**index));
        json!({
            "name": onboard.computers[computer].tasks[task].name,
            "runs_firmware": is_own(onboard.firmware),
            "commands": is_own(onboard.commands),
            "sensors": sensors.map(|(sensor, _)| &sensor.name).collect::<Vec<_>>(),
        })
    };
    let computers = onboard.computers.iter().enumerate();
    computers
        .map(|(k, computer)| {
            let tasks: Vec<Value> = (0..computer.tasks.len()).map(|t| task_json(k, t)).collect();
            json!({ "name": computer.name, "processors": computer.processors, "tasks": tasks })
        })
        .collect()
}

/// Describes the connection to an autopilot. The port of a disabled autopilot is assigned by the
/// order of the robots.
fn autopilot_json(robot: &Robot, autopilot: &Autopilot) -> Value {
    let (program, protocol) = match autopilot.kind {
        AutopilotKind::ArduPilot => ("ArduPilot", "UDP"),
        AutopilotKind::Px4 => ("PX4", "TCP"),
    };
    let outputs = autopilot.outputs.iter().map(|output| {
        let device = match output.device {
            ServoDevice::Thruster(k) => &robot.thrusters[k].name,
            ServoDevice::Fin(k) => &robot.fins[k].name,
            ServoDevice::Joint(k) => &robot.links[k + 1].joint.name,
            ServoDevice::Load(k) => &robot.loads[k].name,
        };
        json!({ "channel": output.channel + 1, "device": device, "input": output.input, "command": output.command })
    });
    json!({
        "program": program,
        "protocol": protocol,
        "port": Some(autopilot.port).filter(|port| *port > 0),
        "enabled": autopilot.enabled,
        "outputs": outputs.collect::<Vec<_>>(),
    })
}

/// Returns the hydrostatic equilibrium in calm water; null if the robot has no buoyant volume.
fn at_rest(robot: &Robot, scene: &Scene) -> Value {
    let a = match hydrostatic_equilibrium::compute_equilibrium(scene, robot) {
        Equilibrium::Floating(a) => a,
        Equilibrium::Neutral => {
            return json!({ "floats": false, "neutral": true, "weight_in_water_n": 0.0 });
        }
        Equilibrium::Sinks(by) => return json!({ "floats": false, "weight_in_water_n": by }),
        Equilibrium::None => return Value::Null,
    };
    // the coefficients apply to the submerged part
    let effective = |values: &[f64]| -> Vec<f64> {
        let scaled = values.iter().map(|x| x * a.submerged_fraction);
        scaled.collect()
    };
    let added = &robot.links[0].added.D;
    json!({
        "floats": true,
        "base_height_m": a.z,
        "roll_deg": a.roll.to_degrees(),
        "pitch_deg": a.pitch.to_degrees(),
        "draught_m": a.draught,
        "displaced_volume_m3": a.volume,
        "center_of_buoyancy_m": a.p_BoCb.map(|p| p.to_array()),
        "center_of_mass_m": a.p_BoBcm.to_array(),
        "base_submerged_fraction": a.submerged_fraction,
        "base_added_mass_kg": effective(&[added.xx, added.yy, added.zz]),
        "base_linear_damping": effective(&robot.links[0].linear_damping.diagonal()),
        "base_quadratic_damping": effective(&robot.links[0].quadratic_damping.diagonal()),
        "waterplane_area_m2": a.waterplane,
        "metacentric_height_transverse_m": a.gm_transverse,
        "metacentric_height_longitudinal_m": a.gm_longitudinal,
    })
}

/// Formats the hydrostatic equilibrium of a robot as one line.
fn at_rest_text(r: &Value) -> Option<String> {
    let a = &r["at_rest"];
    if a["neutral"] == true {
        return Some("neutrally buoyant".to_string());
    }
    if a["floats"] == false {
        return Some(fill("negatively buoyant by {weight_in_water_n:.2} N", a));
    }
    a["displaced_volume_m3"].as_f64()?;
    let mut text = "at rest: ".to_string();
    // a robot with linear hydrostatics has no hull shape
    if !a["draught_m"].is_null() {
        text += &fill("draught {draught_m:.4} m, ", a);
    }
    text += &fill("displaced volume {displaced_volume_m3:.5} m3, ", a);
    if let Some(center) = a["center_of_buoyancy_m"].as_array() {
        let center = center.iter().filter_map(Value::as_f64);
        let center: Vec<String> = center
            .map(|x| format!("{:.4}", (x * 1e4).round() * 1e-4 + 0.0))
            .collect();
        text += &format!("centre of buoyancy [{}], ", center.join(", "));
    }
    let rest = "waterplane {waterplane_area_m2:.4} m2, GMt {metacentric_height_transverse_m:.4} m, \
        GMl {metacentric_height_longitudinal_m:.4} m, roll {roll_deg:.2} deg, pitch {pitch_deg:.2} \
        deg, submerged fraction of the base {base_submerged_fraction:.4}, its added mass \
        [{base_added_mass_kg:.4}] kg, its damping in SI units along x, y, z and about them: linear \
        [{base_linear_damping:.4}], quadratic [{base_quadratic_damping:.4}]";
    Some(text + &fill(rest, a))
}

/// Lists the frames with their parents, the moving ones first.
fn frame_tree(scene: &Scene) -> Vec<Value> {
    let mut all = frames::start_frames(scene);
    let fixed = frames::static_frames(scene).transforms.len();
    all.rotate_left(fixed);
    let moving = all.len() - fixed;
    let one = |(k, t): (usize, &TransformStamped)| {
        json!({
            "parent": t.header.frame_id,
            "child": t.child_frame_id,
            "moves": k < moving,
        })
    };
    all.iter().enumerate().map(one).collect()
}

/// Formats the computing cost of a sensor.
fn cost_text(sensor: &Value) -> Option<String> {
    let percent = 100.0 * sensor["cores"].as_f64()?;
    let share = match percent {
        p if p < 0.1 => "less than 0.1 % of a core".to_string(),
        p if p < 10.0 => format!("about {p:.1} % of a core"),
        p if p < 300.0 => format!("about {p:.0} % of a core"),
        p => format!("about {:.1} cores", 0.01 * p),
    };
    Some(if sensor["lazy"] == true {
        share + " while subscribed or recorded"
    } else {
        share
    })
}

/// Returns the text of a string without quotes, or the JSON of another value.
fn text(v: &Value) -> String {
    v.as_str().map_or_else(|| v.to_string(), str::to_owned)
}

/// Replaces `{key}` in a template by the value of an object, as text without quotes. `{key:<8}` and
/// `{key:>8}` align it as `format!` does; `{key:.2}` formats a number, or the numbers of a list.
fn fill(template: &str, object: &Value) -> String {
    let mut parts = template.split('{');
    let mut out = parts.next().unwrap_or_default().to_string();
    for part in parts {
        let (field, rest) = part.split_once('}').unwrap_or((part, ""));
        let (key, form) = field.split_once(':').unwrap_or((field, "<0"));
        let (value, n) = (&object[key], form[1..].parse().unwrap_or(0));
        out += &match form.as_bytes()[0] {
            b'.' => decimals(value, n),
            b'>' => format!("{:>n$}", text(value)),
            _ => format!("{:<n$}", text(value)),
        };
        out += rest;
    }
    out
}

/// Formats a number, or a list of numbers, with `n` decimals.
fn decimals(value: &Value, n: usize) -> String {
    match value {
        Value::Array(items) => {
            let items: Vec<String> = items.iter().map(|x| decimals(x, n)).collect();
            items.join(", ")
        }
        number => format!("{:.n$}", number.as_f64().unwrap_or(f64::NAN)),
    }
}

/// Returns the entries of the list `key`; none if it is missing.
fn rows<'a>(all: &'a Value, key: &str) -> impl Iterator<Item = &'a Value> {
    all[key].as_array().into_iter().flatten()
}

/// Lists of a description: key, heading, and the line of an entry.
const LISTS: &str = "\
published|published|  {topic:<44} {type:<46} {rate:>7}  {qos}
subscribed|subscribed|  {topic:<44} {type:<46} {unit}
actions|actions|  {action:<44} {type}
services|services|  {service:<44} {type}
parameters|parameters of /merrow|  {name:<44} {type:<8} {default:<12} {description}
frames|frames|  {parent} -> {child} ({motion})";

/// Lists of objects without a heading, as in [`LISTS`].
const OBJECTS: &str = "\
tethers||  {name}: tether from {from} to {to} ({length_m} m in {segments} segments)
beacons||  {name}: {kind} at {at} ({frequency_khz} kHz)
ais||  {name}: AIS class {class} at {at}";

/// Prints the description of a world as text. A part that is not in `all` is left out.
fn print_text(all: &Value) {
    if !all["robots"].is_null() {
        print_objects(all);
    }
    print_lists(LISTS, all);
}

/// Prints lists of a description, each entry with the marks of its values.
fn print_lists(lists: &str, all: &Value) {
    for list in lists.lines() {
        let mut columns = list.split('|');
        let [key, heading, template] = [(); 3].map(|()| columns.next().unwrap_or_default());
        let is_shown = match key {
            "actions" => rows(all, key).next().is_some(),
            _ => !all[key].is_null(),
        };
        if is_shown && !heading.is_empty() {
            println!("\n{heading}");
        }
        for row in rows(all, key) {
            let mut shown = row.clone();
            let rate = row["rate_hz"].as_f64();
            shown["rate"] = json!(rate.map_or("-".to_string(), |rate| format!("{rate} Hz")));
            shown["motion"] = json!(if row["moves"] == true {
                "moves"
            } else {
                "fixed"
            });
            println!("{}", fill(template, &shown));
            print_marks(row);
        }
    }
}

/// Prints the robots and other objects of a world, and the cost of all sensors.
fn print_objects(all: &Value) {
    println!(
        "{}",
        fill("world {world}, step {step_s} s, seed {seed}", all)
    );
    for parameter in rows(all, "world_parameters") {
        let described = match text(&parameter["description"]) {
            none if none.is_empty() => none,
            given => format!(" ({given})"),
        };
        println!(
            "{}{described}",
            fill("  parameter {name}: {value}", parameter)
        );
    }
    for section in ["robots", "props", "actors"] {
        let mut own = rows(all, "robots")
            .filter(|r| r["section"] == section)
            .peekable();
        if section == "robots" || own.peek().is_some() {
            println!("\n{section}");
        }
        own.for_each(print_robot);
    }
    print_lists(OBJECTS, all);
    let task = &all["task"];
    if !task.is_null() {
        let list = |key: &str| rows(task, key).map(text).collect::<Vec<_>>().join(", ");
        let line = "\ntask {name}: {kind} from {running_s} s to {finished_s} s, {better} scores are better";
        println!("{}", fill(line, task));
        println!("  robots: {}\n  parts: {}", list("robots"), list("parts"));
    }
    println!("\n{}", load_text(all));
}

/// Returns the sum of some values; the sum of no values of `Iterator::sum` is -0.
fn total(values: impl Iterator<Item = f64>) -> f64 {
    values.fold(0.0, |sum, value| sum + value)
}

/// Returns the text for the cost of the sensors of all printed robots, compared with this machine.
fn load_text(all: &Value) -> String {
    let sensors = rows(all, "robots").flat_map(|robot| rows(robot, "sensors"));
    let total = total(sensors.filter_map(|s| s["cores"].as_f64()));
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let s = if cores == 1 { "" } else { "s" };
    let verdict = if total < 0.8 * cores as f64 {
        "real time is possible with all sensors subscribed"
    } else {
        "real time is not possible with all sensors subscribed; subscribe to fewer, or reduce their \
         rates and sizes"
    };
    format!(
        "sensors: {total:.2} cores in total, without the steps of the robots; this machine has {cores} \
         core{s}: {verdict}"
    )
}

/// Prints the values of an object that are unverified or estimated.
fn print_marks(object: &Value) {
    // equal components, such as eight thrusters of one type, share a line
    let mut marks: Vec<(Vec<String>, String)> = Vec::new();
    for s in rows(object, "sources") {
        let [part, source, estimated] = ["part", "source", "estimated"].map(|key| text(&s[key]));
        let mut add = |mark: String| match marks.iter_mut().find(|(_, m)| *m == mark) {
            Some((parts, _)) => parts.push(part.clone()),
            None => marks.push((vec![part.clone()], mark)),
        };
        if source.contains(UNVERIFIED) {
            add(format!("unverified source: {source}"));
        }
        if !estimated.is_empty() {
            add(format!("estimated: {estimated}"));
        }
    }
    for (parts, mark) in marks {
        println!("    {}, {mark}", parts.join(", "));
    }
}

/// Prints a robot with its hydrostatics, the cost of its sensors and the marks of its values.
fn print_robot(r: &Value) {
    let description = match text(&r["description"]) {
        none if none.is_empty() => none,
        some => format!("{some} "),
    };
    println!(
        "  {}: {description}({} kg)",
        text(&r["name"]),
        // to a milligram
        (r["mass_kg"].as_f64().unwrap_or_default() * 1e6).round() / 1e6
    );
    if let Some(text) = at_rest_text(r) {
        println!("    {text}");
    }
    println!("    {}", shapes::shapes_text(&r["shapes"]));
    if let Some(distance) = r["goal_distance_m"].as_f64() {
        println!(
            "    keeps station within {distance} m of a goal, because it cannot move sideways"
        );
    }
    for s in rows(r, "sensors") {
        if let Some(cost) = cost_text(s) {
            let rate = s["rate_hz"].as_f64().unwrap_or_default();
            println!("{}{rate} Hz): {cost}", fill("    {name} ({kind}, ", s));
        }
    }
    for computer in rows(r, "computers") {
        let tasks = rows(computer, "tasks").map(|task| text(&task["name"]));
        let tasks = tasks.collect::<Vec<_>>().join(", ");
        let line = fill(
            "    computer {name} (processors: {processors}): tasks ",
            computer,
        );
        println!("{line}{tasks}");
    }
    let autopilot = &r["autopilot"];
    if !autopilot.is_null() {
        let template = match autopilot["enabled"] == true {
            true => "    autopilot: {program}, {protocol} port {port}",
            false => "    autopilot: {program}, with `merrow run --autopilot`",
        };
        println!("{}", fill(template, autopilot));
    }
    print_marks(r);
}
