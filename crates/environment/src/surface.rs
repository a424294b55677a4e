//! Intersection of straight rays with the water surface, and Fresnel reflectance.
//!
//! # Law
//! ```text
//!   z(t) = η(x(t), y(t)),  t_{k+1} = t_k + |z - η|/(|d_z| + S d_h)          (1)
//! ```
//! If the surface is nowhere steeper than S, (1) never steps over it. The iteration ends at a
//! change of sign or at a height below 0.1 mm. The intersection is then refined by alternating
//! bisection and false position.
//!
//! # Symbols
//! t distance along the ray [m] · d its direction, d_h the horizontal part · S five standard
//! deviations of the slope, at most 3.
//!
//! # Frames
//! World (ENU).
//!
//! # Limits
//! A crest that a ray crosses over less than a millimetre in height may be missed. The search stops
//! after 4000 steps of (1), which can happen to rays that graze the waves for hundreds of metres.
//!
//! # Checked by
//! test/analytic/environment/surface.rs

use crate::EnvironmentState;
use merrow_math::Vec3;

/// Heights below this value count as zero [m].
const HEIGHT_TOLERANCE: f64 = 1e-4;
/// Maximum number of steps of (1).
const MAX_STEPS: usize = 4000;

/// Returns the mean square slope of all waves, including the shortest, raised by a `wind` [m/s]
/// [Cox and Munk 1954].
pub fn mean_square_slope(wind: f64) -> f64 {
    0.003 + 0.00512 * wind
}

/// Returns the unpolarised Fresnel reflectance at a plane interface, and the cosine of the
/// refraction angle.
///
/// `cosine` is the cosine of the angle of incidence [-]. `ratio` is the refractive index of the far
/// side divided by the index of the near side [-]; it may be greater or less than one. In total
/// reflection the returned cosine is 0.
pub fn fresnel_reflectance(cosine: f64, ratio: f64) -> (f64, f64) {
    let refracted_cosine = (1.0 - (1.0 - cosine * cosine) / (ratio * ratio))
        .max(0.0)
        .sqrt();
    let s = (cosine - ratio * refracted_cosine) / (cosine + ratio * refracted_cosine);
    let p = (ratio * cosine - refracted_cosine) / (ratio * cosine + refracted_cosine);
    (0.5 * (s * s + p * p), refracted_cosine)
}

/// Returns the first and last distance [m] up to `max_distance` [m] between the heights `limits`
/// [m] of a ray that starts at the height `z` [m] with the upward component `dz`, which is not
/// zero.
pub fn interval_between(limits: [f64; 2], z: f64, dz: f64, max_distance: f64) -> Option<[f64; 2]> {
    let [a, b] = limits.map(|limit| (limit - z) / dz);
    let (first, last) = (a.min(b).max(0.0), a.max(b).min(max_distance));
    (first <= last).then_some([first, last])
}

/// Water surface at one instant, prepared for many ray queries.
#[derive(Clone, Copy, Debug)]
pub struct Surface<'a> {
    environment: &'a EnvironmentState<'a>,
    /// Slope bound S of (1).
    max_slope: f64,
    /// The surface lies within this distance of z = 0 [m].
    max_height: f64,
}

impl<'a> Surface<'a> {
    /// Creates the surface of the environment `environment`.
    pub fn new(environment: &'a EnvironmentState<'a>) -> Self {
        let waves = environment.waves;
        let max_slope = waves.map_or(0.0, |waves| (5.0 * waves.slope_std()).min(3.0));
        Self {
            environment,
            max_slope,
            max_height: waves.map_or(0.0, |waves| waves.max_height()),
        }
    }

    /// Returns true if the ray from `p` [m] along the unit vector `d`, W, enters the height range
    /// of the waves within `max_distance` [m].
    pub fn is_near(&self, p: Vec3, d: Vec3, max_distance: f64) -> bool {
        self.height_range_interval(p.z, d.z, max_distance).is_some()
    }

    /// Returns the distance [m] to the first intersection of a ray with the surface, from above or
    /// from below, by (1).
    ///
    /// The ray starts at `p` [m] and runs along the unit vector `d`, W. Returns `None` if there is
    /// no intersection within `max_distance` [m].
    pub fn intersect_ray(&self, p: Vec3, d: Vec3, max_distance: f64) -> Option<f64> {
        let [low, high] = self.height_range_interval(p.z, d.z, max_distance)?;
        if self.environment.waves.is_none() {
            return (low > 0.0).then_some(low);
        }
        let horizontal = (d.x * d.x + d.y * d.y).sqrt();
        let step_per_height = 1.0 / (d.z.abs() + self.max_slope * horizontal).max(1e-9);
        let height_at = |t: f64| self.environment.height_above_surface(p + d.scale(t));
        let (mut t, mut h) = (low, height_at(low));
        // a ray that starts on the surface is taken to have left it
        let mut sign = if h.abs() < HEIGHT_TOLERANCE && low == 0.0 {
            0.0
        } else {
            h.signum()
        };
        for _ in 0..MAX_STEPS {
            if t >= high {
                return None;
            }
            let next = (t
                + (h.abs() * step_per_height).max(0.5 * HEIGHT_TOLERANCE * step_per_height))
            .min(high);
            let next_height = height_at(next);
            if sign == 0.0 && next_height.abs() >= HEIGHT_TOLERANCE {
                sign = next_height.signum();
            }
            if sign != 0.0 && next_height * sign <= 0.0 {
                return Some(refine_root([t, next], [h, next_height], height_at));
            }
            (t, h) = (next, next_height);
        }
        None
    }

    /// Refines the intersection near the distance `t` [m] along the ray from `p` [m] along the unit
    /// vector `d`, W.
    ///
    /// `n` is an approximate normal of the surface there. Returns `t` if there is no intersection
    /// nearby.
    pub fn refine_intersection(&self, p: Vec3, d: Vec3, t: f64, n: Vec3) -> f64 {
        if self.environment.waves.is_none() {
            return t;
        }
        let rate = n.dot(d) / n.z;
        let mut best = t;
        for _ in 0..8 {
            let height = self.environment.height_above_surface(p + d.scale(best));
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

    /// Returns the upward unit normal, W, of the surface at (x, y) [m].
    pub fn normal(&self, x: f64, y: f64) -> Vec3 {
        self.environment
            .waves
            .map_or(Vec3::new(0.0, 0.0, 1.0), |waves| {
                waves.surface(x, y).normal()
            })
    }

    /// Returns the interval of distances [m] in which a ray can be within the height range of the
    /// waves.
    fn height_range_interval(&self, z: f64, dz: f64, max_distance: f64) -> Option<[f64; 2]> {
        if dz.abs() < 1e-12 {
            return (z.abs() <= self.max_height && self.max_height > 0.0)
                .then_some([0.0, max_distance]);
        }
        interval_between([-self.max_height, self.max_height], z, dz, max_distance)
    }
}

/// Returns the root between the two abscissae `a` and `b`, at which the heights `ha` and `hb` have
/// different signs.
fn refine_root(
    [mut a, mut b]: [f64; 2],
    [mut ha, mut hb]: [f64; 2],
    height_at: impl Fn(f64) -> f64,
) -> f64 {
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
        let h = height_at(t);
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
