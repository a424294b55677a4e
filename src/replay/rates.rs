//! Rates of the recorded messages of sensors.

use crate::topics::Plan;
use merrow_model::scene::Scene;
use merrow_ros2::bag::index::BagIndex;

/// Recorded time over which messages are counted [ns].
const WINDOW_NS: u64 = 1_000_000_000;

/// Topics of the sensors of each robot; `None` for a sensor that is not recorded.
#[derive(Debug)]
pub(crate) struct RecordedRates {
    topics: Vec<Vec<Option<usize>>>,
}

impl RecordedRates {
    /// Finds the first recorded topic of every sensor.
    pub(crate) fn new(scene: &Scene, plan: &Plan, index: &BagIndex) -> Self {
        let robots = scene.robots.iter();
        let mut topics: Vec<Vec<_>> = robots.map(|r| vec![None; r.sensors.len()]).collect();
        for output in &plan.outputs {
            if let Some((robot, sensor)) = output.sensor() {
                let topic = &mut topics[robot][sensor];
                *topic = topic.or(index.topic(&output.topic));
            }
        }
        Self { topics }
    }

    /// Returns the rates [Hz] of the sensors of each robot in the second before a log time [ns];
    /// NaN for a sensor that is not recorded.
    ///
    /// # Errors
    /// One line: the bag cannot be read.
    pub(crate) fn count(&self, index: &mut BagIndex, log_ns: u64) -> Result<Vec<Vec<f64>>, String> {
        let start_ns = log_ns.saturating_sub(WINDOW_NS);
        let mut rate = |topic: &Option<usize>| match topic {
            Some(topic) => {
                let messages = index.between(*topic, start_ns, log_ns)?;
                Ok(messages.len() as f64 / (WINDOW_NS as f64 * 1e-9))
            }
            None => Ok(f64::NAN),
        };
        let robots = self.topics.iter();
        robots
            .map(|sensors| sensors.iter().map(&mut rate).collect())
            .collect()
    }
}
