//! Keys of servos, trajectories and the keep-out zones of an arm.

use merrow_model::scene::JointMode;
use merrow_model::scene::robot::actuator::{Encoder, ServoLaw, Winding};
use merrow_yaml::read::NamedMap;
use merrow_yaml::spec::spec;

spec! {
    /// A servo: controller, motor, gear and encoder. Quantities are at the joint, after the gear.
    /// For a prismatic joint, replace radian by metre and newton metre by newton.
    pub struct ServoConfig {
        /// Control mode at the start. Default: position if `position_gain_per_s` is positive, else
        /// velocity.
        mode: Option<JointMode>,
        /// Controller cycles per second.
        rate_hz: f64 [in 1.0..=100000.0] = 100.0,
        /// Velocity set-point per position error; 0 for a servo without position loop.
        position_gain_per_s: f64 [non_negative] = 0.0,
        /// Maximum velocity set-point [rad/s or m/s].
        max_speed: f64 [positive],
        /// Control law of the velocity loop.
        law: ServoLaw,
        /// Motor and gear of the servo.
        actuator: ActuatorConfig => "{}",
        /// Encoder of the servo.
        encoder: Encoder => "{}",
    }

    /// Motor and gear. Quantities are at the joint unless stated otherwise.
    pub struct ActuatorConfig {
        /// Motor turns per joint turn [1, or rad/m].
        gear_ratio: f64 [positive] = 1.0,
        /// Inertia of the rotor, at the rotor.
        rotor_inertia_kg_m2: f64 [non_negative] = 0.0,
        /// Fraction of the motor power that reaches the joint when the motor drives the load.
        efficiency: f64 [in 0.01..=1.0] = 1.0,
        /// Fraction of the joint power that reaches the motor when the load drives the motor.
        /// Default: `efficiency`.
        back_efficiency: Option<f64> [in 0.01..=1.0],
        /// Backlash of the gear, total width [rad or m].
        backlash: f64 [non_negative] = 0.0,
        /// Stiffness of the gear [N m/rad or N/m]. Default: rigid; with backlash, the stiffness
        /// that gives 50 Hz with the rotor inertia.
        stiffness: Option<f64> [positive],
        /// Damping of the gear [N m s/rad or N s/m]. Default: critical for the rotor inertia.
        spring_damping: Option<f64> [non_negative],
        /// Effort at standstill of the torque-speed line [N m or N].
        stall_effort: Option<f64> [positive],
        /// Speed at which the torque-speed line reaches zero effort [rad/s or m/s].
        no_load_speed: Option<f64> [positive],
        /// Effort per motor current [N m/A or N/A].
        effort_per_ampere: Option<f64> [positive],
        /// Heating of the motor winding. Default: not modelled.
        winding: Option<Winding>,
    }

    /// Boxes of the vehicle that its arms must not enter. The arm controller freezes the servos
    /// before that.
    pub struct KeepOutConfig {
        /// The boxes, fixed to the base, by name.
        boxes: NamedMap<KeepOutBoxConfig>,
        /// Spheres on links that must not enter the boxes, by name.
        spheres: NamedMap<KeepOutSphereConfig>,
        /// Time over which the motion is extrapolated.
        look_ahead_s: f64 [non_negative] = 0.1,
    }

    /// A box along the axes of the base link.
    pub struct KeepOutBoxConfig {
        /// Centre of the box in the base frame (forward, left, up).
        center_m: [f64; 3],
        /// Length, width and height, along x, y and z.
        size_m: [f64; 3] [positive],
    }

    /// A sphere on a link.
    pub struct KeepOutSphereConfig {
        /// Name of the link.
        link: String [frame],
        /// Centre of the sphere on the link (forward, left, up).
        center_m: [f64; 3] = [0.0, 0.0, 0.0],
        /// Radius of the sphere.
        radius_m: f64 [non_negative] = 0.0,
    }
}
