//! Node that measures the surroundings of a boat with a pair of cameras: a cloud of points.
//!
//! Depth follows from the disparity ([`super::disparity`], [`super::rectification`]). The cloud has the
//! points between [`NEAREST_M`] and the depth at which a quarter of a pixel is [`MAX_ERROR_M`], in the
//! optical frame of the left camera.

use super::camera::Camera;
use super::disparity::disparities;
use super::image::decode;
use super::rectification::Pair;
use crate::clouds::cloud;
use crate::frames::{StaticFrames, stamp_ns};
use crate::node::{Node, Outbox, Output, Ports};
use image::GrayImage;
use image::imageops::colorops::grayscale;
use merrow_ros2::msg::sensor_msgs::{CameraInfo, Image, PointCloud2};
use merrow_ros2::msg::tf2_msgs::TFMessage;
use merrow_ros2::qos::Qos;

/// Depth from which on points are measured [m].
pub const NEAREST_M: f64 = 2.5;
/// Error of the depth of the farthest points [m], for the error of the disparity [px].
pub const MAX_ERROR_M: f64 = 1.0;
const DISPARITY_ERROR: f64 = 0.25;
/// Largest disparity that is tried [px].
const MAX_DISPARITY: f64 = 128.0;
/// Pixels between two points, along rows and columns.
const STRIDE: u32 = 2;
/// Pairs are used once in this time [ns].
const INTERVAL_NS: u64 = 900_000_000;
/// Largest difference of the stamps of a pair [ns].
const SAME_TIME_NS: u64 = 1_000_000;

/// Names of the boat and of its left and right camera.
#[derive(Debug, Clone)]
pub struct Settings {
    /// Name of the boat.
    pub boat: String,
    /// Names of the left and of the right camera.
    pub cameras: [String; 2],
}

/// Returns the name of the cloud among the topics of a boat, as the mapper takes it.
#[must_use]
pub fn stereo_cloud() -> String {
    "mission/stereo".to_owned()
}

/// Left and right: what a camera has sent.
#[derive(Debug, Clone, Default)]
struct Side {
    camera: Option<Camera>,
    frame: String,
    image: Option<(u64, GrayImage)>,
}

/// The node.
pub struct Stereo {
    settings: Settings,
    frames: StaticFrames,
    sides: [Side; 2],
    pair: Option<Pair>,
    last_ns: Option<u64>,
    refused: Option<String>,
    points: Output<PointCloud2>,
}

impl Stereo {
    /// Creates the node.
    #[must_use]
    pub fn new(settings: Settings) -> Self {
        let topic = format!("/{}/{}/points", settings.boat, stereo_cloud());
        Self {
            points: Output::new(topic, Qos::DEFAULT),
            settings,
            frames: StaticFrames::default(),
            sides: <[Side; 2]>::default(),
            pair: None,
            last_ns: None,
            refused: None,
        }
    }

    /// Reports an error once, until another one follows.
    fn refuse(&mut self, error: String, outbox: &mut Outbox) {
        if self.refused.as_ref() != Some(&error) {
            outbox.log(&error);
            self.refused = Some(error);
        }
    }

    fn on_frames(&mut self, message: &TFMessage) {
        self.frames.add(message);
        self.pair = None;
    }

    fn on_info(&mut self, side: usize, info: &CameraInfo, outbox: &mut Outbox) {
        match Camera::from_info(info) {
            Ok(camera) if self.sides[side].camera.as_ref() == Some(&camera) => {}
            Ok(camera) => {
                self.sides[side].camera = Some(camera);
                self.pair = None;
            }
            Err(error) => self.refuse(error.to_string(), outbox),
        }
    }

    fn on_image(&mut self, side: usize, message: &Image, outbox: &mut Outbox) {
        let at = stamp_ns(&message.header);
        if self.last_ns.is_some_and(|last| at < last + INTERVAL_NS) {
            return;
        }
        let image = match decode(message) {
            Ok(image) => grayscale(&image),
            Err(error) => return self.refuse(error.to_string(), outbox),
        };
        let own = &mut self.sides[side];
        let size = [image.width(), image.height()];
        // until the description arrives
        if own.camera.as_ref().is_none_or(|camera| camera.size != size) {
            return;
        }
        if own.frame != message.header.frame_id {
            own.frame.clone_from(&message.header.frame_id);
            self.pair = None;
        }
        own.image = Some((at, image));
        let [Some((left, _)), Some((right, _))] = [0, 1].map(|k| self.sides[k].image.as_ref())
        else {
            return;
        };
        if left.abs_diff(*right) <= SAME_TIME_NS {
            self.last_ns = Some(at);
            self.measure(outbox);
        }
    }

    /// Rectifies and matches the images of a pair, and publishes the points.
    fn measure(&mut self, outbox: &mut Outbox) {
        let [Some((at, left)), Some((_, right))] = [0, 1].map(|k| self.sides[k].image.take())
        else {
            return;
        };
        let pair = match self
            .pair
            .take()
            .map_or_else(|| self.pair(), |pair| Ok(Some(pair)))
        {
            Ok(Some(pair)) => pair,
            Ok(None) => return,
            Err(error) => return self.refuse(error, outbox),
        };
        let mut cloud = cloud(at, points(&pair, [&left, &right]).into_iter());
        cloud.header.frame_id.clone_from(&self.sides[0].frame);
        outbox.publish(&self.points, &cloud);
        self.pair = Some(pair);
    }

    /// Returns the rectification; `None` until descriptions and frames have arrived.
    fn pair(&self) -> Result<Option<Pair>, String> {
        let base = format!("{}/base_link", self.settings.boat);
        let pose = |side: &Side| self.frames.to_base(&side.frame, &base);
        let [left, right] = &self.sides;
        let (Some(a), Some(b), Some(in_base), Some(right_in_base)) =
            (&left.camera, &right.camera, pose(left), pose(right))
        else {
            return Ok(None);
        };
        if a.size != b.size {
            return Err(format!(
                "stereo: images of {:?} and {:?} px; expected the same size",
                a.size, b.size
            ));
        }
        Pair::new(a, b, &in_base.inv_mul(&right_in_base))
            .map(Some)
            .map_err(|why| why.to_string())
    }
}

/// Returns the points that a pair of images shows, in the left optical frame [m].
#[must_use]
pub fn points(pair: &Pair, images: [&GrayImage; 2]) -> Vec<nalgebra::Point3<f64>> {
    let [left, right] = pair.rectify(images);
    let scale = pair.depth_m(1.0);
    let nearest = (scale / NEAREST_M).min(MAX_DISPARITY);
    // (2) of the rectification with the largest error
    let farthest = scale / (scale * MAX_ERROR_M / DISPARITY_ERROR).sqrt();
    let found = disparities(&left, &right, nearest.ceil() as usize + 1);
    let (width, range) = (left.width(), farthest..=nearest);
    let rows = (0..left.height()).step_by(STRIDE as usize);
    let pixels = rows.flat_map(|y| (0..width).step_by(STRIDE as usize).map(move |x| [x, y]));
    pixels
        .filter_map(|[x, y]| {
            let disparity = f64::from(found[(y * width + x) as usize]);
            // NaN is not in the range
            let disparity = Some(disparity).filter(|d| range.contains(d))?;
            pair.point([x, y], disparity)
        })
        .collect()
}

impl Node for Stereo {
    fn declare(&self, ports: &mut Ports<Self>) {
        for (side, camera) in self.settings.cameras.iter().enumerate() {
            let topic = |name: &str| format!("/{}/{camera}/{name}", self.settings.boat);
            ports.subscribes(
                topic("camera_info"),
                Qos::DEFAULT,
                move |node: &mut Self, info, outbox| node.on_info(side, &info, outbox),
            );
            ports.subscribes(
                topic("image_raw"),
                Qos::DEFAULT,
                move |node: &mut Self, image, outbox| node.on_image(side, &image, outbox),
            );
        }
        ports.subscribes(
            "/tf_static",
            Qos::TF_STATIC,
            |node: &mut Self, frames, _| node.on_frames(&frames),
        );
        ports.publishes(&self.points);
    }
}

#[cfg(test)]
mod tests {
    use super::super::rectification::tests::info;
    use super::*;
    use crate::clouds::read_points;
    use crate::frames::{from_roll_pitch_yaw, header, quaternion};
    use crate::node::{Action, Component, Input};
    use merrow_ros2::cdr::{from_bytes, to_bytes};
    use merrow_ros2::msg::geometry_msgs::TransformStamped;
    use nalgebra::{Isometry3, Point3, Vector2, Vector3};

    /// Poses of the optical frames of the pair in the base: 1.5 m high, 0.3 m apart, the right camera
    /// turned a little.
    fn mounts() -> [Isometry3<f64>; 2] {
        let optical = from_roll_pitch_yaw([
            -0.5 * std::f64::consts::PI,
            0.0,
            -0.5 * std::f64::consts::PI,
        ]);
        [(0.15, [0.0; 3]), (-0.15, [0.0, 0.005, 0.01])].map(|(y, turn)| {
            let rotation = from_roll_pitch_yaw(turn) * optical;
            Isometry3::from_parts(Vector3::new(1.0, y, 1.5).into(), rotation)
        })
    }

    /// Image of a wall at x = 8 m and a post at x = 5 m, |y - 0.5| < 0.6 m, in the base; sky above 2.5 m.
    fn view(camera: &Camera, mount: &Isometry3<f64>) -> GrayImage {
        GrayImage::from_fn(320, 200, |u, v| {
            let ray = mount.rotation
                * camera
                    .ray(Vector2::new(f64::from(u), f64::from(v)))
                    .unwrap();
            let at = |x: f64| mount.translation.vector + ray * ((x - 1.0) / ray.x);
            let (post, wall) = (at(5.0), at(8.0));
            let (p, part) = match (post.y - 0.5).abs() < 0.6 && post.z < 2.5 {
                true => (post, 40.0),
                false => (wall, 0.0),
            };
            if p.z > 2.5 {
                return image::Luma([200]);
            }
            let wave = |a: f64, b: f64| libm::sin(a * p.y + b * p.z + part);
            let sum = wave(17.0, 3.0) + wave(-9.0, 14.0) + wave(5.0, 11.0) + wave(23.0, -13.0);
            image::Luma([(127.5 + 28.0 * sum) as u8])
        })
    }

    fn message(image: &GrayImage, side: usize, at: u64) -> Image {
        super::super::image::mono_message(image, header(["usv/left", "usv/right"][side], at))
    }

    fn node() -> Stereo {
        let mut node = Stereo::new(Settings {
            boat: "usv".to_owned(),
            cameras: ["left".to_owned(), "right".to_owned()],
        });
        let transforms =
            mounts()
                .into_iter()
                .zip(["usv/left", "usv/right"])
                .map(|(mount, child)| {
                    let mut transform = TransformStamped {
                        header: header("usv/base_link", 0),
                        child_frame_id: child.to_owned(),
                        ..TransformStamped::default()
                    };
                    let t = &mount.translation;
                    (
                        transform.transform.translation.x,
                        transform.transform.translation.y,
                    ) = (t.x, t.y);
                    transform.transform.translation.z = t.z;
                    transform.transform.rotation = quaternion(&mount.rotation);
                    transform
                });
        let transforms = transforms.collect();
        node.on_frames(&TFMessage { transforms });
        node
    }

    fn cloud_of(outbox: &mut Outbox) -> Option<PointCloud2> {
        let mut actions = outbox.take().into_iter();
        actions.find_map(|action| match action {
            Action::Publish { bytes, .. } => Some(from_bytes(&bytes).unwrap()),
            Action::Call { .. } | Action::Log(_) => None,
        })
    }

    // Wall and post have their depths, and the sky has no points.
    #[test]
    fn a_wall_and_a_post_are_measured() {
        let camera = Camera::from_info(&info(228.0)).unwrap();
        let images = mounts().map(|mount| view(&camera, &mount));
        let mut node = node();
        let mut outbox = Outbox::at(0);
        for side in [0, 1] {
            node.on_info(side, &info(228.0), &mut outbox);
            node.on_image(side, &message(&images[side], side, 5), &mut outbox);
        }
        let cloud = cloud_of(&mut outbox).expect("a cloud");
        assert_eq!(cloud.header.frame_id, "usv/left");
        let points = read_points(&cloud).unwrap();
        let points: Vec<Point3<f64>> = points.iter().map(|(p, _)| mounts()[0] * p).collect();
        assert!(points.len() > 4000, "{}", points.len());
        let near = |x: f64| points.iter().filter(|p| (p.x - x).abs() < 0.05 * x).count();
        let (post, wall) = (near(5.0), near(8.0));
        assert!(post > 500 && wall > 2500, "{post} {wall}");
        assert!(
            (post + wall) * 100 > points.len() * 95,
            "{post} {wall} {}",
            points.len()
        );
        // blocks and windows spread the edge by 8 px
        assert_eq!(
            points
                .iter()
                .filter(|p| p.z > 2.5 + 8.5 * 7.0 / 228.0)
                .count(),
            0
        );
    }

    #[test]
    fn hostile_and_lonely_images_publish_nothing() {
        let image = GrayImage::new(320, 200);
        let mut outbox = Outbox::at(0);
        let mut node = node();
        // no description
        node.on_image(0, &message(&image, 0, 5), &mut outbox);
        for side in [0, 1] {
            node.on_info(side, &info(228.0), &mut outbox);
        }
        // another size, another time, a frame that nobody knows, no left image
        node.on_image(0, &message(&GrayImage::new(32, 20), 0, 5), &mut outbox);
        node.on_image(1, &message(&image, 1, 5), &mut outbox);
        node.on_image(0, &message(&image, 0, 50_000_000), &mut outbox);
        let mut lost = message(&image, 1, 50_000_000);
        lost.header.frame_id = "usv/lost".to_owned();
        node.on_image(1, &lost, &mut outbox);
        assert!(cloud_of(&mut outbox).is_none());
        // two cameras at one place: one line, once
        let mut component = Component::new("stereo", self::node());
        let mut broken = info(228.0);
        broken.k[0] = f64::NAN;
        let mut outbox = Outbox::at(0);
        for _ in 0..3 {
            component
                .handle(Input::Message(0, &to_bytes(&broken)), &mut outbox)
                .unwrap();
        }
        let lines = outbox.take();
        assert!(
            matches!(&lines[..], [Action::Log(line)] if line.starts_with("camera_info: ")),
            "{lines:?}"
        );
    }
}
