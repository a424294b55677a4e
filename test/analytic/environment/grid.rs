//! Tests water whose velocity is given on a grid.

use crate::common::folder::Folder;
use crate::common::{advance, close_vectors};
use merrow_math::Vec3;
use merrow_sim::Simulation;
use merrow_world::{Overrides, load_world};
use std::fmt::Write;
use std::sync::Arc;

/// Returns a simulation of a neutral drifter in the flow of the columns `u` and `v` of a table.
fn drifter(
    name: &str,
    places: impl Iterator<Item = [f64; 3]>,
    uv: impl Fn([f64; 3]) -> [f64; 2],
    start: &str,
) -> Simulation {
    let mut table = String::from("time,y,x,u,v\n");
    for p @ [t, y, x] in places {
        let [u, v] = uv(p);
        writeln!(table, "{t},{y},{x},{u},{v}").unwrap();
    }
    let outside = if name.ends_with("stop") {
        ", extrapolation: stop"
    } else {
        ""
    };
    let world = format!(
        "
water:
  flows:
    g: {{kind: gridded, east: {{file: uv.csv, variable: u{outside}}}, north: {{file: uv.csv, variable: v}}}}
step: {{dt_s: 0.01}}
robots:
  drifter:
    {start}
    model:
      source: test
      body:
        {{source: test, axes: flu, mass_kg: 12, inertia_kg_m2: {{xx: 1, yy: 2, zz: 3}}, net_buoyancy_n: 0,
        added_mass: {{kind: diagonal, values: [7, 7, 7, 0, 0, 0]}},
        quadratic_damping: {{kind: diagonal, values: [10, 10, 10, 0, 0, 0]}}}}
"
    );
    // `variable` selects one of the two columns; the other is then not a coordinate either.
    let folder = Folder::new(name, &[("uv.csv", &table), ("w.yaml", &world)]);
    let world = load_world(&folder.0.join("w.yaml"), Overrides::default())
        .unwrap_or_else(|p| panic!("{p}"));
    Simulation::new(Arc::new(world.scene), 1).unwrap()
}

fn lattice(times: &'static [f64]) -> impl Iterator<Item = [f64; 3]> {
    let places = [-20.0, -5.0, 1.0, 30.0];
    times.iter().flat_map(move |t| {
        places
            .into_iter()
            .flat_map(move |y| places.map(|x| [*t, y, x]))
    })
}

// In a plane stagnation flow u = a x, v = -a y, which a grid represents exactly, a neutral body
// follows the hyperbola of its particle: x = x0 e^(at), y = y0 e^(-at). Its acceleration a² r
// consists of only (∇u) u. Method: 12 s at a = 0.2/s across non-uniform cells. Tolerance: 1e-6:
// RK4, with a kink of the gradient's rounding at each cell.
#[test]
fn stagnation_flow_carries_a_body_on_its_hyperbola() {
    let mut s = drifter(
        "grid_stagnation",
        lattice(&[0.0]),
        |[_, y, x]| [0.2 * x, -0.2 * y],
        "position_m: [1, 12, -40]\n    velocity_m_s: [0.2, -2.4, 0]",
    );
    for k in 1..=4 {
        advance(&mut s, 3.0);
        let e = (0.2 * 3.0 * f64::from(k)).exp();
        close_vectors(
            "place",
            s.state.robots[0].motion.p_WB,
            Vec3::new(e, 12.0 / e, -40.0),
            1e-6,
        );
    }
}

// A current that grows with time on the grid accelerates the water everywhere. Method: u = 0.03 t
// between samples at 0, 10 and 50 s, then constant, because the grid is clamped. Tolerance: 1e-9;
// RK4 is exact for this flow, and the steps coincide with the samples.
#[test]
fn a_grid_in_time_accelerates_its_water() {
    let mut s = drifter(
        "grid_time",
        lattice(&[0.0, 10.0, 50.0]),
        |[t, _, _]| [0.03 * t, 0.0],
        "position_m: [0, 0, -40]",
    );
    advance(&mut s, 40.0);
    close_vectors(
        "place",
        s.state.robots[0].motion.p_WB,
        Vec3::new(0.015 * 1600.0, 0.0, -40.0),
        1e-9,
    );
    advance(&mut s, 20.0);
    let x = 0.015 * 2500.0 + 1.5 * 10.0;
    close_vectors(
        "place",
        s.state.robots[0].motion.p_WB,
        Vec3::new(x, 0.0, -40.0),
        1e-4,
    );
}

// `extrapolation: stop` halts a robot at the edge of the grid and reports the cause. Method:
// a current of 1 m/s carries a drifter from 28 m over the eastern edge at 30 m. Tolerance: the
// distance of one step from the edge, or of one more for an implicit step.
#[test]
fn outside_stop_halts_robot_with_cause() {
    let mut s = drifter(
        "grid_stop",
        lattice(&[0.0]),
        |_| [1.0, 0.0],
        "position_m: [28, 0, -40]\n    velocity_m_s: [1, 0, 0]",
    );
    advance(&mut s, 3.0);
    let state = &s.state.robots[0];
    let halt = state.halted.as_ref().expect("it went on");
    assert_eq!(
        halt.cause,
        "left the grid of the flow g (`extrapolation: stop`)"
    );
    assert!(
        (state.motion.p_WB.x - 30.0).abs() < 0.021,
        "{:?}",
        state.motion.p_WB
    );
}
