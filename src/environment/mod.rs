//! What the sea is at a place and an instant: pure functions of the scene, no memory.

pub mod current;
pub mod geodesy;

use crate::math::{Real, Vec3};
use crate::scene::{Robot, Sea};
use crate::state::workspace::LinkWork;
pub use current::Variation;

/// Gravity, water and the current's variation at one instant of a step; the same for every robot.
#[derive(Clone, Copy, Debug)]
pub struct Instant<'a> {
    /// The water.
    pub sea: &'a Sea,
    /// Gravity [m/s²].
    pub gravity: f64,
    /// Variation of the current at this instant.
    pub variation: Variation,
}

impl Instant<'_> {
    /// True if the water is at rest everywhere: then rigid and added mass share one velocity.
    #[inline(always)]
    pub fn is_still(&self) -> bool {
        self.variation == Variation::NONE
            && self.sea.current.profile.iter().all(|(_, v)| v.x == 0.0 && v.y == 0.0 && v.z == 0.0)
    }
}

/// Water velocity and acceleration at every link's centre of buoyancy, in the link frame.
///
/// The acceleration is that of the water particle (Du/Dt), which is what drives the added mass of a body in
/// weakly sheared flow [Auton 1988]; a horizontal current that varies with depth alone has none.
#[inline(always)]
pub fn sample<T: Real>(robot: &Robot, at: &Instant<'_>, links: &mut [LinkWork<T>]) {
    let uniform = at.sea.current.profile.len() == 1;
    let everywhere = at.sea.current.profile[0].1 + at.variation.velocity;
    for (link, work) in robot.links.iter().zip(links) {
        if !link.wet {
            continue;
        }
        let v_W = if uniform {
            Vec3::splat(everywhere)
        } else {
            let z = work.p_WL.z + work.R_WL.r[2].dot(Vec3::splat(link.p_LoCb));
            current::mean_at(&at.sea.current, z) + Vec3::splat(at.variation.velocity)
        };
        work.water = work.R_WL.tr_mul_vec(v_W);
        work.water_acceleration = work.R_WL.tr_mul_vec(Vec3::splat(at.variation.acceleration));
    }
}
