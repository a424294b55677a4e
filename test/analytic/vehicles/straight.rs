//! Tests the course of bundled vehicles under equal thrust, without control.

use merrow_math::Vec3;
use merrow_model::state::{ActuatorCommand, Command};
use merrow_sim::Simulation;
use merrow_world::{Overrides, World, data_dir, load_text};
use std::sync::Arc;

fn shipped(model: &str) -> World {
    let text = format!(
        "step: {{dt_s: 0.002}}\nseabed: {{depth_m: 200}}\nrobots: {{r: {{model: {{extends: robots/{model}.yaml, firmware: null}}}}}}"
    );
    match load_text("straight.yaml", &text, Overrides::default()) {
        Ok(world) => world,
        Err(problems) => panic!("{model}: {problems}"),
    }
}

/// Returns the change of heading [deg] in five minutes with all propellers along x at `fraction` of
/// their range, started with a sway of 1 mm/s; NaN if the robot was halted, `None` if there are no
/// such propellers.
fn change_of_heading(world: World, fraction: f64) -> Option<f64> {
    let mut scene = world.scene;
    let robot = &mut scene.robots[0];
    let values: Vec<f64> = robot
        .thrusters
        .iter()
        .map(|t| match t.direction.x {
            x if x > 0.3 => fraction * t.motor.range[1],
            x if x < -0.3 => fraction * t.motor.range[0],
            _ => 0.0,
        })
        .collect();
    if values.iter().all(|value| *value == 0.0) {
        return None;
    }
    if robot.links[0].restoring.is_none() {
        robot.start.p_WB = Vec3::new(0.0, 0.0, -100.0);
    }
    robot.start.v_WB_B = Vec3::new(0.0, 1e-3, 0.0);
    let mut s = Simulation::new(Arc::new(scene), 1).unwrap();
    s.apply(&Command::Actuator(0, ActuatorCommand::Thrusters { values }))
        .unwrap();
    let mut turned = 0.0_f64;
    let mut last = 0.0;
    for _ in 0..300 {
        s.advance(500);
        s.clear_outboxes();
        let bow = s.state.robots[0].motion.q_WB.matrix().col(0);
        let heading = libm::atan2(bow.y, bow.x);
        let step = heading - last;
        turned += libm::remainder(step, std::f64::consts::TAU);
        last = heading;
    }
    let is_halted = s.state.robots[0].halted.is_some();
    Some(if is_halted {
        f64::NAN
    } else {
        turned.to_degrees()
    })
}

// Under equal thrust every bundled vehicle keeps its course, or its file states the reason why it
// does not. Method: five minutes of each model with propellers along x, at 30 % and at 100 % of
// their range; the models without such propellers are known by name. Tolerance: 10 degrees.
#[test]
#[ignore = "half a minute: test/run slow"]
fn equal_thrust_is_straight_for_every_vehicle() {
    let models = data_dir::file_names("params/robots");
    let models: Vec<&str> = models.iter().map(String::as_str).collect();
    let without_propellers = [
        "firefly",
        "firefly_autopilot",
        "firefly_riverwatch",
        "osu_uvms_published",
        "rover",
        "sailboat",
        "seawing",
    ];
    assert_eq!(run_straight(&models), without_propellers);
}

/// As above, for vehicles with one and with several propellers, on the surface and below it.
#[test]
fn equal_thrust_is_straight() {
    let skipped = run_straight(&["bluerov2", "heron", "otter", "remus100"]);
    assert!(skipped.is_empty(), "{skipped:?}");
}

/// Compares the courses of models with the reasons that their files state. Returns the models
/// without propellers along x.
fn run_straight<'a>(models: &[&'a str]) -> Vec<&'a str> {
    let (mut wrong, mut skipped) = (Vec::new(), Vec::new());
    for &model in models {
        let reason = shipped(model).models[0].unstable_course.clone();
        let turns: Option<Vec<f64>> = [0.3, 1.0]
            .into_iter()
            .map(|fraction| change_of_heading(shipped(model), fraction))
            .collect();
        let Some(turns) = turns else {
            skipped.push(model);
            continue;
        };
        let is_straight = turns.iter().all(|turn| turn.abs() <= 10.0);
        if is_straight != reason.is_empty() {
            wrong.push(format!(
                "{model}: turns by {turns:.1?} degrees, reason given: {reason:?}"
            ));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
    skipped
}
