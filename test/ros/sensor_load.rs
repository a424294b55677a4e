//! Test of exteroceptive sensors that together need more processor time than there is.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use merrow_sim as sim;
use merrow_sim::{Pace, Simulation};
use merrow_world::{Overrides, data_dir, load_world};

/// Fraction of a core below which a sensor keeps its rate.
const CHEAP: f64 = 0.1;

// Goal: a sensor that needs less than 10 % of a core misses less than 2 % of its samples,
// independently of other subscriptions. Method: `riverwatch` in real time on two threads, without
// ROS, with all outputs of all sensors requested: three cameras, a lidar, a laser and a sonar. The
// shortage must be real: some sensor misses more than half of its samples. On a slow machine the
// laser needs more than 10 %. Tolerance: 2 %.
#[test]
#[ignore = "depends on the pace, takes 20 s on an idle machine: test/run slow"]
fn cheap_sensors_keep_their_rate() {
    let path = data_dir::world_file("riverwatch");
    let scene = Arc::new(load_world(&path, Overrides::default()).unwrap().scene);
    let mut simulation = Simulation::new(Arc::clone(&scene), 2).unwrap();
    let scheduler = simulation.sensor_scheduler.as_ref().unwrap();
    for load in scheduler.loads() {
        scheduler.request_frames(&scene, load.robot, load.sensor, true);
    }
    let (_sender, requests) = crossbeam_channel::unbounded();
    let stop = AtomicBool::new(false);
    let pace = Pace::Factor(1.0);
    let summary = sim::run(&mut simulation, pace, Some(20.0), &requests, &mut [], &stop);
    assert_eq!(summary.failed, None);
    let mut lines = vec![format!("{} overruns", summary.overruns)];
    let (mut n_cheap, mut worst, mut starved) = (0, 0.0_f64, Vec::new());
    for load in simulation.sensor_scheduler.as_ref().unwrap().loads() {
        let name = &scene.robots[load.robot].sensors[load.sensor].name;
        let missed = load.missed as f64 / load.requested as f64;
        let line = format!(
            "{name}: {:.1} % of a core, {} of {} samples missed",
            100.0 * load.cores,
            load.missed,
            load.requested
        );
        worst = worst.max(missed);
        if load.cores < CHEAP {
            n_cheap += 1;
            if missed >= 0.02 {
                starved.push(line.clone());
            }
        }
        lines.push(line);
    }
    println!("{}", lines.join("\n"));
    assert!(n_cheap >= 1, "the sonar is cheap: {lines:#?}");
    assert!(worst > 0.5, "the processor suffices: {lines:#?}");
    assert!(starved.is_empty(), "{starved:#?} of {lines:#?}");
}
