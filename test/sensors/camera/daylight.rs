//! Tests of the light of sun, sky, fog and water surface against closed forms, and of camera keys
//! that change the visible scene.

use super::{camera_images, middle, world};
use crate::common::folder::Folder;
use crate::common::{advance, initial_environment, relative, scene, simulation, within};
use merrow_environment::air::{sun, sunlight};
use merrow_environment::surface::{fresnel_reflectance, mean_square_slope};
use merrow_math::Vec3;
use merrow_model::scene::Scene;
use merrow_model::sensor::ExteroceptiveSpec;
use merrow_model::state::frames::FrameData;
use merrow_sensors::camera::haze;
use merrow_sensors::camera::sea::Sea;
use merrow_sensors::camera::sky_radiance::Sky;
use merrow_sim::sensors::current_frame;
use merrow_world::{Overrides, load_world};
use std::f64::consts::{PI, TAU};

/// Pixel values proportional to light, without noise.
const LINEAR: &str = "gamma: false, full_well_electrons: 0";
/// A fully overcast sky in clear air.
const OVERCAST: &str = "cloud_cover: 1, visibility_m: 100000, start_utc: '2026-06-20T20:00:00Z'";
/// Water without backscatter, so that only its surface is visible.
const INK: &str = "optics: {daylight_per_m: [9, 9, 9], scattering_per_m: [1e-9, 1e-9, 1e-9], beam_per_m: [9, 9, 9]}";
const INDEX: f64 = 1.34;

fn weathered(weather: &str) -> Scene {
    scene(&world(
        5.0,
        "width: 3, height: 3, focal_px: [3, 3]",
        &format!("weather: {{{weather}}}"),
    ))
}

fn sky(scene: &Scene) -> Sky {
    let air = &scene.sea.air;
    Sky::new(scene, air, &air.from, 0.0)
}

fn luminance(c: Vec3) -> f64 {
    0.2126 * c.x + 0.7152 * c.y + 0.0722 * c.z
}

/// Returns the luminance that corresponds to a pixel value at a fixed exposure.
fn of_number(n: f64, ev: f64) -> f64 {
    n / 255.0 * 1.2 * ev.exp2()
}

// The sky gives level ground the illuminance of `environment::air`, and the direct sunlight has its
// colour. Method: luminance integrated over 400 x 800 directions against 110 lm/W of the diffuse
// part, under clear, partly cloudy and overcast skies with high and low sun; red over blue of the
// beam by the air mass. Tolerance: 1 % for a clear sky, 4 % for the texture of an overcast sky, 13
// % for clouds, whose pattern changes with blur; 0.1 % for the beam.
#[test]
fn sky_integrates_to_its_illuminance() {
    for (cover, hours, tolerance) in [
        (0.0, "20:00", 0.01),
        (0.0, "02:00", 0.01),
        (1.0, "20:00", 0.04),
        (0.3, "20:00", 0.13),
        (0.5, "20:00", 0.13),
        (0.7, "02:00", 0.13),
    ] {
        let scene = weathered(&format!(
            "cloud_cover: {cover}, start_utc: '2026-06-20T{hours}:00Z'"
        ));
        let sky = sky(&scene);
        let place = sun::sun_position(
            scene.sea.air.start_utc,
            scene.origin.latitude,
            scene.origin.longitude,
        );
        let stated = 110.0 * sunlight::sunlight_under_clouds(&place, cover).sky;
        let mut sum = Vec3::zero();
        for i in 0..400 {
            let sine = ((f64::from(i) + 0.5) / 400.0).sqrt();
            for j in 0..800 {
                let turn = TAU * (f64::from(j) + 0.5) / 800.0;
                let d = Vec3::new(
                    sine * turn.cos(),
                    sine * turn.sin(),
                    (1.0 - sine * sine).sqrt(),
                );
                sum += sky.luminance(d, 0.02);
            }
        }
        let found = sum.scale(PI / (400.0 * 800.0));
        println!("cover {cover} at {hours}: {found:?} lx of {stated}");
        relative("diffuse", luminance(sky.diffuse), stated, 1e-4);
        relative("integral", luminance(found), stated, tolerance);
        for (found, stated) in found.to_array().into_iter().zip(sky.diffuse.to_array()) {
            relative("colour", found, stated, tolerance);
        }
        if cover == 0.0 {
            let height = place.elevation.to_degrees();
            let mass = 1.0 / (place.elevation.sin() + 0.15 * (height + 3.885).powf(-1.253));
            relative(
                "beam",
                sky.beam.x / sky.beam.z,
                (mass * (0.350 - 0.119)).exp(),
                1e-3,
            );
            relative(
                "beam",
                luminance(sky.beam),
                110.0 * sunlight::sunlight_under_clouds(&place, 0.0).beam,
                1e-3,
            );
        }
    }
}

/// Returns the illuminance of level ground by `sky`.
fn level(sky: &Sky) -> Vec3 {
    let mut sum = Vec3::zero();
    for i in 0..200 {
        let sine = ((f64::from(i) + 0.5) / 200.0).sqrt();
        for j in 0..400 {
            let turn = TAU * (f64::from(j) + 0.5) / 400.0;
            sum += sky.luminance(
                Vec3::new(
                    sine * turn.cos(),
                    sine * turn.sin(),
                    (1.0 - sine * sine).sqrt(),
                ),
                0.02,
            );
        }
    }
    sum.scale(PI / (200.0 * 400.0))
}

/// Returns the unit vector at an elevation [deg] and at the azimuth `turn` [deg] from the sun.
fn towards(sky: &Sky, elevation: f64, turn: f64) -> Vec3 {
    let (up, azimuth) = (
        elevation.to_radians(),
        sky.sun.y.atan2(sky.sun.x) + turn.to_radians(),
    );
    Vec3::new(up.cos() * azimuth.cos(), up.cos() * azimuth.sin(), up.sin())
}

// Haze has the optical depth of its source, attenuates sky and sun accordingly, and scatters the
// removed light diffusely. Method: scale heights of Elterman's eight visibilities, 2 to 13 km;
// without sun, differences of the sky light between two azimuths, which cancel the light of the
// haze itself, relative to those in clear air; the beam; the integrated luminance against the
// stated illuminance, with high and low sun. Tolerance: 1.5 % of the tabulated heights, which have
// two digits; 1e-6; 2 % for the integral.
#[test]
fn haze_attenuates_and_scatters_by_its_depth() {
    let beyond =
        |extinction: f64| haze::optical_depth(extinction) - haze::optical_depth(3.912 / 50e3);
    let table = [
        (2.0, 0.84),
        (3.0, 0.90),
        (4.0, 0.95),
        (5.0, 0.99),
        (6.0, 1.03),
        (8.0, 1.10),
        (10.0, 1.15),
        (13.0, 1.23),
    ];
    for (km, height) in table {
        let extinction = 3.912 / (1000.0 * km);
        relative(
            "height",
            haze::optical_depth(extinction) / (extinction - 1.16e-5),
            1000.0 * height,
            0.015,
        );
    }
    for (hours, up) in [("11:30", -13.5), ("20:00", 76.7), ("02:00", 15.4)] {
        let clear = sky(&weathered(&format!("start_utc: '2026-06-20T{hours}:00Z'")));
        println!("the sun {} deg up", clear.sun.z.asin().to_degrees());
        within("elevation", clear.sun.z.asin().to_degrees(), up, 0.2);
        for km in [2.0, 5.0, 15.0, 40.0] {
            let extinction = 3.912 / (1000.0 * km);
            let (hazy, depth) = (clear.clone().with_haze(extinction), beyond(extinction));
            if up < 0.0 {
                for elevation in [5.0_f64, 30.0, 60.0] {
                    let differ = |sky: &Sky| {
                        let at =
                            |turn| luminance(sky.luminance(towards(sky, elevation, turn), 0.02));
                        at(0.0) - at(150.0)
                    };
                    let left = (-depth / (elevation.to_radians().sin() + 0.05)).exp();
                    within("left", differ(&hazy) / differ(&clear), left, 1e-6);
                }
            } else {
                relative(
                    "beam",
                    hazy.beam.y / clear.beam.y,
                    (-depth / clear.sun.z).exp(),
                    1e-6,
                );
                let more =
                    clear.beam.scale(0.8 * clear.sun.z).y * (1.0 - (-depth / clear.sun.z).exp());
                relative("diffuse", hazy.diffuse.y, clear.diffuse.y + more, 1e-6);
            }
            let found = level(&hazy);
            println!("{km} km: {found:?} of {:?} lx", hazy.diffuse);
            for (found, stated) in found.to_array().into_iter().zip(hazy.diffuse.to_array()) {
                relative("integral", found, stated, 0.02);
            }
        }
        let same = clear.clone().with_haze(3.912 / 60e3);
        assert_eq!(level(&same), level(&clear));
    }
}

// The noon sky is blue in haze and paler at the horizon, deep blue in clear air, and whitish grey
// in mist. Method: blue over red and luminance at 30 to 60 degrees and at the horizon, away from
// the sun. Tolerance: the stated ratios; grey is 1, pure Rayleigh scattering of sunlight is 4.4.
#[test]
fn noon_sky_is_blue_except_in_mist() {
    let clear = sky(&weathered("start_utc: '2026-03-20T20:00:00Z'"));
    println!("the sun {} deg up", clear.sun.z.asin().to_degrees());
    for (km, least, most) in [
        (100.0, 2.2, 4.0),
        (23.0, 1.8, 4.0),
        (15.0, 1.5, 4.0),
        (5.0, 1.0, 1.6),
        (2.0, 0.8, 1.15),
    ] {
        let sky = clear.clone().with_haze(3.912 / (1000.0 * km));
        for turn in [120.0, 180.0] {
            let [horizon, low, high] =
                [0.0, 30.0, 60.0].map(|up| sky.luminance(towards(&sky, up, turn), 0.02));
            println!("{km} km, {turn}: {horizon:?} {low:?} {high:?}");
            for c in [low, high] {
                assert!((least..most).contains(&(c.z / c.x)), "{km} km: {c:?}");
            }
            assert!(
                horizon.z / horizon.x < (low.z / low.x).max(1.1),
                "{km} km: {horizon:?}"
            );
            if km > 10.0 {
                assert!(
                    luminance(horizon) > 1.1 * luminance(low),
                    "{km} km: {horizon:?} {low:?}"
                );
            }
        }
    }
}

// The foam fraction and the roughness of the sea follow the wind. Method: foam, and squared slopes
// including the unresolved part, over 300 x 300 points 0.9 m apart, seen from near and from far,
// for winds of 3 to 20 m/s over water without resolved waves; W and s² in closed form. Tolerance:
// foam 25 % of W, because (2) averages over a larger pattern; slopes 12 %, the statistical error of
// 28 ripples; from far 1 %.
#[test]
fn foam_and_slopes_follow_the_wind() {
    for wind in [3.0, 10.0, 15.0, 20.0] {
        let scene = weathered(&format!("wind_speed_m_s: {wind}, wind_from_deg: 200"));
        let at = initial_environment(&scene);
        let sea = Sea::new(
            &at,
            Vec3::new(0.0, 0.0, 5.0),
            f64::INFINITY,
            scene.sea.air.from.wind,
            1e-3,
        );
        let share = 3.84e-6 * f64::powf(wind, 3.41);
        for (t, [slope, white]) in [(0.2, [0.12, 0.25]), (1e5, [0.01, 0.01])] {
            let (mut foam, mut square, mut n) = (0.0, 0.0, 0.0);
            for k in 0..90_000 {
                let q = Vec3::new(0.9 * f64::from(k % 300), 0.9 * f64::from(k / 300), 0.0);
                let facet = sea.facet(q, t, Vec3::new(0.0, 0.0, -1.0));
                let m = facet.normal;
                foam += facet.foam;
                square += (m.x * m.x + m.y * m.y) / (m.z * m.z) + facet.slope_variance;
                n += 1.0;
            }
            println!(
                "{wind} m/s from {t} m: foam {} of {share}, slopes {}",
                foam / n,
                square / n
            );
            relative("slopes", square / n, mean_square_slope(wind), slope);
            if share > 5e-3 {
                relative("foam", foam / n, share, white);
            }
        }
    }
}

// The surface reflects by Fresnel's equations. Method: closed forms at normal incidence, at
// Brewster's angle and at grazing incidence; images of calm, black water under an overcast sky at
// three angles, against the light of the sky in the reflected direction. Tolerance: 1e-12; 8 % for
// images (texture of the sky, and ripples of 2 degrees).
#[test]
fn surface_reflects_by_fresnel() {
    let square = INDEX * INDEX;
    within(
        "normal",
        fresnel_reflectance(1.0, INDEX).0,
        ((INDEX - 1.0) / (INDEX + 1.0)).powi(2),
        1e-12,
    );
    let brewster = INDEX.atan().cos();
    within(
        "Brewster",
        fresnel_reflectance(brewster, INDEX).0,
        0.5 * ((square - 1.0) / (square + 1.0)).powi(2),
        1e-12,
    );
    within("grazing", fresnel_reflectance(0.0, INDEX).0, 1.0, 1e-12);
    within(
        "from below",
        fresnel_reflectance((1.0 - 1.0 / square).sqrt() - 1e-9, 1.0 / INDEX).0,
        1.0,
        1e-3,
    );
    for (down, ev) in [(90.0, 8.2), (50.0, 8.3), (25.0, 9.8)] {
        let keys =
            format!("width: 33, height: 33, focal_px: [900, 900], {LINEAR}, exposure_ev100: {ev}");
        let text = world(
            4.0,
            &keys,
            &format!("water: {{{INK}}}\nseabed: {{depth_m: 500}}\nweather: {{{OVERCAST}}}"),
        )
        .replace(
            "lazy: false",
            &format!("lazy: false, attitude_deg: [0, {down}, 0]"),
        );
        let rgb = camera_images(&text).rgb.expect("colours");
        let mean = rgb.chunks_exact(3).map(|p| f64::from(p[1])).sum::<f64>() / (33.0 * 33.0);
        let angle = f64::to_radians(down);
        let mirrored = sky(&scene(&text))
            .luminance(Vec3::new(angle.cos(), 0.0, angle.sin()), 0.02)
            .y;
        let expected = fresnel_reflectance(angle.sin(), INDEX).0 * mirrored;
        println!(
            "{down} degrees down: {} of {expected} cd/m², number {mean}",
            of_number(mean, ev)
        );
        assert!((40.0..250.0).contains(&mean), "{mean}");
        relative("mirrored", of_number(mean, ev), expected, 0.08);
    }
}

// Objects in fog have the contrast e^{-σ s}, σ = 3.912/V. Method: a black wall at four ranges in
// fog of 400 m visibility, against the empty scene. Tolerance: 0.01 of the light of the horizon.
#[test]
fn fog_reduces_contrast_by_koschmieder() {
    let keys = format!("width: 9, height: 9, focal_px: [300, 300], {LINEAR}, exposure_ev100: 12.5");
    let seen = |x: f64| {
        let rest = format!(
            "weather: {{cloud_cover: 1, visibility_m: 400, start_utc: '2026-06-20T20:00:00Z'}}
structures: {{wall: {{position_m: [{}, 0, 40], shapes: {{s: {{kind: box, size_m: [1, 60, 60], material: {{color: [0, 0, 0]}}}}}}}}}}",
            x + 0.5
        );
        middle(&camera_images(&world(40.0, &keys, &rest)), [9, 9])
    };
    let nothing = seen(10_000.0);
    assert!(nothing[1] > 120.0 && nothing[1] < 250.0, "{nothing:?}");
    for range in [50.0, 100.0, 200.0, 400.0] {
        for (black, horizon) in seen(range).into_iter().zip(nothing) {
            within(
                "contrast",
                1.0 - black / horizon,
                (-3.912 * range / 400.0_f64).exp(),
                0.01,
            );
        }
    }
}

// From below the sky appears within Snell's window. Method: a camera 4 m under calm, clear water
// looks up; light over the angle from the zenith, averaged over all azimuths. By Fresnel's
// equations the light falls to half of its value at 45 degrees at 48 degrees. Tolerance: 1 degree,
// because ripples tilt the surface by 2 degrees.
#[test]
fn window_from_below_matches_snell() {
    let keys =
        format!("width: 161, height: 161, focal_px: [60, 60], {LINEAR}, exposure_ev100: 12.5");
    let clear = "water: {optics: {daylight_per_m: [1e-6, 1e-6, 1e-6], scattering_per_m: [1e-9, 1e-9, 1e-9], beam_per_m: [1e-6, 1e-6, 1e-6]}}";
    let bottom = "seabed: {depth_m: 500, material: {color: [0, 0, 0]}}";
    let text = world(
        -4.0,
        &keys,
        &format!("{clear}\n{bottom}\nweather: {{{OVERCAST}}}"),
    )
    .replace("lazy: false", "lazy: false, attitude_deg: [0, -90, 0]");
    let rgb = camera_images(&text).rgb.expect("colours");
    let mut rings = vec![[0.0, 0.0]; 600];
    for (k, p) in rgb.chunks_exact(3).enumerate() {
        let (u, v) = ((k % 161) as f64 - 80.0, (k / 161) as f64 - 80.0);
        let angle = ((u * u + v * v).sqrt() / 60.0).atan().to_degrees();
        let ring = &mut rings[(angle * 2.0) as usize];
        *ring = [ring[0] + f64::from(p[1]), ring[1] + 1.0];
    }
    let light = |ring: usize| rings[ring][0] / rings[ring][1].max(1.0);
    let inside = light(90);
    assert!(
        inside > 40.0 && inside < 254.0 && light(104) < 0.1 * inside,
        "{inside}, {}",
        light(104)
    );
    let edge = (90..110)
        .find(|k| light(*k) < 0.5 * inside)
        .expect("an edge");
    let part = (light(edge - 1) - 0.5 * inside) / (light(edge - 1) - light(edge));
    let angle = 0.5 * (edge as f64 - 0.5 + part);
    println!("window to {angle} degrees");
    within("edge", angle, (1.0 / INDEX).asin().to_degrees(), 1.0);
}

// Vignetting darkens the corners as stated. Method: an evenly lit wall through a lens that loses
// 0.6 at the corners; values at a corner, half-way and in the centre. Tolerance: 1.5 counts of 255.
#[test]
fn corners_are_darker_by_the_vignette() {
    let keys = format!(
        "width: 41, height: 41, focal_px: [900, 900], {LINEAR}, exposure_ev100: 12, vignette: 0.6"
    );
    let rest = format!(
        "weather: {{{OVERCAST}}}\nstructures: {{wall: {{position_m: [3.5, 0, 20], shapes: {{s: {{kind: box, size_m: [1, 20, 20], material: {{color: [0.5, 0.5, 0.5]}}}}}}}}}}"
    );
    let rgb = camera_images(&world(20.0, &keys, &rest))
        .rgb
        .expect("colours");
    let green = |u: usize, v: usize| f64::from(rgb[3 * (41 * v + u) + 1]);
    assert!(
        green(20, 20) > 100.0 && green(20, 20) < 250.0,
        "{}",
        green(20, 20)
    );
    for (u, v, r2) in [
        (0, 0, 1.0),
        (40, 0, 1.0),
        (10, 30, 0.25),
        (20, 0, 0.5),
        (20, 10, 0.125),
    ] {
        within(
            "vignette",
            green(u, v),
            green(20, 20) * (1.0 - 0.6 * r2),
            1.5,
        );
    }
}

// A flat port refracts by Snell's law. Method: half of a wall 3 m ahead is a second structure; the
// column where the labels change, calculated by hand for edges up to 1.6 m off the axis with the
// port 5 cm ahead. Tolerance: a pixel and a half.
#[test]
fn flat_port_refracts_by_snell() {
    let keys = "width: 401, height: 3, focal_px: [220, 220], flat_port_m: 0.05, outputs: [labels]";
    for beside in [0.4, 1.0, 1.6] {
        let rest = format!(
            "seabed: {{depth_m: 90}}
structures: {{wall: {{position_m: [4, 0, -20], shapes: {{s: {{kind: box, size_m: [2, 60, 9]}}}}}},
  half: {{position_m: [3.99, {}, -20], shapes: {{s: {{kind: box, size_m: [2, 20, 9]}}}}}}}}",
            -10.0 - beside
        );
        let labels = camera_images(&world(-20.0, keys, &rest))
            .labels
            .expect("labels");
        let found = labels[401..802]
            .iter()
            .position(|label| *label == 3)
            .expect("an edge") as f64;
        // The ray that reaches the edge, by bisection over its angle in the water.
        let (mut low, mut high) = (0.0_f64, 0.7);
        for _ in 0..60 {
            let angle = 0.5 * (low + high);
            let inside = (INDEX * angle.sin()).min(0.9999).asin();
            if 0.05 * inside.tan() + (2.99 - 0.05) * angle.tan() < beside {
                low = angle
            } else {
                high = angle
            }
        }
        let expected = 200.0 + 220.0 * (INDEX * low.sin()).asin().tan();
        within("edge", found, expected, 1.5);
    }
}

// Textures appear on helicopter decks and meshes as specified. Method: seen from above, the letter
// of a helipad is white at the places that ICAO specifies and dark between them; a triangle mesh
// whose texture coordinates select a red and a blue half. Tolerance: 4 % of white; colours 30
// counts apart.
#[test]
fn helipads_and_meshes_show_their_textures() {
    let keys = format!("width: 81, height: 81, focal_px: [80, 80], {LINEAR}, exposure_ev100: 13.3");
    let rest = format!(
        "weather: {{{OVERCAST}}}\nstructures: {{deck: {{position_m: [0, 0, 11.95], shapes: {{s: {{kind: box, size_m: [9, 9, 0.1], material: {{color: [0.1, 0.1, 0.1]}}, texture: {{kind: helipad, size_m: 6}}}}}}}}}}"
    );
    let text =
        world(20.0, &keys, &rest).replace("lazy: false", "lazy: false, attitude_deg: [0, 90, 0]");
    let rgb = camera_images(&text).rgb.expect("colours");
    // 8 m above the deck one metre is ten pixels; up is x, left is y.
    let green = |x: f64, y: f64| {
        f64::from(
            rgb[3 * (81 * (40.0 - 10.0 * x).round() as usize + (40.0 - 10.0 * y).round() as usize)
                + 1],
        )
    };
    let (white, deck) = (green(0.0, 0.0), green(4.2, 4.2));
    assert!(
        white < 250.0 && white > 5.0 * deck && deck > 5.0,
        "{white} on {deck}"
    );
    for (x, y, lit) in [
        (0.7, 0.0, true),
        (-0.7, 0.0, true),
        (0.0, 1.2, false),
        (0.7, 1.2, true),
        (2.85, 0.0, true),
        (0.0, -2.85, true),
        (2.2, 0.0, false),
    ] {
        let (lit, other) = (if lit { white } else { deck }, green(x, y));
        within(&format!("({x}, {y})"), other, lit, 0.06 * white);
    }
    let folder = Folder::new("uv", &[]);
    let name = folder.0.join("halves.png");
    let mut encoder = png::Encoder::new(std::fs::File::create(&name).unwrap(), 4, 1);
    encoder.set_color(png::ColorType::Rgb);
    let halves = [[255, 0, 0], [255, 0, 0], [0, 0, 255], [0, 0, 255]].concat();
    encoder
        .write_header()
        .unwrap()
        .write_image_data(&halves)
        .unwrap();
    // A slab; its side towards -x shows the texture, the left half towards +y.
    std::fs::write(
        folder.0.join("slab.obj"),
        "v 0 1 -1\nv 0 -1 -1\nv 0 -1 1\nv 0 1 1\nvt 0 0\nvt 1 0\nvt 1 1\nvt 0 1\nf 1/1 2/2 3/3\nf 1/1 3/3 4/4\n",
    )
    .unwrap();
    let rest = format!(
        "weather: {{{OVERCAST}}}\nstructures: {{slab: {{position_m: [4, 0, 20], shapes: {{s: {{kind: mesh, file: slab.obj, form: triangles, texture: {{kind: image, file: halves.png}}}}}}}}}}"
    );
    let keys = format!("width: 9, height: 9, focal_px: [12, 12], {LINEAR}, exposure_ev100: 13");
    let file = folder.0.join("world.yaml");
    std::fs::write(&file, world(20.0, &keys, &rest)).unwrap();
    let loaded = load_world(&file, Overrides::default()).unwrap_or_else(|e| panic!("{e}"));
    let rgb = super::last_images(merrow_sim::Simulation::new(loaded.scene.into(), 1).unwrap())
        .rgb
        .expect("colours");
    let (left, right) = (&rgb[3 * (4 * 9 + 2)..][..3], &rgb[3 * (4 * 9 + 6)..][..3]);
    assert!(left[0] > left[2] + 30, "red on the left: {left:?}");
    assert!(right[2] > right[0] + 30, "blue on the right: {right:?}");
}

// A snapshot equals the image of a run at the same time, including noise. Method: the bytes of a
// noisy image at 0.3 s, taken once in a run without subscribers, and in a run with a subscriber.
#[test]
fn snapshot_equals_the_frame_at_its_time() {
    let keys = "width: 33, height: 25, focal_px: [40, 40], full_well_electrons: 300";
    let text = world(5.0, keys, &format!("weather: {{{OVERCAST}}}"));
    let mut unwatched = simulation(&text);
    unwatched.sensor_scheduler = None;
    advance(&mut unwatched, 0.3);
    let Some(FrameData::CameraImages(snapshot)) =
        current_frame::compute_frame(&mut unwatched, 0, 0)
    else {
        panic!("no camera images")
    };
    let mut watched = simulation(&text);
    advance(&mut watched, 0.4);
    let at = |ns: u64| {
        watched
            .frames
            .iter()
            .find(|frame| frame.stamp_ns == ns)
            .expect("a frame")
    };
    for (ns, same) in [(300_000_000, true), (0, false)] {
        let FrameData::CameraImages(frame) = &*at(ns).data else {
            panic!("no camera images")
        };
        assert_eq!(frame.rgb == snapshot.rgb, same, "{ns}");
    }
}

// Cameras render their own robot if configured; marine snow is visible in open water and not behind
// walls; the JPEG quality reaches the camera. Method: a ball of the robot in front of its camera;
// specks brighter than a dark wall at 0.6 m, against the mean number in the viewing pyramid in
// front of it and against open water; the built camera. Tolerance: at least 5 specks, fewer than
// the mean number, and fewer than a quarter of those in open water, whose visible volume is 70
// times deeper.
#[test]
fn own_robot_visibility_snow_and_jpeg_quality() {
    let base = "width: 33, height: 25, focal_px: [40, 40], outputs: [labels]";
    let ball = |keys: &str| {
        let hull = "inertia_kg_m2: {xx: 1, yy: 1, zz: 1}, volume_m3: 1, hull: {kind: box, size_m: [0.4, 0.4, 0.4]}}";
        let text = world(5.0, &format!("{base}{keys}"), "seabed: {depth_m: 50}")
            .replace("inertia_kg_m2: {xx: 1, yy: 1, zz: 1}}", hull)
            .replace("lazy: false", "lazy: false, position_m: [-2, 0, 0]");
        camera_images(&text).labels.expect("labels")[12 * 33 + 16]
    };
    assert_eq!([ball(", render_self: true"), ball("")], [2, 0]);
    let keys = format!(
        "width: 161, height: 121, focal_px: [160, 160], {LINEAR}, exposure_ev100: 9, marine_snow: 4000"
    );
    let green = |x: f64, keys: &str| -> Vec<f64> {
        let rest = format!(
            "weather: {{{OVERCAST}}}\nwater: {{optics: {{jerlov: I}}}}\nseabed: {{depth_m: 500}}
structures: {{wall: {{position_m: [{}, 0, -20], shapes: {{s: {{kind: box, size_m: [1, 60, 60], material: {{color: [0, 0, 0]}}}}}}}}}}",
            x + 0.5
        );
        let rgb = camera_images(&world(-20.0, keys, &rest))
            .rgb
            .expect("colours");
        rgb.iter()
            .skip(1)
            .step_by(3)
            .map(|n| f64::from(*n))
            .collect()
    };
    // Local maxima of the difference that snow makes.
    let specks = |x: f64| {
        let (with, without) = (green(x, &keys), green(x, &keys.replace("4000", "0")));
        assert!(without.iter().all(|n| *n < 200.0), "{without:?}");
        let at = |u: usize, v: usize| with[161 * v + u] - without[161 * v + u];
        let is_top = |u: usize, v: usize| {
            at(u, v) > 3.0
                && [(u - 1, v), (u, v - 1)]
                    .iter()
                    .all(|(i, j)| at(u, v) > at(*i, *j))
                && [(u + 1, v), (u, v + 1)]
                    .iter()
                    .all(|(i, j)| at(u, v) >= at(*i, *j))
        };
        (1..120)
            .map(|v| (1..160).filter(|u| is_top(*u, v)).count())
            .sum::<usize>() as f64
    };
    // The viewing pyramid from 0.08 to 0.6 m, as wide as deep and three quarters as high.
    let can_be = 4000.0 * 0.75 / 3.0 * (0.6_f64.powi(3) - 0.08_f64.powi(3));
    let (found, open) = (specks(0.6), specks(400.0));
    println!("{found} specks before the wall of {can_be}, {open} in open water");
    assert!(
        found >= 5.0 && found < can_be && open > 4.0 * found,
        "{found} of {can_be}, {open} in open water"
    );
    for quality in [12, 97] {
        let text = world(5.0, &format!("{base}, jpeg_quality: {quality}"), "");
        let scene = scene(&text);
        let Some(ExteroceptiveSpec::Camera(spec)) = scene.robots[0].sensors[0]
            .kind
            .exteroceptive()
            .map(|l| &**l)
        else {
            panic!("no camera")
        };
        assert_eq!(spec.camera.jpeg_quality, quality);
    }
}
