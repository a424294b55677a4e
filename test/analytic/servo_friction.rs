//! Joints with dry friction under a servo.
//!
//! Friction is an impulse that opposes the step's motion and at most stops it, solved to rounding;
//! where a tolerance is wider, it says why.

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

// Goal: a motor below the friction moves nothing, one above it moves what is left of it. Method:
// 0.3 N m of friction, 1 kg m², efforts of 0.29 and 0.5 N m. Tolerance: the effort begins with the
// first or the second step, 1 ms of 0.2 rad/s².
#[test]
fn a_motor_moves_what_friction_leaves() {
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

// Goal: a velocity loop is slower by f / k_v, and an integral makes that good. Method: 0.3 N m, k_v
// = 2. Tolerance: after ten time constants of 0.5 s and, for the integral, of 1 s.
#[test]
fn a_velocity_loop_works_against_friction() {
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

// Goal: a motor of the line τ_s (1 - ω/ω_0) runs at ω_0 (1 - f/τ_s), and the friction that holds it
// leaves it the whole effort at rest, however light the joint. Method: 0.001 kg m² at 1 ms, so that
// a step is many times the time in which it runs up; f = 1 and 9.9 of 10 N m. Tolerance: rounding.
#[test]
fn a_light_joint_breaks_away_and_runs_on_its_line() {
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

// Goal: behind a gap the rotor runs up and takes the joint along a little; then the joint holds
// until the effort exceeds the friction, and both go on together. Method: 0.3 N m, rotor of 0.1 and
// joint of 1 kg m², gap of 0.02 rad with the rotor in its middle. At 0.2 N m the rotor meets the
// flank at v = sqrt(2 · 2 · 0.01) = 0.2 rad/s, both go on at 0.1 v / 1.1 and stop after that² / (2
// · 0.1 / 1.1); then 0.5 N m for 2 s. Tolerance: the push lasts some milliseconds, in which
// friction takes a part: 5 %; at rest rounding.
#[test]
fn a_gap_moves_before_the_joint_does() {
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

// Goal: friction that nothing feels is no secret. Method: the note of a joint with an ideal
// position drive.
#[test]
fn an_ideal_drive_does_not_feel_friction() {
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

// Goal: a joint's own limit of speed holds for its drive too, for a set-point as for a trajectory.
// Method: limits on either side of the drive's.
#[test]
fn the_lower_limit_of_speed_counts() {
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
    // a velocity beyond it is cut to it
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
