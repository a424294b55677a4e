//! Tests that waves of small height are a flow of an ideal fluid under a free surface, for every
//! way of summation.

use crate::common::{close, close_vectors};
use merrow_environment::current::VariationCache;
use merrow_environment::waves::realise::wave_field;
use merrow_environment::waves::tile;
use merrow_environment::{EnvironmentState, WaveState};
use merrow_math::Vec3;
use merrow_model::scene::{Scene, Spectrum, Spreading, Waves};
use merrow_model::state::wave_tile::WaveTile;
use merrow_validate::cases::sea::eastward_sea_state as sea;

const G: f64 = 9.81;

fn waves(hs: f64, depth: f64) -> Waves {
    let mut sea_state = sea(Spectrum::Jonswap(3.3), hs, 6.0);
    sea_state.spreading = Spreading::Angle { n: 2.0 };
    Waves::from_field(wave_field(sea_state, depth, G, 4))
}

/// Positions in the water [m, W].
const PLACES: [Vec3; 4] = [
    Vec3::new(0.0, 0.0, -1.0),
    Vec3::new(31.0, -12.0, -0.3),
    Vec3::new(-250.0, 90.0, -6.0),
    Vec3::new(5.0, 800.0, -11.5),
];

// The flow of the water is divergence-free and irrotational, its acceleration follows from pressure
// and from the velocity, and the seabed is impermeable. Method: central differences over 2 mm and 2
// ms of a short-crested sea of a ten-millionth of a metre in 12 m depth, at four positions.
// Tolerance: 2e-4, the difference error of the shortest waves over that length.
#[test]
fn small_waves_satisfy_potential_flow() {
    let waves = waves(1e-7, 12.0);
    let (h, t) = (1e-3, 40.0);
    let now = WaveState::new(&waves, t * 1e9);
    // The magnitude of velocities, and of gradients.
    let (speed, steep) = (1e-7, 1e-7);
    for p in PLACES {
        let at = |d: Vec3| now.orbital_motion(p + d, now.elevation(p.x + d.x, p.y + d.y));
        let e = [
            Vec3::new(h, 0.0, 0.0),
            Vec3::new(0.0, h, 0.0),
            Vec3::new(0.0, 0.0, h),
        ];
        let rate = e.map(|e| (at(e).velocity - at(-e).velocity).scale(0.5 / h));
        let divergence = rate[0].x + rate[1].y + rate[2].z;
        let curl = Vec3::new(
            rate[1].z - rate[2].y,
            rate[2].x - rate[0].z,
            rate[0].y - rate[1].x,
        );
        close("divergence", divergence / steep, 0.0, 2e-4);
        close_vectors("curl", curl.scale(1.0 / steep), Vec3::zero(), 2e-4);
        let head = e.map(|e| (at(e).head - at(-e).head) * 0.5 / h);
        let driven = Vec3::new(head[0], head[1], head[2]).scale(-G);
        let a = at(Vec3::zero()).local_acceleration;
        close_vectors(
            "pressure",
            a.scale(1.0 / speed),
            driven.scale(1.0 / speed),
            2e-4,
        );
        let later = |s: f64| {
            let now = WaveState::new(&waves, (t + s) * 1e9);
            now.orbital_motion(p, now.elevation(p.x, p.y)).velocity
        };
        let grown = (later(1e-3) - later(-1e-3)).scale(0.5 / 1e-3);
        close_vectors(
            "acceleration",
            a.scale(1.0 / speed),
            grown.scale(1.0 / speed),
            2e-4,
        );
        let bottom = now.orbital_motion(Vec3::new(p.x, p.y, -12.0), 0.0);
        close("through the seabed", bottom.velocity.z / speed, 0.0, 1e-9);
    }
}

// The surface moves with the water, its slope is its gradient, and the pressure on it is zero.
// Method: a sea of a ten-millionth of a metre by differences; the pressure in one of 3 m, where
// stretching matters. Tolerance: as above; rounding for the pressure.
#[test]
fn free_surface_conditions_hold() {
    let small = waves(1e-7, 12.0);
    let at = |s: f64| WaveState::new(&small, (40.0 + s) * 1e9);
    let steep = WaveState::new(&waves(3.0, 30.0), 40e9);
    for p in PLACES {
        let surface = at(0.0).surface(p.x, p.y);
        let rise = (at(1e-3).elevation(p.x, p.y) - at(-1e-3).elevation(p.x, p.y)) * 0.5 / 1e-3;
        let water = at(0.0).orbital_motion(Vec3::new(p.x, p.y, surface.z), surface.z);
        close(
            "kinematic condition",
            water.velocity.z / 1e-7,
            rise / 1e-7,
            2e-4,
        );
        let along = |dx: f64, dy: f64| at(0.0).elevation(p.x + dx, p.y + dy);
        let slope = [
            along(1e-3, 0.0) - along(-1e-3, 0.0),
            along(0.0, 1e-3) - along(0.0, -1e-3),
        ];
        for k in 0..2 {
            close(
                "slope",
                surface.slope[k] / 1e-7,
                slope[k] * 500.0 / 1e-7,
                2e-4,
            );
        }
        let eta = steep.elevation(p.x, p.y);
        let (_, water) = steep.surface_and_motion(Vec3::new(p.x, p.y, eta));
        close("pressure at the surface", water.head, eta, 1e-12);
        assert!(eta.abs() > 0.05, "{eta} m is too small for this test");
    }
}

/// Returns the velocity [m/s] and acceleration [m/s²] of the water, W, at `p` [m], W, and `t` [s].
fn water_motion(scene: &Scene, p: Vec3, t: f64) -> (Vec3, Vec3) {
    let now = WaveState::new(&scene.sea.waves, t * 1e9);
    let current = &scene.sea.current;
    let at = EnvironmentState {
        waves: Some(&now),
        time: t,
        variation: VariationCache::default().evaluate(current, scene.seed, t),
        ..crate::common::initial_environment(scene)
    };
    at.water_motion(p)
}

/// Compares the acceleration of the water with the change of the velocity along the path of a
/// particle, at 40 s. Returns the largest acceleration [m/s²].
#[track_caller]
fn compare_with_particles(scene: &Scene) -> f64 {
    let (h, t) = (1e-3, 40.0);
    let mut largest = 0.0_f64;
    for p in PLACES {
        let (u, a) = water_motion(scene, p, t);
        let (before, _) = water_motion(scene, p - u.scale(h), t - h);
        let (after, _) = water_motion(scene, p + u.scale(h), t + h);
        let along = (after - before).scale(0.5 / h);
        close_vectors("acceleration", a.scale(10.0), along.scale(10.0), 2e-4);
        largest = largest.max(a.norm());
    }
    largest
}

// The acceleration of the water is the acceleration of its particles, in waves, sheared current and
// eddy together. Method: central differences of the velocity along the path of a particle over 2
// ms, in a short-crested sea of 10 cm in 12 m depth. Tolerance: 2e-4 of the acceleration of 0.1
// m/s², for terms of third order; the convective terms are 1 to 30 % of it.
#[test]
fn water_acceleration_is_material_derivative() {
    let scene = crate::common::scene(
        "
water:
  waves: {kind: jonswap, hs_m: 0.1, tp_s: 4, direction_deg: 60}
  current: {kind: profile, layers: [{depth_m: 0, speed_m_s: 0.5, direction_deg: 90}, {depth_m: 20, speed_m_s: 0.1}]}
  flows: {eddy: {kind: eddy, angular_velocity_rad_s: 0.02, position_m: [3, -20], core_radius_m: 15}}
seabed: {depth_m: 12}
robots: {a: {model: bluerov2}}
",
    );
    let largest = compare_with_particles(&scene);
    assert!(largest > 0.05, "{largest} m/s² is too small for this test");
}

// The same in regions and tides. Method: as above; a tide of 0.5 m and a tidal current, both with a
// period of 60 s, so that they matter; one position in a region with lower waves, one in a region
// with its own level and its own eddy without the current of the world, two in the open sea.
// Tolerance: as above; the tide accelerates the water by 0.004 m/s², its current by 0.04 m/s².
#[test]
fn water_acceleration_is_material_derivative_in_regions_and_tides() {
    let scene = crate::common::scene(
        "
water:
  waves: {kind: jonswap, hs_m: 0.1, tp_s: 4, direction_deg: 60}
  current: {kind: profile, layers: [{depth_m: 0, speed_m_s: 0.5, direction_deg: 90}, {depth_m: 20, speed_m_s: 0.1}]}
  tide: {constituents: [{period_s: 60, amplitude_m: 0.5, phase_deg: 200}]}
  regions:
    harbour: {corners_m: [[-20, -20], [20, -20], [20, 20], [-20, 20]], wave_factor: 0.8}
    lake: {corners_m: [[25, -40], [60, -40], [60, 10], [25, 10]], level_m: 0.2, open_to_current: false}
  flows:
    stream:
      kind: tidal
      constituents: [{period_s: 60, speed_m_s: 0.4, direction_deg: 70, across_speed_m_s: 0.1, phase_deg: 130}]
    eddy: {region: lake, kind: eddy, angular_velocity_rad_s: 0.02, position_m: [40, -20], core_radius_m: 15}
seabed: {depth_m: 12}
robots: {a: {model: bluerov2}}
",
    );
    let region = |p: Vec3| scene.sea.region(p.x, p.y).map(|r| r.name.as_str());
    let regions = [Some("harbour"), Some("lake"), None, None];
    assert_eq!(PLACES.map(region), regions);
    let largest = compare_with_particles(&scene);
    assert!(largest > 0.03, "{largest} m/s² is too small for this test");
}

// The two orders of summation agree with each other and with the cosines of the C library, and the
// vector instructions change no bit. Method: 1000 points of a sea of 200 waves. Tolerance: 1e-9 m
// of the plain sum; none between builds.
#[test]
fn wave_summation_orders_agree() {
    let waves = waves(3.0, 30.0);
    let (wide, portable) = (
        WaveState::new(&waves, 77e9),
        WaveState::portable(&waves, 77e9),
    );
    let x: Vec<f64> = (0..1000).map(|i| f64::from(i) * 1.7 - 600.0).collect();
    let y: Vec<f64> = (0..1000).map(|i| f64::from(i % 37) * -3.3).collect();
    let (mut many, mut plain) = (vec![0.0; 1000], vec![0.0; 1000]);
    wide.elevations(&x, &y, &mut many);
    portable.elevations(&x, &y, &mut plain);
    let c = &waves.seas[0].1.components;
    for i in 0..1000 {
        assert_eq!(many[i].to_bits(), plain[i].to_bits());
        let sum: f64 = (0..c.a.len())
            .map(|j| {
                c.a[j] * (c.kx[j] * x[i] + c.ky[j] * y[i] - c.omega[j] * 77.0 + c.phase[j]).cos()
            })
            .sum();
        assert!((many[i] - sum).abs() < 1e-9 && (wide.elevation(x[i], y[i]) - sum).abs() < 1e-9);
        let p = Vec3::new(x[i], y[i], -0.01 * i as f64);
        assert_eq!(
            format!("{:?}", wide.surface_and_motion(p)),
            format!("{:?}", portable.surface_and_motion(p))
        );
    }
}

// The lattice around a hull matches the sum that it approximates, and is bit-identical on every
// processor. Method: a sea of 12 s with 200 waves around a hull of 2 m radius, points at the
// surface and down to its draught, two windows and four instants, with vector and portable
// instructions. Tolerance: (k s)²/8 of the shorter waves, here 1 % of the height of the sea; none
// between processors.
#[test]
fn hull_lattice_matches_wave_sum() {
    let waves = waves(3.0, 30.0);
    let place = |x0: f64| {
        let x: Vec<f64> = (0..64).map(|i| x0 + 0.05 * f64::from(i) - 1.6).collect();
        let y: Vec<f64> = (0..64).map(|i| 0.04 * f64::from(i % 17) - 0.3).collect();
        let z: Vec<f64> = (0..64).map(|i| -0.01 * f64::from(i)).collect();
        [x, y, z]
    };
    let mut tiles = [WaveTile::new(2.0, 1.0), WaveTile::new(2.0, 1.0)];
    for (k, x0) in [0.0, 0.3, 7.0, 7.1].into_iter().enumerate() {
        let t_ns = 50e9 + 3.1e7 * k as f64;
        let now = [
            WaveState::new(&waves, t_ns),
            WaveState::portable(&waves, t_ns),
        ];
        let [x, y, z] = place(x0);
        let mut found = [
            (vec![0.0; 64], vec![0.0; 64]),
            (vec![0.0; 64], vec![0.0; 64]),
        ];
        for ((tile, now), (eta, head)) in tiles.iter_mut().zip(&now).zip(&mut found) {
            tile::update_tile(tile, &waves, now, x0, 0.0);
            assert!(tile::look_up(tile, [&x, &y, &z], eta, head));
        }
        assert_eq!(
            format!("{:?}", found[0]),
            format!("{:?}", found[1]),
            "window {k}"
        );
        for i in 0..64 {
            let (surface, water) = now[0].surface_and_motion(Vec3::new(x[i], y[i], z[i]));
            assert!(
                (found[0].0[i] - surface.z).abs() < 0.03,
                "{i}: {} {}",
                found[0].0[i],
                surface.z
            );
            if z[i] < surface.z {
                assert!(
                    (found[0].1[i] - water.head).abs() < 0.03,
                    "{i}: {} {}",
                    found[0].1[i],
                    water.head
                );
            }
        }
    }
}

// The wind profile follows the wave surface near the waves and the mean surface at height, without
// a jump. Method: heights above a crest. Tolerance: none at the ends; the steps of 1 cm in between
// grow by no more than the surface elevation over the blending height.
#[test]
fn wind_follows_waves_near_the_surface() {
    let waves = waves(3.0, 30.0);
    let now = WaveState::new(&waves, 40e9);
    let calm = crate::common::scene("robots: {a: {model: bluerov2}}");
    let at = EnvironmentState {
        waves: Some(&now),
        ..crate::common::initial_environment(&calm)
    };
    let (eta, reach) = (now.elevation(3.0, 4.0), now.max_height());
    let over = |z: f64| at.wind_height(Vec3::new(3.0, 4.0, z));
    assert_eq!(over(0.9 * reach), 0.9 * reach - eta);
    assert_eq!(over(2.1 * reach), 2.1 * reach);
    let n = (2.5 * reach / 0.01) as i32;
    for k in 0..n {
        let step = over(0.01 * f64::from(k + 1)) - over(0.01 * f64::from(k));
        assert!(
            (step - 0.01).abs() <= 0.01 * eta.abs() / reach + 1e-12,
            "{k}: {step}"
        );
    }
}
