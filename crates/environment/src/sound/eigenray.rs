//! Search for the acoustic rays that connect two points (eigenrays).
//!
//! # Law
//! A fan of rays, uniform in the tangent of the launch angle, is traced from the source. Between
//! two neighbouring rays the depth at the range of the receiver can cross the depth of the
//! receiver, or approach it and turn back. In both cases Newton's method within the bracket
//! computes the ray that hits the receiver.
//!
//! ```text
//!   z(R; tan θ₀) = z_receiver,   dz/d(tan θ₀) = ± (q/cos θ) cos² θ₀      (1)
//! ```
//!
//! # Symbols
//! z(R) depth of a ray at the range R · θ₀ its angle at the source · q width of its tube
//! (`ray.rs`).
//!
//! # Frames
//! As in `ray.rs`.
//!
//! # Limits
//! Rays that are closer together than the fan may be missed. The fan has `RAYS_PER_DEPTH` rays per
//! water depth that a straight ray climbs. If the seabed is uneven, the depth at the midpoint is
//! used; it is never taken shallower than either end.
//!
//! # Checked by
//! test/sensors/acoustic/sound.rs; V67

use crate::EnvironmentState;
use crate::sound::Waveguide;
use crate::sound::ray::{Ray, trace};
use merrow_math::Vec3;
use std::cell::RefCell;

/// Number of fan rays per water depth that a straight ray climbs.
const RAYS_PER_DEPTH: f64 = 64.0;
/// Maximum number of rays of half a fan.
const MAX_RAYS: f64 = 40_000.0;
/// Maximum vertical distance between ray and receiver [m].
const MISS_TOLERANCE: f64 = 1e-4;

/// A traced ray with its miss distance.
#[derive(Clone, Copy)]
struct TracedRay {
    steepness: f64,
    /// Vertical distance at which the ray passes under the receiver [m], and its derivative with
    /// respect to `steepness`.
    miss: f64,
    rate: f64,
    ray: Ray,
}

struct Target<'a> {
    guide: &'a Waveguide,
    source_depth: f64,
    receiver_depth: f64,
    range: f64,
    reflections: u32,
}

impl Target<'_> {
    fn trace_at(&self, steepness: f64) -> Option<TracedRay> {
        let ray = trace(
            self.guide,
            self.source_depth,
            steepness,
            self.range,
            self.reflections,
            |_| (),
        )?;
        let rate = ray.depth_by_launch() / (1.0 + steepness * steepness); // (1)
        Some(TracedRay {
            steepness,
            miss: ray.depth - self.receiver_depth,
            rate,
            ray,
        })
    }

    /// Computes the ray that hits the receiver, between two rays that pass on opposite sides.
    fn solve_bracket(&self, mut a: TracedRay, mut b: TracedRay) -> Option<Ray> {
        let mut best = if a.miss.abs() < b.miss.abs() { a } else { b };
        for round in 0..200 {
            if best.miss == 0.0 {
                break;
            }
            let newton_step = best.steepness - best.miss / best.rate;
            let inside = (newton_step - a.steepness) * (newton_step - b.steepness) < 0.0;
            // every third iteration bisects the bracket, even if the Newton step is valid
            let x = if inside && round % 3 < 2 {
                newton_step
            } else {
                0.5 * (a.steepness + b.steepness)
            };
            if x == a.steepness || x == b.steepness {
                break;
            }
            let traced = self.trace_at(x)?;
            if traced.miss.abs() < best.miss.abs() {
                best = traced;
            }
            if (traced.miss < 0.0) == (a.miss < 0.0) {
                a = traced
            } else {
                b = traced
            }
        }
        // there may be no solution between a ray that turns back and one that passes
        (best.miss.abs() <= MISS_TOLERANCE).then_some(best.ray)
    }

    /// Searches for a ray on the other side between two rays on one side that both approach the
    /// receiver inwards.
    fn find_opposite_side(&self, mut a: TracedRay, mut b: TracedRay) -> Option<TracedRay> {
        let is_above = a.miss < 0.0;
        for _ in 0..60 {
            let midpoint = self.trace_at(0.5 * (a.steepness + b.steepness))?;
            if (midpoint.miss < 0.0) != is_above {
                return Some(midpoint);
            }
            if midpoint.miss * midpoint.rate < 0.0 {
                a = midpoint
            } else {
                b = midpoint
            }
        }
        None
    }
}

/// Returns all rays from `source_depth` [m] to `receiver_depth` [m] at `range` [m] with at most
/// `reflections` reflections, in order of arrival.
pub fn eigenrays(
    guide: &Waveguide,
    source_depth: f64,
    receiver_depth: f64,
    range: f64,
    reflections: u32,
) -> Vec<Ray> {
    let mut found = Vec::new();
    let depths = [source_depth, receiver_depth];
    visit_eigenrays(guide, depths, range, reflections, &mut |ray| {
        found.push(ray);
    });
    found.sort_by(|a, b| a.time.total_cmp(&b.time));
    found
}

/// Calls `found` with each ray between two depths [m] at `range` [m], in the order of their launch
/// angles.
fn visit_eigenrays(
    guide: &Waveguide,
    [source_depth, receiver_depth]: [f64; 2],
    range: f64,
    reflections: u32,
    found: &mut dyn FnMut(Ray),
) {
    let water_depth = guide.bottom() - guide.surface();
    let in_water = |z: f64| (guide.surface()..=guide.bottom()).contains(&z);
    if !in_water(source_depth) || !in_water(receiver_depth) || !range.is_finite() || range < 0.0 {
        return;
    }
    // every ray to a point straight below is vertical: an offset of a millionth of the depth is
    // equivalent
    let range = range.max(1e-6 * water_depth);
    // steepest ray that refraction can turn back, plus the steepness that reflections allow
    let w = guide.speed(source_depth) / guide.max_speed();
    let refraction_steepness = (1.0 - w * w).max(0.0).sqrt() / w;
    let straight_steepness = water_depth / range;
    let steepest = refraction_steepness + (f64::from(reflections) + 1.0) * straight_steepness;
    let n = (steepest / straight_steepness * RAYS_PER_DEPTH).clamp(1.0, MAX_RAYS) as i64;
    let target = Target {
        guide,
        source_depth,
        receiver_depth,
        range,
        reflections,
    };
    let mut previous: Option<TracedRay> = None;
    for k in -n..=n {
        // offset from zero, because a horizontal ray is a special case
        let traced = target.trace_at(steepest * (k as f64 + 0.37) / n as f64);
        if let (Some(a), Some(b)) = (previous, traced) {
            if (a.miss < 0.0) != (b.miss < 0.0) {
                target.solve_bracket(a, b).into_iter().for_each(&mut *found);
            } else if a.miss * a.rate < 0.0
                && b.miss * b.rate > 0.0
                && let Some(midpoint) = target.find_opposite_side(a, b)
            {
                let rays = [(a, midpoint), (midpoint, b)];
                let solved = rays.map(|(a, b)| target.solve_bracket(a, b));
                solved.into_iter().flatten().for_each(&mut *found);
            }
        }
        previous = traced;
    }
}

thread_local! {
    /// Water of the last search; its memory is used again.
    static GUIDE: RefCell<Waveguide> = RefCell::default();
}

/// Finds all rays between two positions `from` and `to` [m], W, and calls `found` with each of
/// them, in no particular order. Allocates no memory after the first calls.
///
/// There are no rays if either position is outside the water.
pub fn visit_eigenrays_between(
    environment: &EnvironmentState<'_>,
    [from, to]: [Vec3; 2],
    reflections: u32,
    found: &mut dyn FnMut(Ray),
) {
    let deepest = (-from.z).max(-to.z);
    let midpoint = (from + to).scale(0.5);
    let d = to - from;
    let range = (d.x * d.x + d.y * d.y).sqrt();
    GUIDE.with_borrow_mut(|guide| {
        if guide.set_water(environment, midpoint, deepest) {
            visit_eigenrays(guide, [-from.z, -to.z], range, reflections, found);
        }
    });
}
