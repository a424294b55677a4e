//! Plots curves in panels stacked vertically, plan views, and scatter plots.

use crate::canvas::{Anchor, Colour, Drawing, Element, text_width};

/// Width of a figure of curves, plans or schedules [px].
pub const FIGURE_WIDTH: u32 = 860;
/// Colour of reference curves.
pub const BLACK: Colour = [30, 30, 30];
/// Colours of Merrow's curves and of further curves.
pub const COLOURS: [Colour; 6] = [
    [200, 40, 40],
    [30, 90, 180],
    [30, 140, 70],
    [190, 120, 0],
    [120, 60, 160],
    [0, 140, 150],
];

const GREY: Colour = [205, 205, 205];
const LETTERS: f64 = 12.0;
/// Height of the title [px].
const TITLE: u32 = 26;
/// Left, right, top and bottom margin of a panel [px].
const MARGIN: [f64; 4] = [56.0, 16.0, 34.0, 26.0];
/// Maximum number of points of a curve in a figure.
const POINTS: usize = 700;

/// A curve of a panel.
#[derive(Clone, Debug)]
pub struct PlotCurve {
    /// Name in the legend; a curve with an empty name is not in the legend.
    pub label: String,
    /// Colour of the curve.
    pub colour: Colour,
    /// True if the curve is dashed.
    pub dashed: bool,
    /// Points (x, y) in the units of the axes.
    pub points: Vec<[f64; 2]>,
}

impl PlotCurve {
    /// Creates a curve through `points`, in the units of the axes.
    pub fn new(label: &str, colour: Colour, dashed: bool, points: Vec<[f64; 2]>) -> Self {
        Self {
            label: label.into(),
            colour,
            dashed,
            points,
        }
    }
}

/// A panel of a figure.
#[derive(Clone, Debug, Default)]
pub struct Panel {
    /// Label of the vertical axis, with its unit.
    pub y_label: String,
    /// Label of the horizontal axis; set it on the last panel.
    pub x_label: String,
    /// Curves of the panel.
    pub lines: Vec<PlotCurve>,
    /// True for a logarithmic vertical axis (base 10).
    pub logarithmic: bool,
}

/// Form in which the points of a panel are drawn.
#[derive(Clone, Copy, PartialEq)]
enum Style {
    /// Curves; the axes have separate scales.
    Curves,
    /// Curves with a mark at their end; both axes have the same scale.
    Plan,
    /// One mark per point.
    Marks,
}

/// Half the width of the mark of a point [px].
const MARK: f64 = 2.5;

/// Draws a figure of panels, each `height` [px] high, with a title.
pub fn draw_figure(title: &str, panels: &[Panel], width: u32, height: u32) -> Drawing {
    draw_panels(title, panels, [width, height], Style::Curves)
}

/// Draws a panel of `width` by `height` [px] whose axes have the same scale, such as a map. A mark
/// shows the end of each curve, also of a curve that does not leave its first point.
pub fn draw_plan(title: &str, panel: &Panel, width: u32, height: u32) -> Drawing {
    draw_panels(
        title,
        std::slice::from_ref(panel),
        [width, height],
        Style::Plan,
    )
}

/// Draws a plan as [`draw_plan`], with texts next to points in the units of the axes.
pub fn draw_named_plan(
    title: &str,
    panel: &Panel,
    names: &[(String, [f64; 2])],
    width: u32,
    height: u32,
) -> Drawing {
    let mut drawing = draw_plan(title, panel, width, height);
    let frame = frame_of(0, [width, height]);
    let axes = Axes::new(&points_of(panel), frame, Style::Plan);
    for (name, point) in names {
        let [x, y] = axes.pixel(point);
        // a text on the right half ends at its point, so that it remains in the panel
        let (x, anchor) = match x > 0.5 * (frame[0] + frame[2]) {
            true => (x - 6.0, Anchor::End),
            false => (x + 6.0, Anchor::Start),
        };
        text(&mut drawing, [x, y - 5.0], name, LETTERS, anchor);
    }
    drawing
}

/// Draws a panel of `width` by `height` [px] with one mark per point.
pub fn draw_marks(title: &str, panel: &Panel, width: u32, height: u32) -> Drawing {
    draw_panels(
        title,
        std::slice::from_ref(panel),
        [width, height],
        Style::Marks,
    )
}

fn draw_panels(title: &str, panels: &[Panel], [width, height]: [u32; 2], style: Style) -> Drawing {
    let size = [width, TITLE + height * panels.len() as u32 + 18];
    let mut drawing = Drawing {
        size,
        elements: Vec::new(),
    };
    text(&mut drawing, [MARGIN[0], 19.0], title, 15.0, Anchor::Start);
    for (k, panel) in panels.iter().enumerate() {
        draw(&mut drawing, panel, frame_of(k, [width, height]), style);
    }
    drawing
}

/// Returns left, top, right and bottom of the axes of panel `k`, of `width` by `height` [px].
fn frame_of(k: usize, [width, height]: [u32; 2]) -> [f64; 4] {
    let y = f64::from(TITLE + height * k as u32);
    [
        MARGIN[0],
        y + MARGIN[2],
        f64::from(width) - MARGIN[1],
        y + f64::from(height) - MARGIN[3],
    ]
}

fn text(drawing: &mut Drawing, at: [f64; 2], what: &str, size: f64, anchor: Anchor) {
    if what.is_empty() {
        return;
    }
    drawing.elements.push(Element::Text {
        at,
        text: what.to_string(),
        size,
        anchor,
        colour: BLACK,
    });
}

/// Draws one panel into `frame` (left, top, right, bottom) [px].
fn draw(drawing: &mut Drawing, panel: &Panel, frame: [f64; 4], style: Style) {
    let [left, top, right, bottom] = frame;
    let scaled = points_of(panel);
    let axes = Axes::new(&scaled, frame, style);
    let Axes {
        x: x_ticks,
        y: y_ticks,
        ..
    } = &axes;
    let to_x = |x: f64| axes.pixel(&[x, 0.0])[0];
    let to_y = |y: f64| axes.pixel(&[0.0, y])[1];
    let line = |points: Vec<[f64; 2]>, colour, width, dashed| Element::Line {
        points,
        colour,
        width,
        dashed,
    };
    for x in x_ticks.values() {
        drawing.elements.push(line(
            vec![[to_x(x), top], [to_x(x), bottom]],
            GREY,
            0.7,
            false,
        ));
        text(
            drawing,
            [to_x(x), bottom + 15.0],
            &x_ticks.name(x),
            LETTERS,
            Anchor::Middle,
        );
    }
    for y in y_ticks.values() {
        drawing.elements.push(line(
            vec![[left, to_y(y)], [right, to_y(y)]],
            GREY,
            0.7,
            false,
        ));
        let name = if panel.logarithmic {
            format!("1e{}", y_ticks.name(y))
        } else {
            y_ticks.name(y)
        };
        text(
            drawing,
            [left - 6.0, to_y(y) + 4.0],
            &name,
            LETTERS,
            Anchor::End,
        );
    }
    for (of, points) in &scaled {
        let at: Vec<[f64; 2]> = points.iter().map(|point| axes.pixel(point)).collect();
        if style == Style::Marks {
            let marks = at.into_iter().map(|at| mark(at, of.colour));
            drawing.elements.extend(marks);
            continue;
        }
        let end = at.last().filter(|_| style == Style::Plan).copied();
        drawing.elements.push(line(at, of.colour, 1.6, of.dashed));
        drawing.elements.extend(end.map(|at| mark(at, of.colour)));
    }
    drawing.elements.push(border(frame));
    draw_labels(drawing, panel, frame);
}

/// Axes of a panel in their frame.
struct Axes {
    x: Ticks,
    y: Ticks,
    /// Left, top, right and bottom [px].
    frame: [f64; 4],
}

impl Axes {
    /// Chooses the axes of curves with the points `scaled` in `frame` [px].
    fn new(scaled: &[(&PlotCurve, Vec<[f64; 2]>)], frame: [f64; 4], style: Style) -> Self {
        let all = || scaled.iter().flat_map(|(_, points)| points.iter());
        let mut x = Ticks::for_values(all().map(|p| p[0]), 10);
        let mut y = Ticks::for_values(all().map(|p| p[1]), 5);
        let [left, top, right, bottom] = frame;
        if style == Style::Plan {
            equalise(&mut x, &mut y, [right - left, bottom - top]);
        }
        Self { x, y, frame }
    }

    /// Returns the place of a point in the units of the axes [px].
    fn pixel(&self, [x, y]: &[f64; 2]) -> [f64; 2] {
        let [left, top, right, bottom] = self.frame;
        let part = |ticks: &Ticks, value: f64| (value - ticks.low) / (ticks.high - ticks.low);
        [
            left + part(&self.x, *x) * (right - left),
            bottom - part(&self.y, *y) * (bottom - top),
        ]
    }
}

/// Returns the curves of a panel with their points as [`finite`] returns them.
fn points_of(panel: &Panel) -> Vec<(&PlotCurve, Vec<[f64; 2]>)> {
    let lines = panel.lines.iter();
    lines.map(|line| (line, finite(panel, line))).collect()
}

/// Returns the border of a panel in `frame` (left, top, right, bottom) [px].
fn border([left, top, right, bottom]: [f64; 4]) -> Element {
    Element::Line {
        points: vec![
            [left, top],
            [right, top],
            [right, bottom],
            [left, bottom],
            [left, top],
        ],
        colour: BLACK,
        width: 1.0,
        dashed: false,
    }
}

/// Returns the mark of a point at `at` [px].
fn mark([x, y]: [f64; 2], colour: Colour) -> Element {
    let points = vec![[x - MARK, y], [x, y - MARK], [x + MARK, y], [x, y + MARK]];
    Element::Fill { points, colour }
}

/// Extends the range of one axis so that both have the same scale in a frame of `size` [px].
fn equalise(x: &mut Ticks, y: &mut Ticks, size: [f64; 2]) {
    let scale = ((x.high - x.low) / size[0]).max((y.high - y.low) / size[1]);
    for (ticks, size, n) in [(x, size[0], 10), (y, size[1], 8)] {
        let margin = 0.5 * (scale * size - (ticks.high - ticks.low));
        let low = ticks.low - margin;
        let high = ticks.high + margin;
        *ticks = Ticks {
            low,
            high,
            step: Ticks::round_step((high - low) / f64::from(n)),
        };
    }
}

/// Draws the labels of the axes and the legend of a panel in `frame` (left, top, right, bottom)
/// [px].
fn draw_labels(drawing: &mut Drawing, panel: &Panel, frame: [f64; 4]) {
    let [left, top, right, bottom] = frame;
    text(
        drawing,
        [left, top - 8.0],
        &panel.y_label,
        LETTERS + 1.0,
        Anchor::Start,
    );
    legend(drawing, panel, [right, top - 8.0]);
    text(
        drawing,
        [right, bottom + 30.0],
        &panel.x_label,
        LETTERS,
        Anchor::End,
    );
}

/// Draws the names of the curves above the panel, from right to left.
fn legend(drawing: &mut Drawing, panel: &Panel, [mut x, y]: [f64; 2]) {
    for line in panel.lines.iter().rev().filter(|l| !l.label.is_empty()) {
        text(drawing, [x, y], &line.label, LETTERS, Anchor::End);
        x -= text_width(&line.label, LETTERS) + 6.0;
        let points = vec![[x - 24.0, y - 4.0], [x, y - 4.0]];
        drawing.elements.push(Element::Line {
            points,
            colour: line.colour,
            width: 2.0,
            dashed: line.dashed,
        });
        x -= 40.0;
    }
}

/// Returns the finite points of a curve, thinned, with the logarithm applied for logarithmic
/// panels.
fn finite(panel: &Panel, line: &PlotCurve) -> Vec<[f64; 2]> {
    let every = line.points.len().div_ceil(POINTS).max(1);
    let last = line.points.len().saturating_sub(1);
    let kept = line
        .points
        .iter()
        .enumerate()
        .filter(|(k, _)| k % every == 0 || *k == last)
        .map(|(_, p)| *p);
    kept.map(|[x, y]| [x, if panel.logarithmic { libm::log10(y) } else { y }])
        .filter(|p| p[0].is_finite() && p[1].is_finite())
        .collect()
}

/// Tick positions at round numbers along an axis.
struct Ticks {
    low: f64,
    high: f64,
    step: f64,
}

impl Ticks {
    /// Chooses at most about `n` ticks over the range of `values`.
    fn for_values(values: impl Iterator<Item = f64>, n: usize) -> Self {
        let (mut low, mut high) = values.fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), v| {
            (a.min(v), b.max(v))
        });
        if low > high {
            (low, high) = (0.0, 1.0);
        }
        if high - low < 1e-9 * (1.0 + high.abs()) {
            (low, high) = (low - 0.5, high + 0.5);
        }
        Self {
            low: low - 0.02 * (high - low),
            high: high + 0.02 * (high - low),
            step: Self::round_step((high - low) / n as f64),
        }
    }

    /// Returns the smallest round step that is at least `raw`.
    fn round_step(raw: f64) -> f64 {
        let decade = libm::pow(10.0, libm::floor(libm::log10(raw)));
        [1.0, 2.0, 5.0, 10.0]
            .into_iter()
            .map(|m| m * decade)
            .find(|s| *s >= raw)
            .unwrap_or(raw)
    }

    fn values(&self) -> Vec<f64> {
        let first = libm::ceil(self.low / self.step);
        let n = libm::floor(self.high / self.step) - first;
        (0..=n.max(0.0) as usize)
            .map(|k| (first + k as f64) * self.step)
            .collect()
    }

    fn name(&self, value: f64) -> String {
        let decimals = (-libm::floor(libm::log10(self.step) + 1e-9)).clamp(0.0, 9.0) as usize;
        let text = format!("{value:.decimals$}");
        if text.trim_start_matches(['-', '0', '.']).is_empty() {
            "0".to_string()
        } else {
            text
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_round_with_equal_decimals() {
        let t = Ticks::for_values([0.0, 21.3].into_iter(), 10);
        let names: Vec<String> = t.values().iter().map(|v| t.name(*v)).collect();
        assert_eq!(names, ["0", "5", "10", "15", "20"]);
        let t = Ticks::for_values([-0.31, 0.2].into_iter(), 5);
        let names: Vec<String> = t.values().iter().map(|v| t.name(*v)).collect();
        assert_eq!(names, ["-0.2", "0", "0.2"]);
    }

    // A plan has the same scale on both axes. Method: the border of a square of 10 m, whose ranges
    // in pixels are compared. Tolerance: rounding.
    #[test]
    fn plans_have_equal_scales() {
        let square = vec![[0.0, 0.0], [10.0, 0.0], [10.0, 10.0]];
        let panel = Panel {
            lines: vec![PlotCurve::new("", BLACK, true, square)],
            ..Panel::default()
        };
        let drawing = draw_plan("", &panel, 800, 300);
        let mut lines = drawing.elements.iter().filter_map(|e| match e {
            Element::Line { points, dashed, .. } if *dashed => Some(points),
            _ => None,
        });
        let points = lines.next_back().expect("the curve");
        let [width, height] = [points[1][0] - points[0][0], points[1][1] - points[2][1]];
        assert!(
            width > 100.0 && (width - height).abs() < 1e-9,
            "{width} {height}"
        );
        let marks = draw_marks("", &panel, 800, 300);
        let fills = marks
            .elements
            .iter()
            .filter(|e| matches!(e, Element::Fill { .. }));
        assert_eq!(fills.count(), 3);
    }

    // Names of a plan are at their points and inside the panel. Method: the ends of a line, whose
    // names start and end at the ends of the curve.
    #[test]
    fn names_of_a_plan_are_at_their_points() {
        let ends = [[0.0, 0.0], [10.0, 5.0]];
        let panel = Panel {
            lines: vec![PlotCurve::new("", BLACK, true, ends.to_vec())],
            ..Panel::default()
        };
        let names = [("west".to_owned(), ends[0]), ("east".to_owned(), ends[1])];
        let drawing = draw_named_plan("", &panel, &names, 800, 300);
        let curve = drawing.elements.iter().find_map(|element| match element {
            Element::Line { points, dashed, .. } if *dashed => Some(points.clone()),
            _ => None,
        });
        let curve = curve.expect("the curve");
        let found = |name: &str| {
            let mut elements = drawing.elements.iter();
            elements.find_map(|element| match element {
                Element::Text {
                    at, text, anchor, ..
                } if text == name => Some((*at, *anchor)),
                _ => None,
            })
        };
        let [from, to] = [curve[0], curve[1]];
        assert_eq!(
            found("west"),
            Some(([from[0] + 6.0, from[1] - 5.0], Anchor::Start))
        );
        assert_eq!(
            found("east"),
            Some(([to[0] - 6.0, to[1] - 5.0], Anchor::End))
        );
    }

    // a curve without finite points, or a panel without curves, must not cause a panic
    #[test]
    fn empty_figures_are_drawn() {
        let nothing = PlotCurve {
            label: "x".into(),
            colour: BLACK,
            dashed: false,
            points: vec![[0.0, f64::NAN]],
        };
        let panel = Panel {
            lines: vec![nothing],
            ..Panel::default()
        };
        let drawing = draw_figure("empty", &[panel, Panel::default()], 400, 150);
        assert!(drawing.svg().contains("<polyline"));
    }
}
