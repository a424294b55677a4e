//! Conversion of the task of a world to messages: Merrow's own, and those of Virtual RobotX.

use crate::convert::{WORLD_FRAME, header, point, pose, time};
use crate::msg::ros_gz_interfaces::ParamVec;
use crate::msg::{TaskEvent, TaskInfo, TaskScore};
use merrow_environment::geodesy::geodetic_from_world;
use merrow_math::{Quat, Vec3};
use merrow_model::scene::{Origin, Scene};
use merrow_model::state::State;
use merrow_ros2::msg::builtin_interfaces::Time;
use merrow_ros2::msg::geometry_msgs::{Pose, PoseArray, PoseStamped};
use merrow_ros2::msg::rcl_interfaces::{Parameter, ParameterValue};
use merrow_tasks::law::{Anchor, Better};
use merrow_tasks::{Event, Phase, RecordedParts, RobotRun, Task, TaskState};

/// Type of a parameter value (`rcl_interfaces/msg/ParameterType`).
mod parameter_type {
    pub(super) const BOOL: u8 = 1;
    pub(super) const INTEGER: u8 = 2;
    pub(super) const DOUBLE: u8 = 3;
    pub(super) const STRING: u8 = 4;
}

/// Returns the task of a scene with its state.
pub fn of<'a>(scene: &'a Scene, state: &'a State) -> Option<(&'a Task, &'a TaskState)> {
    Some((scene.task.as_deref()?, state.task.0.as_ref()?))
}

/// Returns the position of an anchor in W [m].
pub fn position(anchor: Anchor, state: &State) -> Vec3 {
    match anchor {
        Anchor::Fixed(p) => p,
        Anchor::Body(body) => state.robots[body].motion.p_WB,
        Anchor::OnBody(body, p_BoA) => {
            let motion = &state.robots[body].motion;
            motion.p_WB + motion.q_WB.matrix().mul_vec(p_BoA)
        }
    }
}

/// Builds the message about the task at `now_ns` [ns]; an empty one without a task.
pub fn info(scene: &Scene, state: &State, now_ns: u64) -> TaskInfo {
    let head = header(now_ns, WORLD_FRAME);
    let Some((task, own)) = of(scene, state) else {
        return TaskInfo {
            header: head,
            ..TaskInfo::default()
        };
    };
    let [elapsed_time, remaining_time] = task.times(own, now_ns);
    let [ready, running, _] = task.phase_times(own);
    let robots = task.robots.iter().zip(&own.robots);
    let events = own.events.iter().map(|event| TaskEvent {
        stamp: time(event.time_ns),
        robot: event
            .robot
            .map_or_else(String::new, |k| task.robots[k as usize].0.clone()),
        event: event.text.clone(),
    });
    TaskInfo {
        header: head,
        name: task.name.clone(),
        kind: task.law.kind().to_string(),
        phase: own.phase as u8,
        ready_time: ready as f64 * 1e-9,
        running_time: running as f64 * 1e-9,
        elapsed_time,
        remaining_time,
        timed_out: own.timed_out,
        score: task.score(own),
        higher_is_better: task.law.better() == Better::Higher,
        robots: robots
            .map(|((name, _), run)| robot_score(task, name, run, state))
            .collect(),
        events: events.collect(),
    }
}

fn robot_score(task: &Task, name: &str, run: &RobotRun, state: &State) -> TaskScore {
    let progress = task.progress(run);
    let next = progress.next.filter(|_| run.finished_ns.is_none());
    let next = next.map_or(Vec3::new(f64::NAN, f64::NAN, f64::NAN), |next| {
        position(next, state)
    });
    let (mut figures, mut values) = (Vec::new(), Vec::new());
    task.law.figures(&run.law, &mut |figure, value| {
        figures.push(figure.to_string());
        values.push(value);
    });
    TaskScore {
        robot: name.to_string(),
        score: task.robot_score(run),
        penalty: run.penalties(),
        collisions: run.collisions,
        finished: run.finished_ns.is_some(),
        done: progress.done as u32,
        parts: progress.total as u32,
        next: point(next),
        figures,
        values,
    }
}

/// Returns the places of all parts of the task in W [m] with the headings [rad].
fn places(task: &Task, state: &State) -> Vec<(Vec3, f64)> {
    let markers = task.law.markers();
    let places = markers.iter().flat_map(|marker| {
        let yaw = marker.yaw.unwrap_or(0.0);
        marker
            .points
            .iter()
            .map(move |anchor| (position(*anchor, state), yaw))
    });
    places.collect()
}

/// Builds the message with the places of all parts of the task; the world is their frame.
pub fn goals(scene: &Scene, state: &State, now_ns: u64) -> PoseArray {
    let places = of(scene, state).map_or_else(Vec::new, |(task, _)| places(task, state));
    let poses = places.into_iter();
    PoseArray {
        header: header(now_ns, WORLD_FRAME),
        poses: poses
            .map(|(p, yaw)| pose(p, Quat::from_rpy(0.0, 0.0, yaw)))
            .collect(),
    }
}

/// Returns a pose as Virtual RobotX has it: latitude and longitude [deg] in place of x and y.
fn geographic(origin: &Origin, p: Vec3, yaw: f64) -> Pose {
    let [latitude, longitude, _] = geodetic_from_world(origin, p);
    let place = Vec3::new(latitude.to_degrees(), longitude.to_degrees(), 0.0);
    pose(place, Quat::from_rpy(0.0, 0.0, yaw))
}

/// Builds the message of Virtual RobotX with the places of all parts of the task.
pub fn geographic_goals(scene: &Scene, state: &State, now_ns: u64) -> PoseArray {
    let places = of(scene, state).map_or_else(Vec::new, |(task, _)| places(task, state));
    let poses = places.into_iter();
    PoseArray {
        header: header(now_ns, ""),
        poses: poses
            .map(|(p, yaw)| geographic(&scene.origin, p, yaw))
            .collect(),
    }
}

/// Builds the message of Virtual RobotX with the place of the last part of the task, its goal.
pub fn geographic_goal(scene: &Scene, state: &State, now_ns: u64) -> PoseStamped {
    let poses = geographic_goals(scene, state, now_ns);
    PoseStamped {
        header: poses.header,
        pose: poses.poses.into_iter().next_back().unwrap_or_default(),
    }
}

/// Builds the message of Virtual RobotX with the place of part `k` of the task, whose class is in the
/// frame of the header.
pub fn geographic_object(
    scene: &Scene,
    state: &State,
    (k, class): (usize, &str),
    now_ns: u64,
) -> PoseStamped {
    let poses = geographic_goals(scene, state, now_ns);
    PoseStamped {
        header: header(now_ns, class),
        pose: poses.poses.into_iter().nth(k).unwrap_or_default(),
    }
}

/// Builds the message of Virtual RobotX about the state of the task.
pub fn vrx_info(scene: &Scene, state: &State, now_ns: u64) -> ParamVec {
    let text = |value: &str| ParameterValue {
        r#type: parameter_type::STRING,
        string_value: value.to_string(),
        ..ParameterValue::default()
    };
    let number = |value: f64| ParameterValue {
        r#type: parameter_type::DOUBLE,
        double_value: value,
        ..ParameterValue::default()
    };
    let Some((task, own)) = of(scene, state) else {
        return ParamVec::default();
    };
    let [elapsed, remaining] = task.times(own, now_ns);
    let [ready, running, _] = task.phase_times(own).map(|ns| ns as f64 * 1e-9);
    let collisions: u32 = own.robots.iter().map(|run| run.collisions).sum();
    let params = [
        ("name", text(&task.name)),
        ("state", text(own.phase.keyword())),
        ("ready_time", number(ready)),
        ("running_time", number(running)),
        ("elapsed_time", number(elapsed)),
        ("remaining_time", number(remaining)),
        (
            "timed_out",
            ParameterValue {
                r#type: parameter_type::BOOL,
                bool_value: own.timed_out,
                ..ParameterValue::default()
            },
        ),
        (
            "num_collisions",
            ParameterValue {
                r#type: parameter_type::INTEGER,
                integer_value: i64::from(collisions),
                ..ParameterValue::default()
            },
        ),
        ("score", number(task.score(own))),
    ];
    let params = params.into_iter();
    ParamVec {
        header: header(now_ns, ""),
        params: params
            .map(|(name, value)| Parameter {
                name: name.to_string(),
                value,
            })
            .collect(),
    }
}

/// Returns the figures of the first robot with this name, each in the unit of the figure.
pub fn figures(scene: &Scene, state: &State, wanted: &str) -> Vec<f64> {
    let mut found = Vec::new();
    if let Some((task, own)) = of(scene, state)
        && let Some(run) = own.robots.first()
    {
        task.law.figures(&run.law, &mut |name, value| {
            if name == wanted {
                found.push(value);
            }
        });
    }
    found
}

/// Returns a time of a message [ns]; 0 for a time before the start.
fn nanoseconds(time: &Time) -> u64 {
    let seconds = u64::try_from(time.sec).unwrap_or(0);
    seconds * 1_000_000_000 + u64::from(time.nanosec)
}

/// Sets the phase, the scores, the parts that are done and the events of a replay from a recorded message.
pub fn restore(task: &Task, own: &mut TaskState, message: &TaskInfo) {
    own.phase = match message.phase {
        TaskInfo::READY => Phase::Ready,
        TaskInfo::RUNNING => Phase::Running,
        TaskInfo::FINISHED => Phase::Finished,
        _ => Phase::Initial,
    };
    own.timed_out = message.timed_out;
    let events = message.events.iter().map(|event| Event {
        time_ns: nanoseconds(&event.stamp),
        robot: task
            .robots
            .iter()
            .position(|(name, _)| *name == event.robot)
            .map(|k| k as u32),
        text: event.event.clone(),
    });
    own.events = events.take(Event::MAX).collect();
    for (run, recorded) in own.robots.iter_mut().zip(&message.robots) {
        let is_lower = task.law.better() == Better::Lower;
        run.penalty = if is_lower { recorded.penalty } else { 0.0 };
        run.time_penalty = 0.0;
        run.score = recorded.score - run.penalty;
        run.collisions = recorded.collisions;
        let stamp = || nanoseconds(&message.header.stamp);
        run.finished_ns = recorded
            .finished
            .then(|| run.finished_ns.unwrap_or_else(stamp));
        let next = Vec3::new(recorded.next.x, recorded.next.y, recorded.next.z);
        run.recorded = Some(RecordedParts {
            done: recorded.done,
            next: next.is_finite().then_some(next),
        });
    }
}
