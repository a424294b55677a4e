//! Tests joints with dry friction under a servo.
//!
//! Friction is an impulse that opposes the motion of the step and at most stops it, solved to
//! rounding. Wider tolerances are explained where they occur.

use crate::common::joints::{Hinge, cascade, command, effort_servo};
use crate::common::{advance, close, relative};
use merrow_model::scene::Scene;
use merrow_sim::Simulation;
use merrow_world::{Overrides, load_text};

fn motion(s: &Simulation) -> (f64, f64) {
    (
        s.state.robots[0].motion.q[0],
        s.state.robots[0].motion.qd[0],
    )
}

// An effort below the friction moves no joint; one above it accelerates the joint with the
// difference. Method: 0.3 N m of friction, 1 kg m², efforts of 0.29 and 0.5 N m. Tolerance: the
// effort starts with the first or the second step, 1 ms of 0.2 rad/s².
#[test]
fn motor_accelerates_joint_above_friction() {
    let mut s = Hinge {
        joint: "friction: 0.3,",
        drive: &effort_servo(""),
        ..Hinge::default()
    }
    .world();
    command(&mut s, 0.29);
    advance(&mut s, 2.0);
    assert!(motion(&s).0.abs() < 1e-12, "{:?}", motion(&s));
    command(&mut s, 0.5);
    advance(&mut s, 2.0);
    close("speed", motion(&s).1, 0.4, 2.1e-4);
    command(&mut s, 0.0);
    advance(&mut s, 2.0);
    assert!(
        motion(&s).1.abs() < 1e-12,
        "it stands after 1.33 s: {:?}",
        motion(&s)
    );
}

// Friction reduces the speed of a velocity loop by f / k_v, and an integral compensates this.
// Method: 0.3 N m, k_v = 2. Tolerance: after ten time constants of 0.5 s and, for the integral, of
// 1 s.
#[test]
fn velocity_loop_error_under_friction() {
    for (law, expected) in [
        ("velocity_gain: 2", 0.85),
        ("velocity_gain: 2, integral_gain: 1", 1.0),
    ] {
        let drive = cascade(law, "rate_hz: 1000, mode: velocity,");
        let mut s = Hinge {
            joint: "friction: 0.3,",
            drive: &drive,
            ..Hinge::default()
        }
        .world();
        command(&mut s, 1.0);
        advance(&mut s, 12.0);
        close(law, motion(&s).1, expected, 1e-3);
    }
}

// A motor with the torque-speed line τ_s (1 - ω/ω_0) runs at ω_0 (1 - f/τ_s) against friction. At
// rest the whole effort is available for break-away, however light the joint is. Method: 0.001 kg
// m² at 1 ms, so that a step is many times the run-up time; f = 1 and 9.9 of 10 N m. Tolerance:
// rounding.
#[test]
fn light_joint_breaks_away_and_follows_torque_speed_line() {
    for friction in [0.0, 1.0, 9.9] {
        let joint = format!("friction: {friction},");
        let drive = effort_servo("stall_effort: 10, no_load_speed: 1");
        let mut s = Hinge {
            inertia: 0.001,
            joint: &joint,
            drive: &drive,
            ..Hinge::default()
        }
        .world();
        for sign in [1.0, -1.0] {
            command(&mut s, sign * 20.0);
            advance(&mut s, 1.0);
            close(&joint, motion(&s).1, sign * (1.0 - friction / 10.0), 1e-9);
        }
    }
}

// With backlash the rotor runs up and moves the joint a little; then the joint holds until the
// effort exceeds the friction, and both move together. Method: 0.3 N m, a rotor of 0.1 and a joint
// of 1 kg m², a backlash of 0.02 rad with the rotor at its centre. At 0.2 N m the rotor hits the
// flank at v = sqrt(2 · 2 · 0.01) = 0.2 rad/s. Both continue at 0.1 v / 1.1 and stop after that² /
// (2 · 0.1 / 1.1); then 0.5 N m for 2 s. Tolerance: the push lasts some milliseconds, in which
// friction also acts: 5 %; rounding at rest.
#[test]
fn backlash_closes_before_joint_moves() {
    let drive = effort_servo("rotor_inertia_kg_m2: 0.1, backlash: 0.02");
    let mut s = Hinge {
        joint: "friction: 0.3,",
        drive: &drive,
        ..Hinge::default()
    }
    .world();
    command(&mut s, 0.2);
    advance(&mut s, 2.0);
    let rest = motion(&s).0;
    let rotor = s.state.robots[0].joints[0].rotor[0];
    assert!(
        rotor - rest > 0.00999 && rotor - rest < 0.0101,
        "rotor {rotor}, joint {rest}"
    );
    let speed = 0.1 * 0.2 / 1.1;
    relative("taken along", rest, speed * speed / (0.2 / 1.1), 0.05);
    advance(&mut s, 2.0);
    assert!(
        (motion(&s).0 - rest).abs() < 1e-12,
        "{:?} after {rest}",
        motion(&s)
    );
    command(&mut s, 0.5);
    advance(&mut s, 2.0);
    relative("speed", motion(&s).1, 0.2 / 1.1 * 2.0, 0.01);
}

// Friction without effect is reported. Method: the note for a joint with an ideal position drive.
#[test]
fn ideal_drive_ignores_friction_with_note() {
    let text = Hinge {
        joint: "friction: 0.3,",
        drive: "{kind: position}",
        ..Hinge::default()
    }
    .text();
    let world = load_text("w.yaml", &text, Overrides::default()).unwrap_or_else(|p| panic!("{p}"));
    let notes: Vec<&str> = world.notes.iter().map(|n| n.text.as_str()).collect();
    assert_eq!(
        notes,
        [
            "the joint hinge has friction, which its ideal position drive ignores; use a drive of the kind `servo`"
        ]
    );
}

// The speed limit of a joint also applies to its drive, for set points and trajectories. Method:
// limits above and below the limit of the drive.
#[test]
fn lower_speed_limit_applies() {
    let most = |joint: &str, drive: &str| {
        let scene: Scene = crate::common::scene(
            &Hinge {
                joint,
                drive,
                ..Hinge::default()
            }
            .text(),
        );
        scene.robots[0].links[1].joint.max_speed()
    };
    let servo = |speed: f64| cascade("velocity_gain: 1", "").replace("1000", &speed.to_string());
    assert_eq!(most("max_speed: 0.5,", &servo(2.0)), 0.5);
    assert_eq!(most("max_speed: 0.5,", &servo(0.2)), 0.2);
    assert_eq!(most("max_speed: 0.5,", "{kind: position}"), 0.5);
    assert_eq!(most("max_speed: 0.5,", "{kind: effort}"), 0.5);
    assert_eq!(most("", "{kind: effort}"), f64::INFINITY);
    // A higher velocity command is limited to it.
    let drive = cascade("velocity_gain: 10", "mode: velocity,");
    let mut s = Hinge {
        joint: "max_speed: 0.5,",
        drive: &drive,
        ..Hinge::default()
    }
    .world();
    command(&mut s, 3.0);
    advance(&mut s, 2.0);
    close("speed", motion(&s).1, 0.5, 1e-9);
}
