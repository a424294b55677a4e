//! The one thread of a node that takes what has arrived and calls subscriptions and services.
//!
//! One thread, so that callbacks need no locks among themselves and hundreds of endpoints cost no thread each. It
//! must survive any sample: what cannot be read is skipped.

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

/// Token of the waker; those of endpoints count up from 0.
const WAKE: Token = Token(usize::MAX);

/// Samples of one endpoint taken in a row before the others have their turn.
const TURN: usize = 256;

/// How often replies are looked at that wait for their client to be matched.
const WAITING_REPLY_PERIOD: Duration = Duration::from_millis(2);

/// Something that the thread serves.
pub enum Source {
    /// Calls back with every message.
    Subscription {
        /// Where the messages come from.
        inbox: Box<Inbox>,
        /// What is called.
        callback: Callback,
    },
    /// Answers requests.
    Service(Box<ServiceServer>),
    /// Counts the subscribers of a publisher.
    Matches(MatchWatch),
}

enum Command {
    Add(Token, Source),
    Remove(Token),
    Serve(Token),
    Stop,
}

/// Lets the thread serve one source though nothing has arrived for it; for any thread.
#[derive(Clone)]
pub struct Alarm {
    token: Token,
    commands: Sender<Command>,
    waker: Arc<Waker>,
}

impl Alarm {
    /// Asks the thread to serve the source soon.
    pub fn ring(&self) {
        // without the thread there is no source to serve
        if self.commands.send(Command::Serve(self.token)).is_ok() {
            self.waker.wake().unwrap_or_default();
        }
    }
}

/// Sends endpoints to the thread.
pub struct SpinnerHandle {
    commands: Sender<Command>,
    waker: Arc<Waker>,
    registry: Registry,
}

impl SpinnerHandle {
    /// Where an endpoint registers the events that wake the thread.
    pub fn registry(&self) -> &Registry {
        &self.registry
    }

    /// Starts to serve `source`, whose events carry `token`.
    pub fn add(&self, token: Token, source: Source) {
        self.send(Command::Add(token, source));
    }

    /// Ends and drops the source of `token`.
    pub fn remove(&self, token: Token) {
        self.send(Command::Remove(token));
    }

    /// What lets the thread serve the source of `token`.
    pub fn alarm(&self, token: Token) -> Alarm {
        Alarm {
            token,
            commands: self.commands.clone(),
            waker: Arc::clone(&self.waker),
        }
    }

    /// Lets the thread look at the graph.
    pub fn wake(&self) {
        // the waker fails only when the thread, and with it the need, is gone
        self.waker.wake().unwrap_or_default();
    }

    fn send(&self, command: Command) {
        // the receiver goes with the thread, which has dropped all sources then
        self.commands.send(command).unwrap_or_default();
        self.wake();
    }
}

/// Owner of the thread.
pub struct Spinner {
    commands: Sender<Command>,
    waker: Arc<Waker>,
    thread: Option<JoinHandle<()>>,
}

impl Spinner {
    /// Starts the thread.
    ///
    /// # Errors
    /// The operating system gives no event queue or no thread.
    pub fn start(graph: Arc<Graph>) -> io::Result<(Self, SpinnerHandle)> {
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
    /// Ends the thread and drops all sources. A callback that runs is waited for.
    fn drop(&mut self) {
        let Some(thread) = self.thread.take() else {
            return;
        };
        self.commands.send(Command::Stop).unwrap_or_default();
        self.waker.wake().unwrap_or_default();
        // a callback that panicked has ended the thread already and was reported there
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
                // the event queue itself is broken: nothing can arrive any more
                Err(_) => return,
            }
            let mut due = std::mem::take(&mut self.again);
            due.append(&mut self.waiting);
            if self.obey(&mut due).is_break() {
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

    /// Carries out commands; new sources are due, for their events may have come before them.
    fn obey(&mut self, due: &mut Vec<Token>) -> std::ops::ControlFlow<()> {
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
                take_turn(inbox, |sample| callback(&sample.sample))
            }
            Source::Service(server) => {
                let more = server.take_turn();
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

/// Takes samples until none is left or the turn is over; whether more may be left.
pub fn take_turn(inbox: &Inbox, mut each: impl FnMut(DeserializedCacheChange<Vec<u8>>)) -> bool {
    let reader = &inbox.reader;
    reader.drain_read_notifications();
    let mut last_was_none = false;
    for _ in 0..TURN {
        match reader.try_take_one() {
            Ok(Some(sample)) => {
                if !inbox.is_stale(&sample) {
                    each(sample);
                }
                last_was_none = false;
            }
            // a writer that leaves also reads as none, and samples of others may follow
            Ok(None) if last_was_none => return false,
            Ok(None) => last_was_none = true,
            // not classic CDR: skipped, the reader has moved on
            Err(_) => last_was_none = false,
        }
    }
    true
}
