//! Beams of a scan that meet nothing at the place of a voxel: what has moved away.
//!
//! # Law
//! A beam without an echo is not in a cloud, and no ray of [`super::voxels`] frees what it passes. The
//! nearest echoes of a scan are therefore kept by ring e and azimuth a, and a voxel at the distance d,
//! with half the edge h, is free if every beam through it goes on:
//! ```text
//!   r(e, a) > d + m   for all |e - e_v| <= h/d, |a - a_v| <= h/d                   (1)
//! ```
//! and at least one ring passes it. A nearer echo hides the voxel.
//!
//! # Symbols
//! r range of the nearest echo, infinite without one [m] · e_v, a_v elevation and azimuth of the voxel
//! in the sensor [rad] · m margin [m].
//!
//! # Limits
//! The lidar turns all round, and its rings have equal angles between them. What returns no echo at up
//! to [`CLEAR_M`], such as an object in dense fog, is forgotten until it is seen again, nearer.
//!
//! # Checked by
//! tests below: an object that leaves, one that hides another, one between two rings

use std::f64::consts::{PI, TAU};

use nalgebra::{Isometry3, Point3};

/// Distance up to which an object has an echo [m].
pub const CLEAR_M: f64 = 30.0;
/// Distance beyond a voxel from which on an echo is behind it [m].
const MARGIN_M: f64 = 0.75;
/// Number of the sectors of azimuth, of one degree.
const SECTORS: usize = 360;

/// Beams of a lidar that turns about its vertical axis.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Beams {
    /// Elevation of the lowest and of the highest ring [rad].
    pub elevation_rad: [f64; 2],
    /// Number of rings, at least 2.
    pub rings: usize,
}

impl Beams {
    /// Returns the place of an elevation [rad] among the rings, 0 at the lowest.
    fn ring(&self, elevation: f64) -> f64 {
        let [low, high] = self.elevation_rad;
        (elevation - low) / (high - low) * (self.rings - 1) as f64
    }
}

/// Nearest echoes of a scan.
pub struct RangeImage {
    beams: Beams,
    to_sensor: Isometry3<f64>,
    origin: Point3<f64>,
    /// Ranges by rings, then by sectors of azimuth in the map [m].
    ranges: Vec<f64>,
}

/// Returns the elevation of a point in the frame of a sensor [rad].
fn elevation(p: &Point3<f64>) -> f64 {
    libm::atan2(p.z, libm::hypot(p.x, p.y))
}

/// Returns the place of a direction among the sectors.
fn sector(x: f64, y: f64) -> f64 {
    (libm::atan2(y, x) + PI) / TAU * SECTORS as f64
}

impl RangeImage {
    /// Returns an image without echoes of a sensor at a pose in the map.
    pub fn new(beams: Beams, sensor: &Isometry3<f64>) -> Self {
        Self {
            beams,
            to_sensor: sensor.inverse(),
            origin: Point3::from(sensor.translation.vector),
            ranges: vec![f64::INFINITY; beams.rings * SECTORS],
        }
    }

    /// Adds an echo: its point in the sensor at its time, and in the map.
    pub fn add(&mut self, in_sensor: &Point3<f64>, in_map: &Point3<f64>) {
        let ring = self.beams.ring(elevation(in_sensor)).round();
        if !(ring >= 0.0 && ring < self.beams.rings as f64) {
            return;
        }
        let d = in_map - self.origin;
        let sector = sector(d.x, d.y) as usize % SECTORS;
        let range = &mut self.ranges[ring as usize * SECTORS + sector];
        *range = range.min(in_sensor.coords.norm());
    }

    /// Returns whether (1) holds for a voxel with this centre and edge [m].
    pub fn passes(&self, centre: &Point3<f64>, edge_m: f64) -> bool {
        let in_sensor = self.to_sensor * centre;
        let away = in_sensor.coords.norm();
        if !(edge_m..CLEAR_M).contains(&away) {
            return false;
        }
        let half = 0.5 * edge_m / away;
        let e = elevation(&in_sensor);
        let rings = [self.beams.ring(e - half), self.beams.ring(e + half)];
        let last = (self.beams.rings - 1) as f64;
        let [first, last] = [rings[0].ceil().max(0.0), rings[1].floor().min(last)];
        if first > last {
            return false;
        }
        let d = centre - self.origin;
        let around = sector(d.x, d.y);
        let half = half / TAU * SECTORS as f64;
        let sectors = [
            (around - half).floor() as i64,
            (around + half).floor() as i64,
        ];
        (first as usize..=last as usize).all(|ring| {
            (sectors[0]..=sectors[1]).all(|k| {
                let k = k.rem_euclid(SECTORS as i64) as usize;
                self.ranges[ring * SECTORS + k] > away + MARGIN_M
            })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frames::from_roll_pitch_yaw;
    use nalgebra::Vector3;

    const BEAMS: Beams = Beams {
        elevation_rad: [-0.26, 0.26],
        rings: 14,
    };

    /// A lidar 1.7 m above the water, at 10, 20 m, that heads north, with echoes on a circle of a
    /// radius [m] and up to a height [m] about a place.
    fn scan(echoes: &[(Point3<f64>, f64)]) -> RangeImage {
        let heading = from_roll_pitch_yaw([0.0, 0.0, 0.5 * PI]);
        let sensor = Isometry3::from_parts(Vector3::new(10.0, 20.0, 1.7).into(), heading);
        let mut image = RangeImage::new(BEAMS, &sensor);
        for ring in 0..BEAMS.rings {
            for k in 0..1440 {
                let azimuth = f64::from(k) * TAU / 1440.0;
                let elevation = -0.26 + 0.52 * ring as f64 / 13.0;
                let axis = Vector3::new(azimuth.cos(), azimuth.sin(), elevation.tan());
                for range in (0..600).map(|step| 0.1 * f64::from(step)) {
                    let p = Point3::from(axis * range);
                    let in_map = sensor * p;
                    let is_hit = |(at, radius): &(Point3<f64>, f64)| (in_map - at).norm() < *radius;
                    if echoes.iter().any(is_hit) {
                        image.add(&p, &in_map);
                        break;
                    }
                }
            }
        }
        image
    }

    #[test]
    fn objects_that_left_are_passed_and_others_are_not() {
        let voxel = Point3::new(10.25, 35.25, 1.25);
        assert!(scan(&[]).passes(&voxel, 0.5));
        // still there, and hidden behind another object
        assert!(!scan(&[(voxel, 0.4)]).passes(&voxel, 0.5));
        assert!(!scan(&[(Point3::new(10.1, 28.0, 1.5), 0.5)]).passes(&voxel, 0.5));
        // an object behind it, and one beside it
        assert!(scan(&[(Point3::new(10.3, 40.0, 1.2), 2.0)]).passes(&voxel, 0.5));
        assert!(scan(&[(Point3::new(14.0, 35.0, 1.2), 2.0)]).passes(&voxel, 0.5));
    }

    #[test]
    fn beams_that_miss_a_voxel_prove_nothing() {
        let image = scan(&[]);
        // below the lowest ring, beyond the range, at the sensor itself
        for p in [[10.0, 24.0, 0.2], [10.0, 55.0, 1.5], [10.0, 20.1, 1.7]] {
            assert!(!image.passes(&Point3::from(p), 0.5), "{p:?}");
        }
        // 20 m away the rings are 0.8 m apart: a small voxel lies between two
        let between = Point3::new(10.0, 40.0, 1.7 + 20.0 * 0.04_f64.tan());
        assert!(!image.passes(&between, 0.2));
        assert!(image.passes(&between, 0.9));
    }
}
