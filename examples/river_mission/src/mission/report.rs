//! Report of a mission: the score, tracks and maps as a page.

use std::fmt::Write as _;

use merrow_chart::canvas::escaped;
use merrow_chart::chart::{Panel, PlotCurve, Style, draw_figure};
use serde_json::Value;

use super::fleet::{Pair, WAMV_CLEARANCE};
use super::score::Score;
use super::structures::Structure;
use crate::water_quality::{FieldMap, Sample};

/// Width and height of the map [px].
const SIZE: (u32, u32) = (1000, 620);
/// Colours of true and estimated tracks, flights, way-points, occupied voxels and measured shallows.
const TRUE: [u8; 3] = [30, 90, 200];
const ESTIMATED: [u8; 3] = [230, 120, 30];
const DRONE: [u8; 3] = [60, 170, 190];
const WAY_POINTS: [u8; 3] = [200, 30, 60];
const OBSTACLES: [u8; 3] = [40, 130, 60];
const SHALLOW: [u8; 3] = [150, 60, 160];
/// Colours of the steps of a concentration, from the least.
const PLUME: [[u8; 3]; 5] = [
    [225, 225, 225],
    [250, 200, 140],
    [240, 140, 70],
    [210, 60, 50],
    [130, 10, 60],
];
/// Distance from the tracks within which structures are drawn [m].
const NEAR_M: f64 = 60.0;

/// What the maps of the boats contain at the end, in the map frame [m].
#[derive(Clone, Debug, Default)]
pub struct Maps {
    /// Occupied voxels.
    pub voxels: Vec<[f64; 2]>,
    /// Measured depths: place and depth.
    pub depths: Vec<[f64; 3]>,
    /// Samples of the water.
    pub samples: Vec<Sample>,
}

/// Draws tracks, way-points, structures and maps as an SVG file.
pub fn figure(score: &Score, pairs: &[Pair], structures: &[Structure], maps: &Maps) -> String {
    let mut curves = Vec::new();
    let all: Vec<[f64; 2]> = score
        .boats
        .iter()
        .flat_map(|boat| boat.track.clone())
        .collect();
    let is_near = |p: [f64; 2]| {
        all.iter()
            .any(|q| libm::hypot(p[0] - q[0], p[1] - q[1]) < NEAR_M)
    };
    for p in cells(&maps.voxels, 1.0) {
        curves.push(cross(p, OBSTACLES, 0.5));
    }
    let shallow = maps
        .depths
        .iter()
        .filter(|d| d[2] < WAMV_CLEARANCE.min_depth_m);
    for p in shallow {
        curves.push(cross([p[0], p[1]], SHALLOW, 0.5));
    }
    for s in structures.iter().filter(|s| is_near(s.centre)) {
        curves.push(PlotCurve::new(
            "",
            [120, 90, 60],
            false,
            circle(s.centre, s.radius_m.max(1.0)),
        ));
    }
    for ((k, boat), pair) in score.boats.iter().enumerate().zip(pairs) {
        let label = |text: &str| {
            if k == 0 {
                text.to_owned()
            } else {
                String::new()
            }
        };
        curves.push(PlotCurve::new(
            label("true track"),
            TRUE,
            false,
            boat.track.clone(),
        ));
        let estimated = boat.estimated.clone();
        curves.push(PlotCurve::new(
            label("estimated"),
            ESTIMATED,
            true,
            estimated,
        ));
        let flight = boat.drone_track.clone();
        curves.push(PlotCurve::new(label("drone"), DRONE, false, flight));
        for p in &pair.way_points {
            curves.push(PlotCurve::new("", WAY_POINTS, false, circle(*p, 3.0)));
        }
    }
    let mut panel = Panel::new("north [m]", "east [m]", curves);
    panel.style = Style::Plan;
    draw_figure("tracks and map", &[panel], SIZE.0, SIZE.1).svg()
}

/// Draws the concentrations of the maps of all boats, in steps over the largest one, as an SVG file.
pub fn plume(score: &Score, maps: &[FieldMap]) -> String {
    let mut curves = Vec::new();
    let cells = maps.iter().flat_map(|map| map.cells.iter().flatten());
    let most = cells.map(|cell| cell.value).fold(0.0, f64::max);
    let steps = PLUME.len();
    let level = |value: f64| ((value / most * steps as f64) as usize).min(steps - 1);
    for (k, colour) in PLUME.into_iter().enumerate() {
        let bound = |k: usize| most * k as f64 / steps as f64;
        let mut label = format!("{:.1} to {:.1} ug/l", bound(k), bound(k + 1));
        for map in maps {
            for row in map.rows(|cell| most > 0.0 && level(cell.value) == k) {
                curves.push(PlotCurve::new(
                    std::mem::take(&mut label),
                    colour,
                    false,
                    row,
                ));
            }
        }
    }
    for boat in &score.boats {
        curves.push(PlotCurve::new("", TRUE, true, boat.track.clone()));
    }
    let mut panel = Panel::new("north [m]", "east [m]", curves);
    panel.style = Style::Plan;
    draw_figure("concentration of the dye", &[panel], SIZE.0, SIZE.1).svg()
}

/// Returns the centres of the cells with this edge [m] that contain a place, each once.
fn cells(places: &[[f64; 2]], edge_m: f64) -> Vec<[f64; 2]> {
    let cell = |p: &[f64; 2]| p.map(|c| (c / edge_m).floor() as i64);
    let cells: std::collections::BTreeSet<[i64; 2]> = places.iter().map(cell).collect();
    cells
        .into_iter()
        .map(|c| c.map(|k| (k as f64 + 0.5) * edge_m))
        .collect()
}

fn cross(p: [f64; 2], colour: [u8; 3], half: f64) -> PlotCurve {
    let points = vec![[p[0] - half, p[1]], [p[0] + half, p[1]]];
    PlotCurve::new("", colour, false, points)
}

fn circle(centre: [f64; 2], radius: f64) -> Vec<[f64; 2]> {
    (0..=24)
        .map(|k| {
            let (sin, cos) = libm::sincos(f64::from(k) * std::f64::consts::TAU / 24.0);
            [centre[0] + radius * cos, centre[1] + radius * sin]
        })
        .collect()
}

/// Writes a page with the score, as JSON, and figures, SVG files.
pub fn page(score: &Value, figures: &str) -> String {
    let mut rows = String::new();
    for boat in score["boats"].as_array().into_iter().flatten() {
        for (key, value) in boat.as_object().into_iter().flatten() {
            let (key, value) = (escaped(key), escaped(&value.to_string()));
            // writing to a String cannot fail
            let _ = writeln!(rows, "<tr><th>{key}</th><td>{value}</td></tr>");
        }
    }
    let verdict = match score["success"].as_bool() {
        Some(true) => "all way-points reached without a contact",
        _ => "not successful",
    };
    let time = escaped(&score["time_s"].to_string());
    format!(
        "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>River mission</title>\n\
         <style>body{{font-family:sans-serif;margin:2em}}th{{text-align:left;padding-right:2em}}</style>\
         </head>\n<body><h1>River mission</h1>\n<p>{verdict}; {time} s</p>\n<table>\n{rows}</table>\n\
         {figures}</body></html>\n"
    )
}
