//! Keys of a world file that continue a run: its time, the pending entries of its schedule, and the
//! settings and commands of its robots.
//!
//! Settings have no keys of their own where a command sets them during a run: gains, noise
//! switches, health, loads, set-points. They are entries of the schedule at the start of the saved
//! world, which the simulation applies before its first step. The patterns name every field of the
//! state, so that a new field does not compile until it is saved or left out on purpose; the page
//! `docs/guides/changing_worlds.md` lists both.

use crate::keys::schedule::GainAxisConfig;
use merrow_environment::air;
use merrow_environment::air::wind::direction_from_deg;
use merrow_model::scene::robot::firmware::heading_depth_hold::HeadingDepthState;
use merrow_model::scene::robot::firmware::motion_control::GainKind;
use merrow_model::scene::robot::firmware::motion_control::MotionControlState;
use merrow_model::scene::robot::joint::{Drive, JointMode};
use merrow_model::scene::{JointKind, Robot, Scene};
use merrow_model::state::firmware::tasks::{PathProgress, PoseGoal};
use merrow_model::state::firmware::{ControlMode, FirmwareLawState, FirmwareState, GuidanceTask};
use merrow_model::state::{
    Health, JointDriveState, RobotState, SensorState, State, TetherState, WinchCommand,
};
use merrow_yaml::error::Place;
use merrow_yaml::node::{KIND, Node, merge};
use serde_json::{Map as JsonMap, Value as Json, json};
use std::collections::HashSet;

/// Entries of the schedule for the start of the saved world.
struct Entries {
    place: Place,
    /// Time of the entries [s].
    time_s: f64,
    all: Vec<Node>,
}

impl Entries {
    /// Adds an entry of a type with its keys, for a robot unless its name is empty.
    fn add(&mut self, kind: &str, robot: &str, keys: Json) {
        let mut entry = Node::empty_map(&self.place);
        entry.set("time_s", self.time_s);
        let map = entry.make_map();
        map.insert(KIND, Node::plain(kind, &self.place));
        if !robot.is_empty() {
            entry.set("robot", robot);
        }
        self.all.push(merge(entry, Node::new(keys, &self.place)));
    }

    /// Adds an entry with one value per name, if there are any.
    fn add_values(&mut self, kind: &str, robot: &str, key: &str, values: JsonMap<String, Json>) {
        if !values.is_empty() {
            self.add(kind, robot, json!({ key: values }));
        }
    }
}

/// Sets the start time, and the schedule of what is pending and of the settings.
pub(super) fn set_time_and_schedule(root: &mut Node, scene: &Scene, state: &State) {
    let State {
        time_ns,
        scheduled,
        robots,
        tethers,
        // keys of the objects, of the environment and of faults (`changes.rs`, `environment.rs`,
        // `faults.rs`)
        sea: _,
        couplings: _,
        faults: _,
        // it follows from the time
        step: _,
        // not saved
        contacts: _,
        chargers: _,
        network: _,
        task: _,
    } = state;
    if *time_ns > 0 {
        root.set("start_time_s", *time_ns as f64 / 1e9);
    }
    remove_past_entries(root, scene, *scheduled as usize);
    let mut entries = Entries {
        place: root.place.clone(),
        // before the pending entries of the same step, and after those that were applied
        time_s: time_ns.saturating_sub(scene.dt_ns / 2) as f64 / 1e9,
        all: Vec::new(),
    };
    add_water(scene, state, &mut entries);
    add_weather(state, &mut entries);
    for (robot, own) in scene.robots.iter().zip(robots) {
        add_robot(robot, own, &mut entries);
    }
    for (tether, own) in scene.tethers.iter().zip(tethers) {
        if let WinchCommand::Speed(speed) = own.winch
            && speed != 0.0
        {
            let keys = json!({"tether": tether.name, "speed_m_s": speed});
            entries.add("winch", "", keys);
        }
    }
    if entries.all.is_empty() {
        return;
    }
    let schedule = root.get_or_make("schedule").make_map();
    let mut n = 0;
    for entry in entries.all {
        n += 1;
        while schedule.get(&format!("saved_{n}")).is_some() {
            n += 1;
        }
        schedule.insert(&format!("saved_{n}"), entry);
    }
}

/// Removes the entries of the schedule whose `applied` first commands are all their commands.
fn remove_past_entries(root: &mut Node, scene: &Scene, applied: usize) {
    let (past, pending) = scene.schedule.split_at(applied.min(scene.schedule.len()));
    let pending: HashSet<&str> = pending.iter().map(|entry| &*entry.name).collect();
    for entry in past.iter().filter(|e| !pending.contains(&*e.name)) {
        if let Some(schedule) = super::changes::existing_section(root, "schedule") {
            schedule.remove(&entry.name);
        }
    }
}

/// Adds the changed properties of the water and the air at the surface.
fn add_water(scene: &Scene, state: &State, entries: &mut Entries) {
    let (now, before) = (&state.sea, &scene.sea);
    let lost_column = now.column.is_none() && before.column.is_some();
    let mut keys = JsonMap::new();
    for (key, value, old, is_of_column) in [
        ("density_kg_m3", now.density, before.density, true),
        ("sound_speed_m_s", now.sound_speed, before.sound_speed, true),
        ("temperature_c", now.temperature, before.temperature, true),
        (
            "air_pressure_pa",
            now.air_pressure,
            before.air_pressure,
            false,
        ),
    ] {
        if value != old || (lost_column && is_of_column) {
            keys.insert(key.to_string(), value.into());
        }
    }
    if !keys.is_empty() {
        entries.add("water", "", keys.into());
    }
}

/// Adds the rest of a change of the weather that is in progress.
fn add_weather(state: &State, entries: &mut Entries) {
    let (air, t) = (&state.sea.air, state.time_ns as f64 * 1e-9);
    let left = air.change[1] - t;
    if left <= 0.0 || air::weather(air, t) == air.to {
        return;
    }
    let to = &air.to;
    let keys = json!({
        "wind_speed_m_s": to.wind.norm(),
        "wind_from_deg": direction_from_deg(to.wind),
        "gustiness": to.gustiness,
        "temperature_c": to.temperature_c,
        "cloud_cover": to.cloud_cover,
        "rain_mm_h": to.rain_mm_h,
        "visibility_m": to.visibility_m,
        "duration_s": left,
    });
    entries.add("weather", "", keys);
}

/// Adds the settings and the commands of a robot.
fn add_robot(robot: &Robot, state: &RobotState, entries: &mut Entries) {
    let RobotState {
        actuators,
        fins,
        buoyancy_engines,
        joints,
        joint_commands: _,
        last_command_ns,
        firmware,
        sensors,
        loads,
        // keys of the robot and of its faults (`changes.rs`, `faults.rs`)
        motion,
        battery: _,
        faults: _,
        // they follow from the time
        joints_ns: _,
        // not saved
        winches: _,
        fin_delays: _,
        groups: _,
        radiation_state: _,
        computers: _,
        modem_power: _,
        external_force: _,
        applied_wrenches: _,
        contact_force: _,
        coupling_force: _,
        impulse_acceleration: _,
        halted: _,
    } = state;
    let (start, name) = (RobotState::new(robot), robot.name.as_str());
    for (sensor, own) in robot.sensors.iter().zip(sensors) {
        add_noise(name, &sensor.name, own, entries);
    }
    add_loads(robot, (loads, &start.loads), entries);
    for (thruster, own) in robot.thrusters.iter().zip(actuators) {
        add_health(name, ("thruster", &thruster.name), own.health, entries);
    }
    for (fin, own) in robot.fins.iter().zip(fins) {
        add_health(name, ("fin", &fin.name), own.health, entries);
    }
    add_joints(robot, (joints, &motion.q), entries);
    match firmware {
        Some(firmware) => add_firmware(robot, firmware, entries),
        None => {
            let own = fins.iter().zip(&start.fins);
            let angles = own.map(|(now, before)| (now.command, before.command));
            let names = robot.fins.iter().map(|f| f.name.as_str());
            entries.add_values("fins", name, "angles_rad", changed(names, angles));
            let own = buoyancy_engines.iter().zip(&start.buoyancy_engines);
            let volumes = own.map(|(now, before)| (now.command, before.command));
            let names = robot.buoyancy_engines.iter().map(|b| b.name.as_str());
            let volumes = changed(names, volumes);
            entries.add_values("buoyancy_engines", name, "volumes_m3", volumes);
        }
    }
    let is_free = firmware.as_ref().is_none_or(is_off);
    if last_command_ns.is_some() && is_free {
        let own = actuators.iter().zip(&start.actuators);
        let values = own.map(|(now, before)| (now.command, before.command));
        let names = robot.thrusters.iter().map(|t| t.name.as_str());
        entries.add_values("thrusters", name, "values", changed(names, values));
    }
}

/// Adds the changed levels of the loads.
fn add_loads(robot: &Robot, (loads, start): (&[f64], &[f64]), entries: &mut Entries) {
    for ((load, level), before) in robot.loads.iter().zip(loads).zip(start) {
        if level != before {
            let keys = json!({"load": load.name, "level": level});
            entries.add("load", &robot.name, keys);
        }
    }
}

/// Returns the names and the values that differ from the values at the start.
fn changed<'a>(
    names: impl Iterator<Item = &'a str>,
    values: impl Iterator<Item = (f64, f64)>,
) -> JsonMap<String, Json> {
    let both = names.zip(values).filter(|(_, (now, before))| now != before);
    both.map(|(name, (now, _))| (name.to_string(), now.into()))
        .collect()
}

/// Returns true for a motion controller that leaves the thrusters to direct commands.
fn is_off(firmware: &FirmwareState) -> bool {
    matches!(&firmware.memory, FirmwareLawState::MotionControl(control) if control.mode == ControlMode::Off)
}

/// Adds the noise switch of a sensor.
fn add_noise(robot: &str, name: &str, state: &SensorState, entries: &mut Entries) {
    let SensorState {
        noise,
        // they follow from the time
        samples: _,
        due_ns: _,
        // not saved
        drift: _,
        fault: _,
        channel_faults: _,
        lag: _,
        sampler: _,
        filter: _,
        last: _,
        in_flight: _,
    } = state;
    if !noise {
        let keys = json!({"sensor": name, "on": false});
        entries.add("noise", robot, keys);
    }
}

fn add_health(robot: &str, (kind, name): (&str, &str), health: Health, entries: &mut Entries) {
    let (state, efficiency) = match health {
        Health::Healthy => return,
        Health::Reduced(part) => ("healthy", part),
        Health::Stuck => ("stuck", 1.0),
        Health::Dead => ("dead", 1.0),
    };
    let keys = json!({kind: name, "state": state, "efficiency": efficiency});
    entries.add("health", robot, keys);
}

/// Adds the set-points of the joints in the mode in which they start.
fn add_joints(robot: &Robot, (states, q): (&[JointDriveState], &[f64]), entries: &mut Entries) {
    let mut values = JsonMap::new();
    for ((link, state), q) in robot.links[1..].iter().zip(states).zip(q) {
        let JointDriveState {
            mode,
            reference,
            original_command,
            // not saved
            effort_limit: _,
            effort: _,
            integral: _,
            last_error: _,
            ticks: _,
            measured: _,
            rotor: _,
            motor_effort: _,
            heat: _,
            fault: _,
        } = state;
        let joint = &link.joint;
        let is_commanded = joint.kind != JointKind::Fixed && joint.mimic.is_none();
        if !is_commanded || *mode != joint.start_mode() {
            continue;
        }
        let value = match (&joint.drive, mode) {
            (Drive::Servo(_), JointMode::Position) => reference.position,
            (Drive::Servo(_), JointMode::Velocity) => reference.velocity,
            (Drive::Servo(_), JointMode::Effort) => reference.effort,
            (Drive::Effort { .. } | Drive::Position { .. }, _) => *original_command,
        };
        let unset = if *mode == JointMode::Position {
            *q
        } else {
            0.0
        };
        if value != unset {
            values.insert(joint.name.clone(), value.into());
        }
    }
    entries.add_values("joints", &robot.name, "values", values);
}

/// Adds the gains and the set-points of a firmware.
fn add_firmware(robot: &Robot, state: &FirmwareState, entries: &mut Entries) {
    let name = robot.name.as_str();
    // the command of the pilot and the state of other laws are not saved
    if let FirmwareLawState::MotionControl(control) = &state.memory {
        add_motion_control(robot, control, entries);
    }
    if let FirmwareLawState::HeadingDepthHold(hold) = &state.memory {
        add_heading_depth(name, hold, entries);
    }
    match &state.task {
        GuidanceTask::None => {}
        GuidanceTask::Goal { goal, .. } => add_goal(name, goal, entries),
        GuidanceTask::Path(path) => add_path(name, path, entries),
    }
}

fn add_motion_control(robot: &Robot, state: &MotionControlState, entries: &mut Entries) {
    let MotionControlState {
        mode,
        armed,
        gains,
        goal,
        path,
        // not saved
        pilot: _,
        pilot_ns: _,
        reference: _,
        controlled: _,
        integral: _,
        requested: _,
        allocated: _,
    } = state;
    let settings = robot.firmware.as_ref().and_then(|f| f.motion_control());
    let (Some(settings), name) = (settings, robot.name.as_str()) else {
        return;
    };
    for kind in GainKind::ALL {
        let error = kind.keyword();
        let both = gains.of_kind(kind).iter().zip(settings.gains.of_kind(kind));
        let changed = GainAxisConfig::ALL.into_iter().zip(both);
        for (axis, (value, _)) in changed.filter(|(_, (a, b))| a != b) {
            let keys = json!({"axis": axis.keyword(), "error": error, "value": value});
            entries.add("gain", name, keys);
        }
    }
    if *armed != settings.keys.starts_armed {
        entries.add("arm", name, json!({"on": armed}));
    }
    match (mode, path) {
        (ControlMode::Off, _) => {}
        (ControlMode::StationKeeping, _) => add_goal(name, goal, entries),
        (ControlMode::PathFollowing, Some(path)) => add_path(name, path, entries),
        _ => {
            entries.add("mode", name, json!({"mode": mode.keyword()}));
        }
    }
}

fn add_heading_depth(name: &str, state: &HeadingDepthState, entries: &mut Entries) {
    let HeadingDepthState {
        on,
        heading,
        depth,
        path,
        // not saved
        speed_integral: _,
    } = state;
    match path {
        _ if !on => {}
        Some(path) => add_path(name, path, entries),
        None => {
            let heading = heading.to_degrees() % 360.0;
            let keys = json!({"heading_deg": heading, "depth_m": depth});
            entries.add("heading_depth", name, keys);
        }
    }
}

fn add_goal(robot: &str, goal: &PoseGoal, entries: &mut Entries) {
    let attitude = goal.rpy.map(f64::to_degrees);
    let keys = json!({"position_m": goal.p_WB.to_array(), "attitude_deg": attitude});
    entries.add("goal", robot, keys);
}

/// Adds the part of a path that is left.
fn add_path(robot: &str, path: &PathProgress, entries: &mut Entries) {
    let left = path.waypoints.iter().skip(path.leg + 1);
    let points: Vec<[f64; 3]> = left.map(|p| p.to_array()).collect();
    if !points.is_empty() {
        entries.add("path", robot, json!({"waypoints_m": points}));
    }
}

/// Sets the shape, the length and a break of the lines.
pub(super) fn set_lines(root: &mut Node, scene: &Scene, state: &State) {
    for (tether, own) in scene.tethers.iter().zip(&state.tethers) {
        let TetherState {
            p,
            v,
            length,
            line_break,
            winch_speed,
            // an entry of the schedule
            winch: _,
            // not saved
            end_force: _,
            halted_ns: _,
        } = own;
        let Some(map) = super::changes::existing_section(root, "tethers") else {
            continue;
        };
        let Some(entry) = map.get_mut(&tether.name) else {
            continue;
        };
        if *length != tether.length_m {
            if let Some(winch) = &tether.winch
                && let Some(keys) = entry.get_mut("winch")
            {
                let [_, longest] = tether.winch_range(winch);
                keys.set("max_length_m", longest);
            }
            entry.set("length_m", *length);
        }
        if let Some(keys) = entry.get_mut("winch")
            && tether
                .winch
                .as_ref()
                .is_some_and(|winch| winch.start_speed_m_s != *winch_speed)
        {
            keys.set("start_speed_m_s", *winch_speed);
        }
        if let Some(line_break) = line_break {
            entry.set("broken_segment", line_break.segment);
        }
        if *p == tether.start && *v == tether.start_v {
            continue;
        }
        for (key, nodes) in [("nodes_m", p), ("node_velocities_m_s", v)] {
            let items: Vec<Json> = nodes.iter().map(|p| p.to_array().into()).collect();
            entry.set(key, items);
        }
    }
}
