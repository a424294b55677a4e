//! Tests the lake mission of Thetis with Taipan 300.

use merrow_studies::thetis::run_mission;
use merrow_world::{Overrides, data_dir, load_world};
use std::sync::Arc;

/// Case V01. Heading 150 deg, depth 0.4 m: settled in about 25 s with about 0.4 m of overshoot.
/// Method: `merrow-studies thetis` with its own autopilot; docs/explanation/thetis.md states both values.
/// Tolerance: 30 %, because neither coefficients nor gains are published; the digits of the page.
#[test]
fn lake_mission_settles_as_published() {
    let world = load_world(&data_dir::world_file("taipan"), Overrides::default())
        .unwrap_or_else(|p| panic!("{p}"));
    let found = run_mission(Arc::new(world.scene)).unwrap();
    assert_eq!(found.missed_limits(), Vec::<String>::new());
    let page = include_str!("../../../docs/explanation/thetis.md");
    let settled = found.settled.expect("it settles");
    for cell in [
        format!("{settled:.1} s"),
        format!("{:.2} m", found.overshoot),
    ] {
        assert!(
            page.contains(&format!("| {cell} |")),
            "docs/explanation/thetis.md has no cell {cell}"
        );
    }
    let cruise: Vec<f64> = found
        .samples
        .iter()
        .filter(|s| s.t > 20.0)
        .map(|s| s.speed)
        .collect();
    let mean = cruise.iter().sum::<f64>() / cruise.len() as f64;
    assert!((mean - 2.0).abs() < 0.1, "about 2 m/s: {mean}");
    assert!(found.figure().svg().contains("<polyline"));
    // The mission requires the fins and the thruster of Taipan.
    let other = load_world(&data_dir::world_file("pool"), Overrides::default())
        .unwrap_or_else(|p| panic!("{p}"));
    assert_eq!(
        run_mission(Arc::new(other.scene)).unwrap_err(),
        "bluerov2 has no fin rudder"
    );
}
