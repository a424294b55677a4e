//! Actuators that a page commands with sliders: thrusters, fins, buoyancy engines and joints.

use merrow_model::scene::Robot;
use merrow_model::scene::robot::joint::{Joint, JointKind, JointMode};
use merrow_ros2::msg::sensor_msgs::JointState;
use serde_json::{Value, json};
use std::f64::consts::PI;

/// Limit of a joint without limits: half a turn, or a speed or effort of 1.
const UNLIMITED: [f64; 3] = [PI, 1.0, 1.0];

/// Actuator that a page commands.
#[derive(Clone, Debug, PartialEq)]
pub struct ActuatorControl {
    /// Name of the actuator.
    pub name: String,
    /// Unit of a command.
    pub unit: String,
    /// Minimum and maximum command, in `unit`.
    pub range: [f64; 2],
    /// Command at which the actuator is at rest, in `unit`.
    pub rest: f64,
    /// True if a key or a stick that is released commands `rest`, as for a speed; false if the
    /// actuator keeps its position.
    pub returns: bool,
    /// Mode of a joint, whose commands have its name; `None` for other actuators.
    joint: Option<JointMode>,
}

impl ActuatorControl {
    /// Returns the control of a thruster.
    pub fn thruster(robot: &Robot, thruster: usize) -> Self {
        let own = &robot.thrusters[thruster];
        Self {
            name: format!("thruster {}", own.name),
            unit: own.motor.command.symbol().to_owned(),
            range: own.motor.range,
            rest: own.motor.neutral,
            returns: true,
            joint: None,
        }
    }

    /// Returns the control of a fin, a sail or an azimuth servo.
    pub fn fin(robot: &Robot, fin: usize) -> Self {
        let own = &robot.fins[fin];
        let kind = if own.sail { "sail" } else { "fin" };
        Self {
            name: format!("{kind} {}", own.name),
            unit: "rad".to_owned(),
            range: own.range,
            rest: 0.0_f64.clamp(own.range[0], own.range[1]),
            returns: !own.sail,
            joint: None,
        }
    }

    /// Returns the control of a buoyancy engine.
    pub fn buoyancy_engine(robot: &Robot, engine: usize) -> Self {
        let own = &robot.buoyancy_engines[engine];
        Self {
            name: format!("buoyancy engine {}", own.name),
            unit: "m³".to_owned(),
            range: own.range_m3,
            rest: own.start_m3,
            returns: false,
            joint: None,
        }
    }

    /// Returns the controls of the joints of a robot that have a drive.
    pub fn joints(robot: &Robot) -> Vec<Self> {
        let driven = |joint: &&Joint| joint.kind != JointKind::Fixed && joint.mimic.is_none();
        let joints = robot.links[1..].iter().map(|link| &link.joint);
        let control = |joint: &Joint| {
            let is_slide = joint.kind == JointKind::Prismatic;
            let mode = joint.start_mode();
            let (range, units, unlimited) = match mode {
                JointMode::Position => (joint.limits, ["rad", "m"], UNLIMITED[0]),
                JointMode::Velocity => {
                    let max = joint.max_speed();
                    ([-max, max], ["rad/s", "m/s"], UNLIMITED[1])
                }
                JointMode::Effort => {
                    let max = joint.max_effort;
                    ([-max, max], ["N m", "N"], UNLIMITED[2])
                }
            };
            let range = [range[0].max(-1e6), range[1].min(1e6)];
            let range = if range[1] - range[0] < 1e6 {
                range
            } else {
                [-unlimited, unlimited]
            };
            Self {
                name: joint.name.clone(),
                unit: units[usize::from(is_slide)].to_owned(),
                range,
                rest: 0.0_f64.clamp(range[0], range[1]),
                returns: mode != JointMode::Position,
                joint: Some(mode),
            }
        };
        joints.filter(driven).map(control).collect()
    }

    /// Checks that a command is in the range, in the unit of the actuator [`Self::unit`].
    ///
    /// # Errors
    /// One line: the range and the value.
    pub fn check(&self, value: f64) -> Result<(), String> {
        let [low, high] = self.range;
        if (low..=high).contains(&value) {
            return Ok(());
        }
        let (name, unit) = (&self.name, &self.unit);
        Err(format!(
            "{name}: expected {low} to {high} {unit}, found {value} {unit}"
        ))
    }

    /// Returns the message that commands a joint, in its unit [`Self::unit`]; `None` for another
    /// actuator, whose message is a number.
    pub fn joint_state(&self, value: f64) -> Option<JointState> {
        let mut message = JointState {
            name: vec![self.name.clone()],
            ..JointState::default()
        };
        match self.joint? {
            JointMode::Position => message.position = vec![value],
            JointMode::Velocity => message.velocity = vec![value],
            JointMode::Effort => message.effort = vec![value],
        }
        Some(message)
    }

    /// Describes the control for the page.
    pub(crate) fn to_json(&self) -> Value {
        json!({
            "name": self.name, "unit": self.unit, "range": self.range, "rest": self.rest,
            "returns": self.returns, "joint": self.joint.is_some(),
        })
    }
}
