//! What grows on a quay and its piles: places, kinds and sizes by height.
//!
//! # Law
//! Places are drawn one after another and kept where nothing kept before is nearer than a least distance (dart throwing for a Poisson-disc pattern, [Cook 1986]) and where
//! the kind drawn lives at that height: weed and mussels from low water down to where daylight fails, barnacles between the tides, sponges and anemones below them.
//!
//! # Symbols
//! None.
//!
//! # Frames
//! World (ENU), z = 0 at mean sea level.
//!
//! # Limits
//! Colours, sizes and numbers are chosen by eye; growth does not bend in currents.
//!
//! # Checked by
//! tests below

use crate::sites::quay::{FACE, FOOT, PILE_RADIUS, piles};
use merrow_math::real::sin_cos;
use merrow_math::rng;
use std::f64::consts::TAU;

/// Places tried on the wall and on each pile, and the least distance there [m].
const WALL: (u64, f64) = (2600, 0.15);
const PILE: (u64, f64) = (330, 0.13);
/// Half the length of the wall that is covered, about where the ROV is [m].
const HALF_COVERED: f64 = 7.0;

/// Kinds of growth.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A clump of mussels.
    Mussels,
    /// Barnacles.
    Barnacles,
    /// A sponge.
    Sponge,
    /// A plumose anemone.
    Anemone,
    /// Brown weed.
    Weed,
    /// Green weed.
    Lettuce,
}

/// How a kind lives.
#[derive(Clone, Copy, Debug)]
pub struct Habit {
    /// The kind.
    pub kind: Kind,
    /// Heights between which it lives [m].
    pub zone: [f64; 2],
    /// Its share of what is drawn.
    pub share: f64,
    /// Its colour.
    pub color: [f64; 3],
    /// Least and greatest size across, and out [m].
    pub sizes: [[f64; 2]; 2],
}

/// All kinds.
pub const HABITS: [Habit; 6] = [
    Habit {
        kind: Kind::Mussels,
        zone: [-3.9, 0.0],
        share: 0.34,
        color: [0.075, 0.07, 0.095],
        sizes: [[0.10, 0.24], [0.10, 0.20]],
    },
    Habit {
        kind: Kind::Barnacles,
        zone: [-1.6, 0.7],
        share: 0.26,
        color: [0.60, 0.58, 0.50],
        sizes: [[0.07, 0.16], [0.05, 0.09]],
    },
    Habit {
        kind: Kind::Sponge,
        zone: [-6.6, -1.2],
        share: 0.12,
        color: [0.74, 0.30, 0.05],
        sizes: [[0.05, 0.13], [0.04, 0.10]],
    },
    Habit {
        kind: Kind::Anemone,
        zone: [-6.6, -1.5],
        share: 0.12,
        color: [0.85, 0.70, 0.62],
        sizes: [[0.03, 0.06], [0.06, 0.12]],
    },
    Habit {
        kind: Kind::Weed,
        zone: [-4.8, -0.4],
        share: 0.20,
        color: [0.24, 0.18, 0.04],
        sizes: [[0.25, 0.60], [0.25, 0.60]],
    },
    Habit {
        kind: Kind::Lettuce,
        zone: [-1.4, 0.2],
        share: 0.16,
        color: [0.22, 0.42, 0.08],
        sizes: [[0.12, 0.25], [0.12, 0.25]],
    },
];

/// Factors on the colours.
pub const SHADES: [f64; 2] = [0.8, 1.2];

/// Something that grows.
#[derive(Clone, Copy, Debug)]
pub struct Growth {
    /// What.
    pub kind: Kind,
    /// Where it holds [m].
    pub p: [f64; 3],
    /// Where out of the surface is, from east, counter-clockwise [deg].
    pub out: f64,
    /// Turn about that [deg].
    pub turn: f64,
    /// Size across and out [m], to a quarter of the kind's range, so that meshes are shared.
    pub size: [f64; 2],
    /// Which of the shades of [`SHADES`] it has.
    pub shade: usize,
    /// Which of the kind's meshes.
    pub form: usize,
}

/// What grows on the quay of `seed`.
pub fn on_quay(seed: u64) -> Vec<Growth> {
    let mut all = Vec::new();
    let on_wall = |u: f64, z: f64| ([FACE + 0.01, HALF_COVERED * (2.0 * u - 1.0), z], 180.0);
    scatter(
        &rng::Stream::new(seed, "quay/growth/wall"),
        WALL,
        on_wall,
        &mut all,
    );
    for (k, [x, y]) in piles().enumerate() {
        let on_pile = |u: f64, z: f64| {
            let (s, c) = sin_cos(TAU * u);
            ([x + PILE_RADIUS * c, y + PILE_RADIUS * s, z], 360.0 * u)
        };
        scatter(
            &rng::Stream::new(seed, &format!("quay/growth/pile_{k}")),
            PILE,
            on_pile,
            &mut all,
        );
    }
    all
}

/// Darts over a surface, whose place and outward direction `at` says for a part of its breadth and a height.
fn scatter(
    stream: &rng::Stream,
    (darts, apart): (u64, f64),
    at: impl Fn(f64, f64) -> ([f64; 3], f64),
    all: &mut Vec<Growth>,
) {
    let first = all.len();
    for k in 0..darts {
        let mut draw = stream.draw(k);
        let (p, out) = at(draw.uniform(), 0.8 + (FOOT - 0.8) * draw.uniform());
        let mut share = draw.uniform() * HABITS.iter().map(|habit| habit.share).sum::<f64>();
        let drawn = HABITS.iter().find(|habit| {
            share -= habit.share;
            share <= 0.0
        });
        let Some(Habit {
            kind,
            zone: [low, high],
            sizes,
            ..
        }) = drawn
        else {
            continue;
        };
        // it thins out towards the edges of its zone
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
            out,
            turn: 360.0 * draw.uniform(),
            size: sizes.map(|[least, most]| least + (most - least) * step),
            shade: (2.0 * draw.uniform()) as usize,
            form: (2.0 * draw.uniform()) as usize,
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // Goal: everything holds on to something, at a height where it lives. Method: all growth of a seed. Tolerance: the centimetre by which it sits in the wall.
    #[test]
    fn growth_holds_where_it_lives() {
        for g in on_quay(1) {
            let zone = HABITS
                .iter()
                .find(|habit| habit.kind == g.kind)
                .unwrap()
                .zone;
            assert!((zone[0]..=zone[1]).contains(&g.p[2]), "{g:?}");
            let on_wall = (g.p[0] - FACE).abs() < 0.011;
            let on_pile = piles()
                .any(|[x, y]| (libm::hypot(g.p[0] - x, g.p[1] - y) - PILE_RADIUS).abs() < 1e-9);
            assert!(on_wall || on_pile, "{g:?}");
        }
    }
}
