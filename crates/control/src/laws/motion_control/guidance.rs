//! Guidance: the velocity and yaw rate that a mode requests from the reference model.
//!
//! # Law
//! ```text
//!   v_c = min(ω |e|, √(a_max |e|), v_max) e/|e|,   e = p_g - p_r  (1)  approach of a goal
//! ```
//! (1) decelerates with half the maximum acceleration. On a path the course χ follows from
//! `line_of_sight`. A vehicle that can move sideways receives its velocity along χ and turns to the
//! heading χ. Any other vehicle turns so that its course over ground becomes χ.
//!
//! # Symbols
//! p_g goal, p_r reference · ω natural frequency of the position control · χ course.
//!
//! # Frames
//! World (ENU); angles from east, counter-clockwise.
//!
//! # Limits
//! At the last waypoint the vehicle keeps station.
//!
//! # Checked by
//! test/analytic/vehicles/motion_control.rs

use crate::law::Tick;
use crate::line_of_sight;
use crate::laws::motion_control::VehicleMotion;
use crate::laws::motion_control::pid::heading_rotation;
use merrow_math::Vec3;
use merrow_math::real::{sin_cos, wrap_angle};
use merrow_model::scene::robot::firmware::motion_control::MotionControl;
use merrow_model::scene::robot::firmware::motion_control::MotionControlState;
use merrow_model::state::firmware::ControlMode;

/// Distance from the goal, as a multiple of the acceptance radius, at which a vehicle that cannot
/// move sideways turns towards the goal.
pub(crate) const RETURN_RATIO: f64 = 2.0;

/// Motion that the mode requests.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RequestedMotion {
    /// Velocity in W [m/s].
    pub v: Vec3,
    /// Yaw rate about the vertical [rad/s].
    pub yaw_rate: f64,
    /// Roll and pitch [rad].
    pub tilt: [f64; 2],
}

impl RequestedMotion {
    fn still() -> Self {
        Self {
            v: Vec3::zero(),
            yaw_rate: 0.0,
            tilt: [0.0; 2],
        }
    }
}

/// Returns the motion that the current mode requests, within the limits of the vehicle.
pub(crate) fn requested_motion(
    settings: &MotionControl,
    control: &mut MotionControlState,
    motion: &VehicleMotion,
    tick: &Tick<'_>,
) -> RequestedMotion {
    let mut requested = match control.mode {
        ControlMode::Velocity => RequestedMotion {
            v: heading_rotation(motion.rpy[2]).mul_vec(tick.command[0]),
            yaw_rate: tick.command[1].z,
            ..RequestedMotion::still()
        },
        ControlMode::StationKeeping => keep_station(settings, control, motion),
        ControlMode::PathFollowing => follow_path(settings, control, motion, tick.dt),
        _ => RequestedMotion::still(),
    };
    let R_H = heading_rotation(motion.rpy[2]);
    requested.v = R_H.mul_vec(limit_velocity(settings, R_H.tr_mul_vec(requested.v)));
    let max = settings.keys.max_yaw_rate_rad_s;
    requested.yaw_rate = requested.yaw_rate.clamp(-max, max);
    requested
}

/// Limits a velocity along heading, left and up [m/s] without changing its horizontal direction.
fn limit_velocity(settings: &MotionControl, v: Vec3) -> Vec3 {
    let [surge, sway, heave] = settings.keys.max_speed_m_s;
    let lateral = if settings.actuated[1] {
        v.y / sway
    } else {
        0.0
    };
    let ratio = (v.x / surge).abs().max(lateral.abs());
    let part = if ratio > 1.0 { 1.0 / ratio } else { 1.0 };
    let y = if settings.actuated[1] { v.y } else { 0.0 };
    Vec3::new(part * v.x, part * y, v.z.clamp(-heave, heave))
}

/// Returns the speed of the approach (1) at distance `e` [m] with the natural frequency `frequency`
/// [rad/s].
fn approach_speed(e: f64, frequency: f64, acceleration: f64) -> f64 {
    (frequency * e).min((acceleration * e).sqrt())
}

/// Returns the natural frequency of the control of degree of freedom `axis` [rad/s].
fn frequency(settings: &MotionControl, control: &MotionControlState, axis: usize) -> f64 {
    (control.gains.position[axis] / settings.inertia[axis]).sqrt()
}

/// Returns the yaw rate that turns the reference to `yaw` [rad].
fn yaw_rate_towards(settings: &MotionControl, control: &MotionControlState, yaw: f64) -> f64 {
    let e = wrap_angle(yaw - control.reference.rpy[2]);
    let w = frequency(settings, control, 5);
    e.signum() * approach_speed(e.abs(), w, settings.keys.max_yaw_acceleration_rad_s2)
}

/// Returns the upward speed that moves the reference to the height `z` [m].
fn climb_to(settings: &MotionControl, control: &MotionControlState, z: f64) -> f64 {
    let e = z - control.reference.p.z;
    let w = frequency(settings, control, 2);
    e.signum() * approach_speed(e.abs(), w, settings.keys.max_acceleration_m_s2)
}

/// Returns the motion that approaches and holds the goal.
fn keep_station(
    settings: &MotionControl,
    control: &MotionControlState,
    motion: &VehicleMotion,
) -> RequestedMotion {
    let goal = control.goal;
    let e = goal.p_WB - control.reference.p;
    let flat = Vec3::new(e.x, e.y, 0.0);
    let w = frequency(settings, control, 0);
    let up = climb_to(settings, control, goal.p_WB.z);
    if settings.actuated[1] {
        let distance = flat.norm();
        let speed = approach_speed(distance, w, settings.keys.max_acceleration_m_s2);
        let direction = flat.unit().unwrap_or_else(Vec3::zero);
        return RequestedMotion {
            v: direction.scale(speed) + Vec3::new(0.0, 0.0, up),
            yaw_rate: yaw_rate_towards(settings, control, goal.rpy[2]),
            tilt: [goal.rpy[0], goal.rpy[1]],
        };
    }
    let to_goal = goal.p_WB - motion.p;
    let distance = (to_goal.x * to_goal.x + to_goal.y * to_goal.y).sqrt();
    let bearing = libm::atan2(to_goal.y, to_goal.x);
    let is_far = distance > RETURN_RATIO * settings.keys.acceptance_radius_m;
    let heading = if is_far { bearing } else { goal.rpy[2] };
    let (s, c) = sin_cos(motion.rpy[2]);
    let along = to_goal.x * c + to_goal.y * s;
    let speed =
        along.signum() * approach_speed(along.abs(), w, settings.keys.max_acceleration_m_s2);
    // far from the goal the vehicle turns towards it before it moves
    let speed = if is_far { speed.max(0.0) } else { speed };
    RequestedMotion {
        v: Vec3::new(speed * c, speed * s, up),
        yaw_rate: yaw_rate_towards(settings, control, heading),
        tilt: [0.0; 2],
    }
}

/// Returns the motion along the path. At its end the mode becomes `StationKeeping`.
fn follow_path(
    settings: &MotionControl,
    control: &mut MotionControlState,
    motion: &VehicleMotion,
    dt: f64,
) -> RequestedMotion {
    let Some(mut path) = control.path.take() else {
        return RequestedMotion::still();
    };
    let guidance = settings.keys.line_of_sight();
    let Some(leg) = line_of_sight::advance(&guidance, &mut path, motion.p, dt) else {
        if let Some(end) = path.waypoints.last() {
            control.goal.p_WB = *end;
            control.goal.rpy = [0.0, 0.0, control.reference.rpy[2]];
        }
        control.mode = ControlMode::StationKeeping;
        control.path = Some(path);
        return keep_station(settings, control, motion);
    };
    let w = frequency(settings, control, 0);
    let braking = approach_speed(
        leg.remaining.max(0.0),
        w,
        settings.keys.max_acceleration_m_s2,
    );
    let cruise = settings
        .keys
        .path_speed()
        .min(settings.keys.max_speed_m_s[0]);
    let speed = if leg.is_last {
        cruise.min(braking)
    } else {
        cruise
    };
    let course = leg.course;
    let heading = if settings.actuated[1] {
        course
    } else {
        line_of_sight::heading_for_course(course, motion.rpy[2], motion.v)
    };
    let yaw_error = wrap_angle(heading - motion.rpy[2]);
    let (s, c) = if settings.actuated[1] {
        sin_cos(course)
    } else {
        sin_cos(motion.rpy[2])
    };
    // the vehicle slows down while its heading is off the course
    let part = sin_cos(yaw_error.abs().min(std::f64::consts::FRAC_PI_2)).1;
    let up = climb_to(settings, control, leg.height);
    control.path = Some(path);
    RequestedMotion {
        v: Vec3::new(part * speed * c, part * speed * s, up),
        yaw_rate: yaw_rate_towards(settings, control, heading),
        tilt: [0.0; 2],
    }
}
