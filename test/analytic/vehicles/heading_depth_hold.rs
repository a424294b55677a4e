//! Tests the heading and depth hold of a robot's firmware.

use crate::common::{advance, close, simulation};
use merrow_model::state::Command;
use merrow_model::state::commands::FirmwareOrder;
use merrow_sim::Simulation;

fn taipan() -> Simulation {
    simulation(
        "
water: {density_kg_m3: 999}
seabed: {depth_m: 40}
robots: {t: {model: {extends: robots/taipan300.yaml, sensors: null, battery: null}, position_m: [0, 0, -2], velocity_m_s: [1.5, 0, 0]}}",
    )
}

fn set_heading_depth(s: &mut Simulation, heading: Option<f64>, depth: Option<f64>) {
    s.apply(&Command::HeadingDepth {
        robot: 0,
        heading,
        depth,
    })
    .unwrap();
}

/// Returns the heading, clockwise from north [deg], and the depth [m].
fn heading_and_depth(s: &Simulation) -> (f64, f64) {
    let m = &s.state.robots[0].motion;
    (
        (90.0 - m.q_WB.matrix().to_rpy()[2].to_degrees()).rem_euclid(360.0),
        -m.p_WB.z,
    )
}

// Goal: a vehicle with a heading command reaches it and keeps its depth, then reaches another depth
// on that heading, controlled by its own firmware. Method: Taipan under propulsion, heading 150 deg
// from the east, then 3.5 m. Tolerance: 3 deg and 0.25 m, as for its mission (no integral action;
// no gains are published). With the firmware off the error is far larger.
#[test]
fn taipan_comes_to_heading_and_depth() {
    let mut s = taipan();
    s.apply(&Command::Thruster {
        robot: 0,
        thruster: 0,
        value: 128.0,
    })
    .unwrap();
    set_heading_depth(&mut s, Some(150.0_f64.to_radians()), None);
    advance(&mut s, 30.0);
    let (heading, depth) = heading_and_depth(&s);
    close("heading", heading, 150.0, 3.0 / 150.0);
    close("kept its depth", depth, 2.0, 0.25 / 2.0);
    set_heading_depth(&mut s, None, Some(3.5));
    // The vehicle dives steeply and approaches the depth slowly.
    advance(&mut s, 70.0);
    let (heading, depth) = heading_and_depth(&s);
    close("kept its heading", heading, 150.0, 3.0 / 150.0);
    close("depth", depth, 3.5, 0.25 / 3.5);
}

// Goal: the firmware owns the fins while it steers, and invalid commands are rejected. Method: each
// command and its answer. Tolerance: none.
#[test]
fn firmware_owns_fins_while_steering() {
    let mut s = taipan();
    let fin = Command::Fin {
        robot: 0,
        fin: 0,
        value: 0.2,
    };
    s.apply(&fin).unwrap();
    let nan = Command::HeadingDepth {
        robot: 0,
        heading: Some(f64::NAN),
        depth: None,
    };
    assert_eq!(
        s.apply(&nan).unwrap_err().reason,
        "heading: found NaN, expected a finite number"
    );
    s.apply(&fin).unwrap();
    s.apply(&Command::FirmwareOrder {
        robot: 0,
        order: FirmwareOrder::Enable(true),
    })
    .unwrap();
    let hash = s.state.hash();
    for command in [
        fin.clone(),
        Command::Fins {
            robot: 0,
            values: vec![0.0; 3],
        },
    ] {
        let refused = s.apply(&command).unwrap_err().reason;
        assert_eq!(
            refused,
            "the firmware drives the fins: switch it off by `enable` first"
        );
    }
    let refused = s
        .apply(&Command::FirmwareOrder {
            robot: 0,
            order: FirmwareOrder::Land,
        })
        .unwrap_err()
        .reason;
    assert_eq!(refused, "the robot has no multirotor firmware");
    assert_eq!(s.state.hash(), hash, "a refusal changes nothing");
    s.apply(&Command::FirmwareOrder {
        robot: 0,
        order: FirmwareOrder::Enable(false),
    })
    .unwrap();
    assert_eq!(
        s.state.robots[0].fins[0].command, 0.0,
        "the firmware releases the fins in neutral position"
    );
    s.apply(&fin).unwrap();
}
