//! Forces on the segments and nodes of a lumped line: tension, weight and buoyancy, drag, seabed
//! contact.
//!
//! # Law
//! ```text
//!   T = max(0, EA ε + C ε̇)  if ε > 0, else 0;   ε = |d|/l - 1            (1)  [Hall 2015, §2]
//!   T = EA ε + C ε̇  for a line with bending stiffness                    (1')
//!   F_weight = -(m g - s ρ A g) l ẑ                                       (2)
//!   F_drag   = ½ ρ d l s (C_n |u_n| u_n + π C_t |u_t| u_t)                (3)  [Hall 2015, §2]
//!   F_water  = ρ A l s (a + C_a a_n)                                      (4)  [Morison 1950]
//!   N = l (k δ - c w·n) ≥ 0,  F_bottom = N n - μ N w_t / max(|w_t|, v_c)  (5)
//!   M = m l 1 + s C_a ρ A l (1 - t tᵀ)                                    (6)
//! ```
//! Each function also returns the negative derivative of its force with respect to the velocity w
//! of the node, for a position that changes by w times the time `lead`. The implicit step uses this
//! derivative.
//!
//! # Symbols
//! d vector along a segment · l its unstretched length, or the line length assigned to a node · ε
//! strain · m mass per length · A displaced volume per length · s wet fraction · u velocity of the
//! water relative to the node, u_n across and u_t along the tangent t · a acceleration of the water
//! · δ depth below the seabed along its normal n · w_t velocity along the seabed · c critical
//! damping of k · v_c speed below which friction decreases to zero.
//!
//! # Frames
//! World.
//!
//! # Limits
//! No torsion, no air drag, no vortex-induced motion; coefficients do not depend on the Reynolds
//! number. The wet fraction of a node is computed for a horizontal piece of line. Friction creeps
//! below v_c = 1 mm/s.
//!
//! # Checked by
//! test/analytic/tethers/fixed_ends.rs, test/analytic/tethers/water.rs

use merrow_environment::EnvironmentState;
use merrow_math::{Mat3, Vec3};
use merrow_model::scene::{Line, Tether};

/// Speed below which friction on the seabed grows linearly [m/s].
const CREEP_SPEED: f64 = 1e-3;

/// A force, and its negative derivative with respect to velocity (positive semi-definite).
#[derive(Clone, Copy, Debug, Default)]
pub struct ForceWithDerivative {
    /// Force in W [N].
    pub f: Vec3,
    /// Negative derivative `-∂f/∂w` in W [N s/m].
    pub D: Mat3,
}

/// Returns the tension of one segment: force on its first node, and its derivative with respect to
/// the difference of the node velocities. (1), (1')
///
/// `rest_length` [m] and `rest_rate` [m/s] are the unstretched length and its rate, `d` [m] the
/// vector between the nodes, and `dw` [m/s] the difference of their velocities, W.
#[inline]
pub fn tension(
    line: &Line,
    rest_length: f64,
    rest_rate: f64,
    d: Vec3,
    dw: Vec3,
    lead: f64,
) -> ForceWithDerivative {
    let length = d.norm();
    let strain = length / rest_length - 1.0;
    let is_rope = line.bending_stiffness_nm2 == 0.0;
    if strain <= 0.0 && is_rope || length == 0.0 {
        return ForceWithDerivative::default();
    }
    let t = d.scale(1.0 / length);
    let strain_rate = (t.dot(dw) - (strain + 1.0) * rest_rate) / rest_length;
    let tension = line.axial_stiffness_n * strain + line.axial_damping_n_s * strain_rate;
    if tension <= 0.0 && is_rope {
        return ForceWithDerivative::default();
    }
    let along = (line.axial_stiffness_n * lead + line.axial_damping_n_s) / rest_length;
    // the destabilising term of a compressed segment is omitted, so that the tangent stays positive
    // semi-definite
    let across = tension.max(0.0) * lead / length;
    ForceWithDerivative {
        f: t.scale(tension),
        D: Mat3::axial(t, along, across),
    }
}

/// Line and water properties at a node, computed once per step.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct NodeEnvironment {
    /// Unstretched length of line assigned to the node [m].
    pub length: f64,
    /// Unit direction of the line at the node, W; zero if it is undefined.
    pub tangent: Vec3,
    /// Height of the water surface at the node's horizontal position at the start of the step, W
    /// [m].
    pub surface: f64,
    /// Wet fraction at the start of the step, 0..1.
    pub wet: f64,
    /// Velocity of the water, W [m/s].
    pub water: Vec3,
    /// Acceleration of the water, W [m/s²].
    pub acceleration: Vec3,
}

impl NodeEnvironment {
    /// Computes the surroundings of a node at `p` [m], W, with `length` [m] of line along the unit
    /// vector `tangent`.
    pub(crate) fn new(
        line: &Line,
        environment: &EnvironmentState<'_>,
        p: Vec3,
        tangent: Vec3,
        length: f64,
    ) -> Self {
        let surface = environment
            .waves
            .map_or(0.0, |waves| waves.elevation(p.x, p.y));
        let wet = wet_fraction(line, environment, p.z - surface);
        let (water, acceleration) = environment.water_motion(p);
        Self {
            length,
            tangent,
            surface,
            wet,
            water,
            acceleration,
        }
    }

    /// Returns the inertia along and across the line [kg], with the water `density` [kg/m³]. (6)
    pub(crate) fn mass(&self, line: &Line, density: f64) -> [f64; 2] {
        let m = line.mass_kg_per_m * self.length;
        [
            m,
            m + self.wet * line.added_mass * density * line.area() * self.length,
        ]
    }
}

/// Returns the submerged fraction of a horizontal piece of line `above` [m] the surface, with the
/// cross-section of a box.
fn wet_fraction(line: &Line, environment: &EnvironmentState<'_>, above: f64) -> f64 {
    if environment.sea.density > 0.0 {
        (0.5 - above / line.diameter_m).clamp(0.0, 1.0)
    } else {
        0.0
    }
}

/// Returns the force on a node by weight, buoyancy, drag, water acceleration and seabed. (2)-(5)
///
/// The node is at `p` [m] with velocity `w` [m/s], W, at the end of the time `lead` [s].
pub(crate) fn node_force(
    tether: &Tether,
    environment: &EnvironmentState<'_>,
    node: &NodeEnvironment,
    p: Vec3,
    w: Vec3,
    lead: f64,
) -> ForceWithDerivative {
    let line = &tether.line;
    let (rho, g, l) = (environment.sea.density, environment.gravity, node.length);
    let wet = wet_fraction(line, environment, p.z - node.surface);
    let displaced = wet * rho * line.area() * l;
    let mut f = Vec3::new(0.0, 0.0, displaced * g - line.mass_kg_per_m * l * g); // (2)
    let mut D = Mat3::zero();
    if wet > 0.0 {
        let t = node.tangent;
        let a = node.acceleration;
        let a_n = a - t.scale(t.dot(a));
        f += (a + a_n.scale(line.added_mass)).scale(displaced); // (4)
        let u = node.water - w;
        let u_t = t.scale(t.dot(u));
        let u_n = u - u_t;
        let (U_n, U_t) = (u_n.norm(), u_t.norm());
        let k = 0.5 * rho * line.diameter_m * l * wet;
        let (k_n, k_t) = (
            k * line.normal_drag,
            k * std::f64::consts::PI * line.tangential_drag,
        );
        f += u_n.scale(k_n * U_n) + u_t.scale(k_t * U_t); // (3)
        D = Mat3::axial(t, 2.0 * k_t * U_t, k_n * U_n);
        if U_n > 0.0 {
            D = D + Mat3::axial(u_n.scale(1.0 / U_n), k_n * U_n, 0.0);
        }
    }
    if wet > 0.0 && wet < 1.0 {
        // derivative of the wet fraction with respect to height
        D.r[2].z += rho * line.area() * l * g * lead / line.diameter_m;
    }
    if let Some(contact) = seabed_force(tether, environment, l, p, w, lead) {
        f += contact.f;
        D = D + contact.D;
    }
    ForceWithDerivative { f, D }
}

/// Returns the depth [m] of `p` below the seabed along its normal, and the unit normal, W.
pub(crate) fn depth_below_seabed(environment: &EnvironmentState<'_>, p: Vec3) -> (f64, Vec3) {
    let seabed = &environment.sea.seabed;
    let n = seabed.normal(p.x, p.y);
    ((seabed.height(p.x, p.y) - p.z) * n.z, n)
}

/// Returns the seabed contact force by (5).
fn seabed_force(
    tether: &Tether,
    environment: &EnvironmentState<'_>,
    l: f64,
    p: Vec3,
    w: Vec3,
    lead: f64,
) -> Option<ForceWithDerivative> {
    let (depth, n) = depth_below_seabed(environment, p);
    if depth <= 0.0 {
        return None;
    }
    let (line, k) = (&tether.line, tether.seabed_stiffness);
    let c = 2.0 * (k * line.mass_kg_per_m).sqrt();
    let w_n = w.dot(n);
    let N = l * (k * depth - c * w_n);
    if N <= 0.0 {
        return None;
    }
    let w_t = w - n.scale(w_n);
    let friction = line.seabed_friction * N / w_t.norm().max(CREEP_SPEED);
    Some(ForceWithDerivative {
        f: n.scale(N) - w_t.scale(friction),
        D: Mat3::axial(n, l * (k * lead + c), friction),
    })
}
