//! Tests that a second thread does not slow a world down, and that the throughput of a fleet does
//! not fall with its size. The limits are loose; `benches/threads` measures against the targets of
//! docs/explanation/benchmarks-threads.md.

use crate::common::scene;
use merrow_model::scene::Scene;
use merrow_sim::Simulation;
use merrow_world::{Overrides, data_dir, load_world};
use rustix::time::{ClockId, clock_gettime};
use std::sync::Arc;
use std::time::Instant;

/// Minimum speed of two threads divided by the speed of one thread.
const MIN_RATIO: f64 = 0.92;
/// Minimum ratio of these speeds for a fleet.
const MIN_FLEET_RATIO: f64 = 1.5;
/// Maximum CPU time of two threads divided by the CPU time of one thread.
const MAX_CPU_RATIO: f64 = 1.25;
/// Maximum ratio of the throughputs of fleets.
const MAX_FALL: f64 = 1.5;
/// Duration of one measurement with one thread [s], and number of measurements.
const DURATION: f64 = 0.2;
const ROUNDS: usize = 5;
/// Number of steps of a block in a run at maximum pace.
const BLOCK: usize = 100;

/// Wall-clock time and CPU time of `steps` steps [s].
fn measure(simulation: &mut Simulation, steps: u64) -> [f64; 2] {
    let cpu = || {
        let time = clock_gettime(ClockId::ProcessCPUTime);
        time.tv_sec as f64 + 1e-9 * time.tv_nsec as f64
    };
    let (wall_start, cpu_start) = (Instant::now(), cpu());
    // blocks as in a run at maximum pace
    for first in (0..steps).step_by(BLOCK) {
        simulation.advance((steps - first).min(BLOCK as u64));
        simulation.clear_outboxes();
    }
    [wall_start.elapsed().as_secs_f64(), cpu() - cpu_start]
}

/// Returns the number of steps that take about [`DURATION`].
fn steps_to_measure(simulation: &mut Simulation) -> u64 {
    let mut steps = 1;
    loop {
        let [wall, _] = measure(simulation, steps);
        if wall > 0.1 * DURATION {
            return (steps as f64 * DURATION / wall).ceil() as u64;
        }
        steps *= 4;
    }
}

/// Returns speed and CPU time of two threads, divided by the values of one thread, for the same
/// steps of a world.
fn compare_threads(scene: Scene) -> [f64; 2] {
    let scene = Arc::new(scene);
    let start = |threads| Simulation::new(Arc::clone(&scene), threads).unwrap();
    let mut simulations = [start(1), start(2)];
    let steps = steps_to_measure(&mut simulations[0]);
    // the same time of the world, and a pool that has measured its tasks
    let behind = simulations[0].time_ns() / scene.dt_ns - simulations[1].time_ns() / scene.dt_ns;
    measure(&mut simulations[1], behind);
    let mut best = [[f64::INFINITY; 2]; 2];
    for _ in 0..ROUNDS {
        for (simulation, best) in simulations.iter_mut().zip(&mut best) {
            let times = measure(simulation, steps);
            (0..2).for_each(|k| best[k] = best[k].min(times[k]));
        }
    }
    [best[0][0] / best[1][0], best[1][1] / best[0][1]]
}

/// Compares the threads in a bundled world and prints the ratios; returns them as text if they miss
/// a limit.
fn missed_limits(name: &str) -> Option<String> {
    let loaded = load_world(&data_dir::world_file(name), Overrides::default());
    let [speed, cpu] = compare_threads(loaded.unwrap_or_else(|e| panic!("{e}")).scene);
    let is_fleet = name.starts_with("fleet");
    let min = if is_fleet { MIN_FLEET_RATIO } else { MIN_RATIO };
    let text = format!("{name:22} speed {speed:5.2}, CPU time {cpu:5.2}");
    println!("{text}");
    (speed < min || cpu > MAX_CPU_RATIO).then_some(text)
}

/// Returns robots times steps per second of a square fleet of `side` x `side` robots.
fn throughput(side: u32) -> f64 {
    let text = std::fs::read_to_string(data_dir::world_file("fleet_100")).unwrap();
    let count = format!("count: [{side}, {side}, 1]");
    let changed = text.replace("count: [10, 10, 1]", &count);
    assert!(side == 10 || changed != text);
    let mut simulation = Simulation::new(Arc::new(scene(&changed)), 2).unwrap();
    // fewer steps would be a shorter block than in a run
    let steps = steps_to_measure(&mut simulation).max(BLOCK as u64);
    let times = (0..ROUNDS).map(|_| measure(&mut simulation, steps)[0]);
    f64::from(side * side) * steps as f64 / times.fold(f64::INFINITY, f64::min)
}

/// Returns true on a machine with one core, where a comparison is not possible.
fn has_one_core() -> bool {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    if cores < 2 {
        println!("skipped: one core");
    }
    cores < 2
}

// In every world two threads are at least about as fast as one, and use little more CPU time.
// Method: all bundled worlds; the same steps with one and two threads, best of five alternating
// measurements; a world that misses a limit is measured once more, because other programs disturb
// the measurement. Tolerance: 8 % of the speed, 25 % of the CPU time; the fleets are 1.5 times as
// fast.
#[test]
#[ignore = "takes minutes; needs two idle cores"]
fn two_threads_are_as_fast_as_one() {
    if has_one_core() {
        return;
    }
    let names = data_dir::file_names("worlds");
    assert!(names.len() >= 37, "{} worlds", names.len());
    let missed: Vec<_> = names
        .iter()
        .filter(|n| missed_limits(n).is_some())
        .collect();
    println!("again: {missed:?}");
    let wrong: Vec<_> = missed
        .into_iter()
        .filter_map(|n| missed_limits(n))
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

// The time of a step is proportional to the number of robots. Method: squares of 100, 1,024 and
// 10,000 BlueROV2 Heavy; robots times steps per second, best of five measurements; once more if the
// limit is missed. Tolerance: a factor of 1.5.
#[test]
#[ignore = "takes minutes; needs two idle cores"]
fn throughput_is_independent_of_the_size_of_a_fleet() {
    if has_one_core() {
        return;
    }
    let ratio = || {
        let found = [10, 32, 100].map(throughput);
        println!("robot steps per second: {found:.0?}");
        found.iter().copied().fold(0.0, f64::max) / found.into_iter().fold(f64::INFINITY, f64::min)
    };
    let mut found = ratio();
    if found > MAX_FALL {
        found = ratio();
    }
    assert!(
        found <= MAX_FALL,
        "the throughputs differ by a factor of {found:.2}"
    );
}
