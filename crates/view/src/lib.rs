//! Live view of a running world in the browser: a web server with a page, the description of the
//! scene, and state frames at 30 Hz.
//!
//! [`View`] is an observer of the run. It reads the simulation and requests the outputs of sensors
//! that clients watch. Clients change the world through [`Controls`], on the path of all other
//! commands. [`action`] decodes their messages.
//!
//! # Example
//! ```
//! use merrow_sim::{Pace, Simulation, run};
//! use merrow_view::{NoControls, View};
//! use merrow_world::{Overrides, load_text};
//! use std::sync::Arc;
//! use std::sync::atomic::AtomicBool;
//!
//! let world = load_text("world.yaml", "robots: {rov: {model: bluerov2}}", Overrides::default())
//!     .map_err(|problems| problems.to_string())?;
//! let mut simulation = Simulation::new(Arc::new(world.scene), 1)?;
//! // any free port of this machine
//! let address = "127.0.0.1:0".parse().map_err(|_| "not an address")?;
//! let mut view = View::start(&simulation, Some(address), Arc::new(NoControls))?;
//! assert!(view.url().starts_with("http://127.0.0.1:"));
//! let (_sender, requests) = crossbeam_channel::unbounded();
//! let stop = AtomicBool::new(false);
//! run(&mut simulation, Pace::Max, Some(0.1), &requests, &mut [&mut view], &stop);
//! # Ok::<(), String>(())
//! ```

#![forbid(unsafe_code)]

pub mod action;
pub mod controls;
pub mod fields;
mod frame;
mod hub;
pub mod images;
mod page;
pub mod picture;
mod places;
pub mod readings;
pub mod request;
mod scene;
mod server;
mod session;
mod shapes;
mod status;
mod task;
pub mod teleoperation;
mod values;

pub use crate::controls::{
    Answer, Catalogue, ControlState, Controls, MessageNumbers, NoControls, RobotControls,
    TopicInfo, TopicMessage,
};
pub use crate::frame::{DETAILS_KIND, FRAME_KIND};
pub use crate::images::{ColorScale, DrawnImage, IMAGE_KIND, ImageSource, WatchedFrame};
use crate::readings::load::LoadMeter;
pub use merrow_messages::snapshot::FieldOfView;

use crate::hub::Hub;
use crate::images::{Images, Watch};
use crate::readings::events::EventDetector;
use crate::readings::links;
use crate::readings::network::NetworkHistory;
use crate::readings::rates::Rates;
use crate::scene::SceneData;
use crate::server::Server;
use bytes::Bytes;
use merrow_model::scene::{Correspondence, Waves};
use merrow_model::state::Halt;
use merrow_model::state::commands::CommandRejection;
use merrow_model::state::frames::Frame;
use merrow_sim::{BLOCK_MAX_NS, Control, Observer, Simulation};
use serde_json::json;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::Ordering;

/// Address of the page without an address of the user.
pub(crate) const DEFAULT_ADDRESS: &str = "127.0.0.1:8080";
/// Wall-clock time between two state frames [s].
const FRAME_PERIOD_S: f64 = 1.0 / 30.0;
/// Wall-clock time between two comparisons of the status [s].
const STATUS_PERIOD_S: f64 = 0.2;
/// Wall-clock time between two readings for overlays [s].
const OVERLAY_PERIOD_S: f64 = 0.1;
/// Wall-clock time between two messages about the network of modems [s].
const NETWORK_PERIOD_S: f64 = 0.5;
/// Part of a period by which a frame may be early, because blocks do not end at its multiples.
const EARLY: f64 = 0.1;

/// Live view of a run. Dropping it closes all connections.
pub struct View {
    hub: Arc<Hub>,
    server: Server,
    controls: Arc<dyn Controls>,
    /// Wall-clock time of the last frame, status, overlays and message about the network [s].
    last: [f64; 4],
    status: String,
    /// Communication links that the clients have.
    links: String,
    /// Waves whose components the clients have.
    waves: Option<Waves>,
    /// Number of rejections of commands that are reported as events in the current status period.
    rejections: usize,
    is_reset: bool,
    /// True if the view shows a recording.
    is_recording: bool,
    images: Images,
    events: EventDetector,
    rates: Rates,
    network: NetworkHistory,
    load: LoadMeter,
    /// Number of changes of the plotted topics that the controls know.
    topic_changes: u64,
}

/// Maximum number of rejections that are reported in one status period.
const MAX_REJECTIONS: usize = 5;

impl View {
    /// Starts the server. Without an address it listens on [`DEFAULT_ADDRESS`], or on the next port
    /// that is free.
    ///
    /// # Errors
    /// One line: the address cannot be used.
    pub fn start(
        simulation: &Simulation,
        address: Option<SocketAddr>,
        controls: Arc<dyn Controls>,
    ) -> Result<Self, String> {
        let hub = Arc::new(Hub::default());
        let default = || DEFAULT_ADDRESS.parse::<SocketAddr>();
        let listen = match address {
            Some(address) => address,
            None => default().map_err(|e| format!("{DEFAULT_ADDRESS}: {e}"))?,
        };
        let server = Server::start(listen, address.is_none(), &hub, Arc::clone(&controls))?;
        let mut view = Self {
            hub,
            server,
            is_recording: controls.recording_bounds().is_some(),
            controls,
            last: [f64::NEG_INFINITY; 4],
            status: String::new(),
            links: String::new(),
            waves: None,
            rejections: 0,
            is_reset: false,
            images: Images::default(),
            events: EventDetector::default(),
            rates: Rates::default(),
            network: NetworkHistory::default(),
            load: LoadMeter::default(),
            topic_changes: 0,
        };
        view.publish_scene(simulation);
        Ok(view)
    }

    /// Returns the address of the page, with its token if it has one.
    pub fn url(&self) -> String {
        self.server.url()
    }

    /// Returns the number of messages of clients that were refused.
    pub fn refused(&self) -> u64 {
        self.hub.refused.load(Ordering::Relaxed)
    }

    /// Returns the number of frames that were dropped because a client did not receive them.
    pub fn dropped(&self) -> u64 {
        self.hub.dropped.load(Ordering::Relaxed)
    }

    /// Returns the number of connected clients.
    pub fn clients(&self) -> usize {
        self.hub.clients.load(Ordering::Relaxed)
    }

    /// Returns the images that clients watch: indices of robot and sensor, and the name of the
    /// image.
    pub fn watched(&self) -> Vec<((usize, usize), String)> {
        let watched = self.hub.watched().into_iter();
        let image = |watch: Watch| ((watch.robot, watch.sensor), watch.kind);
        watched.map(image).collect()
    }

    /// Shows a frame of a recording to the clients that watch its sensor. `file` has the name and
    /// the file of an image that is shown as it is.
    pub fn add_frame(&self, simulation: &Simulation, frame: Frame, file: Option<(String, Bytes)>) {
        images::keep_frame(simulation, &self.hub, &*self.controls, frame, file);
    }

    /// Continues at another time of a recording. States before and after are not compared for
    /// events.
    pub fn seeked(&mut self) {
        self.events = EventDetector::default();
        self.hub.clear_sensor_frames();
        self.last = [f64::NEG_INFINITY; 4];
    }

    fn publish_scene(&mut self, simulation: &Simulation) {
        self.controls
            .set_scene(&simulation.scene, simulation.scene_version);
        self.images = Images::default();
        self.hub.forget_sensors();
        let scene = SceneData::new(simulation, &*self.controls);
        self.hub.update(|latest| latest.scene.set(Arc::new(scene)));
        self.status.clear();
        self.links.clear();
        self.network = NetworkHistory::default();
        self.waves = None;
        self.last = [f64::NEG_INFINITY; 4];
    }

    /// Publishes sea and status if they have changed.
    fn publish_status(&mut self, simulation: &Simulation, control: &Control) {
        self.rejections = 0;
        let status = status::status(
            simulation,
            control,
            &self.controls.state(),
            self.load.cores(control.wall_s),
        );
        if status != self.status {
            self.hub
                .update(|latest| latest.status.set(status.as_str().into()));
            self.status = status;
        }
        let waves = &simulation.state.sea.waves;
        let is_known = self.waves.as_ref();
        if !is_known.is_some_and(|known| known.is_same_instance(waves)) {
            let sea = status::sea(simulation);
            self.hub.update(|latest| latest.sea.set(sea.into()));
            self.waves = Some(waves.clone());
        }
    }

    /// Publishes the links of modems if they have changed, and the recent activities of the modems
    /// if a client shows them.
    fn publish_network(&mut self, simulation: &Simulation) {
        let links = links::message(simulation);
        if links != self.links {
            self.hub
                .update(|latest| latest.links.set(links.as_str().into()));
            self.links = links;
        }
        if !self.hub.needs_network() {
            return;
        }
        let network = self.network.message(simulation);
        if !network.is_empty() {
            self.hub.update(|latest| latest.network.set(network.into()));
        }
    }

    /// Publishes the rates of the sensors of the selected robots [Hz]; NaN for an unknown rate.
    pub fn publish_rates(&self, rates: &[Vec<f64>]) {
        let selected = self.hub.selected();
        let one = |k: usize| {
            let own = rates.get(k)?;
            let message = json!({"type": "rates", "robot": k, "rates_hz": own});
            Some((k, message.to_string()))
        };
        let all: Arc<[(usize, String)]> = selected.into_iter().filter_map(one).collect();
        self.hub.update(|latest| latest.rates.set(all));
    }

    /// Publishes the readings of the robots whose overlays clients show.
    fn publish_overlays(&self, simulation: &Simulation) {
        let robots = self.hub.overlaid();
        if robots.is_empty() {
            return;
        }
        let valid = robots
            .into_iter()
            .filter(|(k, _)| *k < simulation.scene.robots.len());
        let all: Arc<[(usize, String)]> = valid
            .map(|(k, has_hull)| (k, readings::message(simulation, k, has_hull)))
            .collect();
        self.hub.update(|latest| latest.overlays.set(all));
    }

    fn event(&self, simulation: &Simulation, level: &str, text: &str) {
        let time = simulation.time_ns() as f64 * 1e-9;
        let event = json!({"type": "event", "time_s": time, "level": level, "text": text});
        self.hub.add_event(event.to_string());
    }
}

impl Observer for View {
    fn after_block(&mut self, simulation: &Simulation, control: &Control) {
        if std::mem::take(&mut self.is_reset) {
            self.event(simulation, "info", "reset");
        }
        self.images.request(simulation, &self.hub, &*self.controls);
        self.images.collect(simulation, &self.hub, &*self.controls);
        if let Some(topics) = self.hub.changed_topics(&mut self.topic_changes) {
            self.controls.plot_topics(&topics);
        }
        let new = self.controls.take_messages(simulation.time_ns());
        if !new.is_empty() {
            self.hub.add_messages(new);
        }
        if self.clients() == 0 {
            // the trace of the activities would have a gap
            self.network = NetworkHistory::default();
            return;
        }
        self.network.update(simulation);
        let is_due = |last: f64, period: f64| control.wall_s >= last + (1.0 - EARLY) * period;
        if is_due(self.last[1], STATUS_PERIOD_S) {
            self.last[1] = control.wall_s;
            self.publish_status(simulation, control);
        }
        // a recording has no readings, only their messages
        if !self.is_recording
            && let Some(rates) = self.rates.count(simulation)
        {
            self.publish_rates(&rates);
        }
        for (level, text) in self.events.update(simulation) {
            self.event(simulation, level, &text);
        }
        if is_due(self.last[2], OVERLAY_PERIOD_S) {
            self.last[2] = control.wall_s;
            self.publish_overlays(simulation);
        }
        if is_due(self.last[3], NETWORK_PERIOD_S) {
            self.last[3] = control.wall_s;
            self.publish_network(simulation);
        }
        if is_due(self.last[0], FRAME_PERIOD_S) {
            self.last[0] = control.wall_s;
            let frame = frame::encode(simulation, control, &self.hub.detailed());
            self.hub.update(|latest| latest.frame.set(Arc::new(frame)));
        }
    }

    fn before_steps(&mut self, simulation: &Simulation) {
        self.images.request(simulation, &self.hub, &*self.controls);
    }

    fn rejected(&mut self, rejection: &CommandRejection, simulation: &Simulation) {
        self.rejections += 1;
        if self.rejections > MAX_REJECTIONS {
            return;
        }
        let name = rejection.robot.map(|k| &simulation.scene.robots[k].name);
        let text = match name {
            Some(name) => format!("{name}: {}", rejection.reason),
            None => rejection.reason.clone(),
        };
        self.event(simulation, "warning", &text);
    }

    fn halted(&mut self, robot: usize, halt: &Halt, simulation: &Simulation) {
        let name = &simulation.scene.robots[robot].name;
        let text = format!("{name}: halted, {} is not finite", halt.cause);
        self.event(simulation, "error", &text);
    }

    fn reset(&mut self) {
        self.is_reset = true;
    }

    fn state_reset(&mut self) {
        self.is_reset = true;
    }

    fn replaced(&mut self, simulation: &Simulation, _: &Correspondence) {
        let before = Arc::clone(&self.hub.lock().scene.value);
        self.publish_scene(simulation);
        let after = Arc::clone(&self.hub.lock().scene.value);
        let difference = |from: &[String], to: &[String]| {
            let new = from.iter().filter(|name| !to.contains(name));
            new.cloned().collect::<Vec<_>>()
        };
        for name in difference(&after.robots, &before.robots) {
            self.event(simulation, "info", &format!("{name}: added"));
        }
        for name in difference(&before.robots, &after.robots) {
            self.event(simulation, "info", &format!("{name}: removed"));
        }
    }

    fn max_block_ns(&self) -> u64 {
        if self.clients() == 0 {
            u64::MAX
        } else {
            BLOCK_MAX_NS
        }
    }
}
