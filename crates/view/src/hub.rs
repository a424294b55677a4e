//! Data that the thread of the run passes to the threads of the clients.

use crate::frame::Frame;
use crate::scene::SceneData;
use std::collections::{HashMap, VecDeque};
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// Maximum number of events that wait for a client.
const MAX_EVENTS: usize = 64;

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
    /// Status of the world.
    pub status: Numbered<Arc<str>>,
    /// Number of the newest event.
    pub event: u64,
    /// Newest events, the last with the number `event`.
    pub events: VecDeque<Arc<str>>,
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
}

impl Hub {
    /// Returns the newest data for a change.
    pub(crate) fn lock(&self) -> MutexGuard<'_, Latest> {
        self.latest.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Changes the newest data and wakes the clients.
    pub(crate) fn update(&self, change: impl FnOnce(&mut Latest)) {
        change(&mut self.lock());
        self.changed.notify_all();
    }

    /// Adds an event for all clients.
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
            let waited = self.changed.wait_timeout(latest, timeout);
            latest = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
        latest.clone()
    }

    /// Ends the threads of the clients.
    pub(crate) fn end(&self) {
        self.stop.store(true, Ordering::Relaxed);
        self.changed.notify_all();
    }

    /// Sets the robot that a client has selected.
    pub(crate) fn select(&self, client: u64, robot: Option<usize>) {
        let mut selected = self.selected.lock().unwrap_or_else(PoisonError::into_inner);
        match robot {
            Some(robot) => drop(selected.insert(client, robot)),
            None => drop(selected.remove(&client)),
        }
    }

    /// Returns the robots that clients have selected.
    pub(crate) fn selected(&self) -> Vec<usize> {
        let selected = self.selected.lock().unwrap_or_else(PoisonError::into_inner);
        let mut robots: Vec<usize> = selected.values().copied().collect();
        robots.sort_unstable();
        robots.dedup();
        robots
    }
}
