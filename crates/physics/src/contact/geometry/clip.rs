//! Clipping of two flat features in contact: one polygon is cut by the outline of the other.
//!
//! # Law
//! Both polygons are projected along the normal. Their common part is the incident polygon cut by
//! the sides of the reference polygon [Sutherland 1974]. At each of its vertices the gap is the
//! distance of the two planes along the normal. Vertices on the outline within a tolerance are
//! kept, so that two equal stacked boxes reliably touch at four vertices.
//!
//! # Symbols
//! m unit normal from a to b.
//!
//! # Frames
//! World.
//!
//! # Limits
//! At most four vertices per feature, as parry returns them.
//!
//! # Checked by
//! unit tests below, test/analytic/contacts/contact.rs

use merrow_math::Vec3;

/// A face (3 or 4 corners in order) or an edge (2 corners).
#[derive(Clone, Copy, Debug)]
pub(crate) struct Feature {
    /// Corners in the world [m].
    pub corners: [Vec3; 4],
    /// Identifiers of the corners.
    pub ids: [u32; 4],
    /// Number of valid corners.
    pub n: usize,
}

/// A contact point on the incident feature.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct ClippedPoint {
    /// Position on b, W [m].
    pub p: Vec3,
    /// Distance from a to b along the normal there [m].
    pub gap: f64,
    /// Identifiers of the features of a and b that form the point.
    pub ids: [u32; 2],
}

/// Maximum distance by which corners may be outside and still count as inside [m].
const TOLERANCE: f64 = 1e-7;
/// Minimum cosine between face normal and contact normal for which the gap is computed.
const MIN_FACE_COSINE: f64 = 1e-3;

/// Computes the contact points in which face `a` and feature `b` overlap along `m`, at most eight,
/// and returns their number.
///
/// Returns 0 if `a` is not a face or is too steep.
pub(crate) fn clip_features(
    a: &Feature,
    b: &Feature,
    m: Vec3,
    out: &mut [ClippedPoint; 8],
) -> usize {
    if a.n < 3 || b.n < 2 {
        return 0;
    }
    let f = (a.corners[1] - a.corners[0]).cross(a.corners[2] - a.corners[0]);
    let Some(f) = f.unit() else { return 0 };
    let steepness = f.dot(m);
    if steepness.abs() < MIN_FACE_COSINE {
        return 0;
    }
    let mut polygon = [ClippedPoint {
        p: Vec3::zero(),
        gap: 0.0,
        ids: [0; 2],
    }; 8];
    let mut n = b.n;
    for k in 0..n {
        polygon[k] = ClippedPoint {
            p: b.corners[k],
            gap: 0.0,
            ids: [u32::MAX, b.ids[k]],
        };
    }
    let orientation = steepness.signum();
    for k in 0..a.n {
        let start = a.corners[k];
        let side = (a.corners[(k + 1) % a.n] - start)
            .cross(m)
            .scale(orientation);
        let Some(outward) = side.unit() else { continue };
        n = clip_by_plane(&mut polygon, n, outward, outward.dot(start), a.ids[k]);
    }
    for point in &mut polygon[..n] {
        point.gap = (point.p - a.corners[0]).dot(f) / steepness;
    }
    *out = polygon;
    n
}

/// Keeps the part of the polygon on the inner side of a plane.
fn clip_by_plane(
    polygon: &mut [ClippedPoint; 8],
    n: usize,
    outward: Vec3,
    offset: f64,
    edge: u32,
) -> usize {
    let (input, mut count) = (*polygon, 0);
    // an edge is an open line: its end is not connected to its start
    let pairs = if n == 2 { 1 } else { n };
    let mut push = |point: ClippedPoint| {
        if count < polygon.len() {
            polygon[count] = point;
            count += 1;
        }
    };
    for k in 0..n {
        let (p, q) = (input[k], input[(k + 1) % n]);
        let (dp, dq) = (outward.dot(p.p) - offset, outward.dot(q.p) - offset);
        if dp <= TOLERANCE {
            push(p);
        }
        let crosses = (dp <= TOLERANCE) != (dq <= TOLERANCE);
        if k < pairs && crosses {
            let fraction = dp / (dp - dq);
            let id = p.ids[1].rotate_left(8) ^ q.ids[1];
            push(ClippedPoint {
                p: p.p + (q.p - p.p).scale(fraction),
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

    fn square(half: f64, z: f64, orientation: f64) -> Feature {
        let (s, c) = merrow_math::real::sin_cos(orientation);
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

    fn clip(a: &Feature, b: &Feature) -> Vec<ClippedPoint> {
        let mut out = [ClippedPoint {
            p: Vec3::zero(),
            gap: 0.0,
            ids: [0; 2],
        }; 8];
        let n = clip_features(a, b, Vec3::new(0.0, 0.0, 1.0), &mut out);
        out[..n].to_vec()
    }

    #[test]
    fn equal_squares_have_four_contact_points() {
        for noise in [0.0, 1e-16, -1e-16, 3e-9] {
            let points = clip(&square(0.1, 0.0, 0.0), &square(0.1 + noise, -2e-6, noise));
            assert_eq!(points.len(), 4, "{noise:e}");
            assert!(points.iter().all(|p| (p.gap + 2e-6).abs() < 1e-12));
        }
    }

    #[test]
    fn rotated_squares_overlap_in_octagon() {
        let points = clip(
            &square(1.0, 0.0, 0.0),
            &square(1.0, 0.5, std::f64::consts::FRAC_PI_4),
        );
        assert_eq!(points.len(), 8);
        // the octagon's corners are at (1, sqrt 2 - 1)
        for p in points {
            let (x, y) = (p.p.x.abs(), p.p.y.abs());
            assert!(
                (x.max(y) - 1.0).abs() < 1e-12 && (x.min(y) - (2.0_f64.sqrt() - 1.0)).abs() < 1e-12
            );
            assert!((p.gap - 0.5).abs() < 1e-12);
        }
    }

    #[test]
    fn edge_is_clipped_at_both_ends() {
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
        let points = clip(&square(1.0, 0.0, 0.0), &edge);
        assert_eq!(points.len(), 2);
        assert!(
            points
                .iter()
                .all(|p| (p.p.x.abs() - 1.0).abs() < 1e-12 && (p.gap - 0.2).abs() < 1e-12)
        );
    }
}
