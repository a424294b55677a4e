//! State of the shown simulation from recorded messages.

use crate::replay::poses::Sample;
use crate::replay::world::ACTUATORS;
use crate::topics::{Plan, Restore};
use merrow_math::{Quat, SpatialVelocity};
use merrow_messages::actuators;
use merrow_messages::convert::{from_point, from_vector3};
use merrow_messages::msg::Contact;
use merrow_model::scene::{Robot, Scene};
use merrow_model::state::contact;
use merrow_model::state::contact::ContactBody;
use merrow_model::state::firmware::{ControlMode, FirmwareLawState};
use merrow_model::state::tether::LineBreak;
use merrow_model::state::{RobotState, State};
use merrow_ros2::bag::index::{BagIndex, MessagePlace};
use merrow_ros2::cdr::from_bytes;
use merrow_sim::Simulation;
use std::sync::Arc;

/// Recorded topic with a part of the state.
pub(crate) struct Recorded {
    topic: usize,
    restore: Restore,
    /// Message that is shown.
    shown: Option<MessagePlace>,
}

/// Returns the topics of a bag that contain parts of the state.
pub(crate) fn recorded(plan: &Plan, index: &BagIndex) -> Vec<Recorded> {
    let outputs = plan.outputs.iter();
    let outputs = outputs.filter_map(|o| Some((o.topic.as_str(), o.restore.clone()?)));
    let actuators: Restore = Arc::new(|simulation, bytes| {
        if let Ok(message) = from_bytes(bytes) {
            actuators::apply(&message, &simulation.scene, &mut simulation.state.robots);
        }
    });
    let all = outputs.chain([(ACTUATORS, actuators)]);
    let recorded = |(name, restore): (&str, Restore)| {
        Some(Recorded {
            topic: index.topic(name)?,
            restore,
            shown: None,
        })
    };
    all.filter_map(recorded).collect()
}

/// Sets whether the line of a tether is intact.
pub(crate) fn set_line(state: &mut State, tether: usize, is_intact: bool) {
    let broken = LineBreak {
        segment: 0,
        time_ns: state.time_ns,
    };
    state.tethers[tether].line_break = (!is_intact).then_some(broken);
}

/// Sets the mode of a motion controller. Its other state is the initial state.
pub(crate) fn set_mode(robot: &Robot, state: &mut RobotState, mode: ControlMode) {
    if state.firmware.is_none() {
        state.firmware = RobotState::new(robot).firmware;
    }
    if let Some(firmware) = &mut state.firmware
        && let FirmwareLawState::MotionControl(control) = &mut firmware.memory
    {
        control.mode = mode;
    }
}

impl Recorded {
    /// Sets the state of a log time [ns].
    pub(crate) fn show(
        &mut self,
        simulation: &mut Simulation,
        index: &mut BagIndex,
        log_ns: u64,
    ) -> Result<(), String> {
        let latest = index.latest(self.topic, log_ns)?;
        if let Some(place) = latest.filter(|_| latest != self.shown) {
            (self.restore)(simulation, &index.read(&place)?);
            self.shown = latest;
        }
        Ok(())
    }
}

/// Returns a contact of the bodies with these names; `None` for an unknown body.
pub(crate) fn read_contact(scene: &Scene, contact: &Contact) -> Option<contact::Contact> {
    let body = |robot: &str, link: &str, collider: &str| {
        if collider == "seabed" && robot.is_empty() {
            return Some(ContactBody::Seabed);
        }
        if robot.is_empty() {
            let (name, _) = collider.split_once('/')?;
            let structure = scene.structures.iter().position(|s| s.name == name)?;
            return Some(ContactBody::Structure {
                structure: structure as u32,
                collider: 0,
            });
        }
        let k = scene.robots.iter().position(|own| own.name == robot)?;
        let link = scene.robots[k].links.iter().position(|l| l.name == link)?;
        Some(ContactBody::Link {
            robot: k as u32,
            link: link as u32,
            collider: 0,
        })
    };
    Some(contact::Contact {
        a: body(&contact.robot_a, &contact.link_a, &contact.collider_a)?,
        b: body(&contact.robot_b, &contact.link_b, &contact.collider_b)?,
        p_W: from_point(&contact.position),
        n_W: from_vector3(&contact.normal),
        gap: contact.separation,
        impulse_W: from_vector3(&contact.impulse),
    })
}

/// Removes the parts of the state that are not recorded, so that no view shows the initial state.
pub(crate) fn forget(simulation: &mut Simulation) {
    for robot in &mut simulation.state.robots {
        robot.firmware = None;
        robot.battery.charge = f64::NAN;
        robot.battery.voltage = f64::NAN;
        robot.battery.current = f64::NAN;
        for actuator in &mut robot.actuators {
            actuator.command = f64::NAN;
            actuator.thrust = f64::NAN;
            actuator.shaft[0] = f64::NAN;
            actuator.power = f64::NAN;
            actuator.heat = f64::NAN;
        }
    }
}

/// Places the robots without a recorded pose: fixed robots at their start, other robots out of
/// sight.
pub(crate) fn place_unrecorded(simulation: &mut Simulation) {
    let robots = simulation.scene.robots.iter();
    for (robot, state) in robots.zip(&mut simulation.state.robots) {
        let motion = &mut state.motion;
        motion.V_WB_B = SpatialVelocity::zero();
        if robot.floating {
            motion.p_WB = super::hidden();
            continue;
        }
        let [roll, pitch, yaw] = robot.start.rpy;
        motion.p_WB = robot.start.p_WB;
        motion.q_WB = Quat::from_rpy(roll, pitch, yaw);
    }
}

/// Sets the simulated time [ns] and the number of steps that corresponds to it.
pub(crate) fn set_time(simulation: &mut Simulation, time_ns: u64) {
    simulation.state.time_ns = time_ns;
    simulation.state.step = time_ns / simulation.scene.dt_ns;
}

/// Sets the recorded poses, joints and fin angles; unrecorded quantities keep their values.
pub(crate) fn set_poses(simulation: &mut Simulation, sample: &Sample) {
    for (pose, state) in sample.robots.iter().zip(&mut simulation.state.robots) {
        let motion = &mut state.motion;
        if let Some((p_WB, q_WB)) = pose.base {
            (motion.p_WB, motion.q_WB) = (p_WB, q_WB);
        }
        if let Some(velocity) = pose.velocity {
            motion.V_WB_B = velocity;
        }
        for (q, recorded) in motion.q.iter_mut().zip(&pose.joints) {
            *q = recorded.unwrap_or(*q);
        }
        for (fin, recorded) in state.fins.iter_mut().zip(&pose.fins) {
            fin.angle = recorded.unwrap_or(fin.angle);
        }
    }
}
