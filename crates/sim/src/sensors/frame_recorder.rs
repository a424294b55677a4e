//! Records the frames of one exteroceptive sensor over some time while all other sensors are off,
//! for images that are assembled from many frames.

use crate::Simulation;
use crate::sensors::current_frame;
use merrow_model::state::frames::Frame;
use merrow_sensors::sample::Pose;
use std::collections::VecDeque;
use std::sync::Arc;

/// Makes `steps` steps. Calls `take` with each frame that a sensor samples from `from_ns` [ns] on
/// and with the pose of the sensor at the sample, at the time of delivery. Frames that are not
/// delivered before the end are lost.
///
/// # Errors
/// Returns a message if a sensor thread fails.
pub fn record(
    simulation: &mut Simulation,
    (robot, sensor): (usize, usize),
    steps: u64,
    from_ns: u64,
    mut take: impl FnMut(&Frame, &Pose),
) -> Result<(), String> {
    let scene = Arc::clone(&simulation.scene);
    let quiet = from_ns
        .saturating_sub(simulation.time_ns())
        .div_ceil(scene.dt_ns)
        .min(steps);
    // until then the samples are counted but not computed
    simulation
        .sensor_scheduler
        .iter()
        .for_each(|scheduler| scheduler.request_only(None));
    simulation.advance(quiet.saturating_sub(1));
    simulation
        .sensor_scheduler
        .iter()
        .for_each(|scheduler| scheduler.request_only(Some((robot, sensor))));
    let mut left = steps - quiet.saturating_sub(1);
    let mut poses = VecDeque::new();
    loop {
        let now = simulation.time_ns();
        let pose = current_frame::pose_of(simulation, robot, sensor);
        poses.push_back((now, pose));
        let scheduler = simulation.sensor_scheduler.as_ref();
        let next_ns = scheduler.and_then(|s| s.next_sample_ns(&simulation.state));
        let until_ns = next_ns.unwrap_or(u64::MAX).saturating_sub(now);
        let block_steps = left.min(until_ns.div_ceil(scene.dt_ns).max(1));
        simulation.advance(block_steps);
        left -= block_steps;
        simulation.clear_readings();
        for frame in std::mem::take(&mut simulation.frames) {
            while poses.front().is_some_and(|(at, _)| *at < frame.stamp_ns) {
                poses.pop_front();
            }
            if let Some((_, pose)) = poses
                .front()
                .filter(|(at, _)| *at == frame.stamp_ns && *at >= from_ns)
            {
                take(&frame, pose);
            }
        }
        if let Some(why) = simulation
            .sensor_scheduler
            .as_ref()
            .and_then(|scheduler| scheduler.failed())
        {
            return Err(why.to_string());
        }
        if left == 0 {
            return Ok(());
        }
    }
}
