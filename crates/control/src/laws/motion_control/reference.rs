//! Reference model: position, velocity and acceleration that the controller follows.
//!
//! # Law
//! ```text
//!   v_r' = clip((v_c - v_r)/Δ, a_max),   p_r' = v_r,   |p_r - p| <= lead      (1)
//!   r_r' = clip((r_c - r_r)/Δ, α_max),   ψ_r' = r_r,   |ψ_r - ψ| <= yaw lead  (2)
//!   (1) [Fossen 2021, §12.1.1: saturated velocity and acceleration]
//! ```
//! The limited lead keeps the reference near a vehicle that cannot follow, for example at a wall.
//!
//! # Symbols
//! v_c, r_c velocity and yaw rate that the mode requests · p_r, v_r, ψ_r, r_r reference · p, ψ
//! position and yaw of the vehicle · Δ tick.
//!
//! # Frames
//! World (ENU); yaw from east, counter-clockwise.
//!
//! # Limits
//! A vehicle that cannot move sideways has no lead across its heading. Roll and pitch references
//! change at a constant rate and are not fed forward.
//!
//! # Checked by
//! test/analytic/vehicles/motion_control.rs

use crate::laws::motion_control::guidance::RequestedMotion;
use crate::laws::motion_control::pid::heading_rotation;
use crate::laws::motion_control::{Controlled, VehicleMotion};
use merrow_math::Vec3;
use merrow_math::real::wrap_angle;
use merrow_model::scene::robot::firmware::motion_control::MotionControl;
use merrow_model::scene::robot::firmware::motion_control::MotionControlState;

/// Rate of change of the roll and pitch references [rad/s].
const TILT_RATE: f64 = 0.3;

/// Acceleration of the reference.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Acceleration {
    /// Linear acceleration in W [m/s²].
    pub linear: Vec3,
    /// Yaw acceleration about the vertical [rad/s²].
    pub yaw: f64,
}

impl Acceleration {
    /// Returns an acceleration of zero.
    pub(crate) fn zero() -> Self {
        Self {
            linear: Vec3::zero(),
            yaw: 0.0,
        }
    }
}

/// Initialises the reference of the parts whose control begins with the current motion. Their
/// integral takes over the current wrench, so that a change of the mode does not change the
/// thrusts.
pub(crate) fn start(
    settings: &MotionControl,
    control: &mut MotionControlState,
    motion: &VehicleMotion,
    controlled: Controlled,
) {
    let before = control.controlled;
    control.controlled = controlled;
    let [horizontal, vertical, tilt, yaw] =
        std::array::from_fn(|part| controlled[part] && !before[part]);
    let reference = &mut control.reference;
    let force = |a: &[f64; 6]| motion.R_WB.mul_vec(Vec3::new(a[0], a[1], a[2]));
    let present = force(&control.allocated);
    if horizontal {
        (reference.p.x, reference.p.y) = (motion.p.x, motion.p.y);
        (reference.v.x, reference.v.y) = (motion.v.x, motion.v.y);
        (control.integral[0], control.integral[1]) = (present.x, present.y);
    }
    if vertical {
        (reference.p.z, reference.v.z) = (motion.p.z, motion.v.z);
        control.integral[2] = present.z;
    }
    if tilt {
        for k in 0..2 {
            let max_tilt = settings.keys.max_tilt();
            reference.rpy[k] = motion.rpy[k].clamp(-max_tilt, max_tilt);
            control.integral[3 + k] = control.allocated[3 + k];
        }
    }
    if yaw {
        reference.rpy[2] = motion.rpy[2];
        reference.yaw_rate = motion.R_WB.mul_vec(motion.w_B).z;
        control.integral[5] = control.allocated[5];
    }
}

/// Advances the reference over `dt` [s] by (1) and (2); returns its acceleration.
pub(crate) fn advance(
    settings: &MotionControl,
    control: &mut MotionControlState,
    motion: &VehicleMotion,
    requested: &RequestedMotion,
    dt: f64,
) -> Acceleration {
    let (keys, reference) = (&settings.keys, &mut control.reference);
    let change = requested.v - reference.v;
    let max_change = keys.max_acceleration_m_s2 * dt;
    let step = if change.norm() > max_change {
        change.scale(max_change / change.norm())
    } else {
        change
    };
    reference.v += step;
    reference.p = limit_lead(
        settings,
        motion,
        reference.p + reference.v.scale(dt) - motion.p,
    );
    let max_turn = keys.max_yaw_acceleration_rad_s2 * dt;
    let turn = (requested.yaw_rate - reference.yaw_rate).clamp(-max_turn, max_turn);
    reference.yaw_rate += turn;
    let ahead = wrap_angle(reference.rpy[2] + reference.yaw_rate * dt - motion.rpy[2]);
    let max_yaw_lead = keys.max_yaw_lead_deg.to_radians();
    reference.rpy[2] = motion.rpy[2] + ahead.clamp(-max_yaw_lead, max_yaw_lead);
    let max_tilt = keys.max_tilt();
    for k in 0..2 {
        let target = requested.tilt[k].clamp(-max_tilt, max_tilt);
        let change = target - reference.rpy[k];
        reference.rpy[k] += change.clamp(-TILT_RATE * dt, TILT_RATE * dt);
    }
    Acceleration {
        linear: step.scale(1.0 / dt),
        yaw: turn / dt,
    }
}

/// Returns the position at `ahead` [m, W] of the vehicle, within the maximum lead.
fn limit_lead(settings: &MotionControl, motion: &VehicleMotion, ahead: Vec3) -> Vec3 {
    let lead = settings.keys.max_position_lead_m;
    let R_H = heading_rotation(motion.rpy[2]);
    let mut d = R_H.tr_mul_vec(ahead);
    if !settings.actuated[1] {
        d.y = 0.0;
    }
    let flat = (d.x * d.x + d.y * d.y).sqrt();
    let part = if flat > lead { lead / flat } else { 1.0 };
    let d = Vec3::new(part * d.x, part * d.y, d.z.clamp(-lead, lead));
    motion.p + R_H.mul_vec(d)
}
