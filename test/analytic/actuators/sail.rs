//! Tests sails: forces in the apparent wind, the boom, and the sailing of a boat.

use crate::common::{
    close, close_vectors, evaluate, initial_environment, scene, simulation, start,
};
use merrow_environment::air;
use merrow_math::{Quat, Vec3};
use merrow_model::scene::Scene;
use merrow_model::state::{ActuatorCommand, BodyCommand, Command, Workspace};
use merrow_physics::forces::actuators::sail::boom_angle;
use merrow_sim::{Simulation, step::Kernel};

// The boom follows the wind until the sheet limits it. Method: winds from ahead, from both sides
// and from astern; sheets of 0, 30 and 90 deg. Tolerance: rounding.
#[test]
fn sheet_limits_boom_angle() {
    let boom = |from_deg: f64, sheet_deg: f64| {
        // Wind from the left has positive angles.
        let (s, c) = from_deg.to_radians().sin_cos();
        boom_angle(c, s, sheet_deg.to_radians()).to_degrees()
    };
    for (from, sheet, expected) in [
        (0.0, 30.0, 0.0),
        (20.0, 30.0, 20.0),
        (-20.0, 30.0, -20.0),
        (90.0, 30.0, 30.0),
        (-90.0, 30.0, -30.0),
        (179.0, 90.0, 90.0),
        (-179.0, 90.0, -90.0),
        (60.0, 0.0, 0.0),
    ] {
        close("boom", boom(from, sheet), expected, 1e-12);
    }
    assert_eq!(boom_angle(0.0, 0.0, 1.0), 0.0);
}

/// Returns a mast held 3 m above the water in a wind of 8 m/s from `from_deg` [deg]. Its sail of 2
/// m² has a table with C_L = 0.1 α, C_D = 0.01 + 0.02 α up to 30 degrees, α in degrees.
fn mast(from_deg: f64) -> Scene {
    scene(&format!(
        "
air: {{shear: {{kind: uniform}}}}
weather: {{wind_speed_m_s: 8, wind_from_deg: {from_deg}}}
robots:
  r:
    position_m: [0, 0, 3]
    attitude_deg: [0, 0, 90]
    model:
      source: test
      base: fixed
      body: {{source: test, axes: flu, mass_kg: 10, volume_m3: 0.1, inertia_kg_m2: {{xx: 2, yy: 3, zz: 4}}}}
      fins:
        s:
          position_m: [0.5, 0, 1]
          shaft: [0, 0, 1]
          surface:
            source: test
            sail: true
            area_m2: 2
            span_m: 2
            center_of_pressure_m: 0.4
            range_deg: [0, 90]
            law: {{kind: table, alpha_deg: [0, 30, 180], lift: [0, 3, 0], drag: [0.01, 0.61, 0.61]}}
"
    ))
}

// Lift acts across and drag along the apparent wind, at the centre of effort on the boom; a luffing
// sail has only drag. Method: heading north, wind from 50 deg on either bow and the sheet at 30
// deg: 20 deg of attack, C_L 2, C_D 0.41. Tolerance: rounding.
#[test]
fn sail_lift_and_drag() {
    for side in [1.0, -1.0] {
        let scene = mast(50.0 * side);
        let robot = &scene.robots[0];
        let force = |sheet_deg: f64| {
            let mut work = Workspace::new(robot);
            work.fins[0].angle = [f64::to_radians(sheet_deg); 3];
            let still = scene_force(&scene, &mut work);
            work.fins[0].area_fraction = 0.0;
            let bare = scene_force(&scene, &mut work);
            (still.0 - bare.0, still.1 - bare.1)
        };
        let density = air::density(&scene.sea, 15.0, 4.0);
        let q = 0.5 * density * 64.0 * 2.0;
        // In the boat's axes the wind blows aft, and to the left if it comes from the right.
        let (s, c) = 50_f64.to_radians().sin_cos();
        let along = Vec3::new(-c, s * side, 0.0);
        // To leeward and forward, perpendicular to the wind.
        let across = Vec3::new(s, c * side, 0.0);
        let (f, m) = force(30.0);
        let expected = across.scale(2.0 * q) + along.scale(0.41 * q);
        close_vectors("force", f, expected, 1e-12);
        let (s30, c30) = 30_f64.to_radians().sin_cos();
        let p = Vec3::new(0.5 - 0.4 * c30, 0.4 * s30 * side, 1.0);
        close_vectors("moment", m, p.cross(expected), 1e-12);
        close_vectors("luffing", force(60.0).0, along.scale(0.01 * q), 1e-12);
    }
}

fn scene_force(scene: &Scene, work: &mut Workspace) -> (Vec3, Vec3) {
    Kernel::new().evaluate(
        &scene.robots[0],
        &initial_environment(scene),
        &start(scene, 0),
        &[],
        work,
    );
    (work.links[0].F.f, work.links[0].F.m)
}

/// Returns the bundled boat after 100 s on the course `heading` [deg from north] in a steady wind
/// of 6 m/s from the north. The rudder is commanded every 0.2 s; the sheet is at `sheet_deg` [deg].
/// The boat starts at 1.5 m/s, because its keel stalls if it starts close-hauled from rest.
fn sail(heading: f64, sheet_deg: f64, current: bool) -> Simulation {
    let yaw = 90.0 - heading;
    let (wind, water) = if current {
        // A current of 0.5 m/s to the east, and a wind that is the same relative to the water.
        let v = Vec3::new(0.5, -6.0, 0.0);
        let from = libm::atan2(-v.x, -v.y).to_degrees();
        (
            (v.norm(), from),
            "water: {current: {kind: uniform, speed_m_s: 0.5, direction_deg: 90}}",
        )
    } else {
        ((6.0, 0.0), "")
    };
    let (speed, from) = wind;
    let mut s = simulation(&format!(
        "
step: {{dt_s: 0.02, integrator: rk4}}
{water}
air: {{shear: {{kind: uniform}}}}
weather: {{wind_speed_m_s: {speed}, wind_from_deg: {from}}}
robots: {{boat: {{model: {{extends: robots/sailboat.yaml, sensors: null, battery: null, solar_panels: null}}, attitude_deg: [0, 0, {yaw}], velocity_m_s: [1.5, 0, 0]}}}}"
    ));
    if current {
        let (p_WB, q_WB) = (Vec3::zero(), Quat::from_rpy(0.0, 0.0, yaw.to_radians()));
        let v_WB_B = q_WB.matrix().tr_mul_vec(Vec3::new(0.5, 0.0, 0.0)) + Vec3::new(1.5, 0.0, 0.0);
        s.apply(&Command::Body(
            0,
            BodyCommand::SetPose {
                p_WB,
                q_WB,
                v_WB_B,
                w_WB_B: Vec3::zero(),
            },
        ))
        .unwrap();
    }
    s.apply(&Command::Actuator(
        0,
        ActuatorCommand::Fin {
            fin: 0,
            value: sheet_deg.to_radians(),
        },
    ))
    .unwrap();
    for _ in 0..500 {
        let m = &s.state.robots[0].motion;
        let error = libm::remainder(
            yaw.to_radians() - m.q_WB.matrix().to_rpy()[2],
            std::f64::consts::TAU,
        );
        let value = 2.0 * error - 2.0 * m.V_WB_B.w.z;
        s.apply(&Command::Actuator(
            0,
            ActuatorCommand::Fin { fin: 2, value },
        ))
        .unwrap();
        s.advance(10);
    }
    s
}

/// Returns the best of five sheets on a course: forward speed and speed against the wind [m/s].
fn best_speeds(heading: f64) -> (f64, f64) {
    let mut best = (f64::NEG_INFINITY, f64::NEG_INFINITY);
    for sheet in [8.0, 20.0, 40.0, 60.0, 85.0] {
        let s = sail(heading, sheet, false);
        let m = &s.state.robots[0].motion;
        let upwind = m.q_WB.matrix().mul_vec(m.V_WB_B.v).y;
        best = (best.0.max(m.V_WB_B.v.x), best.1.max(upwind));
    }
    best
}

// The polar of a sailing boat. Method: the best of five sheets at courses to a wind of 6 m/s. There
// is no progress to windward close to the wind, and a little further off it is less than half of
// that close-hauled. The boat is fastest on a beam reach and slower before the wind. Tolerance: the
// order of the speeds.
#[test]
fn sailing_polar_has_expected_order() {
    let no_go = best_speeds(8.0).1;
    assert!(no_go < 0.1, "{no_go} m/s to windward at 8 deg");
    let [pinched, close_hauled] = [15.0, 45.0].map(|heading| best_speeds(heading).1);
    assert!(
        close_hauled > 1.0 && pinched < 0.5 * close_hauled,
        "{pinched} and {close_hauled} m/s to windward"
    );
    let speeds = [45.0, 70.0, 100.0, 130.0, 178.0].map(|heading| best_speeds(heading).0);
    let [close, reach, beam, broad, running] = speeds;
    assert!(
        close < reach && reach < beam && beam > broad && broad > running,
        "{speeds:?}"
    );
    assert!(beam > 1.5 && beam < 3.0, "{speeds:?}");
}

// In steady sailing all forces balance, the boat heels to leeward by its stiffness, and makes
// leeway. Method: a beam reach: the accelerations vanish, and the moment of sail, keel and rudder
// about the longitudinal axis equals the righting moment. Tolerance: 1e-4 m/s² after 100 s; signs.
#[test]
fn forces_balance_on_a_reach() {
    let s = sail(90.0, 30.0, false);
    let (scene, m) = (&s.scene, &s.state.robots[0].motion);
    let mut work = Workspace::new(&scene.robots[0]);
    for (k, fin) in s.state.robots[0].fins.iter().enumerate() {
        work.fins[k].angle = [fin.angle; 3];
    }
    Kernel::new().evaluate(
        &scene.robots[0],
        &initial_environment(scene),
        m,
        &[],
        &mut work,
    );
    let A = work.links[0].A;
    assert!(A.v.norm() < 1e-4 && A.w.norm() < 1e-4, "{A:?}");
    let [roll, _, _] = m.q_WB.matrix().to_rpy();
    // The wind comes from the left: the boat heels to the right and drifts there.
    assert!(
        roll.to_degrees() > 2.0 && roll.to_degrees() < 35.0,
        "heel {}",
        roll.to_degrees()
    );
    assert!(m.V_WB_B.v.y < -0.005, "leeway {}", m.V_WB_B.v.y);
    // Without sail and fins only hull and stiffness act; their wrench is the opposite of the wrench
    // of sail, keel and rudder.
    (0..3).for_each(|k| work.fins[k].area_fraction = 0.0);
    Kernel::new().evaluate(
        &scene.robots[0],
        &initial_environment(scene),
        m,
        &[],
        &mut work,
    );
    let hull = work.links[0].F;
    assert!(
        hull.m.x < -1071.0 * 0.9 * roll,
        "righting moment {} N m",
        hull.m.x
    );
    assert!(evaluate(scene, m).links[0].F.f.x.is_finite());
}

// A current carries the boat without any other effect if the wind over the water is the same
// (Galilean invariance). Method: the same reach in still water, and in a current of 0.5 m/s with
// the corresponding wind. Tolerance: 1e-8 of the distance in 100 s.
#[test]
fn sailing_is_galilean_invariant() {
    let (still, moved) = (sail(70.0, 30.0, false), sail(70.0, 30.0, true));
    let [a, b] = [&still, &moved].map(|s| &s.state.robots[0].motion);
    close_vectors("place", b.p_WB - Vec3::new(50.0, 0.0, 0.0), a.p_WB, 1e-8);
    close_vectors("rates", b.V_WB_B.w, a.V_WB_B.w, 1e-8);
}
