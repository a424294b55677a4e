//! Parameters of the node itself.

use super::world_parameter::{Effect, WorldParameter};
use crate::publisher::state::DEFAULT_CLOCK_RATE;
use merrow_ros2::parameters::range::Range;
use merrow_ros2::parameters::value::ParameterValue as Value;
use merrow_ros2::parameters::{Declaration, ParameterServer};
use merrow_sim::Pace;
use std::sync::Arc;
use std::sync::atomic::Ordering;

/// Name of the parameter of the pace.
pub(crate) const PACE: &str = "pace";
/// Name of the parameter that shows the true poses on `/tf`; of one robot, below its name.
pub(super) const TRUTH_TF: &str = "publish_truth_tf";
const INTERFACES_VERSION: &str = "simulation_interfaces_version";
const INTERFACES_PREFIX: &str = "simulation_interfaces_prefix";

/// Returns the parameters of the node itself.
pub(super) fn parameters(pace: Pace) -> Vec<WorldParameter> {
    let pace = Value::String(pace.to_string());
    let pace = Declaration::new(PACE, pace, "Pace of the simulation.")
        .with_constraints("realtime, max, lockstep or a factor above 0")
        .with_number_as_text();
    let version = Declaration::new(
        INTERFACES_VERSION,
        Value::Integer(2),
        "Version of the services of simulation_interfaces: 1 for the packages of Humble and Jazzy, 2. Read at the start.",
    );
    let prefix = Declaration::new(
        INTERFACES_PREFIX,
        Value::String(String::new()),
        "Text before the names of the services of simulation_interfaces, such as gzserver; \
         empty: the names are absolute. Read at the start.",
    );
    let version = version.with_range(Range::Integer(1, 2)).read_only();
    let of = |declaration, effect| WorldParameter {
        declaration,
        effect,
    };
    vec![
        of(pace, Effect::Pace),
        WorldParameter::new(
            TRUTH_TF,
            Value::Bool(true),
            "Whether /tf contains the true pose of every robot in the world; set false if an estimator publishes its own.",
            Effect::Publisher(Arc::new(|shared, value| {
                let is_on = *value == Value::Bool(true);
                shared.truth_tf.store(is_on, Ordering::Relaxed);
            })),
        ),
        WorldParameter::number(
            "clock_rate_hz",
            DEFAULT_CLOCK_RATE,
            [1.0, 1000.0],
            "Maximum rate of /clock in wall time [Hz], while the pace follows wall time. With other \
             paces and during a pause /clock follows every block of steps.",
            Effect::Publisher(Arc::new(|shared, value| {
                if let Value::Double(rate) = value {
                    shared.set_clock_rate(*rate);
                }
            })),
        ),
        of(version, Effect::AtStart),
        of(prefix.read_only(), Effect::AtStart),
    ]
}

/// Returns whether the services of `simulation_interfaces` have the types of version 1.
pub(crate) fn has_interfaces_version1(server: &ParameterServer) -> bool {
    server.get(INTERFACES_VERSION) == Some(Value::Integer(1))
}

/// Returns the text before the names of the services of `simulation_interfaces`.
pub(crate) fn simulation_interfaces_prefix(server: &ParameterServer) -> String {
    match server.get(INTERFACES_PREFIX) {
        Some(Value::String(prefix)) => prefix,
        _ => String::new(),
    }
}
