//! Requests of a ground station: gamepad, arming, modes, parameters, missions.

use crate::mavlink::telemetry::mode_number;
use ::mavlink::MavHeader;
use ::mavlink::dialects::common::{
    AUTOPILOT_VERSION_DATA, COMMAND_ACK_DATA, COMMAND_LONG_DATA, MANUAL_CONTROL_DATA,
    MISSION_COUNT_DATA, MavCmd, MavMessage, MavParamType, MavProtocolCapability, MavResult,
    PARAM_VALUE_DATA,
};
use merrow_model::state::commands::FirmwareOrder;
use merrow_model::state::firmware::tasks::ControlMode;
use merrow_model::state::{Command, FirmwareCommand};
use merrow_sim::Simulation;

/// Message that a ground station requests to learn the version of a vehicle.
const AUTOPILOT_VERSION: u32 = 148;
/// Deflection of a stick that is not in use.
const NO_AXIS: i16 = i16::MAX;
/// Name of the only parameter.
const PARAMETER: &[u8] = b"MAV_SYS_ID";

/// Effect of a MAVLink message from a ground station. It is empty for unsupported messages and for
/// messages to another vehicle.
#[derive(Debug, Default)]
pub struct Reaction {
    /// Commands to apply to the robot, in this order. If one is rejected, the acknowledgement
    /// reports `MAV_RESULT_DENIED`.
    pub commands: Vec<Command>,
    /// Messages that answer, apart from the acknowledgement.
    answers: Vec<MavMessage>,
    /// Command that is acknowledged, with its result if its commands are accepted.
    acknowledged: Option<(MavCmd, MavResult)>,
    /// Reason why the message has no effect.
    pub refused: Option<String>,
}

impl Reaction {
    /// Returns the reaction that applies one command to robot `robot`.
    fn of(robot: usize, command: FirmwareCommand) -> Self {
        Self {
            commands: vec![command.of(robot)],
            ..Self::default()
        }
    }

    /// Returns the replies. `is_accepted`: all commands were accepted.
    pub fn replies(&self, is_accepted: bool) -> Vec<MavMessage> {
        let acknowledgement = self.acknowledged.map(|(command, result)| {
            let result = if is_accepted {
                result
            } else {
                MavResult::MAV_RESULT_DENIED
            };
            MavMessage::COMMAND_ACK(COMMAND_ACK_DATA { command, result })
        });
        let answers = self.answers.iter().cloned();
        acknowledgement.into_iter().chain(answers).collect()
    }
}

/// Returns the reaction of robot `robot`, whose number is `own`, to a message of the ground station
/// `sender`.
pub fn react(
    (sender, message): (MavHeader, &MavMessage),
    own: u8,
    robot: usize,
    simulation: &Simulation,
) -> Reaction {
    let is_for_us = |target: u8| target == own || target == 0;
    match message {
        MavMessage::MANUAL_CONTROL(sticks) if sticks.target == own => {
            manual_control(sticks, robot, simulation)
        }
        MavMessage::COMMAND_LONG(command) if is_for_us(command.target_system) => {
            command_long(command, robot, simulation)
        }
        // deprecated, but sent by pymavlink and QGroundControl
        #[allow(deprecated)]
        MavMessage::SET_MODE(request) if is_for_us(request.target_system) => {
            set_mode(request.custom_mode, robot)
        }
        MavMessage::PARAM_REQUEST_LIST(request) if is_for_us(request.target_system) => {
            answer(parameter(own))
        }
        MavMessage::PARAM_REQUEST_READ(request)
            if is_for_us(request.target_system)
                && is_own_parameter(request.param_index, &request.param_id[..]) =>
        {
            answer(parameter(own))
        }
        MavMessage::MISSION_REQUEST_LIST(request) if is_for_us(request.target_system) => {
            answer(MavMessage::MISSION_COUNT(MISSION_COUNT_DATA {
                count: 0,
                target_system: u8::try_from(sender.system_id).unwrap_or(u8::MAX),
                target_component: sender.component_id,
            }))
        }
        _ => Reaction::default(),
    }
}

fn answer(message: MavMessage) -> Reaction {
    Reaction {
        answers: vec![message],
        ..Reaction::default()
    }
}

/// Converts sticks: x forward, y to the right, r to the right, -1000 to 1000; z up, 0 to 1000 with
/// 500 at rest.
fn manual_control(sticks: &MANUAL_CONTROL_DATA, robot: usize, simulation: &Simulation) -> Reaction {
    let firmware = simulation.scene.robots[robot].firmware.as_ref();
    if firmware.is_none_or(|f| f.motion_control().is_none()) {
        return refused("a gamepad needs firmware of kind `motion_control`".to_string());
    }
    let deflection = |axis: i16| match axis {
        NO_AXIS => 0.0,
        axis => (f64::from(axis) / 1000.0).clamp(-1.0, 1.0),
    };
    let heave = match sticks.z {
        NO_AXIS => 0.0,
        z => (f64::from(z) / 500.0 - 1.0).clamp(-1.0, 1.0),
    };
    let (surge, sway, yaw) = (sticks.x, sticks.y, sticks.r);
    let sticks = [
        deflection(surge),
        -deflection(sway),
        heave,
        -deflection(yaw),
    ];
    Reaction::of(robot, FirmwareCommand::Joystick { sticks })
}

fn set_mode(number: u32, robot: usize) -> Reaction {
    match ControlMode::ALL.get(number as usize) {
        Some(mode) => Reaction::of(robot, FirmwareCommand::ControlMode { mode: *mode }),
        None => refused(format!(
            "mode: expected 0 to {}, found {number}",
            mode_number(ControlMode::Dive)
        )),
    }
}

/// Reacts to a command with parameters. Invalid parameters are refused: ArduPilot and PX4 define 1
/// and 0 for arming and disarming, and a mode is an index.
fn command_long(request: &COMMAND_LONG_DATA, robot: usize, simulation: &Simulation) -> Reaction {
    let has_firmware = simulation.scene.robots[robot].firmware.is_some();
    let mut reaction = match request.command {
        MavCmd::MAV_CMD_COMPONENT_ARM_DISARM if has_firmware => arm(request.param1, robot),
        MavCmd::MAV_CMD_DO_SET_MODE if has_firmware => match index(request.param2) {
            Some(mode) => set_mode(mode, robot),
            None => refused(format!(
                "mode: expected an integer, found {}",
                request.param2
            )),
        },
        MavCmd::MAV_CMD_REQUEST_MESSAGE if request.param1 as u32 == AUTOPILOT_VERSION => {
            answer(version())
        }
        _ => {
            return Reaction {
                acknowledged: Some((request.command, MavResult::MAV_RESULT_UNSUPPORTED)),
                ..Reaction::default()
            };
        }
    };
    let result = match reaction.refused {
        None => MavResult::MAV_RESULT_ACCEPTED,
        Some(_) => MavResult::MAV_RESULT_DENIED,
    };
    reaction.acknowledged = Some((request.command, result));
    reaction
}

/// Enables or disables the firmware: `parameter` 1 or 0.
fn arm(parameter: f32, robot: usize) -> Reaction {
    match index(parameter) {
        Some(number @ 0..=1) => {
            let order = FirmwareOrder::Enable(number == 1);
            Reaction::of(robot, FirmwareCommand::FirmwareOrder { order })
        }
        _ => refused(format!("arming: expected 0 or 1, found {parameter}")),
    }
}

/// Returns the index that a parameter contains; `None` for negative numbers, fractions and NaN.
fn index(parameter: f32) -> Option<u32> {
    let is_index = (0.0..65536.0).contains(&parameter) && parameter.fract() == 0.0;
    is_index.then_some(parameter as u32)
}

fn refused(why: String) -> Reaction {
    Reaction {
        refused: Some(why),
        ..Reaction::default()
    }
}

fn version() -> MavMessage {
    MavMessage::AUTOPILOT_VERSION(AUTOPILOT_VERSION_DATA {
        capabilities: MavProtocolCapability::MAV_PROTOCOL_CAPABILITY_MAVLINK2,
        ..AUTOPILOT_VERSION_DATA::default()
    })
}

/// Returns true if a request, by index or with the index -1 by name, is for the only parameter.
fn is_own_parameter(index: i16, name: &[u8]) -> bool {
    let end = name.iter().position(|byte| *byte == 0);
    index == 0 || index < 0 && &name[..end.unwrap_or(name.len())] == PARAMETER
}

/// Returns the only parameter: the number of the vehicle. Ground stations wait for a list of
/// parameters.
fn parameter(own: u8) -> MavMessage {
    let mut name = [0; 16];
    name[..PARAMETER.len()].copy_from_slice(PARAMETER);
    MavMessage::PARAM_VALUE(PARAM_VALUE_DATA {
        param_value: f32::from(own),
        param_count: 1,
        param_index: 0,
        param_id: name.into(),
        param_type: MavParamType::MAV_PARAM_TYPE_REAL32,
    })
}
