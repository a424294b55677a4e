//! Tests of the computers of robots: software delays of sensors, commands, messages and firmware.

use crate::common::{advance, scene, simulation};
use merrow_math::Vec3;
use merrow_model::state::comms::{ModemCommand, Send};
use merrow_model::state::computer::TaskInterval;
use merrow_model::state::firmware::ControlMode;
use merrow_model::state::frames::Frame;
use merrow_model::state::{ActuatorCommand, Command, FirmwareCommand};
use merrow_sim::Simulation;
use std::fmt::Write;
use std::sync::Arc;

const MS: u64 = 1_000_000;

/// Returns a world with steps of 5 ms and a BlueROV2 with `keys` in addition to the keys of its
/// model.
fn world(keys: &str) -> String {
    format!(
        "step: {{dt_s: 0.005}}
seed: 4
seabed: {{depth_m: 30}}
robots:
  rov:
    position_m: [0, 0, -5]
    model:
      extends: robots/bluerov2.yaml
{keys}"
    )
}

/// Returns the key `computers` with one computer `main` and these tasks.
fn computer(tasks: &str) -> String {
    format!("      computers: {{main: {{tasks: {{{tasks}}}}}}}\n")
}

/// Returns the task `control` that runs the firmware within `time_s` [s].
fn control(time_s: f64) -> String {
    format!(
        "control: {{activation: {{kind: periodic}}, runs_firmware: true, \
         execution: {{kind: constant, time_s: {time_s}}}}}"
    )
}

/// Returns the bits of the motion of the first robot.
fn motion_bits(simulation: &Simulation) -> String {
    format!("{:?}", simulation.state.robots[0].motion)
}

fn goal() -> Command {
    Command::Firmware(
        0,
        FirmwareCommand::PoseGoal {
            p_WB: Vec3::new(3.0, 1.0, -7.0),
            q_WB: None,
        },
    )
}

// A firmware in a task without processor time moves the robot as a firmware without a computer.
// Method: the bits of the motion while it moves to a goal, with the true motion and, in depth hold,
// with the motion from sensors.
#[test]
fn a_task_without_processor_time_changes_nothing() {
    let sensors = "      sensors: {ahrs: {device: xsens_mti_3}}
      firmware: {extends: firmware/bluerov2_motion.yaml, feedback: sensors}\n";
    let hold = Command::Firmware(
        0,
        FirmwareCommand::ControlMode {
            mode: ControlMode::DepthHold,
        },
    );
    for (keys, command) in [("", goal()), (sensors, hold)] {
        let mut plain = simulation(&world(keys));
        let mut timed = simulation(&world(&format!("{keys}{}", computer(&control(0.0)))));
        for both in [&mut plain, &mut timed] {
            advance(both, 1.0);
            both.apply(&command).unwrap();
            advance(both, 5.0);
        }
        assert!(plain.state.robots[0].motion.V_WB_B.v.norm() > 1e-3);
        assert_eq!(motion_bits(&plain), motion_bits(&timed), "{keys}");
    }
}

/// Returns the commands of the thrusters of the first robot.
fn thruster_commands(simulation: &Simulation) -> Vec<f64> {
    let actuators = simulation.state.robots[0].actuators.iter();
    actuators.map(|actuator| actuator.command).collect()
}

// The firmware sets the actuators at the completion of its job, from the motion at the start of the
// job. Method: the firmware with a rate of 50 Hz needs 12 ms, so that commands change 12 ms after
// each multiple of 20 ms, at the end of the step of 5 ms; the motion is replaced between start and
// completion, which must have no effect on the commands.
#[test]
fn firmware_sets_actuators_at_the_end_of_its_job() {
    let mut delayed = simulation(&world(&computer(&control(0.012))));
    delayed.apply(&goal()).unwrap();
    let mut before = thruster_commands(&delayed);
    let mut changes = Vec::new();
    for _ in 0..40 {
        delayed.advance(1);
        let now = thruster_commands(&delayed);
        if now != before {
            changes.push(delayed.time_ns() / MS);
        }
        before = now;
    }
    let expected: Vec<u64> = (0..10).map(|k| 15 + 20 * k).collect();
    assert_eq!(changes, expected);
    let mut moved = simulation(&world(&computer(&control(0.012))));
    moved.apply(&goal()).unwrap();
    moved.advance(2);
    moved.state.robots[0].motion.p_WB = Vec3::new(50.0, 0.0, -20.0);
    moved.advance(1);
    let mut still = simulation(&world(&computer(&control(0.012))));
    still.apply(&goal()).unwrap();
    still.advance(3);
    assert_eq!(thruster_commands(&moved), thruster_commands(&still));
}

// Readings and commands arrive by the processor time later, and wait for a busy processor. Method:
// a task on messages with 12 ms for the pressure sensor and for commands, steps of 5 ms: the
// reading of a time is delivered 15 ms later, a command is applied 15 ms after its arrival, or 12
// ms later after another command.
#[test]
fn readings_and_commands_pass_through_tasks() {
    let keys = "      firmware: ~\n      battery: ~\n      command_timeout_s: ~
      sensors: {pressure: {device: {extends: sensors/bar30.yaml, rate_hz: 10, latency_s: 0}}}\n";
    let tasks = "driver: {activation: {kind: message}, sensors: [pressure], \
                 execution: {kind: constant, time_s: 0.012}}, \
                 actuation: {activation: {kind: message}, commands: true, priority: 1, \
                 execution: {kind: constant, time_s: 0.012}}";
    let mut delayed = simulation(&world(&format!("{keys}{}", computer(tasks))));
    let sensors = &delayed.scene.robots[0].sensors;
    let pressure = sensors.iter().position(|s| s.name == "pressure").unwrap();
    let mut delays = Vec::new();
    for _ in 0..100 {
        delayed.advance(1);
        let outbox = delayed.runners[0].outbox.iter();
        for reading in outbox.filter(|reading| reading.sensor == pressure) {
            delays.push((delayed.time_ns() - reading.stamped.stamp_ns) / MS);
        }
        delayed.clear_outboxes();
    }
    assert_eq!(delays, [15; 5]);
    for value in [1600.0, 1700.0] {
        let thruster = Command::Actuator(0, ActuatorCommand::Thruster { thruster: 0, value });
        delayed.apply(&thruster).unwrap();
    }
    let mut changes = Vec::new();
    for step in 1..=8 {
        delayed.advance(1);
        changes.push((5 * step, thruster_commands(&delayed)[0]));
    }
    changes.dedup_by_key(|(_, value)| *value);
    assert_eq!(changes, [(5, 1500.0), (15, 1600.0), (25, 1700.0)]);
    // an invalid command is reported when it is applied
    let invalid = Command::Actuator(
        0,
        ActuatorCommand::Thruster {
            thruster: 9,
            value: 0.0,
        },
    );
    delayed.apply(&invalid).unwrap();
    delayed.advance(3);
    let reasons = delayed
        .schedule_rejections
        .iter()
        .map(|r| r.reason.as_str());
    assert_eq!(
        reasons.collect::<Vec<_>>(),
        ["task actuation: no such thruster"]
    );
}

/// Returns a world whose inputs of all kinds pass through tasks of a robot with two computers.
fn busy_world() -> String {
    let robot = world(
        "      sensors:
        ahrs: {device: xsens_mti_3}
        dvl: {device: waterlinked_a50}
        camera: {device: {extends: sensors/bluerobotics_low_light_usb.yaml, width: 32, height: 24}}
      modems: {acoustic: {modem: evologics_s2c_r_18_34}}
      firmware: {extends: firmware/bluerov2_motion.yaml, feedback: sensors}
      computers:
        autopilot:
          clock: {offset_s: 0.0123, skew_ppm: 200}
          tasks:
            control: {activation: {kind: periodic, offset_s: 0.003}, runs_firmware: true, priority: 2, \
              execution: {kind: uniform, range_s: [0.001, 0.009]}}
            drivers: {activation: {kind: message}, sensors: [ahrs, pressure], priority: 3, \
              execution: {kind: exponential, mean_s: 0.0004}}
        companion:
          processors: 2
          scheduling: earliest_deadline_first
          tasks:
            vision: {activation: {kind: message}, sensors: [camera], deadline_s: 0.2, \
              execution: {kind: normal, mean_s: 0.09, std_s: 0.03}}
            radio: {activation: {kind: message}, modems: [acoustic], deadline_s: 0.1, \
              execution: {kind: trace, times_s: [0.02, 0.05]}}
            mission: {activation: {kind: after, task: vision}, commands: true, \
              execution: {kind: constant, time_s: 0.01}}
",
    );
    format!(
        "{robot}  boat:
    position_m: [10, 0, -1]
    model:
      source: test
      body: {{source: test, axes: flu, mass_kg: 20, net_buoyancy_n: 0, \
        inertia_kg_m2: {{xx: 1, yy: 1, zz: 1}}}}
      modems: {{acoustic: {{modem: evologics_s2c_r_18_34}}}}
"
    )
}

/// Starts the busy world with all outputs of its camera requested.
fn start_busy(threads: usize) -> Simulation {
    let simulation = Simulation::new(Arc::new(scene(&busy_world())), threads).unwrap();
    let robot = &simulation.scene.robots[0];
    let camera = robot
        .sensors
        .iter()
        .position(|s| s.name == "camera")
        .unwrap();
    let scheduler = simulation.sensor_scheduler.as_ref().unwrap();
    scheduler.request_outputs(&simulation.scene, 0, camera, 1);
    simulation
}

/// Runs the busy world to `end` [ns] in blocks, with a command and a message every second, and
/// appends all outputs to `text`.
fn run_busy(simulation: &mut Simulation, end: u64, block: u64, text: &mut String) {
    let dt = simulation.scene.dt_ns;
    while simulation.time_ns() < end {
        let now = simulation.time_ns();
        if now.is_multiple_of(1000 * MS) {
            let forward = 0.1 + 0.1 * (now / (1000 * MS)) as f64;
            let velocity = Command::Firmware(
                0,
                FirmwareCommand::Velocity {
                    linear: Vec3::new(forward, 0.0, 0.0),
                    angular: Vec3::zero(),
                },
            );
            simulation.apply(&velocity).unwrap();
            let message = Command::Modem(ModemCommand::Send(Send::new(
                1,
                simulation.scene.modems[0].address,
                vec![7; 20],
            )));
            simulation.apply(&message).unwrap();
        }
        let next = (now / (1000 * MS) + 1) * 1000 * MS;
        simulation.advance(block.min((next.min(end) - now) / dt));
        for reading in &simulation.runners[0].outbox {
            writeln!(text, "{reading:?}").unwrap();
        }
        for Frame {
            stamp_ns, due_ns, ..
        } in &simulation.frames
        {
            writeln!(text, "frame {stamp_ns} {due_ns}").unwrap();
        }
        for delivery in &simulation.network_output.deliveries {
            writeln!(
                text,
                "delivery {} {}",
                delivery.message, delivery.received_ns
            )
            .unwrap();
        }
        for TaskInterval {
            task,
            activity,
            start_ns,
            end_ns,
            ..
        } in &simulation.task_intervals
        {
            writeln!(text, "{task:?} {activity:?} {start_ns} {end_ns}").unwrap();
        }
        simulation.clear_outboxes();
    }
}

/// Returns the sorted lines of a text, without the order of outputs of one block.
fn sorted(text: &str) -> Vec<&str> {
    let mut lines: Vec<&str> = text.lines().collect();
    lines.sort_unstable();
    lines
}

// Computers give bit-identical results on 1, 2 and 4 threads, in blocks of 1, 7 and all steps, and
// after a checkpoint with jobs in progress. Method: state hash, readings, frames, messages and
// intervals of a robot whose sensors, camera, commands, messages and firmware pass through five
// tasks on two computers.
#[test]
fn computers_have_the_same_bits() {
    let end = 5000 * MS;
    let (mut first, mut text) = (start_busy(1), String::new());
    run_busy(&mut first, end, 1000, &mut text);
    let hash = first.state.hash();
    for what in [
        "frame",
        "delivery",
        "Imu",
        "Pressure",
        "computer: 1, task: 2",
    ] {
        assert!(text.contains(what), "no {what}");
    }
    for computer in &first.state.robots[0].computers {
        assert!(computer.tasks.iter().all(|task| task.counts.completed > 3));
    }
    assert!(
        first.state.robots[0].motion.p_WB.x > 0.2,
        "the commands arrived"
    );
    assert!(first.schedule_rejections.is_empty());
    for (threads, block) in [(1, 1), (2, 7), (4, 1000)] {
        let (mut other, mut same) = (start_busy(threads), String::new());
        run_busy(&mut other, end, block, &mut same);
        assert_eq!(
            sorted(&same),
            sorted(&text),
            "{threads} threads, {block} steps"
        );
        assert_eq!(other.state.hash(), hash, "{threads} threads, {block} steps");
    }
    let (mut half, mut both) = (start_busy(2), String::new());
    run_busy(&mut half, 2130 * MS, 100, &mut both);
    let mut tasks = half.state.robots[0].computers.iter().flat_map(|c| &c.tasks);
    assert!(
        tasks.any(|task| !task.jobs.is_empty()),
        "no job in progress"
    );
    let checkpoint = half.checkpoint().unwrap();
    let mut rest = start_busy(4);
    rest.resume(&checkpoint).unwrap();
    run_busy(&mut rest, end, 7, &mut both);
    assert_eq!(sorted(&both), sorted(&text), "after the checkpoint");
    assert_eq!(rest.state.hash(), hash, "after the checkpoint");
}
