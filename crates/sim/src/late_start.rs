//! Robots that start during a run.

use crate::computers::kernel;
use crate::control::joints::encoder;
use merrow_model::scene::Robot;
use merrow_model::state::RobotState;

/// Continues the sequences of instants and random numbers of a robot at its start as if the robot
/// had existed since the time 0. `now_ns` is the current time [ns].
pub(crate) fn start_at(robot: &Robot, state: &mut RobotState, now_ns: u64) {
    for (sensor, state) in robot.sensors.iter().zip(&mut state.sensors) {
        let last = sensor.sample_index(now_ns);
        let is_due = sensor.sample_ns(last) >= now_ns;
        state.samples = if is_due { last } else { last + 1 };
        state.due_ns = sensor.sample_ns(state.samples);
    }
    for (link, joint) in robot.links[1..].iter().zip(&mut state.joints) {
        if let Some(servo) = link.joint.servo() {
            joint.ticks = encoder::ticks_before(servo.rate_hz, now_ns);
        }
    }
    let computers = robot.onboard.iter().flat_map(|onboard| &onboard.computers);
    for (computer, state) in computers.zip(&mut state.computers) {
        kernel::start_at(computer, state, now_ns);
    }
    if let (Some(firmware), Some(state)) = (&robot.firmware, &mut state.firmware) {
        state.ticks = encoder::ticks_before(firmware.rate_hz, now_ns);
    }
}
