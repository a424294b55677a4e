//! Tilt unit of a laser or sonar.

use merrow_math::Mat3;

/// Unit that tilts a laser or sonar about y, back and forth at constant speed. Positive angles
/// point down.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tilt {
    /// Minimum and maximum angle [rad].
    pub limits: [f64; 2],
    /// Period of one back-and-forth cycle [ns].
    pub period_ns: u64,
}

impl Tilt {
    /// Returns the angle at `time_ns` [rad]; at time 0 it is the minimum.
    pub fn angle(&self, time_ns: u64) -> f64 {
        let part = (time_ns % self.period_ns) as f64 / self.period_ns as f64;
        let up = if part < 0.5 {
            2.0 * part
        } else {
            2.0 - 2.0 * part
        };
        self.limits[0] + (self.limits[1] - self.limits[0]) * up
    }

    /// Returns the angular rate at `time_ns` [rad/s].
    pub fn speed(&self, time_ns: u64) -> f64 {
        let speed = 2e9 * (self.limits[1] - self.limits[0]) / self.period_ns as f64;
        if 2 * (time_ns % self.period_ns) < self.period_ns {
            speed
        } else {
            -speed
        }
    }

    /// Returns the rotation of the sensor axes in the axes of the tilt unit at `time_ns`.
    pub fn axes(&self, time_ns: u64) -> Mat3 {
        Mat3::from_rpy(0.0, self.angle(time_ns), 0.0)
    }
}
