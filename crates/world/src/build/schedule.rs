//! Conversion of scheduled commands.

use crate::build::comms::schedule::build_modem_command;
use crate::build::waves::changed_waves;
use crate::build::{horizontal_velocity, water_velocity};
use crate::context::SceneContext;
use crate::keys::schedule::{HealthConfig, ScheduledConfig, ScheduledKindConfig as Kind};
use merrow_control::modes;
use merrow_math::{Quat, SpatialForce, Vec3};
use merrow_model::scene::schedule::ScheduledCommand;
use merrow_model::scene::{Joint, JointMode, Robot, Sea};
use merrow_model::state::commands::{FirmwareOrder, WeatherChange};
use merrow_model::state::firmware::ControlMode;
use merrow_model::state::{
    ActuatorCommand, AppliedWrench, BodyCommand, Command, DeviceCommand, FirmwareCommand, Health,
    JointCommand, WinchCommand, WrenchFrame, WrenchSource,
};
use merrow_tasks::Report;
use merrow_yaml::error::Place;
use merrow_yaml::read::NamedMap;
use std::sync::Arc;

/// Period at which a command with a duration is repeated [s]. It is shorter than all time-outs of
/// commands.
const REPEAT_S: f64 = 0.25;
/// Maximum number of commands of a schedule, with repetitions.
const MAX_COMMANDS: usize = 1_000_000;

/// Builds the schedule of a world whose robots, couplings and tethers are known, sorted by time.
pub(crate) fn build_schedule(
    file: &NamedMap<ScheduledConfig>,
    cx: SceneContext<'_>,
) -> Vec<ScheduledCommand> {
    let mut entries: Vec<_> = file.iter().collect();
    entries.sort_by(|a, b| a.1.time_s.total_cmp(&b.1.time_s));
    let mut all = Vec::new();
    let mut sea = cx.scene.sea.clone();
    for (name, entry) in entries {
        let Some((commands, duration)) = build_entry(entry, &mut sea, cx) else {
            continue;
        };
        let repetitions = (duration / REPEAT_S).ceil().max(1.0) as usize;
        if all.len() + repetitions * commands.len() > MAX_COMMANDS {
            let text = format!("the schedule has more than {MAX_COMMANDS} commands");
            cx.error(entry.at.key_place("duration_s"), text);
            continue;
        }
        let name: Arc<str> = name.into();
        for k in 0..repetitions {
            let time_ns = ((entry.time_s + REPEAT_S * k as f64) * 1e9) as u64;
            all.extend(commands.iter().map(|command| ScheduledCommand {
                name: Arc::clone(&name),
                time_ns,
                command: command.clone(),
            }));
        }
    }
    // stable: commands of the same time keep the order of the file
    all.sort_by_key(|entry| entry.time_ns);
    all
}

/// Returns the commands of an entry, and the duration for which they are repeated [s].
fn build_entry(
    file: &ScheduledConfig,
    sea: &mut Sea,
    cx: SceneContext<'_>,
) -> Option<(Vec<Command>, f64)> {
    let command = match &file.kind {
        Kind::Coupling {
            coupling, engage, ..
        } => {
            let names = cx.scene.couplings.iter().map(|c| c.name.as_str());
            Command::SetCoupling {
                coupling: find(file, "coupling", coupling, names, cx)?,
                engage: *engage,
                partner: None,
            }
        }
        Kind::Winch {
            tether, speed_m_s, ..
        } => {
            let names = cx.scene.tethers.iter().map(|t| t.name.as_str());
            Command::Winch {
                tether: find(file, "tether", tether, names, cx)?,
                command: WinchCommand::Speed(*speed_m_s),
            }
        }
        Kind::Current(keys) => {
            let v = water_velocity(keys.speed_m_s, keys.direction_deg, keys.up_m_s);
            sea.current.profile = vec![(0.0, v)];
            Command::Sea(Box::new(sea.clone()))
        }
        Kind::Water(keys) => {
            let is_uniform = [keys.density_kg_m3, keys.sound_speed_m_s, keys.temperature_c];
            if is_uniform.iter().any(|value| value.is_some()) {
                sea.column = None;
            }
            sea.density = keys.density_kg_m3.unwrap_or(sea.density);
            sea.sound_speed = keys.sound_speed_m_s.unwrap_or(sea.sound_speed);
            sea.temperature = keys.temperature_c.unwrap_or(sea.temperature);
            sea.air_pressure = keys.air_pressure_pa.unwrap_or(sea.air_pressure);
            Command::Sea(Box::new(sea.clone()))
        }
        Kind::Waves(keys) => {
            let present = sea.waves.latest().map(|field| field.requested.towards);
            let present = present.unwrap_or(Vec3::new(0.0, 1.0, 0.0));
            let unchanged = libm::atan2(present.x, present.y).to_degrees();
            let change = [
                keys.hs_m,
                keys.tp_s,
                keys.direction_deg.unwrap_or(unchanged),
            ];
            match changed_waves(cx.scene, change) {
                Ok(waves) => sea.waves = waves,
                Err(why) => cx.error(file.at.key_place("hs_m"), format!("`hs_m`: {why}")),
            }
            Command::Sea(Box::new(sea.clone()))
        }
        Kind::Weather(keys) => {
            if keys.wind_speed_m_s.is_some() != keys.wind_from_deg.is_some() {
                let text = "expected `wind_speed_m_s` and `wind_from_deg` together";
                return cx.refuse(&file.at.whole, text);
            }
            let wind = keys.wind_speed_m_s.zip(keys.wind_from_deg);
            Command::Weather(Box::new(WeatherChange {
                wind: wind.map(|(speed, from)| horizontal_velocity(-speed, from)),
                gustiness: keys.gustiness,
                temperature_c: keys.temperature_c,
                cloud_cover: keys.cloud_cover,
                rain_mm_h: keys.rain_mm_h,
                visibility_m: keys.visibility_m,
                time_of_day_s: None,
                duration_s: keys.duration_s,
            }))
        }
        Kind::ModemSend { .. }
        | Kind::ModemRange { .. }
        | Kind::ModemPower { .. }
        | Kind::ModemRate { .. }
        | Kind::ModemMac { .. }
        | Kind::ModemSwitch { .. } => build_modem_command(file, cx)?,
        _ => return robot_commands(file, cx),
    };
    Some((vec![command], 0.0))
}

/// Returns the index of the object `name` of the key `key`, which states its kind, or reports that
/// there is none.
fn find<'a>(
    file: &ScheduledConfig,
    key: &str,
    name: &str,
    names: impl Iterator<Item = &'a str>,
    cx: SceneContext<'_>,
) -> Option<usize> {
    find_kind(file, (key, key), name, names, cx)
}

/// Returns the index of the object `name` of this kind, or reports at the key `key` that there is
/// none.
pub(crate) fn find_kind<'a>(
    file: &ScheduledConfig,
    (key, kind): (&str, &str),
    name: &str,
    names: impl Iterator<Item = &'a str>,
    cx: SceneContext<'_>,
) -> Option<usize> {
    cx.find(file.at.key_place(key), name, names, |name| {
        format!("no {kind} {name}")
    })
}

/// Returns the commands of an entry for a robot, and the duration for which they are repeated [s].
fn robot_commands(file: &ScheduledConfig, cx: SceneContext<'_>) -> Option<(Vec<Command>, f64)> {
    let Some(name) = &file.robot else {
        return cx.refuse(&file.at.whole, "`robot` is missing");
    };
    let names = cx.scene.robots.iter().map(|r| r.name.as_str());
    let robot = find(file, "robot", name, names, cx)?;
    let model = &cx.scene.robots[robot];
    let whole = &file.at.whole;
    let actuator = |command| Command::Actuator(robot, command);
    let device = |command| Command::Device(robot, command);
    let firmware = |command| Command::Firmware(robot, command);
    let command = match &file.kind {
        Kind::Thrusters { values, .. } => {
            let thrusters = model.thrusters.iter();
            let named: Vec<Device<'_>> = thrusters
                .map(|t| (t.name.as_str(), t.motor.range, t.motor.command.symbol()))
                .collect();
            let command = |thruster, value| actuator(ActuatorCommand::Thruster { thruster, value });
            return devices((values, whole), ("thruster", &named), command, cx);
        }
        Kind::Fins { angles_rad, .. } => {
            let fins = model.fins.iter();
            let named: Vec<Device<'_>> = fins.map(|f| (f.name.as_str(), f.range, "rad")).collect();
            let command = |fin, value| actuator(ActuatorCommand::Fin { fin, value });
            return devices((angles_rad, whole), ("fin", &named), command, cx);
        }
        Kind::BuoyancyEngines { volumes_m3, .. } => {
            let engines = model.buoyancy_engines.iter();
            let named: Vec<Device<'_>> = engines
                .map(|b| (b.name.as_str(), b.range_m3, "m3"))
                .collect();
            let named = ("buoyancy engine", named.as_slice());
            let command =
                |engine, value| actuator(ActuatorCommand::BuoyancyEngine { engine, value });
            return devices((volumes_m3, whole), named, command, cx);
        }
        Kind::Joints { values, .. } => {
            let joints = model.links[1..].iter();
            let named: Vec<Device<'_>> = joints.map(|link| joint_command(&link.joint)).collect();
            let command =
                |joint, value| Command::Joint(robot, JointCommand::Joint { joint, value });
            return devices((values, whole), ("joint", &named), command, cx);
        }
        Kind::Load { load, level, .. } => {
            let names = model.loads.iter().map(|l| l.name.as_str());
            let load = find(file, "load", load, names, cx)?;
            let level = *level;
            device(DeviceCommand::Load { load, level })
        }
        Kind::Report {
            class, position_m, ..
        } => report(
            (robot, "class"),
            Report::Object {
                class: class.clone(),
                p_W: (*position_m).into(),
            },
            file,
            cx,
        )?,
        Kind::Words { words, .. } => {
            report((robot, "words"), Report::Words(words.clone()), file, cx)?
        }
        Kind::Noise { sensor, on, .. } => {
            let names = model.sensors.iter().map(|s| s.name.as_str());
            let (sensor, on) = (find(file, "sensor", sensor, names, cx)?, *on);
            device(DeviceCommand::Noise { sensor, on })
        }
        Kind::Gain {
            axis, error, value, ..
        } => firmware(FirmwareCommand::Gain {
            kind: *error,
            axis: *axis as usize,
            value: *value,
        }),
        Kind::Health(keys) => {
            let health = match keys.state {
                HealthConfig::Healthy if keys.efficiency < 1.0 => Health::Reduced(keys.efficiency),
                HealthConfig::Healthy => Health::Healthy,
                HealthConfig::Stuck => Health::Stuck,
                HealthConfig::Dead => Health::Dead,
            };
            match (&keys.thruster, &keys.fin) {
                (Some(name), None) => {
                    let names = model.thrusters.iter().map(|t| t.name.as_str());
                    let thruster = find(file, "thruster", name, names, cx)?;
                    device(DeviceCommand::Health { thruster, health })
                }
                (None, Some(name)) => {
                    let names = model.fins.iter().map(|f| f.name.as_str());
                    let fin = find(file, "fin", name, names, cx)?;
                    device(DeviceCommand::FinHealth { fin, health })
                }
                _ => {
                    let text = "expected the name of either a `thruster` or a `fin`";
                    return cx.refuse(whole, text);
                }
            }
        }
        Kind::Push(keys) => {
            let link = keys.link.as_deref().unwrap_or(&model.links[0].name);
            let frame = cx.find_link(link, file.at.key_place("link"), model)?;
            let wrench = AppliedWrench {
                link: frame.link,
                source: WrenchSource::Service,
                frame: WrenchFrame::World,
                F: SpatialForce {
                    m: Vec3::from(keys.moment_nm),
                    f: Vec3::from(keys.force_n),
                },
                p_LoP: frame.p_LoF,
                start_ns: 0,
                end_ns: (keys.duration_s * 1e9) as u64,
            };
            Command::Body(robot, BodyCommand::ApplyWrench { wrench })
        }
        Kind::Wrench(keys) => {
            let (force, moment) = (Vec3::from(keys.force_n), Vec3::from(keys.moment_nm));
            let command = actuator(ActuatorCommand::Wrench { force, moment });
            return Some((vec![command], keys.duration_s));
        }
        Kind::Velocity(keys) => {
            let command = firmware(FirmwareCommand::Velocity {
                linear: Vec3::from(keys.linear_m_s),
                angular: Vec3::new(0.0, 0.0, keys.yaw_rate_rad_s),
            });
            return Some((vec![command], keys.duration_s));
        }
        Kind::HeadingDepth(keys) => firmware(FirmwareCommand::HeadingDepth {
            heading: keys.heading_deg.map(f64::to_radians),
            depth: keys.depth_m,
        }),
        Kind::Mode { mode, .. } => {
            let names = ControlMode::ALL.map(ControlMode::keyword).into_iter();
            let mode = ControlMode::ALL[find(file, "mode", mode, names, cx)?];
            if let Err(why) = modes::check_mode(model, mode) {
                return cx.refuse(file.at.key_place("mode"), why);
            }
            firmware(FirmwareCommand::ControlMode { mode })
        }
        Kind::Arm { on, .. } => {
            let order = FirmwareOrder::Enable(*on);
            firmware(FirmwareCommand::FirmwareOrder { order })
        }
        Kind::Goal {
            position_m,
            attitude_deg,
            ..
        } => {
            check_task(file, model, cx)?;
            if let Some(note) = modes::goal_note(cx.scene, robot, Vec3::from(*position_m)) {
                cx.note(file.at.key_place("position_m"), note);
            }
            let attitude = attitude_deg.map(|rpy| {
                let [roll, pitch, yaw] = rpy.map(f64::to_radians);
                Quat::from_rpy(roll, pitch, yaw)
            });
            firmware(FirmwareCommand::PoseGoal {
                p_WB: Vec3::from(*position_m),
                q_WB: attitude,
            })
        }
        Kind::Path { waypoints_m, .. } => {
            check_task(file, model, cx)?;
            let waypoints: Vec<Vec3> = waypoints_m.iter().map(|p| Vec3::from(*p)).collect();
            if let Some(note) = modes::path_note(cx.scene, robot, &waypoints) {
                cx.note(file.at.key_place("waypoints_m"), note);
            }
            firmware(FirmwareCommand::FollowPath {
                waypoints: Arc::new(waypoints),
            })
        }
        _ => return None,
    };
    Some((vec![command], 0.0))
}

/// Returns the command of a report of the robot with the index `robot`, whose content is in `key`.
fn report(
    (robot, key): (usize, &str),
    report: Report,
    file: &ScheduledConfig,
    cx: SceneContext<'_>,
) -> Option<Command> {
    let accepted = match &cx.scene.task {
        Some(task) => task.law.reports().check(&report),
        None => Err("the world has no task".to_string()),
    };
    match accepted {
        Ok(()) => Some(Command::Report(robot, report)),
        Err(why) => cx.refuse(file.at.key_place(key), why),
    }
}

/// Checks that a robot can have a goal or follow a path.
fn check_task(file: &ScheduledConfig, robot: &Robot, cx: SceneContext<'_>) -> Option<()> {
    modes::check_task(robot)
        .map_err(|why| cx.error(file.at.key_place("robot"), why))
        .ok()
}

/// Device of a robot: its name, and the range and unit of its command.
type Device<'a> = (&'a str, [f64; 2], &'a str);

/// Returns the command of a joint in the mode in which it starts.
fn joint_command(joint: &Joint) -> Device<'_> {
    let symmetric = |max: f64| [-max, max];
    let (range, unit) = match joint.start_mode() {
        JointMode::Position => (joint.limits, "rad or m"),
        JointMode::Velocity => (symmetric(joint.max_speed()), "rad/s or m/s"),
        JointMode::Effort => (symmetric(joint.max_effort), "N m or N"),
    };
    (&joint.name, range, unit)
}

/// Returns the commands of named devices, whose values are in the range of the device.
fn devices(
    (values, whole): (&NamedMap<f64>, &Place),
    (what, named): (&str, &[Device<'_>]),
    command: impl Fn(usize, f64) -> Command,
    cx: SceneContext<'_>,
) -> Option<(Vec<Command>, f64)> {
    let mut commands = Vec::new();
    for (name, value) in values.iter() {
        let place = values.key_place(name).unwrap_or(whole);
        let names = named.iter().map(|(name, ..)| *name);
        let found = cx.find(place, name, names, |name| format!("no {what} {name}"));
        let Some(index) = found else { continue };
        let (_, [low, high], unit) = named[index];
        if (low..=high).contains(value) {
            commands.push(command(index, *value));
        } else {
            let text = format!("{what} {name}: expected {low} to {high} [{unit}], found {value}");
            cx.error(place, text);
        }
    }
    Some((commands, 0.0))
}
