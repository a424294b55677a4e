//! Tests of the camera exposure, the demosaicing noise and the antialiasing against closed forms.

use super::{camera_images, middle, world};
use crate::common::{relative, within};
use merrow_model::sensor::camera::CameraSpec;
use merrow_sensors::camera::demosaicing_noise::{DemosaicingNoise, bayer_color};

/// Fully overcast sky: daylight without direct sunlight.
const OVERCAST: &str =
    "weather: {cloud_cover: 1, visibility_m: 100000, start_utc: '2026-06-20T20:00:00Z'}";
/// A wall that fills the image.
const WALL: &str = "structures: {wall: {position_m: [3.5, 0, 20], shapes: {s: {kind: box, size_m: [1, 20, 20], material: {color: [0.5, 0.5, 0.5]}}}}}";

/// Returns the noise of the three colours at one pixel.
fn pixel_noise(grain: &DemosaicingNoise, [column, row]: [usize; 2]) -> [f32; 3] {
    let mut line = vec![[0.0; 3]; column + 1];
    grain.noise_row(row, &mut line);
    line[column]
}

// Colour smoothing keeps the brightness at full resolution, reduces the colour noise to equation
// (3) of `demosaicing_noise.rs`, and preserves uniform light. Method: in a 20 x 14 image, the
// squared contributions of every single noisy pixel are summed at every interior pixel and compared
// with 9/64 + 3/(4 c²) and 9/64 + 1/(4 c²). Uniform noise and uniform noise of one colour must be
// unchanged, also in images with odd sizes. Tolerance: 1e-6.
#[test]
fn smoothed_noise_matches_the_closed_form() {
    let size = [20, 14];
    let n = size[0] * size[1];
    for cells in [3, 5] {
        let mut squares = vec![[0.0_f64; 3]; n];
        for k in 0..n {
            let mut one = vec![0.0; n];
            one[k] = 1.0;
            let grain = DemosaicingNoise::new(one, size, cells);
            for (k, sum) in squares.iter_mut().enumerate() {
                let added = pixel_noise(&grain, [k % size[0], k / size[0]]);
                sum.iter_mut()
                    .zip(added)
                    .for_each(|(sum, added)| *sum += f64::from(added * added));
            }
        }
        let c2 = (cells * cells) as f64;
        for (column, row) in (4..16).flat_map(|i| (4..10).map(move |j| (i, j))) {
            let expected = [0.75, 0.25, 0.75].map(|part| 9.0 / 64.0 + part / c2);
            for (found, expected) in squares[row * size[0] + column].into_iter().zip(expected) {
                within("variance", found, expected, 1e-6);
            }
        }
    }
    for size in [[20, 14], [21, 15]] {
        let [columns, rows] = size;
        let all = DemosaicingNoise::new(vec![0.25; columns * rows], size, 3);
        let red =
            (0..columns * rows).map(|k| f32::from(bayer_color(k % columns, k / columns) == 0));
        let red = DemosaicingNoise::new(red.collect(), size, 3);
        for (column, row) in (0..columns).flat_map(|i| (0..rows).map(move |j| (i, j))) {
            let added = pixel_noise(&all, [column, row]).map(f64::from);
            (0..3).for_each(|i| within("even", added[i], 0.25, 1e-6));
            if (1..columns - 1).contains(&column) && (1..rows - 1).contains(&row) {
                let added = pixel_noise(&red, [column, row]).map(f64::from);
                (0..3).for_each(|i| within("red", added[i], [1.0, 0.0, 0.0][i], 1e-6));
            }
        }
    }
}

// The image noise is the demosaicing noise, and the mean follows the light. Method: 20000 values of
// an evenly lit wall with 400 electrons full well and 6 electrons read noise, smoothed over three
// cells. The mean is compared with an image without noise; the variance of each colour is compared
// with (3). Light has nearly equal values in all colours. Tolerance: 0.3 counts for the mean; 12 %
// for the variance, of which two thirds are statistical.
#[test]
fn image_noise_matches_the_bayer_mosaic() {
    let taken = |keys: &str| {
        let keys = format!(
            "width: 160, height: 128, focal_px: [3000, 3000], gamma: false, exposure_ev100: 12.3, {keys}"
        );
        camera_images(&world(20.0, &keys, &format!("{OVERCAST}\n{WALL}")))
            .rgb
            .expect("colours")
    };
    let noise = "full_well_electrons: 400, read_noise_electrons: 6, noise_color_cells: 3";
    let [even, smooth] = ["full_well_electrons: 0", noise].map(taken);
    let of = |rgb: &[u8], i: usize| -> Vec<f64> {
        rgb.iter()
            .skip(i)
            .step_by(3)
            .map(|n| f64::from(*n))
            .collect()
    };
    let mean = |all: &[f64]| all.iter().sum::<f64>() / all.len() as f64;
    for i in 0..3 {
        let (even, all) = (mean(&of(&even, i)), of(&smooth, i));
        let found = mean(&all);
        within("mean", found, even, 0.3);
        let variance = mean(
            &all.iter()
                .map(|n| (n - found) * (n - found))
                .collect::<Vec<_>>(),
        ) / (255.0 * 255.0);
        let own = (400.0 * even / 255.0 + 36.0) / (400.0 * 400.0);
        let expected = own * (9.0 / 64.0 + [0.75, 0.25, 0.75][i] / 9.0);
        println!("colour {i}: {variance:e} of {expected:e}");
        relative("variance", variance, expected, 0.12);
    }
}

// Automatic exposure first uses the full exposure time, then gain up to its limit, and then stops.
// Method: a wall lit by a lamp at night, too dark for any exposure. Pixel values are compared with
// the exposure value log2(K²/t) minus the stops of the gain, with and without an f-number; the
// exposure time is stated or is the image period (10 Hz). Doubled light must double the pixel
// value. Tolerance: 1.5 counts of 255; 3 %.
#[test]
fn images_darken_beyond_the_gain_limit() {
    let seen = |keys: &str, lumens: f64| {
        let keys = format!(
            "width: 9, height: 9, focal_px: [300, 300], gamma: false, full_well_electrons: 0, auto_exposure_ev100: [-20, 17], {keys}"
        );
        let lamp = format!("base: fixed\n      lamps: {{l: {{lumens: {lumens}, cone_deg: 60}}}}");
        let text = world(
            20.0,
            &keys,
            &format!("weather: {{start_utc: '2026-06-20T09:00:00Z'}}\n{WALL}"),
        );
        middle(&camera_images(&text.replace("base: fixed", &lamp)), [9, 9])[1]
    };
    let light = |lumens: f64| {
        let candela = lumens / (std::f64::consts::TAU * (1.0 - 27.0_f64.to_radians().cos()));
        candela / 9.0 * 0.5 / std::f64::consts::PI
    };
    for (keys, below, stops) in [
        ("max_gain_db: 6.0206", 4.0, 1.0),
        ("gain_below_ev100: 7, max_gain_db: 24", 7.0, 24.0 / 6.0206),
        ("f_number: 2, max_gain_db: 12.0412", 40_f64.log2(), 2.0),
        (
            "f_number: 2.8, exposure_s: 0.02, blur_samples: 1, max_gain_db: 0",
            392_f64.log2(),
            0.0,
        ),
    ] {
        // A tenth of saturation.
        let full = 1.2 * (below - stops).exp2();
        let lumens = 0.1 * full / light(1.0);
        within(keys, seen(keys, lumens), 25.5, 1.5);
        relative(keys, seen(keys, 2.0 * lumens), 51.0, 0.03);
    }
}

// Wrong exposure keys are rejected. Method: the error messages.
#[test]
fn wrong_exposures_are_refused() {
    for (keys, part) in [
        (
            "f_number: 2, gain_below_ev100: 4",
            "both `f_number` and `gain_below_ev100`",
        ),
        ("f_number: 0", "f_number"),
        ("max_gain_db: -1", "max_gain_db"),
        ("max_gain_db: .nan", "max_gain_db"),
        ("noise_color_cells: 33", "noise_color_cells"),
        ("antialias: 0", "antialias"),
        ("antialias: 17", "antialias"),
    ] {
        let text = world(
            1.0,
            &format!("width: 9, height: 9, focal_px: [9, 9], {keys}"),
            "",
        );
        let found = merrow_world::load_text("test.yaml", &text, merrow_world::Overrides::default());
        let message = found
            .err()
            .map(|problems| problems.to_string())
            .unwrap_or_default();
        assert!(
            message.contains(part) && message.contains("test.yaml:"),
            "{keys}: {message}"
        );
    }
}

// The sample points in a pixel are stratified: each of the N columns and N rows of a pixel holds
// one point, and their mean is the pixel centre. Method: N of 2 to 16; N = 1 has no points.
// Tolerance: 1e-12.
#[test]
fn sample_points_are_stratified() {
    assert!(CameraSpec::subpixels(1).is_empty());
    for n in 2..=16 {
        let subpixels = CameraSpec::subpixels(n);
        for axis in 0..2 {
            let mut at: Vec<f64> = subpixels.iter().map(|place| place[axis]).collect();
            at.sort_by(f64::total_cmp);
            at.iter()
                .enumerate()
                .for_each(|(k, x)| within("place", *x, (k as f64 + 0.5) / n as f64 - 0.5, 1e-12));
        }
    }
}

// With antialiasing an edge within a pixel darkens it by the covered fraction, and a thin pole
// darkens the image by its width; depths and labels are taken at the pixel centres, as without
// antialiasing. Method: a black wall in front of an overcast sky with an edge at known fractions of
// a pixel, vertical and horizontal; a pole a third of a pixel wide at 24 positions; 16 sample
// points. Tolerance: for edges half a sample (1/32 of the light) plus one count; for the mean of
// the pole half of that.
#[test]
fn edges_darken_pixels_by_the_covered_fraction() {
    let keys = |more: &str| {
        format!(
            "width: 41, height: 33, focal_px: [200, 200], gamma: false, full_well_electrons: 0, exposure_ev100: 13, outputs: [rgb, depth, labels], {more}"
        )
    };
    let taken = |more: &str, y: f64, z: f64, size: [f64; 2]| {
        let [wide, high] = size;
        let rest = format!(
            "{OVERCAST}\nstructures: {{wall: {{position_m: [10.05, {y}, {z}], shapes: {{s: {{kind: box, size_m: [0.1, {wide}, {high}], material: {{color: [0, 0, 0]}}}}}}}}}}"
        );
        camera_images(&world(60.0, &keys(more), &rest))
    };
    let green = |rgb: &[u8], u: usize, v: usize| f64::from(rgb[3 * (41 * v + u) + 1]);
    let open = taken("antialias: 16", 0.0, -40.0, [1.0, 1.0])
        .rgb
        .expect("colours");
    // A pixel is 5 cm wide there; the left edge of the wall lies `part` of a pixel right of the
    // left side of pixel 22.
    for part in [0.0, 0.2, 0.5, 0.7, 0.95] {
        let y = -(0.05 * (1.5 + part)) - 5.0;
        let found = taken("antialias: 16", y, 60.0, [10.0, 20.0]);
        let plain = taken("antialias: 1", y, 60.0, [10.0, 20.0]);
        let rgb = found.rgb.expect("colours");
        let sky = green(&open, 22, 8);
        assert!((60.0..250.0).contains(&sky), "{sky}");
        within("upright", green(&rgb, 22, 8), part * sky, sky / 32.0 + 1.0);
        within("clear", green(&rgb, 21, 8), green(&open, 21, 8), 1.5);
        within("hidden", green(&rgb, 23, 8), 0.0, 1.5);
        assert_eq!(found.labels, plain.labels);
        assert_eq!(found.depth, plain.depth);
        // The same for the upper edge of the wall, `part` of a pixel below the upper side of row
        // 12, over 10 m.
        let z = 60.0 + 0.05 * (4.5 - part) - 5.0;
        let rgb = taken("antialias: 16", 0.0, z, [10.0, 10.0])
            .rgb
            .expect("colours");
        within(
            "level",
            green(&rgb, 20, 12),
            part * green(&open, 20, 12),
            sky / 32.0 + 1.0,
        );
    }
    // A pole hides a third of a pixel at any position.
    let mut hidden = 0.0;
    for k in 0..24 {
        let rgb = taken(
            "antialias: 16",
            0.0021 * f64::from(k),
            60.0,
            [0.05 / 3.0, 20.0],
        )
        .rgb
        .expect("colours");
        hidden += (15..25)
            .map(|u| 1.0 - green(&rgb, u, 8) / green(&open, u, 8))
            .sum::<f64>()
            / 24.0;
    }
    within("pole", hidden, 1.0 / 3.0, 1.0 / 64.0);
}
