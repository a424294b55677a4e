//! Rates at which the sensors of the robots deliver readings and frames.

use merrow_sim::Simulation;

/// Simulated time over which deliveries are counted [ns].
const WINDOW_NS: u64 = 1_000_000_000;

/// Counts of deliveries by robot and sensor.
#[derive(Debug, Default)]
pub(crate) struct Rates {
    start_ns: u64,
    counts: Vec<Vec<u32>>,
}

impl Rates {
    /// Counts the deliveries of the last block. Returns the rates [Hz] of the sensors of each robot
    /// at the end of a window.
    pub(crate) fn count(&mut self, simulation: &Simulation) -> Option<Vec<Vec<f64>>> {
        let robots = &simulation.scene.robots;
        let now = simulation.time_ns();
        let same = |counts: &[Vec<u32>]| {
            let lengths = counts.iter().map(Vec::len);
            lengths.eq(robots.iter().map(|robot| robot.sensors.len()))
        };
        if now < self.start_ns || !same(&self.counts) {
            self.start_ns = now;
            self.counts = robots.iter().map(|r| vec![0; r.sensors.len()]).collect();
            return None;
        }
        for (counts, runner) in self.counts.iter_mut().zip(&simulation.runners) {
            for delivered in &runner.outbox {
                counts[delivered.sensor] += 1;
            }
        }
        for frame in &simulation.frames {
            self.counts[frame.robot][frame.sensor] += 1;
        }
        let elapsed = now - self.start_ns;
        if elapsed < WINDOW_NS {
            return None;
        }
        self.start_ns = now;
        let rate = |n: &mut u32| f64::from(std::mem::take(n)) / (elapsed as f64 * 1e-9);
        let of_robot = |counts: &mut Vec<u32>| counts.iter_mut().map(rate).collect();
        Some(self.counts.iter_mut().map(of_robot).collect())
    }
}
