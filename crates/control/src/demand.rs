//! Wrench that a control law requests from the thrusters, compared with what they exert, and the
//! control errors that remain: whether the thrust suffices.

use crate::estimate::KnownMotion;
use crate::laws::motion_control::VehicleMotion;
use crate::laws::{heading_depth_hold, multirotor, surge_yaw_rate};
use merrow_math::real::wrap_angle;
use merrow_math::{Mat3, Vec3};
use merrow_model::scene::Robot;
use merrow_model::scene::robot::firmware::FirmwareLaw;
use merrow_model::scene::robot::firmware::motion_control::MotionControlState;
use merrow_model::state::RobotState;
use merrow_model::state::firmware::tasks::PathProgress;
use merrow_model::state::firmware::{ControlMode, FirmwareLawState, GuidanceTask};

/// Speed towards the reference [m/s or rad/s] above which its error counts as decreasing.
const CLOSING_SPEED: f64 = 0.02;
/// Fraction of the largest requested force or moment below which a lack is rounding.
const TOLERANCE: f64 = 0.01;
/// Errors that no demand on thrust has to remove [m or m/s; rad or rad/s].
const SMALL_ERROR: [f64; 2] = [0.05, 0.02];
/// Force or moment below which a request is rounding [N or N m].
const SMALLEST: f64 = 1e-3;

/// Demand on the thrusters. Lists of six numbers are for surge, sway, heave, roll, pitch and yaw.
#[derive(Clone, Debug, PartialEq)]
pub struct ThrustDemand {
    /// Requested force [N] and moment [N m], in B, or in level axes for a multirotor.
    pub requested: [f64; 6],
    /// Force [N] and moment [N m] that the thrusters produce for it, in the same axes.
    pub allocated: [f64; 6],
    /// Magnitudes of the control errors [m or m/s; rad or rad/s]; 0 where there is no control. Surge
    /// and sway have the horizontal distance to the goal or along the rest of the path, heave and
    /// angles the distance to the reference, or 0 while the vehicle moves towards it.
    pub errors: [f64; 6],
    /// What the errors refer to: position of the goal [m, W], or commanded velocity [m/s].
    pub target: Vec3,
}

impl ThrustDemand {
    /// Returns true if the thrusters exert less than is requested in the degree of freedom `axis` and
    /// an error remains.
    pub fn is_short(&self, axis: usize) -> bool {
        if self.errors[axis] < SMALL_ERROR[axis / 3] {
            return false;
        }
        let requested = self.requested[axis];
        let lack = (requested - self.allocated[axis]) * requested.signum();
        // a small force beside a large one is rounding too
        let first = axis / 3 * 3;
        let of_kind = self.requested[first..first + 3].iter();
        let largest = of_kind.fold(SMALLEST, |largest, x| largest.max(x.abs()));
        lack > TOLERANCE * largest
    }
}

/// Returns the demand of the control law of a robot in water of `density` [kg/m³] under `gravity`
/// [m/s²] at its last tick; `None` if the robot has no law that distributes a wrench, or if it is
/// not active. A sailing boat, a glider and a differential drive request no thrust.
pub fn thrust_demand(
    robot: &Robot,
    state: &RobotState,
    density: f64,
    gravity: f64,
) -> Option<ThrustDemand> {
    let law = &robot.firmware.as_ref()?.law;
    let firmware = state.firmware.as_ref()?;
    match (law, &firmware.memory) {
        (FirmwareLaw::MotionControl(_), FirmwareLawState::MotionControl(control)) => {
            let is_active = control.armed && control.mode != ControlMode::Off;
            is_active.then(|| of_motion_control(state, control))
        }
        (FirmwareLaw::SurgeYawRate(settings), FirmwareLawState::SurgeYawRate(memory)) => {
            let [error, requested, allocated] =
                surge_yaw_rate::demand(robot, settings, state, memory, density)?;
            let p = state.motion.p_WB;
            let (surge, target) = match &firmware.task {
                GuidanceTask::Goal { goal, .. } => (horizontal(goal.p_WB - p), goal.p_WB),
                GuidanceTask::Path(path) => (remaining(path, p), end(path)),
                GuidanceTask::None => {
                    let [speed, yaw_rate] = memory.set_point;
                    (error[0], Vec3::new(speed, 0.0, yaw_rate))
                }
            };
            let in_six = |[surge, yaw]: [f64; 2]| [surge, 0.0, 0.0, 0.0, 0.0, yaw];
            Some(ThrustDemand {
                requested: in_six(requested),
                allocated: in_six(allocated),
                errors: in_six([surge.abs(), error[1].abs()]),
                target,
            })
        }
        (FirmwareLaw::Multirotor(settings), FirmwareLawState::Multirotor(flight)) => {
            let [lead, requested, allocated] =
                multirotor::demand(robot, settings, state, flight, gravity)?;
            let v_W = state.motion.q_WB.matrix().mul_vec(state.motion.V_WB_B.v);
            let flat = horizontal(lead);
            let in_six = |x: Vec3| [x.x, x.y, x.z, 0.0, 0.0, 0.0];
            Some(ThrustDemand {
                requested: in_six(requested),
                allocated: in_six(allocated),
                errors: in_six(Vec3::new(flat, flat, remaining_error(lead.z, v_W.z))),
                target: flight.v,
            })
        }
        (FirmwareLaw::HeadingDepthHold(settings), FirmwareLawState::HeadingDepthHold(hold)) => {
            let command = firmware.command[0].x;
            let [error, requested, allocated] =
                heading_depth_hold::demand(robot, settings, state, hold, command, density)?;
            let in_six = |surge: f64| [surge, 0.0, 0.0, 0.0, 0.0, 0.0];
            Some(ThrustDemand {
                requested: in_six(requested),
                allocated: in_six(allocated),
                errors: in_six(error.abs()),
                target: Vec3::new(command, 0.0, 0.0),
            })
        }
        _ => None, // the other laws distribute no wrench
    }
}

/// Returns the magnitude of an error, or 0 while the vehicle moves towards a reference that stays
/// near a vehicle that lags behind, so that the error is constant although the vehicle moves.
fn remaining_error(error: f64, speed: f64) -> f64 {
    if speed * error.signum() > CLOSING_SPEED {
        0.0
    } else {
        error.abs()
    }
}

fn of_motion_control(state: &RobotState, control: &MotionControlState) -> ThrustDemand {
    let motion = VehicleMotion::from(&KnownMotion::from(&state.motion));
    let reference = &control.reference;
    let [horizontal_on, vertical, tilt, yaw] = control.controlled;
    let (flat, target) = match (control.mode, &control.path) {
        (ControlMode::PathFollowing, Some(path)) => (remaining(path, motion.p), end(path)),
        (ControlMode::Velocity, _) => {
            // constant while the vehicle turns
            let v_H = Mat3::from_rpy(0.0, 0.0, motion.rpy[2]).tr_mul_vec(reference.v);
            (horizontal(reference.v - motion.v), v_H)
        }
        _ => (horizontal(control.goal.p_WB - motion.p), control.goal.p_WB),
    };
    let [roll, pitch, heading] = [0, 1, 2].map(|k| {
        let error = wrap_angle(reference.rpy[k] - motion.rpy[k]);
        remaining_error(error, motion.w_B.to_array()[k])
    });
    let height = remaining_error(reference.p.z - motion.p.z, motion.v.z);
    let only = |on: bool, error: f64| if on { error } else { 0.0 };
    ThrustDemand {
        requested: control.requested,
        allocated: control.allocated,
        errors: [
            only(horizontal_on, flat),
            only(horizontal_on, flat),
            only(vertical, height),
            only(tilt, roll),
            only(tilt, pitch),
            only(yaw, heading),
        ],
        target,
    }
}

fn horizontal(v: Vec3) -> f64 {
    v.x.hypot(v.y)
}

fn end(path: &PathProgress) -> Vec3 {
    path.waypoints.last().copied().unwrap_or_default()
}

/// Returns the horizontal distance [m] from `p` along the rest of a path to its end.
fn remaining(path: &PathProgress, p: Vec3) -> f64 {
    let ahead = path.waypoints.get(path.leg + 1..).unwrap_or_default();
    let first = ahead.first().map_or(0.0, |next| horizontal(*next - p));
    first
        + ahead
            .windows(2)
            .map(|leg| horizontal(leg[1] - leg[0]))
            .sum::<f64>()
}
