//! Node that finds water and land in the images of a boat's forward camera: the mask, and the
//! shoreline as points for its map.

use super::image::{decode, mono_message};
use super::mounted::Mounted;
use super::segmentation::{on_water, segment, shoreline};
use crate::clouds::cloud;
use crate::frames::{MAP_FRAME, roll_pitch_yaw, stamp_ns};
use crate::node::{Node, Outbox, Output, Ports};
use merrow_ros2::msg::sensor_msgs::{Image, PointCloud2};
use merrow_ros2::qos::Qos;
use nalgebra::{Point3, Vector2};

/// Strip before the bow that is known to be water: distance from the base, and half its width [m].
const STRIP_M: [f64; 2] = [4.0, 9.0];
const STRIP_HALF_WIDTH_M: f64 = 2.0;
/// Farthest points of the shoreline over the height of the camera: half a degree of pitch moves them
/// by a fifth of their distance.
const REACH_PER_HEIGHT: f64 = 25.0;
/// Images are used once in this time [ns].
const INTERVAL_NS: u64 = 900_000_000;

/// Names of the boat and of its camera.
#[derive(Debug, Clone)]
pub struct Settings {
    /// Name of the boat.
    pub boat: String,
    /// Name of its camera.
    pub camera: String,
}

/// The node.
pub struct WaterFinder {
    settings: Settings,
    boat: Mounted,
    last_ns: Option<u64>,
    mask: Output<Image>,
    shore: Output<PointCloud2>,
}

/// Returns the topic of the shoreline that the camera of a boat sees, in the map.
#[must_use]
pub fn seen_shore_topic(boat: &str) -> String {
    format!("/{boat}/mission/seen_shore/points")
}

impl WaterFinder {
    /// Creates the node.
    #[must_use]
    pub fn new(settings: Settings) -> Self {
        let boat = &settings.boat;
        Self {
            mask: Output::new(format!("/{boat}/mission/water_mask"), Qos::DEFAULT),
            shore: Output::new(seen_shore_topic(boat), Qos::DEFAULT),
            settings,
            boat: Mounted::default(),
            last_ns: None,
        }
    }

    fn on_image(&mut self, message: Image, outbox: &mut Outbox) {
        let at = stamp_ns(&message.header);
        if self.last_ns.is_some_and(|last| at < last + INTERVAL_NS) {
            return;
        }
        let Some(camera) = self.boat.camera.clone() else {
            return;
        };
        let (Some(pose), Some(base)) = (
            self.boat.pose(&message, &self.settings.boat),
            self.boat.track.at(at),
        ) else {
            return;
        };
        let image = match decode(&message) {
            Ok(image) => image,
            Err(error) => return self.boat.refuse(error.to_string(), outbox),
        };
        self.last_ns = Some(at);
        let yaw = roll_pitch_yaw(&base.rotation)[2];
        let (ahead, center) = (
            Vector2::new(yaw.cos(), yaw.sin()),
            base.translation.vector.xy(),
        );
        let place = |x: u32, y: u32| {
            let ray = camera.ray(Vector2::new(f64::from(x), f64::from(y)))?;
            on_water(&(pose.rotation * ray), pose.translation.vector)
        };
        let is_known = |x, y| {
            place(x, y).is_some_and(|at| {
                let offset = at - center;
                (STRIP_M[0]..STRIP_M[1]).contains(&ahead.dot(&offset))
                    && ahead.perp(&offset).abs() < STRIP_HALF_WIDTH_M
            })
        };
        let Some(water) = segment(&image, is_known, |x, y| place(x, y).is_some()) else {
            return;
        };
        outbox.publish(&self.mask, &mono_message(&water.mask, message.header));
        let reach = REACH_PER_HEIGHT * pose.translation.z;
        let rotation = pose.rotation.to_rotation_matrix();
        let points = shoreline(&water, &camera, &rotation, pose.translation.vector, reach);
        let points = points.into_iter().map(|at| Point3::new(at.x, at.y, 0.0));
        let mut message = cloud(at, points);
        MAP_FRAME.clone_into(&mut message.header.frame_id);
        outbox.publish(&self.shore, &message);
    }
}

impl Node for WaterFinder {
    fn declare(&self, ports: &mut Ports<Self>) {
        let Settings { boat, camera } = &self.settings;
        let of: fn(&mut Self) -> &mut Mounted = |node| &mut node.boat;
        Mounted::subscribe(ports, [boat, camera], of, Self::on_image);
        ports.publishes(&self.mask);
        ports.publishes(&self.shore);
    }
}
