//! All parameters of a world, with their values.

use super::world_parameter::{Effect, WorldParameter};
use super::{devices, node, sea, weather};
use merrow_model::scene::Scene;
use merrow_model::state::State;
use merrow_ros2::parameters::Declaration;
use merrow_ros2::parameters::value::ParameterValue as Value;
use merrow_sim::Pace;

/// Returns all parameters of a world.
pub(super) fn world_parameters(scene: &Scene, pace: Pace) -> Vec<WorldParameter> {
    let mut all = sea::parameters(scene);
    all.extend(node::parameters(pace));
    all.extend(weather::parameters(&scene.sea));
    for (k, robot) in scene.robots.iter().enumerate() {
        devices::add_parameters(k, robot, &mut all);
    }
    all
}

/// Declares all parameters of a world, for the node and for `describe`.
pub fn declarations(scene: &Scene, pace: Pace) -> Vec<Declaration> {
    let all = world_parameters(scene, pace).into_iter();
    all.map(|parameter| parameter.declaration).collect()
}

/// Returns the values of the parameters in a state, without those of the node.
pub fn values(scene: &Scene, state: &State, pace: Pace) -> Vec<(String, Value)> {
    let mut now = Scene {
        sea: state.sea.clone(),
        ..scene.clone()
    };
    // the parameter states the time of day now
    now.sea.air.start_utc += state.time_ns as f64 / 1e9;
    let of_sea = world_parameters(&now, pace)
        .into_iter()
        .filter(|parameter| matches!(parameter.effect, Effect::Sea | Effect::Weather));
    let mut all: Vec<(String, Value)> = of_sea
        .map(|parameter| (parameter.declaration.name, parameter.declaration.default))
        .collect();
    for (robot, own) in scene.robots.iter().zip(&state.robots) {
        devices::add_values(robot, own, &mut all);
    }
    all
}
