//! WebSocket session of one client: sends the newest data, receives actions.
//!
//! The socket does not block. While the client does not receive, the session drops frames; the run
//! never waits for it.

use crate::action::{self, Action, ControlAction, ImageName, MAX_MESSAGE_BYTES, PlottedTopic};
use crate::hub::{Choices, Hub, Latest, Numbered};
use crate::images::{self, ColorScale, DrawnImage, Watch, WatchedFrame};
use crate::picture;
use crate::readings::samples::Sampler;
use crate::server::Shared;
use merrow_yaml::error::known_names;
use std::io::{ErrorKind, Write};
use std::net::TcpStream;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::Duration;
use tungstenite::protocol::{Role, WebSocketConfig};
use tungstenite::{Error, Message, WebSocket};

/// Longest time between two reads of the messages of a client.
const PERIOD: Duration = Duration::from_millis(10);
/// Maximum number of messages of a client in one period; later messages wait.
const MAX_MESSAGES: usize = 8;
/// Number of turns of the loop, each of a frame or 10 ms, between two images of a sensor.
const IMAGE_TURNS: usize = 4;
/// Number of periods without progress after which a connection is closed, about 20 s.
const MAX_STALLED: usize = 2000;
/// Number of periods without progress after which messages of a client wait, about 1 s.
const MAX_UNREAD: usize = 100;
/// Maximum number of messages of plotted topics that are decoded in one turn.
const MAX_DECODED: usize = 1000;
/// Number of refused messages after which a connection is closed.
const MAX_REFUSED: usize = 100;
/// Maximum number of bytes that wait for a client. Larger texts are sent in pieces by the socket.
const WRITE_BUFFER: usize = 64 * 1024 * 1024;

/// Runs the session of a client with the key of its handshake.
pub(crate) fn run(mut stream: TcpStream, key: &str, client: u64, shared: &Shared) {
    let accept = tungstenite::handshake::derive_accept_key(key.as_bytes());
    let head = format!(
        "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\
         Sec-WebSocket-Accept: {accept}\r\n\r\n"
    );
    let started = stream
        .write_all(head.as_bytes())
        .and_then(|()| stream.set_nonblocking(true));
    if started.is_err() {
        return;
    }
    let config = WebSocketConfig::default()
        .read_buffer_size(8 * 1024)
        .write_buffer_size(0)
        .max_write_buffer_size(WRITE_BUFFER)
        .max_message_size(Some(MAX_MESSAGE_BYTES))
        .max_frame_size(Some(MAX_MESSAGE_BYTES));
    let (answers, received) = channel();
    let mut session = Session {
        socket: WebSocket::from_raw_socket(stream, Role::Server, Some(config)),
        client,
        hub: &shared.hub,
        shared,
        sent: Sent::default(),
        choices: Choices::default(),
        samplers: Vec::new(),
        watched: Vec::new(),
        stop: None,
        refused: 0,
        stalled: 0,
        answers,
        received,
    };
    shared.hub.clients.fetch_add(1, Ordering::Relaxed);
    // ends with an error when the client closes the connection
    let _ = session.exchange();
    session.finish();
    shared.hub.clients.fetch_sub(1, Ordering::Relaxed);
}

/// Numbers of the newest data that the client has received.
#[derive(Default)]
struct Sent {
    frame: u64,
    scene: u64,
    sea: u64,
    status: u64,
    links: u64,
    network: u64,
    rates: u64,
    overlays: u64,
    message: u64,
    event: Option<u64>,
}

/// Image of a sensor that the client receives.
struct Watched {
    watch: Watch,
    /// Index of the image among the images of the sensor.
    image: usize,
    /// Number of the newest frame that the client has received.
    seen: u64,
    /// Number of turns until the next image may be sent.
    turns: usize,
}

struct Session<'a> {
    socket: WebSocket<TcpStream>,
    client: u64,
    hub: &'a Arc<Hub>,
    shared: &'a Shared,
    sent: Sent,
    /// Data that the client receives in addition to the data for all clients.
    choices: Choices,
    /// Topics whose fields the client plots.
    samplers: Vec<Sampler>,
    /// Images of sensors that the client receives.
    watched: Vec<Watched>,
    /// Action that stops the robot that the client currently controls.
    stop: Option<ControlAction>,
    refused: usize,
    stalled: usize,
    /// Answers of the run, as JSON texts.
    answers: Sender<String>,
    received: Receiver<String>,
}

impl Session<'_> {
    fn exchange(&mut self) -> Result<(), Error> {
        while !self.hub.stop.load(Ordering::Relaxed) {
            let latest = self.hub.wait(self.sent.frame, PERIOD);
            // answers to a client that does not receive would fill the memory
            if self.stalled < MAX_UNREAD {
                self.receive()?;
            }
            if self.flush()? {
                self.stalled = 0;
                self.send(&latest)?;
            } else {
                self.stalled += 1;
                if latest.frame.number > self.sent.frame {
                    self.sent.frame = latest.frame.number;
                    self.hub.dropped.fetch_add(1, Ordering::Relaxed);
                }
                if self.stalled > MAX_STALLED {
                    break;
                }
            }
        }
        Ok(())
    }

    /// Receives the messages of the client.
    fn receive(&mut self) -> Result<(), Error> {
        for _ in 0..MAX_MESSAGES {
            match self.socket.read() {
                Ok(Message::Text(text)) => self.handle(&text)?,
                Ok(Message::Binary(_)) => {
                    self.refuse(0, "expected JSON text, found binary data")?
                }
                Ok(Message::Close(_)) => return Err(Error::ConnectionClosed),
                Ok(_) => {}
                Err(Error::Io(e)) if e.kind() == ErrorKind::WouldBlock => break,
                Err(e) => {
                    if !matches!(e, Error::ConnectionClosed | Error::Io(_)) {
                        self.hub.refused.fetch_add(1, Ordering::Relaxed);
                    }
                    return Err(e);
                }
            }
        }
        Ok(())
    }

    fn handle(&mut self, text: &str) -> Result<(), Error> {
        let message = match action::decode(text) {
            Ok(message) => message,
            Err(why) => return self.refuse(action::message_id(text), &why),
        };
        let id = message.id;
        let done = match message.action {
            Action::Control(action) => {
                self.request(id, action);
                return Ok(());
            }
            Action::Select { robot } => self.select(robot.as_deref()),
            Action::Plot { robots } => self.plot(&robots),
            Action::Topics { topics } => self.plot_topics(topics),
            Action::Watch { images } => self.watch(&images),
            Action::Overlay { is_on, has_hull } => {
                self.choose(|choices| choices.overlay = is_on.then_some(has_hull));
                Ok(())
            }
            Action::Network { is_on } => {
                self.choose(|choices| choices.has_network = is_on);
                Ok(())
            }
        };
        match done {
            Ok(()) => {
                self.answer(id, Ok(String::new()));
                Ok(())
            }
            Err(why) => self.refuse(id, &why),
        }
    }

    /// Requests an action of the run, whose answer goes to the client.
    fn request(&mut self, id: u64, action: ControlAction) {
        self.keep_stop(&action);
        let answers = self.answers.clone();
        let answer = move |result| {
            // the session may have ended
            let _ = answers.send(answer_text(id, result));
        };
        self.shared.controls.request(action, Box::new(answer));
    }

    /// Changes the data that the client receives, which the hub then provides.
    fn choose(&mut self, change: impl FnOnce(&mut Choices)) {
        change(&mut self.choices);
        let own = self.choices.clone();
        self.hub.set_choices(self.client, own, false);
    }

    /// Sets the robot whose details the client receives.
    fn select(&mut self, robot: Option<&str>) -> Result<(), String> {
        let selected = self.find(robot)?;
        self.choose(|choices| choices.selected = selected);
        Ok(())
    }

    /// Sets the robots whose fields the client plots.
    fn plot(&mut self, names: &[String]) -> Result<(), String> {
        let robots = names.iter().map(|name| self.find(Some(name)));
        let found = robots.collect::<Result<Vec<_>, _>>()?;
        self.choose(|choices| choices.plotted = found.into_iter().flatten().collect());
        Ok(())
    }

    /// Sets the images of sensors that the client receives.
    fn watch(&mut self, images: &[ImageName]) -> Result<(), String> {
        let found = images.iter().map(|name| self.find_image(name));
        self.watched = found.collect::<Result<_, _>>()?;
        let watches = self.watched.iter().map(|watched| watched.watch.clone());
        let watches = watches.collect();
        self.choose(|choices| choices.watched = watches);
        Ok(())
    }

    /// Sets the topics whose fields the client plots. The client receives later messages only.
    fn plot_topics(&mut self, plotted: Vec<PlottedTopic>) -> Result<(), String> {
        let known = self.shared.controls.topics();
        let is_known = |topic: &str| known.iter().any(|known| known.name == topic);
        if let Some(unknown) = plotted.iter().find(|plotted| !is_known(&plotted.topic)) {
            let names = known.iter().map(|known| known.name.as_str());
            return Err(missing("topic", &unknown.topic, names));
        }
        if self.samplers.is_empty() {
            self.sent.message = self.hub.next_message();
        }
        let topics = plotted.iter().map(|plotted| plotted.topic.clone());
        let topics: Vec<String> = topics.collect();
        let plots = !(self.choices.topics.is_empty() && topics.is_empty());
        self.choices.topics = topics;
        self.hub
            .set_choices(self.client, self.choices.clone(), plots);
        self.samplers = plotted.into_iter().map(Sampler::new).collect();
        Ok(())
    }

    /// Keeps the action that stops a robot which the client drives with this action.
    fn keep_stop(&mut self, action: &ControlAction) {
        let mut stop = action.clone();
        let moves = match &mut stop {
            ControlAction::Drive { axes, .. } => zero(axes),
            ControlAction::Push { force, moment, .. } => {
                zero(moment);
                zero(force)
            }
            ControlAction::Gamepad { axes, buttons, .. } => {
                buttons.clear();
                zero(axes)
            }
            _ => return,
        };
        self.stop = moves.then_some(stop);
    }

    /// Returns the index of a robot.
    fn find(&self, robot: Option<&str>) -> Result<Option<usize>, String> {
        let latest = self.hub.lock();
        let names = latest.scene.value.robots.iter().map(String::as_str);
        robot.map(|name| place_of("robot", name, names)).transpose()
    }

    /// Finds an image from the names of robot, sensor and image.
    fn find_image(&self, name: &ImageName) -> Result<Watched, String> {
        let (robot, sensor, image) = (&name.robot, &name.sensor, &name.image);
        let latest = self.hub.lock();
        let data = Arc::clone(&latest.scene.value);
        drop(latest);
        let robots = data.scene.as_ref().map(|scene| &scene.robots);
        let robots = robots.map_or(&[][..], |robots| robots.as_slice());
        let names = robots.iter().map(|known| known.name.as_str());
        let r = place_of("robot", robot, names)?;
        let sensors = &robots[r].sensors;
        let s = sensors.iter().position(|known| known.name == *sensor);
        let s = s.ok_or_else(|| {
            let names = sensors.iter().map(|known| known.name.as_str());
            let known = known_names(sensor, names);
            format!("no sensor {sensor:?} on {robot}{known}")
        })?;
        let source = self.shared.controls.image_source((r, s), &sensors[s]);
        let kinds = source.unwrap_or_default().kinds;
        let Some(index) = kinds.iter().position(|(name, _)| name == image) else {
            let names: Vec<&str> = kinds.iter().map(|(name, _)| name.as_str()).collect();
            let expected = match names.as_slice() {
                [] => "the sensor has no images".to_string(),
                names => format!("expected {}", names.join(" or ")),
            };
            return Err(format!("{robot}/{sensor}: no image {image:?}; {expected}"));
        };
        let watch = Watch {
            robot: r,
            sensor: s,
            kind: image.clone(),
        };
        Ok(Watched {
            watch,
            image: index,
            seen: 0,
            turns: 0,
        })
    }

    /// Refuses a message. After many refusals the connection is closed.
    fn refuse(&mut self, id: u64, why: &str) -> Result<(), Error> {
        self.hub.refused.fetch_add(1, Ordering::Relaxed);
        self.refused += 1;
        self.answer(id, Err(why.to_string()));
        if self.refused > MAX_REFUSED {
            return Err(Error::ConnectionClosed);
        }
        Ok(())
    }

    fn answer(&self, id: u64, result: Result<String, String>) {
        // cannot fail: the session has the receiver
        let _ = self.answers.send(answer_text(id, result));
    }

    /// Sends what waits in the buffers. Returns true if they are empty.
    fn flush(&mut self) -> Result<bool, Error> {
        match self.socket.flush() {
            Ok(()) => Ok(true),
            Err(Error::Io(e)) if e.kind() == ErrorKind::WouldBlock => Ok(false),
            Err(e) => Err(e),
        }
    }

    /// Queues the data that the client does not have yet.
    fn send(&mut self, latest: &Latest) -> Result<(), Error> {
        if latest.scene.number == 0 {
            return Ok(());
        }
        if self.sent.scene != latest.scene.number {
            self.sent.scene = latest.scene.number;
            self.samplers.clear();
            self.watched.clear();
            let plots = !self.choices.topics.is_empty();
            self.choices = Choices {
                overlay: self.choices.overlay,
                has_network: self.choices.has_network,
                ..Choices::default()
            };
            self.hub
                .set_choices(self.client, self.choices.clone(), plots);
            self.send_text(&latest.scene.value.json)?;
        }
        self.send_world(latest)?;
        if self.sent.rates != latest.rates.number {
            self.sent.rates = latest.rates.number;
            let rates = latest.rates.value.iter();
            let selected = self.choices.selected;
            for (_, text) in rates.filter(|(k, _)| Some(*k) == selected) {
                self.send_text(text)?;
            }
        }
        if self.sent.overlays != latest.overlays.number {
            self.sent.overlays = latest.overlays.number;
            let own = &self.choices;
            let selected = own.selected.filter(|_| own.overlay.is_some());
            let overlays = latest.overlays.value.iter();
            let own = overlays.filter(|(k, _)| Some(*k) == selected);
            for (_, text) in own {
                self.send_text(text)?;
            }
        }
        // a new client receives only later events
        let seen = *self.sent.event.get_or_insert(latest.event);
        let new = (latest.event - seen).min(latest.events.len() as u64) as usize;
        self.sent.event = Some(latest.event);
        for event in latest.events.iter().skip(latest.events.len() - new) {
            self.send_text(event)?;
        }
        while let Ok(answer) = self.received.try_recv() {
            self.send_text(&answer)?;
        }
        if self.sent.frame != latest.frame.number {
            self.sent.frame = latest.frame.number;
            self.send_frame(latest)?;
            self.send_samples()?;
        }
        if self.flush()? {
            for k in 0..self.watched.len() {
                self.send_image(k, latest)?;
            }
            self.flush()?;
        }
        Ok(())
    }

    /// Queues the samples of the plotted topics since the preceding call.
    fn send_samples(&mut self) -> Result<(), Error> {
        if self.samplers.is_empty() {
            return Ok(());
        }
        let topics: Vec<&str> = self.samplers.iter().map(Sampler::topic).collect();
        let new = self
            .hub
            .messages(&topics, &mut self.sent.message, MAX_DECODED);
        let controls = Arc::clone(&self.shared.controls);
        let mut texts = Vec::new();
        for sampler in &mut self.samplers {
            texts.extend(sampler.texts(&new, &*controls));
        }
        texts.iter().try_for_each(|text| self.send_text(text))
    }

    /// Queues sea, status, links and activities of modems that the client does not have yet.
    fn send_world(&mut self, latest: &Latest) -> Result<(), Error> {
        let (sent, network) = (&mut self.sent, Some(&latest.network));
        let texts = [
            (&mut sent.sea, Some(&latest.sea)),
            (&mut sent.status, Some(&latest.status)),
            (&mut sent.links, Some(&latest.links)),
            (
                &mut sent.network,
                network.filter(|_| self.choices.has_network),
            ),
        ];
        let is_new = |(sent, text): (&mut u64, Option<&Numbered<Arc<str>>>)| {
            text.filter(|text| std::mem::replace(sent, text.number) != text.number)
                .cloned()
        };
        let new: Vec<_> = texts.into_iter().filter_map(is_new).collect();
        new.iter().try_for_each(|text| self.send_text(&text.value))
    }

    /// Sends the newest image of a watched sensor. While earlier data waits, images are left out.
    fn send_image(&mut self, index: usize, latest: &Latest) -> Result<(), Error> {
        let watched = &mut self.watched[index];
        watched.turns = watched.turns.saturating_sub(1);
        if watched.turns > 0 {
            return Ok(());
        }
        let Watch {
            robot,
            sensor,
            kind,
        } = watched.watch.clone();
        let place = (robot, sensor);
        let Some(recent) = self.hub.sensor_frames(place, watched.seen) else {
            return Ok(());
        };
        watched.seen = recent.number;
        watched.turns = IMAGE_TURNS;
        let image = watched.image;
        let scene = latest.scene.value.scene.as_ref();
        let robot = scene.and_then(|scene| scene.robots.get(place.0));
        let Some(sensor) = robot.and_then(|robot| robot.sensors.get(place.1)) else {
            return Ok(());
        };
        let frames: Vec<WatchedFrame> = recent.frames.into_iter().collect();
        let stamp = frames.last().map_or(0, |last| last.frame.stamp_ns);
        let points = frames.last().and_then(|WatchedFrame { frame, pose, .. }| {
            picture::points_in_world(sensor, frame, pose, images::MAX_POINTS)
        });
        if let Some(points) = points {
            let points = images::points_message(place, stamp, &points);
            self.write(Message::binary(points))?;
        }
        let file = frames.last().and_then(|last| last.file.as_ref());
        let drawn = match file {
            Some((name, file)) => (*name == kind).then(|| DrawnImage {
                file: file.to_vec(),
                scale: ColorScale::None,
            }),
            None => self.shared.controls.image(sensor, &kind, &frames),
        };
        match drawn {
            Some(drawn) => {
                let message = images::message(place, image, stamp, &drawn);
                self.write(Message::binary(message))
            }
            None => Ok(()),
        }
    }

    fn send_frame(&mut self, latest: &Latest) -> Result<(), Error> {
        let frame = &latest.frame.value;
        let mut bytes = frame.base.clone();
        for (k, details) in &frame.details {
            if self.choices.selected == Some(*k) || self.choices.plotted.contains(k) {
                bytes.extend_from_slice(details);
            }
        }
        self.write(Message::binary(bytes))
    }

    fn send_text(&mut self, text: &str) -> Result<(), Error> {
        self.write(Message::text(text))
    }

    fn write(&mut self, message: Message) -> Result<(), Error> {
        match self.socket.write(message) {
            Err(Error::Io(e)) if e.kind() == ErrorKind::WouldBlock => Ok(()),
            other => other,
        }
    }

    /// Ends the session: a robot that the client drives stops.
    fn finish(&mut self) {
        self.hub.leave(self.client);
        if let Some(stop) = self.stop.take() {
            self.shared.controls.request(stop, Box::new(|_| {}));
        }
        // the client may be gone
        let _ = self.socket.close(None);
        let _ = self.socket.flush();
    }
}

/// Sets all numbers to zero. Returns true if one was not.
fn zero(numbers: &mut [f64]) -> bool {
    let moves = numbers.iter().any(|x| *x != 0.0);
    numbers.fill(0.0);
    moves
}

/// Returns the index of `name` among the names that exist.
fn place_of<'a>(
    what: &str,
    name: &str,
    mut names: impl Iterator<Item = &'a str> + Clone,
) -> Result<usize, String> {
    let known = names.clone();
    let found = names.position(|known| known == name);
    found.ok_or_else(|| missing(what, name, known))
}

/// Returns the error about an object of a message that does not exist, with the names that exist.
fn missing<'a>(what: &str, name: &str, names: impl Iterator<Item = &'a str>) -> String {
    format!("no {what} {name:?}{}", known_names(name, names))
}

/// Returns the answer to a message as JSON text.
fn answer_text(id: u64, result: Result<String, String>) -> String {
    let value = match result {
        Ok(text) if text.is_empty() => serde_json::json!({"type": "answer", "id": id, "ok": true}),
        Ok(text) => serde_json::json!({"type": "answer", "id": id, "ok": true, "text": text}),
        Err(why) => serde_json::json!({"type": "answer", "id": id, "ok": false, "error": why}),
    };
    value.to_string()
}
