//! Tests rays that intersect the water surface.

use crate::common::{initial_environment, scene};
use merrow_environment::EnvironmentState;
use merrow_environment::surface::Surface;
use merrow_environment::waves::WaveState;
use merrow_math::Vec3;

// In flat water a ray intersects the plane z = 0 from either side, and not behind its origin.
// Method: closed form. Tolerance: rounding.
#[test]
fn flat_water_is_a_plane() {
    let scene = scene("robots: {}");
    let at = initial_environment(&scene);
    let surface = Surface::new(&at);
    let d = Vec3::new(0.6, 0.0, -0.8);
    let p = Vec3::new(1.0, 2.0, 4.0);
    assert!((surface.intersect_ray(p, d, 100.0).unwrap() - 5.0).abs() < 1e-12);
    assert_eq!(surface.intersect_ray(p, d, 4.9), None);
    assert_eq!(surface.intersect_ray(p, d.scale(-1.0), 100.0), None);
    let below = Vec3::new(1.0, 2.0, -4.0);
    assert!((surface.intersect_ray(below, d.scale(-1.0), 100.0).unwrap() - 5.0).abs() < 1e-12);
    assert_eq!(
        surface.intersect_ray(p, Vec3::new(1.0, 0.0, 0.0), 1e6),
        None
    );
}

// In waves the intersection is on the surface, and no crossing is before it. Method: 400 rays from
// above and below into a sea of 2 m, each also marched in steps of a millimetre of height.
// Tolerance: 0.1 mm of height, the accuracy that the law states.
#[test]
fn wave_intersection_is_the_first_crossing() {
    let scene = scene(
        "water: {waves: {kind: jonswap, hs_m: 2, tp_s: 6, direction_deg: 30, components: 60}}\nrobots: {}",
    );
    let plain = initial_environment(&scene);
    let waves = WaveState::new(&scene.sea.waves, 7.3e9);
    let at = EnvironmentState {
        waves: Some(&waves),
        ..plain
    };
    let surface = Surface::new(&at);
    let (mut met, mut missed) = (0, 0);
    for k in 0..400 {
        let turn = 0.7 * f64::from(k);
        let down = [-0.9, -0.3, -0.1, 0.4][k as usize % 4];
        let d = Vec3::new(turn.cos(), turn.sin(), down);
        let d = d.scale(1.0 / d.norm());
        let p = Vec3::new(
            3.0 * f64::from(k),
            40.0 - turn,
            if down < 0.0 { 4.0 } else { -5.0 },
        );
        let found = surface.intersect_ray(p, d, 30.0);
        let over = |t: f64| at.height_above_surface(p + d.scale(t));
        let side = over(0.0).signum();
        let end = found.unwrap_or(30.0);
        let mut t = 0.0;
        while t < end - 2e-3 {
            assert!(
                over(t) * side > -1e-4,
                "{k}: crossed at {t}, found {found:?}"
            );
            t += 0.02;
        }
        match found {
            Some(t) => {
                met += 1;
                assert!(over(t).abs() < 1e-4, "{k}: {} m off", over(t));
            }
            None => missed += 1,
        }
    }
    assert!(met > 200 && missed > 50, "{met} {missed}");
}

// A ray that starts on the surface leaves it without an intersection. Method: straight up and down
// from it. Tolerance: exact.
#[test]
fn ray_from_surface_has_no_intersection() {
    let scene = scene(
        "water: {waves: {kind: regular, height_m: 1, period_s: 5, direction_deg: 0}}\nrobots: {}",
    );
    let plain = initial_environment(&scene);
    let waves = WaveState::new(&scene.sea.waves, 1e9);
    let at = EnvironmentState {
        waves: Some(&waves),
        ..plain
    };
    let p = Vec3::new(2.0, 0.0, waves.elevation(2.0, 0.0));
    for dz in [1.0, -1.0] {
        assert_eq!(
            Surface::new(&at).intersect_ray(p, Vec3::new(0.0, 0.0, dz), 50.0),
            None
        );
    }
}
