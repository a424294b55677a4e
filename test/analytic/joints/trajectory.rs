//! Tests trajectories and goals: splines against closed forms, and the results of goals.

use crate::common::joints::{Hinge, cascade, command, trajectory};
use crate::common::{close, simulation};
use merrow_model::scene::JointMode;
use merrow_model::state::joint::{AbortReason, Goal, GoalState, Tolerance, Trajectory, Violation};
use merrow_model::state::{Command, JointCommand};
use merrow_sim::Simulation;
use merrow_sim::control::joints::trajectory::{SegmentEnd, interpolate};

fn knot(position: f64, velocity: Option<f64>, acceleration: Option<f64>) -> SegmentEnd {
    SegmentEnd {
        position,
        velocity,
        acceleration,
        effort: 0.0,
    }
}

// Quintic, cubic and linear segments match their end conditions and closed forms. Method: both ends
// of a general segment; a rest-to-rest quintic is 10 s³ - 15 s⁴ + 6 s⁵, a rest-to-rest cubic 3 s² -
// 2 s³; a polynomial of the same degree is reproduced. Tolerance: rounding.
#[test]
fn splines_match_closed_forms() {
    let T = 1.7;
    let from = knot(0.3, Some(-0.4), Some(0.9));
    let to = knot(-1.1, Some(0.7), Some(-0.2));
    for (s, end) in [(0.0, from), (T, to)] {
        let r = interpolate(&from, &to, s, T);
        close("position", r.position, end.position, 1e-14);
        close("velocity", r.velocity, end.velocity.unwrap(), 1e-13);
        close(
            "acceleration",
            r.acceleration,
            end.acceleration.unwrap(),
            1e-13,
        );
        let (a, b) = (
            SegmentEnd {
                acceleration: None,
                ..from
            },
            to,
        );
        let r = interpolate(&a, &b, s, T);
        close("cubic position", r.position, end.position, 1e-14);
        close("cubic velocity", r.velocity, end.velocity.unwrap(), 1e-13);
        let r = interpolate(&knot(0.3, None, None), &to, s, T);
        close("line", r.position, end.position, 1e-14);
    }
    for k in 0..=20 {
        let x = f64::from(k) / 20.0;
        let rest = |a: Option<f64>| (knot(1.0, Some(0.0), a), knot(3.0, Some(0.0), a));
        let (a, b) = rest(Some(0.0));
        let quintic = 1.0 + 2.0 * x * x * x * (10.0 - 15.0 * x + 6.0 * x * x);
        close(
            "quintic",
            interpolate(&a, &b, T * x, T).position,
            quintic,
            1e-14,
        );
        let (a, b) = rest(None);
        let cubic = interpolate(&a, &b, T * x, T);
        close(
            "cubic",
            cubic.position,
            1.0 + 2.0 * x * x * (3.0 - 2.0 * x),
            1e-14,
        );
        close(
            "its velocity",
            cubic.velocity,
            12.0 * x * (1.0 - x) / T,
            1e-13,
        );
        close(
            "its acceleration",
            cubic.acceleration,
            12.0 * (1.0 - 2.0 * x) / (T * T),
            1e-13,
        );
        let line = interpolate(&knot(1.0, None, None), &b, T * x, T);
        close("line", line.position, 1.0 + 2.0 * x, 1e-14);
        close("its velocity", line.velocity, 2.0 / T, 1e-14);
    }
}

/// Returns two joints in series with cascaded servos, and a jaw in its own group; `rules` are keys
/// of `trajectories`.
fn arm(rules: &str) -> Simulation {
    let servo = "{kind: servo, rate_hz: 1000, max_speed: 2, position_gain_per_s: 20, law: {kind: cascade, velocity_gain: 40, \
                 integral_gain: 40, inertia_feed_forward: 1, bias_feed_forward: 1}}";
    let link = |name: &str, parent: &str, drive: &str| {
        format!(
            "
        {name}:
          parent: {parent}
          joint: {{name: {name}, kind: revolute, lower_rad: -2, upper_rad: 2, max_effort: 50, position_m: [0.3, 0, 0], drive: {drive}}}
          body: {{source: test, axes: flu, mass_kg: 1, volume_m3: 0.001, inertia_kg_m2: {{xx: 1, yy: 1, zz: 1}}}}"
        )
    };
    let links =
        link("j1", "base_link", servo) + &link("j2", "j1", servo) + &link("jaw", "j2", "position");
    simulation(&format!(
        "
step: {{dt_s: 0.001}}
robots:
  r:
    position_m: [0, 0, -10]
    model:
      source: test
      base: fixed
      body: {{source: test, axes: flu, mass_kg: 1, inertia_kg_m2: {{xx: 1, yy: 1, zz: 1}}}}
      joint_groups: {{arm: [j1, j2], gripper: [jaw]}}
      trajectories: {{{rules}}}
      links: {links}
"
    ))
}

fn send(s: &mut Simulation, id: u64, trajectory: Trajectory) -> Result<(), String> {
    let trajectory = std::sync::Arc::new(trajectory);
    s.apply(&Command::Joint(
        0,
        JointCommand::Trajectory {
            group: 0,
            id,
            trajectory,
        },
    ))
    .map_err(|refusal| refusal.reason)
}

fn goal(s: &Simulation) -> Goal {
    s.state.robots[0].groups[0].goal.unwrap()
}

/// Returns a quintic from rest to rest over `seconds` [s].
fn quintic(seconds: f64, q: &[f64]) -> Trajectory {
    let mut t = trajectory(&[(seconds, q, &vec![0.0; q.len()])]);
    t.points[0].accelerations = vec![0.0; q.len()];
    t
}

// Servos follow a quintic to its end, and the goal succeeds once the joints are at rest. Method:
// maximum distance from the set point, end position, and time of success. Tolerance: the
// feed-forward does not include the coupling of the joints (0.1 kg m² of 1 to 2.2), which leaves
// 0.02 rad; the end within the decay of the loop.
#[test]
fn servos_follow_quintic_and_goal_succeeds() {
    let mut s = arm("");
    send(&mut s, 3, quintic(2.0, &[1.0, -0.5])).unwrap();
    assert_eq!(goal(&s).state, GoalState::Active);
    let mut worst: f64 = 0.0;
    for k in 0..2000 {
        s.advance(1);
        let r = &s.state.robots[0];
        let t = r.tracking(&s.scene.robots[0], 0);
        worst = worst.max(t.position_error.abs());
        let x = f64::from(k) / 2000.0;
        close(
            "set-point",
            t.desired.position,
            x * x * x * (10.0 - 15.0 * x + 6.0 * x * x),
            1e-12,
        );
    }
    assert!(worst < 0.02, "{worst}");
    assert_eq!(
        goal(&s).state,
        GoalState::Active,
        "the end itself counts as part of the path"
    );
    s.advance(500);
    assert_eq!(goal(&s).state, GoalState::Succeeded);
    assert!(
        goal(&s).since_ns >= 2_000_000_000 && goal(&s).since_ns < 2_300_000_000,
        "{:?}",
        goal(&s)
    );
    s.advance(3000);
    close("first joint", s.state.robots[0].motion.q[0], 1.0, 1e-4);
    close("second joint", s.state.robots[0].motion.q[1], -0.5, 1e-4);
}

// An ideal position drive follows without lag. Method: a quintic of 1 rad in 2 s on a drive of 20
// rad/s. Tolerance: the command is held over a step: 1 ms times the speed, 1e-3 rad.
#[test]
fn an_ideal_drive_follows_without_lag() {
    let drive = "{kind: position, bandwidth_rad_s: 20, max_speed: 3, max_acceleration: 100}";
    let mut s = Hinge {
        drive,
        ..Hinge::default()
    }
    .world();
    send(&mut s, 1, quintic(2.0, &[1.0])).unwrap();
    for _ in 0..2000 {
        let t = s.time_ns() as f64 * 1e-9;
        let x = 0.5 * t;
        let closed = x * x * x * (10.0 - 15.0 * x + 6.0 * x * x);
        close("position", s.state.robots[0].motion.q[0], closed, 1e-3);
        s.advance(1);
    }
    s.advance(1000);
    assert_eq!(goal(&s).state, GoalState::Succeeded);
    close("end", s.state.robots[0].motion.q[0], 1.0, 1e-6);
}

// Points without velocities are joined by lines, points with velocities by cubics, starting at the
// current joint positions. Method: set points at the points and halfway. Tolerance: rounding.
#[test]
fn trajectory_points_are_reached_in_time() {
    let mut s = arm("");
    send(
        &mut s,
        1,
        trajectory(&[(1.0, &[0.2, 0.4], &[]), (2.0, &[0.6, 0.2], &[])]),
    )
    .unwrap();
    let desired = |s: &mut Simulation, steps: u64| {
        s.advance(steps);
        let j = &s.state.robots[0].joints;
        [j[0].reference.position, j[1].reference.position]
    };
    // A step applies the set point of its start.
    for (steps, expected) in [
        (501, [0.1, 0.2]),
        (500, [0.2, 0.4]),
        (500, [0.4, 0.3]),
        (500, [0.6, 0.2]),
    ] {
        let found = desired(&mut s, steps);
        close("first", found[0], expected[0], 1e-12);
        close("second", found[1], expected[1], 1e-12);
    }
}

// A trajectory replaces the previous trajectory without a jump of the set point; both goals report
// their result. Method: a return trajectory midway through a quintic. Tolerance: none for the
// states; the set point moves by less than speed times step.
#[test]
fn new_trajectory_preempts_active_goal() {
    let mut s = arm("");
    send(&mut s, 1, quintic(2.0, &[1.0, 0.5])).unwrap();
    s.advance(1000);
    let before = s.state.robots[0].joints[0].reference;
    send(&mut s, 2, quintic(1.5, &[0.0, 0.0])).unwrap();
    s.advance(1);
    let after = s.state.robots[0].joints[0].reference;
    close("position", after.position, before.position, 1e-12);
    close("velocity", after.velocity, before.velocity, 1e-12);
    let group = &s.state.robots[0].groups[0];
    let (old, new) = (group.previous_goal.unwrap(), group.goal.unwrap());
    assert_eq!(
        (old.id, old.state, new.id, new.state),
        (1, GoalState::Preempted, 2, GoalState::Active)
    );
    s.advance(2000);
    assert_eq!(goal(&s).state, GoalState::Succeeded);
    // A joint group command also preempts the goal.
    send(&mut s, 3, quintic(2.0, &[1.0, 0.5])).unwrap();
    s.advance(100);
    s.apply(&Command::Joint(
        0,
        JointCommand::JointGroup {
            group: 0,
            mode: JointMode::Velocity,
            values: vec![0.1, 0.0],
        },
    ))
    .unwrap();
    assert_eq!((goal(&s).id, goal(&s).state), (3, GoalState::Preempted));
    s.advance(1000);
    close("velocity", s.state.robots[0].motion.qd[0], 0.1, 1e-2);
    // A command to one joint makes the other joints hold.
    send(&mut s, 4, quintic(2.0, &[1.0, 0.5])).unwrap();
    s.advance(500);
    command(&mut s, 0.3);
    let held = s.state.robots[0].motion.q[1];
    assert_eq!(goal(&s).state, GoalState::Preempted);
    s.advance(4000);
    close("commanded", s.state.robots[0].motion.q[0], 0.3, 1e-3);
    close("held", s.state.robots[0].motion.q[1], held, 1e-2);
}

// Cancelling holds the joints at their positions; only the active goal can be cancelled. Method:
// states and messages. Tolerance: the stopping distance of the arm, 1 rad/s / 20 per s.
#[test]
fn cancelling_holds_the_joints() {
    let mut s = arm("");
    send(&mut s, 1, quintic(2.0, &[1.0, 0.5])).unwrap();
    s.advance(1000);
    let wrong = s
        .apply(&Command::Joint(
            0,
            JointCommand::CancelGoal { group: 0, id: 9 },
        ))
        .unwrap_err();
    assert_eq!(wrong.reason, "arm: goal 9 is not active");
    s.apply(&Command::Joint(
        0,
        JointCommand::CancelGoal { group: 0, id: 1 },
    ))
    .unwrap();
    let q = s.state.robots[0].motion.q[0];
    assert_eq!(goal(&s).state, GoalState::Cancelled);
    s.advance(3000);
    close("held", s.state.robots[0].motion.q[0], q, 1e-2);
    let twice = s
        .apply(&Command::Joint(
            0,
            JointCommand::CancelGoal { group: 0, id: 1 },
        ))
        .unwrap_err();
    assert_eq!(twice.reason, "arm: goal 1 is not active");
}

// Tolerances of the message take precedence over the robot's own; -1 removes them. Method: a joint
// that is pushed off its path, and a joint that does not come to rest in time.
#[test]
fn violated_tolerances_abort() {
    let tight = Tolerance {
        position: 0.01,
        ..Tolerance::default()
    };
    let any = Tolerance {
        position: -1.0,
        velocity: -1.0,
        acceleration: 0.0,
    };
    for (rules, tolerance, aborts) in [
        ("path_tolerance: 0.01", vec![], true),
        ("", vec![tight; 2], true),
        ("path_tolerance: 0.01", vec![any; 2], false),
        ("", vec![], false),
    ] {
        let mut s = arm(rules);
        send(
            &mut s,
            1,
            Trajectory {
                path_tolerance: tolerance,
                ..quintic(2.0, &[1.0, 0.5])
            },
        )
        .unwrap();
        s.advance(500);
        s.state.robots[0].motion.q[1] += 0.1;
        s.advance(500);
        match goal(&s).state {
            GoalState::Aborted(
                why @ AbortReason::Path(Violation {
                    joint: 1,
                    velocity: false,
                    ..
                }),
            ) if aborts => {
                let text = why.text(&s.scene.robots[0]);
                assert!(
                    text.starts_with("joint j2: position error -0.0")
                        && text.ends_with("on the path, tolerance 0.01"),
                    "{text}"
                );
                assert_eq!(why.code(), -4);
            }
            GoalState::Active if !aborts => {}
            other => panic!("{rules}: {other:?}"),
        }
    }
    // A push at the last moment: the loops need longer than the goal time to correct it.
    let mut s = arm("goal_tolerance: 0.001, goal_time_s: 0.1");
    send(&mut s, 1, quintic(0.6, &[0.5, 0.2])).unwrap();
    s.advance(590);
    s.state.robots[0].motion.q[1] += 0.5;
    s.advance(200);
    let GoalState::Aborted(why) = goal(&s).state else {
        panic!("{:?}", goal(&s))
    };
    assert!(
        matches!(
            why,
            AbortReason::Goal(Violation {
                velocity: false,
                ..
            })
        ) && why.code() == -5,
        "{why:?}"
    );
}

/// A change that makes a trajectory invalid.
type Change = fn(&mut Trajectory);

/// Changes that make a trajectory of the arm invalid, and the messages.
const INVALID_CHANGES: [(Change, &str); 17] = [
    (
        |t| t.points.clear(),
        "the trajectory has no points; expected at least one",
    ),
    (
        |t| t.points[0].positions = vec![1.0],
        "point 0: expected 2 positions, one per joint, found 1",
    ),
    (
        |t| t.points[0].positions.clear(),
        "point 0: expected 2 positions, one per joint, found 0",
    ),
    (
        |t| t.points[0].velocities = vec![0.0; 3],
        "point 0: expected 2 velocities, one per joint, found 3",
    ),
    (
        |t| t.points[0].accelerations[1] = f64::NAN,
        "point 0: accelerations of j2: expected a finite number, found NaN",
    ),
    (
        |t| t.points[0].positions[1] = 2.5,
        "point 0: position of j2 is 2.5; expected -2 to 2",
    ),
    (
        |t| t.points[0].velocities[0] = 2.5,
        "point 0: velocity of j1 is 2.5; expected at most 2",
    ),
    (
        |t| t.points[0].effort = vec![0.0, 51.0],
        "point 0: effort of j2 is 51; expected at most 50",
    ),
    (
        |t| t.points[0].velocities[1] = 0.1,
        "the last point has velocity 0.1 for j2; expected 0",
    ),
    (
        |t| t.points.push(t.points[0].clone()),
        "point 1: its time is not after the time of point 0",
    ),
    (
        |t| {
            let mut next = t.points[0].clone();
            next.positions[0] = -1.5;
            next.time_from_start_ns += 1_000_000_000;
            t.points.push(next);
        },
        "j1 would need the speed 2.5000 from point 0 to 1, its drive allows 2",
    ),
    (
        |t| t.joints = vec![0],
        "the trajectory does not contain joint j2; expected all joints of arm",
    ),
    (|t| t.joints = vec![0, 0], "joint j1 is named twice"),
    (
        |t| t.joints = vec![0, 2],
        "joint jaw is not in the group arm",
    ),
    (
        |t| t.joints = vec![0, 99],
        "joint ? is not in the group arm",
    ),
    (
        |t| {
            t.start_ns = Some(0);
            t.points[0].time_from_start_ns = 500_000_000;
        },
        "the trajectory ends at 0.5 s, before the current time 1 s",
    ),
    (
        |t| t.path_tolerance = vec![Tolerance::default()],
        "expected 2 path tolerances, one per joint, found 1",
    ),
];

// Invalid trajectories are rejected in one line and change no state. Method: messages.
#[test]
fn invalid_trajectories_are_rejected() {
    let mut s = arm("");
    s.advance(1000);
    let hash = s.state.hash();
    let good = quintic(2.0, &[1.0, 0.5]);
    let mut refused = |change: Change| {
        let mut t = good.clone();
        change(&mut t);
        send(&mut s, 1, t).unwrap_err()
    };
    for (change, expected) in INVALID_CHANGES {
        assert_eq!(refused(change), expected);
    }
    assert_eq!(s.state.hash(), hash);
    let mut effort = Hinge::default().world();
    let why = send(&mut effort, 1, quintic(1.0, &[0.5])).unwrap_err();
    assert_eq!(
        why,
        "hinge has an ideal effort drive, which cannot follow a trajectory"
    );
}

// If partial trajectories are allowed, joints may be omitted; they hold. Method: one of two joints.
// Tolerance: the decay of the loop.
#[test]
fn partial_trajectories_hold_the_others() {
    let mut s = arm("allow_partial_joints: true");
    let mut t = quintic(1.0, &[0.5]);
    t.joints = vec![1];
    send(&mut s, 1, t).unwrap();
    s.advance(4000);
    assert_eq!(goal(&s).state, GoalState::Succeeded);
    close("moved", s.state.robots[0].motion.q[1], 0.5, 1e-4);
    close("held", s.state.robots[0].motion.q[0], 0.0, 1e-4);
}

// A trajectory with a start time begins at that time. Method: set point before and after.
// Tolerance: rounding.
#[test]
fn trajectory_starts_at_its_start_time() {
    let mut s = arm("");
    let t = trajectory(&[(1.0, &[0.5, 0.5], &[]), (2.0, &[1.0, 1.0], &[])]);
    send(
        &mut s,
        1,
        Trajectory {
            start_ns: Some(1_000_000_000),
            ..t
        },
    )
    .unwrap();
    s.advance(2501);
    // The segment to the first point begins at once, because it starts at the current set point.
    close(
        "set-point",
        s.state.robots[0].joints[0].reference.position,
        0.75,
        1e-12,
    );
}

// A gripper reaches its position, or stalls at its maximum effort. Method: a servo on a light jaw,
// then one on an immovable jaw.
#[test]
fn grippers_reach_or_stall() {
    let drive = cascade(
        "velocity_gain: 20",
        "rate_hz: 100, position_gain_per_s: 10,",
    );
    for (inertia, rules, expected, stalled) in [
        (1.0, "", Some(GoalState::Succeeded), false),
        (1e12, "", None, true),
        (
            1e12,
            "allow_stalling: true",
            Some(GoalState::Succeeded),
            true,
        ),
    ] {
        let model = format!("trajectories: {{{rules}}}");
        let mut s = Hinge {
            drive: &drive,
            inertia,
            model: &model,
            ..Hinge::default()
        }
        .world();
        let grip = Command::Joint(
            0,
            JointCommand::Gripper {
                group: 0,
                id: 5,
                position: 0.3,
                max_effort: 2.0,
            },
        );
        s.apply(&grip).unwrap();
        s.advance(4000);
        match (expected, goal(&s).state) {
            (Some(expected), found) => assert_eq!(found, expected),
            (
                None,
                GoalState::Aborted(AbortReason::Stalled {
                    joint: 0, effort, ..
                }),
            ) => {
                close("effort", effort, 2.0, 1e-12);
            }
            (None, other) => panic!("{other:?}"),
        }
        assert_eq!(goal(&s).stalled, stalled);
        assert!(s.state.robots[0].joint_commands[0].abs() <= 2.0);
    }
    let mut s = Hinge {
        drive: &drive,
        ..Hinge::default()
    }
    .world();
    let grip = |position, max_effort| {
        Command::Joint(
            0,
            JointCommand::Gripper {
                group: 0,
                id: 5,
                position,
                max_effort,
            },
        )
    };
    let why = s.apply(&grip(f64::NAN, 1.0)).unwrap_err().reason;
    assert_eq!(why, "arm: expected a finite number, found NaN");
    let why = s.apply(&grip(0.1, -1.0)).unwrap_err().reason;
    assert_eq!(why, "arm: expected a max_effort of 0 or more, found -1");
}

// A simulation continues identically from a clone of its state with an active trajectory, with any
// number of threads and any block size. Method: state hash of four arms with the torque servo and
// noisy encoders after 1 s.
#[test]
fn goals_continue_bit_for_bit_from_clone() {
    let text = "
step: {dt_s: 0.001}
robots: {u: {model: osu_uvms_servo, position_m: [0, 0, -5], joint_positions: {shoulder: 0.5, elbow: 0.5}, repeat: {count: [4, 1, 1], spacing_m: [5, 0, 0]}}}
";
    let scene = std::sync::Arc::new(crate::common::scene(text));
    let start = |threads| {
        let mut s = Simulation::new(scene.clone(), threads).unwrap();
        for robot in 0..4 {
            let trajectory = std::sync::Arc::new(quintic(1.5, &[0.3, 0.8, 0.7, -0.4]));
            s.apply(&Command::Joint(
                robot,
                JointCommand::Trajectory {
                    group: 0,
                    id: 1,
                    trajectory,
                },
            ))
            .unwrap();
        }
        s
    };
    let mut whole = start(1);
    whole.advance(1000);
    let hash = whole.state.hash();
    assert!(whole.state.robots.iter().all(|r| r.halted.is_none()));
    for (threads, block) in [(4, 50), (2, 7), (1, 1)] {
        let mut s = start(threads);
        let mut left = 1000;
        while left > 0 {
            s.advance(block.min(left));
            s.clear_outboxes();
            left -= block.min(left);
            if left == 500 {
                let state = s.state.clone();
                s = Simulation::new(scene.clone(), threads).unwrap();
                s.state = state;
            }
        }
        assert_eq!(
            s.state.hash(),
            hash,
            "{threads} threads in blocks of {block}"
        );
    }
}

// The arm of the pool trials with its torque servo follows a quintic like theirs, on a free
// vehicle. Method: 8 s within its speed limits. Tolerance: the error of the published gains, 5 mrad
// during the motion and 1 mrad at the end, doubled.
#[test]
fn the_servo_of_the_trials_follows_a_quintic() {
    let mut s = simulation(
        "
step: {dt_s: 0.001}
water: {density_kg_m3: 997}
robots: {u: {model: osu_uvms_servo, position_m: [0, 0, -5], joint_positions: {base: 0.03, shoulder: 0.08, elbow: 0.03, wrist: -1.27}}}
",
    );
    s.advance(10_000);
    let end = [-0.8, 1.2, 0.9, 0.5];
    send(&mut s, 1, quintic(8.0, &end)).unwrap();
    let mut worst = [0.0_f64; 4];
    for _ in 0..8000 {
        s.advance(1);
        for j in 0..4 {
            let e = s.state.robots[0]
                .tracking(&s.scene.robots[0], j)
                .position_error;
            worst[j] = worst[j].max(e.abs());
        }
    }
    s.advance(4000);
    let left: Vec<f64> = (0..4)
        .map(|j| s.state.robots[0].motion.q[j] - end[j])
        .collect();
    assert!(worst.iter().all(|e| *e < 0.01), "{worst:?}");
    assert!(left.iter().all(|e| e.abs() < 0.002), "{left:?}");
    assert_eq!(goal(&s).state, GoalState::Succeeded);
}
