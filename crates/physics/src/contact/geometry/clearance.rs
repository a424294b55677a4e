//! Clearance check: whether robots are so far from everything that they can be stepped several
//! times independently.
//!
//! A sphere around the base of each robot contains all its shapes for every position of its joints.
//! The sphere is enlarged by the distance that the robot can move in the given time. If no spheres
//! intersect anything, no contact can occur. The distance actually moved is checked afterwards. A
//! robot that moved farther than allowed is stepped again together with the others.

use crate::contact::geometry::ground_effect_rays;
use crate::contact::geometry::shapes::{Owner, Shape};
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
    always: bool,
    spheres: SphereGrid,
    allowed: Vec<f64>,
}

/// Speed that a robot may gain within the given time, in addition to doubling its speed [m/s].
const SPEED_GAIN: f64 = 0.5;

impl Clearance {
    /// Creates the check for the shapes of a scene.
    ///
    /// `always` is true if a constraint other than contact connects robots; they are then always
    /// stepped together.
    pub(crate) fn new<'a>(
        scene: &Scene,
        moving: &[Shape],
        fixed: impl Iterator<Item = (&'a Shape, &'a Pose)>,
        always: bool,
    ) -> Self {
        let mut reach: Vec<Option<f64>> = vec![None; scene.robots.len()];
        for shape in moving {
            if let Owner::Link(r, l) = shape.owner {
                let sphere = shape.shape.compute_bounding_sphere(&shape.X_LG);
                let far = sphere.center.length()
                    + sphere.radius
                    + scene.robots[r as usize].longest_way(l as usize);
                let known = &mut reach[r as usize];
                *known = Some(known.map_or(far, |k| k.max(far)));
            }
        }
        for (robot, reach) in scene.robots.iter().zip(&mut reach) {
            for (link, felt) in ground_effect_rays::ray_ranges(robot) {
                let far = felt + robot.longest_way(link);
                *reach = Some(reach.map_or(far, |r| r.max(far)));
            }
        }
        let owner = |s: &Shape| match s.owner {
            Owner::Link(r, _) => Some(r as usize),
            _ => None,
        };
        let fixed = fixed
            .map(|(s, X)| (s.shape.compute_aabb(X), owner(s)))
            .collect();
        let always = always || scene.robots.iter().any(|r| r.self_collision);
        Self {
            reach,
            fixed,
            always,
            spheres: SphereGrid::with_capacity(scene.robots.len()),
            allowed: vec![0.0; scene.robots.len()],
        }
    }

    /// Returns true if no contact can occur within `span_s` [s], as long as no robot moves farther
    /// than [`Clearance::allowed_distance`].
    pub(crate) fn is_clear(&mut self, state: &State, span_s: f64) -> bool {
        if self.always {
            return false;
        }
        for (r, robot) in state.robots.iter().enumerate() {
            let way = span_s * (2.0 * robot.motion.V_WB_B.v.norm() + SPEED_GAIN);
            self.allowed[r] = way;
            let Some(reach) = self.reach[r] else { continue };
            let p = robot.motion.p_WB;
            let radius = reach + way;
            if !radius.is_finite() || !state.sea.seabed.is_clear_of(p, radius) {
                return false;
            }
            let meets = |(around, owner): &(Aabb, Option<usize>)| {
                *owner != Some(r) && distance(around, p) <= radius
            };
            if self.fixed.iter().any(meets) {
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
                .filter_map(|(owner, ((robot, reach), way))| {
                    let (center, radius) = (robot.motion.p_WB, (*reach)? + way);
                    Some(Sphere {
                        center,
                        radius,
                        owner,
                    })
                }),
        );
        !spheres.has_intersection()
    }

    /// Distance [m] that robot `r` may move after the last call of [`Clearance::is_clear`].
    pub(crate) fn allowed_distance(&self, r: usize) -> f64 {
        if self.reach[r].is_some() {
            self.allowed[r]
        } else {
            f64::INFINITY
        }
    }
}

/// Distance from a box to a point outside it; 0 inside.
fn distance(around: &Aabb, p: Vec3) -> f64 {
    let gap = |lo: f64, x: f64, hi: f64| (lo - x).max(x - hi).max(0.0);
    let d = Vec3::new(
        gap(around.mins.x, p.x, around.maxs.x),
        gap(around.mins.y, p.y, around.maxs.y),
        gap(around.mins.z, p.z, around.maxs.z),
    );
    d.norm()
}
