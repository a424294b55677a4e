//! Keys, settings and state of the control law of a multirotor in
//! `crates/control/src/laws/multirotor.rs`.

use crate::persist::Persist;
use crate::scene::robot::feedback::MotionSource;
use crate::scene::robot::firmware::interface::{
    Abilities, Activity, ControlledHeight, LawSettings, LawState, law_keys,
};
use crate::scene::robot::guidance::VelocityGuidance;
use crate::state::firmware::tasks::GuidanceTask;
use merrow_math::{Mat3, Vec3};
use merrow_yaml::spec::spec;

spec! {
    /// Firmware of a multirotor. Gains are along and about the axes of the base link.
    pub struct MultirotorKeys {
        /// Description of the firmware.
        description: String = String::new(),
        /// Source of the parameter values.
        source: String [not_empty],
        /// Values that are unverified or estimated, and the reason.
        estimated: String = String::new(),
        /// Control cycles per second.
        rate_hz: f64 [in 10.0..=10000.0] = 250.0,
        /// Age after which a velocity command is ignored.
        command_timeout_s: f64 [positive] = 0.5,
        /// Force per position error, along forward, left and up.
        position_gain_n_per_m: [f64; 3] [non_negative],
        /// Force per velocity error, along forward, left and up.
        velocity_gain_n_s_per_m: [f64; 3] [non_negative],
        /// Moment per attitude error, about roll, pitch and yaw.
        attitude_gain_nm_per_rad: [f64; 3] [non_negative],
        /// Moment per angular velocity error, about roll, pitch and yaw.
        rate_gain_nm_s_per_rad: [f64; 3] [non_negative],
        /// Maximum horizontal, climb and sink speed.
        max_speed_m_s: [f64; 3] [positive] = [5.0, 2.0, 1.5],
        /// Maximum yaw rate set-point.
        max_yaw_rate_rad_s: f64 [positive] = 1.5,
        /// Maximum acceleration of the velocity set-point.
        max_acceleration_m_s2: f64 [positive] = 3.0,
        /// Maximum commanded tilt angle.
        max_tilt_deg: f64 [in 1.0..=80.0] = 35.0,
        /// Maximum distance of the position set-point from the vehicle.
        max_position_lead_m: f64 [positive] = 1.5,
        /// Height above the start position to which the vehicle takes off.
        takeoff_height_m: f64 [positive] = 1.5,
        /// Speed of take-off and of landing.
        takeoff_landing_speed_m_s: [f64; 2] [positive] = [1.0, 0.5],
        /// Whether the vehicle flies at the start of the run.
        starts_flying: bool = false,
        /// Guidance to goals and along paths. Default: goals and paths are refused.
        guidance: Option<VelocityGuidance>,
        ..source_of_motion: MotionSource,
    }
}

law_keys!(
    MultirotorKeys,
    |keys| keys.command_timeout_s,
    keys.guidance.as_ref()
);

/// Settings of the multirotor firmware, along the axes of the base.
#[derive(Clone, Debug, PartialEq)]
pub struct Multirotor {
    /// Gains and limits of the file.
    pub keys: MultirotorKeys,
    /// Mass of the vehicle [kg].
    pub mass: f64,
    /// Centre of mass in B [m].
    pub p_BoBcm: Vec3,
    /// Inertia about the centre of mass, in B [kg m²].
    pub inertia: Mat3,
}

spec! {
    /// Flight phase of a multirotor.
    #[derive(Persist)]
    pub enum FlightMode words {
        /// Rotors off, or commanded externally.
        Off = "off",
        /// Climbs to the take-off height.
        TakingOff = "taking_off",
        /// Flies and follows velocity commands.
        Flying = "flying",
        /// Descends until it stands on a surface.
        Landing = "landing",
    }
}

/// State of the multirotor firmware.
#[derive(Clone, Copy, Debug, PartialEq, Persist)]
pub struct MultirotorState {
    /// Flight phase; `Off`: the firmware does not command the rotors.
    pub mode: FlightMode,
    /// Position set-point, in W [m].
    pub p: Vec3,
    /// Velocity set-point, in W [m/s].
    pub v: Vec3,
    /// Yaw set-point, from east, counter-clockwise [rad].
    pub yaw: f64,
    /// Height at which the take-off ends [m].
    pub top: f64,
    /// Time without descent despite a descent command [s].
    pub blocked_time: f64,
    /// False until the position and yaw set-points are initialised with the current pose.
    pub initialised: bool,
}

impl LawSettings for Multirotor {
    type Keys = MultirotorKeys;
    type State = MultirotorState;

    fn start(&self) -> MultirotorState {
        let zero = Vec3::zero();
        MultirotorState {
            mode: match self.keys.starts_flying {
                true => FlightMode::Flying,
                false => FlightMode::Off,
            },
            p: zero,
            v: zero,
            yaw: 0.0,
            top: 0.0,
            blocked_time: 0.0,
            initialised: false,
        }
    }

    fn abilities(&self, is_guided: bool) -> Abilities {
        Abilities::of_velocity(is_guided, ControlledHeight::Commanded)
    }

    fn max_velocity(&self) -> [f64; 4] {
        let [flat, up, down] = self.keys.max_speed_m_s;
        [flat, flat, up.min(down), self.keys.max_yaw_rate_rad_s]
    }

    fn velocity_unit(&self) -> String {
        let [flat, up, down] = self.keys.max_speed_m_s;
        format!(
            "m/s forward, left (combined at most {flat}) and up [-{down}, {up}]; rad/s about z [-{0}, {0}]",
            self.keys.max_yaw_rate_rad_s
        )
    }
}

impl LawState for MultirotorState {
    fn activity<'a>(&'a self, task: &'a GuidanceTask) -> Activity<'a> {
        let on = self.mode != FlightMode::Off;
        Activity {
            thrusters: on,
            ..Activity::guided(on, task)
        }
    }
}
