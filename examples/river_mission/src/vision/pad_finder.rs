//! Node that finds the landing pad in the images of a drone.

use super::helipad::{PadDetector, PadMarking, PadPose};
use super::image::decode;
use super::mounted::Mounted;
use crate::frames::{point, quaternion, roll_pitch_yaw, stamp_ns};
use crate::node::{Node, Outbox, Output, Ports};
use merrow_ros2::msg::geometry_msgs::{Pose, PoseWithCovariance, PoseWithCovarianceStamped};
use merrow_ros2::msg::sensor_msgs::Image;
use merrow_ros2::qos::Qos;
use nalgebra::{Point3, UnitQuaternion, Vector3};

/// Distances at which a pad is searched [m].
const RANGE_M: [f64; 2] = [0.3, 40.0];

/// Names of the drone and of its boat.
#[derive(Debug, Clone)]
pub struct Settings {
    /// Name of the drone.
    pub drone: String,
    /// Name of its camera.
    pub camera: String,
    /// Name of the boat.
    pub boat: String,
    /// Marking of the pad.
    pub marking: PadMarking,
}

/// The node.
pub struct PadFinder {
    settings: Settings,
    detector: PadDetector,
    out: Output<PoseWithCovarianceStamped>,
    drone: Mounted,
    /// Heading of the boat in the map at the last detection [rad].
    last_heading: Option<f64>,
}

/// Returns the topic of the pads that a drone sees.
#[must_use]
pub fn pad_topic(drone: &str) -> String {
    format!("/{drone}/mission/pad")
}

/// Returns the standard deviation [m] of the position of a pad at a distance [m]: from the errors in
/// rendered images, and 0.5 degrees of tilt.
#[must_use]
pub fn pad_std_m(distance_m: f64) -> f64 {
    0.01 + 0.01 * distance_m
}

impl PadFinder {
    /// Creates the node.
    #[must_use]
    pub fn new(settings: Settings) -> Self {
        Self {
            detector: PadDetector {
                marking: settings.marking,
            },
            out: Output::new(pad_topic(&settings.drone), Qos::DEFAULT),
            settings,
            drone: Mounted::default(),
            last_heading: None,
        }
    }

    fn on_image(&mut self, message: Image, outbox: &mut Outbox) {
        let Some(camera) = self.drone.camera.clone() else {
            return;
        };
        let image = match decode(&message) {
            Ok(image) => image,
            Err(error) => return self.drone.refuse(error.to_string(), outbox),
        };
        let Some(pose) = self.drone.pose(&message, &self.settings.drone) else {
            return;
        };
        let up = pose.rotation.inverse() * Vector3::z();
        let stamp = stamp_ns(&message.header);
        let boat = self.drone.boat.at(stamp);
        // the link tells about how far the pad is
        let range = boat.map_or(RANGE_M, |boat| {
            let distance = (boat.translation.vector - pose.translation.vector).norm();
            [
                (0.6 * distance - 2.0).max(RANGE_M[0]),
                (1.4 * distance + 2.0).min(RANGE_M[1]),
            ]
        });
        let Some(pad) = self.detector.detect(&image, &camera, up, range) else {
            return;
        };
        // which of the two headings: that of the boat over the link, or of the last detection
        let heading = |pad: &PadPose| {
            let rotation = pose.rotation * UnitQuaternion::from_rotation_matrix(&pad.rotation);
            roll_pitch_yaw(&rotation)[2]
        };
        let linked = boat.map(|boat| roll_pitch_yaw(&boat.rotation)[2]);
        let mut pad = pad;
        if let Some(expected) = linked.or(self.last_heading) {
            pad = pad.facing(pad.heading + expected - heading(&pad));
        }
        self.last_heading = Some(heading(&pad));
        let variance = pad_std_m(pad.position.norm()).powi(2);
        let mut covariance = [0.0; 36];
        for k in 0..3 {
            covariance[7 * k] = variance;
            covariance[21 + 7 * k] = 1e-3;
        }
        let rotation = UnitQuaternion::from_rotation_matrix(&pad.rotation);
        let found = PoseWithCovarianceStamped {
            header: message.header,
            pose: PoseWithCovariance {
                pose: Pose {
                    position: point(&Point3::from(pad.position)),
                    orientation: quaternion(&rotation),
                },
                covariance,
            },
        };
        outbox.publish(&self.out, &found);
    }
}

impl Node for PadFinder {
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
        ports.publishes(&self.out);
    }
}
