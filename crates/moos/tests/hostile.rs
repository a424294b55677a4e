//! Clients and servers that break the protocol, or do not read: the others go on, and one line says what
//! happened.

use merrow_moos::client::{Client, Connection, Settings};
use merrow_moos::clock;
use merrow_moos::message::{Kind, Message};
use merrow_moos::packet::{PROTOCOL, encode};
use merrow_moos::server::{self, Server};
use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::time::{Duration, Instant};

const LONG: Duration = Duration::from_secs(20);

fn server() -> Server {
    Server::start(server::Settings::new("alpha", 0), clock::wall(1.0)).expect("a server")
}

fn client(name: &str, port: u16) -> Client {
    let client = Client::start(Settings::new(name, "127.0.0.1", port), clock::wall(1.0));
    assert!(client.wait_connected(LONG), "{:?}", client.connection());
    client
}

/// Connects without a client, and states a name.
fn stream(name: &str, port: u16) -> TcpStream {
    let mut stream = TcpStream::connect(("127.0.0.1", port)).expect("a connection");
    stream.set_read_timeout(Some(LONG)).unwrap();
    stream.write_all(&PROTOCOL).unwrap();
    let name = Message::new(Kind::Name, "asynchronous", name, 0.0);
    stream.write_all(&encode(&[name])).unwrap();
    let mut welcome = [0; 4];
    stream.read_exact(&mut welcome).unwrap();
    stream
}

/// Waits for a value of a variable.
fn wait_for(client: &Client, key: &str, value: f64) {
    let end = Instant::now() + LONG;
    let is_it = |m: &Message| m.key == key && m.number() == Some(value);
    while !client.wait(Duration::from_millis(100)).iter().any(is_it) {
        assert!(Instant::now() < end, "{key} is not {value}");
    }
}

// Method: damaged bytes of every length and with every extreme, each on a connection of its own.
#[test]
fn damaged_packets_end_their_connection_only() {
    let server = server();
    let (reader, writer) = (
        client("reader", server.port()),
        client("writer", server.port()),
    );
    reader.register("X", 0.0);
    let packet = encode(&[Message::notify("X", -1.0, 0.0)]);
    for round in 0..packet.len() {
        let mut damaged = packet.clone();
        match round % 3 {
            0 => damaged.truncate(round),
            1 => damaged[round] = 0xff,
            _ => damaged[0..4].copy_from_slice(&i32::MAX.to_le_bytes()),
        }
        let mut hostile = stream(&format!("hostile {round}"), server.port());
        let _ = hostile.write_all(&damaged);
        if round % 2 == 0 {
            // the server answers, or closes the connection
            let _ = hostile.shutdown(std::net::Shutdown::Write);
            let _ = hostile.read(&mut [0; 64]);
        }
    }
    writer.notify("X", 5.0);
    wait_for(&reader, "X", 5.0);
    let notes = server.take_notes();
    assert!(
        notes.iter().any(|line| line.contains("hostile")),
        "{notes:?}"
    );
    assert!(notes.iter().all(|line| !line.contains('\n')), "{notes:?}");
}

#[test]
fn clients_that_do_not_read_delay_nobody() {
    let server = server();
    let (reader, writer) = (
        client("reader", server.port()),
        client("writer", server.port()),
    );
    reader.register("DONE", 0.0);
    let mut slow = stream("slow", server.port());
    let all = Message::new(Kind::Register, "IMAGE", 0.0, 0.0);
    slow.write_all(&encode(&[all])).unwrap();
    let image = "x".repeat(100_000);
    for _ in 0..300 {
        writer.notify("IMAGE", image.as_str());
        assert!(writer.flush(LONG));
    }
    writer.notify("DONE", 1.0);
    wait_for(&reader, "DONE", 1.0);
    let end = Instant::now() + LONG;
    while server.clients().contains(&"slow".to_string()) {
        assert!(Instant::now() < end, "{:?}", server.clients());
        std::thread::sleep(Duration::from_millis(50));
    }
    let notes = server.take_notes();
    assert!(notes.iter().any(|line| line.contains("slow")), "{notes:?}");
}

// A peer that sends a byte now and then holds neither a server that ends nor a client.
#[test]
fn peers_that_drip_hold_nobody() {
    let server = server();
    let port = server.port();
    let dripping = std::thread::spawn(move || {
        let mut stream = TcpStream::connect(("127.0.0.1", port)).expect("a connection");
        for byte in PROTOCOL.iter().cycle() {
            if stream.write_all(&[*byte]).is_err() {
                break;
            }
            std::thread::sleep(Duration::from_millis(200));
        }
    });
    std::thread::sleep(Duration::from_millis(300));
    let begin = Instant::now();
    drop(server);
    assert!(
        begin.elapsed() < Duration::from_secs(8),
        "{:?}",
        begin.elapsed()
    );
    dripping.join().unwrap();
}

// Method: a server that closes, sends bytes that are no packet, a packet without a welcome, or drips.
#[test]
fn hostile_servers_end_no_client() {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = listener.local_addr().unwrap().port();
    let own = Client::start(Settings::new("own", "127.0.0.1", port), clock::wall(1.0));
    own.register("X", 0.0);
    let empty = encode(&[]);
    let value = encode(&[Message::notify("X", 1.0, 0.0)]);
    for answer in [&[][..], &[0xff; 64], &empty, &value] {
        let (mut stream, _) = listener.accept().expect("a client");
        let mut first = [0; 32];
        stream.read_exact(&mut first).unwrap();
        assert_eq!(first, PROTOCOL);
        let _ = stream.write_all(answer);
        drop(stream);
    }
    assert!(!matches!(own.connection(), Connection::Connected(_)));
    drop(listener);
    let server = Server::start(server::Settings::new("alpha", port), clock::wall(1.0));
    let server = server.expect("the same port");
    assert!(own.wait_connected(LONG), "{:?}", own.connection());
    let writer = client("writer", port);
    writer.notify("X", 2.0);
    wait_for(&own, "X", 2.0);
    drop(server);
}
