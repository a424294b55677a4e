//! Settings of the motion controller in `crates/control/src/motion_control`.
//!
//! Lists of six numbers are for surge, sway, heave, roll, pitch and yaw, in the axes of the base.

use crate::persist::Persist;
use merrow_math::{Mat3, Vec3};
use merrow_yaml::spec::fieldless_choice;

/// Maximum number of thrusters of a vehicle with a motion controller.
pub const MAX_THRUSTERS: usize = 16;

/// Settings of the motion controller.
#[derive(Clone, Debug, PartialEq)]
pub struct MotionControl {
    /// Gains at the start of the run.
    pub gains: MotionGains,
    /// Inertia with added mass about the base origin: masses [kg] and moments of inertia [kg m²].
    pub inertia: [f64; 6],
    /// Munk moment in yaw per product of surge and sway speed [kg]; 0 for a base without it.
    pub munk_mass: f64,
    /// Linear damping of the base [N s/m, N m s/rad], fed forward.
    pub linear_damping: [f64; 6],
    /// Quadratic damping of the base [N s²/m², N m s²/rad²], fed forward.
    pub quadratic_damping: [f64; 6],
    /// True for the degrees of freedom that the thrusters actuate independently.
    pub actuated: [bool; 6],
    /// Components of the wrench that the thrusters produce independently, azimuth thrusters in any
    /// direction.
    pub independent: [bool; 6],
    /// Azimuth thrusters that the controller turns.
    pub azimuths: Vec<AzimuthThruster>,
    /// Limits of the reference.
    pub limits: MotionLimits,
    /// Largest force [N] and moment [N m] that the pilot requests, per degree of freedom.
    pub pilot_wrench: [f64; 6],
    /// Axes and buttons of the joystick.
    pub joystick: JoystickMapping,
    /// Settings of the path following.
    pub guidance: Guidance,
    /// True if the vehicle is armed at the start of the run.
    pub starts_armed: bool,
}

/// Azimuth thruster of a vehicle with a motion controller.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AzimuthThruster {
    /// Index of the thruster.
    pub thruster: usize,
    /// Index of its servo among the fins.
    pub fin: usize,
    /// Wrench of a unit thrust at an angle of 90 degrees, at the base origin, force first [N, N m].
    pub side_wrench: [f64; 6],
}

/// Gains of the PID controller.
#[derive(Clone, Copy, Debug, PartialEq, Persist)]
pub struct MotionGains {
    /// Force per position error [N/m], moment per attitude error [N m/rad].
    pub position: [f64; 6],
    /// The same per time integral of the error [N/(m s), N m/(rad s)].
    pub integral: [f64; 6],
    /// Force per velocity error [N s/m], moment per angular velocity error [N m s/rad].
    pub velocity: [f64; 6],
}

fieldless_choice! {
    /// Error that a gain multiplies.
    pub enum GainKind {
        /// Error of position or attitude.
        Position = "position",
        /// Time integral of that error.
        Integral = "integral",
        /// Error of velocity or angular velocity.
        Velocity = "velocity",
    }
}

impl MotionGains {
    /// Returns the gains of one kind, in the units of the fields.
    pub fn of_kind(&self, kind: GainKind) -> &[f64; 6] {
        match kind {
            GainKind::Position => &self.position,
            GainKind::Integral => &self.integral,
            GainKind::Velocity => &self.velocity,
        }
    }

    /// Returns the gains of one kind for changes, in the units of the fields.
    pub fn of_kind_mut(&mut self, kind: GainKind) -> &mut [f64; 6] {
        match kind {
            GainKind::Position => &mut self.position,
            GainKind::Integral => &mut self.integral,
            GainKind::Velocity => &mut self.velocity,
        }
    }
}

/// Limits of the reference of the motion controller.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MotionLimits {
    /// Maximum speed in surge, sway and heave [m/s].
    pub velocity: [f64; 3],
    /// Maximum acceleration of the reference [m/s²].
    pub acceleration: f64,
    /// Maximum yaw rate [rad/s].
    pub yaw_rate: f64,
    /// Maximum yaw acceleration [rad/s²].
    pub yaw_acceleration: f64,
    /// Maximum roll and pitch set-point [rad].
    pub tilt: f64,
    /// Maximum distance of the position reference from the vehicle [m].
    pub position_lead: f64,
    /// Maximum angle of the yaw reference from the vehicle [rad].
    pub yaw_lead: f64,
}

/// Axes and buttons of a joystick, by their indices in `sensor_msgs/Joy`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct JoystickMapping {
    /// Axes for surge, sway, heave and yaw.
    pub axes: [usize; 4],
    /// Buttons for the modes manual, stabilize, depth hold and station keeping.
    pub mode_buttons: [usize; 4],
    /// Buttons that disarm and arm the vehicle.
    pub arm_buttons: [usize; 2],
}

/// Settings of the path following by line of sight (LOS).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Guidance {
    /// Speed along the path [m/s].
    pub speed: f64,
    /// Look-ahead distance along a leg [m].
    pub look_ahead: f64,
    /// Integral gain of the cross-track error [m/s]; 0: LOS without integral.
    pub integral: f64,
    /// Distance from a waypoint at which the next leg begins [m].
    pub acceptance_radius: f64,
}

/// Source of the motion that the controller uses.
#[derive(Clone, Debug, PartialEq)]
pub enum Feedback {
    /// True motion of the vehicle.
    Truth,
    /// Sensors on the base of the vehicle.
    Sensors(Box<FeedbackSensors>),
}

/// Sensors that the controller uses.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct FeedbackSensors {
    /// INS: attitude, velocity and position.
    pub ins: Option<Mounting>,
    /// AHRS, or IMU with attitude.
    pub attitude: Option<Mounting>,
    /// DVL: velocity over ground.
    pub dvl: Option<Mounting>,
    /// Pressure sensor that measures the depth.
    pub pressure: Option<Mounting>,
    /// GNSS receiver: horizontal position and velocity.
    pub gnss: Option<Mounting>,
}

impl FeedbackSensors {
    /// Returns true if the sensors measure the horizontal velocity.
    pub fn measure_velocity(&self) -> bool {
        self.ins.is_some() || self.dvl.is_some() || self.gnss.is_some()
    }

    /// Returns true if the sensors measure the depth.
    pub fn measure_depth(&self) -> bool {
        self.ins.is_some() || self.pressure.is_some()
    }
}

/// Sensor and its mounting on the base.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Mounting {
    /// Index of the sensor on the robot.
    pub sensor: usize,
    /// Position in the base frame B [m].
    pub p_BoS: Vec3,
    /// Rotation of the sensor frame S in B.
    pub R_BS: Mat3,
}
