//! Tests that instruments with noise, lags, water samplers and faults are bit-identical for any
//! blocks, lanes and resumption.

use crate::common::simulation;
use merrow_model::state::reading::Stamped;
use merrow_model::state::{ActuatorCommand, Command, DeviceCommand, RobotState};

const WORLD: &str = "
water:
  column: {layers: [{depth_m: 0, temperature_c: 18, salinity_psu: 34}, {depth_m: 20, temperature_c: 10, salinity_psu: 35}]}
  tracers: {turbidity: {unit: NTU, profile: [[0, 2], [20, 9]]}, chlorophyll: {unit: ug/l, profile: [[0, 9], [20, 1]]}}
  waves: {kind: jonswap, hs_m: 0.3, tp_s: 4, direction_deg: 90}
weather: {wind_speed_m_s: 6, wind_from_deg: 270}
air: {gusts: {kind: npd}}
faults:
  a: {robot: r_0, target: ctd/conductivity, time_s: 0.3, kind: intermittent, mean_working_s: 0.05, mean_failed_s: 0.05}
  b: {robot: r_1, target: esc/current, time_s: 0.2, kind: noisy, noise_std: 2}
  c: {robot: r_1, target: base_link, time_s: 0.1, kind: leak, hole_diameter_m: 0.02, compartment_m3: 0.003, center_m: [0, 0, 0]}
robots:
  r:
    position_m: [0, 0, -0.3]
    repeat: {count: [2, 2, 1], spacing_m: [9, 9, 0]}
    model:
      extends: robots/bluerov2.yaml
      sensors:
        ctd: {device: {extends: sensors/sbe49_fastcat.yaml, rate_hz: 15}}
        ntu: {device: eco_flntu_turbidity}
        chl: {device: eco_flntu_chlorophyll}
        t: {device: celsius_tsys01}
        bottles: {device: mbari_gulper}
        leak: {device: sos_leak}
        esc: {device: {extends: sensors/blheli32.yaml, speed_per_root_thrust_rad_s_per_sqrt_n: 40}, thruster: t1}
        power: {device: power_sense_module}
        wind: {device: windsonic, position_m: [0, 0, 3]}
        vane: {device: young_05103, position_m: [0, 0, 3]}
        baro: {device: bmp388, position_m: [0, 0, 1]}
";

// Bit-identical results and readings in blocks of 1, 7 and 250 steps, from a saved state, and from
// a clone while a bottle fills and faults act. Method: 1.2 s of four vehicles under way in small
// waves with every instrument on board.
#[test]
fn instruments_have_the_same_bits() {
    let start = || {
        let mut s = simulation(WORLD);
        for robot in 0..4 {
            let values = vec![1650.0; s.scene.robots[robot].thrusters.len()];
            s.apply(&Command::Actuator(
                robot,
                ActuatorCommand::Thrusters { values },
            ))
            .unwrap();
            let sensor = s.scene.robots[robot]
                .sensors
                .iter()
                .position(|d| d.name == "bottles")
                .unwrap();
            s.apply(&Command::Device(
                robot,
                DeviceCommand::Sample { sensor, on: true },
            ))
            .unwrap();
        }
        s
    };
    let run = |block: u64| {
        let mut s = start();
        let mut all: Vec<(usize, usize, String)> = Vec::new();
        while s.state.step < 600 {
            s.advance(block.min(600 - s.state.step));
            for (r, runner) in s.runners.iter().enumerate() {
                // As text, because a failed cell returns NaN, which is not equal to itself.
                let text = |stamped: &Stamped| format!("{stamped:?}");
                all.extend(
                    runner
                        .outbox
                        .iter()
                        .map(|d| (r, d.sensor, text(&d.stamped))),
                );
            }
            s.clear_outboxes();
        }
        all.sort();
        (s.state.hash(), all)
    };
    let (hash, all) = run(1);
    let kinds: std::collections::BTreeSet<usize> =
        all.iter().map(|(_, sensor, _)| *sensor).collect();
    assert!(
        kinds.len() >= 11 && all.len() > 1000,
        "{} sensors, {} readings",
        kinds.len(),
        all.len()
    );
    for block in [7, 250] {
        let again = run(block);
        assert_eq!(again.0, hash);
        assert!(again.1 == all, "readings in blocks of {block}");
    }
    let mut first = start();
    first.advance(277);
    // A block that is rolled back restarts from the saved state.
    let mut copy = first.state.clone();
    for (r, robot) in copy.robots.iter_mut().enumerate() {
        *robot = RobotState::from_scene(&first.scene, r);
        robot.clone_from(&first.state.robots[r]);
    }
    assert_eq!(copy.hash(), first.state.hash(), "saved");
    let mut second = start();
    second.state = first.state.clone();
    second.advance(323);
    assert_eq!(second.state.hash(), hash, "resumed");
}
