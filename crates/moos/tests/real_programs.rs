//! The client with a real MOOSDB, and the server with the real programs of MOOS-IvP.
//!
//! The folder of the programs is the environment variable MERROW_MOOS (docs/moos.md says how they
//! are built). Without it the tests are skipped with a message; CI has no such programs.

use merrow_moos::alog;
use merrow_moos::client::{Client, Connection, Settings};
use merrow_moos::clock;
use merrow_moos::message::{DataType, Message, Value};
use merrow_moos::server::{self, Server};
use std::fs;
use std::net::TcpListener;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

const LONG: Duration = Duration::from_secs(20);

/// A real program, which ends when the test does.
struct Program(Child);

impl Program {
    fn start(folder: &Path, name: &str, arguments: &[&str], cwd: &Path) -> Self {
        // the programs take the name of their block from the command
        let child = Command::new(folder.join(name))
            .arg0(name)
            .args(arguments)
            .current_dir(cwd)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn();
        Self(child.unwrap_or_else(|why| panic!("{name}: {why}")))
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Returns the folder of the real programs, or prints why the test is skipped.
fn programs() -> Option<PathBuf> {
    let folder = std::env::var_os("MERROW_MOOS").map(PathBuf::from);
    if folder.is_none() {
        println!("skipped: set MERROW_MOOS to the folder of MOOSDB and the other programs");
    }
    folder
}

/// Folder of a test, removed at its end.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("merrow_{name}_{}", std::process::id()));
        let _ = fs::remove_dir_all(&path);
        fs::create_dir_all(&path).expect("a folder");
        Self(path)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn free_port() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    listener.local_addr().expect("an address").port()
}

/// Starts a client; the clocks of a test have no warp.
fn client(name: &str, port: u16) -> Client {
    let client = Client::start(Settings::new(name, "127.0.0.1", port), clock::wall(1.0));
    assert!(client.wait_connected(LONG), "{:?}", client.connection());
    client
}

/// Collects mail until a condition holds.
fn collect(client: &Client, is_done: impl Fn(&[Message]) -> bool) -> Vec<Message> {
    let (end, mut mail) = (Instant::now() + LONG, Vec::new());
    while !is_done(&mail) {
        assert!(Instant::now() < end, "{mail:?}");
        mail.extend(client.wait(Duration::from_millis(100)));
    }
    mail
}

fn moosdb(folder: &Path, cwd: &Path, port: u16) -> Program {
    let port = format!("--moos_port={port}");
    Program::start(folder, "MOOSDB", &[&port, "--moos_community=alpha"], cwd)
}

#[test]
fn values_pass_a_real_server_unchanged() {
    let Some(programs) = programs() else { return };
    let (folder, port) = (Folder::new("moosdb"), free_port());
    let _server = moosdb(&programs, &folder.0, port);
    let (a, b) = (client("a", port), client("b", port));
    assert_eq!(a.connection(), Connection::Connected("alpha".to_string()));
    b.register("X_*", 0.0);
    b.register("PLAIN", 0.0);
    // the server has the registrations when it knows their client as a subscriber
    thread::sleep(Duration::from_secs(1));
    let values = [
        ("X_NUMBER", Value::Number(-1.0 / 3.0)),
        ("X_TEXT", Value::Text("x=1,y=\"2\"; \u{e4}".to_string())),
        ("X_BYTES", Value::Binary((0..=255).collect())),
        ("PLAIN", Value::Number(f64::MAX)),
    ];
    for (key, value) in &values {
        a.notify(key, value.clone());
    }
    let mail = collect(&b, |mail| mail.len() >= values.len());
    for ((key, value), message) in values.iter().zip(&mail) {
        assert_eq!(
            (message.key.as_str(), message.value().as_ref()),
            (*key, Some(value))
        );
        assert_eq!(
            (message.source.as_str(), message.community.as_str()),
            ("a", "alpha")
        );
        assert!((message.time - clock::unix_s()).abs() < 30.0);
    }
    // a second client of the same name is refused, and does not try again
    let twin = Client::start(Settings::new("a", "127.0.0.1", port), clock::wall(1.0));
    assert!(!twin.wait_connected(LONG));
    assert!(
        matches!(twin.connection(), Connection::Refused(_)),
        "{:?}",
        twin.connection()
    );
}

#[test]
fn clients_return_after_a_real_server_was_restarted() {
    let Some(programs) = programs() else { return };
    let (folder, port) = (Folder::new("restart"), free_port());
    let server = moosdb(&programs, &folder.0, port);
    let (a, b) = (client("a", port), client("b", port));
    b.register("STATE", 0.0);
    a.notify("STATE", "first");
    collect(&b, |mail| !mail.is_empty());
    drop(server);
    let end = Instant::now() + LONG;
    while matches!(a.connection(), Connection::Connected(_)) {
        assert!(Instant::now() < end);
        thread::sleep(Duration::from_millis(20));
    }
    // the last value without a server arrives at the next one
    a.notify("STATE", "lost");
    a.notify("STATE", "kept");
    let _server = moosdb(&programs, &folder.0, port);
    let mail = collect(&b, |mail| !mail.is_empty());
    assert_eq!(mail[0].text(), "kept");
    assert_eq!((a.connections(), b.connections()), (2, 2));
}

#[test]
fn real_programs_use_our_server() {
    let Some(programs) = programs() else { return };
    let folder = Folder::new("server");
    let server =
        Server::start(server::Settings::new("shore", 0), clock::wall(1.0)).expect("a server");
    let port = server.port();
    let mission = format!(
        "ServerHost = localhost\nServerPort = {port}\nCommunity = shore\n\
         ProcessConfig = pLogger\n{{\n AppTick = 10\n CommsTick = 10\n File = LOG\n PATH = ./\n \
         AsyncLog = true\n Log = COUNT @ 0 NOSYNC\n FileTimeStamp = false\n}}\n\
         ProcessConfig = pEchoVar\n{{\n AppTick = 10\n CommsTick = 10\n echo = POKED -> ECHOED\n}}\n"
    );
    fs::write(folder.0.join("shore.moos"), mission).expect("a file");
    let own = client("own", port);
    own.register("POKED*", 0.0);
    own.register("ECHOED", 0.0);
    let _logger = Program::start(&programs, "pLogger", &["shore.moos"], &folder.0);
    let _echo = Program::start(&programs, "pEchoVar", &["shore.moos"], &folder.0);
    let end = Instant::now() + LONG;
    while !["pLogger", "pEchoVar"]
        .iter()
        .all(|name| server.clients().contains(&name.to_string()))
    {
        assert!(Instant::now() < end, "{:?}", server.clients());
        thread::sleep(Duration::from_millis(50));
    }
    // time for their registrations
    thread::sleep(Duration::from_secs(2));
    let poke = Command::new(programs.join("uPokeDB"))
        .arg0("uPokeDB")
        .args(["shore.moos", "POKED=2.5", "POKED_TEXT=a b"])
        .current_dir(&folder.0)
        .stdin(Stdio::null())
        .output()
        .expect("uPokeDB");
    assert!(poke.status.success(), "{poke:?}");
    let mail = collect(&own, |mail| mail.len() >= 3);
    let find = |key: &str| {
        mail.iter()
            .find(|message| message.key == key)
            .expect("a message")
    };
    assert_eq!(
        (find("POKED").number(), find("POKED").source.as_str()),
        (Some(2.5), "uPokeDB")
    );
    assert_eq!(
        (find("POKED_TEXT").text().as_ref(), find("ECHOED").number()),
        ("a b", Some(2.5))
    );
    assert_eq!(find("ECHOED").source, "pEchoVar");
    for k in 0..50 {
        own.notify("COUNT", f64::from(k));
    }
    // the log has the values in the order of their times
    let log = folder.0.join("LOG").join("LOG.alog");
    let end = Instant::now() + LONG;
    let counts = loop {
        let text = fs::read(&log).unwrap_or_default();
        let messages = alog::Reader::new(text.as_slice()).filter_map(Result::ok);
        let counts: Vec<f64> = messages
            .filter(|m| m.key == "COUNT")
            .map(|m| m.number)
            .collect();
        if counts.len() >= 50 || Instant::now() > end {
            break counts;
        }
        thread::sleep(Duration::from_millis(100));
    };
    assert_eq!(counts, (0..50).map(f64::from).collect::<Vec<_>>());
    assert_eq!(server.take_notes(), Vec::<String>::new());
    assert!(
        mail.iter()
            .all(|message| message.data_type != DataType::Binary)
    );
}
