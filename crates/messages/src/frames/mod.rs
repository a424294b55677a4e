//! TF frames of every robot: `world -> <robot>/base_link -> links and sensors`.

mod profile;

use crate::convert::contacts::wrenches;
use crate::convert::{WORLD_FRAME, header, profile as profile_axes, topic, transform};
use merrow_math::{Mat3, Quat, SpatialForce, Vec3};
use merrow_model::scene::comms::Modem;
use merrow_model::scene::{Fin, JointKind, JointMode, Link, Robot, Scene};
use merrow_model::state::contact::Contact;
use merrow_model::state::firmware::FirmwareState;
use merrow_model::state::joint::{Task, Tracking};
use merrow_model::state::{FinState, GroupState, Motion, RobotState, TetherState};
use merrow_ros2::msg::geometry_msgs::TransformStamped;
use merrow_ros2::msg::tf2_msgs::TFMessage;
use merrow_sim::Simulation;
use std::collections::{BTreeSet, HashSet};

/// Returns the `frame_id` of a link: `<robot>/<link>`, or the name that the profile of the robot
/// defines.
pub fn link_frame(robot: &Robot, link: usize) -> String {
    if let Some(frame) = profile::link_frame(robot, link) {
        return frame;
    }
    format!("{}/{}", robot.name, robot.links[link].name)
}

/// Returns the name of the URDF link that contains the inertia of the base, and of its frame, which
/// coincides with the frame of the base. Libraries such as KDL require a root link without inertia.
pub(crate) fn inertial_link(robot: &Robot) -> String {
    let mut name = format!("{}_inertia", robot.links[0].name);
    let is_taken = |name: &str| {
        robot.links.iter().any(|link| link.name == name)
            || robot.attached.iter().any(|frame| frame.name == name)
            || robot.sensors.iter().any(|sensor| sensor.name == name)
    };
    while is_taken(&name) {
        name.push('_');
    }
    format!("{}/{name}", robot.name)
}

/// Returns the name of the coordinate frame (`frame_id`) of a sensor.
pub(crate) fn sensor_frame(robot: &Robot, sensor: usize) -> String {
    if let Some(frame) = profile::sensor_frame(robot, sensor) {
        return frame;
    }
    format!("{}/{}", robot.name, robot.sensors[sensor].name)
}

/// Returns the frame of the mount of a tilting laser.
pub(crate) fn mount_frame(robot: &Robot, sensor: usize) -> String {
    format!("{}_mount", sensor_frame(robot, sensor))
}

/// Returns the optical frame of a camera: x right, y down, z forward (REP-103).
pub fn optical_frame(robot: &Robot, sensor: usize) -> String {
    format!("{}_optical_frame", sensor_frame(robot, sensor))
}

/// Returns the frame of the messages of a sonar or a DVL: z out of the instrument, x up or forward.
pub(crate) fn acoustic_frame(robot: &Robot, sensor: usize) -> String {
    format!("{}_acoustic", sensor_frame(robot, sensor))
}

/// Returns the frame of a sensor's messages and its orientation in the sensor frame; `None` if
/// messages use the sensor frame.
pub(crate) fn message_frame(robot: &Robot, sensor: usize) -> Option<(String, Quat)> {
    let (name, turn) = topic::message_frame(&robot.sensors[sensor].kind)?;
    Some((name(robot, sensor), turn))
}

/// State of all moving objects at one time.
#[derive(Clone, Debug, Default)]
pub struct ObjectStates {
    /// Simulation time of the state [ns].
    pub time_ns: u64,
    /// Motion of every robot.
    pub motions: Vec<Motion>,
    /// State of the fins of every robot.
    pub fins: Vec<Vec<FinState>>,
    /// Volumes of every robot's buoyancy engines [m³].
    pub buoyancy_engines: Vec<Vec<f64>>,
    /// State of every robot's firmware.
    pub firmware: Vec<Option<FirmwareState>>,
    /// Command, thrust [N] and shaft speed [rad/s] of every thruster of all robots.
    pub actuators: Vec<f64>,
    /// Joint efforts of every robot [N m or N].
    pub efforts: Vec<Vec<f64>>,
    /// Contacts between all bodies.
    pub contacts: Vec<Contact>,
    /// Contact wrenches on all links of every robot; empty for a robot without contacts.
    pub contact_wrenches: Vec<Vec<SpatialForce>>,
    /// State of every tether.
    pub tethers: Vec<TetherState>,
    /// Measured state and reference of the joints of every robot.
    pub tracking: Vec<Vec<Tracking>>,
    /// Command mode of the joints of every robot.
    pub modes: Vec<Vec<JointMode>>,
    /// Start time of the trajectory that each group of joints of every robot follows [ns].
    pub starts: Vec<Vec<Option<u64>>>,
    /// Force [N] and moment [N m] on the second end of every coupling (W).
    pub coupling_loads: Vec<[Vec3; 2]>,
}

impl ObjectStates {
    /// Reads a simulation between two blocks of steps.
    pub fn read(simulation: &Simulation) -> Self {
        let states = &simulation.state.robots;
        let robots = || simulation.scene.robots.iter().zip(states);
        let tracking = |(robot, state): (&Robot, &RobotState)| {
            let joints = 0..robot.n_joints();
            joints.map(|joint| state.tracking(robot, joint)).collect()
        };
        let actuators = states.iter().flat_map(|state| &state.actuators);
        let couplings = simulation.state.couplings.iter();
        fn each<T>(states: &[RobotState], of: impl Fn(&RobotState) -> T) -> Vec<T> {
            states.iter().map(of).collect()
        }
        Self {
            time_ns: simulation.time_ns(),
            actuators: actuators
                .flat_map(|thruster| [thruster.command, thruster.thrust, thruster.shaft[0]])
                .collect(),
            motions: each(states, |r| r.motion.clone()),
            fins: each(states, |r| r.fins.clone()),
            buoyancy_engines: each(states, |r| {
                r.buoyancy_engines.iter().map(|b| b.volume).collect()
            }),
            firmware: each(states, |r| r.firmware.clone()),
            efforts: simulation
                .runners
                .iter()
                .map(|r| r.work.tau.clone())
                .collect(),
            contacts: simulation.state.contacts.touching.clone(),
            contact_wrenches: robots()
                .zip(&simulation.runners)
                .map(|((robot, state), runner)| wrenches(robot, state, &runner.work))
                .collect(),
            tethers: simulation.state.tethers.clone(),
            tracking: robots().map(tracking).collect(),
            modes: each(states, |r| {
                r.joints.iter().map(|joint| joint.mode).collect()
            }),
            starts: each(states, |r| r.groups.iter().map(trajectory_start).collect()),
            coupling_loads: couplings.map(|c| [c.force_W, c.moment_W]).collect(),
        }
    }
}

/// Returns the start time of the trajectory that a group is following [ns].
fn trajectory_start(group: &GroupState) -> Option<u64> {
    match &group.task {
        Some(Task::Trajectory(trajectory)) => Some(trajectory.start_ns),
        _ => None,
    }
}

/// Returns the name of the world frame for commands to a robot: the frame of its profile, if this
/// has the axes of W.
pub fn world_frame(robot: &Robot) -> &'static str {
    if profile_axes::is_down(robot) {
        WORLD_FRAME
    } else {
        profile_axes::world_frame(robot)
    }
}

/// Builds the transforms of the moving frames, including fins and tilting lasers. They include the
/// true poses in the world of the robots for which `has_truth` returns true.
pub fn moving_frames(
    scene: &Scene,
    snapshot: &ObjectStates,
    has_truth: impl Fn(&Robot) -> bool,
) -> TFMessage {
    let mut transforms = Vec::new();
    let mut add = |parent: &str, child: String, p: Vec3, q: Quat| {
        transforms.push(stamped(snapshot.time_ns, parent, child, p, q));
    };
    for (i, (robot, motion)) in scene.robots.iter().zip(&snapshot.motions).enumerate() {
        if robot.floating && has_truth(robot) {
            add(WORLD_FRAME, link_frame(robot, 0), motion.p_WB, motion.q_WB);
        }
        for (j, q) in motion.q.iter().enumerate() {
            if robot.links[j + 1].joint.kind != JointKind::Fixed {
                let (parent, p, q) = joint_transform(robot, j + 1, *q);
                add(&parent, link_frame(robot, j + 1), p, q);
            }
        }
        let fins = robot.fins.iter().zip(&snapshot.fins[i]);
        for (fin, memory) in fins.filter(|(fin, _)| fin.is_movable()) {
            let (parent, child, q) = fin_transform(robot, fin, memory.angle);
            add(&parent, child, fin.p_UoF_U, q);
        }
        for (k, sensor) in robot.sensors.iter().enumerate() {
            if let Some(tilt) = sensor.kind.tilt() {
                let q = Quat::from_rpy(0.0, tilt.angle(snapshot.time_ns), 0.0);
                add(
                    &mount_frame(robot, k),
                    sensor_frame(robot, k),
                    Vec3::zero(),
                    q,
                );
            }
        }
    }
    TFMessage { transforms }
}

/// Builds the transforms of the static frames: fixed modems, fixed bases, fixed joints, sensors.
pub fn static_frames(scene: &Scene) -> TFMessage {
    let mut transforms = modem_frames(scene);
    transforms.extend(down_frames(scene));
    let mut add = |parent: &str, child: String, p: Vec3, q: Quat| {
        transforms.push(stamped(0, parent, child, p, q));
    };
    let (zero, identity) = (Vec3::zero(), Quat::identity());
    let uses_map = |robot: &Robot| profile_axes::world_frame(robot) == profile_axes::MAP;
    if scene.robots.iter().any(uses_map) {
        add(WORLD_FRAME, profile_axes::MAP.to_string(), zero, identity);
    }
    for robot in &scene.robots {
        let base = link_frame(robot, 0);
        if !robot.floating {
            let [r, p, y] = robot.start.rpy;
            let q = Quat::from_rpy(r, p, y);
            add(WORLD_FRAME, base.clone(), robot.start.p_WB, q);
        }
        add(&base, inertial_link(robot), zero, identity);
        for (k, link) in robot.links.iter().enumerate().skip(1) {
            if link.joint.kind == JointKind::Fixed {
                let (parent, p, q) = joint_transform(robot, k, 0.0);
                add(&parent, link_frame(robot, k), p, q);
            }
        }
        for fin in robot.fins.iter().filter(|fin| !fin.is_movable()) {
            let (parent, child, q) = fin_transform(robot, fin, fin.neutral());
            add(&parent, child, fin.p_UoF_U, q);
        }
        for frame in &robot.attached {
            let child = format!("{}/{}", robot.name, frame.name);
            let q = Quat::from_matrix(&frame.R_UA);
            add(&link_frame(robot, frame.link), child, frame.p_UoA_U, q);
        }
        for (k, sensor) in robot.sensors.iter().enumerate() {
            let own = sensor_frame(robot, k);
            let child = match sensor.kind.tilt() {
                Some(_) => mount_frame(robot, k),
                None => own.clone(),
            };
            let q = Quat::from_matrix(&sensor.R_US);
            add(&link_frame(robot, sensor.link), child, sensor.p_UoS_U, q);
            if let Some((child, turn)) = message_frame(robot, k) {
                add(&own, child, zero, turn);
            }
        }
    }
    TFMessage { transforms }
}

/// A frame that has two transforms.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RepeatedFrame {
    /// Name of the frame.
    pub frame: String,
    /// Index of the robot; `None` for a fixed modem.
    pub robot: Option<usize>,
    /// Index of the first sensor that has the frame, if any.
    pub sensor: Option<usize>,
    /// The links and sensors of the robot that have the frame, as text.
    pub owners: String,
}

/// Builds the transforms of all frames at the start of a run.
pub fn start_frames(scene: &Scene) -> Vec<TransformStamped> {
    let states: Vec<RobotState> = scene.robots.iter().map(RobotState::new).collect();
    let at_start = ObjectStates {
        fins: states.iter().map(|state| state.fins.clone()).collect(),
        motions: states.into_iter().map(|state| state.motion).collect(),
        ..ObjectStates::default()
    };
    let mut all = static_frames(scene).transforms;
    all.extend(moving_frames(scene, &at_start, |_| true).transforms);
    all
}

/// Returns the frames of a scene that have two transforms.
pub fn repeated_frames(scene: &Scene) -> Vec<RepeatedFrame> {
    let frames = start_frames(scene).into_iter();
    let frames = frames.map(|transform| transform.child_frame_id);
    let (mut known, mut repeated) = (HashSet::new(), BTreeSet::new());
    for frame in frames {
        if let Some(frame) = known.replace(frame) {
            repeated.insert(frame);
        }
    }
    let find = |frame: String| {
        let owners = |robot: usize| owners(&scene.robots[robot], &frame);
        let robot = (0..scene.robots.len()).find(|robot| !owners(*robot).is_empty());
        let owners = robot.map(owners).unwrap_or_default();
        RepeatedFrame {
            robot,
            sensor: owners.iter().find_map(|(_, sensor)| *sensor),
            owners: owners
                .into_iter()
                .map(|(text, _)| text)
                .collect::<Vec<_>>()
                .join(" and "),
            frame,
        }
    };
    repeated.into_iter().map(find).collect()
}

/// Returns the links, attached frames, fins and sensors of a robot that have a frame, as text, each
/// with the index of the sensor.
fn owners(robot: &Robot, frame: &str) -> Vec<(String, Option<usize>)> {
    let has = |own: &String| own == frame || profile_axes::body_frame(robot, own.clone()) == frame;
    let links = (0..robot.links.len()).filter(|k| has(&link_frame(robot, *k)));
    let links = links.map(|k| (format!("the link `{}`", robot.links[k].name), None));
    let devices = robot.attached.iter().map(|own| ("link", &own.name));
    let devices = devices.chain(robot.fins.iter().map(|fin| ("fin", &fin.name)));
    let devices = devices.filter(|(_, name)| format!("{}/{name}", robot.name) == frame);
    let devices = devices.map(|(kind, name)| (format!("the {kind} `{name}`"), None));
    let sensors = (0..robot.sensors.len()).filter(|k| {
        has(&sensor_frame(robot, *k))
            || robot.sensors[*k].kind.tilt().is_some() && mount_frame(robot, *k) == frame
            || message_frame(robot, *k).is_some_and(|(own, _)| own == frame)
    });
    let sensors = sensors.map(|k| (format!("the sensor `{}`", robot.sensors[k].name), Some(k)));
    links.chain(devices).chain(sensors).collect()
}

/// Builds the transforms of the world frame in north, east, down and of the frames of links and
/// sensors in forward, right, down, if the profile of a robot uses them.
fn down_frames(scene: &Scene) -> Vec<TransformStamped> {
    let (zero, mut all) = (Vec3::zero(), Vec::new());
    for robot in scene
        .robots
        .iter()
        .filter(|robot| profile_axes::is_down(robot))
    {
        if all.is_empty() {
            let ned = profile_axes::WORLD_NED.to_string();
            all.push(stamped(0, WORLD_FRAME, ned, zero, profile_axes::NED));
        }
        let links = (0..robot.links.len()).map(|k| link_frame(robot, k));
        let sensors = (0..robot.sensors.len()).map(|k| sensor_frame(robot, k));
        all.extend(links.chain(sensors).map(|frame| {
            let child = profile_axes::body_frame(robot, frame.clone());
            stamped(0, &frame, child, zero, profile_axes::FRD)
        }));
    }
    all
}

/// Builds the transforms of the modems that no robot carries. Their frames have the axes of the
/// world.
fn modem_frames(scene: &Scene) -> Vec<TransformStamped> {
    let fixed = scene.modems.iter();
    let fixed = fixed.filter(|modem| modem.on.is_none() && modem.name != WORLD_FRAME);
    let frame = |modem: &Modem| {
        let (p, q) = (modem.p, Quat::identity());
        stamped(0, WORLD_FRAME, modem.name.clone(), p, q)
    };
    fixed.map(frame).collect()
}

/// Returns the parent of a fin's frame, its name and its orientation at an angle [rad]: x along the
/// chord, z along the shaft.
fn fin_transform(robot: &Robot, fin: &Fin, angle: f64) -> (String, String, Quat) {
    let R = fin.R_UF.mul_mat(&Mat3::from_rpy(0.0, 0.0, angle));
    let child = format!("{}/{}", robot.name, fin.name);
    (link_frame(robot, fin.link), child, Quat::from_matrix(&R))
}

/// Returns the pose of the child's frame in the parent's frame, both as defined by the user, at
/// joint position `q` [rad or m].
pub fn joint_pose(robot: &Robot, link: &Link, q: f64) -> (Vec3, Mat3) {
    let parent = &robot.links[link.parent.unwrap_or(0)];
    let (s, c) = merrow_math::real::sin_cos(q);
    let o = Vec3::new(0.0, 0.0, 1.0);
    let (slide, turn) = match link.joint.kind {
        JointKind::Prismatic => (q, Mat3::identity()),
        JointKind::Fixed => (0.0, Mat3::identity()),
        JointKind::Revolute | JointKind::Continuous => (
            0.0,
            Mat3::from_rows(Vec3::new(c, -s, 0.0), Vec3::new(s, c, 0.0), o),
        ),
    };
    let joint = &link.joint;
    let p_L = joint.p_PoCo0 + joint.R_PC0.col(2).scale(slide);
    let R_L = joint.R_PC0.mul_mat(&turn).mul_mat(&link.R_LU);
    (
        parent.R_LU.tr_mul_vec(p_L),
        parent.R_LU.transpose().mul_mat(&R_L),
    )
}

/// Returns the parent frame of link `k`, and its pose in it at joint position `q` [rad or m].
fn joint_transform(robot: &Robot, k: usize, q: f64) -> (String, Vec3, Quat) {
    let link = &robot.links[k];
    let (p, R) = joint_pose(robot, link, q);
    let parent = link_frame(robot, link.parent.unwrap_or(0));
    (parent, p, Quat::from_matrix(&R))
}

fn stamped(
    time_ns: u64,
    parent: &str,
    child_frame_id: String,
    p: Vec3,
    q: Quat,
) -> TransformStamped {
    TransformStamped {
        header: header(time_ns, parent),
        child_frame_id,
        transform: transform(p, q),
    }
}
