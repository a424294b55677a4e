//! Images and points of sensors from their recorded messages.

use crate::topics::Plan;
use merrow_messages::snapshot::recorded::{Form, decode};
use merrow_model::state::frames::Frame;
use merrow_ros2::bag::index::{BagIndex, MessagePlace};
use merrow_sim::Simulation;
use merrow_view::View;
use merrow_view::picture::live::{COLOR, DEPTH, IMAGE};
use std::collections::HashMap;
use std::sync::Arc;

/// Maximum number of messages of a sensor that are shown between two states.
const MAX_MESSAGES: usize = 12;

/// Returns the name of the image of a form in the page.
fn image_name(form: Form) -> &'static str {
    match form {
        Form::Color | Form::Jpeg => COLOR,
        Form::Depth => DEPTH,
        _ => IMAGE,
    }
}

/// Recorded topics of the images of sensors.
#[derive(Debug, Default)]
pub(crate) struct RecordedImages {
    /// Topic and form of each image, by the indices of robot and sensor. The forms are sorted.
    topics: HashMap<(usize, usize), Vec<(usize, Form)>>,
    /// Message of each topic that was shown last.
    shown: HashMap<usize, MessagePlace>,
}

impl RecordedImages {
    pub(crate) fn new(plan: &Plan, index: &BagIndex) -> Self {
        let mut images = Self::default();
        for output in &plan.outputs {
            let Some(place) = output.sensor() else {
                continue;
            };
            let form = Form::from_topic(output.info.name, &output.topic);
            let recorded = index.topic(&output.topic);
            let recorded = recorded.filter(|k| index.topics[*k].type_name == output.info.name);
            if let (Some(form), Some(topic)) = (form, recorded) {
                let own = images.topics.entry(place).or_default();
                own.push((topic, form));
                own.sort_by_key(|(_, form)| *form);
            }
        }
        images
    }

    /// Returns the names of the images of a sensor that are recorded.
    pub(crate) fn kinds(&self, place: (usize, usize)) -> Vec<&'static str> {
        let own = self.topics.get(&place).into_iter().flatten();
        let mut kinds: Vec<&str> = own.map(|(_, form)| image_name(*form)).collect();
        kinds.dedup();
        kinds
    }

    /// Clears the list of the shown messages, after a change of the time.
    pub(crate) fn seek(&mut self) {
        self.shown.clear();
    }

    /// Shows the messages of the watched images that are new at a log time [ns].
    pub(crate) fn show(
        &mut self,
        view: &View,
        simulation: &Simulation,
        index: &mut BagIndex,
        log_ns: u64,
    ) -> Result<(), String> {
        for (place, kind) in view.watched() {
            let own = self.topics.get(&place).into_iter().flatten();
            let Some(&(topic, form)) = own.into_iter().find(|(_, form)| image_name(*form) == kind)
            else {
                continue;
            };
            let mut new = Vec::new();
            let latest = index.latest(topic, log_ns)?;
            let mut last = self.shown.get(&topic).copied();
            while let (Some(shown), true) = (last, new.len() < MAX_MESSAGES) {
                last = index.next(topic, shown.log_time_ns)?;
                last = last.filter(|next| next.log_time_ns <= log_ns);
                new.extend(last);
            }
            if new.last() != latest.as_ref() && self.shown.get(&topic) != latest.as_ref() {
                // after a seek, or too many messages since the last state
                new.extend(latest);
            }
            for message in new {
                self.shown.insert(topic, message);
                let bytes = index.read(&message)?;
                if let Some((data, file)) = decode(form, &bytes) {
                    let frame = Frame {
                        robot: place.0,
                        sensor: place.1,
                        stamp_ns: simulation.time_ns(),
                        due_ns: simulation.time_ns(),
                        data: Arc::new(data),
                    };
                    view.add_frame(simulation, frame, file.map(|file| (kind.clone(), file)));
                }
            }
        }
        Ok(())
    }
}
