//! Thread of the node that takes messages and calls subscriptions and services.
//!
//! The RMW reports waiting messages from its own threads. A report only puts the number of the
//! endpoint into a queue, once until the thread has taken the messages. The time per message
//! therefore does not depend on the number of endpoints, as it does with a wait set of all of them.
//!
//! A second thread of the same kind serves publishers: it counts their subscriptions. The RMW can
//! hold the lock of a publisher while it waits for a slow subscription, and neither the simulation
//! nor services may wait with it.

use std::collections::BTreeMap;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use merrow_ros2::backend::WarningHandler;

/// Maximum number of messages of an endpoint that are taken before the messages of other endpoints.
const BURST: usize = 64;

/// An endpoint that a thread serves. Dropping it ends it.
pub(crate) trait Source: Send {
    /// Takes a waiting message and passes it on. Returns whether there was one. A publisher counts
    /// its subscriptions.
    fn receive(&mut self) -> bool;
    /// Returns a warning about a peer with incompatible QoS since the last call.
    fn incompatibility(&mut self) -> Option<String> {
        None
    }
}

/// Element of the thread's queue.
pub(crate) enum Item {
    /// Messages wait at an endpoint, or the subscriptions of a publisher have changed.
    Messages(u64),
    /// An endpoint has a peer with incompatible QoS.
    Incompatible(u64),
    /// Serves an endpoint from now on.
    Add(u64, Entry),
    /// Ends an endpoint of the thread.
    Remove(u64),
    /// Passes warnings to this handler.
    Handler(WarningHandler),
    /// Passes a warning to the handler.
    Warning(String),
    /// Ends the thread and its endpoints.
    Close,
}

/// An endpoint with its signals.
pub(crate) struct Entry {
    /// Endpoint that the thread serves.
    pub(crate) source: Box<dyn Source>,
    /// Signal of waiting messages.
    pub(crate) messages: Arc<Signal>,
    /// Signal of incompatible peers.
    pub(crate) incompatible: Arc<Signal>,
    /// Whether the RMW does not report messages, so that the thread reads periodically.
    pub(crate) is_polled: bool,
}

/// Report of an endpoint to the thread. It is in the queue at most once.
pub(crate) struct Signal {
    queue: Sender<Item>,
    item: fn(u64) -> Item,
    endpoint: u64,
    is_raised: AtomicBool,
}

impl Signal {
    /// Creates a signal of an endpoint that puts `item` into the queue.
    pub(crate) fn new(queue: &Sender<Item>, item: fn(u64) -> Item, endpoint: u64) -> Arc<Self> {
        Arc::new(Self {
            queue: queue.clone(),
            item,
            endpoint,
            is_raised: AtomicBool::new(false),
        })
    }

    /// Reports to the thread. Never waits.
    pub(crate) fn raise(&self) {
        if !self.is_raised.swap(true, Ordering::AcqRel) {
            send(&self.queue, (self.item)(self.endpoint));
        }
    }

    /// Allows further reports. The caller then takes all that waits.
    fn clear(&self) {
        self.is_raised.store(false, Ordering::Release);
    }
}

/// Puts an item into the queue; without effect once the thread has ended.
pub(crate) fn send(queue: &Sender<Item>, item: Item) {
    queue.send(item).unwrap_or_default();
}

/// Owner of the thread.
pub(crate) struct Spinner {
    queue: Sender<Item>,
    thread: Option<JoinHandle<()>>,
}

impl Spinner {
    /// Starts the thread `name`. Returns its owner and its queue. Endpoints whose messages the RMW
    /// does not report are polled with `poll_period`.
    ///
    /// # Errors
    /// The operating system cannot create a thread.
    pub(crate) fn start(name: &str, poll_period: Duration) -> io::Result<(Self, Sender<Item>)> {
        let (queue, items) = mpsc::channel();
        let worker = Worker {
            items,
            poll_period,
            polled_at: Instant::now(),
            entries: BTreeMap::new(),
            warn: None,
            unread: Vec::new(),
        };
        let thread = std::thread::Builder::new()
            .name(name.to_owned())
            .spawn(move || worker.run())?;
        let spinner = Self {
            queue: queue.clone(),
            thread: Some(thread),
        };
        Ok((spinner, queue))
    }
}

impl Drop for Spinner {
    /// Ends the thread and its endpoints, after the current callback has returned.
    fn drop(&mut self) {
        send(&self.queue, Item::Close);
        if let Some(thread) = self.thread.take() {
            // a callback that panicked has already ended the thread and was reported there
            thread.join().unwrap_or_default();
        }
    }
}

struct Worker {
    items: Receiver<Item>,
    poll_period: Duration,
    polled_at: Instant,
    entries: BTreeMap<u64, Entry>,
    warn: Option<WarningHandler>,
    /// Warnings before there is a handler.
    unread: Vec<String>,
}

impl Worker {
    fn run(mut self) {
        loop {
            let item = match self.entries.values().any(|entry| entry.is_polled) {
                true => self.items.recv_timeout(self.poll_period),
                false => self.items.recv().map_err(RecvTimeoutError::from),
            };
            match item {
                Ok(Item::Close) | Err(RecvTimeoutError::Disconnected) => return,
                Ok(item) => self.execute(item),
                Err(RecvTimeoutError::Timeout) => {}
            }
            if self.polled_at.elapsed() >= self.poll_period {
                self.poll();
            }
        }
    }

    fn execute(&mut self, item: Item) {
        match item {
            Item::Messages(endpoint) => self.receive(endpoint),
            Item::Incompatible(endpoint) => self.report(endpoint),
            Item::Add(endpoint, entry) => {
                self.entries.insert(endpoint, entry);
                // a signal before this item found no endpoint
                self.receive(endpoint);
                self.report(endpoint);
            }
            Item::Remove(endpoint) => drop(self.entries.remove(&endpoint)),
            Item::Handler(handler) => {
                for warning in self.unread.drain(..) {
                    handler(&warning);
                }
                self.warn = Some(handler);
            }
            Item::Warning(text) => self.warn(text),
            Item::Close => {}
        }
    }

    fn receive(&mut self, endpoint: u64) {
        let Some(entry) = self.entries.get_mut(&endpoint) else {
            return;
        };
        entry.messages.clear();
        let waiting = (0..BURST).all(|_| entry.source.receive());
        if waiting {
            entry.messages.raise();
        }
    }

    fn report(&mut self, endpoint: u64) {
        let Some(entry) = self.entries.get_mut(&endpoint) else {
            return;
        };
        entry.incompatible.clear();
        if let Some(text) = entry.source.incompatibility() {
            self.warn(text);
        }
    }

    fn poll(&mut self) {
        self.polled_at = Instant::now();
        let polled = self.entries.iter().filter(|(_, entry)| entry.is_polled);
        for endpoint in polled.map(|(endpoint, _)| *endpoint).collect::<Vec<_>>() {
            self.receive(endpoint);
        }
    }

    fn warn(&mut self, text: String) {
        match &self.warn {
            Some(warn) => warn(&text),
            None => self.unread.push(text),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use parking_lot::Mutex;

    /// Endpoint in memory with a number of waiting messages.
    #[derive(Clone, Default)]
    struct Memory(Arc<Mutex<Counts>>);

    #[derive(Default)]
    struct Counts {
        waiting: usize,
        taken: usize,
        warning: Option<String>,
        is_dropped: bool,
    }

    impl Memory {
        fn entry(&self, queue: &Sender<Item>, endpoint: u64, is_polled: bool) -> Entry {
            Entry {
                source: Box::new(MemorySource(self.clone())),
                messages: Signal::new(queue, Item::Messages, endpoint),
                incompatible: Signal::new(queue, Item::Incompatible, endpoint),
                is_polled,
            }
        }

        fn put(&self, messages: usize) {
            self.0.lock().waiting += messages;
        }

        fn wait_for(&self, taken: usize) {
            for _ in 0..5_000 {
                if self.0.lock().taken == taken {
                    return;
                }
                std::thread::sleep(Duration::from_millis(1));
            }
            panic!("took {}, expected {taken}", self.0.lock().taken);
        }
    }

    struct MemorySource(Memory);

    impl Source for MemorySource {
        fn receive(&mut self) -> bool {
            let mut counts = self.0.0.lock();
            if counts.waiting == 0 {
                return false;
            }
            counts.waiting -= 1;
            counts.taken += 1;
            true
        }

        fn incompatibility(&mut self) -> Option<String> {
            self.0.0.lock().warning.take()
        }
    }

    impl Drop for MemorySource {
        fn drop(&mut self) {
            self.0.0.lock().is_dropped = true;
        }
    }

    fn start() -> (Spinner, Sender<Item>) {
        Spinner::start("test", Duration::from_millis(2)).unwrap()
    }

    #[test]
    fn signalled_messages_are_taken() {
        let (spinner, queue) = start();
        let (first, second) = (Memory::default(), Memory::default());
        // before the endpoint is known
        first.put(3);
        let entry = first.entry(&queue, 1, false);
        let signal = Arc::clone(&entry.messages);
        signal.raise();
        send(&queue, Item::Add(1, entry));
        send(&queue, Item::Add(2, second.entry(&queue, 2, false)));
        first.wait_for(3);
        // more than one burst with one signal
        first.put(10 * BURST + 1);
        signal.raise();
        first.wait_for(10 * BURST + 4);
        assert_eq!(second.0.lock().taken, 0);
        drop(spinner);
        assert!(first.0.lock().is_dropped && second.0.lock().is_dropped);
        // reports after the end have no effect
        signal.raise();
    }

    #[test]
    fn signals_wait_in_the_queue_once() {
        let (queue, items) = mpsc::channel();
        let signal = Signal::new(&queue, Item::Messages, 7);
        signal.raise();
        signal.raise();
        assert_eq!(items.try_iter().count(), 1);
        signal.clear();
        signal.raise();
        assert_eq!(items.try_iter().count(), 1);
    }

    #[test]
    fn endpoints_without_signals_are_polled() {
        let (_spinner, queue) = start();
        let memory = Memory::default();
        send(&queue, Item::Add(1, memory.entry(&queue, 1, true)));
        memory.put(5);
        memory.wait_for(5);
        send(&queue, Item::Remove(1));
        while !memory.0.lock().is_dropped {
            std::thread::sleep(Duration::from_millis(1));
        }
    }

    #[test]
    fn warnings_wait_for_the_handler() {
        let (spinner, queue) = start();
        let memory = Memory::default();
        memory.0.lock().warning = Some("incompatible".to_owned());
        send(&queue, Item::Warning("early".to_owned()));
        send(&queue, Item::Add(1, memory.entry(&queue, 1, false)));
        let warnings = Arc::new(Mutex::new(Vec::new()));
        let for_handler = Arc::clone(&warnings);
        let handler = move |text: &str| for_handler.lock().push(text.to_owned());
        send(&queue, Item::Handler(Box::new(handler)));
        send(&queue, Item::Warning("late".to_owned()));
        drop(spinner);
        assert_eq!(*warnings.lock(), ["early", "incompatible", "late"]);
    }
}
