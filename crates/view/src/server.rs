//! HTTP server of the page: accepts connections, answers requests for files and data, and hands
//! WebSocket connections to their sessions.

use crate::controls::Controls;
use crate::hub::Hub;
use crate::page;
use crate::places::{Place, Places};
use crate::request::{HEAD_BYTES, Head};
use crate::scene;
use crate::session;
use std::io::{self, Read, Write};
use std::net::{IpAddr, SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// Number of ports that are tried after the default port.
const TRIED_PORTS: u16 = 20;
/// Time between two attempts to accept a connection.
const ACCEPT_PERIOD: Duration = Duration::from_millis(20);
/// Maximum time for the head of an HTTP request, and for one write of the response.
const HTTP_TIMEOUT: Duration = Duration::from_secs(5);

/// What every connection needs.
pub(crate) struct Shared {
    /// Data of the run.
    pub hub: Arc<Hub>,
    /// Requests to the run.
    pub controls: Arc<dyn Controls>,
    /// Token that requests for data must contain; `None`: no token.
    pub token: Option<String>,
    places: Arc<Places>,
    sessions: AtomicUsize,
}

/// Running server. Dropping it ends its thread.
pub(crate) struct Server {
    /// Address at which the server listens.
    pub address: SocketAddr,
    /// Token of the page; `None` on a loopback address.
    pub token: Option<String>,
    hub: Arc<Hub>,
    thread: Option<JoinHandle<()>>,
}

impl Server {
    /// Starts a server. If `next` is set and the port is in use, the following ports are tried.
    ///
    /// # Errors
    /// One line: the address cannot be used, or there is no token.
    pub(crate) fn start(
        address: SocketAddr,
        next: bool,
        hub: &Arc<Hub>,
        controls: Arc<dyn Controls>,
    ) -> Result<Self, String> {
        let listener = bind(address, next)?;
        let found = |e: io::Error| format!("--view: {address}: {e}");
        let address = listener.local_addr().map_err(found)?;
        listener.set_nonblocking(true).map_err(found)?;
        let token = if address.ip().is_loopback() {
            None
        } else {
            Some(random_token()?)
        };
        let shared = Arc::new(Shared {
            hub: Arc::clone(hub),
            controls,
            token: token.clone(),
            places: Arc::default(),
            sessions: AtomicUsize::new(0),
        });
        let thread = std::thread::Builder::new()
            .name("view".to_string())
            .spawn(move || accept(&listener, &shared))
            .map_err(found)?;
        Ok(Self {
            address,
            token,
            hub: Arc::clone(hub),
            thread: Some(thread),
        })
    }

    /// Returns the address of the page.
    pub(crate) fn url(&self) -> String {
        let mut address = self.address;
        if address.ip().is_unspecified() {
            // a page cannot be opened at 0.0.0.0 from another machine; this machine is one choice
            address.set_ip(IpAddr::from([127, 0, 0, 1]));
        }
        match &self.token {
            None => format!("http://{address}/"),
            Some(token) => format!("http://{address}/?token={token}"),
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.hub.end();
        if let Some(thread) = self.thread.take() {
            // fails only if the thread has panicked
            let _ = thread.join();
        }
    }
}

fn bind(address: SocketAddr, next: bool) -> Result<TcpListener, String> {
    let tried = if next { TRIED_PORTS } else { 0 };
    let mut port = address.port();
    loop {
        match TcpListener::bind(SocketAddr::new(address.ip(), port)) {
            Ok(listener) => return Ok(listener),
            Err(e) if e.kind() == io::ErrorKind::AddrInUse && port < address.port() + tried => {
                port += 1;
            }
            Err(e) => {
                let found = SocketAddr::new(address.ip(), port);
                return Err(format!(
                    "--view: cannot listen on {found}: {e}; choose another address with --view=ADDRESS:PORT"
                ));
            }
        }
    }
}

/// Returns 128 random bits as hexadecimal text.
fn random_token() -> Result<String, String> {
    let mut bytes = [0_u8; 16];
    let n = rustix::rand::getrandom(&mut bytes, rustix::rand::GetRandomFlags::empty())
        .map_err(|e| format!("--view: no random numbers for the token: {e}"))?;
    if n < bytes.len() {
        return Err("--view: too few random numbers for the token".to_string());
    }
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}

/// Accepts connections until the view ends.
fn accept(listener: &TcpListener, shared: &Arc<Shared>) {
    while !shared.hub.stop.load(Ordering::Relaxed) {
        let Ok((stream, _)) = listener.accept() else {
            std::thread::sleep(ACCEPT_PERIOD);
            continue;
        };
        let Some(place) = shared.places.take(&stream) else {
            continue;
        };
        let own = Arc::clone(shared);
        // without a thread the connection is closed
        let _ = std::thread::Builder::new()
            .name("view client".to_string())
            .spawn(move || serve(stream, &place, &own));
    }
}

/// Serves one connection: one HTTP request, or a WebSocket until it ends.
fn serve(mut stream: TcpStream, place: &Place, shared: &Shared) {
    let ready = stream
        .set_nonblocking(false)
        .and_then(|()| stream.set_nodelay(true))
        .and_then(|()| stream.set_write_timeout(Some(HTTP_TIMEOUT)));
    if ready.is_err() {
        return;
    }
    let head = match read_head(&mut stream) {
        Ok(text) => Head::parse(&text),
        Err(_) => return,
    };
    let answer = match &head {
        Err(why) => Response::refusal(400, why),
        Ok(head) => match head.socket_key() {
            Some(key) if head.path == "/socket" => match check(head, shared) {
                Ok(()) if !place.keep() => {
                    Response::refusal(503, "this address has too many connections")
                }
                Ok(()) => {
                    let client = shared.sessions.fetch_add(1, Ordering::Relaxed) as u64;
                    session::run(stream, key, client, shared);
                    return;
                }
                Err(refusal) => refusal,
            },
            _ => respond(head, shared),
        },
    };
    // the client may have closed the connection
    let _ = answer.write(&mut stream);
}

/// Reads up to the empty line that ends the head of a request, which must arrive in time.
fn read_head(stream: &mut TcpStream) -> io::Result<String> {
    let mut bytes = Vec::new();
    let mut buffer = [0_u8; 2048];
    let end = Instant::now() + HTTP_TIMEOUT;
    // a timeout of 0 is an error, and a later read would be too late
    while let Some(left) = end.checked_duration_since(Instant::now()) {
        stream.set_read_timeout(Some(left))?;
        let n = stream.read(&mut buffer)?;
        bytes.extend_from_slice(&buffer[..n]);
        if bytes.windows(4).any(|end| end == b"\r\n\r\n") {
            return String::from_utf8(bytes).map_err(|_| io::ErrorKind::InvalidData.into());
        }
        if n == 0 || bytes.len() > HEAD_BYTES {
            break;
        }
    }
    Err(io::ErrorKind::InvalidData.into())
}

/// Checks that a request comes from the page itself, and its token.
fn check(head: &Head, shared: &Shared) -> Result<(), Response> {
    let host_is_local = head.host_is_loopback();
    match &shared.token {
        // a page of another site that resolves its name to this machine has its own host name
        None if !host_is_local => Err(Response::refusal(403, "unexpected Host")),
        Some(token) if head.token() != Some(token.as_str()) => {
            Err(Response::refusal(403, "the token is missing or wrong"))
        }
        _ if !head.is_same_origin() => Err(Response::refusal(403, "unexpected Origin")),
        _ => Ok(()),
    }
}

/// Answers a request for a file of the page, or for data of the scene.
fn respond(head: &Head, shared: &Shared) -> Response {
    if !head.is_read {
        return Response::refusal(405, "expected a request that reads a file");
    }
    let is_page = head.path == "/";
    // modules and styles are not secret, and a module cannot pass the token on
    if let Some((kind, body)) = page::file(&head.path).filter(|_| !is_page) {
        return Response::new(kind, body.into());
    }
    if let Err(refusal) = check(head, shared) {
        return refusal;
    }
    if let Some((kind, body)) = page::file(&head.path) {
        return Response::new(kind, body.into());
    }
    if head.path == "/topics" {
        let json = scene::topics_json(&shared.controls.topics()).to_string();
        return Response::new("application/json", json.into_bytes());
    }
    if head.path == "/catalogue" {
        let json = scene::catalogue_json(&shared.controls.catalogue()).to_string();
        return Response::new("application/json", json.into_bytes());
    }
    let binary = "application/octet-stream";
    if let Some(name) = head.path.strip_prefix("/model/") {
        return match shared.controls.model(name) {
            Some(model) => Response::new(binary, scene::model_bytes(&model)),
            None => Response::refusal(404, "no such model"),
        };
    }
    let scene = Arc::clone(&shared.hub.lock().scene.value);
    if head.path == "/terrain" {
        return Response::new(binary, scene.terrain.clone());
    }
    let number = head
        .path
        .strip_prefix("/mesh/")
        .and_then(|k| k.parse().ok());
    match number.and_then(|k: usize| scene.meshes.get(k)) {
        Some(mesh) => Response::new(binary, mesh.clone()),
        None => Response::refusal(404, "no such file"),
    }
}

/// HTTP response, after which the connection is closed.
struct Response {
    status: u16,
    kind: &'static str,
    body: Vec<u8>,
}

impl Response {
    fn new(kind: &'static str, body: Vec<u8>) -> Self {
        Self {
            status: 200,
            kind,
            body,
        }
    }

    fn refusal(status: u16, why: &str) -> Self {
        Self {
            status,
            kind: "text/plain; charset=utf-8",
            body: format!("{why}\n").into_bytes(),
        }
    }

    fn write(&self, stream: &mut TcpStream) -> io::Result<()> {
        let reason = match self.status {
            200 => "OK",
            403 => "Forbidden",
            404 => "Not Found",
            503 => "Service Unavailable",
            405 => "Method Not Allowed",
            _ => "Bad Request",
        };
        let head = format!(
            "HTTP/1.1 {} {reason}\r\nContent-Type: {}\r\nContent-Length: {}\r\n\
             Cache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\n\
             Referrer-Policy: no-referrer\r\nX-Frame-Options: DENY\r\n\
             Content-Security-Policy: default-src 'self'; style-src 'self' 'unsafe-inline'; \
             img-src 'self' data: blob:; connect-src 'self' ws:\r\n\
             Connection: close\r\n\r\n",
            self.status,
            self.kind,
            self.body.len()
        );
        stream.write_all(head.as_bytes())?;
        stream.write_all(&self.body)
    }
}
