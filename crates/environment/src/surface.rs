//! Where a straight line meets the surface of the water.
//!
//! # Law
//! ```text
//!   z(t) = η(x(t), y(t)),  t_{k+1} = t_k + |z - η|/(|d_z| + S d_h)          (1)
//! ```
//! Where the surface is nowhere steeper than S, (1) never steps over it. A change of sign, or a height under 0.1 mm, ends it; the place is then found by
//! bisection and false position in turn.
//!
//! # Symbols
//! t distance along the line [m] · d its direction, d_h the horizontal part · S five standard deviations of the slope, 3 at most.
//!
//! # Frames
//! World (ENU).
//!
//! # Limits
//! A crest that a line touches over less than a millimetre in height may be missed, and after 4000 steps of (1), along a line that grazes the waves for hundreds of metres,
//! nothing more is looked for.
//!
//! # Checked by
//! test/analytic/surface.rs

use crate::Instant;
use merrow_math::Vec3;

/// Heights taken for none [m].
const NEAR: f64 = 1e-4;
/// Most steps of (1).
const STEPS: usize = 4000;

/// Mean square slope of all waves that a wind [m/s] raises, the finest too [Cox and Munk 1954].
pub fn mean_square_slope(wind: f64) -> f64 {
    0.003 + 0.00512 * wind
}

/// Fresnel's reflectance, unpolarised, for light that comes at this cosine to the normal from the side with the lesser index, or the greater, to one whose refractive
/// index is `ratio` times as great; and the cosine on the other side, 0 where all is reflected.
pub fn fresnel(cosine: f64, ratio: f64) -> (f64, f64) {
    let beyond = (1.0 - (1.0 - cosine * cosine) / (ratio * ratio))
        .max(0.0)
        .sqrt();
    let s = (cosine - ratio * beyond) / (cosine + ratio * beyond);
    let p = (ratio * cosine - beyond) / (ratio * cosine + beyond);
    (0.5 * (s * s + p * p), beyond)
}

/// The surface at an instant, ready to be asked about many lines.
#[derive(Clone, Copy, Debug)]
pub struct Surface<'a> {
    at: &'a Instant<'a>,
    /// S.
    slope: f64,
    /// The surface lies within this of z = 0 [m].
    reach: f64,
}

impl<'a> Surface<'a> {
    /// The surface at `at`.
    pub fn new(at: &'a Instant<'a>) -> Self {
        let waves = at.waves;
        let slope = waves.map_or(0.0, |waves| (5.0 * waves.slope_std()).min(3.0));
        Self {
            at,
            slope,
            reach: waves.map_or(0.0, |waves| waves.reach()),
        }
    }

    /// True if a line from `p` along the unit vector `d` comes within the reach of the waves before `far` [m].
    pub fn is_near(&self, p: Vec3, d: Vec3, far: f64) -> bool {
        self.band(p.z, d.z, far).is_some()
    }

    /// Distance from `p` along the unit vector `d` to where the line first crosses the surface, from above or from below; none if
    /// it does not within `far` [m]. (1)
    pub fn crossing(&self, p: Vec3, d: Vec3, far: f64) -> Option<f64> {
        let [low, high] = self.band(p.z, d.z, far)?;
        if self.at.waves.is_none() {
            return (low > 0.0).then_some(low);
        }
        let horizontal = (d.x * d.x + d.y * d.y).sqrt();
        let pace = 1.0 / (d.z.abs() + self.slope * horizontal).max(1e-9);
        let over = |t: f64| self.at.above_surface(p + d.scale(t));
        let (mut t, mut h) = (low, over(low));
        // where it starts on the surface itself it is taken to have left it
        let mut side = if h.abs() < NEAR && low == 0.0 {
            0.0
        } else {
            h.signum()
        };
        for _ in 0..STEPS {
            if t >= high {
                return None;
            }
            let next = (t + (h.abs() * pace).max(0.5 * NEAR * pace)).min(high);
            let there = over(next);
            if side == 0.0 && there.abs() >= NEAR {
                side = there.signum();
            }
            if side != 0.0 && there * side <= 0.0 {
                return Some(between([t, next], [h, there], over));
            }
            (t, h) = (next, there);
        }
        None
    }

    /// The crossing near the distance `t` from `p` along the unit vector `d`, where the surface has the normal `n`, nearly; `t` if there is
    /// none near.
    pub fn refined(&self, p: Vec3, d: Vec3, t: f64, n: Vec3) -> f64 {
        if self.at.waves.is_none() {
            return t;
        }
        let rate = n.dot(d) / n.z;
        let mut best = t;
        for _ in 0..8 {
            let height = self.at.above_surface(p + d.scale(best));
            if height.abs() < 1e-7 {
                return best;
            }
            best -= height / rate;
            if !((best - t).abs() < 0.05 * t + 1.0 && best > 0.0) {
                break;
            }
        }
        t
    }

    /// Unit normal of the surface at (x, y), upwards.
    pub fn normal(&self, x: f64, y: f64) -> Vec3 {
        self.at.waves.map_or(Vec3::new(0.0, 0.0, 1.0), |waves| {
            waves.surface(x, y).normal()
        })
    }

    /// Distances between which a line can be within the surface's reach.
    fn band(&self, z: f64, dz: f64, far: f64) -> Option<[f64; 2]> {
        if dz.abs() < 1e-12 {
            return (z.abs() <= self.reach && self.reach > 0.0).then_some([0.0, far]);
        }
        let ends = [(-self.reach - z) / dz, (self.reach - z) / dz];
        let (low, high) = (ends[0].min(ends[1]).max(0.0), ends[0].max(ends[1]).min(far));
        (low <= high).then_some([low, high])
    }
}

/// The zero between two places at which heights have different signs.
fn between([mut a, mut b]: [f64; 2], [mut ha, mut hb]: [f64; 2], over: impl Fn(f64) -> f64) -> f64 {
    for k in 0..60 {
        if (b - a).abs() < 1e-9 * (1.0 + a.abs()) || ha == hb {
            break;
        }
        let part = if k % 3 == 2 {
            0.5
        } else {
            (ha / (ha - hb)).clamp(0.01, 0.99)
        };
        let t = a + part * (b - a);
        let h = over(t);
        if (h > 0.0) == (ha > 0.0) {
            (a, ha) = (t, h)
        } else {
            (b, hb) = (t, h)
        }
    }
    if ha == hb {
        a
    } else {
        a + (b - a) * (ha / (ha - hb)).clamp(0.0, 1.0)
    }
}
