//! Tests of cameras: closed forms of image positions, and of light transport through water and air.

mod daylight;
mod exposure;
mod quality;
mod texture;
mod visuals;

use crate::common::{advance, close, relative, simulation, within};
use merrow_environment::{WaveState, optics};
use merrow_math::Vec3;
use merrow_model::sensor::camera::CameraImages;
use merrow_model::sensor::lens::{Distortion, Lens};
use merrow_model::state::frames::{Frame, FrameData};
use merrow_sensors::wave_clipmap::WaveClipmap;
use merrow_sim::Simulation;

/// Returns the world with a fixed robot at the height `z` [m] that carries a camera with `keys`,
/// looking along x; `rest` holds further keys of the world.
pub(crate) fn world(z: f64, keys: &str, rest: &str) -> String {
    format!(
        "
step: {{dt_s: 0.01}}
robots:
  r:
    position_m: [0, 0, {z}]
    model:
      source: test
      base: fixed
      body: {{source: test, axes: flu, mass_kg: 1, inertia_kg_m2: {{xx: 1, yy: 1, zz: 1}}}}
      sensors: {{c: {{lazy: false, device: {{source: test, rate_hz: 10, kind: camera, {keys}}}}}}}
{rest}
"
    )
}

const SMALL: &str = "width: 33, height: 25, focal_px: [40, 40], outputs: [rgb, depth, labels]";
/// Pixel values proportional to light, without noise.
const LINEAR: &str = "gamma: false, full_well_electrons: 0";
/// Fully overcast sky: daylight without direct sunlight.
const OVERCAST: &str = "weather: {cloud_cover: 1, start_utc: '2026-06-20T20:00:00Z'}";

fn frames(sim: &mut Simulation, seconds: f64) -> Vec<Frame> {
    let mut all = Vec::new();
    for _ in 0..(seconds / 0.1).round() as usize {
        advance(sim, 0.1);
        all.append(&mut sim.frames);
    }
    all
}

pub(crate) fn camera_images(text: &str) -> CameraImages {
    last_images(simulation(text))
}

/// Returns the last image of a fifth of a second.
pub(crate) fn last_images(mut simulation: Simulation) -> CameraImages {
    let all = frames(&mut simulation, 0.2);
    let FrameData::CameraImages(images) = &*all.last().expect("a frame").data else {
        panic!("no camera images")
    };
    images.clone()
}

/// Returns red, green and blue at the centre of an image of `width` x `height`.
pub(crate) fn middle(images: &CameraImages, [width, height]: [usize; 2]) -> [f64; 3] {
    let rgb = images.rgb.as_ref().expect("colours");
    let k = 3 * ((height / 2) * width + width / 2);
    [rgb[k], rgb[k + 1], rgb[k + 2]].map(f64::from)
}

// Projection and back-projection are inverse for lenses of commercial cameras. Method: every fifth
// pixel of 640 x 480 to a direction and back. Tolerance: 1e-6 px.
#[test]
fn directions_and_pixels_are_inverse() {
    let lens = |distortion| Lens {
        focal: [420.0, 415.0],
        center: [322.3, 236.1],
        distortion,
    };
    let lenses = [
        lens(Distortion::BrownConrady([0.0; 5])),
        lens(Distortion::BrownConrady([
            -0.28, 0.09, 0.0012, -0.0007, -0.012,
        ])),
        lens(Distortion::BrownConrady([0.12, -0.21, -0.002, 0.001, 0.09])),
        lens(Distortion::FishEye([0.0; 4])),
        lens(Distortion::FishEye([-0.013, 0.021, -0.011, 0.0021])),
    ];
    for lens in &lenses {
        for row in (0..480).step_by(5) {
            for column in (0..640).step_by(5) {
                let pixel = [f64::from(column), f64::from(row)];
                let d = lens.direction(pixel).expect("every pixel has a hit");
                close("length", d.norm(), 1.0, 1e-12);
                let back = lens.project(d).expect("ahead");
                close("u", back[0], pixel[0], 1e-6);
                close("v", back[1], pixel[1], 1e-6);
            }
        }
    }
}

// Pinhole and equidistant lenses follow their closed forms. Method: directions at known angles.
// Tolerance: 1e-9 px.
#[test]
fn lenses_without_distortion_have_closed_forms() {
    let lens = |distortion| Lens {
        focal: [400.0, 400.0],
        center: [320.0, 240.0],
        distortion,
    };
    let d = Vec3::new(0.3, -0.2, 1.0);
    let [u, v] = lens(Distortion::BrownConrady([0.0; 5])).project(d).unwrap();
    close("u", u, 320.0 + 400.0 * 0.3, 1e-9);
    close("v", v, 240.0 - 400.0 * 0.2, 1e-9);
    let fish = lens(Distortion::FishEye([0.0; 4]));
    for angle in [0.1_f64, 1.0, 2.0] {
        let [u, v] = fish
            .project(Vec3::new(angle.sin(), 0.0, angle.cos()))
            .unwrap();
        close("u", u, 320.0 + 400.0 * angle, 1e-9);
        close("v", v, 240.0, 1e-9);
    }
    assert!(
        lens(Distortion::BrownConrady([0.0; 5]))
            .project(Vec3::new(0.1, 0.0, -1.0))
            .is_none()
    );
}

// An object below the minimum range of a depth camera is reported as too close and occludes the
// background. Method: a board 0.2 m ahead of a camera with a minimum range of 0.28 m, in front of a
// wall 9 m ahead; the board covers half of the image.
#[test]
fn objects_below_the_minimum_range_occlude() {
    let rest = "seabed: {depth_m: 50}
structures:
  wall: {position_m: [10, 0, 5], shapes: {s: {kind: box, size_m: [2, 60, 60]}}}
  board: {position_m: [0.25, 0.5, 5], shapes: {s: {kind: box, size_m: [0.1, 1, 1]}}}";
    let keys = "width: 33, height: 25, focal_px: [40, 40], outputs: [depth], min_range_m: 0.28";
    let text = world(5.0, keys, rest);
    let depth = camera_images(&text).depth.expect("depths");
    for (k, depth) in depth.iter().enumerate() {
        if k % 33 < 16 {
            assert_eq!(*depth, f32::NEG_INFINITY, "pixel {k}");
        } else if k % 33 > 16 {
            close("wall", f64::from(*depth), 9.0, 1e-5);
        }
    }
}

// Depth is measured along the axis, labels belong to visible objects, and objects appear at the
// position given by the lens. Method: a wall 9 m ahead with a ball off the axis in front of it.
// Tolerance: 1e-5 m; half a pixel for the centre of the labels of the ball.
#[test]
fn depths_labels_and_positions() {
    let rest = "seabed: {depth_m: 50}
structures: {wall: {position_m: [10, 0, 5], shapes: {s: {kind: box, size_m: [2, 60, 60]}}},
  ball: {position_m: [4, 0.8, 5.4], shapes: {s: {kind: sphere, radius_m: 0.25}}}}";
    let text = world(
        5.0,
        "width: 65, height: 49, focal_px: [80, 80], outputs: [depth, labels]",
        rest,
    );
    let found = camera_images(&text);
    let (depth, labels) = (found.depth.expect("depths"), found.labels.expect("labels"));
    let (mut sum, mut n) = ([0.0, 0.0], 0.0);
    for (k, label) in labels.iter().enumerate() {
        let (u, v) = ((k % 65) as f64, (k / 65) as f64);
        match label {
            2 => close("wall", f64::from(depth[k]), 9.0, 1e-5),
            3 => {
                sum = [sum[0] + u, sum[1] + v];
                n += 1.0;
                assert!((3.75..4.05).contains(&depth[k]), "{}", depth[k]);
            }
            other => panic!("label {other}"),
        }
    }
    assert!(n > 40.0, "{n} pixels of the ball");
    within("u", sum[0] / n, 32.0 - 80.0 * 0.8 / 4.0, 0.5);
    within("v", sum[1] / n, 24.0 - 80.0 * 0.4 / 4.0, 0.5);
    assert!(found.rgb.is_none());
}

// Image formation in water: I = J e^{-cz} + B (1 - e^{-cz}) horizontally, c of Jerlov's water type.
// Method: a grey card at four ranges under an overcast sky; B is the value of open water; the
// closest card gives J, which predicts the others. Tolerance: 1.5 counts of 255.
#[test]
fn grey_card_attenuates_in_water() {
    let exposure = "exposure_ev100: 11.1";
    let keys = format!("width: 9, height: 9, focal_px: [300, 300], {LINEAR}, {exposure}");
    for (kind, name) in ["IB", "II", "1C"].into_iter().zip([2, 3, 5]) {
        let card = |x: f64| {
            let rest = format!(
                "{OVERCAST}\nwater: {{optics: {{jerlov: {kind}}}}}\nseabed: {{depth_m: 4000}}
structures: {{card: {{position_m: [{}, 0, -5], shapes: {{s: {{kind: box, size_m: [1, 4, 4], material: {{color: [0.5, 0.5, 0.5]}}}}}}}}}}",
                x + 0.5
            );
            middle(&camera_images(&world(-5.0, &keys, &rest)), [9, 9])
        };
        let (near, endless) = (card(0.5), card(900.0));
        let water = optics::jerlov(name);
        assert!(near[1] > 60.0 && near[1] < 250.0, "{kind}: {near:?}");
        for range in [2.0, 5.0, 10.0] {
            let seen = card(range);
            for i in 0..3 {
                let part = (-water.beam[i] * (range - 0.5)).exp();
                let expected = endless[i] + (near[i] - endless[i]) * part;
                within(
                    &format!("{kind} at {range} m, colour {i}"),
                    seen[i],
                    expected,
                    1.5,
                );
            }
        }
    }
}

// Daylight decreases with depth as e^{-K_d h}. Method: images at 2 m and at 8 m, at fixed exposures
// that differ by the K_d of green. Tolerance: 2 % for green, 1.5 counts for the others.
#[test]
fn daylight_decreases_with_depth() {
    let water = optics::jerlov(3);
    let card = |depth: f64, ev: f64| {
        let keys =
            format!("width: 9, height: 9, focal_px: [300, 300], {LINEAR}, exposure_ev100: {ev}");
        let rest = format!(
            "{OVERCAST}\nwater: {{optics: {{jerlov: II}}}}\nseabed: {{depth_m: 4000}}
structures: {{card: {{position_m: [1.5, 0, {}], shapes: {{s: {{kind: box, size_m: [1, 4, 4], material: {{color: [0.5, 0.5, 0.5]}}}}}}}}}}",
            -depth
        );
        middle(&camera_images(&world(-depth, &keys, &rest)), [9, 9])
    };
    let stops = water.daylight[1] * 6.0 / std::f64::consts::LN_2;
    let (shallow, deep) = (card(2.0, 11.4), card(8.0, 11.4 - stops));
    assert!(
        shallow
            .iter()
            .chain(&deep)
            .all(|n| (5.0..250.0).contains(n)),
        "{shallow:?} {deep:?}"
    );
    relative("green", deep[1], shallow[1], 0.02);
    for i in [0, 2] {
        let expected = shallow[i] * ((water.daylight[1] - water.daylight[i]) * 6.0).exp();
        within("red and blue", deep[i], expected, 1.5);
    }
}

// The light of a lamp falls with the square of the distance and is the only light at night. Method:
// a wall at 2 m and at 4 m in air, straight ahead of a lamp at the camera; lumens, cone and albedo
// give the expected pixel value. Tolerance: 1.5 counts of 255, 2 % between the two.
#[test]
fn lamp_light_follows_the_inverse_square() {
    let keys = format!("width: 9, height: 9, focal_px: [300, 300], {LINEAR}, exposure_ev100: 6");
    let seen = |x: f64, lumens: f64| {
        let rest = format!(
            "weather: {{start_utc: '2026-06-20T09:00:00Z'}}
structures: {{wall: {{position_m: [{}, 0, 20], shapes: {{s: {{kind: box, size_m: [1, 20, 20], material: {{color: [0.5, 0.5, 0.5]}}}}}}}}}}",
            x + 0.5
        );
        let lamp = format!("base: fixed\n      lamps: {{l: {{lumens: {lumens}, cone_deg: 60}}}}");
        middle(
            &camera_images(&world(20.0, &keys, &rest).replace("base: fixed", &lamp)),
            [9, 9],
        )[1]
    };
    let candela =
        |lumens: f64| lumens / (std::f64::consts::TAU * (1.0 - 27.0_f64.to_radians().cos()));
    let shown = |lumens: f64, x: f64| {
        255.0 * candela(lumens) / (x * x) * 0.5 / std::f64::consts::PI / (1.2 * 64.0)
    };
    within("at 2 m", seen(2.0, 1000.0), shown(1000.0, 2.0), 1.5);
    relative("inverse square", seen(4.0, 4000.0), seen(2.0, 1000.0), 0.02);
    assert!(seen(2.0, 1e-6) < 1.0, "a night without lamps is dark");
}

// Shot noise and read noise are as stated, independent in the pixels of each colour. Method: 5000
// red values each of an evenly lit wall, 400 electrons full well and 6 electrons read noise, at
// measured red pixels and at those interpolated from two and four neighbours. Tolerance: 8 %, of
// which half is statistical.
#[test]
fn shot_and_read_noise_are_as_stated() {
    let keys = "width: 160, height: 128, focal_px: [3000, 3000], gamma: false, exposure_ev100: 12.3, full_well_electrons: 400, read_noise_electrons: 6, noise_color_cells: 0";
    let rest = format!(
        "{OVERCAST}\nstructures: {{wall: {{position_m: [3.5, 0, 20], shapes: {{s: {{kind: box, size_m: [1, 20, 20], material: {{color: [0.5, 0.5, 0.5]}}}}}}}}}}"
    );
    let found = camera_images(&world(20.0, keys, &rest));
    let rgb = found.rgb.expect("colours");
    // Red is measured in every second pixel of every second row; between them it is the mean of two
    // or four neighbours.
    let red = |k: usize| f64::from(rgb[3 * k]) / 255.0;
    let variance = |counts: &dyn Fn(usize, usize) -> bool| {
        let all: Vec<f64> = (0..160 * 128)
            .filter(|k| counts(k % 160, k / 160))
            .map(red)
            .collect();
        let mean = all.iter().sum::<f64>() / all.len() as f64;
        (
            mean,
            all.iter().map(|v| (v - mean) * (v - mean)).sum::<f64>() / all.len() as f64,
        )
    };
    let (mean, counted) = variance(&|u, v| u % 2 == 0 && v % 2 == 0);
    assert!((0.2..0.8).contains(&mean), "{mean}");
    let expected = (400.0 * mean + 36.0) / (400.0 * 400.0);
    relative("variance", counted, expected, 0.08);
    // All except the last column and row.
    let inner = |u: usize, v: usize| u < 159 && v < 127;
    relative(
        "of two",
        variance(&|u, v| inner(u, v) && u % 2 == 1 && v % 2 == 0).1,
        0.5 * expected,
        0.08,
    );
    relative(
        "of four",
        variance(&|u, v| inner(u, v) && u % 2 == 1 && v % 2 == 1).1,
        0.25 * expected,
        0.08,
    );
}

// A rolling shutter reads each row at the pose at its own time; outputs without subscribers are not
// computed. Method: depths of a wall that a robot approaches at 2 m/s, 50 ms from the first row to
// the last; only depth is requested. Tolerance: 1e-4 m.
#[test]
fn rolling_shutters_and_lazy_outputs() {
    let keys = format!("{SMALL}, readout_s: 0.05");
    let rest = "gravity_m_s2: 0\nstructures: {wall: {position_m: [10, 0, 0], shapes: {s: {kind: box, size_m: [2, 90, 90]}}}}";
    let text = world(30.0, &keys, rest)
        .replace("base: fixed", "base: floating")
        .replace("[0, 0, 30]", "[0, 0, 30]\n    velocity_m_s: [2, 0, 0]")
        .replace("lazy: false", "lazy: true")
        .replace("position_m: [10, 0, 0]", "position_m: [10, 0, 30]");
    let mut sim = simulation(&text);
    assert!(frames(&mut sim, 0.2).is_empty());
    sim.sensor_scheduler
        .as_ref()
        .unwrap()
        .request_outputs(&sim.scene, 0, 0, 2);
    let all = frames(&mut sim, 0.3);
    let FrameData::CameraImages(found) = &*all[0].data else {
        panic!("no camera images")
    };
    assert!(found.rgb.is_none() && found.labels.is_none());
    let depth = found.depth.as_ref().expect("depths");
    let start = 9.0 - 2.0 * all[0].stamp_ns as f64 * 1e-9;
    for row in 0..25 {
        let expected = start - 2.0 * 0.05 * row as f64 / 24.0;
        close("depth", f64::from(depth[row * 33 + 16]), expected, 1e-4);
    }
}

// A calm surface has a depth of 2 m seen from 2 m above and from 2 m below, and occludes objects
// behind it in depths and labels; its label differs from the labels of sky and open water. Method:
// cameras that look straight down and up, and horizontally into empty space. Tolerance: 1e-5 m.
#[test]
fn the_surface_has_a_depth() {
    for (z, pitch) in [(2.0, 90), (-2.0, -90)] {
        let text = world(z, SMALL, "seabed: {depth_m: 5}").replace(
            "lazy: false",
            &format!("lazy: false, attitude_deg: [0, {pitch}, 0]"),
        );
        let found = camera_images(&text);
        close(
            "depth",
            f64::from(found.depth.expect("depths")[12 * 33 + 16]),
            2.0,
            1e-5,
        );
        assert_eq!(found.labels.expect("labels")[12 * 33 + 16], 65535);
    }
    for (z, label) in [(20.0, 0), (-20.0, 65534)] {
        let found = camera_images(&world(z, SMALL, "seabed: {depth_m: 900}"))
            .labels
            .expect("labels");
        assert_eq!(found[12 * 33 + 16], label);
    }
}

// Wrong cameras are rejected with the reason. Method: the messages.
#[test]
fn wrong_cameras_are_refused() {
    let refused = |keys: &str, part: &str| {
        let text = world(1.0, keys, "");
        let found = merrow_world::load_text("test.yaml", &text, merrow_world::Overrides::default());
        let message = found
            .err()
            .map(|problems| problems.to_string())
            .unwrap_or_default();
        assert!(message.contains(part), "{keys}: {message}");
    };
    refused(
        "width: 10, height: 10",
        "expected either `horizontal_fov_deg` or `focal_px`",
    );
    refused(
        "width: 10, height: 10, horizontal_fov_deg: 175",
        "other than `fisheye`",
    );
    refused(
        "width: 10, height: 10, horizontal_fov_deg: 90, min_range_m: 5, max_range_m: 2",
        "`min_range_m` is 5",
    );
}

/// Returns a sea of Beaufort 5 at its start.
fn sea() -> WaveState {
    let text = world(
        -5.0,
        SMALL,
        "water: {waves: {kind: jonswap, beaufort: 5, tp_s: 6, direction_deg: 70, spreading: {kind: cos2s, s: 12}}}",
    );
    WaveState::new(&simulation(&text).scene.sea.waves, 0.0)
}

// Heights on a grid of the clipmap agree with the waves, and waves below the requested length are
// left out. Method: 32 x 24 points against the sum of components at each; a grid for waves longer
// than 20 m contains only those, and one without waves is flat. Tolerance: 1e-9 m.
#[test]
fn grid_holds_the_wave_heights() {
    let waves = sea();
    let (x, y): (Vec<f64>, Vec<f64>) = (
        (0..32).map(|i| -7.0 + 0.9 * f64::from(i)).collect(),
        (0..24).map(|j| 3.0 + 1.1 * f64::from(j)).collect(),
    );
    let mut z = vec![0.0; 32 * 24];
    let rms = |z: &[f64]| (z.iter().map(|z| z * z).sum::<f64>() / z.len() as f64).sqrt();
    waves.lattice_elevations(&x, &y, 0.0, &mut z);
    for (k, z) in z.iter().enumerate() {
        within("height", *z, waves.elevation(x[k % 32], y[k / 32]), 1e-9);
    }
    let all = rms(&z);
    waves.lattice_elevations(&x, &y, 20.0, &mut z);
    assert!(
        rms(&z) > 0.3 * all && rms(&z) < 1.1 * all,
        "{} of {all}",
        rms(&z)
    );
    waves.lattice_elevations(&x, &y, 1e6, &mut z);
    assert_eq!(rms(&z), 0.0);
}

// Rays from above and from below intersect the waves at the first crossing. Method: 600 rays from
// 2.5 m above and 6 m below the water, against steps of 2 cm along them on the same grids, and the
// height of the waves at the intersection. Tolerance: 3 cm along the ray for 99 of 100 rays; 3 % of
// the significant height on average for the height of the waves.
#[test]
fn rays_intersect_the_waves() {
    let waves = sea();
    for (z, up) in [(2.5, -1.0), (-6.0, 1.0)] {
        let from = Vec3::new(3.0, -2.0, z);
        let swell = WaveClipmap::new(&waves, from, f64::INFINITY);
        let (mut off, mut met, mut error) = (0, 0, 0.0);
        for k in 0..600 {
            let (turn, steep) = (0.37 * f64::from(k), 0.03 + 0.9 * f64::from(k % 30) / 30.0);
            let d = Vec3::new(turn.cos(), turn.sin(), up * steep);
            let d = d.scale(1.0 / d.norm());
            let over = |t: f64| {
                let p = from + d.scale(t);
                (p.z - swell.height(p.x, p.y)) * z.signum()
            };
            let expected = (1..4000)
                .map(|k| 0.02 * f64::from(k))
                .find(|t| over(*t) <= 0.0);
            let found = swell.crossing(from, d, 80.0);
            let near = match (found, expected) {
                (Some(a), Some(b)) => (a - b).abs() < 0.03,
                (a, b) => a.is_none() == b.is_none(),
            };
            off += u32::from(!near);
            if let Some(t) = found {
                let p = from + d.scale(t);
                met += 1;
                error += (p.z - waves.elevation(p.x, p.y)).abs();
            }
        }
        println!(
            "{off} of 600 elsewhere, {met} met, {} m off the waves",
            error / f64::from(met)
        );
        assert!(off <= 6 && met > 300, "{off} off of {met}");
        assert!(
            error / f64::from(met) < 0.03 * 2.0,
            "{}",
            error / f64::from(met)
        );
    }
}
