//! Clearance check: whether robots are so far from all other objects that they can be stepped
//! several times independently.
//!
//! A sphere around the base of each robot contains all its shapes for every position of its joints.
//! The sphere is enlarged by the distance that the robot can move in the given time. If no spheres
//! intersect any shape, no contact can occur. The distance actually moved is checked afterwards. A
//! robot that moved farther than allowed is stepped again together with the others.

use crate::contact::geometry::ground_effect_rays;
use crate::contact::geometry::shapes::CollisionShape;
use merrow_math::Vec3;
use merrow_math::sphere_grid::{Sphere, SphereGrid};
use merrow_model::scene::Scene;
use merrow_model::state::State;
use parry3d_f64::bounding_volume::Aabb;
use parry3d_f64::math::Pose;

/// Bounding spheres of the robots, and the fixed boxes that they must not intersect.
#[derive(Debug)]
pub(crate) struct Clearance {
    /// Radius of each robot's sphere, including the range of its ground-effect rays [m]; `None`
    /// without moving shapes.
    reach: Vec<Option<f64>>,
    /// Boxes around fixed shapes, and the robot that a box belongs to, if any.
    fixed: Vec<(Aabb, Option<usize>)>,
    /// True if robots must always be stepped together.
    always_together: bool,
    spheres: SphereGrid,
    allowed: Vec<f64>,
}

/// Speed that a robot may gain within the given time, in addition to doubling its speed [m/s].
const SPEED_GAIN: f64 = 0.5;

impl Clearance {
    /// Creates the check for the shapes of a scene.
    ///
    /// `always_together` is true if a constraint other than contact connects robots; they are then
    /// always stepped together.
    pub(crate) fn new<'a>(
        scene: &Scene,
        moving: &[CollisionShape],
        fixed: impl Iterator<Item = (&'a CollisionShape, &'a Pose)>,
        always_together: bool,
    ) -> Self {
        let mut reach: Vec<Option<f64>> = vec![None; scene.robots.len()];
        for shape in moving {
            if let Some((r, l)) = shape.body.link() {
                let sphere = shape.shape.compute_bounding_sphere(&shape.X_LG);
                let radius_from_base =
                    sphere.center.length() + sphere.radius + scene.robots[r].max_link_distance(l);
                let radius = &mut reach[r];
                *radius = Some(radius.map_or(radius_from_base, |k| k.max(radius_from_base)));
            }
        }
        for (robot, reach) in scene.robots.iter().zip(&mut reach) {
            for (link, ray_range) in ground_effect_rays::ray_ranges(robot) {
                let radius_from_base = ray_range + robot.max_link_distance(link);
                *reach = Some(reach.map_or(radius_from_base, |r| r.max(radius_from_base)));
            }
        }
        let robot = |s: &CollisionShape| s.body.link().map(|(r, _)| r);
        let fixed = fixed
            .map(|(s, X)| (s.shape.compute_aabb(X), robot(s)))
            .collect();
        let always_together = always_together || scene.robots.iter().any(|r| r.self_collision);
        Self {
            reach,
            fixed,
            always_together,
            spheres: SphereGrid::with_capacity(scene.robots.len()),
            allowed: vec![0.0; scene.robots.len()],
        }
    }

    /// Returns true if no contact can occur within `span_s` [s], as long as no robot moves farther
    /// than [`Clearance::allowed_distance`].
    pub(crate) fn is_clear(&mut self, state: &State, span_s: f64) -> bool {
        if self.always_together {
            return false;
        }
        for (r, robot) in state.robots.iter().enumerate() {
            let travel = span_s * (2.0 * robot.motion.V_WB_B.v.norm() + SPEED_GAIN);
            self.allowed[r] = travel;
            let Some(reach) = self.reach[r] else { continue };
            let p = robot.motion.p_WB;
            let radius = reach + travel;
            if !radius.is_finite() || !state.sea.seabed.is_clear_of(p, radius) {
                return false;
            }
            let intersects = |(aabb, owner): &(Aabb, Option<usize>)| {
                *owner != Some(r) && distance(aabb, p) <= radius
            };
            if self.fixed.iter().any(intersects) {
                return false;
            }
        }
        let Self {
            reach,
            allowed,
            spheres,
            ..
        } = self;
        let robots = state.robots.iter().zip(&*reach).zip(&*allowed);
        spheres.rebuild(
            robots
                .enumerate()
                .filter_map(|(owner, ((robot, reach), travel))| {
                    let (center, radius) = (robot.motion.p_WB, (*reach)? + travel);
                    Some(Sphere {
                        center,
                        radius,
                        owner,
                    })
                }),
        );
        !spheres.has_intersection()
    }

    /// Returns the distance [m] that robot `r` may move after the last call of
    /// [`Clearance::is_clear`].
    pub(crate) fn allowed_distance(&self, r: usize) -> f64 {
        if self.reach[r].is_some() {
            self.allowed[r]
        } else {
            f64::INFINITY
        }
    }
}

/// Returns the distance from a box to a point outside it; 0 inside.
fn distance(aabb: &Aabb, p: Vec3) -> f64 {
    let gap = |lo: f64, x: f64, hi: f64| (lo - x).max(x - hi).max(0.0);
    let d = Vec3::new(
        gap(aabb.mins.x, p.x, aabb.maxs.x),
        gap(aabb.mins.y, p.y, aabb.maxs.y),
        gap(aabb.mins.z, p.z, aabb.maxs.z),
    );
    d.norm()
}
