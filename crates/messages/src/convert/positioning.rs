//! Conversion of the results of acoustic positioning instruments to messages, and their plots.
//!
//! Pingers are published as `vision_msgs/Detection3DArray`: any number of pingers in one message,
//! each with a name, a position with covariance and the time of arrival. The position of a single
//! target is a `PoseWithCovarianceStamped` on a topic of that target, which estimators can use
//! directly. A range is a `sensor_msgs/Range`.

use crate::convert;
use crate::convert::curves::{Axis, Components};
use crate::convert::topic::{Publish, Sample, Topic};
use crate::convert::{WORLD_FRAME, header, linear_covariance, sonar_range};
use crate::snapshot::{Plot, Snapshot, SnapshotOutput};
use merrow_math::{Mat3, Quat, Vec3};
use merrow_model::scene::Sensor;
use merrow_model::sensor::acoustic::{AcousticFix, AcousticObservations, AcousticRange};
use merrow_model::sensor::acoustic::{AcousticOutput, AcousticSpec, Beacon};
use merrow_model::state::frames::FrameData;
use merrow_ros2::message::Message;
use merrow_ros2::msg::geometry_msgs::{PoseWithCovariance, PoseWithCovarianceStamped};
use merrow_ros2::msg::sensor_msgs::Range;
use merrow_ros2::msg::std_msgs::Header;
use merrow_ros2::msg::vision_msgs::{
    BoundingBox3D, Detection3D, Detection3DArray, ObjectHypothesis, ObjectHypothesisWithPose,
};
use std::f64::consts::TAU;

impl Publish for AcousticSpec {
    fn topics(&self, _: f64) -> Vec<Topic> {
        let outputs = self.outputs().into_iter();
        outputs
            .map(|(suffix, output)| output_topic(suffix, output))
            .collect()
    }
}

fn output_topic(suffix: String, output: AcousticOutput) -> Topic {
    match output {
        AcousticOutput::Detections => observations_topic(suffix, |s| {
            Some(detections(s.spec, &s.scene.beacons, s.data, s.header()))
        }),
        AcousticOutput::Pose(k) => observations_topic(suffix, move |s| {
            let fix = s.data.fixes.iter().find(|fix| fix.target == k)?;
            Some(pose(fix, &s.frame(), (fix.p_S, fix.covariance)))
        }),
        AcousticOutput::WorldPose(k) => observations_topic(suffix, move |s| world_pose(s.data, k)),
        AcousticOutput::OwnPose => observations_topic(suffix, |s| world_pose(s.data, 0)),
        AcousticOutput::Range(target, receiver) => observations_topic(suffix, move |s| {
            range(s.spec, (target, receiver), s.data, &s.frame())
        }),
    }
}

/// Creates a topic whose message `build` builds from the observations of beacons.
fn observations_topic<M: Message>(
    suffix: String,
    build: impl Fn(&Sample<'_, AcousticSpec, AcousticObservations>) -> Option<M> + Send + 'static,
) -> Topic {
    Topic::of_frame::<AcousticSpec, AcousticObservations, _>(suffix, build)
}

impl Snapshot for AcousticSpec {
    fn output<'a>(&'a self, _: &'a Sensor) -> SnapshotOutput<'a> {
        SnapshotOutput::Plot(Box::new(|frames| {
            let targets = self.targets.iter();
            let names: Vec<&str> = targets.map(|target| target.name.as_str()).collect();
            let values = frames.iter().filter_map(|frame| match &*frame.data {
                FrameData::Acoustic(sounds) => {
                    Some((frame.stamp_ns, acoustic_quantities(sounds, &names)))
                }
                _ => None,
            });
            Some(Plot::Curves(values.collect()))
        }))
    }
}

/// Splits the fixes and ranges of an acoustic positioning instrument into labelled quantities.
fn acoustic_quantities(sounds: &AcousticObservations, names: &[&str]) -> Vec<Axis> {
    let mut all = Vec::new();
    let name = |target: usize| names.get(target).copied().unwrap_or("own");
    for fix in &sounds.fixes {
        let of = name(fix.target);
        let (frame, p) = match fix.world {
            Some((p_W, _)) => ("world", p_W),
            None => ("sensor's frame", fix.p_S),
        };
        all.push((format!("{of} in the {frame} [m]").into(), p.components()));
    }
    for ranged in &sounds.ranges {
        let curve = (name(ranged.target).to_string(), ranged.range);
        all.push(("range [m]".into(), vec![curve]));
    }
    all
}

/// Builds a pose from a position [m] and its covariance [m²]; the orientation is unknown.
pub(crate) fn unoriented_pose(p: Vec3, position_covariance: &Mat3) -> PoseWithCovariance {
    PoseWithCovariance {
        pose: convert::pose(p, Quat::identity()),
        covariance: linear_covariance(position_covariance.r.map(|row| row.to_array())),
    }
}

/// Builds the message with all received pingers, in the frame of `head`.
pub fn detections(
    spec: &AcousticSpec,
    beacons: &[Beacon],
    sounds: &AcousticObservations,
    head: Header,
) -> Detection3DArray {
    let one = |fix: &merrow_model::sensor::acoustic::AcousticFix| {
        let target = &spec.targets[fix.target];
        let pose = unoriented_pose(fix.p_S, &fix.covariance);
        let hypothesis = ObjectHypothesis {
            class_id: format!("{} kHz", 1e-3 * beacons[target.beacon].frequency()),
            // ratio of signal power to the power of signal and noise
            score: 1.0 / (1.0 + libm::pow(10.0, -0.1 * fix.snr)),
        };
        Detection3D {
            header: header(fix.stamp_ns, &head.frame_id),
            bbox: BoundingBox3D {
                center: pose.pose.clone(),
                ..BoundingBox3D::default()
            },
            results: vec![ObjectHypothesisWithPose { hypothesis, pose }],
            id: target.name.clone(),
        }
    };
    Detection3DArray {
        detections: sounds.fixes.iter().map(one).collect(),
        header: head,
    }
}

/// Builds the pose message of a fix at the position [m] with its covariance [m²] in `frame`.
fn pose(
    fix: &AcousticFix,
    frame: &str,
    (p, covariance): (Vec3, Mat3),
) -> PoseWithCovarianceStamped {
    PoseWithCovarianceStamped {
        header: header(fix.stamp_ns, frame),
        pose: unoriented_pose(p, &covariance),
    }
}

/// Builds the pose message of `target` in the world, if it was located there.
fn world_pose(sounds: &AcousticObservations, target: usize) -> Option<PoseWithCovarianceStamped> {
    let fix = sounds.fixes.iter().find(|fix| fix.target == target)?;
    Some(pose(fix, WORLD_FRAME, fix.world?))
}

/// Builds the range message of a target and a receiver, if the range was measured.
fn range(
    spec: &AcousticSpec,
    pair: (usize, usize),
    sounds: &AcousticObservations,
    frame: &str,
) -> Option<Range> {
    let is_it = |r: &&AcousticRange| (r.target, r.receiver) == pair;
    let found = sounds.ranges.iter().find(is_it)?;
    let limits = [0.0, spec.hearing().max_range_m];
    let header = header(found.stamp_ns, frame);
    Some(sonar_range(
        header,
        TAU,
        limits,
        [found.range, found.variance],
    ))
}
