//! The part of a closed triangle mesh that lies under a surface, and what a pressure does on it.
//!
//! Depth and pressure are given at the corners and linear over each triangle. Triangles that the surface crosses are cut along
//! it, exactly; the integrals over what is left are closed forms, so that a flat surface gives Archimedes' force to rounding.
//! The waterline's points come from the same two corners on both sides of an edge, so that the cut leaves no gap.

use super::{SpatialForce, Vec3};

/// A closed surface of triangles, outside out.
#[derive(Clone, Debug, PartialEq)]
pub struct Skin {
    /// Corners [m].
    pub vertices: Vec<Vec3>,
    /// Corners of each triangle, counter-clockwise seen from outside.
    pub triangles: Vec<[u32; 3]>,
    /// Area of each triangle times its outward normal [m²].
    areas: Vec<Vec3>,
    /// Enclosed volume [m³].
    pub volume: f64,
    /// Its centroid [m].
    pub centroid: Vec3,
    /// Lowest and highest coordinates [m].
    pub bounds: [Vec3; 2],
}

/// A corner with what the water does there.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Corner {
    /// Place [m].
    pub p: Vec3,
    /// Depth under the surface, negative above [m].
    pub depth: f64,
    /// Pressure over ρ g [m].
    pub head: f64,
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
    const NOTHING: Under = Under {
        volume: 0.0,
        first_moment: Vec3 { x: 0.0, y: 0.0, z: 0.0 },
        pressure: SpatialForce { m: Vec3 { x: 0.0, y: 0.0, z: 0.0 }, f: Vec3 { x: 0.0, y: 0.0, z: 0.0 } },
    };

    /// Centroid of the part under the surface [m]; none if nothing is.
    pub fn centroid(&self) -> Option<Vec3> {
        (self.volume > 0.0).then(|| self.first_moment.scale(1.0 / self.volume))
    }
}

impl Skin {
    /// The skin of a closed mesh.
    pub fn new(vertices: Vec<Vec3>, triangles: Vec<[u32; 3]>) -> Self {
        let corner = |k: u32| vertices[k as usize];
        let areas: Vec<Vec3> = triangles
            .iter()
            .map(|t| {
                let [a, b, c] = t.map(corner);
                area(a, b, c)
            })
            .collect();
        let first = vertices.first().copied().unwrap_or(Vec3::zero());
        let bounds = vertices.iter().fold([first, first], |[low, high], v| {
            let with = |f: fn(f64, f64) -> f64, a: Vec3| Vec3::new(f(a.x, v.x), f(a.y, v.y), f(a.z, v.z));
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
        let centroid = middle + if volume > 0.0 { moment.scale(1.0 / volume) } else { Vec3::zero() };
        Self { vertices, triangles, areas, volume, centroid, bounds }
    }

    /// Middle of the bounds and the radius of a ball about it that holds all corners [m].
    pub fn ball(&self) -> (Vec3, f64) {
        let middle = (self.bounds[0] + self.bounds[1]).scale(0.5);
        (middle, self.vertices.iter().map(|v| (*v - middle).norm()).fold(0.0, f64::max))
    }

    /// Sums over what is under the surface; `corners` has one entry per vertex, `up` is the upward unit vector.
    pub fn under(&self, corners: &[Corner], up: Vec3) -> Under {
        let mut sum = Under::NOTHING;
        for (t, area) in self.triangles.iter().zip(&self.areas) {
            let [a, b, c] = t.map(|k| corners[k as usize]);
            match (a.depth > 0.0, b.depth > 0.0, c.depth > 0.0) {
                (true, true, true) => sum.add(&a, &b, &c, *area, up),
                (false, false, false) => {}
                (true, false, false) => sum.tip(&a, &b, &c, up),
                (false, true, false) => sum.tip(&b, &c, &a, up),
                (false, false, true) => sum.tip(&c, &a, &b, up),
                (false, true, true) => sum.trunk(&a, &b, &c, up),
                (true, false, true) => sum.trunk(&b, &c, &a, up),
                (true, true, false) => sum.trunk(&c, &a, &b, up),
            }
        }
        sum
    }

    /// The triangles, cut, under a plane with the unit normal `up`, over which the origin is `height` [m].
    pub fn cut(&self, up: Vec3, height: f64) -> Vec<[Vec3; 3]> {
        let at = |p: Vec3| {
            let depth = -(up.dot(p) + height);
            Corner { p, depth, head: depth }
        };
        let mut out = Vec::new();
        for t in &self.triangles {
            let c = t.map(|k| at(self.vertices[k as usize]));
            let is_wet = c.map(|c| c.depth > 0.0);
            // turned so that the one that differs comes first
            let odd = (0..3).find(|i| is_wet[*i] != is_wet[(i + 1) % 3] && is_wet[*i] != is_wet[(i + 2) % 3]);
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
        let corner = |i: usize| Corner { p: t[i], depth: 0.0, head: head[i] };
        let mut sum = Under::NOTHING;
        sum.add(&corner(0), &corner(1), &corner(2), area(t[0], t[1], t[2]), Vec3::zero());
        sum.pressure
    }

    /// As [`Skin::under`] for a plane with the unit normal `up`, over which the origin is `height` [m].
    pub fn under_plane(&self, up: Vec3, height: f64) -> Under {
        let at = |p: &Vec3| {
            let depth = -(up.dot(*p) + height);
            Corner { p: *p, depth, head: depth }
        };
        let corners: Vec<Corner> = self.vertices.iter().map(at).collect();
        self.under(&corners, up)
    }
}

/// Area of a triangle times its normal.
#[inline(always)]
fn area(a: Vec3, b: Vec3, c: Vec3) -> Vec3 {
    (b - a).cross(c - a).scale(0.5)
}

/// The point of the surface between a corner under it and one above.
#[inline(always)]
fn waterline(wet: &Corner, dry: &Corner) -> Corner {
    let t = wet.depth / (wet.depth - dry.depth);
    Corner { p: wet.p + (dry.p - wet.p).scale(t), depth: 0.0, head: 0.0 }
}

impl Under {
    /// A whole triangle: means over it are ∫ f g / A = (Σ f Σ g + Σ f g) / 12 for f and g linear.
    #[inline(always)]
    fn add(&mut self, a: &Corner, b: &Corner, c: &Corner, area: Vec3, up: Vec3) {
        let all = a.p + b.p + c.p;
        let with = |f: [f64; 3]| {
            let sum = f[0] + f[1] + f[2];
            let products = a.p.scale(f[0]) + b.p.scale(f[1]) + c.p.scale(f[2]);
            (sum * (1.0 / 3.0), (all.scale(sum) + products).scale(1.0 / 12.0))
        };
        let (head, head_r) = with([a.head, b.head, c.head]);
        self.pressure.f -= area.scale(head);
        self.pressure.m -= head_r.cross(area);
        // div(-d ẑ) = 1, div(-d r - ½ d² ẑ) along ẑ = r: the lid, where d = 0, adds nothing
        let d = [a.depth, b.depth, c.depth];
        let (depth, depth_r) = with(d);
        let sum = d[0] + d[1] + d[2];
        let square = (sum * sum + d[0] * d[0] + d[1] * d[1] + d[2] * d[2]) * (1.0 / 12.0);
        let level = area.dot(up);
        self.volume -= depth * level;
        self.first_moment -= (depth_r + up.scale(0.5 * square)).scale(level);
    }

    /// A triangle of which only the corner `wet` is under the surface.
    #[inline(always)]
    fn tip(&mut self, wet: &Corner, b: &Corner, c: &Corner, up: Vec3) {
        let (ab, ac) = (waterline(wet, b), waterline(wet, c));
        self.add(wet, &ab, &ac, area(wet.p, ab.p, ac.p), up);
    }

    /// A triangle of which only the corner `dry` is above the surface.
    #[inline(always)]
    fn trunk(&mut self, dry: &Corner, b: &Corner, c: &Corner, up: Vec3) {
        let (ba, ca) = (waterline(b, dry), waterline(c, dry));
        self.add(b, c, &ca, area(b.p, c.p, ca.p), up);
        self.add(b, &ca, &ba, area(b.p, ca.p, ba.p), up);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::hull_cut::Shape;

    fn cube() -> Skin {
        let vertices = (0..8).map(|i| {
            let side = |bit: i32| if i >> bit & 1 == 1 { 0.5 } else { -0.5 };
            Vec3::new(side(0), side(1), side(2))
        });
        let quads = [[0, 4, 6, 2], [1, 3, 7, 5], [0, 1, 5, 4], [2, 6, 7, 3], [0, 2, 3, 1], [4, 5, 7, 6]];
        let triangles = quads.iter().flat_map(|q| [[q[0], q[1], q[2]], [q[0], q[2], q[3]]]);
        Skin::new(vertices.collect(), triangles.collect())
    }

    // Goal: a mesh of a box is cut as the box itself. Method: planes in general attitudes through all heights, against the
    // sum over tetrahedra of `hull_cut`; the force is Archimedes', its moment that of the centroid. Tolerance: rounding.
    #[test]
    fn a_cube_is_cut_as_the_box_that_it_is() {
        let skin = cube();
        assert!((skin.volume - 1.0).abs() < 1e-15 && skin.centroid.norm() < 1e-15);
        let half = Vec3::new(0.5, 0.5, 0.5);
        for up in [Vec3::new(0.3, -0.5, 0.81), Vec3::new(-0.9, 0.1, -0.2), Vec3::new(0.0, 0.0, 1.0)] {
            let up = up.scale(1.0 / up.norm());
            for k in -9..10 {
                let height = f64::from(k) * 0.1 + 0.013;
                let (cut, under) = (Shape::Box(half).below(up, height), skin.under_plane(up, height));
                assert!((under.volume - cut.fraction).abs() < 1e-14, "{up:?} {height}");
                let f = under.pressure.f - up.scale(under.volume);
                assert!(f.norm() < 1e-14, "{f:?}");
                let Some(c) = under.centroid() else { continue };
                assert!((c - cut.centroid).norm() < 1e-13 / under.volume, "{c:?} {:?}", cut.centroid);
                let m = under.pressure.m - c.cross(under.pressure.f);
                assert!(m.norm() < 1e-14, "{m:?}");
            }
        }
    }
}
