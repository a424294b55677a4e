//! Commands of the live view to the robots of one version of the scene.

use crate::arm::progress::Progress;
use crate::input::{faults, find_robot, motion_control, serve};
use crate::topics::{Arrival, Input, PageControl, Plan};
use merrow_control::modes::check_mode;
use merrow_math::{Quat, Vec3};
use merrow_messages::convert::{WORLD_FRAME, header, point, quaternion, vector3};
use merrow_messages::msg::{Fault, FaultRequest, SetControlMode, SetControlModeRequest};
use merrow_model::scene::robot::firmware::FirmwareLaw;
use merrow_model::scene::{Robot, Scene};
use merrow_model::state::Command;
use merrow_model::state::firmware::ControlMode;
use merrow_ros2::cdr::{Cdr, to_bytes};
use merrow_ros2::msg::geometry_msgs::{
    Pose, PoseStamped, Quaternion, Twist, Wrench, WrenchStamped,
};
use merrow_ros2::msg::nav_msgs::Path;
use merrow_ros2::msg::sensor_msgs::Joy;
use merrow_ros2::msg::std_msgs::Float64;
use merrow_sim::{InputMessage, SceneVersion};
use merrow_view::RobotControls;
use merrow_view::action::FaultAction;
use merrow_view::readings::topic_table::TopicTable;
use merrow_view::teleoperation::actuators::ActuatorControl;
use merrow_view::teleoperation::limits::{max_velocity, max_wrench};
use merrow_yaml::error::known_names;
use std::sync::Arc;

/// Topics that the view uses, for one version of the scene.
pub(super) struct SceneInputs {
    /// Scene of the world.
    pub scene: Arc<Scene>,
    /// Version of the scene.
    pub version: SceneVersion,
    /// Topics that pages can plot.
    pub topics: Arc<TopicTable>,
    /// Topics of each robot that pages command.
    robots: Vec<Vec<Input>>,
}

/// Commands, and the message that has the same effect, for recordings.
pub(super) type Recorded = (Vec<Command>, InputMessage);

impl SceneInputs {
    pub(super) fn new(scene: &Arc<Scene>, version: SceneVersion) -> Self {
        let mut robots = vec![Vec::new(); scene.robots.len()];
        let plan = Plan::new(scene);
        let outputs = plan.outputs.iter();
        let names = outputs.map(|o| (o.topic.as_str(), o.info.name, o.info.definition.as_str()));
        let topics = Arc::new(TopicTable::new(names));
        for input in plan.inputs {
            if let (Some(robot), Some(_)) = (input.robot, &input.control) {
                robots[robot].push(input);
            }
        }
        Self {
            scene: Arc::clone(scene),
            version,
            topics,
            robots,
        }
    }

    /// Returns the topics of a robot with this control.
    fn inputs(&self, robot: usize, control: PageControl) -> impl Iterator<Item = &Input> {
        let own = self.robots.get(robot).into_iter().flatten();
        own.filter(move |input| input.control.as_ref() == Some(&control))
    }

    /// Returns the topic of velocities of a robot, or of wrenches if it has none of velocities.
    fn drive_input(&self, robot: usize) -> Option<&Input> {
        let of = |control| self.inputs(robot, control).next();
        of(PageControl::Velocity).or_else(|| of(PageControl::Wrench))
    }

    /// Returns the actuators of a robot with their topics.
    fn actuators(&self, robot: usize) -> impl Iterator<Item = (&ActuatorControl, &Input)> + Clone {
        let own = self.robots.get(robot).into_iter().flatten();
        own.flat_map(|input| {
            let controls = match &input.control {
                Some(PageControl::Slider(control)) => std::slice::from_ref(control),
                Some(PageControl::Joints(controls)) => controls,
                _ => &[],
            };
            controls.iter().map(move |control| (control, input))
        })
    }

    /// Returns the topics of a robot.
    pub(super) fn controls(&self, robot: usize) -> RobotControls {
        let topic = |input: &Input| input.topic.clone();
        let of = |control| self.inputs(robot, control).next().map(topic);
        let goal = of(PageControl::Goal);
        let model = self.scene.robots.get(robot).filter(|_| goal.is_none());
        RobotControls {
            drive: self.drive_input(robot).map(topic),
            path: of(PageControl::Path),
            no_goal: model.map(motion_control::why_no_goals),
            goal,
            gamepad: of(PageControl::Gamepad),
            modes: self.scene.robots.get(robot).map_or_else(Vec::new, modes),
            actuators: self.actuators(robot).map(|(own, _)| own.clone()).collect(),
        }
    }

    /// Returns a drive command with these fractions in surge, sway, heave and yaw.
    pub(super) fn drive(&self, name: &str, axes: [f64; 4]) -> Result<Recorded, String> {
        let robot = find_robot(&self.scene, name)?;
        let Some(input) = self.drive_input(robot) else {
            return Err(format!(
                "{name}: no topic for velocities or wrenches; command its actuators from ROS"
            ));
        };
        let model = &self.scene.robots[robot];
        let parts = |max: [f64; 4]| {
            let [x, y, z, yaw] = [0, 1, 2, 3].map(|k| axes[k] * max[k]);
            [Vec3::new(x, y, z), Vec3::new(0.0, 0.0, yaw)].map(vector3)
        };
        match input.control {
            Some(PageControl::Wrench) => {
                let [force, torque] = parts(max_wrench(&self.scene, model));
                self.recorded(input, &Wrench { force, torque })
            }
            _ => {
                let [linear, angular] = parts(max_velocity(model));
                self.recorded(input, &Twist { linear, angular })
            }
        }
    }

    /// Returns the command to follow waypoints in W [m].
    pub(super) fn path(&self, name: &str, points: &[[f64; 3]]) -> Result<Recorded, String> {
        let robot = find_robot(&self.scene, name)?;
        let Some(input) = self.inputs(robot, PageControl::Path).next() else {
            return Err(self.why_no_goals(robot));
        };
        points.iter().try_for_each(|p| self.check_point(robot, p))?;
        let pose = |p: &[f64; 3]| stamped(*p, Quaternion::default());
        let path = Path {
            header: header(0, WORLD_FRAME),
            poses: points.iter().map(pose).collect(),
        };
        self.recorded(input, &path)
    }

    /// Returns the command to move to a position in W [m] with this yaw [deg], or with any yaw.
    pub(super) fn goal(
        &self,
        name: &str,
        position: [f64; 3],
        yaw_deg: Option<f64>,
    ) -> Result<Recorded, String> {
        let robot = find_robot(&self.scene, name)?;
        let Some(input) = self.inputs(robot, PageControl::Goal).next() else {
            return Err(self.why_no_goals(robot));
        };
        self.check_point(robot, &position)?;
        let none = Quaternion {
            w: 0.0,
            ..Quaternion::default()
        };
        let attitude = |yaw: f64| quaternion(Quat::from_rpy(0.0, 0.0, yaw.to_radians()));
        self.recorded(input, &stamped(position, yaw_deg.map_or(none, attitude)))
    }

    fn why_no_goals(&self, robot: usize) -> String {
        let model = &self.scene.robots[robot];
        format!("{}: {}", model.name, motion_control::why_no_goals(model))
    }

    /// Checks that a goal or a waypoint in W [m] is not in the seabed. Vehicles with wheels ignore
    /// the height.
    fn check_point(&self, robot: usize, p: &[f64; 3]) -> Result<(), String> {
        let model = &self.scene.robots[robot];
        let firmware = model.firmware.as_ref();
        let is_on_wheels =
            firmware.is_some_and(|f| matches!(f.law, FirmwareLaw::DifferentialDrive(_)));
        let seabed = self.scene.sea.seabed.height(p[0], p[1]);
        if is_on_wheels || p[2] >= seabed {
            return Ok(());
        }
        Err(format!(
            "{}: the point is below the seabed; expected a height of at least {seabed:.2} m, found {:.2} m",
            model.name, p[2]
        ))
    }

    /// Returns the command that applies a force [N] and a moment [N m] in W to a link, until the
    /// next command.
    pub(super) fn push(
        &self,
        name: &str,
        link: &str,
        [force, torque]: [[f64; 3]; 2],
    ) -> Result<Recorded, String> {
        let robot = find_robot(&self.scene, name)?;
        let links = &self.scene.robots[robot].links;
        let mut inputs = links.iter().zip(self.inputs(robot, PageControl::Push));
        let Some((_, input)) = inputs.find(|(own, _)| own.name == link) else {
            let known = known_names(link, links.iter().map(|own| own.name.as_str()));
            return Err(format!("{name}: no link {link:?}{known}"));
        };
        let message = WrenchStamped {
            header: header(0, WORLD_FRAME),
            wrench: Wrench {
                force: vector3(Vec3::from(force)),
                torque: vector3(Vec3::from(torque)),
            },
        };
        self.recorded(input, &message)
    }

    /// Returns the commands of the sticks and buttons of a gamepad.
    pub(super) fn gamepad(
        &self,
        name: &str,
        axes: &[f64],
        buttons: &[bool],
    ) -> Result<Recorded, String> {
        let robot = find_robot(&self.scene, name)?;
        let Some(input) = self.inputs(robot, PageControl::Gamepad).next() else {
            return Err(format!(
                "{name}: no topic for gamepads; expected a robot with a motion controller"
            ));
        };
        let joy = Joy {
            header: header(0, ""),
            axes: axes.iter().map(|x| *x as f32).collect(),
            buttons: buttons.iter().map(|x| i32::from(*x)).collect(),
        };
        self.recorded(input, &joy)
    }

    /// Returns the command to an actuator, in its unit.
    pub(super) fn actuator(
        &self,
        name: &str,
        actuator: &str,
        value: f64,
    ) -> Result<Recorded, String> {
        let robot = find_robot(&self.scene, name)?;
        let all = self.actuators(robot);
        let found = all.clone().find(|(control, _)| control.name == actuator);
        let (control, input) = found.ok_or_else(|| {
            let known = known_names(actuator, all.map(|(control, _)| control.name.as_str()));
            format!("{name}: no actuator {actuator:?} that can be commanded{known}")
        })?;
        control.check(value)?;
        match control.joint_state(value) {
            Some(message) => self.recorded(input, &message),
            None => self.recorded(input, &Float64 { data: value }),
        }
    }

    /// Returns the command that requests a mode, as the service `set_mode`.
    pub(super) fn mode(&self, name: &str, mode: &str) -> Result<Recorded, String> {
        let robot = find_robot(&self.scene, name)?;
        let command = motion_control::mode_command(robot, mode)?;
        let service = self.scene.robots[robot].in_namespace(&format!("{name}/set_mode"));
        let mode = mode.to_string();
        let request = SetControlModeRequest { mode };
        let message = serve::record::<SetControlMode>(&service, &to_bytes(&request));
        Ok((vec![command], message))
    }

    /// Returns the command that starts a fault, as the service `fault`, and its request.
    pub(super) fn fault(&self, action: FaultAction) -> Result<Recorded, String> {
        let (names, values) = action.values.into_iter().unzip();
        let request = FaultRequest {
            name: action.name,
            robot: action.robot.unwrap_or_default(),
            device: action.device,
            kind: action.kind,
            names,
            values,
            duration_s: action.duration_s,
        };
        let command = faults::command(&self.scene, &request)?;
        let message = serve::record::<Fault>("~/fault", &to_bytes(&request));
        Ok((vec![command], message))
    }

    /// Returns the commands of a message to an input, with the message.
    fn recorded(&self, input: &Input, message: &impl Cdr) -> Result<Recorded, String> {
        let arrival = Arrival {
            scene: &self.scene,
            progress: &Progress::default(),
        };
        let message = InputMessage {
            topic: input.topic.as_str().into(),
            bytes: to_bytes(message),
        };
        Ok(((input.decode)(arrival, &message.bytes)?, message))
    }
}

fn stamped(position: [f64; 3], orientation: Quaternion) -> PoseStamped {
    PoseStamped {
        header: header(0, WORLD_FRAME),
        pose: Pose {
            position: point(Vec3::from(position)),
            orientation,
        },
    }
}

/// Returns the names of the modes that the firmware of a robot accepts.
fn modes(robot: &Robot) -> Vec<&'static str> {
    let accepted = |mode: &ControlMode| check_mode(robot, *mode).is_ok();
    let modes = ControlMode::ALL.into_iter().filter(accepted);
    modes.map(ControlMode::keyword).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arm::Progress;
    use crate::input::own_services::RecordedRequests;
    use crate::topics::Arrival;
    use merrow_ros2::parameters::ParameterServer;
    use merrow_world::{Overrides, load_text};

    /// Returns the commands of a page to the first robot of a scene, of each kind that it takes.
    fn all_commands(inputs: &SceneInputs) -> Vec<Recorded> {
        let name = inputs.scene.robots[0].name.as_str();
        let mut all = Vec::new();
        if inputs.scene.robots[0].firmware.is_some() {
            all.push(inputs.mode(name, "stabilize"));
        }
        all.extend([-0.5, 1.0].map(|x| inputs.drive(name, [x, 0.25, -x, 1.0])));
        all.push(inputs.path(name, &[[1.0, 2.0, -3.0], [4.0, 5.0, -2.5]]));
        all.extend([None, Some(-135.0)].map(|yaw| inputs.goal(name, [1.0, 2.0, -3.0], yaw)));
        let axes = [0.1, -0.2, 0.3, -0.4, 0.5, 0.6];
        all.extend([0, 2, 5].map(|k| {
            let buttons: Vec<bool> = (0..6).map(|button| button == k).collect();
            inputs.gamepad(name, &axes, &buttons)
        }));
        for link in &inputs.scene.robots[0].links {
            all.push(inputs.push(name, &link.name, [[1.0, -2.0, 3.0], [0.1, 0.2, 0.3]]));
        }
        for (control, _) in inputs.actuators(0) {
            let values = [control.range[0], control.rest, control.range[1]];
            all.extend(values.map(|value| inputs.actuator(name, &control.name, value)));
        }
        all.into_iter().filter_map(Result::ok).collect()
    }

    // A replay repeats what a page has commanded: the recorded message of each command of a page
    // gives the same commands. Robots with all kinds of actuators and firmwares.
    #[test]
    fn recorded_messages_give_the_commands_of_the_page() {
        let mut kinds = std::collections::HashSet::new();
        for robot in [
            "bluerov2_heavy",
            "sailboat",
            "seawing",
            "osu_uvms_published",
            "{extends: robots/bluerov2.yaml, firmware: null}",
        ] {
            let text = format!("robots: {{r: {{model: {robot}}}}}");
            let world = load_text("w.yaml", &text, Overrides::default()).expect("a world");
            let scene = Arc::new(world.scene);
            let inputs = SceneInputs::new(&scene, SceneVersion::default());
            let plan = Plan::new(&scene);
            let requests = RecordedRequests::new(&scene);
            let parameters = ParameterServer::new(Vec::new()).expect("parameters");
            for (found, message) in all_commands(&inputs) {
                let mut topics = plan.inputs.iter();
                let expected = match topics.find(|input| *input.topic == *message.topic) {
                    Some(input) => {
                        let progress = Progress::default();
                        let arrival = Arrival {
                            scene: &scene,
                            progress: &progress,
                        };
                        (input.decode)(arrival, &message.bytes)
                    }
                    None => requests
                        .command(&scene, &parameters, &message.bytes)
                        .map(|command| vec![command]),
                };
                assert_eq!(
                    Ok(&found),
                    expected.as_ref(),
                    "{}: {}",
                    robot,
                    message.topic
                );
                // `Family(robot, Variant`
                kinds.extend(found.iter().map(|command| {
                    let text = format!("{command:?}");
                    text.split(" {").next().unwrap_or_default().to_string()
                }));
            }
        }
        // modes, arming, velocity, wrench, path, goal, sticks, push; thruster, fin, engine, joint
        assert_eq!(kinds.len(), 12);
    }
}
