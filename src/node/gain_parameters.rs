//! Parameters of the gains of motion controllers.

use crate::node::live_parameters::double;
use merrow_model::scene::robot::motion_control::GainKind;
use merrow_model::scene::{Robot, Scene};
use merrow_model::state::firmware::FirmwareLawState;
use merrow_model::state::{Command, RobotState};
use merrow_ros2::parameters::Declaration;
use merrow_ros2::parameters::value::ParameterValue as Value;

/// Degrees of freedom of a motion controller, in parameter names.
const AXES: [&str; 6] = ["surge", "sway", "heave", "roll", "pitch", "yaw"];

/// Kinds of gains of a motion controller: parameter, and description with the units of force and of
/// moment.
const GAINS: [(GainKind, &str, &str); 3] = [
    (
        GainKind::Position,
        "position_gain",
        "Force per position error [N/m], or moment per attitude error [N m/rad].",
    ),
    (
        GainKind::Integral,
        "integral_gain",
        "Force per integral of the position error [N/(m s)], or moment per integral of the attitude error [N m/(rad s)].",
    ),
    (
        GainKind::Velocity,
        "velocity_gain",
        "Force per velocity error [N s/m], or moment per angular velocity error [N m s/rad].",
    ),
];

/// Largest gain that a parameter accepts, as a multiple of the gain of the file.
const GAIN_RANGE: f64 = 100.0;

/// Returns the name of a gain of a motion controller.
fn gain_name(robot: &str, axis: usize, gain: &str) -> String {
    format!("{robot}.controller.{}.{gain}", AXES[axis])
}

/// Adds the gains of the motion controller of `robot` in the degrees of freedom that it controls.
pub(crate) fn add_declarations(robot: &Robot, all: &mut Vec<Declaration>) {
    let firmware = robot.firmware.as_ref();
    let Some(settings) = firmware.and_then(|f| f.motion_control()) else {
        return;
    };
    for axis in (0..AXES.len()).filter(|axis| settings.actuated[*axis]) {
        for (kind, gain, text) in GAINS {
            let value = settings.gains.of_kind(kind)[axis];
            let name = gain_name(&robot.name, axis, gain);
            all.push(double(
                &name,
                value,
                [0.0, GAIN_RANGE * value.max(1.0)],
                text,
            ));
        }
    }
}

/// Adds the present gains of the motion controller of a robot.
pub(crate) fn add_values(robot: &Robot, state: &RobotState, all: &mut Vec<(String, Value)>) {
    let memory = state.firmware.as_ref().map(|f| &f.memory);
    let settings = robot.firmware.as_ref().and_then(|f| f.motion_control());
    let (Some(FirmwareLawState::MotionControl(control)), Some(settings)) = (memory, settings)
    else {
        return;
    };
    for axis in (0..AXES.len()).filter(|axis| settings.actuated[*axis]) {
        for (kind, gain, _) in GAINS {
            let value = control.gains.of_kind(kind)[axis];
            all.push((gain_name(&robot.name, axis, gain), Value::Double(value)));
        }
    }
}

/// Returns the command that sets the gain of the parameter `name`, if it is one.
pub(crate) fn command(scene: &Scene, name: &str, value: f64) -> Option<Command> {
    let (robot_name, rest) = name.split_once(".controller.")?;
    let (axis_name, gain_name) = rest.split_once('.')?;
    let robot = scene.robots.iter().position(|r| r.name == robot_name)?;
    let axis = AXES.iter().position(|axis| *axis == axis_name)?;
    let (kind, ..) = GAINS.into_iter().find(|(_, gain, _)| *gain == gain_name)?;
    Some(Command::Gain {
        robot,
        kind,
        axis,
        value,
    })
}
