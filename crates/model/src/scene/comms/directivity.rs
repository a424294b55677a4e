//! Directivity of transducers, antennas and lamps.
//!
//! Directions are in the frame M of the modem: x is the acoustic axis or boresight, z is the
//! upward direction of its mount.

use merrow_math::{Mat3, Vec3};
use std::f64::consts::{FRAC_PI_2, PI, TAU};

/// Gain over the direction, relative to the level of the device.
#[derive(Clone, Debug, PartialEq)]
pub enum Directivity {
    /// The same gain in all directions [dB].
    Uniform(f64),
    /// Gains over the angle from the x axis of M.
    Axial(AxialTable),
    /// Gains over azimuth and elevation in M.
    Attitude(AttitudeTable),
}

/// Transmitter and receiver of sound with their gains, mounted on a sensor or a link.
#[derive(Clone, Debug, PartialEq)]
pub struct Transducer {
    /// Gain of the transmitter over the direction.
    pub transmit: Directivity,
    /// Gain of the receiver over the direction.
    pub receive: Directivity,
    /// Attitude of the frame M in the frame of the sensor or of the link.
    pub mount: Mat3,
}

/// Table of gains over the angle from the axis.
#[derive(Clone, Debug, PartialEq)]
pub struct AxialTable {
    /// Angle from the axis [rad] and gain [dB], by increasing angle; constant beyond the ends.
    points: Vec<[f64; 2]>,
}

/// Table of gains over azimuth and elevation.
#[derive(Clone, Debug, PartialEq)]
pub struct AttitudeTable {
    /// Azimuths about z from x towards y [rad], increasing, within one turn.
    azimuths: Vec<f64>,
    /// Elevations above the plane of x and y [rad], increasing.
    elevations: Vec<f64>,
    /// Gains [dB]: for each elevation, one gain for each azimuth.
    gains: Vec<f64>,
}

/// Returns the attitude in L of the frame M with x along `axis`: z is as close as possible to the z
/// axis of L, and y points to the left.
pub fn mount_attitude(axis: Vec3) -> Mat3 {
    let x = axis.unit().unwrap_or(Vec3::new(1.0, 0.0, 0.0));
    let left = Vec3::new(-x.y, x.x, 0.0);
    let y = if left.norm() > 1e-6 {
        left.scale(1.0 / left.norm())
    } else {
        Vec3::new(0.0, 1.0, 0.0)
    };
    let z = x.cross(y);
    Mat3 {
        r: [
            Vec3::new(x.x, y.x, z.x),
            Vec3::new(x.y, y.y, z.y),
            Vec3::new(x.z, y.z, z.z),
        ],
    }
}

/// Returns true if `values` are finite and increase.
fn is_increasing(values: &[f64]) -> bool {
    values.iter().all(|x| x.is_finite()) && values.windows(2).all(|w| w[0] < w[1])
}

impl AxialTable {
    /// Creates the table of `points`: angle from the axis [rad], 0 to π, and gain [dB].
    ///
    /// Returns `None` if there is no point, if the angles do not increase or if a value is NaN or
    /// infinite.
    pub fn new(points: Vec<[f64; 2]>) -> Option<Self> {
        let angles: Vec<f64> = points.iter().map(|p| p[0]).collect();
        let is_valid = !points.is_empty()
            && is_increasing(&angles)
            && angles.iter().all(|a| (0.0..=PI + 1e-9).contains(a))
            && points.iter().all(|p| p[1].is_finite());
        is_valid.then_some(Self { points })
    }

    /// Returns the gain [dB] at the angle `angle` [rad] from the axis, linear between the points.
    pub fn gain(&self, angle: f64) -> f64 {
        let k = self.points.partition_point(|p| p[0] <= angle);
        let (a, b) = (
            self.points[k.saturating_sub(1)],
            self.points[k.min(self.points.len() - 1)],
        );
        if b[0] > a[0] {
            a[1] + (b[1] - a[1]) * ((angle - a[0]) / (b[0] - a[0]))
        } else {
            a[1]
        }
    }

    /// Returns the maximum gain over all directions [dB].
    pub fn max_gain(&self) -> f64 {
        self.points
            .iter()
            .fold(f64::NEG_INFINITY, |m, p| m.max(p[1]))
    }
}

impl AttitudeTable {
    /// Creates the table of `gains` [dB] over `azimuths` and `elevations` [rad]; for each elevation
    /// one gain for each azimuth.
    ///
    /// Returns `None` if a list is empty or does not increase, if the azimuths cover more than one
    /// turn, if an elevation is beyond ±π/2, if the number of gains is wrong, or if a value is NaN
    /// or infinite.
    pub fn new(azimuths: Vec<f64>, elevations: Vec<f64>, gains: Vec<f64>) -> Option<Self> {
        let is_valid = !azimuths.is_empty()
            && !elevations.is_empty()
            && is_increasing(&azimuths)
            && is_increasing(&elevations)
            && azimuths[azimuths.len() - 1] - azimuths[0] <= TAU + 1e-9
            && elevations.iter().all(|e| e.abs() <= FRAC_PI_2 + 1e-9)
            && gains.len() == azimuths.len() * elevations.len()
            && gains.iter().all(|g| g.is_finite());
        is_valid.then_some(Self {
            azimuths,
            elevations,
            gains,
        })
    }

    /// Returns the gain [dB] in the direction `azimuth`, `elevation` [rad].
    ///
    /// The gain is linear between the entries, periodic in azimuth, and constant beyond the first
    /// and the last elevation.
    pub fn gain(&self, azimuth: f64, elevation: f64) -> f64 {
        let (i, j, u) = self.azimuth_interval(azimuth);
        let k = self.elevations.partition_point(|e| *e <= elevation);
        let (below, above) = (k.saturating_sub(1), k.min(self.elevations.len() - 1));
        let step = self.elevations[above] - self.elevations[below];
        let v = if step > 0.0 {
            (elevation - self.elevations[below]) / step
        } else {
            0.0
        };
        let n = self.azimuths.len();
        let row = |e: usize| {
            let (a, b) = (self.gains[e * n + i], self.gains[e * n + j]);
            a + (b - a) * u
        };
        row(below) + (row(above) - row(below)) * v
    }

    /// Returns the indices of the azimuths before and after `azimuth` [rad], and the position
    /// between them.
    fn azimuth_interval(&self, azimuth: f64) -> (usize, usize, f64) {
        let n = self.azimuths.len();
        let first = self.azimuths[0];
        let turns = libm::floor((azimuth - first) / TAU);
        let x = azimuth - turns * TAU;
        let k = self.azimuths.partition_point(|a| *a <= x).max(1);
        let (i, j) = (k - 1, k % n);
        let end = if j > i { self.azimuths[j] } else { first + TAU };
        let step = end - self.azimuths[i];
        let u = if step > 0.0 {
            (x - self.azimuths[i]) / step
        } else {
            0.0
        };
        (i, j, u)
    }

    /// Returns the maximum gain over all directions [dB].
    pub fn max_gain(&self) -> f64 {
        self.gains.iter().fold(f64::NEG_INFINITY, |m, g| m.max(*g))
    }
}

impl Directivity {
    /// Returns the maximum gain over all directions [dB].
    pub fn max_gain(&self) -> f64 {
        match self {
            Self::Uniform(gain) => *gain,
            Self::Axial(table) => table.max_gain(),
            Self::Attitude(table) => table.max_gain(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn axial_table_interpolates_and_clamps() {
        let table = AxialTable::new(vec![[0.1, 0.0], [0.5, -4.0], [1.0, -20.0]]).expect("valid");
        for (angle, gain) in [(0.0, 0.0), (0.3, -2.0), (0.75, -12.0), (3.0, -20.0)] {
            assert!((table.gain(angle) - gain).abs() < 1e-12, "{angle}");
        }
        assert_eq!(table.max_gain(), 0.0);
    }

    // The last azimuth interval closes the circle.
    #[test]
    fn attitude_table_is_periodic_in_azimuth() {
        let azimuths = vec![-FRAC_PI_2, 0.0, FRAC_PI_2];
        let gains = vec![-10.0, 0.0, -10.0, -20.0, -10.0, -20.0];
        let table = AttitudeTable::new(azimuths, vec![0.0, 1.0], gains).expect("valid");
        for (azimuth, elevation, gain) in [
            (0.0, 0.0, 0.0),
            (0.25 * PI, 0.0, -5.0),
            (-0.25 * PI, 0.5, -10.0),
            (PI, 0.0, -10.0),
            (5.0 * FRAC_PI_2, 2.0, -20.0),
            (0.0, -1.0, 0.0),
        ] {
            let found = table.gain(azimuth, elevation);
            assert!(
                (found - gain).abs() < 1e-9,
                "{azimuth} {elevation}: {found}"
            );
        }
    }

    #[test]
    fn invalid_tables_are_rejected() {
        assert_eq!(AxialTable::new(vec![]), None);
        assert_eq!(AxialTable::new(vec![[0.0, 0.0], [0.0, 1.0]]), None);
        assert_eq!(AxialTable::new(vec![[0.0, f64::NAN]]), None);
        assert_eq!(AttitudeTable::new(vec![0.0], vec![0.0], vec![]), None);
        assert_eq!(
            AttitudeTable::new(vec![0.0, 7.0], vec![0.0], vec![0.0, 0.0]),
            None
        );
        assert_eq!(AttitudeTable::new(vec![0.0], vec![2.0], vec![0.0]), None);
    }

    // x along the axis, right-handed, z upwards where that is possible.
    #[test]
    fn mounts_are_rotations_with_x_along_the_axis() {
        for axis in [
            Vec3::new(1.0, 0.0, 0.0),
            Vec3::new(0.0, 0.0, 1.0),
            Vec3::new(0.0, 0.0, -1.0),
            Vec3::new(0.6, -0.64, 0.48),
        ] {
            let R = mount_attitude(axis);
            assert!((R.col(0) - axis).norm() < 1e-12);
            let deviation = R.mul_mat_tr(&R) - Mat3::identity();
            assert!(deviation.r.iter().all(|row| row.norm() < 1e-12));
            assert!((R.col(0).cross(R.col(1)) - R.col(2)).norm() < 1e-12);
            assert!(R.col(2).z >= 0.0);
        }
        assert_eq!(mount_attitude(Vec3::new(1.0, 0.0, 0.0)), Mat3::identity());
    }
}
