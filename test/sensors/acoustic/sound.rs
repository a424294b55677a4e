//! Tests of acoustic rays beyond V67 to V69: ray tubes, caustics, convergence, and the water of a
//! world.

use crate::common::initial_environment;
use merrow_environment::EnvironmentState;
use merrow_environment::sound::Waveguide;
use merrow_environment::sound::eigenray::{eigenrays, visit_eigenrays_between};
use merrow_environment::sound::ray::{Ray, trace};
use merrow_math::Vec3;
use merrow_validate::cases::sea::sound::{munk_sound_speed, munk_water};
use merrow_world::{Overrides, load_text};

/// Returns the rays between two positions [m], in order of arrival.
pub(crate) fn eigenrays_between(
    environment: &EnvironmentState<'_>,
    ends: [Vec3; 2],
    reflections: u32,
) -> Vec<Ray> {
    let mut rays = Vec::new();
    visit_eigenrays_between(environment, ends, reflections, &mut |ray| rays.push(ray));
    rays.sort_by(|a, b| a.time.total_cmp(&b.time));
    rays
}

// The cross section of a ray tube equals the distance of neighbouring rays, through turning points,
// kinks of the profile and reflections. Method: rays at ± 1e-6 of the steepness in Munk's profile,
// away from caustics. Tolerance: relative 1e-5, the accuracy of the difference quotient.
#[test]
fn ray_tubes_match_neighbouring_rays() {
    let guide = munk_water(50.0).unwrap();
    let mut reflected = 0;
    for (steepness, range) in [
        (0.05, 30e3),
        (-0.1, 47e3),
        (0.2, 61e3),
        (-0.3, 22e3),
        (0.31, 90e3),
        (0.9, 40e3),
        (-0.7, 41e3),
    ] {
        let at = |by: f64| trace(&guide, 1000.0, steepness + by, range, 90, |_| ()).unwrap();
        let (ray, d) = (at(0.0), 1e-6);
        let apart = (at(d).depth - at(-d).depth) / (2.0 * d) * (1.0 + steepness * steepness);
        assert!(
            (ray.depth_by_launch() / apart - 1.0).abs() < 1e-5,
            "{ray:?} {apart}"
        );
        // Area of a ring of rays divided by its solid angle.
        let area = range * (apart * ray.angle.cos()).abs() / ray.launch.cos();
        assert!((ray.area / area - 1.0).abs() < 1e-5, "{ray:?} {area}");
        reflected += ray.reflections();
    }
    assert!(reflected > 10, "some were reflected");
}

// A ray from the channel axis passes one caustic per half loop. Method: a symmetric channel with
// one gradient on each side. Tolerance: one caustic more or less than turning points.
#[test]
fn caustics_are_counted() {
    let guide = Waveguide::new(
        &[[0.0, 1600.0], [1000.0, 1500.0], [2000.0, 1600.0]],
        [0.0, 2000.0],
    )
    .unwrap();
    let mut turns = 0;
    let ray = trace(&guide, 1000.0, 0.2, 40e3, 0, |r| {
        turns = r.upper_turns + r.lower_turns;
    })
    .unwrap();
    assert!(
        turns >= 6 && ray.caustics >= turns - 1 && ray.caustics <= turns + 1,
        "{ray:?}"
    );
}

// The error of a sampled profile falls with the square of the node distance. Method: the lower
// turning point of a ray in Munk's profile with nodes at 100, 50 and 25 m. Tolerance: a factor of
// four within a third, because the turning point lies at different positions between nodes.
#[test]
fn error_falls_with_the_square_of_the_node_distance() {
    let error = |step: f64| {
        // The mean over rays removes the effect of the position of the turning point between nodes.
        let mut sum = 0.0;
        for k in 0..40 {
            let steepness = 0.15 + 0.001 * f64::from(k);
            let mut deepest = 0.0_f64;
            trace(
                &munk_water(step).unwrap(),
                1300.0,
                steepness,
                40e3,
                0,
                |r| deepest = deepest.max(r.depth),
            );
            let c = 1500.0 * (1.0 + steepness * steepness).sqrt();
            sum += (munk_sound_speed(deepest) - c).abs();
        }
        sum
    };
    let [coarse, middle, fine] = [100.0, 50.0, 25.0].map(error);
    assert!(
        (coarse / middle / 4.0 - 1.0).abs() < 0.33,
        "{coarse} {middle}"
    );
    assert!((middle / fine / 4.0 - 1.0).abs() < 0.33, "{middle} {fine}");
}

// Straight below a ship the direct ray and its seabed reflection are found. Method: ranges of 0 m
// and 1 m in 1000 m of uniform water. Tolerance: a lateral error of a millionth of the depth.
#[test]
fn a_receiver_straight_below_is_found() {
    let guide = Waveguide::new(&[[0.0, 1500.0]], [0.0, 1000.0]).unwrap();
    for range in [0.0, 1.0] {
        let rays = eigenrays(&guide, 5.0, 800.0, range, 1);
        let times: Vec<f64> = rays.iter().map(|r| r.time).collect();
        let expected = [795.0_f64, 805.0, 1195.0].map(|h| h.hypot(range) / 1500.0);
        assert_eq!(times.len(), 3, "{times:?}");
        assert!(
            times
                .iter()
                .zip(expected)
                .all(|(a, b)| (a - b).abs() < 1e-8),
            "{times:?} {expected:?}"
        );
    }
}

// A channel whose minimum of sound speed lies at a single depth has a ray along this depth. Method:
// source and receiver at this depth. Tolerance: rounding.
#[test]
fn horizontal_ray_follows_the_channel_axis() {
    let guide = Waveguide::new(
        &[[0.0, 1520.0], [500.0, 1480.0], [2000.0, 1530.0]],
        [0.0, 2000.0],
    )
    .unwrap();
    let ray = trace(&guide, 500.0, 0.0, 5e3, 0, |_| ()).unwrap();
    assert!((ray.time - 5e3 / 1480.0).abs() < 1e-12 && ray.depth == 500.0 && ray.length == 5e3);
    // At a maximum of sound speed a horizontal ray leaves the axis.
    let guide = Waveguide::new(
        &[[0.0, 1480.0], [500.0, 1520.0], [2000.0, 1480.0]],
        [0.0, 2000.0],
    )
    .unwrap();
    let ray = trace(&guide, 500.0, 0.0, 5e3, 9, |_| ()).unwrap();
    assert!(ray.depth > 700.0, "{ray:?}");
}

// Rays of a world use its water column, seabed and regions, and do not exist where sound cannot
// propagate. Method: a warm layer over cold water; a lake; land. Tolerance: none, except the closed
// form of the travel time in the lake.
#[test]
fn rays_use_the_water_of_a_world() {
    let text = "seabed: {depth_m: 300}\nwater:\n  column:\n    layers:\n    - {depth_m: 0, temperature_c: 22, salinity_psu: 35}\n    \
                - {depth_m: 30, temperature_c: 21.5, salinity_psu: 35}\n    - {depth_m: 60, temperature_c: 12, salinity_psu: 35}\n  regions:\n    \
                lake: {corners_m: [[5000, 0], [9000, 0], [9000, 2000], [5000, 2000]], level_m: 3, wave_factor: 0, open_to_current: false, sound_speed_m_s: 1450}\n    \
                land: {corners_m: [[-9000, 0], [-5000, 0], [-5000, 2000], [-9000, 2000]], dry: true}\nrobots: {}\n";
    let scene = load_text("sound.yaml", text, Overrides::default())
        .unwrap_or_else(|p| panic!("{p}"))
        .scene;
    let rays =
        |from: Vec3, to: Vec3| eigenrays_between(&initial_environment(&scene), [from, to], 2);
    let found = rays(Vec3::new(0.0, 0.0, -20.0), Vec3::new(4900.0, 0.0, -70.0));
    // The warm layer refracts rays downwards: there is no direct ray into the shadow zone of the
    // thermocline, only rays via the seabed.
    assert!(
        !found.is_empty() && found.iter().all(|r| r.bottom > 0),
        "{found:?}"
    );
    let near = rays(Vec3::new(0.0, 0.0, -20.0), Vec3::new(200.0, 0.0, -70.0));
    assert_eq!(near[0].reflections(), 0);
    let lake = rays(
        Vec3::new(6000.0, 100.0, 2.0),
        Vec3::new(6000.0, 400.0, -38.0),
    );
    assert!(
        (lake[0].time * 1450.0 - 300.0_f64.hypot(40.0)).abs() < 1e-6,
        "{lake:?}"
    );
    assert!(
        rays(
            Vec3::new(-6000.0, 100.0, -2.0),
            Vec3::new(-6000.0, 400.0, -3.0)
        )
        .is_empty()
    );
}
