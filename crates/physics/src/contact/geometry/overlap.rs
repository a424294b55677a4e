//! Overlap of convex volumes, for queries of users.

use crate::contact::geometry::shapes::to_parry;
use merrow_math::Vec3;
use parry3d_f64::math::Pose;
use parry3d_f64::query::intersection_test;
use parry3d_f64::shape::SharedShape;

/// Convex hull of points in W.
pub struct ConvexVolume(SharedShape);

impl std::fmt::Debug for ConvexVolume {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("ConvexVolume")
    }
}

impl ConvexVolume {
    /// Creates the convex hull of `points` [m], W; `None` if they are fewer than four or in one
    /// plane.
    pub fn from_points(points: &[Vec3]) -> Option<Self> {
        let points: Vec<_> = points.iter().map(|p| to_parry(*p)).collect();
        let enough = points.len() >= 4;
        enough
            .then(|| SharedShape::convex_hull(&points))
            .flatten()
            .map(Self)
    }

    /// Returns true if the volume overlaps the box between the corners `lower` and `upper` [m],
    /// both W.
    pub fn overlaps_box(&self, lower: Vec3, upper: Vec3) -> bool {
        let (half, center) = ((upper - lower).scale(0.5), (lower + upper).scale(0.5));
        let cuboid = SharedShape::cuboid(half.x, half.y, half.z);
        let pose = Pose::from_translation(to_parry(center));
        // the pair of shapes is supported
        intersection_test(&Pose::IDENTITY, &*self.0, &pose, &*cuboid)
            .is_ok_and(|found| found.intersecting)
    }
}
