//! Replay of a recorded bag in the live view.
//!
//! A [`Recording`] sets the state of a simulation that does not step to the recorded state of a
//! time. The view shows this simulation as it shows a running one. [`player::Player`] moves the
//! time.

mod environment;
mod images;
pub(crate) mod network;
pub mod player;
mod plots;
mod poses;
mod rates;
pub(crate) mod state;
pub mod world;

use crate::input::replay::MAX_SIMULATED_NS;
use crate::replay::environment::RecordedEnvironment;
use crate::replay::images::RecordedImages;
use crate::replay::network::RecordedNetwork;
use crate::replay::plots::PlotReader;
use crate::replay::poses::{Bracket, FrameIndex, Track};
use crate::replay::rates::RecordedRates;
use crate::replay::state::{Recorded, recorded};
use crate::topics::Plan;
use merrow_math::Vec3;
use merrow_model::scene::{Scene, SensorKind};
use merrow_ros2::bag::index::BagIndex;
use merrow_sim::Simulation;
use merrow_view::View;
use merrow_view::readings::plotted::PlottedTopics;
use merrow_view::readings::topic_table::TopicTable;
use merrow_world::World;
use std::path::Path;
use std::sync::Arc;

/// Height at which robots without a recorded pose are placed, out of sight [m].
const HIDDEN_Z: f64 = -1e6;

/// Recorded bag with the world that it shows.
pub struct Recording {
    /// Simulation in the state of the shown time.
    pub simulation: Simulation,
    /// Lines about the bag.
    pub notes: Vec<String>,
    index: BagIndex,
    tracks: Vec<(Track, Bracket)>,
    contents: Vec<Recorded>,
    environment: RecordedEnvironment,
    images: RecordedImages,
    network: RecordedNetwork,
    rates: RecordedRates,
    plots: PlotReader,
    /// First and last log time [ns].
    log_ns: [u64; 2],
    /// First and last simulated time [ns].
    time_ns: [u64; 2],
}

impl Recording {
    /// Opens a bag. Without a world, the bag must contain it.
    ///
    /// # Errors
    /// One line: the bag cannot be read, has no poses, or its world is not known.
    pub fn open(bag: &Path, world: Option<World>) -> Result<Self, String> {
        let located = |why: &str| format!("{}: {why}", bag.display());
        let mut index = BagIndex::open(bag)?;
        let world = match world {
            Some(world) => world,
            None => {
                let recorded = index.metadata.get(world::RECORD);
                let recorded = recorded.and_then(world::RecordedWorld::from_metadata);
                let why = "the bag does not contain its world; name it with --world";
                let recorded = recorded.ok_or_else(|| located(why))?;
                recorded.load().map_err(|why| located(&why))?
            }
        };
        let log_ns = index.bounds_ns();
        let log_ns = log_ns.ok_or_else(|| located("found no messages"))?;
        let scene = Arc::new(world.scene);
        let plan = Plan::new(&scene);
        let tracks = tracks(&scene, &plan, &mut index)?;
        if tracks.is_empty() {
            return Err(located(
                "found no poses of the robots of this world; record /tf or true odometry, or name \
                 the recorded world with --world",
            ));
        }
        let time_ns = simulated_times(&scene, &tracks[0], &mut index, log_ns)?;
        let mut simulation = Simulation::new(scene, 1)?;
        state::forget(&mut simulation);
        let environment = RecordedEnvironment::new(&simulation, &plan, &mut index, |log| {
            simulated_time(log, log_ns, time_ns)
        })?;
        let mut recording = Self {
            notes: index.notes.clone(),
            contents: recorded(&plan, &index),
            environment,
            images: RecordedImages::new(&plan, &index),
            network: RecordedNetwork::new(&plan, &index),
            rates: RecordedRates::new(&simulation.scene, &plan, &index),
            plots: PlotReader::default(),
            simulation,
            index,
            tracks: tracks
                .into_iter()
                .map(|track| (track, Bracket::default()))
                .collect(),
            log_ns,
            time_ns,
        };
        recording.show(recording.bounds_s()[0])?;
        Ok(recording)
    }

    /// Returns the first and the last simulated time [s].
    pub fn bounds_s(&self) -> [f64; 2] {
        self.time_ns.map(|ns| ns as f64 * 1e-9)
    }

    /// Returns the names of the recorded images of a sensor, given the indices of its robot and of
    /// the sensor.
    pub fn images(&self, place: (usize, usize)) -> Vec<&'static str> {
        self.images.kinds(place)
    }

    /// Returns the log time of a simulated time [s].
    fn log_time_ns(&self, time_s: f64) -> u64 {
        let [start, end] = self.log_ns;
        let [first, last] = self.bounds_s();
        let fraction = (time_s - first) / (last - first).max(1e-9);
        let offset = fraction.clamp(0.0, 1.0) * (end - start) as f64;
        start + offset.round() as u64
    }

    /// Sets the simulation to the recorded state of a simulated time [s].
    ///
    /// # Errors
    /// One line: the bag cannot be read.
    pub fn show(&mut self, time_s: f64) -> Result<(), String> {
        let log_ns = self.log_time_ns(time_s);
        let scene = Arc::clone(&self.simulation.scene);
        state::place_unrecorded(&mut self.simulation);
        for (k, (track, bracket)) in self.tracks.iter_mut().enumerate() {
            bracket.seek(track, &scene, &mut self.index, log_ns)?;
            if let Some(sample) = bracket.interpolate(log_ns) {
                state::set_poses(&mut self.simulation, &sample);
                if k == 0 {
                    state::set_time(&mut self.simulation, sample.stamp_ns);
                }
            }
        }
        self.environment.show(&mut self.simulation);
        for content in &mut self.contents {
            content.show(&mut self.simulation, &mut self.index, log_ns)?;
        }
        self.network
            .show(&mut self.simulation, &mut self.index, log_ns)
    }

    /// Returns the recorded topics.
    pub(crate) fn topics(&self) -> TopicTable {
        let topics = self.index.topics.iter();
        TopicTable::new(topics.map(|t| (t.name.as_str(), t.type_name.as_str(), &*t.definition)))
    }

    /// Passes the next messages of the plotted topics on.
    ///
    /// # Errors
    /// One line: the bag cannot be read.
    fn read_plots(&mut self, plotted: &PlottedTopics) -> Result<(), String> {
        let (log_ns, time_ns) = (self.log_ns, self.time_ns);
        self.plots.read(&mut self.index, plotted, |log| {
            simulated_time(log, log_ns, time_ns)
        })
    }

    /// Shows the images that are watched and new at a simulated time [s].
    fn show_images(&mut self, view: &View, time_s: f64) -> Result<(), String> {
        let log_ns = self.log_time_ns(time_s);
        let (simulation, index) = (&self.simulation, &mut self.index);
        self.images.show(view, simulation, index, log_ns)
    }
}

/// Returns the sources of the poses of all robots; the first has the simulated time.
fn tracks(scene: &Scene, plan: &Plan, index: &mut BagIndex) -> Result<Vec<Track>, String> {
    let mut tracks = Vec::new();
    let mut has_pose = vec![false; scene.robots.len()];
    let transforms = plan.outputs.iter().find(|o| o.topic == "/tf");
    if let Some(topic) = transforms.and_then(|output| index.topic(&output.topic)) {
        let frames = FrameIndex::new(scene);
        let track = Track::Transforms { topic, frames };
        let ends = [
            track.next(scene, index, 0)?,
            track.latest(scene, index, u64::MAX)?,
        ];
        for sample in ends.iter().flatten() {
            for (has_pose, pose) in has_pose.iter_mut().zip(&sample.robots) {
                *has_pose |= pose.base.is_some();
            }
        }
        if ends.iter().any(Option::is_some) {
            tracks.push(track);
        }
    }
    for output in &plan.outputs {
        let Some((robot, sensor)) = output.sensor() else {
            continue;
        };
        let own = &scene.robots[robot];
        let device = &own.sensors[sensor];
        let is_truth = matches!(device.kind, SensorKind::Odometry(_)) && device.link == 0;
        if !is_truth || has_pose[robot] || !own.floating {
            continue;
        }
        if let Some(topic) = index.topic(&output.topic) {
            has_pose[robot] = true;
            tracks.push(Track::Odometry {
                topic,
                robot,
                sensor,
            });
        }
    }
    // transforms of joints do not place a floating robot
    let needs_pose = scene.robots.iter().any(|robot| robot.floating);
    if needs_pose && !has_pose.contains(&true) {
        tracks.clear();
    }
    Ok(tracks)
}

/// Returns the first and the last simulated time of a bag with these log times [ns].
fn simulated_times(
    scene: &Scene,
    track: &Track,
    index: &mut BagIndex,
    log_ns: [u64; 2],
) -> Result<[u64; 2], String> {
    if log_ns[1] < MAX_SIMULATED_NS {
        return Ok(log_ns);
    }
    let first = track.next(scene, index, log_ns[0].saturating_sub(1))?;
    let last = track.latest(scene, index, log_ns[1])?;
    let stamp = |sample: Option<poses::Sample>| sample.map_or(0, |sample| sample.stamp_ns);
    let (first, last) = (stamp(first), stamp(last));
    Ok([first, last.max(first)])
}

/// Converts the time of a record to simulated time [ns], from the first and the last time of both
/// [ns].
fn simulated_time(log_ns: u64, [start, end]: [u64; 2], [first, last]: [u64; 2]) -> u64 {
    let scale = (last - first) as f64 / (end - start).max(1) as f64;
    first + (log_ns.saturating_sub(start) as f64 * scale).round() as u64
}

/// Returns a position out of sight.
fn hidden() -> Vec3 {
    Vec3::new(0.0, 0.0, HIDDEN_Z)
}
