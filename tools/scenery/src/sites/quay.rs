//! A quay of concrete blocks with jetty, ladder and fenders, and the mud in front of it.
//!
//! # Law
//! ```text
//!   z = z_0 - s (x_q - x) + h_m e^{-(x_q - x)/l_m} - Σ h_s e^{-(r/l_s)²} + h_u f(x, y)  (1)
//! ```
//! The mud slopes down away from the quay (s). It is heaped at the foot of the quay (h_m), where
//! fallen material collects, and scoured around every pile (h_s). Blocks lie in courses, each
//! offset by half a block from the course below. Each block protrudes by a slightly different
//! distance and has its own shade. The colours of blocks and piles depend on the height above mean
//! sea level, by the zones of a rocky shore [Stephenson 1949]: bare and black above the tide, green
//! and barnacles within it, brown weed below, silt and sparse animals at the foot.
//!
//! # Symbols
//! x_q the quay's face · z_0 the mud's height there · l_m, l_s decay lengths of heap and scour · r
//! distance from a pile · f relief (`relief.rs`).
//!
//! # Frames
//! World (ENU), z = 0 at mean sea level. The quay's face points west, x = x_q.
//!
//! # Limits
//! The sizes are chosen to be typical of small old harbours. Colours are chosen by eye.
//!
//! # Checked by
//! tests below; test/sensors/sensor_worlds.rs

use crate::sites::growth;
use crate::sites::growth::Growth;
use crate::sites::relief::Relief;
use merrow_math::rng;

/// Easting of the face of the quay [m].
pub const FACE: f64 = 6.0;
/// Half the length of the quay [m].
pub const HALF_LENGTH: f64 = 22.4;
/// Height of the mud at the face without its heap [m].
pub const FOOT: f64 = -7.0;
/// Top of the coping [m].
pub const TOP: f64 = 2.4;
/// Half the extent of the terrain along x and y [m].
pub const HALF_EXTENT: [f64; 2] = [30.0, 30.0];
/// Length, height and depth of a block [m].
pub const BLOCK: [f64; 3] = [1.6, 0.7, 1.2];
/// Gap between blocks [m].
const JOINT: f64 = 0.05;
/// Slope of the mud (1).
const SLOPE: f64 = 0.03;
/// Height and decay length of the heap at the foot [m].
const HEAP: [f64; 2] = [0.45, 1.6];
/// Depth and radius of the scour around a pile [m].
const SCOUR: [f64; 2] = [0.22, 0.9];
/// Standard deviation of the relief of the mud [m].
const UNEVEN: f64 = 0.035;
const UNEVEN_LENGTHS: [f64; 2] = [1.2, 9.0];
/// Radius of a pile [m].
pub const PILE_RADIUS: f64 = 0.2;
/// Eastings of the piles of the jetty, from the quay outwards, and northings of its two rows [m].
pub const PILES: ([f64; 4], [f64; 2]) = ([3.6, 0.6, -2.4, -5.4], [5.0, 8.2]);
/// Northing of the ladder and height of its lowest rung [m]. The distance between rungs is similar
/// to ISO 14122-4.
pub const LADDER: [f64; 2] = [-2.2, -3.5];
/// Northings of the fenders [m].
pub const FENDERS: [f64; 4] = [-14.0, -7.6, 1.6, 13.5];

/// A block of the quay wall.
#[derive(Clone, Copy, Debug)]
pub struct Block {
    /// Centre of the block [m], W.
    pub p: [f64; 3],
    /// Size along x, y, z [m].
    pub size: [f64; 3],
    /// Colour, linear reflectance 0..1.
    pub color: [f64; 3],
}

/// An object on the seabed.
#[derive(Clone, Copy, Debug)]
pub struct Debris {
    /// Kind of the object.
    pub kind: DebrisKind,
    /// Centre of the object [m], W.
    pub p: [f64; 3],
    /// Roll, pitch and yaw [deg].
    pub attitude: [f64; 3],
    /// Scale factor of the object.
    pub scale: f64,
}

/// Kinds of objects on the seabed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DebrisKind {
    /// A stone as a lump.
    Rock,
    /// A car tyre on the seabed.
    Tyre,
    /// A drum of 200 l.
    Drum,
    /// A concrete block on the seabed.
    Cinder,
    /// A glass bottle on the seabed.
    Bottle,
    /// A wooden beam on the seabed.
    Beam,
    /// A lobster pot on the seabed.
    Pot,
}

/// A quay with its growth and the debris in front of it.
#[derive(Clone, Debug)]
pub struct Quay {
    /// Seed of the generator.
    pub seed: u64,
    /// Relief of the mud.
    relief: Relief,
    /// Blocks, from the top course down and from south to north.
    pub blocks: Vec<Block>,
    /// Growth on blocks and piles.
    pub growth: Vec<Growth>,
    /// Objects on the seabed.
    pub debris: Vec<Debris>,
}

impl Quay {
    /// Generates the quay of `seed`.
    pub fn new(seed: u64) -> Self {
        let relief = Relief::new(&rng::Stream::new(seed, "quay/mud"), UNEVEN_LENGTHS, true);
        let mut quay = Self {
            seed,
            relief,
            blocks: blocks(seed),
            growth: growth::quay_growth(seed),
            debris: Vec::new(),
        };
        quay.debris = debris(&quay, seed);
        quay
    }

    /// Returns the height of the mud [m] at (x, y) [m] by (1).
    pub fn height(&self, [x, y]: [f64; 2]) -> f64 {
        let out = (FACE - x).max(0.0);
        let scour: f64 = pile_positions()
            .map(|[px, py]| {
                let r = ((x - px) * (x - px) + (y - py) * (y - py)) / (SCOUR[1] * SCOUR[1]);
                if r > 20.0 {
                    0.0
                } else {
                    SCOUR[0] * libm::exp(-r)
                }
            })
            .sum();
        FOOT - SLOPE * out + HEAP[0] * libm::exp(-out / HEAP[1]) - scour
            + UNEVEN * self.relief.evaluate_on_plane([x, y])
    }
}

/// Iterates over the positions of the piles [m].
pub fn pile_positions() -> impl Iterator<Item = [f64; 2]> {
    PILES
        .0
        .into_iter()
        .flat_map(|x| PILES.1.into_iter().map(move |y| [x, y]))
}

/// Returns the colour of a structure at height `z` [m]; `bare` is the colour of clean concrete or
/// wood.
pub fn zone_color(z: f64, bare: [f64; 3]) -> [f64; 3] {
    // upper edges of the zones, and their colours
    let zones: [(f64, [f64; 3]); 5] = [
        (-4.2, [0.27, 0.25, 0.18]),
        (-0.9, [0.17, 0.15, 0.07]),
        (0.1, [0.20, 0.26, 0.08]),
        (0.6, [0.44, 0.42, 0.33]),
        (1.2, [0.13, 0.13, 0.11]),
    ];
    zones
        .iter()
        .find(|(edge, _)| z < *edge)
        .map_or(bare, |(_, color)| *color)
}

/// Returns a colour multiplied by a factor, limited to 0.02..0.95.
pub fn shade(color: [f64; 3], factor: f64) -> [f64; 3] {
    color.map(|part| (part * factor).clamp(0.02, 0.95))
}

fn blocks(seed: u64) -> Vec<Block> {
    let stream = rng::Stream::new(seed, "quay/blocks");
    let mut blocks = Vec::new();
    let courses = ((TOP - 0.6 - (FOOT - 0.8)) / BLOCK[1]) as usize;
    let mut k = 0;
    for course in 0..=courses {
        let z = TOP - 0.6 - BLOCK[1] * (course as f64 + 0.5);
        let shift = if course % 2 == 0 { 0.0 } else { 0.5 * BLOCK[0] };
        let columns = (2.0 * HALF_LENGTH / BLOCK[0]).round() as usize;
        for column in 0..columns + course % 2 {
            let y = -HALF_LENGTH + BLOCK[0] * (column as f64 + 0.5) - shift;
            let (low, high) = (
                (y - 0.5 * BLOCK[0]).max(-HALF_LENGTH),
                (y + 0.5 * BLOCK[0]).min(HALF_LENGTH),
            );
            let mut draw = stream.draw(k);
            k += 1;
            let proud = 0.04 * draw.uniform();
            // the zone edges also vary from block to block
            let edge = 0.35 * (draw.uniform() - 0.5);
            let color = shade(
                zone_color(z + edge, [0.43, 0.41, 0.36]),
                0.78 + 0.44 * draw.uniform(),
            );
            let x = FACE + 0.5 * BLOCK[2] + 0.04 - proud;
            let size = [BLOCK[2], high - low - JOINT, BLOCK[1] - JOINT];
            blocks.push(Block {
                p: [x, 0.5 * (low + high), z],
                size,
                color,
            });
        }
    }
    blocks
}

fn debris(quay: &Quay, seed: u64) -> Vec<Debris> {
    use DebrisKind::{Beam, Bottle, Cinder, Drum, Pot, Rock, Tyre};
    let stream = rng::Stream::new(seed, "quay/debris");
    // kind, count, height of the centre above the mud [m], maximum tilt [deg], range of scale
    // factors
    let kinds: [(DebrisKind, usize, f64, f64, [f64; 2]); 7] = [
        (Tyre, 3, 0.04, 14.0, [0.95, 1.1]),
        (Drum, 1, 0.14, 8.0, [1.0, 1.0]),
        (Pot, 2, 0.24, 8.0, [1.0, 1.0]),
        (Beam, 2, 0.07, 5.0, [0.9, 1.4]),
        (Cinder, 6, 0.06, 18.0, [0.8, 1.2]),
        (Bottle, 7, 0.025, 12.0, [0.9, 1.1]),
        (Rock, 34, 0.03, 180.0, [0.06, 0.34]),
    ];
    let mut kept: Vec<Debris> = Vec::new();
    let mut attempt = 0;
    for (kind, n, out, tilt, sizes) in kinds {
        let mut found = 0;
        while found < n && attempt < 4000 {
            let mut draw = stream.draw(attempt);
            attempt += 1;
            // the density is higher near the foot of the quay
            let away = draw.uniform();
            let (x, y) = (
                FACE - 0.5 - 8.0 * away * away,
                (2.0 * draw.uniform() - 1.0) * 9.0,
            );
            let part = draw.uniform();
            let scale = sizes[0] + (sizes[1] - sizes[0]) * part * part;
            let apart = if kind == Rock { 0.3 } else { 0.8 };
            let near =
                |p: [f64; 3]| (p[0] - x) * (p[0] - x) + (p[1] - y) * (p[1] - y) < apart * apart;
            let mut taken = kept.iter().any(|d| near(d.p));
            taken |= pile_positions().any(|[px, py]| near([px, py, 0.0]));
            if taken {
                continue;
            }
            let mut turn = || tilt * (2.0 * draw.uniform() - 1.0);
            let (roll, pitch) = (turn(), turn());
            let attitude = [roll, pitch, 360.0 * draw.uniform()];
            let z = quay.height([x, y]) + if kind == Rock { 0.25 * scale } else { out };
            kept.push(Debris {
                kind,
                p: [x, y, z],
                attitude,
                scale,
            });
            found += 1;
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    // Every seed gives a complete quay. Method: ten seeds; all debris is placed and lies on the mud
    // in front of the quay; blocks cover the face from the mud to the coping. Tolerance: the gaps.
    #[test]
    fn every_seed_gives_a_complete_quay() {
        for seed in 0..10 {
            let quay = Quay::new(seed);
            assert_eq!(quay.debris.len(), 55, "seed {seed}");
            assert!(
                quay.debris
                    .iter()
                    .all(|d| d.p[0] < FACE && (d.p[2] - FOOT).abs() < 1.2)
            );
            let area: f64 = quay
                .blocks
                .iter()
                .map(|b| (b.size[1] + JOINT) * (b.size[2] + JOINT))
                .sum();
            let lowest = quay.blocks.iter().map(|b| b.p[2]).fold(0.0, f64::min) - 0.5 * BLOCK[1];
            assert!(lowest < quay.height([FACE, 0.0]) - 0.3);
            let face = 2.0 * HALF_LENGTH * (TOP - 0.6 - lowest);
            assert!((area / face - 1.0).abs() < 1e-9, "{area} of {face}");
            assert!(quay.growth.len() > 400, "{}", quay.growth.len());
        }
    }
}
