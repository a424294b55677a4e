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

/// Topics that each client plots, by the number of the client, and the number of changes.
#[derive(Default)]
struct TopicChoices {
    changes: u64,
    topics: HashMap<u64, Vec<String>>,
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
    /// Robot that each client has selected, by the number of the client.
    selected: Mutex<HashMap<u64, usize>>,
    /// Robots whose fields each client plots, by the number of the client.
    plotted: Mutex<HashMap<u64, Vec<usize>>>,
    /// Topics that the clients plot.
    topics: Mutex<TopicChoices>,
    /// Recent messages of these topics.
    messages: Mutex<TopicMessages>,
    /// Images of sensors that each client watches, by the number of the client.
    watched: Mutex<HashMap<u64, Vec<Watch>>>,
    /// Clients that receive the readings of their selected robot, and whether they receive its
    /// wetted hull.
    overlaid: Mutex<HashMap<u64, bool>>,
    /// Clients that receive the activities of the modems.
    networked: Mutex<Vec<u64>>,
    /// Recent frames of the watched sensors.
    sensors: Mutex<Vec<Recent>>,
}

/// Adds a client to a list if `is_member` is true, otherwise removes it.
fn set_member(list: &Mutex<Vec<u64>>, client: u64, is_member: bool) {
    let mut list = list.lock();
    list.retain(|known| *known != client);
    if is_member {
        list.push(client);
    }
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

    /// Sets the robot that a client has selected; `None` ends the selection.
    pub(crate) fn select(&self, client: u64, robot: Option<usize>) {
        let mut selected = self.selected.lock();
        match robot {
            Some(robot) => drop(selected.insert(client, robot)),
            None => drop(selected.remove(&client)),
        }
    }

    /// Sets the robots whose fields a client plots.
    pub(crate) fn plot(&self, client: u64, robots: Vec<usize>) {
        let mut plotted = self.plotted.lock();
        if robots.is_empty() {
            plotted.remove(&client);
        } else {
            plotted.insert(client, robots);
        }
    }

    /// Sets the topics that a client plots; an empty list ends its plots.
    pub(crate) fn plot_topics(&self, client: u64, topics: Vec<String>) {
        let mut choices = self.topics.lock();
        if topics.is_empty() && !choices.topics.contains_key(&client) {
            return;
        }
        choices.changes += 1;
        match topics.is_empty() {
            true => drop(choices.topics.remove(&client)),
            false => drop(choices.topics.insert(client, topics)),
        }
    }

    /// Returns the topics that clients plot if they have changed. `seen` is the number of changes
    /// at the preceding call.
    pub(crate) fn changed_topics(&self, seen: &mut u64) -> Option<Vec<String>> {
        let choices = self.topics.lock();
        if std::mem::replace(seen, choices.changes) == choices.changes {
            return None;
        }
        let mut topics: Vec<String> = choices.topics.values().flatten().cloned().collect();
        topics.sort_unstable();
        topics.dedup();
        Some(topics)
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

    /// Returns the robots that clients have selected or plot.
    pub(crate) fn detailed(&self) -> Vec<usize> {
        let mut robots = self.selected();
        robots.extend(self.plotted.lock().values().flatten());
        robots.sort_unstable();
        robots.dedup();
        robots
    }

    /// Sets whether a client receives the readings of its selected robot, and whether they contain
    /// the wetted hull; `None`: no readings.
    pub(crate) fn overlay(&self, client: u64, has_hull: Option<bool>) {
        let mut overlaid = self.overlaid.lock();
        match has_hull {
            Some(has_hull) => drop(overlaid.insert(client, has_hull)),
            None => drop(overlaid.remove(&client)),
        }
    }

    /// Sets whether a client receives the activities of the modems.
    pub(crate) fn network(&self, client: u64, is_on: bool) {
        set_member(&self.networked, client, is_on);
    }

    /// Returns true if a client receives the activities of the modems.
    pub(crate) fn needs_network(&self) -> bool {
        !self.networked.lock().is_empty()
    }

    /// Returns the selected robots whose readings clients receive, and whether a client receives
    /// the wetted hull.
    pub(crate) fn overlaid(&self) -> BTreeMap<usize, bool> {
        let overlaid = self.overlaid.lock();
        let selected = self.selected.lock();
        let mut robots = BTreeMap::new();
        for (client, has_hull) in &*overlaid {
            if let Some(robot) = selected.get(client) {
                *robots.entry(*robot).or_default() |= *has_hull;
            }
        }
        robots
    }

    /// Sets the images of sensors that a client receives.
    pub(crate) fn watch(&self, client: u64, images: Vec<Watch>) {
        let mut watched = self.watched.lock();
        if images.is_empty() {
            watched.remove(&client);
        } else {
            watched.insert(client, images);
        }
    }

    /// Returns the sensors that clients watch.
    pub(crate) fn watched(&self) -> Vec<Watch> {
        let mut all: Vec<Watch> = self.watched.lock().values().flatten().cloned().collect();
        all.sort_unstable();
        all.dedup();
        all
    }

    /// Adds a frame of a watched sensor and keeps at most `limit` frames of it.
    pub(crate) fn add_sensor_frame(
        &self,
        place: (usize, usize),
        frame: WatchedFrame,
        limit: usize,
    ) {
        let mut sensors = self.sensors.lock();
        let known = sensors.iter().position(|recent| recent.place == place);
        let k = known.unwrap_or_else(|| {
            sensors.push(Recent {
                place,
                ..Recent::default()
            });
            sensors.len() - 1
        });
        let recent = &mut sensors[k];
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
            .retain(|recent| places.contains(&recent.place));
    }

    /// Removes the frames of all sensors, whose numbers continue.
    pub(crate) fn clear_sensor_frames(&self) {
        for recent in self.sensors.lock().iter_mut() {
            recent.frames.clear();
        }
    }

    /// Removes the frames of all sensors and the choices of all clients, because indices have
    /// changed.
    pub(crate) fn forget_sensors(&self) {
        self.watched.lock().clear();
        self.sensors.lock().clear();
    }

    /// Returns the recent frames of a sensor if their number is not `seen`.
    pub(crate) fn sensor_frames(&self, place: (usize, usize), seen: u64) -> Option<Recent> {
        let sensors = self.sensors.lock();
        let found = sensors.iter().find(|recent| recent.place == place)?;
        (found.number != seen).then(|| found.clone())
    }

    /// Returns the robots that clients have selected.
    pub(crate) fn selected(&self) -> Vec<usize> {
        let selected = self.selected.lock();
        let mut robots: Vec<usize> = selected.values().copied().collect();
        robots.sort_unstable();
        robots.dedup();
        robots
    }
}
