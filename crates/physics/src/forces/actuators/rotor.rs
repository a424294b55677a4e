//! Rotors in air: thrust, torque, in-plane drag, and gyroscopic effects on the body.
//!
//! # Law
//! ```text
//!   T = (ρ/ρ₀) κ (k n|n| - k_z |n| v_z)                               (1)
//!   Q = (ρ/ρ₀) c k n|n|, against the spin                             (2)  [Furrer 2016]
//!   H = -(ρ/ρ₀) k_d |n| v_⊥                                           (3)  [Martin 2010]
//!   M = -(ρ/ρ₀) s k_r |n| v_⊥                                         (4)  [Martin 2010]
//!   κ = 1/(1 - (R/4z)²/(1 + (|v|/v_i)²)),  v_i = √(k n²/(2 ρ₀ π R²))  (5)  [Cheeseman 1955]
//!   G = -s I (n' e + n ω × e)                                         (6)
//!   (R/4z)² = (1 - a) (R/4z_0)² + a (R/4z_d)²                         (7)
//!   (1) [Furrer 2016; Svacha 2017]
//!   (7) if a fraction a of the disc is over a deck
//! ```
//! Shaft speed: `n' = (n_c - n)/τ`, with separate τ for rising and falling speed, exact over the
//! step for a held command (`thruster.rs`).
//!
//! # Symbols
//! n shaft speed [rad/s] · e axis, along the thrust · v velocity of the hub relative to the air,
//! v_z along e, v_⊥ across it · ρ density of the air, ρ₀ density at which the coefficients hold · κ
//! ground effect · z height of the hub over ground or water (z_0) and deck (z_d), R radius · v_i
//! induced velocity of the hovering rotor · s spin: +1 right-handed about e · I inertia of the
//! rotating parts · ω angular velocity of the link.
//!
//! # Frames
//! Link frame L; wrench at Lo.
//!
//! # Limits
//! (1) is the model of Svacha without its third term, a gain with the square of the in-plane speed:
//! 0.0034 N s²/m² for rotors of the Firefly's size, 3 % of the lift at 5 m/s. In (4) the moment
//! changes sign with the direction of spin, as required. (5) at rest is as later works quote the
//! report; its dependence on the speed is unverified. Quasi-steady: no dynamic inflow, no vortex
//! ring, no windmill state except as given by (1), no flapping beyond (3) and (4), no interaction
//! between rotors. (5) holds from z = R/2; below it κ is constant. It includes terrain,
//! water and, in worlds in which robots have collision shapes, decks and structures
//! (`crates/physics/src/contact/geometry/ground_effect_rays.rs`). (7) is chosen, so that ground
//! effect changes gradually at the edge of a deck. The air properties are taken at the link's
//! origin. A rotor in water produces no force: forces are scaled by the dry fraction of the disc.
//!
//! # Checked by
//! test/analytic/actuators/rotor.rs, test/analytic/actuators/rotor_ground_effect.rs; V52

use crate::forces::actuators::thruster;
use crate::forces::contributions::{Law, Sink};
use merrow_environment::{EnvironmentState, air};
use merrow_math::{MAX_LANES, Real, SpatialForce, Vec3};
use merrow_model::scene::robot::thruster::Rotor;
use merrow_model::scene::{Robot, Thruster};
use merrow_model::state::Workspace;
use merrow_model::state::workspace::{Deck, LinkWork};
use std::f64::consts::PI;

/// Air at the origin of a link.
#[derive(Clone, Copy, Debug)]
pub struct Air {
    /// Velocity of the air, in L [m/s].
    pub velocity: Vec3,
    /// Density of the air [kg/m³].
    pub density: f64,
}

/// Motion of a rotor hub at an instant.
#[derive(Clone, Copy, Debug)]
pub struct Hub {
    /// Unit vector of the thrust direction in L.
    pub axis: Vec3,
    /// Velocity of Lo relative to the air, in L [m/s].
    pub v: Vec3,
    /// Angular velocity of the link, in L [rad/s].
    pub w: Vec3,
    /// Shaft speed [rad/s] and its rate [rad/s²].
    pub spin: [f64; 2],
    /// Deck below the hub, for the ground effect; [`Deck::NONE`] without a deck.
    pub deck: Deck,
}

/// Returns the wind and air density at the origin of `link`, for one SIMD `lane`.
pub(crate) fn air_at_link<T: Real>(
    link: &LinkWork<T>,
    lane: usize,
    environment: &EnvironmentState<'_>,
) -> Air {
    let p = link.p_WL.lane(lane);
    let temperature = air::weather(&environment.sea.air, environment.time).temperature_c;
    let velocity = link.R_WL.lane(lane).tr_mul_vec(environment.wind(p));
    Air {
        velocity,
        density: air::density(environment.sea, temperature, p.z),
    }
}

/// Returns the wrench of all rotors of link `link_idx` at one stage (0 start, 1 midpoint, 2 end),
/// at Lo in L.
#[inline(never)]
pub(crate) fn force<T: Real, S: Sink>(
    robot: &Robot,
    link_idx: usize,
    work: &Workspace<T>,
    stage: usize,
    environment: &EnvironmentState<'_>,
    sink: &mut S,
) -> SpatialForce<T> {
    let link = &work.links[link_idx];
    let mut sum = [SpatialForce::zero(); MAX_LANES];
    for (lane, sum) in sum.iter_mut().enumerate().take(T::LANES) {
        let air = air_at_link(link, lane, environment);
        let (v, w) = (link.V.v.lane(lane) - air.velocity, link.V.w.lane(lane));
        for (k, thruster) in robot
            .thrusters
            .iter()
            .enumerate()
            .filter(|(_, t)| t.link == link_idx)
        {
            let Some(rotor) = thruster.rotor() else {
                continue;
            };
            let axis = thruster::thrust_axis(robot, thruster, work, stage).lane(lane);
            let spin = [
                work.drive[k][stage].lane(lane),
                work.drive_rate[k][stage].lane(lane),
            ];
            let hub = Hub {
                axis,
                v,
                w,
                spin,
                deck: work.rotor_decks[k],
            };
            let of_link = (link, lane);
            let (_, F) = wrench(thruster, rotor, &hub, air.density, of_link, environment);
            if lane == 0 {
                sink.add(Law::Thrust, Some(k), link_idx, || F);
            }
            *sum += F;
        }
    }
    SpatialForce::from_lanes(|i| sum[i])
}

/// Returns the thrust [N] and wrench of one rotor in air of `density` [kg/m³], at Lo in L. (1) to
/// (6)
pub fn wrench<T: Real>(
    thruster: &Thruster,
    rotor: &Rotor,
    hub: &Hub,
    density: f64,
    (link, lane): (&LinkWork<T>, usize),
    environment: &EnvironmentState<'_>,
) -> (f64, SpatialForce) {
    let Hub {
        axis,
        w,
        spin: [n, rate],
        deck,
        ..
    } = *hub;
    // the reaction of a right-handed rotor turns the body left-handed
    let s = -thruster.hand;
    let gyroscopic_moment =
        (axis.scale(rate) + w.cross(axis).scale(n)).scale(-s * rotor.inertia_kg_m2); // (6)
    let scale =
        dry_fraction(thruster, axis, (link, lane), environment) * density / rotor.air_density_kg_m3;
    let v = hub.v + w.cross(thruster.p_LoT);
    let along = v.dot(axis);
    let across = v - axis.scale(along);
    let static_thrust = rotor.thrust_n_s2_per_rad2 * n * n.abs();
    let free_thrust = static_thrust - rotor.inflow_loss_n_s2_per_rad_m * n.abs() * along;
    let ground_factor = if rotor.ground_effect {
        ground_effect(thruster, rotor, (n, deck), v, (link, lane), environment)
    } else {
        1.0
    };
    let thrust = scale * ground_factor * free_thrust;
    let f = axis.scale(thrust) - across.scale(scale * rotor.drag_n_s2_per_rad_m * n.abs());
    let mut F = SpatialForce::at_point(f, thruster.p_LoT);
    F.m += axis.scale(scale * thruster.reaction() * static_thrust) + gyroscopic_moment; // (2)
    F.m -= across.scale(scale * s * rotor.rolling_n_s2_per_rad * n.abs());
    (thrust, F)
}

/// Returns the fraction of the disc above the water, linear over its height, which is at least a
/// tenth of its diameter.
fn dry_fraction<T: Real>(
    thruster: &Thruster,
    axis: Vec3,
    (link, lane): (&LinkWork<T>, usize),
    environment: &EnvironmentState<'_>,
) -> f64 {
    let p = link.p_WL.lane(lane) + link.R_WL.lane(lane).mul_vec(thruster.p_LoT);
    let radius = thruster.radius();
    if environment.sea.density <= 0.0 {
        return 1.0;
    }
    let s = link.R_WL.r[2].lane(lane).dot(axis);
    let half = radius * (1.0 - s * s).max(0.01).sqrt();
    (0.5 + environment.approximate_height_above_surface(p, radius) / (2.0 * half)).clamp(0.0, 1.0)
}

/// Returns the ground effect factor κ by (5).
fn ground_effect<T: Real>(
    thruster: &Thruster,
    rotor: &Rotor,
    (n, deck): (f64, Deck),
    v: Vec3,
    (link, lane): (&LinkWork<T>, usize),
    environment: &EnvironmentState<'_>,
) -> f64 {
    let p = link.p_WL.lane(lane) + link.R_WL.lane(lane).mul_vec(thruster.p_LoT);
    let R = thruster.radius();
    let height_above_ground = p.z - environment.sea.seabed.height(p.x, p.y);
    // beyond ten radii the effect is below a thousandth
    let height_above_water = if environment.sea.density > 0.0 {
        environment.approximate_height_above_surface(p, 10.0 * R)
    } else {
        f64::INFINITY
    };
    let z = height_above_ground.min(height_above_water);
    let induced2 =
        rotor.thrust_n_s2_per_rad2 * n * n / (2.0 * rotor.air_density_kg_m3 * PI * R * R);
    if induced2 <= 0.0 {
        return 1.0;
    }
    let correction_at_height = |z: f64| {
        let ratio = R / (4.0 * z.max(0.5 * R));
        ratio * ratio
    };
    let mut correction = correction_at_height(z);
    if deck.disc_fraction > 0.0 {
        correction +=
            deck.disc_fraction * (correction_at_height(z.min(p.z - deck.height)) - correction); // (7)
    }
    1.0 / (1.0 - correction / (1.0 + v.dot(v) / induced2))
}
