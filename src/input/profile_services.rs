//! Services of other simulators, for the robots with their profile.
//!
//! UUV Simulator and Plankton (47dab94c, `ThrusterROSPlugin.cpp`,
//! `UnderwaterCurrentROSPlugin.cpp`): state and efficiency of each thruster, velocity of the
//! current. Stonefish (6646e7a, `ROS2SimulationManager.cpp`): the current on and off, and the pose
//! of a robot. They set the parameters of the node, so that both show the same state.

use crate::input::mailbox::find_robot;
use crate::input::node_service::NodeService;
use crate::node::parameters::sea::{DIRECTION, SPEED, UP};
use merrow_math::{Quat, Vec3};
use merrow_messages::convert::from_quaternion;
use merrow_messages::msg::stonefish_ros2::{Respawn, RespawnRequest};
use merrow_messages::msg::uuv_gazebo_ros_plugins_msgs::{
    GetThrusterEfficiency, GetThrusterEfficiencyResponse, GetThrusterState,
    GetThrusterStateResponse, SetThrusterEfficiency, SetThrusterState,
};
use merrow_messages::msg::uuv_world_ros_plugins_msgs::{SetCurrentDirection, SetCurrentVelocity};
use merrow_model::scene::robot::profile::Profile;
use merrow_model::scene::{Robot, Scene};
use merrow_model::state::{BodyCommand, Command};
use merrow_ros2::msg::std_srvs::Trigger;
use merrow_ros2::parameters::ParameterServer;
use merrow_ros2::parameters::value::ParameterValue as Value;
use parking_lot::Mutex;
use std::sync::Arc;

/// Speed and vertical velocity of a current that is switched off [m/s].
type Suspended = Arc<Mutex<Option<[f64; 2]>>>;

/// Lists the services of the profiles of all robots.
pub(crate) fn services(scene: &Scene) -> Vec<NodeService> {
    let mut all = Vec::new();
    let has = |profile| {
        scene
            .robots
            .iter()
            .any(|robot| robot.profile == Some(profile))
    };
    if has(Profile::Stonefish) {
        all.push(NodeService::command::<Respawn>(
            "/respawn_robot",
            None,
            |scene, _, request| respawn_command(scene, request),
        ));
    }
    let is_uuv = |profile| matches!(profile, Some(Profile::Uuv | Profile::Plankton));
    for robot in scene.robots.iter().filter(|robot| is_uuv(robot.profile)) {
        for k in 0..robot.thrusters.len() {
            of_thruster(robot, k, &mut all);
        }
    }
    if scene.robots.iter().any(|robot| is_uuv(robot.profile)) {
        all.extend(of_current());
    }
    if has(Profile::Stonefish) {
        let suspended = Suspended::default();
        for (name, on) in [("/enable_currents", true), ("/disable_currents", false)] {
            let suspended = Arc::clone(&suspended);
            all.push(NodeService::other::<Trigger>(
                name,
                move |context, _, caller| {
                    caller.answer(switch_currents(on, context.parameters, &suspended));
                },
            ));
        }
    }
    all
}

/// Appends the services of UUV Simulator for a thruster: its state and its efficiency.
fn of_thruster(robot: &Robot, k: usize, all: &mut Vec<NodeService>) {
    let name =
        |service: &str| robot.in_namespace(&format!("{}/thrusters/id_{k}/{service}", robot.name));
    let prefix = format!("{}.thrusters.{}", robot.name, robot.thrusters[k].name);
    let (state, efficiency) = (format!("{prefix}.state"), format!("{prefix}.efficiency"));
    let (own_state, own_efficiency) = (state.clone(), efficiency.clone());
    all.extend([
        NodeService::other::<SetThrusterState>(
            name("set_thruster_state"),
            move |context, request, caller| {
                let word = if request.on { "healthy" } else { "dead" };
                let value = Value::String(word.into());
                caller.answer(set(context.parameters, [(&state, value)]));
            },
        ),
        NodeService::other::<GetThrusterState>(
            name("get_thruster_state"),
            move |context, _, caller| {
                let state = context.parameters.get(&own_state);
                let is_on = state != Some(Value::String("dead".into()));
                caller.send(&GetThrusterStateResponse { is_on });
            },
        ),
        NodeService::other::<SetThrusterEfficiency>(
            name("set_thrust_force_efficiency"),
            move |context, request, caller| {
                let value = Value::Double(request.efficiency);
                caller.answer(set(context.parameters, [(&efficiency, value)]));
            },
        ),
        NodeService::other::<GetThrusterEfficiency>(
            name("get_thrust_force_efficiency"),
            move |context, _, caller| {
                let efficiency = number(context.parameters, &own_efficiency);
                caller.send(&GetThrusterEfficiencyResponse { efficiency });
            },
        ),
    ]);
}

/// Returns the services of UUV Simulator for the current: its velocity and its direction, and its
/// angle above the horizontal at the same speed.
fn of_current() -> [NodeService; 3] {
    [
        NodeService::other::<SetCurrentVelocity>(
            "/hydrodynamics/set_current_velocity",
            |context, request, caller| {
                let (v, vertical) = (request.velocity, request.vertical_angle);
                let values = [
                    (SPEED, Value::Double(v * libm::cos(vertical))),
                    (DIRECTION, direction(request.horizontal_angle)),
                    (UP, Value::Double(v * libm::sin(vertical))),
                ];
                caller.answer(set(context.parameters, values));
            },
        ),
        NodeService::other::<SetCurrentDirection>(
            "/hydrodynamics/set_current_horz_angle",
            |context, request, caller| {
                let value = direction(request.angle);
                caller.answer(set(context.parameters, [(DIRECTION, value)]));
            },
        ),
        NodeService::other::<SetCurrentDirection>(
            "/hydrodynamics/set_current_vert_angle",
            |context, request, caller| {
                let [horizontal, up] = [SPEED, UP].map(|name| number(context.parameters, name));
                let speed = libm::hypot(horizontal, up);
                let values = [
                    (SPEED, Value::Double(speed * libm::cos(request.angle))),
                    (UP, Value::Double(speed * libm::sin(request.angle))),
                ];
                caller.answer(set(context.parameters, values));
            },
        ),
    ]
}

/// Sets several parameters together.
fn set<const N: usize>(
    parameters: &ParameterServer,
    values: [(&str, Value); N],
) -> Result<String, String> {
    let values = values.map(|(name, value)| (name.to_string(), value));
    parameters.set_atomically(&values).map(|()| String::new())
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
    set(parameters, [(SPEED, speed), (UP, up)])?;
    *suspended = (!on).then_some(before);
    Ok(String::new())
}

/// Returns the command that places a robot. The pose is the pose of forward, right, down in north,
/// east, down.
fn respawn_command(scene: &Scene, request: &RespawnRequest) -> Result<Command, String> {
    let p = &request.origin.position;
    Ok(BodyCommand::SetPose {
        p_WB: Vec3::new(p.y, p.x, -p.z),
        q_WB: attitude_from_ned(from_quaternion(&request.origin.orientation)),
        v_WB_B: Vec3::zero(),
        w_WB_B: Vec3::zero(),
    }
    .of(find_robot(scene, &request.name)?))
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
