//! A MOOSDB: accepts clients and passes their messages on.

use crate::clock::Clock;
use crate::database::Database;
use crate::message::{Kind, Message};
use crate::packet::{self, PROTOCOL, Until};
use parking_lot::{Condvar, Mutex};
use std::collections::BTreeMap;
use std::io::{ErrorKind, Read, Write};
use std::net::{IpAddr, Ipv4Addr, Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};
use std::time::Duration;

/// Time within which a client must state its name.
const HANDSHAKE: Duration = Duration::from_secs(5);
/// Time without a message after which a client is gone; clients send one every 2 s.
const SILENCE: Duration = Duration::from_secs(10);
/// Time within which a client must take a packet.
const WRITE: Duration = Duration::from_secs(2);
/// Maximum number of clients.
const MAX_CLIENTS: usize = 256;
/// Longest name of a client [bytes].
const MAX_NAME: usize = 256;

/// Settings of a server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settings {
    /// Name of the community.
    pub community: String,
    /// Address; other machines reach the server on an address that is not the loopback.
    pub address: IpAddr,
    /// Port; 0 for a free one.
    pub port: u16,
}

impl Settings {
    /// Creates the settings of a server that this machine reaches.
    pub fn new(community: impl Into<String>, port: u16) -> Self {
        Self {
            community: community.into(),
            address: IpAddr::V4(Ipv4Addr::LOCALHOST),
            port,
        }
    }
}

/// A running server; it ends when it is dropped.
#[derive(Debug)]
pub struct Server {
    shared: Arc<Shared>,
    address: SocketAddr,
    acceptor: Option<JoinHandle<()>>,
}

struct Shared {
    database: Mutex<Database>,
    /// Signalled when clients may have mail.
    mail: Condvar,
    clock: Clock,
    /// Connections by the name of their client.
    connections: Mutex<BTreeMap<String, TcpStream>>,
    ended: AtomicBool,
}

impl std::fmt::Debug for Shared {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Shared").finish_non_exhaustive()
    }
}

impl Server {
    /// Starts a server.
    ///
    /// # Errors
    /// One line: the address cannot be used.
    pub fn start(settings: Settings, clock: Clock) -> Result<Self, String> {
        let address = SocketAddr::new(settings.address, settings.port);
        let failed = |why| {
            format!(
                "MOOS server at {address}: {why}; end the program that uses the port, or choose another one"
            )
        };
        let listener = TcpListener::bind(address).map_err(failed)?;
        let address = listener.local_addr().map_err(failed)?;
        let shared = Arc::new(Shared {
            database: Mutex::new(Database::new(&settings.community, clock())),
            mail: Condvar::new(),
            clock,
            connections: Mutex::default(),
            ended: AtomicBool::new(false),
        });
        let own = Arc::clone(&shared);
        let acceptor = thread::Builder::new()
            .name("moosdb".to_string())
            .spawn(move || accept(&listener, &own))
            .map_err(failed)?;
        Ok(Self {
            shared,
            address,
            acceptor: Some(acceptor),
        })
    }

    /// Returns the port.
    pub fn port(&self) -> u16 {
        self.address.port()
    }

    /// Returns the names of the clients.
    pub fn clients(&self) -> Vec<String> {
        let database = self.shared.database.lock();
        database.clients().map(str::to_string).collect()
    }

    /// Returns the lines about clients that could not be served as they expect, once each.
    pub fn take_notes(&self) -> Vec<String> {
        self.shared.database.lock().take_notes()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.shared.ended.store(true, Ordering::SeqCst);
        for stream in self.shared.connections.lock().values() {
            let _ = stream.shutdown(Shutdown::Both);
        }
        self.shared.mail.notify_all();
        // ends `accept`, which waits for a client
        let mut address = self.address;
        if address.ip().is_unspecified() {
            address.set_ip(IpAddr::V4(Ipv4Addr::LOCALHOST));
        }
        drop(TcpStream::connect_timeout(&address, HANDSHAKE));
        if let Some(acceptor) = self.acceptor.take() {
            let _ = acceptor.join();
        }
    }
}

/// Accepts clients until the server ends.
fn accept(listener: &TcpListener, shared: &Arc<Shared>) {
    let mut threads: Vec<JoinHandle<()>> = Vec::new();
    for stream in listener.incoming() {
        if shared.ended.load(Ordering::SeqCst) {
            break;
        }
        threads.retain(|thread| !thread.is_finished());
        let Ok(stream) = stream else {
            // out of file descriptors: closed connections return some
            thread::sleep(Duration::from_millis(100));
            continue;
        };
        if threads.len() >= MAX_CLIENTS {
            shared.note(format!(
                "a further client is refused; expected at most {MAX_CLIENTS}"
            ));
            continue;
        }
        let own = Arc::clone(shared);
        let thread = thread::Builder::new().name("moosdb client".to_string());
        match thread.spawn(move || serve(stream, &own)) {
            Ok(thread) => threads.push(thread),
            Err(why) => shared.note(format!("a client is refused: {why}")),
        }
    }
    for thread in threads {
        let _ = thread.join();
    }
}

impl Shared {
    fn now_s(&self) -> f64 {
        (self.clock)()
    }

    fn note(&self, line: String) {
        self.database.lock().note(line);
    }

    /// Removes a client that has left.
    fn leave(&self, name: &str) {
        self.connections.lock().remove(name);
        self.database.lock().disconnect(name, self.now_s());
        self.mail.notify_all();
    }
}

/// Serves a client until it leaves.
fn serve(mut stream: TcpStream, shared: &Arc<Shared>) {
    let from = stream.peer_addr().map(|address| address.to_string());
    let from = from.unwrap_or_default();
    let (name, is_asynchronous) = match handshake(&mut stream, shared) {
        Ok(client) => client,
        Err(why) => {
            if !shared.ended.load(Ordering::SeqCst) {
                shared.note(format!("client {from}: {why}"));
            }
            return;
        }
    };
    // packets of two threads must not mix
    let Ok(out) = stream.try_clone().map(|out| Arc::new(Mutex::new(out))) else {
        shared.leave(&name);
        return;
    };
    let writer = is_asynchronous.then(|| {
        let (own, out, name) = (Arc::clone(shared), Arc::clone(&out), name.clone());
        thread::spawn(move || write_mail(&out, &own, &name))
    });
    if let Err(why) = exchange(&mut stream, &out, shared, &name, is_asynchronous)
        && !shared.ended.load(Ordering::SeqCst)
    {
        shared.note(format!("client {name:?} ({from}): {why}"));
    }
    shared.leave(&name);
    let _ = stream.shutdown(Shutdown::Both);
    if let Some(writer) = writer {
        let _ = writer.join();
    }
}

/// Receives the name of a client. Returns it, and whether the client receives mail at any time;
/// another one receives it as the answer to its packets.
fn handshake(stream: &mut TcpStream, shared: &Shared) -> Result<(String, bool), String> {
    let failed = |why: std::io::Error| why.to_string();
    stream.set_nodelay(true).map_err(failed)?;
    stream.set_write_timeout(Some(WRITE)).map_err(failed)?;
    let mut until = Until::new(stream, HANDSHAKE);
    let mut protocol = PROTOCOL;
    until.read_exact(&mut protocol).map_err(failed)?;
    if protocol != PROTOCOL {
        return Err(format!(
            "expected the protocol {:?}, found {:?}",
            text(&PROTOCOL),
            text(&protocol)
        ));
    }
    let packet = packet::read(&mut until).map_err(failed)?;
    let packet = packet.ok_or("left before it stated its name")?;
    let first = packet::decode(&packet)?.into_iter().next();
    let first = first.filter(|message| message.kind == Kind::Name);
    let first = first.ok_or("expected the name of the client as the first message")?;
    let (name, now_s) = (first.text().into_owned(), shared.now_s());
    let refuse = |stream: &mut TcpStream, why: String| {
        let refusal = Message::new(Kind::Refusal, "", why.as_str(), now_s);
        let _ = stream.write_all(&packet::encode(&[refusal]));
        Err(why)
    };
    if name.is_empty() || name.len() > MAX_NAME || name.chars().any(char::is_control) {
        return refuse(
            stream,
            format!("expected a name of 1 to {MAX_NAME} characters"),
        );
    }
    if !shared.database.lock().connect(&name, now_s) {
        return refuse(
            stream,
            format!("a client with the name {name:?} is connected"),
        );
    }
    let kept = stream.try_clone().map_err(failed).map(|stream| {
        shared.connections.lock().insert(name.clone(), stream);
    });
    // the server has not closed this connection if it ended before the insertion
    if shared.ended.load(Ordering::SeqCst) {
        shared.leave(&name);
        return Err("the server ends".to_string());
    }
    let mut welcome = Message::new(Kind::Welcome, "", now_s - first.time, now_s);
    welcome.bytes = b"asynchronous".to_vec();
    welcome.source_aux = format!("hostname={}", host_name());
    welcome.community = shared.database.lock().community().to_string();
    let sent = kept.and_then(|()| {
        let packet = packet::encode(&[welcome]);
        stream.write_all(&packet).map_err(failed)
    });
    if let Err(why) = sent {
        shared.leave(&name);
        return Err(why);
    }
    Ok((name, first.key.eq_ignore_ascii_case("asynchronous")))
}

/// Returns the name of this machine, by which clients on it know that their clock is the same.
pub(crate) fn host_name() -> String {
    let name = std::fs::read_to_string("/proc/sys/kernel/hostname");
    let name = name.map(|name| name.trim().to_string());
    name.unwrap_or_else(|_| "localhost".to_string())
}

/// Returns the printable part of a name that ends with zeros.
fn text(bytes: &[u8]) -> String {
    let end = bytes.iter().position(|byte| *byte == 0);
    String::from_utf8_lossy(&bytes[..end.unwrap_or(bytes.len())]).into_owned()
}

/// Receives packets of a client until it leaves.
fn exchange(
    stream: &mut TcpStream,
    out: &Mutex<TcpStream>,
    shared: &Shared,
    name: &str,
    is_asynchronous: bool,
) -> Result<(), String> {
    stream
        .set_read_timeout(Some(SILENCE))
        .map_err(|why| why.to_string())?;
    loop {
        let packet = match packet::read(stream) {
            Ok(Some(packet)) => packet,
            Ok(None) => return Ok(()),
            Err(why) => return Err(why.to_string()),
        };
        let mut messages = packet::decode(&packet)?;
        let now_s = shared.now_s();
        let timing = messages.first().filter(|m| m.kind == Kind::Timing).cloned();
        if timing.is_some() {
            messages.remove(0);
        }
        let mut reply = shared.database.lock().receive(name, messages, now_s);
        shared.mail.notify_all();
        if let Some(mut timing) = timing {
            // the second number asks the client to wait between its packets [s]
            (timing.number, timing.second) = (now_s, 0.0);
            reply.insert(0, timing);
        }
        if !is_asynchronous {
            // such a client waits for an answer to every packet, which begins with the time
            reply.splice(0..0, shared.database.lock().take_mail(name));
            reply.insert(0, Message::new(Kind::Null, "", now_s, now_s));
        }
        if !reply.is_empty() {
            let packet = packet::encode(&reply);
            let written = out.lock().write_all(&packet);
            written.map_err(|why| why.to_string())?;
        }
    }
}

/// Writes the mail of a client when it has some.
fn write_mail(out: &Mutex<TcpStream>, shared: &Shared, name: &str) {
    loop {
        let mut database = shared.database.lock();
        let is_connected = database.clients().any(|client| client == name);
        if shared.ended.load(Ordering::SeqCst) || !is_connected {
            return;
        }
        if !database.has_mail(name) {
            shared.mail.wait(&mut database);
            continue;
        }
        let packet = packet::encode(&database.take_mail(name));
        drop(database);
        let mut out = out.lock();
        if let Err(why) = out.write_all(&packet) {
            if matches!(why.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) {
                let seconds = WRITE.as_secs();
                shared.note(format!(
                    "client {name:?} does not read: it took no mail for {seconds} s, and is disconnected"
                ));
            }
            // ends the thread that reads
            let _ = out.shutdown(Shutdown::Both);
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::client::{self, Client};
    use crate::clock;
    use std::sync::mpsc;

    /// A server ends while clients connect, at any moment of their handshake.
    #[test]
    fn servers_end_while_clients_connect() {
        let (done, ended) = mpsc::channel();
        thread::spawn(move || {
            for k in 0..200 {
                let server = Server::start(Settings::new("a", 0), clock::wall(1.0)).unwrap();
                let clients = ["x", "y", "z"].map(|name| {
                    let settings = client::Settings::new(name, "127.0.0.1", server.port());
                    Client::start(settings, clock::wall(1.0))
                });
                thread::sleep(Duration::from_micros(20 * k));
                drop(server);
                drop(clients);
            }
            let _ = done.send(());
        });
        ended.recv_timeout(Duration::from_secs(60)).unwrap();
    }
}
