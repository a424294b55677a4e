//! Directivity of transducers, antennas and lamps.
//!
//! Directions are in the frame M of the modem: x is the acoustic axis or boresight, z is the
//! upward direction of its mount.

use merrow_math::{Mat3, Vec3};
use merrow_yaml::error::Problems;
use merrow_yaml::read::Places;
use merrow_yaml::spec::spec;
use std::f64::consts::TAU;

spec! {
    /// Gain over the direction.
    pub enum Directivity {
        /// The same gain in all directions.
        Uniform = "uniform" {
            /// Gain in all directions.
            gain_db: f64 [in -200.0..=200.0] = 0.0,
        },
        /// Gains over the angle from the axis.
        Axial = "axial" (AxialTable),
        /// Gains over azimuth and elevation relative to the axis.
        Attitude = "attitude" (AttitudeTable),
    }

    /// Gains over the angle from the axis.
    pub struct AxialTable {
        /// Angles from the axis, increasing, 0 to 180.
        angles_deg: Vec<f64> [in 0.0..=180.0, not_empty],
        /// Gain at each angle; linear between them.
        gains_db: Vec<f64> [in -200.0..=200.0, not_empty],
    }

    /// Gains over azimuth and elevation relative to the axis.
    pub struct AttitudeTable {
        /// Azimuths from the axis, counter-clockwise seen from above, increasing, within one
        /// turn.
        azimuths_deg: Vec<f64> [in -360.0..=360.0, not_empty],
        /// Elevations above the plane of the azimuths, increasing.
        elevations_deg: Vec<f64> [in -90.0..=90.0, not_empty],
        /// Gains: for each elevation, one gain for each azimuth.
        gains_db: Vec<f64> [in -200.0..=200.0, not_empty],
    }
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

/// Returns true if `values` increase.
fn is_increasing(values: &[f64]) -> bool {
    values.windows(2).all(|w| w[0] < w[1])
}

impl AxialTable {
    /// Reports angles that do not increase, and a wrong number of gains.
    fn check(&self, problems: &mut Problems) {
        let (angles, gains) = (self.angles_deg.len(), self.gains_db.len());
        if !is_increasing(&self.angles_deg) || angles != gains {
            let text = format!(
                "`gains_db`: expected increasing angles and one gain for each, found {angles} \
                 angles and {gains} gains"
            );
            problems.push(self.at.key_place("gains_db"), text);
        }
    }

    /// Returns the gain [dB] at the angle `angle` [rad] from the axis, linear between the points.
    pub fn gain(&self, angle: f64) -> f64 {
        let k = self.angles_deg.partition_point(|a| a.to_radians() <= angle);
        let [a, b] = [k.saturating_sub(1), k.min(self.angles_deg.len() - 1)]
            .map(|i| [self.angles_deg[i].to_radians(), self.gains_db[i]]);
        if b[0] > a[0] {
            a[1] + (b[1] - a[1]) * ((angle - a[0]) / (b[0] - a[0]))
        } else {
            a[1]
        }
    }
}

impl AttitudeTable {
    /// Reports angles that do not increase within one turn, and a wrong number of gains.
    fn check(&self, problems: &mut Problems) {
        let (azimuths, elevations) = (&self.azimuths_deg, &self.elevations_deg);
        let is_valid = is_increasing(azimuths)
            && is_increasing(elevations)
            && (azimuths[azimuths.len() - 1] - azimuths[0]).to_radians() <= TAU + 1e-9
            && self.gains_db.len() == azimuths.len() * elevations.len();
        if !is_valid {
            let text = format!(
                "`gains_db`: expected increasing angles within one turn and, for each elevation, \
                 one gain for each azimuth, found {} azimuths, {} elevations and {} gains",
                azimuths.len(),
                elevations.len(),
                self.gains_db.len()
            );
            problems.push(self.at.key_place("gains_db"), text);
        }
    }

    /// Returns the gain [dB] in the direction `azimuth`, `elevation` [rad].
    ///
    /// The gain is linear between the entries, periodic in azimuth, and constant beyond the first
    /// and the last elevation.
    pub fn gain(&self, azimuth: f64, elevation: f64) -> f64 {
        let (i, j, u) = self.azimuth_interval(azimuth);
        let at = |e: usize| self.elevations_deg[e].to_radians();
        let k = self
            .elevations_deg
            .partition_point(|e| e.to_radians() <= elevation);
        let (below, above) = (k.saturating_sub(1), k.min(self.elevations_deg.len() - 1));
        let step = at(above) - at(below);
        let v = if step > 0.0 {
            (elevation - at(below)) / step
        } else {
            0.0
        };
        let n = self.azimuths_deg.len();
        let row = |e: usize| {
            let (a, b) = (self.gains_db[e * n + i], self.gains_db[e * n + j]);
            a + (b - a) * u
        };
        row(below) + (row(above) - row(below)) * v
    }

    /// Returns the indices of the azimuths before and after `azimuth` [rad], and the position
    /// between them.
    fn azimuth_interval(&self, azimuth: f64) -> (usize, usize, f64) {
        let n = self.azimuths_deg.len();
        let at = |a: usize| self.azimuths_deg[a].to_radians();
        let first = at(0);
        let turns = libm::floor((azimuth - first) / TAU);
        let x = azimuth - turns * TAU;
        let k = self.azimuths_deg.partition_point(|a| a.to_radians() <= x);
        let k = k.max(1);
        let (i, j) = (k - 1, k % n);
        let end = if j > i { at(j) } else { first + TAU };
        let step = end - at(i);
        let u = if step > 0.0 { (x - at(i)) / step } else { 0.0 };
        (i, j, u)
    }
}

impl Directivity {
    /// Returns the pattern with the same gain `gain_db` [dB] in all directions.
    pub fn uniform(gain_db: f64) -> Self {
        let at = Places::default();
        Self::Uniform { gain_db, at }
    }

    /// Reports an invalid table.
    pub fn check(&self, problems: &mut Problems) {
        match self {
            Self::Uniform { .. } => {}
            Self::Axial(table) => table.check(problems),
            Self::Attitude(table) => table.check(problems),
        }
    }

    /// Returns the pattern, and reports an invalid table.
    pub fn checked(&self, problems: &mut Problems) -> Self {
        self.check(problems);
        self.clone()
    }

    /// Returns the maximum gain over all directions [dB].
    pub fn max_gain(&self) -> f64 {
        let gains = match self {
            Self::Uniform { gain_db, .. } => return *gain_db,
            Self::Axial(table) => &table.gains_db,
            Self::Attitude(table) => &table.gains_db,
        };
        gains.iter().fold(f64::NEG_INFINITY, |m, g| m.max(*g))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn axial(angles_deg: &[f64], gains_db: &[f64]) -> Directivity {
        Directivity::Axial(AxialTable {
            angles_deg: angles_deg.to_vec(),
            gains_db: gains_db.to_vec(),
            at: Places::default(),
        })
    }

    fn attitude(azimuths_deg: &[f64], elevations_deg: &[f64], gains_db: &[f64]) -> Directivity {
        Directivity::Attitude(AttitudeTable {
            azimuths_deg: azimuths_deg.to_vec(),
            elevations_deg: elevations_deg.to_vec(),
            gains_db: gains_db.to_vec(),
            at: Places::default(),
        })
    }

    fn is_valid(pattern: &Directivity) -> bool {
        let mut problems = Problems::default();
        pattern.check(&mut problems);
        problems.is_empty()
    }

    #[test]
    fn axial_table_interpolates_and_clamps() {
        let pattern = axial(&[10.0, 50.0, 100.0], &[0.0, -4.0, -20.0]);
        let Directivity::Axial(table) = &pattern else {
            panic!("an axial table");
        };
        for (angle, gain) in [(0.0, 0.0), (30.0, -2.0), (75.0, -12.0), (180.0, -20.0)] {
            let found = table.gain(f64::to_radians(angle));
            assert!((found - gain).abs() < 1e-12, "{angle}");
        }
        assert_eq!(pattern.max_gain(), 0.0);
    }

    // The last azimuth interval closes the circle.
    #[test]
    fn attitude_table_is_periodic_in_azimuth() {
        let gains = [-10.0, 0.0, -10.0, -20.0, -10.0, -20.0];
        let pattern = attitude(&[-90.0, 0.0, 90.0], &[0.0, 60.0], &gains);
        assert!(is_valid(&pattern));
        let Directivity::Attitude(table) = &pattern else {
            panic!("an attitude table");
        };
        for (azimuth, elevation, gain) in [
            (0.0, 0.0, 0.0),
            (45.0, 0.0, -5.0),
            (-45.0, 30.0, -10.0),
            (180.0, 0.0, -10.0),
            (450.0, 90.0, -20.0),
            (0.0, -60.0, 0.0),
        ] {
            let found = table.gain(f64::to_radians(azimuth), f64::to_radians(elevation));
            assert!(
                (found - gain).abs() < 1e-9,
                "{azimuth} {elevation}: {found}"
            );
        }
    }

    #[test]
    fn invalid_tables_are_reported() {
        assert!(is_valid(&axial(&[0.0, 180.0], &[0.0, 1.0])));
        assert!(!is_valid(&axial(&[0.0, 0.0], &[0.0, 1.0])));
        assert!(!is_valid(&axial(&[0.0, 1.0], &[0.0])));
        assert!(!is_valid(&attitude(&[0.0, 361.0], &[0.0], &[0.0, 0.0])));
        assert!(!is_valid(&attitude(&[0.0], &[1.0, 0.0], &[0.0, 0.0])));
        assert!(!is_valid(&attitude(&[0.0], &[0.0], &[0.0, 0.0])));
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
