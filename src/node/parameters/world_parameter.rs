//! A parameter of a world: its declaration and what it changes.

use merrow_model::scene::robot::motion_control::GainKind;
use merrow_ros2::parameters::Declaration;
use merrow_ros2::parameters::range::Range;
use merrow_ros2::parameters::value::ParameterValue as Value;

/// A parameter of a world.
#[derive(Clone, Debug, PartialEq)]
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
        parameter.declaration.range = Some(Range::doubles(low, high));
        parameter
    }
}

/// What a parameter changes. Robots and their devices are named by indices.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Effect {
    /// Nothing: the value is read at the start.
    AtStart,
    /// The pace.
    Pace,
    /// The rate of `/clock`.
    ClockRate,
    /// Whether `/tf` contains the true pose of the named robot, or of every robot.
    TruthFrame(Option<String>),
    /// Water, current and waves, which follow from all parameters with this effect.
    Sea,
    /// Wind, rain, visibility and time of day.
    Weather,
    /// Errors of a sensor.
    Noise { robot: usize, sensor: usize },
    /// Level of an electrical load.
    Load { robot: usize, load: usize },
    /// Gain of a motion controller.
    Gain {
        robot: usize,
        kind: GainKind,
        axis: usize,
    },
    /// Health of an actuator, which follows from `<prefix>.state` and `<prefix>.efficiency`.
    Health {
        robot: usize,
        actuator: Actuator,
        prefix: String,
    },
}

/// An actuator with parameters of its health, by its index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Actuator {
    Thruster(usize),
    Fin(usize),
}
