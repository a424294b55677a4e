//! Tests of Merrow against programs and libraries of others: message types, bags, DDS peers, and
//! whole runs as separate processes.
//!
//! The peers are Python scripts in this folder, and small C++ programs for Fast DDS: `checks` are
//! the checks of running worlds, `native` those with a client library of ROS 2, `bags` read
//! recordings, `network` disturbs the network, and `worlds` has the world files. `test/run`
//! prepares the environment of the scripts and passes it in `MERROW_PYTHON`. If the variable is
//! missing, these tests fail instead of being skipped unnoticed; `MERROW_SKIP_PEERS=1` skips them
//! with a message. They must not run at the same time, because each would attribute the load of the
//! others to Merrow.

mod dds_peers;
mod images;
mod large_samples;
mod sensor_load;

use crate::common::folder::Folder;
use parking_lot::{Mutex, MutexGuard};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use merrow::node::bridge::Bridge;
use merrow::topics::Plan;
use merrow_ros2::msg;
use merrow_sim as sim;
use merrow_sim::{Pace, Simulation};
use merrow_world::{Overrides, data_dir, load_world};

/// Lock: one peer at a time.
static PEER_LOCK: Mutex<()> = Mutex::new(());

/// Returns a script of this folder as a command and the lock for running it; `None` if peers are
/// skipped.
fn script(name: &str) -> Option<(Command, MutexGuard<'static, ()>)> {
    let command = crate::common::python::script(&format!("ros/{name}"))?;
    Some((command, PEER_LOCK.lock()))
}

/// Runs a peer to its end and prints its output if it reports an error.
fn expect_success(mut command: Command) {
    let output = command
        .output()
        .unwrap_or_else(|e| panic!("{command:?} does not start: {e}"));
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    println!("{}", text(&output.stdout));
    assert!(
        output.status.success(),
        "{command:?} found fault:\n{}{}",
        text(&output.stdout),
        text(&output.stderr)
    );
}

/// Returns samples of every message and service type of ROS and of Merrow.
fn all_types() -> serde_json::Value {
    let messages = [msg::catalogue(), merrow_messages::msg::catalogue()].concat();
    let services = [msg::services(), merrow_messages::msg::services()].concat();
    crate::samples::catalogue_json(crate::samples::samples(messages), services)
}

/// Declarations, hashes and bytes of all message types, against rosbags and ros2-pyterfaces.
#[test]
fn message_types_match_ros() {
    let Some((mut command, _lock)) = script("messages.py") else {
        return;
    };
    let folder = Folder::new("messages", &[]);
    let file = folder.0.join("catalogue.json");
    std::fs::write(&file, all_types().to_string()).unwrap();
    expect_success({
        command.arg(file);
        command
    });
}

/// Records two seconds of the world `pool` into a bag. Two independent readers read all of it, and,
/// if it is truncated at any position, all messages up to there.
#[test]
fn bags_are_read_by_others() {
    let Some((mut command, _lock)) = script("bags/bag.py") else {
        return;
    };
    let folder = Folder::new("bag", &[]);
    let bag = folder.0.join("run");
    let world = load_world(&data_dir::world_file("pool"), Overrides::default()).unwrap();
    let scene = Arc::new(world.scene);
    let mut simulation = Simulation::new(Arc::clone(&scene), 1).unwrap();
    let mut bridge = Bridge::without_node(&simulation).unwrap();
    bridge.record(bag).unwrap();
    let (_sender, requests) = crossbeam_channel::unbounded();
    let stop = AtomicBool::new(false);
    sim::run(
        &mut simulation,
        Pace::Max,
        Some(2.0),
        &requests,
        &mut [&mut bridge],
        &stop,
    );
    bridge.stop_recording().unwrap();
    // From 0 to 2 s; the last IMU sample is still in transit.
    let expected = [
        "imu/data=200",
        "odometry=101",
        "magnetometer/data=101",
        "robot_description=1",
    ];
    command.arg(std::fs::canonicalize(find_mcap(&folder.0)).unwrap());
    command.args(expected.map(|e| format!("--expect=/bluerov2/{e}")));
    command.args([
        "--expect=/clock=200",
        "--expect=/tf_static=1",
        "--at-least=/diagnostics=1",
    ]);
    expect_success(command);
}

/// Records `seconds` of the world `name`.yaml and has `name`.py read the bag.
fn recorded_and_read(name: &str, seconds: &str) {
    let Some((mut command, _lock)) = script(&format!("bags/{name}.py")) else {
        return;
    };
    let folder = Folder::new(name, &[]);
    let world = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("test/ros/worlds/{name}.yaml"));
    let mut merrow = Command::new(env!("CARGO_BIN_EXE_merrow"));
    merrow
        .arg("run")
        .arg(world)
        .args(["--no-ros", "--pace", "max", "--for", seconds, "--record"]);
    merrow.arg(folder.0.join("run"));
    expect_success(merrow);
    command.arg(find_mcap(&folder.0).parent().unwrap());
    expect_success(command);
}

/// Scans and clouds in a bag, read as by their users.
#[test]
fn lasers_are_read_by_others() {
    recorded_and_read("lasers", "2");
}

/// Pings of all kinds of sonars in a bag, read as by their users.
#[test]
fn sonars_are_read_by_others() {
    recorded_and_read("sonars", "2");
}

/// Output of positioning instruments, detectors, a radar and an AIS receiver in a bag, read as by
/// their users.
#[test]
fn positions_are_read_by_others() {
    recorded_and_read("positions", "6");
}

/// Camera images in a bag, read as by their users.
#[test]
fn camera_images_are_read_by_others() {
    recorded_and_read("cameras", "2");
}

/// Returns the only bag in a folder or in its subfolders.
fn find_mcap(folder: &Path) -> PathBuf {
    let mut folders = vec![folder.to_path_buf()];
    while let Some(folder) = folders.pop() {
        for path in std::fs::read_dir(folder)
            .unwrap()
            .map(|entry| entry.unwrap().path())
        {
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|e| e == "mcap") {
                return path;
            }
        }
    }
    panic!("no bag was written")
}

/// Joint groups have exactly the ros2_control interfaces that their drives support.
#[test]
fn arms_have_the_interfaces_of_ros2_control() {
    let names = |world: &Path| {
        let plan = Plan::new(&load_world(world, Overrides::default()).unwrap().scene);
        let of_group = |topic: &String| topic.contains("_controller/");
        let topics = plan
            .outputs
            .into_iter()
            .map(|o| o.topic)
            .chain(plan.inputs.into_iter().map(|i| i.topic));
        let all = topics
            .chain(plan.actions.into_iter().map(|a| a.name))
            .filter(of_group);
        all.collect::<Vec<_>>().join(" ").replace("_controller", "")
    };
    // Four ideal position drives.
    assert_eq!(
        names(&data_dir::world_file("uvms_pool")),
        "uvms/arm/controller_state uvms/arm/joint_trajectory uvms/arm_position/commands \
         uvms/arm/follow_joint_trajectory"
    );
    // The same arm with its servos.
    assert_eq!(
        names(&data_dir::world_file("uvms_pool_servo")),
        "uvms/arm/controller_state uvms/arm/joint_trajectory uvms/arm_position/commands uvms/arm_velocity/commands \
         uvms/arm_effort/commands uvms/arm/follow_joint_trajectory"
    );
    // Servos and a gripper.
    let bench = Path::new(env!("CARGO_MANIFEST_DIR")).join("test/ros/worlds/arm.yaml");
    assert_eq!(
        names(&bench),
        "bench/arm/controller_state bench/gripper/controller_state bench/arm/joint_trajectory \
         bench/arm_position/commands bench/arm_velocity/commands bench/arm_effort/commands \
         bench/gripper/joint_trajectory bench/gripper_position/commands bench/gripper_velocity/commands \
         bench/gripper_effort/commands bench/arm/follow_joint_trajectory bench/gripper/follow_joint_trajectory \
         bench/gripper/gripper_cmd bench/gripper_parallel/gripper_cmd"
    );
    // Without joints there are no joint groups.
    assert_eq!(names(&data_dir::world_file("pool")), "");
}

/// Runs the program as its users run it, with options that select the checks.
fn check_program(options: &[&str]) {
    let Some((mut command, _lock)) = script("end_to_end.py") else {
        return;
    };
    command.args(options);
    command.args(["--binary", env!("CARGO_BIN_EXE_merrow")]);
    expect_success(command);
}

/// Topics, services, parameters and devices of a running program.
#[test]
fn end_to_end() {
    check_program(&[]);
}

/// The same, and the checks that take long.
#[test]
#[ignore = "takes minutes; test/run slow"]
fn end_to_end_complete() {
    check_program(&["--complete"]);
}

/// Simulated time follows wall time.
#[test]
#[ignore = "compares with wall time, so no other program may run; test/run slow"]
fn end_to_end_pace() {
    check_program(&["--pace"]);
}
