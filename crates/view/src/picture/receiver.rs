//! Figures of the sentences of AIS receivers.

use crate::picture::{FIGURE_WIDTH, Plot, Snapshot, SnapshotOutput};
use merrow_model::scene::Sensor;
use merrow_model::scene::sensor::ais;
use merrow_model::scene::sensor::ais::ReceiverSpec;
use merrow_model::state::frames::{Frame, FrameData};
use merrow_validate::figure::canvas::{Anchor, Drawing, Element};
use merrow_validate::figure::chart::BLACK;

/// Number of sentences in a figure, counted from the end.
const SENTENCES: usize = 24;

impl Snapshot for ReceiverSpec {
    fn output<'a>(&'a self, _: &'a Sensor) -> SnapshotOutput<'a> {
        SnapshotOutput::Plot(Box::new(|title, frames| {
            Some(Plot::Figure(draw_sentences(title, frames)))
        }))
    }
}

/// Draws the last sentences of a receiver as text.
fn draw_sentences(title: &str, frames: &[Frame]) -> Drawing {
    let mut lines = Vec::new();
    for frame in frames {
        if let FrameData::Sentences(sentences) = &*frame.data {
            let to_line =
                |s: &ais::Sentence| format!("{:9.3} s  {}", s.stamp_ns as f64 * 1e-9, s.text);
            lines.extend(sentences.iter().map(to_line));
        }
    }
    let last = lines.split_off(lines.len().saturating_sub(SENTENCES));
    let size = [FIGURE_WIDTH, 40 + 18 * last.len().max(1) as u32];
    let text = |at, text: String, size| Element::Text {
        at,
        text,
        size,
        anchor: Anchor::Start,
        colour: BLACK,
    };
    let mut elements = vec![text([16.0, 22.0], title.to_string(), 15.0)];
    elements.extend(
        last.into_iter()
            .enumerate()
            .map(|(k, line)| text([16.0, 46.0 + 18.0 * k as f64], line, 12.0)),
    );
    Drawing { size, elements }
}
