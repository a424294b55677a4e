//! Topics of the task of a world, and those of Virtual RobotX for robots with its profile.
//!
//! The names and types of Virtual RobotX are those of osrf/vrx at 93ae8d0, `vrx_gz/src/vrx_gz/bridges.py`
//! and the plug-ins in `vrx_gz/src`.

use crate::topics::{Arrival, Input, Output};
use merrow_environment::geodesy::{ecef, world_from_ecef};
use merrow_math::Vec3;
use merrow_messages::convert::{self, WORLD_FRAME, task as message};
use merrow_messages::msg::TaskInfo;
use merrow_messages::msg::ros_gz_interfaces::{Float32Array, StringVec};
use merrow_model::scene::Scene;
use merrow_model::scene::robot::profile::Profile;
use merrow_model::state::Command;
use merrow_ros2::msg::geometry_msgs::PoseStamped;
use merrow_ros2::msg::std_msgs::{Float32, Float64, String as StringMsg};
use merrow_ros2::msg::vision_msgs::Detection3D;
use merrow_tasks::kinds::wildlife::Conduct;
use merrow_tasks::law::Reports;
use merrow_tasks::{Law, Report, Task};

/// Adds the topics of the task of a world, if it has one.
pub(crate) fn add_topics(scene: &Scene, outputs: &mut Vec<Output>, inputs: &mut Vec<Input>) {
    let Some(task) = scene.task.as_deref() else {
        return;
    };
    let info = Output::status("/task/info", |moment, all| {
        message::info(moment.scene, &all.state, moment.now_ns)
    });
    outputs.push(info.restored_by(|simulation, recorded: &TaskInfo| {
        if let (Some(task), Some(own)) = (&simulation.scene.task, &mut simulation.state.task.0) {
            message::restore(task, own, recorded);
        }
    }));
    outputs.push(Output::status("/task/score", |moment, all| Float64 {
        data: message::of(moment.scene, &all.state).map_or(0.0, |(task, own)| task.score(own)),
    }));
    outputs.push(Output::status("/task/goals", |moment, all| {
        message::goals(moment.scene, &all.state, moment.now_ns)
    }));
    for (name, robot) in &task.robots {
        add_reports(task, name, *robot, inputs);
    }
    let is_vrx = |robot: usize| scene.robots[robot].profile == Some(Profile::Vrx);
    if let Some((_, robot)) = task.robots.iter().find(|(_, robot)| is_vrx(*robot)) {
        add_vrx_topics(task, *robot, outputs, inputs);
    }
}

/// Adds the inputs of the reports of a robot.
fn add_reports(task: &Task, name: &str, robot: usize, inputs: &mut Vec<Input>) {
    let input = match task.law.reports() {
        Reports::None => return,
        Reports::Objects(classes) => {
            let unit = format!(
                "class ({}) and position [m] in the world",
                classes.join(", ")
            );
            let topic = format!("{name}/task/report");
            Input::new(topic, unit, move |_, detection: Detection3D| {
                object_report(&detection).map(|report| Command::Report(robot, report))
            })
        }
        Reports::Words(n) => {
            let topic = format!("{name}/task/words");
            Input::new(topic, format!("{n} words"), move |_, text: StringMsg| {
                let words = text.data.split_whitespace().map(str::to_string);
                Command::Report(robot, Report::Words(words.collect()))
            })
        }
    };
    inputs.push(of_robot(robot, input));
}

/// Returns the input with the robot that counts its rejections.
fn of_robot(robot: usize, input: Input) -> Input {
    Input {
        robot: Some(robot),
        ..input
    }
}

/// Returns the report of a detection: its first hypothesis.
///
/// # Errors
/// It has no hypothesis, or its frame is not the world.
fn object_report(detection: &Detection3D) -> Result<Report, String> {
    let frame = &detection.header.frame_id;
    if !["", WORLD_FRAME].contains(&frame.as_str()) {
        return Err(format!("expected the frame {WORLD_FRAME}, found {frame:?}"));
    }
    let first = detection.results.first();
    let result = first.ok_or("expected a hypothesis with the class, found none")?;
    Ok(Report::Object {
        class: result.hypothesis.class_id.clone(),
        p_W: convert::from_point(&result.pose.pose.position),
    })
}

/// Returns the report of a pose of Virtual RobotX, whose x and y are latitude and longitude [deg] and
/// whose frame is the class.
///
/// # Errors
/// The position is not on the Earth.
fn landmark_report(arrival: Arrival<'_>, landmark: &PoseStamped) -> Result<Report, String> {
    let place = &landmark.pose.position;
    let is_valid = (-90.0..=90.0).contains(&place.x) && (-180.0..=180.0).contains(&place.y);
    if !is_valid {
        return Err(format!(
            "expected a latitude from -90 to 90 and a longitude from -180 to 180 deg, found {} and {}",
            place.x, place.y
        ));
    }
    let origin = &arrival.scene.origin;
    let (latitude, longitude) = (place.x.to_radians(), place.y.to_radians());
    let p = world_from_ecef(origin, ecef(latitude, longitude, origin.altitude));
    Ok(Report::Object {
        class: landmark.header.frame_id.clone(),
        p_W: Vec3::new(p.x, p.y, 0.0),
    })
}

/// Returns an output of a figure of the task as one number.
fn figure(topic: &str, name: &'static str) -> Output {
    Output::status(topic, move |moment, all| Float32 {
        data: message::figures(moment.scene, &all.state, name)
            .first()
            .map_or(0.0, |value| *value as f32),
    })
}

/// Returns an output of the goal of the task.
fn goal(topic: &str) -> Output {
    Output::status(topic, |moment, all| {
        message::geographic_goal(moment.scene, &all.state, moment.now_ns)
    })
}

/// Adds the topics of Virtual RobotX for a task of the robot with the index `robot`.
fn add_vrx_topics(task: &Task, robot: usize, outputs: &mut Vec<Output>, inputs: &mut Vec<Input>) {
    outputs.push(Output::status("/vrx/task/info", |moment, all| {
        message::vrx_info(moment.scene, &all.state, moment.now_ns)
    }));
    match &task.law {
        Law::StationKeeping(_) => outputs.extend([
            goal("/vrx/stationkeeping/goal"),
            figure("/vrx/stationkeeping/pose_error", "pose_error"),
            figure("/vrx/stationkeeping/mean_pose_error", "mean_pose_error"),
        ]),
        Law::Gymkhana(_) => outputs.extend([
            goal("/vrx/gymkhana_blackbox/goal"),
            figure("/vrx/gymkhana_blackbox/pose_error", "pose_error"),
            figure("/vrx/gymkhana_blackbox/mean_pose_error", "mean_pose_error"),
        ]),
        Law::FollowTarget(_) => outputs.extend([
            figure("/vrx/acoustic_tracking/pose_error", "pose_error"),
            figure("/vrx/acoustic_tracking/mean_pose_error", "mean_pose_error"),
        ]),
        Law::Wayfinding(_) => outputs.extend([
            Output::status("/vrx/wayfinding/waypoints", |moment, all| {
                message::geographic_goals(moment.scene, &all.state, moment.now_ns)
            }),
            Output::status("/vrx/wayfinding/min_errors", |moment, all| Float32Array {
                data: message::figures(moment.scene, &all.state, "min_error")
                    .into_iter()
                    .map(|error| error as f32)
                    .collect(),
            }),
            figure("/vrx/wayfinding/mean_error", "mean_error"),
        ]),
        Law::Wildlife(law) => {
            for (k, object) in law.keys.objects.iter().enumerate() {
                let class = match object.conduct {
                    Conduct::Avoid => "crocodile",
                    Conduct::Clockwise => "platypus",
                    Conduct::CounterClockwise => "turtle",
                };
                outputs.push(Output::status(
                    format!("/vrx/wildlife/animal{k}/pose"),
                    move |moment, all| {
                        let object = (k, class);
                        message::geographic_object(moment.scene, &all.state, object, moment.now_ns)
                    },
                ));
            }
        }
        Law::Perception(_) => inputs.push(of_robot(
            robot,
            Input::new(
                "/vrx/perception/landmark",
                "latitude and longitude [deg] as x and y; class as frame_id",
                move |arrival, landmark: PoseStamped| {
                    let report = landmark_report(arrival, &landmark);
                    report.map(|report| Command::Report(robot, report))
                },
            ),
        )),
        Law::Docking(law) if !law.keys.report.is_empty() => inputs.push(of_robot(
            robot,
            Input::new(
                "/vrx/scan_dock_deliver/color_sequence",
                format!("{} words", law.keys.report.len()),
                move |_, words: StringVec| Command::Report(robot, Report::Words(words.data)),
            ),
        )),
        // tasks without topics of their own there
        Law::Gates(_)
        | Law::Docking(_)
        | Law::Waypoints(_)
        | Law::PathFollowing(_)
        | Law::Inspection(_)
        | Law::PickAndPlace(_)
        | Law::AvoidTraffic(_) => {}
    }
}
