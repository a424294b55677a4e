//! Rays below rotors: surfaces of other robots and structures (decks) for the ground effect.
//!
//! Vertical rays start at the hub and at eight points around it, on a circle that encloses half of
//! the disc area. They are as long as the range of the ground effect. The rays are cast before
//! every step that robots make together. Robots that are stepped independently are farther from all
//! objects than this range (`clearance.rs`), so no deck is below them.

use crate::contact::geometry::detect::Detector;
use crate::contact::geometry::shapes::{CollisionShape, to_parry};
use merrow_math::Vec3;
use merrow_model::scene::{Robot, Scene, Thruster};
use merrow_model::state::Workspace;
use merrow_model::state::workspace::Deck;
use parry3d_f64::bounding_volume::Aabb;
use parry3d_f64::math::Pose;
use parry3d_f64::query::Ray;

/// Range of the ground effect in radii: beyond it the effect is less than a thousandth.
const RANGE_IN_RADII: f64 = 10.0;
/// Start points of the rays relative to the hub, in radii.
const RAY_ORIGINS: [[f64; 2]; 9] = {
    let (axial, diagonal) = (std::f64::consts::FRAC_1_SQRT_2, 0.5);
    [
        [0.0, 0.0],
        [axial, 0.0],
        [diagonal, diagonal],
        [0.0, axial],
        [-diagonal, diagonal],
        [-axial, 0.0],
        [-diagonal, -diagonal],
        [0.0, -axial],
        [diagonal, -diagonal],
    ]
};

/// Returns true if the thruster is a rotor with ground effect.
fn has_ground_effect(thruster: &Thruster) -> bool {
    thruster.rotor().is_some_and(|rotor| rotor.ground_effect)
}

/// Returns the link of each rotor with ground effect, and the maximum distance from the link's
/// origin to the end of its rays [m].
pub(crate) fn ray_ranges(robot: &Robot) -> impl Iterator<Item = (usize, f64)> {
    let rotors = robot.thrusters.iter().filter(|t| has_ground_effect(t));
    rotors.map(|t| {
        (
            t.link,
            t.p_LoT.norm() + (RANGE_IN_RADII * RANGE_IN_RADII + 1.0).sqrt() * t.radius(),
        )
    })
}

/// Robots that have rotors with ground effect.
#[derive(Debug)]
pub(crate) struct GroundEffectRays {
    robots: Vec<usize>,
}

impl GroundEffectRays {
    /// Collects the robots of `scene` that have rotors with ground effect.
    pub(crate) fn new(scene: &Scene) -> Self {
        let has_rotors = |r: &usize| scene.robots[*r].thrusters.iter().any(has_ground_effect);
        Self {
            robots: (0..scene.robots.len()).filter(has_rotors).collect(),
        }
    }

    /// Stores the decks below the rotors in `works`. `works` and `detector` must have the same
    /// poses.
    pub(crate) fn cast_rays<W>(&self, scene: &Scene, detector: &Detector, works: &mut [W])
    where
        W: AsRef<Workspace> + AsMut<Workspace>,
    {
        for &r in &self.robots {
            for (k, thruster) in scene.robots[r]
                .thrusters
                .iter()
                .enumerate()
                .filter(|(_, t)| has_ground_effect(t))
            {
                let link = &works[r].as_ref().links[thruster.link];
                let hub = link.p_WL + link.R_WL.mul_vec(thruster.p_LoT);
                works[r].as_mut().rotor_decks[k] = deck_below(hub, thruster.radius(), r, detector);
            }
        }
    }

    /// Stores in `works` that no deck is below the rotors.
    pub(crate) fn clear_rotor_decks<W: AsMut<Workspace>>(&self, works: &mut [W]) {
        for &r in &self.robots {
            works[r].as_mut().rotor_decks.fill(Deck::NONE);
        }
    }
}

/// Returns the deck below a rotor of robot `own` with its hub at `p` [m], W.
fn deck_below(p: Vec3, radius: f64, own: usize, detector: &Detector) -> Deck {
    let range = RANGE_IN_RADII * radius;
    let (low, high) = (
        p - Vec3::new(radius, radius, range),
        p + Vec3::new(radius, radius, 0.0),
    );
    let mut nearest = [f64::INFINITY; RAY_ORIGINS.len()];
    detector.visit_shapes_in(
        &Aabb::new(to_parry(low), to_parry(high)),
        |shape: &CollisionShape, X: &Pose| {
            if shape.body.link().is_some_and(|(r, _)| r == own) {
                return;
            }
            for ([x, y], nearest) in RAY_ORIGINS.iter().zip(&mut nearest) {
                let start = to_parry(p + Vec3::new(x * radius, y * radius, 0.0));
                let ray = Ray::new(start, to_parry(Vec3::new(0.0, 0.0, -1.0)));
                if let Some(distance) = shape.shape.cast_ray(X, &ray, range, true) {
                    *nearest = nearest.min(distance);
                }
            }
        },
    );
    let (n, sum) = nearest
        .iter()
        .filter(|z| z.is_finite())
        .fold((0, 0.0), |(n, sum), z| (n + 1, sum + z));
    if n == 0 {
        return Deck::NONE;
    }
    Deck {
        height: p.z - sum / f64::from(n),
        disc_fraction: f64::from(n) / nearest.len() as f64,
    }
}
