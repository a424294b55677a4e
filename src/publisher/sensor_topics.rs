//! Publishing of sensor data: readings and frames, on each topic of the sensor.

use crate::publisher::Worker;
use merrow_messages::convert::topic::{AnySample, SampleData};
use merrow_model::scene::Scene;

impl Worker {
    /// Publishes a sample of the time `stamp_ns` [ns] on each topic of its sensor that has
    /// subscribers or is recorded.
    pub(crate) fn publish_sample(
        &mut self,
        scene: &Scene,
        [robot, sensor]: [usize; 2],
        stamp_ns: u64,
        data: SampleData<'_>,
    ) {
        let sample = AnySample {
            scene,
            robot,
            sensor,
            stamp_ns,
            data,
        };
        let (first, topics) = &mut self.sensor_topics[robot][sensor];
        let (first, mut topics) = (*first, std::mem::take(topics));
        for (n, topic) in topics.iter_mut().enumerate() {
            if self.has_receivers(first + n) {
                let now_ns = self.now_ns;
                topic.encode(&sample, &mut |bytes| {
                    self.send_bytes(first + n, now_ns, bytes)
                });
            }
        }
        self.sensor_topics[robot][sensor].1 = topics;
    }
}
