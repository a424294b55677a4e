//! A servo as built: controller, motor, gear, encoder. All quantities of motor and gear are at the joint, behind the gear
//! ratio; for a prismatic joint read metre for radian and newton for newton metre.

use crate::scene::robot::joint::JointMode;
use merrow_math::rng::Stream;

/// A joint's servo.
#[derive(Clone, Debug, PartialEq)]
pub struct Servo {
    /// What it is asked for at the start of a run.
    pub mode: JointMode,
    /// Ticks of its controller per second.
    pub rate: f64,
    /// Outer loop: wanted speed over position error [1/s]; 0: there is no position loop.
    pub position_gain: f64,
    /// Largest speed that it asks for [rad/s].
    pub max_speed: f64,
    /// Inner loop.
    pub law: Law,
    /// Motor and gear.
    pub actuator: Actuator,
    /// What the controller and `joint_states` see.
    pub encoder: Encoder,
}

/// Inner loop of a servo: from a wanted velocity to an effort.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Law {
    /// The torque changes by a PID on the velocity error and by a part of what is missing to the bias of the dynamics.
    TorquePid(TorquePid),
    /// Proportional and integral on the velocity error, with feed-forward.
    Cascade {
        /// Effort per velocity error [N m s/rad].
        velocity_gain: f64,
        /// Effort per integral of the error [N m/rad].
        integral_gain: f64,
        /// Effort per wanted acceleration [kg m²].
        inertia: f64,
        /// Part of the bias of the dynamics (gravity, water, Coriolis) that is added, 0..1.
        bias: f64,
    },
}

/// Gains of a torque PID.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TorquePid {
    /// Change of torque per velocity error [N m s/rad].
    pub kp: f64,
    /// Per integral of the error [N m/rad].
    pub ki: f64,
    /// Per rate of the error [N m s²/rad].
    pub kd: f64,
    /// Part of the difference to the bias that is made good in a tick, 0..1.
    pub blend: f64,
    /// Largest change in a tick [N m].
    pub max_change: f64,
}

impl Law {
    /// True if the law needs the bias of the dynamics.
    pub fn wants_bias(&self) -> bool {
        match self {
            Law::TorquePid(gains) => gains.blend != 0.0,
            Law::Cascade { bias, .. } => *bias != 0.0,
        }
    }
}

/// Motor and gear.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Actuator {
    /// Inertia of the rotor at the joint [kg m²]; counted in the joint's armature where the gear is rigid.
    pub rotor_inertia: f64,
    /// Gap and spring between rotor and joint; none: a rigid gear.
    pub elastic: Option<Elastic>,
    /// Torque-speed line; none: the effort does not fall with speed.
    pub line: Option<Line>,
    /// Part of the motor's effort that a gear under load loses when the motor drives, 0..1.
    pub forward_loss: f64,
    /// Part of the motor's effort that the gear adds to it when the load drives, 0 and above.
    pub backward_loss: f64,
    /// Effort at the joint per ampere [N m/A]; 0: the current is not known.
    pub effort_per_ampere: f64,
    /// Heating of the winding.
    pub thermal: Option<Thermal>,
}

/// A gap and a spring between rotor and joint.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Elastic {
    /// Width of the gap [rad].
    pub gap: f64,
    /// Spring once the gap is closed [N m/rad].
    pub stiffness: f64,
    /// Damping once the gap is closed [N m s/rad].
    pub damping: f64,
}

/// The largest effort falls with speed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Line {
    /// Largest effort at rest [N m].
    pub stall_effort: f64,
    /// Speed at which no effort is left [rad/s].
    pub no_load_speed: f64,
}

/// First-order heating of a winding.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Thermal {
    /// Resistance of the winding [ohm].
    pub resistance: f64,
    /// Rise per watt [K/W].
    pub kelvin_per_watt: f64,
    /// Time constant [s].
    pub tau: f64,
    /// Temperature from which the effort is reduced [°C].
    pub derate_from: f64,
    /// Temperature at which no effort is left [°C].
    pub most: f64,
}

/// Encoder of a servo.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Encoder {
    /// True if it sits on the motor, before gap and spring.
    pub on_motor: bool,
    /// Step of the position [rad]; 0 continuous.
    pub resolution: f64,
    /// Standard deviation of the position [rad].
    pub noise: f64,
    /// How the velocity is found.
    pub velocity: Tachometer,
    /// Source of its random numbers.
    pub stream: Stream,
}

/// How a servo finds the velocity of its joint.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Tachometer {
    /// Measured for itself.
    Direct {
        /// Step [rad/s]; 0 continuous.
        resolution: f64,
        /// Standard deviation [rad/s].
        noise: f64,
    },
    /// Difference of two positions, one tick apart, through a low-pass filter.
    Difference {
        /// Time constant of the filter [s].
        tau: f64,
    },
}

/// A group of joints that are commanded together, as a ros2_control controller has them.
#[derive(Clone, Debug, PartialEq)]
pub struct JointGroup {
    /// Name; part of its topics and actions.
    pub name: String,
    /// Its joints, in the order of its commands: indices as in `Motion::q`.
    pub joints: Vec<usize>,
}

/// How trajectories are judged; what a goal does not say itself.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TrajectoryRules {
    /// True if a trajectory may leave out joints of its group, which then hold.
    pub allow_partial: bool,
    /// True if the last point may have a velocity.
    pub allow_moving_end: bool,
    /// Largest distance to the path [rad or m]; 0: not watched.
    pub path: f64,
    /// Largest distance to the last point [rad or m]; 0: not watched.
    pub goal: f64,
    /// Largest speed at the end [rad/s or m/s]; 0: not watched.
    pub stopped_speed: f64,
    /// Time after the end within which the goal must be reached [s]; 0: without limit.
    pub goal_time: f64,
    /// Time after which a gripper that does not move counts as stalled [s].
    pub stall_time: f64,
    /// Speed below which it does not move [rad/s or m/s].
    pub stall_speed: f64,
    /// True if a gripper that stalls has reached its goal; else the goal is aborted.
    pub allow_stalling: bool,
    /// Distance within which a gripper has reached its goal [rad or m].
    pub gripper: f64,
}

impl Default for TrajectoryRules {
    fn default() -> Self {
        Self {
            allow_partial: false,
            allow_moving_end: false,
            path: 0.0,
            goal: 0.0,
            stopped_speed: 0.01,
            goal_time: 0.0,
            stall_time: 1.0,
            stall_speed: 0.001,
            allow_stalling: false,
            gripper: 0.01,
        }
    }
}

/// Boxes of the vehicle that its arms' controller keeps them out of.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct KeepOut {
    /// Boxes fixed to the base: lowest and highest corner in B [m].
    pub boxes: Vec<[merrow_math::Vec3; 2]>,
    /// What is kept out.
    pub spheres: Vec<Sphere>,
    /// How far ahead the motion is looked at [s].
    pub look_ahead: f64,
}

/// A sphere on a link.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sphere {
    /// The link.
    pub link: usize,
    /// Its centre in the link frame L [m].
    pub p_LoC: merrow_math::Vec3,
    /// Its radius [m].
    pub radius: f64,
}
