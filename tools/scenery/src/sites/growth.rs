//! Marine growth on a quay and its piles: positions, kinds and sizes by height.
//!
//! # Law
//! Positions are drawn one after another. A position is kept if no earlier position is closer than
//! a minimum distance (dart throwing for a Poisson-disc pattern, [Cook 1986]) and if the drawn kind
//! lives at that height: weed and mussels from low water down to the limit of daylight, barnacles
//! between the tides, sponges and anemones below them.
//!
//! # Frames
//! World (ENU), z = 0 at mean sea level.
//!
//! # Limits
//! Colours, sizes and numbers are chosen by eye; growth does not bend in currents.
//!
//! # Checked by
//! tests below

use crate::sites::quay::{FACE, FOOT, PILE_RADIUS, pile_positions};
use merrow_math::real::sin_cos;
use merrow_math::rng;
use std::f64::consts::TAU;

/// Number of trial positions on the wall, and minimum distance there [m].
const WALL: (u64, f64) = (2600, 0.15);
const PILE: (u64, f64) = (330, 0.13);
/// Half the length of the part of the wall with growth, near the start of the ROV [m].
const HALF_COVERED: f64 = 7.0;

/// Kinds of marine growth.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A clump of mussels.
    Mussels,
    /// A clump of barnacles.
    Barnacles,
    /// A sponge as a single lump.
    Sponge,
    /// A plumose anemone on a quay wall.
    Anemone,
    /// A tuft of brown weed.
    Weed,
    /// A tuft of green weed.
    Lettuce,
}

/// Zone, frequency and appearance of a kind.
#[derive(Clone, Copy, Debug)]
pub struct GrowthKind {
    /// The kind of growth.
    pub kind: Kind,
    /// Height range of the kind [m].
    pub zone: [f64; 2],
    /// Relative frequency of the kind.
    pub share: f64,
    /// Colour of the kind, linear reflectance 0..1.
    pub color: [f64; 3],
    /// Minimum and maximum size across the surface, then outwards [m].
    pub sizes: [[f64; 2]; 2],
}

/// Properties of all kinds.
pub const GROWTH_KINDS: [GrowthKind; 6] = [
    GrowthKind {
        kind: Kind::Mussels,
        zone: [-3.9, 0.0],
        share: 0.34,
        color: [0.075, 0.07, 0.095],
        sizes: [[0.10, 0.24], [0.10, 0.20]],
    },
    GrowthKind {
        kind: Kind::Barnacles,
        zone: [-1.6, 0.7],
        share: 0.26,
        color: [0.60, 0.58, 0.50],
        sizes: [[0.07, 0.16], [0.05, 0.09]],
    },
    GrowthKind {
        kind: Kind::Sponge,
        zone: [-6.6, -1.2],
        share: 0.12,
        color: [0.74, 0.30, 0.05],
        sizes: [[0.05, 0.13], [0.04, 0.10]],
    },
    GrowthKind {
        kind: Kind::Anemone,
        zone: [-6.6, -1.5],
        share: 0.12,
        color: [0.85, 0.70, 0.62],
        sizes: [[0.03, 0.06], [0.06, 0.12]],
    },
    GrowthKind {
        kind: Kind::Weed,
        zone: [-4.8, -0.4],
        share: 0.20,
        color: [0.24, 0.18, 0.04],
        sizes: [[0.25, 0.60], [0.25, 0.60]],
    },
    GrowthKind {
        kind: Kind::Lettuce,
        zone: [-1.4, 0.2],
        share: 0.16,
        color: [0.22, 0.42, 0.08],
        sizes: [[0.12, 0.25], [0.12, 0.25]],
    },
];

/// Factors applied to the colours.
pub const SHADES: [f64; 2] = [0.8, 1.2];

/// One item of marine growth.
#[derive(Clone, Copy, Debug)]
pub struct Growth {
    /// Kind of the growth.
    pub kind: Kind,
    /// Point of attachment [m], W.
    pub p: [f64; 3],
    /// Outward direction of the surface, counter-clockwise from east [deg].
    pub outward_deg: f64,
    /// Rotation about the outward direction [deg].
    pub rotation_deg: f64,
    /// Size across and outwards [m], quantized to four steps of the kind's range, so that meshes
    /// are shared.
    pub size: [f64; 2],
    /// Index of the colour in [`SHADES`].
    pub shade: usize,
    /// Index of the mesh among the meshes of the kind.
    pub mesh: usize,
}

/// Generates the growth on the quay of `seed`.
pub fn quay_growth(seed: u64) -> Vec<Growth> {
    let mut all = Vec::new();
    let on_wall = |u: f64, z: f64| ([FACE + 0.01, HALF_COVERED * (2.0 * u - 1.0), z], 180.0);
    scatter_growth(
        &rng::Stream::new(seed, "quay/growth/wall"),
        WALL,
        on_wall,
        &mut all,
    );
    for (k, [x, y]) in pile_positions().enumerate() {
        let on_pile = |u: f64, z: f64| {
            let (s, c) = sin_cos(TAU * u);
            ([x + PILE_RADIUS * c, y + PILE_RADIUS * s, z], 360.0 * u)
        };
        scatter_growth(
            &rng::Stream::new(seed, &format!("quay/growth/pile_{k}")),
            PILE,
            on_pile,
            &mut all,
        );
    }
    all
}

/// Throws darts onto a surface. `at` returns the position [m] and the outward direction [deg] for a
/// fraction of the width and a height [m].
fn scatter_growth(
    stream: &rng::Stream,
    (darts, apart): (u64, f64),
    at: impl Fn(f64, f64) -> ([f64; 3], f64),
    all: &mut Vec<Growth>,
) {
    let first = all.len();
    for k in 0..darts {
        let mut draw = stream.draw(k);
        let (p, out) = at(draw.uniform(), 0.8 + (FOOT - 0.8) * draw.uniform());
        let mut share = draw.uniform() * GROWTH_KINDS.iter().map(|habit| habit.share).sum::<f64>();
        let drawn = GROWTH_KINDS.iter().find(|habit| {
            share -= habit.share;
            share <= 0.0
        });
        let Some(GrowthKind {
            kind,
            zone: [low, high],
            sizes,
            ..
        }) = drawn
        else {
            continue;
        };
        // the density decreases towards the edges of the zone
        let within = ((p[2] - low) / (high - low)).clamp(0.0, 1.0);
        let lives = 4.0 * within * (1.0 - within) > draw.uniform();
        let near = |g: &Growth| {
            (0..3)
                .map(|i| (g.p[i] - p[i]) * (g.p[i] - p[i]))
                .sum::<f64>()
                < apart * apart
        };
        if !lives || all[first..].iter().any(near) {
            continue;
        }
        let step = (4.0 * draw.uniform()).floor() / 3.0;
        all.push(Growth {
            kind: *kind,
            p,
            outward_deg: out,
            rotation_deg: 360.0 * draw.uniform(),
            size: sizes.map(|[smallest, largest]| smallest + (largest - smallest) * step),
            shade: (2.0 * draw.uniform()) as usize,
            mesh: (2.0 * draw.uniform()) as usize,
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // All growth is attached to a surface, at a height in its zone. Method: all growth of one seed.
    // Tolerance: the centimetre by which it is embedded in the wall.
    #[test]
    fn growth_is_attached_within_its_zone() {
        for g in quay_growth(1) {
            let zone = GROWTH_KINDS
                .iter()
                .find(|habit| habit.kind == g.kind)
                .unwrap()
                .zone;
            assert!((zone[0]..=zone[1]).contains(&g.p[2]), "{g:?}");
            let on_wall = (g.p[0] - FACE).abs() < 0.011;
            let on_pile = pile_positions()
                .any(|[x, y]| (libm::hypot(g.p[0] - x, g.p[1] - y) - PILE_RADIUS).abs() < 1e-9);
            assert!(on_wall || on_pile, "{g:?}");
        }
    }
}
