//! Conversion of scheduled commands.

use crate::build::comms::schedule::build_modem_command;
use crate::build::horizontal_velocity;
use crate::build::waves::changed_waves;
use merrow_control::modes;
use merrow_math::{Quat, SpatialForce, Vec3};
use merrow_model::scene::schedule::ScheduledCommand;
use merrow_model::scene::{Joint, JointMode, Robot, Scene};
use merrow_model::state::commands::{FirmwareOrder, WeatherChange};
use merrow_model::state::firmware::ControlMode;
use merrow_model::state::{
    ActuatorCommand, AppliedWrench, BodyCommand, Command, DeviceCommand, FirmwareCommand, Health,
    JointCommand, WinchCommand, WrenchFrame, WrenchSource,
};
use merrow_schema::schedule::{HealthConfig, ScheduledConfig, ScheduledKindConfig};
use merrow_yaml::error::{Place, Problems, known_names, quote};
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
    scene: &Scene,
    problems: &mut Problems,
) -> Vec<ScheduledCommand> {
    let mut entries: Vec<_> = file.iter().collect();
    entries.sort_by(|a, b| a.1.time_s.total_cmp(&b.1.time_s));
    let mut all = Vec::new();
    let mut sea = scene.sea.clone();
    for (name, entry) in entries {
        let Some((commands, duration)) = build_entry(entry, scene, &mut sea, problems) else {
            continue;
        };
        let repetitions = (duration / REPEAT_S).ceil().max(1.0) as usize;
        if all.len() + repetitions * commands.len() > MAX_COMMANDS {
            let text = format!("the schedule has more than {MAX_COMMANDS} commands");
            problems.push(entry.at.key_place("duration_s"), text);
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
    scene: &Scene,
    sea: &mut merrow_model::scene::Sea,
    problems: &mut Problems,
) -> Option<(Vec<Command>, f64)> {
    let once = |command: Command| Some((vec![command], 0.0));
    match &file.kind {
        ScheduledKindConfig::Coupling {
            coupling, engage, ..
        } => {
            let names = scene.couplings.iter().map(|c| c.name.as_str());
            let index = find(file, "coupling", coupling, names, problems)?;
            once(Command::SetCoupling {
                coupling: index,
                engage: *engage,
                partner: None,
            })
        }
        ScheduledKindConfig::Winch {
            tether, speed_m_s, ..
        } => {
            let names = scene.tethers.iter().map(|t| t.name.as_str());
            let index = find(file, "tether", tether, names, problems)?;
            once(Command::Winch {
                tether: index,
                command: WinchCommand::Speed(*speed_m_s),
            })
        }
        ScheduledKindConfig::Current { .. }
        | ScheduledKindConfig::Water { .. }
        | ScheduledKindConfig::Waves { .. } => {
            change_sea(file, scene, sea, problems);
            once(Command::Sea(Box::new(sea.clone())))
        }
        ScheduledKindConfig::Weather { .. } => once(weather(file, problems)?),
        ScheduledKindConfig::ModemSend { .. }
        | ScheduledKindConfig::ModemRange { .. }
        | ScheduledKindConfig::ModemPower { .. }
        | ScheduledKindConfig::ModemRate { .. }
        | ScheduledKindConfig::ModemMac { .. }
        | ScheduledKindConfig::ModemSwitch { .. } => {
            once(build_modem_command(file, scene, problems)?)
        }
        _ => robot_commands(file, scene, problems),
    }
}

/// Changes the water, its current or its waves as an entry states.
fn change_sea(
    file: &ScheduledConfig,
    scene: &Scene,
    sea: &mut merrow_model::scene::Sea,
    problems: &mut Problems,
) {
    match &file.kind {
        ScheduledKindConfig::Current {
            speed_m_s,
            direction_deg,
            up_m_s,
            ..
        } => {
            let mut v = horizontal_velocity(*speed_m_s, *direction_deg);
            v.z = *up_m_s;
            sea.current.profile = vec![(0.0, v)];
        }
        ScheduledKindConfig::Water {
            density_kg_m3,
            sound_speed_m_s,
            temperature_c,
            air_pressure_pa,
            ..
        } => {
            let is_uniform = [density_kg_m3, sound_speed_m_s, temperature_c];
            if is_uniform.iter().any(|value| value.is_some()) {
                sea.column = None;
            }
            sea.density = density_kg_m3.unwrap_or(sea.density);
            sea.sound_speed = sound_speed_m_s.unwrap_or(sea.sound_speed);
            sea.temperature = temperature_c.unwrap_or(sea.temperature);
            sea.air_pressure = air_pressure_pa.unwrap_or(sea.air_pressure);
        }
        ScheduledKindConfig::Waves {
            hs_m,
            tp_s,
            direction_deg,
            ..
        } => {
            let present = sea.waves.latest().map(|field| field.requested.towards);
            let present = present.unwrap_or(Vec3::new(0.0, 1.0, 0.0));
            let unchanged = libm::atan2(present.x, present.y).to_degrees();
            let change = [*hs_m, *tp_s, direction_deg.unwrap_or(unchanged)];
            match changed_waves(scene, change) {
                Ok(waves) => sea.waves = waves,
                Err(why) => problems.push(file.at.key_place("hs_m"), format!("`hs_m`: {why}")),
            }
        }
        _ => {}
    }
}

/// Returns the index of the object `name` of the key `key`, which states its kind, or reports that
/// there is none.
fn find<'a>(
    file: &ScheduledConfig,
    key: &str,
    name: &str,
    names: impl Iterator<Item = &'a str> + Clone,
    problems: &mut Problems,
) -> Option<usize> {
    find_kind(file, (key, key), name, names, problems)
}

/// Returns the index of the object `name` of this kind, or reports at the key `key` that there is
/// none.
pub(crate) fn find_kind<'a>(
    file: &ScheduledConfig,
    (key, kind): (&str, &str),
    name: &str,
    names: impl Iterator<Item = &'a str> + Clone,
    problems: &mut Problems,
) -> Option<usize> {
    let found = names.clone().position(|other| other == name);
    if found.is_none() {
        let hint = known_names(name, names);
        let text = format!("no {kind} {}{hint}", quote(name));
        problems.push(file.at.key_place(key), text);
    }
    found
}

fn weather(file: &ScheduledConfig, problems: &mut Problems) -> Option<Command> {
    let ScheduledKindConfig::Weather {
        wind_speed_m_s,
        wind_from_deg,
        gustiness,
        temperature_c,
        cloud_cover,
        rain_mm_h,
        visibility_m,
        duration_s,
        ..
    } = &file.kind
    else {
        return None;
    };
    if wind_speed_m_s.is_some() != wind_from_deg.is_some() {
        let text = "expected `wind_speed_m_s` and `wind_from_deg` together";
        problems.push(&file.at.whole, text);
        return None;
    }
    let wind = wind_speed_m_s.zip(*wind_from_deg);
    Some(Command::Weather(Box::new(WeatherChange {
        wind: wind.map(|(speed, from)| horizontal_velocity(-speed, from)),
        gustiness: *gustiness,
        temperature_c: *temperature_c,
        cloud_cover: *cloud_cover,
        rain_mm_h: *rain_mm_h,
        visibility_m: *visibility_m,
        time_of_day_s: None,
        duration_s: *duration_s,
    })))
}

/// Returns the commands of an entry for a robot, and the duration for which they are repeated [s].
fn robot_commands(
    file: &ScheduledConfig,
    scene: &Scene,
    problems: &mut Problems,
) -> Option<(Vec<Command>, f64)> {
    let Some(name) = &file.robot else {
        problems.push(&file.at.whole, "`robot` is missing");
        return None;
    };
    let names = scene.robots.iter().map(|r| r.name.as_str());
    let robot = find(file, "robot", name, names, problems)?;
    let model = &scene.robots[robot];
    let whole = &file.at.whole;
    let once = |command: Command| Some((vec![command], 0.0));
    match &file.kind {
        ScheduledKindConfig::Thrusters { values, .. } => {
            let thrusters = model.thrusters.iter();
            let named: Vec<Device<'_>> = thrusters
                .map(|t| (t.name.as_str(), t.motor.range, t.motor.command.symbol()))
                .collect();
            let command = |thruster, value| {
                Command::Actuator(robot, ActuatorCommand::Thruster { thruster, value })
            };
            devices((values, whole), ("thruster", &named), command, problems)
        }
        ScheduledKindConfig::Fins { angles_rad, .. } => {
            let fins = model.fins.iter();
            let named: Vec<Device<'_>> = fins.map(|f| (f.name.as_str(), f.range, "rad")).collect();
            let command =
                |fin, value| Command::Actuator(robot, ActuatorCommand::Fin { fin, value });
            devices((angles_rad, whole), ("fin", &named), command, problems)
        }
        ScheduledKindConfig::BuoyancyEngines { volumes_m3, .. } => {
            let engines = model.buoyancy_engines.iter();
            let named: Vec<Device<'_>> = engines
                .map(|b| (b.name.as_str(), b.range_m3, "m3"))
                .collect();
            let command = |engine, value| {
                Command::Actuator(robot, ActuatorCommand::BuoyancyEngine { engine, value })
            };
            devices(
                (volumes_m3, whole),
                ("buoyancy engine", &named),
                command,
                problems,
            )
        }
        ScheduledKindConfig::Joints { values, .. } => {
            let joints = model.links[1..].iter();
            let named: Vec<Device<'_>> = joints.map(|link| joint_command(&link.joint)).collect();
            let command =
                |joint, value| Command::Joint(robot, JointCommand::Joint { joint, value });
            devices((values, whole), ("joint", &named), command, problems)
        }
        ScheduledKindConfig::Load { .. }
        | ScheduledKindConfig::Noise { .. }
        | ScheduledKindConfig::Health { .. }
        | ScheduledKindConfig::Gain { .. } => once(setting(file, robot, model, problems)?),
        ScheduledKindConfig::Push { .. } => once(push(file, robot, model, problems)?),
        _ => motion_commands(file, scene, robot, problems),
    }
}

/// Returns the command of an entry that changes a load, a sensor or a gain.
fn setting(
    file: &ScheduledConfig,
    robot: usize,
    model: &Robot,
    problems: &mut Problems,
) -> Option<Command> {
    match &file.kind {
        ScheduledKindConfig::Load { load, level, .. } => {
            let names = model.loads.iter().map(|l| l.name.as_str());
            let load = find(file, "load", load, names, problems)?;
            let level = *level;
            Some(Command::Device(robot, DeviceCommand::Load { load, level }))
        }
        ScheduledKindConfig::Noise { sensor, on, .. } => {
            let names = model.sensors.iter().map(|s| s.name.as_str());
            let (sensor, on) = (find(file, "sensor", sensor, names, problems)?, *on);
            Some(Command::Device(robot, DeviceCommand::Noise { sensor, on }))
        }
        ScheduledKindConfig::Gain {
            axis, error, value, ..
        } => Some(
            FirmwareCommand::Gain {
                kind: *error,
                axis: *axis as usize,
                value: *value,
            }
            .of(robot),
        ),
        ScheduledKindConfig::Health { .. } => health(file, robot, model, problems),
        _ => None,
    }
}

/// Returns the command of an entry that sets the health of a thruster or a fin.
fn health(
    file: &ScheduledConfig,
    robot: usize,
    model: &Robot,
    problems: &mut Problems,
) -> Option<Command> {
    let ScheduledKindConfig::Health {
        thruster,
        fin,
        state,
        efficiency,
        ..
    } = &file.kind
    else {
        return None;
    };
    let health = match state {
        HealthConfig::Healthy if *efficiency < 1.0 => Health::Reduced(*efficiency),
        HealthConfig::Healthy => Health::Healthy,
        HealthConfig::Stuck => Health::Stuck,
        HealthConfig::Dead => Health::Dead,
    };
    match (thruster, fin) {
        (Some(name), None) => {
            let names = model.thrusters.iter().map(|t| t.name.as_str());
            let thruster = find(file, "thruster", name, names, problems)?;
            Some(DeviceCommand::Health { thruster, health }.of(robot))
        }
        (None, Some(name)) => {
            let names = model.fins.iter().map(|f| f.name.as_str());
            let fin = find(file, "fin", name, names, problems)?;
            Some(DeviceCommand::FinHealth { fin, health }.of(robot))
        }
        _ => {
            let text = "expected the name of either a `thruster` or a `fin`";
            problems.push(&file.at.whole, text);
            None
        }
    }
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
    problems: &mut Problems,
) -> Option<(Vec<Command>, f64)> {
    let mut commands = Vec::new();
    for (name, value) in values.iter() {
        let place = values.key_place(name).unwrap_or(whole);
        let Some(index) = named.iter().position(|(other, ..)| other == &name) else {
            let names = named.iter().map(|(name, ..)| *name);
            let hint = known_names(name, names);
            problems.push(place, format!("no {what} {}{hint}", quote(name)));
            continue;
        };
        let (_, [low, high], unit) = named[index];
        if (low..=high).contains(value) {
            commands.push(command(index, *value));
        } else {
            let text = format!("{what} {name}: expected {low} to {high} [{unit}], found {value}");
            problems.push(place, text);
        }
    }
    Some((commands, 0.0))
}

fn push(
    file: &ScheduledConfig,
    robot: usize,
    model: &Robot,
    problems: &mut Problems,
) -> Option<Command> {
    let ScheduledKindConfig::Push {
        link,
        force_n,
        moment_nm,
        duration_s,
        ..
    } = &file.kind
    else {
        return None;
    };
    let link = link.as_deref().unwrap_or(&model.links[0].name);
    let Some(frame) = model.find_frame(link) else {
        let hint = known_names(link, model.frame_names());
        problems.push(
            file.at.key_place("link"),
            format!("no link {}{hint}", quote(link)),
        );
        return None;
    };
    Some(
        BodyCommand::ApplyWrench {
            wrench: AppliedWrench {
                link: frame.link,
                source: WrenchSource::Service,
                frame: WrenchFrame::World,
                F: SpatialForce {
                    m: Vec3::from(*moment_nm),
                    f: Vec3::from(*force_n),
                },
                p_LoP: frame.p_LoF,
                start_ns: 0,
                end_ns: (duration_s * 1e9) as u64,
            },
        }
        .of(robot),
    )
}

/// Returns the commands of controllers, and the duration for which they are repeated [s].
fn motion_commands(
    file: &ScheduledConfig,
    scene: &Scene,
    robot: usize,
    problems: &mut Problems,
) -> Option<(Vec<Command>, f64)> {
    let once = |command: Command| Some((vec![command], 0.0));
    match &file.kind {
        ScheduledKindConfig::Wrench {
            force_n,
            moment_nm,
            duration_s,
            ..
        } => {
            let (force, moment) = (Vec3::from(*force_n), Vec3::from(*moment_nm));
            let command = Command::Actuator(robot, ActuatorCommand::Wrench { force, moment });
            Some((vec![command], *duration_s))
        }
        ScheduledKindConfig::Velocity {
            linear_m_s,
            yaw_rate_rad_s,
            duration_s,
            ..
        } => {
            let command = FirmwareCommand::Velocity {
                linear: Vec3::from(*linear_m_s),
                angular: Vec3::new(0.0, 0.0, *yaw_rate_rad_s),
            }
            .of(robot);
            Some((vec![command], *duration_s))
        }
        ScheduledKindConfig::HeadingDepth {
            heading_deg,
            depth_m,
            ..
        } => once(
            FirmwareCommand::HeadingDepth {
                heading: heading_deg.map(f64::to_radians),
                depth: *depth_m,
            }
            .of(robot),
        ),
        ScheduledKindConfig::Mode { mode, .. } => {
            let Some(mode) = ControlMode::from_keyword(mode) else {
                let names = ControlMode::ALL.iter().map(|(_, name)| *name);
                let hint = known_names(mode, names);
                let text = format!("no mode {}{hint}", quote(mode));
                problems.push(file.at.key_place("mode"), text);
                return None;
            };
            if let Err(why) = modes::check_mode(&scene.robots[robot], mode) {
                problems.push(file.at.key_place("mode"), why);
                return None;
            }
            once(FirmwareCommand::ControlMode { mode }.of(robot))
        }
        ScheduledKindConfig::Arm { on, .. } => once(
            FirmwareCommand::FirmwareOrder {
                order: FirmwareOrder::Enable(*on),
            }
            .of(robot),
        ),
        kind => {
            let command = goal_or_path(kind, robot)?;
            check_task(file, &scene.robots[robot], &command, problems)?;
            once(command)
        }
    }
}

/// Checks that a robot can have a goal or follow a path. A vehicle that cannot move sideways ends
/// beside a goal.
fn check_task(
    file: &ScheduledConfig,
    robot: &Robot,
    command: &Command,
    problems: &mut Problems,
) -> Option<()> {
    if let Err(why) = modes::check_task(robot) {
        problems.push(file.at.key_place("robot"), why);
        return None;
    }
    if let (Some(note), Command::Firmware(_, FirmwareCommand::PoseGoal { .. })) =
        (modes::goal_note(robot), command)
    {
        problems.note(file.at.key_place("position_m"), note);
    }
    Some(())
}

/// Returns the command of an entry with a goal or a path.
fn goal_or_path(kind: &ScheduledKindConfig, robot: usize) -> Option<Command> {
    match kind {
        ScheduledKindConfig::Goal {
            position_m,
            attitude_deg,
            ..
        } => {
            let attitude = attitude_deg.map(|rpy| {
                let [roll, pitch, yaw] = rpy.map(f64::to_radians);
                Quat::from_rpy(roll, pitch, yaw)
            });
            Some(
                FirmwareCommand::PoseGoal {
                    p_WB: Vec3::from(*position_m),
                    q_WB: attitude,
                }
                .of(robot),
            )
        }
        ScheduledKindConfig::Path { waypoints_m, .. } => Some(
            FirmwareCommand::FollowPath {
                waypoints: Arc::new(waypoints_m.iter().map(|p| Vec3::from(*p)).collect()),
            }
            .of(robot),
        ),
        _ => None,
    }
}
