//! Tasks of worlds with a boat that moves uniformly at 1 m/s to the east, whose scores have a closed
//! form; their topics, and the reports that they accept.

mod solutions;

use merrow::topics::{Content, Output, Plan};
use merrow_math::Vec3;
use merrow_messages::msg::TaskInfo;
use merrow_messages::msg::ros_gz_interfaces::{Float32Array, ParamVec};
use merrow_model::scene::robot::profile::Profile;
use merrow_model::state::Command;
use merrow_ros2::cdr::from_bytes;
use merrow_ros2::message::Message;
use merrow_sim::Simulation;
use merrow_tasks::{Phase, Report};
use merrow_world::{Overrides, load_text};
use std::sync::Arc;

/// A body without forces.
const BODY: &str = "source: test, axes: flu, mass_kg: 10, volume_m3: 0.01, \
    inertia_kg_m2: {xx: 1, yy: 1, zz: 1}";
/// Shape of a body.
const SHAPE: &str = "collisions: {hull: {kind: sphere, radius_m: 0.5}}";

/// Returns a world with the boat, a prop beside it that moves with it, an actor, two buoys, and a
/// task with these keys.
fn world(task: &str) -> String {
    format!(
        "step: {{dt_s: 0.01}}
gravity_m_s2: 0
seabed: {{depth_m: 50}}
robots:
  boat: {{velocity_m_s: [1, 0, 0], model: {{source: test, body: {{{BODY}}}}}}}
props:
  crate: {{position_m: [0, 3, 0], velocity_m_s: [1, 0, 0], body: {{{BODY}, {SHAPE}}}}}
actors:
  ship: {{waypoints_m: [[0, 5, 0], [100, 5, 0]], speed_m_s: 1, floats: false, body: {{{BODY}, {SHAPE}}}}}
structures:
  left: {{position_m: [6, 5, 0], shapes: {{buoy: {{kind: sphere, radius_m: 0.5}}}}}}
  right: {{position_m: [6, -5, 0], shapes: {{buoy: {{kind: sphere, radius_m: 0.5}}}}}}
task: {{{task}}}
"
    )
}

fn simulation(task: &str, profile: Option<Profile>) -> Simulation {
    let overrides = Overrides {
        profile,
        ..Overrides::default()
    };
    let loaded = load_text("w.yaml", &world(task), overrides);
    let loaded = loaded.unwrap_or_else(|problems| panic!("{problems}"));
    Simulation::new(Arc::new(loaded.scene), 1).expect("a simulation")
}

/// Runs the task for 12 s and returns its score.
fn score(task: &str) -> f64 {
    let mut s = simulation(task, None);
    s.advance(1200);
    let (task, own) = (
        s.scene.task.as_ref().unwrap(),
        s.state.task.0.as_ref().unwrap(),
    );
    assert_eq!(own.phase, Phase::Finished, "{own:?}");
    let result = task.result(own, s.time_ns());
    assert_eq!(result["score"], task.score(own));
    task.score(own)
}

// every kind of task
#[test]
fn scores_equal_their_closed_forms() {
    let seconds = "running_duration_s: 10";
    for (task, expected) in [
        // mean of 10 - t at t = 0, 0.02, ..., 9.98
        (
            "kind: station_keeping, goal: {position_m: [10, 0, 0]}",
            5.01,
        ),
        (
            "kind: wayfinding, waypoints: [{position_m: [3, 4, 0]}, {position_m: [20, 0, 0]}]",
            (4.0 + 10.02) / 2.0,
        ),
        (
            "kind: waypoints, radius_m: 1, waypoints: [{position_m: [0.5, 0, 0]}, {position_m: [6, 0.5, 0]}]",
            20.0,
        ),
        (
            "kind: gates, gates: [{left: {position_m: [3, 5, 0]}, right: {position_m: [3, -5, 0]}}, \
          {left: {object: left}, right: {object: right}}]",
            22.0,
        ),
        // mean of |5 - t|
        (
            "kind: gymkhana, goal: {position_m: [5, 0, 0]}, \
          gates: [{left: {position_m: [3, 5, 0]}, right: {position_m: [3, -5, 0]}}]",
            2.5,
        ),
        ("kind: path_following, path_m: [[0, 1, 0], [8, 1, 0]]", 1.0),
        (
            "kind: inspection, range_m: 6, view: [0, 0, -1], object: {kind: line, path_m: [[0, 0, -5], [8, 0, -5]]}",
            100.0,
        ),
        (
            "kind: docking, bays: {berth: {dock_time_s: 2, zone: {position_m: [5, 0, 0], size_m: [4, 2, 2]}, \
          entrance: {position_m: [8, 0, 0], size_m: [2, 2, 2]}}}",
            20.0,
        ),
        (
            "kind: pick_and_place, max_speed_m_s: 2, objects: [{object: crate, position_m: [5, 3, 0], radius_m: 1.5}]",
            30.0,
        ),
        (
            "kind: perception, objects: [{object: left, class: buoy}, {object: right, class: buoy}]",
            10.0,
        ),
        ("kind: follow_target, target: crate, distance_m: 1", 2.0),
        // the time of the last tick, and one avoided object
        (
            "kind: wildlife, objects: [{object: left, conduct: clockwise}, {position_m: [0, 60, 0], conduct: avoid}]",
            9.98 - 30.0,
        ),
        (
            "kind: avoid_traffic, goal: {position_m: [8, 0, 0]}, radius_m: 1, safe_distance_m: 4, collision_distance_m: 1, traffic: [ship]",
            100.0,
        ),
    ] {
        let found = score(&format!("robots: [boat], {seconds}, {task}"));
        assert!(
            (found - expected).abs() < 1e-6,
            "{task}: {found}, expected {expected}"
        );
    }
}

#[test]
fn collisions_with_structures_cost_their_penalty() {
    let task = "robots: [boat], running_duration_s: 10, collisions: {penalty: 1}, kind: station_keeping, \
        goal: {position_m: [10, 0, 0]}";
    let plain = score(task);
    let with_shape = world(task)
        .replacen("axes: flu,", &format!("axes: flu, {SHAPE},"), 1)
        .replace("position_m: [6, 5, 0]", "position_m: [6, 0, 0]");
    let loaded = load_text("w.yaml", &with_shape, Overrides::default());
    let loaded = loaded.unwrap_or_else(|problems| panic!("{problems}"));
    let mut s = Simulation::new(Arc::new(loaded.scene), 1).unwrap();
    s.advance(1200);
    let (task, own) = (
        s.scene.task.as_ref().unwrap(),
        s.state.task.0.as_ref().unwrap(),
    );
    assert!(own.robots[0].collisions >= 1, "{own:?}");
    assert!(
        own.events
            .iter()
            .any(|event| event.text == "collision with left")
    );
    assert!(task.score(own) > plain + 1.0);
}

#[test]
fn several_robots_are_scored_each_on_its_own() {
    let task = "robots: [boat, tug], total: best, running_duration_s: 10, kind: station_keeping, \
        goal: {position_m: [10, 0, 0]}";
    let two = world(task).replace(
        "props:",
        &format!(
            "  tug: {{position_m: [0, 20, 0], model: {{source: test, body: {{{BODY}}}}}}}\nprops:"
        ),
    );
    let loaded = load_text("w.yaml", &two, Overrides::default()).unwrap();
    let mut s = Simulation::new(Arc::new(loaded.scene), 1).unwrap();
    s.advance(1200);
    let (task, own) = (
        s.scene.task.as_ref().unwrap(),
        s.state.task.0.as_ref().unwrap(),
    );
    let scores: Vec<f64> = own.robots.iter().map(|run| task.robot_score(run)).collect();
    assert!((scores[0] - 5.01).abs() < 1e-6);
    assert!((scores[1] - 500_f64.sqrt()).abs() < 1e-6);
    assert_eq!(task.score(own), scores[0]);
}

const PERCEPTION: &str = "robots: [boat], running_duration_s: 10, kind: perception, objects: [\
    {object: left, class: buoy}, {object: crate, class: crate}]";

#[test]
fn reports_reach_the_task() {
    let mut s = simulation(PERCEPTION, None);
    let report = |class: &str, x, y| {
        let p_W = Vec3::new(x, y, 0.0);
        Command::Report(
            0,
            Report::Object {
                class: class.into(),
                p_W,
            },
        )
    };
    s.advance(200);
    s.apply(&report("buoy", 6.0, 5.6)).expect("a report");
    // the crate moves: at the tick at 2.02 s it is at 2.02 m
    s.apply(&report("crate", 2.02, 3.3)).expect("a report");
    let refused = s.apply(&report("fish", 0.0, 0.0)).unwrap_err();
    assert_eq!(refused.robot, Some(0));
    assert_eq!(
        refused.reason,
        "no class \"fish\"; expected one of buoy, crate".replace('"', "`")
    );
    s.advance(1000);
    let (task, own) = (
        s.scene.task.as_ref().unwrap(),
        s.state.task.0.as_ref().unwrap(),
    );
    assert!((task.score(own) - 0.45).abs() < 1e-6, "{}", task.score(own));
}

/// Returns the message of a status output.
fn status<M: Message>(s: &Simulation, plan: &Plan, topic: &str) -> M {
    let output: &Output = plan.outputs.iter().find(|o| o.topic == topic).expect(topic);
    let Content::Status(encode) = &output.content else {
        panic!("{topic} is no status")
    };
    let status = merrow::node::states::WorldStatus::read(s);
    let moment = merrow::topics::Moment {
        scene: &s.scene,
        now_ns: s.time_ns(),
        has_truth_tf: &|_| true,
    };
    assert_eq!(output.info.name, M::info().name);
    from_bytes(&encode(moment, &status)).expect("a message")
}

#[test]
fn topics_have_the_names_and_types_of_vrx() {
    let task = "robots: [boat], initial_duration_s: 1, ready_duration_s: 1, running_duration_s: 10, \
        kind: wayfinding, waypoints: [{position_m: [3, 4, 0], yaw_deg: 90}, {position_m: [20, 0, 0]}]";
    let mut s = simulation(task, Some(Profile::Vrx));
    s.advance(700);
    let plan = Plan::new(&s.scene);
    let info: ParamVec = status(&s, &plan, "/vrx/task/info");
    let names: Vec<&str> = info.params.iter().map(|p| p.name.as_str()).collect();
    assert_eq!(
        names,
        [
            "name",
            "state",
            "ready_time",
            "running_time",
            "elapsed_time",
            "remaining_time",
            "timed_out",
            "num_collisions",
            "score"
        ]
    );
    assert_eq!(info.params[1].value.string_value, "running");
    assert_eq!(info.params[3].value.double_value, 2.0);
    assert_eq!(info.params[4].value.double_value, 5.0);
    let errors: Float32Array = status(&s, &plan, "/vrx/wayfinding/min_errors");
    assert!((errors.data[1] - 13.0).abs() < 1e-3, "{errors:?}");
    let own: TaskInfo = status(&s, &plan, "/task/info");
    assert_eq!(
        own.robots[0].figures,
        ["mean_error", "min_error", "min_error"]
    );
    assert_eq!([own.phase, TaskInfo::RUNNING], [2, 2]);
    assert_eq!(own.score, info.params[8].value.double_value);
    let types: Vec<(&str, &str)> = plan
        .outputs
        .iter()
        .filter(|output| output.topic.contains("task") || output.topic.contains("vrx/"))
        .map(|output| (output.topic.as_str(), output.info.name))
        .collect();
    assert_eq!(
        types,
        [
            ("/task/info", "merrow_msgs/msg/TaskInfo"),
            ("/task/score", "std_msgs/msg/Float64"),
            ("/task/goals", "geometry_msgs/msg/PoseArray"),
            ("/vrx/task/info", "ros_gz_interfaces/msg/ParamVec"),
            ("/vrx/wayfinding/waypoints", "geometry_msgs/msg/PoseArray"),
            (
                "/vrx/wayfinding/min_errors",
                "ros_gz_interfaces/msg/Float32Array"
            ),
            ("/vrx/wayfinding/mean_error", "std_msgs/msg/Float32"),
        ]
    );
}

// A replay shows a task as its recorded messages have it: phase, scores, events, parts that are done
// and the next part. Method: the message of a run, restored in a simulation that has not run.
#[test]
fn replays_show_the_parts_that_are_done() {
    let task = "robots: [boat], running_duration_s: 20, kind: waypoints, \
        waypoints: [{position_m: [3, 0, 0]}, {position_m: [6, 0, 0]}, {position_m: [50, 0, 0]}]";
    let mut run = simulation(task, None);
    let mut replay = simulation(task, None);
    let plan = Plan::new(&run.scene);
    let info = plan.outputs.iter().find(|o| o.topic == "/task/info");
    let restore = info
        .and_then(|output| output.restore.clone())
        .expect("a replay of the task");
    for done in [0, 2] {
        let recorded: TaskInfo = status(&run, &plan, "/task/info");
        restore(&mut replay, &merrow_ros2::cdr::to_bytes(&recorded));
        let mut shown: TaskInfo = status(&replay, &plan, "/task/info");
        assert_eq!([recorded.robots[0].done, shown.robots[0].done], [done; 2]);
        shown.robots[0]
            .figures
            .clone_from(&recorded.robots[0].figures);
        shown.robots[0]
            .values
            .clone_from(&recorded.robots[0].values);
        assert_eq!(shown.robots, recorded.robots);
        assert_eq!(shown.events, recorded.events);
        run.advance(800);
    }
}

#[test]
fn landmarks_of_vrx_are_reports() {
    use merrow::topics::Arrival;
    use merrow_ros2::cdr::to_bytes;
    use merrow_ros2::msg::geometry_msgs::{PoseArray, PoseStamped};
    let s = simulation(PERCEPTION, Some(Profile::Vrx));
    let plan = Plan::new(&s.scene);
    let input = plan
        .inputs
        .iter()
        .find(|i| i.topic == "/vrx/perception/landmark")
        .unwrap();
    let progress = Default::default();
    let decode = |x: f64, y: f64| {
        let mut message = PoseStamped::default();
        message.header.frame_id = "buoy".to_string();
        (message.pose.position.x, message.pose.position.y) = (x, y);
        let arrival = Arrival {
            scene: &s.scene,
            progress: &progress,
        };
        (input.decode)(arrival, &to_bytes(&message))
    };
    // the position of a waypoint that the simulator publishes
    let station = simulation(
        "robots: [boat], kind: wayfinding, waypoints: [{position_m: [7, 5, 0]}]",
        Some(Profile::Vrx),
    );
    let goals: PoseArray = status(
        &station,
        &Plan::new(&station.scene),
        "/vrx/wayfinding/waypoints",
    );
    let place = &goals.poses[0].position;
    let commands = decode(place.x, place.y).unwrap();
    let Command::Report(0, Report::Object { class, p_W }) = &commands[0] else {
        panic!("{commands:?}")
    };
    assert_eq!(class, "buoy");
    assert!((*p_W - Vec3::new(7.0, 5.0, 0.0)).norm() < 1e-4, "{p_W:?}");
    for (x, y) in [
        (f64::NAN, 0.0),
        (91.0, 0.0),
        (0.0, -181.0),
        (0.0, f64::INFINITY),
    ] {
        assert!(decode(x, y).unwrap_err().contains("expected a latitude"));
    }
}
