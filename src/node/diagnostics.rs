//! Content of `/diagnostics`: real-time performance, rejected requests, batteries, actuators,
//! satellite receivers, thrust that does not suffice, faults, sensors that miss samples, tethers,
//! modems.

use crate::node::losses::{Losses, network_status, publisher_status, subscribers_status};
use crate::node::modem_health;
use crate::node::states::WorldStatus;
use crate::node::thrust_watch::{AXES, ThrustShortage, ThrustWatch};
use merrow_messages::convert;
use merrow_model::scene::fault::Device;
use merrow_model::scene::fault_devices::device_path;
use merrow_model::scene::{FaultKind, Robot, Scene, Sensor, SensorKind, Tether};
use merrow_model::sensor::gnss::Augmentation;
use merrow_model::sensor::gnss::Gnss;
use merrow_model::state::reading::Reading;
use merrow_model::state::{
    ActuatorState, BatteryState, FaultState, FinState, Health, RobotState, SensorState, State,
    TetherState,
};
use merrow_ros2::msg::diagnostic_msgs::{DiagnosticArray, DiagnosticStatus, KeyValue};
use merrow_ros2::node::shortened;
use merrow_sim::sensors::scheduler::SensorLoad;
use merrow_sim::{Control, Simulation};
use parking_lot::Mutex;
use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

pub(super) const OK: u8 = DiagnosticStatus::OK;
pub(super) const WARN: u8 = DiagnosticStatus::WARN;
pub(super) const ERROR: u8 = DiagnosticStatus::ERROR;

/// Minimum time between two log lines about rejected commands of one robot; all rejections are
/// counted.
const LOG_EVERY: Duration = Duration::from_secs(1);

/// Refused commands of each robot, by name, and of the node under an empty name.
#[derive(Debug, Default)]
pub struct Rejections {
    robots: Mutex<HashMap<String, RejectionCount>>,
}

#[derive(Clone, Debug, Default)]
struct RejectionCount {
    count: u64,
    last: String,
    logged: Option<Instant>,
    /// The first different reasons, each with its number.
    reasons: Vec<(String, u64)>,
}

/// Maximum number of different reasons that are counted per robot. Reasons can contain the values
/// of commands.
const MAX_REASONS: usize = 8;

/// Longest reason of a rejection in logs and diagnostics [bytes].
const MAX_REASON: usize = 400;

/// Returns a reason, which can quote the text of a peer, as one line of at most [`MAX_REASON`]
/// bytes without control characters.
fn one_line(reason: &str) -> String {
    let line = shortened(reason.to_owned(), MAX_REASON);
    line.replace(|c: char| c.is_control(), " ")
}

impl Rejections {
    /// Counts a rejection. Returns the line to log, or `None` if one was logged recently. Without a
    /// robot the rejection counts for the node.
    pub fn count_rejection(
        &self,
        scene: &Scene,
        robot: Option<usize>,
        reason: &str,
    ) -> Option<String> {
        let name = robot.and_then(|r| scene.robots.get(r)).map(|r| &r.name);
        self.count(name, reason)
    }

    /// Counts a rejection for the robot with this name, or for the node. Returns the line to log, or
    /// `None` if one was logged recently.
    pub(crate) fn count(&self, name: Option<&String>, reason: &str) -> Option<String> {
        let reason = one_line(reason);
        let mut robots = self.robots.lock();
        let entry = robots.entry(name.cloned().unwrap_or_default()).or_default();
        entry.count += 1;
        entry.last.clone_from(&reason);
        if let Some((_, count)) = entry.reasons.iter_mut().find(|(known, _)| *known == reason) {
            *count += 1;
        } else if entry.reasons.len() < MAX_REASONS {
            entry.reasons.push((reason.clone(), 1));
        }
        if entry.logged.is_some_and(|t| t.elapsed() < LOG_EVERY) {
            return None;
        }
        entry.logged = Some(Instant::now());
        let who = name.map_or("merrow", |name| name.as_str());
        Some(format!(
            "{who}: request refused: {reason} ({} refused so far)",
            entry.count
        ))
    }

    /// Returns the reasons of all rejections, by name of the robot (`merrow` for the node), each
    /// with its number. Reasons beyond the first of a robot are counted together.
    pub fn by_reason(&self) -> Vec<(String, String, u64)> {
        let robots = self.robots.lock();
        let mut names: Vec<_> = robots.keys().collect();
        names.sort_unstable();
        let mut all = Vec::new();
        for name in names {
            let entry = &robots[name];
            let who = if name.is_empty() { "merrow" } else { name };
            let listed = entry.reasons.iter();
            all.extend(listed.map(|(reason, n)| (who.to_string(), reason.clone(), *n)));
            let rest = entry.count - entry.reasons.iter().map(|(_, n)| n).sum::<u64>();
            if rest > 0 {
                all.push((who.to_string(), "other reasons".to_string(), rest));
            }
        }
        all
    }

    /// Removes the counters of robots that `scene` does not contain.
    pub fn retain(&self, scene: &Scene) {
        let exists = |name: &String| scene.robots.iter().any(|robot| robot.name == *name);
        self.robots
            .lock()
            .retain(|name, _| name.is_empty() || exists(name));
    }

    fn of_robot(&self, name: &str) -> RejectionCount {
        self.robots.lock().get(name).cloned().unwrap_or_default()
    }
}

/// Data for the diagnostics, read between two blocks of steps.
#[derive(Clone, Debug)]
pub struct HealthSnapshot {
    status: Arc<WorldStatus>,
    control: Control,
    shortages: Vec<Vec<ThrustShortage>>,
    /// Load and missed samples of each exteroceptive sensor.
    sensors: Vec<SensorLoad>,
}

impl HealthSnapshot {
    /// Reads the data of a simulation between two blocks of steps, whose state is `status`.
    pub fn read(
        simulation: &Simulation,
        status: Arc<WorldStatus>,
        control: &Control,
        watch: &mut ThrustWatch,
    ) -> Self {
        let scheduler = simulation.sensor_scheduler.iter();
        Self {
            status,
            control: *control,
            shortages: watch.observe(simulation),
            sensors: scheduler.flat_map(|scheduler| scheduler.loads()).collect(),
        }
    }
}

/// Builds the diagnostics message.
pub fn build_message(
    scene: &Scene,
    health: &HealthSnapshot,
    rejections: &Rejections,
    losses: &Losses<'_>,
) -> DiagnosticArray {
    let state = &health.status.state;
    let evicted: u64 = losses.evicted.iter().map(|(_, count)| count).sum();
    let mut status = vec![run_status(
        health,
        losses.dropped + evicted,
        &rejections.of_robot(""),
    )];
    if !losses.by_topic.is_empty() {
        status.push(publisher_status(losses.by_topic));
    }
    if evicted > 0 {
        status.push(subscribers_status(evicted, losses.evicted));
    }
    status.extend(losses.network.map(network_status));
    for (i, robot) in scene.robots.iter().enumerate() {
        let own = &state.robots[i];
        let halted = own.halted.as_ref().map(|halt| halt.cause.as_str());
        let rejected = rejections.of_robot(&robot.name);
        status.push(robot_status(robot, halted, &rejected));
        status.extend(device_statuses(robot, own, state.sea.temperature));
        status.extend(thrust_status(&robot.name, &health.shortages[i]));
    }
    for (robot, own) in scene.robots.iter().zip(&state.robots) {
        status.extend(receiver_statuses(robot, own));
    }
    status.extend(fault_statuses(scene, state));
    if !health.sensors.is_empty() {
        status.push(sensors_status(scene, &health.sensors));
    }
    for (tether, memory) in scene.tethers.iter().zip(&state.tethers) {
        if tether.line.breaking_load_n.is_some() || memory.halted_ns.is_some() {
            status.push(tether_status(tether, memory));
        }
    }
    status.extend(modem_health::statuses(scene, &health.status));
    DiagnosticArray {
        header: convert::header(state.time_ns, ""),
        status,
    }
}

/// Builds the statuses of battery, thrusters and fins of a robot; `water`: temperature [deg C].
fn device_statuses(robot: &Robot, state: &RobotState, water: f64) -> Vec<DiagnosticStatus> {
    let battery = &state.battery;
    let mut status = Vec::new();
    if let Some(spec) = &robot.battery {
        let capacity = spec.capacity_ah;
        status.push(battery_status(robot, capacity, battery, &state.loads));
    }
    let thrusters = robot.thrusters.iter().zip(&state.actuators);
    status.extend(thrusters.map(|(thruster, actuator)| {
        let name = format!("{}: thruster {}", robot.name, thruster.name);
        thruster_status(name, actuator, battery.voltage, water)
    }));
    let fins = robot.fins.iter().zip(&state.fins);
    status.extend(
        fins.map(|(fin, memory)| fin_status(format!("{}: fin {}", robot.name, fin.name), memory)),
    );
    status
}

/// Builds the status of a robot whose thrust does not suffice; `None` while it does.
fn thrust_status(robot: &str, shortages: &[ThrustShortage]) -> Option<DiagnosticStatus> {
    let (mut texts, mut values) = (Vec::new(), Vec::new());
    for shortage in shortages {
        let (axis, unit) = AXES[shortage.axis];
        let (requested, allocated) = (shortage.requested, shortage.allocated);
        texts.push(format!(
            "{axis}: {requested:.1} {unit} requested, {allocated:.1} {unit} available"
        ));
        let since = format!("{axis}: error without decrease for [s]");
        values.extend(numbers([
            (&format!("{axis}: requested [{unit}]"), 1, requested),
            (&format!("{axis}: allocated [{unit}]"), 1, allocated),
            (&since, 1, shortage.duration),
        ]));
    }
    (!texts.is_empty()).then(|| {
        status(
            WARN,
            format!("{robot}: thrust"),
            format!("the thrust does not suffice in {}", texts.join("; ")),
            values,
        )
    })
}

/// Builds the statuses of all active faults of robots, beacons and fixed modems.
fn fault_statuses(scene: &Scene, state: &State) -> Vec<DiagnosticStatus> {
    let acts = |memory: &&FaultState| memory.is_active(state.time_ns) || memory.water > 0.0;
    let mut status = Vec::new();
    for (k, (robot, own)) in scene.robots.iter().zip(&state.robots).enumerate() {
        let device = |memory: &FaultState| device_path(scene, Some(k), memory.fault.device);
        let active = own.faults.iter().filter(acts);
        status.extend(active.map(|f| fault_status(&robot.name, &device(f), f)));
    }
    let of_world = state.faults.iter().filter(acts);
    status.extend(of_world.map(|f| {
        let owner = match f.fault.device {
            Device::Modem(_) => "modems",
            _ => "beacons",
        };
        fault_status(owner, &device_path(scene, None, f.fault.device), f)
    }));
    status
}

fn run_status(
    health: &HealthSnapshot,
    dropped: u64,
    rejected: &RejectionCount,
) -> DiagnosticStatus {
    let (c, contacts) = (&health.control, &health.status.state.contacts);
    let simulated_s = health.status.state.time_ns as f64 * 1e-9;
    let achieved = simulated_s / c.wall_s.max(1e-9);
    let paced = matches!(c.pace, merrow_sim::Pace::Factor(_));
    let late = paced && c.overruns > 0;
    let (level, message) = match (c.paused, late) {
        (true, _) => (OK, "paused".to_string()),
        (false, true) => (WARN, format!("{} blocks were late", c.overruns)),
        (false, false) => (OK, "running".to_string()),
    };
    let mut values = vec![value("pace", c.pace)];
    values.extend(numbers([
        ("simulated time [s]", 3, simulated_s),
        ("achieved real-time factor since start", 3, achieved),
        ("overruns", 0, c.overruns as f64),
        ("jitter mean [us]", 1, c.jitter_s.0 * 1e6),
        ("jitter std [us]", 1, c.jitter_s.1 * 1e6),
        ("worst lateness [ms]", 3, c.worst_lateness_s * 1e3),
    ]));
    values.extend([
        value("dropped messages", dropped),
        value("contacts", contacts.touching.len()),
        value("collisions", contacts.collisions),
        value("contact steps not converged", contacts.unsolved),
        value("refused requests", rejected.count),
    ]);
    status(level, "merrow: run".into(), message, values)
}

fn robot_status(
    robot: &Robot,
    halted: Option<&str>,
    rejected: &RejectionCount,
) -> DiagnosticStatus {
    let (level, message) = match (halted, rejected.count) {
        (Some(cause), _) => (ERROR, format!("halted: {cause}")),
        (None, 0) => (OK, "running".to_string()),
        (None, n) => (WARN, format!("{n} commands refused")),
    };
    let values = vec![
        value("refused commands", rejected.count),
        value("last refusal", &rejected.last),
    ];
    status(level, format!("{}: commands", robot.name), message, values)
}

fn battery_status(
    robot: &Robot,
    capacity: f64,
    battery: &BatteryState,
    levels: &[f64],
) -> DiagnosticStatus {
    let percent = battery.charge * 100.0;
    let (level, message) = match battery.charge {
        c if !battery.is_on() => {
            let why = if c <= 0.0 { "empty" } else { "cut off" };
            (ERROR, format!("{why}, {percent:.0} %"))
        }
        c if c < 0.2 => (WARN, format!("{percent:.0} %")),
        _ => (OK, format!("{percent:.0} %")),
    };
    let mut values = numbers([
        ("charge [%]", 1, percent),
        ("voltage [V]", 2, battery.voltage),
        ("current [A]", 2, battery.current),
    ]);
    values.push(value("capacity [A h]", capacity));
    values.extend(numbers([
        ("load [W]", 1, battery.load),
        ("solar [W]", 1, battery.solar),
        ("charger [W]", 1, battery.charger),
        ("energy delivered [W h]", 3, battery.delivered / 3600.0),
        ("energy gained [W h]", 3, battery.gained / 3600.0),
        ("energy lost in the battery [W h]", 3, battery.lost / 3600.0),
    ]));
    for (load, level) in robot.loads.iter().zip(levels) {
        let name = format!("load {} [W]", load.name);
        values.extend(numbers([(&name, 1, load.power_w * level)]));
    }
    status(level, format!("{}: battery", robot.name), message, values)
}

fn thruster_status(name: String, a: &ActuatorState, voltage: f64, water: f64) -> DiagnosticStatus {
    let (level, message) = match health_status(a.health) {
        (OK, _) if a.is_overheated => (ERROR, "stopped by overheating protection".to_string()),
        (OK, _) if a.available_fraction <= 0.0 => (ERROR, "no power".to_string()),
        words => words,
    };
    let current = if voltage > 0.0 {
        a.power / voltage
    } else {
        0.0
    };
    let mut values = vec![value("command", a.command)];
    values.extend(numbers([
        ("thrust [N]", 3, a.thrust),
        ("temperature [deg C]", 2, water + a.heat),
        ("current [A]", 3, current),
        ("power [W]", 2, a.power),
        ("available thrust [%]", 1, 100.0 * a.available_fraction),
    ]));
    status(level, name, message, values)
}

fn fin_status(name: String, fin: &FinState) -> DiagnosticStatus {
    let (level, message) = health_status(fin.health);
    let values = numbers([
        ("command [deg]", 2, fin.command.to_degrees()),
        ("angle [deg]", 2, fin.angle.to_degrees()),
        ("power [W]", 2, fin.power),
    ]);
    status(level, name, message, values)
}

/// Builds the statuses of the satellite receivers of a robot.
fn receiver_statuses(robot: &Robot, state: &RobotState) -> Vec<DiagnosticStatus> {
    let sensors = robot.sensors.iter().zip(&state.sensors);
    let receivers = sensors.filter(|(sensor, _)| matches!(sensor.kind, SensorKind::Gnss(_)));
    let one = |(sensor, memory): (&Sensor, &SensorState)| {
        let last = match &memory.last {
            Some(Reading::Gnss(reading)) => Some(reading),
            _ => None,
        };
        let is_on = state.battery.is_on() && !memory.fault.dead;
        let name = format!("{}: receiver {}", robot.name, sensor.name);
        receiver_status(name, is_on, last)
    };
    receivers.map(one).collect()
}

/// Builds the status of a satellite receiver: kind of fix, satellites and accuracy. Unknown values
/// are omitted.
fn receiver_status(name: String, on: bool, last: Option<&Gnss>) -> DiagnosticStatus {
    let (level, message) = match last {
        _ if !on => (ERROR, "no output"),
        None => (WARN, "starting"),
        Some(r) if !r.fix => (WARN, "no fix"),
        Some(r) => match r.augmentation {
            Augmentation::None => (OK, "fix"),
            Augmentation::Satellites => (OK, "fix with satellite augmentation"),
            Augmentation::Ground => (OK, "fix with ground augmentation"),
        },
    };
    let mut values = Vec::new();
    if let Some(r) = last.filter(|_| on) {
        values.push(value("fix", r.fix));
        values.extend(r.satellites.map(|n| value("satellites", n)));
        if let Some([h, v]) = r.dilution {
            values.extend(numbers([("HDOP", 2, h), ("VDOP", 2, v)]));
        }
        if r.fix {
            let [east, north, up] = r.variances;
            values.extend(numbers([
                ("horizontal std [m]", 3, (0.5 * (east + north)).sqrt()),
                ("vertical std [m]", 3, up.sqrt()),
            ]));
        }
    }
    status(level, name, message.to_string(), values)
}

fn fault_status(owner: &str, device: &str, memory: &FaultState) -> DiagnosticStatus {
    let fault = &memory.fault;
    let seconds = |ns: u64| format!("{:.3}", ns as f64 * 1e-9);
    let mut values = vec![
        value("device", device),
        value("since [s]", seconds(fault.start_ns)),
    ];
    if fault.end_ns < u64::MAX {
        values.push(value("until [s]", seconds(fault.end_ns)));
    }
    if let FaultKind::Intermittent { .. } = fault.kind {
        values.push(value("fails now", memory.failing));
    }
    if memory.water > 0.0 {
        values.push(value("water [l]", format!("{:.3}", memory.water * 1000.0)));
    }
    let message = format!("{device} is {}", fault.kind.kind());
    status(
        ERROR,
        format!("{owner}: fault {}", fault.name),
        message,
        values,
    )
}

fn tether_status(tether: &Tether, memory: &TetherState) -> DiagnosticStatus {
    let seconds = |ns: u64| ns as f64 * 1e-9;
    let (level, message) = match (memory.halted_ns, memory.line_break) {
        (Some(t), _) => (
            ERROR,
            format!("stopped at {:.3} s: state is not finite", seconds(t)),
        ),
        (None, Some(line_break)) => {
            let [of, from] = [tether.n_segments(), line_break.segment + 1];
            (
                ERROR,
                format!(
                    "broken at {:.3} s, segment {from} of {of}",
                    seconds(line_break.time_ns)
                ),
            )
        }
        (None, None) => (OK, "intact".to_string()),
    };
    let [from, to] = memory.end_tensions();
    let values = vec![
        value("tension at `from` [N]", format!("{from:.1}")),
        value("tension at `to` [N]", format!("{to:.1}")),
        value("breaking load [N]", tether.line.breaking_load()),
    ];
    status(level, format!("{}: line", tether.name), message, values)
}

/// Builds the status of the exteroceptive sensors, which names those that miss samples.
fn sensors_status(scene: &Scene, sensors: &[SensorLoad]) -> DiagnosticStatus {
    let late: Vec<&SensorLoad> = sensors.iter().filter(|load| load.missed > 0).collect();
    let (mut names, mut values) = (Vec::new(), Vec::new());
    for load in &late {
        let robot = &scene.robots[load.robot];
        let sensor = &robot.sensors[load.sensor];
        let name = format!("{}/{}", robot.name, sensor.name);
        let delivered = 1.0 - load.missed as f64 / load.requested.max(1) as f64;
        let mut add =
            |what: &str, text: String| values.push(value(&format!("{name}: {what}"), text));
        add("samples missed", load.missed.to_string());
        add("samples requested", load.requested.to_string());
        add("rate [Hz]", sensor.rate.to_string());
        add(
            "CPU time per sample [ms]",
            format!("{:.1}", 1e3 * load.cost_s),
        );
        add(
            "CPU demand [% of a core]",
            format!("{:.1}", 100.0 * load.cores),
        );
        add("samples delivered [%]", format!("{:.1}", 100.0 * delivered));
        names.push(name);
    }
    let (level, message) = if late.is_empty() {
        (OK, "no samples missed".to_string())
    } else {
        let message = format!("samples missed by {}", names.join(", "));
        (WARN, message)
    };
    status(level, "merrow: sensors".into(), message, values)
}

fn health_status(health: Health) -> (u8, String) {
    match health {
        Health::Healthy => (OK, "healthy".to_string()),
        Health::Reduced(part) => (WARN, format!("reduced to {:.0} %", part * 100.0)),
        Health::Stuck => (ERROR, "stuck".to_string()),
        Health::Dead => (ERROR, "dead".to_string()),
    }
}

pub(super) fn status(
    level: u8,
    name: String,
    message: String,
    values: Vec<KeyValue>,
) -> DiagnosticStatus {
    DiagnosticStatus {
        level,
        name,
        message,
        hardware_id: "merrow".to_string(),
        values,
    }
}

pub(super) fn value(key: &str, value: impl ToString) -> KeyValue {
    KeyValue {
        key: key.to_string(),
        value: value.to_string(),
    }
}

/// Returns numbers, each with its key and its number of decimals.
fn numbers<const N: usize>(rows: [(&str, usize, f64); N]) -> Vec<KeyValue> {
    let rows = rows.map(|(key, decimals, x)| value(key, format!("{x:.decimals$}")));
    rows.into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use merrow_math::Vec3;
    use merrow_world::{Overrides, data_dir, load_world};

    // One entry names each sensor that misses samples, with counts, cost and fraction delivered,
    // and no other sensor. Method: two sensors of riverwatch, one of which misses samples, then
    // none.
    #[test]
    fn sensors_that_miss_samples_are_named() {
        let path = data_dir::world_file("riverwatch");
        let scene = load_world(&path, Overrides::default())
            .expect("a world")
            .scene;
        let index = |name: &str| {
            let sensors = &scene.robots[0].sensors;
            sensors.iter().position(|s| s.name == name).expect(name)
        };
        let load = |name: &str, missed, cost_s, cores| SensorLoad {
            robot: 0,
            sensor: index(name),
            requested: 200,
            missed,
            cost_s,
            cores,
        };
        let mut loads = [
            load("laser", 0, 0.0015, 0.06),
            load("stereo_left", 130, 0.29, 1.45),
        ];
        let status = sensors_status(&scene, &loads);
        assert_eq!(
            (status.level, status.name.as_str(), status.message.as_str()),
            (
                DiagnosticStatus::WARN,
                "merrow: sensors",
                "samples missed by usv/stereo_left"
            )
        );
        let values: Vec<String> = status
            .values
            .iter()
            .map(|v| format!("{}={}", v.key, v.value))
            .collect();
        let expected = [
            "usv/stereo_left: samples missed=130",
            "usv/stereo_left: samples requested=200",
            "usv/stereo_left: rate [Hz]=5",
            "usv/stereo_left: CPU time per sample [ms]=290.0",
            "usv/stereo_left: CPU demand [% of a core]=145.0",
            "usv/stereo_left: samples delivered [%]=35.0",
        ];
        assert_eq!(values, expected);
        loads[1].missed = 0;
        let status = sensors_status(&scene, &loads);
        assert_eq!(
            (status.level, status.message.as_str(), status.values.len()),
            (DiagnosticStatus::OK, "no samples missed", 0)
        );
    }

    #[test]
    fn insufficient_thrust_names_axes_and_values() {
        assert_eq!(thrust_status("boat", &[]), None);
        let shortage = |axis, requested, allocated| ThrustShortage {
            axis,
            requested,
            allocated,
            duration: 4.0,
        };
        let status = thrust_status("boat", &[shortage(0, 120.0, 67.2), shortage(5, -9.0, -3.0)]);
        let status = status.expect("a status");
        assert_eq!(
            (status.level, status.name.as_str(), status.message.as_str()),
            (
                DiagnosticStatus::WARN,
                "boat: thrust",
                "the thrust does not suffice in surge: 120.0 N requested, 67.2 N available; \
                 yaw: -9.0 N m requested, -3.0 N m available"
            )
        );
        assert_eq!(status.values.len(), 6);
        assert_eq!(status.values[0].key, "surge: requested [N]");
    }

    #[test]
    fn receiver_status_reports_the_fix() {
        let mut last = Gnss {
            fix: true,
            position: [0.1, 0.2, 5.0],
            velocity: Vec3::zero(),
            variances: [4.0, 4.0, 9.0],
            velocity_variances: [0.1; 3],
            augmentation: Augmentation::Satellites,
            satellites: Some(9),
            dilution: Some([1.234, 2.0]),
        };
        let status = |on: bool, last: Option<&Gnss>| {
            let s = receiver_status("boat: receiver gps".into(), on, last);
            let values: Vec<String> = s
                .values
                .iter()
                .map(|v| format!("{} {}", v.key, v.value))
                .collect();
            (s.level, s.message, values.join(", "))
        };
        let expected = "fix true, satellites 9, HDOP 1.23, VDOP 2.00, horizontal std [m] 2.000, vertical std [m] 3.000";
        let fixed = "fix with satellite augmentation".to_string();
        assert_eq!(
            status(true, Some(&last)),
            (DiagnosticStatus::OK, fixed, expected.to_string())
        );
        assert_eq!(
            status(false, Some(&last)),
            (DiagnosticStatus::ERROR, "no output".into(), String::new())
        );
        assert_eq!(
            status(true, None),
            (DiagnosticStatus::WARN, "starting".into(), String::new())
        );
        (last.fix, last.satellites, last.dilution) = (false, Some(2), None);
        let none = "fix false, satellites 2".to_string();
        assert_eq!(
            status(true, Some(&last)),
            (DiagnosticStatus::WARN, "no fix".into(), none)
        );
    }
}
