//! Which topics and actions a world has: one list, from which endpoints and `describe` are made.
//!
//! Names are relative to the node's namespace, so that `__ns` moves them all; `/clock`, `/tf`, `/tf_static` and
//! `/diagnostics` are absolute, as everywhere in ROS.

use crate::arm;
use crate::arm::{ActionPlan, Place};
use crate::convert::camera;
use crate::convert::exteroceptive;
use crate::convert::instruments;
use crate::convert::navigation;
use crate::input::firmware;
use crate::input::firmware::Told;
use crate::msg::Contacts;
use merrow_model::scene::sensor::Offer;
use merrow_model::scene::{
    Coupling, Fin, FinLaw, JointKind, JointMode, Robot, Scene, SensorKind, Tether,
};
use merrow_ros2::message::{Message, TypeInfo};
use merrow_ros2::msg::diagnostic_msgs::DiagnosticArray;
use merrow_ros2::msg::geometry_msgs::{TwistWithCovarianceStamped, Wrench, WrenchStamped};
use merrow_ros2::msg::marine_acoustic_msgs::Dvl;
use merrow_ros2::msg::nav_msgs::{Odometry, Path};
use merrow_ros2::msg::rosgraph_msgs::Clock;
use merrow_ros2::msg::sensor_msgs::{
    BatteryState, FluidPressure, Imu, JointState, MagneticField, Range,
};
use merrow_ros2::msg::std_msgs::{Bool, Float64, Float64MultiArray, String as StringMsg};
use merrow_ros2::msg::tf2_msgs::TFMessage;
use merrow_ros2::msg::vision_msgs::LabelInfo;
use merrow_ros2::qos::Qos;
use std::borrow::Cow;

/// Rate of `/tf` and `joint_states` in simulated time [Hz].
pub const FRAME_RATE: f64 = 50.0;
/// Rate of battery states in simulated time [Hz].
pub const BATTERY_RATE: f64 = 1.0;
/// Rate of `/diagnostics` in wall time [Hz].
pub const DIAGNOSTICS_RATE: f64 = 1.0;

/// Where the content of a topic comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// Simulated time.
    Clock,
    /// Moving frames.
    Tf,
    /// Frames that do not move.
    TfStatic,
    /// Health.
    Diagnostics,
    /// The robot's URDF.
    Description {
        /// Index of the robot.
        robot: usize,
    },
    /// A message of a sensor.
    Sensor {
        /// Index of the robot.
        robot: usize,
        /// Index of the sensor.
        sensor: usize,
        /// Which of its messages.
        part: usize,
    },
    /// What the numbers of a camera's labels are.
    Labels {
        /// Index of the robot.
        robot: usize,
        /// Index of the sensor.
        sensor: usize,
    },
    /// Joint states.
    Joints {
        /// Index of the robot.
        robot: usize,
    },
    /// What the controller of a group of joints wants, measures and commands.
    Controller {
        /// Which group.
        place: Place,
    },
    /// What touches what.
    Contacts,
    /// Wrench of contacts on a link.
    ContactWrench {
        /// Index of the robot.
        robot: usize,
        /// Index of the link.
        link: usize,
    },
    /// Battery state.
    Battery {
        /// Index of the robot.
        robot: usize,
    },
    /// Volume of a buoyancy engine.
    Ballast {
        /// Index of the robot.
        robot: usize,
        /// Index of the engine.
        ballast: usize,
    },
    /// Where a flight is.
    FlightMode {
        /// Index of the robot.
        robot: usize,
    },
    /// Where the wheels say that a robot is.
    WheelOdometry {
        /// Index of the robot.
        robot: usize,
    },
    /// Whether a coupling holds.
    Coupling {
        /// Index of the coupling.
        coupling: usize,
    },
    /// What it bears.
    CouplingLoad {
        /// Index of the coupling.
        coupling: usize,
    },
    /// Nodes of a tether.
    TetherPath {
        /// Index of the tether.
        tether: usize,
    },
    /// Tension at both ends of a tether.
    TetherTension {
        /// Index of the tether.
        tether: usize,
    },
    /// Whether a tether that can part is whole.
    TetherIntact {
        /// Index of the tether.
        tether: usize,
    },
    /// Length of a tether on a winch.
    TetherLength {
        /// Index of the tether.
        tether: usize,
    },
}

/// A topic that the node publishes.
#[derive(Clone, Debug)]
pub struct Output {
    /// Name.
    pub topic: String,
    /// Type.
    pub info: &'static TypeInfo,
    /// Quality of service.
    pub qos: Qos,
    /// Messages per second; none: once, or whenever something changes.
    pub rate_hz: Option<f64>,
    /// Where it comes from.
    pub source: Source,
}

/// What a subscribed topic commands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    /// One thruster.
    Thruster {
        /// Index of the robot.
        robot: usize,
        /// Index of the thruster.
        thruster: usize,
    },
    /// All thrusters, or these and then all fins.
    Thrusters {
        /// Index of the robot.
        robot: usize,
    },
    /// One fin.
    Fin {
        /// Index of the robot.
        robot: usize,
        /// Index of the fin.
        fin: usize,
    },
    /// One buoyancy engine.
    Ballast {
        /// Index of the robot.
        robot: usize,
        /// Index of the engine.
        ballast: usize,
    },
    /// All fins.
    Fins {
        /// Index of the robot.
        robot: usize,
    },
    /// The thruster manager.
    Wrench {
        /// Index of the robot.
        robot: usize,
    },
    /// The thruster manager, with a header.
    WrenchStamped {
        /// Index of the robot.
        robot: usize,
    },
    /// Joints by name.
    Joints {
        /// Index of the robot.
        robot: usize,
    },
    /// A robot's firmware.
    Firmware {
        /// Index of the robot.
        robot: usize,
        /// What it is told.
        told: Told,
    },
    /// A coupling.
    Coupling {
        /// Index of the coupling.
        coupling: usize,
    },
    /// A tether's winch.
    Winch {
        /// Index of the tether.
        tether: usize,
    },
    /// A group of joints, along a trajectory.
    Trajectory {
        /// Which group.
        place: Place,
    },
    /// All joints of a group, in one mode.
    Group {
        /// Which group.
        place: Place,
        /// The mode.
        mode: JointMode,
    },
}

/// A topic that the node subscribes.
#[derive(Clone, Debug)]
pub struct Input {
    /// Name.
    pub topic: String,
    /// Type.
    pub info: &'static TypeInfo,
    /// What it commands.
    pub target: Target,
    /// Unit and range of what it takes, for people.
    pub unit: String,
}

/// All topics and actions of a world.
#[derive(Clone, Debug)]
pub struct Plan {
    /// Published.
    pub outputs: Vec<Output>,
    /// Subscribed.
    pub inputs: Vec<Input>,
    /// Actions.
    pub actions: Vec<ActionPlan>,
}

impl Plan {
    /// The topics of `scene`.
    pub fn new(scene: &Scene) -> Self {
        let global = |topic: &str, info, qos, rate_hz, source| Output {
            topic: topic.to_string(),
            info,
            qos,
            rate_hz,
            source,
        };
        let mut outputs = vec![
            global("/clock", Clock::info(), Qos::CLOCK, None, Source::Clock),
            global(
                "/tf",
                TFMessage::info(),
                Qos::TF,
                Some(FRAME_RATE),
                Source::Tf,
            ),
            global(
                "/tf_static",
                TFMessage::info(),
                Qos::TF_STATIC,
                None,
                Source::TfStatic,
            ),
            global(
                "/diagnostics",
                DiagnosticArray::info(),
                Qos::DEFAULT,
                Some(DIAGNOSTICS_RATE),
                Source::Diagnostics,
            ),
        ];
        if scene.robots.iter().any(|r| !r.colliders.is_empty()) {
            let rate = Some(FRAME_RATE);
            outputs.push(global(
                "contacts",
                Contacts::info(),
                Qos::DEFAULT,
                rate,
                Source::Contacts,
            ));
        }
        let (mut inputs, mut actions) = (Vec::new(), Vec::new());
        for (i, robot) in scene.robots.iter().enumerate() {
            robot_outputs(i, robot, &mut outputs);
            robot_inputs(i, robot, &mut inputs);
            actions.extend(arm::actions(i, robot));
        }
        for (k, coupling) in scene.couplings.iter().enumerate() {
            couple(k, coupling, &mut outputs, &mut inputs);
        }
        for (i, tether) in scene.tethers.iter().enumerate() {
            add_tether(i, tether, &mut outputs, &mut inputs);
        }
        Self {
            outputs,
            inputs,
            actions,
        }
    }
}

fn add_tether(i: usize, tether: &Tether, outputs: &mut Vec<Output>, inputs: &mut Vec<Input>) {
    let name = &tether.name;
    if tether.line.breaking.is_finite() {
        outputs.push(Output {
            topic: format!("{name}/intact"),
            info: Bool::info(),
            qos: Qos::LATCHED,
            rate_hz: None,
            source: Source::TetherIntact { tether: i },
        });
    }
    let mut add = |topic: String, info, source| {
        outputs.push(Output {
            topic,
            info,
            qos: Qos::DEFAULT,
            rate_hz: Some(FRAME_RATE),
            source,
        });
    };
    add(
        format!("{name}/path"),
        Path::info(),
        Source::TetherPath { tether: i },
    );
    add(
        format!("{name}/tension"),
        Float64MultiArray::info(),
        Source::TetherTension { tether: i },
    );
    if let Some(winch) = &tether.winch {
        add(
            format!("{name}/length"),
            Float64::info(),
            Source::TetherLength { tether: i },
        );
        let unit = format!("m/s, positive pays out [-{0}, {0}]", winch.max_speed);
        let (topic, target) = (format!("{name}/winch/command"), Target::Winch { tether: i });
        inputs.push(Input {
            topic,
            info: Float64::info(),
            target,
            unit,
        });
    }
}

fn couple(k: usize, coupling: &Coupling, outputs: &mut Vec<Output>, inputs: &mut Vec<Input>) {
    let topic = |what: &str| format!("couplings/{}/{what}", coupling.name);
    outputs.push(Output {
        topic: topic("state"),
        info: Bool::info(),
        qos: Qos::LATCHED,
        rate_hz: None,
        source: Source::Coupling { coupling: k },
    });
    outputs.push(Output {
        topic: topic("wrench"),
        info: WrenchStamped::info(),
        qos: Qos::DEFAULT,
        rate_hz: Some(FRAME_RATE),
        source: Source::CouplingLoad { coupling: k },
    });
    let unit = "true: take hold, for a latch: capture what comes; false: let go".to_string();
    let target = Target::Coupling { coupling: k };
    inputs.push(Input {
        topic: topic("command"),
        info: Bool::info(),
        target,
        unit,
    });
}

fn robot_outputs(i: usize, robot: &Robot, outputs: &mut Vec<Output>) {
    let name = &robot.name;
    let mut add = |topic: String, info, qos, rate_hz, source| {
        outputs.push(Output {
            topic,
            info,
            qos,
            rate_hz,
            source,
        });
    };
    for (k, sensor) in robot.sensors.iter().enumerate() {
        for (part, (suffix, info)) in sensor_messages(&sensor.kind).into_iter().enumerate() {
            let source = Source::Sensor {
                robot: i,
                sensor: k,
                part,
            };
            let topic = format!("{name}/{}{suffix}", sensor.name);
            let rate = sensor.kind.looks().map_or(sensor.rate, |with| {
                exteroceptive::rate(with, part, sensor.rate)
            });
            add(topic, info, sensor_qos(&sensor.offer), Some(rate), source);
        }
        if camera::has_labels(&sensor.kind) {
            let topic = format!("{name}/{}/labels/names", sensor.name);
            add(
                topic,
                LabelInfo::info(),
                Qos::LATCHED,
                None,
                Source::Labels {
                    robot: i,
                    sensor: k,
                },
            );
        }
    }
    let nods = robot
        .sensors
        .iter()
        .any(|sensor| sensor.kind.tilt().is_some());
    if has_joints(robot) || robot.fins.iter().any(Fin::turns) || nods {
        let source = Source::Joints { robot: i };
        add(
            format!("{name}/joint_states"),
            JointState::info(),
            Qos::DEFAULT,
            Some(FRAME_RATE),
            source,
        );
    }
    arm::outputs(i, robot, outputs);
    firmware::outputs(i, robot, outputs);
    for (k, ballast) in robot.ballasts.iter().enumerate() {
        outputs.push(Output {
            topic: format!("{name}/ballasts/{}/volume", ballast.name),
            info: Float64::info(),
            qos: Qos::DEFAULT,
            rate_hz: Some(FRAME_RATE),
            source: Source::Ballast {
                robot: i,
                ballast: k,
            },
        });
    }
    let mut add = |topic: String, info, qos, rate_hz, source| {
        outputs.push(Output {
            topic,
            info,
            qos,
            rate_hz,
            source,
        });
    };
    if robot.battery.is_some() {
        let source = Source::Battery { robot: i };
        let topic = format!("{name}/battery_state");
        add(
            topic,
            BatteryState::info(),
            Qos::DEFAULT,
            Some(BATTERY_RATE),
            source,
        );
    }
    for link in &robot.contact_wrenches {
        let source = Source::ContactWrench {
            robot: i,
            link: *link,
        };
        let topic = format!("{name}/{}/contact_wrench", robot.links[*link].name);
        add(
            topic,
            WrenchStamped::info(),
            Qos::DEFAULT,
            Some(FRAME_RATE),
            source,
        );
    }
    let topic = format!("{name}/robot_description");
    add(
        topic,
        StringMsg::info(),
        Qos::LATCHED,
        None,
        Source::Description { robot: i },
    );
}

/// Topic suffix and type of each of a sensor's messages.
fn sensor_messages(kind: &SensorKind) -> Vec<(Cow<'static, str>, &'static TypeInfo)> {
    if let Some(topics) = navigation::topics(kind) {
        return topics
            .into_iter()
            .map(|(suffix, info)| (suffix.into(), info))
            .collect();
    }
    match kind {
        SensorKind::Looks(with) => exteroceptive::topics(with)
            .into_iter()
            .map(|(suffix, info, _)| (suffix, info))
            .collect(),
        SensorKind::Imu { .. } => vec![("/data".into(), Imu::info())],
        SensorKind::Dvl(_) => {
            vec![
                ("/data".into(), Dvl::info()),
                ("/twist".into(), TwistWithCovarianceStamped::info()),
            ]
        }
        SensorKind::Pressure(_) => vec![("/data".into(), FluidPressure::info())],
        SensorKind::Magnetometer(_) => vec![("/data".into(), MagneticField::info())],
        SensorKind::Altimeter { .. } => vec![("/range".into(), Range::info())],
        SensorKind::Odometry => vec![("".into(), Odometry::info())],
        SensorKind::Wrench { .. } => vec![("/wrench".into(), WrenchStamped::info())],
        _ => {
            let parts = instruments::parts(kind).iter();
            parts
                .map(|(suffix, part)| ((*suffix).into(), instruments::info(*part)))
                .collect()
        }
    }
}

fn robot_inputs(i: usize, robot: &Robot, inputs: &mut Vec<Input>) {
    let name = &robot.name;
    let mut add = |topic: String, info, target, unit: String| {
        inputs.push(Input {
            topic,
            info,
            target,
            unit,
        });
    };
    let mut units = Vec::new();
    for (k, t) in robot.thrusters.iter().enumerate() {
        let unit = format!(
            "{} [{}, {}]",
            t.unit.symbol(),
            t.command_range[0],
            t.command_range[1]
        );
        let target = Target::Thruster {
            robot: i,
            thruster: k,
        };
        add(
            format!("{name}/thrusters/{}/command", t.name),
            Float64::info(),
            target,
            unit.clone(),
        );
        units.push(unit);
    }
    if !robot.thrusters.is_empty() {
        units.dedup();
        let mut unit = format!("{} values: {}", robot.thrusters.len(), units.join(", "));
        if !robot.fins.is_empty() {
            unit += &format!(
                "; or {}, with the fins' angles [rad] after them",
                robot.thrusters.len() + robot.fins.len()
            );
        }
        let target = Target::Thrusters { robot: i };
        add(
            format!("{name}/thrusters/command"),
            Float64MultiArray::info(),
            target,
            unit,
        );
        let unit = "N, N m at base_link in base_link".to_string();
        let target = Target::Wrench { robot: i };
        add(
            format!("{name}/thruster_manager/input"),
            Wrench::info(),
            target,
            unit.clone(),
        );
        let target = Target::WrenchStamped { robot: i };
        add(
            format!("{name}/thruster_manager/input_stamped"),
            WrenchStamped::info(),
            target,
            unit,
        );
    }
    for (k, ballast) in robot.ballasts.iter().enumerate() {
        let unit = format!(
            "m3 over the hull's [{}, {}]",
            ballast.range[0], ballast.range[1]
        );
        let target = Target::Ballast {
            robot: i,
            ballast: k,
        };
        add(
            format!("{name}/ballasts/{}/command", ballast.name),
            Float64::info(),
            target,
            unit,
        );
    }
    for (k, fin) in robot.fins.iter().enumerate().filter(|(_, fin)| fin.turns()) {
        let unit = format!("rad [{:.4}, {:.4}]", fin.range[0], fin.range[1]);
        let target = Target::Fin { robot: i, fin: k };
        let topic = match fin.law {
            FinLaw::Azimuth(thruster) => {
                format!(
                    "thrusters/{}/azimuth/command",
                    robot.thrusters[thruster].name
                )
            }
            _ => format!("fins/{}/command", fin.name),
        };
        add(format!("{name}/{topic}"), Float64::info(), target, unit);
    }
    if robot
        .fins
        .iter()
        .any(|fin| fin.turns() && !fin.is_azimuth())
    {
        let unit = format!("{} values: rad", robot.fins.len());
        let target = Target::Fins { robot: i };
        add(
            format!("{name}/fins/command"),
            Float64MultiArray::info(),
            target,
            unit,
        );
    }
    if has_joints(robot) {
        let unit =
            "position [rad, m], velocity [rad/s, m/s] or effort [N m, N], as the drive takes it"
                .to_string();
        add(
            format!("{name}/joint_commands"),
            JointState::info(),
            Target::Joints { robot: i },
            unit,
        );
    }
    arm::inputs(i, robot, inputs);
    firmware::inputs(i, robot, inputs);
}

/// True if the robot has a joint that moves.
pub fn has_joints(robot: &Robot) -> bool {
    robot.links[1..]
        .iter()
        .any(|l| l.joint.kind != JointKind::Fixed)
}

/// Quality of service of a sensor's topics: reliable unless its file requests otherwise, as ROS drivers publish, so that
/// reliable and best-effort subscribers both match.
const fn sensor_qos(offer: &Offer) -> Qos {
    if offer.reliable {
        Qos::reliable(offer.depth)
    } else {
        Qos::best_effort(offer.depth)
    }
}
