//! Messages of the recorded topics that pages plot: all messages of the bag, a few per turn.

use bytes::Bytes;
use merrow_ros2::bag::index::{BagIndex, MessagePlace};
use merrow_view::readings::plotted::PlottedTopics;
use std::collections::VecDeque;

/// Maximum number of messages of one topic. Of longer recordings every n-th message is read.
const MAX_MESSAGES: usize = 20_000;
/// Maximum number of messages that are read in one turn.
const MAX_READ: usize = 500;

/// Messages of a topic that are not read yet.
#[derive(Debug)]
struct Unread {
    topic: String,
    places: Vec<MessagePlace>,
    /// Number of the next message.
    next: usize,
    /// Every n-th message is read.
    stride: usize,
}

/// Reader of the plotted topics.
#[derive(Debug, Default)]
pub(crate) struct PlotReader {
    unread: VecDeque<Unread>,
}

impl PlotReader {
    /// Reads these topics from their first message on.
    ///
    /// # Errors
    /// One line: the bag cannot be read.
    pub(crate) fn start(&mut self, topics: &[String], index: &mut BagIndex) -> Result<(), String> {
        self.unread.clear();
        for name in topics {
            let Some(topic) = index.topic(name) else {
                continue;
            };
            let mut places = index.latest(topic, 0)?.into_iter().collect::<Vec<_>>();
            places.extend(index.between(topic, 0, u64::MAX)?);
            self.unread.push_back(Unread {
                topic: name.clone(),
                stride: places.len().div_ceil(MAX_MESSAGES).max(1),
                places,
                next: 0,
            });
        }
        Ok(())
    }

    /// Reads the next messages and passes them on. `simulated_ns` converts the time of a record to
    /// simulated time [ns].
    ///
    /// # Errors
    /// One line: the bag cannot be read.
    pub(crate) fn read(
        &mut self,
        index: &mut BagIndex,
        plotted: &PlottedTopics,
        simulated_ns: impl Fn(u64) -> u64,
    ) -> Result<(), String> {
        let mut count = 0;
        while let Some(own) = self.unread.front_mut() {
            while let Some(place) = own.places.get(own.next) {
                if count == MAX_READ {
                    return Ok(());
                }
                let bytes = Bytes::from(index.read(place)?);
                let time_ns = simulated_ns(place.log_time_ns);
                plotted.add(&own.topic, time_ns, &bytes, own.next == 0);
                own.next += own.stride;
                count += 1;
            }
            self.unread.pop_front();
        }
        Ok(())
    }
}
