//! Tests hydrostatics: Archimedes' principle, righting moments, capsizing, heave and roll.

use crate::common::{advance, close_vectors, evaluate, relative, scene, simulation};
use merrow_math::{Quat, Vec3};
use merrow_model::scene::Scene;
use merrow_model::state::Motion;
use merrow_physics::forces::hydrodynamics::buoyancy;

fn floating(body: &str, start: &str) -> String {
    format!(
        "
water: {{density_kg_m3: 1000}}
robots:
  hull:
    {start}
    model: {{source: test, body: {{source: test, axes: flu, {body}}}}}
"
    )
}

/// Returns the displaced volume [m³] and its centroid [m, W] at a pose.
fn displaced(scene: &Scene, p_WB: Vec3, q_WB: Quat) -> (f64, Vec3) {
    let motion = Motion {
        p_WB,
        q_WB,
        ..Motion::at_rest(0)
    };
    let work = evaluate(scene, &motion);
    let (link, w) = (&scene.robots[0].links[0], &work.links[0]);
    let up = w.R_WL.r[2];
    let wetness = buoyancy::wetness(link, up, w.p_WL.z);
    let f = buoyancy::force(link, &wetness, up, 1000.0 * 9.81);
    let (force, moment) = (w.R_WL.mul_vec(f.f), w.R_WL.mul_vec(f.m));
    assert!(
        force.x.abs() + force.y.abs() < 1e-9 * force.z,
        "buoyancy is not upright: {force:?}"
    );
    // The line of action gives the horizontal position; the height is the height of the centroid
    // itself.
    let centroid = link.p_LoCb + wetness.shift;
    let place = Vec3::new(
        -moment.y / force.z,
        moment.x / force.z,
        w.R_WL.mul_vec(centroid).z,
    );
    (force.z / (1000.0 * 9.81), place + p_WB)
}

// V42: volume and centroid of a sphere of 1 m at eight draughts. Method: the closed form of the
// spherical cap, in a rotated attitude, derived from the force. Tolerance: 1e-12 (the cut is
// exact).
#[test]
fn sphere_displacement_matches_cap() {
    let volume = 4.0 / 3.0 * std::f64::consts::PI;
    let scene = scene(&floating(
        &format!("mass_kg: 100, inertia_kg_m2: {{xx: 1, yy: 1, zz: 1}}, volume_m3: {volume}"),
        "",
    ));
    let table = [
        (0.1, 0.030_368_728_984_701_335, 0.933_620_689_655_172_4),
        (0.25, 0.179_987_079_111_915_22, 0.835_227_272_727_272_7),
        (0.5, 0.654_498_469_497_873_6, 0.675),
        (0.75, 1.325_359_400_733_194, 0.520_833_333_333_333_4),
        (1.0, 2.094_395_102_393_195_3, 0.375),
        (1.25, 2.863_430_804_053_197, 0.241_071_428_571_428_58),
        (1.5, 3.534_291_735_288_517_3, 0.125),
        (2.0, 4.188_790_204_786_39, 0.0),
    ];
    for (draught, expected, below) in table {
        let center = Vec3::new(3.0, -2.0, 1.0 - draught);
        let (v, c) = displaced(&scene, center, Quat::from_rpy(0.4, -0.8, 2.0));
        relative(&format!("volume at draught {draught}"), v, expected, 1e-12);
        close_vectors(
            &format!("centroid at draught {draught}"),
            c,
            center - Vec3::new(0.0, 0.0, below),
            1e-12,
        );
    }
}

// A floating body with any hull settles where it displaces its weight. Method: an ellipsoid with
// heave damping for 60 s. Tolerance: 1e-6 of its weight.
#[test]
fn ellipsoid_settles_at_its_weight() {
    let body = "mass_kg: 30, inertia_kg_m2: {xx: 1, yy: 3, zz: 3}, volume_m3: 0.075398223686155,
      hull: {kind: ellipsoid, size_m: [1, 0.6, 0.24]}, center_of_mass_m: [0, 0, -0.05],
      linear_damping: {kind: diagonal, values: [50, 50, 200, 20, 20, 20]}";
    let mut s = simulation(&floating(
        body,
        "position_m: [0, 0, 0.2]\n    attitude_deg: [5, -7, 30]",
    ));
    advance(&mut s, 60.0);
    let m = &s.state.robots[0].motion;
    let (v, c) = displaced(&s.scene, m.p_WB, m.q_WB);
    relative("displaced mass", v * 1000.0, 30.0, 1e-6);
    close_vectors(
        "upright",
        m.q_WB.matrix().col(2),
        Vec3::new(0.0, 0.0, 1.0),
        1e-6,
    );
    assert!(c.z < 0.0);
}
