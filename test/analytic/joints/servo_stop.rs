//! Tests the stop that keeps an arm out of boxes around its vehicle.

use crate::common::close;
use crate::common::joints::{Hinge, cascade, command, trajectory};
use merrow_model::state::joint::{AbortReason, GoalState};
use merrow_model::state::{Command, JointCommand};

/// A hinge with a ball of 0.05 m at the end of 1 m; a box fills |y - 1| <= 0.2, |x| <= 2: the ball
/// touches it at sin q = 0.75, q = 0.848 rad.
const MODEL: &str = "keep_out: {boxes: {hull: {center_m: [0, 1, 0], size_m: [4, 0.4, 1]}}, \
                     spheres: {tip: {link: arm, center_m: [1, 0, 0], radius_m: 0.05}}, look_ahead_s: 0.1}";

// The arm stops before the box, holds there, and can move back. Method: a set point inside the box;
// the servo commands 0.5 rad/s, so it is frozen when 0.05 rad remain. Tolerance: two ticks of 10 ms
// and the run-out of the velocity loop, v J/k = 0.005 rad.
#[test]
fn servos_stop_before_a_box_and_can_leave() {
    let keys = "rate_hz: 100, position_gain_per_s: 20,";
    let drive = cascade("velocity_gain: 50", keys).replace("max_speed: 1000", "max_speed: 0.5");
    let mut s = Hinge {
        drive: &drive,
        model: MODEL,
        ..Hinge::default()
    }
    .world();
    let touches = libm::asin(0.75);
    command(&mut s, 1.5);
    s.advance(10_000);
    let stopped = s.state.robots[0].motion.q[0];
    assert!(
        stopped < touches && stopped > touches - 0.055,
        "{stopped} before {touches}"
    );
    close("at rest", s.state.robots[0].motion.qd[0], 0.0, 1e-9);
    command(&mut s, 0.2);
    s.advance(5000);
    close("out again", s.state.robots[0].motion.q[0], 0.2, 1e-6);
}

// An arm inside the box may move out, but no deeper. Method: a start in the box, set points further
// in and out. Tolerance: two ticks of the commanded speed for the first, the decay of the loop for
// the second.
#[test]
fn an_arm_in_the_box_may_leave_it() {
    let keys = "rate_hz: 100, position_gain_per_s: 20,";
    let drive = cascade("velocity_gain: 50", keys).replace("max_speed: 1000", "max_speed: 0.5");
    let mut s = Hinge {
        drive: &drive,
        model: MODEL,
        ..Hinge::default()
    }
    .world();
    s.state.robots[0].motion.q[0] = 1.0;
    command(&mut s, 1.2);
    s.advance(3000);
    close("no deeper", s.state.robots[0].motion.q[0], 1.0, 1e-6);
    // The look-ahead position, 0.05 rad ahead, is still in the box.
    command(&mut s, 0.3);
    s.advance(5000);
    close("out", s.state.robots[0].motion.q[0], 0.3, 1e-6);
}

// A goal is aborted with the name of the link that would enter, and the arm holds. Method: the same
// as a trajectory. Tolerance: as above.
#[test]
fn a_goal_into_a_box_is_aborted() {
    let drive = cascade(
        "velocity_gain: 50",
        "rate_hz: 100, position_gain_per_s: 20,",
    );
    let mut s = Hinge {
        drive: &drive,
        model: MODEL,
        ..Hinge::default()
    }
    .world();
    let trajectory = std::sync::Arc::new(trajectory(&[(4.0, &[1.5], &[0.0])]));
    s.apply(&Command::Joint(
        0,
        JointCommand::Trajectory {
            group: 0,
            id: 7,
            trajectory,
        },
    ))
    .unwrap();
    s.advance(6000);
    let goal = s.state.robots[0].groups[0].goal.unwrap();
    assert_eq!(
        (goal.id, goal.state),
        (7, GoalState::Aborted(AbortReason::KeepOut { link: 1 }))
    );
    let GoalState::Aborted(why) = goal.state else {
        unreachable!()
    };
    let text = why.text(&s.scene.robots[0]);
    assert_eq!(
        text,
        "link arm would enter a box that the controller keeps clear"
    );
    let q = s.state.robots[0].motion.q[0];
    assert!(q < libm::asin(0.75) && q > 0.7, "{q}");
}

// Without a box the same set point is reached. Method: as above without the key. Tolerance: the
// decay of the loop.
#[test]
fn arm_reaches_set_point_without_box() {
    let drive = cascade(
        "velocity_gain: 50",
        "rate_hz: 100, position_gain_per_s: 20,",
    );
    let mut s = Hinge {
        drive: &drive,
        ..Hinge::default()
    }
    .world();
    command(&mut s, 1.5);
    s.advance(10_000);
    close("position", s.state.robots[0].motion.q[0], 1.5, 1e-6);
}
