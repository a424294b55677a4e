//! Thread of a node that takes received samples and calls subscriptions and services.
//!
//! A single thread avoids locks between callbacks and a thread per endpoint. It must tolerate any
//! sample: a sample that cannot be decoded is skipped.

use std::collections::HashMap;
use std::io;
use std::sync::Arc;
use std::sync::mpsc::{self, Receiver, Sender};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use rustdds::mio1::{Events, Poll, Registry, Token, Waker};
use rustdds::no_key::DeserializedCacheChange;

use crate::dds::graph::Graph;
use crate::dds::node::Callback;
use crate::dds::publisher::MatchWatch;
use crate::dds::service::ServiceServer;
use crate::dds::transport::Inbox;

/// Token of the waker; tokens of endpoints count up from 0.
const WAKE: Token = Token(usize::MAX);

/// Maximum number of samples taken from one endpoint before the others are served.
const MAX_SAMPLES_PER_TURN: usize = 256;

/// Period at which replies that wait for their client are checked.
const WAITING_REPLY_PERIOD: Duration = Duration::from_millis(2);

/// An endpoint that the thread serves.
pub(crate) enum Source {
    /// A subscription, which calls back with every message.
    Subscription {
        /// Reader of the messages.
        inbox: Box<Inbox>,
        /// Function called with each message.
        callback: Callback,
    },
    /// A service, which answers requests.
    Service(Box<ServiceServer>),
    /// Counter of the subscribers of a publisher.
    Matches(MatchWatch),
}

enum Command {
    Add(Token, Source),
    Remove(Token),
    Serve(Token),
    Stop,
}

/// Requests the thread to serve one source without a received sample; usable from any thread.
#[derive(Clone)]
pub(crate) struct Alarm {
    token: Token,
    commands: Sender<Command>,
    waker: Arc<Waker>,
}

impl Alarm {
    /// Requests the thread to serve the source soon.
    pub(crate) fn request_service(&self) {
        // sending fails only if the thread has ended
        if self.commands.send(Command::Serve(self.token)).is_ok() {
            self.waker.wake().unwrap_or_default();
        }
    }
}

/// Handle that adds endpoints to the thread and removes them.
pub(crate) struct SpinnerHandle {
    commands: Sender<Command>,
    waker: Arc<Waker>,
    registry: Registry,
}

impl SpinnerHandle {
    /// Returns the registry for the events that wake the thread.
    pub(crate) fn registry(&self) -> &Registry {
        &self.registry
    }

    /// Starts to serve `source`, whose events have the token `token`.
    pub(crate) fn add(&self, token: Token, source: Source) {
        self.send(Command::Add(token, source));
    }

    /// Ends and drops the source with the token `token`.
    pub(crate) fn remove(&self, token: Token) {
        self.send(Command::Remove(token));
    }

    /// Creates an alarm that requests service of the source with the token `token`.
    pub(crate) fn alarm(&self, token: Token) -> Alarm {
        Alarm {
            token,
            commands: self.commands.clone(),
            waker: Arc::clone(&self.waker),
        }
    }

    /// Wakes the thread, so that it checks the graph.
    pub(crate) fn wake(&self) {
        // the waker fails only after the thread has ended
        self.waker.wake().unwrap_or_default();
    }

    fn send(&self, command: Command) {
        // the receiver is dropped with the thread, which has already dropped all sources
        self.commands.send(command).unwrap_or_default();
        self.wake();
    }
}

/// Owner of the thread.
pub(super) struct Spinner {
    commands: Sender<Command>,
    waker: Arc<Waker>,
    thread: Option<JoinHandle<()>>,
}

impl Spinner {
    /// Starts the thread.
    ///
    /// # Errors
    /// The operating system cannot create an event queue or a thread.
    pub(super) fn start(graph: Arc<Graph>) -> io::Result<(Self, SpinnerHandle)> {
        let poll = Poll::new()?;
        let registry = poll.registry().try_clone()?;
        let waker = Arc::new(Waker::new(poll.registry(), WAKE)?);
        let (commands, receiver) = mpsc::channel();
        let worker = Worker {
            poll,
            commands: receiver,
            sources: HashMap::new(),
            again: Vec::new(),
            waiting: Vec::new(),
            graph,
        };
        let thread = std::thread::Builder::new()
            .name("ros-spin".to_owned())
            .spawn(move || worker.run())?;
        let handle = SpinnerHandle {
            commands: commands.clone(),
            waker: Arc::clone(&waker),
            registry,
        };
        Ok((
            Self {
                commands,
                waker,
                thread: Some(thread),
            },
            handle,
        ))
    }
}

impl Drop for Spinner {
    /// Ends the thread and drops all sources, after the current callback has returned.
    fn drop(&mut self) {
        let Some(thread) = self.thread.take() else {
            return;
        };
        self.commands.send(Command::Stop).unwrap_or_default();
        self.waker.wake().unwrap_or_default();
        // a callback that panicked has already ended the thread and was reported there
        thread.join().unwrap_or_default();
    }
}

struct Worker {
    poll: Poll,
    commands: Receiver<Command>,
    sources: HashMap<Token, Source>,
    /// Endpoints that may have more samples than their turn allowed.
    again: Vec<Token>,
    /// Services with replies that wait for their client.
    waiting: Vec<Token>,
    graph: Arc<Graph>,
}

impl Worker {
    fn run(mut self) {
        let mut events = Events::with_capacity(256);
        loop {
            let timeout = self.timeout();
            match self.poll.poll(&mut events, timeout) {
                Ok(()) => {}
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                // the event queue itself failed, so no more events can arrive
                Err(_) => return,
            }
            let mut due = std::mem::take(&mut self.again);
            due.append(&mut self.waiting);
            if self.run_commands(&mut due).is_break() {
                return;
            }
            due.extend(
                events
                    .iter()
                    .map(|event| event.token())
                    .filter(|token| *token != WAKE),
            );
            due.sort_unstable();
            due.dedup();
            for token in due {
                self.serve(token);
            }
            self.graph.publish_if_due(Instant::now());
        }
    }

    fn timeout(&self) -> Option<Duration> {
        if !self.again.is_empty() {
            return Some(Duration::ZERO);
        }
        let reply = (!self.waiting.is_empty()).then_some(WAITING_REPLY_PERIOD);
        let graph = self.graph.due_in(Instant::now());
        match (reply, graph) {
            (Some(a), Some(b)) => Some(a.min(b)),
            (a, b) => a.or(b),
        }
    }

    /// Executes commands. New sources are due immediately, because their events may have arrived
    /// earlier.
    fn run_commands(&mut self, due: &mut Vec<Token>) -> std::ops::ControlFlow<()> {
        while let Ok(command) = self.commands.try_recv() {
            match command {
                Command::Add(token, source) => {
                    self.sources.insert(token, source);
                    due.push(token);
                }
                Command::Remove(token) => {
                    self.sources.remove(&token);
                }
                Command::Serve(token) => due.push(token),
                Command::Stop => return std::ops::ControlFlow::Break(()),
            }
        }
        std::ops::ControlFlow::Continue(())
    }

    fn serve(&mut self, token: Token) {
        let Some(source) = self.sources.get_mut(&token) else {
            return;
        };
        let more = match source {
            Source::Subscription { inbox, callback } => {
                take_samples(inbox, |sample| callback(&sample.sample))
            }
            Source::Service(server) => {
                let more = server.serve();
                if server.has_waiting_replies() {
                    self.waiting.push(token);
                }
                more
            }
            Source::Matches(watch) => {
                watch.update();
                false
            }
        };
        if more {
            self.again.push(token);
        }
    }
}

/// Takes samples until the queue is empty or the turn is over. Returns whether more samples may be
/// left.
pub(super) fn take_samples(
    inbox: &Inbox,
    mut each: impl FnMut(DeserializedCacheChange<Vec<u8>>),
) -> bool {
    let reader = &inbox.reader;
    reader.drain_read_notifications();
    let mut last_was_none = false;
    for _ in 0..MAX_SAMPLES_PER_TURN {
        match reader.try_take_one() {
            Ok(Some(sample)) => {
                if !inbox.is_stale(&sample) {
                    each(sample);
                }
                last_was_none = false;
            }
            // the departure of a writer also returns `None`, and samples of other writers may
            // follow
            Ok(None) if last_was_none => return false,
            Ok(None) => last_was_none = true,
            // not classic CDR; the sample is skipped and the reader continues with the next one
            Err(_) => last_was_none = false,
        }
    }
    true
}
