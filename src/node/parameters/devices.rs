//! Parameters of a robot: its true frame, noise of sensors, levels of loads, health of thrusters and
//! fins, gains of the motion controller.

use super::node::TRUTH_TF;
use super::world_parameter::{Actuator, Effect, WorldParameter};
use merrow_model::scene::Robot;
use merrow_model::scene::robot::firmware::motion_control::GainKind;
use merrow_model::state::FaultEffect;
use merrow_model::state::firmware::FirmwareLawState;
use merrow_model::state::{DeviceCommand, FirmwareCommand, Health, RobotState};
use merrow_ros2::parameters::ParameterServer;
use merrow_ros2::parameters::value::ParameterValue as Value;
use merrow_sim::Simulation;
use std::sync::Arc;

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

/// Returns the name of the noise parameter of a sensor.
fn noise_name(robot: &str, sensor: &str) -> String {
    format!("{robot}.{sensor}.noise")
}

/// Returns the name of the level parameter of a load.
fn load_level_name(robot: &str, load: &str) -> String {
    format!("{robot}.loads.{load}.level")
}

/// Returns the thrusters and fins of a robot, with the prefix of their parameters.
fn actuators(robot: &Robot) -> impl Iterator<Item = (Actuator, String)> {
    let prefix = |kind: &str, name: &str| format!("{}.{kind}.{name}", robot.name);
    let thrusters = robot.thrusters.iter().enumerate();
    let fins = robot.fins.iter().enumerate();
    let thrusters =
        thrusters.map(move |(k, t)| (Actuator::Thruster(k), prefix("thrusters", &t.name)));
    thrusters.chain(fins.map(move |(k, f)| (Actuator::Fin(k), prefix("fins", &f.name))))
}

/// Adds the parameters of a robot with its index.
pub(super) fn add_parameters(index: usize, robot: &Robot, all: &mut Vec<WorldParameter>) {
    if robot.floating {
        let name = robot.name.clone();
        all.push(WorldParameter::new(
            &format!("{}.{TRUTH_TF}", robot.name),
            Value::Bool(true),
            "Whether /tf contains the true pose of the robot; set false if an estimator publishes its own.",
            Effect::Publisher(Arc::new(move |shared, value| {
                shared.set_truth_tf(&name, *value == Value::Bool(true));
            })),
        ));
    }
    for (k, sensor) in robot.sensors.iter().enumerate() {
        let noise = move |value: &Value| match *value {
            Value::Bool(on) => Some(DeviceCommand::Noise { sensor: k, on }.of(index)),
            _ => None,
        };
        all.push(WorldParameter::new(
            &noise_name(&robot.name, &sensor.name),
            Value::Bool(true),
            "Whether the sensor model adds its measurement errors.",
            Effect::Device(Arc::new(noise)),
        ));
    }
    for (k, load) in robot.loads.iter().enumerate() {
        all.push(WorldParameter::number(
            &load_level_name(&robot.name, &load.name),
            load.level,
            [0.0, 1.0],
            &format!(
                "Level of the load: 0 is off, 1 is its full {} W [1].",
                load.power_w
            ),
            Effect::of_number(move |level| DeviceCommand::Load { load: k, level }.of(index)),
        ));
    }
    add_health(index, robot, all);
    add_gains(index, robot, all);
}

/// Adds the health of every thruster and fin of a robot.
fn add_health(index: usize, robot: &Robot, all: &mut Vec<WorldParameter>) {
    for (actuator, prefix) in actuators(robot) {
        let (about, fraction) = match actuator {
            Actuator::Thruster(_) => (
                "Health of the thruster.",
                Some("Available fraction of the drive of a healthy thruster [1]."),
            ),
            Actuator::Fin(k) => (
                "Health of the fin: stuck holds its angle, dead removes it.",
                (!robot.fins[k].is_azimuth())
                    .then_some("Effective fraction of the area of a healthy fin [1]."),
            ),
        };
        let effect = Effect::Health {
            robot: index,
            actuator,
            prefix: prefix.clone(),
        };
        let mut state = WorldParameter::new(
            &format!("{prefix}.state"),
            Value::String("healthy".into()),
            about,
            effect.clone(),
        );
        state.declaration = state.declaration.with_constraints("healthy, stuck or dead");
        all.push(state);
        if let Some(about) = fraction {
            let name = format!("{prefix}.efficiency");
            all.push(WorldParameter::number(
                &name,
                1.0,
                [0.0, 1.0],
                about,
                effect,
            ));
        }
    }
}

/// Adds the gains of the motion controller of a robot in the degrees of freedom that it controls.
fn add_gains(index: usize, robot: &Robot, all: &mut Vec<WorldParameter>) {
    let firmware = robot.firmware.as_ref();
    let Some(settings) = firmware.and_then(|f| f.motion_control()) else {
        return;
    };
    for axis in (0..AXES.len()).filter(|axis| settings.actuated[*axis]) {
        for (kind, gain, about) in GAINS {
            let value = settings.gains.of_kind(kind)[axis];
            all.push(WorldParameter::number(
                &gain_name(&robot.name, axis, gain),
                value,
                [0.0, GAIN_RANGE * value.max(1.0)],
                about,
                Effect::of_number(move |value| {
                    FirmwareCommand::Gain { kind, axis, value }.of(index)
                }),
            ));
        }
    }
}

/// State of the devices of a robot that parameters show.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct DeviceStates {
    /// Noise switch of each sensor.
    noise: Vec<bool>,
    /// Level of each load.
    loads: Vec<f64>,
    /// Health and effect of the faults of each thruster, then of each fin.
    actuators: Vec<(Health, FaultEffect)>,
}

impl DeviceStates {
    /// Reads the current state.
    pub(crate) fn read(state: &RobotState) -> Self {
        let thrusters = state.actuators.iter().map(|a| (a.health, a.fault));
        let fins = state.fins.iter().map(|f| (f.health, f.fault));
        Self {
            noise: state.sensors.iter().map(|s| s.noise).collect(),
            loads: state.loads.clone(),
            actuators: thrusters.chain(fins).collect(),
        }
    }

    /// Returns true if this is the current state.
    fn is_current(&self, state: &RobotState) -> bool {
        let thrusters = state.actuators.iter().map(|a| (a.health, a.fault));
        let fins = state.fins.iter().map(|f| (f.health, f.fault));
        self.loads == state.loads
            && self
                .noise
                .iter()
                .copied()
                .eq(state.sensors.iter().map(|s| s.noise))
            && self.actuators.iter().copied().eq(thrusters.chain(fins))
    }

    /// Adds the parameters with this state. With `known`, only those that have changed since then:
    /// switches, levels, and the health of actuators whose faults have changed, because their own
    /// health is set by the parameters.
    fn add_values(&self, known: Option<&Self>, robot: &Robot, all: &mut Vec<(String, Value)>) {
        for (k, (sensor, noise)) in robot.sensors.iter().zip(&self.noise).enumerate() {
            if known.is_none_or(|known| known.noise.get(k) != Some(noise)) {
                let name = noise_name(&robot.name, &sensor.name);
                all.push((name, Value::Bool(*noise)));
            }
        }
        for (k, (load, level)) in robot.loads.iter().zip(&self.loads).enumerate() {
            if known.is_none_or(|known| known.loads.get(k) != Some(level)) {
                let name = load_level_name(&robot.name, &load.name);
                all.push((name, Value::Double(*level)));
            }
        }
        let actuators = actuators(robot).zip(&self.actuators);
        for (k, ((_, prefix), (health, fault))) in actuators.enumerate() {
            let before = known.and_then(|known| known.actuators.get(k));
            if before.is_some_and(|(_, before)| before == fault) {
                continue;
            }
            let (word, efficiency) = match combined_health(*health, fault) {
                Health::Healthy => ("healthy", 1.0),
                Health::Reduced(fraction) => ("healthy", fraction),
                Health::Stuck => ("stuck", 1.0),
                Health::Dead => ("dead", 1.0),
            };
            all.push((format!("{prefix}.state"), Value::String(word.into())));
            all.push((format!("{prefix}.efficiency"), Value::Double(efficiency)));
        }
    }
}

/// Returns the health of an actuator with the effect of its faults.
fn combined_health(health: Health, fault: &FaultEffect) -> Health {
    let fraction = match health {
        Health::Reduced(fraction) => fraction * fault.fraction,
        _ => fault.fraction,
    };
    match health {
        Health::Dead => Health::Dead,
        _ if fault.dead => Health::Dead,
        Health::Stuck => Health::Stuck,
        _ if fault.stuck => Health::Stuck,
        _ if fraction < 1.0 => Health::Reduced(fraction),
        _ => Health::Healthy,
    }
}

/// Updates the parameters of the devices whose state has changed since `known`.
pub(crate) fn update_changed(
    server: &ParameterServer,
    simulation: &Simulation,
    known: &mut Vec<DeviceStates>,
) {
    let robots = simulation.scene.robots.iter().zip(&simulation.state.robots);
    known.truncate(simulation.state.robots.len());
    let mut changed = Vec::new();
    for (k, (robot, state)) in robots.enumerate() {
        match known.get_mut(k) {
            Some(last) if last.is_current(state) => {}
            Some(last) => {
                let states = DeviceStates::read(state);
                states.add_values(Some(last), robot, &mut changed);
                *last = states;
            }
            None => known.push(DeviceStates::read(state)),
        }
    }
    if !changed.is_empty() {
        server.update_values(&changed);
    }
}

/// Adds the current values of the parameters of a robot.
pub(crate) fn add_values(robot: &Robot, state: &RobotState, all: &mut Vec<(String, Value)>) {
    DeviceStates::read(state).add_values(None, robot, all);
    add_gain_values(robot, state, all);
}

/// Adds the current gains of the motion controller of a robot.
fn add_gain_values(robot: &Robot, state: &RobotState, all: &mut Vec<(String, Value)>) {
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
