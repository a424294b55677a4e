//! Servo parameters: controller, motor, gear and encoder. All motor and gear quantities are
//! referred to the joint side of the gear. For a prismatic joint read metre for radian and newton
//! for newton metre.

use crate::scene::Robot;
use crate::scene::robot::joint::JointMode;
use merrow_math::rng::Stream;
use merrow_yaml::read::from_defaults;
use merrow_yaml::spec::spec;

/// Servo of a joint.
#[derive(Clone, Debug, PartialEq)]
pub struct Servo {
    /// Command mode at the start of a run.
    pub mode: JointMode,
    /// Tick rate of the controller [Hz].
    pub rate_hz: f64,
    /// Outer loop: velocity set-point per position error [1/s]; 0: no position loop.
    pub position_gain_per_s: f64,
    /// Maximum velocity set-point [rad/s].
    pub max_speed: f64,
    /// Control law of the inner loop.
    pub law: ServoLaw,
    /// Motor and gear parameters.
    pub actuator: Actuator,
    /// Encoder that the controller and `joint_states` use.
    pub encoder: Encoder,
    /// Random number stream of the encoder.
    pub encoder_stream: Stream,
}

spec! {
    /// Velocity control law of a servo: effort as a function of the velocity error.
    pub enum ServoLaw {
        /// Proportional-integral control of the velocity, with feed-forward.
        Cascade = "cascade" {
            /// Effort per velocity error [N m s/rad].
            velocity_gain: f64 [non_negative],
            /// Effort per integral of the velocity error [N m/rad].
            integral_gain: f64 [non_negative] = 0.0,
            /// Effort per acceleration of the set-point [kg m2].
            inertia_feed_forward: f64 [non_negative] = 0.0,
            /// Fraction of the gravity, hydrodynamic and Coriolis effort that is fed forward.
            bias_feed_forward: f64 [fraction] = 0.0,
        },
        /// Incremental torque control: in each cycle the torque changes by a PID on the velocity
        /// error, plus a fraction of its difference from the bias effort.
        TorquePid = "torque_pid" (TorquePid),
    }

    /// Incremental torque control: in each cycle the torque changes by a PID on the velocity
    /// error, plus a fraction of its difference from the bias effort.
    pub struct TorquePid {
        /// Change per velocity error [N m s/rad].
        kp: f64 [non_negative],
        /// Change per integral of the velocity error [N m/rad].
        ki: f64 [non_negative] = 0.0,
        /// Change per derivative of the velocity error [N m s2/rad].
        kd: f64 [non_negative] = 0.0,
        /// Fraction of the difference from the gravity, hydrodynamic and Coriolis effort that
        /// is added in each cycle.
        bias_blend: f64 [fraction] = 0.0,
        /// Maximum change per cycle [N m].
        max_change: f64 [positive],
    }
}

impl ServoLaw {
    /// Returns true if the law needs the dynamics bias.
    #[inline]
    pub fn needs_bias(&self) -> bool {
        match self {
            ServoLaw::TorquePid(gains) => gains.bias_blend != 0.0,
            ServoLaw::Cascade {
                bias_feed_forward, ..
            } => *bias_feed_forward != 0.0,
        }
    }
}

/// Motor and gear of a servo.
#[derive(Clone, Debug, PartialEq)]
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
    /// Heating of the winding.
    pub winding: Option<Winding>,
}

/// Backlash and elasticity between rotor and joint.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Elastic {
    /// Width of the backlash gap [rad].
    pub backlash: f64,
    /// Stiffness with the gap closed [N m/rad].
    pub stiffness: f64,
    /// Damping with the gap closed [N m s/rad].
    pub spring_damping: f64,
}

/// Torque-speed line: the maximum effort decreases with speed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TorqueSpeedLine {
    /// Maximum effort at standstill [N m].
    pub stall_effort: f64,
    /// Speed at which the maximum effort is zero [rad/s].
    pub no_load_speed: f64,
}

spec! {
    /// Heating of a motor winding.
    pub struct Winding {
        /// Resistance of the winding.
        resistance_ohm: f64 [positive],
        /// Temperature rise above the water temperature per watt.
        thermal_resistance_k_per_w: f64 [positive],
        /// Time constant of the winding temperature.
        thermal_time_constant_s: f64 [positive],
        /// Temperature at which derating begins.
        derate_from_c: f64 = 100.0,
        /// Temperature at which the effort is reduced to zero.
        max_temperature_c: f64 = 125.0,
    }

    /// Measurement of the joint state for the servo and for `joint_states`.
    pub struct Encoder {
        /// Side of the gear on which the encoder is mounted.
        side: EncoderSide = EncoderSide::Joint,
        /// Resolution of the position [rad or m]; 0 for none.
        resolution: f64 [non_negative] = 0.0,
        /// Standard deviation of the position [rad or m].
        noise_std: f64 [non_negative] = 0.0,
        /// Measurement of the velocity.
        velocity: Tachometer => "{kind: direct}",
    }

    /// Side of the gear on which an encoder is mounted.
    pub enum EncoderSide words {
        /// On the joint, after the gear.
        Joint = "joint",
        /// On the motor, before the gear.
        Motor = "motor",
    }

    /// Measurement of the joint velocity.
    pub enum Tachometer {
        /// Direct measurement of the velocity.
        Direct = "direct" {
            /// Resolution [rad/s or m/s]; 0 for none.
            resolution: f64 [non_negative] = 0.0,
            /// Standard deviation [rad/s or m/s].
            noise_std: f64 [non_negative] = 0.0,
        },
        /// Difference of the positions of two cycles, low-pass filtered.
        Difference = "difference" {
            /// Time constant of the filter.
            filter_s: f64 [non_negative] = 0.0,
        },
    }
}

/// Group of joints that are commanded together, like the joints of a ros2_control controller.
#[derive(Clone, Debug, PartialEq)]
pub struct JointGroup {
    /// Name; used in its topics and actions.
    pub name: String,
    /// Joint indices in command order, as in `Motion::q`.
    pub joints: Vec<usize>,
}

impl JointGroup {
    /// Returns the names of the joints of the group in its robot, in command order.
    pub fn names<'a>(&'a self, robot: &'a Robot) -> impl Iterator<Item = &'a str> {
        let joints = self.joints.iter();
        joints.map(|joint| robot.links[joint + 1].joint.name.as_str())
    }
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
        from_defaults()
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
    pub look_ahead_s: f64,
}

/// Sphere fixed to a link.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sphere {
    /// Index of the link.
    pub link: usize,
    /// Centre in the link frame L [m].
    pub p_LoC: merrow_math::Vec3,
    /// Radius of the sphere [m].
    pub radius_m: f64,
}
