//! Motion control of a vehicle with thrusters: modes, pilot requests and the control loop.
//!
//! One tick computes the velocity that the mode requests
//! ([`guidance`]), advances the reference ([`reference`]), computes the wrench ([`pid`]) and
//! allocates it to the thrusters (`constrained_allocation`).

mod azimuth;
pub(crate) mod guidance;
pub(crate) mod orders;
pub(crate) mod pid;
pub(crate) mod reference;
mod settings;

use crate::devices::Devices;
use crate::estimate::KnownMotion;
use crate::law::{ControlLaw, Controller, Effect, Tick};
use merrow_math::{Mat3, Vec3};
use merrow_model::scene::robot::firmware::motion_control::{MAX_THRUSTERS, MotionControl};
use merrow_model::state::FirmwareCommand;
use merrow_model::state::commands::Accepted;
use merrow_model::scene::robot::firmware::motion_control::MotionControlState;
use merrow_model::state::firmware::{ControlMode, Known};

/// Time for which a request of the pilot counts [s].
const PILOT_TIMEOUT_S: f64 = 1.0;
/// Pilot request below which a degree of freedom is held, as a fraction of the largest request.
const PILOT_DEADBAND: f64 = 0.05;

/// Motion that the controller uses.
#[derive(Clone, Copy, Debug)]
pub(crate) struct VehicleMotion {
    /// Attitude of B in W.
    pub R_WB: Mat3,
    /// Roll, pitch and yaw [rad].
    pub rpy: [f64; 3],
    /// Position in W [m].
    pub p: Vec3,
    /// Velocity in W [m/s].
    pub v: Vec3,
    /// Angular velocity in B [rad/s].
    pub w_B: Vec3,
}

/// Whether horizontal motion, height, tilt (roll and pitch) and yaw are controlled, as in
/// [`MotionControlState::controlled`].
pub(crate) type Controlled = [bool; 4];

/// Returns true if degree of freedom `axis` (surge to yaw) is controlled.
fn is_controlled([horizontal, vertical, tilt, yaw]: Controlled, axis: usize) -> bool {
    [horizontal, horizontal, vertical, tilt, tilt, yaw][axis]
}

impl ControlLaw for Controller<'_, MotionControl, MotionControlState> {
    fn tick(&mut self, tick: &Tick<'_>, devices: &mut Devices<'_>) {
        if self.state.mode == ControlMode::Off {
            return;
        }
        if devices.has_power() {
            control(self.settings, self.state, tick, devices);
        } else {
            orders::switch_off(self.state, devices);
        }
    }

    fn enable(&mut self, on: bool, _: &KnownMotion, devices: &mut Devices<'_>) -> Accepted {
        self.state.armed = on;
        if !on {
            orders::switch_off(self.state, devices);
        }
        Ok(())
    }

    fn apply(
        &mut self,
        command: &FirmwareCommand,
        motion: &KnownMotion,
        now_ns: u64,
        devices: &mut Devices<'_>,
    ) -> Result<Effect, String> {
        orders::apply(self, command, motion, now_ns, devices)
    }

    fn start_velocity(
        &mut self,
        motion: &KnownMotion,
        _: u64,
        devices: &mut Devices<'_>,
    ) -> Accepted {
        if self.state.mode == ControlMode::Velocity {
            return Ok(());
        }
        orders::set_mode(self, ControlMode::Velocity, motion, devices)
    }

    fn set_pilot_wrench(&mut self, force: Vec3, moment: Vec3, now_ns: u64) -> bool {
        let is_piloted = self.state.mode.is_piloted();
        if is_piloted {
            let (f, m) = (force, moment);
            self.state.pilot = [f.x, f.y, f.z, m.x, m.y, m.z];
            self.state.pilot_ns = Some(now_ns);
        }
        is_piloted
    }

    fn release_thrusters(&mut self) -> bool {
        orders::release(self.state);
        true
    }
}

/// Runs one tick in a mode other than `Off`: commands the thrusters.
fn control(
    settings: &MotionControl,
    control: &mut MotionControlState,
    tick: &Tick<'_>,
    devices: &mut Devices<'_>,
) {
    let motion = VehicleMotion::from(&tick.motion);
    let pilot = pilot_wrench(control, tick.now_ns);
    let controlled = controlled_parts(settings, control, &pilot, tick.known);
    reference::start(settings, control, &motion, controlled);
    let requested = guidance::requested_motion(settings, control, &motion, tick);
    let acceleration = reference::advance(settings, control, &motion, &requested, tick.dt);
    let mut wrench = pid::wrench(settings, control, &motion, &acceleration, controlled);
    add_pilot(&mut wrench, &pilot, control.mode, controlled);
    let density = tick.environment.sea.density;
    command_thrusters(settings, control, devices, (wrench, density));
    pid::advance_integral(settings, control, &motion, controlled, tick.dt);
}

impl From<&KnownMotion> for VehicleMotion {
    fn from(motion: &KnownMotion) -> Self {
        let R_WB = motion.q_WB.matrix();
        Self {
            rpy: R_WB.to_rpy(),
            p: motion.p_WB,
            v: R_WB.mul_vec(motion.V_WB_B.v),
            w_B: motion.V_WB_B.w,
            R_WB,
        }
    }
}

/// Returns the request of the pilot; zero after the time-out.
fn pilot_wrench(control: &MotionControlState, now_ns: u64) -> [f64; 6] {
    let counts = |since: u64| now_ns.saturating_sub(since) as f64 * 1e-9 <= PILOT_TIMEOUT_S;
    if control.mode.is_piloted() && control.pilot_ns.is_some_and(counts) {
        control.pilot
    } else {
        [0.0; 6]
    }
}

/// Returns the parts of the motion that the mode controls, among those that are known and actuated.
fn controlled_parts(
    settings: &MotionControl,
    control: &MotionControlState,
    pilot: &[f64; 6],
    known: Known,
) -> Controlled {
    let mode = control.mode;
    let is_free = |axis: usize| pilot[axis].abs() <= PILOT_DEADBAND * settings.pilot_wrench[axis];
    let pose = !mode.is_piloted();
    let holds_yaw = matches!(mode, ControlMode::HeadingHold | ControlMode::DepthHold);
    let [surge, _, heave, roll, pitch, yaw] = settings.actuated;
    [
        pose && surge && known.velocity,
        heave && known.depth && (pose || mode == ControlMode::DepthHold && is_free(2)),
        mode != ControlMode::Manual && (roll || pitch) && known.attitude,
        yaw && known.attitude && (pose || holds_yaw && is_free(5)),
    ]
}

/// Adds the pilot's request in the degrees of freedom that are not controlled.
fn add_pilot(wrench: &mut [f64; 6], pilot: &[f64; 6], mode: ControlMode, controlled: Controlled) {
    if !mode.is_piloted() {
        return;
    }
    for (axis, pilot) in pilot.iter().enumerate() {
        if !is_controlled(controlled, axis) {
            wrench[axis] += pilot;
        }
    }
}

/// Allocates `wrench` (force [N] and moment [N m] in B) to the thrusters in water of `density`
/// [kg/m³].
fn command_thrusters(
    settings: &MotionControl,
    control: &mut MotionControlState,
    devices: &mut Devices<'_>,
    (wrench, density): ([f64; 6], f64),
) {
    let thrusters = &devices.robot().thrusters;
    let mut limits = [[0.0; 2]; MAX_THRUSTERS];
    for (limit, thruster) in limits.iter_mut().zip(thrusters.iter()) {
        *limit = thruster.thrust_limits(density);
    }
    let limits = &limits[..thrusters.len()];
    let found = azimuth::allocate(settings, devices, limits, wrench);
    for k in 0..thrusters.len() {
        devices.set_thrust(k, found.thrusts[k], density);
    }
    control.requested = wrench;
    control.allocated = found.wrench;
}
