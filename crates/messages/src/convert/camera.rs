//! Conversion of camera images to messages, and fields of view of cameras.

use crate::convert::image::{ImageView, Pixels};
use crate::convert::topic::{FrameName, Publish, Sample, Topic};
use crate::frames;
use crate::snapshot::{FieldOfView, Snapshot, SnapshotOutput};
use merrow_math::Quat;
use merrow_model::scene::{Scene, Sensor};
use merrow_model::sensor::camera::CameraImages;
use merrow_model::sensor::camera::{CameraOutput, CameraSpec};
use merrow_model::sensor::lens::Distortion;
use merrow_ros2::message::Message;
use merrow_ros2::msg::sensor_msgs::CameraInfo;
use merrow_ros2::msg::std_msgs::Header;
use merrow_ros2::msg::vision_msgs::{LabelInfo, VisionClass};
use merrow_sensors::camera::shading::{OPEN_WATER_LABEL, SURFACE_LABEL};

impl Publish for CameraSpec {
    fn topics(&self, _: f64) -> Vec<Topic> {
        use CameraOutput::{Depth, Jpeg, Labels, Rgb};
        let mut all = vec![
            image_topic(Rgb, "/image_raw", rgb, |s, image| {
                image.raw(camera_header(s))
            }),
            image_topic(Jpeg, "/image_raw/compressed", rgb, |s, image| {
                image.jpeg(camera_header(s), s.spec.camera.jpeg_quality as u8)
            }),
            image_topic(Depth, "/depth/image_raw", depth, |s, image| {
                image.raw(camera_header(s))
            }),
            image_topic(
                Depth,
                "/depth/image_raw/compressedDepth",
                depth,
                |s, image| {
                    image.compressed_depth(camera_header(s), s.spec.camera.max_range_m as f32)
                },
            ),
        ];
        // the info of the depth image is where its subscribers expect it
        if Depth.is_enabled_in(self.outputs) {
            all.push(info_topic("/depth/camera_info"));
        }
        all.push(image_topic(
            Labels,
            "/labels/image_raw",
            labels_of,
            |s, image| image.raw(camera_header(s)),
        ));
        all.push(info_topic("/camera_info"));
        all.retain(|topic| topic.required_outputs & self.outputs != 0);
        all
    }

    fn message_frame(&self) -> Option<(FrameName, Quat)> {
        let turn = Quat {
            w: 0.5,
            x: -0.5,
            y: 0.5,
            z: -0.5,
        };
        Some((frames::optical_frame, turn))
    }
}

type CameraSample<'a> = Sample<'a, CameraSpec, CameraImages>;

fn camera_header(s: &CameraSample<'_>) -> Header {
    s.header_in(frames::optical_frame)
}

fn rgb(images: &CameraImages) -> Option<Pixels<'_>> {
    images.rgb.as_ref().map(Pixels::Rgb8)
}

fn depth(images: &CameraImages) -> Option<Pixels<'_>> {
    images.depth.as_ref().map(|depth| Pixels::Depth(depth))
}

fn labels_of(images: &CameraImages) -> Option<Pixels<'_>> {
    images.labels.as_ref().map(|labels| Pixels::Uint16(labels))
}

/// Creates the topic of the image that `pixels` selects, if a frame contains it; `convert` builds
/// the message.
fn image_topic<M: Message, E>(
    output: CameraOutput,
    suffix: &'static str,
    pixels: impl Fn(&CameraImages) -> Option<Pixels<'_>> + Send + 'static,
    convert: impl Fn(&CameraSample<'_>, ImageView<'_>) -> Result<M, E> + Send + 'static,
) -> Topic {
    Topic::of_frame::<CameraSpec, CameraImages, _>(suffix, move |s| {
        let [width, height] = s.spec.size.map(|n| n as u32);
        let pixels = pixels(s.data)?;
        let image = ImageView {
            width,
            height,
            pixels,
        };
        convert(s, image).ok()
    })
    .requiring(output as u8)
}

fn info_topic(suffix: &'static str) -> Topic {
    Topic::of_frame::<CameraSpec, CameraImages, _>(suffix, |s| {
        Some(camera_info(s.spec, camera_header(s)))
    })
    .requiring(CameraOutput::Info as u8)
}

impl Snapshot for CameraSpec {
    fn output<'a>(&'a self, _: &'a Sensor) -> SnapshotOutput<'a> {
        SnapshotOutput::Camera(self.size, self.outputs)
    }

    fn field_of_view(&self) -> Option<FieldOfView> {
        let [right, lower] = self.size.map(|n| n.saturating_sub(1) as f64);
        let corners = [[0.0, 0.0], [right, 0.0], [right, lower], [0.0, lower]];
        let edge: Option<Vec<[f64; 3]>> = corners
            .into_iter()
            // from the optical frame to S
            .map(|corner| self.lens.direction(corner).map(|d| [d.z, -d.x, -d.y]))
            .collect();
        Some(FieldOfView {
            edge: edge?,
            is_closed: true,
            range: self.camera.max_range_m,
        })
    }
}

/// Builds the camera info message from focal lengths, principal point, distortion and baseline.
pub fn camera_info(spec: &CameraSpec, header: Header) -> CameraInfo {
    let ([fx, fy], [cx, cy]) = (spec.lens.focal, spec.lens.center);
    let (model, d) = match &spec.lens.distortion {
        Distortion::BrownConrady(k) => ("plumb_bob", k.to_vec()),
        Distortion::FishEye(k) => ("equidistant", k.to_vec()),
    };
    let tx = spec.camera.stereo_baseline_m.map_or(0.0, |b| -fx * b);
    CameraInfo {
        header,
        height: spec.size[1] as u32,
        width: spec.size[0] as u32,
        distortion_model: model.to_string(),
        d,
        k: [fx, 0.0, cx, 0.0, fy, cy, 0.0, 0.0, 1.0],
        r: [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0],
        p: [fx, 0.0, cx, tx, 0.0, fy, cy, 0.0, 0.0, 0.0, 1.0, 0.0],
        ..CameraInfo::default()
    }
}

/// Builds the map from label numbers to names. The number 65535, which the message reserves for "no
/// class", is the water surface.
pub fn labels(scene: &Scene, header: Header) -> LabelInfo {
    let structures = scene
        .structures
        .iter()
        .map(|structure| structure.name.as_str());
    let robots = scene.robots.iter().map(|robot| robot.name.as_str());
    let numbered = ["sky", "bottom"]
        .into_iter()
        .chain(structures)
        .chain(robots);
    let water = [
        (OPEN_WATER_LABEL, "open_water"),
        (SURFACE_LABEL, "water_surface"),
    ];
    let all = numbered
        .enumerate()
        .map(|(k, name)| (k as u16, name))
        .chain(water);
    let class = |(class_id, name): (u16, &str)| VisionClass {
        class_id,
        class_name: name.to_string(),
    };
    LabelInfo {
        header,
        class_map: all.map(class).collect(),
        threshold: 0.0,
    }
}
