//! Kelpie's pitch and roll law, and its bounding-box buoyancy.

use super::hull::afloat;
use crate::common::folder::Folder;
use crate::common::meshes::sphere;
use crate::common::{advance, close, relative, scene, simulation};
use merrow::environment::WavesNow;
use merrow::forces::kelpie_attitude::angles;
use merrow::math::{Quat, Vec3};
use merrow::scene::body::KelpieAttitude;
use merrow::state::Motion;

// Goal (V05): with the wind ahead the pitch is h α and the roll none, across it the reverse, at 45 degrees cos 45° of each. Method: the
// law itself. Tolerance: 1e-12.
#[test]
fn angles_go_by_the_wind() {
    let law = KelpieAttitude { pitch: 0.1, roll: 0.2, bandwidth: 1.0 };
    let (ahead, starboard) = (Vec3::new(0.0, 1.0, 0.0), Vec3::new(1.0, 0.0, 0.0));
    let h = 1.7;
    let at = |degrees: f64| {
        let (s, c) = degrees.to_radians().sin_cos();
        angles(&law, ahead, starboard, Vec3::new(s, c, 0.0), h)
    };
    let half = std::f64::consts::FRAC_1_SQRT_2;
    for (degrees, pitch, roll) in [(0.0, 1.0, 0.0), (90.0, 0.0, 1.0), (45.0, half, half), (180.0, -1.0, 0.0)]
    {
        let found = at(degrees);
        close("pitch", found[0], 0.17 * pitch, 1e-12);
        close("roll", found[1], 0.34 * roll, 1e-12);
    }
}

// Goal (V05): a vehicle in Kelpie's sea of Beaufort 4 pitches by h_m α with the wind from astern, and does not roll. Method: half a minute,
// the largest angles; the sea is that of the wave model, h_m its amplitude. Tolerance: 1 % of the angle, how far it lags.
#[test]
fn a_vehicle_pitches_with_the_sea() {
    // the wind blows towards east, as the vehicle looks
    let mut s = simulation(
        "
water: {waves: {kind: kelpie, beaufort: 4}}
weather: {wind_speed_m_s: 6.7, wind_from_deg: 270}
robots:
  usv:
    model:
      source: test
      body: {source: test, axes: flu, mass_kg: 30, inertia_kg_m2: {xx: 2, yy: 5, zz: 6}, volume_m3: 0.06,
        linear_damping: {kind: diagonal, values: [50, 50, 300, 0, 0, 10]},
        kelpie_attitude: {pitch_rad_m: 0.1, roll_rad_m: 0.2}}
",
    );
    advance(&mut s, 10.0);
    let (mut pitch, mut roll, mut height) = (0.0_f64, 0.0_f64, 0.0_f64);
    for _ in 0..15_000 {
        s.advance(1);
        let bow = s.state.robots[0].motion.q_WB.matrix();
        pitch = pitch.max(bow.r[2].x.asin());
        roll = roll.max(bow.r[2].y.abs());
        height = height.max(WavesNow::new(&s.state.sea.waves, s.time_ns() as f64).elevation(0.0, 0.0));
    }
    assert!(height > 0.3, "{height}");
    relative("pitch", pitch, 0.1 * height, 0.01);
    assert!(roll < 1e-6, "{roll}");
}

// Goal (V07): the box about a hull displaces what the paper's eq. 1 says, 4905 N of a cube half under water, and more than the
// hull itself. Method: a ball of 1 m and the box about it, half under water. Tolerance: 1e-9; 3 % for the mesh of 512
// triangles.
#[test]
fn a_bounding_box_displaces_more_than_its_hull() {
    let ball = sphere(0.5, 3);
    let body = "mass_kg: 10, inertia_kg_m2: {xx: 1, yy: 1, zz: 1}";
    let mesh = afloat("kelpie_mesh", &ball, body, "", "");
    let folder = Folder::new("kelpie_box", &[("ball.obj", &ball.obj())]);
    let boxed = scene(&format!(
        "water: {{density_kg_m3: 1000}}
robots: {{hull: {{model: {{source: test, body: {{source: test, axes: flu, {body},
  hull: {{kind: bounding_box, file: {}}}}}}}}}}}",
        folder.0.join("ball.obj").display()
    ));
    let lift = |scene| {
        let motion = Motion { q_WB: Quat::identity(), ..Motion::rest(0) };
        crate::common::evaluate(scene, &motion).links[0].F.f.z + 98.1
    };
    relative("box", lift(&boxed), 4905.0, 1e-9);
    relative("ball", lift(&mesh), 9810.0 * std::f64::consts::PI / 12.0, 0.03);
}
