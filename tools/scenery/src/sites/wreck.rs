//! A coaster that has sunk: her hull by a formula, her place on the bottom.
//!
//! # Law
//! ```text
//!   y(x, z) = (B/2) p(x) q(x, z)                                                      (1)
//!   p(x) = 1 - (1 - b) |2x/L|^m    m = m_f ahead, m_a abaft                                   (2)
//!   q(x, z) = (z/D)^e(x),  e(x) = e_0 + e_1 |2x/L|³                                   (3)
//!   sheer(x) = h_s (2x/L)²                                                            (4)
//! ```
//! A waterline (2) is full over most of the length and ends in points; sections (3) are full amidships (e small) and fine at the ends, as in hulls of Wigley's kind made
//! fuller [Wigley 1942]. The deck is open over two holds, whose floors lie deep in her; her house stands aft, broken; one mast stands, one has fallen over the side.
//!
//! # Symbols
//! x ahead of amidships, z over the keel · L length, B breadth, D depth of the hull · m, e powers · b what stem and stern are of the breadth.
//!
//! # Frames
//! S, the ship: x ahead, y to port, z up, origin on the keel amidships. Placed in the world by position, list (roll), trim (pitch) and heading (yaw).
//!
//! # Limits
//! A ship drawn for sonars to see; no particular one.
//!
//! # Checked by
//! tests below; test/analytic/sensor_worlds.rs

use crate::sites::objects::Mesh;
use merrow_math::rng;
use merrow_math::{Mat3, Vec3};

/// Length, breadth and depth [m].
pub const SIZE: [f64; 3] = [34.0, 7.2, 4.2];
/// Powers of the waterlines ahead and abaft. (2)
const ENDS: [f64; 2] = [2.6, 4.5];
/// Breadth of stem and stern over the hull's. (2)
const BLUNT: f64 = 0.05;
/// Powers of the sections. (3)
const SECTIONS: [f64; 2] = [0.16, 0.75];
/// Sheer at the ends. (4) [m]
const SHEER: f64 = 0.7;
/// Height of her bulwarks, and the distance of what is within her from her shell [m].
const BULWARK: f64 = 0.7;
const PLATE: f64 = 0.15;
/// Forward and after end of each hold, its half breadth [m]; what is deck between them.
pub const HOLDS: [[f64; 2]; 2] = [[1.2, 10.5], [-8.0, -1.0]];
const HATCH: f64 = 2.1;
/// Height of the holds' floors over the keel [m].
pub const FLOOR: f64 = 1.4;
/// Stations along the hull, and heights of a section.
const STATIONS: usize = 44;
const HEIGHTS: usize = 9;

/// A wreck in the world.
#[derive(Clone, Copy, Debug)]
pub struct Wreck {
    /// Her keel amidships [m].
    pub p: Vec3,
    /// List (starboard down), trim (bow down) and heading from east, counter-clockwise [deg].
    pub attitude: [f64; 3],
}

impl Wreck {
    /// The wreck of `seed` over a bottom at `ground` [m] where she lies.
    pub fn new(seed: u64, ground: f64) -> Self {
        let mut draw = rng::Stream::new(seed, "survey/wreck").draw(0);
        let list = 18.0 + 10.0 * draw.uniform();
        let trim = 2.0 + 2.0 * draw.uniform();
        let heading = 12.0 + 16.0 * draw.uniform();
        // sunk by a good third of her depth
        let sunk = 1.4 + 0.4 * draw.uniform();
        Self {
            p: Vec3::new(0.0, 0.0, (1e3 * (ground - sunk)).round() / 1e3),
            attitude: [list, trim, heading].map(|a| (10.0 * a).round() / 10.0),
        }
    }

    /// Her axes in the world.
    pub fn axes(&self) -> Mat3 {
        let [roll, pitch, yaw] = self.attitude.map(f64::to_radians);
        Mat3::from_rpy(roll, pitch, yaw)
    }

    /// A place in S of one in the world [m].
    pub fn of_ship(&self, p: Vec3) -> Vec3 {
        self.axes().tr_mul_vec(p - self.p)
    }
}

/// Height of the deck's edge over the keel at `x` [m]. (4)
pub fn edge(x: f64) -> f64 {
    let t = 2.0 * x / SIZE[0];
    SIZE[2] + SHEER * t * t
}

/// Half the breadth at `x` ahead of amidships, `z` over the keel [m]. (1)
pub fn half_breadth(x: f64, z: f64) -> f64 {
    let t = (2.0 * x / SIZE[0]).clamp(-1.0, 1.0);
    let p = 1.0 - (1.0 - BLUNT) * libm::pow(t.abs(), ENDS[usize::from(t < 0.0)]);
    let e = SECTIONS[0] + SECTIONS[1] * t.abs() * t * t;
    let q = libm::pow((z / edge(x)).clamp(0.0, 1.0), e);
    0.5 * SIZE[1] * p * q
}

/// Her hull with deck and holds, closed once corners at one place are joined, in S.
pub fn hull() -> Mesh {
    let mut mesh = Mesh::default();
    // dense at the ends, where the waterlines bend
    let place = |i: usize| {
        let u = 2.0 * i as f64 / STATIONS as f64 - 1.0;
        0.5 * SIZE[0] * u * (1.5 - 0.5 * u * u)
    };
    let inside = |x: f64| HOLDS.iter().any(|[a, b]| (*a..=*b).contains(&x));
    let mut stations: Vec<(f64, bool)> =
        (0..=STATIONS).map(place).map(|x| (x, inside(x))).collect();
    // at either end of a hold two: the bulkhead is between them
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
        .map(|(x, open)| section(&mut mesh, *x, *open))
        .collect();
    for pair in sections.windows(2) {
        let (aft, fore) = (&pair[0], &pair[1]);
        for k in 0..aft.len() {
            let next = (k + 1) % aft.len();
            mesh.quad([aft[k], aft[next], fore[next], fore[k]]);
        }
    }
    let (stern, stem) = (sections[0].clone(), sections[sections.len() - 1].clone());
    // fans from the keel, which is in line with no edge
    let n = stem.len();
    for k in HEIGHTS..HEIGHTS + n {
        let [hub, a, b] = [HEIGHTS, k % n, (k + 1) % n];
        mesh.quad([stem[hub], stem[a], stem[b], stem[b]]);
        mesh.quad([stern[hub], stern[b], stern[a], stern[a]]);
    }
    mesh
}

/// Corners about a section: the shell from the starboard edge of the deck round the keel to port, then bulwark, deck, hold, deck, bulwark back.
fn section(mesh: &mut Mesh, x: f64, open: bool) -> Vec<usize> {
    let top = edge(x);
    let height = |k: usize| {
        let u = k as f64 / HEIGHTS as f64;
        top * u * u
    };
    let shell = (0..=HEIGHTS).map(|k| (half_breadth(x, height(k)), height(k)));
    let deck = top - BULWARK;
    let floor = if open { FLOOR } else { deck };
    // what stands within the shell stays within it
    let within = |z: f64, wanted: f64| (half_breadth(x, z) - PLATE).min(wanted);
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

    // Goal: the hull is closed, right way out, and as full as a coaster's. Method: corners at one place joined, every edge there once in either
    // direction; her volume over that of her box. Tolerance: block coefficients of full coasters are 0.6 to 0.8, less 0.16 for the holds and 0.13 over the deck.
    #[test]
    fn the_hull_is_closed() {
        let mesh = hull();
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
