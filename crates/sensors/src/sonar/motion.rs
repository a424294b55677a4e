//! Motion of a sonar between its ping and the arrival of the echoes.
//!
//! # Law
//! ```text
//!   p(t) = p + v t,   R(t) = R e^{[ω]× t}                                  (1)
//!   c t = r + r',   r' = |r d - v t|                                       (2)
//!   d' = e^{-[ω]× t} (r d - v t)/r'                                        (3)
//! ```
//! The sonar reports the range c t/2. It receives the echo from the direction d' in its frame at
//! that time.
//!
//! # Symbols
//! p position, R orientation at the ping, v and ω linear and angular velocity, all in S at the ping
//! · d direction and r distance to the target · t time of arrival [s].
//!
//! # Frames
//! S, at the ping and at the arrival.
//!
//! # Limits
//! - Both velocities stay as they are at the ping. The target stays where it was at the ping.
//! - For a reflected path (2) applies to the image. For a refracted ray d is its direction at the
//!   sonar, and its length is corrected like the length of its chord.
//! - (2) is solved in two iterations, with an error of (v/c)³.
//! - Across the fan an echo is distributed over two neighbouring columns of rays. This lowers the
//!   peak of a point target by up to 0.8 dB and does not change the sum over all beams.
//! - Volume reverberation is received as by a sonar at rest.
//!
//! # Checked by
//! test/sensors/sonar/motion.rs

use crate::sonar::echoes::AcousticPath;
use merrow_math::real::sin_cos;
use merrow_math::{SpatialVelocity, Vec3};

/// Motion of a sonar during one ping.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SonarMotion {
    /// Linear velocity in S [m/s].
    v: Vec3,
    /// Axis of rotation in S, and rate [rad/s].
    axis: Vec3,
    rate: f64,
}

impl SonarMotion {
    /// Returns the motion with this velocity in S; `None` if it is zero.
    pub fn new(V_WS_S: &SpatialVelocity) -> Option<Self> {
        let (v, rate) = (V_WS_S.v, V_WS_S.w.norm());
        let axis = if rate > 0.0 {
            V_WS_S.w.scale(1.0 / rate)
        } else {
            Vec3::zero()
        };
        (v.dot(v) > 0.0 || rate > 0.0).then_some(Self { v, axis, rate })
    }

    /// Computes the reported range [m] and the direction of arrival (unit vector in S at the
    /// arrival) of an echo. (2), (3)
    ///
    /// The outgoing path has the apparent length `outgoing` [m]; the echo returns by `back` from
    /// the direction `d` (unit vector in S at the ping). `sound_speed` [m/s] is the value that the
    /// sonar assumes.
    pub fn arrival(
        &self,
        d: Vec3,
        outgoing: f64,
        back: &AcousticPath,
        sound_speed: f64,
    ) -> (f64, Vec3) {
        let r = back.r.max(1e-3);
        let (mut range, mut target, mut time) = (0.5 * (outgoing + back.apparent_length), d, 0.0);
        for _ in 0..2 {
            time = 2.0 * range / sound_speed;
            target = d.scale(r) - self.v.scale(time);
            range = 0.5 * (outgoing + back.apparent_length * (target.norm() / r));
        }
        // Rodrigues' rotation by the opposite angle.
        let (sine, cosine) = sin_cos(-self.rate * time);
        let k = self.axis;
        let rotated = target.scale(cosine)
            + k.cross(target).scale(sine)
            + k.scale(k.dot(target) * (1.0 - cosine));
        (range, rotated.scale(1.0 / rotated.norm().max(1e-9)))
    }
}
