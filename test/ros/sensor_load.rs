//! Test of exteroceptive sensors that together need more processor time than there is.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use merrow_sim as sim;
use merrow_sim::{Pace, Simulation};
use merrow_world::{Overrides, data_dir, load_world};

/// Fraction of a core below which a sensor keeps its rate.
const CHEAP: f64 = 0.1;

// A sensor that needs less than 10 % of a core misses less than 2 % of its samples, independently
// of other subscriptions. Method: `riverwatch` in real time on two threads, without ROS, with all
// outputs of all sensors requested: three cameras, a lidar, a laser and a sonar. The shortage must
// be real: some sensor misses more than half of its samples. On a slow machine the laser needs more
// than 10 %. Tolerance: 2 %.
#[test]
#[ignore = "depends on the pace, takes 20 s on an idle machine: test/run slow"]
fn cheap_sensors_keep_their_rate() {
    let (lines, loads) = measure_loads(&data_dir::world_file("riverwatch"));
    println!("{}", lines.join("\n"));
    let cheap = || loads.iter().filter(|[cores, _]| *cores < CHEAP);
    assert!(cheap().count() >= 1, "the sonar is cheap: {lines:#?}");
    let is_short = |[_, missed]: &[f64; 2]| *missed > 0.5;
    assert!(
        loads.iter().any(is_short),
        "the processor suffices: {lines:#?}"
    );
    let starved = cheap().filter(|[_, missed]| *missed >= 0.02).count();
    assert_eq!(starved, 0, "{lines:#?}");
}

// With `quality: fast` the sensors of `riverwatch` deliver more of their samples. Method: as above;
// the sum of the delivered fractions of all sensors for both qualities. The printed rates show
// whether the processor suffices for all samples.
#[test]
#[ignore = "depends on the pace, takes 40 s on an idle machine: test/run slow"]
fn fast_images_are_delivered_more_often() {
    let fast = Path::new(env!("CARGO_MANIFEST_DIR")).join("test/ros/worlds/riverwatch_fast.yaml");
    let [full, fast] = [data_dir::world_file("riverwatch"), fast].map(|world| {
        let (lines, loads) = measure_loads(&world);
        println!("{}:\n{}", world.display(), lines.join("\n"));
        loads.iter().map(|[_, missed]| 1.0 - missed).sum::<f64>()
    });
    assert!(fast > full, "{fast} {full}");
}

/// Runs a world in real time with all sensors requested, on two threads. Returns a line per sensor,
/// and for each the cores that it needs and the fraction of missed samples.
fn measure_loads(world: &Path) -> (Vec<String>, Vec<[f64; 2]>) {
    let scene = Arc::new(load_world(world, Overrides::default()).unwrap().scene);
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
    let mut loads = Vec::new();
    for load in simulation.sensor_scheduler.as_ref().unwrap().loads() {
        let name = &scene.robots[load.robot].sensors[load.sensor].name;
        let missed = load.missed as f64 / load.requested as f64;
        lines.push(format!(
            "{name}: {:.1} % of a core, {} of {} samples missed",
            100.0 * load.cores,
            load.missed,
            load.requested
        ));
        loads.push([load.cores, missed]);
    }
    (lines, loads)
}
