//! Node that registers what a drone sees in the frame of its boat: water and land, far beyond the
//! sensors of the boat (Mendonça et al. 2013, section IV.B).
//!
//! # Law
//! The pad in the image gives the pose of the camera in the level frame of the boat:
//! ```text
//!   X_BC = X_BP X_CP⁻¹                                                           (1)
//!   Δ = X_MB X_BC X_MC⁻¹                                                         (2)
//! ```
//! (2) is the difference to the pose of the camera by the drone's own estimate; its yaw and its
//! translation correct later images, in which the pad is not visible. The pixels of an image
//! are projected on the water; each cell of the map adds up the logarithm of the odds of land
//! (Moravec and Elfes 1985; Thrun, Burgard and Fox 2005, section 9.2).
//!
//! # Symbols
//! X_BP pose of the pad on the boat · X_CP pad in the optical frame · X_MB pose of the boat by its
//! estimate, X_MC of the optical frame by the estimate of the drone, in the map.
//!
//! # Limits
//! Land is projected on the water level: banks of a height h appear farther by h over the slope of
//! the ray, and trees with the bank behind them. The boat is level in (1).
//!
//! # Checked by
//! The tests below.

use super::helipad::PadPose;
use super::image::{decode, mono_message};
use super::mounted::Mounted;
use super::pad_finder::pad_topic;
use super::segmentation::{WaterMask, on_water, segment, shoreline};
use crate::clouds::cloud;
use crate::frames::{
    MAP_FRAME, from_roll_pitch_yaw, header, isometry, point, roll_pitch_yaw, stamp_ns,
};
use crate::node::{Node, Outbox, Output, Ports};
use merrow_ros2::msg::geometry_msgs::{Pose, PoseWithCovarianceStamped, Quaternion};
use merrow_ros2::msg::nav_msgs::{MapMetaData, OccupancyGrid};
use merrow_ros2::msg::sensor_msgs::{Image, PointCloud2};
use merrow_ros2::qos::Qos;
use nalgebra::{Isometry3, Point3, UnitQuaternion, Vector2, Vector3};
use std::collections::BTreeMap;

/// Edge of a cell [m].
const EDGE_M: f64 = 1.0;
/// Change of the logarithm of the odds of land by one image, and its limits.
const STEP: f64 = 0.7;
const LIMIT: f64 = 4.0;
/// Logarithm of the odds below which a cell is known to be water.
const KNOWN: f64 = -1.5;
/// Part of the radii of the ring about the boat that is known to be water [m].
const RING_M: [f64; 2] = [3.5, 5.5];
/// Images are used once in this time [ns].
const INTERVAL_NS: u64 = 900_000_000;
/// Steps of the pixels that are projected.
const PIXEL_STEP: u32 = 4;
/// Farthest point of an image from the drone that is used [m], over its height.
const REACH_PER_HEIGHT: f64 = 2.0;
/// Time constant of (2) in detections.
const CORRECTION_PART: f64 = 0.2;
/// Most cells of the map; a river of 10 km has less.
const MAX_CELLS: usize = 1_000_000;
/// Longest side of the published grid [cells].
const MAX_SIDE: i32 = 4000;
/// Points of the shoreline that are published, at most.
const MAX_POINTS: usize = 5000;

/// Returns the pose of the optical frame in the level frame of the boat, whose x is forward: (1).
/// `pad_on_boat` is the centre of the pad [m].
#[must_use]
pub fn camera_on_boat(pad: &PadPose, pad_on_boat: Vector3<f64>) -> Isometry3<f64> {
    let on_boat = Isometry3::translation(pad_on_boat.x, pad_on_boat.y, pad_on_boat.z);
    let in_camera = Isometry3::from_parts(
        pad.position.into(),
        UnitQuaternion::from_rotation_matrix(&pad.rotation),
    );
    on_boat * in_camera.inverse()
}

/// Returns the pose without roll and pitch.
fn level(pose: &Isometry3<f64>) -> Isometry3<f64> {
    let yaw = roll_pitch_yaw(&pose.rotation)[2];
    Isometry3::from_parts(pose.translation, from_roll_pitch_yaw([0.0, 0.0, yaw]))
}

/// Water and land that a drone has seen: logarithms of the odds of land on a grid of the map.
#[derive(Debug, Clone, Default)]
pub struct ShoreMap(BTreeMap<(i32, i32), f64>);

impl ShoreMap {
    fn cell(at: Vector2<f64>) -> (i32, i32) {
        let index = |v: f64| (v / EDGE_M).floor() as i32;
        (index(at.x), index(at.y))
    }

    /// Adds the pixels of an image: `pose` is that of the optical frame in the map, in which the
    /// water has z = 0.
    pub fn add(
        &mut self,
        water: &WaterMask,
        camera: &super::camera::Camera,
        pose: &Isometry3<f64>,
        is_boat: impl Fn(Vector2<f64>) -> bool,
    ) {
        let reach = REACH_PER_HEIGHT * pose.translation.z;
        // water and all pixels of each cell
        let mut seen: BTreeMap<(i32, i32), [u32; 2]> = BTreeMap::new();
        for y in (0..water.mask.height()).step_by(PIXEL_STEP as usize) {
            for x in (0..water.mask.width()).step_by(PIXEL_STEP as usize) {
                let ray = camera.ray(Vector2::new(f64::from(x), f64::from(y)));
                let Some(at) = ray
                    .and_then(|ray| on_water(&(pose.rotation * ray), pose.translation.vector))
                    .filter(|at| {
                        (at - pose.translation.vector.xy()).norm() < reach && !is_boat(*at)
                    })
                else {
                    continue;
                };
                let counts = seen.entry(Self::cell(at)).or_default();
                counts[0] += u32::from(water.mask.get_pixel(x, y)[0] > 0);
                counts[1] += 1;
            }
        }
        for (cell, [wet, all]) in seen {
            let step = STEP * (1.0 - 2.0 * f64::from(wet) / f64::from(all));
            if self.0.len() < MAX_CELLS || self.0.contains_key(&cell) {
                let odds = self.0.entry(cell).or_default();
                *odds = (*odds + step).clamp(-LIMIT, LIMIT);
            }
        }
    }

    /// Returns the logarithm of the odds of land at a place [m]; 0 where nothing was seen.
    #[must_use]
    pub fn log_odds(&self, at: Vector2<f64>) -> f64 {
        self.0.get(&Self::cell(at)).copied().unwrap_or(0.0)
    }

    /// Returns the map as a message: the probability of land in percent, -1 where nothing was seen.
    /// `None` before the first image.
    #[must_use]
    pub fn message(&self, stamp_ns: u64) -> Option<OccupancyGrid> {
        let (first, last) = (self.0.keys().next()?.0, self.0.keys().next_back()?.0);
        let low = self.0.keys().map(|(_, y)| *y).min()?;
        let high = self.0.keys().map(|(_, y)| *y).max()?;
        let (width, height) = (
            (last - first + 1).min(MAX_SIDE),
            (high - low + 1).min(MAX_SIDE),
        );
        let mut data = vec![-1_i8; width as usize * height as usize];
        for ((x, y), odds) in &self.0 {
            let (column, row) = (x - first, y - low);
            if column < width && row < height {
                let land = 1.0 / (1.0 + (-odds).exp());
                data[(row * width + column) as usize] = (100.0 * land).round() as i8;
            }
        }
        let corner = Point3::new(f64::from(first), f64::from(low), 0.0) * EDGE_M;
        Some(OccupancyGrid {
            header: header(MAP_FRAME, stamp_ns),
            info: MapMetaData {
                map_load_time: header(MAP_FRAME, stamp_ns).stamp,
                resolution: EDGE_M as f32,
                width: width as u32,
                height: height as u32,
                origin: Pose {
                    position: point(&corner),
                    orientation: Quaternion {
                        w: 1.0,
                        ..Quaternion::default()
                    },
                },
            },
            data,
        })
    }
}

/// Names of the drone and of its boat.
#[derive(Debug, Clone)]
pub struct Settings {
    /// Name of the drone.
    pub drone: String,
    /// Name of its camera.
    pub camera: String,
    /// Name of the boat.
    pub boat: String,
    /// Centre of the pad in the base of the boat [m].
    pub pad: Vector3<f64>,
}

/// The node.
pub struct Surveyor {
    settings: Settings,
    drone: Mounted,
    /// (2).
    correction: Isometry3<f64>,
    map: ShoreMap,
    last_ns: Option<u64>,
    mask: Output<Image>,
    shore: Output<PointCloud2>,
    shore_map: Output<OccupancyGrid>,
}

/// Returns the topic of the map of water and land of a boat.
#[must_use]
pub fn shore_map_topic(boat: &str) -> String {
    format!("/{boat}/mission/shore_map")
}

/// Returns the topic of the shoreline that the drone sees, in the frame of the boat.
#[must_use]
pub fn shore_topic(boat: &str) -> String {
    format!("/{boat}/mission/shore/points")
}

impl Surveyor {
    /// Creates the node.
    #[must_use]
    pub fn new(settings: Settings) -> Self {
        Self {
            mask: Output::new(
                format!("/{}/mission/water_mask", settings.drone),
                Qos::DEFAULT,
            ),
            shore: Output::new(shore_topic(&settings.boat), Qos::DEFAULT),
            shore_map: Output::new(shore_map_topic(&settings.boat), Qos::LATCHED),
            settings,
            drone: Mounted::default(),
            correction: Isometry3::identity(),
            map: ShoreMap::default(),
            last_ns: None,
        }
    }

    fn on_pad(&mut self, pad: PoseWithCovarianceStamped, _: &mut Outbox) {
        let at = stamp_ns(&pad.header);
        let base = format!("{}/base_link", self.settings.drone);
        let mount = self.drone.frames.to_base(&pad.header.frame_id, &base);
        let seen = isometry(&pad.pose.pose.position, &pad.pose.pose.orientation);
        let (Some(mount), Some(seen), Some(boat), Some(drone)) =
            (mount, seen, self.drone.boat.at(at), self.drone.track.at(at))
        else {
            return;
        };
        let pad = PadPose {
            position: seen.translation.vector,
            rotation: seen.rotation.to_rotation_matrix(),
            heading: 0.0,
            correlation: 1.0,
        };
        let registered = level(&boat) * camera_on_boat(&pad, self.settings.pad);
        let own = drone * mount;
        let turn = roll_pitch_yaw(&(registered.rotation * own.rotation.inverse()))[2];
        let rotation = from_roll_pitch_yaw([0.0, 0.0, turn]);
        let translation = registered.translation.vector - rotation * own.translation.vector;
        let measured = Isometry3::from_parts(translation.into(), rotation);
        self.correction = self.correction.lerp_slerp(&measured, CORRECTION_PART);
    }

    fn on_image(&mut self, message: Image, outbox: &mut Outbox) {
        let at = stamp_ns(&message.header);
        if self.last_ns.is_some_and(|last| at < last + INTERVAL_NS) {
            return;
        }
        let Some(camera) = self.drone.camera.clone() else {
            return;
        };
        let (Some(pose), Some(boat)) = (
            self.drone.pose(&message, &self.settings.drone),
            self.drone.boat.at(at),
        ) else {
            return;
        };
        let pose = self.correction * pose;
        // on the deck it sees nothing
        if pose.translation.z < 4.0 {
            return;
        }
        let image = match decode(&message) {
            Ok(image) if [image.width(), image.height()] == camera.size => image,
            Ok(_) => return,
            Err(error) => return self.drone.refuse(error.to_string(), outbox),
        };
        self.last_ns = Some(at);
        let place = |x: u32, y: u32| {
            let ray = camera.ray(Vector2::new(f64::from(x), f64::from(y)))?;
            on_water(&(pose.rotation * ray), pose.translation.vector)
        };
        let center = boat.translation.vector.xy();
        let is_known = |x, y| {
            place(x, y).is_some_and(|at| {
                let distance = (at - center).norm();
                (RING_M[0]..RING_M[1]).contains(&distance)
                    || (distance > RING_M[1] && self.map.log_odds(at) < KNOWN)
            })
        };
        let Some(water) = segment(&image, is_known, |x, y| place(x, y).is_some()) else {
            return;
        };
        let is_boat = |at: Vector2<f64>| (at - center).norm() < RING_M[0];
        self.map.add(&water, &camera, &pose, is_boat);
        outbox.publish(&self.mask, &mono_message(&water.mask, message.header));
        let reach = REACH_PER_HEIGHT * pose.translation.z;
        let rotation = pose.rotation.to_rotation_matrix();
        let points = shoreline(&water, &camera, &rotation, pose.translation.vector, reach);
        let stride = points.len().div_ceil(MAX_POINTS).max(1);
        let to_boat = boat.inverse();
        let points = points
            .into_iter()
            .filter(|at| !is_boat(*at))
            .step_by(stride)
            .map(|at| to_boat * Point3::new(at.x, at.y, 0.0));
        let mut message = cloud(at, points);
        message.header.frame_id = format!("{}/base_link", self.settings.boat);
        outbox.publish(&self.shore, &message);
        if let Some(map) = self.map.message(at) {
            outbox.publish(&self.shore_map, &map);
        }
    }
}

impl Node for Surveyor {
    fn declare(&self, ports: &mut Ports<Self>) {
        let Settings {
            drone,
            camera,
            boat,
            ..
        } = &self.settings;
        let of: fn(&mut Self) -> &mut Mounted = |node| &mut node.drone;
        Mounted::subscribe(ports, [drone, camera], of, Self::on_image);
        Mounted::subscribe_to_boat(ports, boat, of);
        ports.subscribes_if_present(pad_topic(drone), Qos::DEFAULT, Self::on_pad);
        ports.publishes(&self.mask);
        ports.publishes(&self.shore);
        ports.publishes(&self.shore_map);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::vision::camera::Camera;
    use image::{GrayImage, Luma};
    use nalgebra::Rotation3;

    #[test]
    fn pads_give_the_camera_on_the_boat() {
        // 10 m above the pad, 2 m aft of it, looking down, turned by 30 degrees to the left
        let on_boat = Isometry3::from_parts(
            Vector3::new(-2.0, 0.0, 11.25).into(),
            from_roll_pitch_yaw([0.0, 0.0, 0.5])
                * UnitQuaternion::from_rotation_matrix(&Rotation3::from_axis_angle(
                    &Vector3::x_axis(),
                    std::f64::consts::PI,
                )),
        );
        let pad_on_boat = Vector3::new(0.0, 0.0, 1.25);
        let in_camera =
            on_boat.inverse() * Isometry3::translation(pad_on_boat.x, pad_on_boat.y, pad_on_boat.z);
        let pad = PadPose {
            position: in_camera.translation.vector,
            rotation: in_camera.rotation.to_rotation_matrix(),
            heading: 0.5,
            correlation: 1.0,
        };
        let found = camera_on_boat(&pad, pad_on_boat);
        assert!((found.translation.vector - on_boat.translation.vector).norm() < 1e-9);
        assert!(found.rotation.angle_to(&on_boat.rotation) < 1e-6);
    }

    #[test]
    fn images_accumulate_to_a_map() {
        let camera = Camera::ideal([200, 160], 90_f64.to_radians());
        let down = Rotation3::from_axis_angle(&Vector3::x_axis(), std::f64::consts::PI);
        let pose = Isometry3::from_parts(
            Vector3::new(100.0, 50.0, 20.0).into(),
            UnitQuaternion::from_rotation_matrix(&down),
        );
        // the left half of the image is water
        let water = WaterMask {
            mask: GrayImage::from_fn(200, 160, |x, _| Luma([if x < 100 { 255 } else { 0 }])),
            has_land: true,
        };
        let mut map = ShoreMap::default();
        assert_eq!(map.message(0), None);
        for _ in 0..4 {
            map.add(&water, &camera, &pose, |at| (at.x - 95.5).abs() < 0.6);
        }
        assert!(map.log_odds(Vector2::new(90.5, 50.5)) < KNOWN);
        assert!(map.log_odds(Vector2::new(110.5, 50.5)) > -KNOWN);
        assert_eq!(map.log_odds(Vector2::new(300.0, 0.0)), 0.0);
        let grid = map.message(5).unwrap();
        let value = |x: f64, y: f64| {
            let column = x - grid.info.origin.position.x;
            let row = y - grid.info.origin.position.y;
            grid.data[row as usize * grid.info.width as usize + column as usize]
        };
        assert!(value(90.5, 50.5) < 10 && value(110.5, 50.5) > 90);
        assert_eq!(value(95.5, 50.5), -1);
    }
}
