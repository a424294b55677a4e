//! Forces of fins, rudders and planes, and the motion of their servos.
//!
//! # Law
//! Let f, n, s be the chord (forward), the normal and the shaft of the fin, rotated by its angle δ
//! about s. Let v be the velocity of the fin relative to the water without its component along s.
//! Then
//! ```text
//!   α = atan2(-v·n, v·f),  q = ½ρ|v|²                                      (1)
//!   F = q A (C_L ℓ - C_D v/|v|),  ℓ = s × v/|v|                            (2)
//!   lift_drag:  C_L = (1-σ) a α + σ C_90 sin α cos α,
//!               C_D = C_D0 + (1-σ) (a α)²/(π e AR) + σ C_90 sin²α                      (3)
//!               1/a = 1/(2π 0.9) + 1/(π AR)     unless a is given                      (4)
//!   table:      C_L(α), C_D(α)                                             (5)
//!   chord:      F = q A (C_z n - C_x f),  C_z = a sin α, C_x = C_x0 cos α  (6)
//!   fossen:     F = ½ρU²A a σ (δ n₀ - δ² f₀)                               (7)
//!   derivative: F = c u|u| δ n₀                                            (8)
//!               (3) [Beard 2012, §4.2]
//!               (4) [Hoerner 1985, ch. 3; Prestero 2001]
//!               (6) [Parodi 2009, §IV.A]
//!               (7) [Fossen 2021, §8.4.2], σ = 1 up to 30 degrees from ahead
//!               (8) [Prestero 2001, §4.4]
//! ```
//! at the point `center_of_pressure` behind the shaft for (2) to (6), and on the shaft for (7) and
//! (8). (6) is the fin formula of Thetis: its F_x, F_z and M_q, with l c_s that distance, V_0 the
//! speed at the fin and its C_z, C_x linear in the sine and cosine of α.
//!
//! The slipstream (race) of a propeller adds a velocity, along the thruster's axis, to the part of
//! the fin's area that lies in it:
//! ```text
//!   u_r = k (sqrt(V_a² + 2T/(ρ A_d)) - V_a),  T > 0, V_a >= 0  (9)  [Molland 2007, §3.6]
//! ```
//! Servo: dead time, then `δ' = clip((δ_c - δ)/T, rate)`, solved exactly for a command held over
//! the step.
//!
//! # Symbols
//! A area · AR span squared over area · σ separated fraction of the flow · C_90 drag coefficient
//! broadside · U speed of the link's origin in the plane normal to the shaft, u along the chord at
//! δ = 0 (index 0) · T thrust before deduction, A_d disc area, V_a its inflow · k development.
//!
//! # Frames
//! Link frame L at Lo. δ > 0 turns the leading edge from f₀ towards n₀ = s × f₀; the force then
//! points along +n₀.
//!
//! # Limits
//! Quasi-steady. The fin has no separate added mass (it is part of the added mass of the link), and
//! no interaction with the hull or other fins. In reversed flow the fin is blunt: (3) treats it as
//! stalled, because it has neither a lift slope nor a sharp edge there. (7), (8) have no stall and
//! no cross-flow at the fin, and are extended to all incidences by `../incidence.rs`: σ reverses
//! (7) in flow from astern, as u|u| reverses (8), and the part that would accelerate the fin is
//! removed. In coefficient sets of whole vehicles the lift and drag of the fin at incidence are
//! part of the hull (`incidence_in_hull`), and the force is unchanged up to 30 degrees. Near the
//! surface the force decreases with the fraction of the fin that is out of the water. Dead time is
//! rounded to whole steps. A servo without power keeps its angle. Health: `Reduced` leaves that
//! fraction of the area, `Dead` none, `Stuck` holds the angle.
//!
//! # Checked by
//! test/analytic/actuators/fin.rs, test/analytic/actuators/fin_servo.rs,
//! test/identity/incidence.rs, test/witness/vehicles/remus.rs (V47, V48, V49)

use crate::forces::actuators::{sail, thruster};
use crate::forces::contributions::{Law, Sink};
use crate::forces::incidence;
use merrow_environment::EnvironmentState;
use merrow_math::{Real, SpatialForce, SpatialVelocity, Vec3};
use merrow_model::scene::robot::fin::Slipstream;
use merrow_model::scene::{Fin, FinLaw, Robot, Thruster};
use merrow_model::state::workspace::LinkWork;
use merrow_model::state::{FinState, Health, RobotState, Workspace};

/// Stores the current angles in `work` for all stages, without advancing a step.
#[inline]
pub fn store_current(robot: &Robot, state: &RobotState, work: &mut Workspace) {
    for k in 0..robot.fins.len() {
        let fin = &state.fins[k];
        (work.fins[k].angle, work.fins[k].area_fraction) =
            ([fin.angle; 3], remaining_fraction(fin));
    }
}

/// Advances every servo over the step of `dt` [s] and stores the angles at its start, midpoint and
/// end in `work`.
pub fn prepare_step(robot: &Robot, state: &mut RobotState, dt: f64, work: &mut Workspace) {
    let powered = state.battery.is_on();
    for (k, fin) in robot.fins.iter().enumerate() {
        let memory = &mut state.fins[k];
        let target = if fin.dead_steps > 0 {
            let slot = &mut state.fin_delays[fin.delay_start + memory.delay_at];
            memory.delay_at = (memory.delay_at + 1) % fin.dead_steps;
            std::mem::replace(slot, memory.command)
        } else {
            memory.command
        };
        let target = if memory.fault.offset == 0.0 {
            target
        } else {
            (target + memory.fault.offset).clamp(fin.range[0], fin.range[1])
        };
        let start = memory.angle;
        let has_failed = memory.fault.stuck || memory.fault.dead;
        let angle =
            if !powered || has_failed || matches!(memory.health, Health::Stuck | Health::Dead) {
                [start; 3]
            } else if fin.is_ideal() {
                [target; 3]
            } else {
                let midpoint = fin.servo_angle(start, target, 0.5 * dt);
                [start, midpoint, fin.servo_angle(midpoint, target, 0.5 * dt)]
            };
        memory.rate = (angle[2] - start) / dt;
        memory.angle = angle[2];
        (work.fins[k].angle, work.fins[k].area_fraction) = (angle, remaining_fraction(memory));
    }
}

/// Stores the hydrodynamic moments about the shafts at the start of the step in `state`, for the
/// battery model.
pub fn store_shaft_moments(
    robot: &Robot,
    state: &mut RobotState,
    work: &Workspace,
    environment: &EnvironmentState<'_>,
) {
    if robot.battery.is_none() {
        return;
    }
    let fins = robot.fins.iter().enumerate();
    for (k, fin) in fins.filter(|(_, fin)| fin.is_movable() && !fin.is_azimuth()) {
        let F = force_of(robot, k, work, 0, environment);
        let about_shaft = F.m - fin.p_LoF.cross(F.f);
        state.fins[k].moment = about_shaft.dot(fin.R_LF.col(2));
    }
}

/// Returns the fraction of the fin's area that remains after faults [-].
#[inline]
pub fn remaining_fraction(memory: &FinState) -> f64 {
    match memory.health {
        _ if memory.fault.dead => 0.0,
        Health::Healthy | Health::Stuck => memory.fault.fraction,
        Health::Reduced(part) => part * memory.fault.fraction,
        Health::Dead => 0.0,
    }
}

/// Returns the wrench of the fins of link `link_idx` at one stage (0 start, 1 midpoint, 2 end), at
/// Lo in L.
#[inline(always)]
pub(crate) fn force<T: Real, S: Sink>(
    robot: &Robot,
    link_idx: usize,
    work: &Workspace<T>,
    stage: usize,
    environment: &EnvironmentState<'_>,
    sink: &mut S,
) -> SpatialForce<T> {
    let mut sum = SpatialForce::zero();
    let fins = robot.fins.iter().enumerate();
    for (k, fin) in fins.filter(|(_, fin)| fin.link == link_idx && !fin.is_azimuth()) {
        let F = force_of(robot, k, work, stage, environment);
        let law = if fin.sail { Law::Sail } else { Law::Fin };
        sink.add(law, Some(k), link_idx, || F);
        sum += F;
    }
    sum
}

/// Returns the wrench of the fin with the index `k` at one stage (0 start, 1 midpoint, 2 end), at
/// Lo in L.
#[inline(always)]
fn force_of<T: Real>(
    robot: &Robot,
    k: usize,
    work: &Workspace<T>,
    stage: usize,
    environment: &EnvironmentState<'_>,
) -> SpatialForce<T> {
    let (fin, own) = (&robot.fins[k], &work.fins[k]);
    let (link, density) = (&work.links[fin.link], environment.sea.density);
    SpatialForce::from_lanes(|i| {
        let (angle, area) = (own.angle[stage].lane(i), own.area_fraction.lane(i));
        if fin.sail {
            return sail::force(fin, &link.lane(i), angle, area, environment);
        }
        let flow = Flow::at_fin(robot, fin, link, work, (stage, i), density);
        let part = area * wet_fraction(fin, link, i, environment);
        fin_wrench(fin, &flow, angle, density, part)
    })
}

/// Flow at a fin, in L.
struct Flow {
    /// Velocity of the link relative to the water at Lo.
    V_r: SpatialVelocity,
    /// Velocity added by a slipstream, relative to the water, and the affected fraction of the
    /// area.
    slipstream: Option<(Vec3, f64)>,
}

impl Flow {
    #[inline(always)]
    fn at_fin<T: Real>(
        robot: &Robot,
        fin: &Fin,
        link: &LinkWork<T>,
        work: &Workspace<T>,
        (stage, lane): (usize, usize),
        density: f64,
    ) -> Self {
        let V_r = SpatialVelocity {
            w: link.V.w.lane(lane),
            v: link.V.v.lane(lane) - link.water.lane(lane),
        };
        let slipstream = fin.slipstream.map(|slipstream| {
            let drive = work.drive[slipstream.thruster][stage].lane(lane);
            let t = &robot.thrusters[slipstream.thruster];
            let axis = thruster::thrust_axis(robot, t, work, stage).lane(lane);
            (
                slipstream_velocity(t, axis, &slipstream, &V_r, drive, density),
                slipstream.area_fraction,
            )
        });
        Self { V_r, slipstream }
    }
}

/// Returns the velocity of the fin relative to the water that a slipstream adds, along the thrust
/// direction, opposite to the water. (9)
fn slipstream_velocity(
    t: &Thruster,
    axis: Vec3,
    slipstream: &Slipstream,
    V_r: &SpatialVelocity,
    drive: f64,
    density: f64,
) -> Vec3 {
    let (thrust, inflow) = thruster::undeducted_thrust(t, axis, drive, (V_r.v, V_r.w), density);
    let disc = std::f64::consts::PI * t.radius() * t.radius();
    if thrust <= 0.0 || density <= 0.0 || disc <= 0.0 {
        return Vec3::zero();
    }
    let inflow = inflow.max(0.0);
    let added = (inflow * inflow + 2.0 * thrust / (density * disc)).sqrt() - inflow;
    axis.scale(slipstream.development * added)
}

/// Returns the fraction of the fin that is under water, linear over its height.
pub(crate) fn wet_fraction<T: Real>(
    fin: &Fin,
    link: &LinkWork<T>,
    lane: usize,
    environment: &EnvironmentState<'_>,
) -> f64 {
    let up = link.R_WL.r[2].lane(lane);
    let height = 0.5
        * (fin.span_m * up.dot(fin.R_LF.col(2)).abs()
            + fin.chord() * up.dot(fin.R_LF.col(0)).abs());
    let z = if environment.waves.is_none() {
        link.p_WL.z.lane(lane) + up.dot(fin.p_LoF)
    } else {
        let p = link.p_WL.lane(lane) + link.R_WL.lane(lane).mul_vec(fin.p_LoF);
        environment.approximate_height_above_surface(p, height)
    };
    if height <= 0.0 {
        return if z <= 0.0 { 1.0 } else { 0.0 };
    }
    (0.5 - z / (2.0 * height)).clamp(0.0, 1.0)
}

/// Returns the wrench at Lo in L for one angle [rad]; `part` is the fraction of the fin that
/// remains and is wet.
fn fin_wrench(fin: &Fin, flow: &Flow, angle: f64, density: f64, part: f64) -> SpatialForce {
    let (f0, n0, s) = (fin.R_LF.col(0), fin.R_LF.col(1), fin.R_LF.col(2));
    let half = 0.5 * density * part * fin.area_m2;
    match fin.law {
        FinLaw::Fossen { lift_slope_per_rad } => {
            let along = flow.V_r.v.dot(s);
            let speed2 = flow.V_r.v.dot(flow.V_r.v) - along * along;
            let sigma = incidence::direction_factor(chord_cosine(fin, flow.V_r.v));
            let lift = half * speed2 * lift_slope_per_rad * angle * sigma;
            dissipative_wrench(fin, flow, n0.scale(lift) - f0.scale(lift * angle)) // (7)
        }
        FinLaw::Derivative {
            coefficient_n_s2_per_m2: coefficient,
        } => {
            let u = flow.V_r.v.dot(f0);
            dissipative_wrench(
                fin,
                flow,
                n0.scale(part * coefficient * u * u.abs() * angle),
            ) // (8)
        }
        _ => {
            let (sin, cos) = merrow_math::real::sin_cos(angle);
            let f = f0.scale(cos) + n0.scale(sin);
            let p = fin.p_LoF - f.scale(fin.center_of_pressure_m);
            let v = flow.V_r.v + flow.V_r.w.cross(p);
            let F = match flow.slipstream {
                None => foil_force(fin, v, f, s, half),
                Some((slipstream, part)) => {
                    foil_force(fin, v, f, s, half * (1.0 - part))
                        + foil_force(fin, v + slipstream, f, s, half * part)
                }
            };
            SpatialForce::at_point(F, p)
        }
    }
}

/// Returns the cosine between the chord at angle zero and the velocity `v` across the shaft; 0
/// without velocity.
fn chord_cosine(fin: &Fin, v: Vec3) -> f64 {
    let (u, across) = (v.dot(fin.R_LF.col(0)), v.dot(fin.R_LF.col(1)));
    let speed = (u * u + across * across).sqrt();
    if speed == 0.0 { 0.0 } else { u / speed }
}

/// Returns the wrench at Lo of the force `F` on the shaft, without the part that would accelerate
/// the fin.
fn dissipative_wrench(fin: &Fin, flow: &Flow, F: Vec3) -> SpatialForce {
    let s = fin.R_LF.col(2);
    let v = flow.V_r.v + flow.V_r.w.cross(fin.p_LoF);
    let v = v - s.scale(v.dot(s));
    let share = if fin.incidence_in_hull {
        incidence::extended_share(chord_cosine(fin, flow.V_r.v))
    } else {
        1.0
    };
    SpatialForce::at_point(incidence::dissipative_force(F, v, share), fin.p_LoF)
}

/// Returns the force by (1) to (6), in L, for the velocity `v` of a fin with chord `f` and shaft
/// `s`; `half` is ½ρA.
pub(crate) fn foil_force(fin: &Fin, v: Vec3, f: Vec3, s: Vec3, half: f64) -> Vec3 {
    let v = v - s.scale(v.dot(s));
    let speed = v.norm();
    if speed == 0.0 {
        return Vec3::zero();
    }
    let alpha = libm::atan2(-v.dot(s.cross(f)), v.dot(f));
    let [lift, drag] = fin.law.coefficients(alpha);
    let ahead = v.scale(1.0 / speed);
    let q = half * speed * speed;
    s.cross(ahead).scale(q * lift) - ahead.scale(q * drag)
}
