//! Conversion of the connection to an autopilot: outputs of a frame, and sensors.
//!
//! # Law
//! ```text
//!   m(k) = arg max_m |w_k · f_m|,   s_k = sign(w_k · f_m(k))                 (1)
//! ```
//! f_m is the row of output m in the frame of the autopilot: the motion that a pulse width above
//! neutral causes. w_k is the direction of the wrench of thruster k. Output m(k) commands
//! thruster k with the sign s_k.
//!
//! # Symbols
//! Rows: forward, left and up; roll, pitch and yaw about these axes; -1, 0 or 1.
//!
//! # Frames
//! Base B (forward, left, up). The tables of ArduPilot are forward, right and down.
//!
//! # Limits
//! Components of w_k that no row of the frame has, such as the pitching moment of horizontal
//! thrusters, do not count.
//!
//! # Checked by
//! test/input/devices/autopilot.rs; tests in `test/ros/checks/vehicles/autopilot.py`

use crate::context::Context;
use crate::keys::RobotEntry;
use crate::keys::robot::autopilot::{
    ArduPilotConfig, AutopilotConfig, FrameConfig, LinkConfig, MavlinkConfig, Px4Config,
    Px4FrameConfig,
};
use merrow_math::Vec3;
use merrow_model::scene::Robot;
use merrow_model::scene::autopilot::{
    Autopilot, AutopilotKind, MavlinkTelemetry, ServoDevice, ServoOutput,
};
use merrow_model::scene::robot::thruster::Thruster;
use merrow_yaml::error::{Place, quote};
use merrow_yaml::fields::Places;
use merrow_yaml::read::NamedMap;
use std::cell::RefCell;
use std::collections::HashMap;
use std::f64::consts::FRAC_1_SQRT_2;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};

/// UDP port of the first instance of ArduPilot SITL.
const FIRST_PORT: u32 = 9002;
/// Number of rangefinders of the JSON interface, `rng_1` to `rng_6`.
const MAX_RANGEFINDERS: usize = 6;
/// Distance of the ports of two instances of ArduPilot SITL.
const PORT_STEP: u32 = 10;
/// TCP port of the first instance of PX4 SITL.
const FIRST_PX4_PORT: u32 = 4560;
/// Controls of a rotor of PX4.
const ROTOR_CONTROL: [f64; 3] = [0.0, 0.0, 1.0];
/// Controls of a thruster of PX4 that turns in both directions.
const BIDIRECTIONAL_CONTROL: [f64; 3] = [-1.0, 0.0, 1.0];
/// Pulse widths of a thruster of ArduSub [µs].
const SUB_PWM: [f64; 3] = [1100.0, 1500.0, 1900.0];
/// Pulse widths of an output of Rover [µs], as its parameter file for the SITL (rover.parm) sets
/// them.
const ROVER_PWM: [f64; 3] = [1000.0, 1500.0, 2000.0];
/// Pulse widths of a rotor [µs]: the default of Copter.
const ROTOR_PWM: [f64; 3] = [1000.0, 1000.0, 2000.0];

/// Channel and row of an output in a frame.
type Row = (usize, [f64; 6]);

/// Frame `vectored` of ArduSub (AP_Motors6DOF.cpp), in forward, left and up.
const VECTORED: [Row; 6] = [
    (0, [-1.0, -1.0, 0.0, 0.0, 0.0, -1.0]),
    (1, [-1.0, 1.0, 0.0, 0.0, 0.0, 1.0]),
    (2, [1.0, -1.0, 0.0, 0.0, 0.0, 1.0]),
    (3, [1.0, 1.0, 0.0, 0.0, 0.0, -1.0]),
    (4, [0.0, 0.0, -1.0, 1.0, 0.0, 0.0]),
    (5, [0.0, 0.0, -1.0, -1.0, 0.0, 0.0]),
];
/// Frame `vectored_6dof` of ArduSub.
const VECTORED_6DOF: [Row; 8] = [
    (0, [-1.0, -1.0, 0.0, 0.0, 0.0, -1.0]),
    (1, [-1.0, 1.0, 0.0, 0.0, 0.0, 1.0]),
    (2, [1.0, -1.0, 0.0, 0.0, 0.0, 1.0]),
    (3, [1.0, 1.0, 0.0, 0.0, 0.0, -1.0]),
    (4, [0.0, 0.0, -1.0, 1.0, 1.0, 0.0]),
    (5, [0.0, 0.0, -1.0, -1.0, 1.0, 0.0]),
    (6, [0.0, 0.0, -1.0, 1.0, -1.0, 0.0]),
    (7, [0.0, 0.0, -1.0, -1.0, -1.0, 0.0]),
];
/// Skid steering of Rover: throttle left on output 1, throttle right on output 3.
const SKID_STEERING: [Row; 2] = [
    (0, [1.0, 0.0, 0.0, 0.0, 0.0, -1.0]),
    (2, [1.0, 0.0, 0.0, 0.0, 0.0, 1.0]),
];
/// Sine of 60 deg.
const S60: f64 = 0.866_025_403_784_438_6;
/// Frame `hexa`, type X, of Copter (AP_MotorsMatrix.cpp): rotors at 90, -90, -30, 150, 30 and -150
/// deg to the right of the bow; 1, 3 and 6 turn clockwise.
const HEXA_X: [Row; 6] = [
    (0, [0.0, 0.0, 1.0, -1.0, 0.0, 1.0]),
    (1, [0.0, 0.0, 1.0, 1.0, 0.0, -1.0]),
    (2, [0.0, 0.0, 1.0, 0.5, -S60, 1.0]),
    (3, [0.0, 0.0, 1.0, -0.5, S60, -1.0]),
    (4, [0.0, 0.0, 1.0, -0.5, -S60, -1.0]),
    (5, [0.0, 0.0, 1.0, 0.5, S60, 1.0]),
];

/// Six rotors of PX4, clockwise from the front right one, which turns counter-clockwise (airframe
/// 10044_sihsim_hex).
const PX4_HEXA_X: [Row; 6] = [
    (0, [0.0, 0.0, 1.0, -0.5, -S60, -1.0]),
    (1, [0.0, 0.0, 1.0, -1.0, 0.0, 1.0]),
    (2, [0.0, 0.0, 1.0, -0.5, S60, -1.0]),
    (3, [0.0, 0.0, 1.0, 0.5, S60, 1.0]),
    (4, [0.0, 0.0, 1.0, 1.0, 0.0, -1.0]),
    (5, [0.0, 0.0, 1.0, 0.5, -S60, 1.0]),
];
/// Differential drive of PX4: right on output 1, left on output 2 (airframe
/// 50000_gz_rover_differential).
const PX4_DIFFERENTIAL: [Row; 2] = [
    (0, [1.0, 0.0, 0.0, 0.0, 0.0, 1.0]),
    (1, [1.0, 0.0, 0.0, 0.0, 0.0, -1.0]),
];

/// Builds the connection of `robot`, whose actuators and sensors are complete. A connection that is
/// not enabled may name devices that a robot derived from the model lacks: it is then without them,
/// and `None` without thrusters for its outputs.
pub(crate) fn build_autopilot(
    file: &AutopilotConfig,
    robot: &Robot,
    cx: Context<'_>,
) -> Option<Autopilot> {
    let link = match file {
        AutopilotConfig::ArduPilot(file) => &file.link,
        AutopilotConfig::Px4(file) => &file.link,
    };
    let build = |cx: Context<'_>| match file {
        AutopilotConfig::ArduPilot(file) => build_ardupilot(file, robot, cx),
        AutopilotConfig::Px4(file) => build_px4(file, robot, cx),
    };
    if link.enabled {
        return Some(build(cx));
    }
    let problems = &RefCell::default(); // not reported
    Some(build(Context { problems, ..cx })).filter(|autopilot| !autopilot.outputs.is_empty())
}

/// Builds the connection to ArduPilot.
fn build_ardupilot(file: &ArduPilotConfig, robot: &Robot, cx: Context<'_>) -> Autopilot {
    let at = &file.at;
    let outputs = match file.frame {
        FrameConfig::Custom => Vec::new(),
        FrameConfig::Sailboat => sailboat_outputs(at, robot, cx),
        FrameConfig::Vectored => frame_outputs(at, &VECTORED, SUB_PWM, robot, cx),
        FrameConfig::Vectored6Dof => frame_outputs(at, &VECTORED_6DOF, SUB_PWM, robot, cx),
        FrameConfig::SkidSteering => frame_outputs(at, &SKID_STEERING, ROVER_PWM, robot, cx),
        FrameConfig::HexaX => frame_outputs(at, &HEXA_X, ROTOR_PWM, robot, cx),
    };
    let custom = file.outputs.iter().map(|(name, output)| CustomOutput {
        name,
        place: file.outputs.key_place(name).unwrap_or(&at.whole),
        input_key: ("pwm", output.at.key_place("pwm")),
        channel: output.channel,
        input: output.pwm,
        command: output.command,
    });
    let outputs = all_outputs(outputs, custom.collect(), at, robot, cx);
    if file.rangefinders.len() > MAX_RANGEFINDERS {
        let found = file.rangefinders.len();
        let text =
            format!("`rangefinders`: expected at most {MAX_RANGEFINDERS} names, found {found}");
        cx.error(at.key_place("rangefinders"), text);
    }
    let sensor = |name: &str, key: &str, kinds: &[&str]| {
        find_sensor(name, at.key_place(key), robot, kinds, cx)
    };
    let rangefinders = file.rangefinders.iter();
    Autopilot {
        kind: AutopilotKind::ArduPilot,
        enabled: file.link.enabled,
        port: given_port(AutopilotKind::ArduPilot, &file.link),
        lock_step: file.link.lock_step,
        outputs,
        rangefinders: rangefinders
            .filter_map(|name| sensor(name, "rangefinders", &["altimeter"]))
            .collect(),
        imu: file
            .imu
            .as_ref()
            .and_then(|name| sensor(name, "imu", &["imu", "ahrs"])),
        magnetometer: None,
        barometer: None,
        gnss: None,
        wind_vane: file
            .wind_vane
            .as_ref()
            .and_then(|name| sensor(name, "wind_vane", &["anemometer"])),
        address: parse_address(&file.link.address, at, cx),
    }
}

/// Builds the connection to PX4.
fn build_px4(file: &Px4Config, robot: &Robot, cx: Context<'_>) -> Autopilot {
    let at = &file.at;
    let outputs = match file.frame {
        Px4FrameConfig::Custom => Vec::new(),
        Px4FrameConfig::HexaX => frame_outputs(at, &PX4_HEXA_X, ROTOR_CONTROL, robot, cx),
        Px4FrameConfig::Differential => {
            frame_outputs(at, &PX4_DIFFERENTIAL, BIDIRECTIONAL_CONTROL, robot, cx)
        }
    };
    let custom = file.outputs.iter().map(|(name, output)| CustomOutput {
        name,
        place: file.outputs.key_place(name).unwrap_or(&at.whole),
        input_key: ("control", output.at.key_place("control")),
        channel: output.channel,
        input: output.control,
        command: output.command,
    });
    let outputs = all_outputs(outputs, custom.collect(), at, robot, cx);
    let sensor = |name: &Option<String>, key: &str, kinds: &[&str]| {
        find_sensor(name.as_ref()?, at.key_place(key), robot, kinds, cx)
    };
    Autopilot {
        kind: AutopilotKind::Px4,
        enabled: file.link.enabled,
        port: given_port(AutopilotKind::Px4, &file.link),
        lock_step: file.link.lock_step,
        outputs,
        rangefinders: Vec::new(),
        imu: sensor(&file.imu, "imu", &["imu", "ahrs"]),
        magnetometer: sensor(&file.magnetometer, "magnetometer", &["magnetometer"]),
        barometer: sensor(&file.barometer, "barometer", &["barometer", "pressure"]),
        gnss: sensor(&file.gnss, "gnss", &["gnss"]),
        wind_vane: None,
        address: parse_address(&file.link.address, at, cx),
    }
}

fn parse_address(text: &str, at: &Places, cx: Context<'_>) -> IpAddr {
    text.parse().unwrap_or_else(|_| {
        let text = format!("`address`: expected an IP address, found {}", quote(text));
        cx.error(at.key_place("address"), text);
        IpAddr::V4(Ipv4Addr::LOCALHOST)
    })
}

/// Returns the port that the file gives, or 0.
fn given_port(kind: AutopilotKind, link: &LinkConfig) -> u16 {
    let of_instance = link.instance.map(|instance| instance_port(kind, instance));
    link.port.or(of_instance).unwrap_or(0) as u16
}

/// Output of the key `outputs`.
struct CustomOutput<'a> {
    name: &'a str,
    place: &'a Place,
    /// Name and place of the key with the values of the output.
    input_key: (&'a str, &'a Place),
    channel: u32,
    input: [f64; 3],
    command: [f64; 3],
}

/// Returns the outputs of the frame and of the key `outputs`, which replace others of their device.
fn all_outputs(
    mut outputs: Vec<ServoOutput>,
    custom: Vec<CustomOutput<'_>>,
    at: &Places,
    robot: &Robot,
    cx: Context<'_>,
) -> Vec<ServoOutput> {
    if outputs.is_empty() && custom.is_empty() && !at.has_key("frame") {
        let text = "the autopilot has no outputs; give `frame` or `outputs`";
        cx.error(&at.whole, text);
    }
    for output in custom {
        let Some(device) = find_device(output.name, robot, output.place, cx) else {
            continue;
        };
        let [low, neutral, high] = output.input;
        if !(low <= neutral && neutral <= high && low < high) {
            let (key, place) = output.input_key;
            let found = output.input;
            let text = format!("`{key}`: expected ascending values, found {found:?}");
            cx.error(place, text);
            continue;
        }
        outputs.retain(|other| other.device != device);
        outputs.push(ServoOutput {
            channel: output.channel as usize - 1,
            device,
            input: output.input,
            command: output.command,
        });
    }
    outputs
}

/// Builds the telemetry of a robot; its number is 0 until it is assigned.
pub(crate) fn build_mavlink(file: &MavlinkConfig, cx: Context<'_>) -> MavlinkTelemetry {
    let address = file.udp.parse().unwrap_or_else(|_| {
        let text = format!(
            "`udp`: expected an IP address and a port such as `127.0.0.1:14550`, found {}",
            quote(&file.udp)
        );
        cx.error(file.at.key_place("udp"), text);
        SocketAddr::from((Ipv4Addr::LOCALHOST, 0))
    });
    MavlinkTelemetry {
        address,
        system_id: file.system_id.unwrap_or(0) as u8,
    }
}

/// Assigns the numbers of the vehicles of ground stations by the order of the robots, where the
/// file gives none. With `address`, robots without telemetry send it there.
pub(crate) fn assign_system_ids(robots: &mut [Robot], address: Option<SocketAddr>) {
    for (k, robot) in robots.iter_mut().enumerate() {
        if robot.mavlink.is_none() {
            robot.mavlink = address.map(|address| MavlinkTelemetry {
                address,
                system_id: 0,
            });
        }
        if let Some(telemetry) = &mut robot.mavlink
            && telemetry.system_id == 0
        {
            telemetry.system_id = (k % 255 + 1) as u8;
        }
    }
}

/// Returns the port of an instance of the SITL.
fn instance_port(kind: AutopilotKind, instance: u32) -> u32 {
    match kind {
        AutopilotKind::ArduPilot => FIRST_PORT + PORT_STEP * instance,
        AutopilotKind::Px4 => FIRST_PX4_PORT + instance,
    }
}

/// Assigns the ports of the enabled autopilots by the order of their robots, where the file gives
/// none, and reports those that two robots have in common.
pub(crate) fn assign_ports(robots: &mut [Robot], entries: &NamedMap<RobotEntry>, cx: Context<'_>) {
    let mut used: HashMap<(IpAddr, u16), &str> = HashMap::new();
    let enabled = robots.iter_mut().filter_map(|robot| {
        let autopilot = robot.autopilot.as_deref_mut()?;
        autopilot.enabled.then_some((&robot.name, autopilot))
    });
    for (k, (name, autopilot)) in enabled.enumerate() {
        let refuse = |text: String| {
            let is_entry = |key: &str| {
                name.strip_prefix(key)
                    .is_some_and(|rest| rest.is_empty() || rest.starts_with('_'))
            };
            if let Some((_, entry)) = entries.iter().find(|(key, _)| is_entry(key)) {
                cx.error(&entry.at.whole, text);
            }
        };
        if autopilot.port == 0 {
            match u16::try_from(instance_port(autopilot.kind, k as u32)) {
                Ok(port) => autopilot.port = port,
                Err(_) => {
                    return refuse(format!(
                        "expected at most {k} autopilots with one UDP port each, found more"
                    ));
                }
            }
        }
        let (address, port) = (autopilot.address, autopilot.port);
        if let Some(other) = used.insert((address, port), name) {
            refuse(format!(
                "the autopilots of {other} and {name} have the same port {port}; give another `instance`"
            ));
        }
    }
}

/// Returns the index of a sensor on the base, or reports that there is none of these kinds.
pub(super) fn find_sensor(
    name: &str,
    place: &Place,
    robot: &Robot,
    kinds: &[&str],
    cx: Context<'_>,
) -> Option<usize> {
    let all = robot.sensors.iter().enumerate();
    let suitable: Vec<_> = all
        .filter(|(_, sensor)| sensor.link == 0 && kinds.contains(&sensor.kind.name()))
        .collect();
    let names = suitable.iter().map(|(_, sensor)| sensor.name.as_str());
    let found = cx.find(place, name, names, |name| {
        format!("no sensor {name} of this kind on the base")
    })?;
    Some(suitable[found].0)
}

/// Returns the device with this name: thruster, fin, joint or load.
fn find_device(name: &str, robot: &Robot, place: &Place, cx: Context<'_>) -> Option<ServoDevice> {
    let mut devices: Vec<(ServoDevice, &str)> = Vec::new();
    let thrusters = robot.thrusters.iter().enumerate();
    devices.extend(thrusters.map(|(k, t)| (ServoDevice::Thruster(k), t.name.as_str())));
    let fins = robot.fins.iter().enumerate();
    devices.extend(fins.map(|(k, f)| (ServoDevice::Fin(k), f.name.as_str())));
    let joints = robot.links[1..].iter().enumerate();
    devices.extend(joints.map(|(k, l)| (ServoDevice::Joint(k), l.joint.name.as_str())));
    let loads = robot.loads.iter().enumerate();
    devices.extend(loads.map(|(k, l)| (ServoDevice::Load(k), l.name.as_str())));
    let names = devices.iter().map(|(_, name)| *name);
    let found = cx.find(place, name, names, |name| {
        format!("no thruster, fin, joint or load {name}")
    })?;
    Some(devices[found].0)
}

/// Returns the outputs of a frame with these rows, whose values at the ends and at neutral are
/// `input`.
fn frame_outputs(
    at: &Places,
    rows: &[Row],
    input: [f64; 3],
    robot: &Robot,
    cx: Context<'_>,
) -> Vec<ServoOutput> {
    let assigned = match_outputs(rows, &robot.thrusters);
    let Some(assigned) = assigned else {
        let text = format!(
            "`frame`: the {} thrusters of {} are not arranged as the {} outputs of this frame; use `frame: custom` and `outputs`",
            robot.thrusters.len(),
            robot.name,
            rows.len()
        );
        cx.error(at.key_place("frame"), text);
        return Vec::new();
    };
    let thrusters = robot.thrusters.iter().enumerate();
    thrusters
        .zip(assigned)
        .map(|((k, thruster), (channel, sign))| {
            let [low, high] = thruster.motor.range;
            let ends = if sign > 0.0 { [low, high] } else { [high, low] };
            ServoOutput {
                channel,
                device: ServoDevice::Thruster(k),
                input,
                command: [ends[0], thruster.motor.neutral, ends[1]],
            }
        })
        .collect()
}

/// Returns channel and sign of the output of each thruster, by (1); `None` if the thrusters do not
/// match the rows one to one.
fn match_outputs(rows: &[Row], thrusters: &[Thruster]) -> Option<Vec<(usize, f64)>> {
    if rows.len() != thrusters.len() {
        return None;
    }
    let largest = |of: fn(Vec3) -> f64| {
        let values = thrusters.iter().map(|t| of(t.unit_wrench.m));
        values.fold(1e-9, f64::max)
    };
    // the reaction moment of a rotor is small compared with its moment about the other axes
    let (moment, yaw_moment) = (largest(Vec3::norm), largest(|m| m.z.abs()));
    let match_score = |t: &Thruster, row: &[f64; 6]| {
        let (f, m) = (t.unit_wrench.f, t.unit_wrench.m);
        let w = [f.x, f.y, f.z, m.x / moment, m.y / moment, m.z / yaw_moment];
        let dot: f64 = w.iter().zip(row).map(|(a, b)| a * b).sum();
        let norm: f64 = row.iter().map(|b| b * b).sum();
        dot / norm.sqrt()
    };
    let mut found = Vec::new();
    for thruster in thrusters {
        let scores = rows.iter().map(|(c, row)| (*c, match_score(thruster, row)));
        let best = scores.max_by(|a, b| a.1.abs().total_cmp(&b.1.abs()))?;
        let is_taken = found.iter().any(|(channel, _)| *channel == best.0);
        if is_taken || best.1.abs() < FRAC_1_SQRT_2 {
            return None;
        }
        found.push((best.0, best.1.signum()));
    }
    Some(found)
}

/// Returns the outputs of a sailing boat: rudder on output 1, whose high end turns to the right,
/// and the sheet on output 4, whose high end eases it.
fn sailboat_outputs(at: &Places, robot: &Robot, cx: Context<'_>) -> Vec<ServoOutput> {
    let fins = || robot.fins.iter().enumerate();
    let sail = fins().find(|(_, fin)| fin.sail);
    let aft = |fin: &merrow_model::scene::robot::fin::Fin| fin.p_LoF.x;
    let movable = fins().filter(|(_, fin)| !fin.sail && fin.range[0] < fin.range[1]);
    let rudder = movable.min_by(|a, b| aft(a.1).total_cmp(&aft(b.1)));
    let (Some((sail, sheet)), Some((rudder, blade))) = (sail, rudder) else {
        let text = format!("`frame`: {} has no sail or no rudder", robot.name);
        cx.error(at.key_place("frame"), text);
        return Vec::new();
    };
    let [low, high] = blade.range;
    vec![
        ServoOutput {
            channel: 0,
            device: ServoDevice::Fin(rudder),
            input: ROVER_PWM,
            command: [high, 0.5 * (low + high), low],
        },
        ServoOutput {
            channel: 3,
            device: ServoDevice::Fin(sail),
            input: ROVER_PWM,
            command: [
                sheet.range[0],
                0.5 * (sheet.range[0] + sheet.range[1]),
                sheet.range[1],
            ],
        },
    ]
}
