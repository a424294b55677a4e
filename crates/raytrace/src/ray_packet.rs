//! Packet traversal: eight rays of nearly the same direction in one pass through a tree.
//!
//! # Law
//! The origins and reciprocal directions of the rays lie within intervals. The distances to a plane
//! of a box are therefore within
//! ```text
//!   t_in  >= min(i_0 (b - o'), i_1 (b - o')),   o' the origin from which the plane is nearest along the axis  (1)
//!   t_out <= max(u_0 (b - o"), u_1 (b - o")),   o" that from which it is farthest                             (2)
//! ```
//! All eight boxes of a node are tested at once against (1) and (2). Each box that passes is tested
//! against the eight rays with their own planes, as in [`crate::traverse`], before a ray
//! enters it. Products and differences are rounded monotonically, so (1) and (2) never reject a box
//! that a ray enters. Each ray therefore has the same hit as when it is traced separately.
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
//! [`RayPacket`]. `STACK_CAPACITY` is sufficient for trees of depth
//! [`crate::bvh::MAX_DEPTH`].
//!
//! # Checked by
//! The tests in this file and in `mod.rs`; test/witness/devices/raytrace.rs

use crate::probe::TreeRay;
use crate::traverse::TreeContents;
use merrow_math::f32x8::F32x8;
use merrow_math::real::{fast_max, fast_min};

/// Number of rays in a packet.
pub(crate) const RAYS: usize = 8;
/// Capacity of the stack: seven boxes per level of the tree, and one more.
const STACK_CAPACITY: usize = 128;

/// Stack of deferred boxes: the entry distance, and eight times the index of the node plus the slot
/// in it.
#[derive(Clone, Debug)]
pub(crate) struct PacketStack([(f32, u32); STACK_CAPACITY]);

impl Default for PacketStack {
    fn default() -> Self {
        Self([(0.0, 0); STACK_CAPACITY])
    }
}

/// Leaf that a packet reaches, and the rays that enter it.
pub(crate) struct Arrival {
    /// First index and number of the contents of the leaf.
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
    entry_rows: [usize; 3],
    exit_rows: [usize; 3],
}

impl<E: F32x8> RayPacket<E> {
    /// Returns the packet of the rays whose bits are set in `rays`. Their directions must have the
    /// same sign along every axis.
    #[inline(always)]
    pub(crate) fn new(probes: &[TreeRay; RAYS], rays: u32) -> Self {
        let any = &probes[rays.trailing_zeros() as usize & (RAYS - 1)];
        let entry_rows = any.entry_rows;
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
        let exit_rows = [3 - entry_rows[0], 5 - entry_rows[1], 7 - entry_rows[2]];
        let (both, lowest) = ([[E::splat(0.0); 2]; 3], E::splat(min_max(&low)[0]));
        let mut packet = Self {
            o: zero,
            inner: zero,
            outer: zero,
            low: E::read(&low),
            near: zero,
            far: zero,
            inners: both,
            outers: both,
            lowest,
            entry_rows,
            exit_rows,
        };
        for k in 0..3 {
            (packet.o[k], packet.inner[k], packet.outer[k]) =
                (E::read(&o[k]), E::read(&inner[k]), E::read(&outer[k]));
            let [min, max] = min_max(&o[k]);
            let [near, far] = if entry_rows[k] == k {
                [max, min]
            } else {
                [min, max]
            };
            (packet.near[k], packet.far[k]) = (E::splat(near), E::splat(far));
            for (limits, to) in [
                (min_max(&inner[k]), &mut packet.inners[k]),
                (min_max(&outer[k]), &mut packet.outers[k]),
            ] {
                *to = [E::splat(limits[0]), E::splat(limits[1])];
            }
        }
        packet
    }

    /// Tests which rays enter box `slot` before their limits; returns a bit mask and the entry
    /// distances.
    #[inline(always)]
    fn test_box(&self, bounds: &[[f32; 8]; 6], slot: usize, limits: E) -> (u32, E) {
        let ([ex, ey, ez], [lx, ly, lz]) = (self.entry_rows, self.exit_rows);
        let plane = |row: usize, k: usize| E::splat(bounds[row][slot & 7]).sub(self.o[k]);
        let x = plane(ex, 0).mul(self.inner[0]);
        let y = plane(ey, 1).mul(self.inner[1]);
        let z = plane(ez, 2).mul(self.inner[2]);
        let entry = x.lane_max(y).lane_max(z.lane_max(self.low));
        let x = plane(lx, 0).mul(self.outer[0]);
        let y = plane(ly, 1).mul(self.outer[1]);
        let z = plane(lz, 2).mul(self.outer[2]);
        let exit = x.lane_min(y).lane_min(z.lane_min(limits));
        (entry.less_or_equal(exit), entry)
    }

    /// Tests which boxes of a node any ray may enter before `limit`; returns a bit mask and lower
    /// bounds of the entry distances.
    #[inline(always)]
    fn test_node(&self, bounds: &[[f32; 8]; 6], limit: f32) -> (u32, E) {
        let ([ex, ey, ez], [lx, ly, lz]) = (self.entry_rows, self.exit_rows);
        // (1)
        let lower_bound = |row: usize, k: usize| {
            let offset = E::read(&bounds[row]).sub(self.near[k]);
            offset
                .mul(self.inners[k][0])
                .lane_min(offset.mul(self.inners[k][1]))
        };
        // (2)
        let upper_bound = |row: usize, k: usize| {
            let offset = E::read(&bounds[row]).sub(self.far[k]);
            offset
                .mul(self.outers[k][0])
                .lane_max(offset.mul(self.outers[k][1]))
        };
        let entry = lower_bound(ex, 0)
            .lane_max(lower_bound(ey, 1))
            .lane_max(lower_bound(ez, 2).lane_max(self.lowest));
        let exit = upper_bound(lx, 0)
            .lane_min(upper_bound(ly, 1))
            .lane_min(upper_bound(lz, 2).lane_min(E::splat(limit)));
        (entry.less_or_equal(exit), entry)
    }
}

/// State of the traversal of a tree that is not empty.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PacketTraversal {
    /// Node to visit next.
    node: Option<usize>,
    /// Number of boxes on the stack.
    stack_size: usize,
}

impl PacketTraversal {
    /// Starts at the root.
    #[inline(always)]
    pub(crate) fn at_root() -> Self {
        Self {
            node: Some(0),
            stack_size: 0,
        }
    }

    /// Advances to the next leaf that a ray enters before its limit, the nearest first; `None` at
    /// the end.
    ///
    /// Limits may be lowered between leaves. A ray whose limit is below its minimum distance is
    /// ignored.
    #[inline(always)]
    pub(crate) fn next<E: F32x8, H: TreeContents>(
        &mut self,
        packet: &RayPacket<E>,
        contents: &H,
        stack: &mut PacketStack,
        limits: &[f32; RAYS],
    ) -> Option<Arrival> {
        let nodes = &contents.tree().nodes;
        let (all, limit) = (E::read(limits), min_max(limits)[1]);
        loop {
            if let Some(number) = self.node.take() {
                let node = &nodes[number];
                let (mut mask, entry) = packet.test_node(&node.bounds, limit);
                let (mut near, first) = ([0.0; 8], self.stack_size);
                entry.write(&mut near);
                while mask != 0 {
                    let i = mask.trailing_zeros() as usize & 7;
                    mask &= mask - 1;
                    contents.prefetch::<E>(node.children[i].decode());
                    let next = (near[i], (number as u32) << 3 | i as u32);
                    // Sorted insertion, with the nearest box on top.
                    let mut index = self.stack_size;
                    while index > first && stack.0[(index - 1) & (STACK_CAPACITY - 1)].0 < next.0 {
                        stack.0[index & (STACK_CAPACITY - 1)] =
                            stack.0[(index - 1) & (STACK_CAPACITY - 1)];
                        index -= 1;
                    }
                    stack.0[index & (STACK_CAPACITY - 1)] = next;
                    self.stack_size += 1;
                }
            }
            if self.stack_size == 0 {
                return None;
            }
            self.stack_size -= 1;
            let (entered, slot_number) = stack.0[self.stack_size & (STACK_CAPACITY - 1)];
            if entered > limit {
                continue;
            }
            let (node, slot) = (&nodes[slot_number as usize >> 3], slot_number as usize & 7);
            let (rays, entry) = packet.test_box(&node.bounds, slot, all);
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
                    entry.write(&mut arrival.entered);
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
    (0..RAYS).all(|i| rays >> i & 1 == 0 || probes[i].entry_rows == any.entry_rows)
}

/// Returns the minimum and maximum of eight numbers.
#[inline(always)]
fn min_max(x: &[f32; RAYS]) -> [f32; 2] {
    let [mut min, mut max] = [x[0]; 2];
    for x in &x[1..] {
        (min, max) = (fast_min(min, *x), fast_max(max, *x));
    }
    [min, max]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::{LocalRay, Mesh, PacketSearch};
    use crate::traverse::BoxStack;
    use merrow_math::Vec3;
    use merrow_math::f32x8::Plain;
    use merrow_math::rng::Stream;

    /// Returns the number of rays of a packet with a hit, after comparing each with the same ray
    /// traced separately.
    fn count_hits<E: F32x8>(mesh: &Mesh, local_rays: &[LocalRay; RAYS], rays: u32) -> usize {
        let mut search = PacketSearch::default();
        search.local_rays = *local_rays;
        assert!(mesh.run_packet::<E>(&mut search, rays));
        let mut hit_count = 0;
        for i in (0..RAYS).filter(|i| rays >> i & 1 == 1) {
            let single = mesh.closest::<E, false>(&local_rays[i], &mut BoxStack::default());
            assert_eq!(
                mesh.packet_hit(&search, i),
                single,
                "{i} of {rays:b}: {local_rays:?}"
            );
            hit_count += usize::from(single.is_some());
        }
        hit_count
    }

    // The rays of a packet have the same hits as single rays. Method: 20 000 small triangles in a
    // cube of 20 m; packets of up to eight rays up to 12 degrees apart, from one origin and from
    // several, inside and outside, short and long; AVX2 and portable code.
    #[test]
    fn packet_and_single_ray_hits_agree() {
        let stream = Stream::new(9, "bundles");
        let mut draw = stream.draw(0);
        let mut point = |size: f64| {
            let mut coordinate = || size * (2.0 * draw.uniform() - 1.0);
            Vec3::new(coordinate(), coordinate(), coordinate())
        };
        let corners: Vec<Vec3> = (0..20_000)
            .flat_map(|_| {
                let p = point(10.0);
                [p, p + point(0.3), p + point(0.3)]
            })
            .collect();
        let triangles: Vec<[u32; 3]> = (0..20_000).map(|k| [3 * k, 3 * k + 1, 3 * k + 2]).collect();
        let mesh = Mesh::new(&corners, &triangles);
        let (mut hit_count, mut packets) = (0, 0);
        for k in 0..2000_u32 {
            let origin = point(if k % 2 == 0 { 8.0 } else { 30.0 });
            let aim = point(8.0) - origin;
            let spread = [0.0, 0.02, 0.2][k as usize % 3];
            let range = [0.0, if k % 5 == 0 { 4.0 } else { 100.0 }];
            let mut local_rays = [LocalRay::default(); RAYS];
            for local_ray in &mut local_rays {
                let o = origin + point([0.0, 0.5][k as usize / 3 % 2]);
                let d = (aim.scale(1.0 / aim.norm()) + point(spread))
                    .unit()
                    .unwrap_or_default();
                *local_ray = LocalRay {
                    o,
                    d,
                    range,
                    from: 0.0,
                };
            }
            let rays = if k % 4 == 0 { 0b1101_0110 } else { 0xff };
            let sides = |d: Vec3| d.to_array().map(|x| x < 0.0);
            if (0..RAYS)
                .any(|i| rays >> i & 1 == 1 && sides(local_rays[i].d) != sides(local_rays[1].d))
            {
                let mut search = PacketSearch::default();
                search.local_rays = local_rays;
                assert!(!mesh.run_packet::<Plain>(&mut search, rays));
                continue;
            }
            let plain = count_hits::<Plain>(&mesh, &local_rays, rays);
            #[cfg(target_arch = "x86_64")]
            if merrow_math::f64x4::is_supported() {
                assert_eq!(
                    count_hits::<merrow_math::f32x8::Register>(&mesh, &local_rays, rays),
                    plain
                );
            }
            (hit_count, packets) = (hit_count + plain, packets + 1);
        }
        assert!(packets > 1000 && hit_count > 3000, "{packets}, {hit_count}");
    }
}
