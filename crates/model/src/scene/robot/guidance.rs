//! Settings of the guidance to goals and along paths.

use merrow_yaml::spec::spec;

/// Settings of the path following by line of sight (LOS).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LineOfSight {
    /// Look-ahead distance along a leg [m].
    pub look_ahead_m: f64,
    /// Integral gain of the cross-track error [m/s]; 0: LOS without integral.
    pub cross_track_integral_gain_m_s: f64,
    /// Distance from a waypoint at which the next leg begins [m].
    pub acceptance_radius_m: f64,
}

/// Gives structures with the keys of the path following a method that returns them.
macro_rules! follows_paths {
    ($($keys:ty),*) => {
        $(impl $keys {
            /// Returns the settings of the path following.
            #[inline]
            pub fn line_of_sight(&self) -> LineOfSight {
                LineOfSight {
                    look_ahead_m: self.look_ahead_m,
                    cross_track_integral_gain_m_s: self.cross_track_integral_gain_m_s,
                    acceptance_radius_m: self.acceptance_radius_m,
                }
            }
        })*
    };
}
pub(crate) use follows_paths;

spec! {
    /// Guidance to goals and along paths by velocity commands.
    pub struct VelocityGuidance {
        /// Maximum speed towards a goal and along a path.
        speed_m_s: f64 [positive],
        /// Speed per distance from the goal.
        position_gain_per_s: f64 [positive] = 0.5,
        /// Yaw rate per heading error.
        heading_gain_per_s: f64 [positive] = 1.0,
        /// Look-ahead distance of the line-of-sight guidance.
        look_ahead_m: f64 [positive] = 2.0,
        /// Integral gain of the line-of-sight guidance; 0: no integral.
        cross_track_integral_gain_m_s: f64 [non_negative] = 0.0,
        /// Distance from a waypoint at which the next leg begins, and from a goal at which a
        /// vehicle that cannot move sideways stops.
        acceptance_radius_m: f64 [positive] = 0.5,
    }
}

follows_paths!(VelocityGuidance);
