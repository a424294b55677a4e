//! Exposure, noise of a mosaic of filters, and light of several places in a pixel, against closed forms.

use super::camera::{middle, picture, within, world};
use crate::common::relative;
use merrow_model::scene::sensor::camera::CameraSpec;
use merrow_sensors::camera::demosaicing_noise::{Grain, filter};

/// A closed cover of clouds: daylight without a sun.
const OVERCAST: &str =
    "weather: {cloud_cover: 1, visibility_m: 100000, start_utc: '2026-06-20T20:00:00Z'}";
/// A wall that fills the picture.
const WALL: &str = "structures: {wall: {position_m: [3.5, 0, 20], shapes: {s: {kind: box, size_m: [1, 20, 20], material: {color: [0.5, 0.5, 0.5]}}}}}";

/// What noise adds at a pixel.
fn at(grain: &Grain, [column, row]: [usize; 2]) -> [f32; 3] {
    let mut line = vec![[0.0; 3]; column + 1];
    grain.line(row, &mut line);
    line[column]
}

// Goal: smoothed colour leaves brightness fine and takes the rest of the colour's noise as (3) of the mosaic says, and no light. Method: what every pixel's own number adds to a picture of 20 x 14, summed by squares at every place inside, against
// 9/64 + 3/(4 c²) and 9/64 + 1/(4 c²); noise that is the same everywhere comes out as it is, and so does that of one colour alone; odd sizes. Tolerance: 1e-6.
#[test]
fn smoothed_noise_has_its_closed_form() {
    let size = [20, 14];
    let n = size[0] * size[1];
    for cells in [3, 5] {
        let mut squares = vec![[0.0_f64; 3]; n];
        for k in 0..n {
            let mut one = vec![0.0; n];
            one[k] = 1.0;
            let grain = Grain::new(one, size, cells);
            for (k, sum) in squares.iter_mut().enumerate() {
                let added = at(&grain, [k % size[0], k / size[0]]);
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
        let all = Grain::new(vec![0.25; columns * rows], size, 3);
        let red = (0..columns * rows).map(|k| f32::from(filter(k % columns, k / columns) == 0));
        let red = Grain::new(red.collect(), size, 3);
        for (column, row) in (0..columns).flat_map(|i| (0..rows).map(move |j| (i, j))) {
            let added = at(&all, [column, row]).map(f64::from);
            (0..3).for_each(|i| within("even", added[i], 0.25, 1e-6));
            if (1..columns - 1).contains(&column) && (1..rows - 1).contains(&row) {
                let added = at(&red, [column, row]).map(f64::from);
                (0..3).for_each(|i| within("red", added[i], [1.0, 0.0, 0.0][i], 1e-6));
            }
        }
    }
}

// Goal: a picture's noise is the mosaic's, and its mean the light's. Method: 20000 numbers of an evenly lit wall, 400 electrons at saturation and 6 of reading, smoothed over three cells: mean against a picture without noise, variance of each colour,
// which light has nearly the same of, against (3); and as the mosaic gives it, where colours are counted. Tolerance: 0.3 counts; 12 %, of which two thirds are chance.
#[test]
fn pictures_have_the_noise_of_the_mosaic() {
    let taken = |keys: &str| {
        let keys = format!(
            "width: 160, height: 128, focal_px: [3000, 3000], gamma: false, exposure_ev100: 12.3, {keys}"
        );
        picture(&world(20.0, &keys, &format!("{OVERCAST}\n{WALL}")))
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

// Goal: an exposure that is found takes all the time there is, then gain to its limit, and no more. Method: a wall in the light of a lamp at night, too little for any exposure: numbers against those of the exposure value log2(K²/t) less the
// gain's stops, with an f-number and without, where the shutter's time is stated and where it is what is between two pictures (10 Hz); twice the light shows twice the number. Tolerance: 1.5 counts of 255; 2 %.
#[test]
fn gain_ends_and_pictures_get_dark() {
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
        middle(&picture(&text.replace("base: fixed", &lamp)), [9, 9])[1]
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
        // a tenth of saturation
        let full = 1.2 * (below - stops).exp2();
        let lumens = 0.1 * full / light(1.0);
        within(keys, seen(keys, lumens), 25.5, 1.5);
        relative(keys, seen(keys, 2.0 * lumens), 51.0, 0.03);
    }
}

// Goal: wrong keys are told of. Method: the messages. Tolerance: none.
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
        let said = found
            .err()
            .map(|problems| problems.to_string())
            .unwrap_or_default();
        assert!(
            said.contains(part) && said.contains("test.yaml:"),
            "{keys}: {said}"
        );
    }
}

// Goal: places in a pixel are spread: each of N columns and rows of it has one, and their mean is its middle. Method: 1 to 16. Tolerance: 1e-12.
#[test]
fn places_in_a_pixel_are_spread() {
    assert!(CameraSpec::places(1).is_empty());
    for n in 2..=16 {
        let places = CameraSpec::places(n);
        for axis in 0..2 {
            let mut at: Vec<f64> = places.iter().map(|place| place[axis]).collect();
            at.sort_by(f64::total_cmp);
            at.iter()
                .enumerate()
                .for_each(|(k, x)| within("place", *x, (k as f64 + 0.5) / n as f64 - 0.5, 1e-12));
        }
    }
}

// Goal: an edge within a pixel shows the part that it covers, a thin pole as much as it hides; depths and labels are of the middles, as without. Method: a black wall before a closed sky whose edge stands at known parts of a pixel, upright and
// level; a pole a third of a pixel wide, across two dozen pixels; 16 places. Tolerance: half a place and a count, 1/32 of the light for edges, half of that for the mean of the pole.
#[test]
fn edges_show_the_part_they_cover() {
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
        picture(&world(60.0, &keys(more), &rest))
    };
    let green = |rgb: &[u8], u: usize, v: usize| f64::from(rgb[3 * (41 * v + u) + 1]);
    let open = taken("antialias: 16", 0.0, -40.0, [1.0, 1.0])
        .rgb
        .expect("colours");
    // a pixel is 5 cm wide there; the wall's left edge is `part` of a pixel right of the left side of pixel 22
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
        // over 10 m the wall's upper edge, as far below the upper side of row 12
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
    // a pole hides a third of a pixel wherever it stands
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
