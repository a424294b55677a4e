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
    pub fn new(
        label: impl Into<String>,
        colour: Colour,
        dashed: bool,
        points: Vec<[f64; 2]>,
    ) -> Self {
        Self {
            label: label.into(),
            colour,
            dashed,
            points,
        }
    }
}

/// Returns curves from their names and points (x, y), in the units of the axes, with the [`COLOURS`]
/// in order.
pub fn coloured(
    series: impl IntoIterator<Item = (impl Into<String>, Vec<[f64; 2]>)>,
) -> Vec<PlotCurve> {
    let series = series.into_iter().zip(COLOURS.into_iter().cycle());
    let curve = |((label, points), colour)| PlotCurve::new(label, colour, false, points);
    series.map(curve).collect()
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
    /// Form in which the points are drawn.
    pub style: Style,
    /// Texts next to points in the units of the axes.
    pub names: Vec<(String, [f64; 2])>,
}

impl Panel {
    /// Creates a panel of curves with linear axes.
    pub fn new(
        y_label: impl Into<String>,
        x_label: impl Into<String>,
        lines: Vec<PlotCurve>,
    ) -> Self {
        Self {
            y_label: y_label.into(),
            x_label: x_label.into(),
            lines,
            ..Self::default()
        }
    }
}

/// Form in which the points of a panel are drawn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Style {
    /// Curves; the axes have separate scales.
    #[default]
    Curves,
    /// Curves with a mark at their end, also of a curve that does not leave its first point; both
    /// axes have the same scale, such as in a map.
    Plan,
    /// One mark per point.
    Marks,
}

/// Half the width of the mark of a point [px].
const MARK: f64 = 2.5;

/// Draws a figure of panels, each `height` [px] high, with a title.
pub fn draw_figure(title: &str, panels: &[Panel], width: u32, height: u32) -> Drawing {
    let mut drawing = Drawing {
        size: [width, TITLE + height * panels.len() as u32 + 18],
        elements: Vec::new(),
    };
    if !title.is_empty() {
        drawing.text([MARGIN[0], 19.0], title, 15.0, Anchor::Start);
    }
    for (k, panel) in panels.iter().enumerate() {
        draw(&mut drawing, panel, frame_of(k, [width, height]));
    }
    drawing
}

impl Drawing {
    /// Adds a line of text at `at` [px], of the font size `size` [px].
    pub fn text(&mut self, at: [f64; 2], text: &str, size: f64, anchor: Anchor) {
        self.elements.push(Element::Text {
            at,
            text: text.to_string(),
            size,
            anchor,
            colour: BLACK,
        });
    }

    /// Adds a text at `at` [px] in the font size of labels.
    pub fn label(&mut self, at: [f64; 2], text: &str, anchor: Anchor) {
        self.text(at, text, LETTERS, anchor);
    }

    /// Adds a polyline through `points` [px], of the width `width` [px].
    pub fn line(&mut self, points: Vec<[f64; 2]>, colour: Colour, width: f64, dashed: bool) {
        self.elements.push(Element::Line {
            points,
            colour,
            width,
            dashed,
        });
    }
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

/// Draws one panel into `frame` (left, top, right, bottom) [px].
fn draw(drawing: &mut Drawing, panel: &Panel, frame: [f64; 4]) {
    let [left, top, right, bottom] = frame;
    let scaled = points_of(panel);
    let axes = Axes::new(&scaled, frame, panel.style);
    for x in axes.x.values() {
        let at = axes.pixel(&[x, 0.0])[0];
        drawing.line(vec![[at, top], [at, bottom]], GREY, 0.7, false);
        drawing.label([at, bottom + 15.0], &axes.x.name(x), Anchor::Middle);
    }
    let base = if panel.logarithmic { "1e" } else { "" };
    for y in axes.y.values() {
        let at = axes.pixel(&[0.0, y])[1];
        drawing.line(vec![[left, at], [right, at]], GREY, 0.7, false);
        let name = format!("{base}{}", axes.y.name(y));
        drawing.label([left - 6.0, at + 4.0], &name, Anchor::End);
    }
    for (of, points) in &scaled {
        let at: Vec<[f64; 2]> = points.iter().map(|point| axes.pixel(point)).collect();
        if panel.style == Style::Marks {
            let marks = at.into_iter().map(|at| mark(at, of.colour));
            drawing.elements.extend(marks);
            continue;
        }
        let end = at.last().filter(|_| panel.style == Style::Plan).copied();
        drawing.line(at, of.colour, 1.6, of.dashed);
        drawing.elements.extend(end.map(|at| mark(at, of.colour)));
    }
    let start = [left, top];
    let border = vec![start, [right, top], [right, bottom], [left, bottom], start];
    drawing.line(border, BLACK, 1.0, false);
    draw_labels(drawing, panel, frame);
    for (name, point) in &panel.names {
        let [x, y] = axes.pixel(point);
        // a text on the right half ends at its point, so that it remains in the panel
        let (x, anchor) = match x > 0.5 * (left + right) {
            true => (x - 6.0, Anchor::End),
            false => (x + 6.0, Anchor::Start),
        };
        drawing.label([x, y - 5.0], name, anchor);
    }
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
            step: round_step((high - low) / f64::from(n)),
        };
    }
}

/// Draws the labels of the axes and the legend of a panel in `frame` (left, top, right, bottom)
/// [px].
fn draw_labels(drawing: &mut Drawing, panel: &Panel, frame: [f64; 4]) {
    let [left, top, right, bottom] = frame;
    if !panel.y_label.is_empty() {
        let size = LETTERS + 1.0;
        drawing.text([left, top - 8.0], &panel.y_label, size, Anchor::Start);
    }
    legend(drawing, panel, [right, top - 8.0]);
    if !panel.x_label.is_empty() {
        drawing.label([right, bottom + 30.0], &panel.x_label, Anchor::End);
    }
}

/// Draws the names of the curves above the panel, from right to left.
fn legend(drawing: &mut Drawing, panel: &Panel, [mut x, y]: [f64; 2]) {
    for line in panel.lines.iter().rev().filter(|l| !l.label.is_empty()) {
        drawing.label([x, y], &line.label, Anchor::End);
        x -= text_width(&line.label, LETTERS) + 6.0;
        let points = vec![[x - 24.0, y - 4.0], [x, y - 4.0]];
        drawing.line(points, line.colour, 2.0, line.dashed);
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

/// Returns the smallest of 1, 2 and 5 times a power of ten that is at least `raw`, in its unit.
pub fn round_step(raw: f64) -> f64 {
    let decade = libm::pow(10.0, libm::floor(libm::log10(raw)));
    let steps = [1.0, 2.0, 5.0, 10.0].map(|m| m * decade);
    steps.into_iter().find(|s| *s >= raw).unwrap_or(raw)
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
            step: round_step((high - low) / n as f64),
        }
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
        let mut panel = Panel::new("", "", vec![PlotCurve::new("", BLACK, true, square)]);
        panel.style = Style::Plan;
        let drawing = draw_figure("", std::slice::from_ref(&panel), 800, 300);
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
        panel.style = Style::Marks;
        let marks = draw_figure("", &[panel], 800, 300);
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
            style: Style::Plan,
            names: vec![("west".to_owned(), ends[0]), ("east".to_owned(), ends[1])],
            ..Panel::default()
        };
        let drawing = draw_figure("", &[panel], 800, 300);
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
        let panel = Panel::new("", "", coloured([("x", vec![[0.0, f64::NAN]])]));
        let drawing = draw_figure("empty", &[panel, Panel::default()], 400, 150);
        assert!(drawing.svg().contains("<polyline"));
    }
}
