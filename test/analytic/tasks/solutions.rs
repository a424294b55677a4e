//! The bundled worlds with tasks, solved by the shipped controllers.
//!
//! A script gives the goals of the controllers from the task of the world, so that it follows the
//! variant of each seed. A task without a script, or one that a change of a world or a controller made
//! unsolvable, fails.

use merrow::publisher::connect_bridges;
use merrow_math::real::wrap_angle;
use merrow_math::{Quat, Vec3};
use merrow_model::state::{Command, FirmwareCommand};
use merrow_sim::Simulation;
use merrow_tasks::law::Anchor;
use merrow_tasks::registry::Law;
use merrow_tasks::{Phase, Report};
use merrow_world::{Overrides, data_dir, load_world};
use rayon::iter::{IntoParallelIterator, ParallelIterator};
use std::f64::consts::PI;
use std::sync::Arc;

/// A goal of the controller, and how near it must be reached before the next one.
struct Goal {
    p: Vec3,
    yaw: Option<f64>,
    within_m: f64,
    /// Time at the goal [s].
    hold_s: f64,
    /// Reports at the goal.
    reports: Vec<Report>,
}

fn goal(p: Vec3, yaw: Option<f64>, within_m: f64) -> Goal {
    Goal {
        p,
        yaw,
        within_m,
        hold_s: 0.0,
        reports: Vec::new(),
    }
}

fn fixed(anchor: Anchor) -> Vec3 {
    match anchor {
        Anchor::Fixed(p) => p,
        Anchor::Body(_) | Anchor::OnBody(..) => panic!("a point of a structure"),
    }
}

/// Returns goals before, in and behind a gate, from its left and right end.
fn through([left, right]: [Anchor; 2], reach: f64, within_m: f64) -> Vec<Goal> {
    let (left, right) = (fixed(left), fixed(right));
    let middle = (left + right).scale(0.5);
    let across = left - right;
    let ahead = Vec3::new(across.y, -across.x, 0.0);
    let ahead = ahead.scale(1.0 / ahead.norm());
    let yaw = Some(ahead.y.atan2(ahead.x));
    let at = |s: f64| goal(middle + ahead.scale(s), yaw, within_m);
    vec![at(-reach), at(reach)]
}

/// Returns the goals that solve the task of a world.
fn goals(simulation: &Simulation) -> Vec<Goal> {
    let task = simulation.scene.task.as_ref().unwrap();
    let start = simulation.state.robots[0].motion.p_WB;
    match &task.law {
        Law::StationKeeping(law) => vec![goal(law.goal.p_W, law.goal.yaw, 0.0)],
        Law::Wayfinding(law) => {
            let poses = law.waypoints.iter();
            let held = poses.map(|g| Goal {
                hold_s: 12.0,
                ..goal(g.p_W, g.yaw, 1.0)
            });
            held.collect()
        }
        Law::Gymkhana(law) => {
            let gates = law.gates.iter().flat_map(|gate| through(*gate, 5.0, 2.5));
            gates.chain([goal(law.goal.p_W, None, 0.0)]).collect()
        }
        Law::Gates(law) => law
            .gates
            .iter()
            .flat_map(|gate| through(*gate, 0.8, 0.2))
            .collect(),
        Law::Perception(law) => {
            let places: Vec<Vec3> = law.anchors.iter().map(|anchor| fixed(*anchor)).collect();
            let mut all = Vec::new();
            for (k, object) in law.keys.objects.iter().enumerate() {
                let p = places[k];
                // before the object, and then beside it on the side of the next one
                let before = Vec3::new(p.x - 1.8, p.y, -0.8);
                let report = Report::Object {
                    class: object.class.clone(),
                    p_W: p,
                };
                all.push(Goal {
                    reports: vec![report],
                    ..goal(before, Some(0.0), 0.3)
                });
                if let Some(next) = places.get(k + 1) {
                    let aside = Vec3::new(0.0, 2.0_f64.copysign(next.y - p.y), 0.0);
                    all.push(goal(before + aside, Some(0.0), 0.3));
                }
            }
            all
        }
        Law::Waypoints(law) => {
            let mut all = Vec::new();
            for waypoint in &law.waypoints {
                all.push(goal(
                    Vec3::new(waypoint.p_W.x, waypoint.p_W.y, -1.0),
                    None,
                    0.3,
                ));
            }
            let last = law.waypoints[law.waypoints.len() - 1].p_W;
            all.push(goal(Vec3::new(last.x, last.y, -0.1), None, 0.0));
            all
        }
        Law::Docking(_) => {
            let yaw = Some(-PI / 4.0);
            let above = |z: f64| Vec3::new(0.0, 0.0, z);
            vec![
                Goal {
                    hold_s: 10.0,
                    ..goal(above(-95.0), yaw, 1.0)
                },
                // the fixes by radio correct the estimate of the position here
                Goal {
                    hold_s: 15.0,
                    ..goal(above(-97.5), yaw, 1.0)
                },
                // below the seat, to press the probe into it
                goal(above(-99.1), yaw, 0.0),
            ]
        }
        Law::Inspection(law) => {
            let n = law.points.len() as f64;
            let sum = law.points.iter().fold(Vec3::zero(), |sum, (p, _)| sum + *p);
            let center = sum.scale(1.0 / n);
            let first = (start.y - center.y).atan2(start.x - center.x);
            let mut all = Vec::new();
            for turn in 0..2 {
                let z = center.z + [1.0, -1.0][turn];
                for k in 0..=8 {
                    let angle = first + 2.0 * PI * f64::from(k) / 8.0;
                    let (x, y) = (2.4 * angle.cos(), 2.4 * angle.sin());
                    all.push(Goal {
                        hold_s: 2.0,
                        ..goal(
                            Vec3::new(center.x + x, center.y + y, z),
                            Some(wrap_angle(angle + PI)),
                            0.25,
                        )
                    });
                }
            }
            all
        }
        other => panic!("no script for {}", other.kind()),
    }
}

/// Runs a world to the end of its task; returns its score, the number of collisions and the time of
/// its end [s].
fn solve(world: &str, seed: u64) -> (f64, u32, f64) {
    let overrides = Overrides {
        seed: Some(seed),
        ..Overrides::default()
    };
    let loaded = load_world(&data_dir::world_file(world), overrides);
    let scene = loaded.unwrap_or_else(|problems| panic!("{problems}")).scene;
    let mut s = Simulation::new(Arc::new(scene), 1).expect("a simulation");
    connect_bridges(&mut s);
    let step_s = s.scene.dt();
    let block = (0.1 / step_s).round() as u64;
    let phase = |s: &Simulation| s.state.task.0.as_ref().unwrap().phase;
    while matches!(phase(&s), Phase::Initial) {
        s.advance(block);
    }
    let all = goals(&s);
    let mut next = all.iter();
    let (mut current, mut held_s) = (None::<&Goal>, 0.0);
    while phase(&s) != Phase::Finished {
        let p = s.state.robots[0].motion.p_WB;
        let is_reached = current.is_none_or(|g| (g.p - p).norm() <= g.within_m);
        held_s = if is_reached { held_s + 0.1 } else { 0.0 };
        if current.is_none_or(|g| held_s > g.hold_s && is_reached && g.within_m > 0.0) {
            for report in current.iter().flat_map(|g| &g.reports) {
                s.apply(&Command::Report(0, report.clone())).unwrap();
            }
            if let Some(goal) = next.next() {
                let q_WB = goal.yaw.map(|yaw| Quat::from_rpy(0.0, 0.0, yaw));
                let pose = FirmwareCommand::PoseGoal { p_WB: goal.p, q_WB };
                s.apply(&Command::Firmware(0, pose)).unwrap();
                (current, held_s) = (Some(goal), 0.0);
            }
        }
        s.advance(block);
    }
    let task = Arc::clone(s.scene.task.as_ref().unwrap());
    let own = s.state.task.0.as_ref().unwrap();
    let end = own.finished_ns.unwrap_or_default() as f64 * 1e-9;
    (task.score(own), own.robots[0].collisions, end)
}

/// Solves worlds with seeds concurrently; fails with the runs whose score is not that of a solution.
fn check(worlds: &[&'static str], seeds: std::ops::RangeInclusive<u64>) {
    let runs = worlds
        .iter()
        .flat_map(|world| seeds.clone().map(move |seed| (*world, seed)));
    let runs: Vec<(&str, u64)> = runs.collect();
    let wrong: Vec<String> = runs
        .into_par_iter()
        .filter_map(|(world, seed)| {
            let (score, collisions, end) = solve(world, seed);
            println!(
                "{world}, seed {seed}: score {score}, {collisions} collisions, end at {end} s"
            );
            let is_solved = match world {
                // mean pose errors [m]
                "task_station_keeping" => score < 0.35,
                "task_wayfinding" => score < 0.25,
                // the mean contains the way to the beacon
                "task_gymkhana" => score < 15.0,
                // 4 gates of 100 points with 4 bonuses of 20, less the time
                "task_gate_slalom" => score > 470.0,
                // all objects are reported where they are
                "task_bins_target" => score == 0.0,
                "task_octagon" => score == 400.0,
                // 60 and 40 points, less the time
                "task_docking" => score > 85.0,
                "task_inspection" => score == 100.0,
                _ => panic!("no score for {world}"),
            };
            let is_solved = is_solved && collisions == 0;
            (!is_solved).then(|| format!("{world}, seed {seed}: {score}, {collisions} collisions"))
        })
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

const WORLDS: [&str; 8] = [
    "task_station_keeping",
    "task_wayfinding",
    "task_gymkhana",
    "task_gate_slalom",
    "task_bins_target",
    "task_octagon",
    "task_docking",
    "task_inspection",
];

#[test]
fn shipped_controllers_solve_the_bundled_tasks() {
    check(&WORLDS, 1..=2);
}

#[test]
#[ignore = "takes minutes: test/run slow"]
fn shipped_controllers_solve_twenty_variants() {
    check(&WORLDS, 1..=20);
}
