//! Figures of sensors other than curves: lists of text and plan views.

use merrow_chart::canvas::{Anchor, Drawing};
use merrow_chart::chart::{BLACK, FIGURE_WIDTH, Panel, PlotCurve, coloured, draw_figure};
use merrow_messages::snapshot::PlanView;

/// Number of lines of text in a figure, counted from the end.
const TEXT_LINES: usize = 24;
/// Minimum and maximum height of a plan view [px].
const PLAN: [f64; 2] = [200.0, 900.0];

/// Draws the last lines of a text.
pub fn draw_text(title: &str, mut lines: Vec<String>) -> Drawing {
    let last = lines.split_off(lines.len().saturating_sub(TEXT_LINES));
    let size = [FIGURE_WIDTH, 40 + 18 * last.len().max(1) as u32];
    let mut drawing = Drawing {
        size,
        elements: Vec::new(),
    };
    drawing.text([16.0, 22.0], title, 15.0, Anchor::Start);
    for (k, line) in last.iter().enumerate() {
        drawing.label([16.0, 46.0 + 18.0 * k as f64], line, Anchor::Start);
    }
    drawing
}

/// Draws the outlines of detected obstacles in plan view.
pub fn draw_plan_view(title: &str, view: PlanView) -> Drawing {
    let mut lines = coloured(view.outlines);
    if !view.in_world {
        // outline of the sensor
        let outline = vec![[-0.3, -0.2], [0.4, 0.0], [-0.3, 0.2], [-0.3, -0.2]];
        lines.push(PlotCurve::new("sensor", BLACK, false, outline));
    }
    let extent = |axis: usize| {
        let all = || {
            lines
                .iter()
                .flat_map(|line| line.points.iter().map(move |p| p[axis]))
        };
        all().fold(f64::MIN, f64::max) - all().fold(f64::MAX, f64::min)
    };
    let ratio = if lines.is_empty() {
        0.5
    } else {
        extent(1) / extent(0).max(1e-3)
    };
    let height = (ratio * f64::from(FIGURE_WIDTH)).clamp(PLAN[0], PLAN[1]) as u32;
    let [x_label, y_label] = if view.in_world {
        ["east [m]", "north [m]"]
    } else {
        ["x [m]", "y [m]"]
    };
    let panel = Panel::new(y_label, x_label, lines);
    let title = format!("{title}: obstacles, plan view");
    draw_figure(&title, &[panel], FIGURE_WIDTH, height)
}
