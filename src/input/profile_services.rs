//! Services of other simulators, for the robots with their profile.
//!
//! UUV Simulator and Plankton (47dab94c, `ThrusterROSPlugin.cpp`,
//! `UnderwaterCurrentROSPlugin.cpp`): state and efficiency of each thruster, velocity of the
//! current. Stonefish (6646e7a, `ROS2SimulationManager.cpp`): the current on and off, and the pose
//! of a robot. They set the parameters of the node, so that both show the same state.

use crate::input::command_services::CommandService;
use crate::input::mailbox::{Mailbox, find_robot};
use crate::input::serve::{ServiceOutcome, serve};
use merrow_math::{Quat, Vec3};
use merrow_messages::convert::from_quaternion;
use merrow_messages::msg::stonefish_ros2::{Respawn, RespawnRequest};
use merrow_messages::msg::uuv_gazebo_ros_plugins_msgs::{
    GetThrusterEfficiency, GetThrusterEfficiencyResponse, GetThrusterState,
    GetThrusterStateResponse, SetThrusterEfficiency, SetThrusterEfficiencyResponse,
    SetThrusterState, SetThrusterStateResponse,
};
use merrow_messages::msg::uuv_world_ros_plugins_msgs::{
    SetCurrentDirection, SetCurrentDirectionResponse, SetCurrentVelocity,
    SetCurrentVelocityResponse,
};
use merrow_model::scene::Scene;
use merrow_model::scene::robot::profile::Profile;
use merrow_model::state::{BodyCommand, Command};
use merrow_ros2::message::Service as ServiceType;
use merrow_ros2::msg::std_srvs::Trigger;
use merrow_ros2::node::{Node, NodeError, Service};
use merrow_ros2::parameters::ParameterServer;
use merrow_ros2::parameters::value::ParameterValue as Value;
use parking_lot::Mutex;
use std::sync::Arc;

const SPEED: &str = "water.current.speed_m_s";
const DIRECTION: &str = "water.current.direction_deg";
const UP: &str = "water.current.up_m_s";

/// Service of another simulator.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ProfileService {
    /// Switches the thruster whose parameters begin with this text.
    SetThrusterState(String),
    /// Returns whether the thruster is on; the text is as for `SetThrusterState`.
    GetThrusterState(String),
    /// Sets the efficiency of the thruster.
    SetThrusterEfficiency(String),
    /// Returns the efficiency of the thruster.
    GetThrusterEfficiency(String),
    /// Sets the velocity of the current.
    SetCurrentVelocity,
    /// Sets the direction of the current.
    SetCurrentDirection,
    /// Sets the angle of the current above the horizontal, at the same speed.
    SetCurrentVerticalAngle,
    /// Switches the current on (true) or off.
    SwitchCurrents(bool),
}

impl ProfileService {
    /// Returns the name of the ROS type.
    pub fn type_name(&self) -> &'static str {
        match self {
            Self::SetThrusterState(_) => SetThrusterState::TYPE,
            Self::GetThrusterState(_) => GetThrusterState::TYPE,
            Self::SetThrusterEfficiency(_) => SetThrusterEfficiency::TYPE,
            Self::GetThrusterEfficiency(_) => GetThrusterEfficiency::TYPE,
            Self::SetCurrentVelocity => SetCurrentVelocity::TYPE,
            Self::SetCurrentDirection | Self::SetCurrentVerticalAngle => SetCurrentDirection::TYPE,
            Self::SwitchCurrents(_) => Trigger::TYPE,
        }
    }
}

/// Returns true if a robot has the profile of Stonefish.
fn has_stonefish(scene: &Scene) -> bool {
    let mut profiles = scene.robots.iter().map(|robot| robot.profile);
    profiles.any(|profile| profile == Some(Profile::Stonefish))
}

/// Returns the service of the profile of Stonefish that places a robot.
pub(crate) fn respawn(scene: &Scene) -> Option<CommandService> {
    has_stonefish(scene).then(|| {
        CommandService::new::<Respawn>("/respawn_robot", None, |scene, _, request| {
            respawn_command(scene, request)
        })
    })
}

/// Lists the other services of the profiles of all robots.
pub fn services(scene: &Scene) -> Vec<(String, ProfileService)> {
    let mut all = Vec::new();
    let is_uuv = |profile| matches!(profile, Some(Profile::Uuv | Profile::Plankton));
    for robot in scene.robots.iter().filter(|robot| is_uuv(robot.profile)) {
        for (k, thruster) in robot.thrusters.iter().enumerate() {
            let name = |service: &str| {
                robot.in_namespace(&format!("{}/thrusters/id_{k}/{service}", robot.name))
            };
            let prefix = format!("{}.thrusters.{}", robot.name, thruster.name);
            all.extend([
                (
                    name("set_thruster_state"),
                    ProfileService::SetThrusterState(prefix.clone()),
                ),
                (
                    name("get_thruster_state"),
                    ProfileService::GetThrusterState(prefix.clone()),
                ),
                (
                    name("set_thrust_force_efficiency"),
                    ProfileService::SetThrusterEfficiency(prefix.clone()),
                ),
                (
                    name("get_thrust_force_efficiency"),
                    ProfileService::GetThrusterEfficiency(prefix),
                ),
            ]);
        }
    }
    if scene.robots.iter().any(|robot| is_uuv(robot.profile)) {
        let name = |service: &str| format!("/hydrodynamics/{service}");
        all.push((
            name("set_current_velocity"),
            ProfileService::SetCurrentVelocity,
        ));
        all.push((
            name("set_current_horz_angle"),
            ProfileService::SetCurrentDirection,
        ));
        all.push((
            name("set_current_vert_angle"),
            ProfileService::SetCurrentVerticalAngle,
        ));
    }
    if has_stonefish(scene) {
        all.push((
            "/enable_currents".into(),
            ProfileService::SwitchCurrents(true),
        ));
        all.push((
            "/disable_currents".into(),
            ProfileService::SwitchCurrents(false),
        ));
    }
    all
}

/// Starts the services of the profiles.
pub(super) fn start(
    node: &Node,
    mailbox: &Mailbox,
    parameters: &Arc<ParameterServer>,
) -> Result<Vec<Service>, NodeError> {
    let suspended = Arc::new(Mutex::new(None));
    let start_one = |(name, service): (String, ProfileService)| {
        start_service(node, mailbox, parameters, &suspended, &name, service)
    };
    services(&mailbox.scene)
        .into_iter()
        .map(start_one)
        .collect()
}

/// Speed and vertical velocity of a current that is switched off [m/s].
type Suspended = Arc<Mutex<Option<[f64; 2]>>>;

fn start_service(
    node: &Node,
    mailbox: &Mailbox,
    parameters: &Arc<ParameterServer>,
    suspended: &Suspended,
    name: &str,
    service: ProfileService,
) -> Result<Service, NodeError> {
    let parameters = Arc::clone(parameters);
    match service {
        ProfileService::SetThrusterState(prefix) => {
            serve::<SetThrusterState>(node, mailbox, name, move |_, request, caller| {
                let word = if request.on { "healthy" } else { "dead" };
                let value = Value::String(word.into());
                caller.answer(set(&parameters, &[(format!("{prefix}.state"), value)]));
            })
        }
        ProfileService::GetThrusterState(prefix) => {
            serve::<GetThrusterState>(node, mailbox, name, move |_, _, caller| {
                let state = parameters.get(&format!("{prefix}.state"));
                caller.answer(state != Some(Value::String("dead".into())));
            })
        }
        ProfileService::SetThrusterEfficiency(prefix) => {
            serve::<SetThrusterEfficiency>(node, mailbox, name, move |_, request, caller| {
                let value = Value::Double(request.efficiency);
                caller.answer(set(&parameters, &[(format!("{prefix}.efficiency"), value)]));
            })
        }
        ProfileService::GetThrusterEfficiency(prefix) => {
            serve::<GetThrusterEfficiency>(node, mailbox, name, move |_, _, caller| {
                caller.answer(number(&parameters, &format!("{prefix}.efficiency")));
            })
        }
        ProfileService::SetCurrentVelocity => {
            serve::<SetCurrentVelocity>(node, mailbox, name, move |_, request, caller| {
                let (v, vertical) = (request.velocity, request.vertical_angle);
                let values = [
                    (SPEED.to_string(), Value::Double(v * libm::cos(vertical))),
                    (DIRECTION.to_string(), direction(request.horizontal_angle)),
                    (UP.to_string(), Value::Double(v * libm::sin(vertical))),
                ];
                caller.answer(set(&parameters, &values));
            })
        }
        ProfileService::SetCurrentDirection => {
            serve::<SetCurrentDirection>(node, mailbox, name, move |_, request, caller| {
                let value = (DIRECTION.to_string(), direction(request.angle));
                caller.answer(set(&parameters, &[value]));
            })
        }
        ProfileService::SetCurrentVerticalAngle => {
            serve::<SetCurrentDirection>(node, mailbox, name, move |_, request, caller| {
                let [horizontal, up] = [SPEED, UP].map(|name| number(&parameters, name));
                let speed = libm::hypot(horizontal, up);
                let values = [
                    (
                        SPEED.to_string(),
                        Value::Double(speed * libm::cos(request.angle)),
                    ),
                    (
                        UP.to_string(),
                        Value::Double(speed * libm::sin(request.angle)),
                    ),
                ];
                caller.answer(set(&parameters, &values));
            })
        }
        ProfileService::SwitchCurrents(on) => {
            let suspended = Arc::clone(suspended);
            serve::<Trigger>(node, mailbox, name, move |_, _, caller| {
                caller.answer(switch_currents(on, &parameters, &suspended));
            })
        }
    }
}

/// Sets several parameters together.
fn set(parameters: &ParameterServer, values: &[(String, Value)]) -> Result<String, String> {
    parameters.set_atomically(values).map(|()| String::new())
}

/// Returns the value of a number; 0 if there is no such parameter.
fn number(parameters: &ParameterServer, name: &str) -> f64 {
    match parameters.get(name) {
        Some(Value::Double(value)) => value,
        _ => 0.0,
    }
}

/// Converts a direction, counter-clockwise from east [rad], to one clockwise from north [deg].
fn direction(angle: f64) -> Value {
    Value::Double((90.0 - angle.to_degrees()).rem_euclid(360.0))
}

fn switch_currents(
    on: bool,
    parameters: &ParameterServer,
    suspended: &Suspended,
) -> Result<String, String> {
    let mut suspended = suspended.lock();
    let velocity = match (on, *suspended) {
        (true, Some(velocity)) => velocity,
        // no thruster to switch
        (true, None) | (false, Some(_)) => return Ok(String::new()),
        (false, None) => [0.0; 2],
    };
    let before = [SPEED, UP].map(|name| number(parameters, name));
    let [speed, up] = velocity.map(Value::Double);
    set(
        parameters,
        &[(SPEED.to_string(), speed), (UP.to_string(), up)],
    )?;
    *suspended = (!on).then_some(before);
    Ok(String::new())
}

/// Returns the command that places a robot. The pose is the pose of forward, right, down in north,
/// east, down.
fn respawn_command(scene: &Scene, request: &RespawnRequest) -> Result<Command, String> {
    let p = &request.origin.position;
    Ok(Command::Body(
        find_robot(scene, &request.name)?,
        BodyCommand::SetPose {
            p_WB: Vec3::new(p.y, p.x, -p.z),
            q_WB: attitude_from_ned(from_quaternion(&request.origin.orientation)),
            v_WB_B: Vec3::zero(),
            w_WB_B: Vec3::zero(),
        },
    ))
}

/// Returns the attitude of the base in east, north, up, from the attitude of forward, right, down
/// in north, east, down.
fn attitude_from_ned(q: Quat) -> Quat {
    // half turns about north-east and about forward
    let half = std::f64::consts::FRAC_1_SQRT_2;
    let axes = Quat {
        w: 0.0,
        x: half,
        y: half,
        z: 0.0,
    };
    let base = Quat {
        w: 0.0,
        x: 1.0,
        y: 0.0,
        z: 0.0,
    };
    axes.mul(&q).mul(&base)
}

/// Implements services whose response consists of success.
macro_rules! success_services {
    ($($service:ident => $response:ident),* $(,)?) => {$(
        impl ServiceOutcome for $service {
            type Outcome = Result<String, String>;
            fn rejected(why: String) -> Self::Outcome {
                Err(why)
            }
            fn response(outcome: Self::Outcome) -> $response {
                $response { success: outcome.is_ok() }
            }
        }
    )*};
}

success_services! {
    SetThrusterState => SetThrusterStateResponse,
    SetThrusterEfficiency => SetThrusterEfficiencyResponse,
    SetCurrentVelocity => SetCurrentVelocityResponse,
    SetCurrentDirection => SetCurrentDirectionResponse,
}

impl ServiceOutcome for GetThrusterState {
    type Outcome = bool;
    fn rejected(_: String) -> bool {
        false
    }
    fn response(is_on: bool) -> GetThrusterStateResponse {
        GetThrusterStateResponse { is_on }
    }
}

impl ServiceOutcome for GetThrusterEfficiency {
    type Outcome = f64;
    fn rejected(_: String) -> f64 {
        0.0
    }
    fn response(efficiency: f64) -> GetThrusterEfficiencyResponse {
        GetThrusterEfficiencyResponse { efficiency }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn poses_of_stonefish_are_north_east_down() {
        // heading north, level: forward is north, which is y of the world
        let forward = |q: Quat| {
            attitude_from_ned(q)
                .matrix()
                .mul_vec(Vec3::new(1.0, 0.0, 0.0))
        };
        let north = forward(Quat::identity());
        assert!((north.y - 1.0).abs() < 1e-12, "{north:?}");
        // heading east
        let east = forward(Quat::from_rpy(0.0, 0.0, std::f64::consts::FRAC_PI_2));
        assert!((east.x - 1.0).abs() < 1e-12, "{east:?}");
        let up = attitude_from_ned(Quat::identity())
            .matrix()
            .mul_vec(Vec3::new(0.0, 0.0, 1.0));
        assert!((up.z - 1.0).abs() < 1e-12, "{up:?}");
        assert_eq!(direction(0.0), Value::Double(90.0));
    }
}
