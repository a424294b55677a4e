//! Hydrostatics: Archimedes, righting moments, capsizing, heave and roll.

use crate::common::{advance, close, evaluate, near, period, relative, scene, simulation};
use merrow::forces::buoyancy;
use merrow::math::{Quat, Vec3};
use merrow::scene::Scene;
use merrow::state::Motion;

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

/// Displaced volume and the place of its centroid in the world, for a pose.
fn displaced(scene: &Scene, p_WB: Vec3, q_WB: Quat) -> (f64, Vec3) {
    let motion = Motion { p_WB, q_WB, ..Motion::rest(0) };
    let work = evaluate(scene, &motion);
    let (link, w) = (&scene.robots[0].links[0], &work.links[0]);
    let up = w.R_WL.r[2];
    let wetness = buoyancy::wetness(link, up, w.p_WL.z);
    let f = buoyancy::force(link, &wetness, up, 1000.0 * 9.81);
    let (force, moment) = (w.R_WL.mul_vec(f.f), w.R_WL.mul_vec(f.m));
    assert!(force.x.abs() + force.y.abs() < 1e-9 * force.z, "buoyancy is not upright: {force:?}");
    // the line of action gives the horizontal place; the height is that of the centroid itself
    let centroid = link.p_LoCb + wetness.shift;
    let place = Vec3::new(-moment.y / force.z, moment.x / force.z, w.R_WL.mul_vec(centroid).z);
    (force.z / (1000.0 * 9.81), place + p_WB)
}

// Goal (V42): volume and centroid of a sphere of 1 m at eight draughts. Method: the spherical cap's closed form, in a
// turned attitude, through the force. Tolerance: 1e-12 (exact cut).
#[test]
fn sphere_displaces_its_cap() {
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
        near(&format!("centroid at draught {draught}"), c, center - Vec3::new(0.0, 0.0, below), 1e-12);
    }
}

const CUBE: &str = "mass_kg: 500, inertia_kg_m2: {xx: 100, yy: 100, zz: 100}, volume_m3: 1,
      hull: {kind: box, size_m: [1, 1, 1]}";

// Goal (V43): a half-submerged cube heeled to 40 degrees. Method: the wall-sided formula's place of the centroid, in
// the body. Tolerance: 1e-9 (exact cut; the reference has ten digits).
#[test]
fn heeled_cube_matches_the_wall_sided_formula() {
    let scene = scene(&floating(CUBE, ""));
    for heel in [0.0_f64, 10.0, 20.0, 30.0, 40.0] {
        let q = Quat::from_rpy(-heel.to_radians(), 0.0, 0.0);
        let (v, c) = displaced(&scene, Vec3::zero(), q);
        close("volume", v, 0.5, 1e-12);
        let tan = heel.to_radians().tan();
        let (y, z) = (tan / 6.0, -0.25 + tan * tan / 12.0);
        near(&format!("{heel} deg"), q.matrix().tr_mul_vec(c), Vec3::new(0.0, y, z), 1e-9);
    }
    // V43's own digits
    for (heel, y, z) in [(10.0_f64, 0.029_388, -0.247_409), (40.0, 0.139_850, -0.191_326)] {
        let tan = heel.to_radians().tan();
        assert!((tan / 6.0 - y).abs() < 1e-6 && (tan * tan / 12.0 - 0.25 - z).abs() < 1e-6);
    }
}

// Goal (V44): a square beam of half the water's density cannot stay upright; it floats on edge, 45 degrees. Method:
// 1 degree of heel, some damping, a minute. Tolerance: 1e-4 degrees.
#[test]
fn square_beam_turns_on_its_edge() {
    let body = "mass_kg: 2000, inertia_kg_m2: {xx: 333.3, yy: 2833, zz: 2833}, volume_m3: 4,
      hull: {kind: box, size_m: [4, 1, 1]},
      linear_damping: {kind: diagonal, values: [2000, 2000, 2000, 300, 2000, 2000]}";
    let mut s = simulation(&floating(body, "attitude_deg: [1, 0, 0]"));
    advance(&mut s, 60.0);
    let [roll, pitch, _] = s.state.robots[0].motion.q_WB.matrix().to_rpy();
    close("roll", roll.to_degrees(), 45.0, 1e-4);
    close("pitch", pitch.to_degrees(), 0.0, 1e-6);
}

// Goal (V44): heave of a wall-sided hull, w = sqrt(g / T) = 4.4294 rad/s. Method: a barge 2 x 1 x 1 m
// that floats upright at half its height, 1 cm of heave, 20 s, zeros of the height. Tolerance: 1e-7; the cut is linear
// in the draught.
#[test]
fn barge_heaves_with_its_natural_frequency() {
    let body = "mass_kg: 1000, inertia_kg_m2: {xx: 120, yy: 300, zz: 400}, volume_m3: 2,
      hull: {kind: box, size_m: [2, 1, 1]}, center_of_mass_m: [0, 0, -0.3]";
    let mut s = simulation(&floating(body, "position_m: [0, 0, 0.01]"));
    let mut z = Vec::new();
    for _ in 0..10_000 {
        z.push(s.state.robots[0].motion.p_WB.z);
        s.advance(1);
    }
    let w = std::f64::consts::TAU / period(s.scene.dt(), &z);
    relative("frequency", w, 4.429_446_918_070_02, 1e-7);
}

// Goal: roll about a stable position, w² = m g GM / I, GM = KB + BM - KG. Method: 1e-3 rad of heel with the centre of
// mass 0.3 m low (GM = -0.25 + 1/6 + 0.3), zeros of the roll. Tolerance: 1e-5, the amplitude's square.
#[test]
fn barge_rolls_with_its_metacentric_height() {
    // origin at the centre of mass, so that roll and sway are free of each other
    let body = "mass_kg: 1000, inertia_kg_m2: {xx: 120, yy: 300, zz: 400}, volume_m3: 2,
      hull: {kind: box, size_m: [2, 1, 1]}, center_of_buoyancy_m: [0, 0, 0.3]";
    let mut s = simulation(&floating(body, "position_m: [0, 0, -0.3]\n    attitude_deg: [0.05, 0, 0]"));
    let mut roll = Vec::new();
    for _ in 0..10_000 {
        roll.push(s.state.robots[0].motion.q_WB.matrix().to_rpy()[0]);
        s.advance(1);
    }
    let w = std::f64::consts::TAU / period(s.scene.dt(), &roll);
    let gm = -0.25 + 1.0 / 6.0 + 0.3;
    relative("frequency", w, (1000.0 * 9.81 * gm / 120.0_f64).sqrt(), 1e-5);
}

// Goal: a floating body of any hull settles where it displaces its weight. Method: an ellipsoid with heave damping,
// 60 s. Tolerance: 1e-6 of its weight.
#[test]
fn ellipsoid_settles_at_its_weight() {
    let body = "mass_kg: 30, inertia_kg_m2: {xx: 1, yy: 3, zz: 3}, volume_m3: 0.075398223686155,
      hull: {kind: ellipsoid, size_m: [1, 0.6, 0.24]}, center_of_mass_m: [0, 0, -0.05],
      linear_damping: {kind: diagonal, values: [50, 50, 200, 20, 20, 20]}";
    let mut s = simulation(&floating(body, "position_m: [0, 0, 0.2]\n    attitude_deg: [5, -7, 30]"));
    advance(&mut s, 60.0);
    let m = &s.state.robots[0].motion;
    let (v, c) = displaced(&s.scene, m.p_WB, m.q_WB);
    relative("displaced mass", v * 1000.0, 30.0, 1e-6);
    near("upright", m.q_WB.matrix().col(2), Vec3::new(0.0, 0.0, 1.0), 1e-6);
    assert!(c.z < 0.0);
}
