//! A sonar that has moved by the time its echoes arrive.
//!
//! # Law
//! ```text
//!   p(t) = p + v t,   R(t) = R e^{[ω]× t}                                  (1)
//!   c t = r + r',   r' = |r d - v t|                                       (2)
//!   d' = e^{-[ω]× t} (r d - v t)/r'                                        (3)
//! ```
//! So the range told is c t/2, and the echo is heard in the direction d' of the receiver as it stands then.
//!
//! # Symbols
//! p place, R axes at the ping, v and ω velocity and rate of turn, all in S at the ping · d direction and r length of the way to what is met · t time of arrival [s].
//!
//! # Frames
//! S, at the ping and at the arrival.
//!
//! # Limits
//! Both velocities stay as they are at the ping. What gives the echo stands where it was then. By a mirror (2) holds for the image; of a bent ray d is its direction at the sonar, and its length is
//! changed as that of its chord. (2) is solved in two rounds: (v/c)³ of it is lost. Across the fan an echo is heard as if half
//! by either of two neighbouring columns of rays, which takes up to 0.8 dB from the peak of a point and nothing from all its beams together. The volume is heard as at rest.
//!
//! # Checked by
//! tests below; test/analytic/sonar_motion.rs

use crate::sonar::echoes::Way;
use merrow_math::real::sin_cos;
use merrow_math::{SpatialVelocity, Vec3};

/// How a sonar moves over a ping.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Motion {
    /// Velocity in S [m/s].
    v: Vec3,
    /// Axis of its turn in S, and rate [rad/s].
    axis: Vec3,
    rate: f64,
}

impl Motion {
    /// By a velocity in S; none if that is nothing.
    pub fn new(V_WS_S: &SpatialVelocity) -> Option<Self> {
        let (v, rate) = (V_WS_S.v, V_WS_S.w.norm());
        let axis = if rate > 0.0 {
            V_WS_S.w.scale(1.0 / rate)
        } else {
            Vec3::zero()
        };
        (v.dot(v) > 0.0 || rate > 0.0).then_some(Self { v, axis, rate })
    }

    /// Range told, and direction in the axes of the arrival, of what has gone `there` [m, as told] and comes by the way `back` from `d`. (2), (3)
    pub fn arrives(&self, d: Vec3, there: f64, back: &Way, sound_speed: f64) -> (f64, Vec3) {
        let r = back.r.max(1e-3);
        let (mut told, mut to, mut time) = (0.5 * (there + back.told), d, 0.0);
        for _ in 0..2 {
            time = 2.0 * told / sound_speed;
            to = d.scale(r) - self.v.scale(time);
            told = 0.5 * (there + back.told * (to.norm() / r));
        }
        // Rodrigues, against the turn
        let (sine, cosine) = sin_cos(-self.rate * time);
        let k = self.axis;
        let turned =
            to.scale(cosine) + k.cross(to).scale(sine) + k.scale(k.dot(to) * (1.0 - cosine));
        (told, turned.scale(1.0 / turned.norm().max(1e-9)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn motion(v: Vec3, w: Vec3) -> Motion {
        Motion::new(&SpatialVelocity { w, v }).unwrap()
    }

    // head on r c/(c + v); across √ as the closed solution of the quadratic has it
    #[test]
    fn ranges_are_those_of_where_it_is_then() {
        let way = Way {
            r: 90.0,
            told: 90.0,
            loss: 0.0,
        };
        let x = Vec3::new(1.0, 0.0, 0.0);
        for v in [-12.0, 3.0, 15.0] {
            let (told, d) = motion(x.scale(v), Vec3::zero()).arrives(x, 90.0, &way, 1500.0);
            assert!(
                (told - 90.0 * 1500.0 / (1500.0 + v)).abs() < 1e-4 && (d - x).norm() < 1e-12,
                "{told}"
            );
            // c t - r = √(r² + v² t²)
            let across = motion(Vec3::new(0.0, v, 0.0), Vec3::zero());
            let t = 2.0 * 90.0 * 1500.0 / (1500.0 * 1500.0 - v * v);
            let (told, d) = across.arrives(x, 90.0, &way, 1500.0);
            assert!(
                (told - 750.0 * t).abs() < 1e-4 && (d.y / d.x + v * t / 90.0).abs() < 1e-6,
                "{told} {d:?}"
            );
        }
        assert_eq!(
            Motion::new(&SpatialVelocity {
                w: Vec3::zero(),
                v: Vec3::zero()
            }),
            None
        );
    }

    #[test]
    fn a_turn_to_port_moves_echoes_to_starboard() {
        let way = Way {
            r: 75.0,
            told: 75.0,
            loss: 0.0,
        };
        let turning = motion(Vec3::zero(), Vec3::new(0.0, 0.0, 0.5));
        let (told, d) = turning.arrives(Vec3::new(1.0, 0.0, 0.0), 75.0, &way, 1500.0);
        assert!(
            (told - 75.0).abs() < 1e-12 && (libm::atan2(d.y, d.x) + 0.05).abs() < 1e-12,
            "{d:?}"
        );
    }
}
