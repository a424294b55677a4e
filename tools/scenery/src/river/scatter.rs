//! Generates the positions of trees and buoys from the seed.
//!
//! # Law
//! Positions are drawn one after another. A position is kept if no earlier position is closer than
//! a minimum distance (dart throwing for a Poisson-disc pattern, [Cook 1986]) and if the terrain
//! is suitable: trees on dry land near the river, buoys at the edges of the fairway.
//!
//! # Frames
//! World (ENU).
//!
//! # Limits
//! A tree is a rigid trunk and crown. The sizes of trees are chosen.
//!
//! # Checked by
//! tests below; test/analytic/vehicles/riverwatch.rs

use crate::river::HALF_EXTENT;
use crate::river::stream::RiverFlow;
use crate::river::valley::Valley;
use merrow_math::rng;

/// Maximum number of trees.
const MAX_TREES: usize = 60;
const TREE_SPACING: f64 = 9.0;
/// Minimum and maximum distance of trees from the water's edge [m].
const TREE_BANK_DISTANCE: [f64; 2] = [4.0, 60.0];
/// Minimum terrain height for trees [m].
const MIN_TREE_HEIGHT: f64 = 1.2;
/// Maximum number of buoys.
const MAX_BUOYS: usize = 8;
const BUOY_SPACING: f64 = 60.0;
/// Depth at the edge of the fairway [m].
const FAIRWAY: f64 = 1.6;
/// Ratio of mooring length to anchor depth; chosen as for small buoys in calm water.
const SCOPE: f64 = 2.0;
/// Number of trial positions.
const MAX_ATTEMPTS: u64 = 4000;

/// A tree with trunk and crown.
#[derive(Clone, Copy, Debug)]
pub struct Tree {
    /// Base of the trunk [m], W.
    pub p: [f64; 3],
    /// Height, radius of the trunk, radius of the crown [m].
    pub size: [f64; 3],
}

/// A moored buoy on the river.
#[derive(Clone, Copy, Debug)]
pub struct Buoy {
    /// Position of the anchor [m], W.
    pub anchor: [f64; 3],
    /// Length of the mooring [m].
    pub length: f64,
    /// Initial position of the buoy, downstream of its anchor (east, north) [m].
    pub start: [f64; 2],
}

/// Generates the trees of `seed`.
pub fn generate_trees(valley: &Valley, seed: u64) -> Vec<Tree> {
    let darts = rng::Stream::new(seed, "river/trees");
    let [nearest, farthest] = TREE_BANK_DISTANCE;
    let mut kept: Vec<Tree> = Vec::new();
    for k in 0..MAX_ATTEMPTS {
        let mut draw = darts.draw(k);
        let [x, y] = [0, 1].map(|i| (2.0 * draw.uniform() - 1.0) * (HALF_EXTENT[i] - 6.0));
        let foot = valley.course.to_course_coordinates([x, y]);
        let from_water = foot.n.abs() - valley.half_width(foot.s);
        let z = valley.height([x, y]);
        let suits = (nearest..=farthest).contains(&from_water) && z >= MIN_TREE_HEIGHT;
        if !suits
            || kept
                .iter()
                .any(|t| nearer([t.p[0], t.p[1]], [x, y], TREE_SPACING))
        {
            continue;
        }
        let height = 5.0 + 9.0 * draw.uniform();
        let slim = 0.8 + 0.4 * draw.uniform();
        // the trunk radius is a fiftieth and the crown radius a fifth of the height
        kept.push(Tree {
            p: [x, y, z],
            size: [height, 0.02 * slim * height, 0.2 * slim * height],
        });
        if kept.len() == MAX_TREES {
            break;
        }
    }
    kept
}

/// Generates the buoys of `seed`, sorted from upstream to downstream.
pub fn generate_buoys(valley: &Valley, stream: &RiverFlow, seed: u64) -> Vec<Buoy> {
    let darts = rng::Stream::new(seed, "river/buoys");
    let length = valley.course.nodes[valley.course.nodes.len() - 1].s;
    let mut kept: Vec<(f64, Buoy)> = Vec::new();
    for k in 0..MAX_ATTEMPTS {
        let mut draw = darts.draw(k);
        let s = length * draw.uniform();
        let side = if draw.uniform() < 0.5 { 1.0 } else { -1.0 };
        let curvature = valley.course.curvature(s);
        // the first point from the bank that is deep enough
        let b = valley.half_width(s);
        let mut n = (0..32).map(|k| side * b * (1.0 - f64::from(k) / 32.0));
        let Some(n) = n.find(|n| valley.bed_height(s, *n, curvature) < -FAIRWAY) else {
            continue;
        };
        let p = valley.course.to_position(s, n);
        let inside = (0..2).all(|i| p[i].abs() < HALF_EXTENT[i] - 30.0);
        if !inside
            || kept
                .iter()
                .any(|(_, b)| nearer([b.anchor[0], b.anchor[1]], p, BUOY_SPACING))
        {
            continue;
        }
        let z = valley.height(p);
        let length = (SCOPE * -z * 10.0).round() * 0.1;
        let [u, v] = stream.velocity(valley, p);
        let speed = (u * u + v * v).sqrt().max(1e-9);
        // close to the maximum distance that the mooring allows
        let away = 0.9 * (length * length - z * z).max(0.0).sqrt();
        let start = [p[0] + away * u / speed, p[1] + away * v / speed];
        kept.push((
            s,
            Buoy {
                anchor: [p[0], p[1], z],
                length,
                start,
            },
        ));
        if kept.len() == MAX_BUOYS {
            break;
        }
    }
    kept.sort_by(|a, b| a.0.total_cmp(&b.0));
    kept.into_iter().map(|(_, buoy)| buoy).collect()
}

fn nearer(a: [f64; 2], b: [f64; 2], than: f64) -> bool {
    (a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1]) < than * than
}

#[cfg(test)]
mod tests {
    use crate::river::River;

    // Many seeds give complete worlds, with trees on dry land at their minimum distance and buoys
    // in the water. Method: twenty seeds.
    #[test]
    fn trees_are_on_land_and_buoys_in_the_fairway() {
        for seed in 0..20 {
            let river = River::new(seed);
            assert_eq!(
                (river.trees.len(), river.buoys.len()),
                (super::MAX_TREES, super::MAX_BUOYS),
                "seed {seed}"
            );
            assert!(river.trees.iter().all(|t| t.p[2] >= super::MIN_TREE_HEIGHT));
            for (k, a) in river.trees.iter().enumerate() {
                let apart = |b: &super::Tree| libm::hypot(a.p[0] - b.p[0], a.p[1] - b.p[1]);
                assert!(
                    river.trees[..k]
                        .iter()
                        .all(|b| apart(b) >= super::TREE_SPACING)
                );
            }
            assert!(
                river
                    .buoys
                    .iter()
                    .all(|b| b.anchor[2] < -1.5 && river.valley.height(b.start) < -0.5)
            );
        }
    }
}
