//! State of the shown simulation from recorded messages.

use crate::replay::network::set_links;
use crate::replay::poses::Sample;
use crate::replay::world::ACTUATORS;
use crate::topics::{Plan, Source};
use merrow_math::{Quat, SpatialVelocity, Vec3};
use merrow_messages::actuators;
use merrow_messages::convert::from_vector3;
use merrow_messages::msg::{Contact, Contacts, ControllerStatus, LinkTable};
use merrow_model::scene::{Robot, Scene};
use merrow_model::state::RobotState;
use merrow_model::state::contact;
use merrow_model::state::contact::ContactBody;
use merrow_model::state::firmware::{ControlMode, FirmwareLawState};
use merrow_model::state::tether::LineBreak;
use merrow_ros2::bag::index::{BagIndex, MessagePlace};
use merrow_ros2::cdr::from_bytes;
use merrow_ros2::msg::nav_msgs::Path;
use merrow_ros2::msg::sensor_msgs::BatteryState;
use merrow_ros2::msg::std_msgs::{Bool, Float64, Float64MultiArray};
use merrow_sim::Simulation;

/// Part of the state that a topic contains.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Content {
    Battery(usize),
    Coupling(usize),
    TetherPath(usize),
    TetherLength(usize),
    TetherIntact(usize),
    Contacts,
    Actuators,
    ControllerStatus(usize),
    Links,
}

/// Recorded topic with a part of the state.
#[derive(Debug)]
pub(crate) struct Recorded {
    topic: usize,
    content: Content,
    /// Message that is shown.
    shown: Option<MessagePlace>,
}

impl Content {
    /// Returns the topics of a bag that contain parts of the state.
    pub(crate) fn recorded(plan: &Plan, index: &BagIndex) -> Vec<Recorded> {
        let content = |source: Source| match source {
            Source::Battery { robot } => Some(Self::Battery(robot)),
            Source::Coupling { coupling } => Some(Self::Coupling(coupling)),
            Source::TetherPath { tether } => Some(Self::TetherPath(tether)),
            Source::TetherLength { tether } => Some(Self::TetherLength(tether)),
            Source::TetherIntact { tether } => Some(Self::TetherIntact(tether)),
            Source::Contacts => Some(Self::Contacts),
            Source::ControllerStatus { robot } => Some(Self::ControllerStatus(robot)),
            Source::Links => Some(Self::Links),
            _ => None,
        };
        let outputs = plan.outputs.iter();
        let outputs = outputs.filter_map(|o| Some((o.topic.as_str(), content(o.source)?)));
        let all = outputs.chain([(ACTUATORS, Self::Actuators)]);
        let recorded = |(name, content): (&str, Self)| {
            Some(Recorded {
                topic: index.topic(name)?,
                content,
                shown: None,
            })
        };
        all.filter_map(recorded).collect()
    }

    /// Sets the state from a message. A malformed message has no effect.
    fn set(self, simulation: &mut Simulation, bytes: &[u8]) -> Option<()> {
        let scene = &simulation.scene;
        let state = &mut simulation.state;
        match self {
            Self::Battery(robot) => {
                let message = from_bytes::<BatteryState>(bytes).ok()?;
                let battery = &mut state.robots[robot].battery;
                battery.charge = f64::from(message.percentage);
                battery.voltage = f64::from(message.voltage);
                battery.current = -f64::from(message.current);
            }
            Self::Coupling(coupling) => {
                let engaged = from_bytes::<Bool>(bytes).ok()?.data;
                state.couplings[coupling].engaged = engaged;
            }
            Self::TetherPath(tether) => {
                let message = from_bytes::<Path>(bytes).ok()?;
                let nodes = message.poses.iter().map(|stamped| {
                    let p = &stamped.pose.position;
                    Vec3::new(p.x, p.y, p.z)
                });
                let tether = &mut state.tethers[tether];
                if nodes.len() == tether.p.len() {
                    tether.p = nodes.collect();
                }
            }
            Self::TetherLength(tether) => {
                state.tethers[tether].length = from_bytes::<Float64>(bytes).ok()?.data;
            }
            Self::TetherIntact(tether) => {
                let is_intact = from_bytes::<Bool>(bytes).ok()?.data;
                let broken = LineBreak {
                    segment: 0,
                    time_ns: state.time_ns,
                };
                state.tethers[tether].line_break = (!is_intact).then_some(broken);
            }
            Self::Contacts => {
                let message = from_bytes::<Contacts>(bytes).ok()?;
                let contacts = message.contacts.iter();
                let touching = contacts.filter_map(|contact| read_contact(scene, contact));
                state.contacts.touching = touching.collect();
            }
            Self::ControllerStatus(robot) => {
                let message = from_bytes::<ControllerStatus>(bytes).ok()?;
                let mode = ControlMode::from_keyword(&message.mode)?;
                set_mode(&scene.robots[robot], &mut state.robots[robot], mode);
            }
            Self::Links => set_links(simulation, &from_bytes::<LinkTable>(bytes).ok()?),
            Self::Actuators => {
                let message = from_bytes::<Float64MultiArray>(bytes).ok()?;
                actuators::apply(&message, scene, &mut state.robots);
            }
        }
        Some(())
    }
}

/// Sets the mode of a motion controller. Its other state is the initial state.
fn set_mode(robot: &Robot, state: &mut RobotState, mode: ControlMode) {
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
            self.content.set(simulation, &index.read(&place)?);
            self.shown = latest;
        }
        Ok(())
    }
}

/// Returns a contact of the bodies with these names; `None` for an unknown body.
fn read_contact(scene: &Scene, contact: &Contact) -> Option<contact::Contact> {
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
    let p = &contact.position;
    Some(contact::Contact {
        a: body(&contact.robot_a, &contact.link_a, &contact.collider_a)?,
        b: body(&contact.robot_b, &contact.link_b, &contact.collider_b)?,
        p_W: Vec3::new(p.x, p.y, p.z),
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
