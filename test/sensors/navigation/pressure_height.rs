//! Tests of the height that a measured pressure is converted to: pose message, INS and firmware.

use crate::common::turntable::{ball, set_pose};
use crate::common::{advance, close, reading, readings, relative, simulation};
use merrow_environment::hydrostatics;
use merrow_math::{Mat3, Quat, Vec3};
use merrow_model::state::reading::Reading;
use merrow_model::state::{Command, FirmwareCommand};

/// Waters in which a height is measured: keys of the water, and a position below the surface [m].
const WATERS: [(&str, [f64; 3]); 7] = [
    ("density_kg_m3: 1000", [0.0, 0.0, -7.0]),
    ("tide: {level_m: 3}", [0.0, 0.0, 1.5]),
    (
        "tide: {level_m: -25}, air_pressure_pa: 98000",
        [0.0, 0.0, -40.0],
    ),
    (
        "tide: {level_m: 0.5, constituents: [{name: M2, amplitude_m: 2, phase_deg: 90}, {period_s: 60, amplitude_m: 1}]}",
        [0.0, 0.0, -20.0],
    ),
    (
        "column: {layers: [{depth_m: 0, temperature_c: 22, salinity_psu: 20}, {depth_m: 40, temperature_c: 8, salinity_psu: 35}]}, tide: {level_m: 2}",
        [0.0, 0.0, -55.0],
    ),
    (
        "tide: {level_m: 3}, regions: {lake: {corners_m: [[50, -40], [90, -40], [90, 40], [50, 40]], level_m: 480, density_kg_m3: 999}}",
        [70.0, 0.0, 470.0],
    ),
    (
        "tide: {level_m: 3}, regions: {harbour: {corners_m: [[50, -40], [90, -40], [90, 40], [50, 40]], density_kg_m3: 1005}}",
        [70.0, 0.0, -18.0],
    ),
];

// Pressure sensors and an INS that uses them report the true height for every level, region,
// density profile and air pressure, and the autopilots receive the same pressure. Method: devices
// without errors, fixed at a position below the water. Tolerance: 1e-8; rounding; 1 mm after 20 s
// of an INS whose initial error is 0.5 m.
#[test]
fn heights_agree_with_the_truth_in_every_water() {
    let rpy = [0.3, -0.2, 1.0];
    for (water, place) in WATERS {
        let p = Vec3::from(place);
        let sensors = "p: {device: {source: test, kind: pressure, rate_hz: 50}, position_m: [0, 0, -0.1]}, \
            ins: {device: {source: test, kind: ins, rate_hz: 50, start_position_std_m: 0.5}, aids: {pressure: p}}";
        let top = format!("step: {{dt_s: 0.02}}\nwater: {{{water}}}\nseabed: {{depth_m: 200}}");
        let robot = format!(
            "    position_m: {place:?}\n    attitude_deg: {:?}",
            rpy.map(f64::to_degrees)
        );
        let mut s = simulation(&ball(&top, &robot, sensors).replace(
            "      source: test\n",
            "      source: test\n      base: fixed\n",
        ));
        let arm = Mat3::from_rpy(rpy[0], rpy[1], rpy[2]).mul_vec(Vec3::new(0.0, 0.0, -0.1));
        let found = readings(&mut s, 0, 20.0);
        for stamped in &found {
            let Reading::Pressure(r) = &stamped.reading else {
                panic!("not a pressure")
            };
            let [z, variance] = r.height().expect("a height");
            close(water, z, p.z + arm.z, 1e-8);
            assert_eq!(variance, 0.0);
            let t = stamped.stamp_ns as f64 * 1e-9;
            let (sea, g) = (&s.scene.sea, s.scene.gravity);
            let at_rest = hydrostatics::pressure_at_rest(sea, g, p + arm, t);
            relative(water, at_rest, r.pressure, 1e-12);
        }
        let Reading::Navigation(r) = reading(&mut s, 1) else {
            panic!("not an INS")
        };
        close(&format!("INS, {water}"), r.p_WS.z, p.z, 1e-3);
    }
}

// A dry region and air give finite heights near the water; without weight there is no height.
// Method: heights in the air. Tolerance: 0.2 m, the weight of 100 m of air in water.
#[test]
fn heights_out_of_the_water_are_defined() {
    let dry = "water: {tide: {level_m: 1}, regions: {polder: {corners_m: [[-9, -9], [9, -9], [9, 9], [-9, 9]], dry: true}}}";
    for (top, expected) in [(dry, Some(1.0)), ("gravity_m_s2: 0", None)] {
        let device = "p: {device: {source: test, kind: pressure, rate_hz: 500}}";
        let mut s = simulation(&ball(top, "", device).replace(", net_buoyancy_n: 0", ""));
        set_pose(&mut s, Vec3::new(0.0, 0.0, 5.0), [0.0; 3]);
        let Reading::Pressure(p) = reading(&mut s, 0) else {
            panic!("not a pressure")
        };
        let found = p.height().map(|[z, _]| z);
        match (found, expected) {
            (Some(z), Some(expected)) => close("height", z, expected, 0.2),
            (found, expected) => assert_eq!(found, expected),
        }
    }
}

// A vehicle that controls its depth by its own pressure sensor holds the height of the goal in W at
// any tide. Method: goals of a BlueROV2 Heavy at z = -5 m. Tolerance: 0.1 m.
#[test]
fn goals_are_held_at_their_height() {
    for level in [-4.0, 0.0, 3.0] {
        let mut s = simulation(&format!(
            "
step: {{dt_s: 0.005}}
seabed: {{depth_m: 40}}
water: {{density_kg_m3: 1000, tide: {{level_m: {level}}}}}
robots:
  v:
    model:
      extends: robots/bluerov2_heavy.yaml
      battery: null
      sensors: {{ahrs: {{device: xsens_mti_3}}}}
      firmware: {{extends: firmware/bluerov2_heavy_motion.yaml, source: test, feedback: sensors, feedback_sensors: {{attitude: ahrs, dvl: dvl, pressure: pressure}}}}
    position_m: [0, 0, -6]
"
        ));
        advance(&mut s, 1.0);
        s.apply(&Command::Firmware(
            0,
            FirmwareCommand::PoseGoal {
                p_WB: Vec3::new(0.0, 0.0, -5.0),
                q_WB: Some(Quat::from_rpy(0.0, 0.0, 0.0)),
            },
        ))
        .unwrap();
        advance(&mut s, 60.0);
        let z = s.state.robots[0].motion.p_WB.z;
        close(&format!("level {level}"), z, -5.0, 0.02);
    }
}
