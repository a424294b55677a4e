//! Tests of the live view in a real browser, and of the replay of recordings.
//!
//! The page shows the robots and controls the run, and shows a recording. Method: headless Chromium
//! opens the page of a running world and of a bag, driven through the DevTools protocol. All
//! panels, all edits and the recording are part of `test/run slow`. Skipped if Chromium is not
//! installed.

use crate::common::folder::Folder;
use crate::common::python;
use crossbeam_channel::Receiver;
use merrow::input::view::{self, ControlParts, ViewControls};
use merrow::replay::Recording;
use merrow::replay::world::{self, RecordedWorld};
use merrow_math::Vec3;
use merrow_ros2::bag::Bag;
use merrow_ros2::bag::read::read_messages;
use merrow_ros2::cdr::{from_bytes, to_bytes};
use merrow_ros2::message::Message;
use merrow_ros2::msg::nav_msgs::Odometry;
use merrow_ros2::msg::std_msgs::Float64;
use merrow_ros2::qos::Qos;
use merrow_sim::{Pace, Request, Simulation};
use merrow_view::Controls;
use merrow_view::action::ControlAction;
use merrow_world::{Overrides, load_text, load_world};
use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

/// Runs the checks of the page in Chromium, with options that select them.
fn check_page(options: &[&str]) {
    let Some(mut command) = python::script("view/page.py") else {
        return;
    };
    command.args(options);
    command.args(["--binary", env!("CARGO_BIN_EXE_merrow")]);
    let status = command.status().expect("python starts");
    assert!(status.success(), "{status}");
}

#[test]
fn page_shows_and_controls_a_run_in_chromium() {
    check_page(&[]);
}

#[test]
#[ignore = "takes minutes; test/run slow"]
fn every_panel_and_recording_in_chromium() {
    check_page(&["--complete"]);
}

// A page can command every actuator of every robot. Method: the commands at both ends of the range
// of each actuator reach the run; sailing boats, gliders and arms, which have no topic of
// velocities, have actuators.
#[test]
fn every_actuator_can_be_commanded() {
    let models = merrow_world::catalogue::bundled_models().into_iter();
    for robot in models
        .filter(|model| !model.is_prop)
        .map(|model| model.name)
    {
        let text = format!("robots: {{r: {{model: {robot}}}}}");
        let world = load_text("w.yaml", &text, Overrides::default()).expect("a world");
        let simulation = Simulation::new(Arc::new(world.scene), 1).expect("a simulation");
        let (controls, received) = controls_of(&simulation);
        let actuators = controls.of_robot(0).actuators;
        let names: HashSet<&str> = actuators.iter().map(|own| own.name.as_str()).collect();
        assert_eq!(names.len(), actuators.len(), "{robot}");
        let least = match robot.as_str() {
            "sailboat" => 2,
            "seawing" => 3,
            "osu_uvms" => 10,
            _ => 1,
        };
        assert!(actuators.len() >= least, "{robot}: {actuators:?}");
        for own in &actuators {
            for value in own.range {
                let action = ControlAction::Actuator {
                    robot: "r".to_string(),
                    actuator: own.name.clone(),
                    value,
                };
                let what = format!("{robot}, {}: {value} {}", own.name, own.unit);
                let answer = move |done: Result<String, String>| {
                    assert_eq!(done, Ok(String::new()), "{what}");
                };
                controls.request(action, Box::new(answer));
                match received.try_recv().expect("a request") {
                    Request::CommandReply(_, _, Some(_), reply) => reply.send(Ok(())),
                    other => panic!("{other:?}"),
                }
            }
        }
    }
}

/// Returns the controls of a simulation, and the requests that they send.
fn controls_of(simulation: &Simulation) -> (ViewControls, Receiver<Request>) {
    let (requests, received) = crossbeam_channel::unbounded();
    let parameters = view::standalone_parameters(simulation, Pace::Max, &requests);
    let parts = ControlParts {
        requests,
        parameters: parameters.expect("parameters"),
        editor: None,
        recorder: None,
        network: None,
    };
    (ViewControls::new(simulation, parts), received)
}

/// Loads a bundled world.
fn bundled(world: &str) -> Simulation {
    let path = merrow_world::data_dir::world_file(world);
    let world = load_world(&path, Overrides::default()).unwrap_or_else(|e| panic!("{e}"));
    Simulation::new(Arc::new(world.scene), 1).expect("a simulation")
}

// A page offers goals for each robot that can take them, and the reason for another robot. Method:
// all robots of worlds with each kind of firmware and without firmware.
#[test]
fn robots_take_goals_or_give_the_reason() {
    for (name, takers) in [
        ("harbour", &["wamv", "heron", "otter"][..]),
        ("riverwatch", &["usv", "uav"]),
        ("every_sensor", &["boat", "rov"]),
        ("sailing", &["boat"]),
    ] {
        let simulation = bundled(name);
        let (controls, _received) = controls_of(&simulation);
        for (k, robot) in simulation.scene.robots.iter().enumerate() {
            let own = controls.of_robot(k);
            let takes = takers.contains(&robot.name.as_str());
            assert_eq!(own.goal.is_some(), takes, "{name}: {}", robot.name);
            assert_eq!(own.no_goal.is_none(), takes, "{name}: {}", robot.name);
        }
    }
}

// The boats whose firmware follows velocities move to a goal of the page. Method: goals 15 m ahead
// in the world `harbour`. Tolerance: the acceptance radius of 4 m (WAM-V) and the mean drift after
// it.
#[test]
fn boats_of_the_harbour_move_to_goals() {
    let mut simulation = bundled("harbour");
    let (controls, received) = controls_of(&simulation);
    let names: Vec<String> = simulation
        .scene
        .robots
        .iter()
        .map(|r| r.name.clone())
        .collect();
    let place = |s: &Simulation, k: usize| s.state.robots[k].motion.p_WB;
    let goals: Vec<Vec3> = (0..names.len())
        .map(|k| {
            let ahead = simulation.state.robots[k].motion.q_WB.matrix().col(0);
            place(&simulation, k) + ahead.scale(15.0)
        })
        .collect();
    for (robot, goal) in names.iter().zip(&goals) {
        let action = ControlAction::Goal {
            robot: robot.clone(),
            position: goal.to_array(),
            yaw_deg: None,
        };
        controls.request(action, Box::new(|done| assert_eq!(done, Ok(String::new()))));
        match received.try_recv().expect("a request") {
            Request::CommandReply(_, command, _, reply) => {
                reply.send(simulation.apply(&command));
            }
            other => panic!("{other:?}"),
        }
    }
    while simulation.time_ns() < 40_000_000_000 {
        simulation.advance(100);
    }
    for (k, (robot, goal)) in names.iter().zip(&goals).enumerate() {
        let left = place(&simulation, k) - *goal;
        let distance = libm::hypot(left.x, left.y);
        assert!(distance < 5.0, "{robot}: {distance} m");
    }
}

// A goal in the seabed is refused before it is sent. Method: heights below and above the seabed of
// 6 m.
#[test]
fn goals_in_the_seabed_are_refused() {
    let text = "seabed: {depth_m: 6}\nrobots: {rov: {model: bluerov2}}";
    let world = load_text("w.yaml", text, Overrides::default()).expect("a world");
    let simulation = Simulation::new(Arc::new(world.scene), 1).expect("a simulation");
    let (controls, received) = controls_of(&simulation);
    for (height, is_sent) in [(-6.1, false), (-5.9, true)] {
        let action = ControlAction::Goal {
            robot: "rov".to_string(),
            position: [0.0, 0.0, height],
            yaw_deg: None,
        };
        let check = move |done: Result<String, String>| match done {
            Ok(_) => assert!(is_sent),
            Err(why) => assert!(!is_sent && why.contains("below the seabed"), "{why}"),
        };
        controls.request(action, Box::new(check));
        assert_eq!(received.try_recv().is_ok(), is_sent);
    }
}

/// Records a world with the program for a simulated time [s]; returns the bag.
fn record(folder: &Folder, world: &str, seconds: &str) -> PathBuf {
    let done = Command::new(env!("CARGO_BIN_EXE_merrow"))
        .args(["run", world, "--no-ros", "--pace", "max", "--for", seconds])
        .args(["--record", "run"])
        .current_dir(&folder.0)
        .output()
        .expect("merrow starts");
    let errors = String::from_utf8_lossy(&done.stderr);
    assert!(done.status.success(), "{errors}");
    folder.0.join("run/run_0.mcap")
}

/// Compares the poses of a recording with its true odometry, at many times in a scrambled order.
fn check_poses(bag: &Path) {
    let topics = HashSet::from(["/bluerov2/odometry".to_owned()]);
    let mut recording = Recording::open(bag, None).expect("a recording");
    let messages = read_messages(bag, &topics).expect("a bag");
    assert!(messages.len() > 20, "{} messages", messages.len());
    let n = messages.len();
    for k in 0..n {
        // 7 has no common factor with the number of messages but 7 itself
        let message = &messages[k * 7 % n];
        let odometry: Odometry = from_bytes(&message.cdr).expect("odometry");
        let stamp = &odometry.header.stamp;
        let time = f64::from(stamp.sec) + f64::from(stamp.nanosec) * 1e-9;
        if !(0.05..3.95).contains(&time) {
            // before the first or after the last transform
            continue;
        }
        recording.show(time).expect("a state");
        let motion = &recording.simulation.state.robots[0].motion;
        let (p, v) = (odometry.pose.pose.position, odometry.twist.twist.linear);
        let error = motion.p_WB - Vec3::new(p.x, p.y, p.z);
        assert!(error.norm() < 2e-4, "{time} s: {error:?}");
        let error = motion.V_WB_B.v - Vec3::new(v.x, v.y, v.z);
        assert!(error.norm() < 0.02, "{time} s: {error:?}");
        let shown = recording.simulation.time_ns() as f64 * 1e-9;
        assert!((shown - time).abs() < 1e-6, "{time} s: {shown} s");
    }
}

// A replay shows the recorded state of any time. Method: poses and velocities of a vehicle in waves
// against its true odometry, forward and backward, with and without the summary of the bag.
// Tolerance: 0.2 mm and 20 mm/s, the curvature of the path between two transforms 20 ms apart.
#[test]
fn recorded_poses_are_shown_at_any_time() {
    let folder = Folder::new("replay", &[]);
    let bag = record(&folder, "waves", "4");
    check_poses(&bag);
    let bytes = std::fs::read(&bag).expect("a bag");
    let cut = folder.0.join("cut.mcap");
    std::fs::write(&cut, &bytes[..bytes.len() - 60]).expect("a file");
    check_poses(&cut);
    std::fs::write(&cut, &bytes[..bytes.len() / 2]).expect("a file");
    let mut recording = Recording::open(&cut, None).expect("a recording");
    assert!(!recording.notes.is_empty());
    let [start, end] = recording.bounds_s();
    assert!(start < 0.1 && (1.0..3.9).contains(&end), "{start} to {end}");
    recording.show(end).expect("a state");
    let thrust = recording.simulation.state.robots[0].actuators[0].thrust;
    assert!(thrust.is_finite(), "{thrust}");
}

/// Returns the error of a bag that cannot be shown.
fn replay_error(bag: &Path) -> String {
    let error = Recording::open(bag, None)
        .map(|_| ())
        .expect_err("an error");
    assert!(!error.contains('\n'), "{error}");
    error
}

#[test]
fn bags_that_cannot_be_shown_give_a_remedy() {
    let folder = Folder::new("replay_errors", &[]);
    let missing = replay_error(&folder.0.join("none.mcap"));
    assert!(missing.contains("does not exist; expected"), "{missing}");
    let write = |name: &str, world: Option<&RecordedWorld>| {
        // one bag per folder
        let path = folder.0.join(name).with_extension("").join(name);
        std::fs::create_dir(path.with_file_name("")).expect("a folder");
        let mut bag = Bag::create(&path).expect("a bag");
        if let Some(world) = world {
            let written = bag.write_metadata(world::RECORD, world.to_metadata());
            written.expect("metadata");
        }
        let channel = bag.channel("/x", Float64::info(), &Qos::DEFAULT);
        let bytes = to_bytes(&Float64 { data: 1.0 });
        bag.write(channel.expect("a channel"), 1, 1, &bytes)
            .expect("a message");
        bag.finish().expect("a bag");
        path
    };
    let unknown = replay_error(&write("unknown.mcap", None));
    assert!(unknown.contains("name it with --world"), "{unknown}");
    let mut world = RecordedWorld {
        text: "robots: {rov: {model: bluerov2}}".to_string(),
        ..RecordedWorld::default()
    };
    let poses = replay_error(&write("poses.mcap", Some(&world)));
    assert!(poses.contains("found no poses"), "{poses}");
    world.file = "/nowhere/none.yaml".to_string();
    let file = replay_error(&write("file.mcap", Some(&world)));
    assert!(file.contains("/nowhere/none.yaml does not exist"), "{file}");
}
