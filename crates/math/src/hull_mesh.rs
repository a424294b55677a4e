//! Submerged part of a closed triangle mesh and the pressure force on it.
//!
//! Depth and pressure are given at the vertices and are linear over each triangle. Triangles that
//! cross the surface are clipped exactly along it. The integrals over the submerged part are closed
//! forms, so a flat surface gives the Archimedes force to rounding error. Both triangles of an edge
//! compute its waterline point from the same two vertices, so the clipped mesh has no gaps.

use crate::componentwise::componentwise;
use crate::revolution::axis_of_revolution;
use crate::{MAX_LANES, Mat3, Packed, Real, SpatialForce, Vec3, with_lanes};

/// Closed triangle mesh of a hull with outward normals.
#[derive(Clone, Debug, PartialEq)]
pub struct HullMesh {
    /// Vertex positions in the hull frame [m].
    pub vertices: Vec<Vec3>,
    /// Vertex indices of each triangle, counter-clockwise seen from outside.
    pub triangles: Vec<[u32; 3]>,
    /// Vertex coordinates by axis [m]. The last vertex is repeated to fill a whole number of groups
    /// of [`MAX_LANES`].
    pub coordinates: [Vec<f64>; 3],
    /// Triangles sorted by height, so that most panels are entirely submerged or entirely dry.
    panels: Vec<Panel>,
    /// Volume enclosed by the mesh [m³].
    pub volume: f64,
    /// Centroid of the enclosed volume [m].
    pub centroid: Vec3,
    /// Unit vector along the axis of revolution, which contains the centroid, if there is one.
    pub axis: Option<Vec3>,
    /// Minimum and maximum corner of the axis-aligned bounding box [m].
    pub bounds: [Vec3; 2],
}

/// Group of [`MAX_LANES`] triangles for SIMD. Missing triangles of the last panel have zero area.
#[derive(Clone, Debug, PartialEq)]
struct Panel {
    /// Vertex indices of the three corners.
    corners: [[u32; MAX_LANES]; 3],
    /// Components of the area times the outward normal [m²].
    area: [[f64; MAX_LANES]; 3],
    /// For each corner, the coordinates of one twelfth of (sum of the three corners + this corner)
    /// [m].
    share: [[[f64; MAX_LANES]; 3]; 3],
}

/// Triangle corner with the water depth and pressure there.
#[derive(Clone, Copy, Debug)]
struct Corner<T = f64> {
    /// Position of the corner [m].
    p: Vec3<T>,
    /// Depth below the surface, negative above it [m].
    depth: T,
    /// Pressure divided by ρ g [m].
    head: T,
}

/// Vertex positions, depths and pressures of a mesh, and the upward unit vector.
struct WaterState<'a> {
    vertices: &'a [Vec3],
    water: &'a [[f64; 2]],
    up: Vec3,
}

/// Integrals over the part below the surface, in the frame of the mesh.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SubmergedIntegrals<T = f64> {
    /// Volume below the surface [m³].
    pub volume: T,
    /// First moment of volume ∫ r dV [m⁴].
    pub first_moment: Vec3<T>,
    /// Pressure force and its moment about the origin, divided by ρ g: force [m³], moment [m⁴].
    pub pressure: SpatialForce<T>,
}

componentwise!(SubmergedIntegrals { volume: T, first_moment: Vec3<T>, pressure: SpatialForce<T> });

impl SubmergedIntegrals {
    /// Returns the centroid of the part below the surface [m], in the frame of the mesh, or `None`
    /// if no part is below it.
    #[inline]
    pub fn centroid(&self) -> Option<Vec3> {
        (self.volume > 0.0).then(|| self.first_moment.scale(1.0 / self.volume))
    }

    /// Returns the integrals of the mirror image, whose points are `offset + S r` [m] with the
    /// reflection `S`.
    pub fn reflected(&self, S: &Mat3, offset: Vec3) -> Self {
        let f = S.mul_vec(self.pressure.f);
        Self {
            volume: self.volume,
            first_moment: S.mul_vec(self.first_moment) + offset.scale(self.volume),
            pressure: SpatialForce::new(offset.cross(f) - S.mul_vec(self.pressure.m), f),
        }
    }
}

impl HullMesh {
    /// Creates the hull mesh from the vertices [m] and the triangles of a closed surface.
    pub fn new(vertices: Vec<Vec3>, triangles: Vec<[u32; 3]>) -> Self {
        let corner = |k: u32| vertices[k as usize];
        let first = vertices.first().copied().unwrap_or(Vec3::zero());
        let bounds = vertices.iter().fold([first, first], |[low, high], v| {
            let with =
                |f: fn(f64, f64) -> f64, a: Vec3| Vec3::new(f(a.x, v.x), f(a.y, v.y), f(a.z, v.z));
            [with(f64::min, low), with(f64::max, high)]
        });
        // relative to the centre of the bounds: avoids loss of precision for a mesh far from its
        // origin
        let center = (bounds[0] + bounds[1]).scale(0.5);
        let (mut volume, mut moment) = (0.0, Vec3::zero());
        for t in &triangles {
            let [a, b, c] = t.map(|k| corner(k) - center);
            let v = a.dot(b.cross(c)) / 6.0;
            volume += v;
            moment += (a + b + c).scale(0.25 * v);
        }
        let centroid = center
            + if volume > 0.0 {
                moment.scale(1.0 / volume)
            } else {
                Vec3::zero()
            };
        let coordinates = [0, 1, 2].map(|axis| padded(vertices.iter().map(|v| v[axis]).collect()));
        let panels = panels(&vertices, &triangles);
        let axis = axis_of_revolution(&vertices, &triangles, centroid);
        Self {
            vertices,
            triangles,
            coordinates,
            panels,
            volume,
            centroid,
            axis,
            bounds,
        }
    }

    /// Returns the centre of the bounding box [m], in the frame of the mesh, and the radius of a
    /// sphere about it that contains all vertices [m].
    pub fn bounding_sphere(&self) -> (Vec3, f64) {
        let center = (self.bounds[0] + self.bounds[1]).scale(0.5);
        (
            center,
            self.vertices
                .iter()
                .map(|v| (*v - center).norm())
                .fold(0.0, f64::max),
        )
    }

    /// Transforms all vertices by the rotation `R` and the translation `p` [m] and writes the x, y
    /// and z coordinates [m] to `out`. Both and the result are in the target frame of `R`. Each
    /// output slice has the length of `coordinates[0]`.
    pub fn transform_vertices(&self, R: &Mat3, p: Vec3, out: [&mut [f64]; 3]) {
        transform(crate::f64x4::is_supported(), self, R, p, out);
    }

    #[inline(always)]
    fn transform_in<T: Packed>(&self, R: &Mat3, p: Vec3, [x, y, z]: [&mut [f64]; 3]) {
        let (R, p) = (Mat3::<T>::splat(*R), Vec3::<T>::splat(p));
        let [a, b, c] = &self.coordinates;
        let from = lane_groups(a)
            .iter()
            .zip(lane_groups(b))
            .zip(lane_groups(c));
        let to = lane_groups_mut(x)
            .iter_mut()
            .zip(lane_groups_mut(y))
            .zip(lane_groups_mut(z));
        for (((a, b), c), ((x, y), z)) in from.zip(to) {
            let v = p + R.mul_vec(Vec3::new(T::read(a), T::read(b), T::read(c)));
            v.x.write(x);
            v.y.write(y);
            v.z.write(z);
        }
    }

    /// Computes the integrals over the part below the surface. `water[i]` holds the depth of vertex
    /// i below the surface (negative above) [m] and the pressure there divided by ρ g [m]. `up` is
    /// the upward unit vector, and the result is about the origin, both in the frame of the mesh.
    pub fn submerged_integrals(&self, water: &[[f64; 2]], up: Vec3) -> SubmergedIntegrals {
        sums(crate::f64x4::is_supported(), self, water, up)
    }

    /// Implements [`Self::submerged_integrals`] with the lanes of `T`; `T` must have [`MAX_LANES`]
    /// lanes.
    #[inline(always)]
    fn sums<T: Packed>(&self, water: &[[f64; 2]], up: Vec3) -> SubmergedIntegrals {
        let water = WaterState {
            vertices: &self.vertices,
            water,
            up,
        };
        let mut sums = SubmergedIntegrals::<T>::zero();
        let (mut one_submerged, mut two_submerged) =
            (PendingTriangles::default(), PendingTriangles::default());
        for panel in &self.panels {
            let [a, b, c] = &panel.corners;
            let (of_a, of_b, of_c) = (
                water.depths_and_heads::<T>(a),
                water.depths_and_heads::<T>(b),
                water.depths_and_heads::<T>(c),
            );
            let (depths, heads) = ([of_a[0], of_b[0], of_c[0]], [of_a[1], of_b[1], of_c[1]]);
            let (wet_a, wet_b, wet_c) = (
                depths[0].positive_mask(),
                depths[1].positive_mask(),
                depths[2].positive_mask(),
            );
            let (any_wet, wet) = (wet_a | wet_b | wet_c, wet_a & wet_b & wet_c);
            if wet != 0 {
                let all = wet == ALL;
                let (depths, heads) = if all {
                    (depths, heads)
                } else {
                    (mask_corners(depths, wet), mask_corners(heads, wet))
                };
                let [a, b, c] = &panel.share;
                let shares = [vector(a), vector(b), vector(c)];
                sums.add(vector(&panel.area), shares, depths, heads, Vec3::splat(up));
            }
            let mut crossed = any_wet & !wet;
            while crossed != 0 {
                let i = crossed.trailing_zeros() as usize;
                crossed &= crossed - 1;
                let (a, b, c) = (a[i], b[i], c[i]);
                // rotated so that the corner that differs from the other two comes first
                let (is_one_submerged, corners) =
                    match (wet_a >> i & 1, wet_b >> i & 1, wet_c >> i & 1) {
                        (1, 0, 0) => (true, [a, b, c]),
                        (0, 1, 0) => (true, [b, c, a]),
                        (0, 0, 1) => (true, [c, a, b]),
                        (0, 1, 1) => (false, [a, b, c]),
                        (1, 0, 1) => (false, [b, c, a]),
                        _ => (false, [c, a, b]),
                    };
                if is_one_submerged {
                    if one_submerged.is_full_with(corners) {
                        sums.add_one_submerged(&one_submerged.drain(), &water);
                    }
                } else if two_submerged.is_full_with(corners) {
                    sums.add_two_submerged(&two_submerged.drain(), &water);
                }
            }
        }
        let mut rest = SubmergedIntegrals::<f64>::zero();
        for i in 0..one_submerged.n {
            rest.add_one_submerged(&one_submerged.single(i), &water);
        }
        for i in 0..two_submerged.n {
            rest.add_two_submerged(&two_submerged.single(i), &water);
        }
        (sums.lane(0) + sums.lane(1)) + (sums.lane(2) + sums.lane(3)) + rest
    }

    /// Returns the triangles below a plane, clipped at it [m]. The plane has the unit normal `up`;
    /// the origin is `height` [m] above it. All are in the frame of the mesh.
    pub fn clip_below_plane(&self, up: Vec3, height: f64) -> Vec<[Vec3; 3]> {
        let heights = self.vertices.iter().map(|p| up.dot(*p) + height);
        let heights: Vec<f64> = heights.collect();
        clip_submerged(&self.vertices, &self.triangles, &heights)
    }

    /// Computes the force and moment about the origin of a pressure that is linear over a triangle,
    /// from its values `head` at the corners (pressure divided by ρ g [m]): force [m³], moment
    /// [m⁴].
    pub fn pressure_wrench(t: &[Vec3; 3], head: [f64; 3]) -> SpatialForce {
        let corner = |i: usize| Corner {
            p: t[i],
            depth: 0.0,
            head: head[i],
        };
        let mut sum = SubmergedIntegrals::<f64>::zero();
        sum.add_triangles(&corner(0), &corner(1), &corner(2), Vec3::zero());
        sum.pressure
    }

    /// Computes [`Self::submerged_integrals`] for a plane with the unit normal `up`; the origin is
    /// `height` [m] above the plane.
    pub fn submerged_below_plane(&self, up: Vec3, height: f64) -> SubmergedIntegrals {
        let depth = |p: &Vec3| [-(up.dot(*p) + height); 2];
        self.submerged_integrals(&self.vertices.iter().map(depth).collect::<Vec<_>>(), up)
    }
}

/// Computes the area of a triangle times its normal [m²].
#[inline(always)]
fn area<T: Real>(a: Vec3<T>, b: Vec3<T>, c: Vec3<T>) -> Vec3<T> {
    (b - a).cross(c - a).scale(T::splat(0.5))
}

/// Interpolates the surface point on the edge between a submerged and a dry corner.
#[inline(always)]
fn waterline<T: Real>(wet: &Corner<T>, dry: &Corner<T>) -> Corner<T> {
    let t = wet.depth / (wet.depth - dry.depth);
    Corner {
        p: wet.p + (dry.p - wet.p).scale(t),
        depth: T::zero(),
        head: T::zero(),
    }
}

/// Mask with all lanes of a panel.
const ALL: u32 = (1 << MAX_LANES) - 1;

with_lanes! {
    "avx2,bmi1",
    fn sums(mesh: &HullMesh, water: &[[f64; 2]], up: Vec3) -> SubmergedIntegrals = HullMesh::sums
}
with_lanes! {
    "avx2",
    fn transform(mesh: &HullMesh, R: &Mat3, p: Vec3, out: [&mut [f64]; 3]) = HullMesh::transform_in
}

/// Returns the triangles of a closed surface that are under water, clipped along the water [m], in
/// the frame of `vertices` [m]. `heights` are the heights of the vertices above the water [m].
pub fn clip_submerged(
    vertices: &[Vec3],
    triangles: &[[u32; 3]],
    heights: &[f64],
) -> Vec<[Vec3; 3]> {
    let corner = |k: usize| Corner {
        p: vertices[k],
        depth: -heights[k],
        head: -heights[k],
    };
    let mut out = Vec::new();
    for t in triangles {
        let c = t.map(|k| corner(k as usize));
        let is_wet = c.map(|c| c.depth > 0.0);
        // rotated so that the corner that differs comes first
        let single =
            (0..3).find(|i| is_wet[*i] != is_wet[(i + 1) % 3] && is_wet[*i] != is_wet[(i + 2) % 3]);
        let [a, b, d] = [0, 1, 2].map(|i| c[(single.unwrap_or(0) + i) % 3]);
        match (single, a.depth > 0.0) {
            (None, true) => out.push([a.p, b.p, d.p]),
            (None, false) => {}
            (Some(_), true) => out.push([a.p, waterline(&a, &b).p, waterline(&a, &d).p]),
            (Some(_), false) => {
                let (ba, da) = (waterline(&b, &a).p, waterline(&d, &a).p);
                out.extend([[b.p, d.p, da], [b.p, da, ba]]);
            }
        }
    }
    out
}

/// Splits a slice into whole groups of [`MAX_LANES`] numbers, without a change of their unit.
pub fn lane_groups(list: &[f64]) -> &[[f64; MAX_LANES]] {
    list.as_chunks().0
}

/// Splits a mutable slice into whole groups of [`MAX_LANES`] numbers, without a change of their
/// unit.
pub fn lane_groups_mut(list: &mut [f64]) -> &mut [[f64; MAX_LANES]] {
    list.as_chunks_mut().0
}

/// Repeats the last number until the list is a whole number of groups.
fn padded(mut list: Vec<f64>) -> Vec<f64> {
    let last = list.last().copied().unwrap_or(0.0);
    list.resize(list.len().next_multiple_of(MAX_LANES), last);
    list
}

fn panels(vertices: &[Vec3], triangles: &[[u32; 3]]) -> Vec<Panel> {
    let positions = |t: &[u32; 3]| t.map(|k| vertices[k as usize]);
    let height = |t: &[u32; 3]| positions(t).iter().map(|p| p.z).sum::<f64>();
    let mut sorted = triangles.to_vec();
    sorted.sort_by(|a, b| height(a).total_cmp(&height(b)));
    let build_panel = |group: &[[u32; 3]]| {
        let zeros = [[0.0; MAX_LANES]; 3];
        let mut panel = Panel {
            corners: [[0; MAX_LANES]; 3],
            area: zeros,
            share: [zeros; 3],
        };
        for (i, t) in group.iter().enumerate() {
            let p = positions(t);
            let (area, share) = (area(p[0], p[1], p[2]), shares(p));
            for k in 0..3 {
                panel.corners[k][i] = t[k];
                panel.area[k][i] = area[k];
                (0..3).for_each(|axis| panel.share[k][axis][i] = share[k][axis]);
            }
        }
        panel
    };
    sorted.chunks(MAX_LANES).map(build_panel).collect()
}

/// Computes one twelfth of (sum of the corners + each corner): for linear f, the mean of f r over a
/// triangle is ∫ f r / A = Σ f share.
#[inline(always)]
fn shares<T: Real>(p: [Vec3<T>; 3]) -> [Vec3<T>; 3] {
    let all = p[0] + p[1] + p[2];
    let k = T::splat(1.0 / 12.0);
    [
        (all + p[0]).scale(k),
        (all + p[1]).scale(k),
        (all + p[2]).scale(k),
    ]
}

/// Buffer of triangles that cross the surface, processed when all lanes are filled.
#[derive(Default)]
struct PendingTriangles {
    corners: [[u32; MAX_LANES]; 3],
    n: usize,
}

impl PendingTriangles {
    /// Appends a triangle; returns true when the buffer is full.
    #[inline(always)]
    fn is_full_with(&mut self, corners: [u32; 3]) -> bool {
        for (list, corner) in self.corners.iter_mut().zip(corners) {
            list[self.n] = corner;
        }
        self.n += 1;
        self.n == MAX_LANES
    }

    #[inline(always)]
    fn drain(&mut self) -> [[u32; MAX_LANES]; 3] {
        self.n = 0;
        self.corners
    }

    /// Returns triangle `i` in every lane.
    fn single(&self, i: usize) -> [[u32; MAX_LANES]; 3] {
        self.corners.map(|list| [list[i]; MAX_LANES])
    }
}

// no closures below this line: they would be compiled without AVX2

impl WaterState<'_> {
    /// Returns the corners with the vertex indices `k`.
    #[inline(always)]
    fn corners<T: Packed>(&self, k: &[u32; MAX_LANES]) -> Corner<T> {
        let [depth, head] = self.depths_and_heads(k);
        let vertices = self.vertices;
        if T::LANES == 1 {
            return Corner {
                p: Vec3::splat(vertices[k[0] as usize]),
                depth,
                head,
            };
        }
        let [a, b, c, d] = [
            &vertices[k[0] as usize],
            &vertices[k[1] as usize],
            &vertices[k[2] as usize],
            &vertices[k[3] as usize],
        ];
        let (x, y) = (
            T::read(&[a.x, b.x, c.x, d.x]),
            T::read(&[a.y, b.y, c.y, d.y]),
        );
        Corner {
            p: Vec3::new(x, y, T::read(&[a.z, b.z, c.z, d.z])),
            depth,
            head,
        }
    }

    /// Returns depth and pressure head at the vertices with the indices `k`.
    #[inline(always)]
    fn depths_and_heads<T: Packed>(&self, k: &[u32; MAX_LANES]) -> [T; 2] {
        let water = self.water;
        if T::LANES == 1 {
            let [depth, head] = water[k[0] as usize];
            return [T::splat(depth), T::splat(head)];
        }
        let [a, b, c, d] = [
            &water[k[0] as usize],
            &water[k[1] as usize],
            &water[k[2] as usize],
            &water[k[3] as usize],
        ];
        [
            T::read(&[a[0], b[0], c[0], d[0]]),
            T::read(&[a[1], b[1], c[1], d[1]]),
        ]
    }
}

/// Sets the lanes that are not in the mask `lanes` to zero.
#[inline(always)]
fn mask_corners<T: Packed>([a, b, c]: [T; 3], lanes: u32) -> [T; 3] {
    [
        mask_lanes(a, lanes),
        mask_lanes(b, lanes),
        mask_lanes(c, lanes),
    ]
}

#[inline(always)]
fn mask_lanes<T: Packed>(x: T, lanes: u32) -> T {
    let mut list = [0.0; MAX_LANES];
    x.write(&mut list);
    for (i, x) in list.iter_mut().enumerate() {
        if lanes >> i & 1 == 0 {
            *x = 0.0;
        }
    }
    T::read(&list)
}

#[inline(always)]
fn vector<T: Packed>([x, y, z]: &[[f64; MAX_LANES]; 3]) -> Vec3<T> {
    Vec3::new(T::read(x), T::read(y), T::read(z))
}

/// Computes ∫ f r over a triangle divided by its area, for linear f.
#[inline(always)]
fn moment<T: Real>(share: &[Vec3<T>; 3], f: [T; 3]) -> Vec3<T> {
    share[0].scale(f[0]) + share[1].scale(f[1]) + share[2].scale(f[2])
}

impl<T: Real> SubmergedIntegrals<T> {
    /// Adds whole triangles from their vector areas, shares, depths `d` and pressure heads `head`
    /// at the corners.
    #[inline(always)]
    fn add(&mut self, area: Vec3<T>, share: [Vec3<T>; 3], d: [T; 3], head: [T; 3], up: Vec3<T>) {
        let third = 1.0 / 3.0;
        self.pressure.f -= area.scale((head[0] + head[1] + head[2]) * third);
        self.pressure.m -= moment(&share, head).cross(area);
        // div(-d ẑ) = 1, div(-d r - ½ d² ẑ) along ẑ = r: the waterplane, where d = 0, contributes
        // zero
        let sum = d[0] + d[1] + d[2];
        let square = (sum * sum + d[0] * d[0] + d[1] * d[1] + d[2] * d[2]) * (1.0 / 12.0);
        let level = area.dot(up);
        self.volume -= sum * third * level;
        self.first_moment -= (moment(&share, d) + up.scale(square * 0.5)).scale(level);
    }
}

impl<T: Packed> SubmergedIntegrals<T> {
    #[inline(always)]
    fn add_triangles(&mut self, a: &Corner<T>, b: &Corner<T>, c: &Corner<T>, up: Vec3) {
        let p = [a.p, b.p, c.p];
        let (depth, head) = ([a.depth, b.depth, c.depth], [a.head, b.head, c.head]);
        self.add(
            area(p[0], p[1], p[2]),
            shares(p),
            depth,
            head,
            Vec3::splat(up),
        );
    }

    /// Adds the clipped triangles with only the first corner below the surface.
    #[inline(always)]
    fn add_one_submerged(&mut self, [wet, b, c]: &[[u32; MAX_LANES]; 3], water: &WaterState<'_>) {
        let wet = water.corners(wet);
        let (ab, ac) = (
            waterline(&wet, &water.corners(b)),
            waterline(&wet, &water.corners(c)),
        );
        self.add_triangles(&wet, &ab, &ac, water.up);
    }

    /// Adds the clipped triangles with only the first corner above the surface.
    #[inline(always)]
    fn add_two_submerged(&mut self, [dry, b, c]: &[[u32; MAX_LANES]; 3], water: &WaterState<'_>) {
        let (dry, b, c) = (water.corners(dry), water.corners(b), water.corners(c));
        let (ba, ca) = (waterline(&b, &dry), waterline(&c, &dry));
        self.add_triangles(&b, &c, &ca, water.up);
        self.add_triangles(&b, &ca, &ba, water.up);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Lanes;
    use crate::hull_cut::HullShape;

    fn cube() -> HullMesh {
        let vertices = (0..8).map(|i| {
            let side = |bit: i32| if i >> bit & 1 == 1 { 0.5 } else { -0.5 };
            Vec3::new(side(0), side(1), side(2))
        });
        let quads = [
            [0, 4, 6, 2],
            [1, 3, 7, 5],
            [0, 1, 5, 4],
            [2, 6, 7, 3],
            [0, 2, 3, 1],
            [4, 5, 7, 6],
        ];
        let triangles = quads
            .iter()
            .flat_map(|q| [[q[0], q[1], q[2]], [q[0], q[2], q[3]]]);
        HullMesh::new(vertices.collect(), triangles.collect())
    }

    // A mesh of a box is cut as the box itself. Method: planes in general attitudes at all heights,
    // compared with the sum over tetrahedra of `hull_cut`. The force must be the buoyancy of
    // Archimedes, applied at the centroid. Tolerance: rounding.
    #[test]
    fn cube_mesh_and_box_are_cut_alike() {
        let mesh = cube();
        assert!((mesh.volume - 1.0).abs() < 1e-15 && mesh.centroid.norm() < 1e-15);
        let half = Vec3::new(0.5, 0.5, 0.5);
        for up in [
            Vec3::new(0.3, -0.5, 0.81),
            Vec3::new(-0.9, 0.1, -0.2),
            Vec3::new(0.0, 0.0, 1.0),
        ] {
            let up = up.scale(1.0 / up.norm());
            for k in -9..10 {
                let height = f64::from(k) * 0.1 + 0.013;
                let (cut, submerged) = (
                    HullShape::Box(half).cut_below(up, height),
                    mesh.submerged_below_plane(up, height),
                );
                assert!(
                    (submerged.volume - cut.fraction).abs() < 1e-14,
                    "{up:?} {height}"
                );
                let f = submerged.pressure.f - up.scale(submerged.volume);
                assert!(f.norm() < 1e-14, "{f:?}");
                let Some(c) = submerged.centroid() else {
                    continue;
                };
                assert!(
                    (c - cut.centroid).norm() < 1e-13 / submerged.volume,
                    "{c:?} {:?}",
                    cut.centroid
                );
                let m = submerged.pressure.m - c.cross(submerged.pressure.f);
                assert!(m.norm() < 1e-14, "{m:?}");
            }
        }
    }

    // The AVX2 and the portable kernel give identical bits. Method: a deformed box of 300
    // triangles, rotated, cut by planes and by a wavy surface, its vertices transformed to the
    // world; both kernels. Tolerance: zero. Skipped without AVX2.
    #[test]
    fn avx2_and_portable_bits_agree() {
        if !crate::f64x4::is_supported() {
            return;
        }
        let n = 12_u32;
        let ring = |i: u32, j: u32| {
            let (u, v) = (f64::from(i) / f64::from(n), f64::from(j) / f64::from(n));
            let (s, c) = crate::real::sin_cos(std::f64::consts::TAU * u);
            Vec3::new(
                2.0 * c * v * (2.0 - v),
                (1.0 + 0.1 * c) * s * v * (2.0 - v),
                v * v - 0.4,
            )
        };
        let vertices: Vec<Vec3> = (0..=n)
            .flat_map(|j| (0..n).map(move |i| ring(i, j)))
            .collect();
        let triangles: Vec<[u32; 3]> = (0..n)
            .flat_map(|j| (0..n).map(move |i| (j * n + i, j * n + (i + 1) % n)))
            .flat_map(|(a, b)| [[a, b, b + n], [a, b + n, a + n]])
            .collect();
        let mesh = HullMesh::new(vertices, triangles);
        let R = crate::Quat::from_rotation_vector(Vec3::new(0.4, -0.3, 1.1)).matrix();
        let p = Vec3::new(31.7, -8.1, 0.2);
        let buffer = || vec![0.0; mesh.coordinates[0].len()];
        let (mut x, mut y, mut z) = (buffer(), buffer(), buffer());
        mesh.transform_vertices(&R, p, [&mut x, &mut y, &mut z]);
        let (mut plain_x, mut plain_y, mut plain_z) = (buffer(), buffer(), buffer());
        mesh.transform_in::<Lanes>(&R, p, [&mut plain_x, &mut plain_y, &mut plain_z]);
        assert_eq!([&x, &y, &z], [&plain_x, &plain_y, &plain_z]);
        for k in 0..40 {
            let level = 0.05 * f64::from(k) - 1.0;
            let water: Vec<[f64; 2]> = (0..mesh.vertices.len())
                .map(|i| {
                    let depth = level + 0.1 * crate::real::sin_cos(3.0 * x[i]).0 - z[i];
                    [depth, 0.97 * depth]
                })
                .collect();
            let (wide, plain) = (
                mesh.submerged_integrals(&water, R.r[2]),
                mesh.sums::<Lanes>(&water, R.r[2]),
            );
            assert_eq!(format!("{wide:?}"), format!("{plain:?}"), "level {level}");
        }
    }
}
