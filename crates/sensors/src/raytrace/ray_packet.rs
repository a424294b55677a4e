//! Packet traversal: eight rays of nearly the same direction in one pass through a tree.
//!
//! # Law
//! The origins and reciprocal directions of the rays lie within intervals. The distances to a plane
//! of a box are therefore within
//! ```text
//!   t_in  >= min(i_0 (b - o'), i_1 (b - o')),   o' the origin from which the plane is nearest along the axis     (1)
//!   t_out <= max(u_0 (b - o"), u_1 (b - o")),   o" that from which it is farthest                                (2)
//! ```
//! All eight boxes of a node are tested at once against (1) and (2). Each box that passes is tested
//! against the eight rays with their own planes, as in [`crate::raytrace::traverse`], before a ray
//! enters it. Products and differences are rounded monotonically, so (1) and (2) never reject a box
//! that a ray enters. Each ray therefore has the same hit as when it is traced alone.
//!
//! # Symbols
//! b position of a plane, o origin, i and u reciprocal directions, slightly too small and slightly
//! too large, t distance.
//!
//! # Frames
//! Frame of the tree.
//!
//! # Limits
//! The directions of the rays have the same sign along every axis; other rays cannot form a
//! [`RayPacket`]. `ROOM` is sufficient for trees of depth [`crate::raytrace::bvh::DEEPEST`].
//!
//! # Checked by
//! The tests in this file and in `mod.rs`; test/witness/raytrace.rs

use crate::raytrace::packet8::F32x8;
use crate::raytrace::probe::TreeRay;
use crate::raytrace::traverse::Holds;

/// Number of rays in a packet.
pub(crate) const RAYS: usize = 8;
/// Capacity of the stack: seven boxes per level of the tree, and one more.
const ROOM: usize = 128;

/// Stack of deferred boxes: the entry distance, and eight times the index of the node plus the slot
/// in it.
#[derive(Clone, Debug)]
pub(crate) struct PacketStack([(f32, u32); ROOM]);

impl Default for PacketStack {
    fn default() -> Self {
        Self([(0.0, 0); ROOM])
    }
}

/// Leaf that a packet reaches, and the rays that enter it.
pub(crate) struct Arrival {
    /// First index and count of the contents of the leaf.
    pub(crate) leaf: (u32, u32),
    /// Bit mask of the rays that enter.
    pub rays: u32,
    /// Entry distance of each ray.
    pub entered: [f32; RAYS],
}

/// Data for testing eight rays against one box, and the interval of all rays against eight boxes.
#[derive(Clone, Copy)]
pub(crate) struct RayPacket<E> {
    /// Values of each ray.
    o: [E; 3],
    inner: [E; 3],
    outer: [E; 3],
    low: E,
    /// Values of the whole packet: by axis the origins of (1) and (2), and the limits of the
    /// reciprocal directions.
    near: [E; 3],
    far: [E; 3],
    inners: [[E; 2]; 3],
    outers: [[E; 2]; 3],
    lowest: E,
    /// Rows of the entry planes and of the exit planes.
    enter: [usize; 3],
    leave: [usize; 3],
}

impl<E: F32x8> RayPacket<E> {
    /// Packet of the rays whose bits are set in `rays`. Their directions must have the same sign
    /// along every axis.
    #[inline(always)]
    pub(crate) fn new(probes: &[TreeRay; RAYS], rays: u32) -> Self {
        let any = &probes[rays.trailing_zeros() as usize & (RAYS - 1)];
        let enter = any.enter;
        let (mut o, mut inner, mut outer, mut low) = (
            [[0.0; RAYS]; 3],
            [[0.0; RAYS]; 3],
            [[0.0; RAYS]; 3],
            [0.0; RAYS],
        );
        for (i, probe) in probes.iter().enumerate() {
            let probe = if rays >> i & 1 == 0 { any } else { probe };
            low[i] = probe.low;
            for k in 0..3 {
                (o[k][i], inner[k][i], outer[k][i]) = (probe.o[k], probe.inner[k], probe.outer[k]);
            }
        }
        let zero = [E::splat(0.0); 3];
        let leave = [3 - enter[0], 5 - enter[1], 7 - enter[2]];
        let (both, lowest) = ([[E::splat(0.0); 2]; 3], E::splat(ends(&low)[0]));
        let mut bundle = Self {
            o: zero,
            inner: zero,
            outer: zero,
            low: E::read(&low),
            near: zero,
            far: zero,
            inners: both,
            outers: both,
            lowest,
            enter,
            leave,
        };
        for k in 0..3 {
            (bundle.o[k], bundle.inner[k], bundle.outer[k]) =
                (E::read(&o[k]), E::read(&inner[k]), E::read(&outer[k]));
            let [least, most] = ends(&o[k]);
            let [near, far] = if enter[k] == k {
                [most, least]
            } else {
                [least, most]
            };
            (bundle.near[k], bundle.far[k]) = (E::splat(near), E::splat(far));
            for (ends, to) in [
                (ends(&inner[k]), &mut bundle.inners[k]),
                (ends(&outer[k]), &mut bundle.outers[k]),
            ] {
                *to = [E::splat(ends[0]), E::splat(ends[1])];
            }
        }
        bundle
    }

    /// Tests which rays enter box `slot` before their limits; returns a bit mask and the entry
    /// distances.
    #[inline(always)]
    fn enters(&self, bounds: &[[f32; 8]; 6], slot: usize, limits: E) -> (u32, E) {
        let ([ex, ey, ez], [lx, ly, lz]) = (self.enter, self.leave);
        let plane = |row: usize, k: usize| E::splat(bounds[row][slot & 7]).sub(self.o[k]);
        let x = plane(ex, 0).mul(self.inner[0]);
        let y = plane(ey, 1).mul(self.inner[1]);
        let z = plane(ez, 2).mul(self.inner[2]);
        let into = x.lane_max(y).lane_max(z.lane_max(self.low));
        let x = plane(lx, 0).mul(self.outer[0]);
        let y = plane(ly, 1).mul(self.outer[1]);
        let z = plane(lz, 2).mul(self.outer[2]);
        let out = x.lane_min(y).lane_min(z.lane_min(limits));
        (into.not_above(out), into)
    }

    /// Tests which boxes of a node any ray may enter before `limit`; returns a bit mask and lower
    /// bounds of the entry distances.
    #[inline(always)]
    fn may_enter(&self, bounds: &[[f32; 8]; 6], limit: f32) -> (u32, E) {
        let ([ex, ey, ez], [lx, ly, lz]) = (self.enter, self.leave);
        // (1)
        let near = |row: usize, k: usize| {
            let way = E::read(&bounds[row]).sub(self.near[k]);
            way.mul(self.inners[k][0])
                .lane_min(way.mul(self.inners[k][1]))
        };
        // (2)
        let far = |row: usize, k: usize| {
            let way = E::read(&bounds[row]).sub(self.far[k]);
            way.mul(self.outers[k][0])
                .lane_max(way.mul(self.outers[k][1]))
        };
        let into = near(ex, 0)
            .lane_max(near(ey, 1))
            .lane_max(near(ez, 2).lane_max(self.lowest));
        let out = far(lx, 0)
            .lane_min(far(ly, 1))
            .lane_min(far(lz, 2).lane_min(E::splat(limit)));
        (into.not_above(out), into)
    }
}

/// State of the traversal of a tree that is not empty.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PacketTraversal {
    /// Node to visit next.
    node: Option<usize>,
    /// Number of boxes on the stack.
    kept: usize,
}

impl PacketTraversal {
    /// Starts at the root.
    #[inline(always)]
    pub(crate) fn at_root() -> Self {
        Self {
            node: Some(0),
            kept: 0,
        }
    }

    /// Advances to the next leaf that a ray enters before its limit, the nearest first; `None` at
    /// the end.
    ///
    /// Limits may be lowered between leaves. A ray whose limit is below its minimum distance is
    /// ignored.
    #[inline(always)]
    pub(crate) fn next<E: F32x8, H: Holds>(
        &mut self,
        bundle: &RayPacket<E>,
        holds: &H,
        later: &mut PacketStack,
        limits: &[f32; RAYS],
    ) -> Option<Arrival> {
        let nodes = &holds.tree().nodes;
        let (all, limit) = (E::read(limits), ends(limits)[1]);
        loop {
            if let Some(number) = self.node.take() {
                let node = &nodes[number];
                let (mut met, into) = bundle.may_enter(&node.bounds, limit);
                let (mut near, first) = ([0.0; 8], self.kept);
                into.write(&mut near);
                while met != 0 {
                    let i = met.trailing_zeros() as usize & 7;
                    met &= met - 1;
                    holds.prefetch::<E>(node.children[i].decode());
                    let next = (near[i], (number as u32) << 3 | i as u32);
                    // Sorted insertion, with the nearest box on top.
                    let mut place = self.kept;
                    while place > first && later.0[(place - 1) & (ROOM - 1)].0 < next.0 {
                        later.0[place & (ROOM - 1)] = later.0[(place - 1) & (ROOM - 1)];
                        place -= 1;
                    }
                    later.0[place & (ROOM - 1)] = next;
                    self.kept += 1;
                }
            }
            if self.kept == 0 {
                return None;
            }
            self.kept -= 1;
            let (entered, at) = later.0[self.kept & (ROOM - 1)];
            if entered > limit {
                continue;
            }
            let (node, slot) = (&nodes[at as usize >> 3], at as usize & 7);
            let (rays, into) = bundle.enters(&node.bounds, slot, all);
            if rays == 0 {
                continue;
            }
            match node.children[slot].decode() {
                Ok(number) => self.node = Some(number),
                Err(leaf) => {
                    let mut arrival = Arrival {
                        leaf,
                        rays,
                        entered: [0.0; RAYS],
                    };
                    into.write(&mut arrival.entered);
                    return Some(arrival);
                }
            }
        }
    }
}

/// Clears the lowest set bit and returns its index; `None` if no bit is set.
#[inline(always)]
pub(crate) fn pop_lowest_bit(bits: &mut u32) -> Option<usize> {
    let i = bits.trailing_zeros() as usize & (RAYS - 1);
    let is_set = *bits != 0;
    *bits &= bits.wrapping_sub(1);
    is_set.then_some(i)
}

/// Returns true if the directions of the rays whose bits are set have the same sign along every
/// axis.
#[inline(always)]
pub(crate) fn has_common_signs(probes: &[TreeRay; RAYS], rays: u32) -> bool {
    let any = &probes[rays.trailing_zeros() as usize & (RAYS - 1)];
    (0..RAYS).all(|i| rays >> i & 1 == 0 || probes[i].enter == any.enter)
}

/// Minimum and maximum of eight numbers.
#[inline(always)]
fn ends(x: &[f32; RAYS]) -> [f32; 2] {
    let [mut least, mut most] = [x[0]; 2];
    for x in &x[1..] {
        least = if *x < least { *x } else { least };
        most = if *x > most { *x } else { most };
    }
    [least, most]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::raytrace::mesh::{LocalRay, Mesh, PacketSearch};
    use crate::raytrace::packet8::Plain;
    use crate::raytrace::traverse::BoxStack;
    use merrow_math::Vec3;
    use merrow_math::rng::Stream;

    /// Number of rays of a packet with a hit, after comparing each with the same ray traced alone.
    fn held<E: F32x8>(mesh: &Mesh, ways: &[LocalRay; RAYS], rays: u32) -> usize {
        let mut search = PacketSearch::default();
        search.ways = *ways;
        assert!(mesh.run_packet::<E>(&mut search, rays));
        let mut met = 0;
        for i in (0..RAYS).filter(|i| rays >> i & 1 == 1) {
            let mut alone = mesh.start_search(&ways[i]);
            mesh.run::<E, false>(&mut alone, &mut BoxStack::default());
            assert_eq!(
                mesh.packet_hit(&search, i),
                mesh.hit(&alone),
                "{i} of {rays:b}: {ways:?}"
            );
            met += usize::from(alone.is_met());
        }
        met
    }

    // Goal: the rays of a packet have the same hits as single rays. Method: 20 000 small triangles
    // in a cube of 20 m; packets of up to eight rays up to 12 degrees apart, from one origin and
    // from several, inside and outside, short and long; AVX2 and portable code. Tolerance: none.
    #[test]
    fn rays_of_a_bundle_meet_what_they_meet_alone() {
        let stream = Stream::new(9, "bundles");
        let mut draw = stream.draw(0);
        let mut point = |size: f64| {
            let mut of = || size * (2.0 * draw.uniform() - 1.0);
            Vec3::new(of(), of(), of())
        };
        let corners: Vec<Vec3> = (0..20_000)
            .flat_map(|_| {
                let p = point(10.0);
                [p, p + point(0.3), p + point(0.3)]
            })
            .collect();
        let triangles: Vec<[u32; 3]> = (0..20_000).map(|k| [3 * k, 3 * k + 1, 3 * k + 2]).collect();
        let mesh = Mesh::new(&corners, &triangles);
        let (mut met, mut bundles) = (0, 0);
        for k in 0..2000_u32 {
            let origin = point(if k % 2 == 0 { 8.0 } else { 30.0 });
            let aim = point(8.0) - origin;
            let spread = [0.0, 0.02, 0.2][k as usize % 3];
            let range = [0.0, if k % 5 == 0 { 4.0 } else { 100.0 }];
            let mut ways = [LocalRay::default(); RAYS];
            for way in &mut ways {
                let o = origin + point([0.0, 0.5][k as usize / 3 % 2]);
                let d = (aim.scale(1.0 / aim.norm()) + point(spread))
                    .unit()
                    .unwrap_or_default();
                *way = LocalRay {
                    o,
                    d,
                    range,
                    from: 0.0,
                };
            }
            let rays = if k % 4 == 0 { 0b1101_0110 } else { 0xff };
            let sides = |d: Vec3| d.to_array().map(|x| x < 0.0);
            if (0..RAYS).any(|i| rays >> i & 1 == 1 && sides(ways[i].d) != sides(ways[1].d)) {
                let mut search = PacketSearch::default();
                search.ways = ways;
                assert!(!mesh.run_packet::<Plain>(&mut search, rays));
                continue;
            }
            let plain = held::<Plain>(&mesh, &ways, rays);
            #[cfg(target_arch = "x86_64")]
            if merrow_math::f64x4::is_supported() {
                assert_eq!(
                    held::<crate::raytrace::packet8::Register>(&mesh, &ways, rays),
                    plain
                );
            }
            (met, bundles) = (met + plain, bundles + 1);
        }
        assert!(bundles > 1000 && met > 3000, "{bundles}, {met}");
    }
}
