//! Inputs of tasks.

use merrow_model::scene::Scene;
use merrow_model::scene::computer::TaskIndex;
use merrow_model::state::RobotState;
use merrow_model::state::computer::{Input, InputData};
use merrow_model::state::frames::Frame;

/// Appends an input of a task that arrives at `arrival_ns` [ns].
pub(crate) fn push_input(
    state: &mut RobotState,
    task: TaskIndex,
    arrival_ns: u64,
    data: InputData,
) {
    let computer = state.computers.get_mut(task.computer);
    if let Some(task) = computer.and_then(|computer| computer.tasks.get_mut(task.task)) {
        task.inputs.push_back(Input { arrival_ns, data });
    }
}

/// Moves the frames from number `first` on whose sensors pass through tasks to these tasks.
pub(crate) fn hold_frames(
    scene: &Scene,
    robots: &mut [RobotState],
    frames: &mut Vec<Frame>,
    first: usize,
    now_ns: u64,
) {
    let mut k = first;
    while k < frames.len() {
        let (robot, sensor) = (frames[k].robot, frames[k].sensor);
        let onboard = scene.robots[robot].onboard.as_ref();
        match onboard.and_then(|onboard| onboard.sensors[sensor]) {
            Some(task) => {
                let frame = frames.remove(k);
                push_input(&mut robots[robot], task, now_ns, InputData::Frame(frame));
            }
            None => k += 1,
        }
    }
}
