//! Volume and centroid of the part of a box or an ellipsoid below a plane.
//!
//! Both are closed forms. An ellipsoid is an affine image of the unit sphere, so its submerged part
//! maps to a spherical cap. A box consists of six tetrahedra, and a plane cuts a tetrahedron into
//! pieces that are again tetrahedra.

use crate::Vec3;

/// Hull shape centred on the origin, with its axes along the axes of the frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum HullShape {
    /// Box with half edge lengths [m].
    Box(Vec3),
    /// Ellipsoid with semi-axes [m].
    Ellipsoid(Vec3),
}

/// Part of a shape below a plane.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cut {
    /// Fraction of the volume of the shape, 0 to 1.
    pub fraction: f64,
    /// Centroid of the submerged part relative to the centre of the shape [m]; zero when no part is
    /// below the plane.
    pub centroid: Vec3,
}

impl HullShape {
    /// Returns the volume of the shape [m³].
    #[inline]
    pub fn volume(&self) -> f64 {
        match self {
            HullShape::Box(h) => 8.0 * h.x * h.y * h.z,
            HullShape::Ellipsoid(a) => 4.0 / 3.0 * std::f64::consts::PI * a.x * a.y * a.z,
        }
    }

    /// Returns the maximum extent of the shape from its centre along the unit vector `up` [m].
    pub fn reach(&self, up: Vec3) -> f64 {
        match self {
            HullShape::Box(h) => h.x * up.x.abs() + h.y * up.y.abs() + h.z * up.z.abs(),
            HullShape::Ellipsoid(a) => Vec3::new(a.x * up.x, a.y * up.y, a.z * up.z).norm(),
        }
    }

    /// Computes the part below a plane with unit normal `up`, when the centre of the shape is
    /// `height` [m] above the plane.
    pub fn cut_below(&self, up: Vec3, height: f64) -> Cut {
        let reach = self.reach(up);
        if height <= -reach {
            return Cut {
                fraction: 1.0,
                centroid: Vec3::zero(),
            };
        }
        if height >= reach {
            return Cut {
                fraction: 0.0,
                centroid: Vec3::zero(),
            };
        }
        match self {
            HullShape::Box(half) => cut_box(*half, up, height),
            HullShape::Ellipsoid(a) => cut_ellipsoid(*a, up, height, reach),
        }
    }
}

/// Cuts an ellipsoid. p = diag(a) u maps the unit sphere to the ellipsoid; caps map to caps and
/// centroids to centroids.
fn cut_ellipsoid(a: Vec3, up: Vec3, height: f64, reach: f64) -> Cut {
    let m = Vec3::new(a.x * up.x, a.y * up.y, a.z * up.z).scale(1.0 / reach);
    let H = 1.0 - height / reach; // cap height on the unit sphere, 0..2
    let fraction = H * H * (3.0 - H) / 4.0;
    let z = 3.0 * (2.0 - H) * (2.0 - H) / (4.0 * (3.0 - H));
    Cut {
        fraction,
        centroid: Vec3::new(-m.x * z * a.x, -m.y * z * a.y, -m.z * z * a.z),
    }
}

/// The six tetrahedra of a cube that share the diagonal 0-7. Bit i of a corner index selects the
/// side on axis i.
const TETRAHEDRA: [[usize; 4]; 6] = [
    [0, 1, 3, 7],
    [0, 1, 5, 7],
    [0, 2, 3, 7],
    [0, 2, 6, 7],
    [0, 4, 5, 7],
    [0, 4, 6, 7],
];

fn cut_box(half: Vec3, up: Vec3, height: f64) -> Cut {
    let corner = |i: usize| {
        let side = |bit: usize, h: f64| if i >> bit & 1 == 1 { h } else { -h };
        Vec3::new(side(0, half.x), side(1, half.y), side(2, half.z))
    };
    let (mut volume, mut moment) = (0.0, Vec3::zero());
    for tetra in TETRAHEDRA {
        let p = tetra.map(corner);
        let s = p.map(|p| up.dot(p) + height);
        let (v, m) = cut_tetrahedron(p, s);
        volume += v;
        moment += m;
    }
    if volume <= 0.0 {
        return Cut {
            fraction: 0.0,
            centroid: Vec3::zero(),
        };
    }
    Cut {
        fraction: volume / HullShape::Box(half).volume(),
        centroid: moment.scale(1.0 / volume),
    }
}

/// Computes volume [m³] and first moment [m⁴] of the part with s < 0; `s` are the heights of the
/// corners above the plane [m].
fn cut_tetrahedron(p: [Vec3; 4], s: [f64; 4]) -> (f64, Vec3) {
    let wet_corners = s.iter().filter(|s| **s < 0.0).count();
    if wet_corners == 0 {
        return (0.0, Vec3::zero());
    }
    let order = ascending_order(&s);
    let [a, b, c, d] = order.map(|i| p[i]);
    let [sa, sb, sc, sd] = order.map(|i| s[i]);
    let on_edge = |p: Vec3, sp: f64, q: Vec3, sq: f64| p + (q - p).scale(sp / (sp - sq));
    match wet_corners {
        1 => tetrahedron([
            a,
            on_edge(a, sa, b, sb),
            on_edge(a, sa, c, sc),
            on_edge(a, sa, d, sd),
        ]),
        2 => {
            let (ac, ad) = (on_edge(a, sa, c, sc), on_edge(a, sa, d, sd));
            let (bc, bd) = (on_edge(b, sb, c, sc), on_edge(b, sb, d, sd));
            let pieces = [[a, ac, ad, bd], [a, ac, bc, bd], [a, b, bc, bd]].map(tetrahedron);
            pieces
                .iter()
                .fold((0.0, Vec3::zero()), |(v, m), (vi, mi)| (v + vi, m + *mi))
        }
        3 => {
            let (whole, dry) = (
                tetrahedron([a, b, c, d]),
                tetrahedron([
                    d,
                    on_edge(d, sd, a, sa),
                    on_edge(d, sd, b, sb),
                    on_edge(d, sd, c, sc),
                ]),
            );
            (whole.0 - dry.0, whole.1 - dry.1)
        }
        _ => tetrahedron([a, b, c, d]),
    }
}

/// Returns the indices of `s` in ascending order of the values; equal values keep their order. The
/// sort of the standard library is a call that takes 5 % of the time of worlds/dock.yaml.
#[inline]
fn ascending_order(s: &[f64; 4]) -> [usize; 4] {
    let mut order = [0, 1, 2, 3];
    for end in 1..order.len() {
        let mut k = end;
        while k > 0 && s[order[k - 1]].total_cmp(&s[order[k]]).is_gt() {
            order.swap(k - 1, k);
            k -= 1;
        }
    }
    order
}

fn tetrahedron([a, b, c, d]: [Vec3; 4]) -> (f64, Vec3) {
    let volume = (b - a).cross(c - a).dot(d - a).abs() / 6.0;
    (volume, (a + b + c + d).scale(volume / 4.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sphere_caps_match_the_closed_form() {
        // reference V42: draught, volume, depth of the centroid below the centre, sphere of radius
        // 1
        let s = HullShape::Ellipsoid(Vec3::new(1.0, 1.0, 1.0));
        for (draught, volume, below) in [
            (0.5, 0.654_498_469_497_873_6, 0.675),
            (1.0, 2.094_395_102_393_195_3, 0.375),
            (1.5, 3.534_291_735_288_517_3, 0.125),
        ] {
            let up = Vec3::new(0.48, -0.6, 0.64);
            let cut = s.cut_below(up, 1.0 - draught);
            assert!((cut.fraction * s.volume() - volume).abs() < 1e-12);
            assert!((cut.centroid.dot(up) + below).abs() < 1e-12);
        }
    }

    #[test]
    fn heeled_box_matches_the_wall_sided_formula() {
        // reference V43: 1x1x1 m, half submerged, heel angle, yB, zB
        let s = HullShape::Box(Vec3::new(0.5, 0.5, 0.5));
        for (deg, yB, zB) in [
            (10.0_f64, 0.029_387_830_118, -0.247_409_066_323),
            (20.0, 0.060_661_705_711, -0.238_960_472_381),
            (30.0, 0.096_225_044_865, -0.222_222_222_222),
            (40.0, 0.139_849_938_530, -0.191_326_015_844),
        ] {
            let (sn, cs) = deg.to_radians().sin_cos();
            let cut = s.cut_below(Vec3::new(0.0, -sn, cs), 0.0);
            assert!((cut.fraction - 0.5).abs() < 1e-12);
            assert!(
                (cut.centroid.y - yB).abs() < 1e-9,
                "{deg}: {}",
                cut.centroid.y
            );
            assert!(
                (cut.centroid.z - zB).abs() < 1e-6,
                "{deg}: {}",
                cut.centroid.z
            );
        }
    }

    #[test]
    fn heights_are_sorted_as_by_the_standard_library() {
        let values: [f64; 4] = [-0.0, 0.0, -1.5, 2.0];
        for code in 0..256 {
            let s = [code & 3, code >> 2 & 3, code >> 4 & 3, code >> 6].map(|k: usize| values[k]);
            let mut order = [0, 1, 2, 3];
            order.sort_by(|&i: &usize, &j| s[i].total_cmp(&s[j]));
            assert_eq!(ascending_order(&s), order);
        }
    }

    #[test]
    fn random_box_cuts_match_point_counts() {
        let half = Vec3::new(0.7, 0.3, 0.2);
        let up = Vec3::new(0.3, -0.5, 0.81).unit().unwrap();
        for height in [-0.3, -0.1, 0.0, 0.05, 0.25] {
            let cut = HullShape::Box(half).cut_below(up, height);
            let (n, mut hits, mut sum) = (60, 0.0, Vec3::zero());
            for i in 0..n * n * n {
                let g = |k: i32, h: f64| (f64::from(k) + 0.5) / f64::from(n) * 2.0 * h - h;
                let p = Vec3::new(g(i % n, half.x), g(i / n % n, half.y), g(i / n / n, half.z));
                if up.dot(p) + height < 0.0 {
                    hits += 1.0;
                    sum += p;
                }
            }
            assert!((cut.fraction - hits / f64::from(n * n * n)).abs() < 2e-3);
            assert!((cut.centroid - sum.scale(1.0 / hits)).norm() < 3e-3);
        }
    }
}
