//! Actions of the live view: converts them to messages on the topics of the robots and to
//! parameters, so that bags record them and replays repeat them.

use crate::arm::Progress;
use crate::input::commands;
use crate::input::firmware::FirmwareCommand;
use crate::input::motion_control::MotionCommand;
use crate::node::live_parameters;
use crate::node::plan::{Input, Plan, Target};
use crate::publisher::PublisherState;
use crossbeam_channel::Sender;
use merrow_math::Vec3;
use merrow_messages::convert::{WORLD_FRAME, header, point, vector3};
use merrow_model::scene::robot::firmware::{FirmwareLaw, Multirotor};
use merrow_model::scene::{Robot, Scene};
use merrow_ros2::cdr::to_bytes;
use merrow_ros2::msg::geometry_msgs::{Pose, PoseStamped, Quaternion, Twist, Wrench};
use merrow_ros2::msg::nav_msgs::Path;
use merrow_ros2::parameters::ParameterServer;
use merrow_ros2::parameters::value::ParameterValue;
use merrow_sim::{InputMessage, Pace, Reply, Request, SceneVersion, Simulation};
use merrow_view::action::ControlAction;
use merrow_view::{Answer, Controls, RobotControls};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Controls of the live view of a run.
pub struct ViewControls {
    requests: Sender<Request>,
    parameters: Arc<ParameterServer>,
    scene: Mutex<SceneInputs>,
}

/// Topics that the view uses, for one version of the scene.
struct SceneInputs {
    scene: Arc<Scene>,
    version: SceneVersion,
    /// Topics of velocities or wrenches and of paths, robot by robot.
    robots: Vec<RobotInputs>,
}

#[derive(Clone, Default)]
struct RobotInputs {
    drive: Option<Input>,
    path: Option<Input>,
}

impl ViewControls {
    /// Creates the controls of a run with the parameters of its node.
    pub fn new(
        simulation: &Simulation,
        parameters: Arc<ParameterServer>,
        requests: &Sender<Request>,
    ) -> Self {
        Self {
            requests: requests.clone(),
            parameters,
            scene: Mutex::new(SceneInputs::new(
                &simulation.scene,
                simulation.scene_version,
            )),
        }
    }

    /// Creates the controls of a run without a node, which has the same parameters.
    ///
    /// # Errors
    /// One line: a parameter could not be declared.
    pub fn without_node(
        simulation: &Simulation,
        pace: Pace,
        requests: &Sender<Request>,
    ) -> Result<Self, String> {
        let server = ParameterServer::new(Vec::new()).map_err(|e| e.to_string())?;
        let server = Arc::new(server);
        let shared = Arc::new(PublisherState::default());
        live_parameters::start(&server, simulation, pace, requests.clone(), shared)
            .map_err(|e| e.to_string())?;
        Ok(Self::new(simulation, server, requests))
    }

    fn lock(&self) -> MutexGuard<'_, SceneInputs> {
        self.scene.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Sends a request whose answer confirms it.
    fn send(&self, request: Request, answer: Answer) {
        let sent = self.requests.send(request);
        answer(sent.map_err(|_| "the run has ended".to_string()));
    }

    /// Sends a request with a reply, which is the answer.
    fn send_with_reply(&self, answer: Answer, request: impl FnOnce(Reply<()>) -> Request) {
        // a run that has ended drops the request with the answer; the connection then ends too
        let _ = self
            .requests
            .send(request(Reply::new(move |()| answer(Ok(())))));
    }

    fn set(&self, parameters: Vec<(String, f64)>) -> Result<(), String> {
        let number = |(name, x): (String, f64)| (name, ParameterValue::Double(x));
        let batch: Vec<_> = parameters.into_iter().map(number).collect();
        self.parameters.set_atomically(&batch)
    }
}

impl Controls for ViewControls {
    fn set_scene(&self, scene: &Arc<Scene>, version: SceneVersion) {
        *self.lock() = SceneInputs::new(scene, version);
    }

    fn of_robot(&self, robot: usize) -> RobotControls {
        let inputs = self.lock().robots.get(robot).cloned().unwrap_or_default();
        RobotControls {
            drive: inputs.drive.map(|input| input.topic),
            path: inputs.path.map(|input| input.topic),
        }
    }

    fn request(&self, action: ControlAction, answer: Answer) {
        match action {
            ControlAction::Pause => self.send_with_reply(answer, Request::Pause),
            ControlAction::Resume => self.send_with_reply(answer, Request::Resume),
            ControlAction::Reset => self.send_with_reply(answer, Request::Reset),
            ControlAction::Step(n) => {
                let reply = Reply::new(move |done: merrow_sim::StepResult| answer(done.result));
                // as in `send_with_reply`
                let _ = self.requests.send(Request::Step(n, reply));
            }
            ControlAction::Pace(pace) => {
                let name = live_parameters::PACE.to_string();
                let value = ParameterValue::String(pace.to_string());
                answer(self.parameters.set_atomically(&[(name, value)]));
            }
            ControlAction::Parameters(parameters) => answer(self.set(parameters)),
            ControlAction::Drive { robot, axes } => {
                let request = self.lock().drive(&robot, axes);
                match request {
                    Ok(request) => self.send(request, answer),
                    Err(why) => answer(Err(why)),
                }
            }
            ControlAction::Path { robot, points } => {
                let request = self.lock().path(&robot, &points);
                match request {
                    Ok(request) => self.send(request, answer),
                    Err(why) => answer(Err(why)),
                }
            }
        }
    }
}

impl SceneInputs {
    fn new(scene: &Arc<Scene>, version: SceneVersion) -> Self {
        let mut robots = vec![RobotInputs::default(); scene.robots.len()];
        for input in Plan::new(scene).inputs {
            match input.target {
                Target::Firmware {
                    robot,
                    command: FirmwareCommand::Velocity,
                } => robots[robot].drive = Some(input),
                Target::Wrench { robot } if robots[robot].drive.is_none() => {
                    robots[robot].drive = Some(input);
                }
                Target::Motion {
                    robot,
                    command: MotionCommand::Path,
                } => robots[robot].path = Some(input),
                _ => {}
            }
        }
        Self {
            scene: Arc::clone(scene),
            version,
            robots,
        }
    }

    /// Returns the request for a drive command with these fractions in surge, sway, heave and yaw.
    fn drive(&self, name: &str, axes: [f64; 4]) -> Result<Request, String> {
        let robot = super::find_robot(&self.scene, name)?;
        let Some(input) = &self.robots[robot].drive else {
            return Err(format!(
                "{name}: no topic for velocities or wrenches; command its actuators from ROS"
            ));
        };
        let model = &self.scene.robots[robot];
        let bytes = match input.target {
            Target::Wrench { .. } => {
                let max = max_wrench(&self.scene, model);
                let [x, y, z, yaw] = [0, 1, 2, 3].map(|k| axes[k] * max[k]);
                to_bytes(&Wrench {
                    force: vector3(Vec3::new(x, y, z)),
                    torque: vector3(Vec3::new(0.0, 0.0, yaw)),
                })
            }
            _ => {
                let max = max_velocity(model);
                let [x, y, z, yaw] = [0, 1, 2, 3].map(|k| axes[k] * max[k]);
                to_bytes(&Twist {
                    linear: vector3(Vec3::new(x, y, z)),
                    angular: vector3(Vec3::new(0.0, 0.0, yaw)),
                })
            }
        };
        self.message(input, bytes)
    }

    /// Returns the request to follow waypoints in W [m].
    fn path(&self, name: &str, points: &[[f64; 3]]) -> Result<Request, String> {
        let robot = super::find_robot(&self.scene, name)?;
        let Some(input) = &self.robots[robot].path else {
            return Err(format!(
                "{name}: its firmware follows no paths; expected a robot with the topic path"
            ));
        };
        let pose = |p: &[f64; 3]| PoseStamped {
            header: header(0, WORLD_FRAME),
            pose: Pose {
                position: point(Vec3::new(p[0], p[1], p[2])),
                orientation: Quaternion::default(),
            },
        };
        let path = Path {
            header: header(0, WORLD_FRAME),
            poses: points.iter().map(pose).collect(),
        };
        self.message(input, to_bytes(&path))
    }

    /// Converts a message on an input topic to a request, as the subscription does.
    fn message(&self, input: &Input, bytes: Vec<u8>) -> Result<Request, String> {
        let commands = commands(&self.scene, &Progress::default(), input.target, &bytes)?;
        let message = InputMessage {
            topic: input.topic.as_str().into(),
            bytes,
        };
        Ok(Request::Input(self.version, commands, message))
    }
}

/// Returns the maximum speeds in surge, sway and heave [m/s] and yaw [rad/s] of the firmware.
fn max_velocity(robot: &Robot) -> [f64; 4] {
    match robot.firmware.as_ref().map(|firmware| &firmware.law) {
        Some(FirmwareLaw::MotionControl(m)) => {
            let [surge, sway, heave] = m.limits.velocity;
            [surge, sway, heave, m.limits.yaw_rate]
        }
        Some(FirmwareLaw::Multirotor(m)) => max_flight_velocity(m),
        Some(FirmwareLaw::Drive(d)) => [d.max_velocity[0], 0.0, 0.0, d.max_velocity[1]],
        Some(FirmwareLaw::SurgeYawRate(v)) => [v.max_velocity[0], 0.0, 0.0, v.max_velocity[1]],
        Some(FirmwareLaw::HeadingDepthHold(h)) => {
            let speed = h
                .speed_control
                .as_ref()
                .map_or([0.0; 3], |s| s.max_velocity);
            [speed[0], 0.0, speed[1], speed[2]]
        }
        Some(FirmwareLaw::Sailing(_) | FirmwareLaw::Glider(_)) | None => [0.0; 4],
    }
}

fn max_flight_velocity(m: &Multirotor) -> [f64; 4] {
    let [flat, up, down] = m.max_speed;
    [flat, flat, up.min(down), m.max_yaw_rate]
}

/// Returns the largest force forward, left and up [N] and moment about z [N m] of the thrusters in
/// both directions, each without the others.
fn max_wrench(scene: &Scene, robot: &Robot) -> [f64; 4] {
    let Some(allocation) = &robot.allocation else {
        return [0.0; 4];
    };
    let mut max = [0.0; 4];
    for (thruster, unit) in robot.thrusters.iter().zip(&allocation.unit_wrenches) {
        let thrust = |end: usize| {
            let command = thruster.command_range[end];
            thruster.static_thrust(command, scene.sea.density).abs()
        };
        let thrust = thrust(0).min(thrust(1));
        for (max, k) in max.iter_mut().zip([0, 1, 2, 5]) {
            *max += thrust * unit[k].abs();
        }
    }
    max
}
