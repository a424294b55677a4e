//! Triangle mesh for ray tracing: searched in single precision about its centre, measured in double
//! precision.
//!
//! # Law
//! The search for the closest triangle starts from a point on the ray near the mesh. The plane of
//! that triangle then gives
//! ```text
//!   t = n·(A - o)/(n·d),   n = (B - A) x (C - A)                (1)
//! ```
//! t is clamped to the distances of the nearest and the farthest corner along the ray, with a small
//! margin. Without the clamp (1) can be far off if the ray nearly lies in the plane of the
//! triangle.
//!
//! # Symbols
//! o origin, d direction, t distance along the ray; A, B, C corners.
//!
//! # Frames
//! Frame G of the mesh; internally about the centre of its bounding box.
//!
//! # Limits
//! Corners are rounded to 2^-24 of the size of the mesh. Rays do not hit triangles with corners
//! that are not finite, or that are farther than 1e12 m from the origin.
//!
//! # Checked by
//! The tests in this file; test/sensors/raytrace.rs, test/sensors/raytrace/meshes.rs,
//! test/witness/devices/raytrace.rs

use crate::bvh::{Bounds, BuildQuality, Tree};
use crate::probe::TreeRay;
use crate::ray_packet::{
    Arrival, PacketStack, PacketTraversal, RAYS, RayPacket, has_common_signs, pop_lowest_bit,
};
use crate::traverse::{BoxStack, RayPlanes, Traversal, TreeContents};
use crate::triangles::{Block, Corners, Nearest, face_index};
use merrow_math::Vec3;
use merrow_math::f32x8::F32x8;
/// Hit of a ray in the frame of a shape.
pub use merrow_model::scene::sea::terrain::CellHit as LocalHit;

/// Ray in the frame of a shape, with its range.
#[derive(Clone, Copy, Debug, Default)]
pub struct LocalRay {
    /// Origin of the ray [m], G.
    pub o: Vec3,
    /// Direction, a unit vector, G.
    pub d: Vec3,
    /// Minimum and maximum distance of a hit [m].
    pub range: [f64; 2],
    /// Distance at which the ray is near the shape [m]; the search starts there for precision.
    pub from: f64,
}

/// State of the search of a ray packet.
#[derive(Clone, Debug, Default)]
pub(crate) struct PacketSearch {
    /// Rays, to be set by the caller.
    pub local_rays: [LocalRay; RAYS],
    origins: [Vec3; RAYS],
    probes: [TreeRay; RAYS],
    best: [Nearest; RAYS],
    limits: [f32; RAYS],
    stack: PacketStack,
}

/// Triangle mesh with its tree.
#[derive(Clone, Debug)]
pub struct Mesh {
    /// Centre of the bounding box [m], G.
    center: Vec3,
    /// Half size of the bounding box [m].
    half: Vec3,
    blocks: Vec<Block>,
    /// Indices of the triangles in the blocks.
    faces: Vec<[u32; 8]>,
    tree: Tree,
}

impl Mesh {
    /// Builds the mesh of `triangles`, given as vertex indices, from `vertices` [m], G. The order
    /// of the triangles defines the face indices.
    pub fn new(vertices: &[Vec3], triangles: &[[u32; 3]]) -> Self {
        let corner = |k: u32| {
            let p = vertices.get(k as usize)?;
            p.to_array().iter().all(|x| x.abs() < 1e12).then_some(*p)
        };
        let finite_corners = |t: &[u32; 3]| Some([corner(t[0])?, corner(t[1])?, corner(t[2])?]);
        let (mut low, mut high) = ([f64::INFINITY; 3], [f64::NEG_INFINITY; 3]);
        for p in triangles.iter().filter_map(finite_corners).flatten() {
            for axis in 0..3 {
                low[axis] = low[axis].min(p[axis]);
                high[axis] = high[axis].max(p[axis]);
            }
        }
        if low[0] > high[0] {
            (low, high) = ([0.0; 3], [0.0; 3]);
        }
        let center = (Vec3::from(low) + Vec3::from(high)).scale(0.5);
        let half = (Vec3::from(high) - Vec3::from(low)).scale(0.5);
        let relative = |p: Vec3| (p - center).to_array().map(|x| x as f32);
        let corners = |t: &[u32; 3]| finite_corners(t).map(|c| c.map(relative));
        let faces: Vec<u32> = (0..triangles.len() as u32)
            .filter(|k| finite_corners(&triangles[*k as usize]).is_some())
            .collect();
        let corners_of = |k: u32| corners(&triangles[k as usize]).unwrap_or_default();
        // More than rounding: no ray can run exactly along a side of a box.
        let margin = half.x.max(half.y).max(half.z) as f32 * 2.0_f32.powi(-22) + 1e-30;
        let boxes: Vec<Bounds> = faces
            .iter()
            .map(|k| bounds(&corners_of(*k), margin))
            .collect();
        let (mut blocks, mut numbers) = (Vec::new(), Vec::new());
        let tree = Tree::new(&boxes, MAX_LEAF_TRIANGLES, BuildQuality::Best, |list| {
            let first = blocks.len();
            let mut list: Vec<u32> = list.iter().map(|i| faces[*i as usize]).collect();
            list.sort_unstable();
            pack_blocks(&list, corners_of, &mut blocks, &mut numbers);
            (first as u32, (blocks.len() - first) as u32)
        });
        blocks.shrink_to_fit();
        numbers.shrink_to_fit();
        Self {
            center,
            half,
            blocks,
            faces: numbers,
            tree,
        }
    }

    /// Returns the centre and half size of the bounding box [m], G.
    pub fn extent(&self) -> (Vec3, Vec3) {
        (self.center, self.half)
    }

    /// Returns the memory use of the mesh [bytes].
    pub fn bytes(&self) -> usize {
        self.tree.bytes() + self.blocks.len() * (size_of::<Block>() + size_of::<[u32; 8]>())
    }

    /// Returns true if the mesh has no triangles.
    #[inline(always)]
    pub fn is_empty(&self) -> bool {
        self.tree.nodes.is_empty()
    }

    /// Searches for the closest triangle that a ray hits or, if `ANY`, for any triangle. The mesh
    /// must not be empty.
    #[inline(always)]
    pub(crate) fn closest<E: F32x8, const ANY: bool>(
        &self,
        local_ray: &LocalRay,
        stack: &mut BoxStack,
    ) -> Option<LocalHit> {
        let o = self.origin(local_ray);
        let probe = TreeRay::new(o, local_ray.d, local_ray.range[0] - local_ray.from);
        let mut best = Nearest::with_limit(round_up_f32(local_ray.range[1] - local_ray.from));
        let (planes, mut traversal) = (RayPlanes::<E>::new(&probe), Traversal::new(&probe));
        loop {
            let down = match traversal.position() {
                Ok(number) => traversal.descend(stack, self, number, &planes, best.t),
                Err((first, count)) => {
                    for k in first..first + count {
                        self.blocks[k as usize].intersect::<E>(&probe, k, &self.faces, &mut best);
                    }
                    if ANY && best.is_some() {
                        break;
                    }
                    false
                }
            };
            if !down && !traversal.resume(stack, best.t) {
                break;
            }
        }
        best.is_some()
            .then(|| self.compute_hit(local_ray, o, &best))
    }

    /// Searches with the rays whose bits are set in `rays`, as one packet. The result stays in
    /// `search`.
    ///
    /// Returns false if the directions of the rays differ in the sign of a component.
    #[inline(always)]
    pub(crate) fn run_packet<E: F32x8>(&self, search: &mut PacketSearch, rays: u32) -> bool {
        let PacketSearch {
            local_rays,
            origins,
            probes,
            best,
            limits,
            stack,
        } = search;
        *limits = [f32::NEG_INFINITY; RAYS];
        let mut left = rays;
        while let Some(i) = pop_lowest_bit(&mut left) {
            let local_ray = &local_rays[i];
            origins[i] = self.origin(local_ray);
            probes[i] = TreeRay::new(origins[i], local_ray.d, local_ray.range[0] - local_ray.from);
            limits[i] = round_up_f32(local_ray.range[1] - local_ray.from);
            best[i] = Nearest::with_limit(limits[i]);
        }
        if !has_common_signs(probes, rays) {
            return false;
        }
        if self.is_empty() {
            return true;
        }
        let (packet, mut traversal) = (
            RayPacket::<E>::new(probes, rays),
            PacketTraversal::at_root(),
        );
        while let Some(arrival) = traversal.next(&packet, self, stack, limits) {
            let Arrival {
                leaf: (first, count),
                rays: mut left,
                ..
            } = arrival;
            while let Some(i) = pop_lowest_bit(&mut left) {
                for k in first..first + count {
                    self.blocks[k as usize].intersect::<E>(
                        &probes[i],
                        k,
                        &self.faces,
                        &mut best[i],
                    );
                }
                limits[i] = best[i].t;
            }
        }
        true
    }

    /// Returns the hit of ray `i` of a packet.
    #[inline(always)]
    pub(crate) fn packet_hit(&self, search: &PacketSearch, i: usize) -> Option<LocalHit> {
        let (local_ray, best) = (&search.local_rays[i], &search.best[i]);
        best.is_some()
            .then(|| self.compute_hit(local_ray, search.origins[i], best))
    }

    /// Returns the point at which the search of a ray starts, relative to the centre of the mesh
    /// [m].
    #[inline(always)]
    fn origin(&self, local_ray: &LocalRay) -> Vec3 {
        local_ray.o + local_ray.d.scale(local_ray.from) - self.center
    }

    /// Computes the hit on the triangle found. (1)
    #[inline(always)]
    fn compute_hit(&self, local_ray: &LocalRay, o: Vec3, best: &Nearest) -> LocalHit {
        let [a, b, c] = self.blocks[best.at.0 as usize].triangle(best.at.1 as usize);
        let n = (b - a).cross(c - a);
        let along = [
            local_ray.d.dot(a - o),
            local_ray.d.dot(b - o),
            local_ray.d.dot(c - o),
        ];
        let (near, far) = (
            along[0].min(along[1]).min(along[2]),
            along[0].max(along[1]).max(along[2]),
        );
        // A ray at a corner may miss it by the rounding error.
        let margin = 1e-3 * (far - near);
        let (near, far) = (near - margin, far + margin);
        let t = n.dot(a - o) / n.dot(local_ray.d);
        let t = if t.is_finite() { t } else { f64::from(best.t) };
        let distance = (local_ray.from + t.max(near).min(far))
            .max(local_ray.range[0])
            .min(local_ray.range[1]);
        let size = n.norm();
        let normal = if size > 0.0 {
            n.scale(1.0 / size)
        } else {
            -local_ray.d
        };
        LocalHit {
            distance,
            normal,
            face: face_index(&self.faces, best.at),
        }
    }
}

impl TreeContents for Mesh {
    #[inline(always)]
    fn tree(&self) -> &Tree {
        &self.tree
    }

    #[inline(always)]
    fn prefetch<E: F32x8>(&self, target: Result<usize, (u32, u32)>) {
        match target {
            Ok(number) => E::prefetch(&self.tree.nodes[number]),
            Err((first, count)) => {
                self.blocks[first as usize..(first + count) as usize]
                    .iter()
                    .for_each(E::prefetch);
            }
        }
    }
}

/// Maximum number of triangles in a leaf.
const MAX_LEAF_TRIANGLES: u32 = 12;

/// Packs the triangles of a leaf greedily into blocks.
fn pack_blocks(
    list: &[u32],
    corners: impl Fn(u32) -> Corners,
    blocks: &mut Vec<Block>,
    numbers: &mut Vec<[u32; 8]>,
) {
    let mut left = list.to_vec();
    while !left.is_empty() {
        let (mut block, mut number, mut points, mut count) = (Block::empty(), [u32::MAX; 8], 0, 0);
        left.retain(|face| {
            let is_added = block.add(&mut points, &corners(*face));
            if is_added {
                number[count] = *face;
                count += 1;
            }
            !is_added
        });
        blocks.push(block);
        numbers.push(number);
    }
}

/// Returns the single-precision upper bound of `x`, finite.
#[inline(always)]
pub(crate) fn round_up_f32(x: f64) -> f32 {
    let x = x as f32;
    (x + x.abs() * f32::EPSILON).min(f32::MAX)
}

fn bounds(t: &Corners, margin: f32) -> Bounds {
    let mut out = [t[0], t[0]];
    for p in &t[1..] {
        for axis in 0..3 {
            out[0][axis] = out[0][axis].min(p[axis]);
            out[1][axis] = out[1][axis].max(p[axis]);
        }
    }
    [out[0].map(|x| x - margin), out[1].map(|x| x + margin)]
}

#[cfg(test)]
mod tests {
    use super::*;
    use merrow_math::f32x8::Plain;
    use merrow_math::rng::{Draw, Stream};

    fn between(draw: &mut Draw, a: f64, b: f64) -> f64 {
        a + (b - a) * draw.uniform()
    }

    fn point(draw: &mut Draw, size: f64) -> Vec3 {
        Vec3::new(
            between(draw, -size, size),
            between(draw, -size, size),
            between(draw, -size, size),
        )
    }

    /// Returns the closest hit by testing every block.
    fn closest_by_brute_force(mesh: &Mesh, local_ray: &LocalRay) -> Option<LocalHit> {
        let o = local_ray.o + local_ray.d.scale(local_ray.from) - mesh.center;
        let probe = TreeRay::new(o, local_ray.d, local_ray.range[0] - local_ray.from);
        let mut best = Nearest::with_limit(round_up_f32(local_ray.range[1] - local_ray.from));
        for (k, block) in mesh.blocks.iter().enumerate() {
            block.intersect::<Plain>(&probe, k as u32, &mesh.faces, &mut best);
        }
        best.is_some()
            .then(|| mesh.compute_hit(local_ray, o, &best))
    }

    fn closest<E: F32x8>(mesh: &Mesh, local_ray: &LocalRay) -> Option<LocalHit> {
        mesh.closest::<E, false>(local_ray, &mut BoxStack::default())
    }

    // The tree finds the same triangle as testing every triangle, with bit-identical results in
    // AVX2 and portable code, and the any-hit search finds a hit if there is one. Method: 600
    // random triangles, some without area, 4000 rays from inside and outside, some along axes, some
    // short.
    #[test]
    fn tree_and_brute_force_agree() {
        let stream = Stream::new(7, "soup");
        let mut draw = stream.draw(0);
        let mut vertices = Vec::new();
        for k in 0..600 {
            let p = point(&mut draw, 20.0);
            let size = if k % 10 == 0 { 0.0 } else { 4.0 };
            vertices.extend([p, p + point(&mut draw, size), p + point(&mut draw, 4.0)]);
        }
        let triangles: Vec<[u32; 3]> = (0..600).map(|k| [3 * k, 3 * k + 1, 3 * k + 2]).collect();
        let mesh = Mesh::new(&vertices, &triangles);
        let mut hit_count = 0;
        for k in 0..4000 {
            let mut draw = stream.draw(k + 1);
            let o = point(&mut draw, if k % 2 == 0 { 15.0 } else { 60.0 });
            let axis = [
                Vec3::new(1.0, 0.0, 0.0),
                Vec3::new(0.0, -1.0, 0.0),
                Vec3::new(0.0, 0.0, 1.0),
            ];
            let aim = if k % 3 == 0 {
                Some(axis[k as usize / 3 % 3])
            } else {
                (point(&mut draw, 15.0) - o).unit()
            };
            let Some(d) = aim else { continue };
            let range = [0.0, if k % 5 == 0 { 10.0 } else { 1e4 }];
            let local_ray = LocalRay {
                o,
                d,
                range,
                from: 0.0,
            };
            let expected = closest_by_brute_force(&mesh, &local_ray);
            let found = closest::<Plain>(&mesh, &local_ray);
            assert_eq!(found, expected, "{local_ray:?}");
            let any = mesh.closest::<Plain, true>(&local_ray, &mut BoxStack::default());
            assert_eq!(any.is_some(), found.is_some());
            #[cfg(target_arch = "x86_64")]
            if merrow_math::f64x4::is_supported() {
                use merrow_math::f32x8::Register;
                assert_eq!(
                    closest::<Register>(&mesh, &local_ray),
                    expected,
                    "{local_ray:?}"
                );
            }
            hit_count += u32::from(found.is_some());
        }
        assert!(hit_count > 1000 && hit_count < 3900, "{hit_count}");
    }
}
