//! Servo parameters: controller, motor, gear and encoder. All motor and gear quantities are
//! referred to the joint side of the gear. For a prismatic joint read metre for radian and newton
//! for newton metre.

use crate::scene::robot::joint::JointMode;
use merrow_math::rng::Stream;
use merrow_yaml::read::Places;
use merrow_yaml::spec::spec;

/// Servo of a joint.
#[derive(Clone, Debug, PartialEq)]
pub struct Servo {
    /// Command mode at the start of a run.
    pub mode: JointMode,
    /// Tick rate of the controller [Hz].
    pub rate: f64,
    /// Outer loop: velocity set-point per position error [1/s]; 0: no position loop.
    pub position_gain: f64,
    /// Maximum velocity set-point [rad/s].
    pub max_speed: f64,
    /// Control law of the inner loop.
    pub law: ServoLaw,
    /// Motor and gear parameters.
    pub actuator: Actuator,
    /// Encoder that the controller and `joint_states` use.
    pub encoder: Encoder,
}

/// Inner loop of a servo: from a velocity set-point to an effort.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ServoLaw {
    /// PID on the velocity error that increments the torque, plus a fraction of the difference to
    /// the dynamics bias.
    TorquePid(TorquePid),
    /// PI controller on the velocity error with feed-forward.
    Cascade {
        /// Effort per velocity error [N m s/rad].
        velocity_gain: f64,
        /// Effort per time integral of the velocity error [N m/rad].
        integral_gain: f64,
        /// Effort per acceleration set-point [kg m²].
        inertia: f64,
        /// Fraction of the dynamics bias (gravity, hydrodynamic and Coriolis terms) that is fed
        /// forward, 0..1.
        bias: f64,
    },
}

/// Gains of a torque PID.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TorquePid {
    /// Torque increment per velocity error [N m s/rad].
    pub kp: f64,
    /// Torque increment per time integral of the velocity error [N m/rad].
    pub ki: f64,
    /// Torque increment per time derivative of the velocity error [N m s²/rad].
    pub kd: f64,
    /// Fraction of the difference to the dynamics bias that is corrected per tick, 0..1.
    pub blend: f64,
    /// Maximum torque increment per tick [N m].
    pub max_change: f64,
}

impl ServoLaw {
    /// Returns true if the law needs the dynamics bias.
    #[inline]
    pub fn needs_bias(&self) -> bool {
        match self {
            ServoLaw::TorquePid(gains) => gains.blend != 0.0,
            ServoLaw::Cascade { bias, .. } => *bias != 0.0,
        }
    }
}

/// Motor and gear of a servo.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Actuator {
    /// Rotor inertia referred to the joint [kg m²]. With a rigid gear it is already included in the
    /// armature of the joint.
    pub rotor_inertia: f64,
    /// Backlash and elasticity between rotor and joint; `None`: a rigid gear.
    pub elastic: Option<Elastic>,
    /// Torque-speed line; `None`: the effort limit does not depend on speed.
    pub line: Option<TorqueSpeedLine>,
    /// Fraction of the motor effort lost in the gear when the motor drives the load, 0..1.
    pub forward_loss: f64,
    /// Fraction of the motor effort that the gear adds when the load drives the motor, 0 or more.
    pub backward_loss: f64,
    /// Joint effort per ampere [N m/A]; 0: the current is unknown.
    pub effort_per_ampere: f64,
    /// Thermal model of the winding.
    pub thermal: Option<Thermal>,
}

/// Backlash and elasticity between rotor and joint.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Elastic {
    /// Width of the backlash gap [rad].
    pub gap: f64,
    /// Stiffness with the gap closed [N m/rad].
    pub stiffness: f64,
    /// Damping with the gap closed [N m s/rad].
    pub damping: f64,
}

/// Torque-speed line: the maximum effort decreases with speed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TorqueSpeedLine {
    /// Maximum effort at standstill [N m].
    pub stall_effort: f64,
    /// Speed at which the maximum effort is zero [rad/s].
    pub no_load_speed: f64,
}

/// First-order thermal model of a winding.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Thermal {
    /// Electrical resistance of the winding [ohm].
    pub resistance: f64,
    /// Thermal resistance: temperature rise per watt [K/W].
    pub kelvin_per_watt: f64,
    /// Thermal time constant [s].
    pub tau: f64,
    /// Temperature at which derating begins [°C].
    pub derate_from: f64,
    /// Temperature at which the maximum effort is zero [°C].
    pub max_temperature: f64,
}

/// Encoder of a servo.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Encoder {
    /// True if the encoder is on the motor side of the backlash and elasticity.
    pub on_motor: bool,
    /// Position resolution [rad]; 0: continuous.
    pub resolution: f64,
    /// Standard deviation of the position [rad].
    pub noise: f64,
    /// Source of the velocity measurement.
    pub velocity: Tachometer,
    /// Random number stream of the encoder.
    pub stream: Stream,
}

/// Source of the joint velocity that a servo uses.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Tachometer {
    /// Direct measurement of the velocity.
    Direct {
        /// Velocity resolution [rad/s]; 0: continuous.
        resolution: f64,
        /// Standard deviation of the velocity [rad/s].
        noise: f64,
    },
    /// Difference of two positions one tick apart, low-pass filtered.
    Difference {
        /// Time constant of the filter [s].
        tau: f64,
    },
}

/// Group of joints that are commanded together, like the joints of a ros2_control controller.
#[derive(Clone, Debug, PartialEq)]
pub struct JointGroup {
    /// Name; used in its topics and actions.
    pub name: String,
    /// Joint indices in command order, as in `Motion::q`.
    pub joints: Vec<usize>,
}

spec! {
    /// Tolerances and rules for trajectories and grippers, as in `joint_trajectory_controller`.
    pub struct TrajectoryRules {
        /// Whether a trajectory may omit joints of its group. Omitted joints hold their position.
        allow_partial_joints: bool = false,
        /// Whether the last point may have a non-zero velocity.
        allow_moving_end: bool = false,
        /// Maximum deviation from the path [rad or m]; 0 disables the check.
        path_tolerance: f64 [non_negative] = 0.0,
        /// Maximum deviation from the last point [rad or m]; 0 disables the check.
        goal_tolerance: f64 [non_negative] = 0.0,
        /// Maximum speed at the end [rad/s or m/s]; 0 disables the check.
        stopped_speed: f64 [non_negative] = 0.01,
        /// Time after the end within which the goal must be reached; 0 for no limit.
        goal_time_s: f64 [non_negative] = 0.0,
        /// Time of standstill after which a gripper has stalled.
        stall_time_s: f64 [positive] = 1.0,
        /// Speed below which a gripper is stationary [rad/s or m/s].
        stall_speed: f64 [positive] = 0.001,
        /// Whether a stalled gripper has reached its goal. Otherwise the goal is aborted.
        allow_stalling: bool = false,
        /// Maximum distance from the gripper goal [rad or m].
        gripper_tolerance: f64 [positive] = 0.01,
    }
}

impl Default for TrajectoryRules {
    fn default() -> Self {
        Self {
            allow_partial_joints: false,
            allow_moving_end: false,
            path_tolerance: 0.0,
            goal_tolerance: 0.0,
            stopped_speed: 0.01,
            goal_time_s: 0.0,
            stall_time_s: 1.0,
            stall_speed: 0.001,
            allow_stalling: false,
            gripper_tolerance: 0.01,
            at: Places::default(),
        }
    }
}

/// Boxes of the vehicle that the arm controller keeps the arms out of.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct KeepOut {
    /// Boxes fixed to the base: minimum and maximum corner in B [m].
    pub boxes: Vec<[merrow_math::Vec3; 2]>,
    /// Spheres on the arm links that must stay outside the boxes.
    pub spheres: Vec<Sphere>,
    /// Prediction time of the check [s].
    pub look_ahead: f64,
}

/// Sphere fixed to a link.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sphere {
    /// Index of the link.
    pub link: usize,
    /// Centre in the link frame L [m].
    pub p_LoC: merrow_math::Vec3,
    /// Radius of the sphere [m].
    pub radius: f64,
}
