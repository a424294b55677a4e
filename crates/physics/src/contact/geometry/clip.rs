//! The places where two flat features lie on each other: one polygon cut by the other's outline.
//!
//! # Law
//! Both polygons are looked at along the normal. What they share is the incident polygon cut by the sides of the reference
//! polygon [Sutherland 1974]; at each corner of it the gap is the distance of the two planes along the normal. Corners that
//! fall on the outline within a tolerance are kept, so that equal boxes on one another touch at four corners, not by chance.
//!
//! # Symbols
//! m unit normal from a to b.
//!
//! # Frames
//! World.
//!
//! # Limits
//! At most four corners a feature, as rapier gives them.
//!
//! # Checked by
//! unit tests below, test/analytic/contact.rs

use merrow_math::Vec3;

/// A face (3 or 4 corners in order) or an edge (2).
#[derive(Clone, Copy, Debug)]
pub struct Feature {
    /// Corners in the world [m].
    pub corners: [Vec3; 4],
    /// Their names.
    pub ids: [u32; 4],
    /// How many.
    pub n: usize,
}

/// A place of touch: on the incident feature, its distance from the reference along the normal, its name.
#[derive(Clone, Copy, Debug)]
pub struct Place {
    /// Where on b [m].
    pub p: Vec3,
    /// Distance from a to b along the normal there [m].
    pub gap: f64,
    /// Names of the features of a and b that make it.
    pub ids: [u32; 2],
}

/// Corners outside by less than this are inside [m].
const TOLERANCE: f64 = 1e-7;
/// Cosine under which a face is too steep to measure along the normal.
const STEEP: f64 = 1e-3;

/// Places where face `a` and feature `b` share the view along `m`, up to eight; none if `a` is no face or too steep.
pub fn places(a: &Feature, b: &Feature, m: Vec3, out: &mut [Place; 8]) -> usize {
    if a.n < 3 || b.n < 2 {
        return 0;
    }
    let f = (a.corners[1] - a.corners[0]).cross(a.corners[2] - a.corners[0]);
    let Some(f) = f.unit() else { return 0 };
    let steepness = f.dot(m);
    if steepness.abs() < STEEP {
        return 0;
    }
    let mut polygon = [Place {
        p: Vec3::zero(),
        gap: 0.0,
        ids: [0; 2],
    }; 8];
    let mut n = b.n;
    for k in 0..n {
        polygon[k] = Place {
            p: b.corners[k],
            gap: 0.0,
            ids: [u32::MAX, b.ids[k]],
        };
    }
    let turn = steepness.signum();
    for k in 0..a.n {
        let from = a.corners[k];
        let side = (a.corners[(k + 1) % a.n] - from).cross(m).scale(turn);
        let Some(outward) = side.unit() else { continue };
        n = cut(&mut polygon, n, outward, outward.dot(from), a.ids[k]);
    }
    for place in &mut polygon[..n] {
        place.gap = (place.p - a.corners[0]).dot(f) / steepness;
    }
    *out = polygon;
    n
}

/// Keeps what lies on the inner side of a plane.
fn cut(polygon: &mut [Place; 8], n: usize, outward: Vec3, at: f64, edge: u32) -> usize {
    let (input, mut count) = (*polygon, 0);
    // an edge is an open line: its end does not lead back to its start
    let pairs = if n == 2 { 1 } else { n };
    let mut push = |place: Place| {
        if count < polygon.len() {
            polygon[count] = place;
            count += 1;
        }
    };
    for k in 0..n {
        let (p, q) = (input[k], input[(k + 1) % n]);
        let (dp, dq) = (outward.dot(p.p) - at, outward.dot(q.p) - at);
        if dp <= TOLERANCE {
            push(p);
        }
        let crosses = (dp <= TOLERANCE) != (dq <= TOLERANCE);
        if k < pairs && crosses {
            let part = dp / (dp - dq);
            let id = p.ids[1].rotate_left(8) ^ q.ids[1];
            push(Place {
                p: p.p + (q.p - p.p).scale(part),
                gap: 0.0,
                ids: [edge, id],
            });
        }
    }
    count
}

#[cfg(test)]
mod tests {
    use super::*;

    fn square(half: f64, z: f64, turn: f64) -> Feature {
        let (s, c) = merrow_math::real::sin_cos(turn);
        let corner = |x: f64, y: f64| Vec3::new(c * x - s * y, s * x + c * y, z);
        let corners = [
            corner(half, half),
            corner(-half, half),
            corner(-half, -half),
            corner(half, -half),
        ];
        Feature {
            corners,
            ids: [1, 2, 3, 4],
            n: 4,
        }
    }

    fn found(a: &Feature, b: &Feature) -> Vec<Place> {
        let mut out = [Place {
            p: Vec3::zero(),
            gap: 0.0,
            ids: [0; 2],
        }; 8];
        let n = places(a, b, Vec3::new(0.0, 0.0, 1.0), &mut out);
        out[..n].to_vec()
    }

    #[test]
    fn equal_squares_touch_at_their_four_corners_despite_rounding() {
        for noise in [0.0, 1e-16, -1e-16, 3e-9] {
            let places = found(&square(0.1, 0.0, 0.0), &square(0.1 + noise, -2e-6, noise));
            assert_eq!(places.len(), 4, "{noise:e}");
            assert!(places.iter().all(|p| (p.gap + 2e-6).abs() < 1e-12));
        }
    }

    #[test]
    fn turned_squares_share_an_octagon() {
        let places = found(
            &square(1.0, 0.0, 0.0),
            &square(1.0, 0.5, std::f64::consts::FRAC_PI_4),
        );
        assert_eq!(places.len(), 8);
        // the octagon's corners lie at (1, sqrt 2 - 1)
        for p in places {
            let (x, y) = (p.p.x.abs(), p.p.y.abs());
            assert!(
                (x.max(y) - 1.0).abs() < 1e-12 && (x.min(y) - (2.0_f64.sqrt() - 1.0)).abs() < 1e-12
            );
            assert!((p.gap - 0.5).abs() < 1e-12);
        }
    }

    #[test]
    fn an_edge_is_cut_at_both_ends() {
        let edge = Feature {
            corners: [
                Vec3::new(-3.0, 0.1, 0.2),
                Vec3::new(3.0, 0.1, 0.2),
                Vec3::zero(),
                Vec3::zero(),
            ],
            ids: [7, 8, 0, 0],
            n: 2,
        };
        let places = found(&square(1.0, 0.0, 0.0), &edge);
        assert_eq!(places.len(), 2);
        assert!(
            places
                .iter()
                .all(|p| (p.p.x.abs() - 1.0).abs() < 1e-12 && (p.gap - 0.2).abs() < 1e-12)
        );
    }
}
