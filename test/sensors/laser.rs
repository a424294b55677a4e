//! Tests of scanning lasers: closed forms of their ranges in air and through water, in motion, and
//! error behaviour.

mod cloud_display;
mod tilting_laser;

use crate::common::{advance, close, initial_environment, simulation};
use merrow_environment::EnvironmentState;
use merrow_environment::surface::Surface;
use merrow_environment::waves::WaveState;
use merrow_math::Vec3;
use merrow_model::sensor::laser::Point;
use merrow_model::sensor::laser::Scan;
use merrow_model::state::frames::{Frame, FrameData};
use merrow_sim::Simulation;

/// Returns the world with a fixed robot 2 m above the water that carries one laser of `kind` with
/// `keys`; `rest` holds structures and other keys of the world.
fn world(kind: &str, keys: &str, rest: &str) -> String {
    format!(
        "
step: {{dt_s: 0.01}}
seabed: {{depth_m: 3}}
robots:
  r:
    position_m: [0, 0, 2]
    model:
      source: test
      base: fixed
      body: {{source: test, axes: flu, mass_kg: 1, inertia_kg_m2: {{xx: 1, yy: 1, zz: 1}}}}
      sensors: {{l: {{lazy: false, device: {{source: test, rate_hz: 10, kind: {kind}, {keys}}}}}}}
{rest}
"
    )
}

/// Returns the frames of `seconds`.
fn frames(sim: &mut Simulation, seconds: f64) -> Vec<Frame> {
    let mut all = Vec::new();
    for _ in 0..(seconds / 0.1).round() as usize {
        advance(sim, 0.1);
        all.append(&mut sim.frames);
    }
    all
}

fn scan(sim: &mut Simulation) -> Scan {
    match &*frames(sim, 0.3).last().expect("a frame").data {
        FrameData::Scan(scan) => scan.clone(),
        _ => panic!("no scan"),
    }
}

fn cloud(sim: &mut Simulation) -> Vec<Point> {
    match &*frames(sim, 0.3).last().expect("a frame").data {
        FrameData::Cloud(points) => points.clone(),
        _ => panic!("no cloud"),
    }
}

const WALL: &str =
    "structures: {wall: {position_m: [10, 0, 0], shapes: {s: {kind: box, size_m: [2, 40, 20]}}}}";

// Ranges to a wall, a ball and a post. Method: closed forms: 9/cos a to the wall, quadratic
// equations for the round shapes. Tolerance: 1e-5 m, ten times the resolution of a 32-bit range of
// 15 m.
#[test]
fn ranges_match_closed_forms() {
    let keys = "azimuth_deg: [-45, 45], beams: 91, max_range_m: 30";
    let found = scan(&mut simulation(&world("laser", keys, WALL)));
    assert_eq!(found.ranges.len(), 91);
    for (k, range) in found.ranges.iter().enumerate() {
        let a = (k as f64 - 45.0).to_radians();
        close("wall", f64::from(*range), 9.0 / a.cos(), 1e-5);
        // At perpendicular incidence in clear air the intensity is the reflectivity.
        close(
            "intensity",
            f64::from(found.intensities[k]),
            0.5 * a.cos(),
            1e-2,
        );
    }
    for shape in [
        "{kind: sphere, radius_m: 1.5}",
        "{kind: cylinder, radius_m: 1.5, length_m: 30}",
    ] {
        let text = format!("structures: {{s: {{position_m: [6, 1, 2], shapes: {{s: {shape}}}}}}}");
        let found = scan(&mut simulation(&world("laser", keys, &text)));
        let mut hits = 0;
        for (k, range) in found.ranges.iter().enumerate() {
            let a = (k as f64 - 45.0).to_radians();
            let along = 6.0 * a.cos() + a.sin();
            let square = 1.5 * 1.5 - (37.0 - along * along);
            if square > 1e-3 {
                hits += 1;
                close(shape, f64::from(*range), along - square.sqrt(), 1e-5);
            } else if square < -1e-3 {
                assert_eq!(*range, f32::INFINITY, "{shape}");
            }
        }
        assert!(hits > 20, "{shape}: {hits}");
    }
}

// The points of a lidar lie where its beams hit the seabed, one metre below it. Method: rings at
// known elevations over a plane. Tolerance: 1e-5 m.
#[test]
fn points_lie_on_the_plane() {
    let keys = "elevation_deg: [-40, -10], rings: 4, columns: 36, max_range_m: 50";
    let ground = "structures: {g: {position_m: [0, 0, -4], shapes: {s: {kind: box, size_m: [200, 200, 10]}}}}";
    let points = cloud(&mut simulation(&world("lidar", keys, ground)));
    assert_eq!(points.len(), 4 * 36);
    for point in &points {
        let [x, y, z] = point.p.map(f64::from);
        close("height", z, -1.0, 1e-5);
        let elevation = (-40.0 + 10.0 * f64::from(point.ring)).to_radians();
        close(
            "elevation",
            z / (x * x + y * y + z * z).sqrt(),
            elevation.sin(),
            1e-6,
        );
    }
    // Clockwise from astern, evenly spaced in time.
    let column = |k: usize| &points[4 * k];
    close(
        "first",
        f64::from(column(0).p[1].atan2(column(0).p[0])).abs(),
        std::f64::consts::PI,
        1e-6,
    );
    assert!(column(1).p[1] > 0.0 && column(9).p[1] > 0.0 && column(27).p[1] < 0.0);
    close("time", f64::from(column(18).time), 0.05, 1e-6);
}

// Samples are output at their rate, stamped with the time of their first beam, once the sweep and
// the latency are over. Method: a 360 degree lidar of 10 Hz whose sweep takes 35/36 of 0.1 s; then
// 0.25 s of latency.
#[test]
fn frames_are_output_at_their_times() {
    let keys = "elevation_deg: [-40, -10], rings: 2, columns: 36, max_range_m: 50";
    let mut sim = simulation(&world("lidar", keys, WALL));
    let all = frames(&mut sim, 1.0);
    let stamps: Vec<u64> = all.iter().map(|f| f.stamp_ns / 1_000_000).collect();
    assert_eq!(stamps, (0..10).map(|k| 100 * k).collect::<Vec<_>>());
    assert!(all.iter().all(|f| f.due_ns - f.stamp_ns == 97_222_222));
    let late = world("lidar", &format!("latency_s: 0.25, {keys}"), WALL);
    assert_eq!(frames(&mut simulation(&late), 1.0).len(), 8);
}

// Range noise has the stated standard deviation. Method: 20 scans of 500 beams on the same wall, 3
// cm. Tolerance: 4 standard errors.
#[test]
fn noise_has_its_standard_deviation() {
    let keys = "azimuth_deg: [-1, 1], beams: 500, max_range_m: 30, range_std_m: 0.03";
    let mut sim = simulation(&world("laser", keys, WALL));
    let mut errors = Vec::new();
    for frame in frames(&mut sim, 2.0) {
        let FrameData::Scan(scan) = &*frame.data else {
            panic!("no scan")
        };
        let exact = |k: usize| 9.0 / (-1.0 + 2.0 * k as f64 / 499.0_f64).to_radians().cos();
        errors.extend(
            scan.ranges
                .iter()
                .enumerate()
                .map(|(k, r)| f64::from(*r) - exact(k)),
        );
    }
    let n = errors.len() as f64;
    let (mean, square) = (
        errors.iter().sum::<f64>() / n,
        errors.iter().map(|e| e * e).sum::<f64>() / n,
    );
    assert!(n > 9000.0 && mean.abs() < 4.0 * 0.03 / n.sqrt(), "{mean}");
    close("std", square.sqrt(), 0.03, 4.0 * 0.03 / (2.0 * n).sqrt());
    let next = errors.windows(2).map(|w| w[0] * w[1]).sum::<f64>() / n / square;
    assert!(next.abs() < 4.0 / n.sqrt(), "beams are independent: {next}");
}

// Ranges outside the limits follow REP-117; a dark wall is detected up to the reference range and
// not beyond. Method: walls at 9 m with limits around 9 m; reflectivity 0.1 with the reference 0.1
// at 9 m.
#[test]
fn range_limits_and_dark_walls() {
    let range = |keys: &str, rest: &str| {
        let keys = format!("azimuth_deg: [0, 0], beams: 1, {keys}");
        scan(&mut simulation(&world("laser", &keys, rest))).ranges[0]
    };
    assert_eq!(
        range("min_range_m: 9.5, max_range_m: 30", WALL),
        f32::NEG_INFINITY
    );
    assert_eq!(range("max_range_m: 8.5", WALL), f32::INFINITY);
    let dark = WALL.replace(
        "size_m: [2, 40, 20]",
        "size_m: [2, 40, 20], material: {reflectivity: 0.1}",
    );
    assert_eq!(range("max_range_m: 9.1", &dark), 9.0);
    let darker = WALL.replace(
        "size_m: [2, 40, 20]",
        "size_m: [2, 40, 20], material: {reflectivity: 0.09}",
    );
    assert_eq!(range("max_range_m: 9.1", &darker), f32::INFINITY);
    assert_eq!(range("max_range_m: 9.6", &darker), 9.0);
}

// Fog and rain attenuate the echo as specified. Method: intensity of the wall at 9 m in 100 m of
// visibility, exp(-2 σ 9), σ = 3.912/100 (905/550)^-0.2715; and under 50 mm/h of rain. Tolerance:
// rounding of a 32-bit number.
#[test]
fn fog_and_rain_attenuate_the_echo() {
    let intensity = |weather: &str| {
        let keys = "azimuth_deg: [0, 0], beams: 1, max_range_m: 30";
        let rest = format!("{WALL}\nweather: {{{weather}}}");
        f64::from(scan(&mut simulation(&world("laser", keys, &rest))).intensities[0])
    };
    let haze = |visibility: f64, q: f64| 3.912 / visibility * (905.0_f64 / 550.0).powf(-q);
    let q = 0.585 * 0.1_f64.cbrt();
    close(
        "fog",
        intensity("visibility_m: 100"),
        0.5 * (-18.0 * haze(100.0, q)).exp(),
        1e-6,
    );
    let rain = 1.076 * 50.0_f64.powf(0.67) * 10.0_f64.ln() / 1e4;
    let expected = 0.5 * (-18.0 * (haze(10_000.0, 1.3) + rain)).exp();
    close(
        "rain",
        intensity("visibility_m: 10000, rain_mm_h: 50"),
        expected,
        1e-6,
    );
}

// Through flat water a green laser measures the seabed at the optical path length along the ray
// refracted by Snell's law; an infrared laser receives no echo. Method: closed form: 2 m of air, 3
// m of water at an incidence of 30 degrees. Tolerance: 1e-5 m.
#[test]
fn water_refracts_and_absorbs_light() {
    let cloud_of = |extinction: f64| {
        let keys = format!(
            "elevations_deg: [-60], columns: 4, max_range_m: 40, reference_reflectivity: 0.01, water_extinction_per_m: {extinction}"
        );
        cloud(&mut simulation(&world("lidar", &keys, "")))
    };
    let below = (0.5_f64 / 1.33).asin();
    let path = 2.0 / 30.0_f64.to_radians().cos() + 1.33 * 3.0 / below.cos();
    let green = cloud_of(0.1);
    assert_eq!(green.len(), 4);
    for point in &green {
        let [x, y, z] = point.p.map(f64::from);
        close("path", (x * x + y * y + z * z).sqrt(), path, 1e-5);
    }
    assert_eq!(cloud_of(7.0), []);
}

// In water the echo intensity follows Lambert's law over the path d in the water, and over n t + d
// through the surface. Method: a laser in the water 1 m above the seabed, and one 2 m above the
// surface with the seabed 3 m below it, both 10 degrees off the vertical so that the surface gives
// no specular echo. Intensities are normalised by the square of the range at the speed of light in
// air. Tolerance: 1 %, for haze.
#[test]
fn intensity_in_water_follows_lamberts_law() {
    let keys = "azimuth_deg: [0, 0], beams: 1, max_range_m: 30, wavelength_um: 0.532, water_extinction_per_m: 0.1, reference_reflectivity: 0.001";
    let down = "attitude_deg: [0, 80, 0]";
    let intensity = |z: &str| {
        let text = world("laser", keys, "").replace(
            "position_m: [0, 0, 2]",
            &format!("position_m: [0, 0, {z}]\n    {down}"),
        );
        let found = scan(&mut simulation(&text));
        (found.ranges[0], f64::from(found.intensities[0]))
    };
    let rho = merrow_model::scene::Material::default().reflectivity;
    let c = 10_f64.to_radians().cos();
    let (range, in_water) = intensity("-2");
    close("range in water", f64::from(range), 1.33 / c, 1e-5);
    let expected = 1.33 * 1.33 * rho * c * (-0.2 / c).exp();
    assert!(
        (in_water / expected - 1.0).abs() < 0.01,
        "{in_water} instead of {expected}"
    );
    let (range, through) = intensity("2");
    let below = (10_f64.to_radians().sin() / 1.33).asin().cos();
    let (t, d) = (2.0 / c, 3.0 / below);
    close(
        "range through the surface",
        f64::from(range),
        t + 1.33 * d,
        1e-5,
    );
    let spread = (t + 1.33 * d) / (1.33 * t + d);
    let expected = 0.98 * 0.98 * rho * below * (-0.2 * d).exp() * spread * spread;
    assert!(
        (through / expected - 1.0).abs() < 0.01,
        "{through} instead of {expected}"
    );
}

// A laser under water receives no echo from objects in the air. Method: a laser at 0.3 m depth that
// points obliquely upwards at a wall above the water, and at a wall that extends into it.
// Tolerance: exact in air; 1e-5 m.
#[test]
fn submerged_laser_gets_no_echo_from_the_air() {
    let keys = "azimuth_deg: [0, 0], beams: 1, max_range_m: 30, wavelength_um: 0.532, water_extinction_per_m: 0.01, reference_reflectivity: 0.001";
    let range = |low: f64| {
        let wall = WALL.replace("[10, 0, 0]", &format!("[10, 0, {}]", low + 10.0));
        let text = world("laser", keys, &wall).replace(
            "position_m: [0, 0, 2]",
            "position_m: [0, 0, -0.3]\n    attitude_deg: [0, -5, 0]",
        );
        scan(&mut simulation(&text)).ranges[0]
    };
    assert_eq!(range(0.1), f32::INFINITY);
    let deep = WALL.replace("[10, 0, 0]", "[3, 0, 0]");
    let text = world("laser", keys, &deep).replace(
        "position_m: [0, 0, 2]",
        "position_m: [0, 0, -0.3]\n    attitude_deg: [0, -5, 0]",
    );
    let found = scan(&mut simulation(&text)).ranges[0];
    close(
        "range in water",
        f64::from(found),
        1.33 * 2.0 / 5_f64.to_radians().cos(),
        1e-5,
    );
}

// A calm surface reflects specularly: a wall appears below the water at the length of the reflected
// path. Method: a beam 20 degrees down hits the water at 5.495 m and is reflected to a wall: both
// legs add up. Tolerance: 1e-5 m.
#[test]
fn calm_water_reflects_walls() {
    let keys = "elevations_deg: [-20], columns: 360, max_range_m: 40, reference_reflectivity: 1e-4";
    let points = cloud(&mut simulation(&world("lidar", keys, WALL)));
    let ahead = points
        .iter()
        .find(|p| p.p[1].abs() < 1e-4 && p.p[0] > 0.0)
        .expect("a ghost");
    let range = ahead
        .p
        .iter()
        .map(|x| f64::from(*x).powi(2))
        .sum::<f64>()
        .sqrt();
    close("ghost", range, 9.0 / 20.0_f64.to_radians().cos(), 1e-5);
    // Fresnel reflection twice leaves about a hundredth of the strength of the wall.
    assert!(
        ahead.intensity > 1e-5 && ahead.intensity < 0.02,
        "{}",
        ahead.intensity
    );
}

// Straight down the surface gives a specular echo. Method: intensity F_0/(4 s²), s² of a calm day.
// Tolerance: 2 %, for haze.
#[test]
fn water_reflects_straight_down() {
    let keys = "elevations_deg: [-90], columns: 1, max_range_m: 40";
    let points = cloud(&mut simulation(&world("lidar", keys, "")));
    close("range", f64::from(points[0].p[2]), -2.0, 1e-5);
    close(
        "glint",
        f64::from(points[0].intensity),
        0.02 / (4.0 * 0.003),
        0.02,
    );
}

// In waves a range ends at the first intersection of the beam with the surface, although the beams
// intersect a height grid. Method: surface echoes from waves of 0.6 m measured from 2 m above,
// against the search of `surface.rs` along each beam. Tolerance: 1e-5 m in height, for single
// precision; 1 mm along the beam, the accuracy of that search; more than 30 % of the beams receive
// an echo.
#[test]
fn beams_end_on_the_wave_surface() {
    let waves =
        "water: {waves: {kind: jonswap, hs_m: 0.6, tp_s: 4, direction_deg: 30, components: 60}}";
    let elevations: Vec<String> = (0..12)
        .map(|k| format!("{}", -90.0 + 4.0 * f64::from(k)))
        .collect();
    let keys = format!(
        "elevations_deg: [{}], columns: 180, max_range_m: 30, reference_reflectivity: 1e-5",
        elevations.join(", ")
    );
    let mut sim = simulation(&world("lidar", &keys, waves));
    let frame = frames(&mut sim, 0.5).pop().expect("a frame");
    let FrameData::Cloud(points) = &*frame.data else {
        panic!("no cloud")
    };
    let now = WaveState::new(&sim.scene.sea.waves, frame.stamp_ns as f64);
    let plain = initial_environment(&sim.scene);
    let at = EnvironmentState {
        waves: Some(&now),
        ..plain
    };
    let surface = Surface::new(&at);
    let p = Vec3::new(0.0, 0.0, 2.0);
    for point in points {
        let beam = Vec3::from(point.p.map(f64::from));
        assert!(at.height_above_surface(p + beam).abs() < 1e-5, "{point:?}");
        let range = beam.norm();
        let first = surface
            .intersect_ray(p, beam.scale(1.0 / range), 30.0)
            .expect("water");
        assert!(
            (first - range).abs() < 1e-3,
            "{range} m, the water is at {first} m"
        );
    }
    let received = points.len() as f64 / (12.0 * 180.0);
    assert!(received > 0.3, "{received}");
}

// A diverging beam averages echoes within one pulse length and otherwise reports the stronger.
// Method: the edge of a wall in front of another wall, 20 cm and 5 m behind. Tolerance: between the
// two; exact.
#[test]
fn diverging_beams_average_near_edges() {
    let range = |behind: f64| {
        let keys = "azimuth_deg: [0, 0], beams: 1, max_range_m: 40, divergence_mrad: 100, pulse_length_m: 0.5";
        let rest = format!(
            "structures: {{near: {{position_m: [6, 5, 0], shapes: {{s: {{kind: box, size_m: [2, 10.02, 20]}}}}}},
  far: {{position_m: [{}, 0, 0], shapes: {{s: {{kind: box, size_m: [2, 40, 20]}}}}}}}}",
            6.0 + behind
        );
        scan(&mut simulation(&world("laser", keys, &rest))).ranges[0]
    };
    assert!((5.01..5.1).contains(&range(0.2)), "{}", range(0.2));
    assert!((5.0..5.01).contains(&range(5.0)), "{}", range(5.0));
}

// Each beam starts from the pose of the laser at its own time. Method: a robot moves towards a wall
// at 2 m/s with a sweep of 50 ms. Tolerance: 1e-3 m; 1e-4 m between beams.
#[test]
fn each_beam_uses_its_own_pose() {
    let keys = "azimuth_deg: [0, 0.001], beams: 11, sweep_s: 0.05, max_range_m: 40";
    let text = world("laser", keys, WALL)
        .replace("base: fixed", "base: floating")
        .replace(
            "position_m: [0, 0, 2]",
            "position_m: [0, 0, 2]\n    velocity_m_s: [2, 0, 0]",
        )
        .replace(
            "seabed: {depth_m: 3}",
            "seabed: {depth_m: 3}\ngravity_m_s2: 0",
        );
    let mut sim = simulation(&text);
    let all = frames(&mut sim, 0.5);
    let FrameData::Scan(scan) = &*all[2].data else {
        panic!("no scan")
    };
    for (k, range) in scan.ranges.iter().enumerate() {
        let t = 0.2 + 0.005 * k as f64;
        close("range", f64::from(*range), 9.0 - 2.0 * t, 1e-3);
        close(
            "from beam to beam",
            f64::from(scan.ranges[0] - range),
            2.0 * 0.005 * k as f64,
            1e-4,
        );
    }
}

// Faults act on ranges; a lazy sensor without subscribers is not computed. Method: a bias; dead;
// lazy. Tolerance: 1e-5 m.
#[test]
fn faults_and_lazy_sensors() {
    let keys = "azimuth_deg: [0, 0], beams: 1, max_range_m: 30";
    let with = |fault: &str| {
        let rest = format!("{WALL}\nfaults: {{x: {{robot: r, target: l, kind: {fault}}}}}");
        frames(&mut simulation(&world("laser", keys, &rest)), 0.3)
    };
    let FrameData::Scan(scan) = &*with("biased, bias: 0.5")[1].data else {
        panic!("no scan")
    };
    close("biased", f64::from(scan.ranges[0]), 9.5, 1e-5);
    assert!(with("dead").is_empty());
    let lazy = world("laser", keys, WALL).replace("lazy: false", "lazy: true");
    let mut sim = simulation(&lazy);
    assert!(frames(&mut sim, 0.3).is_empty());
    sim.sensor_scheduler
        .as_ref()
        .unwrap()
        .request_frames(&sim.scene, 0, 0, true);
    assert_eq!(frames(&mut sim, 0.3).len(), 3);
}

// Retro-reflective sheeting returns the intensity of its data sheet. Method: a wall with a
// coefficient of retro-reflection of 250 and a reflectivity of 0.3, at incidences up to 45 degrees,
// against the closed form 0.3 cos a + 250 pi cos^3 a. A laser that just detects white paint at 30 m
// must detect the sheeting, but not white paint, at 60 m. Tolerance: 1 %, for haze.
#[test]
fn sheeting_intensity_matches_its_coefficient() {
    let keys = "azimuth_deg: [-45, 45], beams: 91, max_range_m: 30";
    let shine = WALL.replace(
        "size_m: [2, 40, 20]",
        "size_m: [2, 40, 20], material: {reflectivity: 0.3, retro_reflection_cd_per_lx_m2: 250}",
    );
    let found = scan(&mut simulation(&world("laser", keys, &shine)));
    for (k, intensity) in found.intensities.iter().enumerate() {
        let c = (k as f64 - 45.0).to_radians().cos();
        let expected = 0.3 * c + 250.0 * std::f64::consts::PI * c * c * c;
        assert!(
            (f64::from(*intensity) / expected - 1.0).abs() < 1e-2,
            "{k}: {intensity} instead of {expected}"
        );
    }
    // White paint at 60 m returns a quarter of the intensity that is just detected at 30 m.
    let far = "azimuth_deg: [-1, 1], beams: 3, max_range_m: 60, reference_reflectivity: 4";
    let at_60 = |material: &str| {
        let wall = WALL
            .replace("[10, 0, 0]", "[56, 0, 0]")
            .replace("20]", &format!("20], material: {{{material}}}"));
        scan(&mut simulation(&world("laser", far, &wall))).ranges[1]
    };
    assert_eq!(at_60("reflectivity: 1"), f32::INFINITY);
    close(
        "range",
        f64::from(at_60("reflectivity: 1, retro_reflection_cd_per_lx_m2: 1.5")),
        55.0,
        1e-4,
    );
}
