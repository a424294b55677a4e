//! A parameter of a world: its declaration and what it changes.

use crate::publisher::state::PublisherState;
use merrow_model::state::Command;
use merrow_ros2::parameters::Declaration;
use merrow_ros2::parameters::range::Range;
use merrow_ros2::parameters::value::ParameterValue as Value;
use std::sync::Arc;

/// A parameter of a world.
#[derive(Clone)]
pub(crate) struct WorldParameter {
    /// Name, type, range and description.
    pub declaration: Declaration,
    /// What a new value changes.
    pub effect: Effect,
}

impl WorldParameter {
    /// Declares a parameter without range.
    pub(super) fn new(name: &str, value: Value, text: &str, effect: Effect) -> Self {
        Self {
            declaration: Declaration::new(name, value, text),
            effect,
        }
    }

    /// Declares a number with a range; `text` describes it with its unit.
    pub(super) fn number(
        name: &str,
        value: f64,
        [low, high]: [f64; 2],
        text: &str,
        effect: Effect,
    ) -> Self {
        let mut parameter = Self::new(name, Value::Double(value), text, effect);
        parameter.declaration.range = Some(Range::Double(low, high));
        parameter
    }
}

/// Sets the state of the publisher thread to a value.
type SetPublisher = dyn Fn(&PublisherState, &Value) + Send + Sync;

/// Returns the command for a value; `None` for a value of another type.
type DeviceValue = dyn Fn(&Value) -> Option<Command> + Send + Sync;

/// What a parameter changes.
#[derive(Clone)]
pub(crate) enum Effect {
    /// Nothing: the value is read at the start.
    AtStart,
    /// The pace.
    Pace,
    /// The publisher thread.
    Publisher(Arc<SetPublisher>),
    /// Water, current and waves, which follow from all parameters with this effect.
    Sea,
    /// Wind, rain, visibility and time of day.
    Weather,
    /// A device, by a command.
    Device(Arc<DeviceValue>),
    /// Health of an actuator, which follows from `<prefix>.state` and `<prefix>.efficiency`.
    Health {
        robot: usize,
        actuator: Actuator,
        prefix: String,
    },
}

impl Effect {
    /// Returns the effect of a number on a device.
    pub(super) fn of_number(command: impl Fn(f64) -> Command + Send + Sync + 'static) -> Self {
        Self::Device(Arc::new(move |value| match value {
            Value::Double(x) => Some(command(*x)),
            _ => None,
        }))
    }
}

/// An actuator with parameters of its health, by its index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Actuator {
    Thruster(usize),
    Fin(usize),
}
