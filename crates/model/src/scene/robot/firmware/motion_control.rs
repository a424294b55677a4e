//! Keys, settings and state of the motion controller in `crates/control/src/laws/motion_control`.
//!
//! Lists of six numbers are for surge, sway, heave, roll, pitch and yaw, in the axes of the base.

use crate::persist::Persist;
use crate::scene::robot::feedback::MotionSource;
use crate::scene::robot::firmware::interface::{
    Abilities, Activity, ControlledHeight, LawSettings, LawState, law_keys,
};
use crate::scene::robot::guidance::{LineOfSight, follows_paths};
use crate::state::firmware::tasks::{ControlMode, GuidanceTask, PathProgress, PoseGoal};
use merrow_math::{Quat, Vec3};
use merrow_yaml::spec::spec;

/// Maximum number of thrusters of a vehicle with a motion controller.
pub const MAX_THRUSTERS: usize = 16;

spec! {
    /// Motion control in up to six degrees of freedom: manual, stabilised, depth and heading hold,
    /// velocity, station keeping and path following. Lists of six values are for surge, sway,
    /// heave, roll, pitch and yaw. Those that the thrusters cannot actuate are ignored.
    pub struct MotionControlKeys {
        /// Description of the firmware.
        description: String = String::new(),
        /// Source of the parameter values.
        source: String [not_empty],
        /// Values that are unverified or estimated, and the reason.
        estimated: String = String::new(),
        /// Control cycles per second.
        rate_hz: f64 [in 1.0..=10000.0] = 50.0,
        /// Age after which a velocity command is ignored.
        command_timeout_s: f64 [positive] = 1.0,
        /// Natural frequencies of the closed loop, which determine the gains by pole placement; 0:
        /// not controlled.
        natural_frequency_rad_s: [f64; 6] [non_negative],
        /// Damping ratios of the closed loop.
        damping_ratio: [f64; 6] [positive] = [1.0; 6],
        /// Integral gain over the product of position gain and natural frequency.
        integral_ratio: f64 [non_negative] = 0.1,
        /// Maximum speed set-points in surge, sway and heave.
        max_speed_m_s: [f64; 3] [positive],
        /// Maximum acceleration of the reference.
        max_acceleration_m_s2: f64 [positive] = 0.2,
        /// Maximum yaw rate set-point.
        max_yaw_rate_rad_s: f64 [positive] = 0.5,
        /// Maximum yaw acceleration of the reference.
        max_yaw_acceleration_rad_s2: f64 [positive] = 0.5,
        /// Maximum roll and pitch set-point.
        max_tilt_deg: f64 [in 0.0..=80.0] = 30.0,
        /// Maximum distance of the position reference from the vehicle.
        max_position_lead_m: f64 [positive] = 1.0,
        /// Maximum angle of the yaw reference from the heading.
        max_yaw_lead_deg: f64 [in 1.0..=170.0] = 60.0,
        /// Force and moment at full deflection of the joystick, over the largest that the thrusters
        /// can exert.
        joystick_ratio: f64 [in 0.01..=1.0] = 0.5,
        /// Axes and buttons of the joystick. Default: axes and buttons of Xbox and PS4 gamepads
        /// with the driver `joy_node`.
        joystick: Option<Joystick>,
        /// Speed along paths. Default: the maximum surge speed.
        path_speed_m_s: Option<f64> [positive],
        /// Look-ahead distance of the line-of-sight guidance.
        look_ahead_m: f64 [positive] = 3.0,
        /// Integral gain of the line-of-sight guidance; 0: no integral.
        cross_track_integral_gain_m_s: f64 [non_negative] = 0.0,
        /// Distance from a waypoint at which the next leg begins.
        acceptance_radius_m: f64 [positive] = 1.0,
        /// Whether the vehicle is armed at the start of the run.
        starts_armed: bool = true,
        ..source_of_motion: MotionSource,
    }

    /// Axes and buttons of a joystick, by their indices in `sensor_msgs/Joy`.
    pub struct Joystick {
        /// Axes for surge, sway, heave and yaw.
        axes: [u32; 4] = [4, 3, 1, 0],
        /// Button that requests the mode `manual`.
        manual_button: u32 = 0,
        /// Button that requests the mode `stabilize`.
        stabilize_button: u32 = 1,
        /// Button that requests the mode `depth_hold`.
        depth_hold_button: u32 = 2,
        /// Button that requests the mode `station_keeping`.
        station_keeping_button: u32 = 3,
        /// Button that disarms the vehicle.
        disarm_button: u32 = 4,
        /// Button that arms the vehicle.
        arm_button: u32 = 5,
    }
}

impl MotionControlKeys {
    /// Returns the speed along paths [m/s].
    pub fn path_speed(&self) -> f64 {
        self.path_speed_m_s.unwrap_or(self.max_speed_m_s[0])
    }

    /// Returns the maximum roll and pitch set-point [rad].
    pub fn max_tilt(&self) -> f64 {
        self.max_tilt_deg.to_radians()
    }
}

follows_paths!(MotionControlKeys);
law_keys!(MotionControlKeys, |keys| keys.command_timeout_s, None);

/// Settings of the motion controller.
#[derive(Clone, Debug, PartialEq)]
pub struct MotionControl {
    /// Gains, limits and guidance of the file.
    pub keys: MotionControlKeys,
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
    /// Largest force [N] and moment [N m] that the pilot requests, per degree of freedom.
    pub pilot_wrench: [f64; 6],
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
#[derive(Clone, Copy, Debug, Default, PartialEq, Persist)]
pub struct MotionGains {
    /// Force per position error [N/m], moment per attitude error [N m/rad].
    pub position: [f64; 6],
    /// The same per time integral of the error [N/(m s), N m/(rad s)].
    pub integral: [f64; 6],
    /// Force per velocity error [N s/m], moment per angular velocity error [N m s/rad].
    pub velocity: [f64; 6],
}

spec! {
    /// Error that a gain multiplies.
    #[derive(Persist)]
    pub enum GainKind words {
        /// Error of position or attitude.
        Position = "position",
        /// Time integral of that error.
        Integral = "integral",
        /// Error of velocity or angular velocity.
        Velocity = "velocity",
    }
}

impl MotionGains {
    /// Returns the gains that place the poles of a vehicle whose inertia with added mass has the
    /// diagonal M = `inertia` [kg, kg m²]: K_p = M ω², K_d = 2 ζ ω M and K_i = ρ ω K_p with the
    /// natural frequency ω, the damping ratio ζ and the `integral_ratio` ρ [Fossen 2021, algorithm
    /// 15.2, with ρ = 1/10].
    pub fn place_poles(keys: &MotionControlKeys, inertia: &[f64; 6]) -> Self {
        let w = keys.natural_frequency_rad_s;
        let position: [f64; 6] = std::array::from_fn(|i| inertia[i] * w[i] * w[i]);
        let damping = |i: usize| 2.0 * keys.damping_ratio[i] * w[i] * inertia[i];
        Self {
            position,
            integral: std::array::from_fn(|i| keys.integral_ratio * w[i] * position[i]),
            velocity: std::array::from_fn(damping),
        }
    }

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

/// State of the motion controller. Lists of six numbers are for surge, sway, heave, roll, pitch and
/// yaw.
#[derive(Clone, Debug, Default, PartialEq, Persist)]
pub struct MotionControlState {
    /// Current mode; the end of a path changes it to `StationKeeping`.
    pub mode: ControlMode,
    /// True if the controller may command the thrusters.
    pub armed: bool,
    /// Gains in use, which commands can change.
    pub gains: MotionGains,
    /// Requested force [N] and moment [N m] of the pilot, in B.
    pub pilot: [f64; 6],
    /// Time of the latest request of the pilot [ns]; `None` before the first.
    pub pilot_ns: Option<u64>,
    /// Pose that the controller holds in station keeping.
    pub goal: PoseGoal,
    /// Last path that was commanded; `None` before the first. It remains after its end.
    pub path: Option<PathProgress>,
    /// Set-points that the control law follows at this tick.
    pub reference: MotionReference,
    /// True for the degrees of freedom that were controlled at the last tick; horizontal and
    /// vertical position, roll and pitch, yaw.
    pub controlled: [bool; 4],
    /// Integral part: force in W [N] and moment in B [N m].
    pub integral: [f64; 6],
    /// Force [N] and moment [N m] requested from the thrusters at the last tick, in B.
    pub requested: [f64; 6],
    /// Force [N] and moment [N m] that the thruster allocation produces for it, in B.
    pub allocated: [f64; 6],
}

/// Set-points of the motion controller. Their acceleration is limited.
#[derive(Clone, Copy, Debug, Default, PartialEq, Persist)]
pub struct MotionReference {
    /// Position in W [m].
    pub p: Vec3,
    /// Velocity in W [m/s].
    pub v: Vec3,
    /// Roll, pitch and yaw [rad].
    pub rpy: [f64; 3],
    /// Yaw rate about the vertical [rad/s].
    pub yaw_rate: f64,
}

impl LawSettings for MotionControl {
    type Keys = MotionControlKeys;
    type State = MotionControlState;

    fn start(&self) -> MotionControlState {
        MotionControlState {
            armed: self.keys.starts_armed,
            gains: self.gains,
            ..MotionControlState::default()
        }
    }

    /// Which of the modes the vehicle can have depends on its thrusters and sensors.
    fn abilities(&self, _is_guided: bool) -> Abilities {
        Abilities {
            velocity: true,
            paths: true,
            height: match self.actuated[2] {
                true => ControlledHeight::Commanded,
                false => ControlledHeight::Water,
            },
            moves_sideways: self.actuated[1],
            modes: &[
                ControlMode::Off,
                ControlMode::Manual,
                ControlMode::Stabilize,
                ControlMode::HeadingHold,
                ControlMode::DepthHold,
                ControlMode::Velocity,
                ControlMode::StationKeeping,
                ControlMode::PathFollowing,
            ],
            ..Abilities::NONE
        }
    }

    fn max_velocity(&self) -> [f64; 4] {
        let [surge, sway, heave, _, _, yaw] = self.actuated.map(|is| if is { 1.0 } else { 0.0 });
        let [max_surge, max_sway, max_heave] = self.keys.max_speed_m_s;
        [
            surge * max_surge,
            sway * max_sway,
            heave * max_heave,
            yaw * self.keys.max_yaw_rate_rad_s,
        ]
    }

    fn velocity_unit(&self) -> String {
        let axes = ["forward", "left", "up"]
            .into_iter()
            .zip(self.keys.max_speed_m_s);
        let mut axes: Vec<String> = axes
            .zip(self.actuated)
            .filter(|(_, is_actuated)| *is_actuated)
            .map(|((axis, limit), _)| format!("{axis} [-{limit}, {limit}]"))
            .collect();
        let last = axes.pop().unwrap_or_default();
        let first = match axes.is_empty() {
            true => String::new(),
            false => format!("{} and ", axes.join(", ")),
        };
        let yaw = self.keys.max_yaw_rate_rad_s;
        format!("m/s {first}{last}; rad/s about z [-{yaw}, {yaw}]")
    }
}

impl LawState for MotionControlState {
    fn activity<'a>(&'a self, _task: &'a GuidanceTask) -> Activity<'a> {
        Activity {
            mode: self.mode,
            path: self.path.as_ref(),
            thrusters: self.mode != ControlMode::Off,
            ..Activity::IDLE
        }
    }

    fn reference(&self, _pose: (Vec3, Quat)) -> Option<(Vec3, Quat)> {
        let [roll, pitch, yaw] = self.reference.rpy;
        Some((self.reference.p, Quat::from_rpy(roll, pitch, yaw)))
    }
}
