//! Publishing of sensor data: readings and frames, on each topic of the sensor.

use crate::publisher::Worker;
use merrow_messages::convert::topic::{AnySample, SampleData};
use merrow_model::scene::Scene;
use merrow_model::state::frames::Frame;
use merrow_model::state::reading::Stamped;

impl Worker {
    /// Publishes the reading of a sensor that is not exteroceptive.
    pub(crate) fn publish_reading(
        &mut self,
        scene: &Scene,
        robot: usize,
        sensor: usize,
        stamped: &Stamped,
        now: u64,
    ) {
        let sample = AnySample {
            scene,
            robot,
            sensor,
            stamp_ns: stamped.stamp_ns,
            data: SampleData::Reading(&stamped.reading),
        };
        self.publish_sample(&sample, now);
    }

    /// Publishes a frame of an exteroceptive sensor.
    pub(crate) fn publish_frame(&mut self, scene: &Scene, frame: &Frame, now: u64) {
        let sample = AnySample {
            scene,
            robot: frame.robot,
            sensor: frame.sensor,
            stamp_ns: frame.stamp_ns,
            data: SampleData::Frame(&frame.data),
        };
        self.publish_sample(&sample, now);
    }

    /// Publishes a sample on each topic of its sensor that has subscribers or is recorded.
    fn publish_sample(&mut self, sample: &AnySample<'_>, now: u64) {
        let (first, topics) = &mut self.sensor_topics[sample.robot][sample.sensor];
        let (first, mut topics) = (*first, std::mem::take(topics));
        for (n, topic) in topics.iter_mut().enumerate() {
            if self.has_receivers(first + n) {
                topic.encode(sample, &mut |bytes| self.send_bytes(first + n, now, bytes));
            }
        }
        self.sensor_topics[sample.robot][sample.sensor].1 = topics;
    }
}
