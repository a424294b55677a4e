//! What the outside asks for: filled by ROS or a script between steps, applied by `control` at the next step.

use crate::scene::JointMode;
use crate::state::joint::Trajectory;
use merrow_math::{Quat, Vec3};
use std::sync::Arc;

/// Health of an actuator.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Health {
    /// As built.
    Healthy,
    /// Gives this part of its thrust, 0..1.
    Reduced(f64),
    /// Keeps the drive it had when it stuck, whatever is commanded.
    Stuck,
    /// Gives nothing.
    Dead,
}

/// One request, addressed by indices into the scene.
#[allow(missing_docs)] // each kind says what its fields are
#[derive(Clone, Debug, PartialEq)]
pub enum Command {
    /// Command one thruster, in its own unit.
    Thruster {
        robot: usize,
        thruster: usize,
        value: f64,
    },
    /// Command all thrusters of a robot, each in its own unit; or these and then all its fins [rad].
    Thrusters { robot: usize, values: Vec<f64> },
    /// Command the angle of one fin [rad].
    Fin {
        robot: usize,
        fin: usize,
        value: f64,
    },
    /// Command the angles of all fins of a robot [rad].
    Fins { robot: usize, values: Vec<f64> },
    /// Command the volume of a buoyancy engine [m³].
    Ballast {
        robot: usize,
        ballast: usize,
        value: f64,
    },
    /// Ask the thruster manager for a force [N] and moment [N m] at the base origin, in the base frame.
    Wrench {
        robot: usize,
        force: Vec3,
        moment: Vec3,
    },
    /// Command a joint in the mode it is in: effort [N m or N], velocity [rad/s or m/s] or position [rad or m]. Ends a goal
    /// of its group.
    Joint {
        robot: usize,
        joint: usize,
        value: f64,
    },
    /// Command a joint in `mode`, switching it if need be. Ends a goal of its group.
    JointIn {
        robot: usize,
        joint: usize,
        mode: JointMode,
        value: f64,
    },
    /// Switch what a servo is asked for. It goes on with no effort, at rest, or where it is. Ends a goal of its group.
    JointMode {
        robot: usize,
        joint: usize,
        mode: JointMode,
    },
    /// Command all joints of a group, switching them to `mode`; one value per joint of the group. Ends its goal.
    JointGroup {
        robot: usize,
        group: usize,
        mode: JointMode,
        values: Vec<f64>,
    },
    /// Follow a trajectory; the goal `id` can be watched in `RobotState::groups`. Replaces the group's goal.
    Trajectory {
        robot: usize,
        group: usize,
        id: u64,
        trajectory: Arc<Trajectory>,
    },
    /// End goal `id` of a group, of a trajectory or a gripper, and hold.
    CancelGoal { robot: usize, group: usize, id: u64 },
    /// Move a gripper; `max_effort` 0 is that of its joints. Replaces the group's goal.
    Gripper {
        robot: usize,
        group: usize,
        id: u64,
        position: f64,
        max_effort: f64,
    },
    /// Ask the firmware for a velocity: ahead, to the left and up [m/s], and a turn about these axes [rad/s].
    Velocity {
        robot: usize,
        linear: Vec3,
        angular: Vec3,
    },
    /// Ask the firmware for a heading, clockwise from north [rad], or a depth [m], or both; what is not said stays, or is held from
    /// now on if it did not steer.
    Course {
        robot: usize,
        heading: Option<f64>,
        depth: Option<f64>,
    },
    /// Tell the firmware what to do.
    Order { robot: usize, order: Order },
    /// Put a robot somewhere.
    SetPose {
        robot: usize,
        p_WB: Vec3,
        q_WB: Quat,
        v_WB_B: Vec3,
        w_WB_B: Vec3,
    },
    /// Let a coupling take hold or let go. A latch told to engage captures what comes; a grasp takes `partner`, or what it
    /// touches, or what is nearest.
    Couple {
        coupling: usize,
        engage: bool,
        partner: Option<usize>,
    },
    /// Set a thruster's health.
    Health {
        robot: usize,
        thruster: usize,
        health: Health,
    },
    /// Set a fin's health: `Reduced` leaves that part of its area, `Dead` none; `Stuck` holds its angle.
    FinHealth {
        robot: usize,
        fin: usize,
        health: Health,
    },
    /// Switch a sensor's noise.
    Noise {
        robot: usize,
        sensor: usize,
        on: bool,
    },
    /// Set the level of a load, 0 to 1.
    Load {
        robot: usize,
        load: usize,
        level: f64,
    },
    /// Break something from now on for `end_ns` nanoseconds; a fault of the same name is replaced.
    Fault(Box<crate::scene::Fault>),
    /// Repair a fault, and pump out what came in; without a robot that of a beacon.
    Repair {
        robot: Option<usize>,
        name: Arc<str>,
    },
    /// Turn a tether's winch.
    Winch {
        tether: usize,
        command: crate::state::WinchCommand,
    },
    /// Open the next bottle of a water sampler, or close the one that is open.
    Sample {
        robot: usize,
        sensor: usize,
        on: bool,
    },
    /// Change the water; the weather stays. Waves that differ from those there are grow in their place over their `ramp`.
    Sea(Box<crate::scene::Sea>),
    /// Change the weather.
    Weather(Box<WeatherChange>),
}

/// What a firmware can be told to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// Start the rotors and climb.
    TakeOff,
    /// Sink until it stands, then stop the rotors.
    Land,
    /// Take over, or let go of the actuators at once.
    Enable(bool),
}

/// What of the weather changes; none: stays as it is, or goes where it was going.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct WeatherChange {
    /// Mean wind at the reference height, in W [m/s].
    pub wind: Option<Vec3>,
    /// Factor on the gusts.
    pub gustiness: Option<f64>,
    /// Temperature of the air [°C].
    pub temperature: Option<f64>,
    /// Part of the sky that clouds cover, 0..1.
    pub cloud_cover: Option<f64>,
    /// Rain [mm/h].
    pub rain: Option<f64>,
    /// Visibility [m].
    pub visibility: Option<f64>,
    /// Universal time of day, at once [s].
    pub time_of_day_s: Option<f64>,
    /// Time that the change takes [s].
    pub duration_s: f64,
}

/// Why a command was refused.
#[derive(Clone, Debug, PartialEq)]
pub struct Refusal {
    /// Robot concerned, if any.
    pub robot: Option<usize>,
    /// One line: what, found, expected.
    pub reason: String,
}
