//! Commands, thrusts and shaft speeds of all thrusters as one message, which recordings contain.

use merrow_model::scene::Scene;
use merrow_model::state::RobotState;
use merrow_ros2::msg::std_msgs::{Float64MultiArray, MultiArrayDimension, MultiArrayLayout};

/// Number of values of each thruster.
pub const VALUES: usize = 3;

/// Returns the message of the `values` of all thrusters of `scene`: command, thrust [N] and shaft
/// speed of each. Its layout names the robots.
pub fn encode(scene: &Scene, values: &[f64]) -> Float64MultiArray {
    let robots = scene.robots.iter();
    let robots = robots.filter(|robot| !robot.thrusters.is_empty());
    let dim = robots.map(|robot| MultiArrayDimension {
        label: robot.name.clone(),
        size: (VALUES * robot.thrusters.len()) as u32,
        stride: VALUES as u32,
    });
    Float64MultiArray {
        layout: MultiArrayLayout {
            dim: dim.collect(),
            data_offset: 0,
        },
        data: values.to_vec(),
    }
}

/// Sets the thrusters of the robots that the message names. Without names it has the thrusters of
/// all robots of `scene`, in their order.
pub fn apply(message: &Float64MultiArray, scene: &Scene, states: &mut [RobotState]) {
    let (values, _) = message.data.as_chunks::<VALUES>();
    let set_thrusters = |state: &mut RobotState, own: &[[f64; VALUES]]| {
        for (actuator, [command, thrust, shaft]) in state.actuators.iter_mut().zip(own) {
            actuator.command = *command;
            actuator.thrust = *thrust;
            actuator.shaft[0] = *shaft;
        }
    };
    let mut left = values;
    let mut take = |count: usize| {
        let (own, others) = left.split_at(count.min(left.len()));
        left = others;
        own
    };
    if message.layout.dim.is_empty() {
        for state in states {
            let count = state.actuators.len();
            set_thrusters(state, take(count));
        }
        return;
    }
    for named in &message.layout.dim {
        let own = take(named.size as usize / VALUES);
        let found = scene.robots.iter().position(|r| r.name == named.label);
        if let Some(state) = found.and_then(|k| states.get_mut(k)) {
            set_thrusters(state, own);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use merrow_model::state::State;
    use merrow_world::{Overrides, load_text};

    // Values go to the robot that the message names. Method: a message of three robots, read in a
    // world without the first robot; and a message without names.
    #[test]
    fn values_belong_to_the_named_robots() {
        let scene = |names: &[&str]| {
            let robots = names.iter().enumerate();
            let robots = robots.map(|(k, name)| {
                let model = if *name == "b" { "otter" } else { "bluerov2" };
                format!("{name}: {{model: {model}, position_m: [{}, 0, 0]}}", 9 * k)
            });
            let text = format!("robots: {{{}}}", robots.collect::<Vec<_>>().join(", "));
            let world = load_text("w.yaml", &text, Overrides::default()).unwrap();
            world.scene
        };
        let recorded = scene(&["a", "b", "c"]);
        let count: usize = recorded.robots.iter().map(|r| r.thrusters.len()).sum();
        let values: Vec<f64> = (0..VALUES * count).map(|k| k as f64).collect();
        let mut sent = encode(&recorded, &values);
        let shown = scene(&["b", "c"]);
        let mut state = State::new(&shown);
        apply(&sent, &shown, &mut state.robots);
        let first = recorded.robots[0].thrusters.len();
        let thrusts = state.robots.iter().flat_map(|robot| &robot.actuators);
        for (k, actuator) in thrusts.enumerate() {
            assert_eq!(actuator.thrust, (VALUES * (first + k) + 1) as f64);
        }
        sent.layout.dim.clear();
        apply(&sent, &shown, &mut state.robots);
        assert_eq!(state.robots[0].actuators[0].command, 0.0);
        sent.data.clear();
        apply(&sent, &shown, &mut state.robots);
    }
}
