//! Player of a recording: moves the shown time at the speed that the clients of the view request.

use crate::picture::live;
use crate::replay::Recording;
use crossbeam_channel::{Receiver, Sender, unbounded};
use merrow_model::scene::Sensor;
use merrow_sim::{Control, Observer, Pace};
use merrow_view::action::ControlAction;
use merrow_view::readings::plotted::PlottedTopics;
use merrow_view::readings::topic_table::TopicTable;
use merrow_view::{Answer, Controls, ImageSource, MessageNumbers, TopicInfo, TopicMessage, View};
use parking_lot::Mutex;
use std::collections::HashMap;
use std::net::SocketAddr;
use std::ops::RangeInclusive;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Speeds in recorded seconds per second.
pub const SPEEDS: RangeInclusive<f64> = 0.1..=20.0;
/// Time between two shown states.
const PERIOD: Duration = Duration::from_millis(33);
/// Period of the rates of the sensors.
const RATE_PERIOD: Duration = Duration::from_millis(500);
/// Reason why an action has no effect.
const NOT_LIVE: &str = "a recording cannot be changed; start the world with `merrow run --view`";

/// Request of a client to the player.
type Request = (ControlAction, Answer);

/// Controls of the view of a recording.
struct ReplayControls {
    requests: Sender<Request>,
    bounds_s: [f64; 2],
    /// Topics of the recording.
    topics: TopicTable,
    /// Topics that pages plot, and their messages.
    plotted: PlottedTopics,
    /// Topics that pages plot from now on, until the player reads them.
    changed: Mutex<Option<Vec<String>>>,
    /// Recorded images of each sensor, by the indices of robot and sensor.
    images: HashMap<(usize, usize), Vec<&'static str>>,
}

impl Controls for ReplayControls {
    fn request(&self, action: ControlAction, answer: Answer) {
        // a player that has ended drops the request with the answer; the connection then ends too
        let _ = self.requests.send((action, answer));
    }

    fn image_source(&self, place: (usize, usize), sensor: &Sensor) -> Option<ImageSource> {
        let recorded = self.images.get(&place)?;
        let mut source = live::source(sensor)?;
        let is_recorded = |(name, _): &(String, u8)| recorded.contains(&name.as_str());
        source.kinds.retain(is_recorded);
        (!source.kinds.is_empty()).then_some(source)
    }

    fn recording_bounds(&self) -> Option<[f64; 2]> {
        Some(self.bounds_s)
    }

    fn topics(&self) -> Vec<TopicInfo> {
        self.topics.topics()
    }

    fn plot_topics(&self, topics: &[String]) {
        self.plotted.set(topics);
        *self.changed.lock() = Some(topics.to_vec());
    }

    fn take_messages(&self, _: u64) -> Vec<TopicMessage> {
        self.plotted.take()
    }

    fn numbers(&self, message: &TopicMessage) -> Option<MessageNumbers> {
        self.topics.numbers(message)
    }
}

/// Start of a replay.
#[derive(Clone, Copy, Debug)]
pub struct PlayerOptions {
    /// Address of the page; `None`: the default address or the next free port.
    pub address: Option<SocketAddr>,
    /// Simulated time of the first state [s]; `None`: the start of the recording.
    pub start_s: Option<f64>,
    /// Speed in recorded seconds per second, one of [`SPEEDS`].
    pub speed: f64,
}

/// Player of a recording with the view that shows it.
pub struct Player {
    recording: Recording,
    controls: Arc<ReplayControls>,
    view: View,
    requests: Receiver<Request>,
    /// Shown simulated time [s].
    time_s: f64,
    speed: f64,
    is_playing: bool,
    started: Instant,
    /// Time at which the rates of the sensors were published last.
    rated: Instant,
}

impl Player {
    /// Starts the view of a recording, which plays as soon as a client has connected.
    ///
    /// # Errors
    /// One line: the address cannot be used, or the bag cannot be read.
    pub fn start(mut recording: Recording, options: PlayerOptions) -> Result<Self, String> {
        let (sender, requests) = unbounded();
        let robots = recording.simulation.scene.robots.iter().enumerate();
        let places = robots.flat_map(|(k, robot)| (0..robot.sensors.len()).map(move |i| (k, i)));
        let controls = ReplayControls {
            requests: sender,
            bounds_s: recording.bounds_s(),
            topics: recording.topics(),
            plotted: PlottedTopics::default(),
            changed: Mutex::default(),
            images: places
                .map(|place| (place, recording.images(place)))
                .collect(),
        };
        let [start, end] = recording.bounds_s();
        let time_s = options.start_s.unwrap_or(start).clamp(start, end);
        recording.show(time_s)?;
        let controls = Arc::new(controls);
        let shared = Arc::clone(&controls);
        let view = View::start(&recording.simulation, options.address, shared)?;
        Ok(Self {
            recording,
            controls,
            view,
            requests,
            time_s,
            speed: options.speed,
            is_playing: true,
            started: Instant::now(),
            rated: Instant::now(),
        })
    }

    /// Returns the address of the page.
    pub fn url(&self) -> String {
        self.view.url()
    }

    /// Plays until `stop` is set.
    ///
    /// # Errors
    /// One line: the bag cannot be read.
    pub fn run(&mut self, stop: &AtomicBool) -> Result<(), String> {
        let mut last = Instant::now();
        while !stop.load(Ordering::Relaxed) {
            let elapsed = last.elapsed();
            if let Some(wait) = PERIOD.checked_sub(elapsed) {
                if let Ok(request) = self.requests.recv_timeout(wait) {
                    self.handle(request)?;
                }
                continue;
            }
            last = Instant::now();
            self.advance(elapsed.as_secs_f64())?;
        }
        Ok(())
    }

    /// Shows the state after a duration of wall-clock time [s].
    fn advance(&mut self, elapsed_s: f64) -> Result<(), String> {
        let end = self.recording.bounds_s()[1];
        if self.is_playing && self.view.clients() > 0 {
            self.time_s += elapsed_s.min(1.0) * self.speed;
            if self.time_s >= end {
                (self.time_s, self.is_playing) = (end, false);
            }
            self.recording.show(self.time_s)?;
        }
        self.recording.show_images(&self.view, self.time_s)?;
        let changed = self.controls.changed.lock().take();
        if let Some(topics) = changed {
            let recording = &mut self.recording;
            recording.plots.start(&topics, &mut recording.index)?;
        }
        self.recording.read_plots(&self.controls.plotted)?;
        let control = Control {
            pace: Pace::Factor(self.speed),
            paused: !self.is_playing,
            wall_s: self.started.elapsed().as_secs_f64(),
            overruns: 0,
            jitter_s: (0.0, 0.0),
            worst_lateness_s: 0.0,
            rejected: 0,
        };
        self.view.after_block(&self.recording.simulation, &control);
        // the view adds the output of each block once
        let output = &mut self.recording.simulation.network_output;
        if !output.is_empty() {
            Arc::make_mut(output).clear();
        }
        if self.view.clients() > 0 && self.rated.elapsed() > RATE_PERIOD {
            self.rated = Instant::now();
            let log_ns = self.recording.log_time_ns(self.time_s);
            let recording = &mut self.recording;
            let rates = recording.rates.count(&mut recording.index, log_ns)?;
            self.view.publish_rates(&rates);
        }
        Ok(())
    }

    fn handle(&mut self, (action, answer): Request) -> Result<(), String> {
        let [start, end] = self.recording.bounds_s();
        let mut done = Ok(());
        match action {
            ControlAction::Pause => self.is_playing = false,
            ControlAction::Resume => {
                if self.time_s >= end {
                    self.seek(start)?;
                }
                self.is_playing = true;
            }
            ControlAction::Step { steps } => {
                self.is_playing = false;
                let step_s = self.recording.simulation.scene.dt();
                self.seek(self.time_s + steps as f64 * step_s)?;
            }
            ControlAction::Reset => self.seek(start)?,
            ControlAction::Seek { time_s } => self.seek(time_s)?,
            ControlAction::Pace { pace } => done = self.set_speed(pace),
            _ => done = Err(NOT_LIVE.to_string()),
        }
        answer(done.map(|()| String::new()));
        Ok(())
    }

    fn set_speed(&mut self, pace: Pace) -> Result<(), String> {
        let speed = match pace {
            Pace::Factor(factor) => factor,
            Pace::Max | Pace::Lockstep => f64::INFINITY,
        };
        let (low, high) = (SPEEDS.start(), SPEEDS.end());
        if !SPEEDS.contains(&speed) {
            return Err(format!("pace: expected {low} to {high}, found {pace}"));
        }
        self.speed = speed;
        Ok(())
    }

    /// Shows another simulated time [s], at once.
    fn seek(&mut self, time_s: f64) -> Result<(), String> {
        let [start, end] = self.recording.bounds_s();
        self.time_s = time_s.clamp(start, end);
        self.recording.show(self.time_s)?;
        self.recording.images.seek();
        self.view.seeked();
        Ok(())
    }
}
