//! Tests of checkpoints and of resumed runs.

use crate::common::folder::Folder;
use crate::common::scene;
use merrow_model::persist::{Persist, Reader, to_bytes};
use merrow_model::scene::{Drive, JointMode, Scene, Sensor};
use merrow_model::state::frames::Frame;
use merrow_model::state::{ActuatorCommand, Command, Health, JointCommand, State};
use merrow_sim::Simulation;
use merrow_world::{Overrides, data_dir, load_world};
use rustix::process::{Pid, Signal, kill_process};
use std::fmt::Write;
use std::path::Path;
use std::process::{Child, Command as Process, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// One robot with most kinds of state, in a small sea.
const RICH: &str = "
seabed: {depth_m: 30}
water: {waves: {kind: jonswap, hs_m: 0.5, tp_s: 4, components: 8, direction_deg: 20}}
robots:
  auv:
    position_m: [0, 0, -3]
    model: bluerov2
";

pub(super) fn simulation(scene: &Arc<Scene>, threads: usize) -> Simulation {
    Simulation::new(Arc::clone(scene), threads).expect("a simulation")
}

/// Requests all frames, as a run with listeners does.
pub(super) fn listen(s: &Simulation) {
    for (r, robot) in s.scene.robots.iter().enumerate() {
        for k in 0..robot.sensors.len() {
            if let Some(scheduler) = &s.sensor_scheduler {
                scheduler.request_frames(&s.scene, r, k, true);
            }
        }
    }
}

/// Commands all thrusters to 70 % of their range, all fins to a quarter of theirs, and all joints:
/// an effort of at most 1 N m (or N), or a position 0.1 rad (or m) away.
pub(super) fn drive(s: &mut Simulation) {
    let scene = Arc::clone(&s.scene);
    for (robot, model) in scene.robots.iter().enumerate() {
        let part = |range: [f64; 2], part: f64| range[0] + part * (range[1] - range[0]);
        let mut commands = Vec::new();
        for (thruster, own) in model.thrusters.iter().enumerate() {
            commands.push(Command::Actuator(
                robot,
                ActuatorCommand::Thruster {
                    thruster,
                    value: part(own.motor.range, 0.7),
                },
            ));
        }
        for (fin, own) in model.fins.iter().enumerate() {
            commands.push(Command::Actuator(
                robot,
                ActuatorCommand::Fin {
                    fin,
                    value: part(own.range, 0.25),
                },
            ));
        }
        for (joint, link) in model.links.iter().skip(1).enumerate() {
            let (own, q) = (&link.joint, s.state.robots[robot].motion.q[joint]);
            let (mode, value) = match own.drive {
                Drive::Effort { .. } => (JointMode::Effort, own.max_effort.min(1.0)),
                _ if q + 0.1 < own.limits[1] => (JointMode::Position, q + 0.1),
                _ => (JointMode::Position, q - 0.1),
            };
            commands.push(Command::Joint(
                robot,
                JointCommand::JointWithMode { joint, mode, value },
            ));
        }
        for command in &commands {
            // a firmware that is on refuses it, and a fixed joint
            let _ = s.apply(command);
        }
    }
}

/// Number of joints that are more than 1e-4 rad (or m) from the start.
fn moved_joints(s: &Simulation) -> usize {
    let robots = s.scene.robots.iter().zip(&s.state.robots);
    let changes = robots.flat_map(|(model, own)| model.start.q.iter().zip(&own.motion.q));
    changes
        .filter(|(start, q)| (*q - *start).abs() > 1e-4)
        .count()
}

/// Returns the readings and frames of `steps` steps, in blocks of `block` steps.
pub(super) fn outputs(s: &mut Simulation, steps: u64, block: u64) -> (String, Vec<Frame>) {
    let (mut readings, mut frames, mut left) = (String::new(), Vec::new(), steps);
    while left > 0 {
        let some = block.min(left);
        s.advance(some);
        for (r, runner) in s.runners.iter().enumerate() {
            for d in &runner.outbox {
                // as text: a value that is not available is NaN, which differs from itself
                writeln!(readings, "{r} {} {:?}", d.sensor, d.stamped).expect("a text");
            }
        }
        frames.append(&mut s.frames);
        s.clear_outboxes();
        left -= some;
    }
    let mut lines: Vec<&str> = readings.lines().collect();
    lines.sort_unstable();
    frames.sort_by_key(|f| (f.due_ns, f.robot, f.sensor, f.stamp_ns));
    (lines.join("\n"), frames)
}

/// Returns the steps before and after the checkpoint of a bundled world: fewer for large images and
/// large fleets, because other worlds contain their robots and sensors.
pub(super) fn steps(name: &str, dt_ns: u64) -> u64 {
    let ns = match name {
        "riverwatch_three" => 20_000_000,
        "every_sensor" | "harbour" | "harbour_inspection" | "riverwatch" | "estuary"
        | "sea_floor" | "survey" | "pipeline" | "fleet_100" | "fleet_mixed" => 60_000_000,
        _ => 200_000_000,
    };
    ns / dt_ns
}

/// Returns the steps before a checkpoint, at least [`steps`], at which a frame of an exteroceptive
/// sensor is in progress, and the steps after it in which this frame is delivered.
fn steps_around_a_frame(name: &str, scene: &Scene) -> [u64; 2] {
    let (n, dt_ns) = (steps(name, scene.dt_ns), scene.dt_ns);
    let now = n * dt_ns;
    let times = |sensor: &Sensor| {
        let spec = sensor.kind.exteroceptive()?;
        let delay = sensor.latency_ns.max(spec.properties().sample_duration_ns);
        let stamp = |k: u64| sensor.sample_ns(k).div_ceil(dt_ns) * dt_ns;
        let last = sensor.sample_index(now.saturating_sub(dt_ns));
        let times = [last, last + 1].map(|k| (now.max(stamp(k) + dt_ns), stamp(k) + delay));
        times.into_iter().filter(|(from, due)| due > from).min()
    };
    let sensors = scene.robots.iter().flat_map(|robot| &robot.sensors);
    let first = sensors.filter_map(times).min();
    first.map_or([n, n], |(from, due)| {
        [from / dt_ns, n.max((due - from).div_ceil(dt_ns) + 1)]
    })
}

/// Returns true if a world has a sensor whose frames take time.
fn has_delayed_frames(scene: &Scene) -> bool {
    let mut sensors = scene.robots.iter().flat_map(|robot| &robot.sensors);
    sensors.any(|sensor| {
        let spec = sensor.kind.exteroceptive();
        spec.is_some_and(|spec| sensor.latency_ns.max(spec.properties().sample_duration_ns) > 0)
    })
}

/// Returns the scene of a bundled world.
fn bundled(name: &str) -> Arc<Scene> {
    let world = load_world(&data_dir::world_file(name), Overrides::default());
    Arc::new(world.unwrap_or_else(|e| panic!("{name}: {e}")).scene)
}

// A run that is continued from a checkpoint, on one or two threads and in other blocks, is the run
// that was not interrupted. Method: every bundled world with its thrusters on and all sensors
// requested: one simulation on two threads that makes a checkpoint midway, while a frame is in
// progress, and one on one thread that makes none; state hash, readings and frames of the second
// half, which contains this frame.
#[test]
#[ignore = "takes a minute: test/run slow"]
fn every_world_continues_from_a_checkpoint() {
    let names = data_dir::file_names("worlds");
    assert!(names.len() > 20);
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let (delayed, with_joints) = continue_from_checkpoints(&names);
    assert!(delayed >= 10, "frames of {delayed} worlds");
    assert!(with_joints.len() >= 5, "joints move in {with_joints:?}");
}

/// As above, in worlds with joints, tethers, couplings, modems, computers and delayed frames.
#[test]
fn worlds_continue_from_a_checkpoint() {
    let names = [
        "computers",
        "dock",
        "every_sensor",
        "glider",
        "modems",
        "tether",
        "uvms_pool_servo",
    ];
    let (delayed, with_joints) = continue_from_checkpoints(&names);
    assert!(delayed >= 2, "frames of {delayed} worlds");
    assert!(with_joints.len() >= 2, "joints move in {with_joints:?}");
}

/// Compares continued runs of bundled worlds with uninterrupted runs. Returns the number of worlds
/// in which a frame was in progress, and the names of those whose joints move.
fn continue_from_checkpoints<'a>(names: &[&'a str]) -> (usize, Vec<&'a str>) {
    let (mut n_readings, mut n_worlds, mut with_joints) = (0, 0, Vec::new());
    for &name in names {
        let scene = bundled(name);
        let [n, n_after] = steps_around_a_frame(name, &scene);
        let started = |threads: usize| {
            let mut s = simulation(&scene, threads);
            listen(&s);
            drive(&mut s);
            outputs(&mut s, n, 5);
            s
        };
        let mut interrupted = started(2);
        let before = interrupted.state.hash();
        if moved_joints(&interrupted) > 0 {
            with_joints.push(name);
        }
        let checkpoint = interrupted
            .checkpoint()
            .unwrap_or_else(|e| panic!("{name}: {e}"));
        drop(interrupted);
        let mut whole = started(1);
        assert_eq!(whole.state.hash(), before, "{name}: first half");
        let expected = outputs(&mut whole, n_after, 7);
        n_readings += expected.0.lines().count();
        if has_delayed_frames(&scene) {
            let is_early = |frame: &Frame| frame.stamp_ns < n * scene.dt_ns;
            assert!(
                expected.1.iter().any(is_early),
                "{name}: no frame was in progress"
            );
            n_worlds += 1;
        }
        for (threads, block) in [(1, 7), (2, 4)] {
            let mut resumed = simulation(&scene, threads);
            resumed
                .resume(&checkpoint)
                .unwrap_or_else(|e| panic!("{name}: {e}"));
            assert_eq!(resumed.state.hash(), before, "{name}: read");
            let again = resumed.checkpoint().expect("a checkpoint");
            assert!(
                again == checkpoint,
                "{name}: the checkpoint of a resumed run"
            );
            let found = outputs(&mut resumed, n_after, block);
            assert_eq!(
                resumed.state.hash(),
                whole.state.hash(),
                "{name}: {threads} threads"
            );
            assert!(found.0 == expected.0, "{name}: readings, {threads} threads");
            assert!(found.1 == expected.1, "{name}: frames, {threads} threads");
        }
    }
    assert!(n_readings > 0);
    (n_worlds, with_joints)
}

// Frames in progress at the checkpoint are delivered after resuming; resuming discards the frames
// of the current run. Method: a sensor with a latency; a resumed simulation that has run on.
#[test]
fn frames_in_progress_are_kept() {
    let scene = bundled("every_sensor");
    let mut whole = simulation(&scene, 2);
    listen(&whole);
    outputs(&mut whole, 10, 5);
    let checkpoint = whole.checkpoint().expect("a checkpoint");
    let now = whole.state.time_ns;
    let (_, expected) = outputs(&mut whole, 30, 5);
    assert!(
        expected.iter().any(|f| f.stamp_ns < now),
        "none was in progress"
    );
    // the same simulation again
    whole.resume(&checkpoint).expect("its own checkpoint");
    let (_, found) = outputs(&mut whole, 30, 5);
    assert!(found == expected);
}

/// Interval between the changed bytes of a state [bytes]. No common factor with the eight bytes of
/// most values, so that all bytes of numbers are reached.
const STRIDE: usize = 3;

// Every byte of a saved state has a meaning: the hash covers all of them, and no two texts are one
// state. Method: every third byte of a state changed in turn, for worlds with waves, a latch, a
// tether, an arm with servos, and firmware; data that is still being read is saved as it was read.
#[test]
fn every_byte_affects_the_restored_state() {
    let mut scenes = vec![("rich", Arc::new(scene(RICH)))];
    for name in ["dock", "tether", "uvms_pool_servo", "taipan"] {
        scenes.push((name, bundled(name)));
    }
    for (name, scene) in scenes {
        let mut s = simulation(&scene, 1);
        drive(&mut s);
        outputs(&mut s, 50, 5);
        let (bytes, hash) = (to_bytes(&s.state), s.state.hash());
        let read = |bytes: &[u8]| {
            let mut from = Reader::new(bytes, &scene.sea);
            let state = State::load(&mut from)?;
            from.finish().map(|()| state)
        };
        assert_eq!(read(&bytes).expect("a state").hash(), hash, "{name}");
        let (mut n_changed, mut n_read) = (0, 0);
        for k in (0..bytes.len()).step_by(STRIDE) {
            let mut changed = bytes.clone();
            changed[k] ^= 1;
            n_changed += 1;
            if let Ok(state) = read(&changed) {
                let size = bytes.len();
                assert!(to_bytes(&state) == changed, "{name}: byte {k} of {size}");
                assert_ne!(state.hash(), hash, "{name}: byte {k}");
                n_read += 1;
            }
        }
        assert!(
            n_changed > 500 && 2 * n_read > n_changed,
            "{name}: {n_read} of {n_changed}"
        );
    }
}

// States that differ in a tag, a length or a seldom used value have different hashes. Method:
// single changes of one state, among them those that hashed alike before.
#[test]
fn different_states_have_different_hashes() {
    let scene = Arc::new(scene(RICH));
    let mut s = simulation(&scene, 1);
    outputs(&mut s, 50, 5);
    let hash = s.state.hash();
    type Change = fn(&mut State);
    let changes: [(&str, Change); 9] = [
        ("no thrust at all", |s| {
            s.robots[0].actuators[0].health = Health::Reduced(0.0)
        }),
        ("shaft", |s| s.robots[0].actuators[0].shaft[1] += 1.0),
        ("limit of the battery", |s| s.robots[0].battery.limit = 5.0),
        ("failed battery", |s| s.robots[0].battery.failed = true),
        ("optics", |s| s.sea.optics.beam[0] += 0.1),
        ("seabed", |s| s.sea.seabed.z0 -= 1.0),
        ("last reading", |s| s.robots[0].sensors[0].last = None),
        ("effect of a fault", |s| {
            s.robots[0].actuators[0].fault.offset = 1.0
        }),
        ("warm start", |s| s.contacts.pairs.push((0, 1))),
    ];
    for (what, change) in changes {
        let mut other = s.state.clone();
        change(&mut other);
        assert_ne!(other.hash(), hash, "{what}");
    }
}

// A checkpoint that does not fit is refused in one line, and the state is unchanged. Method: each
// kind once.
#[test]
fn mismatched_checkpoints_are_refused() {
    let mut s = simulation(&Arc::new(scene(RICH)), 1);
    let checkpoint = s.checkpoint().expect("a checkpoint");
    outputs(&mut s, 10, 5);
    let hash = s.state.hash();
    let mut refused = |bytes: &[u8], start: &str| {
        let why = s.resume(bytes).expect_err(start);
        assert!(why.starts_with(start) && !why.contains('\n'), "{why}");
        assert_eq!(s.state.hash(), hash, "{start}");
    };
    refused(b"", "this is not a checkpoint of Merrow");
    refused(b"%PDF-1.7 and so on", "this is not a checkpoint of Merrow");
    for n in [8, 11, 15, 25, 100, checkpoint.len() - 1] {
        refused(&checkpoint[..n], "the checkpoint ends early; expected ");
    }
    let changed = |k: usize| {
        let mut bytes = checkpoint.clone();
        bytes[k] ^= 1;
        bytes
    };
    refused(
        &changed(8),
        "this checkpoint has format 7; expected format 6 of Merrow ",
    );
    refused(
        &changed(20),
        concat!(
            "this is a checkpoint of Merrow 1.2.0; expected one of Merrow ",
            env!("CARGO_PKG_VERSION")
        ),
    );
    // mark, format, length and text of the version
    refused(
        &changed(8 + 4 + 8 + 5),
        "this checkpoint has the state layout ",
    );
    for k in [checkpoint.len() / 2, checkpoint.len() - 1] {
        refused(
            &changed(k),
            "the checkpoint is damaged: its digest does not agree",
        );
    }
    let of = |text: &str, seed: Option<u64>, name: &str| {
        let overrides = Overrides {
            seed,
            ..Overrides::default()
        };
        let world = merrow_world::load_text(name, text, overrides).expect("a world");
        simulation(&Arc::new(world.scene), 1)
            .checkpoint()
            .expect("a checkpoint")
    };
    let name = "test.yaml";
    refused(
        &of(RICH, None, "pond"),
        "this is a checkpoint of the world pond; expected one of test.yaml",
    );
    refused(
        &of(RICH, Some(5), name),
        "this checkpoint has the seed 5; expected the seed ",
    );
    let other = RICH.replace("depth_m: 30", "depth_m: 31");
    refused(
        &of(&other, None, name),
        "the files of the world test.yaml or the values of --set have changed since this checkpoint",
    );
    assert!(
        s.resume(&of(
            &RICH.replace("robots:", "robots: # a comment"),
            None,
            name
        ))
        .is_ok()
    );
}

/// Returns the output of `merrow run pool` with these arguments, and the error message if it fails.
fn merrow(folder: &Path, arguments: &[&str]) -> Result<String, String> {
    let output = Process::new(env!("CARGO_BIN_EXE_merrow"))
        .args(["run", "pool", "--no-ros", "--pace", "max", "--json"])
        .args(arguments)
        .current_dir(folder)
        .output()
        .expect("the program");
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("UTF-8");
    match output.status.success() {
        true => Ok(text(output.stdout)),
        false => Err(text(output.stderr)),
    }
}

// The program writes checkpoints during and after a run and continues from them; files that cannot
// be read or written is one line. Method: one second in one and in two parts; state hashes as
// printed.
#[test]
fn the_program_continues_a_run() {
    let folder = Folder::new("checkpoint", &[("text.cp", "no checkpoint")]);
    let run = |arguments: &[&str]| merrow(&folder.0, arguments);
    let hash = |arguments: &[&str]| {
        let json: serde_json::Value =
            serde_json::from_str(&run(arguments).expect("a run")).expect("JSON");
        json["state_hash"].as_str().expect("a hash").to_owned()
    };
    let whole = hash(&["--for", "1"]);
    hash(&[
        "--for",
        "0.4",
        "--checkpoint",
        "a.cp",
        "--checkpoint-every",
        "0.3",
    ]);
    assert_eq!(hash(&["--for", "0.6", "--resume", "a.cp"]), whole);
    // over the file that it continues from
    hash(&["--for", "0.3", "--resume", "a.cp", "--checkpoint", "a.cp"]);
    assert_eq!(hash(&["--for", "0.3", "--resume", "a.cp"]), whole);
    let files = std::fs::read_dir(&folder.0).expect("the folder").count();
    assert_eq!(files, 2, "only the checkpoint and the text");
    for (arguments, expected) in [
        (
            ["--resume", "none.cp"],
            "cannot read the checkpoint none.cp: No such file",
        ),
        (
            ["--resume", "text.cp"],
            "text.cp: this is not a checkpoint of Merrow",
        ),
        (
            ["--checkpoint", "none/a.cp"],
            "cannot write the checkpoint none/a.cp: No such file",
        ),
    ] {
        let why = run(&[&arguments[..], &["--for", "0.1"]].concat()).expect_err(expected);
        assert!(
            why.starts_with(&format!("merrow: {expected}")) && why.lines().count() == 1,
            "{why}"
        );
    }
}

/// Interval of the periodic checkpoints [ns].
const INTERVAL_NS: u64 = 300_000_000;

/// Returns the simulated time of a checkpoint of `pool` [ns].
fn time_of(checkpoint: &Path, scene: &Arc<Scene>) -> u64 {
    let bytes = std::fs::read(checkpoint).expect("a checkpoint");
    let mut s = simulation(scene, 1);
    s.resume(&bytes).expect("a complete checkpoint");
    s.time_ns()
}

/// Starts `pool` at real-time pace with periodic checkpoints in the file a.cp, and waits for the
/// first periodic one. Returns the process and the time of the latest checkpoint [ns]; 0: there is
/// none after a minute.
fn start_with_checkpoints(folder: &Path, scene: &Arc<Scene>) -> (Child, u64) {
    let process = Process::new(env!("CARGO_BIN_EXE_merrow"))
        .args(["run", "pool", "--no-ros", "--json", "--checkpoint", "a.cp"])
        .args(["--checkpoint-every", "0.3"])
        .current_dir(folder)
        .stdout(Stdio::piped())
        .spawn()
        .expect("the program");
    let (begin, file, mut time) = (Instant::now(), folder.join("a.cp"), 0);
    while time == 0 && begin.elapsed() < Duration::from_secs(60) {
        std::thread::sleep(Duration::from_millis(20));
        if file.exists() {
            time = time_of(&file, scene);
        }
    }
    (process, time)
}

// A run that is killed continues from its last periodic checkpoint. Method: `pool` in real time
// with `--checkpoint-every 0.3`; SIGKILL after the first periodic checkpoint; the program resumes
// from the file. Tolerance: the time is a positive multiple of 0.3 s.
#[test]
fn a_killed_run_continues_from_a_periodic_checkpoint() {
    let (folder, scene) = (Folder::new("killed", &[]), bundled("pool"));
    let (mut process, first) = start_with_checkpoints(&folder.0, &scene);
    process.kill().expect("the process runs");
    process.wait().expect("the process ends");
    let time = time_of(&folder.0.join("a.cp"), &scene);
    assert!(
        first > 0 && time >= first && time.is_multiple_of(INTERVAL_NS),
        "{first} and {time} ns"
    );
    merrow(&folder.0, &["--for", "0.1", "--resume", "a.cp"]).expect("a resumed run");
}

// An interrupted run writes a checkpoint at its end. Method: as above, with SIGINT. Tolerance: the
// checkpoint has the time that the summary states.
#[test]
fn an_interrupted_run_writes_a_checkpoint_at_its_end() {
    let (folder, scene) = (Folder::new("interrupted", &[]), bundled("pool"));
    let (process, first) = start_with_checkpoints(&folder.0, &scene);
    let pid = Pid::from_raw(i32::try_from(process.id()).expect("a process id")).expect("above 0");
    kill_process(pid, Signal::INT).expect("the process runs");
    let output = process.wait_with_output().expect("the process ends");
    assert!(output.status.success(), "{}", output.status);
    let summary: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let end = (1e9 * summary["simulated_s"].as_f64().expect("a time")).round() as u64;
    let time = time_of(&folder.0.join("a.cp"), &scene);
    assert!(first > 0 && time > first, "{first} and {time} ns");
    assert_eq!(time, end);
}
