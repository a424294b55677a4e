//! A program of a community: sends values, and receives those for which it has registered.
//!
//! The client connects in the background, and connects again when the server ends.
//! It then registers again, and sends the last value of each variable that it could not send.

use crate::clock::Clock;
use crate::message::{Kind, Message, Value};
use crate::packet::{self, PROTOCOL, Until};
use crate::pattern::{Filter, is_pattern};
use crate::server::host_name;
use parking_lot::{Condvar, Mutex};
use std::collections::{BTreeMap, VecDeque};
use std::io::{Read, Write};
use std::net::{Shutdown, TcpStream, ToSocketAddrs};
use std::sync::Arc;
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

/// Time between two attempts to connect.
const RETRY: Duration = Duration::from_secs(1);
/// Time within which a server must accept a connection, and answer the name.
const ANSWER: Duration = Duration::from_secs(5);
/// Period of the messages for the offset of the clocks. A server takes a client that is silent for
/// 10 s to be gone.
const TIMING: Duration = Duration::from_secs(2);
/// Time without an answer to them after which the server is gone.
const SILENCE: Duration = Duration::from_secs(10);
/// Maximum number of messages that wait to be sent or to be fetched.
const MAX_WAITING: usize = 100_000;
/// Number of offsets of the clocks of which the one with the shortest way is used.
const OFFSETS: usize = 16;

/// Settings of a client.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settings {
    /// Name, which no other client of the community has.
    pub name: String,
    /// Name or address of the machine of the server.
    pub host: String,
    /// Port of the server.
    pub port: u16,
}

impl Settings {
    /// Creates settings.
    pub fn new(name: impl Into<String>, host: impl Into<String>, port: u16) -> Self {
        Self {
            name: name.into(),
            host: host.into(),
            port,
        }
    }
}

/// State of the connection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Connection {
    /// No server so far, with the reason.
    Waiting(String),
    /// Connected to the server of this community.
    Connected(String),
    /// The server has refused the client, with its reason: it does not try again.
    Refused(String),
}

/// A client; it leaves when it is dropped.
#[derive(Debug)]
pub struct Client {
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
}

struct Shared {
    settings: Settings,
    clock: Clock,
    state: Mutex<State>,
    /// Signalled when the state changes.
    changed: Condvar,
}

impl std::fmt::Debug for Shared {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Shared")
            .field("settings", &self.settings)
            .finish_non_exhaustive()
    }
}

#[derive(Debug)]
struct State {
    connection: Connection,
    /// Number of connections so far.
    connections: u64,
    registrations: BTreeMap<String, Message>,
    outbox: VecDeque<Message>,
    /// Whether messages that left the outbox are being written.
    is_writing: bool,
    inbox: VecDeque<Message>,
    /// Messages that were not fetched or sent in time.
    dropped: u64,
    next_id: i32,
    stream: Option<TcpStream>,
    offsets: Offsets,
    ended: bool,
}

/// Offset of the clock of the server from the own one.
#[derive(Debug, Default)]
struct Offsets {
    /// Whether the server runs on another machine.
    is_used: bool,
    /// Time of the way and offset [s].
    last: VecDeque<[f64; 2]>,
}

impl Offsets {
    fn add(&mut self, [sent_s, server_s, received_s]: [f64; 3]) {
        let way_s = received_s - sent_s;
        if self.is_used && way_s >= 0.0 && server_s.is_finite() {
            self.last
                .push_back([way_s, server_s - 0.5 * (sent_s + received_s)]);
            keep_newest(&mut self.last, OFFSETS);
        }
    }

    /// Returns the offset of the message with the shortest way [s].
    fn best_s(&self) -> f64 {
        let shortest = self.last.iter().min_by(|a, b| a[0].total_cmp(&b[0]));
        shortest.map_or(0.0, |[_, offset_s]| *offset_s)
    }
}

/// Removes the oldest entries beyond `n`. Returns their number.
fn keep_newest<T>(entries: &mut VecDeque<T>, n: usize) -> usize {
    let excess = entries.len().saturating_sub(n);
    entries.drain(..excess);
    excess
}

impl Client {
    /// Starts a client, which connects in the background.
    pub fn start(settings: Settings, clock: Clock) -> Self {
        let shared = Arc::new(Shared {
            settings,
            clock,
            state: Mutex::new(State {
                connection: Connection::Waiting("not connected yet".to_string()),
                connections: 0,
                registrations: BTreeMap::new(),
                outbox: VecDeque::new(),
                is_writing: false,
                inbox: VecDeque::new(),
                dropped: 0,
                next_id: 0,
                stream: None,
                offsets: Offsets::default(),
                ended: false,
            }),
            changed: Condvar::new(),
        });
        let own = Arc::clone(&shared);
        let thread = thread::spawn(move || run(&own));
        Self {
            shared,
            thread: Some(thread),
        }
    }

    /// Returns the time on the clock of the community [s].
    pub fn time_s(&self) -> f64 {
        (self.shared.clock)() + self.shared.state.lock().offsets.best_s()
    }

    /// Returns the state of the connection.
    pub fn connection(&self) -> Connection {
        self.shared.state.lock().connection.clone()
    }

    /// Returns the number of connections so far: it grows when the client has connected again.
    pub fn connections(&self) -> u64 {
        self.shared.state.lock().connections
    }

    /// Returns the number of messages that were dropped, because the server or this program did not
    /// take them, and begins a new count.
    pub fn take_dropped(&self) -> u64 {
        std::mem::take(&mut self.shared.state.lock().dropped)
    }

    /// Registers for a variable, or for all of a pattern with `*` and `?`, with the least period of
    /// its values [s]; 0 for every value.
    pub fn register(&self, variable: &str, period_s: f64) {
        let (name, time) = (&self.shared.settings.name, self.time_s());
        let message = if is_pattern(variable) {
            let filter = Filter {
                programs: "*".to_string(),
                variables: variable.to_string(),
                period_s,
            };
            Message::new(Kind::RegisterPattern, name.clone(), filter.text(), time)
        } else {
            Message::new(Kind::Register, variable, period_s, time)
        };
        let mut state = self.shared.state.lock();
        state
            .registrations
            .insert(variable.to_string(), message.clone());
        if state.is_connected() {
            self.shared.send(&mut state, message);
        }
    }

    /// Sends a value of a variable with the time of now.
    pub fn notify(&self, variable: &str, value: impl Into<Value>) {
        self.post(Message::notify(variable, value, self.time_s()));
    }

    /// Sends a message; an empty source becomes the name of the client. Without a server it keeps
    /// the last message of each variable.
    pub fn post(&self, message: Message) {
        let mut state = self.shared.state.lock();
        if !state.is_connected() {
            state.outbox.retain(|waiting| waiting.key != message.key);
        }
        self.shared.send(&mut state, message);
    }

    /// Returns the messages that have arrived, oldest first.
    pub fn fetch(&self) -> Vec<Message> {
        std::mem::take(&mut self.shared.state.lock().inbox).into()
    }

    /// Returns the messages that have arrived, and waits for one.
    pub fn wait(&self, timeout: Duration) -> Vec<Message> {
        self.wait_until(timeout, |state| !state.inbox.is_empty());
        self.fetch()
    }

    /// Waits until the client is connected, or the server has refused it. Returns whether it is
    /// connected.
    pub fn wait_connected(&self, timeout: Duration) -> bool {
        let is_known = |state: &State| !matches!(state.connection, Connection::Waiting(_));
        self.wait_until(timeout, is_known);
        self.shared.state.lock().is_connected()
    }

    /// Waits until all messages were given to the connection. Returns whether they were.
    pub fn flush(&self, timeout: Duration) -> bool {
        let is_written = |state: &State| state.outbox.is_empty() && !state.is_writing;
        self.wait_until(timeout, is_written);
        is_written(&self.shared.state.lock())
    }

    fn wait_until(&self, timeout: Duration, is_done: impl Fn(&State) -> bool) {
        let end = Instant::now() + timeout;
        let mut state = self.shared.state.lock();
        while !is_done(&state) {
            if self.shared.changed.wait_until(&mut state, end).timed_out() {
                return;
            }
        }
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        {
            let mut state = self.shared.state.lock();
            state.ended = true;
            if let Some(stream) = &state.stream {
                let _ = stream.shutdown(Shutdown::Both);
            }
        }
        self.shared.changed.notify_all();
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

impl State {
    fn is_connected(&self) -> bool {
        matches!(self.connection, Connection::Connected(_))
    }
}

impl Shared {
    /// Appends a message to the outbox.
    fn send(&self, state: &mut State, mut message: Message) {
        if message.source.is_empty() || message.kind != Kind::Notify {
            message.source.clone_from(&self.settings.name);
        }
        message.id = if message.kind == Kind::Request {
            -2
        } else {
            state.next_id = state.next_id.wrapping_add(1);
            state.next_id
        };
        state.outbox.push_back(message);
        state.dropped += keep_newest(&mut state.outbox, MAX_WAITING) as u64;
        self.changed.notify_all();
    }
}

/// Connects, and connects again, until the client ends.
fn run(shared: &Arc<Shared>) {
    loop {
        let outcome = connect(shared).and_then(|stream| exchange(shared, stream));
        let mut state = shared.state.lock();
        state.stream = None;
        if state.ended {
            return;
        }
        match outcome {
            Ok(()) => {
                state.connection = Connection::Waiting("the server has ended".to_string());
            }
            Err(Failure::Refused(why)) => {
                state.connection = Connection::Refused(why);
                shared.changed.notify_all();
                return;
            }
            Err(Failure::Io(why)) => state.connection = Connection::Waiting(why),
        }
        shared.changed.notify_all();
        let retry = Instant::now() + RETRY;
        while !state.ended && !shared.changed.wait_until(&mut state, retry).timed_out() {}
        if state.ended {
            return;
        }
    }
}

enum Failure {
    Io(String),
    Refused(String),
}

impl From<std::io::Error> for Failure {
    fn from(why: std::io::Error) -> Self {
        Self::Io(why.to_string())
    }
}

impl From<String> for Failure {
    fn from(why: String) -> Self {
        Self::Io(why)
    }
}

/// Connects to the server and states the name.
fn connect(shared: &Shared) -> Result<TcpStream, Failure> {
    let Settings { name, host, port } = &shared.settings;
    let located = |why: std::io::Error| Failure::Io(format!("MOOS server at {host}:{port}: {why}"));
    let mut failed = std::io::Error::other("the name has no address");
    let mut connected = None;
    for address in (host.as_str(), *port).to_socket_addrs().map_err(located)? {
        match TcpStream::connect_timeout(&address, ANSWER) {
            Ok(stream) => {
                connected = Some(stream);
                break;
            }
            Err(why) => failed = why,
        }
    }
    let mut stream = connected.ok_or(failed).map_err(located)?;
    stream.set_nodelay(true)?;
    stream.set_write_timeout(Some(ANSWER))?;
    let mut first = Message::new(Kind::Name, "asynchronous", name.as_str(), (shared.clock)());
    first.source.clone_from(name);
    stream.write_all(&PROTOCOL)?;
    stream.write_all(&packet::encode(&[first]))?;
    let packet = packet::read(&mut Until::new(&mut stream, ANSWER))?;
    let packet = packet.ok_or_else(|| "the server has closed the connection".to_string())?;
    let answer = packet::decode(&packet)?.into_iter().next();
    let answer = answer.ok_or_else(|| "the server has sent no welcome".to_string())?;
    let community = match answer.kind {
        Kind::Welcome => answer.community.clone(),
        Kind::Refusal => return Err(Failure::Refused(answer.text().into_owned())),
        kind => return Err(format!("expected a welcome of the server, found {kind:?}").into()),
    };
    let mut state = shared.state.lock();
    // the clocks of one machine are the same; a server that does not say where it runs may differ
    let server = answer.source_aux.strip_prefix("hostname=");
    state.offsets = Offsets {
        is_used: server.is_none_or(|server| server.trim_end_matches(',') != host_name()),
        last: VecDeque::new(),
    };
    let registrations: Vec<Message> = state.registrations.values().cloned().collect();
    let waiting = std::mem::take(&mut state.outbox);
    for message in registrations.into_iter().chain(waiting) {
        shared.send(&mut state, message);
    }
    state.stream = Some(stream.try_clone()?);
    state.connection = Connection::Connected(community);
    state.connections += 1;
    if state.ended {
        let _ = stream.shutdown(Shutdown::Both);
    }
    shared.changed.notify_all();
    Ok(stream)
}

/// Sends and receives until the connection ends.
fn exchange(shared: &Arc<Shared>, mut stream: TcpStream) -> Result<(), Failure> {
    let mut out = stream.try_clone()?;
    let own = Arc::clone(shared);
    let connection = shared.state.lock().connections;
    let writer = thread::spawn(move || write(&own, &mut out, connection));
    stream.set_read_timeout(Some(SILENCE))?;
    let outcome = receive(shared, &mut stream);
    let mut state = shared.state.lock();
    state.connection = Connection::Waiting("the connection has ended".to_string());
    drop(state);
    shared.changed.notify_all();
    let _ = stream.shutdown(Shutdown::Both);
    let _ = writer.join();
    outcome
}

fn receive(shared: &Shared, stream: &mut impl Read) -> Result<(), Failure> {
    while let Some(packet) = packet::read(stream)? {
        let received_s = (shared.clock)();
        let messages = packet::decode(&packet)?;
        let mut state = shared.state.lock();
        for message in messages {
            match message.kind {
                Kind::Timing => {
                    let times = [message.time, message.number, received_s];
                    state.offsets.add(times);
                }
                Kind::Null => {}
                _ => state.inbox.push_back(message),
            }
        }
        state.dropped += keep_newest(&mut state.inbox, MAX_WAITING) as u64;
        drop(state);
        shared.changed.notify_all();
    }
    Ok(())
}

/// Writes the outbox, and the messages for the offset of the clocks, while this connection is the
/// current one.
fn write(shared: &Shared, stream: &mut TcpStream, connection: u64) {
    let mut due = Instant::now();
    loop {
        let mut state = shared.state.lock();
        while state.outbox.is_empty() && Instant::now() < due {
            if state.ended || !state.is_connected() || state.connections != connection {
                return;
            }
            shared.changed.wait_until(&mut state, due);
        }
        if state.ended || !state.is_connected() || state.connections != connection {
            return;
        }
        let mut messages: Vec<Message> = std::mem::take(&mut state.outbox).into();
        state.is_writing = true;
        drop(state);
        shared.changed.notify_all();
        let now = Instant::now();
        if now >= due {
            due = now + TIMING;
            let now_s = (shared.clock)();
            let mut timing = Message::new(Kind::Timing, "_async_timing", 0.0, now_s);
            timing.source.clone_from(&shared.settings.name);
            messages.insert(0, timing);
        }
        let written = stream.write_all(&packet::encode(&messages));
        shared.state.lock().is_writing = false;
        shared.changed.notify_all();
        if written.is_err() {
            // ends the thread that reads
            let _ = stream.shutdown(Shutdown::Both);
            return;
        }
    }
}
