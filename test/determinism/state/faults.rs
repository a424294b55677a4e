//! Tests that faults, including random faults, are bit-identical for any blocks, threads and
//! resumption.

use crate::common::simulation;
use merrow_model::state::Command;

const WORLD: &str = "
faults:
  a: {robot: r_0, target: t1, time_s: 0.3, kind: intermittent, mean_working_s: 0.05, mean_failed_s: 0.05}
  b: {robot: r_0, target: t2, time_s: 0.2, kind: noisy, noise_std: 20}
  c: {robot: r_1, target: imu, kind: noisy, noise_std: 0.1}
  d: {robot: r_1, target: base_link, time_s: 0.4, duration_s: 0.3, kind: leak, hole_diameter_m: 0.02, compartment_m3: 0.003, center_m: [0.1, 0, 0]}
  e: {robot: r_1, target: battery, time_s: 0.5, kind: shortage, power_w: 15}
robots: {r: {model: bluerov2, position_m: [0, 0, -5], repeat: {count: [2, 1, 1], spacing_m: [5, 0, 0]}}}
";

// Goal: bit-identical results in blocks of 1, 7 and 250 steps and when resumed from a clone during
// all faults. Method: a second of two vehicles under way; without the faults the final state
// differs. Tolerance: none.
#[test]
fn faults_have_the_same_bits() {
    let start = |text: &str| {
        let mut s = simulation(text);
        for robot in 0..2 {
            let values = vec![1650.0; s.scene.robots[robot].thrusters.len()];
            s.apply(&Command::Thrusters { robot, values }).unwrap();
        }
        s
    };
    let run = |block: u64| {
        let mut s = start(WORLD);
        for _ in 0..500_u64.div_ceil(block) {
            s.advance(block.min(500 - s.state.step));
        }
        s.state.hash()
    };
    let hash = run(1);
    assert_eq!(run(7), hash);
    assert_eq!(run(250), hash);
    let mut first = start(WORLD);
    first.advance(277);
    let mut second = start(WORLD);
    second.state = first.state.clone();
    second.advance(223);
    assert_eq!(second.state.hash(), hash, "resumed");
    let mut well = start(
        WORLD
            .split("robots:")
            .nth(1)
            .map(|r| format!("robots:{r}"))
            .as_deref()
            .unwrap(),
    );
    well.advance(500);
    for r in 0..2 {
        assert_ne!(
            well.state.robots[r].motion.p_WB,
            second.state.robots[r].motion.p_WB
        );
    }
}
