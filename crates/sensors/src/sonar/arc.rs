//! Refracted sound rays: circular arcs in the layers of a sound speed profile.
//!
//! # Law
//! ```text
//!   ξ = cos θ/c                     constant along the ray                        (1)
//!   dθ/ds = -ξ g,   R = 1/(ξ |g|)   an arc of a circle where g is constant        (2)
//!   t = ∫ ds/c                                                                    (3)
//!   L = √(8 R e)                    chord that is nowhere farther than e from it  (4)
//!   (1) [Jensen 2011, ch. 3]
//!   (2) [Jensen 2011, ch. 3]
//! ```
//! A ray is traced in sections. A section ends at the edge of a layer, or after the length (4) if
//! this is shorter. The intersection with shapes uses the chord; travel time and length are
//! computed for the arc. (3) is integrated with Gauss's three-point rule: if the speed changes by a
//! twentieth over a section, the relative error of the time is 1e-10.
//!
//! # Symbols
//! θ angle above the horizontal [rad] · c speed of sound [m/s], g its gradient with height [1/s] ·
//! s length of the arc, R its radius [m] · ξ Snell's invariant [s/m] · e sagitta [m].
//!
//! # Frames
//! World (ENU). A ray stays in its vertical plane.
//!
//! # Limits
//! - The profile is taken at the sonar, with horizontal layers.
//! - No section is shorter than a thousandth of the maximum range. A section that would be shorter
//!   crosses the edge of the layer by (1) only.
//! - Refracted rays have the geometric spreading of straight rays: no focusing and no caustics.
//! - The return path equals the outgoing path.
//!
//! # Checked by
//! The tests in this file; test/sensors/sonar/rays.rs

use merrow_environment::EnvironmentState;
use merrow_environment::sound::Waveguide;
use merrow_math::Vec3;
use merrow_math::real::sin_cos;

/// Maximum distance between a chord and its arc [m].
const SAGITTA: f64 = 0.01;
/// Minimum length of a section, as a fraction of the maximum range.
const MIN_SECTION_FRACTION: f64 = 1e-3;

/// Sound speed profile over height: linear between nodes, constant beyond them.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct SoundSpeedProfile {
    /// Height [m] and speed [m/s] of the nodes, in ascending order.
    nodes: Vec<[f64; 2]>,
}

/// Section of a ray within one layer.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct ArcSection {
    /// Direction at its start.
    d: Vec3,
    /// Unit vector normal to `d`, upwards, in the vertical plane of the ray.
    up: Vec3,
    /// Speed at its start [m/s] and gradient [1/s].
    c: f64,
    g: f64,
    /// Rate of turn dθ/ds [rad/m]. (2)
    rate: f64,
    /// Length along the arc [m].
    pub arc: f64,
}

impl SoundSpeedProfile {
    /// Computes the profile of the water around `p` [m], W, up to the distance `reach` [m]; `None`
    /// where there is no water.
    pub(crate) fn around(environment: &EnvironmentState<'_>, p: Vec3, reach: f64) -> Option<Self> {
        let guide = Waveguide::in_environment(environment, p, reach - p.z)?;
        let nodes = guide.nodes().iter().rev();
        Self::new(nodes.map(|[depth, speed]| [-depth, *speed]).collect())
    }

    /// Creates a profile from nodes of height [m] and speed [m/s], in ascending order; `None`
    /// without nodes.
    pub(crate) fn new(nodes: Vec<[f64; 2]>) -> Option<Self> {
        (!nodes.is_empty()).then_some(Self { nodes })
    }

    /// Returns the limits [m] of the layer that contains the height `z` [m], the speed [m/s] as a
    /// function of height, and the gradient [1/s].
    fn layer(&self, z: f64) -> ([f64; 2], impl Fn(f64) -> f64, f64) {
        let k = self.nodes.partition_point(|n| n[0] <= z);
        let ends = [
            if k == 0 {
                f64::NEG_INFINITY
            } else {
                self.nodes[k - 1][0]
            },
            self.nodes.get(k).map_or(f64::INFINITY, |n| n[0]),
        ];
        let (a, b) = (
            self.nodes[k.saturating_sub(1)],
            self.nodes[k.min(self.nodes.len() - 1)],
        );
        let g = if b[0] > a[0] {
            (b[1] - a[1]) / (b[0] - a[0])
        } else {
            0.0
        };
        (ends, move |z: f64| a[1] + g * (z - a[0]), g)
    }

    /// Returns the section across an edge or a thin layer: by (1) from speed to speed. A ray along
    /// a sharp minimum of the profile continues straight.
    fn section_across_edge(&self, z: f64, section: ArcSection) -> ArcSection {
        let ArcSection { d, c, arc, .. } = section;
        let rise = arc * d.z;
        if rise.abs() < 1e-9 {
            return ArcSection {
                g: 0.0,
                rate: 0.0,
                ..section
            };
        }
        let level = (d.x * d.x + d.y * d.y).sqrt();
        let speed_there = self.speed(z + rise);
        let level_there = level / c * speed_there;
        // Total reflection.
        let sine = (1.0 - level_there * level_there).max(0.0).sqrt();
        let sine = if level_there < 1.0 {
            sine * d.z.signum()
        } else {
            -d.z
        };
        let turn = libm::asin(sine.clamp(-1.0, 1.0)) - libm::asin(d.z.clamp(-1.0, 1.0));
        ArcSection {
            g: (speed_there - c) / rise,
            rate: turn / arc,
            ..section
        }
    }

    /// Returns the speed of sound at a height [m/s].
    fn speed(&self, z: f64) -> f64 {
        self.layer(z).1(z)
    }

    /// Computes the next section of a ray at the height `z` [m] with the direction `d` (unit
    /// vector, W). `remaining` is its remaining length and `length` its total length [m].
    pub(crate) fn next_section(
        &self,
        z: f64,
        d: Vec3,
        [remaining, length]: [f64; 2],
    ) -> ArcSection {
        let min_length = MIN_SECTION_FRACTION * length;
        // On an edge, the layer that the ray enters.
        let ([low, high], speed, g) = self.layer(z + 1e-9 * length * d.z);
        let (c, level) = (speed(z), (d.x * d.x + d.y * d.y).sqrt());
        if level < 1e-9 {
            let edge = if d.z > 0.0 { high - z } else { z - low };
            return ArcSection {
                d,
                up: Vec3::zero(),
                c,
                g,
                rate: 0.0,
                arc: edge.max(min_length).min(remaining),
            };
        }
        let rate = -level / c * g;
        let mut arc = remaining.min((8.0 * SAGITTA / rate.abs()).sqrt());
        let edge = if d.z > 0.0 { high } else { low };
        if edge.is_finite() {
            let level_there = level / c * speed(edge);
            arc = arc.min(if level_there < 1.0 {
                let rise = d.z.abs() + (1.0 - level_there * level_there).sqrt();
                2.0 * (edge - z).abs() / rise.max(1e-12)
            } else {
                // The ray turns before the edge and returns to this height.
                2.0 * d.z.abs() / rate.abs()
            });
        }
        let up = (Vec3::new(0.0, 0.0, 1.0) - d.scale(d.z)).scale(1.0 / level);
        let shortest = min_length.min(remaining);
        let section = ArcSection {
            d,
            up,
            c,
            g,
            rate,
            arc: arc.max(shortest),
        };
        if arc < shortest {
            self.section_across_edge(z, section)
        } else {
            section
        }
    }
}

impl ArcSection {
    /// Returns the direction after the arc length `s` [m] (unit vector, W).
    pub(crate) fn direction(&self, s: f64) -> Vec3 {
        let (sine, cosine) = sin_cos(self.rate * s);
        let d = self.d.scale(cosine) + self.up.scale(sine);
        d.scale(1.0 / d.norm())
    }

    /// Returns the chord of the first `s` [m] of the arc: unit vector in W and length [m].
    pub(crate) fn chord(&self, s: f64) -> (Vec3, f64) {
        let half = 0.5 * self.rate * s;
        // Series of sin x/x for small x.
        let ratio = if half.abs() < 1e-4 {
            1.0 - half * half / 6.0
        } else {
            sin_cos(half).0 / half
        };
        (self.direction(0.5 * s), s * ratio)
    }

    /// Computes the travel time over the first `s` [m] of the arc [s]. (3)
    pub(crate) fn time(&self, s: f64) -> f64 {
        let slowness = |part: f64| {
            let (d, length) = self.chord(part * s);
            1.0 / (self.c + self.g * d.z * length)
        };
        // Gauss nodes: 1/2, 1/2 ± √(3/20).
        s / 18.0
            * (5.0 * slowness(0.112_701_665_379_258_3)
                + 8.0 * slowness(0.5)
                + 5.0 * slowness(0.887_298_334_620_741_7))
    }

    /// Rotates `v` with the ray from the direction `from` to the direction `now`, in the vertical
    /// plane of the ray.
    pub(crate) fn rotate_with_ray(&self, from: Vec3, now: Vec3, v: Vec3) -> Vec3 {
        let level = (from.x * from.x + from.y * from.y).sqrt();
        if level < 1e-9 {
            return v;
        }
        let across = |d: Vec3| {
            (Vec3::new(0.0, 0.0, 1.0) - d.scale(d.z))
                .scale(1.0 / (1.0 - d.z * d.z).max(1e-18).sqrt())
        };
        let (a, b) = (v.dot(from), v.dot(across(from)));
        v + (now - from).scale(a) + (across(now) - across(from)).scale(b)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Traces a ray over a `length`: end point, direction, travel time and number of
    /// sections.
    fn trace_ray(
        layers: &SoundSpeedProfile,
        z: f64,
        angle: f64,
        length: f64,
    ) -> (Vec3, Vec3, f64, usize) {
        let (mut p, mut d) = (
            Vec3::new(0.0, 0.0, z),
            Vec3::new(angle.cos(), 0.0, angle.sin()),
        );
        let (mut remaining, mut time, mut n) = (length, 0.0, 0);
        while remaining > 1e-9 {
            let section = layers.next_section(p.z, d, [remaining, length]);
            let (chord, length) = section.chord(section.arc);
            (p, d) = (p + chord.scale(length), section.direction(section.arc));
            (remaining, time, n) = (
                remaining - section.arc,
                time + section.time(section.arc),
                n + 1,
            );
        }
        (p, d, time, n)
    }

    // Circle of radius c/(g cos θ) whose centre is at the height where c would be 0: exact
    // position, direction and time, including rays that turn.
    #[test]
    fn constant_gradient_rays_are_circles() {
        for (g, angle) in [
            (1.4, -1.0),
            (1.4, 0.3),
            (-0.9, 0.05),
            (-0.02, -0.4),
            (0.3, 1.57),
            (0.0, 0.2),
        ] {
            let layers = SoundSpeedProfile::new(vec![
                [-2000.0, 1500.0 - 1000.0 * g],
                [0.0, 1500.0 + 1000.0 * g],
            ])
            .unwrap();
            let (z, length) = (-1000.0, 300.0);
            let c: f64 = 1500.0;
            let (p, d, time, n) = trace_ray(&layers, z, angle, length);
            let rate = -angle.cos() / c * g;
            let end = angle + rate * length;
            let exact = if g == 0.0 {
                [length * angle.cos(), z + length * angle.sin(), length / c]
            } else {
                let r = 1.0 / rate;
                let inverse_gudermannian = |a: f64| a.sin().atanh();
                let t = (inverse_gudermannian(angle) - inverse_gudermannian(end)) / g;
                [
                    r * (end.sin() - angle.sin()),
                    z - r * (end.cos() - angle.cos()),
                    t,
                ]
            };
            assert!(
                (p.x - exact[0]).abs() < 1e-9 && (p.z - exact[1]).abs() < 1e-9,
                "{p:?} {exact:?}"
            );
            assert!((time / exact[2] - 1.0).abs() < 1e-9, "{time} {exact:?}");
            let snell = (d.x / (c + g * (p.z - z))) / (angle.cos() / c);
            assert!((snell - 1.0).abs() < 1e-9, "{snell}");
            // (4), rounded up to whole sections.
            let chord = (8.0 * SAGITTA / rate.abs()).sqrt();
            assert!(n as f64 <= (length / chord).ceil() + 1.0, "{n} sections");
        }
    }

    // Across edges: Snell's invariant from a fast layer through a kink into a slow one, and the
    // same ray as `merrow_environment::sound::ray`.
    #[test]
    fn layers_follow_snells_law() {
        use merrow_environment::sound::ray;
        let profile = [
            [0.0, 1530.0],
            [12.0, 1528.0],
            [15.0, 1490.0],
            [60.0, 1500.0],
        ];
        let guide = Waveguide::new(&profile, [0.0, 60.0]).unwrap();
        let layers =
            SoundSpeedProfile::new(profile.iter().rev().map(|[z, c]| [-z, *c]).collect()).unwrap();
        for degrees in [-80.0_f64, -45.0, -20.0, -8.0] {
            let angle = degrees.to_radians();
            let length = 0.9 * 58.0 / angle.sin().abs().max(0.35);
            let (p, d, time, _) = trace_ray(&layers, -2.0, angle, length);
            let exact = ray::trace(&guide, 2.0, (-angle).tan(), p.x, 0, |_| ()).unwrap();
            assert!(
                (p.z + exact.depth).abs() < 2e-3,
                "{degrees}: {} {}",
                p.z,
                exact.depth
            );
            assert!(
                (length - exact.length).abs() < 1e-3 && (time / exact.time - 1.0).abs() < 1e-5,
                "{degrees}"
            );
            assert!(
                (d.x / guide.speed(-p.z) / exact.snell - 1.0).abs() < 1e-5,
                "{degrees}"
            );
        }
    }

    // A thermocline of 2 mm refracts like the boundary of two waters. A horizontal ray along the
    // sharp minimum of a profile terminates and stays straight.
    #[test]
    fn thin_layers_refract_and_sharp_channels_terminate() {
        let layers = SoundSpeedProfile::new(vec![
            [-100.0, 1480.0],
            [-20.001, 1480.0],
            [-19.999, 1520.0],
            [0.0, 1520.0],
        ])
        .unwrap();
        for degrees in [-60.0_f64, -20.0, -5.0] {
            let angle = degrees.to_radians();
            let (p, d, _, n) = trace_ray(&layers, -10.0, angle, 10.0 / angle.sin().abs() + 20.0);
            let beyond = -(angle.cos() * 1480.0 / 1520.0).acos();
            assert!(
                (d.z.asin() - beyond).abs() < 2e-4 && n < 10,
                "{degrees}: {} {beyond} {n}",
                d.z.asin()
            );
            let exact = -20.0 + 20.0 * beyond.sin();
            assert!((p.z - exact).abs() < 0.1, "{degrees}: {p:?} {exact}");
        }
        let channel =
            SoundSpeedProfile::new(vec![[-100.0, 1520.0], [-50.0, 1480.0], [0.0, 1520.0]]).unwrap();
        let (p, _, time, n) = trace_ray(&channel, -50.0, 0.0, 100.0);
        assert!(
            p.z == -50.0 && (time - 100.0 / 1480.0).abs() < 1e-9 && n <= 1001,
            "{p:?} {time} {n}"
        );
        let (p, _, _, n) = trace_ray(&channel, -50.0, 1e-7, 100.0);
        assert!((p.z + 50.0).abs() < 1e-2 && n <= 2100, "{p:?} {n}");
    }

    #[test]
    fn transverse_vectors_rotate_with_ray() {
        let layers = SoundSpeedProfile::new(vec![[-100.0, 1400.0], [0.0, 1500.0]]).unwrap();
        let d = Vec3::new(0.6, 0.48, -0.64);
        let section = layers.next_section(-10.0, d, [30.0, 30.0]);
        let now = section.direction(section.arc);
        let side = Vec3::new(0.8, -0.36, 0.48).cross(d);
        let turned = section.rotate_with_ray(d, now, side);
        assert!(
            (turned.norm() - side.norm()).abs() < 1e-12
                && (turned.dot(now) - side.dot(d)).abs() < 1e-12
        );
        assert!((section.rotate_with_ray(d, now, d) - now).norm() < 1e-12);
    }
}
