//! Selection of entities, and boxes around them.

use crate::simulation_interfaces::failure;
use crate::simulation_interfaces::poses::has_tags;
use merrow_math::Vec3;
use merrow_math::bounds::box_around;
use merrow_messages::convert::from_vector3;
use merrow_model::kinematics::link_poses;
use merrow_model::scene::{Collider, Robot, Structure};
use merrow_model::state::Motion;
use merrow_physics::contact::geometry::overlap::ConvexVolume;
use merrow_ros2::msg::simulation_interfaces::{Bounds, EntityFilters, ServiceResult, TagsFilter};
use merrow_world::document::Placement;
use regex_lite::Regex;

/// A checked selection of entities.
pub(super) struct Filter {
    name: Option<Regex>,
    categories: Vec<u8>,
    tags: TagsFilter,
    volume: Option<Volume>,
}

/// Volume that selected entities overlap.
enum Volume {
    Box([Vec3; 2]),
    Sphere { center: Vec3, radius: f64 },
    ConvexHull(ConvexVolume),
}

impl Filter {
    /// Checks the filters of a request.
    pub(super) fn new(filters: &EntityFilters) -> Result<Self, ServiceResult> {
        let invalid = |why: String| failure(ServiceResult::RESULT_OPERATION_FAILED, why);
        let name = match filters.filter.as_str() {
            "" => None,
            text => {
                let parsed = Regex::new(text);
                Some(parsed.map_err(|e| invalid(format!("filter {text:?}: {e}")))?)
            }
        };
        Ok(Self {
            name,
            categories: filters.categories.iter().map(|c| c.category).collect(),
            tags: filters.tags.clone(),
            volume: Volume::new(&filters.bounds)?,
        })
    }

    /// Returns true if name, category and tags of an entity are selected.
    pub(super) fn accepts(&self, name: &str, category: u8, tags: &[String]) -> bool {
        has_tags(&self.tags, tags)
            && self.name.as_ref().is_none_or(|regex| regex.is_match(name))
            && (self.categories.is_empty() || self.categories.contains(&category))
    }

    /// Returns true if an entity with a box in W overlaps the volume.
    pub(super) fn overlaps(&self, world_box: impl FnOnce() -> [Vec3; 2]) -> bool {
        let Some(volume) = &self.volume else {
            return true;
        };
        let [lower, upper] = world_box();
        let axes = |v: Vec3| [v.x, v.y, v.z];
        match volume {
            Volume::Box([low, high]) => {
                (0..3).all(|i| axes(lower)[i] <= axes(*high)[i] && axes(*low)[i] <= axes(upper)[i])
            }
            Volume::ConvexHull(hull) => hull.overlaps_box(lower, upper),
            Volume::Sphere { center, radius } => {
                let nearest = |i: usize| axes(*center)[i].clamp(axes(lower)[i], axes(upper)[i]);
                let nearest = Vec3::new(nearest(0), nearest(1), nearest(2));
                (nearest - *center).norm() <= *radius
            }
        }
    }
}

impl Volume {
    fn new(bounds: &Bounds) -> Result<Option<Self>, ServiceResult> {
        let points: Vec<Vec3> = bounds.points.iter().map(from_vector3).collect();
        let invalid = |why: &str| Err(failure(ServiceResult::RESULT_OPERATION_FAILED, why));
        if points.iter().any(|p| !p.is_finite()) {
            return invalid("bounds: expected finite numbers, found a point that is not finite");
        }
        match (bounds.r#type, points.as_slice()) {
            (Bounds::TYPE_EMPTY, _) => Ok(None),
            (Bounds::TYPE_BOX, [a, b]) => Ok(box_around([*a, *b]).map(Self::Box)),
            (Bounds::TYPE_SPHERE, [center, radius]) if radius.x >= 0.0 => Ok(Some(Self::Sphere {
                center: *center,
                radius: radius.x,
            })),
            (Bounds::TYPE_BOX, _) => invalid("bounds: expected two points for a box"),
            (Bounds::TYPE_SPHERE, _) => invalid(
                "bounds: expected a centre, and a radius of at least 0 as x of a second point",
            ),
            (Bounds::TYPE_CONVEX_HULL, points) => match ConvexVolume::from_points(points) {
                Some(hull) => Ok(Some(Self::ConvexHull(hull))),
                None => invalid("bounds: expected at least four points that are not in one plane"),
            },
            _ => Err(failure(
                ServiceResult::RESULT_FEATURE_UNSUPPORTED,
                "bounds: expected no volume, a box, a convex hull or a sphere",
            )),
        }
    }
}

/// Returns the box around a robot in its base frame, at its joint positions: hulls, collision
/// shapes and visual shapes.
pub(super) fn robot_bounds(robot: &Robot, motion: &Motion) -> [Vec3; 2] {
    let links = link_poses(robot, motion);
    let (R_BW, p_WB) = (links[0].R_WL.transpose(), links[0].p_WL);
    let place =
        |link: usize, p: Vec3| R_BW.mul_vec(links[link].p_WL + links[link].R_WL.mul_vec(p) - p_WB);
    let mut points = Vec::new();
    for collider in robot.colliders.iter().chain(&robot.visuals) {
        let corners = collider.corners().into_iter();
        points.extend(corners.map(|p| place(collider.link, p)));
    }
    for (k, link) in robot.links.iter().enumerate() {
        let hull = link.hull_mesh.iter().flat_map(|mesh| &mesh.vertices);
        points.extend(hull.map(|p| place(k, *p)));
    }
    box_around(points).unwrap_or_default()
}

/// Returns the box around a structure in its own frame.
pub(super) fn structure_bounds(structure: &Structure, placement: &Placement) -> [Vec3; 2] {
    let R_BW = placement.q_WB.matrix().transpose();
    let points = structure.colliders.iter().flat_map(Collider::corners);
    let points = points.map(|corner| R_BW.mul_vec(corner - placement.p_WB));
    box_around(points).unwrap_or_default()
}
