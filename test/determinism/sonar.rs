//! Tests that the same seed gives the same sonar pings for any number of threads and any block
//! size.

use crate::common::scene;
use merrow_model::state::frames::Frame;
use merrow_model::state::{ActuatorCommand, Command};
use merrow_sim::Simulation;
use std::sync::Arc;

const WORLD: &str = "
water: {waves: {kind: jonswap, hs_m: 0.4, tp_s: 3}, column: {layers: [{depth_m: 0, temperature_c: 18, salinity_psu: 35}, {depth_m: 8, temperature_c: 8, salinity_psu: 35}]}}
weather: {wind_speed_m_s: 5, wind_from_deg: 30}
seabed: {depth_m: 6, slope_east_north: [0.05, 0.02]}
structures: {quay: {position_m: [12, 0, 0], shapes: {s: {kind: box, size_m: [4, 60, 12]}}}}
robots:
  boat:
    position_m: [0, 0, 0]
    repeat: {count: [1, 2, 1], spacing_m: [0, 6, 0]}
    model:
      extends: robots/otter.yaml
      sensors:
        ahead: {lazy: false, position_m: [1, 0, -0.6], device: {source: test, rate_hz: 12, loss_probability: 0.1, kind: imaging_sonar, sector_deg: 90, beams: 64,
          beam_width_deg: 2, elevation_width_deg: 20, rays: [30, 6], frequency_khz: 900, source_level_db: 205, pulse_us: 60, max_range_m: 14, bins: 200,
          levels_db: [60, 160], multipath: true}}
        down: {lazy: false, position_m: [0, 0, -0.6], device: {source: test, rate_hz: 7, latency_s: 0.03, kind: multibeam, sector_deg: 120, beams: 64, rays: [100, 3], beam_width_deg: 2,
          along_width_deg: 2, frequency_khz: 880, source_level_db: 205, pulse_us: 60, max_range_m: 20, bins: 300, levels_db: [60, 160]}}
";

fn run(threads: usize, block: u64, lazy: bool) -> (Vec<Frame>, String) {
    let text = if lazy {
        WORLD.replace("lazy: false", "lazy: true")
    } else {
        WORLD.to_string()
    };
    let mut sim = Simulation::new(Arc::new(scene(&text)), threads).unwrap();
    for robot in 0..2 {
        sim.apply(&Command::Actuator(
            robot,
            ActuatorCommand::Thrusters {
                values: vec![60.0, 80.0],
            },
        ))
        .unwrap();
    }
    let mut all = Vec::new();
    while sim.state.step < 200 {
        sim.advance(block.min(200 - sim.state.step));
        all.append(&mut sim.frames);
    }
    all.sort_by_key(|f| (f.stamp_ns, f.robot, f.sensor));
    (all, sim.state.hash())
}

// The same seed gives the same pings. The pings of two boats in waves at a quay, which interfere
// with each other, are bitwise equal for 1, 2 and 4 threads and blocks of 1, 25 and 400 steps; the
// state equals the state of a run without subscribers. Method: whole frames compared.
#[test]
fn pings_have_the_same_bits() {
    let (pings, hash) = run(1, 25, false);
    assert!(pings.len() > 8, "{}", pings.len());
    for (threads, block) in [(2, 25), (4, 25), (2, 1), (2, 400)] {
        let (others, other_hash) = run(threads, block, false);
        assert_eq!(
            other_hash, hash,
            "state, {threads} threads, blocks of {block}"
        );
        assert_eq!(others.len(), pings.len());
        for (a, b) in pings.iter().zip(&others) {
            assert!(
                a == b,
                "{threads} threads, blocks of {block}: ping of {} ns",
                a.stamp_ns
            );
        }
    }
    let (none, lazy_hash) = run(2, 25, true);
    assert!(none.is_empty());
    assert_eq!(lazy_hash, hash, "subscribers do not change the state");
}
