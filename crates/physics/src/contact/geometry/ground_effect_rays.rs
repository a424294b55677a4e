//! What stands under rotors: decks of other robots and structures, for their ground effect.
//!
//! Rays fall from the hub and from eight places about it, half the disc's area within them, as deep as the effect reaches. Looked for before every step that robots make
//! together; robots that step alone are further from everything than that (`clearance.rs`), so that there is nothing under them.

use crate::contact::geometry::detect::Detector;
use crate::contact::geometry::shapes::{Owner, Shape, vector};
use merrow_math::Vec3;
use merrow_model::scene::{Robot, Scene, Thruster};
use merrow_model::state::Workspace;
use merrow_model::state::workspace::Deck;
use rapier3d_f64::math::Pose;
use rapier3d_f64::parry::bounding_volume::Aabb;
use rapier3d_f64::parry::query::Ray;

/// How far down a rotor looks, in radii: beyond, the effect is less than a thousandth.
const REACH: f64 = 10.0;
/// Where rays fall, from the hub, over the radius.
const PLACES: [[f64; 2]; 9] = {
    let (far, near) = (std::f64::consts::FRAC_1_SQRT_2, 0.5);
    [
        [0.0, 0.0],
        [far, 0.0],
        [near, near],
        [0.0, far],
        [-near, near],
        [-far, 0.0],
        [-near, -near],
        [0.0, -far],
        [near, -near],
    ]
};

/// True if the thruster is a rotor that feels what is under it.
fn feels(thruster: &Thruster) -> bool {
    thruster.rotor().is_some_and(|rotor| rotor.ground_effect)
}

/// How far from its link's origin a rotor feels, at most [m].
pub fn reach(robot: &Robot) -> impl Iterator<Item = (usize, f64)> {
    let felt = robot.thrusters.iter().filter(|t| feels(t));
    felt.map(|t| {
        (
            t.link,
            t.p_LoT.norm() + (REACH * REACH + 1.0).sqrt() * t.radius,
        )
    })
}

/// Robots with rotors that feel what is under them.
#[derive(Debug)]
pub struct Decks {
    robots: Vec<usize>,
}

impl Decks {
    /// Of a scene.
    pub fn new(scene: &Scene) -> Self {
        let has = |r: &usize| scene.robots[*r].thrusters.iter().any(feels);
        Self {
            robots: (0..scene.robots.len()).filter(has).collect(),
        }
    }

    /// Leaves in `works` what is under the rotors, where the shapes of `detector` stand and the poses of `works` are theirs.
    pub fn look<W>(&self, scene: &Scene, detector: &Detector, works: &mut [W])
    where
        W: AsRef<Workspace> + AsMut<Workspace>,
    {
        for &r in &self.robots {
            for (k, thruster) in scene.robots[r]
                .thrusters
                .iter()
                .enumerate()
                .filter(|(_, t)| feels(t))
            {
                let link = &works[r].as_ref().links[thruster.link];
                let hub = link.p_WL + link.R_WL.mul_vec(thruster.p_LoT);
                works[r].as_mut().decks[k] = under(hub, thruster.radius, r, detector);
            }
        }
    }

    /// Leaves in `works` that nothing is.
    pub fn none<W: AsMut<Workspace>>(&self, works: &mut [W]) {
        for &r in &self.robots {
            works[r].as_mut().decks.fill(Deck::NONE);
        }
    }
}

/// The deck under the rotor of `own` with its hub at `p`.
fn under(p: Vec3, radius: f64, own: usize, detector: &Detector) -> Deck {
    let deep = REACH * radius;
    let (low, high) = (
        p - Vec3::new(radius, radius, deep),
        p + Vec3::new(radius, radius, 0.0),
    );
    let mut nearest = [f64::INFINITY; PLACES.len()];
    detector.within(
        &Aabb::new(vector(low), vector(high)),
        |shape: &Shape, X: &Pose| {
            if matches!(shape.owner, Owner::Link(r, _) if r as usize == own) {
                return;
            }
            for ([x, y], nearest) in PLACES.iter().zip(&mut nearest) {
                let from = vector(p + Vec3::new(x * radius, y * radius, 0.0));
                let ray = Ray::new(from, vector(Vec3::new(0.0, 0.0, -1.0)));
                if let Some(far) = shape.shape.cast_ray(X, &ray, deep, true) {
                    *nearest = nearest.min(far);
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
        share: f64::from(n) / nearest.len() as f64,
    }
}
