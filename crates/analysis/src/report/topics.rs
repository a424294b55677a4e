//! Topics of a bag: number of messages, requested and achieved rates, longest gaps.

use crate::report::Section;
use crate::report::page::{cells, paragraph, table};
use merrow_ros2::bag::topics::{BagContent, BagTopic};

/// Times of the messages of a topic [s].
#[derive(Clone, Debug, Default)]
struct Times {
    /// Times of headers, or of the recording without headers.
    all: Vec<f64>,
    has_stamps: bool,
}

/// Times of the messages of all topics.
#[derive(Debug, Default)]
pub(super) struct Topics {
    times: Vec<Times>,
    /// First and last time of the recording [s].
    bounds: Option<[f64; 2]>,
}

/// Rates of a topic [Hz] and its longest gap [s].
#[derive(Clone, Copy, Debug, PartialEq)]
struct Rates {
    /// Rate of the recorder, or the reciprocal of the median period.
    requested: f64,
    /// Number of periods over the time from the first to the last message.
    achieved: f64,
    longest_gap: f64,
}

/// Computes the rates from the sorted times of messages [s]; `None` for fewer than three.
fn rates(times: &[f64], requested: Option<f64>) -> Option<Rates> {
    let span = times.last()? - times.first()?;
    if times.len() < 3 || span <= 0.0 {
        return None;
    }
    let mut periods: Vec<f64> = times.windows(2).map(|pair| pair[1] - pair[0]).collect();
    periods.sort_by(f64::total_cmp);
    let median = periods[periods.len() / 2];
    Some(Rates {
        requested: requested.unwrap_or(if median > 0.0 { 1.0 / median } else { f64::NAN }),
        achieved: periods.len() as f64 / span,
        longest_gap: periods[periods.len() - 1],
    })
}

impl Topics {
    /// Adds a message of the topic `topic`: the time of the recording and of its header [s].
    pub(super) fn add(&mut self, topic: usize, log: f64, stamp: Option<f64>) {
        if self.times.len() <= topic {
            self.times.resize(topic + 1, Times::default());
        }
        let own = &mut self.times[topic];
        own.has_stamps |= stamp.is_some();
        own.all.push(stamp.unwrap_or(log));
        let [first, last] = self.bounds.unwrap_or([log, log]);
        self.bounds = Some([first.min(log), last.max(log)]);
    }

    /// Returns the line at the top of the page.
    pub(super) fn summary(&self, content: &BagContent) -> String {
        let messages: u64 = content.topics.iter().map(|topic| topic.count).sum();
        let [first, last] = self.bounds.unwrap_or_default();
        format!(
            "{messages} messages on {} topics, recorded over {:.3} s from {first:.3} s to {last:.3} s.",
            content.topics.len(),
            last - first
        )
    }

    /// Returns the section of all topics.
    pub(super) fn section(&self, content: &BagContent) -> Option<Section> {
        let mut topics: Vec<(&BagTopic, &Times)> = content.topics.iter().zip(&self.times).collect();
        topics.sort_by(|a, b| a.0.name.cmp(&b.0.name));
        let row = |(topic, times): &(&BagTopic, &Times)| {
            let mut sorted = times.all.clone();
            sorted.sort_by(f64::total_cmp);
            let rates = rates(&sorted, topic.rate_hz);
            let rate = |number: fn(&Rates) -> f64| rates.as_ref().map_or(f64::NAN, number);
            let source = match (rates, topic.rate_hz) {
                (None, _) => "",
                (Some(_), Some(_)) => "recorder",
                (Some(_), None) => "median period",
            };
            cells! {
                &topic.name;
                &topic.type_name;
                topic.count as f64, 0;
                rate(|r| r.requested), 3;
                source;
                rate(|r| r.achieved), 3;
                rate(|r| 100.0 * r.achieved / r.requested), 1;
                rate(|r| r.longest_gap), 3;
                if times.has_stamps { "header" } else { "recording" };
            }
        };
        let head = "topic | type | messages | requested [Hz] | from | achieved [Hz] | achieved [%] | \
            longest gap [s] | times of";
        let about = "The requested rate is stored by the recorder, or is the reciprocal of the median period. \
            The achieved rate is the number of periods over the time from the first to the last message.";
        let html = table(head, topics.iter().map(row)) + &paragraph(about);
        Some(Section::new("Topics and rates", html))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // A lost message lowers the achieved rate, not the requested rate. Method: 10 Hz over 1 s
    // without one message. Tolerance: rounding.
    #[test]
    fn rates_follow_from_times() {
        let times: Vec<f64> = (0..=10)
            .filter(|k| *k != 4)
            .map(|k| f64::from(k) * 0.1)
            .collect();
        let own = rates(&times, None).expect("rates");
        assert!((own.requested - 10.0).abs() < 1e-9, "{own:?}");
        assert!((own.achieved - 9.0).abs() < 1e-9, "{own:?}");
        assert!((own.longest_gap - 0.2).abs() < 1e-9, "{own:?}");
        assert_eq!(rates(&times, Some(20.0)).map(|r| r.requested), Some(20.0));
        assert_eq!(rates(&times[..2], None), None);
        assert_eq!(rates(&[1.0, 1.0, 1.0], None), None);
    }
}
