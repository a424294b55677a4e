//! Map of a mission with its potential, and the page with the score.

use super::score::Score;
use crate::feature::Feature;
use crate::planner::Planner;
use crate::vector::Vector;
use serde_json::Value;
use std::fmt::Write as _;

/// Scale of the map [px/m], and its margin [m].
const SCALE: f64 = 2.5;
const MARGIN_M: f64 = 30.0;
/// Edge of a cell of the potential [m].
const CELL_M: f64 = 4.0;
/// Levels of the potential above the lowest one of the map between which the shade changes.
const LEVELS: [f64; 9] = [2.0, 5.0, 8.0, 12.0, 16.0, 22.0, 30.0, 45.0, 80.0];

/// Draws obstacles, waypoints, track and the potential with the last waypoint, as an SVG file: figures
/// 6 and 7 of the paper, seen from above.
pub fn map(score: &Score, planner: &Planner, obstacles: &[Feature]) -> String {
    let waypoints: Vec<Vector> = planner.itinerary.positions().collect();
    let outlines: Vec<Vec<Vector>> = obstacles.iter().map(Feature::outline).collect();
    let mut low = Vector::new(f64::INFINITY, f64::INFINITY);
    let mut high = low * -1.0;
    for p in outlines
        .iter()
        .flatten()
        .chain(&waypoints)
        .chain(&score.track)
    {
        low = Vector::new(low.x.min(p.x), low.y.min(p.y));
        high = Vector::new(high.x.max(p.x), high.y.max(p.y));
    }
    let margin = Vector::new(MARGIN_M, MARGIN_M);
    let (low, high) = (low - margin, high + margin);
    let [width, height] = [high.x - low.x, high.y - low.y].map(|length| length * SCALE);
    let place = |p: Vector| [(p.x - low.x) * SCALE, (high.y - p.y) * SCALE];
    // writing to a String cannot fail
    let mut svg = String::new();
    let _ = writeln!(
        svg,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width:.0} {height:.0}\" width=\"{width:.0}\" \
         font-family=\"sans-serif\" font-size=\"12\">\n<title>potential, boxes and track</title>"
    );
    shade(&mut svg, planner, obstacles, [low, high], &place);
    for outline in &outlines {
        line(
            &mut svg,
            outline,
            &place,
            "fill=\"#7a5a3c\" stroke=\"none\"",
            true,
        );
    }
    for own in &score.reported {
        let style = "fill=\"none\" stroke=\"#d08020\" stroke-dasharray=\"4 3\"";
        line(&mut svg, &own.outline(), &place, style, true);
    }
    let style = "fill=\"none\" stroke=\"#c82828\" stroke-width=\"2\"";
    line(&mut svg, &score.track, &place, style, false);
    for (k, p) in waypoints.iter().enumerate() {
        let [x, y] = place(*p);
        let _ = writeln!(
            svg,
            "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"5\" fill=\"#1e5ab4\"/><text x=\"{:.1}\" y=\"{:.1}\">{}</text>",
            x + 8.0,
            y - 6.0,
            k + 1
        );
    }
    let y = height - 10.0;
    let _ = writeln!(
        svg,
        "<path d=\"M10 {y:.1}h{:.1}\" stroke=\"black\" stroke-width=\"2\"/><text x=\"10\" y=\"{:.1}\">50 m, north up</text>\n</svg>",
        50.0 * SCALE,
        y - 6.0
    );
    svg
}

/// Shades the cells of the map by the static potential of all obstacles and of the last waypoint.
fn shade(
    svg: &mut String,
    planner: &Planner,
    obstacles: &[Feature],
    [low, high]: [Vector; 2],
    place: &dyn Fn(Vector) -> [f64; 2],
) {
    let Some(waypoint) = planner.itinerary.last() else {
        return;
    };
    let potential = |p: Vector| {
        let obstacles = obstacles.iter().map(|own| own.static_potential(p));
        obstacles.sum::<f64>() + waypoint.static_potential(p)
    };
    let centres = |from: f64, to: f64| {
        let n = ((to - from) / CELL_M).ceil() as usize;
        (0..n).map(move |k| from + (k as f64 + 0.5) * CELL_M)
    };
    let level = |p: Vector| LEVELS.iter().filter(|level| potential(p) > **level).count();
    let edge = CELL_M * SCALE;
    for y in centres(low.y, high.y) {
        // one rectangle for neighbours of the same level
        let mut row = centres(low.x, high.x)
            .map(|x| (x, level(Vector::new(x, y))))
            .peekable();
        while let Some((x, own)) = row.next() {
            let mut n = 1;
            while row.next_if(|(_, other)| *other == own).is_some() {
                n += 1;
            }
            let [left, top] = place(Vector::new(x - 0.5 * CELL_M, y + 0.5 * CELL_M));
            let grey = 250 - 18 * own;
            let _ = writeln!(
                svg,
                "<rect x=\"{left:.2}\" y=\"{top:.2}\" width=\"{:.2}\" height=\"{edge:.2}\" fill=\"rgb({grey},{grey},250)\"/>",
                edge * f64::from(n)
            );
        }
    }
}

fn line(
    svg: &mut String,
    points: &[Vector],
    place: &dyn Fn(Vector) -> [f64; 2],
    style: &str,
    is_closed: bool,
) {
    let kind = if is_closed { "polygon" } else { "polyline" };
    let _ = write!(svg, "<{kind} {style} points=\"");
    for p in points {
        let [x, y] = place(*p);
        let _ = write!(svg, "{x:.1},{y:.1} ");
    }
    svg.push_str("\"/>\n");
}

/// Writes the page with the score, as JSON, and the map.
pub fn page(score: &Value, map: &str) -> String {
    let mut rows = String::new();
    for (key, value) in score.as_object().into_iter().flatten() {
        let value = value.to_string().replace('&', "&amp;").replace('<', "&lt;");
        let _ = writeln!(rows, "<tr><th>{key}</th><td>{value}</td></tr>");
    }
    format!(
        "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>Re-planner</title>\n\
         <style>body{{font-family:sans-serif;margin:2em}}th{{text-align:left;padding-right:2em}}</style></head>\n\
         <body><h1>Re-planner</h1>\n<table>\n{rows}</table>\n\
         <p>Shades: potential with the last waypoint. Brown: boxes; dashed: boxes that the sonar has reported; \
         red: track; blue: waypoints.</p>\n{map}</body></html>\n"
    )
}
