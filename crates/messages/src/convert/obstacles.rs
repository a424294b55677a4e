//! Conversion of detected obstacles to messages, and their plan views.

use crate::convert::topic::{Publish, Topic};
use crate::convert::{WORLD_FRAME, diagonal6, header, pose, vector3};
use crate::snapshot::{PlanView, Plot, Snapshot, SnapshotOutput};
use merrow_math::Vec3;
use merrow_model::scene::Sensor;
use merrow_model::sensor::obstacle::Detection;
use merrow_model::sensor::obstacle::{DetectorSpec, Obstacle};
use merrow_model::state::frames::FrameData;
use merrow_ros2::msg::geometry_msgs::PoseWithCovariance;
use merrow_ros2::msg::vision_msgs::{
    BoundingBox3D, Detection3D, Detection3DArray, ObjectHypothesis, ObjectHypothesisWithPose,
};
use merrow_sensors::obstacle::accumulate::EchoAccumulator;
use merrow_sensors::obstacle::track::Tracks;

impl Publish for DetectorSpec {
    fn topics(&self, _: f64) -> Vec<Topic> {
        let mut gathered = EchoAccumulator::default();
        let mut tracks = Tracks::default();
        vec![Topic::of_frame::<Self, FrameData, _>(
            "/detections",
            move |s| {
                let accumulated;
                let found = match s.data {
                    FrameData::Detections(found) => found,
                    FrameData::Echoes(echoes) => {
                        let stream = s.sensor().stream;
                        accumulated = gathered.add_sample(s.spec, stream, echoes, s.stamp_ns);
                        &accumulated
                    }
                    _ => return None,
                };
                let of = (s.stamp_ns, &*s.frame());
                Some(detections(
                    s.spec,
                    &s.scene.obstacles,
                    found,
                    &mut tracks,
                    of,
                ))
            },
        )]
    }
}

impl Snapshot for DetectorSpec {
    fn output<'a>(&'a self, sensor: &'a Sensor) -> SnapshotOutput<'a> {
        SnapshotOutput::Plot(Box::new(|frames| {
            let mut gathered = EchoAccumulator::default();
            let mut boxes = None;
            for frame in frames {
                boxes = match &*frame.data {
                    FrameData::Detections(found) => Some(found.clone()),
                    FrameData::Echoes(echoes) => {
                        Some(gathered.add_sample(self, sensor.stream, echoes, frame.stamp_ns))
                    }
                    _ => None,
                };
            }
            let view = |found: Vec<Detection>| PlanView {
                outlines: found.iter().map(outline).collect(),
                in_world: self.detector.in_world,
            };
            boxes.map(|found| Plot::Plan(view(found)))
        }))
    }
}

/// Returns the label of a box, and its outline seen from above, in the frame in which it is
/// reported [m].
fn outline(found: &Detection) -> (String, Vec<[f64; 2]>) {
    let half = found.size.scale(0.5);
    let corners = [
        [-1.0, -1.0],
        [1.0, -1.0],
        [1.0, 1.0],
        [-1.0, 1.0],
        [-1.0, -1.0],
    ];
    let at = |[x, y]: [f64; 2]| {
        found.p
            + found
                .q
                .matrix()
                .mul_vec(Vec3::new(x * half.x, y * half.y, 0.0))
    };
    let label = found.listed.map_or_else(
        || format!("{} echoes", found.echoes),
        |n| format!("listed {}", n + 1),
    );
    (label, corners.map(at).map(|p| [p.x, p.y]).to_vec())
}

/// Converts all obstacles of a sample taken at `stamp_ns` [ns]. `frame` is the frame of the
/// detector. An obstacle keeps its `id` in all messages.
pub fn detections(
    spec: &DetectorSpec,
    listed: &[Obstacle],
    found: &[Detection],
    tracks: &mut Tracks,
    (stamp_ns, frame): (u64, &str),
) -> Detection3DArray {
    let head = header(
        stamp_ns,
        if spec.detector.in_world {
            WORLD_FRAME
        } else {
            frame
        },
    );
    let numbers = tracks.assign_numbers(
        found,
        stamp_ns,
        spec.detector.association_distance_m,
        spec.detector.track_timeout_s,
    );
    let variance = spec.detector.position_std_m * spec.detector.position_std_m;
    let yaw_std = spec.detector.yaw_std_deg.to_radians();
    let yaw = yaw_std * yaw_std;
    let covariance = diagonal6([variance, variance, variance, 0.0, 0.0, yaw]);
    let one = |(found, number): (&Detection, u64)| {
        let pose = pose(found.p, found.q);
        let hypothesis = ObjectHypothesis {
            class_id: "obstacle".into(),
            score: 1.0,
        };
        let with_pose = ObjectHypothesisWithPose {
            hypothesis,
            pose: PoseWithCovariance {
                pose: pose.clone(),
                covariance,
            },
        };
        Detection3D {
            header: head.clone(),
            results: vec![with_pose],
            bbox: BoundingBox3D {
                center: pose,
                size: vector3(found.size),
            },
            id: found
                .listed
                .map_or_else(|| number.to_string(), |k| listed[k].name.clone()),
        }
    };
    let detections = found.iter().zip(numbers).map(one).collect();
    Detection3DArray {
        header: head,
        detections,
    }
}
