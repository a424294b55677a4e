//! Tracing of one acoustic ray through water whose speed of sound is piecewise linear in depth.
//!
//! # Law
//! Where the speed changes linearly with depth, a ray is an arc of a circle of radius 1/(ξ|g|) =
//! c₀/(|g| cos θ₀). For a piece that covers the height h in one vertical direction, with γ = ± g
//! the gradient along the ray:
//!
//! ```text
//!   ξ = cos θ / c                                      the same along the ray          (1)
//!   r = ξ h (c₁ + c₂)/(s₁ + s₂)                                                        (2)
//!   t = (h/c₁) L(γh/c₁) + (ξr/(1+s₂)) L(ξγr/(1+s₂)),   L(x) = ln(1+x)/x                (3)
//!   l = a K(ξγa),   a = h (c₁ + c₂)/((s₁c₂ + s₂c₁) (w₁w₂ + s₁s₂)),   K(x) = atan(x)/x  (4)
//!   dq/dl = c p,  dp/dl = -(∂²c/∂n²) q/c²;   q = 0, p = 1/c₀ at the source             (5)
//!   A = |q| σ / c₀,   σ = ∫ c dl = Σ r/ξ                                               (6)
//!   (1) [Jensen 2011, ch. 3]
//!   (5) [Jensen 2011, ch. 3]
//! ```
//! (2) to (4) are the integrals of cot θ, 1/(c sin θ) and 1/sin θ over the depth. They are written
//! so that neither g → 0 nor a vertical ray divides by zero. (5) is integrated exactly: p is
//! constant within a layer. Where the gradient jumps, or where a ray is reflected (a jump from γ to
//! -γ),
//!
//! ```text
//!   Δp = -q (γ₂ - γ₁) ξ²/s                                                           (7)
//! ```
//! A ray turns where ξ c = 1.
//!
//! # Symbols
//! θ angle below the horizontal [rad], s = |sin θ|, w = cos θ · c speed of sound [m/s], g its
//! gradient with depth [1/s] · ξ Snell's invariant [s/m] · r, t, l horizontal range [m], time [s]
//! and length [m] of a piece · q width of the ray tube per radian of θ₀ [m], p its rate · A area of
//! the tube per solid angle at the source [m²].
//!
//! # Frames
//! Range from the source, depth positive down.
//!
//! # Limits
//! Valid for high frequencies: the speed changes little over a wavelength. Surface and seabed are
//! flat and horizontal, and the profile is the same at every range. At a caustic q passes through
//! zero and A with it; beyond it, the phase of the wave is shifted by a quarter of a cycle
//! (`caustics`). A ray along a sharp minimum of the profile is straight. A ray that grazes a kink
//! of the profile has no ray tube. Currents do not bend the ray. The caller applies reflection and
//! absorption losses.
//!
//! # Checked by
//! tests below; test/sensors/acoustic/sound.rs; V67

use crate::sound::Waveguide;

/// Maximum number of pieces of a ray. The limit ends rays that advance very slowly along a sharp
/// minimum of the profile.
const MAX_PIECES: usize = 1_000_000;

/// State of a ray at its end point.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Ray {
    /// Angle at the source, positive down [rad].
    pub launch: f64,
    /// Angle at the end point, positive down [rad].
    pub angle: f64,
    /// Horizontal distance from the source [m].
    pub range: f64,
    /// Depth of the end point [m].
    pub depth: f64,
    /// Travel time from the source [s].
    pub time: f64,
    /// Length of its path [m].
    pub length: f64,
    /// Snell's invariant, cos θ/c [s/m].
    pub snell: f64,
    /// Speed of sound at the source and at the end point [m/s].
    pub speeds: [f64; 2],
    /// Number of reflections at the surface.
    pub surface: u32,
    /// Number of reflections at the seabed.
    pub bottom: u32,
    /// Number of turning points from up to down.
    pub upper_turns: u32,
    /// Number of turning points from down to up.
    pub lower_turns: u32,
    /// Number of caustics passed.
    pub caustics: u32,
    /// Width of the ray tube per radian at the source, negative after an odd number of caustics
    /// [m].
    pub width: f64,
    /// Area of the ray tube per solid angle at the source [m²]. (6)
    pub area: f64,
}

impl Ray {
    /// Returns the ratio of the squared pressure 1 m from the source to the squared pressure at the
    /// end point, due to only spreading [m²].
    ///
    /// The value is the same in both directions.
    pub fn spreading(&self) -> f64 {
        self.area * self.speeds[0] / self.speeds[1]
    }

    /// Returns the total number of reflections at surface and seabed.
    pub fn reflections(&self) -> u32 {
        self.surface + self.bottom
    }

    /// Returns the derivative of the depth at this range with respect to the launch angle [m/rad].
    pub fn depth_by_launch(&self) -> f64 {
        let sign = if self.reflections().is_multiple_of(2) {
            1.0
        } else {
            -1.0
        };
        sign * self.width / merrow_math::real::sin_cos(self.angle).1
    }
}

/// Returns ln(1+x)/x, by series near zero.
fn log_ratio(x: f64) -> f64 {
    if x.abs() < 1e-5 {
        1.0 - x * (0.5 - x / 3.0)
    } else {
        libm::log1p(x) / x
    }
}

/// Returns atan(x)/x, by series near zero.
fn arc_ratio(x: f64) -> f64 {
    if x.abs() < 1e-3 {
        1.0 - x * x * (1.0 / 3.0 - 0.2 * x * x)
    } else {
        libm::atan(x) / x
    }
}

/// State of a ray during tracing.
struct RayTracer<'a> {
    guide: &'a Waveguide,
    ray: Ray,
    /// Index of the layer, which lies between the nodes k and k + 1.
    k: usize,
    down: bool,
    /// Speed of sound and |sin θ| at the current point.
    c: f64,
    s: f64,
    /// |sin θ|² at the source.
    s0_squared: f64,
    p: f64,
    sigma: f64,
    /// True if the ray follows a horizontal line along which it is not refracted.
    is_straight: bool,
}

/// A piece of an arc: height, speed and |sin θ| at its end, range.
struct Piece {
    h: f64,
    c: f64,
    s: f64,
    r: f64,
}

impl<'g> RayTracer<'g> {
    /// Starts a ray at `depth` [m] with the tangent `steepness` of its angle below the horizontal.
    #[inline]
    fn launch(guide: &'g Waveguide, depth: f64, steepness: f64) -> Self {
        let (c, root) = (guide.speed(depth), (1.0 + steepness * steepness).sqrt());
        let (w, s) = (1.0 / root, steepness.abs() / root);
        let launch = libm::atan(steepness);
        let last = guide.nodes.len() - 2;
        let below = guide
            .nodes
            .partition_point(|n| n[0] <= depth)
            .saturating_sub(1)
            .min(last);
        let above = guide
            .nodes
            .partition_point(|n| n[0] < depth)
            .saturating_sub(1)
            .min(last);
        let ray = Ray {
            launch,
            angle: launch,
            depth,
            snell: w / c,
            speeds: [c, c],
            ..Ray::default()
        };
        let mut tracer = RayTracer {
            guide,
            ray,
            k: below,
            down: true,
            c,
            s,
            s0_squared: s * s,
            p: 1.0 / c,
            sigma: 0.0,
            is_straight: false,
        };
        if steepness == 0.0 {
            // towards the slower water, unless it is slowest here
            tracer.down = tracer.speed_gradient(below) < 0.0 || tracer.speed_gradient(above) <= 0.0;
            tracer.is_straight =
                tracer.speed_gradient(below) >= 0.0 && tracer.speed_gradient(above) <= 0.0;
        } else {
            tracer.down = steepness > 0.0;
        }
        tracer.k = if tracer.down { below } else { above };
        tracer
    }
}

impl RayTracer<'_> {
    /// Returns the gradient of the speed of sound with depth in layer `k` [1/s].
    fn speed_gradient(&self, k: usize) -> f64 {
        let [a, b] = [self.guide.nodes[k], self.guide.nodes[k + 1]];
        (b[1] - a[1]) / (b[0] - a[0])
    }

    /// Returns the gradient of the speed of sound along the direction of the ray in layer `k`
    /// [1/s].
    fn gradient_along_ray(&self, k: usize) -> f64 {
        if self.is_straight {
            return 0.0;
        }
        if self.down {
            self.speed_gradient(k)
        } else {
            -self.speed_gradient(k)
        }
    }

    /// Returns sin² at the speed `c` from (1), computed relative to the source to avoid
    /// cancellation near the horizontal.
    fn sine_squared(&self, c: f64) -> f64 {
        let c0 = self.ray.speeds[0];
        self.s0_squared - self.ray.snell * self.ray.snell * (c - c0) * (c + c0)
    }

    /// Returns the piece up to the edge of the layer, or up to the turning point before it (true).
    fn next_piece(&self, gamma: f64) -> (Piece, bool) {
        let [z, c] = self.guide.nodes[if self.down { self.k + 1 } else { self.k }];
        let xi = self.ray.snell;
        let s_squared = self.sine_squared(c);
        if gamma > 0.0 && s_squared <= 0.0 {
            let h = self.s * self.s / ((1.0 + xi * self.c) * xi * gamma);
            let piece = Piece {
                h,
                c: 1.0 / xi,
                s: 0.0,
                r: xi * h * (self.c + 1.0 / xi) / self.s,
            };
            return (piece, true);
        }
        let (h, s) = (
            (z - self.ray.depth).abs(),
            if gamma == 0.0 {
                self.s
            } else {
                s_squared.max(0.0).sqrt()
            },
        );
        let c = if self.is_straight { self.c } else { c };
        let sum = self.s + s;
        let r = if sum > 0.0 {
            xi * h * (self.c + c) / sum
        } else {
            f64::INFINITY
        }; // (2)
        (Piece { h, c, s, r }, false)
    }

    /// Returns the part of a piece along the arc with the horizontal range `r`.
    fn partial_piece(&self, gamma: f64, r: f64) -> Piece {
        let xi = self.ray.snell;
        let w = xi * self.c;
        let s = (self.s - xi * gamma * r).max(0.0);
        let w2 = (w * w + xi * gamma * r * (self.s + s)).max(0.0).sqrt();
        let h = r * (self.s + s) / (w + w2);
        Piece {
            h,
            c: self.c + gamma * h,
            s,
            r,
        }
    }

    /// Advances along a piece. (3) to (6)
    fn advance(&mut self, gamma: f64, piece: &Piece) {
        let Piece { h, c, s, r } = *piece;
        let (xi, ray) = (self.ray.snell, &mut self.ray);
        let b = xi * r / (1.0 + s);
        ray.time += h / self.c * log_ratio(gamma * h / self.c) + b * log_ratio(gamma * b);
        let cosine_of_turn = xi * xi * self.c * c + self.s * s;
        let sine_of_sum = self.s * c + s * self.c;
        // a horizontal ray has a length equal to its range
        let a = if sine_of_sum > 0.0 {
            h * (self.c + c) / (sine_of_sum * cosine_of_turn)
        } else {
            r
        };
        ray.length += a * arc_ratio(xi * gamma * a);
        let weighted = if xi > 0.0 {
            r / xi
        } else {
            h * (self.c + c) / (self.s + s)
        };
        let width = ray.width + self.p * weighted;
        if ray.width * width < 0.0 {
            ray.caustics += 1;
        }
        self.sigma += weighted;
        (ray.width, ray.area) = (width, width.abs() * self.sigma / ray.speeds[0]);
        ray.range += r;
        ray.depth += if self.down { h } else { -h };
        (self.c, self.s) = (c, s);
        ray.speeds[1] = c;
        ray.angle = libm::atan2(if self.down { s } else { -s }, xi * c);
    }

    /// Applies (7) for a change of the gradient from `previous` to `next`.
    fn apply_gradient_jump(&mut self, previous: f64, next: f64) {
        self.p -= self.ray.width * (next - previous) * self.ray.snell * self.ray.snell
            / self.s.max(1e-12);
    }

    /// Crosses the edge of a layer, or reflects at surface or seabed.
    fn cross_layer_edge(&mut self, gamma: f64) {
        let edge = if self.down { self.k + 1 } else { self.k };
        self.ray.depth = self.guide.nodes[edge][0];
        if edge == 0 || edge + 1 == self.guide.nodes.len() {
            self.ray.surface += u32::from(edge == 0);
            self.ray.bottom += u32::from(edge > 0);
            self.down = !self.down;
            self.apply_gradient_jump(gamma, -gamma);
        } else {
            self.k = if self.down { edge } else { edge - 1 };
            self.apply_gradient_jump(gamma, self.gradient_along_ray(self.k));
        }
        self.ray.angle = -self.ray.angle.abs();
        if self.down {
            self.ray.angle = -self.ray.angle;
        }
    }
}

/// Traces a ray from `depth` [m] to the horizontal distance `range` [m].
///
/// `steepness` is the tangent of the launch angle below the horizontal. The function calls `visit`
/// at every layer edge, turning point and at the end. Returns `None` if the ray needs more than
/// `reflections` reflections, or does not start in the water.
pub fn trace(
    guide: &Waveguide,
    depth: f64,
    steepness: f64,
    range: f64,
    reflections: u32,
    mut visit: impl FnMut(&Ray),
) -> Option<Ray> {
    let in_water = (guide.surface()..=guide.bottom()).contains(&depth);
    if !in_water || !steepness.is_finite() || !range.is_finite() || range < 0.0 {
        return None;
    }
    let mut tracer = RayTracer::launch(guide, depth, steepness);
    visit(&tracer.ray);
    for _ in 0..MAX_PIECES {
        let gamma = tracer.gradient_along_ray(tracer.k);
        let (piece, turns_back) = tracer.next_piece(gamma);
        let remaining = range - tracer.ray.range;
        if piece.r >= remaining {
            tracer.advance(gamma, &tracer.partial_piece(gamma, remaining));
            tracer.ray.range = range;
            visit(&tracer.ray);
            return Some(tracer.ray);
        }
        tracer.advance(gamma, &piece);
        if turns_back {
            tracer.ray.lower_turns += u32::from(tracer.down);
            tracer.ray.upper_turns += u32::from(!tracer.down);
            tracer.down = !tracer.down;
        } else {
            tracer.cross_layer_edge(gamma);
            if tracer.ray.reflections() > reflections {
                return None;
            }
        }
        visit(&tracer.ray);
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    // straight rays (horizontal, steep, nearly vertical) in homogeneous water of one layer and of
    // two layers
    #[test]
    fn rays_are_straight_in_homogeneous_water() {
        for profile in [
            &[[0.0, 1500.0]][..],
            &[[0.0, 1500.0], [60.0, 1500.0], [90.0, 1500.0]],
        ] {
            let guide = Waveguide::new(profile, [0.0, 1000.0]).expect("water");
            for (steepness, range) in [(0.0, 700.0), (0.4, 800.0), (-0.02, 900.0), (1e5, 5e-3)] {
                let ray = trace(&guide, 50.0, steepness, range, 0, |_| ()).expect("a ray");
                let length = range * f64::sqrt(1.0 + steepness * steepness);
                assert!(
                    (ray.depth - 50.0 - steepness * range).abs() < 1e-9,
                    "{ray:?}"
                );
                assert!((ray.length / length - 1.0).abs() < 1e-12, "{ray:?}");
                assert!((ray.time * 1500.0 / length - 1.0).abs() < 1e-12, "{ray:?}");
                assert!((ray.area.sqrt() / length - 1.0).abs() < 1e-12, "{ray:?}");
            }
        }
    }

    #[test]
    fn invalid_launches_return_none() {
        let guide = Waveguide::new(&[[0.0, 1500.0]], [0.0, 100.0]).expect("water");
        let ray = |depth, steepness, range, max_reflections| {
            trace(&guide, depth, steepness, range, max_reflections, |_| ())
        };
        assert!(ray(101.0, 0.0, 10.0, 9).is_none() && ray(50.0, f64::NAN, 10.0, 9).is_none());
        assert!(ray(50.0, 0.0, -1.0, 9).is_none() && ray(50.0, 1.0, 1000.0, 3).is_none());
        // upwards at the surface: reflected at once
        assert_eq!(
            ray(0.0, -1.0, 10.0, 9).map(|r| (r.surface, r.depth > 9.9)),
            Some((1, true))
        );
    }
}
