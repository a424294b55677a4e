//! The rays that join two points.
//!
//! # Law
//! A fan of rays, even in the tangent of their angle, is sent from the source; where the depth at the receiver's range passes the receiver's between two neighbours,
//! or turns back before it does, Newton's method within the bracket finds the ray that hits.
//!
//! ```text
//!   z(R; tan θ₀) = z_receiver,   dz/d(tan θ₀) = ± (q/cos θ) cos² θ₀      (1)
//! ```
//!
//! # Symbols
//! z(R) depth of a ray at the range R · θ₀ its angle at the source · q width of its tube (`ray.rs`).
//!
//! # Frames
//! As in `ray.rs`.
//!
//! # Limits
//! Of rays that lie closer together than the fan some may be missed; the fan has `FAN` rays for each depth of water that a straight ray climbs. Where the
//! bottom is uneven, the one midway counts; it is never taken as higher than either end.
//!
//! # Checked by
//! test/analytic/sound.rs; V67

use crate::sound::Waveguide;
use crate::sound::ray::{Ray, trace};
use merrow_math::Vec3;
use merrow_model::scene::Sea;

/// Rays for each depth of water that a straight ray climbs.
const FAN: f64 = 64.0;
/// Most rays of a fan.
const MOST: f64 = 40_000.0;
/// How near to the receiver a ray must come [m].
const NEAR: f64 = 1e-4;

/// A ray that was tried.
#[derive(Clone, Copy)]
struct Tried {
    steepness: f64,
    /// How far under the receiver it passes [m], and the rate with the steepness.
    miss: f64,
    rate: f64,
    ray: Ray,
}

struct Target<'a> {
    guide: &'a Waveguide,
    from: f64,
    to: f64,
    range: f64,
    reflections: u32,
}

impl Target<'_> {
    fn try_at(&self, steepness: f64) -> Option<Tried> {
        let ray = trace(
            self.guide,
            self.from,
            steepness,
            self.range,
            self.reflections,
            |_| (),
        )?;
        let rate = ray.depth_by_launch() / (1.0 + steepness * steepness); // (1)
        Some(Tried {
            steepness,
            miss: ray.depth - self.to,
            rate,
            ray,
        })
    }

    /// The ray between two that pass on either side.
    fn hit(&self, mut a: Tried, mut b: Tried) -> Option<Ray> {
        let mut best = if a.miss.abs() < b.miss.abs() { a } else { b };
        for round in 0..200 {
            if best.miss == 0.0 {
                break;
            }
            let newton = best.steepness - best.miss / best.rate;
            let inside = (newton - a.steepness) * (newton - b.steepness) < 0.0;
            // every third round halves the bracket, whatever Newton says
            let x = if inside && round % 3 < 2 {
                newton
            } else {
                0.5 * (a.steepness + b.steepness)
            };
            if x == a.steepness || x == b.steepness {
                break;
            }
            let now = self.try_at(x)?;
            if now.miss.abs() < best.miss.abs() {
                best = now;
            }
            if (now.miss < 0.0) == (a.miss < 0.0) {
                a = now
            } else {
                b = now
            }
        }
        // between a ray that turns and one that passes there may be none
        (best.miss.abs() <= NEAR).then_some(best.ray)
    }

    /// Between two rays on one side that both come nearer inwards: one on the other side, if there is.
    fn beyond(&self, mut a: Tried, mut b: Tried) -> Option<Tried> {
        let side = a.miss < 0.0;
        for _ in 0..60 {
            let middle = self.try_at(0.5 * (a.steepness + b.steepness))?;
            if (middle.miss < 0.0) != side {
                return Some(middle);
            }
            if middle.miss * middle.rate < 0.0 {
                a = middle
            } else {
                b = middle
            }
        }
        None
    }
}

/// All rays from the depth `from` to the depth `to` [m] at `range` [m] with at most `reflections`, the first to arrive first.
pub fn eigenrays(guide: &Waveguide, from: f64, to: f64, range: f64, reflections: u32) -> Vec<Ray> {
    let mut found = Vec::new();
    let deep = guide.bottom() - guide.surface();
    let in_water = |z: f64| (guide.surface()..=guide.bottom()).contains(&z);
    if !in_water(from) || !in_water(to) || !range.is_finite() || range < 0.0 {
        return found;
    }
    // straight under the receiver every ray is upright: a millionth of the depth aside is as good
    let range = range.max(1e-6 * deep);
    // the steepest that water can turn back, and what reflections add
    let w = guide.speed(from) / guide.fastest();
    let turned = (1.0 - w * w).max(0.0).sqrt() / w;
    let one = deep / range;
    let steepest = turned + (f64::from(reflections) + 1.0) * one;
    let n = (steepest / one * FAN).clamp(1.0, MOST) as i64;
    let target = Target {
        guide,
        from,
        to,
        range,
        reflections,
    };
    let mut before: Option<Tried> = None;
    for k in -n..=n {
        // off the middle: a level ray is a case of its own
        let now = target.try_at(steepest * (k as f64 + 0.37) / n as f64);
        if let (Some(a), Some(b)) = (before, now) {
            if (a.miss < 0.0) != (b.miss < 0.0) {
                found.extend(target.hit(a, b));
            } else if a.miss * a.rate < 0.0
                && b.miss * b.rate > 0.0
                && let Some(middle) = target.beyond(a, b)
            {
                found.extend(target.hit(a, middle));
                found.extend(target.hit(middle, b));
            }
        }
        before = now;
    }
    found.sort_by(|a, b| a.time.total_cmp(&b.time));
    found
}

/// The rays between two places of the world [m] at `t` [s], the first to arrive first; none if either is not in the water.
pub fn between(
    sea: &Sea,
    gravity: f64,
    from: Vec3,
    to: Vec3,
    t: f64,
    reflections: u32,
) -> Vec<Ray> {
    let deepest = (-from.z).max(-to.z);
    let middle = (from + to).scale(0.5);
    let Some(guide) = Waveguide::about(sea, gravity, middle, t, deepest) else {
        return Vec::new();
    };
    let d = to - from;
    eigenrays(
        &guide,
        -from.z,
        -to.z,
        (d.x * d.x + d.y * d.y).sqrt(),
        reflections,
    )
}
