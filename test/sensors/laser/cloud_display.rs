//! Tests of the rendering of point clouds and swaths and of the colormap: known objects at known
//! pixels.

use merrow::picture::cloud::{
    RangeGrid, RenderedImage, SwathPoint, lidar, scan, swath, tilted_scan,
};
use merrow::picture::colors::viridis;
use merrow_model::sensor::laser::Point;
use merrow_model::sensor::laser::{LaserOutput, LaserRanging, LaserSpec};
use merrow_yaml::read::Places;
use std::f64::consts::TAU;

/// Columns of each image; rows of a plan view, of a side view, of a swath, and of the gap between
/// two views.
const WIDTH: usize = 1024;
const PLAN: usize = 640;
const SIDE: usize = 256;
const LINES: usize = 512;
const GAP: usize = 6;

/// Returns a lidar with 16 rings, 2 degrees apart from -15 degrees, and 1024 columns.
fn spec() -> LaserSpec {
    let elevations: Vec<f64> = (0..16)
        .map(|k| f64::to_radians(2.0 * f64::from(k) - 15.0))
        .collect();
    let (columns, step) = (1024, -TAU / 1024.0);
    let first = TAU / 2.0 + 0.5 * step;
    LaserSpec {
        output: LaserOutput::Cloud,
        directions: LaserSpec::beam_directions(&elevations, first, step, columns),
        elevations,
        first_azimuth: first,
        azimuth_step: step,
        columns,
        sweep: 0.1,
        ranging: LaserRanging {
            min_range_m: 0.5,
            max_range_m: 100.0,
            range_std_m: 0.0,
            resolution_m: 0.0,
            beam_loss: 0.0,
            divergence_mrad: 0.0,
            pulse_length_m: 0.1,
            reference_reflectivity: 0.1,
            wavelength_um: 0.905,
            water_extinction_per_m: 1.0,
            sweep_s: None,
            at: Places::default(),
        },
        tilt: None,
    }
}

fn grid(spec: &LaserSpec) -> RangeGrid {
    RangeGrid {
        rings: spec.elevations.len(),
        columns: spec.columns,
        first_azimuth: spec.first_azimuth,
        azimuth_step: spec.azimuth_step,
    }
}

fn echo(spec: &LaserSpec, column: usize, ring: usize, range: f64) -> Point {
    let p = spec.directions[column * 16 + ring]
        .scale(range)
        .to_array()
        .map(|x| x as f32);
    Point {
        p,
        intensity: 0.5,
        time: 0.0,
        ring: ring as u16,
    }
}

/// Returns the colour of a pixel; `None` if it is black or belongs to a range circle or to the
/// cross.
fn pixel_color(shown: &RenderedImage, column: usize, row: usize) -> Option<[u8; 3]> {
    let k = 3 * (row * shown.width + column);
    let rgb = [shown.rgb[k], shown.rgb[k + 1], shown.rgb[k + 2]];
    (!(rgb[0] == rgb[1] && rgb[1] == rgb[2])).then_some(rgb)
}

// In the range image an echo appears at its column and ring, close echoes bright, ahead in the
// centre and port on the left; in the plan view below at its position. Method: a wall at 50 m in
// all beams except for a pillar at 5 m, 90 degrees to port, in rings 4 to 11; by (1), (2) and (5).
// Tolerance: none in the range image; one pixel in the plan view.
#[test]
fn pillar_is_drawn_at_its_position() {
    let spec = spec();
    let is_pillar =
        |column: usize, ring: usize| (251..261).contains(&column) && (4..12).contains(&ring);
    let beams = (0..1024).flat_map(|c| (0..16).map(move |r| (c, r)));
    let points: Vec<Point> = beams
        .map(|(c, r)| echo(&spec, c, r, if is_pillar(c, r) { 5.0 } else { 50.0 }))
        .collect();
    let shown = lidar(&grid(&spec), &points);
    // Twelve rows per ring.
    assert_eq!((shown.width, shown.height), (WIDTH, 16 * 12 + GAP + PLAN));
    let light = 1.0;
    for ring in 0..16 {
        let row = (15 - ring) * 12 + 5;
        for column in [0, 250, 251, 260, 261, 512, 1023] {
            // 5 m is closer than 98 % of the echoes, so it has the end of the colormap.
            let near = is_pillar(column, ring);
            let seen = pixel_color(&shown, column, row).expect("an echo");
            if near {
                assert_eq!(seen, viridis(1.0, light), "{column} {ring}");
            } else {
                assert_eq!(
                    seen,
                    pixel_color(&shown, 512, 5).unwrap(),
                    "{column} {ring}"
                );
            }
        }
    }
    // The plan view: 5 m to port.
    let mut along: Vec<f64> = points.iter().map(|p| f64::from(p.p[0]).abs()).collect();
    along.sort_by(f64::total_cmp);
    let k = 0.48 * PLAN as f64 / along[((along.len() - 1) as f64 * 0.98).round() as usize];
    let (column, row) = (
        0.5 * WIDTH as f64 - 5.0 * k,
        16.0 * 12.0 + GAP as f64 + 0.5 * PLAN as f64,
    );
    let lit = |dx: i32, dy: i32| {
        pixel_color(
            &shown,
            (column as i32 + dx) as usize,
            (row as i32 + dy) as usize,
        )
        .is_some()
    };
    assert!(lit(0, 0) || lit(0, -1), "{column} {row}");
    assert!(!(-8..8).any(|d| lit(d + 20, 0)));
    assert!(
        shown.legend.starts_with("ranges from 50.0 m") && shown.legend.contains("circles every"),
        "{}",
        shown.legend
    );
}

// A planar scan is drawn from above, ahead is up and port is left. Method: echoes 10 m ahead and 4
// m to port, by (2). Tolerance: one pixel.
#[test]
fn scan_is_drawn_from_above() {
    let point = |x: f32, y: f32| Point {
        p: [x, y, 0.0],
        intensity: 1.0,
        time: 0.0,
        ring: 0,
    };
    let shown = scan(&[point(10.0, 0.0), point(0.0, 4.0)]);
    assert_eq!((shown.width, shown.height), (WIDTH, PLAN));
    // 10 m ahead corresponds to 0.48 of the rows.
    let k = 0.48 * PLAN as f64 / 10.0;
    let (ahead, port) = (0.5 * PLAN as f64 - 10.0 * k, 0.5 * WIDTH as f64 - 4.0 * k);
    // Half a pixel above the row, half a pixel left of the column.
    assert_eq!(
        pixel_color(&shown, WIDTH / 2, ahead as usize),
        Some(viridis(0.0, 1.0))
    );
    assert_eq!(
        pixel_color(&shown, port as usize, PLAN / 2 - 1),
        Some(viridis(1.0, 1.0))
    );
    assert!(
        shown
            .legend
            .contains("from 4.00 m (yellow) to 10.0 m (violet)"),
        "{}",
        shown.legend
    );
}

// A tilted scan is drawn from above and from the side. Method: three points, the highest ahead; by
// (2) and (3). Tolerance: one pixel.
#[test]
fn tilted_scan_is_drawn_from_the_side() {
    let point = |p: [f32; 3]| Point {
        p,
        intensity: 1.0,
        time: 0.0,
        ring: 0,
    };
    let shown = tilted_scan(&[
        point([8.0, 0.0, 2.0]),
        point([8.0, 1.0, -2.0]),
        point([4.0, -1.0, 0.0]),
    ]);
    assert_eq!(shown.height, PLAN + GAP + SIDE);
    let k = 0.48 * SIDE as f64 / 2.0;
    let (column, row) = (
        0.5 * WIDTH as f64 + 4.0 * k,
        (PLAN + GAP) as f64 + 0.5 * SIDE as f64,
    );
    assert!(pixel_color(&shown, column as usize, row as usize - 1).is_some());
    // k is the scale of the heights: 8 m ahead is 491 pixels, inside the image.
    let (column, row) = (0.5 * WIDTH as f64 + 8.0 * k, row - 2.0 * k);
    assert!(
        pixel_color(&shown, column as usize, row as usize).is_some(),
        "{column} {row}"
    );
}

// A swath image has its newest line on top, port on the left, shallow soundings bright, and gaps
// where beams have no sounding. Method: a slope that falls to starboard, a shoal in the third line
// from the top; by (4).
#[test]
fn swath_shows_the_seabed() {
    let line = |shoal: bool| -> Vec<SwathPoint> {
        let sounding = |k: i32| SwathPoint {
            across: f64::from(k),
            depth: 20.0 + 0.1 * f64::from(k),
        };
        let mut line: Vec<SwathPoint> = (-50..=50).map(sounding).collect();
        line.retain(|s| !(20.0..30.0).contains(&s.across));
        line.iter_mut()
            .filter(|s| shoal && s.across < -40.0)
            .for_each(|s| s.depth = 5.0);
        line
    };
    let shown = swath(&[line(false), line(true), line(false), line(false)]);
    assert_eq!((shown.width, shown.height), (WIDTH, LINES));
    let color = |column: usize, row: usize| pixel_color(&shown, column, row);
    let bright = |c: Option<[u8; 3]>| c.map(|c| u32::from(c[0]) + u32::from(c[1]));
    // Deeper to starboard.
    assert!(
        bright(color(100, 0)) > bright(color(512, 0))
            && bright(color(512, 0)) > bright(color(1000, 0))
    );
    assert_eq!(color(30, 2), Some(viridis(1.0, 1.0)));
    assert_ne!(color(30, 1), color(30, 2));
    assert!(color(200, 2) == color(200, 1));
    let of = |across: f64| (512.0 + 0.49 * 1024.0 / 50.0 * across) as usize;
    assert!(color(of(25.0), 0).is_none() && color(of(19.0), 0).is_some());
    assert_eq!(color(512, 4), None);
}

// Without echoes an image is also rendered.
#[test]
fn empty_data_give_an_image() {
    for shown in [
        lidar(&grid(&spec()), &[]),
        scan(&[]),
        tilted_scan(&[]),
        swath(&[]),
    ] {
        assert_eq!(shown.rgb.len(), 3 * shown.width * shown.height);
    }
}

/// Returns the CIE 1976 lightness of a display colour, 0 to 100.
fn lightness(rgb: [u8; 3]) -> f64 {
    let linear = |c: u8| {
        let c = f64::from(c) / 255.0;
        if c <= 0.04045 {
            c / 12.92
        } else {
            ((c + 0.055) / 1.055).powf(2.4)
        }
    };
    let y = 0.2126 * linear(rgb[0]) + 0.7152 * linear(rgb[1]) + 0.0722 * linear(rgb[2]);
    116.0 * y.cbrt() - 16.0
}

// The colormap is perceptually uniform. Method: the CIE 1976 lightness over the colormap against a
// straight line. Tolerance: 2.5 of 100.
#[test]
fn colormap_lightness_is_linear() {
    let lightness_at = |k: u32| lightness(viridis(f64::from(k) / 64.0, 1.0));
    let (low, high) = (lightness_at(0), lightness_at(64));
    assert!(low < 16.0 && high > 89.0, "{low} {high}");
    for k in 0..=64 {
        let straight = low + (high - low) * f64::from(k) / 64.0;
        assert!(
            (lightness_at(k) - straight).abs() < 2.5,
            "{k}: {} of {straight}",
            lightness_at(k)
        );
    }
}

// Values outside the colormap have the colour of the nearest end; NaN has the colour of 0.
#[test]
fn colormap_saturates_at_its_ends() {
    assert_eq!(viridis(-3.0, 1.0), [68, 1, 84]);
    assert_eq!(viridis(f64::INFINITY, 1.0), [253, 231, 37]);
    assert_eq!(viridis(f64::NAN, 1.0), [68, 1, 84]);
    assert_eq!(viridis(1.0, 0.0), [0; 3]);
}
