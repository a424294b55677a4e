//! HTML of the report: page, tables and figures.

use crate::plot::thin;
use crate::report::Section;
use crate::schedule::{Interval, draw_schedule};
use merrow_chart::canvas::{Drawing, escaped};
use merrow_chart::chart::{COLOURS, Panel, coloured, draw_figure};
use std::path::Path;

/// Width of a figure [px].
pub(super) const WIDTH: u32 = 620;
/// Height of a panel [px].
pub(super) const HEIGHT: u32 = 170;

/// Maximum number of bars of a schedule.
const MAX_BARS: usize = 3000;

/// Style of the page. The custom properties `--c...` are the colours of figures in the dark theme.
const STYLE: &str = "
:root { color-scheme: light dark; --page: #ffffff; --text: #1e1e1e; --faint: #666666; --rule: #d8d8d8; --head: #f3f5f7; }
@media (prefers-color-scheme: dark) {
  :root { --page: #14181c; --text: #e4e6e8; --faint: #9aa3ab; --rule: #363d44; --head: #1e242a;
    --c1e1e1e: #e4e6e8; --ccdcdcd: #363d44; --cc82828: #ff7b72; --c1e5ab4: #6cb0ff; --c1e8c46: #5ccf86;
    --cbe7800: #f0b44c; --c783ca0: #c39bf0; --c008c96: #4cc9d1; }
}
body { margin: 2rem auto; max-width: 1280px; padding: 0 1rem; background: var(--page); color: var(--text);
  font: 15px/1.45 Roboto, Helvetica, Arial, sans-serif; }
h1 { font-size: 1.5rem; margin-bottom: 0.2rem; }
h2 { font-size: 1.15rem; margin-top: 2.2rem; border-bottom: 1px solid var(--rule); padding-bottom: 0.2rem; }
p, nav { color: var(--faint); }
nav a { color: inherit; margin-right: 1rem; }
.note { color: var(--text); border-left: 3px solid #be7800; padding-left: 0.7rem; }
.figures { display: flex; flex-wrap: wrap; gap: 0.5rem 1rem; }
.figures svg { max-width: 100%; height: auto; }
.table { overflow-x: auto; }
table { border-collapse: collapse; margin: 0.6rem 0; font-variant-numeric: tabular-nums; }
th, td { border-bottom: 1px solid var(--rule); padding: 0.2rem 0.8rem 0.2rem 0.3rem; text-align: left; }
th { background: var(--head); font-weight: 600; }
td.number, th.number { text-align: right; }
";

/// Returns the page with its sections.
pub(super) fn page(bag: &Path, summary: &str, notes: &[String], sections: &[Section]) -> String {
    let name = bag.file_name().unwrap_or(bag.as_os_str());
    let name = escaped(&name.to_string_lossy());
    let mut links = String::new();
    let mut body = String::new();
    for note in notes {
        body.push_str(&format!("<p class=\"note\">{}</p>\n", escaped(note)));
    }
    for (k, section) in sections.iter().enumerate() {
        let title = escaped(&section.title);
        links.push_str(&format!("<a href=\"#s{k}\">{title}</a>\n"));
        body.push_str(&format!("<section id=\"s{k}\">\n<h2>{title}</h2>\n"));
        body.push_str(&section.html);
        body.push_str("</section>\n");
    }
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <title>Report of {name}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n\
         <h1>Report of {name}</h1>\n<p>{}</p>\n<nav>\n{links}</nav>\n{body}</body>\n</html>\n",
        escaped(summary)
    )
}

/// Cell of a table.
#[derive(Clone, Debug)]
pub(super) enum Cell {
    /// Text, aligned to the left.
    Text(String),
    /// Number as text, aligned to the right.
    Number(String),
}

impl Cell {
    /// Returns a text cell.
    pub(super) fn text(text: impl Into<String>) -> Self {
        Self::Text(text.into())
    }

    /// Returns the cell of a number with `decimals` decimals; empty if it is not finite.
    pub(super) fn number(value: f64, decimals: usize) -> Self {
        Self::Number(if value.is_finite() {
            format!("{value:.decimals$}")
        } else {
            String::new()
        })
    }
}

/// Returns the cells of a row: texts, and numbers with their decimals.
macro_rules! cells {
    (@cell $text:expr) => {
        $crate::report::page::Cell::text($text)
    };
    (@cell $number:expr, $decimals:expr) => {
        $crate::report::page::Cell::number($number, $decimals)
    };
    ($($value:expr $(, $decimals:expr)?;)*) => {
        vec![$(cells!(@cell $value $(, $decimals)?)),*]
    };
}
pub(super) use cells;

/// Returns a table, empty without rows. `head` contains the names of the columns, separated by
/// ` | `. A column is aligned as its first cell.
pub(super) fn table(head: &str, rows: impl IntoIterator<Item = Vec<Cell>>) -> String {
    let mut rows = rows.into_iter().peekable();
    let Some(first) = rows.peek() else {
        return String::new();
    };
    let mut out = "<div class=\"table\"><table>\n<tr>".to_owned();
    for (name, cell) in head.split(" | ").zip(first) {
        let class = match cell {
            Cell::Text(_) => "",
            Cell::Number(_) => " class=\"number\"",
        };
        out.push_str(&format!("<th{class}>{}</th>", escaped(name)));
    }
    out.push_str("</tr>\n");
    for row in rows {
        out.push_str("<tr>");
        for cell in row {
            match cell {
                Cell::Text(text) => out.push_str(&format!("<td>{}</td>", escaped(&text))),
                Cell::Number(text) => out.push_str(&format!("<td class=\"number\">{text}</td>")),
            }
        }
        out.push_str("</tr>\n");
    }
    out.push_str("</table></div>\n");
    out
}

/// Returns a paragraph with a text.
pub(super) fn paragraph(text: &str) -> String {
    format!("<p>{}</p>\n", escaped(text))
}

/// Returns the drawings next to each other.
pub(super) fn figures(drawings: impl IntoIterator<Item = Drawing>) -> String {
    let drawings: String = drawings.into_iter().map(|d| d.inline_svg()).collect();
    if drawings.is_empty() {
        return String::new();
    }
    format!("<div class=\"figures\">\n{drawings}</div>\n")
}

/// Bars of a schedule, up to a maximum number.
#[derive(Debug, Default)]
pub(super) struct Bars {
    intervals: Vec<Interval>,
    /// Number of intervals beyond the maximum.
    excess: usize,
}

impl Bars {
    pub(super) fn add(&mut self, interval: Interval) {
        if self.intervals.len() < MAX_BARS {
            self.intervals.push(interval);
        } else {
            self.excess += 1;
        }
    }

    /// Draws the bars of `activities`; `None` without bars.
    pub(super) fn draw(&self, title: &str, activities: &[&str]) -> Option<Drawing> {
        draw_schedule(title, activities, &self.intervals, WIDTH)
    }

    /// Returns a paragraph about the intervals beyond the maximum, if there are any.
    pub(super) fn note(&self) -> String {
        match self.excess {
            0 => String::new(),
            n => paragraph(&format!("The schedule ends before {n} later intervals.")),
        }
    }
}

/// Points of a curve with its name in the legend.
pub(super) type Series = (String, Vec<[f64; 2]>);

/// Draws panels of curves over time; panels without points are omitted. `None` without points.
pub(super) fn curves(title: &str, panels: Vec<(&str, Vec<Series>)>) -> Option<Drawing> {
    let mut drawn: Vec<Panel> = Vec::new();
    for (y_label, mut series) in panels {
        series.retain(|(_, points)| points.iter().any(|p| p[1].is_finite()));
        // the legend has space for the colours
        while !series.is_empty() {
            let n = series.len().min(COLOURS.len());
            let thinned = series.drain(..n).map(|(name, points)| (name, thin(points)));
            drawn.push(Panel::new(y_label, "", coloured(thinned)));
        }
    }
    drawn.last_mut()?.x_label = "time [s]".to_owned();
    Some(draw_figure(title, &drawn, WIDTH, HEIGHT))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_escaped() {
        let row = cells! { "<b>"; 1.25, 1; f64::NAN, 1; };
        let table = table("a & b | n | m", [row]);
        assert!(table.contains("<th>a &amp; b</th><th class=\"number\">n</th>"));
        assert!(
            table.contains(
                "<td>&lt;b&gt;</td><td class=\"number\">1.2</td><td class=\"number\"></td>"
            )
        );
        let page = page(Path::new("<x>.mcap"), "&", &["<note>".into()], &[]);
        assert!(page.contains("Report of &lt;x&gt;.mcap") && page.contains("&lt;note&gt;"));
    }

    #[test]
    fn panels_without_points_are_omitted() {
        let series = |value: f64| vec![("x".to_owned(), vec![[0.0, value], [1.0, value]])];
        assert!(curves("", vec![("a", series(f64::NAN)), ("b", vec![])]).is_none());
        let drawing = curves("", vec![("a", series(1.0)), ("b", series(f64::NAN))]);
        assert_eq!(drawing.map(|d| d.size[1]), Some(26 + HEIGHT + 18));
    }
}
