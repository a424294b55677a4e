//! Tests actors: they follow their routes, float in waves, are solid and visible.

use crate::common::{advance, simulation};
use merrow_math::real::wrap_angle;
use merrow_sim::Simulation;

/// A ship of 6 m that sails a round course in waves, and a diver.
const WORLD: &str = "
step: {dt_s: 0.005}
seabed: {depth_m: 30}
water: {waves: {kind: jonswap, hs_m: 0.5, tp_s: 4, direction_deg: 60}}
robots:
  rov: {model: bluerov2_heavy, position_m: [40, 40, -5]}
actors:
  ship:
    body:
      source: test
      axes: flu
      mass_kg: 6150
      center_of_mass_m: [0, 0, -0.2]
      inertia_kg_m2: {xx: 4000, yy: 20000, zz: 20000}
      hull: {kind: box, size_m: [6, 2, 1]}
      volume_m3: 12
      linear_damping: {kind: diagonal, values: [500, 2000, 4000, 3000, 9000, 4000]}
      collisions: {hull: {kind: box, size_m: [6, 2, 1]}}
    waypoints_m: [[0, 0, 0], [30, 0, 0], [30, 20, 0], [0, 20, 0], [0, 0, 0]]
    speed_m_s: 2
    repeats: true
  diver:
    floats: false
    category: human
    body:
      source: test
      axes: flu
      mass_kg: 80
      volume_m3: 0.08
      inertia_kg_m2: {xx: 2, yy: 12, zz: 12}
      hull: {kind: box, size_m: [1.8, 0.4, 0.3]}
      collisions: {body: {kind: box, size_m: [1.8, 0.4, 0.3]}}
    waypoints_m: [[0, -10, -3], [10, -10, -6], [20, -12, -4]]
    times_s: [0, 20, 45]
";

fn index(s: &Simulation, name: &str) -> usize {
    s.scene.robots.iter().position(|r| r.name == name).unwrap()
}

// Actors are on their routes at all times, and a floating one heaves and rolls with the waves.
// Method: a ship on a closed course of 100 m for two rounds, and a diver. Tolerance: 0.3 m for the
// ship, whose drag in waves is not fed forward, and 0.1 m for the diver; 0.2 rad of heading.
#[test]
fn actors_follow_their_routes() {
    let mut s = simulation(WORLD);
    let (ship, diver) = (index(&s, "ship"), index(&s, "diver"));
    let [
        mut ship_error,
        mut diver_error,
        mut turn,
        mut low,
        mut high,
        mut roll,
    ] = [0.0_f64; 6];
    for _ in 0..1000 {
        advance(&mut s, 0.1);
        let t = s.time_ns() as f64 * 1e-9;
        for (k, error) in [(ship, &mut ship_error), (diver, &mut diver_error)] {
            let motion = &s.state.robots[k].motion;
            let reference = s.scene.robots[k].route.as_ref().unwrap().reference(t);
            let mut e = motion.p_WB - reference.p;
            if k == ship {
                e.z = 0.0;
            }
            *error = error.max(e.norm());
            let yaw = motion.q_WB.matrix().to_rpy()[2];
            turn = turn.max(wrap_angle(yaw - reference.yaw).abs());
        }
        let motion = &s.state.robots[ship].motion;
        (low, high) = (low.min(motion.p_WB.z), high.max(motion.p_WB.z));
        roll = roll.max(motion.q_WB.matrix().to_rpy()[0].abs());
    }
    println!(
        "ship {ship_error:.3} m, diver {diver_error:.3} m, yaw {turn:.3} rad, heave {low:.2} to {high:.2} m, roll {roll:.3} rad"
    );
    assert!(ship_error < 0.3, "{ship_error}");
    assert!(diver_error < 0.1, "{diver_error}");
    assert!(turn < 0.2, "{turn}");
    assert!(high - low > 0.2 && roll > 0.01, "{low} {high} {roll}");
}

// An actor is solid. Method: an ROV that floats on the route of a ship. Tolerance: the ROV is
// pushed aside by more than 1 m, the ship stays within 0.5 m of its route.
#[test]
fn actors_are_solid() {
    let mut s = simulation(WORLD);
    let (ship, rov) = (index(&s, "ship"), index(&s, "rov"));
    let route = s.scene.robots[ship].route.clone().unwrap();
    let start = route.reference(7.0).p;
    s.state.robots[rov].motion.p_WB = start;
    let mut error: f64 = 0.0;
    let mut contacts = 0;
    for _ in 0..150 {
        advance(&mut s, 0.1);
        let t = s.time_ns() as f64 * 1e-9;
        let mut e = s.state.robots[ship].motion.p_WB - route.reference(t).p;
        e.z = 0.0;
        error = error.max(e.norm());
        contacts += s.state.contacts.touching.len();
    }
    let p = s.state.robots[rov].motion.p_WB;
    println!("{contacts} contacts, ROV at {p:?}, ship {error:.3} m off");
    assert!(contacts > 0);
    assert!((p.x - start.x).hypot(p.y - start.y) > 1.0, "{p:?}");
    assert!(error < 0.5, "{error}");
}
