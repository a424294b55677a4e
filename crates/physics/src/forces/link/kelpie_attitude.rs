//! Pitch and roll law of the Kelpie simulator for a vehicle without a hull: both follow the height
//! of the waves.
//!
//! # Law
//! ```text
//!   pitch* = (p_y · p_w) h α_pitch,  roll* = (p_x · p_w) h α_roll  (1)  [Mendonca 2013, eqs 3, 4]
//!   M = I (ω² (φ* - φ) + 2 ω (φ̇* - φ̇) + φ̈*)                     (2)
//! ```
//! Kelpie sets the angles (1) directly. Here the moment (2) drives the vehicle to these angles, so
//! that it remains a rigid body. Positive pitch is bow up, positive roll starboard down; the paper
//! does not define the signs.
//!
//! # Symbols
//! p_y, p_x horizontal unit vectors forward and to starboard · p_w unit vector downwind · h height
//! of the surface at the vehicle · ω bandwidth, critically damped · I inertia with added mass about
//! the axis.
//!
//! # Frames
//! Base frame B at Bo.
//!
//! # Limits
//! Small angles. The moment is zero without wind, because the law depends on the wind direction.
//! The law is meant for the sea `kelpie`, which rises uniformly; other seas work too.
//!
//! # Checked by
//! V05

use crate::forces::link::interface::{LinkForceLaw, LinkState};
use merrow_environment::{EnvironmentState, air};
use merrow_math::{Mat3, Real, SpatialForce, Vec3};
use merrow_model::scene::Link;
use merrow_model::scene::robot::force::KelpieAttitude;

/// Returns the pitch (bow up) and roll (starboard down) [rad] by (1).
///
/// `ahead` and `starboard` are horizontal unit vectors of the vehicle, `wind` is the downwind unit
/// vector, all in W; `h` is the surface height [m].
pub fn target_angles(
    law: &KelpieAttitude,
    ahead: Vec3,
    starboard: Vec3,
    wind: Vec3,
    h: f64,
) -> [f64; 2] {
    [
        ahead.dot(wind) * h * law.pitch_rad_per_m,
        starboard.dot(wind) * h * law.roll_rad_per_m,
    ]
}

impl LinkForceLaw for KelpieAttitude {
    /// Returns the wrench by (2) at Bo in B.
    #[inline(never)]
    fn force<T: Real>(&self, state: &LinkState<'_, T>) -> SpatialForce<T> {
        let (environment, w) = (state.environment, state.work);
        let wind = air::weather(&environment.sea.air, environment.time).wind;
        let speed = (wind.x * wind.x + wind.y * wind.y).sqrt();
        let towards = if speed > 0.0 {
            Vec3::new(wind.x / speed, wind.y / speed, 0.0)
        } else {
            Vec3::zero()
        };
        let moment_in_lane = |i: usize| {
            moment(
                state.link,
                self,
                environment,
                (w.p_WL.lane(i), w.R_WL.lane(i), w.V.w.lane(i)),
                towards,
            )
        };
        let m = Vec3::new(
            T::from_lanes(|i| moment_in_lane(i).x),
            T::from_lanes(|i| moment_in_lane(i).y),
            T::zero(),
        );
        // no moment in air
        SpatialForce {
            m: m.scale(T::from_lanes(|i| {
                (20.0 * w.submerged_fraction.lane(i)).min(1.0)
            })),
            f: Vec3::zero(),
        }
    }
}

fn moment(
    link: &Link,
    law: &KelpieAttitude,
    environment: &EnvironmentState<'_>,
    (p_WB, R_WB, w_B): (Vec3, Mat3, Vec3),
    towards: Vec3,
) -> Vec3 {
    let bow = R_WB.col(0);
    let level = (bow.x * bow.x + bow.y * bow.y).sqrt();
    if level < 1e-6 {
        return Vec3::zero();
    }
    let ahead = Vec3::new(bow.x / level, bow.y / level, 0.0);
    let starboard = Vec3::new(ahead.y, -ahead.x, 0.0);
    // height of the surface and its rates; the water at the surface moves with it
    let h = environment.waves.map_or([0.0; 3], |waves| {
        let (surface, water) = waves.surface_and_motion(Vec3::new(p_WB.x, p_WB.y, f64::INFINITY));
        [surface.z, water.velocity.z, water.local_acceleration.z]
    });
    let [targets, target_rates, target_accelerations] =
        h.map(|h| target_angles(law, ahead, starboard, towards, h));
    // in FLU a positive rotation about y is bow down and a positive roll is to starboard
    let angles = [
        libm::asin(bow.z.clamp(-1.0, 1.0)),
        libm::atan2(R_WB.r[2].y, R_WB.r[2].z),
    ];
    let rates = [-w_B.y, w_B.x];
    let moment_about = |k: usize, inertia: f64| {
        let omega = law.bandwidth_rad_s();
        inertia
            * (omega * omega * (targets[k] - angles[k])
                + 2.0 * omega * (target_rates[k] - rates[k])
                + target_accelerations[k])
    };
    Vec3::new(
        moment_about(1, link.total.A.xx),
        -moment_about(0, link.total.A.yy),
        0.0,
    )
}
