//! Scheduler of the exteroceptive sensors: they are sampled from a snapshot of the world between
//! steps, computed on worker threads, and delivered when they are due.
//!
//! The contents of a frame depend only on the snapshot, the sensor and the index of its sample.
//! They do not depend on when and where the frame is computed.
//!
//! When the run follows the wall clock, it never waits for a frame: a sensor with two late samples
//! misses the next sample, which is counted. Which samples are computed first depends on the
//! measured cost of the sensors (`priority.rs`). Otherwise the run waits for the frames that are
//! due, so that none is missed. If a worker thread fails, the run ends.
//!
//! Frames in progress are not part of the state, because they depend on the requests: a copy of a
//! state that continues elsewhere lacks the frames that were sampled before and are due after the
//! copy. A checkpoint contains them in addition (`SavedFrames`). A stuck sensor repeats its last
//! frame; if there is none because it had no subscriber, its first frame is computed and then
//! repeated.

use crate::Pace;
use crate::control::fault;
use crate::report::cost;
use crate::robot::Runner;
use crate::sensors::cpu_meter::MeanCost;
use crate::sensors::dispatcher::SensorThreads;
use crate::sensors::priority::{Class, DEADLINE_PERIODS, Load, Priority, classify};
use crate::sensors::worker::{Sample, SampleRequest, SampleResult};
use crate::sensors::world_view;
use merrow_model::scene::{Correspondence, Scene, Sensor};
use merrow_model::state::frames::view::WorldView;
use merrow_model::state::frames::{Frame, FrameData};
use merrow_model::state::{FaultEffect, RobotState, State};
use merrow_persist::Persist;
use merrow_sensors::ray_scene::StaticGeometry;
use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};

/// Maximum wall-clock delay of the step that causes no missed samples of cheap sensors [s]: a step
/// that is late makes up for it, and samples that belong to different instants are then requested
/// at once.
const BURST_S: f64 = 0.25;
/// Bits of all outputs of a sensor.
pub(crate) const ALL_OUTPUTS: u8 = u8::MAX;

/// An exteroceptive sensor and its samples in progress.
#[derive(Debug)]
struct ScheduledSensor {
    robot: usize,
    sensor: usize,
    /// Requested outputs of its frames, as bits.
    requested_outputs: AtomicU8,
    /// Simulated time between two samples [ns].
    period_ns: u64,
    /// CPU time of a sample.
    cost: MeanCost,
    /// Number of samples that were requested, including missed samples.
    requested: u64,
    /// Number of samples missed because the preceding samples were not completed.
    missed: u64,
    /// Order number and due time [ns] of its samples in progress.
    under_way: VecDeque<(u64, u64)>,
    /// Requested outputs of the last sample, as bits.
    ordered: u8,
    /// Data of its last frame.
    last: Option<Arc<FrameData>>,
}

/// Exteroceptive sensors in a checkpoint.
#[derive(Clone, Debug, Persist)]
pub(crate) struct SavedFrames {
    devices: Vec<SavedSensor>,
}

/// An exteroceptive sensor in a checkpoint.
#[derive(Clone, Debug, Persist)]
struct SavedSensor {
    requested_outputs: u8,
    requested: u64,
    missed: u64,
    ordered: u8,
    last: Option<Arc<FrameData>>,
    under_way: Vec<SavedSample>,
}

/// A computed sample that has not been delivered, in a checkpoint.
#[derive(Clone, Debug, Persist)]
struct SavedSample {
    /// Number of earlier samples of all sensors that are also in progress.
    rank: u64,
    stamp_ns: u64,
    due_ns: u64,
    /// `None`: repeat the last frame.
    data: Option<Arc<FrameData>>,
}

/// Load by an exteroceptive sensor, and its missed samples.
#[derive(Clone, Copy, Debug)]
pub struct SensorLoad {
    /// Index of the robot.
    pub robot: usize,
    /// Index of the sensor.
    pub sensor: usize,
    /// Number of samples that were requested, including missed samples.
    pub requested: u64,
    /// Number of samples that were missed.
    pub missed: u64,
    /// Mean CPU time of a sample [s].
    pub cost_s: f64,
    /// Number of cores that the sensor needs at its rate and the pace of the run.
    pub cores: f64,
}

impl SavedFrames {
    /// Returns the sensors of the scene `new` with the frames of those that are also in `old`.
    pub(crate) fn for_scene(self, old: &Scene, new: &Scene, same: &Correspondence) -> Self {
        let target = |(robot, sensor)| same.robot(robot).map(|robot| (robot, sensor));
        let targets = exteroceptive_sensors(old).into_iter().map(target);
        let mut kept: Vec<_> = targets
            .zip(self.devices)
            .filter(|(to, _)| to.is_some())
            .collect();
        let start = |(robot, sensor): (usize, usize)| {
            let found = kept.iter().position(|(to, _)| *to == Some((robot, sensor)));
            found.map_or_else(
                || SavedSensor::at_start(&new.robots[robot].sensors[sensor]),
                |k| kept.swap_remove(k).1,
            )
        };
        let mut devices: Vec<_> = exteroceptive_sensors(new).into_iter().map(start).collect();
        // the ranks of the samples that are left have no gaps
        let samples = devices.iter().flat_map(|device| &device.under_way);
        let mut ranks: Vec<u64> = samples.map(|sample| sample.rank).collect();
        ranks.sort_unstable();
        for sample in devices.iter_mut().flat_map(|device| &mut device.under_way) {
            sample.rank = ranks.partition_point(|rank| *rank < sample.rank) as u64;
        }
        Self { devices }
    }
}

impl SavedSensor {
    /// Returns a sensor without samples.
    fn at_start(sensor: &Sensor) -> Self {
        Self {
            requested_outputs: initial_outputs(sensor),
            requested: 0,
            missed: 0,
            ordered: 0,
            last: None,
            under_way: Vec::new(),
        }
    }
}

/// Returns the outputs that a sensor computes before any request, as bits.
fn initial_outputs(sensor: &Sensor) -> u8 {
    if sensor.lazy { 0 } else { ALL_OUTPUTS }
}

/// Scheduler of all exteroceptive sensors of a world.
#[derive(Debug)]
pub struct SensorScheduler {
    devices: Vec<ScheduledSensor>,
    /// Simulated seconds per wall-clock second; `None` if the run waits for frames.
    clock_factor: Option<f64>,
    /// Number of threads requested.
    n_threads: usize,
    threads: SensorThreads,
    /// Frames that are computed and not yet delivered.
    completed: Vec<SampleResult>,
    order: u64,
    /// Order number of the first sample of the current run; earlier samples belong to a run that
    /// was reset.
    first: u64,
    /// Cause if a worker thread has failed.
    failed: Option<String>,
}

impl SensorScheduler {
    /// Creates the scheduler for the exteroceptive sensors of `scene`, with `threads` threads.
    /// Returns `None` if there are no such sensors.
    ///
    /// # Errors
    /// Returns a message if the threads cannot be started.
    pub fn new(
        scene: &Arc<Scene>,
        static_geometry: &StaticGeometry,
        threads: usize,
    ) -> Result<Option<Self>, String> {
        let places = exteroceptive_sensors(scene);
        if places.is_empty() {
            return Ok(None);
        }
        let sensor_threads = SensorThreads::start(scene, static_geometry, &places, threads)?;
        let estimates = cost::sensor_costs(scene);
        let device = |(robot, sensor): (usize, usize)| {
            let model = &scene.robots[robot].sensors[sensor];
            ScheduledSensor {
                robot,
                sensor,
                requested_outputs: AtomicU8::new(initial_outputs(model)),
                period_ns: (1e9 / model.rate) as u64,
                cost: MeanCost::from_estimate(
                    1e9 * estimates[robot][sensor] / model.rate,
                    1.0 / model.rate,
                ),
                requested: 0,
                missed: 0,
                under_way: VecDeque::new(),
                ordered: 0,
                last: None,
            }
        };
        Ok(Some(Self {
            devices: places.into_iter().map(device).collect(),
            clock_factor: None,
            n_threads: threads,
            threads: sensor_threads,
            completed: Vec::new(),
            order: 0,
            first: 0,
            failed: None,
        }))
    }

    /// Returns the cause why no more frames are delivered, if a worker thread has failed.
    pub fn failed(&self) -> Option<&str> {
        self.failed.as_deref()
    }

    /// Sets the pace of the run. It waits for frames that are due unless it follows the wall clock.
    pub fn set_pace(&mut self, pace: Pace) {
        self.clock_factor = match pace {
            Pace::Factor(factor) => Some(factor),
            Pace::Max | Pace::Lockstep => None,
        };
    }

    /// Requests or cancels the frames of a sensor. Sensors that are not `lazy` are computed in any
    /// case.
    pub fn request_frames(&self, scene: &Scene, robot: usize, sensor: usize, is_requested: bool) {
        let parts = if is_requested { ALL_OUTPUTS } else { 0 };
        self.request_outputs(scene, robot, sensor, parts);
    }

    /// Requests some outputs of the frames of a sensor, as bits defined by the sensor; 0 for none.
    pub fn request_outputs(&self, scene: &Scene, robot: usize, sensor: usize, parts: u8) {
        if let Some(device) = self.device(robot, sensor) {
            let lazy = scene.robots[robot].sensors[sensor].lazy;
            device
                .requested_outputs
                .store(if lazy { parts } else { ALL_OUTPUTS }, Ordering::Relaxed);
        }
    }

    /// Requests further outputs of a sensor in addition to those requested before, as bits.
    pub fn add_requested_outputs(&self, robot: usize, sensor: usize, parts: u8) {
        if let Some(device) = self.device(robot, sensor) {
            device.requested_outputs.fetch_or(parts, Ordering::Relaxed);
        }
    }

    fn device(&self, robot: usize, sensor: usize) -> Option<&ScheduledSensor> {
        let place = (robot, sensor);
        self.devices.iter().find(|d| (d.robot, d.sensor) == place)
    }

    /// Requests only the frames of the sensor `one`, whether it is lazy or not, and cancels all
    /// others.
    pub(crate) fn request_only(&self, one: Option<(usize, usize)>) {
        for device in &self.devices {
            let parts = if Some((device.robot, device.sensor)) == one {
                ALL_OUTPUTS
            } else {
                0
            };
            device.requested_outputs.store(parts, Ordering::Relaxed);
        }
    }

    /// Returns the robot, sensor and number of missed samples of every exteroceptive sensor.
    pub fn missed(&self) -> impl Iterator<Item = (usize, usize, u64)> + '_ {
        self.devices
            .iter()
            .map(|device| (device.robot, device.sensor, device.missed))
    }

    /// Returns the load and missed samples of every exteroceptive sensor.
    pub fn loads(&self) -> impl Iterator<Item = SensorLoad> + '_ {
        self.devices.iter().map(|device| SensorLoad {
            robot: device.robot,
            sensor: device.sensor,
            requested: device.requested,
            missed: device.missed,
            cost_s: device.cost.seconds(),
            cores: self.load(device).cores(),
        })
    }

    fn load(&self, device: &ScheduledSensor) -> Load {
        Load {
            cost_s: device.cost.seconds(),
            period_s: 1e-9 * device.period_ns as f64 / self.clock_factor.unwrap_or(1.0),
            is_requested: device.requested_outputs.load(Ordering::Relaxed) != 0,
        }
    }

    /// Returns the time of the next sample [ns].
    pub fn next_sample_ns(&self, state: &State) -> Option<u64> {
        let due = |device: &ScheduledSensor| {
            let robot = &state.robots[device.robot];
            robot
                .halted
                .is_none()
                .then_some(robot.sensors[device.sensor].due_ns)
        };
        self.devices.iter().filter_map(due).min()
    }

    /// Samples the sensors that are due now.
    pub(crate) fn sample_due(&mut self, scene: &Scene, state: &mut State, runners: &mut [Runner]) {
        let now = state.time_ns;
        let is_due = |device: &ScheduledSensor| {
            let own = &state.robots[device.robot];
            own.sensors[device.sensor].due_ns <= now && own.halted.is_none()
        };
        let due: Vec<usize> = (0..self.devices.len())
            .filter(|k| is_due(&self.devices[*k]))
            .collect();
        if due.is_empty() {
            return;
        }
        advance_faults(scene, state, runners);
        let beacons = fault::beacon_effects(&mut state.faults, scene.beacons.len(), now);
        self.collect_results();
        let classes = self.classes();
        let mut view = None;
        for k in due {
            let class = classes.as_ref().map(|c| c[k]);
            let Some(sample) = self.take_sample(k, scene, state, class) else {
                continue;
            };
            let device = &mut self.devices[k];
            device.under_way.push_back((self.order, sample.due_ns));
            // a stuck sensor can only repeat a frame that it has computed
            if sample.fault.stuck && device.ordered & sample.outputs == sample.outputs {
                self.completed.push(SampleResult {
                    order: self.order,
                    device: k,
                    stamp_ns: now,
                    due_ns: sample.due_ns,
                    data: None,
                    cost_ns: None,
                });
            } else {
                let view = view.get_or_insert_with(|| {
                    Arc::new(world_view::snapshot(scene, state, runners, beacons.clone()))
                });
                self.request_sample(k, sample, view, class);
            }
            self.order += 1;
        }
    }

    /// Returns the classes of all sensors if the run follows the wall clock.
    fn classes(&self) -> Option<Vec<Class>> {
        self.clock_factor?;
        let loads: Vec<Load> = self.devices.iter().map(|d| self.load(d)).collect();
        Some(classify(&loads, self.n_threads))
    }

    /// Counts the sample of the sensor `k` that is due now. Returns `None` if it has no frame: the
    /// sensor has no power, fails or is not requested, or the sample is lost or missed.
    fn take_sample(
        &mut self,
        k: usize,
        scene: &Scene,
        state: &mut State,
        class: Option<Class>,
    ) -> Option<Sample> {
        let (stamp_ns, device) = (state.time_ns, &self.devices[k]);
        let (r, s) = (device.robot, device.sensor);
        let (sensor, own) = (&scene.robots[r].sensors[s], &mut state.robots[r]);
        let index = own.sensors[s].samples;
        own.sensors[s].count(sensor);
        let outputs = device.requested_outputs.load(Ordering::Relaxed);
        let is_lost = sensor.loss_probability > 0.0
            && sensor.stream.draw(index + 1).uniform() < sensor.loss_probability;
        let (noise, mut fault) = (own.sensors[s].noise, own.sensors[s].fault);
        let source = source_errors(sensor, own, (noise, fault));
        if !own.battery.is_on() || fault.dead || source.1.dead || is_lost || outputs == 0 {
            return None;
        }
        fault.stuck |= source.1.stuck;
        let is_late = class.is_some_and(|c| self.n_pending(k, stamp_ns) >= self.max_pending(k, c));
        let device = &mut self.devices[k];
        device.requested += 1;
        if is_late {
            device.missed += 1;
            return None;
        }
        let spec = sensor.kind.exteroceptive();
        let takes = spec.map_or(0, |spec| spec.properties().sample_duration_ns);
        Some(Sample {
            index,
            due_ns: stamp_ns + sensor.latency_ns.max(takes),
            outputs,
            noise,
            fault,
            source,
        })
    }

    /// Returns the number of samples of the sensor `k` in progress, without those that are computed
    /// and are not due at `now_ns` [ns].
    fn n_pending(&self, k: usize, now_ns: u64) -> usize {
        let is_early = |done: &&SampleResult| done.device == k && done.due_ns > now_ns;
        let early = self.completed.iter().filter(is_early).count();
        self.devices[k].under_way.len() - early
    }

    /// Returns the maximum number of samples of the sensor `k` in progress.
    fn max_pending(&self, k: usize, class: Class) -> usize {
        let n = match class {
            Class::Reserved(_) | Class::Prompt => BURST_S / self.load(&self.devices[k]).period_s,
            Class::Expensive { .. } => 0.0,
        };
        (n as usize).max(DEADLINE_PERIODS as usize)
    }

    /// Passes a sample to the threads. A sensor without a class is computed in the order of its due
    /// time.
    fn request_sample(
        &mut self,
        k: usize,
        sample: Sample,
        view: &Arc<WorldView>,
        class: Option<Class>,
    ) {
        let device = &mut self.devices[k];
        device.ordered = sample.outputs;
        let late_ns = view.time_ns + DEADLINE_PERIODS * device.period_ns;
        let priority = Priority {
            class: class.unwrap_or(Class::Prompt),
            deadline_ns: class.map_or(sample.due_ns, |_| late_ns),
            period_ns: device.period_ns,
        };
        self.threads.request(SampleRequest {
            order: self.order,
            device: k,
            view: Arc::clone(view),
            sample,
            priority,
        });
    }

    /// Stores the results that the threads have completed.
    fn collect_results(&mut self) {
        while let Ok(message) = self.threads.done.try_recv() {
            self.store_result(message);
        }
    }

    /// Appends the frames that are due by `now_ns` [ns] to `out`, the frames of each sensor in
    /// their order.
    pub(crate) fn deliver_due(&mut self, now_ns: u64, out: &mut Vec<Frame>) {
        self.collect_results();
        if self.clock_factor.is_none() {
            self.wait_for_frames(now_ns);
        }
        self.completed.sort_by_key(|done| done.order);
        let mut k = 0;
        while k < self.completed.len() {
            let SampleResult {
                order,
                device,
                stamp_ns,
                due_ns,
                ..
            } = self.completed[k];
            let device = &mut self.devices[device];
            if due_ns > now_ns
                || device
                    .under_way
                    .front()
                    .is_none_or(|(first, _)| *first != order)
            {
                k += 1;
                continue;
            }
            device.under_way.pop_front();
            let data = self
                .completed
                .remove(k)
                .data
                .or_else(|| device.last.clone());
            device.last.clone_from(&data);
            let (robot, sensor) = (device.robot, device.sensor);
            out.extend(data.map(|data| Frame {
                robot,
                sensor,
                stamp_ns,
                due_ns,
                data,
            }));
        }
    }

    /// Returns the time at which the next frame of a sensor is due [ns]; `None`: no sample is in
    /// progress.
    pub(crate) fn next_frame_ns(&self, robot: usize, sensor: usize) -> Option<u64> {
        self.device(robot, sensor)?
            .under_way
            .front()
            .map(|(_, due_ns)| *due_ns)
    }

    /// Waits until all samples that are due by `now_ns` [ns] are computed, or a thread has failed.
    fn wait_for_frames(&mut self, now_ns: u64) {
        let is_awaited = |device: &ScheduledSensor, found: &[SampleResult]| {
            let waits = |(order, due): &(u64, u64)| {
                *due <= now_ns && found.iter().all(|d| d.order != *order)
            };
            device.under_way.iter().any(waits)
        };
        while self.failed.is_none()
            && self
                .devices
                .iter()
                .any(|device| is_awaited(device, &self.completed))
        {
            let gone = || Err("the threads of exteroceptive sensors have ended".to_string());
            let message = self.threads.done.recv().unwrap_or_else(|_| gone());
            self.store_result(message);
        }
    }

    /// Returns the content of a checkpoint, after all samples in progress have been computed.
    ///
    /// # Errors
    /// A worker thread has failed.
    pub(crate) fn saved_frames(&mut self) -> Result<SavedFrames, String> {
        self.wait_for_frames(u64::MAX);
        if let Some(why) = &self.failed {
            return Err(why.clone());
        }
        let under_way = self.devices.iter().flat_map(|device| &device.under_way);
        let mut all: Vec<u64> = under_way.map(|(order, _)| *order).collect();
        all.sort_unstable();
        let of_sample = |(order, due_ns): &(u64, u64)| {
            let done = self.completed.iter().find(|done| done.order == *order);
            SavedSample {
                rank: all.partition_point(|other| other < order) as u64,
                stamp_ns: done.map_or(0, |done| done.stamp_ns),
                due_ns: *due_ns,
                data: done.and_then(|done| done.data.clone()),
            }
        };
        let of_device = |device: &ScheduledSensor| SavedSensor {
            requested_outputs: device.requested_outputs.load(Ordering::Relaxed),
            requested: device.requested,
            missed: device.missed,
            ordered: device.ordered,
            last: device.last.clone(),
            under_way: device.under_way.iter().map(of_sample).collect(),
        };
        Ok(SavedFrames {
            devices: self.devices.iter().map(of_device).collect(),
        })
    }

    /// Continues with the samples of a checkpoint. Returns false, without any effect, if the
    /// checkpoint has other sensors.
    pub(crate) fn restore_frames(&mut self, saved: SavedFrames) -> bool {
        let n: usize = saved.devices.iter().map(|d| d.under_way.len()).sum();
        let mut samples = saved.devices.iter().flat_map(|d| &d.under_way);
        if saved.devices.len() != self.devices.len() || samples.any(|s| s.rank >= n as u64) {
            return false;
        }
        self.discard_in_progress();
        for (k, (device, saved)) in self.devices.iter_mut().zip(saved.devices).enumerate() {
            device
                .requested_outputs
                .store(saved.requested_outputs, Ordering::Relaxed);
            (device.requested, device.missed) = (saved.requested, saved.missed);
            device.ordered = saved.ordered;
            device.last = saved.last;
            for sample in saved.under_way {
                let (order, due_ns) = (self.order + sample.rank, sample.due_ns);
                device.under_way.push_back((order, due_ns));
                self.completed.push(SampleResult {
                    order,
                    device: k,
                    stamp_ns: sample.stamp_ns,
                    due_ns,
                    data: sample.data,
                    cost_ns: None,
                });
            }
        }
        self.order += n as u64;
        true
    }

    /// Stores the result of a worker thread.
    fn store_result(&mut self, message: Result<SampleResult, String>) {
        match message {
            Ok(done) => {
                if let Some(cost_ns) = done.cost_ns {
                    self.devices[done.device].cost.add(cost_ns);
                }
                // an earlier sample belongs to a run that was reset
                if done.order >= self.first {
                    self.completed.push(done);
                }
            }
            Err(why) => {
                self.failed.get_or_insert(why);
            }
        }
    }

    /// Discards all samples in progress and the last frames, for a reset.
    pub(crate) fn discard_in_progress(&mut self) {
        self.first = self.order;
        self.completed.clear();
        for device in &mut self.devices {
            device.under_way.clear();
            (device.ordered, device.last) = (0, None);
        }
    }
}

/// Returns robot and sensor of every exteroceptive sensor.
fn exteroceptive_sensors(scene: &Scene) -> Vec<(usize, usize)> {
    let mut places = Vec::new();
    for (r, robot) in scene.robots.iter().enumerate() {
        let sensors = robot.sensors.iter().enumerate();
        let exteroceptive = sensors.filter(|(_, s)| s.kind.exteroceptive().is_some());
        places.extend(exteroceptive.map(|(s, _)| (r, s)));
    }
    places
}

/// Advances the faults of all robots, independently of the requested frames.
fn advance_faults(scene: &Scene, state: &mut State, runners: &mut [Runner]) {
    let (now, density) = (state.time_ns, state.sea.density);
    let robots = scene.robots.iter().zip(&mut state.robots).zip(runners);
    for ((robot, own), runner) in robots {
        if !own.faults.is_empty() && own.halted.is_none() {
            fault::prepare(robot, own, &mut runner.work, now, density);
        }
    }
}

/// Returns noise switch and faults of the source sensor of an obstacle detector; for any other
/// sensor its own.
pub(crate) fn source_errors(
    sensor: &Sensor,
    robot: &RobotState,
    own: (bool, FaultEffect),
) -> (bool, FaultEffect) {
    let source = sensor
        .kind
        .exteroceptive()
        .and_then(|spec| spec.properties().source);
    source.map_or(own, |other| {
        (robot.sensors[other].noise, robot.sensors[other].fault)
    })
}

#[cfg(test)]
mod tests {
    use crate::sensors::worker::lower_priority;

    // Worker threads of sensors lower their priority, and no other thread does. Method: the nice
    // values that the system reports for a thread after `lower_priority` and for this thread.
    #[cfg(target_os = "linux")]
    #[test]
    fn threads_of_sensors_have_a_low_priority() {
        let nice = || {
            let stat = std::fs::read_to_string("/proc/thread-self/stat").expect("Linux procfs");
            let (_, after) = stat.rsplit_once(") ").expect("a name in brackets");
            after
                .split(' ')
                .nth(16)
                .and_then(|word| word.parse::<i32>().ok())
                .expect("a number")
        };
        let before = nice();
        let there = std::thread::spawn(move || {
            lower_priority(10);
            nice()
        });
        assert_eq!(there.join().expect("it ends"), (before + 10).min(19));
        assert_eq!(nice(), before);
    }
}
