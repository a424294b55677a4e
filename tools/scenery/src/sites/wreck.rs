//! The wreck of a coaster: its procedural hull and its pose on the seabed.
//!
//! # Law
//! ```text
//!   y(x, z) = (B/2) p(x) q(x, z)                                                      (1)
//!   p(x) = 1 - (1 - b) |2x/L|^m    m = m_f forward, m_a aft                                   (2)
//!   q(x, z) = (z/D)^e(x),  e(x) = e_0 + e_1 |2x/L|³                                   (3)
//!   sheer(x) = h_s (2x/L)²                                                            (4)
//! ```
//! A waterline (2) is full over most of the length and pointed at the ends. Sections (3) are full
//! amidships (e small) and fine at the ends, like a fuller version of Wigley's hulls [Wigley 1942].
//! The deck is open over two deep holds. The broken house is aft; one mast stands, and one has
//! fallen over the side.
//!
//! # Symbols
//! x forward of amidships, z above the keel · L length, B breadth, D depth of the hull · m, e
//! exponents · b breadth of stem and stern relative to B.
//!
//! # Frames
//! S, the ship: x forward, y to port, z up, origin on the keel amidships. Its pose in the world is
//! position, list (roll), trim (pitch) and heading (yaw).
//!
//! # Limits
//! A generic ship as a sonar target, not a particular one.
//!
//! # Checked by
//! tests below; test/sensors/sensor_worlds.rs

use crate::sites::objects::Mesh;
use merrow_math::rng;
use merrow_math::{Mat3, Vec3};

/// Length, breadth and depth of the hull [m].
pub const SIZE: [f64; 3] = [34.0, 7.2, 4.2];
/// Exponents of the waterlines forward and aft (2).
const ENDS: [f64; 2] = [2.6, 4.5];
/// Breadth of stem and stern relative to the hull (2).
const BLUNT: f64 = 0.05;
/// Coefficients of the exponent of the sections (3).
const SECTIONS: [f64; 2] = [0.16, 0.75];
/// Sheer at the ends [m] (4).
const SHEER: f64 = 0.7;
/// Height of the bulwarks [m].
const BULWARK: f64 = 0.7;
const PLATE: f64 = 0.15;
/// After and forward end of each hold [m], x in S; the deck between them is closed.
pub const HOLDS: [[f64; 2]; 2] = [[1.2, 10.5], [-8.0, -1.0]];
const HATCH: f64 = 2.1;
/// Height of the floors of the holds above the keel [m].
pub const FLOOR: f64 = 1.4;
/// Number of stations along the hull.
const STATIONS: usize = 44;
const HEIGHTS: usize = 9;

/// Pose of a wreck in the world.
#[derive(Clone, Copy, Debug)]
pub struct Wreck {
    /// Position of the keel amidships [m], W.
    pub p: Vec3,
    /// List (starboard down), trim (bow down) and heading, counter-clockwise from east [deg].
    pub attitude: [f64; 3],
}

impl Wreck {
    /// Generates the wreck of `seed` on a seabed at height `ground` [m].
    pub fn new(seed: u64, ground: f64) -> Self {
        let mut draw = rng::Stream::new(seed, "survey/wreck").draw(0);
        let list = 18.0 + 10.0 * draw.uniform();
        let trim = 2.0 + 2.0 * draw.uniform();
        let heading = 12.0 + 16.0 * draw.uniform();
        // embedded by a little more than a third of its depth
        let sunk = 1.4 + 0.4 * draw.uniform();
        Self {
            p: Vec3::new(0.0, 0.0, (1e3 * (ground - sunk)).round() / 1e3),
            attitude: [list, trim, heading].map(|a| (10.0 * a).round() / 10.0),
        }
    }

    /// Returns the rotation from ship axes S to the world.
    pub fn axes(&self) -> Mat3 {
        let [roll, pitch, yaw] = self.attitude.map(f64::to_radians);
        Mat3::from_rpy(roll, pitch, yaw)
    }
}

/// Returns the height of the deck edge above the keel at `x` [m] (4).
pub fn deck_edge_height(x: f64) -> f64 {
    let t = 2.0 * x / SIZE[0];
    SIZE[2] + SHEER * t * t
}

/// Returns half the breadth [m] at `x` forward of amidships and `z` above the keel [m] (1).
fn half_breadth(x: f64, z: f64) -> f64 {
    let t = (2.0 * x / SIZE[0]).clamp(-1.0, 1.0);
    let p = 1.0 - (1.0 - BLUNT) * libm::pow(t.abs(), ENDS[usize::from(t < 0.0)]);
    let e = SECTIONS[0] + SECTIONS[1] * t.abs() * t * t;
    let q = libm::pow((z / deck_edge_height(x)).clamp(0.0, 1.0), e);
    0.5 * SIZE[1] * p * q
}

/// Returns the hull with deck and holds in S. It is closed after merging vertices at equal
/// positions.
pub fn hull_mesh() -> Mesh {
    let mut mesh = Mesh::default();
    // denser at the ends, where the waterlines are curved
    let place = |i: usize| {
        let u = 2.0 * i as f64 / STATIONS as f64 - 1.0;
        0.5 * SIZE[0] * u * (1.5 - 0.5 * u * u)
    };
    let inside = |x: f64| HOLDS.iter().any(|[a, b]| (*a..=*b).contains(&x));
    let mut stations: Vec<(f64, bool)> =
        (0..=STATIONS).map(place).map(|x| (x, inside(x))).collect();
    // two stations at each end of a hold, with the bulkhead between them
    stations.extend(
        HOLDS
            .iter()
            .flatten()
            .flat_map(|x| [(*x, false), (*x, true)]),
    );
    let order = |(x, open): &(f64, bool)| {
        let begins = HOLDS.iter().any(|[a, _]| a == x);
        (*x, u8::from(*open == begins))
    };
    stations.sort_by(|a, b| {
        order(a)
            .partial_cmp(&order(b))
            .unwrap_or(std::cmp::Ordering::Equal)
    });
    let sections: Vec<Vec<usize>> = stations
        .iter()
        .map(|(x, open)| add_section(&mut mesh, *x, *open))
        .collect();
    for pair in sections.windows(2) {
        let (aft, fore) = (&pair[0], &pair[1]);
        for k in 0..aft.len() {
            let next = (k + 1) % aft.len();
            mesh.add_quad([aft[k], aft[next], fore[next], fore[k]]);
        }
    }
    let (stern, stem) = (sections[0].clone(), sections[sections.len() - 1].clone());
    // fans from the keel, which is collinear with no edge
    let n = stem.len();
    for k in HEIGHTS..HEIGHTS + n {
        let [hub, a, b] = [HEIGHTS, k % n, (k + 1) % n];
        mesh.add_quad([stem[hub], stem[a], stem[b], stem[b]]);
        mesh.add_quad([stern[hub], stern[b], stern[a], stern[a]]);
    }
    mesh
}

/// Adds the vertices of a section: the shell from the starboard deck edge around the keel to port,
/// then bulwark, deck, hold, deck and bulwark back to starboard. Returns their indices.
fn add_section(mesh: &mut Mesh, x: f64, open: bool) -> Vec<usize> {
    let top = deck_edge_height(x);
    let height = |k: usize| {
        let u = k as f64 / HEIGHTS as f64;
        top * u * u
    };
    let shell = (0..=HEIGHTS).map(|k| (half_breadth(x, height(k)), height(k)));
    let deck = top - BULWARK;
    let floor = if open { FLOOR } else { deck };
    // parts inside the shell must stay inside it
    let within = |z: f64, limit: f64| (half_breadth(x, z) - PLATE).min(limit);
    let inner = within(deck, SIZE[1]).max(0.5 * PLATE);
    let hatch = within(FLOOR, HATCH).clamp(0.2 * PLATE, 0.9 * inner);
    let inside = [(inner, top), (inner, deck), (hatch, deck), (hatch, floor)];
    let starboard = shell.clone().rev().map(|(y, z)| (-y, z));
    let back = inside.into_iter().rev().map(|(y, z)| (-y, z));
    let first = mesh.corners.len();
    mesh.corners.extend(
        starboard
            .chain(shell)
            .chain(inside)
            .chain(back)
            .map(|(y, z)| Vec3::new(x, y, z)),
    );
    (first..mesh.corners.len()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    // The hull is closed, oriented outwards, and as full as a coaster's. Method: with equal
    // vertices merged, every edge occurs once in each direction; volume relative to the bounding
    // box. Tolerance: block coefficients of full coasters are 0.6 to 0.8, minus 0.16 for the holds
    // and 0.13 above the deck.
    #[test]
    fn the_hull_is_closed() {
        let mesh = hull_mesh();
        let mut index = BTreeMap::new();
        let at: Vec<usize> = mesh
            .corners
            .iter()
            .map(|p| {
                let n = index.len();
                *index
                    .entry(p.to_array().map(|x| (x * 1e6).round() as i64))
                    .or_insert(n)
            })
            .collect();
        let mut count: BTreeMap<[usize; 2], i32> = BTreeMap::new();
        for t in &mesh.triangles {
            let [a, b, c] = t.map(|k| at[k]);
            if a != b && b != c && c != a {
                for [i, j] in [[a, b], [b, c], [c, a]] {
                    *count.entry([i.min(j), i.max(j)]).or_insert(0) += if i < j { 1 } else { -1 };
                }
            }
        }
        let open = count.values().filter(|n| **n != 0).count();
        assert_eq!(open, 0, "of {} edges", count.len());
        let part = mesh.volume() / (SIZE[0] * SIZE[1] * SIZE[2]);
        assert!(part > 0.31 && part < 0.51, "{part}");
    }
}
