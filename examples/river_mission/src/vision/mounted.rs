//! A camera of a robot: intrinsics, mounting, and the poses of the robot at the times of its images.

use super::camera::Camera;
use super::track::Track;
use crate::estimation::node::estimate_topic;
use crate::frames::{StaticFrames, isometry, stamp_ns};
use crate::node::{Node, Outbox, Ports};
use merrow_ros2::msg::nav_msgs::Odometry;
use merrow_ros2::msg::sensor_msgs::{CameraInfo, Image};
use merrow_ros2::msg::tf2_msgs::TFMessage;
use merrow_ros2::qos::Qos;
use nalgebra::Isometry3;

/// A camera with what its topics tell.
#[derive(Debug, Clone, Default)]
pub(crate) struct Mounted {
    pub(crate) camera: Option<Camera>,
    pub(crate) frames: StaticFrames,
    /// Poses of the robot by its estimate.
    pub(crate) track: Track,
    /// Poses of the boat of a drone over the link.
    pub(crate) boat: Track,
    refused: Option<String>,
}

impl Mounted {
    /// Subscribes to the images of a camera and to what places them: intrinsics, static frames and
    /// the estimate of the robot. `of` returns the camera in the node.
    pub(crate) fn subscribe<N: Node>(
        ports: &mut Ports<N>,
        [robot, camera]: [&str; 2],
        of: fn(&mut N) -> &mut Self,
        on_image: fn(&mut N, Image, &mut Outbox),
    ) {
        ports.subscribes(
            format!("/{robot}/{camera}/camera_info"),
            Qos::DEFAULT,
            move |node: &mut N, info: CameraInfo, outbox| of(node).on_info(&info, outbox),
        );
        ports.subscribes(
            format!("/{robot}/{camera}/image_raw"),
            Qos::DEFAULT,
            on_image,
        );
        ports.subscribes(
            "/tf_static",
            Qos::TF_STATIC,
            move |node: &mut N, frames: TFMessage, _| of(node).frames.add(&frames),
        );
        ports.subscribes(
            estimate_topic(robot),
            Qos::DEFAULT,
            move |node: &mut N, odometry: Odometry, _| push(&mut of(node).track, &odometry),
        );
    }

    /// Subscribes to the estimate of the boat of a drone, which arrives over a link that can fail.
    pub(crate) fn subscribe_to_boat<N: Node>(
        ports: &mut Ports<N>,
        boat: &str,
        of: fn(&mut N) -> &mut Self,
    ) {
        ports.subscribes_if_present(
            estimate_topic(boat),
            Qos::DEFAULT,
            move |node: &mut N, odometry: Odometry, _| push(&mut of(node).boat, &odometry),
        );
    }

    fn on_info(&mut self, info: &CameraInfo, outbox: &mut Outbox) {
        match Camera::from_info(info) {
            Ok(camera) => self.camera = Some(camera),
            Err(error) => self.refuse(error.to_string(), outbox),
        }
    }

    /// Returns the pose of the optical frame of an image in the map.
    pub(crate) fn pose(&self, image: &Image, robot: &str) -> Option<Isometry3<f64>> {
        let base = format!("{robot}/base_link");
        let mount = self.frames.to_base(&image.header.frame_id, &base)?;
        Some(self.track.at(stamp_ns(&image.header))? * mount)
    }

    /// Reports an error once, until another one follows.
    pub(crate) fn refuse(&mut self, error: String, outbox: &mut Outbox) {
        if self.refused.as_ref() != Some(&error) {
            outbox.log(&error);
            self.refused = Some(error);
        }
    }
}

/// Adds an estimate to a track, if it is finite.
fn push(track: &mut Track, odometry: &Odometry) {
    let pose = &odometry.pose.pose;
    if let Some(pose) = isometry(&pose.position, &pose.orientation) {
        track.push(stamp_ns(&odometry.header), pose);
    }
}
