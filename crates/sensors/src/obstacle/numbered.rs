//! Boxes of a detector with the numbers of their obstacles, for programs that receive them one by one.

use crate::obstacle::accumulate::EchoAccumulator;
use crate::obstacle::track::Tracks;
use merrow_model::scene::Sensor;
use merrow_model::sensor::SensorParameters;
use merrow_model::sensor::obstacle::{Detection, DetectorSpec};
use merrow_model::state::frames::{Frame, FrameData};

/// Echoes and tracks of one detector.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct NumberedBoxes {
    gathered: EchoAccumulator,
    tracks: Tracks,
}

impl NumberedBoxes {
    /// Takes a frame of a detector. Returns its boxes with the numbers of their obstacles; none of
    /// another sensor.
    pub fn take(&mut self, sensor: &Sensor, frame: &Frame) -> Vec<(u64, Detection)> {
        let Some(spec) = DetectorSpec::from_kind(&sensor.kind) else {
            return Vec::new();
        };
        let found = match &*frame.data {
            FrameData::Detections(found) => found.clone(),
            FrameData::Echoes(echoes) => {
                self.gathered
                    .add_sample(spec, sensor.stream, echoes, frame.stamp_ns)
            }
            _ => return Vec::new(),
        };
        let numbers = self.tracks.assign_numbers(
            &found,
            frame.stamp_ns,
            spec.detector.association_distance_m,
            spec.detector.track_timeout_s,
        );
        numbers.into_iter().zip(found).collect()
    }
}
