//! Watertight ray-triangle intersection on blocks of up to eight triangles.
//!
//! # Law
//! ```text
//!   A, B, C        corners from the ray's origin, sheared so that the ray is the axis z'
//!   U = C_x B_y - C_y B_x,  V = A_x C_y - A_y C_x,  W = B_x A_y - B_y A_x  (1)
//!   hit:  U, V, W >= 0  or  U, V, W <= 0                                   (2)
//!   t = (U A_z + V B_z + W C_z)/(d_z (U + V + W))                          (3)
//!   (1) [Woop 2013, sec. 3]
//! ```
//! Two triangles with a common edge compute the same two products for it and subtract them in
//! opposite order. (1) therefore has opposite signs, or is zero in both, and (2) counts zero as
//! inside. No ray passes between two triangles. A fused multiply-add would break this property.
//!
//! # Symbols
//! t distance along the ray; U, V, W twice the areas opposite to A, B, C, projected along the ray.
//!
//! # Frames
//! Frame of the mesh.
//!
//! # Limits
//! A ray does not hit a triangle that is exactly edge-on. Corners have single precision relative to
//! the centre of the mesh.
//!
//! # Checked by
//! The tests in this file and in `mesh.rs`; test/sensors/raytrace.rs,
//! test/witness/devices/raytrace.rs

use crate::probe::TreeRay;
use merrow_math::Vec3;
use merrow_math::f32x8::F32x8;

/// Corners of a triangle in single precision [m].
pub type Corners = [[f32; 3]; 3];

/// Up to eight triangles that share up to eight points; adjacent triangles share most of their
/// corners.
#[derive(Clone, Debug)]
#[repr(C, align(64))]
pub struct Block {
    /// Coordinates by axis and point [m].
    points: [[f32; 8]; 3],
    /// Point index by corner and triangle.
    corners: [[u8; 8]; 3],
    /// Bit mask of the triangles in use.
    used: u32,
}

/// Closest triangle so far.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Nearest {
    /// Distance along the ray [m]; the limit of the search if there is no hit.
    pub t: f32,
    /// Index of the block, and of the triangle in it.
    pub at: (u32, u32),
}

impl Nearest {
    /// Creates a search without a hit; hits beyond `limit` [m] are ignored.
    pub(crate) fn with_limit(limit: f32) -> Self {
        Self {
            t: limit,
            at: (u32::MAX, 0),
        }
    }

    /// Returns true if there is a hit.
    #[inline(always)]
    pub fn is_some(&self) -> bool {
        self.at.0 != u32::MAX
    }

    #[inline(always)]
    fn has_distance(&self, t: f32) -> bool {
        self.is_some() && t == self.t
    }
}

impl Block {
    /// Creates a block without triangles.
    pub fn empty() -> Self {
        Self {
            points: [[0.0; 8]; 3],
            corners: [[0; 8]; 3],
            used: 0,
        }
    }

    /// Adds a triangle; `points` is the number of points in use. Returns false if there is no room.
    pub fn add(&mut self, points: &mut usize, triangle: &Corners) -> bool {
        let slot = self.used.count_ones() as usize;
        let (mut extended, mut count, mut indices) = (self.points, *points, [0; 3]);
        for (corner, p) in triangle.iter().enumerate() {
            let same =
                |i: &usize| (0..3).all(|axis| extended[axis][*i].to_bits() == p[axis].to_bits());
            let at = (0..count).find(same).unwrap_or(count);
            if at == 8 || slot == 8 {
                return false;
            }
            if at == count {
                (0..3).for_each(|axis| extended[axis][at] = p[axis]);
                count += 1;
            }
            indices[corner] = at as u8;
        }
        (self.points, *points) = (extended, count);
        (0..3).for_each(|corner| self.corners[corner][slot] = indices[corner]);
        self.used |= 1 << slot;
        true
    }

    /// Returns the corners of triangle `i` [m], in the frame of the mesh.
    #[inline(always)]
    pub fn triangle(&self, i: usize) -> [Vec3; 3] {
        let [a, b, c] = &self.corners;
        [
            self.point(a[i & 7]),
            self.point(b[i & 7]),
            self.point(c[i & 7]),
        ]
    }

    #[inline(always)]
    fn point(&self, i: u8) -> Vec3 {
        let ([x, y, z], i) = (&self.points, usize::from(i & 7));
        Vec3::new(f64::from(x[i]), f64::from(y[i]), f64::from(z[i]))
    }

    /// Intersects the triangles with `probe` and updates `best` if one is closer. At equal
    /// distances the lowest number in `faces` wins. `at` is the index of the block.
    #[inline(always)]
    pub(crate) fn intersect<E: F32x8>(
        &self,
        probe: &TreeRay,
        at: u32,
        faces: &[[u32; 8]],
        best: &mut Nearest,
    ) {
        let [kx, ky, kz] = probe.k;
        let z = E::read(&self.points[kz]).sub(E::splat(probe.o[kz]));
        let x = E::read(&self.points[kx])
            .sub(E::splat(probe.o[kx]))
            .sub(E::splat(probe.shear[0]).mul(z));
        let y = E::read(&self.points[ky])
            .sub(E::splat(probe.o[ky]))
            .sub(E::splat(probe.shear[1]).mul(z));
        let (a, b, c) = (
            E::permutation(&self.corners[0]),
            E::permutation(&self.corners[1]),
            E::permutation(&self.corners[2]),
        );
        let (ax, bx, cx) = (x.permute(a), x.permute(b), x.permute(c));
        let (ay, by, cy) = (y.permute(a), y.permute(b), y.permute(c));
        // (1)
        let u = cx.mul(by).sub(cy.mul(bx));
        let v = ax.mul(cy).sub(ay.mul(cx));
        let w = bx.mul(ay).sub(by.mul(ax));
        // (2)
        let zero = E::splat(0.0);
        let inside = zero.less_or_equal(u.lane_min(v).lane_min(w))
            | u.lane_max(v).lane_max(w).less_or_equal(zero);
        let inside = inside & self.used;
        if inside == 0 {
            return;
        }
        // (3)
        let scaled_distance = u
            .mul(z.permute(a))
            .add(v.mul(z.permute(b)))
            .add(w.mul(z.permute(c)));
        let t = scaled_distance
            .mul(E::splat(probe.shear[2]))
            .div(u.add(v).add(w));
        let mut left =
            inside & E::splat(probe.low).less_or_equal(t) & t.less_or_equal(E::splat(best.t));
        if left == 0 {
            return;
        }
        let mut ts = [0.0; 8];
        t.write(&mut ts);
        while left != 0 {
            let i = left.trailing_zeros();
            left &= left - 1;
            let t = ts[i as usize & 7];
            if t < best.t
                || best.has_distance(t) && face_index(faces, (at, i)) < face_index(faces, best.at)
            {
                *best = Nearest { t, at: (at, i) };
            }
        }
    }
}

/// Returns the face index of the triangle `at` (block, triangle).
#[inline(always)]
pub(crate) fn face_index(faces: &[[u32; 8]], at: (u32, u32)) -> u32 {
    faces[at.0 as usize][at.1 as usize & 7]
}

#[cfg(test)]
mod tests {
    use super::*;
    use merrow_math::f32x8::Plain;
    use merrow_math::rng::Stream;

    /// Returns the hit of `probe` in `block`.
    fn intersect_block<E: F32x8>(block: &Block, probe: &TreeRay) -> Nearest {
        let mut best = Nearest::with_limit(1e9);
        block.intersect::<E>(probe, 0, &[[0, 1, 2, 3, 4, 5, 6, 7]], &mut best);
        best
    }

    // No ray passes between adjacent triangles. Method: 20 000 fans of six triangles around a
    // corner, uneven but not folded along the ray, near and far; one ray at the corner, one at a
    // point of an edge, with rounding. Tolerance: no misses; AVX2 and portable code give
    // bit-identical results.
    #[test]
    fn rays_at_edges_and_corners_hit() {
        let stream = Stream::new(5, "fans");
        for k in 0..20_000 {
            let mut draw = stream.draw(k);
            let mut between = |a: f64, b: f64| a + (b - a) * draw.uniform();
            let size = [1e-3, 1.0, 300.0][k as usize % 3];
            let center = Vec3::new(
                between(-size, size),
                between(-size, size),
                between(-size, size),
            );
            let single = |v: Vec3| v.to_array().map(|x| x as f32);
            let ring: Vec<[f32; 3]> = (0..6)
                .map(|i| {
                    let (s, c) =
                        merrow_math::real::sin_cos(f64::from(i) * std::f64::consts::FRAC_PI_3);
                    let r = size * between(0.5, 1.0);
                    single(center + Vec3::new(r * c, r * s, between(-0.2, 0.2) * size))
                })
                .collect();
            let (mut block, mut points) = (Block::empty(), 0);
            for i in 0..6 {
                assert!(block.add(&mut points, &[single(center), ring[i], ring[(i + 1) % 6]]));
            }
            let along = between(0.0, 1.0);
            let exact = |p: [f32; 3]| Vec3::from(p.map(f64::from));
            let (corner, ring_point) = (exact(single(center)), exact(ring[k as usize % 6]));
            for target in [corner, corner.scale(1.0 - along) + ring_point.scale(along)] {
                let level = [between(-0.3, 0.3), between(-0.3, 0.3), -1.0];
                let d = if k % 2 == 0 { [0.0, 0.0, -1.0] } else { level };
                let d = Vec3::from(d).unit().unwrap_or_default();
                let origin = exact(single(target - d.scale(size * between(0.5, 5.0))));
                let Some(d) = (target - origin).unit() else {
                    continue;
                };
                let probe = TreeRay::new(origin, d, 0.0);
                let plain = intersect_block::<Plain>(&block, &probe);
                assert!(plain.is_some(), "{k}: {target:?} from {origin:?}");
                #[cfg(target_arch = "x86_64")]
                if merrow_math::f64x4::is_supported() {
                    assert_eq!(
                        plain,
                        intersect_block::<merrow_math::f32x8::Register>(&block, &probe)
                    );
                }
            }
        }
    }

    // Of triangles at the same distance the lowest number is hit. Method: one triangle eight times.
    #[test]
    fn lowest_face_index_wins_at_equal_distance() {
        let triangle = [[-1.0, -1.0, 0.0], [1.0, -1.0, 0.0], [0.0, 1.0, 0.0]];
        let (mut block, mut points) = (Block::empty(), 0);
        (0..8).for_each(|_| assert!(block.add(&mut points, &triangle)));
        assert!(!block.add(&mut points, &triangle));
        let probe = TreeRay::new(Vec3::new(0.1, 0.0, 2.0), Vec3::new(0.0, 0.0, -1.0), 0.0);
        let mut best = Nearest::with_limit(1e9);
        block.intersect::<Plain>(&probe, 0, &[[7, 6, 5, 0, 4, 3, 2, 1]], &mut best);
        assert_eq!((best.t, best.at), (2.0, (0, 3)));
        // The minimum distance is beyond the triangle.
        let probe = TreeRay::new(Vec3::new(0.1, 0.0, 2.0), Vec3::new(0.0, 0.0, -1.0), 2.1);
        assert!(!intersect_block::<Plain>(&block, &probe).is_some());
    }
}
