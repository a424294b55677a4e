//! Tests the wave surface that acts on a hull with given stiffness.

use crate::common::{close, scene};
use merrow_environment::WaveState;
use merrow_environment::waves::footprint;
use merrow_math::{Mat3, Quat, Vec3};
use merrow_model::scene::Scene;
use merrow_model::scene::robot::body::{Hydrostatics, Restoring};
use merrow_yaml::read::Places;

/// Returns a regular wave of 1 mm and the given `length` [m] that travels towards east, in 40 m of
/// water.
fn wave(length: f64) -> Scene {
    let k = std::f64::consts::TAU / length;
    let period = std::f64::consts::TAU / (9.80665 * k * (40.0 * k).tanh()).sqrt();
    scene(&format!(
        "gravity_m_s2: 9.80665
water: {{waves: {{kind: regular, height_m: 0.001, period_s: {period}, direction_deg: 90, phase_deg: 0}}}}
seabed: {{depth_m: 40}}
robots: {{a: {{model: bluerov2, position_m: [0, 0, -5]}}}}
"
    ))
}

/// Returns a hull of two slender floats of 4 m, 2 m apart, with the centre of the waterplane
/// forward of the origin.
fn hull() -> Hydrostatics {
    let (rx, ry, heave) = (4.0 / 12_f64.sqrt(), 1.0, 1e4);
    Hydrostatics {
        restoring: Restoring {
            floating_mass_kg: 200.0,
            floating_mass_center_m: [0.0; 3],
            heave_n_per_m: heave,
            roll_nm_per_rad: heave * ry * ry,
            pitch_nm_per_rad: heave * rx * rx,
            center_of_flotation_m: [0.3, 0.0, 0.0],
            linear_body_axes: false,
            max_supported_kg: 900.0,
            at: Places::default(),
        },
        p_LoM: Vec3::zero(),
        p_LoF: Vec3::new(0.3, 0.0, 0.0),
    }
}

// The mean and the slope of the waves over the waterplane act on a hull. Method: a long wave from
// astern and from abeam on a level hull at eleven phases. The reference is the integrals over a
// line of length L, sin(u)/u and 3 (sin u - u cos u)/u³ of crest and slope with u = kL/2, and over
// two lines b apart, cos(kb/2) and sin(kb/2)/(kb/2). A very long wave is compared with the surface
// itself, for any heading. Tolerance: three-point Gauss quadrature, 1 % of the wave.
#[test]
fn waves_are_averaged_over_the_waterplane() {
    let level = Quat::identity().matrix();
    for length in [6.2, 8.0, 12.0, 400.0] {
        let world = wave(length);
        let (k, a) = (std::f64::consts::TAU / length, 0.0005);
        let abeam =
            Quat::from_rotation_vector(Vec3::new(0.0, 0.0, std::f64::consts::FRAC_PI_2)).matrix();
        let oblique = Quat::from_rotation_vector(Vec3::new(0.0, 0.0, 0.7)).matrix();
        for i in 0..11 {
            let now = WaveState::new(&world.sea.waves, f64::from(i) * 2e8);
            let middle = Vec3::new(3.0, -2.0, 0.0);
            let felt = |R: &Mat3| {
                let p_WL = middle - R.mul_vec(hull().p_LoF);
                footprint::mean_waterplane_surface(&hull(), &now, p_WL, R, middle)
            };
            let there = now.surface(middle.x, middle.y);
            let u = 2.0 * k;
            let (mean, tilt) = (u.sin() / u, 3.0 * (u.sin() - u * u.cos()) / (u * u * u));
            let of_line = felt(&level);
            close("mean along", of_line.z / a, there.z / a * mean, 0.01);
            close(
                "slope along",
                of_line.slope[0] / (a * k),
                there.slope[0] / (a * k) * tilt,
                0.01,
            );
            close("slope across", of_line.slope[1] / (a * k), 0.0, 1e-9);
            let of_two = felt(&abeam);
            close("mean across", of_two.z / a, there.z / a * k.cos(), 0.01);
            close(
                "slope over both",
                of_two.slope[0] / (a * k),
                there.slope[0] / (a * k) * k.sin() / k,
                0.01,
            );
            if length > 100.0 {
                let turned = felt(&oblique);
                close("long wave", turned.z / a, there.z / a, 1e-3);
                close(
                    "its slope",
                    turned.slope[0] / (a * k),
                    there.slope[0] / (a * k),
                    1e-3,
                );
                close("and none across", turned.slope[1] / (a * k), 0.0, 1e-3);
            }
        }
    }
}
