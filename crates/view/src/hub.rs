//! Data that the thread of the run passes to the threads of the clients.

use crate::controls::TopicMessage;
use crate::frame::Frame;
use crate::images::{Recent, Watch, WatchedFrame};
use crate::scene::SceneData;
use parking_lot::{Condvar, Mutex, MutexGuard};
use std::collections::{BTreeMap, HashMap, VecDeque};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::time::Duration;

/// Maximum number of events that wait for a client.
const MAX_EVENTS: usize = 64;
/// Maximum number and maximum size [bytes] of the messages of topics that wait for a client.
const MAX_TOPIC_MESSAGES: usize = 32_768;
const MAX_TOPIC_BYTES: usize = 64 * 1024 * 1024;

/// A value with a number that changes with every new value.
#[derive(Clone, Default)]
pub(crate) struct Numbered<T> {
    /// Number of the value; 0: no value yet.
    pub number: u64,
    /// Newest value that was set.
    pub value: T,
}

impl<T> Numbered<T> {
    pub(crate) fn set(&mut self, value: T) {
        self.number += 1;
        self.value = value;
    }
}

/// Newest data of the run.
#[derive(Clone, Default)]
pub(crate) struct Latest {
    /// Newest state frame of the run.
    pub frame: Numbered<Arc<Frame>>,
    /// Description of the scene.
    pub scene: Numbered<Arc<SceneData>>,
    /// Sea states with their components.
    pub sea: Numbered<Arc<str>>,
    /// Status of the run as a JSON text for the page.
    pub status: Numbered<Arc<str>>,
    /// Communication links that have transmitted.
    pub links: Numbered<Arc<str>>,
    /// Recent activities of the modems and recent frames.
    pub network: Numbered<Arc<str>>,
    /// Rates of the sensors of robots, with the indices of the robots.
    pub rates: Numbered<Arc<[(usize, String)]>>,
    /// Readings of robots for overlays, with the indices of the robots.
    pub overlays: Numbered<Arc<[(usize, String)]>>,
    /// Number of the newest event.
    pub event: u64,
    /// Newest events, the last with the number `event`.
    pub events: VecDeque<Arc<str>>,
}

/// Messages of the topics that clients plot.
#[derive(Default)]
struct TopicMessages {
    /// Number of the message after the newest one.
    next: u64,
    /// Newest messages, the last with the number `next - 1`.
    messages: VecDeque<TopicMessage>,
    /// Sum of the sizes of the messages, which is limited [bytes].
    bytes: usize,
}

/// Data that a client receives in addition to the data for all clients.
#[derive(Clone, Default)]
pub(crate) struct Choices {
    /// Robot that the client has selected.
    pub selected: Option<usize>,
    /// Robots whose fields the client plots.
    pub plotted: Vec<usize>,
    /// Topics whose fields the client plots.
    pub topics: Vec<String>,
    /// Images of sensors that the client watches.
    pub watched: Vec<Watch>,
    /// Whether the readings of the selected robot contain its wetted hull; `None`: no readings.
    pub overlay: Option<bool>,
    /// Whether the client receives the activities of the modems.
    pub has_network: bool,
}

/// Choices of the clients by their numbers, and the number of changes of their topics.
#[derive(Default)]
struct AllChoices {
    clients: HashMap<u64, Choices>,
    topic_changes: u64,
}

impl AllChoices {
    /// Returns the parts `of` the choices of all clients, sorted and without duplicates.
    fn collect<T: Ord, I: IntoIterator<Item = T>>(&self, of: impl Fn(&Choices) -> I) -> Vec<T> {
        let mut all: Vec<T> = self.clients.values().flat_map(of).collect();
        all.sort_unstable();
        all.dedup();
        all
    }
}

/// Shared state of the view.
#[derive(Default)]
pub(crate) struct Hub {
    latest: Mutex<Latest>,
    changed: Condvar,
    /// Set when the view ends.
    pub stop: AtomicBool,
    /// Number of connected clients.
    pub clients: AtomicUsize,
    /// Number of frames that clients dropped because they were slow.
    pub dropped: AtomicU64,
    /// Number of refused messages of clients.
    pub refused: AtomicU64,
    /// Choices of the clients.
    choices: Mutex<AllChoices>,
    /// Recent messages of the topics that clients plot.
    messages: Mutex<TopicMessages>,
    /// Recent frames of the watched sensors, by the indices of robot and sensor.
    sensors: Mutex<HashMap<(usize, usize), Recent>>,
}

impl Hub {
    /// Returns the newest data for a change.
    pub(crate) fn lock(&self) -> MutexGuard<'_, Latest> {
        self.latest.lock()
    }

    /// Changes the newest data and wakes the clients.
    pub(crate) fn update(&self, change: impl FnOnce(&mut Latest)) {
        change(&mut self.lock());
        self.changed.notify_all();
    }

    /// Adds an event line for all clients. The oldest event is discarded beyond [`MAX_EVENTS`].
    pub(crate) fn add_event(&self, text: String) {
        self.update(|latest| {
            latest.event += 1;
            latest.events.push_back(text.into());
            if latest.events.len() > MAX_EVENTS {
                latest.events.pop_front();
            }
        });
    }

    /// Waits for a frame newer than `seen`, at most for `timeout`. Returns the newest data.
    pub(crate) fn wait(&self, seen: u64, timeout: Duration) -> Latest {
        let mut latest = self.lock();
        if latest.frame.number <= seen && !self.stop.load(Ordering::Relaxed) {
            self.changed.wait_for(&mut latest, timeout);
        }
        latest.clone()
    }

    /// Ends the threads of the clients.
    pub(crate) fn end(&self) {
        self.stop.store(true, Ordering::Relaxed);
        self.changed.notify_all();
    }

    /// Sets the choices of a client. `plots`: it plots these topics from now on, also if they are
    /// the same as before.
    pub(crate) fn set_choices(&self, client: u64, own: Choices, plots: bool) {
        let mut choices = self.choices.lock();
        choices.clients.insert(client, own);
        choices.topic_changes += u64::from(plots);
    }

    /// Removes the choices of a client that has left.
    pub(crate) fn leave(&self, client: u64) {
        let mut choices = self.choices.lock();
        let own = choices.clients.remove(&client).unwrap_or_default();
        choices.topic_changes += u64::from(!own.topics.is_empty());
    }

    /// Returns the topics that clients plot if they have changed. `seen` is the number of changes
    /// at the preceding call.
    pub(crate) fn changed_topics(&self, seen: &mut u64) -> Option<Vec<String>> {
        let choices = self.choices.lock();
        let is_new = std::mem::replace(seen, choices.topic_changes) != choices.topic_changes;
        is_new.then(|| choices.collect(|own| own.topics.clone()))
    }

    /// Adds messages of topics. The oldest are discarded.
    pub(crate) fn add_messages(&self, new: Vec<TopicMessage>) {
        let mut all = self.messages.lock();
        all.next += new.len() as u64;
        all.bytes += new.iter().map(|message| message.bytes.len()).sum::<usize>();
        all.messages.extend(new);
        while all.messages.len() > MAX_TOPIC_MESSAGES || all.bytes > MAX_TOPIC_BYTES {
            let Some(oldest) = all.messages.pop_front() else {
                break;
            };
            all.bytes -= oldest.bytes.len();
        }
    }

    /// Returns at most `limit` messages of `topics` from the number `seen` on, and sets `seen` to
    /// the number after them.
    pub(crate) fn messages(
        &self,
        topics: &[&str],
        seen: &mut u64,
        limit: usize,
    ) -> Vec<TopicMessage> {
        let all = self.messages.lock();
        let oldest = all.next - all.messages.len() as u64;
        let from = (*seen).max(oldest);
        let mut found = Vec::new();
        *seen = all.next;
        for (k, message) in all
            .messages
            .iter()
            .skip((from - oldest) as usize)
            .enumerate()
        {
            if found.len() == limit {
                *seen = from + k as u64;
                break;
            }
            if topics.contains(&&*message.topic) {
                found.push(message.clone());
            }
        }
        found
    }

    /// Returns the number of the message after the newest one.
    pub(crate) fn next_message(&self) -> u64 {
        self.messages.lock().next
    }

    /// Returns the robots that clients have selected.
    pub(crate) fn selected(&self) -> Vec<usize> {
        self.choices.lock().collect(|own| own.selected)
    }

    /// Returns the robots that clients have selected or plot.
    pub(crate) fn detailed(&self) -> Vec<usize> {
        let robots = |own: &Choices| own.plotted.iter().copied().chain(own.selected).collect();
        self.choices.lock().collect::<_, Vec<_>>(robots)
    }

    /// Returns true if a client receives the activities of the modems.
    pub(crate) fn needs_network(&self) -> bool {
        let choices = self.choices.lock();
        choices.clients.values().any(|own| own.has_network)
    }

    /// Returns the selected robots whose readings clients receive, and whether a client receives
    /// the wetted hull.
    pub(crate) fn overlaid(&self) -> BTreeMap<usize, bool> {
        let mut robots = BTreeMap::new();
        for own in self.choices.lock().clients.values() {
            if let (Some(robot), Some(has_hull)) = (own.selected, own.overlay) {
                *robots.entry(robot).or_default() |= has_hull;
            }
        }
        robots
    }

    /// Returns the sensors that clients watch.
    pub(crate) fn watched(&self) -> Vec<Watch> {
        self.choices.lock().collect(|own| own.watched.clone())
    }

    /// Adds a frame of a watched sensor and keeps at most `limit` frames of it.
    pub(crate) fn add_sensor_frame(
        &self,
        place: (usize, usize),
        frame: WatchedFrame,
        limit: usize,
    ) {
        let mut sensors = self.sensors.lock();
        let recent = sensors.entry(place).or_default();
        recent.number += 1;
        recent.frames.push_back(frame);
        while recent.frames.len() > limit {
            recent.frames.pop_front();
        }
    }

    /// Removes the frames of all sensors except these.
    pub(crate) fn keep_sensors(&self, places: &[(usize, usize)]) {
        self.sensors
            .lock()
            .retain(|place, _| places.contains(place));
    }

    /// Removes the frames of all sensors, whose numbers continue.
    pub(crate) fn clear_sensor_frames(&self) {
        for recent in self.sensors.lock().values_mut() {
            recent.frames.clear();
        }
    }

    /// Removes the frames of all sensors and the choices of all clients, because indices have
    /// changed.
    pub(crate) fn forget_sensors(&self) {
        let mut choices = self.choices.lock();
        let clients = choices.clients.values_mut();
        clients.for_each(|own| own.watched.clear());
        self.sensors.lock().clear();
    }

    /// Returns the recent frames of a sensor if their number is not `seen`.
    pub(crate) fn sensor_frames(&self, place: (usize, usize), seen: u64) -> Option<Recent> {
        let sensors = self.sensors.lock();
        let found = sensors.get(&place)?;
        (found.number != seen).then(|| found.clone())
    }
}
