//! Velocity control of a multirotor: an outer loop of position and velocity and an inner loop of
//! attitude.
//!
//! # Law
//! ```text
//!   v_r' = clip((v_c - v_r)/Δ, a_max),  p_r' = v_r,  |p_r - p| <= max_lead  (1)
//!   F = m (g e₃ + v_r') - k_x (p - p_r) - k_v (v - v_r)                     (2)  [Lee 2010]
//!   f = F·R e₃,  b₃ = F/|F| within the maximum tilt,  b₁ by the yaw ψ_r     (3)  [Lee 2010]
//!   M = -k_R ½(R_rᵀR - RᵀR_r)ᵛ - k_Ω (Ω - RᵀR_r Ω_r) + Ω × JΩ               (4)  [Lee 2010]
//! ```
//! The allocation distributes f and M to the rotors. If a rotor saturates, the moment is reduced
//! and the lift is kept.
//!
//! # Symbols
//! v_c commanded velocity: horizontal components forward (x) and to the left (y), rotated by the
//! yaw of the vehicle, and upward component (z) · p_r, v_r, ψ_r reference position, velocity and
//! yaw · p, v position and velocity · Δ tick · a_max maximum acceleration · m mass, g gravity · k
//! gains · b₁, b₃ x and z axis of the reference attitude R_r · R attitude · Ω angular velocity, Ω_r
//! commanded yaw rate · J inertia.
//!
//! # Frames
//! World (ENU) in the outer loop, base in the inner loop; M about the centre of mass.
//!
//! # Limits
//! (4) omits Lee's term of the reference angular acceleration. The firmware uses the true motion,
//! as the RotorS controller uses odometry. There is no wind estimate: a steady wind is balanced by
//! a constant lead of the reference position, up to `max_lead`. Without a command for the time-out
//! the vehicle stops and hovers. The rotors are off until a command climbs or a take-off is
//! requested. They are switched off again when, for half a second, a descent is requested, the
//! requested lift is far below the weight, and the vehicle does not descend all the same, which is how
//! the firmware detects a landing: in the air the vehicle would fall, even in a wind that lifts it.
//!
//! # Checked by
//! test/analytic/vehicles/multirotor.rs

use crate::allocation::available_fraction;
use crate::build::{BuildLaw, LawContext};
use crate::devices::Devices;
use crate::estimate::KnownMotion;
use crate::law::{ControlLaw, Controller, Tick};
use merrow_math::SpatialInertia;
use merrow_math::real::sin_cos;
use merrow_math::{Mat3, Vec3};
use merrow_model::kinematics::poses_at_rest;
use merrow_model::scene::Link;
use merrow_model::scene::Robot;
use merrow_model::scene::robot::firmware::Multirotor;
use merrow_model::scene::robot::firmware::multirotor::MultirotorKeys;
use merrow_model::scene::robot::firmware::multirotor::{FlightMode, MultirotorState};
use merrow_model::state::RobotState;
use merrow_model::state::commands::{Accepted, FirmwareOrder};
use std::f64::consts::PI;

/// Commanded climb rate above which the vehicle takes off [m/s].
const TAKEOFF_CLIMB_RATE: f64 = 0.05;
/// Part of the weight below which the requested lift does not keep the vehicle in the air.
const STANDING_LIFT: f64 = 0.7;
/// Part of the force of the maximum position lead that suffices where the lead cannot reduce the
/// lift to [`STANDING_LIFT`].
const STANDING_LEAD: f64 = 0.9;
/// Part of the requested sink speed below which the vehicle does not descend.
const STANDING_SINK: f64 = 0.5;
/// Time after which a vehicle that neither descends nor is lifted counts as standing [s].
const STANDING_TIME: f64 = 0.5;
/// Minimum collective thrust over the weight; the attitude control needs some thrust.
const MIN_LIFT: f64 = 0.2;
/// Maximum lead of the reference yaw [rad].
const MAX_YAW_LEAD: f64 = 0.5;

impl ControlLaw for Controller<'_, Multirotor, MultirotorState> {
    fn tick(&mut self, tick: &Tick<'_>, devices: &mut Devices<'_>) {
        let flight = &mut *self.state;
        if flight.mode == FlightMode::Off && tick.command[0].z > TAKEOFF_CLIMB_RATE {
            start_flight(flight, FlightMode::Flying);
        }
        if !devices.has_power() && flight.mode != FlightMode::Off {
            switch_off(flight, devices);
        }
        if flight.mode != FlightMode::Off {
            fly(self.settings, flight, tick, devices);
        }
    }

    fn enable(&mut self, on: bool, _: &KnownMotion, devices: &mut Devices<'_>) -> Accepted {
        if !on {
            switch_off(self.state, devices);
        } else if self.state.mode == FlightMode::Off {
            start_flight(self.state, FlightMode::Flying);
        }
        Ok(())
    }

    fn order(
        &mut self,
        order: FirmwareOrder,
        motion: &KnownMotion,
        devices: &mut Devices<'_>,
    ) -> Accepted {
        let off = self.state.mode == FlightMode::Off;
        match order {
            FirmwareOrder::Enable(on) => return self.enable(on, motion, devices),
            FirmwareOrder::TakeOff if !off => {
                return Err("take-off: the robot is already flying".to_string());
            }
            FirmwareOrder::TakeOff => start_flight(self.state, FlightMode::TakingOff),
            FirmwareOrder::Land if off => {
                return Err("landing: the rotors are off".to_string());
            }
            FirmwareOrder::Land => self.state.mode = FlightMode::Landing,
        }
        Ok(())
    }

    fn start_task(&mut self) -> Accepted {
        start_flight(self.state, FlightMode::Flying);
        Ok(())
    }
}

/// Advances the reference and commands the rotors.
fn fly(
    settings: &Multirotor,
    flight: &mut MultirotorState,
    tick: &Tick<'_>,
    devices: &mut Devices<'_>,
) {
    let motion = &tick.motion;
    let R = motion.q_WB.matrix();
    let (p, v) = (motion.p_WB, R.mul_vec(motion.V_WB_B.v));
    let yaw = libm::atan2(R.r[1].x, R.r[0].x);
    if !flight.initialised {
        *flight = MultirotorState {
            p,
            v,
            yaw,
            initialised: true,
            top: p.z + settings.keys.takeoff_height_m,
            ..*flight
        };
    }
    let (requested, yaw_rate) = requested_velocity(settings, flight, yaw, tick.command);
    let acceleration = advance_reference(settings, flight, p, requested, tick.dt);
    flight.yaw = limit_yaw_lead(flight.yaw + yaw_rate * tick.dt, yaw);
    let weight = settings.mass * tick.environment.gravity;
    let F = requested_force(settings, flight, [p, v], acceleration, weight);
    let is_blocked = requested.z < 0.0
        && v.z > STANDING_SINK * requested.z
        && F.z < standing_lift(settings, weight);
    flight.blocked_time = if is_blocked {
        flight.blocked_time + tick.dt
    } else {
        0.0
    };
    if flight.blocked_time >= STANDING_TIME {
        switch_off(flight, devices);
        return;
    }
    let F = limit_tilt(
        F,
        settings.keys.max_tilt_deg.to_radians(),
        MIN_LIFT * weight,
    );
    let R_r = attitude(F, flight.yaw);
    let lift = F.dot(R.col(2)).max(MIN_LIFT * weight); // (3)
    let moment = moment(settings, &R, &R_r, motion.V_WB_B.w, yaw_rate);
    // the lift of the rotors acts at the centre of mass
    let lift = Vec3::new(0.0, 0.0, lift);
    command_rotors(devices, lift, moment + settings.p_BoBcm.cross(lift));
}

/// Returns the force (2) [N] in W for the position [m], velocity [m/s] and `acceleration` [m/s²] of
/// the reference; `weight` is in N.
fn requested_force(
    settings: &Multirotor,
    reference: &MultirotorState,
    [p, v]: [Vec3; 2],
    acceleration: Vec3,
    weight: f64,
) -> Vec3 {
    let k = |gain: [f64; 3], e: Vec3| Vec3::new(gain[0] * e.x, gain[1] * e.y, gain[2] * e.z);
    let push = acceleration.scale(settings.mass)
        - k(settings.keys.position_gain_n_per_m, p - reference.p)
        - k(settings.keys.velocity_gain_n_s_per_m, v - reference.v);
    push + Vec3::new(0.0, 0.0, weight)
}

/// Returns the lead of the reference position over the vehicle [m], the requested force [N] without
/// an acceleration of the reference, and the part of it that the rotors exert within the maximum
/// tilt, all in axes that are level and turned by the yaw; `None` while the rotors are off.
pub(crate) fn demand(
    robot: &Robot,
    settings: &Multirotor,
    state: &RobotState,
    flight: &MultirotorState,
    gravity: f64,
) -> Option<[Vec3; 3]> {
    let flies = flight.mode != FlightMode::Off && flight.initialised;
    let manager = robot.allocation.as_ref().filter(|_| flies)?;
    let motion = KnownMotion::from(&state.motion);
    let R = motion.q_WB.matrix();
    let weight = settings.mass * gravity;
    let pv = [motion.p_WB, R.mul_vec(motion.V_WB_B.v)];
    let requested = requested_force(settings, flight, pv, Vec3::default(), weight);
    let lifted = limit_tilt(
        requested,
        settings.keys.max_tilt_deg.to_radians(),
        MIN_LIFT * weight,
    );
    let part = robot.thrusters.iter().zip(&manager.matrix);
    let part = part.fold(1.0_f64, |part, (rotor, a)| {
        part.min(available_fraction(
            a[2] * lifted.norm(),
            rotor.thrust_limits(0.0),
        ))
    });
    let yaw = libm::atan2(R.r[1].x, R.r[0].x);
    let level = Mat3::from_rpy(0.0, 0.0, yaw);
    Some([flight.p - pv[0], requested, lifted.scale(part)].map(|x| level.tr_mul_vec(x)))
}

/// Starts to fly in `mode`, from the current pose of the vehicle.
fn start_flight(flight: &mut MultirotorState, mode: FlightMode) {
    if flight.mode == FlightMode::Off {
        *flight = MultirotorState {
            initialised: false,
            blocked_time: 0.0,
            ..*flight
        };
    }
    flight.mode = mode;
}

/// Stops the rotors and ends the flight.
fn switch_off(flight: &mut MultirotorState, devices: &mut Devices<'_>) {
    (flight.mode, flight.blocked_time) = (FlightMode::Off, 0.0);
    devices.stop_thrusters();
}

/// Returns the velocity in W [m/s] and yaw rate [rad/s] requested in the current mode.
fn requested_velocity(
    settings: &Multirotor,
    flight: &mut MultirotorState,
    yaw: f64,
    [v, w]: [Vec3; 2],
) -> (Vec3, f64) {
    let [climb, sink] = settings.keys.takeoff_landing_speed_m_s;
    let up = |z: f64| Vec3::new(0.0, 0.0, z);
    match flight.mode {
        FlightMode::Landing => (up(-sink), 0.0),
        // compares the reference height: with a weak battery the vehicle stays slightly below it
        FlightMode::TakingOff if flight.p.z < flight.top - 0.05 => {
            (up(climb.min(flight.top - flight.p.z).max(0.0)), 0.0)
        }
        FlightMode::TakingOff | FlightMode::Flying | FlightMode::Off => {
            flight.mode = FlightMode::Flying;
            let [along_ground, max_climb, max_sink] = settings.keys.max_speed_m_s;
            let flat = (v.x * v.x + v.y * v.y).sqrt();
            let part = if flat > along_ground {
                along_ground / flat
            } else {
                1.0
            };
            let (s, c) = sin_cos(yaw);
            let (x, y) = (part * v.x, part * v.y);
            let turned = Vec3::new(
                c * x - s * y,
                s * x + c * y,
                v.z.clamp(-max_sink, max_climb),
            );
            (
                turned,
                w.z.clamp(
                    -settings.keys.max_yaw_rate_rad_s,
                    settings.keys.max_yaw_rate_rad_s,
                ),
            )
        }
    }
}

/// Advances the reference by a tick; returns its acceleration in W [m/s²]. (1)
fn advance_reference(
    settings: &Multirotor,
    flight: &mut MultirotorState,
    p: Vec3,
    requested: Vec3,
    dt: f64,
) -> Vec3 {
    let change = requested - flight.v;
    let max_change = settings.keys.max_acceleration_m_s2 * dt;
    let step = if change.norm() > max_change {
        change.scale(max_change / change.norm())
    } else {
        change
    };
    flight.v += step;
    flight.p += flight.v.scale(dt);
    // horizontal and vertical lead are limited separately: on a moving deck the reference height
    // still descends below the deck
    let (ahead, max_lead) = (flight.p - p, settings.keys.max_position_lead_m);
    let flat = (ahead.x * ahead.x + ahead.y * ahead.y).sqrt();
    let part = if flat > max_lead {
        max_lead / flat
    } else {
        1.0
    };
    flight.p = p + Vec3::new(
        part * ahead.x,
        part * ahead.y,
        ahead.z.clamp(-max_lead, max_lead),
    );
    step.scale(1.0 / dt)
}

/// Limits the lead of the reference yaw `requested` over the actual yaw [rad].
fn limit_yaw_lead(requested: f64, yaw: f64) -> f64 {
    let ahead = libm::remainder(requested - yaw, 2.0 * PI);
    yaw + ahead.clamp(-MAX_YAW_LEAD, MAX_YAW_LEAD)
}

/// Returns the requested lift [N] below which a vehicle of this `weight` [N] descends in the air.
fn standing_lift(settings: &Multirotor, weight: f64) -> f64 {
    let keys = &settings.keys;
    let lead = keys.position_gain_n_per_m[2] * keys.max_position_lead_m;
    (STANDING_LIFT * weight).max(weight - STANDING_LEAD * lead)
}

/// Limits the force `F` [N] to a vertical component of at least `min_lift` [N] and a tilt of at
/// most `max_tilt` [rad].
fn limit_tilt(F: Vec3, max_tilt: f64, min_lift: f64) -> Vec3 {
    let z = F.z.max(min_lift);
    let (s, c) = sin_cos(max_tilt);
    let (flat, allowed) = ((F.x * F.x + F.y * F.y).sqrt(), z * s / c);
    let part = if flat > allowed { allowed / flat } else { 1.0 };
    Vec3::new(part * F.x, part * F.y, z)
}

/// Returns the attitude with the z axis along `F` and the x axis towards `yaw` [rad]. (3)
fn attitude(F: Vec3, yaw: f64) -> Mat3 {
    let (s, c) = sin_cos(yaw);
    let b3 = F.scale(1.0 / F.norm());
    let b2 = b3.cross(Vec3::new(c, s, 0.0));
    let b2 = b2.scale(1.0 / b2.norm());
    Mat3 {
        r: [b2.cross(b3), b2, b3],
    }
    .transpose()
}

/// Computes the moment (4) about the centre of mass, in B [N m].
fn moment(settings: &Multirotor, R: &Mat3, R_r: &Mat3, w: Vec3, yaw_rate: f64) -> Vec3 {
    let E = R_r.transpose().mul_mat(R);
    let e_R = Vec3::new(
        E.r[2].y - E.r[1].z,
        E.r[0].z - E.r[2].x,
        E.r[1].x - E.r[0].y,
    )
    .scale(0.5);
    let e_w = w - R.tr_mul_vec(Vec3::new(0.0, 0.0, yaw_rate));
    let k_R = settings.keys.attitude_gain_nm_per_rad;
    let k_w = settings.keys.rate_gain_nm_s_per_rad;
    let held = Vec3::new(
        k_R[0] * e_R.x + k_w[0] * e_w.x,
        k_R[1] * e_R.y + k_w[1] * e_w.y,
        k_R[2] * e_R.z + k_w[2] * e_w.z,
    );
    w.cross(settings.inertia.mul_vec(w)) - held
}

/// Commands the rotors for the lift `force` [N] and the moment `moment` [N m] about the base
/// origin, in B.
fn command_rotors(devices: &mut Devices<'_>, force: Vec3, moment: Vec3) {
    let robot = devices.robot();
    let Some(manager) = &robot.allocation else {
        return;
    };
    let thrusts = |k: usize| {
        let a = &manager.matrix[k];
        (
            a[2] * force.z,
            a[3] * moment.x + a[4] * moment.y + a[5] * moment.z,
        )
    };
    // fraction of the moment that the rotors can exert in addition to the lift
    let mut part: f64 = 1.0;
    for (k, thruster) in robot.thrusters.iter().enumerate() {
        let (lift, turn) = thrusts(k);
        let [lo, hi] = thruster.thrust_limits(0.0);
        let room = if turn > 0.0 { hi - lift } else { lift - lo };
        if turn.abs() > room {
            part = part.min((room / turn.abs()).max(0.0));
        }
    }
    for k in 0..robot.thrusters.len() {
        let (lift, turn) = thrusts(k);
        devices.set_thrust(k, lift + part * turn, 0.0);
    }
}

impl BuildLaw for Multirotor {
    fn build(keys: &MultirotorKeys, context: &LawContext<'_>) -> Self {
        let axes = [
            (2, "lift it"),
            (3, "roll it"),
            (4, "pitch it"),
            (5, "turn it"),
        ];
        context.check_thrusters("multirotor", &axes, &keys.at);
        if context.robot.n_joints() > 0 {
            let text = "firmware `multirotor`: the mass properties are computed with all joints at 0 and are not updated";
            context.problems.borrow_mut().note(&keys.at.whole, text);
        }
        let (mass, p_BoBcm, inertia) = total_mass_properties(&context.robot.links);
        Self {
            keys: keys.clone(),
            mass,
            p_BoBcm,
            inertia,
        }
    }
}

/// Returns the mass [kg], the centre of mass in B [m] and the inertia about it [kg m²] of all links
/// with their joints at 0.
fn total_mass_properties(links: &[Link]) -> (f64, Vec3, Mat3) {
    let poses = poses_at_rest(links);
    let sum = links
        .iter()
        .zip(&poses)
        .fold(SpatialInertia::zero(), |sum, (link, (R, p))| {
            sum + link.rigid.to_parent(R, *p)
        });
    let m = sum.to_matrix();
    let mass = m[3][3];
    // The off-diagonal block is m [c]×.
    let c = Vec3::new(m[2][4], m[0][5], m[1][3]).scale(1.0 / mass);
    let about = |i: usize, j: usize| {
        let (c, d) = (c.to_array(), if i == j { c.dot(c) } else { 0.0 });
        m[i][j] - mass * (d - c[i] * c[j])
    };
    let row = |i: usize| Vec3::new(about(i, 0), about(i, 1), about(i, 2));
    (
        mass,
        c,
        Mat3 {
            r: [row(0), row(1), row(2)],
        },
    )
}
