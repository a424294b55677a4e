//! Rays below rotors: surfaces of other robots and structures (decks) for the ground effect.
//!
//! Vertical rays start at the hub and at eight points around it, on a circle that encloses half of
//! the disc area. They are as long as the range of the ground effect. The rays are cast before
//! every step that robots make together. Robots that are stepped independently are farther from
//! everything than this range (`clearance.rs`), so no deck is below them.

use crate::contact::geometry::detect::Detector;
use crate::contact::geometry::shapes::{Owner, Shape, vector};
use merrow_math::Vec3;
use merrow_model::scene::{Robot, Scene, Thruster};
use merrow_model::state::Workspace;
use merrow_model::state::workspace::Deck;
use parry3d_f64::math::Pose;
use parry3d_f64::bounding_volume::Aabb;
use parry3d_f64::query::Ray;

/// Range of the ground effect in radii: beyond it the effect is less than a thousandth.
const REACH: f64 = 10.0;
/// Start points of the rays relative to the hub, in radii.
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

/// Returns true if the thruster is a rotor with ground effect.
fn feels(thruster: &Thruster) -> bool {
    thruster.rotor().is_some_and(|rotor| rotor.ground_effect)
}

/// Link of each rotor with ground effect, and the maximum distance from the link's origin to the
/// end of its rays [m].
pub fn reach(robot: &Robot) -> impl Iterator<Item = (usize, f64)> {
    let felt = robot.thrusters.iter().filter(|t| feels(t));
    felt.map(|t| {
        (
            t.link,
            t.p_LoT.norm() + (REACH * REACH + 1.0).sqrt() * t.radius,
        )
    })
}

/// Robots that have rotors with ground effect.
#[derive(Debug)]
pub struct Decks {
    robots: Vec<usize>,
}

impl Decks {
    /// Collects the robots of `scene` that have rotors with ground effect.
    pub fn new(scene: &Scene) -> Self {
        let has = |r: &usize| scene.robots[*r].thrusters.iter().any(feels);
        Self {
            robots: (0..scene.robots.len()).filter(has).collect(),
        }
    }

    /// Stores the decks below the rotors in `works`. `works` and `detector` must have the same
    /// poses.
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

    /// Stores in `works` that no deck is below the rotors.
    pub fn none<W: AsMut<Workspace>>(&self, works: &mut [W]) {
        for &r in &self.robots {
            works[r].as_mut().decks.fill(Deck::NONE);
        }
    }
}

/// Deck below a rotor of robot `own` with its hub at `p` [m], W.
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
