//! Draws the map of a river: terrain heights, trees, buoys, and the current as arrows.

use crate::river::{HALF_EXTENT, River};
use merrow_chart::canvas::{Anchor, Colour, Drawing, Element};

/// Scale of the map [px/m].
const SCALE: f64 = 1.25;
const MARGIN: [f64; 2] = [18.0, 34.0];
/// Side of the coloured cells [m].
const CELL: f64 = 4.0;
/// Upper height limit [m], colour and legend text of each height class.
const COLOURS: [(f64, Colour, &str); 7] = [
    (-2.0, [92, 150, 190], "deeper than 2 m"),
    (-1.0, [130, 182, 212], "1 to 2 m"),
    (0.0, [176, 212, 230], "to 1 m"),
    (1.4, [236, 220, 170], "sand"),
    (2.4, [206, 224, 184], "flood plain"),
    (3.4, [186, 208, 160], ""),
    (f64::INFINITY, [168, 190, 140], "valley sides"),
];
const BLACK: Colour = [30, 30, 30];
const GREEN: Colour = [60, 110, 60];
const RED: Colour = [200, 40, 40];
const BLUE: Colour = [20, 70, 140];
/// Distance from the water up to which low ground is drawn as sand [m].
const SHORE: f64 = 10.0;
/// Distance between arrows of the current [m].
const STROKES: f64 = 12.0;
const STROKE: f64 = 14.0;

/// Draws the map of a river.
pub fn draw_map(river: &River) -> Drawing {
    let [w, h] = HALF_EXTENT.map(|half| (2.0 * half * SCALE) as u32);
    let size = [w + 2 * MARGIN[0] as u32, h + MARGIN[1] as u32 + 44];
    let mut drawing = Drawing {
        size,
        elements: Vec::new(),
    };
    draw_terrain(&mut drawing, river);
    draw_current(&mut drawing, river);
    for tree in &river.trees {
        let [x, y, _] = tree.p;
        draw_disc(&mut drawing, [x, y], tree.size[2], GREEN);
    }
    for (k, buoy) in river.buoys.iter().enumerate() {
        draw_disc(&mut drawing, buoy.start, 2.2, RED);
        let [x, y] = to_pixels([buoy.start[0] + 5.0, buoy.start[1] + 3.0]);
        text(
            &mut drawing,
            [x, y],
            &format!("{}", k + 1),
            RED,
            Anchor::Start,
        );
    }
    legend(&mut drawing, river);
    drawing
}

fn to_pixels([x, y]: [f64; 2]) -> [f64; 2] {
    [
        MARGIN[0] + SCALE * (x + HALF_EXTENT[0]),
        MARGIN[1] + SCALE * (HALF_EXTENT[1] - y),
    ]
}

fn text(drawing: &mut Drawing, at: [f64; 2], what: &str, colour: Colour, anchor: Anchor) {
    drawing.elements.push(Element::Text {
        at,
        text: what.to_string(),
        size: 12.0,
        anchor,
        colour,
    });
}

fn fill(drawing: &mut Drawing, points: Vec<[f64; 2]>, colour: Colour) {
    drawing.elements.push(Element::Fill { points, colour });
}

/// Draws rows of cells; neighbours of equal colour become one rectangle.
fn draw_terrain(drawing: &mut Drawing, river: &River) {
    let [columns, rows] = HALF_EXTENT.map(|half| (2.0 * half / CELL) as usize);
    let [low, high] = [HALF_EXTENT.map(|half| -half), HALF_EXTENT];
    // the most common colour is drawn first as background
    let under = COLOURS[4].1;
    fill(
        drawing,
        vec![
            to_pixels(low),
            to_pixels([high[0], low[1]]),
            to_pixels(high),
            to_pixels([low[0], high[1]]),
        ],
        under,
    );
    for j in 0..rows {
        let y = low[1] + CELL * j as f64;
        let colour = |i: usize| {
            let p = [low[0] + CELL * (i as f64 + 0.5), y + 0.5 * CELL];
            let foot = river.valley.course.to_course_coordinates(p);
            let z = river.valley.height_at(p, &foot);
            // low ground away from the river is not sand
            let ashore = foot.n.abs() > river.valley.half_width(foot.s) + SHORE;
            let z = if ashore { z.max(COLOURS[3].0) } else { z };
            COLOURS
                .iter()
                .find(|(top, ..)| z < *top)
                .map_or(under, |(_, colour, _)| *colour)
        };
        let mut from = 0;
        while from < columns {
            let own = colour(from);
            let to = (from + 1..columns)
                .find(|i| colour(*i) != own)
                .unwrap_or(columns);
            if own != under {
                let [a, b] = [from, to].map(|i| low[0] + CELL * i as f64);
                fill(
                    drawing,
                    vec![
                        to_pixels([a, y]),
                        to_pixels([b, y]),
                        to_pixels([b, y + CELL]),
                        to_pixels([a, y + CELL]),
                    ],
                    own,
                );
            }
            from = to;
        }
    }
}

/// Draws an arrow from each point of a grid to the position that its water reaches in [`STROKE`]
/// seconds.
fn draw_current(drawing: &mut Drawing, river: &River) {
    let [columns, rows] = HALF_EXTENT.map(|half| (2.0 * half / STROKES) as usize);
    for j in 0..rows {
        for i in 0..columns {
            let p = [
                STROKES * (i as f64 + 0.5) - HALF_EXTENT[0],
                STROKES * (j as f64 + 0.5) - HALF_EXTENT[1],
            ];
            let [u, v] = river.stream.velocity(&river.valley, p).map(|u| STROKE * u);
            if u * u + v * v < 1.0 {
                continue;
            }
            let tip = [p[0] + u, p[1] + v];
            let wing = |side: f64| {
                [
                    tip[0] - 0.3 * u - side * 0.2 * v,
                    tip[1] - 0.3 * v + side * 0.2 * u,
                ]
            };
            let points = vec![
                to_pixels(p),
                to_pixels(tip),
                to_pixels(wing(1.0)),
                to_pixels(tip),
                to_pixels(wing(-1.0)),
            ];
            drawing.elements.push(Element::Line {
                points,
                colour: BLUE,
                width: 0.8,
                dashed: false,
            });
        }
    }
}

fn draw_disc(drawing: &mut Drawing, [x, y]: [f64; 2], radius: f64, colour: Colour) {
    let corner = |k: i32| {
        let (s, c) = merrow_math::real::sin_cos(f64::from(k) * std::f64::consts::FRAC_PI_4);
        to_pixels([x + radius * c, y + radius * s])
    };
    fill(drawing, (0..8).map(corner).collect(), colour);
}

fn legend(drawing: &mut Drawing, river: &River) {
    let title = format!(
        "Riverwatch, seed {}: {:.0} m3/s towards east; buoys red, trees green; north is up",
        river.seed, river.stream.discharge
    );
    text(drawing, [MARGIN[0], 22.0], &title, BLACK, Anchor::Start);
    let y = f64::from(drawing.size[1]) - 16.0;
    let mut x = MARGIN[0];
    for (_, colour, name) in COLOURS.iter().filter(|(.., name)| !name.is_empty()) {
        fill(
            drawing,
            vec![[x, y - 11.0], [x + 16.0, y - 11.0], [x + 16.0, y], [x, y]],
            *colour,
        );
        text(drawing, [x + 21.0, y - 1.0], name, BLACK, Anchor::Start);
        x += 130.0;
    }
    let bar = vec![[x, y - 5.0], [x + 100.0 * SCALE, y - 5.0]];
    drawing.elements.push(Element::Line {
        points: bar,
        colour: BLACK,
        width: 2.0,
        dashed: false,
    });
    text(
        drawing,
        [x + 50.0 * SCALE, y - 9.0],
        "100 m",
        BLACK,
        Anchor::Middle,
    );
}
