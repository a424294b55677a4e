//! The seabed around a wreck: a slope with megaripples and ripples, and the scour and sand tail
//! caused by a wreck in a current.
//!
//! # Law
//! ```text
//!   z = z_0 + g·p + m(p) (H r(φ_1) + h r(φ_2)) - S e^{-(d/l_s)²} c(p) + T e^{-(u/l_u)² - (v/l_v)²}  (1)
//!   r(φ) = (sin φ + ¼ sin 2φ)/2,  φ = k·p + a f(p)                                                  (2)
//! ```
//! The crests (2) are steeper on one side, as formed by a current, and sinuous because their phase
//! varies. They occur in patches m. Around the wreck the seabed is scoured as around piers and
//! pipelines [Whitehouse 1998]: deepest at the ends, with a trench along the sides. Downstream of
//! the wreck, sand has accumulated in a tail.
//!
//! # Symbols
//! g slope · H, h heights of megaripples and ripples from trough to crest · k wave vector · f
//! relief (`relief.rs`) · m from 0 to 1 · d distance from the wreck's outline · S, T depth of the
//! scour, height of the tail · u, v distances along and across the tail · c larger at the ends of
//! the wreck.
//!
//! # Frames
//! World (ENU), z = 0 at mean sea level; the centre of the wreck at the origin.
//!
//! # Limits
//! The sizes are chosen to be typical of sandy shelves: megaripples of 8 m and 0.7 m, ripples of
//! 2.2 m and 0.12 m. The scour is not computed from a current.
//!
//! # Checked by
//! tests below; test/sensors/sensor_worlds.rs

use crate::sites::relief::Relief;
use crate::sites::wreck::{SIZE, Wreck};
use crate::smoothstep;
use merrow_math::real::sin_cos;
use merrow_math::{Vec3, rng};
use std::f64::consts::TAU;

/// Half the extent of the terrain along x and y [m].
pub const HALF_EXTENT: [f64; 2] = [120.0, 72.0];
/// Depth at the wreck without relief and scour [m].
pub const DEPTH: f64 = 19.0;
const SLOPE: [f64; 2] = [0.002, 0.02];
/// Megaripples: wavelength [m], height [m], direction of the wave vector, counter-clockwise from
/// east [deg].
const MEGARIPPLES: [f64; 3] = [8.0, 0.7, 10.0];
const RIPPLES: [f64; 3] = [2.2, 0.12, -25.0];
/// Amplitude of the phase variation [rad] and its wavelengths [m].
const PHASE_VARIATION: (f64, [f64; 2]) = (1.1, [35.0, 120.0]);
/// Wavelengths of the patches [m].
const PATCHES: [f64; 2] = [40.0, 110.0];
/// Depth and decay length of the scour [m].
const SCOUR: [f64; 2] = [0.7, 4.5];
/// Height of the tail, its length, its half width, and the distance of its crest from the centre of
/// the wreck [m].
const TAIL: [f64; 4] = [0.6, 22.0, 6.0, 14.0];

/// The seabed around a wreck.
#[derive(Clone, Debug)]
pub struct Sand {
    /// The wreck in the sand.
    pub wreck: Wreck,
    phase_variation: [Relief; 2],
    patches: Relief,
    fine: Relief,
}

impl Sand {
    /// Generates the seabed of `seed`, with its wreck.
    pub fn new(seed: u64) -> Self {
        let relief =
            |name: &str, lengths| Relief::new(&rng::Stream::new(seed, name), lengths, true);
        Self {
            wreck: Wreck::new(seed, -DEPTH),
            phase_variation: [
                relief("survey/crests/1", PHASE_VARIATION.1),
                relief("survey/crests/2", PHASE_VARIATION.1),
            ],
            patches: relief("survey/patches", PATCHES),
            fine: relief("survey/fine", [2.0, 15.0]),
        }
    }

    /// Returns the height of the seabed [m] at `p` [m] by (1).
    pub fn height(&self, p: [f64; 2]) -> f64 {
        let plane = -DEPTH + SLOPE[0] * p[0] + SLOPE[1] * p[1];
        let far = self.distance_from_wreck(p);
        // no crests in the wake of the wreck
        let patch = smoothstep(0.5 + 0.45 * self.patches.evaluate_on_plane(p))
            * smoothstep((far - 1.0) / 9.0);
        let large = MEGARIPPLES[1] * self.crests(p, MEGARIPPLES, 0);
        let small =
            RIPPLES[1] * self.crests(p, RIPPLES, 1) * (1.0 - 0.5 * patch) * smoothstep(far / 6.0);
        plane
            + patch * large
            + small
            + 0.012 * self.fine.evaluate_on_plane(p)
            + self.scour_and_tail(p, far)
    }

    /// Evaluates (2) for the ripples `k` (0 megaripples, 1 ripples).
    fn crests(&self, [x, y]: [f64; 2], [length, _, direction]: [f64; 3], k: usize) -> f64 {
        let (s, c) = sin_cos(direction.to_radians());
        // the fine ripples are displaced by the same distance
        let phase_variation = PHASE_VARIATION.0
            * self.phase_variation[k].evaluate_on_plane([x, y])
            * (MEGARIPPLES[0] / length).sqrt();
        let phase = TAU / length * (c * x + s * y) + phase_variation;
        0.5 * (sin_cos(phase).0 + 0.25 * sin_cos(2.0 * phase).0)
    }

    /// Returns the horizontal position along and across the ship [m].
    fn ship_coordinates(&self, [x, y]: [f64; 2]) -> [f64; 2] {
        let (s, c) = sin_cos(self.wreck.attitude[2].to_radians());
        let Vec3 { x: x0, y: y0, .. } = self.wreck.p;
        let (dx, dy) = (x - x0, y - y0);
        [c * dx + s * dy, c * dy - s * dx]
    }

    /// Returns the approximate horizontal distance from the wreck's outline, an ellipse [m]; 0
    /// inside.
    pub fn distance_from_wreck(&self, p: [f64; 2]) -> f64 {
        let [u, v] = self.ship_coordinates(p);
        let (a, b) = (0.5 * SIZE[0], 0.5 * SIZE[1]);
        let out = libm::hypot(u / a, v / b);
        if out <= 1.0 {
            0.0
        } else {
            libm::hypot(u, v) * (1.0 - 1.0 / out)
        }
    }

    /// Returns the height of scour and tail [m] at `p`, at the distance `far` [m] from the outline.
    fn scour_and_tail(&self, p: [f64; 2], far: f64) -> f64 {
        let [u, v] = self.ship_coordinates(p);
        let ends = 0.55 + 0.6 * smoothstep((u.abs() / (0.5 * SIZE[0]) - 0.5) / 0.6);
        let square = |x: f64| x * x;
        let scour = SCOUR[0] * ends * libm::exp(-square(far / SCOUR[1]));
        // the current flows to port
        let tail = TAIL[0]
            * libm::exp(-square((v - TAIL[3]) / TAIL[1]) - square(u / TAIL[2]))
            * smoothstep(v / 8.0);
        tail - scour
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // Every seed has a wreck in a scour over a rippled slope. Method: heights at random points for
    // ten seeds: the lowest point within 5 m of the outline is below the slope there by more than
    // half the scour; far from the wreck the heights vary as much as ripples and patches.
    // Tolerance: as stated.
    #[test]
    fn every_seed_has_scour_and_ripples() {
        for seed in 0..10 {
            let sand = Sand::new(seed);
            let relief = |p: [f64; 2]| sand.height(p) + DEPTH - SLOPE[0] * p[0] - SLOPE[1] * p[1];
            let mut deepest = 0.0_f64;
            let (mut lowest, mut highest) = (0.0_f64, 0.0_f64);
            for k in 0..4000 {
                let mut draw = rng::Stream::new(9, "places").draw(k);
                let p = [0, 1].map(|i| HALF_EXTENT[i] * (2.0 * draw.uniform() - 1.0));
                match sand.distance_from_wreck(p) {
                    far if far > 0.0 && far < 5.0 => deepest = deepest.min(relief(p)),
                    far if far > 40.0 => {
                        (lowest, highest) = (lowest.min(relief(p)), highest.max(relief(p)))
                    }
                    _ => {}
                }
            }
            assert!(deepest < -0.5 * SCOUR[0], "seed {seed}: {deepest}");
            assert!(
                highest - lowest > 0.4 && highest - lowest < 1.2,
                "seed {seed}: {lowest} to {highest}"
            );
        }
    }
}
