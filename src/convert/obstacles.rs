//! Conversion of detected obstacles to messages.

use crate::convert::{WORLD_FRAME, header, point, quaternion, vector3};
use merrow_model::scene::sensor::obstacle::{DetectorSpec, Obstacle};
use merrow_model::state::frames::detection::Detection;
use merrow_ros2::msg::geometry_msgs::{Pose, PoseWithCovariance};
use merrow_ros2::msg::vision_msgs::{
    BoundingBox3D, Detection3D, Detection3DArray, ObjectHypothesis, ObjectHypothesisWithPose,
};
use merrow_sensors::obstacle::track::Tracks;

/// Converts all obstacles of a sample taken at `stamp_ns` [ns]. `frame` is the frame of the
/// detector. An obstacle keeps its `id` in all messages.
pub fn detections(
    spec: &DetectorSpec,
    listed: &[Obstacle],
    found: &[Detection],
    tracks: &mut Tracks,
    (stamp_ns, frame): (u64, &str),
) -> Detection3DArray {
    let head = header(stamp_ns, if spec.in_world { WORLD_FRAME } else { frame });
    let numbers = tracks.assign_numbers(found, stamp_ns, spec.association, spec.forget);
    let mut covariance = [0.0; 36];
    for i in 0..3 {
        covariance[7 * i] = spec.std[0] * spec.std[0];
    }
    covariance[35] = spec.std[2] * spec.std[2];
    let one = |(found, number): (&Detection, u64)| {
        let pose = Pose {
            position: point(found.p),
            orientation: quaternion(found.q),
        };
        let hypothesis = ObjectHypothesis {
            class_id: "obstacle".into(),
            score: 1.0,
        };
        let with_pose = PoseWithCovariance {
            pose: pose.clone(),
            covariance,
        };
        Detection3D {
            header: head.clone(),
            results: vec![ObjectHypothesisWithPose {
                hypothesis,
                pose: with_pose,
            }],
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
