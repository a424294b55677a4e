//! Whether robots are so far from everything that they can run several steps alone.
//!
//! A sphere about each robot's base holds all its shapes in every position of its joints. Grown by how far the robot could
//! get in the time asked about, spheres that meet nothing say that no contact can come up. How far it got in fact is looked
//! at afterwards; a robot that went further than it was allowed is stepped again together with the others.

use crate::contact::geometry::ground_effect_rays;
use crate::contact::geometry::shapes::{Owner, Shape};
use merrow_math::Vec3;
use merrow_model::scene::Scene;
use merrow_model::state::State;
use rapier3d_f64::math::Pose;
use rapier3d_f64::parry::bounding_volume::Aabb;

/// Spheres about robots and what they must not meet.
#[derive(Debug)]
pub struct Clearance {
    /// Radius of each robot's sphere, what its rotors feel under them included [m]; none: it has no shapes that move.
    reach: Vec<Option<f64>>,
    /// Boxes about what stands still, and the robot that it is part of, if any.
    fixed: Vec<(Aabb, Option<usize>)>,
    /// True if robots must always be stepped together.
    always: bool,
    order: Vec<(f64, usize)>,
    allowed: Vec<f64>,
}

/// Speed that a robot may gain within the time asked about, beside doubling what it has [m/s].
const GAIN: f64 = 0.5;

impl Clearance {
    /// For the shapes of a scene; `always` if something beside touching ties robots together.
    pub fn new<'a>(
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
            for (link, felt) in ground_effect_rays::reach(robot) {
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
            order: Vec::with_capacity(scene.robots.len()),
            allowed: vec![0.0; scene.robots.len()],
        }
    }

    /// True if nothing can touch within `span_s` seconds, as long as no robot gets further than [`Clearance::allowed`].
    pub fn is_clear(&mut self, state: &State, span_s: f64) -> bool {
        if self.always {
            return false;
        }
        self.order.clear();
        for (r, robot) in state.robots.iter().enumerate() {
            let way = span_s * (2.0 * robot.motion.V_WB_B.v.norm() + GAIN);
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
            self.order.push((p.x - radius, r));
        }
        self.order.sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
        let radius = |r: usize| self.reach[r].unwrap_or(0.0) + self.allowed[r];
        for (k, (_, i)) in self.order.iter().enumerate() {
            let (p, own) = (state.robots[*i].motion.p_WB, radius(*i));
            for (left, j) in &self.order[k + 1..] {
                if *left > p.x + own {
                    break;
                }
                let apart = state.robots[*j].motion.p_WB - p;
                let both = own + radius(*j);
                if apart.dot(apart) <= both * both {
                    return false;
                }
            }
        }
        true
    }

    /// How far robot `r` may get from where it was when [`Clearance::is_clear`] was asked [m].
    pub fn allowed(&self, r: usize) -> f64 {
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
