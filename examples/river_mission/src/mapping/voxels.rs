//! Volumetric map: occupancy of voxels as log-odds.
//!
//! # Law
//! ```text
//!   L(n | z_1..t) = max(min(L(n | z_1..t-1) + L(n | z_t), l_max), l_min)
//!   L(n | z_t) = l_occ in the voxel of an echo, l_free in the voxels before it
//! ```
//! [Hornung et al. 2013, OctoMap, eq. 2 to 4] with its values l_occ 0.85, l_free -0.4, l_min -2 and
//! l_max 3.5. Within one scan, a voxel with an echo is not also free, as there. The voxels of a ray are
//! those of Amanatides and Woo (1987).
//!
//! # Limits
//! Rays free voxels up to a range only; echoes farther away are entered without.
//!
//! # Checked by
//! tests below: the closed value after n scans, all voxels of rays in any direction

use nalgebra::Point3;
use std::collections::{BTreeSet, HashMap};
use std::hash::{BuildHasherDefault, DefaultHasher};

/// Change of the log-odds by an echo, and by a ray that passes.
const L_OCC: f32 = 0.85;
const L_FREE: f32 = -0.4;
/// Bounds of the log-odds.
const L_BOUNDS: (f32, f32) = (-2.0, 3.5);

/// Indices of a voxel.
pub type Voxel = [i32; 3];

/// Hash table whose order does not depend on the process.
type Table<K, V> = HashMap<K, V, BuildHasherDefault<DefaultHasher>>;

/// The map.
#[derive(Clone, Debug)]
pub struct VoxelMap {
    /// Edge of a voxel [m].
    edge_m: f64,
    /// Heights between which voxels are kept [m].
    heights: (f64, f64),
    voxels: Table<Voxel, f32>,
}

impl VoxelMap {
    /// Returns an empty map with voxels of an edge [m] between two heights [m].
    pub fn new(edge_m: f64, heights: (f64, f64)) -> Self {
        Self {
            edge_m,
            heights,
            voxels: Table::default(),
        }
    }

    /// Returns the edge of a voxel [m].
    pub fn edge_m(&self) -> f64 {
        self.edge_m
    }

    /// Returns the voxel that contains a point.
    pub fn voxel(&self, p: &Point3<f64>) -> Voxel {
        [p.x, p.y, p.z].map(|c| (c / self.edge_m).floor() as i32)
    }

    /// Returns the centre of a voxel.
    pub fn centre(&self, voxel: Voxel) -> Point3<f64> {
        Point3::from(voxel.map(|k| (f64::from(k) + 0.5) * self.edge_m))
    }

    /// Returns the log-odds of a voxel; `None` if it is unknown.
    pub fn log_odds(&self, voxel: Voxel) -> Option<f32> {
        self.voxels.get(&voxel).copied()
    }

    /// Enters a scan: echoes at `points`, and free space from `origin` to them up to `free_m` [m].
    pub fn insert(&mut self, origin: &Point3<f64>, points: &[Point3<f64>], free_m: f64) {
        let ends: BTreeSet<Voxel> = points.iter().map(|p| self.voxel(p)).collect();
        let mut free: Table<Voxel, ()> = Table::default();
        for end in &ends {
            let to = self.centre(*end);
            let away = to - origin;
            let length = away.norm();
            let to = match length > free_m {
                true => origin + away * (free_m / length),
                false => to,
            };
            for voxel in ray(origin, &to, self.edge_m) {
                if self.is_kept(voxel) && !ends.contains(&voxel) {
                    free.insert(voxel, ());
                }
            }
        }
        for voxel in free.into_keys() {
            self.add(voxel, L_FREE);
        }
        for voxel in ends {
            if self.is_kept(voxel) {
                self.add(voxel, L_OCC);
            }
        }
    }

    /// Frees the occupied voxels that a scan passes, given by their centres [m], except those with
    /// one of its echoes.
    pub fn forget(&mut self, echoes: &[Point3<f64>], is_passed: impl Fn(&Point3<f64>) -> bool) {
        let ends: BTreeSet<Voxel> = echoes.iter().map(|p| self.voxel(p)).collect();
        let edge_m = self.edge_m;
        for (voxel, l) in &mut self.voxels {
            let centre = Point3::from(voxel.map(|k| (f64::from(k) + 0.5) * edge_m));
            if *l > 0.0 && !ends.contains(voxel) && is_passed(&centre) {
                *l = (*l + L_FREE).max(L_BOUNDS.0);
            }
        }
    }

    /// Returns the known voxels with their log-odds, in no particular but always the same order.
    pub fn known(&self) -> impl Iterator<Item = (Voxel, f32)> {
        self.voxels.iter().map(|(voxel, l)| (*voxel, *l))
    }

    /// Returns the occupied voxels in ascending order.
    pub fn occupied(&self) -> Vec<Voxel> {
        let occupied = self.voxels.iter().filter(|(_, l)| **l > 0.0);
        let mut occupied: Vec<Voxel> = occupied.map(|(voxel, _)| *voxel).collect();
        occupied.sort_unstable();
        occupied
    }

    fn is_kept(&self, voxel: Voxel) -> bool {
        let z = (f64::from(voxel[2]) + 0.5) * self.edge_m;
        z >= self.heights.0 && z <= self.heights.1
    }

    fn add(&mut self, voxel: Voxel, change: f32) {
        let l = self.voxels.entry(voxel).or_insert(0.0);
        *l = (*l + change).clamp(L_BOUNDS.0, L_BOUNDS.1);
    }
}

/// Lists the voxels with this edge [m] that the line from `a` to `b` crosses, from the one of `a` to
/// that of `b`.
fn ray(a: &Point3<f64>, b: &Point3<f64>, edge_m: f64) -> Vec<Voxel> {
    let index = |c: f64| (c / edge_m).floor() as i64;
    let mut at = [index(a.x), index(a.y), index(a.z)];
    let end = [index(b.x), index(b.y), index(b.z)];
    let away = b - a;
    let step: [i64; 3] = std::array::from_fn(|k| (end[k] - at[k]).signum());
    // parameter of the line at the next border of each axis, and between two borders
    let mut next: [f64; 3] = std::array::from_fn(|k| {
        let border = (at[k] + i64::from(step[k] > 0)) as f64 * edge_m;
        match step[k] {
            0 => f64::INFINITY,
            _ => (border - a[k]) / away[k],
        }
    });
    let between: [f64; 3] = std::array::from_fn(|k| (edge_m / away[k]).abs());
    let count: i64 = (0..3).map(|k| (end[k] - at[k]).abs()).sum();
    let mut voxels = Vec::with_capacity(count as usize + 1);
    let short = |at: [i64; 3]| at.map(|k| k as i32);
    voxels.push(short(at));
    for _ in 0..count {
        // an axis that has reached its end is not advanced: rounding could exceed it
        let open = (0..3).filter(|k| at[*k] != end[*k]);
        let Some(axis) = open.min_by(|i, j| next[*i].total_cmp(&next[*j])) else {
            break;
        };
        at[axis] += step[axis];
        next[axis] += between[axis];
        voxels.push(short(at));
    }
    voxels
}

#[cfg(test)]
mod tests {
    use super::*;
    use merrow_math::rng::Stream;

    // Log-odds after n scans of one echo, by the law: n l_occ and n l_free up to the bounds.
    #[test]
    fn log_odds_follow_the_law() {
        let mut map = VoxelMap::new(0.5, (-2.0, 5.0));
        let (origin, echo) = (Point3::new(0.1, 0.1, 1.1), Point3::new(10.1, 0.1, 1.1));
        for n in 1..=8 {
            map.insert(&origin, &[echo], 100.0);
            let expected = |l: f32| (n as f32 * l).clamp(-2.0, 3.5);
            let [end, before] = [echo, Point3::new(5.1, 0.1, 1.1)].map(|p| map.voxel(&p));
            assert!((map.log_odds(end).unwrap() - expected(0.85)).abs() < 1e-6);
            assert!((map.log_odds(before).unwrap() - expected(-0.4)).abs() < 1e-6);
        }
        assert_eq!(map.log_odds(map.voxel(&Point3::new(11.1, 0.1, 1.1))), None);
        assert_eq!(map.occupied(), [map.voxel(&echo)]);
        // an object that has left is forgotten: it needs (3.5 / 0.4) scans to the far side
        let beyond = Point3::new(20.1, 0.1, 1.1);
        (0..9).for_each(|_| map.insert(&origin, &[beyond], 100.0));
        assert_eq!(map.occupied(), [map.voxel(&beyond)]);
    }

    #[test]
    fn passed_voxels_are_forgotten() {
        let mut map = VoxelMap::new(0.5, (-2.0, 5.0));
        let origin = Point3::new(0.1, 0.1, 1.1);
        let [left, kept] = [Point3::new(8.1, 0.1, 1.1), Point3::new(0.1, 8.1, 1.1)];
        (0..9).for_each(|_| map.insert(&origin, &[left, kept], 100.0));
        // 3.5 / 0.4 scans
        (0..8).for_each(|_| map.forget(&[kept], |_| true));
        assert_eq!(map.occupied().len(), 2);
        map.forget(&[kept], |_| true);
        assert_eq!(map.occupied(), [map.voxel(&kept)]);
        (0..9).for_each(|_| map.forget(&[], |p| p.x > 1.0));
        assert_eq!(map.occupied(), [map.voxel(&kept)]);
    }

    #[test]
    fn free_space_ends_at_its_range_and_echoes_stay() {
        let mut map = VoxelMap::new(0.5, (-2.0, 5.0));
        let origin = Point3::new(0.1, 0.1, 1.1);
        let points = [Point3::new(30.1, 0.1, 1.1), Point3::new(5.1, 0.1, 1.1)];
        map.insert(&origin, &points, 10.0);
        let at = |x: f64| map.log_odds(map.voxel(&Point3::new(x, 0.1, 1.1)));
        assert_eq!([at(9.0), at(12.0)], [Some(-0.4), None]);
        // the ray to the far echo passes the near one, which is no free voxel
        assert_eq!([at(5.1), at(30.1)], [Some(0.85), Some(0.85)]);
        let mut low = VoxelMap::new(0.5, (0.0, 5.0));
        low.insert(&origin, &[Point3::new(5.0, 0.1, -3.0)], 10.0);
        assert!(low.occupied().is_empty());
        assert!(low.known().all(|(v, _)| v[2] >= 0));
    }

    // Every voxel of a ray is crossed by the line, neighbours share a face, and both ends are there.
    #[test]
    fn rays_cross_their_voxels() {
        let mut draws = Stream::new(1, "rays").draw(0);
        for _ in 0..500 {
            let mut random = || Point3::from([(); 3].map(|()| 20.0 * draws.uniform() - 10.0));
            let (a, b) = (random(), random());
            let voxels = ray(&a, &b, 0.5);
            let index = |p: &Point3<f64>| [p.x, p.y, p.z].map(|c| (c / 0.5).floor() as i32);
            assert_eq!(
                (voxels[0], voxels[voxels.len() - 1]),
                (index(&a), index(&b))
            );
            for pair in voxels.windows(2) {
                let distance: i32 = (0..3).map(|k| (pair[0][k] - pair[1][k]).abs()).sum();
                assert_eq!(distance, 1);
            }
            for voxel in voxels {
                // slabs: parameters at which the line is in the voxel
                let (mut from, mut to) = (0.0f64, 1.0f64);
                for k in 0..3 {
                    let low = f64::from(voxel[k]) * 0.5 - 1e-9;
                    let (u, v) = (
                        (low - a[k]) / (b - a)[k],
                        (low + 0.5 + 2e-9 - a[k]) / (b - a)[k],
                    );
                    (from, to) = (from.max(u.min(v)), to.min(u.max(v)));
                }
                assert!(from <= to + 1e-9);
            }
        }
        let still = Point3::new(1.0, 1.0, 1.0);
        assert_eq!(ray(&still, &still, 0.5), [[2, 2, 2]]);
    }
}
