//! What the sea is at a place and an instant: pure functions of the scene, no memory.

pub mod current;
pub mod geodesy;
pub mod waves;

use crate::math::{Mat3, Real, Vec3};
use crate::scene::{Link, Robot, Sea};
use crate::state::workspace::LinkWork;
pub use current::Variation;
pub use waves::WavesNow;

/// Gravity, water, the current's variation and the waves at one instant of a step; the same for every robot.
#[derive(Clone, Copy, Debug)]
pub struct Instant<'a> {
    /// The water.
    pub sea: &'a Sea,
    /// Gravity [m/s²].
    pub gravity: f64,
    /// Variation of the current at this instant.
    pub variation: Variation,
    /// The waves at this instant; none where the water is flat.
    pub waves: Option<&'a WavesNow>,
}

impl Instant<'_> {
    /// True if the water is at rest everywhere: then rigid and added mass share one velocity.
    #[inline(always)]
    pub fn is_still(&self) -> bool {
        self.waves.is_none()
            && self.variation == Variation::NONE
            && self.sea.current.profile.iter().all(|(_, v)| v.x == 0.0 && v.y == 0.0 && v.z == 0.0)
    }

    /// Height of a point over the surface [m], negative under water.
    #[inline(always)]
    pub fn above_surface(&self, p: Vec3) -> f64 {
        match self.waves {
            None => p.z,
            Some(waves) => p.z - waves.elevation(p.x, p.y),
        }
    }

    /// As [`Instant::above_surface`], but where no wave can reach any figure beyond `enough` [m] will do.
    #[inline(always)]
    pub fn about_above_surface(&self, p: Vec3, enough: f64) -> f64 {
        match self.waves {
            Some(waves) if p.z.abs() <= enough + waves.reach() => p.z - waves.elevation(p.x, p.y),
            _ => p.z,
        }
    }
}

/// Water velocity and acceleration at every link's centre of buoyancy, in the link frame.
///
/// The acceleration is that of the water particle (Du/Dt), which is what drives the added mass of a body in
/// weakly sheared flow [Auton 1988]; a horizontal current that varies with depth alone has none. In waves the surface at
/// the hull is left in `links` too, and the water is that in the middle of the part that is under it.
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
        if let Some(waves) = at.waves {
            add_waves(link, waves, work);
        }
    }
}

/// Most robots that the lanes of a scalar hold.
const MAX_LANES: usize = 8;

/// Surface at the hull's centre, and what the waves add to the water's motion.
#[inline(never)]
fn add_waves<T: Real>(link: &Link, waves: &WavesNow, work: &mut LinkWork<T>) {
    let mut lanes = [InWaves::default(); MAX_LANES];
    for (i, lane) in lanes.iter_mut().enumerate().take(T::LANES) {
        *lane = in_waves(link, waves, work.p_WL.lane(i), &work.R_WL.lane(i));
    }
    let vector = |of: fn(&InWaves) -> Vec3| {
        let of = |i: usize| of(&lanes[i]);
        Vec3::new(T::from_lanes(|i| of(i).x), T::from_lanes(|i| of(i).y), T::from_lanes(|i| of(i).z))
    };
    work.surface_normal = vector(|l| l.normal);
    work.over_surface = T::from_lanes(|i| lanes[i].height);
    work.water += vector(|l| l.velocity);
    work.water_acceleration += vector(|l| l.acceleration);
}

/// What [`add_waves`] finds for one robot, in the link frame.
#[derive(Clone, Copy)]
struct InWaves {
    normal: Vec3,
    height: f64,
    velocity: Vec3,
    acceleration: Vec3,
}

impl Default for InWaves {
    fn default() -> Self {
        let zero = Vec3::zero();
        Self { normal: zero, height: 0.0, velocity: zero, acceleration: zero }
    }
}

fn in_waves(link: &Link, waves: &WavesNow, p_WL: Vec3, R_WL: &Mat3) -> InWaves {
    let hull = &link.hull;
    let p_H = p_WL + R_WL.mul_vec(hull.p_LoH);
    let surface = waves.surface(p_H.x, p_H.y);
    let n_W = surface.normal();
    let height = (p_H.z - surface.z) * n_W.z;
    let normal = R_WL.tr_mul_vec(n_W);
    if height >= hull.bound {
        return InWaves { normal, height, ..InWaves::default() };
    }
    let mut p = p_WL + R_WL.mul_vec(link.p_LoCb);
    let eta = surface.z + surface.slope[0] * (p.x - p_H.x) + surface.slope[1] * (p.y - p_H.y);
    if height > -hull.bound {
        // half-way between the surface and the hull's lowest point: where the middle of an upright box's wet part is
        let lowest = p_H.z - hull.shape.reach(hull.R_LH.tr_mul_vec(R_WL.r[2]));
        p.z = p.z.min(0.5 * (eta + lowest));
    }
    let water = waves.orbital(p, eta);
    InWaves {
        normal,
        height,
        velocity: R_WL.tr_mul_vec(water.velocity),
        acceleration: R_WL.tr_mul_vec(water.acceleration),
    }
}
