//! Tests servos: their laws against hand calculations and closed-form solutions, and their
//! encoders.

use crate::common::joints::{Hinge, cascade, command, effort_servo};
use crate::common::tree::{self, Random, Recipe};
use crate::common::{close, initial_environment, relative};
use merrow_math::{SpatialVelocity, Vec3};
use merrow_model::scene::JointMode;
use merrow_model::state::{Command, JointCommand, Workspace};
use merrow_physics::dynamics::rnea;
use merrow_sim::{Simulation, step::Kernel};

/// Returns the efforts of the controller at the first `n` ticks of 10 ms.
fn servo_efforts(s: &mut Simulation, n: usize) -> Vec<f64> {
    (0..n)
        .map(|_| {
            s.advance(1);
            let effort = s.state.robots[0].joints[0].effort;
            s.advance(9);
            effort
        })
        .collect()
}

/// Returns a servo with the elbow's published gains on an immovable joint with a weight of 0.0981 N
/// m.
fn torque_pid(limits: &str) -> Simulation {
    let drive = format!(
        "{{kind: servo, max_speed: 10, rate_hz: 100, law: {{kind: torque_pid, kp: 0.0338, ki: 0.439, kd: 0.00174, \
         bias_blend: 0.25, {limits}}}}}"
    );
    let joint = "axis: [0, -1, 0],";
    let hinge = Hinge {
        drive: &drive,
        joint,
        inertia: 1e12,
        gravity: 9.81,
        arm: 0.01,
        ..Hinge::default()
    };
    let mut s = hinge.world();
    command(&mut s, 0.1);
    s
}

// The torque PID of the trials. Method: hand calculation for a constant velocity error of 0.1
// rad/s: P = 0.00338, I = 0.000439 per tick, D = 0.0174 in the first tick only, and a quarter of
// the difference to 0.0981 N m. The first tick gives 0.02122 + 0.024525 = 0.045744; the next ticks
// add 0.00338 + 0.000878 + 0.013089 and 0.00338 + 0.001317 + 0.008752. Tolerance: rounding, and
// 1e-12 rad/s of motion of the heavy joint.
#[test]
fn torque_pid_matches_hand_calculation() {
    let tau = servo_efforts(&mut torque_pid("max_change: 0.1"), 3);
    for (tau, hand) in tau.iter().zip([0.045744, 0.063091, 0.07654025]) {
        close("effort", *tau, hand, 1e-9);
    }
    // A change of at most 0.02 N m per tick limits the first two ticks.
    let tau = servo_efforts(&mut torque_pid("max_change: 0.02"), 2);
    close("limited change", tau[0], 0.02, 1e-12);
    close("and the next", tau[1], 0.04, 1e-12);
}

// The torque never exceeds the joint's maximum effort. Method: as above, 10 s.
#[test]
fn torque_pid_respects_max_effort() {
    let drive =
        "{kind: servo, max_speed: 10, law: {kind: torque_pid, kp: 1, ki: 1, max_change: 0.1}}";
    let mut s = Hinge {
        drive,
        joint: "max_effort: 0.6,",
        inertia: 1e12,
        ..Hinge::default()
    }
    .world();
    command(&mut s, 0.1);
    let tau = servo_efforts(&mut s, 100);
    assert!(tau[0] == 0.1 && tau[99] == 0.6, "{tau:?}");
    assert_eq!(s.state.robots[0].joint_commands[0], 0.6);
}

// The bias is Newton-Euler inverse dynamics without accelerations, with all hydrodynamic forces.
// Method: random trees under water compared with `rnea::inverse`, which is checked against ABA.
// Tolerance: rounding.
#[test]
fn bias_is_inverse_dynamics_without_acceleration() {
    for links in [2, 5, 12] {
        let recipe = Recipe {
            links,
            floating: true,
            damping: true,
            held_joints: true,
            potential: true,
        };
        let scene = tree::scene(77 + links as u64, recipe);
        let robot = &scene.robots[0];
        let motion = tree::motion(&mut Random::new(links as u64), robot);
        let mut work = Workspace::new(robot);
        let commands = vec![0.0; robot.n_joints()];
        Kernel::new().evaluate(
            robot,
            &initial_environment(&scene),
            &motion,
            &commands,
            &mut work,
        );
        let still = vec![0.0; robot.n_joints()];
        // A base whose velocity is constant in W: its rate in the rotating body axes is v x w.
        let V = work.links[0].V;
        let even = SpatialVelocity {
            w: Vec3::zero(),
            v: V.v.cross(V.w),
        };
        let (_, expected) = rnea::inverse(robot, &even, &still, &work);
        let mut found = vec![f64::NAN; robot.n_joints()];
        rnea::bias_efforts(robot, &mut work, |j, tau| found[j] = tau);
        for (found, expected) in found.iter().zip(&expected) {
            close("bias", *found, *expected, 1e-12);
        }
    }
}

/// Returns the maximum error [rad] of a position step of 0.1 rad compared with x'' = 8 (5 (0.1 - x)
/// - x'), over 2 s.
fn step_error(dt: f64) -> f64 {
    let rate = (1.0 / dt).round();
    let drive = cascade(
        "velocity_gain: 8",
        &format!("rate_hz: {rate}, position_gain_per_s: 5,"),
    );
    let mut s = Hinge {
        dt,
        drive: &drive,
        ..Hinge::default()
    }
    .world();
    command(&mut s, 0.1);
    let (omega, decay) = (40.0_f64.sqrt(), 4.0);
    let damped = (omega * omega - decay * decay).sqrt();
    let steps = (2.0 / dt).round() as u64;
    (1..=steps).fold(0.0, |worst: f64, k| {
        s.advance(1);
        let t = k as f64 * dt;
        let swing = (damped * t).cos() + decay / damped * (damped * t).sin();
        let closed = 0.1 * (1.0 - (-decay * t).exp() * swing);
        worst.max((s.state.robots[0].motion.q[0] - closed).abs())
    })
}

// Position and velocity loop on an inertia form the expected second-order system. Method: its
// closed step response, at three steps with a tick each; the held effort is late by half a step, so
// the error is of order one. Tolerance: a delay of half a millisecond at speeds up to 0.3 rad/s is
// 1.5e-4 rad, plus a small overshoot; the order is determined from the halving, within 5 %.
#[test]
fn cascade_matches_second_order_response() {
    let errors = [0.001, 0.0005, 0.00025].map(step_error);
    assert!(errors[0] < 2e-4, "{errors:?}");
    for pair in errors.windows(2) {
        relative("ratio", pair[0] / pair[1], 2.0, 0.05);
    }
}

// Velocity mode with an integral has no steady-state error under a constant load; bias feed-forward
// makes the integral unnecessary. Method: a hinge with a weight, commanded to zero velocity.
// Tolerance: the residual of the loop after 10 s.
#[test]
fn integral_and_bias_hold_a_weight() {
    for (law, integral) in [
        ("velocity_gain: 20, integral_gain: 50", 0.981 / 50.0),
        (
            "velocity_gain: 20, integral_gain: 50, bias_feed_forward: 1",
            0.0,
        ),
    ] {
        let drive = cascade(law, "rate_hz: 1000, mode: velocity,");
        let joint = "axis: [0, -1, 0],";
        let mut s = Hinge {
            drive: &drive,
            joint,
            gravity: 9.81,
            arm: 0.1,
            ..Hinge::default()
        }
        .world();
        s.advance(20_000);
        let r = &s.state.robots[0];
        close("velocity", r.motion.qd[0], 0.0, 1e-6);
        let weight = 0.981 * libm::cos(r.motion.q[0]);
        close("effort", r.joint_commands[0], weight, 1e-4);
        let share = if integral == 0.0 { 0.0 } else { weight / 50.0 };
        close("integral", r.joints[0].integral, share, 1e-4);
    }
}

// The integral does not grow while the effort is at its limit; without a limit it does. Method: an
// immovable joint, commanded to 1 rad/s. Tolerance: none, and rounding for the free integral e t.
#[test]
fn integral_stops_at_effort_limit() {
    let drive = cascade(
        "velocity_gain: 1, integral_gain: 1",
        "rate_hz: 100, mode: velocity,",
    );
    for (limit, integral) in [("max_effort: 1.5,", 0.5), ("", 10.0)] {
        let mut s = Hinge {
            drive: &drive,
            joint: limit,
            inertia: 1e12,
            ..Hinge::default()
        }
        .world();
        command(&mut s, 1.0);
        s.advance(10_000);
        close(
            "integral",
            s.state.robots[0].joints[0].integral,
            integral,
            0.011,
        );
    }
}

// Effort mode applies the commanded effort. Method: q = tau t²/2 for an inertia of 1 after the
// first tick at t = 0. Tolerance: rounding.
#[test]
fn effort_mode_applies_the_effort() {
    let mut s = Hinge {
        drive: &effort_servo(""),
        ..Hinge::default()
    }
    .world();
    command(&mut s, 0.5);
    s.advance(2000);
    relative("position", s.state.robots[0].motion.q[0], 1.0, 1e-12);
}

// A rotor behind a rigid gear adds ratio² times its inertia. Method: as above, with an additional
// 100² 1e-4 = 1 kg m². Tolerance: rounding.
#[test]
fn a_rigid_gear_reflects_its_rotor() {
    let drive = effort_servo("gear_ratio: 100, rotor_inertia_kg_m2: 0.0001");
    let mut s = Hinge {
        drive: &drive,
        ..Hinge::default()
    }
    .world();
    command(&mut s, 0.5);
    s.advance(2000);
    relative("position", s.state.robots[0].motion.q[0], 0.5, 1e-12);
}

// An encoder returns the nearest step, and velocities from differences are multiples of step over
// tick. Method: a joint that turns at 0.1 rad/s with steps of 0.01 rad, ticks of 10 ms. Tolerance:
// rounding.
#[test]
fn encoders_return_the_nearest_step() {
    let encoder = "rate_hz: 100, encoder: {resolution: 0.01, velocity: {kind: difference}},";
    let drive = cascade("velocity_gain: 0", encoder);
    let mut s = Hinge {
        drive: &drive,
        ..Hinge::default()
    }
    .world();
    s.state.robots[0].motion.qd[0] = 0.1;
    let mut mean = 0.0;
    for k in 0..1000 {
        s.advance(1);
        let truth = 0.1 * 0.01 * k as f64;
        let m = s.state.robots[0].joints[0].measured;
        assert!(
            (m.position - truth).abs() < 0.005 + 1e-12,
            "{} instead of {truth}",
            m.position
        );
        close(
            "whole steps",
            (m.position / 0.01).round() * 0.01,
            m.position,
            1e-12,
        );
        close("whole steps a tick", m.velocity.round(), m.velocity, 1e-9);
        mean += m.velocity / 1000.0;
        s.advance(9);
    }
    close("mean velocity", mean, 0.1, 1e-3);
}

// The low-pass filter of a differentiating encoder, and no quantisation by default. Method: a joint
// that starts to turn at 0.1 rad/s is measured at 0.1 (1 - (τ/(τ+T))^k). Tolerance: rounding.
#[test]
fn differences_are_filtered() {
    let encoder = "rate_hz: 100, encoder: {velocity: {kind: difference, filter_s: 0.04}},";
    let mut s = Hinge {
        drive: &cascade("velocity_gain: 0", encoder),
        ..Hinge::default()
    }
    .world();
    s.state.robots[0].motion.qd[0] = 0.1;
    for k in 0..50 {
        s.advance(10);
        let expected = 0.1 * (1.0 - 0.8_f64.powi(k));
        close(
            "velocity",
            s.state.robots[0].joints[0].measured.velocity,
            expected,
            1e-9,
        );
    }
}

// Encoder noise has the configured standard deviation and is the same for the same seed. Method:
// 4000 ticks at rest. Tolerance: 4 standard errors of a standard deviation, 4 / sqrt(2 n) = 4.5 %.
#[test]
fn encoder_noise_has_its_deviation() {
    let encoder = "rate_hz: 1000, encoder: {noise_std: 0.000283, velocity: {kind: direct, noise_std: 0.002}},";
    let drive = cascade("velocity_gain: 0", encoder);
    let run = || {
        let mut s = Hinge {
            drive: &drive,
            ..Hinge::default()
        }
        .world();
        let mut squares = [0.0; 2];
        for _ in 0..4000 {
            s.advance(1);
            let m = s.state.robots[0].joints[0].measured;
            squares[0] += m.position * m.position / 4000.0;
            squares[1] += m.velocity * m.velocity / 4000.0;
        }
        squares
    };
    let squares = run();
    relative("position", squares[0].sqrt(), 0.000283, 0.045);
    relative("velocity", squares[1].sqrt(), 0.002, 0.045);
    assert_eq!(squares, run());
}

// A servo changes from velocity to position mode at run time and holds its position. Method: the
// position of the joint. Tolerance: 1e-6 rad after the decay of the loop.
#[test]
fn mode_switches_keep_the_position() {
    let drive = cascade(
        "velocity_gain: 20",
        "rate_hz: 1000, position_gain_per_s: 10,",
    );
    let mut s = Hinge {
        drive: &drive,
        ..Hinge::default()
    }
    .world();
    s.apply(&Command::Joint(
        0,
        JointCommand::JointMode {
            joint: 0,
            mode: JointMode::Velocity,
        },
    ))
    .unwrap();
    command(&mut s, 0.5);
    s.advance(2000);
    close("velocity", s.state.robots[0].motion.qd[0], 0.5, 1e-6);
    let before = s.state.robots[0].motion.q[0];
    s.apply(&Command::Joint(
        0,
        JointCommand::JointMode {
            joint: 0,
            mode: JointMode::Position,
        },
    ))
    .unwrap();
    s.advance(4000);
    let held = s.state.robots[0].joints[0].reference.position;
    close("the position of the switch is held", held, before, 1e-3);
    close("position", s.state.robots[0].motion.q[0], held, 1e-6);
}

/// Returns a servo without position loop.
fn build_servo_without_position_loop() -> Simulation {
    Hinge {
        drive: &cascade("velocity_gain: 1", ""),
        ..Hinge::default()
    }
    .world()
}

// A drive changes only to the modes that it supports. Method: messages.
#[test]
fn unsupported_modes_are_rejected() {
    let refused = |s: &mut Simulation, mode| {
        s.apply(&Command::Joint(
            0,
            JointCommand::JointMode { joint: 0, mode },
        ))
        .unwrap_err()
        .reason
    };
    let mut ideal = Hinge {
        drive: "position",
        ..Hinge::default()
    }
    .world();
    assert_eq!(
        refused(&mut ideal, JointMode::Effort),
        "hinge has an ideal position drive, which does not support effort mode"
    );
    let mut ideal = Hinge::default().world();
    assert_eq!(
        refused(&mut ideal, JointMode::Position),
        "hinge has an ideal effort drive, which does not support position mode"
    );
    let mut open = build_servo_without_position_loop();
    assert_eq!(
        refused(&mut open, JointMode::Position),
        "hinge has a servo without position loop (`position_gain_per_s` is 0), which does not support position mode"
    );
}

// Commands that contain a mode are applied, and rejected if their values are invalid. Method: the
// state of the joint, messages.
#[test]
fn commands_with_mode_are_accepted_or_rejected() {
    let mut open = build_servo_without_position_loop();
    let both = |mode, value| {
        Command::Joint(
            0,
            JointCommand::JointWithMode {
                joint: 0,
                mode,
                value,
            },
        )
    };
    open.apply(&both(JointMode::Effort, 0.7)).unwrap();
    let memory = open.state.robots[0].joints[0];
    assert_eq!(
        (memory.mode, memory.reference.effort),
        (JointMode::Effort, 0.7)
    );
    assert_eq!(
        open.apply(&both(JointMode::Velocity, f64::INFINITY))
            .unwrap_err()
            .reason,
        "hinge: expected a finite velocity, found inf"
    );
    let group = Command::Joint(
        0,
        JointCommand::JointGroup {
            group: 0,
            mode: JointMode::Velocity,
            values: vec![0.1, 0.2],
        },
    );
    assert_eq!(
        open.apply(&group).unwrap_err().reason,
        "expected 1 values, one per joint of the group, found 2"
    );
    let group = Command::Joint(
        0,
        JointCommand::JointGroup {
            group: 0,
            mode: JointMode::Velocity,
            values: vec![f64::NAN],
        },
    );
    assert_eq!(
        open.apply(&group).unwrap_err().reason,
        "hinge: expected a finite velocity, found NaN"
    );
    let group = Command::Joint(
        0,
        JointCommand::JointGroup {
            group: 3,
            mode: JointMode::Velocity,
            values: vec![],
        },
    );
    assert_eq!(
        open.apply(&group).unwrap_err().reason,
        "no joint group number 3"
    );
}
