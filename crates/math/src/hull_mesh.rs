//! The part of a closed triangle mesh that lies under a surface, and what a pressure does on it.
//!
//! Depth and pressure are given at the corners and linear over each triangle. Triangles that the surface crosses are cut along
//! it, exactly; the integrals over what is left are closed forms, so that a flat surface gives Archimedes' force to rounding.
//! The waterline's points come from the same two corners on both sides of an edge, so that the cut leaves no gap.

use crate::{Lanes, MAX_LANES, Mat3, Packed, Real, SpatialForce, Vec3};

/// A closed surface of triangles, outside out.
#[derive(Clone, Debug, PartialEq)]
pub struct Skin {
    /// Corners [m].
    pub vertices: Vec<Vec3>,
    /// Corners of each triangle, counter-clockwise seen from outside.
    pub triangles: Vec<[u32; 3]>,
    /// The corners' coordinates, each in a list of its own, the last one repeated up to whole groups of [`MAX_LANES`] [m].
    pub places: [Vec<f64>; 3],
    /// The triangles by their heights, so that neighbours in a panel are mostly all wet or all dry.
    panels: Vec<Panel>,
    /// Enclosed volume [m³].
    pub volume: f64,
    /// Its centroid [m].
    pub centroid: Vec3,
    /// Lowest and highest coordinates [m].
    pub bounds: [Vec3; 2],
}

/// Triangles side by side; what is missing to a whole panel has no area.
#[derive(Clone, Debug, PartialEq)]
struct Panel {
    /// Numbers of the three corners.
    corners: [[u32; MAX_LANES]; 3],
    /// Coordinates of the areas times their outward normals [m²].
    area: [[f64; MAX_LANES]; 3],
    /// Of each corner, a twelfth of the coordinates of the sum of all three corners and itself [m].
    share: [[[f64; MAX_LANES]; 3]; 3],
}

/// A corner with what the water does there.
#[derive(Clone, Copy, Debug)]
struct Corner<T = f64> {
    /// Place [m].
    p: Vec3<T>,
    /// Depth under the surface, negative above [m].
    depth: T,
    /// Pressure over ρ g [m].
    head: T,
}

/// What the water does at the corners of a skin.
struct Water<'a> {
    places: &'a [Vec3],
    water: &'a [[f64; 2]],
    up: Vec3,
}

/// Integrals over the part under the surface.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Under {
    /// Enclosed volume [m³].
    pub volume: f64,
    /// ∫ r dV [m⁴].
    pub first_moment: Vec3,
    /// What the pressure does at the origin, over ρ g [m³, m⁴].
    pub pressure: SpatialForce,
}

impl Under {
    /// Centroid of the part under the surface [m]; none if nothing is.
    pub fn centroid(&self) -> Option<Vec3> {
        (self.volume > 0.0).then(|| self.first_moment.scale(1.0 / self.volume))
    }
}

impl Skin {
    /// The skin of a closed mesh.
    pub fn new(vertices: Vec<Vec3>, triangles: Vec<[u32; 3]>) -> Self {
        let corner = |k: u32| vertices[k as usize];
        let first = vertices.first().copied().unwrap_or(Vec3::zero());
        let bounds = vertices.iter().fold([first, first], |[low, high], v| {
            let with =
                |f: fn(f64, f64) -> f64, a: Vec3| Vec3::new(f(a.x, v.x), f(a.y, v.y), f(a.z, v.z));
            [with(f64::min, low), with(f64::max, high)]
        });
        // about the middle, so that a mesh far from its origin loses no digits
        let middle = (bounds[0] + bounds[1]).scale(0.5);
        let (mut volume, mut moment) = (0.0, Vec3::zero());
        for t in &triangles {
            let [a, b, c] = t.map(|k| corner(k) - middle);
            let v = a.dot(b.cross(c)) / 6.0;
            volume += v;
            moment += (a + b + c).scale(0.25 * v);
        }
        let centroid = middle
            + if volume > 0.0 {
                moment.scale(1.0 / volume)
            } else {
                Vec3::zero()
            };
        let places = [0, 1, 2].map(|axis| padded(vertices.iter().map(|v| v[axis]).collect()));
        let panels = panels(&vertices, &triangles);
        Self {
            vertices,
            triangles,
            places,
            panels,
            volume,
            centroid,
            bounds,
        }
    }

    /// Middle of the bounds and the radius of a ball about it that holds all corners [m].
    pub fn ball(&self) -> (Vec3, f64) {
        let middle = (self.bounds[0] + self.bounds[1]).scale(0.5);
        (
            middle,
            self.vertices
                .iter()
                .map(|v| (*v - middle).norm())
                .fold(0.0, f64::max),
        )
    }

    /// Coordinates of all corners in a frame in which the skin's axes are `R` and its origin is `p`.
    pub fn turned(&self, R: &Mat3, p: Vec3, out: [&mut [f64]; 3]) {
        #[cfg(target_arch = "x86_64")]
        if crate::f64x4::is_here() {
            // SAFETY: the processor has these instructions
            return unsafe { in_quads::turned(self, R, p, out) };
        }
        self.turned_in::<Lanes>(R, p, out);
    }

    #[inline(always)]
    fn turned_in<T: Packed>(&self, R: &Mat3, p: Vec3, [x, y, z]: [&mut [f64]; 3]) {
        let (R, p) = (Mat3::<T>::splat(R), Vec3::<T>::splat(p));
        let [a, b, c] = &self.places;
        let from = fours(a).iter().zip(fours(b)).zip(fours(c));
        let to = fours_mut(x).iter_mut().zip(fours_mut(y)).zip(fours_mut(z));
        for (((a, b), c), ((x, y), z)) in from.zip(to) {
            let v = p + R.mul_vec(Vec3::new(T::read(a), T::read(b), T::read(c)));
            v.x.write(x);
            v.y.write(y);
            v.z.write(z);
        }
    }

    /// Sums over what is under the surface. `water` has for each vertex how deep it is under the surface, negative above, and the
    /// pressure there over ρ g [m]; `up` is the upward unit vector.
    pub fn under(&self, water: &[[f64; 2]], up: Vec3) -> Under {
        #[cfg(target_arch = "x86_64")]
        if crate::f64x4::is_here() {
            // SAFETY: the processor has these instructions
            return unsafe { in_quads::sums(self, water, up) };
        }
        self.sums::<Lanes>(water, up)
    }

    /// [`Skin::under`] in the lanes of `T`, of which there are [`MAX_LANES`].
    #[inline(always)]
    fn sums<T: Packed>(&self, water: &[[f64; 2]], up: Vec3) -> Under {
        let at = Water {
            places: &self.vertices,
            water,
            up,
        };
        let mut sums = Sums::<T>::nothing();
        let (mut tips, mut trunks) = (Waiting::default(), Waiting::default());
        for panel in &self.panels {
            let [a, b, c] = &panel.corners;
            let (of_a, of_b, of_c) = (at.water::<T>(a), at.water::<T>(b), at.water::<T>(c));
            let (depths, heads) = ([of_a[0], of_b[0], of_c[0]], [of_a[1], of_b[1], of_c[1]]);
            let (wet_a, wet_b, wet_c) = (
                depths[0].positive(),
                depths[1].positive(),
                depths[2].positive(),
            );
            let (some, wet) = (wet_a | wet_b | wet_c, wet_a & wet_b & wet_c);
            if wet != 0 {
                let all = wet == ALL;
                let (depths, heads) = if all {
                    (depths, heads)
                } else {
                    (only(depths, wet), only(heads, wet))
                };
                let [a, b, c] = &panel.share;
                let shares = [vector(a), vector(b), vector(c)];
                sums.add(vector(&panel.area), shares, depths, heads, Vec3::splat(up));
            }
            let mut crossed = some & !wet;
            while crossed != 0 {
                let i = crossed.trailing_zeros() as usize;
                crossed &= crossed - 1;
                let (a, b, c) = (a[i], b[i], c[i]);
                // turned so that the corner that is alone comes first
                let (is_tip, corners) = match (wet_a >> i & 1, wet_b >> i & 1, wet_c >> i & 1) {
                    (1, 0, 0) => (true, [a, b, c]),
                    (0, 1, 0) => (true, [b, c, a]),
                    (0, 0, 1) => (true, [c, a, b]),
                    (0, 1, 1) => (false, [a, b, c]),
                    (1, 0, 1) => (false, [b, c, a]),
                    _ => (false, [c, a, b]),
                };
                if is_tip {
                    if tips.is_full_with(corners) {
                        sums.add_tips(&tips.take(), &at);
                    }
                } else if trunks.is_full_with(corners) {
                    sums.add_trunks(&trunks.take(), &at);
                }
            }
        }
        let mut rest = Sums::<f64>::nothing();
        for i in 0..tips.n {
            rest.add_tips(&tips.single(i), &at);
        }
        for i in 0..trunks.n {
            rest.add_trunks(&trunks.single(i), &at);
        }
        Under::of(&sums, &rest)
    }

    /// The triangles, cut, under a plane with the unit normal `up`, over which the origin is `height` [m].
    pub fn cut(&self, up: Vec3, height: f64) -> Vec<[Vec3; 3]> {
        let at = |p: Vec3| {
            let depth = -(up.dot(p) + height);
            Corner {
                p,
                depth,
                head: depth,
            }
        };
        let mut out = Vec::new();
        for t in &self.triangles {
            let c = t.map(|k| at(self.vertices[k as usize]));
            let is_wet = c.map(|c| c.depth > 0.0);
            // turned so that the one that differs comes first
            let odd = (0..3)
                .find(|i| is_wet[*i] != is_wet[(i + 1) % 3] && is_wet[*i] != is_wet[(i + 2) % 3]);
            let [a, b, d] = [0, 1, 2].map(|i| c[(odd.unwrap_or(0) + i) % 3]);
            match (odd, a.depth > 0.0) {
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

    /// What a pressure that is linear over a triangle does at the origin, by its values at the corners.
    pub fn pressed(t: &[Vec3; 3], head: [f64; 3]) -> SpatialForce {
        let corner = |i: usize| Corner {
            p: t[i],
            depth: 0.0,
            head: head[i],
        };
        let mut sum = Sums::<f64>::nothing();
        sum.add_triangles(&corner(0), &corner(1), &corner(2), Vec3::zero());
        sum.pressure
    }

    /// As [`Skin::under`] for a plane with the unit normal `up`, over which the origin is `height` [m].
    pub fn under_plane(&self, up: Vec3, height: f64) -> Under {
        let depth = |p: &Vec3| [-(up.dot(*p) + height); 2];
        self.under(&self.vertices.iter().map(depth).collect::<Vec<_>>(), up)
    }
}

/// Area of a triangle times its normal.
#[inline(always)]
fn area<T: Real>(a: Vec3<T>, b: Vec3<T>, c: Vec3<T>) -> Vec3<T> {
    (b - a).cross(c - a).scale(T::splat(0.5))
}

/// The point of the surface between a corner under it and one above.
#[inline(always)]
fn waterline<T: Real>(wet: &Corner<T>, dry: &Corner<T>) -> Corner<T> {
    let t = wet.depth / (wet.depth - dry.depth);
    Corner {
        p: wet.p + (dry.p - wet.p).scale(t),
        depth: T::zero(),
        head: T::zero(),
    }
}

/// All lanes of a panel.
const ALL: u32 = (1 << MAX_LANES) - 1;

#[cfg(target_arch = "x86_64")]
mod in_quads {
    use super::{Mat3, Skin, Under, Vec3};
    use crate::Quad;

    #[target_feature(enable = "avx2,bmi1")]
    pub fn sums(skin: &Skin, water: &[[f64; 2]], up: Vec3) -> Under {
        skin.sums::<Quad>(water, up)
    }

    #[target_feature(enable = "avx2")]
    pub fn turned(skin: &Skin, R: &Mat3, p: Vec3, out: [&mut [f64]; 3]) {
        skin.turned_in::<Quad>(R, p, out);
    }
}

/// A list of whole groups of lanes as these groups.
pub fn fours(list: &[f64]) -> &[[f64; MAX_LANES]] {
    list.as_chunks().0
}

/// As [`fours`].
pub fn fours_mut(list: &mut [f64]) -> &mut [[f64; MAX_LANES]] {
    list.as_chunks_mut().0
}

/// The list with its last number repeated up to a whole number of groups.
fn padded(mut list: Vec<f64>) -> Vec<f64> {
    let last = list.last().copied().unwrap_or(0.0);
    list.resize(list.len().next_multiple_of(MAX_LANES), last);
    list
}

fn panels(vertices: &[Vec3], triangles: &[[u32; 3]]) -> Vec<Panel> {
    let places = |t: &[u32; 3]| t.map(|k| vertices[k as usize]);
    let height = |t: &[u32; 3]| places(t).iter().map(|p| p.z).sum::<f64>();
    let mut sorted = triangles.to_vec();
    sorted.sort_by(|a, b| height(a).total_cmp(&height(b)));
    let make = |some: &[[u32; 3]]| {
        let zeros = [[0.0; MAX_LANES]; 3];
        let mut panel = Panel {
            corners: [[0; MAX_LANES]; 3],
            area: zeros,
            share: [zeros; 3],
        };
        for (i, t) in some.iter().enumerate() {
            let p = places(t);
            let (area, share) = (area(p[0], p[1], p[2]), shares(p));
            for k in 0..3 {
                panel.corners[k][i] = t[k];
                panel.area[k][i] = area[k];
                (0..3).for_each(|axis| panel.share[k][axis][i] = share[k][axis]);
            }
        }
        panel
    };
    sorted.chunks(MAX_LANES).map(make).collect()
}

/// A twelfth of the sum of all corners and each of them: means over a triangle are ∫ f r / A = Σ f share for f linear.
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

/// Triangles that the surface crosses, until there is a lane's full of them.
#[derive(Default)]
struct Waiting {
    corners: [[u32; MAX_LANES]; 3],
    n: usize,
}

impl Waiting {
    /// Keeps one more; true if there is no room for another.
    #[inline(always)]
    fn is_full_with(&mut self, corners: [u32; 3]) -> bool {
        for (list, corner) in self.corners.iter_mut().zip(corners) {
            list[self.n] = corner;
        }
        self.n += 1;
        self.n == MAX_LANES
    }

    #[inline(always)]
    fn take(&mut self) -> [[u32; MAX_LANES]; 3] {
        self.n = 0;
        self.corners
    }

    /// The `i`-th, in the first lane.
    fn single(&self, i: usize) -> [[u32; MAX_LANES]; 3] {
        self.corners.map(|list| [list[i]; MAX_LANES])
    }
}

// no closures from here on: they would be compiled for every processor

impl Water<'_> {
    /// The corners with these numbers.
    #[inline(always)]
    fn at<T: Packed>(&self, k: &[u32; MAX_LANES]) -> Corner<T> {
        let [depth, head] = self.water(k);
        let of = self.places;
        if T::LANES == 1 {
            return Corner {
                p: Vec3::splat(of[k[0] as usize]),
                depth,
                head,
            };
        }
        let [a, b, c, d] = [
            &of[k[0] as usize],
            &of[k[1] as usize],
            &of[k[2] as usize],
            &of[k[3] as usize],
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

    /// Depth and pressure at the corners with these numbers.
    #[inline(always)]
    fn water<T: Packed>(&self, k: &[u32; MAX_LANES]) -> [T; 2] {
        let of = self.water;
        if T::LANES == 1 {
            let [depth, head] = of[k[0] as usize];
            return [T::splat(depth), T::splat(head)];
        }
        let [a, b, c, d] = [
            &of[k[0] as usize],
            &of[k[1] as usize],
            &of[k[2] as usize],
            &of[k[3] as usize],
        ];
        [
            T::read(&[a[0], b[0], c[0], d[0]]),
            T::read(&[a[1], b[1], c[1], d[1]]),
        ]
    }
}

/// Zero in the other lanes.
#[inline(always)]
fn only<T: Packed>([a, b, c]: [T; 3], lanes: u32) -> [T; 3] {
    [kept(a, lanes), kept(b, lanes), kept(c, lanes)]
}

#[inline(always)]
fn kept<T: Packed>(x: T, lanes: u32) -> T {
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

/// ∫ f r over a triangle by its area, f linear.
#[inline(always)]
fn moment<T: Real>(share: &[Vec3<T>; 3], f: [T; 3]) -> Vec3<T> {
    share[0].scale(f[0]) + share[1].scale(f[1]) + share[2].scale(f[2])
}

/// [`Under`], summed in lanes.
struct Sums<T> {
    volume: T,
    first_moment: Vec3<T>,
    pressure: SpatialForce<T>,
}

impl<T: Real> Sums<T> {
    fn nothing() -> Self {
        Self {
            volume: T::zero(),
            first_moment: Vec3::zero(),
            pressure: SpatialForce::zero(),
        }
    }

    /// Whole triangles, from what depth and pressure are at their corners.
    #[inline(always)]
    fn add(&mut self, area: Vec3<T>, share: [Vec3<T>; 3], d: [T; 3], head: [T; 3], up: Vec3<T>) {
        let third = 1.0 / 3.0;
        self.pressure.f -= area.scale((head[0] + head[1] + head[2]) * third);
        self.pressure.m -= moment(&share, head).cross(area);
        // div(-d ẑ) = 1, div(-d r - ½ d² ẑ) along ẑ = r: the lid, where d = 0, adds nothing
        let sum = d[0] + d[1] + d[2];
        let square = (sum * sum + d[0] * d[0] + d[1] * d[1] + d[2] * d[2]) * (1.0 / 12.0);
        let level = area.dot(up);
        self.volume -= sum * third * level;
        self.first_moment -= (moment(&share, d) + up.scale(square * 0.5)).scale(level);
    }
}

impl<T: Packed> Sums<T> {
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

    /// Triangles of which only the first corner is under the surface.
    #[inline(always)]
    fn add_tips(&mut self, [wet, b, c]: &[[u32; MAX_LANES]; 3], at: &Water<'_>) {
        let wet = at.at(wet);
        let (ab, ac) = (waterline(&wet, &at.at(b)), waterline(&wet, &at.at(c)));
        self.add_triangles(&wet, &ab, &ac, at.up);
    }

    /// Triangles of which only the first corner is above the surface.
    #[inline(always)]
    fn add_trunks(&mut self, [dry, b, c]: &[[u32; MAX_LANES]; 3], at: &Water<'_>) {
        let (dry, b, c) = (at.at(dry), at.at(b), at.at(c));
        let (ba, ca) = (waterline(&b, &dry), waterline(&c, &dry));
        self.add_triangles(&b, &c, &ca, at.up);
        self.add_triangles(&b, &ca, &ba, at.up);
    }
}

#[inline(always)]
fn total<T: Real>(x: T) -> f64 {
    (x.lane(0) + x.lane(1)) + (x.lane(2) + x.lane(3))
}

#[inline(always)]
fn total_of<T: Real>(v: Vec3<T>) -> Vec3 {
    Vec3::new(total(v.x), total(v.y), total(v.z))
}

impl Under {
    /// Whole triangles in their lanes, and those that were cut.
    #[inline(always)]
    fn of<T: Real>(whole: &Sums<T>, cut: &Sums<f64>) -> Self {
        let (m, f) = (total_of(whole.pressure.m), total_of(whole.pressure.f));
        Self {
            volume: total(whole.volume) + cut.volume,
            first_moment: total_of(whole.first_moment) + cut.first_moment,
            pressure: SpatialForce { m, f }.plus(&cut.pressure),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hull_cut::Shape;

    fn cube() -> Skin {
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
        Skin::new(vertices.collect(), triangles.collect())
    }

    // Goal: a mesh of a box is cut as the box itself. Method: planes in general attitudes through all heights, against the
    // sum over tetrahedra of `hull_cut`; the force is Archimedes', its moment that of the centroid. Tolerance: rounding.
    #[test]
    fn a_cube_is_cut_as_the_box_that_it_is() {
        let skin = cube();
        assert!((skin.volume - 1.0).abs() < 1e-15 && skin.centroid.norm() < 1e-15);
        let half = Vec3::new(0.5, 0.5, 0.5);
        for up in [
            Vec3::new(0.3, -0.5, 0.81),
            Vec3::new(-0.9, 0.1, -0.2),
            Vec3::new(0.0, 0.0, 1.0),
        ] {
            let up = up.scale(1.0 / up.norm());
            for k in -9..10 {
                let height = f64::from(k) * 0.1 + 0.013;
                let (cut, under) = (
                    Shape::Box(half).below(up, height),
                    skin.under_plane(up, height),
                );
                assert!(
                    (under.volume - cut.fraction).abs() < 1e-14,
                    "{up:?} {height}"
                );
                let f = under.pressure.f - up.scale(under.volume);
                assert!(f.norm() < 1e-14, "{f:?}");
                let Some(c) = under.centroid() else { continue };
                assert!(
                    (c - cut.centroid).norm() < 1e-13 / under.volume,
                    "{c:?} {:?}",
                    cut.centroid
                );
                let m = under.pressure.m - c.cross(under.pressure.f);
                assert!(m.norm() < 1e-14, "{m:?}");
            }
        }
    }

    // Goal: registers of four numbers and plain numbers give the same bits. Method: a bent box of 300 triangles, turned, cut by planes
    // and by a wavy surface, its corners placed in the world; both kernels. Tolerance: none; without AVX2 there is but one.
    #[test]
    fn a_skin_has_the_same_bits_on_every_processor() {
        if !crate::f64x4::is_here() {
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
        let skin = Skin::new(vertices, triangles);
        let R = crate::Quat::from_rotation_vector(Vec3::new(0.4, -0.3, 1.1)).matrix();
        let p = Vec3::new(31.7, -8.1, 0.2);
        let room = || vec![0.0; skin.places[0].len()];
        let (mut x, mut y, mut z) = (room(), room(), room());
        skin.turned(&R, p, [&mut x, &mut y, &mut z]);
        let (mut plain_x, mut plain_y, mut plain_z) = (room(), room(), room());
        skin.turned_in::<Lanes>(&R, p, [&mut plain_x, &mut plain_y, &mut plain_z]);
        assert_eq!([&x, &y, &z], [&plain_x, &plain_y, &plain_z]);
        for k in 0..40 {
            let level = 0.05 * f64::from(k) - 1.0;
            let water: Vec<[f64; 2]> = (0..skin.vertices.len())
                .map(|i| {
                    let depth = level + 0.1 * crate::real::sin_cos(3.0 * x[i]).0 - z[i];
                    [depth, 0.97 * depth]
                })
                .collect();
            let (wide, plain) = (
                skin.under(&water, R.r[2]),
                skin.sums::<Lanes>(&water, R.r[2]),
            );
            assert_eq!(format!("{wide:?}"), format!("{plain:?}"), "level {level}");
        }
    }
}
